"""A contest from one certified sample: the ranked table, its intervals, and what choosing now may cost."""

from dataclasses import replace

import numpy as np
import pytest

import altmas
from altmas.catalogue import make_method
from altmas.certified.contest import _borne_out
from altmas.certified.interval import Interval
from altmas.certified.method import Certified
from altmas.certified.standing import _nearest
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


def test_models_are_ruled_out_by_their_intervals():
    found = held((0.3, 0.9, 0.4, 0.85), sizes=(20, 20))[0].contest()
    table = found.table.set_index("model")
    assert not table["ruled_out"]["m1"]
    assert table["ruled_out"]["m0"]
    assert table["ruled_out"]["m2"]
    assert (table["ruled_out"] == (table["behind_low"] > 0)).all()
    assert found.remaining == [one for one in table.index if not table["ruled_out"][one]]
    assert found.remaining[0] == found.leader


@pytest.mark.parametrize("metric", ["accuracy", "macro_recall", "expected_cost"])
def test_intervals_for_all_looks_are_wider_and_so_is_the_bound(metric):
    findings, *_ = held((0.6, 0.9, 0.85), metric=metric)
    one, every = findings.contest(), findings.at_all_looks().contest()
    assert every.leader == one.leader
    assert every.promise == "at least 95% coverage at all looks and for all models together"
    assert every.leading.loss_bound > one.leading.loss_bound
    assert every.leading.p_best == one.leading.p_best
    assert every.leading.expected_loss <= every.leading.loss_bound
    assert every.leading == findings.at_all_looks().leading()
    at_once, always = (found.table.set_index("model").loc[["m0", "m2"]] for found in (one, every))
    # Not of every model: bets know how far the labels that are left can move a difference at most.
    assert always["behind_low"].min() <= at_once["behind_low"].max()
    assert (always["behind_low"] <= always["behind"]).all()
    assert (always["behind"] <= always["behind_high"]).all()
    assert (always["ruled_out"] == (always["behind_low"] > 0)).all()


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


# Who is a contender, and what may be said of those who are not


def noisy(rng, labels, share, classes=3):
    return np.where(rng.random(len(labels)) < share, labels, (labels + rng.integers(1, classes, len(labels))) % classes)


def test_copies_of_the_leader_leave_room_for_the_others():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 400)
    bad, good = noisy(rng, truth, 0.79), noisy(rng, truth, 0.80)
    said = {**{f"copy {k}": bad for k in range(45)}, "good": good, "poor": noisy(rng, truth, 0.5)}
    found = altmas.assess(said, oracle=truth, task="best", budget=25, seed=1, progress=False)
    row = found.best.set_index("model").loc["good"]
    assert row["p_best"] > 0
    assert not row["ruled_out"]
    assert found.expected_loss > 0


def test_who_was_not_weighed_is_not_ruled_out():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 300)
    said = {f"model {k}": noisy(rng, truth, 0.75) for k in range(60)}
    table = altmas.assess(said, oracle=truth, task="best", budget=10, seed=1, progress=False).best
    assert not (table["ruled_out"] & (table["p_best"] == 0) & (table["behind_low"] <= 0)).any()


def test_out_of_reach_is_who_is_so_by_the_design_as_well():
    """Of a run in which ten models were wrong together: the honest one was 9 of the belief's errors behind."""
    thought, error = np.array([-0.27, -0.05, -0.30]), np.array([0.03, 0.03, 0.03])
    design, variance = np.array([-0.20, -0.05, -0.30]), np.square([0.13, 0.13, 0.01])
    assert _nearest(thought, error, design, variance).tolist() == [1, 0]
    unanswered = np.full(3, np.inf)
    assert _nearest(thought, error, design, unanswered).tolist() == [1]
    assert len(_nearest(thought - 1, error, design - 1, np.full(3, 1e-6))) == 1  # one is left to be told apart


def test_what_the_interval_does_not_bear_out():
    # Of a level of 50% the ends are [0.01, 0.05], of 95% they hold 0; the last interval is on the other side of 0.
    half, sure, against = (
        Interval(0.03, 0.01, 0.05, 0.03, 0.03, 0.03),
        *(Interval(end, end - 0.02, end + 0.02, 0.01, 0.01, 0.01) for end in (0.03, -0.03)),
    )
    assert [_borne_out(-0.03, one) for one in (half, sure, against)] == [False, True, False]
    assert [_borne_out(0.03, one) for one in (half, sure, against)] == [False, False, True]


@pytest.mark.parametrize(
    "metric", ["accuracy", "error_rate", "expected_cost", pytest.param("macro_recall", marks=pytest.mark.slow)]
)
def test_a_contest_at_all_looks_by_any_metric(metric):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)
    said = {name: noisy(rng, truth, share) for name, share in (("a", 0.6), ("b", 0.95), ("c", 0.75))}
    cost = 3.0 * (1 - np.eye(3)) if metric == "expected_cost" else None
    method = make_method("certified", interval="anytime")
    found = altmas.assess(
        said, oracle=truth, task="best", metric=metric, cost=cost, method=method, budget=60, seed=0, progress=False
    )
    assert found.leader == "b"
    assert (found.best["behind_low"][1:] > 0).all()
    assert found.best["behind"].tolist() == pytest.approx(found.best["behind_low"].tolist(), abs=1e-9)


@pytest.mark.parametrize("metric", ["brier", "log_loss", "fpr_at:0.4:b", "recall_at:0.4:b"])
def test_a_contest_by_what_scores_cost_ranks_and_bets_on_scores(metric):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 60)
    scores = {}
    for name, noise in (("bad", 0.5), ("good", 0.05)):
        p = np.clip(np.where(truth == 1, 0.85, 0.15) + noise * rng.normal(size=60), 0.01, 0.99)
        scores[name] = np.stack([1 - p, p], axis=1)
    said = {name: np.array(["a", "b"])[p.argmax(1)] for name, p in scores.items()}
    labels = np.array(["a", "b"])[truth]
    found = altmas.assess(
        said, scores, oracle=labels, classes=["a", "b"], metrics=[metric], budget=60, seed=0, progress=False
    )
    value = dict(zip(found.estimates["model"], found.estimates["estimate"], strict=True))
    for one in (found.findings, found.findings.at_all_looks()):
        table = one.contest(metric).table
        assert table["model"][0] == "good"
        assert table["behind"][1] == pytest.approx(abs(value["bad"] - value["good"]), abs=0.01)
        assert table["behind_low"][1] <= table["behind"][1] <= table["behind_high"][1]
