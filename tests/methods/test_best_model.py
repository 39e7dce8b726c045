"""What both searches for the best model must do, whatever they believe."""

import math
from dataclasses import replace

import numpy as np
import pytest

import altmas
from altmas.core.answers import Answers
from altmas.core.contest import HoldsContests, Leading, SeesLeader
from altmas.core.loop import Plan
from altmas.core.method import Job, OpensItself, TakesTasks, TellsFindings
from altmas.core.pool import Pool
from altmas.core.tasks import Best, Compare, EstimateGroups, Identify
from altmas.methods.best_model import PROMISE, most_worthy
from altmas.methods.coda import Coda
from altmas.methods.model_selector import ModelSelector
from altmas.metrics import InputError, metric, metrics_named
from worlds.methods import several_models, small_pool
from worlds.runs import at_work

METHODS = [Coda(), ModelSelector()]
EVERY = pytest.mark.parametrize("method", METHODS, ids=lambda one: one.name)


def begun(method, pool, seed=0):
    run = method.begin(Job(pool, (metric("accuracy", pool.classes),), seed))
    run.update(Answers(), 0)
    return run


@EVERY
def test_the_best_model_is_found_through_the_front_door(method):
    pool, y = several_models(accuracies=(0.6, 0.9, 0.7, 0.75))
    said = {one.name: one.predictions.tolist() for one in pool.outputs}
    given = {"oracle": y.tolist(), "classes": range(3), "method": method.name, "progress": False}
    result = altmas.assess(said, budget=40, initial=1, **given)
    assert len(set(result.answers["id"])) == 40
    assert result.history["labels"].unique().tolist() == list(range(1, 41))  # one question at a time
    assert result.estimates["model"].tolist() == ["m0", "m1", "m2", "m3"]
    assert result.estimates["metric"].unique().tolist() == ["accuracy"]
    assert result.estimates[["low", "high"]].isna().all(axis=None)
    assert result.estimates["promise"].unique().tolist() == [PROMISE]
    assert f"Result of {method.name} after 40 labels" in repr(result)
    assert [line.get_label() for line in result.plot().lines] == ["m0", "m1", "m2", "m3"]
    found = result.findings.contest()
    assert found.leader == found.table["model"][0] == "m1"
    assert found.table["p_best"].sum() == pytest.approx(1)
    assert found.labels == 40
    assert found.promise == PROMISE
    assert sorted(found.remaining) == ["m0", "m1", "m2", "m3"]  # nothing is promised, so nobody is ruled out
    assert math.isnan(found.leading.expected_loss)
    assert math.isnan(found.leading.loss_bound)
    again = altmas.assess(said, budget=40, initial=1, **given)
    assert again.answers.equals(result.answers)
    assert again.history.equals(result.history)
    other = altmas.assess(said, budget=40, initial=1, seed=1, **given)
    assert other.answers["id"].tolist() != result.answers["id"].tolist()


@EVERY
def test_a_precision_is_never_reached_without_an_interval(method):
    pool, y = several_models(items=40)
    run, _ = at_work(method, pool, y, sizes=(10,))
    assert not Plan(30, 1, 1, 0.95, within=0.99).reached(tuple(run.estimate(0.95)))


@EVERY
def test_it_has_the_capabilities_of_a_contest(method):
    run = begun(method, several_models()[0])
    assert isinstance(run, SeesLeader)
    assert isinstance(run, TellsFindings)
    assert isinstance(run.findings(0.9), HoldsContests)
    assert isinstance(method, OpensItself)
    assert isinstance(method, TakesTasks)
    with pytest.raises(InputError, match="metric of a contest must be accuracy for this method; got 'mcc'"):
        run.findings(0.9).contest("mcc")


@EVERY
def test_the_table_of_a_contest(method):
    pool, y = several_models()
    run, _ = at_work(method, pool, y, sizes=(1,) * 25)
    found = run.findings(0.9).contest("accuracy")
    assert found.table.columns.tolist() == [
        "model", "p_best", "estimate", "low", "high", "behind", "behind_low", "behind_high", "ruled_out",
    ]  # fmt: skip
    by_model = found.table.set_index("model")
    assert by_model["estimate"][[one.name for one in pool.outputs]].tolist() == run.value.tolist()
    assert by_model["behind"][found.leader] == 0
    assert (by_model["behind"] == by_model["estimate"][found.leader] - by_model["estimate"]).all()
    assert by_model[["low", "high", "behind_low", "behind_high"]].isna().all(axis=None)
    assert found.table["p_best"].is_monotonic_decreasing
    assert found.leading.p_best == found.table["p_best"][0] == run.p_best.max()
    assert found.leading.contenders == 4
    assert found.level == 0.9


@EVERY
def test_everything_labelled_is_exact_and_the_best_share_the_lead(method):
    pool, y = several_models(items=50)
    twin = replace(pool.outputs[1], name="twin")
    pool = replace(pool, outputs=(*pool.outputs, twin))
    run, _ = at_work(method, pool, y, sizes=(20, 20, 10))
    truth = [float((one.predictions == y).mean()) for one in pool.outputs]
    for one, true in zip(run.estimate(0.95), truth, strict=True):
        assert one.low == one.estimate == one.high == pytest.approx(true)
        assert one.promise == "exact: every item is labelled"
    leading = run.leading(0.95)
    assert leading == Leading(leading.leader, 0.5, 0.0, 0.0, 2)
    assert leading.leader in ("m1", "twin")
    found = run.findings(0.95).contest()
    assert set(found.remaining) == {"m1", "twin"}
    assert found.remaining[0] == leading.leader


@EVERY
def test_state_follows_from_seed_and_answers_whatever_was_called_before(method):
    pool, y = several_models(no_class=0.1)
    seen = []
    run, answers = at_work(method, pool, y, sizes=(1, 1, 5, 3, 8), look=lambda r: seen.append(r.leading(0.9)))
    resumed = method.begin(run.job)
    resumed.update(answers, 5)
    after = resumed.choose(7).items.tolist()
    assert repr(resumed.leading(0.9)) == repr(run.leading(0.9)) == repr(seen[-1])
    assert repr(resumed.estimate(0.9)) == repr(run.estimate(0.9))
    assert run.choose(7).items.tolist() == after
    assert run.choose(3).items.tolist() == after[:3]  # the first few of many are those asked as few
    assert run.choose(7).propensities.tolist() == [1.0] * 7
    for part in (answers.first(13), answers, answers.first(4), answers):  # some of a round, all, fewer, all
        resumed.update(part, 5)
    assert resumed.choose(7).items.tolist() == after
    assert repr(resumed.estimate(0.9)) == repr(run.estimate(0.9))
    other = answers.first(0).extended(answers.items, (answers.labels + 1) % 3, 0, answers.propensities)
    resumed.update(other, 1)
    fresh = method.begin(run.job)
    fresh.update(other, 1)
    assert repr(resumed.estimate(0.9)) == repr(fresh.estimate(0.9))
    resumed.update(Answers(), 0)
    assert resumed.choose(1).items.tolist() == answers.items[:1].tolist()


@EVERY
def test_the_opening_of_an_audit_is_that_of_a_run(method):
    pool, _ = several_models()
    run = begun(method, pool)
    first = run.choose(9).items
    assert method.opening(run.job, Answers(), 0, 9).items.tolist() == first.tolist()
    asked = Answers(items=first[:4])
    assert method.opening(run.job, asked, 1, 5).items.tolist() == first[4:].tolist()


@EVERY
def test_what_it_was_not_made_for_is_refused_before_a_label_is_spent(method):
    alone, _ = small_pool()
    pool, y = several_models()
    with pytest.raises(InputError, match=f"predictions must be several models' for method '{method.name}'"):
        begun(method, alone)
    with pytest.raises(InputError, match="predictions must be several models'"):
        method.with_task(Best(), alone)
    with pytest.raises(InputError, match=f"metrics must be accuracy for method '{method.name}'; got 'macro_recall'"):
        method.begin(Job(pool, tuple(metrics_named(["accuracy", "macro_recall"], pool.classes))))
    for task in (Identify(), Compare(0, 1), EstimateGroups(by="class")):
        with pytest.raises(InputError, match="task must be 'best'"):
            method.with_task(task, pool)
    with pytest.raises(InputError, match="metric of task 'best' must be accuracy .*; got 'mcc'"):
        method.with_task(Best("mcc"), pool)
    assert method.with_task(Best(), pool) is method.with_task(EstimateGroups(), pool) is method
    said = {one.name: one.predictions.tolist() for one in pool.outputs}
    with pytest.raises(InputError, match="metrics must be accuracy"):
        altmas.assess(said, oracle=y.tolist(), method=method.name, metrics="mcc", budget=9, progress=False)


@EVERY
@pytest.mark.parametrize("kind", ["all alike", "all no class but one", "one class", "two items"])
def test_odd_pools(method, kind):
    if kind == "all alike":
        pool = Pool.build({name: [0, 1, 2] * 4 for name in "abc"}, classes=range(3))
    elif kind == "all no class but one":
        pool = Pool.build({name: ["?"] * 11 + [0] for name in "abc"}, classes=range(3))
    elif kind == "one class":
        two = Pool.build({"a": [0] * 12, "b": [0, 1] * 6}, classes=[0, 1])
        pool = replace(two, classes=(0,))  # where 1 is no class
    else:
        pool = Pool.build({"a": [0, 1], "b": [1, 1]}, classes=[0, 1])
    run, answers = at_work(method, pool, np.zeros(pool.size, dtype=np.int64), sizes=[1] * (pool.size - 1))
    assert len(set(answers.items.tolist())) == pool.size - 1
    p_best = run.p_best
    assert p_best.sum() == pytest.approx(1)
    assert ((p_best >= 0) & (p_best <= 1)).all()
    assert ((run.value >= 0) & (run.value <= 1)).all()
    if kind in ("all alike", "all no class but one"):
        assert p_best == pytest.approx(np.full(3, 1 / 3))
    if kind == "one class":
        assert run.leading(0.9).leader == "a"


def test_items_that_tie_come_in_the_order_of_their_clocks():
    worth, rings = np.array([0.3, 1.0, 1.0 - 2e-9, 1.0, 0.3]), np.array([5.0, 3.0, 1.0, 2.0, 4.0])
    for count in range(1, 6):
        assert most_worthy(np.arange(5), worth, count, rings, atol=1e-8).items.tolist() == [2, 3, 1, 4, 0][:count]
    exactly = most_worthy(np.arange(5), worth, 5, rings)
    assert exactly.items.tolist() == [3, 1, 2, 4, 0]
    assert most_worthy(np.arange(0), worth[:0], 3, rings[:0]).items.tolist() == []
