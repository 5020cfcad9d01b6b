"""Sorting with tags."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inner_kernels import from_python
from optimargin.kernels import sorting

sort_with_tags = from_python(sorting.sort_with_tags)
deal_with_tags = from_python(sorting.deal_with_tags)


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


@pytest.mark.parametrize("count", [2, 40, 49, 500, 20_000])
@pytest.mark.parametrize(
    "shape", ["normal", "few", "equal", "halving", "spike", "extreme", "single"]
)
@pytest.mark.parametrize("sort", [sort_with_tags, deal_with_tags])
def test_many_values_of_any_kind(sort, shape, count):
    rng = np.random.default_rng(count)
    values = {
        "normal": lambda: rng.standard_normal(count),
        "few": lambda: rng.integers(0, 3, count).astype(float),
        "equal": lambda: np.full(count, 0.1),
        "halving": lambda: 0.5 ** rng.permutation(np.arange(count) % 1000),
        "spike": lambda: np.where(rng.random(count) < 0.7, 1e-9, 1.0) * rng.standard_normal(count),
        "extreme": lambda: rng.choice([-1e308, 1e308, 5e-324, 0.0, 1.0], count),
        "single": lambda: rng.standard_normal(count).astype(np.float32),
    }[shape]()
    before, tags = values.copy(), np.arange(count)
    sort(values, tags, count)
    np.testing.assert_array_equal(values, np.sort(before))
    np.testing.assert_array_equal(before[tags], values)
    assert len(set(tags.tolist())) == count
