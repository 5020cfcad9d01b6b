"""The best point of a line through the space of separators, for the weighted 0-1 loss.

Along f + t g every sample changes side once, at t = -f / g. Sorting these crossings and summing the
changes of weight gives the score everywhere on the line, so the best step is exact, and no step
size has to be chosen.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def score(values: Array, rewards: Array) -> float:
    """The weight of the samples on the positive side, negative samples counted negatively."""
    return float(rewards[values > 0].sum())


def best_step(values: Array, slopes: Array, rewards: Array) -> tuple[float, float]:
    """Return (step, score): the midpoint of the widest of the best intervals of the line.

    ``rewards`` is the weight of a sample times its label: what the score gains when the sample is
    on the positive side. A line on which no sample ever crosses gives a step of 0.
    """
    moving = slopes != 0
    base = float(rewards[~moving & (values > 0)].sum())
    slopes = slopes[moving]
    crossings = -values[moving] / slopes
    finite = np.isfinite(crossings)
    if not finite.any():
        return 0.0, score(values, rewards)
    slopes, crossings, gains = slopes[finite], crossings[finite], rewards[moving][finite]
    order = np.argsort(crossings)
    crossings = crossings[order]
    falling = slopes < 0
    base += float(gains[falling].sum())
    gains = np.where(falling, -gains, gains)[order]
    totals = base + np.concatenate([[0.0], np.cumsum(gains)])
    # Outside the crossings an interval has no end; it counts as no wider than the whole range.
    reach = max(float(crossings[-1] - crossings[0]), 1.0)
    borders = np.concatenate([[crossings[0] - reach], crossings, [crossings[-1] + reach]])
    widths = np.diff(borders)
    open_intervals = widths > 1e-12 * (np.abs(borders[:-1]) + np.abs(borders[1:]))
    totals = np.where(open_intervals, totals, -np.inf)
    top = totals.max()
    slack = 1e-12 * float(np.abs(rewards).sum())
    best = int(np.argmax(np.where(totals >= top - slack, widths, -1.0)))
    return float(borders[best] + widths[best] / 2), float(totals[best])


def descend(design: Array, weights: Array, rewards: Array, max_passes: int = 100) -> Array:
    """Take exact steps along one coordinate after the other until none improves.

    ``design`` holds one column a coordinate (the intercept's column is all ones). The score never
    falls; it is taken from recomputed values, not from the sum along the line.
    """
    columns = np.asfortranarray(design)
    weights = weights.copy()
    values = columns @ weights
    current = score(values, rewards)
    slack = 1e-12 * float(np.abs(rewards).sum())
    for _ in range(max_passes):
        improved = False
        for coordinate in range(columns.shape[1]):
            step, promised = best_step(values, columns[:, coordinate], rewards)
            if promised <= current + slack:
                continue
            trial = weights.copy()
            trial[coordinate] += step
            trial_values = columns @ trial
            reached = score(trial_values, rewards)
            if reached > current + slack:
                weights, values, current, improved = trial, trial_values, reached, True
        if not improved:
            break
    return weights
