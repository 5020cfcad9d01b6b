"""The exact optimum of the weighted 0-1 loss in few dimensions, by enumerating separators.

In r dimensions some optimal separator can be turned, without crossing a sample, until it contains
r affinely independent samples (an extreme ray of the cone of separators with these labels). It is
therefore enough to look at the hyperplanes through r samples, and to settle the samples that lie on
such a hyperplane among themselves: an infinitesimal tilt gives them the labels of any affine
function on the hyperplane, which is the same problem in r - 1 dimensions. That recursion is what
makes duplicates, collinear samples and grids harmless.

The hyperplanes are not visited one by one. For every choice of r - 1 pivots the hyperplanes through
them form a pencil that turns about its axis; projected along that axis the other samples are met in
the order of their angles, so one sort and two cumulative sums give the loss of all of them:
O(m^(r-1) m log m) in total. While the samples on the hyperplane are not settled they count as
correct, which makes every such loss a lower bound; only hyperplanes whose bound beats the best
separator known are settled.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Distances are measured in standardised units. Separations finer than this are not looked for.
RESOLUTION = 1e-9
# Perpendicular rounding error of a projected sample: what makes its angle at the axis uncertain.
ROUNDING = 1e-12
_BEYOND = 4.0  # an angle that no sample has: they lie in [0, pi)
_CELLS_PER_CHUNK = 1 << 17


@dataclass(frozen=True)
class EnumeratedSeparator:
    """f(x) = x.direction + intercept > 0, its loss, and a lower bound on the loss of any other."""

    direction: Array
    intercept: float
    loss: float
    bound: float


def enumerate_separators(
    points: Array,
    cost_positive: Array,
    cost_negative: Array,
    *,
    incumbent: tuple[Array, float] | None = None,
    deadline: float = np.inf,
) -> EnumeratedSeparator:
    """Minimise the cost of labelling distinct points by a hyperplane.

    Parameters
    ----------
    points : array of shape (m, n)
        Distinct points, in standardised units.
    cost_positive, cost_negative : arrays of shape (m,)
        What it costs to label a point +1, and -1.
    incumbent : (direction, intercept), optional
        A separator to start from: the better it is, the fewer hyperplanes have to be settled.
    deadline : float
        Value of `time.monotonic()` at which the search gives up; the bound is then weak.
    """
    unavoidable = np.minimum(cost_positive, cost_negative)
    up, down = cost_positive - unavoidable, cost_negative - unavoidable
    centre = points.mean(axis=0)
    _, singular, rotation = np.linalg.svd(points - centre, full_matrices=False)
    rank = int(np.count_nonzero(singular > RESOLUTION * np.sqrt(len(points))))
    basis = rotation[:rank].T
    local = (points - centre) @ basis

    best = _Incumbent(local, up, down)
    if incumbent is not None:
        best.offer(incumbent[0] @ basis, float(incumbent[1] + incumbent[0] @ centre))
    if len(points) <= rank + 1:  # affinely independent: every labelling is possible
        best.offer(*_interpolate(local, np.where(up <= down, 1.0, -1.0)))
        bound = 0.0
    else:
        bound = _best_cut(best) if rank == 1 else _search(best, deadline)
    direction = basis @ best.direction
    constant = float(unavoidable.sum())
    return EnumeratedSeparator(
        direction,
        float(best.intercept - direction @ centre),
        best.loss + constant,
        min(bound, best.loss) + constant,
    )


class _Incumbent:
    """The best separator so far, evaluated as it will be used: by the sign of f."""

    def __init__(self, points: Array, up: Array, down: Array) -> None:
        self.points, self.up, self.down = points, up, down
        self.slack = 1e-12 * float(up.sum() + down.sum())
        all_negative = down.sum() < up.sum()
        self.direction = np.zeros(points.shape[1])
        self.intercept = -1.0 if all_negative else 1.0
        self.loss = float(min(down.sum(), up.sum()))

    def offer(self, direction: Array, intercept: float) -> float:
        positive = self.points @ direction + intercept > 0
        loss = float(np.where(positive, self.up, self.down).sum())
        if loss < self.loss - self.slack:
            self.direction, self.intercept, self.loss = direction, intercept, loss
        return loss


def _interpolate(points: Array, values: Array) -> tuple[Array, float]:
    """The affine function of least norm with given values on affinely independent points."""
    design = np.column_stack([points, np.ones(len(points))])
    solution = np.linalg.lstsq(design, values, rcond=None)[0]
    return np.asarray(solution[:-1], dtype=np.float64), float(solution[-1])


def _best_cut(best: _Incumbent) -> float:
    """One dimension: all cuts between neighbouring values, both orientations."""
    order = np.argsort(best.points[:, 0], kind="stable")
    values = best.points[order, 0]
    up = np.concatenate([[0.0], np.cumsum(best.up[order])])
    down = np.concatenate([[0.0], np.cumsum(best.down[order])])
    cuts = np.flatnonzero(np.diff(values) > RESOLUTION) + 1
    if cuts.size:
        losses = np.stack([down[cuts] + up[-1] - up[cuts], up[cuts] + down[-1] - down[cuts]])
        side, position = np.unravel_index(int(np.argmin(losses)), losses.shape)
        cut = cuts[position]
        sign = 1.0 if side == 0 else -1.0
        best.offer(np.array([sign]), -sign * float(values[cut - 1] + values[cut]) / 2)
    return best.loss


def _search(best: _Incumbent, deadline: float) -> float:
    """Turn a hyperplane about every choice of pivots; return a lower bound on the loss."""
    n_points, rank = best.points.shape
    pivots = combinations(range(n_points), rank - 1)
    settled: set[bytes] = set()
    unsettled_bound = np.inf
    for chunk in _chunks(pivots, max(1, _CELLS_PER_CHUNK // n_points)):
        if time.monotonic() > deadline:
            return 0.0
        pencil = _turn(best.points, best.up, best.down, chunk)
        promising = np.flatnonzero(pencil.losses.ravel() < best.loss - best.slack)
        promising = promising[np.argsort(pencil.losses.ravel()[promising], kind="stable")]
        for cell in promising:
            bound = float(pencil.losses.flat[cell])
            if bound >= best.loss - best.slack:
                break
            if time.monotonic() > deadline:
                return 0.0
            on, labels = pencil.cell(int(cell))
            key = np.packbits(on).tobytes() + np.packbits(labels > 0).tobytes()
            if key in settled:
                continue
            settled.add(key)
            if not _settle(best, on, labels, bound, deadline):
                unsettled_bound = min(unsettled_bound, bound)
    return min(best.loss, unsettled_bound)


def _chunks(pivots: Iterator[tuple[int, ...]], size: int) -> Iterator[NDArray[np.intp]]:
    while chunk := list(islice(pivots, size)):
        yield np.asarray(chunk, dtype=np.intp)


@dataclass(frozen=True)
class _Pencils:
    """The hyperplanes through many choices of pivots: (2, pencils, positions) losses."""

    losses: Array
    order: NDArray[np.intp]
    sides: Array
    on_axis: NDArray[np.bool_]
    first: NDArray[np.intp]
    last: NDArray[np.intp]

    def cell(self, index: int) -> tuple[NDArray[np.bool_], Array]:
        """Which samples lie on a hyperplane, and the labels it gives to the others."""
        orientation, row, position = np.unravel_index(index, self.losses.shape)
        order = self.order[row]
        labels = np.empty(len(order))
        labels[order] = np.where(np.arange(len(order)) > position, 1.0, -1.0)
        labels *= self.sides[row] * (1.0 if orientation == 0 else -1.0)
        on = self.on_axis[row].copy()
        on[order[self.first[row, position] : self.last[row, position] + 1]] = True
        return on, np.where(on, 0.0, labels)


def _turn(points: Array, up: Array, down: Array, pivots: NDArray[np.intp]) -> _Pencils:
    """Sort the samples by their angle about the axis through the pivots and sweep."""
    rank = points.shape[1]
    anchors = points[pivots[:, 0]]
    independent = np.ones(len(pivots), dtype=bool)
    if rank == 2:
        across = np.broadcast_to(np.eye(2), (len(pivots), 2, 2))
    else:
        edges = (points[pivots[:, 1:]] - anchors[:, None]).transpose(0, 2, 1)
        frame, triangle = np.linalg.qr(edges, mode="complete")
        across = frame[:, :, rank - 2 :]
        diagonal = np.diagonal(triangle, axis1=1, axis2=2)
        independent = np.abs(diagonal).min(axis=1) > RESOLUTION
    plane = points @ across - anchors[:, None] @ across
    radius = np.hypot(plane[..., 0], plane[..., 1])
    on_axis = radius < RESOLUTION

    uncertainty = ROUNDING / np.maximum(radius, RESOLUTION)
    # A direction and its opposite are one hyperplane: angles are folded into [0, pi), up to
    # rounding, and the side remembers which of the two it was.
    angle = np.arctan2(plane[..., 1], plane[..., 0])
    folded = angle < 0
    angle = np.where(folded, angle + np.pi, angle)
    wraps = angle > np.pi - uncertainty
    angle = np.where(wraps, angle - np.pi, angle)
    facing = folded == wraps
    angle = np.where(on_axis, _BEYOND, angle)

    order = np.argsort(angle, axis=1, kind="stable")
    angle = np.take_along_axis(angle, order, axis=1)
    uncertainty = np.take_along_axis(uncertainty, order, axis=1)
    after = np.where(on_axis, 0.0, np.where(facing, up, down))
    before = np.where(on_axis, 0.0, np.where(facing, down, up))
    after = np.take_along_axis(after, order, axis=1)
    before = np.take_along_axis(before, order, axis=1)

    n_points = points.shape[0]
    positions = np.arange(n_points)
    new = np.ones(angle.shape, dtype=bool)
    new[:, 1:] = np.diff(angle, axis=1) > uncertainty[:, 1:] + uncertainty[:, :-1]
    first = np.maximum.accumulate(np.where(new, positions, 0), axis=1)
    closes = np.ones(angle.shape, dtype=bool)
    closes[:, :-1] = new[:, 1:]
    last = np.where(closes, positions, n_points)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]

    sum_before = np.zeros((len(pivots), n_points + 1))
    sum_after = np.zeros_like(sum_before)
    np.cumsum(before, axis=1, out=sum_before[:, 1:])
    np.cumsum(after, axis=1, out=sum_after[:, 1:])
    before_first = np.take_along_axis(sum_before, first, axis=1)
    before_last = np.take_along_axis(sum_before, last + 1, axis=1)
    after_first = np.take_along_axis(sum_after, first, axis=1)
    after_last = np.take_along_axis(sum_after, last + 1, axis=1)
    losses = np.stack(
        [
            before_first + sum_after[:, -1:] - after_last,
            after_first + sum_before[:, -1:] - before_last,
        ]
    )
    losses[:, (angle == _BEYOND) | ~independent[:, None]] = np.inf
    return _Pencils(losses, order, np.where(facing, 1.0, -1.0), on_axis, first, last)


def _settle(
    best: _Incumbent, on: NDArray[np.bool_], labels: Array, bound: float, deadline: float
) -> bool:
    """Tilt a hyperplane so that the samples on it are labelled at least cost.

    Returns whether the separator found is as good as this hyperplane allows.
    """
    members = best.points[on]
    centre = members.mean(axis=0)
    normal = np.linalg.svd(members - centre, full_matrices=True)[2][-1]
    values = (best.points - centre) @ normal
    if values[~on] @ labels[~on] < 0:
        normal, values = -normal, -values
    inner = enumerate_separators(members, best.up[on], best.down[on], deadline=deadline)
    tilt = best.points @ inner.direction + inner.intercept
    with np.errstate(divide="ignore"):
        room = np.abs(values[~on]) / np.abs(tilt[~on])
    step = 0.5 * float(room.min(initial=1.0))
    direction = normal + step * inner.direction
    intercept = float(-normal @ centre + step * inner.intercept)
    loss = best.offer(direction, intercept)
    return inner.bound == inner.loss and loss <= bound + inner.loss + best.slack
