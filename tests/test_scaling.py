"""There and back between the user's features and the search's coordinates."""

import numpy as np
import pytest
from scipy import sparse

import optimargin.scaling
from optimargin.scaling import fit_scaling


def samples(m=50, n=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)) * 10.0 ** rng.integers(-4, 5, n) + rng.integers(-9, 9, n)


def scaled_rows(scaling, X):
    features = scaling.features(X, np.arange(X.shape[0]))
    return features.toarray() if sparse.issparse(features) else features.T


@pytest.mark.parametrize("method", ["standardize", "whiten", None])
@pytest.mark.parametrize("constant", [False, True], ids=["", "constant_column"])
def test_folding_back_gives_the_same_distances(method, constant):
    X = samples()
    if constant:
        X[:, 2] = 7.0
    scaling = fit_scaling(X, None, method)
    Z = scaled_rows(scaling, X)
    rng = np.random.default_rng(1)
    w, b = rng.standard_normal((3, Z.shape[1])), np.array([0.3, 0.0, -4.0])
    unscaled = scaling.unscale(np.column_stack([w, b]))
    assert unscaled.shape == (3, 6)
    coef, intercept = unscaled[:, :-1], unscaled[:, -1]
    np.testing.assert_allclose(X @ coef.T + intercept, Z @ w.T + b, rtol=1e-7, atol=1e-9)
    assert not constant or not coef[:, 2].any()
    np.testing.assert_allclose(scaling.scale_directions(coef), w, rtol=1e-7)


def test_standardised_columns():
    Z = scaled_rows(fit_scaling(samples(), None, "standardize"), samples())
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-7)
    np.testing.assert_allclose(Z.std(axis=0), 1, rtol=1e-7)


def test_whitened_columns_are_uncorrelated():
    X = samples(m=200)
    Z = scaled_rows(fit_scaling(X, None, "whiten"), X)
    np.testing.assert_allclose(np.cov(Z.T, bias=True), np.eye(5), atol=1e-6)


def test_whitening_drops_the_null_space():
    X = samples(m=200)
    X = np.column_stack([X, X[:, 0] * 2 - X[:, 1] / 1e3, np.ones(200)])
    scaling = fit_scaling(X, None, "whiten")
    Z = scaled_rows(scaling, X)
    assert Z.shape[1] == 5
    np.testing.assert_allclose(np.cov(Z.T, bias=True), np.eye(5), atol=1e-6)


def test_whitening_with_fewer_rows_than_columns():
    X = samples(m=4, n=10)
    assert scaled_rows(fit_scaling(X, None, "whiten"), X).shape == (4, 3)


@pytest.mark.parametrize(
    ("method", "container"),
    [("standardize", "dense"), ("whiten", "dense"), ("standardize", "sparse")],
)
def test_weights_are_repetitions(method, container):
    X = samples()
    weights = np.random.default_rng(2).integers(1, 5, len(X))
    repeated = np.repeat(X, weights, axis=0)
    if container == "sparse":
        X, repeated = sparse.csr_array(X), sparse.csr_array(repeated)
    one = fit_scaling(X, weights.astype(float), method)
    other = fit_scaling(repeated, None, method)
    np.testing.assert_allclose(one.centre, other.centre, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(one.scale, other.scale, rtol=2e-9)
    if method == "whiten":
        np.testing.assert_allclose(one.rotation, other.rotation, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", ["standardize", "whiten", None])
def test_work_in_blocks_changes_nothing(monkeypatch, method):
    X = samples()
    whole = fit_scaling(X, None, method)
    rows = np.random.default_rng(3).permutation(50)[:31]
    expected = whole.features(X, rows)
    monkeypatch.setattr(optimargin.scaling, "_BLOCK", 7 * X.shape[1])
    pieces = fit_scaling(X, None, method)
    np.testing.assert_allclose(pieces.features(X, rows), expected, rtol=1e-8, atol=1e-10)


def test_sparse_columns_are_divided_and_not_centred():
    dense = samples()
    dense[np.abs(dense) < 1e-3] = 0.0
    dense[:, 1] = 0.0
    for X in (sparse.csr_array(dense), sparse.csc_array(dense), sparse.csr_matrix(dense)):
        scaling = fit_scaling(X, None, "standardize")
        assert not scaling.centre.any()
        assert 1 not in scaling.kept
        features = scaling.features(X, np.arange(50))
        assert isinstance(features, sparse.csc_array)
        np.testing.assert_allclose(
            features.toarray(), dense[:, scaling.kept] / scaling.scale, rtol=1e-9
        )
        np.testing.assert_allclose(scaling.scale, dense[:, scaling.kept].std(axis=0), rtol=1e-8)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_single_precision_is_kept(container):
    X = container(samples().astype(np.float32))
    features = fit_scaling(X, None, "standardize").features(X, np.arange(50))
    assert features.dtype == np.float32


def test_columns_without_variation():
    X = samples()
    X[:, 0] = 0.1  # a mean of equal numbers need not be that number
    X[:, 3] = 1e300
    scaling = fit_scaling(X, None, "standardize")
    assert scaling.kept.tolist() == [1, 2, 4]


def test_no_column_varies():
    scaling = fit_scaling(np.full((5, 3), 0.1), None, "standardize")
    features = scaling.features(np.full((5, 3), 0.1), np.arange(5))
    assert features.shape == (1, 5)
    assert np.isfinite(features).all()
    assert np.isfinite(scaling.unscale(np.array([[1.0, 0.0]]))).all()


@pytest.mark.parametrize("factor", [1e-280, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("method", ["standardize", "whiten"])
def test_huge_and_tiny_columns_are_brought_to_one(factor, method):
    X = np.random.default_rng(4).standard_normal((40, 3))
    plain = scaled_rows(fit_scaling(X, None, method), X)
    X[:, 1] *= factor
    extreme = scaled_rows(fit_scaling(X, None, method), X)
    np.testing.assert_allclose(extreme, plain, rtol=1e-6, atol=1e-6)


def test_a_great_offset_does_not_hide_the_variation():
    rng = np.random.default_rng(5)
    X = 1e9 + rng.standard_normal((1000, 1))
    Z = scaled_rows(fit_scaling(X, None, "standardize"), X)
    assert Z.std() == pytest.approx(1.0, rel=1e-6)
