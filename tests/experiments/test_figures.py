"""Figures over methods: names that can be read, whatever the points."""

import itertools

import numpy as np
import pytest
from matplotlib.text import Text

from optimargin.experiments.appearance import drawing
from optimargin.experiments.figures import critical_difference, write_names
from optimargin.experiments.statistics import compare_ranks


def boxes_of_names(points):
    names = [f"a-long-name-{number}" for number in range(len(points))]
    with drawing(6.4, 4.6) as (figure, axes):
        axes.plot(*np.transpose(points), "o", linestyle="none")
        axes.margins(0.15)
        write_names(axes, names, points)
        figure.draw_without_rendering()
        assert [text.get_text() for text in axes.texts] != []
        assert {text.get_text() for text in axes.texts} == set(names)
        return [Text.get_window_extent(text) for text in axes.texts], axes.bbox.frozen()


@pytest.mark.parametrize("spread", [1.0, 0.1, 0.02])
def test_names_cover_neither_each_other_nor_leave_the_figure(spread):
    rng = np.random.default_rng(0)
    # A cluster, and two points that fix the scale.
    points = [(0.0, 0.0), (1.0, 1.0), *map(tuple, 0.5 + spread * rng.uniform(-0.5, 0.5, (8, 2)))]
    boxes, whole = boxes_of_names(points)
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other)
    for box in boxes:
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1


def test_points_in_one_place_all_keep_a_name():
    boxes, _ = boxes_of_names([(0.0, 0.0), (1.0, 1.0), *[(0.5, 0.5)] * 30])
    assert len(boxes) == 32


def test_ranks_are_drawn_for_any_number_of_methods():
    rng = np.random.default_rng(0)
    for count in (3, 8, 21):
        names = [f"m{number}" for number in range(count)]
        picture = critical_difference(compare_ranks(names, rng.random((6, count))), "T", "n")
        assert picture.svg.startswith("<svg")
        assert "T: mean ranks over 6 data sets" in picture.caption
