"""Acquisitions against slow, literal readings of the paper's equations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from altmas.beliefs.acquisition import alt_mas, bald, entropy, outcome_information, outcomes, tolerance_for
from altmas.beliefs.draws import Draws
from altmas.core.policies import best, uniform
from altmas.metrics import CounterfactualMeans, metrics_named, tally


def random_draws(rng, draws, items, classes):
    return rng.dirichlet(np.ones(classes) * 0.5, (draws, items)).astype(np.float32)


def literal_information(p, groups):
    """Eqs. 7 and 14 for one item: `p [M, C]`, `groups` a list of label lists."""

    def h(q):
        return -sum(x * np.log(x) for x in q if x > 0)

    q = np.array([[row[group].sum() for group in groups] for row in p.astype(np.float64)])
    return h(q.mean(0)) - np.mean([h(row) for row in q])


def literal_alt_mas(p, said, answered_confusion, metrics, classes):
    """Algorithm 1, lines 10-16, item by item: recount the confusion of every draw for every label."""
    draws, items, _ = p.shape
    drawn = p.argmax(-1)
    worth = np.zeros(items)
    for x in range(items):
        for one in metrics:
            value = np.zeros(classes)
            for c in range(classes):
                for j in range(draws):
                    labels = drawn[j].copy()
                    labels[x] = c
                    value[c] += float(one.value(tally(labels, said, classes) + answered_confusion)) / draws
            groups = []
            for c in range(classes):
                for group in groups:
                    if abs(value[group[0]] - value[c]) < 1e-10:
                        group.append(c)
                        break
                else:
                    groups.append([c])
            worth[x] += literal_information(p[:, x], groups)
    return worth


@pytest.mark.parametrize("names", [["accuracy"], ["recall:1"], ["precision:0"], ["alt_mas_3"], ["alt_mas_21", "mcc"]])
def test_alt_mas_equals_a_literal_reading_of_algorithm_1(names, rng):
    classes, items, draws = 4, 15, 5
    p = random_draws(rng, draws, items, classes)
    said = rng.integers(0, classes, items)
    answered = rng.integers(0, 6, (classes, classes)).astype(float)
    metrics = metrics_named(names, range(classes))
    drawn = p.argmax(-1)
    means = CounterfactualMeans(metrics, tally(drawn, said, classes) + answered)
    given_draws = Draws(lambda i: p[:, i], np.arange(items), draws=draws, classes=classes)
    worth = alt_mas(given_draws, drawn.astype(np.int16), said, means, items=200)
    np.testing.assert_allclose(worth[:, 0], literal_alt_mas(p, said, answered, metrics, classes), atol=1e-6)
    np.testing.assert_allclose(worth[:, 1], bald(p), atol=1e-7)


def test_bald_equals_its_definition(rng):
    p = random_draws(rng, 7, 20, 5)
    each = [literal_information(p[:, x], [[c] for c in range(5)]) for x in range(20)]
    np.testing.assert_allclose(bald(p), each, atol=1e-6)


def test_information_of_separate_labels_is_bald_and_of_one_outcome_is_nothing(rng):
    p = random_draws(rng, 7, 20, 5)
    apart = np.broadcast_to(np.arange(5), (20, 1, 5))
    np.testing.assert_allclose(outcome_information(p, apart), bald(p), atol=1e-6)
    np.testing.assert_array_equal(outcome_information(p, np.zeros((20, 1, 5), int)), 0.0)


def test_metrics_add_up(rng):
    p = random_draws(rng, 4, 9, 3)
    outcome = rng.integers(0, 3, (9, 2, 3))
    outcome = outcomes(outcome.astype(float), 1e-9)
    both = outcome_information(p, outcome)
    np.testing.assert_allclose(both, sum(outcome_information(p, outcome[:, [k]]) for k in range(2)), atol=1e-9)


@settings(max_examples=200)
@given(st.lists(st.sampled_from([0.0, 0.25, 0.25 + 1e-13, 0.5, 1.0]), min_size=2, max_size=6))
def test_outcomes_join_equal_values_and_no_others(values):
    numbers = outcomes(np.array([values]), 1e-11)[0]
    for a in range(len(values)):
        for b in range(len(values)):
            assert (numbers[a] == numbers[b]) == (abs(values[a] - values[b]) < 1e-9)
    assert set(numbers) == set(range(numbers.max() + 1))


@pytest.mark.parametrize("items", [10, 1_000, 100_000, 10_000_000])
def test_tolerance_is_far_below_one_over_n_squared_and_above_float_noise(items):
    assert np.finfo(float).eps * 8 < tolerance_for(items)
    if items <= 1_000_000:
        assert tolerance_for(items) <= 0.01 / items**2


def test_entropy_of_certainty_is_zero():
    assert float(entropy(np.array([0.0, 1.0, 0.0], np.float32))) == 0.0


def test_ties_go_to_bald_then_to_chance():
    worth = np.array([[0.2, 0.1], [0.2, 0.3], [0.5, 0.0], [0.2, 0.3]])
    orders = {tuple(best(np.arange(4), worth, 4, np.random.default_rng(s)).items.tolist()) for s in range(20)}
    assert orders == {(2, 1, 3, 0), (2, 3, 1, 0)}


def test_draws_that_agree_carry_no_information_at_all(rng):
    """True ties must tie: float32 noise would decide instead of BALD."""
    p = np.repeat(random_draws(rng, 1, 50, 10), 50, axis=0)
    np.testing.assert_array_equal(bald(p), 0.0)
    np.testing.assert_array_equal(outcome_information(p, rng.integers(0, 2, (50, 3, 10))), 0.0)


def test_uniform_choice_is_uniform(seed):
    """Each of 10 items is first with probability 1/10: chi-square, error rate 1e-4."""
    from scipy.stats import chisquare

    rng = np.random.default_rng(seed)
    first = [uniform(np.arange(10), 3, rng).items[0] for _ in range(5000)]
    assert chisquare(np.bincount(first, minlength=10)).pvalue > 1e-4
