"""The data it takes: sparse, single precision, degenerate, extreme."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from optimargin import OptimalMarginClassifier
from optimargin.search.registry import OPTIMIZERS

SEARCHES = ["memetic", "coordinate", *OPTIMIZERS]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SCALINGS = pytest.mark.parametrize("scaling", ["standardize", "whiten", None])


def brief(**settings):
    return OptimalMarginClassifier(**{"max_generations": 20, "random_state": 0, **settings})


def make(m=120, n=5, seed=0):
    return make_classification(m, n, n_informative=3, class_sep=1.0, random_state=seed)


# Sparse data


@pytest.mark.parametrize(
    "container", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix]
)
@pytest.mark.parametrize("scaling", ["standardize", None])
def test_every_sparse_container_gives_the_same_model(container, scaling):
    X, y = make()
    X[np.abs(X) < 0.5] = 0.0
    expected = brief(scaling=scaling).fit(sparse.csr_array(X), y)
    model = brief(scaling=scaling).fit(container(X), y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    for form in (X, container(X)):
        np.testing.assert_allclose(
            model.decision_function(form), X @ model.coef_[0] + model.intercept_[0]
        )
    assert model.score_[0] > 0.8


@pytest.mark.parametrize("optimizer", ["coordinate", *OPTIMIZERS])  # memetic whitens dense data
def test_sparse_and_dense_models_agree_without_scaling(optimizer):
    X, y = make()
    X[np.abs(X) < 0.5] = 0.0
    settings = {"optimizer": optimizer, "scaling": None, "start": "random"}
    dense = brief(**settings).fit(X, y)
    thin = brief(**settings).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(thin.score_, dense.score_)


def test_sparse_data_of_several_classes():
    X, y = make_classification(200, 20, n_informative=6, n_classes=4, class_sep=2.0, random_state=0)
    X[np.abs(X) < 0.3] = 0.0
    model = brief().fit(sparse.csr_array(X), y)
    assert model.coef_.shape == (6, 20)
    assert model.score(sparse.csc_array(X), y) > 0.7


def test_whitening_would_fill_sparse_data():
    X, y = make()
    with pytest.raises(ValueError, match="would make sparse data dense"):
        brief(scaling="whiten").fit(sparse.csr_array(X), y)


@pytest.mark.parametrize("container", ["csr", "csc"])
def test_sparse_data_are_never_made_dense(container):
    # whole, this matrix would take 40 GB; a process of its own is allowed 3
    pytest.importorskip("resource")
    script = f"""
        import resource
        import numpy as np
        from scipy import sparse
        from optimargin import OptimalMarginClassifier

        rng = np.random.default_rng(0)
        m, n, entries = 100_000, 50_000, 500_000
        rows, columns = rng.integers(0, m, entries), rng.integers(0, n, entries)
        X = sparse.coo_array((rng.standard_normal(entries), (rows, columns)), shape=(m, n))
        X = X.tocsr()
        y = np.asarray(X @ rng.standard_normal(n) > 0)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        model = OptimalMarginClassifier(
            optimizer="separable_cma_es", start="mean_difference", max_generations=2,
            population_size=4, random_state=0,
        )
        import warnings
        warnings.simplefilter("ignore")
        model.fit(X.as{container}() if hasattr(X, "as{container}") else X.to{container}(), y)
        assert model.coef_.shape == (1, n)
        assert model.score_[0] > 0.6, model.score_
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert (after - before) / 1024 < 400, (before, after)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


# Single precision


@SCALINGS
def test_single_precision_stays_single(scaling):
    X, y = make()
    model = brief(scaling=scaling).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32
    double = brief(scaling=scaling).fit(X, y)
    assert model.score_[0] == pytest.approx(double.score_[0], abs=0.03)


def test_single_precision_of_several_classes():
    X, y = make_classification(150, 6, n_informative=4, n_classes=3, random_state=0)
    model = brief().fit(X.astype(np.float32), y)
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32


def test_integers_and_lists_are_taken():
    X = [[0, 1], [1, 1], [5, 4], [6, 7]]
    model = brief().fit(X, [0, 0, 1, 1])
    assert model.predict(X).tolist() == [0, 0, 1, 1]
    assert model.coef_.dtype == np.float64


# Degenerate data


@SCALINGS
def test_constant_columns_weigh_nothing(scaling):
    X, y = make()
    X[:, [0, 3]] = 0.1, 1e9
    model = brief(scaling=scaling).fit(X, y)
    assert model.coef_[0, [0, 3]].tolist() == [0.0, 0.0]
    without = brief(scaling=scaling).fit(np.delete(X, [0, 3], axis=1), y)
    np.testing.assert_allclose(np.delete(model.coef_, [0, 3], axis=1), without.coef_)


@SCALINGS
def test_nothing_to_go_by(scaling):
    X = np.full((10, 3), 0.1)
    model = brief(scaling=scaling).fit(X, [0] * 4 + [1] * 6)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert model.score_[0] == 0.5
    assert model.margin_[0] == 0.0
    assert len(set(model.predict(X))) == 1


@SCALINGS
def test_more_features_than_rows(scaling):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((20, 60)), np.arange(20) % 2
    model = brief(scaling=scaling).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.margin_[0] > 0


@SCALINGS
def test_one_sample_a_class(scaling):
    X, y = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 4.0]]), [0, 1]
    model = brief(scaling=scaling).fit(X, y)
    assert model.predict(X).tolist() == [0, 1]
    assert model.margin_[0] == pytest.approx(np.abs(model.decision_function(X)).min())


def test_one_sample_in_one_of_several_classes():
    rng = np.random.default_rng(2)
    X = np.concatenate(
        [rng.standard_normal((30, 3)), [[8, 8, 8]], rng.standard_normal((30, 3)) - 6]
    )
    y = [0] * 30 + [1] + [2] * 30
    model = brief().fit(X, y)
    assert model.predict(X).tolist() == y


@SCALINGS
def test_the_same_row_with_both_labels(scaling):
    X, y = make(m=40)
    both = np.concatenate([X, X])
    model = brief(scaling=scaling).fit(both, np.concatenate([y, 1 - y]))
    assert model.score_[0] == pytest.approx(0.5)
    # and some of them only: these errors are unavoidable
    model = brief(scaling=scaling, max_generations=200).fit(
        np.concatenate([X, X[:3]]), np.concatenate([y, 1 - y[:3]])
    )
    assert model.score_[0] < 1.0


@SCALINGS
def test_one_feature(scaling):
    model = brief(separator="best", scaling=scaling).fit([[0.0], [1.0], [2.0], [7.0]], [1, 1, 0, 0])
    assert model.stop_reason_ == ["finished"]
    assert model.predict([[1.4], [1.6]]).tolist() == [1, 0]
    assert model.coef_[0, 0] < 0


@pytest.mark.parametrize("optimizer", SEARCHES)
def test_margin_grows_on_separable_data(optimizer):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 4))
    X[30:, 0] += 8
    y = np.arange(60) >= 30
    margins = [
        brief(optimizer=optimizer, start="mean_difference", max_generations=budget)
        .fit(X, y)
        .margin_[0]
        for budget in (0, 30, 200)
    ]
    assert margins[0] < margins[1] <= margins[2]


# Extreme values


@pytest.mark.parametrize("factor", [1e-250, 1e-100, 1e-20, 1e20, 1e100, 1e250])
@pytest.mark.parametrize("scaling", ["standardize", "whiten"])
def test_units_of_a_feature_do_not_matter(factor, scaling):
    X, y = make()
    # chains of draws do not forget a difference in the last digit, searches do
    plain = brief(separator="best", scaling=scaling).fit(X, y)
    X[:, 1] *= factor
    model = brief(separator="best", scaling=scaling).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.score_[0] == pytest.approx(plain.score_[0], abs=1e-9)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X / [1, factor, 1, 1, 1]))


@pytest.mark.parametrize(
    ("factor", "scaling"),
    [
        *((factor, "standardize") for factor in (1e-250, 1e-100, 1e100, 1e250)),
        *((factor, "whiten") for factor in (1e-250, 1e-100, 1e100, 1e250)),
        *((factor, None) for factor in (1e-250, 1e-100, 1e50)),
    ],
)
@pytest.mark.parametrize("start", ["random", "auto"])
def test_units_of_all_features_do_not_matter(factor, scaling, start):
    # without scaling the starts see the units, but not the search from a random one
    if scaling is None and start == "auto":
        model = brief(scaling=None).fit(make()[0] * factor, make()[1])
        assert model.score_[0] > 0.75
        return
    X, y = make()
    plain = brief(optimizer="cma_es", scaling=scaling, start=start).fit(X, y)
    model = brief(optimizer="cma_es", scaling=scaling, start=start).fit(X * factor, y)
    assert model.score_[0] == pytest.approx(plain.score_[0], abs=1e-9)
    np.testing.assert_array_equal(model.predict(X * factor), plain.predict(X))


@pytest.mark.parametrize("factor", [1e-308, 5e-324, 1e-290, 1e290, 1e307, 1.7e308])
@SCALINGS
def test_the_edge_of_the_range_is_right_or_refused(factor, scaling):
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, (40, 3))
    X[20:, 0] = np.abs(X[20:, 0])
    X[:20, 0] = -np.abs(X[:20, 0])
    y = np.arange(40) >= 20
    X *= factor
    try:
        model = brief(scaling=scaling, start="mean_difference").fit(X, y)
    except ValueError as error:
        assert "too great or too small" in str(error)  # noqa: PT017
    else:
        assert np.isfinite(model.coef_).all()
        predicted = model.predict(X)
        right = [(predicted[y == side] == side).mean() for side in (False, True)]
        assert np.mean(right) == pytest.approx(model.score_[0])


@pytest.mark.parametrize("factor", [1e-200, 1e-100, 1e100, 1e200])
def test_units_of_sparse_features_do_not_matter(factor):
    X, y = make()
    X[np.abs(X) < 0.5] = 0.0
    plain = brief(optimizer="cma_es").fit(sparse.csr_array(X), y)
    factors = np.array([1, factor, 1, 1, factor])
    model = brief(optimizer="cma_es").fit(sparse.csr_array(X * factors), y)
    np.testing.assert_allclose(model.coef_ * factors, plain.coef_, rtol=1e-7, atol=1e-12)


def test_values_that_must_be_scaled_are_not_used_as_they_are():
    X, y = make()
    with pytest.raises(ValueError, match='Use scaling="standardize"'):
        brief(scaling=None).fit(X * 1e150, y)
    with pytest.raises(ValueError, match="too great"):
        brief(scaling=None).fit(sparse.csr_array((X * 1e20).astype(np.float32)), y)


def test_long_sparse_indices_are_taken():
    X, y = make()
    thin = sparse.csr_array(X)
    thin.indices, thin.indptr = thin.indices.astype(np.int64), thin.indptr.astype(np.int64)
    model = brief().fit(thin, y)
    np.testing.assert_array_equal(model.coef_, brief().fit(sparse.csr_array(X), y).coef_)
    assert model.predict(thin).shape == y.shape


def test_outliers_cost_one_error_each():
    X, y = make(m=200)
    plain = brief(max_generations=None).fit(X, y)
    wild = np.concatenate([X, np.full((2, 5), 1e6)])
    model = brief(max_generations=None).fit(wild, np.concatenate([y, [0, 1]]))
    assert model.score_[0] > plain.score_[0] - 0.02


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(value):
    X, y = make()
    X[3, 2] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        brief().fit(X, y)
    model = brief().fit(*make())
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.predict(X)


def test_shapes_that_do_not_fit_are_refused():
    X, y = make()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        brief().fit(X, y[:-1])
    with pytest.raises(ValueError, match="expecting 5 features"):
        brief().fit(X, y).predict(X[:, :4])
    with pytest.raises(ValueError, match="Expected 2D array"):
        brief().fit(X[:, 0], y)
