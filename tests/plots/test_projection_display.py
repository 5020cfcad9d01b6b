import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import StepPatch
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from optimargin.plots import ProjectionDisplay
from optimargin.plots.projection import bin_edges, shares

ON_A_LINE = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]])
THREE_AND_THREE = np.array(["no", "no", "yes", "yes", "yes", "yes"])


def histograms(ax):
    """What the legend calls each histogram -> the patch."""
    drawn = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    texts = legend_texts(ax)
    return dict(zip(texts, drawn, strict=False))


def bars(ax, label):
    """Heights and edges of the histogram of a class."""
    patch = next(patch for text, patch in histograms(ax).items() if text.startswith(label))
    values, edges, _ = patch.get_data()
    return np.nan_to_num(values), edges


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_bars_are_shares_of_each_class_on_both_sides_of_the_threshold(known_linear):
    model = known_linear(["no", "yes"], [1.0], 0.0, margin=0.75)
    display = ProjectionDisplay.from_estimator(model, ON_A_LINE, THREE_AND_THREE, bins=6)
    heights, edges = bars(display.ax_, "no")
    np.testing.assert_allclose(edges, [-3, -2, -1, 0, 1, 2, 3])
    np.testing.assert_allclose(heights, [100, 0, 0, 0, 0, 0])
    heights, _ = bars(display.ax_, "yes")
    np.testing.assert_allclose(heights, [0, 25, 0, 25, 25, 25])


def test_shares_make_an_imbalanced_class_as_visible_as_the_other(known_linear):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-1, 1, (5000, 1)), rng.normal(1, 1, (20, 1))])
    y = np.repeat(["many", "few"], [5000, 20])
    model = known_linear(["few", "many"], [-1.0], 0.0)
    display = ProjectionDisplay.from_estimator(model, X, y)
    for label in ("few", "many"):
        assert bars(display.ax_, label)[0].sum() == pytest.approx(100)


def test_threshold_and_margin_are_drawn_where_they_are(known_linear):
    model = known_linear(["no", "yes"], [2.0], -1.0, margin=0.5)
    ax = ProjectionDisplay.from_estimator(model, ON_A_LINE, THREE_AND_THREE).ax_
    assert list(ax.lines[0].get_xdata()) == [0, 0]
    band = [patch for patch in ax.patches if isinstance(patch, plt.Rectangle)]
    assert len(band) == 1
    assert band[0].get_x() == -0.5
    assert band[0].get_width() == 1.0
    assert "threshold, margin ±0.5" in legend_texts(ax)
    assert "no (n = 2)" in legend_texts(ax)


def test_misclassified_parts_are_hatched(known_linear):
    model = known_linear(["no", "yes"], [1.0], 0.0)
    ax = ProjectionDisplay.from_estimator(model, ON_A_LINE, THREE_AND_THREE, bins=6).ax_
    (hatched,) = [patch for patch in ax.patches if patch.get_hatch()]
    assert histograms(ax)["misclassified"] is hatched
    np.testing.assert_allclose(bars(ax, "misclassified")[0], [0, 25, 0, 0, 0, 0])
    other_side = known_linear(["no", "yes"], [1.0], 2.5)
    ax = ProjectionDisplay.from_estimator(other_side, ON_A_LINE, THREE_AND_THREE).ax_
    assert bars(ax, "misclassified")[0].sum() == pytest.approx(50)  # one of the two "no"


def test_nothing_is_hatched_where_nothing_is_wrong(known_linear):
    model = known_linear(["no", "yes"], [1.0], 1.5)
    ax = ProjectionDisplay.from_estimator(model, ON_A_LINE, THREE_AND_THREE).ax_
    assert not any(patch.get_hatch() for patch in ax.patches)
    assert "misclassified" not in legend_texts(ax)


def test_title_is_the_balanced_accuracy_of_the_samples_shown(known_linear):
    model = known_linear(["no", "yes"], [1.0], 0.0)
    ax = ProjectionDisplay.from_estimator(model, ON_A_LINE, THREE_AND_THREE).ax_
    assert ax.get_title() == "balanced accuracy 87.5 %"


def test_axis_names_what_it_shows(known_linear):
    with_margin = known_linear(["no", "yes"], [1.0], 0.0, margin=0.1)
    ax = ProjectionDisplay.from_estimator(with_margin, ON_A_LINE, THREE_AND_THREE).ax_
    assert ax.get_xlabel() == "signed distance from the separator"
    without = known_linear(["no", "yes"], [1.0], 0.0)
    ax = ProjectionDisplay.from_estimator(without, ON_A_LINE, THREE_AND_THREE).ax_
    assert ax.get_xlabel() == "decision function"
    assert "threshold" in legend_texts(ax)


@pytest.fixture
def three_classes(known_linear):
    return known_linear(
        ["a", "b", "c"],
        [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
        [0.0, -1.0, 0.5],
        margin=[0.1, 0.2, 0.3],
    )


def test_one_panel_a_pair_with_its_own_classes_margin_and_scores(three_classes):
    X = np.array([[-1.0, 0.0], [1.0, 2.0], [3.0, 3.0], [2.0, -1.0]])
    y = np.array(["a", "b", "c", "c"])
    display = ProjectionDisplay.from_estimator(three_classes, X, y)
    assert len(display.axes_) == len(display.figure_.axes) == 3
    for ax, pair, margin in zip(display.axes_, ("ab", "ac", "bc"), (0.1, 0.2, 0.3), strict=True):
        assert {text[0] for text in legend_texts(ax)[:2]} == set(pair)
        assert legend_texts(ax)[-1] == f"threshold, margin ±{margin}"
    # Pair (a, c) projects on the second feature minus one: a at -1, c at 2 and -2.
    assert display.axes_[1].get_title() == "balanced accuracy 75.0 %"


def test_a_class_keeps_its_colour_in_every_panel(three_classes):
    X = np.array([[-1.0, 0.0], [1.0, 2.0], [3.0, 3.0]])
    display = ProjectionDisplay.from_estimator(three_classes, X, np.array(["a", "b", "c"]))
    colours = {}
    for ax in display.axes_:
        for label, patch in histograms(ax).items():
            if " (n =" in label:
                colours.setdefault(label, set()).add(patch.get_edgecolor())
    assert all(len(of_class) == 1 for of_class in colours.values())
    assert len(set.union(*colours.values())) == 3


def test_two_classes_of_a_panel_differ_in_colour_however_many_there_are(known_linear):
    n_pairs = 45
    model = known_linear(range(10), np.ones((n_pairs, 1)), np.zeros(n_pairs), np.ones(n_pairs))
    display = ProjectionDisplay.from_estimator(model, np.arange(10.0)[:, None] - 5, np.arange(10))
    for ax in display.axes_:
        classes = [patch for label, patch in histograms(ax).items() if " (n =" in label]
        assert len({patch.get_edgecolor() for patch in classes}) == 2


def test_pairs_chooses_panels_in_either_order(three_classes):
    X = np.array([[-1.0, 0.0], [1.0, 2.0], [3.0, 3.0]])
    y = np.array(["a", "b", "c"])
    display = ProjectionDisplay.from_estimator(three_classes, X, y, pairs=[("c", "b")])
    assert len(display.axes_) == 1
    assert legend_texts(display.ax_)[-1] == "threshold, margin ±0.3"
    with pytest.raises(ValueError, match=r"no pair \('a', 'z'\).*a, b, c"):
        ProjectionDisplay.from_estimator(three_classes, X, y, pairs=[("a", "z")])


def test_a_pair_without_samples_still_has_its_panel(three_classes):
    display = ProjectionDisplay.from_estimator(three_classes, [[1.0, 1.0]], np.array(["a"]))
    assert display.axes_[2].get_title() == ""
    assert "b (n = 0)" in legend_texts(display.axes_[2])


def test_pipeline_is_asked_as_a_whole():
    X, y = load_iris(return_X_y=True)
    X, y = X[y != 0], y[y != 0]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    ax = ProjectionDisplay.from_estimator(model, X, y).ax_
    _, edges = bars(ax, "1")
    scores = model.decision_function(X)
    assert edges[0] <= scores.min() < edges[1]
    assert edges[-2] < scores.max() <= edges[-1]


def test_draws_on_given_axes(known_linear, three_classes):
    figure, ax = plt.subplots()
    model = known_linear(["no", "yes"], [1.0], 0.0)
    display = ProjectionDisplay.from_estimator(model, ON_A_LINE, THREE_AND_THREE, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    with pytest.raises(ValueError, match="draws 3 panels here but was given 1 axes"):
        ProjectionDisplay.from_estimator(
            three_classes, [[0.0, 0.0]], np.array(["a"]), ax=plt.subplots()[1]
        )


def test_one_separator_a_class_is_refused():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    with pytest.raises(ValueError, match="one separator for each pair"):
        ProjectionDisplay.from_estimator(model, X, y)
    with pytest.raises(ValueError, match="OneVsRestClassifier distinguishes 3 classes"):
        ProjectionDisplay.from_estimator(OneVsRestClassifier(model).fit(X, y), X, y)


def test_unfitted_estimators_and_unknown_labels_are_named(known_linear):
    with pytest.raises(NotFittedError):
        ProjectionDisplay.from_estimator(LogisticRegression(), ON_A_LINE, THREE_AND_THREE)
    model = known_linear(["no", "yes"], [1.0], 0.0)
    with pytest.raises(ValueError, match=r"label .*maybe.*classes seen in fit: no, yes"):
        ProjectionDisplay.from_estimator(model, ON_A_LINE, np.array(["no", "maybe"] * 3))


def test_a_score_of_zero_belongs_to_the_first_side():
    edges = np.array([-1.0, 0.0, 1.0])
    np.testing.assert_allclose(shares(np.array([0.0, 0.0, 1.0, -1.0]), edges), [75, 25])


@pytest.mark.parametrize("bins", [None, 10])
def test_an_edge_lies_on_the_threshold_whatever_the_values(bins):
    rng = np.random.default_rng(1)
    for scale in (1e-6, 1.0, 1e6):
        values = [scale * rng.normal(-1, 1, 300), scale * rng.normal(3, 0.1, 30)]
        edges = bin_edges(values, bins)
        assert 0.0 in edges
        assert edges[0] <= min(values[0].min(), values[1].min())
        assert edges[-1] >= max(values[0].max(), values[1].max())
        assert len(edges) <= 130


def test_a_far_outlier_does_not_swallow_the_others():
    rng = np.random.default_rng(2)
    values = [np.append(rng.normal(-1, 0.3, 200), 30.0), rng.normal(1, 0.3, 200)]
    heights = shares(values[0], bin_edges(values, None))
    assert np.count_nonzero(heights) > 5


def test_equal_scores_are_drawn():
    display = ProjectionDisplay(np.zeros(4), [0, 0, 1, 1], classes=[0, 1]).plot()
    assert bars(display.ax_, "0")[0].tolist() == [100, 0]


def test_rules_by_pair_vouch_for_pairs_as_margins_do(known_linear):
    model = known_linear(["a", "b", "c"], np.eye(3), np.zeros(3))
    X, y = np.eye(3), np.array(["a", "b", "c"])
    with pytest.raises(ValueError, match="one separator for each pair"):
        ProjectionDisplay.from_estimator(model, X, y)
    model.rules_ = ["a or b", "a or c", "b or c"]
    assert len(ProjectionDisplay.from_estimator(model, X, y).axes_) == 3
