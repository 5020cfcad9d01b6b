import io
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.contour import QuadContourSet
from matplotlib.text import Text
from sklearn.datasets import load_iris, make_moons
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from optimargin import OptimalMarginClassifier
from optimargin.plots import SeparatorDisplay

CORNERS = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0], [3.0, 0.5]])
LABELS = np.array(["low", "low", "low", "high", "high"])


@pytest.fixture
def diagonal(known_linear):
    """Positive, that is "low", below the line x1 + x2 = 5; one sample of "high" lies there too."""
    weights = -np.array([1.0, 1.0]) / np.sqrt(2)
    return known_linear(["high", "low"], weights, 5 / np.sqrt(2), margin=0.25)


def contour_lines(ax):
    """Points of the lines at every level."""
    return {
        float(contours.levels[0]): np.concatenate([p.vertices for p in contours.get_paths()])
        for contours in ax.collections
        if isinstance(contours, QuadContourSet) and not contours.filled
    }


def scatters(ax):
    return {
        collection.get_label(): collection.get_offsets()
        for collection in ax.collections
        if not isinstance(collection, QuadContourSet)
    }


def test_separator_and_margin_lie_where_they_are(diagonal):
    ax = SeparatorDisplay.from_estimator(diagonal, CORNERS, LABELS).ax_
    lines = contour_lines(ax)
    assert sorted(lines) == [-0.25, 0.0, 0.25]
    for level, points in lines.items():
        np.testing.assert_allclose(points.sum(axis=1), 5 - level * np.sqrt(2), atol=1e-9)
        assert np.ptp(points[:, 0]) > 3  # the line goes through the whole figure


def test_samples_are_drawn_by_class_and_errors_are_ringed(diagonal):
    ax = SeparatorDisplay.from_estimator(diagonal, CORNERS, LABELS).ax_
    drawn = scatters(ax)
    np.testing.assert_array_equal(drawn["low (n = 3)"], CORNERS[:3])
    np.testing.assert_array_equal(drawn["high (n = 2)"], CORNERS[3:])
    np.testing.assert_array_equal(drawn["misclassified (n = 1)"], CORNERS[4:])


def test_legend_names_everything(diagonal):
    ax = SeparatorDisplay.from_estimator(diagonal, CORNERS, LABELS).ax_
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [
        "high (n = 2)",
        "low (n = 3)",
        "misclassified (n = 1)",
        "separator",
        "margin ±0.25",
    ]


@pytest.mark.parametrize("stretch", [1.0, 300.0])
def test_arrow_stands_upright_on_the_separator_and_points_to_the_second_class(diagonal, stretch):
    scale = np.array([1.0, stretch])
    diagonal.coef_ = diagonal.coef_ / scale
    display = SeparatorDisplay.from_estimator(diagonal, CORNERS * scale, LABELS)
    display.figure_.draw_without_rendering()
    ax = display.ax_
    (arrow,) = ax.texts
    assert arrow.get_text() == "low"
    start = ax.transData.transform(arrow.xy)
    box = Text.get_window_extent(arrow)  # without its arrow
    end = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
    line = ax.transData.transform(contour_lines(ax)[0.0])
    along = line[-1] - line[0]
    across = end - start
    cosine = across @ along / np.linalg.norm(across) / np.linalg.norm(along)
    assert abs(cosine) < 0.01
    assert diagonal.decision_function([arrow.xy])[0] == pytest.approx(0, abs=1e-9)
    tip = ax.transData.inverted().transform(end)
    assert diagonal.decision_function([tip])[0] > 0


def filled_at(ax, point):
    """Whether a filled contour covers the point."""
    return any(
        path.contains_point(point)
        for contours in ax.collections
        if isinstance(contours, QuadContourSet) and contours.filled
        for path in contours.get_paths()
    )


def test_the_band_is_where_sampled_separators_disagree(diagonal):
    # from x1 + x2 = 3 to x1 + x2 = 7, the first and last twentieth being outside of the band
    sums = np.linspace(3.0, 7.0, 81)
    diagonal.separators_ = [np.column_stack([-np.ones((81, 2)), sums])]
    display = SeparatorDisplay.from_estimator(diagonal, CORNERS, LABELS)
    ax = display.ax_
    for place, inside in ((2.9, False), (3.1, False), (3.4, True), (6.6, True), (6.9, False)):
        assert filled_at(ax, (place / 2, place / 2)) == inside, place
    assert list(contour_lines(ax)) == [0.0]  # no margin: that of a mean says little
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[-2:] == ["5% to 95% of votes", "separator"]
    votes = np.asarray(display.votes)
    assert votes.shape == np.asarray(display.response).shape
    assert (votes[0, 0], votes[-1, -1]) == (1.0, 0.0)


def test_a_band_behind_a_pipeline():
    X, y = make_moons(200, noise=0.2, random_state=0)
    average = OptimalMarginClassifier(separator="average", random_state=0)
    model = make_pipeline(Nystroem(gamma=2, n_components=20, random_state=0), average).fit(X, y)
    display = SeparatorDisplay.from_estimator(model, X, y, grid_resolution=30)
    horizontal, vertical = np.meshgrid(display.horizontal, display.vertical)
    grid = model[:-1].transform(np.column_stack([horizontal.ravel(), vertical.ravel()]))
    kept = average.separators_[0]
    votes = (grid @ kept[:, :-1].T + kept[:, -1] > 0).mean(axis=1)
    np.testing.assert_allclose(np.ravel(display.votes), votes)


def test_more_classes_are_regions():
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    model = LogisticRegression(max_iter=1000).fit(X, y)
    display = SeparatorDisplay.from_estimator(model, X, y)
    (image,) = display.ax_.images
    left, right, bottom, top = image.get_extent()
    colours = np.asarray(image.get_array())
    seen = {}
    for point, label in zip(X, model.predict(X), strict=True):
        column = int((point[0] - left) / (right - left) * colours.shape[1])
        row = int((point[1] - bottom) / (top - bottom) * colours.shape[0])
        seen.setdefault(label, set()).add(tuple(colours[row, column]))
    assert [len(seen[label]) for label in range(3)] == [1, 1, 1]
    assert len(set.union(*seen.values())) == 3
    wrong = X[model.predict(X) != y]
    np.testing.assert_array_equal(scatters(display.ax_)[f"misclassified (n = {len(wrong)})"], wrong)
    assert not display.ax_.texts


def test_a_curved_border_of_a_pipeline():
    X, y = make_moons(200, noise=0.1, random_state=0)
    model = make_pipeline(Nystroem(gamma=2, random_state=0), LogisticRegression()).fit(X, y)
    points = contour_lines(SeparatorDisplay.from_estimator(model, X, y).ax_)[0.0]
    np.testing.assert_allclose(model.decision_function(points), 0, atol=0.01)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_give_their_names(frame):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    table = frame({"width": X[:, 0], "length": X[:, 1]})
    y = X[:, 0] > X[:, 1]
    model = LogisticRegression().fit(table, y)
    ax = SeparatorDisplay.from_estimator(model, table, y).ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "length")


def test_separator_out_of_sight(known_linear):
    model = known_linear([0, 1], [1.0, 0.0], 100.0, margin=0.1)
    ax = SeparatorDisplay.from_estimator(model, CORNERS, np.array([0, 1, 1, 1, 1])).ax_
    assert contour_lines(ax) == {}
    assert not ax.texts


def test_only_two_features(known_linear):
    model = known_linear([0, 1], [1.0, 0.0, 0.0], 0.0)
    with pytest.raises(ValueError, match="draws two features; X has 3"):
        SeparatorDisplay.from_estimator(model, np.zeros((4, 3)), [0, 0, 1, 1])


def test_given_axes_and_pickling(diagonal):
    figure, ax = plt.subplots()
    display = SeparatorDisplay.from_estimator(diagonal, CORNERS, LABELS, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    again = pickle.loads(pickle.dumps(figure))
    again.savefig(io.BytesIO())
