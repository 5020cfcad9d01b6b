"""Slow and obvious counterparts of what the package computes: one idea a function, no tricks."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import ndtr

TIE_ULPS = 8


@dataclass(frozen=True)
class Cut:
    """The best cut of a projection, in units of sign times projection."""

    correct: int
    sign: int
    lower: float
    upper: float

    @property
    def threshold(self):
        middle = self.lower + (self.upper - self.lower) / 2
        return middle if middle < self.upper else self.lower

    @property
    def margin(self):
        return (self.upper - self.lower) / 2


def weight_on_the_right_side(u, positive, weights, threshold):
    """Integer weight of the samples that `u > threshold` classifies correctly."""
    return sum(
        int(w) for w, right in zip(weights, (u > threshold) == positive, strict=True) if right
    )


def all_cuts(z, positive, weights):
    """Every cut between two different neighbours, with both signs."""
    z = np.asarray(z)
    tolerance = TIE_ULPS * float(np.finfo(z.dtype).eps) * float(np.abs(z).max())
    cuts = []
    for sign in (1, -1):
        u = sign * z
        ordered = np.sort(u)
        for low, high in itertools.pairwise(ordered):
            if float(high - low) > tolerance:
                correct = weight_on_the_right_side(u, positive, weights, low)
                cuts.append(Cut(correct, sign, float(low), float(high)))
    return cuts


def best_cut(z, positive, weights):
    """The best cut by trying every one.

    Greatest weight first, then the widest gap, then the lowest cut, then sign +1. Where everything
    in the heavier class weighs more than any cut gives, or one class weighs nothing: a cut outside.
    """
    positive = np.asarray(positive, dtype=bool)
    weight_positive = sum(int(w) for w, p in zip(weights, positive, strict=True) if p)
    weight_negative = sum(int(w) for w, p in zip(weights, positive, strict=True) if not p)
    cuts = all_cuts(z, positive, weights)
    outside = max(weight_negative, weight_positive)
    if (
        not cuts
        or min(weight_negative, weight_positive) == 0
        or outside > max(cut.correct for cut in cuts)
    ):
        place = np.inf if weight_negative >= weight_positive else -np.inf
        return Cut(outside, 1, place, place)
    return max(cuts, key=lambda c: (c.correct, c.upper - c.lower, -c.lower, c.sign))


def objective(features, n_negative, weights, direction, l1=0.0):
    """Algorithm 2 for one direction: (objective, score, margin); `features` by rows of samples."""
    unit = np.asarray(direction, dtype=np.float64)
    unit = unit / math.sqrt(math.fsum(unit**2))
    positive = np.arange(len(features)) >= n_negative
    cut = best_cut(features @ unit, positive, weights)
    total = sum(int(w) for w in weights)
    margin = cut.margin if math.isfinite(cut.lower) else 0.0
    value = 1.0 + margin if cut.correct == total else cut.correct / total
    return value - l1 * (math.fsum(np.abs(unit)) - 1.0), cut.correct / total, margin


@dataclass(frozen=True)
class Interval:
    """A stretch of a line on which no sample changes side."""

    correct: int
    lower: float
    upper: float

    @property
    def width(self):
        return self.upper - self.lower


def projective(scale):
    """The measure tau / (scale + |tau|) of a position on a line, infinite ones included."""

    def position(tau):
        if tau in (-math.inf, math.inf):
            return math.copysign(1.0, tau)
        return float(tau / (Fraction(scale) + abs(tau)))

    return position


def shifted(origin):
    """The measure origin + tau."""

    def position(tau):
        return tau if tau in (-math.inf, math.inf) else float(Fraction(origin) + tau)

    return position


def crossing(value, slope):
    """Where value + tau slope changes sign, exactly; a sample that never does, beyond an end."""
    if slope == 0.0:
        return -math.inf if value > 0.0 else math.inf
    return -Fraction(float(value)) / Fraction(float(slope))


def line_intervals(values, slopes, positive, weights, position):
    """Every interval of the line values + tau slopes, its ends as `position` measures them."""
    crossings = np.array([position(crossing(v, g)) for v, g in zip(values, slopes, strict=True)])
    rising = np.asarray(slopes) > 0
    still = np.asarray(slopes) == 0
    ends = np.unique([position(-math.inf), position(math.inf), *crossings])
    intervals = []
    for low, high in itertools.pairwise(ends):
        called_positive = np.where(rising, crossings <= low, crossings >= high)
        called_positive = np.where(still, np.asarray(values) > 0, called_positive)
        right = called_positive == positive
        correct = sum(int(w) for w, r in zip(weights, right, strict=True) if r)
        intervals.append(Interval(correct, float(low), float(high)))
    return intervals


def correct_on_line(values, slopes, positive, weights, tau):
    """Weight on the right side at tau, in exact arithmetic."""
    step = Fraction(float(tau))
    return sum(
        int(w)
        for v, g, p, w in zip(values, slopes, positive, weights, strict=True)
        if (Fraction(float(v)) + step * Fraction(float(g)) > 0) == bool(p)
    )


def gibbs_cells(values, slopes, positive, weights, origin, beta, splits=()):
    """Cells of the line and the probability of each: normal prior times exp(beta * correct).

    The cells are the intervals between crossings, cut further at `splits`.
    """
    intervals = line_intervals(values, slopes, positive, weights, shifted(origin))
    cells = []
    for interval in intervals:
        inside = [s for s in splits if interval.lower < s < interval.upper]
        for low, high in itertools.pairwise([interval.lower, *inside, interval.upper]):
            cells.append(Interval(interval.correct, low, high))
    greatest = max(cell.correct for cell in cells)
    shares = np.array(
        [
            math.exp(beta * (cell.correct - greatest)) * (ndtr(cell.upper) - ndtr(cell.lower))
            for cell in cells
        ]
    )
    return cells, shares / shares.sum()


def separator_cells(X, n_angles=20_000):
    """Which samples are called positive, and how much of the prior N(0, I) on (w, b) does so.

    For one or two features. With d the direction of w, a sample x is called positive where
    b / |w| > -x.d, and the prior of b / |w| is known: in two features the sine of its angle is
    uniform, in one the angle itself.
    """
    n = X.shape[1]
    if n == 1:
        directions = np.array([[1.0], [-1.0]])
    else:
        angles = (np.arange(n_angles) + 0.5) * 2 * np.pi / n_angles
        directions = np.column_stack([np.cos(angles), np.sin(angles)])
    masses = {}
    for direction in directions:
        thresholds = -X @ direction
        order = np.argsort(thresholds)
        angle = np.arctan(np.concatenate([[-np.inf], thresholds[order], [np.inf]]))
        cumulative = angle / np.pi if n == 1 else np.sin(angle) / 2
        called_positive = np.zeros(len(X), dtype=bool)
        for rank, mass in enumerate(np.diff(cumulative)):
            if rank > 0:
                called_positive[order[rank - 1]] = True
            pattern = called_positive.tobytes()
            masses[pattern] = masses.get(pattern, 0.0) + mass / len(directions)
    return masses


def gibbs_separator_cells(X, positive, importance, beta):
    """The same for the density exp(beta p) times that prior, p the share called rightly."""
    masses = {}
    for pattern, mass in separator_cells(X).items():
        right = np.frombuffer(pattern, dtype=bool) == positive
        masses[pattern] = mass * math.exp(beta * float(importance @ right))
    total = math.fsum(masses.values())
    return {pattern: mass / total for pattern, mass in masses.items()}


def kl(p, q):
    """Divergence of a coin that shows heads with p from one that does with q."""
    terms = [(p, q), (1 - p, 1 - q)]
    return sum(a * (math.log(a / b) if b > 0 else math.inf) for a, b in terms if a > 0)


def inverse_kl(p, complexity):
    """The greatest q with kl(p, q) at most the complexity, by halving."""
    low, high = p, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if kl(p, middle) <= complexity else (low, middle)
    return low


def error_bound(X, positive, weights, delta, scales):
    """PAC-Bayes-kl for every scale of the weights, both classes, as a user of it would write."""
    extended = np.column_stack([X, np.ones(len(X))])
    w = np.asarray(weights) / np.linalg.norm(weights)
    signs = np.where(positive, 1.0, -1.0)
    best = math.inf
    for scale in scales:
        wrong = ndtr(-scale * signs * (extended @ w) / np.linalg.norm(extended, axis=1))
        total = 0.0
        for group in (positive, ~positive):
            m = int(group.sum())
            share = delta / 2 / len(scales)
            complexity = (scale**2 / 2 + math.log(2 * math.sqrt(m) / share)) / m
            total += inverse_kl(float(wrong[group].mean()), complexity) / 2
        best = min(best, total)
    return best


def numpy_threshold(z, positive, share):
    """Score, margin of the best cut the usual way in NumPy: argsort, cumsum, argmax."""
    order = np.argsort(z)
    ordered = z[order]
    gain = np.cumsum(np.where(positive, -share, share)[order][:-1])
    gap = np.diff(ordered)
    score = 0.5 + np.abs(gain)
    score[gap <= TIE_ULPS * np.finfo(z.dtype).eps * max(-ordered[0], ordered[-1])] = 0.0
    ties = score >= score.max() - 1e-12
    margin = gap[ties].max() / 2
    return score.max(), margin


def numpy_cma_es(X, positive, rng, generations, population_size=None, postponed=None):
    """Paper-budget CMA-ES on standardised samples `X`, written as one would in plain NumPy.

    One candidate at a time is projected, sorted and summed up. `postponed` is the number of
    generations between two eigendecompositions. Returns the best objective.
    """
    n = X.shape[1]
    k = population_size or 4 + int(3 * math.log(n))
    parents = k // 2
    weights = math.log(k / 2 + 0.5) - np.log(np.arange(1, parents + 1))
    weights /= weights.sum()
    effective = 1 / (weights**2).sum()
    c_sigma = (effective + 2) / (n + effective + 5)
    d_sigma = 1 + 2 * max(0, math.sqrt((effective - 1) / (n + 1)) - 1) + c_sigma
    c_c = (4 + effective / n) / (n + 4 + 2 * effective / n)
    c_1 = 2 / ((n + 1.3) ** 2 + effective)
    c_mu = min(1 - c_1, 2 * (effective - 2 + 1 / effective) / ((n + 2) ** 2 + effective))
    expected = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
    if postponed is None:
        postponed = max(1, int(1 / (c_1 + c_mu) / n / 10))

    share = np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())
    mean = rng.standard_normal(n)
    mean /= np.linalg.norm(mean)
    sigma = 0.5
    C, B, D = np.eye(n), np.eye(n), np.ones(n)
    path_sigma, path_c = np.zeros(n), np.zeros(n)
    decomposed = 0
    best = -np.inf
    for generation in range(1, generations + 1):
        if generation - 1 - decomposed >= postponed:
            D, B = np.linalg.eigh(C)
            D = np.sqrt(np.maximum(D, 1e-14 * D[-1]))
            decomposed = generation - 1
        steps = np.empty((k, n))
        values = np.empty((k, 2))
        for i in range(k):
            steps[i] = B @ (D * rng.standard_normal(n))
            candidate = mean + sigma * steps[i]
            candidate /= np.linalg.norm(candidate)
            score, margin = numpy_threshold(X @ candidate, positive, share)
            values[i] = (1 + margin if score > 1 - 1e-12 else score), margin
        order = np.lexsort((-values[:, 1], -values[:, 0]))
        best = max(best, values[order[0], 0])
        chosen = steps[order[:parents]]
        step = weights @ chosen
        mean = mean + sigma * step
        path_sigma = (1 - c_sigma) * path_sigma + math.sqrt(c_sigma * (2 - c_sigma) * effective) * (
            B @ ((B.T @ step) / D)
        )
        length = np.linalg.norm(path_sigma)
        moving = length / math.sqrt(1 - (1 - c_sigma) ** (2 * generation)) < (
            (1.4 + 2 / (n + 1)) * expected
        )
        path_c = (1 - c_c) * path_c + moving * math.sqrt(c_c * (2 - c_c) * effective) * step
        C = (
            (1 - c_1 - c_mu + (1 - moving) * c_1 * c_c * (2 - c_c)) * C
            + c_1 * np.outer(path_c, path_c)
            + c_mu * (chosen.T * weights) @ chosen
        )
        sigma *= math.exp(min(1, c_sigma / d_sigma * (length / expected - 1)))
        norm = np.linalg.norm(mean)
        mean /= norm
        sigma /= norm
    return best
