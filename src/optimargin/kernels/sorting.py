"""Sorting the few values that pruning leaves, together with where they came from."""

from typing import Any

from optimargin.kernels.compilation import compiled


@compiled()
def sort_with_tags(values: Any, tags: Any, count: int) -> None:
    """Sort the first `count` values in place and carry their tags along (shell sort)."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, count):
            value = values[i]
            tag = tags[i]
            j = i - gap
            while j >= 0 and values[j] > value:
                values[j + gap] = values[j]
                tags[j + gap] = tags[j]
                j -= gap
            values[j + gap] = value
            tags[j + gap] = tag
        gap //= 3
