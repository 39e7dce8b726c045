"""The certified method through its front door: what it asks, what it says, and how often that is true."""

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.certified.estimator import Estimator
from altmas.certified.findings import CertifiedResult, estimate_from_log
from altmas.certified.method import Certified
from altmas.certified.worth import WORTHS
from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.random import RandomSampling
from altmas.metrics import metric, metrics_named, tally
from altmas.testing import CountingOracle

NAMES = ["ant", "bee", "cat", "dog"]
QUICK = {"budget": 60, "initial": 30, "batch": 15, "progress": False}


def vendor(items=400, accuracy=0.8, scores="informative", seed=0):
    """Labels, predictions and a confidence that knows where they are right, or nothing, or the opposite of it."""
    rng = np.random.default_rng(seed)
    y = rng.choice(4, items, p=[0.4, 0.3, 0.2, 0.1])
    right = rng.random(items) < accuracy
    said = np.where(right, y, (y + rng.integers(1, 4, items)) % 4)
    u = rng.random(items)
    high = {"informative": right, "useless": np.zeros(items, bool), "opposite": ~right}[scores]
    return y, said, 0.5 + 0.5 * np.where(high, u**0.3, u)


def at_work(method, pool, y, *, sizes, metrics=("accuracy",), seed=0, look=lambda run: None):
    """A run after rounds of these sizes, as the loop would have it."""
    run = method.begin(Job(pool, tuple(metrics_named(list(metrics), pool.classes)), seed))
    answers = Answers()
    run.update(answers, 0)
    for number, size in enumerate(sizes):
        choice = run.choose(size)
        answers = answers.extended(choice.items, y[choice.items], number, choice.propensities)
        run.update(answers, number + 1)
        look(run)
    return run


def truth_of(names, y, said, classes=4):
    confusion = tally(y, said, classes)
    return [float(one.value(confusion)) for one in metrics_named(list(names), range(classes))]


def whole(y, said, **more):
    """Everything labelled."""
    options = {"classes": range(4), "budget": len(y), "initial": len(y) - 20, "batch": 20, "progress": False}
    return altmas.assess(said, oracle=y, **options | more)


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
    assert busy.answers.items.tolist() == quiet.answers.items.tolist()
    assert busy.choose(9).items.tolist() == quiet.choose(9).items.tolist()
    assert busy.estimate(0.95) == quiet.estimate(0.95)
    quiet.update(quiet.answers, quiet.round)  # no news
    assert busy.estimate(0.95) == quiet.estimate(0.95)


def test_the_first_items_are_those_of_random_sampling():
    y, said, _ = vendor()
    pool = Pool.build(said)
    first = at_work(RandomSampling(), pool, y, seed=4, sizes=(12,)).answers.items
    assert at_work(Certified(), pool, y, seed=4, sizes=(12,)).answers.items.tolist() == first.tolist()


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
    assert (result.run.chances > 0).all()
    assert result.run.inclusion().sum() == pytest.approx(60, rel=0.1)
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
    later = altmas.assess(said, sure, oracle=y, method=sharp, **call).answers["position"].to_numpy()[50:]
    assert np.mean(y[later] != said[later]) > 2 * np.mean(y != said)


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
        spread.append(run.ideal.std())
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
    chances = result.run.chances / result.run.chances.sum()
    assert chances.min() >= 0.4 / 400 - 1e-12  # a bet must survive the worst draw
    wald = altmas.assess(said, sure, oracle=y, metrics=["accuracy", "recall:1"], **QUICK)
    assert set(result.estimates["promise"]).isdisjoint(wald.estimates["promise"])


# Several models


@pytest.fixture(scope="module")
def three():
    y, a, sure = vendor(500, accuracy=0.7)
    rng = np.random.default_rng(5)
    b = np.where(rng.random(500) < 0.9, y, rng.integers(0, 4, 500))
    c = np.where(rng.random(500) < 0.75, y, rng.integers(0, 4, 500))
    return y, {"a": a, "b": b, "c": c}, {"a": sure}


def test_several_models_have_their_rows_differences_and_best(three):
    y, said, sure = three
    oracle = CountingOracle(y)
    result = altmas.assess(said, sure, oracle=oracle, metrics=["accuracy", "macro_recall"], **QUICK | {"budget": 90})
    assert len(oracle.asked) == 90
    table = result.estimates.set_index(["metric", "model"])["estimate"]
    assert set(table.index) == {(m, k) for m in ("accuracy", "macro_recall") for k in "abc"}
    gaps = result.differences
    assert gaps[["metric", "first", "second"]].values.tolist() == [
        [m, *pair] for m in ("accuracy", "macro_recall") for pair in ("ab", "ac", "bc")
    ]
    design = result.estimate(["accuracy", "macro_recall"]).set_index(["metric", "model"])["design"]
    for row in gaps.itertuples():
        assert row.design == pytest.approx(design[row.metric, row.first] - design[row.metric, row.second], abs=1e-12)
        assert row.low <= row.estimate <= row.high
        apart = table[row.metric, row.first] - table[row.metric, row.second]
        assert row.estimate == pytest.approx(apart, abs=(row.high - row.low) / 2)
        assert (row.p_first_higher > 0.5) == (row.estimate > 0)
    best = result.best
    assert best.groupby("metric")["p_best"].sum().tolist() == pytest.approx([1, 1])
    assert best.loc[best.groupby("metric")["p_best"].idxmax(), "model"].tolist() == ["b", "b"]


def test_a_difference_is_antisymmetric(three):
    y, said, sure = three
    result = altmas.assess(said, sure, oracle=y, metrics="accuracy", **QUICK)
    a, b, _ = result.run.targets
    there, back = (result.estimator.of(pair)[2] for pair in ([(1.0, a), (-1.0, b)], [(1.0, b), (-1.0, a)]))
    assert (there.estimate, there.low, there.high) == pytest.approx((-back.estimate, -back.high, -back.low), abs=1e-9)
    assert there.error == pytest.approx(back.error)


def test_with_everything_labelled_the_winner_is_certain(three):
    y, said, sure = three
    result = whole(y, said, scores=sure, metrics=["accuracy", "mcc"])
    truth = {k: truth_of(["accuracy", "mcc"], y, said[k]) for k in "abc"}
    for row in result.estimates.itertuples():
        assert row.estimate == pytest.approx(truth[row.model][row.metric == "mcc"], abs=1e-12)
    for row in result.differences.itertuples():
        k = row.metric == "mcc"
        assert row.low == row.high == pytest.approx(truth[row.first][k] - truth[row.second][k], abs=1e-12)
        assert row.p_first_higher == float(row.estimate > 0)
    assert result.best.set_index(["metric", "model"])["p_best"].to_dict() == {
        (m, k): float(k == "b") for m in ("accuracy", "mcc") for k in "abc"
    }


# Asked later


def test_a_metric_asked_later_is_as_valid():
    """Intervals of metrics nobody asked for before cover the truth in at least 90 of 100 runs.

    They aim at 95; where they reach just that, this fails by chance once in 90, and the seeds are fixed.
    """
    inside = []
    for s in range(100):
        y, said, sure = vendor(300, seed=s)
        run = at_work(Certified(), Pool.build(said, scores=sure), y, sizes=(60,), seed=s)
        later = Estimator(run.job.pool, run.sample(), 0.95).metrics(["macro_f1", "recall:1"])
        truth = truth_of(["macro_f1", "recall:1"], y, said)
        inside.append((later["low"] <= truth) & (truth <= later["high"]))
    assert (np.mean(inside, axis=0) >= 0.9).all(), np.mean(inside, axis=0)


def test_a_metric_asked_later_is_not_the_same_as_asked_from_the_start_but_near():
    y, said, sure = vendor()
    early = altmas.assess(said, sure, oracle=y, metrics=["recall:1"], **QUICK).estimates
    late = altmas.assess(said, sure, oracle=y, metrics=["accuracy"], **QUICK).estimate(["recall:1"])
    assert early["estimate"][0] != late["estimate"][0]
    assert early["estimate"][0] == pytest.approx(late["estimate"][0], abs=late["high"][0] - late["low"][0])


def test_a_log_tells_what_the_audit_told():
    y, said, sure = vendor()
    ids = [f"item {i}" for i in range(400)]
    result = altmas.assess(said, sure, oracle=dict(zip(ids, y, strict=True)), ids=ids, **QUICK | {"budget": 90})
    log = result.answers[["id", "label", "inclusion"]].sample(frac=1, random_state=0)
    wanted = ["accuracy", "macro_f1", "recall:2"]
    again, own = estimate_from_log(result.pool, log, wanted), result.estimate(wanted)
    width = (own["high"] - own["low"]).to_numpy()
    assert (np.abs(again["estimate"] - own["estimate"]) < 0.15 * width).all()
    assert ((again["high"] - again["low"]) / width).between(0.6, 1.6).all()


# Parts, calibration, confusion, plans


@pytest.fixture(scope="module")
def labelled():
    y, said, sure = vendor(300)
    where = np.array(["north", "south", "west"])[np.arange(300) % 3]
    return y, said, sure, where, whole(y, said, scores=sure, groups=where)


def test_groups_are_exact_with_everything_labelled(labelled):
    y, said, _, where, result = labelled
    table = result.groups("group").set_index("group")
    for name, row in table.iterrows():
        here = where == name
        assert row["estimate"] == pytest.approx(np.mean(y[here] == said[here]), abs=1e-12)
        assert row["low"] == row["high"] == row["estimate"]
        assert row["size"] == row["labels"] == 100
    assert table["p_worst"].idxmax() == table["estimate"].idxmin()
    assert table["p_worst"].max() == 1
    by_class = result.groups("class", "accuracy").set_index("group")["estimate"]
    assert by_class[2] == pytest.approx(np.mean(y[said == 2] == 2), abs=1e-12)


def test_two_groups_are_compared(labelled):
    y, said, _, where, result = labelled
    found = result.compare("group", "north", "west", "macro_recall")
    north, west = (truth_of(["macro_recall"], y[where == g], said[where == g])[0] for g in ("north", "west"))
    assert found["low"] == found["high"] == pytest.approx(north - west, abs=1e-12)
    with pytest.raises(altmas.InputError, match="group must be one of .*; got 'east'"):
        result.compare("group", "north", "east")


def test_the_confusion_is_exact_with_everything_labelled(labelled):
    y, said, _, _, result = labelled
    table = result.confusion.pivot(index="true", columns="predicted", values="estimate")
    assert table.to_numpy() == pytest.approx(tally(y, said, 4), abs=1e-9)


def test_calibration_is_exact_with_everything_labelled(labelled):
    y, said, sure, _, result = labelled
    right, bins = y == said, np.minimum((sure * 10).astype(int), 9)
    gaps = [abs((right[bins == b] - sure[bins == b]).sum()) for b in range(10)]
    assert result.ece == pytest.approx((np.sum(gaps) / 300,) * 3, abs=1e-12)
    table = result.calibration
    assert table["size"].tolist() == np.bincount(bins, minlength=10)[5:].tolist()
    assert table["estimate"].tolist() == pytest.approx([right[bins == b].mean() for b in range(5, 10)], abs=1e-12)
    assert table["score"].tolist() == pytest.approx([sure[bins == b].mean() for b in range(5, 10)])
    assert table["bias"].tolist() == pytest.approx((table["score"] - table["estimate"]).tolist())


def test_parts_of_a_pool_that_is_not_all_labelled_are_sane():
    y, said, sure = vendor(500)
    where = np.array(["north", "south"])[np.arange(500) % 2]
    result = altmas.assess(said, sure, oracle=y, groups=where, classes=range(4), **QUICK | {"budget": 100})
    groups = result.groups("group").set_index("group")
    assert groups["labels"].sum() == 100
    assert groups["p_worst"].sum() == pytest.approx(1)
    assert ((groups["low"] <= groups["estimate"]) & (groups["estimate"] <= groups["high"])).all()
    both = (groups["design"] * groups["size"]).sum() / 500
    assert both == pytest.approx(result.estimate("accuracy")["design"][0], abs=1e-9)
    one, back = result.compare("group", "north", "south"), result.compare("group", "south", "north")
    assert one["estimate"] == pytest.approx(-back["estimate"])
    assert one["design"] == pytest.approx(groups["design"]["north"] - groups["design"]["south"])
    cells = result.confusion
    assert ((cells["low"] <= cells["estimate"]) & (cells["estimate"] <= cells["high"])).all()
    assert cells["estimate"].sum() == pytest.approx(500, rel=0.05)
    inside = (cells["low"] <= tally(y, said, 4).ravel()) & (tally(y, said, 4).ravel() <= cells["high"])
    assert inside.sum() >= 14  # of 16; each aims at 95%
    estimate, low, high = result.ece
    assert 0 <= low <= estimate <= high <= 1


def test_a_forecast_counts_labels():
    y, said, sure = vendor(2000)
    result = altmas.assess(said, sure, oracle=y, metrics="accuracy", classes=range(4), **QUICK | {"budget": 100})
    now = result.forecast().iloc[0]
    assert now["labels"] == 100
    assert now["random_needed"] >= 60
    half = now["half_width"]
    there = result.forecast(half / 2).iloc[0]
    assert 300 < there["labels_needed"] <= 400  # a quarter of the variance, and a little less for a finite pool
    assert there["random_needed_for_goal"] > now["random_needed"]
    assert result.forecast(min(half * 1.01, 0.99)).iloc[0]["labels_needed"] == 100
    assert result.forecast(1e-9).iloc[0]["labels_needed"] == 2000


# Known faults


def test_everything_labelled_is_exact_for_metrics_that_leave_absent_classes_out():
    y, said, sure = vendor(200)
    result = whole(y, said, scores=sure, classes=range(5), metrics="balanced_accuracy")
    assert result.estimate("balanced_accuracy")["estimate"][0] == pytest.approx(result.estimates["estimate"][0])


def test_a_group_whose_items_are_all_labelled_is_exact():
    y, said, sure = vendor(200)
    result = altmas.assess(said, sure, oracle=y, **QUICK)
    group = np.where(np.isin(np.arange(200), result.answers["position"][:8]), "answered", "other")
    again = altmas.assess(said, sure, oracle=y, groups=group, **QUICK)  # the same questions
    row = again.groups("group").set_index("group").loc["answered"]
    assert row["labels"] == row["size"] == 8
    assert row["low"] == row["high"]


def test_the_best_model_has_the_lowest_error(three):
    y, said, sure = three
    best = whole(y, said, scores=sure, metrics="error_rate").best
    assert best.loc[best["p_best"].idxmax(), "model"] == "b"


# Coverage


def covered(accuracy, scores, runs, seed, sizes=(20, 30, 50), **options):
    """Share of runs whose 95% interval held the pool's accuracy, after each round."""
    inside = []
    for s in range(runs):
        y, said, sure = vendor(2000, accuracy, scores, seed=10_000 * seed + s)
        truth, found = np.mean(y == said), []

        def look(run, truth=truth, found=found):
            (one,) = run.estimate(0.95)
            found.append(one.low <= truth <= one.high)

        at_work(Certified(**options), Pool.build(said, scores=sure), y, sizes=sizes, seed=s, look=look)
        inside.append(found)
    return np.mean(inside, axis=0)


@pytest.mark.parametrize(("accuracy", "scores"), [(0.97, "informative"), (0.99, "useless")])
def test_intervals_cover_near_the_end_of_the_scale(accuracy, scores, seed):
    """After 20, 50 and 100 labels, at least 92% less three Monte-Carlo errors of 60 runs.

    At a true coverage of 95% each fails by chance once in 3,000.
    """
    share = covered(accuracy, scores, 60, seed)
    assert (share >= 0.92 - 3 * np.sqrt(0.92 * 0.08 / 60)).all(), share


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.97, 0.99])
@pytest.mark.parametrize("scores", ["informative", "useless", "opposite"])
def test_intervals_cover_near_the_end_of_the_scale_in_many_runs(accuracy, scores, seed):
    """As above with 200 runs, and with batches of 10: each fails by chance once in 2,000 at a true 95%."""
    share = covered(accuracy, scores, 200, seed, sizes=(20, *[10] * 8))[[0, 3, 8]]
    assert (share >= 0.92 - 2 * np.sqrt(0.92 * 0.08 / 200)).all(), share


# When the surrogate is bad


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.75, 0.9])
@pytest.mark.parametrize("liars", [False, True])
def test_a_bad_surrogate_costs_little(accuracy, liars, seed):
    """Scores high where the model is wrong, and opinions that agree with it there: at most 1.15 of random's error.

    200 paired runs of 1,000 items and 100 labels; a ratio of two such errors has a Monte-Carlo error of 0.05.
    """
    errors = []
    for s in range(200):
        y, said, sure = vendor(1000, accuracy, "opposite", seed=10_000 * seed + s)
        liar = np.where(said == y, (y + 1) % 4, said)
        opinions = {"liar": (liar, sure), "other liar": liar} if liars else None
        pool = Pool.build(said, scores=sure, opinions=opinions)
        found = [
            at_work(method, pool, y, sizes=(30, *[10] * 7), seed=s).estimate(0.95)[0].estimate
            for method in (Certified(), RandomSampling())
        ]
        errors.append(np.array(found) - np.mean(y == said))
    ours, random = np.sqrt(np.square(errors).mean(0))
    assert ours <= 1.15 * random, (ours, random)


def test_metrics_of_another_kind_are_estimated_too():
    y, said, sure = vendor(300)
    cost = np.array([[0, 1, 4, 2], [2, 0, 1, 3], [9, 3, 0, 1], [1, 1, 1, 0]])
    worst = altmas.metrics.from_confusion("worst", lambda c: float((c.diagonal() / c.sum(1).clip(1)).min()), (0, 1))
    result = altmas.assess(said, sure, oracle=y, metrics=["expected_cost", worst, "mcc"], cost=cost, **QUICK)
    table = result.estimates.set_index("metric")
    right = metric("expected_cost", range(4), cost=cost).value(tally(y, said, 4))
    assert table.loc["expected_cost", "low"] <= right <= table.loc["expected_cost", "high"]
    assert table["estimate"].between(table["low"], table["high"]).all()


def test_a_function_of_labels_is_estimated_as_the_same_metric_of_the_catalogue():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, 300)
    said = np.where(rng.random(300) < 0.97, y, (y + 1) % 10)
    mine = altmas.metrics.from_labels("mine", lambda true, a: float(np.mean(true == a)), bounds=(0, 1))
    result = altmas.assess(said, oracle=y, metrics=["accuracy", mine], **QUICK)
    assert result.estimates["design"][1] == pytest.approx(result.estimates["design"][0], abs=0.01)


def test_anytime_intervals_of_groups_hold_the_truth_and_narrow():
    y, said, sure = vendor(400)
    region = np.where(np.arange(400) % 3 == 0, "n", "s")
    result = altmas.assess(said, sure, oracle=y, groups={"region": region}, **(QUICK | {"budget": 200}))
    table = result.groups("region", anytime=True)
    for row in table.itertuples():
        right = (y == said)[region == row.group].mean()
        assert row.low <= right <= row.high  # fails by chance in 10% of pools; this one is fixed
        assert row.high - row.low < 0.5
    gap = result.compare("region", "n", "s", anytime=True)
    assert gap["low"] <= (y == said)[region == "n"].mean() - (y == said)[region == "s"].mean() <= gap["high"]
    with pytest.raises(altmas.InputError, match="metric must be accuracy"):
        result.groups("region", "macro_recall", anytime=True)


def test_calibration_error_is_not_below_the_gap_of_the_whole_pool():
    rng = np.random.default_rng(0)
    said = rng.integers(3, size=2000)
    truth = np.where(rng.random(2000) < 0.6, said, (said + 1) % 3)
    result = altmas.assess(said, np.full(2000, 0.9), oracle=truth, metrics=["accuracy"], budget=150, progress=False)
    gap = 0.9 - result.estimate(["accuracy"])["estimate"].iloc[0]
    estimate, low, high = result.ece
    assert low <= estimate <= high
    assert estimate >= gap - 1e-9 > 0.2


def test_what_no_label_could_change_is_called_certain_and_not_exact():
    said = ["cat", "dog"] * 100
    result = altmas.assess(
        said,
        oracle=["cat", "cow"] * 100,
        classes=["cat", "cow", "dog"],
        metrics=["accuracy"],
        budget=60,
        progress=False,
    )
    row = result.estimate(["recall:cow"]).iloc[0]
    assert (row["estimate"], row["low"], row["high"], row["promise"]) == (0, 0, 0, "certain: no label could change it")
