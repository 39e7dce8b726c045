"""The certified method through its front door: what it asks, what it says, and how often that is true."""

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.beliefs.worths import WORTHS
from altmas.certified.method import Certified
from altmas.certified.result import CertifiedResult
from altmas.certified.state import chances_of
from altmas.core.pool import Pool
from altmas.methods.random import RandomSampling
from altmas.metrics import metrics_named, tally
from altmas.testing import CountingOracle
from worlds.certified import NAMES, QUICK, at_work, truth_of, vendor

# The front door


def test_certified_is_the_default_and_its_result_can_be_asked_further():
    y, said, sure = vendor()
    result = altmas.assess(said, sure, oracle=y, **QUICK)
    assert isinstance(result, CertifiedResult)
    assert result.method == "certified"
    table = result.estimates
    assert table.columns.tolist() == ["metric", "estimate", "low", "high", "plug_in", "design", "labels", "promise"]
    assert table["promise"].str.startswith("approximate 95% coverage, whatever the surrogate believes").all()
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()
    assert result.answers["inclusion"].between(0, 1, inclusive="right").all()
    assert result.estimate("alt_mas_3")["metric"].tolist() == table["metric"].tolist()


def test_the_estimate_lies_between_design_and_plug_in():
    y, said, sure = vendor(scores="opposite")
    table = altmas.assess(said, sure, oracle=y, **QUICK).estimates
    ends = table[["plug_in", "design"]].clip(0, 1)
    assert (table["estimate"] >= ends.min(axis=1) - 1e-12).all()
    assert (table["estimate"] <= ends.max(axis=1) + 1e-12).all()


def test_the_same_seed_gives_the_same_numbers():
    y, said, sure = vendor()
    one, same, other = (altmas.assess(said, sure, oracle=y, seed=seed, **QUICK) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(one.history, same.history)
    pd.testing.assert_frame_equal(one.answers, same.answers)
    assert one.answers["id"].tolist() != other.answers["id"].tolist()


def test_it_does_not_matter_in_which_order_one_looks():
    y, said, sure = vendor()
    pool, sizes = Pool.build(said, scores=sure), (30, 10, 10)

    def look(run):
        for _ in range(2):
            run.estimate(0.9)
            run.choose(7)
            run.choose(3)

    busy = at_work(Certified(), pool, y, sizes=sizes, look=look)
    quiet = at_work(Certified(), pool, y, sizes=sizes)
    assert busy.state.answers.items.tolist() == quiet.state.answers.items.tolist()
    assert busy.choose(9).items.tolist() == quiet.choose(9).items.tolist()
    assert busy.estimate(0.95) == quiet.estimate(0.95)
    quiet.update(quiet.state.answers, quiet.state.rounds)  # no news
    assert busy.estimate(0.95) == quiet.estimate(0.95)


def test_where_nothing_tells_items_apart_the_first_are_those_of_random_sampling():
    y, said, _ = vendor()
    pool = Pool.build(said)
    first = at_work(RandomSampling(), pool, y, seed=4, sizes=(12,)).answers.items
    assert at_work(Certified(), pool, y, seed=4, sizes=(12,)).state.answers.items.tolist() == first.tolist()


@pytest.mark.parametrize("labels", [1, 2, 3])
def test_a_handful_of_labels_promises_little(labels):
    y, said, sure = vendor()
    result = altmas.assess(said, sure, oracle=y, budget=labels, initial=1, batch=1, progress=False)
    assert (result.estimates["high"] - result.estimates["low"] > 0.2).all()
    assert np.isfinite(result.estimates[["estimate", "low", "high"]].to_numpy()).all()


# What it can learn from


def test_opinions_sharpen():
    """An opinion that is nearly always right makes every interval narrower."""
    y, said, sure = vendor(800)
    other = np.where(np.random.default_rng(9).random(800) < 0.97, y, 0)
    alone, helped = (
        altmas.assess(said, sure, oracle=y, opinions=opinions, **QUICK | {"budget": 90}).estimates
        for opinions in (None, {"other": other})
    )
    width = (helped["high"] - helped["low"]) / (alone["high"] - alone["low"])
    assert (width < 0.9).all(), width
    for table in (alone, helped):
        assert table["low"][0] <= np.mean(y == said) <= table["high"][0]


def test_predictions_alone_are_enough():
    y, said, _ = vendor()
    result = altmas.assess(said, oracle=y, **QUICK)
    assert result.estimates["low"][0] <= np.mean(y == said) <= result.estimates["high"][0]


def test_confidences_need_not_be_probabilities():
    y, said, sure = vendor(800)
    points = np.round((sure - 0.5) * 74, 1)  # 0 to 37
    assert points.max() > 36
    result = altmas.assess(said, points, oracle=y, **QUICK)
    blind = altmas.assess(said, oracle=y, **QUICK)
    assert result.estimates["low"][0] <= np.mean(y == said) <= result.estimates["high"][0]
    width, wide = ((one.estimates["high"] - one.estimates["low"])[0] for one in (result, blind))
    assert width < wide
    with pytest.raises(altmas.InputError, match="calibration must be asked of scores that are probabilities"):
        _ = result.ece


def test_answers_that_are_no_class_are_wrong_and_nothing_breaks():
    y, said, sure = vendor()
    given = np.array(NAMES, dtype=object)[said]
    given[::8] = None  # it abstains
    given[1::8] = "sorry"
    labels = np.array(NAMES)[y]
    wanted = ["accuracy", "macro_recall", "precision:dog", "mcc"]
    options = {"oracle": labels, "classes": [*NAMES, "never seen"], "metrics": wanted}
    result = altmas.assess(given, sure, **options, **QUICK)
    right = np.mean(given == labels)
    assert result.estimates["low"][0] <= right <= result.estimates["high"][0]
    exact = altmas.assess(given, sure, **options, **QUICK | {"budget": 400, "batch": 185})
    columns = np.array([NAMES.index(one) if one in NAMES else 5 for one in given])
    truth = [float(one.value(tally(y, columns, 5, 6))) for one in metrics_named(wanted, [*NAMES, "never seen"])]
    assert exact.estimates["estimate"].tolist() == pytest.approx(truth, abs=1e-12)
    assert exact.estimate(wanted)["estimate"].tolist() == pytest.approx(truth, abs=1e-12)
    assert exact.estimates["promise"].unique().tolist() == ["exact: every item is labelled"]


# Options


@pytest.mark.parametrize("worth", WORTHS)
@pytest.mark.parametrize("scores", [True, False])
def test_every_worth_gives_chances_to_all(worth, scores):
    y, said, sure = vendor(200)
    said = np.where(np.arange(200) % 11 == 0, 9, said)  # some answers are no class
    result = altmas.assess(
        said, sure if scores else None, oracle=y, classes=range(4), metrics=["accuracy", "recall:1"],
        method=altmas.make_method("certified", worth=worth), budget=60, initial=30, batch=15, progress=False,
    )  # fmt: skip
    for column in ("propensity", "inclusion"):
        assert result.answers[column].between(0, 1, inclusive="right").all()
        assert (result.answers[column] > 0).all()
    assert (chances_of(result.findings.state) > 0).all()
    assert result.findings.inclusion.sum() == pytest.approx(60, rel=0.1)
    assert result.estimates["estimate"].between(0, 1).all()


def test_uniform_worth_is_random_sampling():
    y, said, sure = vendor(200)
    method = altmas.make_method("certified", worth="uniform")
    result = altmas.assess(said, sure, oracle=y, method=method, **QUICK)
    assert result.answers["inclusion"].to_numpy() == pytest.approx(np.full(60, 0.3))


def test_neyman_looks_where_errors_are():
    y, said, sure = vendor(1000, accuracy=0.9)
    sharp = altmas.make_method("certified", floor=0.1)
    call = {"metrics": "accuracy", "budget": 150, "initial": 50, "progress": False}
    runs = [altmas.assess(said, sure, oracle=y, method=sharp, seed=seed, **call) for seed in range(10)]
    later = np.concatenate([run.answers["position"].to_numpy()[50:] for run in runs])
    assert np.mean(y[later] != said[later]) > 1.3 * np.mean(y != said)


def test_a_low_temperature_sharpens_and_a_floor_of_one_flattens():
    y, said, sure = vendor(300)
    spread = []
    for options in (
        {"temperature": 0.5, "floor": 0.1},
        {"floor": 0.1},
        {"temperature": 4.0, "floor": 0.1},
        {"floor": 1},
    ):
        run = at_work(Certified(**options), Pool.build(said, scores=sure), y, sizes=(50,))
        spread.append(run.state.refit.ideal.std())
    assert spread[0] > spread[1] > spread[2] > spread[3] == pytest.approx(0, abs=1e-12)


def test_within_stops_as_soon_as_every_interval_is_narrow_and_not_before():
    y, said, sure = vendor(1000)
    oracle = CountingOracle(y)
    options = {"metrics": ["accuracy", "macro_recall"], "initial": 30, "batch": 10, "progress": False}
    result = altmas.assess(said, sure, oracle=oracle, classes=range(4), budget=400, within=0.08, **options)
    half = (result.history["high"] - result.history["low"]) / 2
    widest = half.groupby(result.history["labels"]).max()
    assert len(oracle.asked) == widest.index[-1] < 400
    assert widest.iloc[-1] <= 0.08 < widest.iloc[:-1].min()
    never = altmas.assess(said, sure, oracle=y, budget=60, within=1e-6, **options)
    assert len(never.answers) == 60


# Anytime


def test_anytime_intervals_are_refused_before_a_label_is_spent():
    y, said, _ = vendor()
    oracle, method = CountingOracle(y), altmas.make_method("certified", interval="anytime")
    with pytest.raises(altmas.InputError, match="metric 'mcc' must be a ratio of sums over items"):
        altmas.assess(said, oracle=oracle, classes=range(4), method=method, metrics=["accuracy", "mcc"], **QUICK)
    assert not oracle.asked


def test_anytime_intervals_hold_and_say_so():
    y, said, sure = vendor()
    method = altmas.make_method("certified", interval="anytime")
    result = altmas.assess(said, sure, oracle=y, method=method, metrics=["accuracy", "recall:1"], **QUICK)
    truth = truth_of(["accuracy", "recall:1"], y, said)
    for _, table in result.history.groupby("round"):
        assert ((table["low"] <= truth) & (truth <= table["high"])).all()
        assert table["estimate"].between(table["low"], table["high"]).all()
    chances = chances_of(result.findings.state)
    chances = chances / chances.sum()
    assert chances.min() >= 0.4 / 400 - 1e-12  # a bet must survive the worst draw
    wald = altmas.assess(said, sure, oracle=y, metrics=["accuracy", "recall:1"], **QUICK)
    assert set(result.estimates["promise"]).isdisjoint(wald.estimates["promise"])
