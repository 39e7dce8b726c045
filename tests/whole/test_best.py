"""`assess(task="best")`: which of several models is best, through the front door, by every method that can tell."""

import math

import numpy as np
import pytest

import altmas
from altmas.certified.result import CertifiedContestResult
from altmas.core.result import MODELS_SHOWN, ContestResult
from altmas.metrics import InputError, from_confusion
from worlds.methods import several_models

POOL, Y = several_models(200, (0.6, 0.9, 0.7, 0.75), no_class=0.0)
SAID = {one.name: one.predictions.tolist() for one in POOL.outputs}
COST = [[0, 1, 5], [1, 0, 1], [2, 1, 0]]


def best(said=None, **more):
    given = {"oracle": Y.tolist(), "classes": range(3), "task": "best", "budget": 30, "batch": 5, "progress": False}
    return altmas.assess(SAID if said is None else said, **{**given, **more})


@pytest.mark.parametrize("method", ["certified", "random", "coda", "model-selector"])
def test_every_method_of_contests_finds_the_best_and_says_so(method):
    result = best(method=method, budget=40, batch=None)
    assert isinstance(result, ContestResult)
    assert result.leader == result.best["model"][0] == "m1"
    assert set(result.best["model"]) == set(SAID)
    assert set(result.estimates["model"]) == set(SAID)  # of every model, though the history has the leader
    assert len(result.answers) == 40
    one_at_a_time = method in ("coda", "model-selector")
    labels = result.history["labels"].tolist()
    assert (labels[0], labels[-1]) == (1 if one_at_a_time else 5, 40)  # a leader shows early
    assert labels == sorted(set(labels))
    columns = ["round", "labels", "leader", "p_best", "expected_loss", "loss_bound", "contenders"]
    assert result.history.columns.tolist() == columns
    assert result.history["leader"].iloc[-1] == "m1"
    assert result.verdict.startswith("'m1' is ")
    assert repr(result).startswith(f"{result.verdict}\nResult of {method} after 40 labels\n")
    assert math.isnan(result.expected_loss) is one_at_a_time
    assert one_at_a_time or 0 <= result.expected_loss <= result.loss_bound < 0.2
    assert len(result.plot().get_yticks()) == 4


def test_a_certified_contest_can_be_asked_further():
    result = best()
    assert isinstance(result, CertifiedContestResult)
    assert result.estimate("mcc")["model"].tolist() == list(SAID)
    assert len(result.differences) == 6
    assert result.findings.contest("macro_recall").leader == "m1"
    assert result.classes_seen["labels"].sum() == 30


@pytest.mark.parametrize("metric", ["macro_recall", "expected_cost", "error_rate", "f1:1"])
@pytest.mark.parametrize("method", ["certified", "random"])
def test_a_contest_by_a_metric_from_the_catalogue(metric, method):
    result = best(task=altmas.Best(metric), cost=COST, method=method, budget=60)
    assert result.contest.metric == metric
    assert result.leader == "m1"
    assert result.estimates["metric"].unique().tolist() == [metric]
    truth = result.best.set_index("model")["estimate"]
    lower = metric in ("expected_cost", "error_rate")
    assert (truth.idxmin() if lower else truth.idxmax()) == "m1"


def test_a_contest_by_a_metric_of_ones_own():
    worst = from_confusion("worst_recall", lambda c: float((c.diagonal() / np.maximum(c.sum(1), 1e-9)).min()), (0, 1))
    result = best(task=altmas.Best(worst), budget=60)
    assert result.contest.metric == "worst_recall"
    assert result.leader == "m1"
    assert "by worst recall" in result.verdict or "by worst_recall" in result.verdict


def test_other_metrics_come_besides_and_the_first_decides():
    result = best(metrics=["mcc", "accuracy"])
    assert result.contest.metric == "mcc"
    assert result.estimates["metric"].unique().tolist() == ["mcc", "accuracy"]
    named = best(metric="accuracy", metrics=["mcc", "accuracy"])
    assert named.contest.metric == "accuracy"
    assert set(named.estimates["metric"]) == {"accuracy", "mcc"}


# Stopping


def test_a_contest_stops_once_choosing_the_leader_costs_little():
    result = best(within=0.02, budget=150)
    assert len(result.answers) < 150
    assert result.loss_bound <= 0.02
    assert (result.history["loss_bound"].iloc[:-1] > 0.02).all()
    assert len(best(within=1e-6, budget=20, method="coda").answers) == 20  # which never knows what it costs


def test_with_anytime_intervals_it_stops_by_what_holds_at_all_looks():
    result = best(within=0.2, budget=150, method=altmas.make_method("certified", interval="anytime"))
    assert len(result.answers) < 150
    assert result.loss_bound <= 0.2
    assert result.contest.promise == "at least 95% coverage at all looks and for all models together"
    lead = result.best.set_index("model").loc["m1"]
    others = result.best[result.best["model"] != "m1"]
    assert lead["p_best"] == result.best["p_best"].max()
    assert result.loss_bound == pytest.approx(max(0, -others["behind_low"].min()))


# The same again


def test_the_same_seed_gives_the_same_contest_and_leaves_what_was_given_alone():
    said = {name: np.array(one) for name, one in SAID.items()}
    copies = {name: one.copy() for name, one in said.items()}
    one, again, other = best(said), best(said), best(said, seed=1)
    assert one.best.equals(again.best)
    assert one.history.equals(again.history)
    assert one.answers.equals(again.answers)
    assert one.answers["id"].tolist() != other.answers["id"].tolist()
    assert list(said) == list(copies)
    assert all((said[name] == copies[name]).all() for name in said)


@pytest.mark.parametrize("method", ["certified", "random"])
def test_the_order_of_the_models_does_not_matter(method):
    turned = dict(reversed(SAID.items()))
    one, other = best(method=method, budget=25), best(turned, method=method, budget=25)
    assert one.leader == other.leader
    assert one.answers["id"].tolist() == other.answers["id"].tolist()
    mine, theirs = (found.best.set_index("model").loc[list(SAID)] for found in (one, other))
    assert mine["p_best"].to_numpy() == pytest.approx(theirs["p_best"].to_numpy(), abs=0.03)
    for name in ("estimate", "low", "high", "behind", "behind_low", "behind_high"):
        assert mine[name].to_numpy() == pytest.approx(theirs[name].to_numpy(), abs=1e-6)


# What is printed


def test_of_many_models_some_are_printed():
    pool, y = several_models(80, tuple(np.linspace(0.4, 0.9, MODELS_SHOWN + 3)))
    said = {one.name: one.predictions.tolist() for one in pool.outputs}
    result = best(said, oracle=y.tolist(), budget=10, method="random")
    assert "\n... and 3 more" in repr(result)
    assert len(result.best) == MODELS_SHOWN + 3


def test_everything_labelled_leaves_no_doubt():
    result = best(budget=200, initial=100, batch=100)
    assert result.verdict == "'m1' is the best by accuracy, for all that the labels tell (P(best) above 0.99)."
    assert result.expected_loss == result.loss_bound == 0
    assert result.contest.remaining == ["m1"]


def test_models_that_say_the_same_remain_together():
    result = best({"a": SAID["m1"], "b": SAID["m1"]}, budget=10)
    assert result.best["p_best"].tolist() == [0.5, 0.5]
    assert result.loss_bound == 0
    assert "2 of 2 models remain, 'a' (P(best) 0.50) and 'b' (0.50)" in result.verdict


# Refused before a label is spent


def never(item):
    raise AssertionError(f"asked about {item}")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"said": SAID["m0"]}, "predictions must be several models' for task 'best'; got one model's."),
        ({"said": {"m0": SAID["m0"]}}, "predictions must be several models' for task 'best'; got one model's."),
        ({"metric": "greatness"}, "got 'greatness'"),
        ({"metric": "alt_mas_3"}, "metric of task 'best' must be one metric; got 'alt_mas_3', which is 3"),
        ({"metric": ["accuracy"]}, r"metric of task 'best' must be one name or one metric; got \['accuracy'\]"),
        ({"metric": "expected_cost"}, "expected_cost must come with a cost matrix; got none. Give cost="),
        ({"metric": "recall:9"}, "got '9'"),
        ({"method": "lure"}, "method must be certified, random, coda or model-selector for task 'best'; got 'lure'"),
        ({"method": "thompson"}, "method must be certified, random, coda or model-selector for task 'best'"),
        ({"method": "coda", "metric": "mcc"}, "metric of task 'best' must be accuracy for method 'coda'; got 'mcc'"),
        ({"by": "region"}, "task 'best' must be about metric; got 'by'"),
        ({"task": "bestest"}, "task must be one of estimate, identify, compare, surface, best; got 'bestest'"),
        ({"task": altmas.Best(), "metric": "mcc"}, "task must hold everything it is about; got metric beside it"),
        ({"within": 0}, "within must be "),
        (
            {"method": altmas.make_method("certified", worth="xwed")},
            "worth must be neyman or uniform to find the best model; got 'xwed'",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_a_contest_is_refused_in_one_sentence(more, sentence):
    with pytest.raises(InputError, match=sentence):
        best(**{"oracle": never, **more})
