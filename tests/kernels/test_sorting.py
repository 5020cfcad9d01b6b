"""Sorting with tags."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from optimargin.kernels.sorting import sort_with_tags


@given(st.lists(st.integers(-5, 5).map(float) | st.floats(-1, 1), max_size=60), st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_values_are_sorted_and_tags_go_along(values, count):
    values = np.array(values)
    count = min(count, values.size)
    before, tags = values.copy(), np.arange(values.size)
    sort_with_tags(values, tags, count)
    np.testing.assert_array_equal(values[:count], np.sort(before[:count]))
    np.testing.assert_array_equal(values[count:], before[count:])
    np.testing.assert_array_equal(before[tags], values)
    assert sorted(tags) == list(range(values.size))
