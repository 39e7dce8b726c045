"""Clusters: the variance between them, what it must agree with, and intervals about clusters like these."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import altmas
from altmas.certified.log import estimate_from_log
from altmas.core.pool import Pool
from altmas.experiments.clusters.clusters import WORLDS, one_run, patients_of
from altmas.metrics.errors import InputError


def _assessed(clusters, budget=150, items=None, **more):
    pool = patients_of(WORLDS["equal"], np.random.default_rng(5))
    some = slice(items)
    clusters = pool.patient[some] if clusters else None
    return altmas.assess(
        pool.first[some], pool.confidence[some], oracle=pool.labels[some], classes=range(3), budget=budget, seed=1,
        metrics=["accuracy", "macro_recall"], progress=False, clusters=clusters, **more,
    )  # fmt: skip


def test_intervals_are_about_clusters_and_those_of_the_pool_can_be_had():
    found = _assessed(clusters=True)
    wide, own = found.estimates, found.of_this_pool()
    assert ((wide["high"] - wide["low"]) > 1.05 * (own["high"] - own["low"])).all()
    assert wide["promise"].str.contains("for clusters like these 150,").all()
    assert not own["promise"].str.contains("clusters").any()
    assert "on clusters like these 150, from 150 labels" in found.verdict


def test_the_pool_all_labelled_is_a_point_and_clusters_like_it_are_not():
    found = _assessed(clusters=True, budget=300, items=300)
    told, own = found.estimates, found.of_this_pool()
    assert (own["low"] == own["high"]).all()
    assert (told["low"] < told["estimate"]).all()
    assert (told["estimate"] < told["high"]).all()
    assert np.allclose(told["estimate"], own["estimate"])
    assert told["promise"].str.endswith("; every item is labelled").all()


def test_all_labelled_the_variance_is_that_of_cluster_sums():
    pool = patients_of(WORLDS["equal"], np.random.default_rng(6))
    said, truth, patient = pool.first[:400], pool.labels[:400], pool.patient[:400]
    found = altmas.assess(
        said,
        oracle=truth,
        classes=range(3),
        metrics="accuracy",
        budget=400,
        batch=100,
        clusters=patient,
        progress=False,
    ).findings
    right = (said == truth) - (said == truth).mean()
    sums = np.bincount(patient, right) / 400
    k = len(sums)
    _, made, _ = found.estimator.of([(1.0, found.state.setup.targets[0])])
    assert made.observed == made.expected == 0
    assert made.between.variance == pytest.approx(k / (k - 1) * np.square(sums).sum())


def test_of_clusters_of_one_item_the_whole_pool_says_what_plain_sampling_does():
    truth = np.arange(500) % 10 == 0
    found = altmas.assess(
        np.zeros(500, dtype=int), oracle=truth.astype(int), metrics="accuracy", budget=500, batch=250,
        clusters=np.arange(500), progress=False,
    ).findings  # fmt: skip
    _, made, interval = found.estimator.of([(1.0, found.state.setup.targets[0])])
    assert made.between.variance == pytest.approx(0.9 * 0.1 / 499)
    assert interval.error == pytest.approx(np.sqrt(0.9 * 0.1 / 499))


def test_perfect_clusters_all_labelled_leave_room_for_others():
    clusters = np.repeat(np.arange(30), 10)
    found = altmas.assess(
        ["a", "b"] * 150, oracle=["a", "b"] * 150, metrics="accuracy", budget=300, clusters=clusters, progress=False
    ).estimates.iloc[0]
    assert found["estimate"] == found["high"] == 1.0
    assert 0.85 < found["low"] < 0.97  # about 1 - 3 / K, and not 1 - 3 / N


def test_one_giant_cluster_makes_the_interval_wide():
    rng = np.random.default_rng(0)
    clusters = np.where(np.arange(2000) < 1800, 0, np.arange(2000))
    said = np.zeros(2000, dtype=int)
    truth = (rng.random(2000) < np.where(clusters == 0, 0.3, 0.1)).astype(int)
    found = altmas.assess(said, oracle=truth, classes=[0, 1], metrics="accuracy", budget=300, clusters=clusters,
                          progress=False)  # fmt: skip
    [whole], [own] = ((one["high"] - one["low"]).tolist() for one in (found.estimates, found.of_this_pool()))
    assert whole > 2 * own


def test_nothing_learnt_of_an_item_comes_from_its_own_cluster():
    found = _assessed(clusters=True)
    fold, patient = found.findings.state.setup.cross_fit.fold, found.findings.job.pool.clusters.index
    assert all(len(set(fold[patient == k].tolist())) == 1 for k in range(150))
    assert np.bincount(fold).min() > 0.9 * np.bincount(fold).max()


def test_no_number_of_labels_gets_below_what_clusters_add():
    found = _assessed(clusters=True, budget=600)
    table = found.forecast(within=0.01)
    assert table["labels_needed"].isna().all()
    assert (table["least_half_width"] > 0.01).all()
    assert (table["least_half_width"] < table["half_width"]).all()
    later = found.forecast(within=float(table["half_width"].max()) - 0.002)
    assert (later["labels_needed"] >= 600).all()
    assert (later["labels_needed"] < 3000).all()
    assert "least_half_width" not in _assessed(clusters=False).forecast(within=0.01)


def test_a_log_alone_tells_of_clusters_too():
    pool = patients_of(WORLDS["equal"], np.random.default_rng(8))
    ids = np.flatnonzero(np.random.default_rng(1).random(3000) < 0.2)
    log = pd.DataFrame({"id": ids, "label": pool.labels[ids], "inclusion": 0.2})
    widths = []
    for clusters in (None, pool.patient):
        built = Pool.build(pool.first, classes=range(3), clusters=clusters)
        one = estimate_from_log(built, log, "accuracy").iloc[0]
        widths.append(one["high"] - one["low"])
    assert widths[1] > 1.2 * widths[0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"method": "random"}, "method must be certified"),
        ({"method": altmas.make_method("certified", interval="anytime")}, "left out with anytime"),
        ({"task": "surface", "by": ["g"], "groups": {"g": ["x", "y"] * 1500}}, "left out with the task surface"),
    ],
)
def test_what_knows_nothing_of_clusters_is_refused(more, said):
    with pytest.raises(InputError, match=said):
        _assessed(clusters=True, **more)


def test_bets_are_about_the_pool_alone():
    found = _assessed(clusters=True).findings
    with pytest.raises(InputError, match="without clusters"):
        found.at_all_looks()
    assert found.of_this_pool().at_all_looks().estimates[0].promise.startswith("at least 95%")


@pytest.mark.slow
@pytest.mark.parametrize("world", ["equal", "uneven", "heavy", "one-class", "accurate"])
def test_intervals_hold_for_other_patients_where_plain_ones_do_not(world):
    """Each of 30 tests fails by chance with less than 1e-4, where intervals hold in 95%."""
    runs = pd.concat([one_run(WORLDS[world], 600, seed) for seed in range(9000, 9150)])
    runs["held"] = (runs["low"] <= runs["truth"]) & (runs["truth"] <= runs["high"])
    for (_, kind), held in runs.groupby(["metric", "interval"])["held"]:
        if kind == "plain":
            assert held.mean() < 0.85
        else:
            assert binomtest(int(held.sum()), len(held), 0.95).pvalue > 1e-4


def test_what_no_label_could_change_is_a_point_of_other_clusters_too():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 120), 0.1 + 0.8 * rng.random(120)
    found = altmas.assess(
        (p > 0.5).astype(int), np.stack([1 - p, p], axis=1), oracle=y, classes=[0, 1], clusters=np.arange(120) // 6,
        metrics=["recall_at:0.05:1", "top_k:2"], budget=50, seed=0, progress=False,
    ).estimates  # fmt: skip
    assert set(found["promise"]) == {"certain: no label could change it"}
    assert (found["low"] == 1).all()
    assert (found["high"] == 1).all()
