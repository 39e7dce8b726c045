"""Answers counted per arm: as they are where chances were alike, and by their chances where they were not."""

import numpy as np
import pytest

import altmas
from altmas.surfaces.counts import arm_counts
from altmas.surrogates.surface.affiliation import Affiliation


@pytest.mark.parametrize(("arms", "per"), [(1, 2000), (20, 100), (100, 20)])
@pytest.mark.parametrize("log", [False, True])
def test_counts_of_labels_with_unequal_chances(arms, per, log):
    """A policy that asks six times as often where it fears an error: plain counts are far off, weighted ones are not.

    In one large arm, and in arms with about five labels and one. 300 samples; the mean of the weighted shares lies
    within 4 of its standard errors but in 6 of 100,000 runs; a ratio of two sums is itself biased, here by up to 0.01.
    """
    rng = np.random.default_rng(1)
    belongs = Affiliation.exact(np.repeat(np.arange(arms), per))
    errors = {"plain": [], "weighted": []}
    for _ in range(300):
        right = rng.random(2000) < 0.8
        chance = np.where(rng.random(2000) < np.where(right, 0.2, 0.8), 0.12, 0.02)
        items = np.flatnonzero(rng.random(2000) < chance)
        seen = np.where(np.isin(np.arange(2000), items), chance, np.nan) if log else chance
        for name, inclusion in (("plain", None), ("weighted", seen)):
            counts = arm_counts(belongs, arms, items, right[items], inclusion)
            errors[name].append(counts.right.sum() / (counts.right + counts.wrong).sum() - right.mean())
    weighted = np.array(errors["weighted"])
    assert abs(weighted.mean()) < 4 * weighted.std() / np.sqrt(300) + 0.01
    assert np.mean(errors["plain"]) < -0.15


def test_counts_sum_to_what_the_labels_are_worth():
    """Kish's number on average: 0.1 and 0.4 in equal parts of 2,000 items give 500 labels, worth 320."""
    rng = np.random.default_rng(0)
    chance = np.repeat([0.1, 0.4], 1000)
    belongs = Affiliation.exact(np.zeros(2000, dtype=int))
    sums = []
    for _ in range(200):
        items = np.flatnonzero(rng.random(2000) < chance)
        counts = arm_counts(belongs, 1, items, np.ones(len(items)), chance)
        sums.append(counts.right[0])
    assert np.mean(sums) == pytest.approx(320, abs=4 * np.std(sums) / np.sqrt(200))  # fails in 6 of 100,000 runs


def test_equal_chances_within_arms_are_plain_counts_whatever_they_are():
    belongs = Affiliation.exact(np.array([0, 0, 0, 1, 1, 1]))
    items, right = np.arange(5), [1, 0, 1, 1, 0]
    one, other = (arm_counts(belongs, 3, items, right, chance) for chance in (None, [0.5] * 3 + [0.01] * 3))
    np.testing.assert_allclose(one.right, [2, 1, 0])
    np.testing.assert_allclose(one.wrong, [1, 1, 0])
    np.testing.assert_allclose(other.right, one.right)
    np.testing.assert_allclose(other.wrong, one.wrong)
    soft = Affiliation(np.array([[0, 1]]), np.array([[0.7, 0.3]]))
    counts = arm_counts(soft, 2, np.array([0]), [1], [0.2])
    np.testing.assert_allclose(counts.right, [0.7, 0.3])
    for chance, sentence in (
        ([0.5], "one probability per item"),
        ([0.0] * 6, "above 0"),
        ([np.nan] * 6, "every answer"),
    ):
        with pytest.raises(altmas.InputError, match=sentence):
            arm_counts(belongs, 3, items, right, chance)


def test_one_rare_answer_does_not_pass_for_many():
    """An item at a twentieth of the others' chance: its arm counts for 1.5 times Kish's number, its share is kept."""
    belongs = Affiliation.exact(np.zeros(40, dtype=int))
    chance = np.where(np.arange(40) == 0, 0.02, 0.4)
    counts = arm_counts(belongs, 1, np.arange(16), [0] + [1] * 15, chance)
    total = counts.right[0] + counts.wrong[0]
    kish = 87.5**2 / (50**2 + 15 * 2.5**2)  # weights of 50, and 15 times 2.5
    assert total == pytest.approx(1.5 * kish)
    assert counts.wrong[0] / total == pytest.approx(50 / 87.5)
