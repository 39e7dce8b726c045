"""Metrics of scores, estimated by design: exact in the end, right on average, and through every door."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
from scipy.stats import binomtest

import altmas
from altmas.core.pool import Pool
from altmas.metrics import InputError

NAMES = ["brier", "log_loss", "auroc", "auprc", "recall_at_fpr:0.2", "precision_at:0.5", "ece"]


def world(items=400, seed=0, classes=2):
    """Labels, and scores that know something of them."""
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, items, p=[0.7, 0.3] if classes == 2 else None)
    odds = 1.2 * np.eye(classes)[y] + rng.gumbel(size=(items, classes))
    scores = np.exp(odds) / np.exp(odds).sum(1, keepdims=True)
    return y, scores.argmax(1), scores


def assessed(y, said, scores, names, **more):
    options = {"classes": range(scores.shape[1]), "progress": False, "seed": 0, **more}
    return altmas.assess(said, scores, oracle=y, metrics=names, **options)


@pytest.mark.parametrize("method", ["certified", "random"])
def test_with_everything_labelled_every_metric_is_exact(method):
    y, said, scores = world(120)
    found = assessed(y, said, scores, NAMES[:-1], method=method, budget=120).estimates.set_index("metric")
    assert (found["low"] == found["high"]).all()
    assert found["estimate"]["auroc"] == pytest.approx(sk.roc_auc_score(y, scores[:, 1]), abs=1e-9)
    assert found["estimate"]["auprc"] == pytest.approx(sk.average_precision_score(y, scores[:, 1]), abs=1e-9)
    assert found["estimate"]["brier"] == pytest.approx(sk.brier_score_loss(y, scores[:, 1]), abs=1e-9)
    assert found["estimate"]["log_loss"] == pytest.approx(sk.log_loss(y, scores), abs=1e-9)


@pytest.mark.parametrize("classes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_intervals_hold_as_often_as_they_say(classes):
    """60 runs; where 95% hold, the smallest of five metrics' p-values is below 1e-4 once in 2,000 times."""
    names = ["brier", "log_loss", "auroc", "auprc", "top_k:2" if classes > 2 else "recall_at_fpr:0.2"]
    inside = []
    for seed in range(60):
        y, said, scores = world(300, seed, classes)
        truth = assessed(y, said, scores, names, method="random", budget=300).estimates["estimate"]
        found = assessed(y, said, scores, names, budget=80, seed=seed).estimates
        inside.append((found["low"] <= truth) & (truth <= found["high"]))
    for name, hits in zip(names, np.sum(inside, axis=0), strict=True):
        assert binomtest(int(hits), 60, 0.95).pvalue > 1e-4, (name, hits)


def test_a_vendor_that_leaves_scores_out_is_assessed_on_the_others():
    y, said, scores = world(200)
    scores[::4] = np.nan
    found = assessed(y, said, scores, ["auroc", "brier"], budget=200).estimates.set_index("metric")
    kept = ~np.isnan(scores[:, 0])
    assert found["estimate"]["auroc"] == pytest.approx(sk.roc_auc_score(y[kept], scores[kept, 1]), abs=1e-9)
    assert found["estimate"]["brier"] == pytest.approx(sk.brier_score_loss(y[kept], scores[kept, 1]), abs=1e-9)


def test_missing_answers_widen_to_what_they_could_be():
    y, said, scores = world(200)
    silent = set(range(0, 200, 10))
    oracle = lambda item: None if item in silent else int(y[item])  # noqa: E731
    found = altmas.assess(said, scores, oracle=oracle, metrics=["auroc", "brier"], budget=180, seed=0,
                          classes=[0, 1], progress=False).estimates.set_index("metric")  # fmt: skip
    for name, value in (("auroc", sk.roc_auc_score(y, scores[:, 1])), ("brier", sk.brier_score_loss(y, scores[:, 1]))):
        assert found["low"][name] <= value <= found["high"][name]
        assert found["worst_case"][name] != found["best_case"][name]


def test_a_class_that_was_never_seen_leaves_auroc_open():
    y, said, scores = world(300)
    found = assessed(np.zeros_like(y), said, scores, ["auroc"], budget=40).estimates.iloc[0]
    assert found["low"] < 0.01
    assert found["high"] > 0.99


def test_groups_and_models_and_logs_are_told_as_of_counts():
    y, said, scores = world(300)
    _, other, theirs = world(300, seed=5)
    region = np.array(["north", "south"])[np.arange(300) % 2]
    result = altmas.assess(
        {"ours": said, "theirs": other}, {"ours": scores, "theirs": theirs}, oracle=y, groups={"region": region},
        metrics=["auroc", "brier"], budget=100, classes=[0, 1], seed=0, progress=False,
    )  # fmt: skip
    apart = result.differences.set_index("metric")
    assert apart["low"]["auroc"] > 0 > apart["high"]["brier"]  # the second knows nothing of these labels
    assert result.best["model"].iloc[0] == "ours"
    groups = result.groups("region", "auroc")
    assert groups["group"].tolist() == ["north", "south"]
    part = region == "north"
    assert groups["low"][0] <= sk.roc_auc_score(y[part], scores[part, 1]) <= groups["high"][0]
    pool = Pool.build(said, scores=scores, classes=[0, 1])
    log = pd.DataFrame({"id": range(0, 300, 2), "label": y[::2], "inclusion": 0.5})
    told = altmas.estimate_from_log(pool, log, ["auroc"]).iloc[0]
    assert told["low"] <= sk.roc_auc_score(y, scores[:, 1]) <= told["high"]


def test_losses_have_intervals_for_all_looks_and_rankings_are_refused():
    y, said, scores = world(200)
    method = altmas.Certified(interval="anytime") if hasattr(altmas, "Certified") else None
    found = assessed(y, said, scores, ["brier", "recall_at:0.5"], budget=60)
    looks = found.findings.at_all_looks().estimates
    assert all(one.low <= one.estimate <= one.high and "all looks" in one.promise for one in looks)
    assert looks[0].low <= sk.brier_score_loss(y, scores[:, 1]) <= looks[0].high
    assert method is None or method.name == "certified"
    with pytest.raises(InputError, match="ratio of sums"):
        assessed(y, said, scores, ["auroc"], budget=60).findings.at_all_looks().estimates  # noqa: B018


@pytest.mark.parametrize("method", ["lure", "bald", "stratified"])
def test_methods_that_count_alone_refuse_before_a_label_is_spent(method):
    y, said, scores = world(100)
    with pytest.raises(InputError, match="certified or random, for auroc"):
        assessed(y, said, scores, ["auroc"], method=method, budget=20)


def test_scores_must_be_there():
    y, said, _ = world(50)
    with pytest.raises(InputError, match="no scores"):
        altmas.assess(said, oracle=y, metrics=["auroc"], budget=20, progress=False)


def test_calibration_error_is_the_same_by_name_and_by_itself():
    y, said, scores = world(300)
    result = assessed(y, said, scores, ["accuracy", "ece"], budget=60)
    row = result.estimates.set_index("metric").loc["ece"]
    assert (row["estimate"], row["low"], row["high"]) == result.ece
    alone = assessed(y, said, scores, ["accuracy"], budget=60)
    assert alone.estimates["estimate"][0] == result.estimates["estimate"][0]  # questions are not drawn for it


def test_the_worst_group_of_a_metric_that_counts_errors_is_the_highest():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 120)
    right = np.where(np.arange(120) < 60, 0.9, 0.6)  # of the second half the scores are worse
    p = np.where(truth == 1, right, 1 - right)
    group = ["sure"] * 60 + ["unsure"] * 60
    given = {"scores": np.stack([1 - p, p], axis=1), "groups": {"half": group}, "classes": [0, 1]}
    found = altmas.assess(truth, **given, oracle=truth, metrics=["brier"], budget=120, seed=0, progress=False).findings
    table = found.ranking("half", "brier")
    assert table["group"].tolist() == ["unsure", "sure"]
    assert table.attrs["verdict"].startswith("highest brier by half: unsure")


def test_scores_that_are_all_alike_leave_nothing_for_labels_to_change():
    y = np.arange(60) % 4 == 0
    found = assessed(y.astype(int), np.zeros(60, dtype=int), np.full((60, 2), 0.5), ["auroc", "brier", "log_loss"],
                     budget=30)  # fmt: skip
    assert set(found.estimates["promise"]) == {"certain: no label could change it"}
    assert found.estimates["low"].tolist() == pytest.approx(found.estimates["high"].tolist())


@pytest.mark.parametrize("clusters", [None, np.arange(300) // 6])
def test_a_class_that_no_answer_showed_leaves_ranks_open(clusters):
    _, said, scores = world(300)
    names = ["auroc", "auprc", "recall_at_fpr:0.1", "recall_at:0.3"]
    found = assessed(np.zeros(300, dtype=int), said, scores, names, budget=40, clusters=clusters).estimates
    assert not found["promise"].str.contains("certain").any()
    assert found[["low", "high"]].to_numpy().tolist() == [[0, 1]] * 4
