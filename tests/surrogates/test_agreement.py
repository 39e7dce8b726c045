"""Pseudo-labels: the rules of ALT-MAS section 3.1 and every edge case."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from altmas.surrogates import MCDropoutMLP
from altmas.surrogates.networks.agreement import (
    NOTHING,
    best_threshold,
    most_probable,
    oversampled,
    pseudo_label,
    split,
)


class ByFirstColumn:
    """An estimator whose agreement probability is the first feature."""

    def fit(self, X, y, *, n_classes=None, rng=None):
        self.seen = (np.asarray(X), np.asarray(y))
        return self

    def draw(self, X, *, draws, rng):
        p = np.clip(np.asarray(X)[:, 0], 0, 1)
        return np.broadcast_to(np.stack([1 - p, p], -1), (draws, len(p), 2))


def run(agrees, features, candidates, seed=0):
    estimator = ByFirstColumn()
    found = pseudo_label(
        estimator, np.asarray(features)[:, None], np.asarray(agrees), np.asarray(candidates)[:, None],
        draws=3, rng=np.random.default_rng(seed),
    )  # fmt: skip
    return found, estimator


def literal_threshold(p, agrees):
    best = (-1.0, 0.0)
    for t in sorted(p, reverse=True):
        precision = agrees[p >= t].mean()
        if precision >= best[0]:
            best = (precision, t)
    return best[1], best[0]


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=12))
def test_threshold_has_the_highest_precision_and_is_the_lowest_such(pairs):
    p, agrees = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    assert best_threshold(p, agrees) == pytest.approx(literal_threshold(p, agrees))


def test_keeps_the_floor_of_precision_times_count_with_the_highest_probability():
    # The paper's example: precision 50%, 100 found, 50 kept.
    p = np.linspace(0.5, 1, 100)
    kept = most_probable(p, 0.5, 0.5, np.random.default_rng(0))
    assert kept.tolist() == list(range(50, 100))
    assert len(most_probable(np.full(10, 0.9), 0.5, 0.7, np.random.default_rng(0))) == 7  # 0.7 * 10 is 6.999...
    assert len(most_probable(np.full(10, 0.9), 0.5, 0.79, np.random.default_rng(0))) == 7


def test_equals_are_kept_by_chance_and_not_by_their_place():
    """100 equals, half kept: the mean row is near 49.5; outside +-15 with probability below 1e-6."""
    kept = most_probable(np.full(100, 0.9), 0.5, 0.5, np.random.default_rng(0))
    assert abs(kept.mean() - 49.5) < 15


def test_training_is_balanced_and_apart_from_validation(rng):
    agrees = np.array([True] * 40 + [False] * 7)
    train, validate = split(agrees, 0.3, rng)
    assert not set(train) & set(validate)
    assert sorted([*train, *validate]) == list(range(47))
    assert agrees[validate].sum() == 12
    assert (~agrees[validate]).sum() == 2
    rows = oversampled(agrees[train], rng)
    assert agrees[train][rows].mean() == 0.5
    times = np.bincount(rows)[~agrees[train]]
    assert times.max() - times.min() <= 1  # repeats are spread evenly


def test_learns_where_the_model_under_test_is_right():
    agrees = np.array([True] * 30 + [False] * 30)
    features = np.r_[np.linspace(0.6, 1, 30), np.linspace(0, 0.5, 30)]
    found, estimator = run(agrees, features, np.linspace(0, 1, 101))
    assert found.precision == 1.0
    assert 0.6 <= found.threshold < 0.7
    assert found.rows.tolist() == [i for i in range(101) if i / 100 >= found.threshold]
    assert estimator.seen[1].mean() == 0.5


def test_no_disagreement_yet_takes_all_but_the_rule_of_succession():
    found, estimator = run([True] * 18, np.linspace(0, 1, 18), np.linspace(0, 1, 100))
    assert found.precision == 19 / 20
    assert len(found.rows) == 95
    assert not hasattr(estimator, "seen")  # nothing to learn from
    other, _ = run([True] * 18, np.linspace(0, 1, 18), np.linspace(0, 1, 100), seed=1)
    assert found.rows.tolist() != other.rows.tolist()  # which ones is left to chance


def test_no_agreement_yet_takes_nothing():
    assert run([False] * 18, np.linspace(0, 1, 18), np.linspace(0, 1, 100))[0] is NOTHING


@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_answers_take_nothing(count):
    assert run(np.array([True] * count, bool), np.ones(count), np.ones(5))[0] is NOTHING


def test_validation_part_where_all_agree():
    agrees = np.array([True] * 20 + [False])
    found, estimator = run(agrees, np.r_[np.linspace(0.5, 1, 20), 0.1], np.linspace(0, 1, 101))
    assert (estimator.seen[1] == 0).sum() == (estimator.seen[1] == 1).sum()  # the one disagreement is in training
    assert found.precision == 7 / 8  # six of six in the validation part
    assert len(found.rows) == np.sum(np.linspace(0, 1, 101) >= found.threshold) * 7 // 8


def test_validation_part_where_none_agrees():
    agrees = np.array([False] * 20 + [True])
    found, _ = run(agrees, np.linspace(0, 1, 21), np.linspace(0, 1, 101))
    assert found.precision == 0.0
    assert found.rows.size == 0


def test_four_answers_can_be_split():
    found, estimator = run([True, True, False, True], [0.9, 0.8, 0.1, 0.7], [0.95, 0.05])
    assert set(estimator.seen[1]) == {0, 1}
    assert set(found.rows) <= {0, 1}


def test_two_of_each_can_be_split():
    train, validate = split(np.array([True, False]), 0.3, np.random.default_rng(0))
    assert len(train) + len(validate) == 2


def test_blocks_give_the_same_as_one_array(digits):
    x = digits.images.reshape(-1, 64).astype(np.float32) / 255
    agrees = (digits.predictions == digits.labels)[:80]
    rest = x[80:400]

    def chosen(candidates):
        net = MCDropoutMLP(hidden=(32,), epochs=20)
        return pseudo_label(net, x[:80], agrees, candidates, draws=5, rng=np.random.default_rng(0)).rows

    whole = chosen(rest)
    assert whole.tolist() == chosen(lambda: (rest[i : i + 37] for i in range(0, 320, 37))).tolist()
    assert len(whole)
