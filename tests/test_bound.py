"""The certificate: its parts against oracles, and that it holds where the truth is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import ndtr
from scipy.stats import binom
from sklearn.exceptions import NotFittedError

import reference
from optimargin import OptimalMarginClassifier
from optimargin.bound import SCALES, _inverse_kl, gaussian_error_bound


def gaussians(m, n=4, shift=1.0, seed=0):
    """m samples of either class; the classes differ by `shift` in every feature."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2 * m, n))
    y = np.arange(2 * m) >= m
    X[y] += shift / 2
    X[~y] -= shift / 2
    return X, y


def fitted(X, y, **settings):
    return OptimalMarginClassifier(random_state=0, **settings).fit(X, y)


def positions(X, weights):
    extended = np.column_stack([X, np.ones(len(X))])
    return extended @ weights / np.linalg.norm(extended, axis=1) / np.linalg.norm(weights)


@given(st.floats(0, 1), st.floats(1e-6, 30))
@settings(max_examples=300, deadline=None)
def test_inverse_kl_by_halving(error, complexity):
    assert _inverse_kl(error, complexity) == pytest.approx(
        reference.inverse_kl(error, complexity), abs=1e-9
    )


@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-6])
def test_bound_is_the_best_of_all_scales(delta):
    for seed, (m, shift) in enumerate([(20, 0.3), (300, 1.0), (300, 6.0)]):
        X, y = gaussians(m, shift=shift, seed=seed)
        X, y = X[: 2 * m - m // 2], y[: 2 * m - m // 2]
        model = fitted(X, y)
        found = model.error_bound(X, y, delta)
        weights = np.append(model.coef_[0], model.intercept_[0])
        expected = reference.error_bound(X, y, weights, delta, SCALES)
        assert found.balanced_error == pytest.approx(expected, abs=1e-9)
        assert found.balanced_error == pytest.approx(np.mean(found.class_errors))
        assert found.training_error < found.balanced_error <= 1.0
        assert found.scale in SCALES


def test_training_error_is_that_of_drawn_weights():
    X, y = gaussians(60, shift=0.8)
    model = fitted(X, y)
    found = model.error_bound(X, y)
    weights = np.append(model.coef_[0], model.intercept_[0])
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((40_000, 5))
    draws += found.scale * weights / np.linalg.norm(weights)
    wrong = (draws[:, :-1] @ X.T + draws[:, -1:] > 0) != y
    errors = wrong.mean(axis=0)
    assert found.training_error == pytest.approx(
        (errors[y].mean() + errors[~y].mean()) / 2, abs=0.003
    )


def test_the_constant_of_the_inequality_holds_for_few_samples():
    # it bounds the mean of exp(m kl(errors / m, error)), which is greatest without the error:
    # the sum over k of (m over k) (k / m)^k (1 - k / m)^(m - k)
    for m in range(1, 60):
        k = np.arange(m + 1)
        assert binom.pmf(k, m, k / m).sum() <= 2 * np.sqrt(m) + 1e-12


def test_more_samples_and_less_certainty_give_a_lower_bound():
    X, y = gaussians(200, shift=1.5)
    model = fitted(X, y)
    by_delta = [
        model.error_bound(X, y, delta).balanced_error for delta in (1e-9, 1e-3, 0.05, 0.5, 0.99)
    ]
    assert by_delta == sorted(by_delta, reverse=True)
    assert by_delta[0] > by_delta[-1]
    at = positions(X, np.append(model.coef_[0], model.intercept_[0]))
    by_size = [
        gaussian_error_bound(np.tile(at, k), np.tile(y, k), 0.05).balanced_error
        for k in (1, 2, 5, 50)
    ]
    assert by_size == sorted(by_size, reverse=True)
    assert by_size[-1] < 0.8 * by_size[0]


def test_wide_margins_and_many_samples_certify_a_small_error():
    X, y = gaussians(4000, shift=6.0)
    assert fitted(X, y).error_bound(X, y).balanced_error < 0.03


@pytest.mark.parametrize("m", [15, 60, 400])
def test_the_bound_holds(m):
    # training draws whose randomised classifier errs more often than certified: at most delta
    delta, n, shift, draws = 0.1, 6, 0.6, 250
    fresh, fresh_y = gaussians(8000, n, shift, seed=10**6)
    violated, optimistic, looseness = 0, 0, []
    for seed in range(draws):
        X, y = gaussians(m, n, shift, seed)
        weights = np.append(X[y].mean(axis=0) - X[~y].mean(axis=0), 0.0)  # learnt from the samples
        found = gaussian_error_bound(positions(X, weights), y, delta)
        at = positions(fresh, weights)
        wrong = np.where(fresh_y, ndtr(-found.scale * at), ndtr(found.scale * at))
        true = (wrong[fresh_y].mean() + wrong[~fresh_y].mean()) / 2
        violated += true > found.balanced_error
        optimistic += true > found.training_error
        looseness.append(found.balanced_error - true)
    assert violated <= delta * draws
    # without its allowance for the size of the sample it would not hold
    assert optimistic > 2 * delta * draws
    assert np.mean(looseness) < {15: 0.5, 60: 0.35, 400: 0.2}[m]


def test_sparse_features_and_scale_of_the_separator_do_not_matter():
    X, y = gaussians(50)
    X[np.abs(X) < 0.7] = 0.0
    model = fitted(X, y)
    one = model.error_bound(X, y)
    other = model.error_bound(sparse.csr_array(X), y)
    model.coef_, model.intercept_ = 7.0 * model.coef_, 7.0 * model.intercept_
    longer = model.error_bound(X, y)
    for bound in (other, longer):
        assert bound.balanced_error == pytest.approx(one.balanced_error, rel=1e-9)
        assert bound.scale == one.scale


def test_any_two_labels():
    X, y = gaussians(50)
    one = fitted(X, y).error_bound(X, y)
    names = np.where(y, "yes", "no")
    assert fitted(X, names).error_bound(X, names) == one


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, np.nan])
def test_delta_is_a_probability(delta):
    X, y = gaussians(10)
    with pytest.raises(ValueError, match=r"delta=.* must lie between 0 and 1"):
        fitted(X, y).error_bound(X, y, delta)


def test_what_cannot_be_certified_is_refused():
    X, y = gaussians(20)
    model = fitted(X, y)
    with pytest.raises(ValueError, match="y must hold both of the classes"):
        model.error_bound(X[y], y[y])
    with pytest.raises(ValueError, match="and no other"):
        model.error_bound(X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.error_bound(X, y[:-1])
    with pytest.raises(ValueError, match="features"):
        model.error_bound(X[:, :2], y)
    with pytest.raises(NotFittedError):
        OptimalMarginClassifier().error_bound(X, y)
    three = fitted(X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="for two classes; this classifier has 3"):
        three.error_bound(X, np.arange(40) % 3)
