import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse
from matplotlib.colors import to_rgba
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from optimargin import OptimalMarginClassifier
from optimargin.plots import WeightsDisplay
from optimargin.plots.style import COLOURS


def shown(ax):
    """The bars from top to bottom: name and length."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    return list(zip(names, [bar.get_width() for bar in ax.patches], strict=True))


def test_largest_first_signed_and_named(known_linear):
    model = known_linear(
        ["no", "yes"], [0.5, -2.0, 0.0, 1.0], 0.0, names=["age", "height", "noise", "weight"]
    )
    display = WeightsDisplay.from_estimator(model)
    assert shown(display.ax_) == [("height", -2.0), ("weight", 1.0), ("age", 0.5)]
    assert display.ax_.yaxis_inverted()
    assert display.ax_.get_title("left") == "← no"
    assert display.ax_.get_title("right") == "yes →"
    assert display.ax_.get_title() == "3 of 4 weights"
    assert display.ax_.get_xlabel() == "weight of one unit"


def test_colours_tell_the_class_that_a_weight_speaks_for(known_linear):
    model = known_linear(["no", "yes"], [0.5, -2.0], 0.0)
    bars = WeightsDisplay.from_estimator(model).ax_.patches
    assert bars[0].get_facecolor() == to_rgba(COLOURS[0])
    assert bars[1].get_facecolor() == to_rgba(COLOURS[1])


def test_max_features(known_linear):
    model = known_linear([0, 1], np.arange(1, 31.0), 0.0)
    display = WeightsDisplay.from_estimator(model, max_features=5)
    assert [name for name, _ in shown(display.ax_)] == ["x30", "x29", "x28", "x27", "x26"]
    assert display.ax_.get_title() == "5 of 30 weights"


@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array])
def test_with_samples_weights_are_of_one_standard_deviation(known_linear, container):
    X = container(np.array([[0.0, 10.0], [2.0, 30.0], [4.0, 20.0]]))
    model = known_linear([0, 1], [3.0, 1.0], 0.0)
    display = WeightsDisplay.from_estimator(model, X)
    (first, length), (second, other) = shown(display.ax_)
    assert (first, second) == ("x2", "x1")
    assert length == pytest.approx(np.std([10, 30, 20]))
    assert other == pytest.approx(3 * np.std([0, 2, 4]))
    assert display.ax_.get_xlabel() == "weight of one standard deviation"


def test_one_panel_a_pair(known_linear):
    model = known_linear(["a", "b", "c"], np.eye(3) + 1, np.zeros(3), margin=np.ones(3))
    display = WeightsDisplay.from_estimator(model)
    titles = [(ax.get_title("left"), ax.get_title("right")) for ax in display.axes_]
    assert titles == [("← a", "b →"), ("← a", "c →"), ("← b", "c →")]
    assert [shown(ax)[0] for ax in display.axes_] == [("x1", 2.0), ("x2", 2.0), ("x3", 2.0)]


def test_one_panel_a_class_where_the_others_are_the_other_side():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    display = WeightsDisplay.from_estimator(model)
    assert [ax.get_title("left") for ax in display.axes_] == ["← the others"] * 3
    assert shown(display.axes_[0])[0] == ("petal length (cm)", pytest.approx(model.coef_[0, 2]))


def spans(ax):
    """The ends of the lines across the bars, from top to bottom."""
    return [
        (place, segment[0, 0], segment[1, 0])
        for collection in ax.collections
        for segment in collection.get_segments()
        for place in [segment[0, 1]]
    ]


@pytest.mark.parametrize("X", [None, np.array([[0.0, 10.0, 0.0], [2.0, 30.0, 6.0]])])
def test_spread_of_sampled_weights(known_linear, X):
    # twice as long as the mean of what was sampled
    model = known_linear(["no", "yes"], [4.0, -2.0, 0.5], 0.0)
    rng = np.random.default_rng(0)
    sampled = np.array([2.0, -1.0, 0.25]) + rng.uniform(-0.5, 0.5, (101, 3))
    sampled += np.array([2.0, -1.0, 0.25]) - sampled.mean(axis=0)
    model.separators_ = [np.column_stack([sampled, np.zeros(101)])]
    ax = WeightsDisplay.from_estimator(model, X).ax_
    scale = np.ones(3) if X is None else X.std(axis=0)
    order = [0, 1, 2] if X is None else [1, 0, 2]
    low, high = 2 * scale * np.quantile(sampled, [0.05, 0.95], axis=0)
    assert [name for name, _ in shown(ax)] == [f"x{j + 1}" for j in order]
    np.testing.assert_allclose(
        spans(ax), [(place, low[j], high[j]) for place, j in enumerate(order)]
    )
    # the last crosses zero
    opacities = [bar.get_facecolor()[3] for bar in ax.patches]
    assert opacities[:2] == [1.0, 1.0]
    assert opacities[2] < 0.6
    assert ax.get_xlabel().endswith("\nlines: nine tenths of the sampled separators")
    assert ax.get_xlim()[0] < low.min() < high.max() < ax.get_xlim()[1]


def test_spread_of_each_pair():
    X, y = load_iris(return_X_y=True)
    model = OptimalMarginClassifier(separator="average", random_state=0).fit(X, y)
    display = WeightsDisplay.from_estimator(model, X)
    for ax, kept in zip(display.axes_, model.separators_, strict=True):
        for (name, weight), (_, low, high) in zip(shown(ax), spans(ax), strict=True):
            sampled = kept[:, int(name[1:]) - 1]
            assert low < weight < high
            assert np.mean(sampled < 0) < 0.05 if low > 0 else np.mean(sampled < 0) > 0.04


def test_pipeline_names_and_scales_what_reaches_the_classifier():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = X[y != 0], y[y != 0]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    display = WeightsDisplay.from_estimator(model, X)
    name, length = shown(display.ax_)[0]
    assert name in X.columns
    assert abs(length) == pytest.approx(np.abs(model[-1].coef_).max())


def test_no_weights_left(known_linear):
    display = WeightsDisplay.from_estimator(known_linear([0, 1], [0.0, 0.0], 1.0))
    assert len(display.ax_.patches) == 0
    assert display.ax_.get_title() == "0 of 2 weights"


def test_names_must_fit(known_linear):
    with pytest.raises(ValueError, match="2 weights in a separator, but 1 feature names"):
        WeightsDisplay.from_estimator(known_linear([0, 1], [1.0, 2.0], 0.0), feature_names=["a"])


def test_given_names_and_axes(known_linear):
    ax = plt.subplots()[1]
    display = WeightsDisplay.from_estimator(
        known_linear([0, 1], [1.0, 2.0], 0.0), feature_names=["a", "b"], ax=ax
    )
    assert display.ax_ is ax
    assert shown(ax) == [("b", 2.0), ("a", 1.0)]


def test_what_is_not_linear_or_not_understood_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="DecisionTreeClassifier has no attribute coef_"):
        WeightsDisplay.from_estimator(DecisionTreeClassifier().fit(X, y))
    with pytest.raises(ValueError, match=r"3 separators of SVC .* say it yourself"):
        WeightsDisplay.from_estimator(SVC(kernel="linear").fit(X, y))
