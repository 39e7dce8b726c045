"""A contest from one certified sample: the ranked table, its intervals, and what choosing now may cost."""

from dataclasses import replace

import numpy as np
import pytest

import altmas
from altmas.certified.method import Certified
from altmas.core.answers import Answers
from altmas.core.contest import HOPELESS
from altmas.core.method import AskedRound, Job
from altmas.core.targets import resolve_metrics
from altmas.metrics import InputError
from worlds.methods import several_models

COLUMNS = ["model", "p_best", "estimate", "low", "high", "behind", "behind_low", "behind_high", "ruled_out"]
COST = ((0.0, 1.0, 5.0), (1.0, 0.0, 1.0), (2.0, 1.0, 0.0))


def held(accuracies=(0.6, 0.9, 0.7, 0.85), metric="accuracy", sizes=(5,) * 6, *, items=200, recipe=None, **more):
    """Findings of a contest after rounds of these sizes, the pool and its labels."""
    pool, y = several_models(items, accuracies, **more)
    run = (recipe or Certified(best=metric)).begin(Job(pool, resolve_metrics(metric, pool, COST), 0))
    answers = Answers()
    for number, size in enumerate(sizes):
        choice = run.choose(size)
        answers = answers.extended(choice.items, y[choice.items], number, choice.propensities)
        run.update(answers, number + 1)
    return run.findings(0.95), pool, y


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "macro_recall", "mcc", "expected_cost"])
def test_the_table_of_a_contest(metric):
    found = held(metric=metric)[0].contest()
    table, lead = found.table, found.leading
    assert table.columns.tolist() == COLUMNS
    assert sorted(table["model"]) == ["m0", "m1", "m2", "m3"]
    assert table.index.tolist() == [0, 1, 2, 3]
    assert found.leader == lead.leader == table["model"][0] == "m1"
    assert table["p_best"].is_monotonic_decreasing
    assert table["p_best"].sum() == pytest.approx(1)
    assert lead.p_best == table["p_best"][0]
    assert table["behind"][0] == table["behind_low"][0] == table["behind_high"][0] == 0
    assert (table["behind_low"] <= table["behind"]).all()
    assert (table["behind"] <= table["behind_high"]).all()
    assert (table["low"] <= table["estimate"]).all()
    assert (table["estimate"] <= table["high"]).all()
    assert 0 <= lead.expected_loss <= lead.loss_bound
    assert lead.contenders == (table["p_best"] >= HOPELESS).sum()
    assert (found.metric, found.labels, found.level) == (metric, 30, 0.95)
    assert found.promise == "approximate 95% coverage, whatever the surrogate believes"


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "expected_cost"])
def test_how_far_models_are_behind_is_told_in_the_direction_that_is_worse(metric):
    findings, pool, y = held(metric=metric, sizes=(50, 50))
    table = findings.contest().table.set_index("model")
    [wanted] = resolve_metrics(metric, pool, COST)
    values = {one.model: float(wanted.value(one.tally(np.eye(3)[y]))) for one in findings.state.setup.targets}
    for name in ("m0", "m2"):
        truth = abs(values[name] - values["m1"])
        assert table.loc[name, "behind_low"] - 0.05 <= truth <= table.loc[name, "behind_high"] + 0.05
        assert table.loc[name, "behind"] > 0


def test_models_are_ruled_out_by_an_interval_or_for_want_of_any_chance():
    found = held((0.3, 0.9, 0.4, 0.85), sizes=(20, 20))[0].contest()
    table = found.table.set_index("model")
    assert not table["ruled_out"]["m1"]
    assert table["ruled_out"]["m0"]
    assert table["ruled_out"]["m2"]
    expected = (table["behind_low"] > 0) | ((table["p_best"] < HOPELESS) & (table["behind"] > 0))
    assert (table["ruled_out"] == expected).all()
    assert found.remaining == [one for one in table.index if not table["ruled_out"][one]]
    assert found.remaining[0] == found.leader


@pytest.mark.parametrize("metric", ["accuracy", "macro_recall", "expected_cost"])
def test_intervals_for_all_looks_are_wider_and_so_is_the_bound(metric):
    findings, *_ = held((0.6, 0.9, 0.85), metric=metric)
    one, every = findings.contest(), findings.at_all_looks().contest()
    assert every.leader == one.leader
    assert every.promise == "at least 95% coverage at all looks and for all models together"
    assert every.leading.loss_bound > one.leading.loss_bound
    assert every.leading.expected_loss <= every.leading.loss_bound
    assert every.leading == findings.at_all_looks().leading()
    at_once, always = (found.table.set_index("model").loc[["m0", "m2"]] for found in (one, every))
    widths = [table["behind_high"] - table["behind_low"] for table in (at_once, always)]
    assert widths[1].sum() > widths[0].sum()  # not each: bets know how far labels can move a difference at most
    assert (always["behind_low"] <= at_once["behind_low"]).all()
    assert (always["behind_low"] <= always["behind"]).all()
    assert (always["behind"] <= always["behind_high"]).all()
    assert (always["ruled_out"] == (always["behind_low"] > 0)).all()  # a probability of one look rules nobody out


def test_costs_that_know_of_no_class_have_anytime_intervals_too():
    wide = np.column_stack([COST, [9.0, 9.0, 9.0]])
    pool, y = several_models(120, (0.6, 0.9), no_class=0.1)
    method = Certified(interval="anytime")
    said = {one.name: np.append(np.arange(3), 7)[one.predictions] for one in pool.outputs}
    result = altmas.assess(
        said, oracle=y, classes=range(3), task=altmas.Best("expected_cost"), cost=wide, method=method, budget=40,
        progress=False,
    )  # fmt: skip
    assert result.leader == "m1"
    assert result.best["behind_low"][1] < result.best["behind_high"][1]


def test_a_metric_without_an_anytime_interval_is_refused_before_a_label_is_spent():
    pool, _ = several_models(60)
    recipe = Certified(best="mcc", interval="anytime")
    with pytest.raises(InputError, match="metric 'mcc' must be a ratio of sums over items, or a mean of such"):
        recipe.begin(Job(pool, resolve_metrics("mcc", pool), 0))


def test_everything_labelled_is_exact():
    for findings in (found := held((0.6, 0.9, 0.7), sizes=(60, 60), items=120)[0], found.at_all_looks()):
        contest = findings.contest()
        assert contest.leading.p_best == 1
        assert contest.leading.expected_loss == contest.leading.loss_bound == 0
        assert contest.remaining == ["m1"]
        assert (contest.table["behind_low"] == contest.table["behind_high"]).all()
        assert contest.promise == "exact: every item is labelled"


def test_copies_of_the_best_model_share_its_place():
    pool, y = several_models(120, (0.6, 0.9))
    pool = replace(pool, outputs=(*pool.outputs, replace(pool.outputs[1], name="twin")))
    run = Certified(best="accuracy").begin(Job(pool, resolve_metrics("accuracy", pool), 0))
    choice = run.choose(40)
    run.update(Answers().extended(choice.items, y[choice.items], 0, choice.propensities), 1)
    found = run.findings(0.95).contest()
    by_model = found.table.set_index("model")
    assert {"m1", "twin"} <= set(found.remaining)
    assert by_model["p_best"]["m1"] == pytest.approx(by_model["p_best"]["twin"])
    assert by_model["behind"]["m1"] == by_model["behind"]["twin"] == 0
    assert found.leading.expected_loss < 0.02


def test_missing_answers_widen_every_interval_and_the_bound():
    """The same rounds; in one log a fifth of the answers never came."""
    findings, *_ = held((0.6, 0.9, 0.85), sizes=(20, 20))
    answers = findings.answers
    rounds = []
    for number in (0, 1):
        some = answers.rounds == number
        rounds.append(AskedRound(number, answers.items[some], answers.labels[some], answers.propensities[some]))
    job, recipe = findings.job, Certified(best="accuracy")
    lost = [replace(one, labels=np.where(one.items % 5 == 0, -1, one.labels)) for one in rounds]
    whole, some = (recipe.replay(job, log).findings(0.95) for log in (rounds, lost))
    assert len(some.state.missing) == sum((one.items % 5 == 0).sum() for one in rounds) > 0
    for full, gone in ((whole, some), (whole.at_all_looks(), some.at_all_looks())):
        before, after = (one.contest() for one in (full, gone))
        widths = [one.table.set_index("model").eval("behind_high - behind_low") for one in (before, after)]
        others = [one for one in widths[0].index if one not in (before.leader, after.leader)]
        assert (widths[1][others] > widths[0][others]).all()
        assert after.leading.loss_bound > before.leading.loss_bound
        assert "and whatever the" in after.promise
        assert "missing" not in before.promise


def test_a_contest_by_another_metric_is_chosen_afterwards():
    findings, *_ = held()
    assert findings.contest("macro_recall").metric == "macro_recall"
    assert findings.contest("macro_recall").leader == "m1"
    assert findings.contest().metric == "accuracy"
    assert findings.best()["metric"].unique().tolist() == ["accuracy"]
    with pytest.raises(InputError, match="metric of a contest must be one metric; got 'alt_mas_3', which is 3"):
        findings.contest("alt_mas_3")
    with pytest.raises(InputError, match="got 'greatness'"):
        findings.contest("greatness")


def test_one_model_has_nobody_to_be_better_than():
    pool, y = several_models(60, (0.8,))
    run = Certified().begin(Job(pool, resolve_metrics("accuracy", pool), 0))
    choice = run.choose(20)
    run.update(Answers().extended(choice.items, y[choice.items], 0, choice.propensities), 1)
    found = run.findings(0.95)
    assert found.best() is None
    assert found.differences() is None
    with pytest.raises(InputError, match="models under test must be several, for one to be the best; got 1"):
        found.contest()


def test_probabilities_of_two_models_are_the_same_wherever_they_are_told():
    findings, *_ = held((0.8, 0.85))
    table = findings.contest().table.set_index("model")
    [row] = findings.differences().to_dict("records")
    assert (row["first"], row["second"]) == ("m0", "m1")
    assert row["p_first_higher"] == pytest.approx(table["p_best"]["m0"])


def test_of_many_models_only_the_leader_is_compared_with_each():
    findings, *_ = held(tuple(np.linspace(0.5, 0.9, 10)), sizes=(10, 10))
    table = findings.differences()
    leader = findings.contest().leader
    assert table["first"].unique().tolist() == [leader]
    assert len(table) == 9
    assert leader not in table["second"].tolist()
