"""Numbers about a whole, from a sample of a sample: weights, the variance of the first phase, and its doors."""

import numpy as np
import pytest
from scipy.stats import binomtest

from altmas import assess
from altmas.certified.design import designed, linearise
from altmas.certified.sample import Sample
from altmas.core.answers import Answers
from altmas.core.first_phase import FirstPhase
from altmas.core.pool import Pool
from altmas.core.targets import target_of, targets_of
from altmas.metrics import metric, metrics_named
from altmas.metrics.belief import Belief
from altmas.metrics.errors import InputError
from worlds.wholes import whole

WHOLE = whole()


def poisson(pool, truth, rng, chance):
    """Items drawn one by one with these chances, and a belief that knows nothing of them."""
    asked = np.flatnonzero(rng.random(pool.size) < chance)
    belief = np.full((pool.size, 3), 0.15)
    belief[np.arange(pool.size), pool.predictions] = 0.7
    return Sample(Belief.dense(belief), Answers().extended(asked, truth[asked], 0, np.ones(len(asked))), chance)


def test_estimates_and_variances_are_those_of_both_phases():
    """Over 400 draws of both phases, means within 4 standard errors, variances within a quarter, 3.5 of theirs."""
    rng, found = np.random.default_rng(1), []
    names = ("accuracy", "precision:2", "recall:1")
    truth = {
        "accuracy": WHOLE.right.mean(), "precision:2": WHOLE.right[WHOLE.said == 2].mean(),
        "recall:1": WHOLE.right[WHOLE.truth == 1].mean(),
    }  # fmt: skip
    for seed in range(400):
        pool, labels = WHOLE.sampled(400, seed)
        sample = poisson(pool, labels, rng, np.full(pool.size, 0.6))
        each = [
            designed(linearise([(1.0, one)], sample), sample)
            for one in targets_of(tuple(metrics_named(names, range(3))), pool)
        ]
        found.append([(one.design, one.observed, 0.0 if one.between is None else one.between.variance) for one in each])
    design, observed, between = np.moveaxis(np.array(found), 2, 0)
    for k, name in enumerate(names):
        error = design[:, k].std() / np.sqrt(len(design))
        assert abs(design[:, k].mean() - truth[name]) < 4 * error + (0.004 if name == "recall:1" else 0), name
        told = observed[:, k].mean() + between[:, k].mean()
        assert 0.8 < told / design[:, k].var() < 1.3, name
        assert between[:, k].mean() > 0.05 * told, name  # or it would not matter here


def test_predictions_are_counted_on_the_whole():
    pool, labels = WHOLE.sampled(300, 0)
    sample = poisson(pool, labels, np.random.default_rng(0), np.full(pool.size, 0.5))
    target = target_of(metric("accuracy", range(3)), pool.outputs[0], pool)
    counts = sample.believed(target) + target.tally(sample.surprise / 0.5, sample.answers.items)
    np.testing.assert_allclose(counts.sum(0), np.bincount(WHOLE.said))


def test_a_sample_of_all_rows_is_the_pool_itself():
    """With nothing left out, every number is that of the pool to the bit."""
    pool = Pool.build(WHOLE.said[:500], scores=WHOLE.score[:500], classes=range(3))
    all_of_them = pool.drawn_from(FirstPhase(WHOLE.said[:500], np.bincount(WHOLE.said[:500]), ("a", "b", "c")))
    options = {"oracle": WHOLE.truth[:500], "metrics": ["accuracy", "macro_recall"], "budget": 80, "progress": False}
    one, other = (assess(some, **options) for some in (pool, all_of_them))
    assert one.estimates.equals(other.estimates)
    assert one.findings.confusion().equals(other.findings.confusion())
    assert one.findings.forecast(0.01).equals(other.findings.forecast(0.01))


def test_intervals_hold_the_whole():
    """16 runs, five metrics: so few would come by chance once in ten thousand, were they 95%."""
    names, hits = ["accuracy", "precision:2", "recall:0", "macro_precision", "ece"], []
    confusion = np.zeros((3, 3))
    np.add.at(confusion, (WHOLE.truth, WHOLE.said), 1)
    place = (WHOLE.score * 10).astype(int)
    gaps = np.abs(np.bincount(place, WHOLE.right, 10) - np.bincount(place, WHOLE.score, 10)).sum() / len(place)
    for seed in range(16):
        pool, labels = WHOLE.sampled(500, seed)
        found = assess(pool, oracle=labels, metrics=names, budget=150, seed=seed, progress=False)
        table = found.estimates.set_index("metric")
        for one in names:
            true = gaps if one == "ece" else metric(one, range(3)).value(confusion)
            hits.append(table.low[one] <= true <= table.high[one])
        cells = found.findings.confusion()
        assert (np.abs(cells.groupby("predicted")["estimate"].sum() / np.bincount(WHOLE.said) - 1) < 0.25).all()
    assert binomtest(sum(hits), len(hits), 0.95).pvalue > 1e-4


def test_every_item_labelled_leaves_the_first_phase():
    pool, labels = WHOLE.sampled(300, 3)
    found = assess(pool, oracle=labels, metrics=["accuracy", "precision:2"], budget=300, progress=False)
    table = found.estimates.set_index("metric")
    assert "every item is labelled" in table.promise["accuracy"]
    assert table.low["accuracy"] < WHOLE.right.mean() < table.high["accuracy"]
    assert found.findings.forecast(0.001)["least_half_width"][0] > 0


def test_groups_and_sizes_are_those_of_the_whole():
    pool, labels = WHOLE.sampled(400, 5)
    found = assess(pool, oracle=labels, metrics="accuracy", budget=150, progress=False)
    assert found.groups("class")["size"].tolist() == np.bincount(WHOLE.said).tolist()
    bins = found.findings.calibration()
    assert bins["size"].tolist() == [n for n in np.bincount((WHOLE.score * 10).astype(int), minlength=10) if n]
    assert abs(found.groups("side")["size"].sum() - 6_000) <= 1
    assert found.findings.class_counts()["high"].max() <= 6_000


def test_missing_answers_and_several_models():
    pool, labels = WHOLE.sampled(300, 6)
    other = np.where(np.arange(pool.size) % 4 == 0, 1, pool.predictions)
    two = Pool.build({"a": pool.predictions, "b": other}, classes=range(3)).drawn_from(pool.first_phase)
    found = assess(two, oracle=lambda id: "skip" if id % 7 == 0 else int(labels[id]), metrics=["accuracy", "macro_f1"],
                   budget=80, progress=False)  # fmt: skip
    table = found.estimates
    assert (table.low <= table.estimate).all()
    assert (table.estimate <= table.high).all()
    assert found.findings.contest("accuracy").table["model"].tolist()[0] in ("a", "b")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "random"}, "method must be certified"),
        ({"method": "altmas"}, "method must be certified"),
        ({"metrics": "auprc:1"}, "be made of a confusion"),
        ({"task": "surface", "by": "side"}, "task must be another one"),
    ],
)
def test_what_knows_nothing_of_a_whole_is_refused(options, said):
    pool, labels = WHOLE.sampled(300, 7)
    with pytest.raises(InputError, match=said):
        assess(pool, oracle=labels, budget=60, progress=False, **options)


def test_bets_and_curves_are_refused_afterwards():
    pool, labels = WHOLE.sampled(300, 8)
    found = assess(pool, oracle=labels, metrics="accuracy", budget=60, progress=False).findings
    for ask in (
        lambda: found.gate(["accuracy >= 0.5"]),
        found.at_all_looks,
        lambda: found.thresholds(1),
        lambda: found.groups("side", anytime=True),
    ):
        with pytest.raises(InputError, match=r"6,000 rows"):
            ask()


def test_a_pool_has_everything_but_answers():
    pool, labels = WHOLE.sampled(300, 9)
    with pytest.raises(InputError, match="groups must be left out where predictions are a Pool"):
        assess(pool, oracle=labels, groups={"side": [0] * 300}, budget=60, progress=False)
