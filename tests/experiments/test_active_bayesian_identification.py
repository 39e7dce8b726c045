"""The identification and comparison experiments of active Bayesian assessment, small."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas import InputError
from altmas.bandits.rewards import FindCostliest, FindExtreme
from altmas.bandits.rules import RandomItems, Thompson
from altmas.experiments.active_bayesian import (
    comparison,
    costliest,
    curves,
    ranking,
    tables,
    worst_classes,
)
from altmas.experiments.active_bayesian.groups import by_class
from altmas.experiments.data.networks import Outcomes, load_network

TRUE = np.array([5.0, 4.0, 3.0, 2.0, 1.0])


def mrr(worth, m, true=TRUE):
    return ranking.mean_reciprocal_rank(np.array([worth], float), true, m)[0]


def test_mrr_ignores_the_other_members_of_the_true_top():
    assert mrr([4, 5, 3, 2, 1], 2) == 1  # the order within the top does not matter
    assert mrr([5, 3, 4, 2, 1], 2) == pytest.approx((1 + 1 / 2) / 2)  # one outsider before the second
    assert mrr([1, 2, 5, 4, 3], 2) == pytest.approx((1 / 4 + 1 / 4) / 2)
    assert mrr([3, 5, 4, 2, 1], 1) == pytest.approx(1 / 3)
    assert mrr([0, 0, 0, 0, 1], 5) == 1


def test_mrr_is_one_exactly_where_the_top_sets_match(rng):
    worth = rng.random((500, 5))
    got = ranking.mean_reciprocal_rank(worth, TRUE, 2)
    same = [set(row) == {0, 1} for row in np.argsort(-worth, axis=1)[:, :2]]
    np.testing.assert_array_equal(got > 1 - 1e-12, same)


def test_ties_count_by_chance_and_true_ties_are_either():
    assert mrr([1, 1, 1, 0, 0], 1) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert mrr([1, 2, 0, 0, 0], 1, np.array([5.0, 5.0, 3.0, 2.0, 1.0])) == 1
    found = ranking.found_top(np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 2.0]]), np.array([5.0, 5.0, 3.0]))
    np.testing.assert_allclose(found, [1, 0.5])


def test_labels_needed_is_where_the_mean_stays_above():
    values = np.array([[1.0, 1.0], [1.0, 0.5], [1.0, 0.99], [1.0, 1.0]])
    assert ranking.labels_needed([10, 20, 30, 40], values) == 0.75
    assert ranking.labels_needed([10, 20, 30, 40], values, pool=100) == 0.3
    assert ranking.labels_needed([10, 20], np.ones((2, 3))) == 0.5
    assert np.isnan(ranking.labels_needed([10, 20], np.array([[1.0], [0.9]])))


def test_measures_rank_by_the_task():
    theta = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    means = np.array([[[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]], [[0.1, 0.9], [0.3, 0.7], [0.5, 0.5]]])
    seen = np.zeros((2, 3, 2), int)
    np.testing.assert_allclose(ranking.mrr_of(FindExtreme(), theta, 1)(seen, means), [1, 0.5])
    np.testing.assert_allclose(ranking.success_of(FindExtreme(), theta)(seen, means), [1, 0])
    biased = curves.MostBiased(np.array([1.0, 0.2, 0.5]))  # biases 0.1, 0, 0
    np.testing.assert_allclose(ranking.success_of(biased, theta)(seen, means), [1, 1])


def test_the_pools_own_proportions_end_at_the_truth():
    truth = np.array([[1, 9], [3, 1]])
    wrong_mean = np.full((1, 2, 2), 0.5)
    at = ranking.of_pool(truth.sum(-1))(truth[None], wrong_mean)
    np.testing.assert_allclose(at[0], truth / truth.sum(-1, keepdims=True))


def four_classes():
    """Classes 0 and 1 are at home in 0, classes 2 and 3 in 1, which is people; everything predicted 0 or 2."""
    labels, said = np.array([0, 1, 2, 3, 3, 2, 3, 0]), np.array([0, 0, 0, 0, 0, 2, 2, 2])
    scores = np.tile([0.4, 0.3, 0.2, 0.1], (8, 1))
    return Outcomes("four", tuple("abcd"), labels, said, scores.max(1), scores)


def test_costs_are_aggregated_by_hand(monkeypatch):
    monkeypatch.setattr(costliest, "homes", lambda outcomes: (np.array([0, 0, 1, 1]), 1))
    within = costliest.cost_arms(four_classes(), "superclass")
    assert within.truth.tolist() == [[1, 1, 3], [1, 1, 1]]
    np.testing.assert_allclose(within.uniform, [[0.25, 0.25, 0.5]] * 2)
    np.testing.assert_allclose(within.informed, [[0.4, 0.3, 0.3], [0.2, 0.1, 0.7]])
    human = costliest.cost_arms(four_classes(), "human")
    assert human.truth.tolist() == [[1, 1, 3], [1, 1, 1]]
    np.testing.assert_allclose(human.uniform, [[0.25, 0.25, 0.5], [0.25, 0.5, 0.25]])
    with pytest.raises(InputError, match="cost must be one of human, superclass"):
        costliest.outcome_of("none", np.arange(2), 0)


@pytest.mark.parametrize("cost", costliest.COSTS)
def test_aggregated_costs_equal_those_over_true_classes(cost, digits):
    outcomes = load_network("digits", None)
    arms = costliest.cost_arms(outcomes, cost)
    outcome = costliest.outcome_of(cost, *costliest.homes(outcomes))
    matrix = np.array([0.0, 1.0, 10.0])[outcome]
    each = matrix[outcomes.labels, outcomes.predictions]
    expected = [each[outcomes.predictions == k].mean() for k in range(10)]
    task = FindCostliest(np.tile([0.0, 1.0, 10.0], (10, 1)))
    np.testing.assert_allclose(task.value(arms.theta), expected)


def test_calibration_arms_by_hand():
    labels, said = np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1])
    outcomes = Outcomes("two", ("a", "b"), labels, said, np.array([0.9, 0.8, 0.3, 1.0]))
    arms = worst_classes.bin_arms(outcomes, bins=2)
    assert arms.truth.tolist() == [[1, 1, 0, 1], [0, 1, 0, 0]]
    np.testing.assert_allclose(arms.task.scores, [[0.3, 0.85], [0.25, 1.0]])  # an empty bin has its centre
    np.testing.assert_allclose(arms.task.value(arms.theta), [0.7 / 3 + 0.35 * 2 / 3, 0])
    at = worst_classes.of_pool_bins(arms.truth)(arms.truth[None], np.full((1, 2, 4), 0.5))
    np.testing.assert_allclose(arms.task.value(at)[0], arms.task.value(arms.theta))
    np.testing.assert_allclose(arms.prior[0], [0.6, 1.7, 1.4, 0.3])


def test_comparison_ends_at_the_goal_or_with_the_labels(rng):
    truth = np.array([[[90, 10], [10, 90]], [[3, 1], [1, 1]]])
    prior = np.ones((2, 2, 2))
    spent, told = comparison.labels_until_told(truth, prior, RandomItems(), rng)
    spent, told = spent[0], told[0]
    assert told.tolist() == [1, 1]  # its own prior is the goal's, so everything labelled is the goal
    assert spent[0] < 60
    assert (spent >= 1).all()
    assert (spent <= truth.sum((1, 2))).all()
    stubborn = np.array([[[1.0, 1000.0], [1000.0, 1.0]]])
    spent, told = comparison.labels_until_told(truth[1:], stubborn, Thompson(), rng)
    assert (spent.tolist(), told.tolist()) == ([[6]], [[0]])


def test_the_programs_goal_is_the_region_of_the_difference_likeliest_or_not():
    truth = np.array([[[90, 10], [10, 90]], [[50, 50], [51, 49]]])
    goal = comparison.goal_of_program(truth)
    assert goal.region.tolist() == [2, 1]
    far = np.array([[0.0, 0.0, 1.0], [0.9, 0.05, 0.05]])
    assert goal.reached(far).tolist() == [True, False]
    near = np.array([[0.0, 0.0, 1.0], [1 - goal.probability[1], goal.probability[1], 0.0]])
    assert goal.reached(near).tolist() == [True, True]
    assert comparison.goal_of_text(truth).likeliest


def test_a_superclass_is_right_if_any_of_its_classes_is(monkeypatch):
    monkeypatch.setattr(comparison, "superclass_of", lambda: np.array([0, 0, 1, 1]))
    monkeypatch.setattr(comparison, "SUPERCLASSES", {"low": (), "high": ()})
    labels, said = np.array([0, 1, 2, 3]), np.array([0, 0, 2, 0])
    four = Outcomes("four_cifar100", tuple("abcd"), labels, said, np.full(4, 0.9))
    assert comparison.compared_arms(four).truth.tolist() == [[1, 2], [1, 0]]
    assert comparison.compared_arms(four, "superclass").truth.tolist() == [[2, 1], [1, 0]]


def test_ucb_looks_up_the_exact_quantile():
    rule = curves.LowestQuantile.up_to(3)
    assert rule.table[0, 0] == pytest.approx(0.025)
    alpha = np.array([[[3.0, 1.0], [1.0, 1.0], [1.0, 3.0]]])
    chosen = rule.choose(alpha, FindExtreme(), np.array([[1, 1, 0]]), 1, None, np.random.default_rng(0))
    assert chosen.tolist() == [[1]]


@pytest.mark.parametrize("number", ["6", "7", "9", "10"])
def test_tables_smoke_and_go_on(number, tmp_path):
    rows = tmp_path / "rows.csv"
    options = [number, "--smoke", "--replicates", "1", "--rows", str(rows)]
    first = CliRunner().invoke(tables.main, options)
    assert first.exit_code == 0, first.output
    assert "thompson, informed" in first.stdout
    written = len(pd.read_csv(rows))
    again = CliRunner().invoke(tables.main, options)
    assert again.stdout == first.stdout
    assert len(pd.read_csv(rows)) == written
    refused = CliRunner().invoke(tables.main, [number])
    assert refused.exit_code == 2
    assert "Give --data, or --smoke." in refused.output


def test_curves_smoke(tmp_path):
    rows = tmp_path / "rows.csv"
    options = ["--smoke", "--replicates", "2", "--out", str(tmp_path / "figures"), "--rows", str(rows)]
    done = CliRunner().invoke(curves.main, options)
    assert done.exit_code == 0, done.output
    assert set(pd.read_csv(rows)["figure"]) == set(curves.SHEETS)
    assert len(list((tmp_path / "figures").glob("aba_*.png"))) == len(curves.SHEETS)


def test_worst_chances_sum_to_at_most_one():
    chances = worst_classes.worst_chances(by_class(load_network("digits", None)), 0)
    assert chances.iloc[0] == chances.max()
    assert 0.5 < chances.sum() <= 1 + 1e-9
