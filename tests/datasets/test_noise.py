"""Noise: how many rows, which classes, how far, and nothing else."""

import numpy as np
import pytest

from optimargin.datasets import Append, Flip, NoNoise, Replace, make_noise


@pytest.fixture
def three_classes():
    rng = np.random.default_rng(0)
    return rng.uniform(-1, 3, size=(600, 4)), np.repeat([0, 1, 2], [300, 200, 100])


def test_replace_changes_the_stated_share_of_all_classes_but_the_first(three_classes):
    X, y = three_classes
    noisy, labels = Replace(0.15).apply(X, y, 1)
    changed = (noisy != X).any(axis=1)
    assert [int(changed[y == label].sum()) for label in (0, 1, 2)] == [0, 30, 15]
    np.testing.assert_array_equal(labels, y)


def test_the_last_class_can_be_spared_instead(three_classes):
    X, y = three_classes
    noise = Replace(0.15, spared="last")
    changed = (noise.apply(X, y, 1)[0] != X).any(axis=1)
    assert [int(changed[y == label].sum()) for label in (0, 1, 2)] == [45, 30, 0]
    assert noise.name == "replace(rate=0.15, spread=0.5, spared=last)"
    assert Replace(0.15).name == "replace(rate=0.15, spread=0.5)"
    with pytest.raises(ValueError, match='"first" or the "last"'):
        Replace(0.15, spared="middle")


def test_replaced_values_fill_the_widened_range():
    X = np.column_stack([np.linspace(0, 1, 20_000), np.linspace(-10, 30, 20_000)])
    y = np.repeat([0, 1], 10_000)
    noisy, _ = Replace(1.0).apply(X, y, 0)
    low, high = noisy[y == 1].min(axis=0), noisy[y == 1].max(axis=0)
    np.testing.assert_allclose(low, [-0.5, -30], atol=0.02)
    np.testing.assert_allclose(high, [1.5, 50], atol=0.02)


def test_append_adds_as_many_as_replace_replaces(three_classes):
    X, y = three_classes
    noisy, labels = Append(0.15).apply(X, y, 1)
    np.testing.assert_array_equal(noisy[:600], X)
    assert labels[600:].tolist() == [1] * 30 + [2] * 15


def test_flip_moves_to_other_classes_evenly():
    y = np.repeat([3, 5, 9], 20_000)
    X = np.zeros((60_000, 1))
    same, labels = Flip(0.3).apply(X, y, 0)
    assert same is X
    assert np.mean(labels != y) == pytest.approx(0.3)
    counts = np.unique(labels[(y == 3) & (labels != y)], return_counts=True)
    assert counts[0].tolist() == [5, 9]
    np.testing.assert_allclose(counts[1] / 6000, [0.5, 0.5], atol=0.03)


@pytest.mark.parametrize("kind", ["replace", "append", "flip"])
def test_seeded_and_input_untouched(kind, three_classes):
    X, y = three_classes
    before = X.copy(), y.copy()
    noise = make_noise(0.2, kind)
    first, second = noise.apply(X, y, 5), noise.apply(X, y, 5)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_names_carry_the_parameters():
    assert make_noise(0.15).name == "replace(rate=0.15, spread=0.5)"
    assert make_noise(0.1, "flip").name == "flip(rate=0.1)"
    assert make_noise(0).name == NoNoise().name == "none"
    assert Replace(0.1) == Replace(0.1)


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match=r"\[0, 1\], got 1.5"):
        Replace(1.5)
    with pytest.raises(ValueError, match="replace, append, flip"):
        make_noise(0.1, "salt")
