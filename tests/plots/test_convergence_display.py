import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from optimargin.plots import ConvergenceDisplay

CLIMB = {
    "score": np.array([0.7, 0.8, 0.95]),
    "sigma": np.array([1.0, 0.5, 0.25]),
    "evaluations": np.array([10, 20, 30]),
}
WITHOUT_STEPS = {
    "score": np.array([0.6, 0.9]),
    "sigma": np.full(2, np.nan),
    "evaluations": np.array([50, 100]),
}


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_score_and_sigma_against_evaluations(known_linear):
    model = known_linear([0, 1], [1.0], 0.0, history=[CLIMB])
    display = ConvergenceDisplay.from_estimator(model, name="climb")
    score, sigma = display.axes_
    np.testing.assert_array_equal(score.lines[0].get_xdata(), [10, 20, 30])
    np.testing.assert_array_equal(score.lines[0].get_ydata(), CLIMB["score"])
    assert score.lines[0].get_drawstyle() == "steps-post"
    np.testing.assert_array_equal(sigma.lines[0].get_ydata(), CLIMB["sigma"])
    assert sigma.get_yscale() == "log"
    assert (sigma.get_xlabel(), score.get_ylabel()) == ("evaluations", "best training score")
    assert legend_texts(score) == ["climb: 0.950"]
    assert display.ax_ is score


def test_generations_count_from_one():
    display = ConvergenceDisplay({"climb": CLIMB}).plot(against="generations")
    np.testing.assert_array_equal(display.ax_.lines[0].get_xdata(), [1, 2, 3])
    assert display.axes_[-1].get_xlabel() == "generations"
    with pytest.raises(ValueError, match='must be "evaluations" or "generations", not \'time\''):
        ConvergenceDisplay({"climb": CLIMB}).plot(against="time")


def test_no_panel_for_step_sizes_where_no_search_has_any():
    display = ConvergenceDisplay({"swarm": WITHOUT_STEPS}).plot()
    assert len(display.figure_.axes) == 1
    both = ConvergenceDisplay({"swarm": WITHOUT_STEPS, "climb": CLIMB}).plot()
    assert [len(ax.lines) for ax in both.axes_] == [2, 1]


def test_several_estimators_and_pairs_are_named(known_linear):
    two = known_linear([0, 1], [1.0], 0.0, history=[CLIMB])
    three = known_linear(["a", "b", "c"], np.eye(3), np.zeros(3), history=[CLIMB] * 3)
    display = ConvergenceDisplay.from_estimators({"one": two, "other": two})
    assert legend_texts(display.ax_) == ["one: 0.950", "other: 0.950"]
    display = ConvergenceDisplay.from_estimator(three)
    assert legend_texts(display.ax_) == ["a | b: 0.950", "a | c: 0.950", "b | c: 0.950"]
    display = ConvergenceDisplay.from_estimators({"x": three, "y": two})
    assert legend_texts(display.ax_)[2:] == ["x, b | c: 0.950", "y: 0.950"]


def test_of_many_curves_the_lowest_are_named():
    histories = {
        f"pair {index}": {"score": [0.5, 0.6 + index / 100], "evaluations": [1, 2]}
        for index in range(20)
    }
    display = ConvergenceDisplay(histories).plot()
    texts = legend_texts(display.ax_)
    assert texts[:2] == ["pair 0: 0.600", "pair 1: 0.610"]
    assert texts[-1] == "13 others, none lower"
    assert len(display.ax_.lines) == 21  # one of them stands for the others in the legend


def test_given_axes():
    figure, axes = plt.subplots(2)
    display = ConvergenceDisplay({"climb": CLIMB}).plot(axes)
    assert display.figure_ is figure
    single = plt.subplots()[1]
    assert len(ConvergenceDisplay({"climb": CLIMB}).plot(single).axes_) == 1
    with pytest.raises(ValueError, match="at most 2 panels, but was given 3"):
        ConvergenceDisplay({"climb": CLIMB}).plot(plt.subplots(3)[1])


def test_an_estimator_without_history_is_refused():
    X, y = make_classification(random_state=0)
    with pytest.raises(TypeError, match="LogisticRegression has no attribute history_"):
        ConvergenceDisplay.from_estimator(LogisticRegression().fit(X, y))


def test_a_search_that_had_nothing_to_do():
    empty = {"score": np.empty(0), "sigma": np.empty(0), "evaluations": np.empty(0)}
    display = ConvergenceDisplay({"one feature": empty, "climb": CLIMB}).plot()
    assert legend_texts(display.ax_) == ["one feature: not searched", "climb: 0.950"]
    assert len(ConvergenceDisplay({"one feature": empty}).plot().ax_.lines) == 1


def test_the_axis_of_scores_ends_at_one():
    perfect = {"score": [1.0, 1.0], "evaluations": [1, 2]}
    low, high = ConvergenceDisplay({"perfect": perfect}).plot().ax_.get_ylim()
    assert low < 0.96
    assert 1 < high < 1.01


def test_a_search_of_one_round_can_be_seen():
    short = {"score": [1.0], "evaluations": [40]}
    long = {"score": [0.8, 0.9], "evaluations": [10, 20]}
    display = ConvergenceDisplay({"short": short, "long": long}).plot()
    for line, history in zip(display.ax_.lines, (short, long), strict=True):
        assert line.get_marker() == "o"
        assert line.get_markevery() == [-1]
        assert line.get_xdata()[-1] == history["evaluations"][-1]
    display.figure_.canvas.draw()
