"""The estimation experiments of Active Bayesian Assessment: helpers by hand, and each command in its small form."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas import InputError
from altmas.bandits.lockstep import simulate
from altmas.bandits.rewards import EstimateArms
from altmas.bandits.rules import Thompson
from altmas.experiments.active_bayesian import confusion, estimation, figures, tables
from altmas.experiments.active_bayesian.groups import GroupOutcomes, by_bin, by_class
from altmas.experiments.data.networks import Outcomes
from altmas.surrogates.groups.beta_posterior import BetaPosterior

TABLES = ("3", "4", "5", "8")


@pytest.fixture
def few():
    """Six items, three classes; class c is never predicted and bins below 0.5 are empty."""
    scores = np.array(
        [[0.9, 0.1, 0.0], [0.7, 0.2, 0.1], [0.5, 0.1, 0.4], [0.5, 0.3, 0.2], [0.2, 0.8, 0.0], [0.4, 0.6, 0.0]]
    )
    labels, said = np.array([0, 2, 2, 0, 1, 0]), scores.argmax(1)
    return Outcomes("few", ("a", "b", "c"), labels, said, scores.max(1), scores)


def test_classes_are_counted_by_hand(few):
    groups = by_class(few)
    assert groups.names == ("a", "b")  # c is never predicted: nobody can ask about it
    assert groups.truth.tolist() == [[2, 2], [1, 1]]
    np.testing.assert_allclose(groups.shares, [4 / 6, 2 / 6])
    np.testing.assert_allclose(groups.scores, [0.65, 0.7])
    np.testing.assert_allclose(groups.accuracy, [0.5, 0.5])


def test_bins_have_equal_width_and_empty_ones_are_left_out(few):
    groups = by_bin(few, "width")
    assert groups.names == ("0.50-0.60", "0.60-0.70", "0.70-0.80", "0.80-0.90", "0.90-1.00")
    assert groups.truth.tolist() == [[1, 1], [0, 1], [0, 1], [1, 0], [1, 0]]
    np.testing.assert_allclose(groups.scores, [0.5, 0.6, 0.7, 0.8, 0.9])
    assert by_bin(few, "weight").truth.sum() == 6


def test_errors_by_hand(few):
    groups = by_class(few)
    mean = np.array([[[0.8, 0.2], [0.5, 0.5]], [[0.5, 0.5], [0.2, 0.8]]])
    seen = np.zeros((2, 2, 2), np.int64)
    expected = [100 * np.sqrt(4 / 6 * 0.3**2), 100 * np.sqrt(2 / 6 * 0.3**2)]
    np.testing.assert_allclose(estimation.rmse_percent(groups)(seen, mean), expected)
    # True ECE: 4/6 |0.5 - 0.65| + 2/6 |0.5 - 0.7| = 1/6. First replicate: (0.1 + 0.2/3) / 1; second: 0.1 + 1/6.
    np.testing.assert_allclose(estimation.ece(groups.accuracy, groups.scores, groups.shares), 1 / 6)
    relative = estimation.ece_error_percent(groups)(seen, mean)
    np.testing.assert_allclose(relative, [0, 60], atol=1e-9)


def test_priors_and_methods_by_hand():
    methods = estimation.group_methods(np.array([0.75, 0.5]))
    rng, nothing = np.random.default_rng(0), np.zeros((1, 2, 2), np.int64)
    priors = {name: one.belief().prior(rng) for name, one in methods.items() if not name.startswith("hier")}
    assert priors["uniform, 1e-6"].tolist() == [[1e-6, 1e-6]] * 2
    assert priors["uniform"].tolist() == [[1, 1]] * 2
    assert priors["informed"].tolist() == priors["informed + Thompson"].tolist() == [[1.5, 0.5], [1, 1]]
    for name, one in methods.items():
        assert isinstance(one.rule, Thompson) == name.endswith("Thompson")
        belief = one.belief()
        belief.refit(nothing)
        np.testing.assert_allclose(belief.mean(nothing)[..., 0], one.posterior(nothing).mean, rtol=1e-6)


def test_coverage_by_hand(few):
    groups = by_class(few)  # both accuracies are 0.5
    coverage = estimation.coverage_percent(groups, estimation.group_methods(groups.scores)["uniform"])
    seen = np.array([[[0, 0], [500, 500]], [[500, 500], [900, 100]], [[0, 99], [99, 0]]])
    assert coverage(seen, np.empty(0)).tolist() == [100, 50, 0]


def test_the_pools_own_accuracy_is_predicted():
    """Error rate: 2000 pools are drawn from the posterior, and 95% of them covered up to 4 standard errors."""
    rng = np.random.default_rng(0)
    posterior, seen, sizes = (
        BetaPosterior.of([31.0, 9.0], [11.0, 3.0]),
        np.array([[30, 10], [8, 2]]),
        np.array([90, 60]),
    )
    pools = (seen[:, 0] + rng.binomial(sizes - seen.sum(-1), posterior.draw(2000, rng))) / sizes
    low, high = estimation.pool_interval(posterior, seen, sizes, 0.95)
    covered = ((low <= pools) & (pools <= high)).mean(0)
    np.testing.assert_allclose(covered, 0.95, atol=0.02)  # 4 standard errors; counts are whole numbers
    wider = estimation.pool_interval(posterior, seen, 10**6 * sizes, 0.95)
    np.testing.assert_allclose(wider, posterior.interval(0.95), atol=1e-3)  # a huge pool: the posterior itself
    groups = GroupOutcomes(("a",), np.array([[6, 3]]), np.ones(1), np.array([0.5]))
    measure = estimation.pool_coverage_percent(groups, estimation.group_methods(groups.scores)["uniform"])
    assert measure(np.array([[[6, 3]]]), np.empty(0)).tolist() == [100]  # all seen: certain, and right


def test_confusion_counts_true_classes_not_predicted_ones(few):
    columns = confusion.confusion_columns(few)
    assert columns.truth.tolist() == [[2, 0, 2], [1, 1, 0]]  # rows: predicted a, b
    np.testing.assert_allclose(columns.scores, [[0.65, 0.175, 0.175], [0.3, 0.7, 0.0]])
    np.testing.assert_allclose(columns.theta, [[0.5, 0, 0.5], [0.5, 0.5, 0]])
    wrongly = confusion.counted_as_predicted(few)
    assert wrongly.truth.tolist() == [[4, 0, 0], [0, 2, 0]]
    off = np.array([0.15**2 + 0.175**2 + 0.325**2, 0.2**2 + 0.2**2])
    scale = float(confusion.squared_error(columns.scores, columns.theta, columns.shares))
    assert scale == pytest.approx(4 / 6 * off[0] + 2 / 6 * off[1])
    for root in (True, False):  # without labels the informed prior is its own measure
        measure = confusion.scaled(columns, scale, root)
        np.testing.assert_allclose(measure(np.zeros((1, 2, 3), np.int64), columns.scores[None]), [1.0])


def test_confusion_needs_every_score(few):
    alone = Outcomes("top", few.classes, few.labels, few.predictions, few.confidence)
    with pytest.raises(InputError, match="scores must be stored for every class"):
        confusion.confusion_columns(alone)


def test_the_whole_pool_leaves_the_weak_prior_no_error(few):
    groups = by_class(few)
    method = estimation.group_methods(groups.scores)["uniform, 1e-6"]
    values = simulate(
        groups.truth, EstimateArms(groups.shares), method.rule, method.belief,
        [estimation.rmse_percent(groups)], replicates=3, checkpoints=[6],
    )  # fmt: skip
    np.testing.assert_allclose(values, 0, atol=1e-3)


def test_cells_show_the_papers_number_beside_ours():
    rows = estimation.as_rows(["rmse"], [20, 50, 100], np.array([[[1.0, 3.0], [2.0, 2.0], [1.0, 1.0]]]))
    assert rows["mean"].tolist() == [2, 2, 1]
    assert rows["se"].tolist() == [1, 0, 0]
    both = pd.concat([rows.assign(method="informed"), rows.assign(method="hierarchical")])
    cells = estimation.beside(both, [(9, 8, 7), (6, 5, 4), (3, 2, 1)], 1)
    assert cells.loc["informed"].tolist() == ["2.0 ± 1.0 [8.0]", "2.0 ± 0.0 [5.0]", "1.0 ± 0.0 [2.0]"]
    assert cells.loc["hierarchical", "20"] == "2.0 ± 1.0"


@pytest.mark.parametrize("number", TABLES)
def test_tables_in_small_and_resumed(number, tmp_path):
    rows = tmp_path / "rows.csv"
    call = ["--smoke", "--replicates", "3", "--rows", str(rows)]
    first = CliRunner().invoke(tables.main, [number, *call])
    assert first.exit_code == 0, first.output
    assert "digits, 3 replicates; not in the paper" in first.stdout
    assert "informed + Thompson" in first.stdout
    written = pd.read_csv(rows)
    assert np.isfinite(written["mean"]).all()
    again = CliRunner().invoke(tables.main, [number, *call])
    assert again.stdout == first.stdout  # nothing was run twice
    assert len(pd.read_csv(rows)) == len(written)


def test_tables_need_data_or_smoke():
    outcome = CliRunner().invoke(tables.main, ["3"])
    assert outcome.exit_code == 2
    assert "Give --data, or --smoke." in outcome.output


def test_figures_in_small(tmp_path):
    call = ["--smoke", "--out", str(tmp_path), "--replicates", "50", "--rows", str(tmp_path / "rows.csv")]
    outcome = CliRunner().invoke(figures.main, call)
    assert outcome.exit_code == 0, outcome.output
    for number in (1, 5, 8, 9):
        for kind in ("png", "svg"):
            assert (tmp_path / f"aba_figure_{number}.{kind}").stat().st_size > 1000
    assert pd.read_csv(tmp_path / "rows.csv")["ours"].between(0, 1).all()


def test_class_calibration_draws_match_the_pool_when_labels_are_many():
    rng = np.random.default_rng(0)
    said = np.repeat([0, 2], 20000)  # class 1 is never predicted
    right = np.concatenate([np.arange(20000) % 2 == 0, np.arange(20000) % 4 > 0])  # accuracies 1/2 and 3/4
    known = Outcomes("", ("a", "b", "c"), np.where(right, said, 1), said, np.full(40000, 0.85))
    draws = figures.class_ece_draws(known, 200, rng)
    assert draws.shape == (200, 2)
    np.testing.assert_allclose(draws.mean(0), [0.35, 0.1], atol=0.005)  # its standard deviation is 0.0035 / sqrt(200)


def test_pairs_are_of_predicted_classes(few):
    posterior = figures.accuracy_posterior(few, ["a"])
    assert (posterior.right.item(), posterior.wrong.item()) == (3, 3)
