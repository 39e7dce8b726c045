"""The loop, through its front door."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import altmas
from altmas.catalogue import METHODS
from altmas.core.method import Job
from altmas.core.policies import Choice
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.metrics import from_confusion, from_labels, metrics_named, tally
from altmas.surrogates import MCDropoutMLP
from altmas.testing import CountingOracle, FixedSurrogate

SMALL = MCDropoutMLP(hidden=(32, 32), epochs=30)
ACCURACY_ALONE = ("surface", "coda", "model-selector")  # tests/surfaces and tests/methods have theirs
EVERY_METRIC = [name for name in METHODS if name not in ACCURACY_ALONE]
QUICK = {"budget": 40, "initial": 20, "batch": 10, "progress": False}


def quick_method(name, **options):
    quick = {"surrogate": SMALL, "draws": 10} if name in ("altmas", "bald") else {}
    return altmas.make_method(name, **quick, **options)


@pytest.fixture
def pool(digits):
    return {"predictions": digits.predictions[:200], "scores": digits.scores[:200], "features": digits.images[:200]}


@pytest.mark.parametrize("name", EVERY_METRIC)
def test_every_method_spends_its_budget_once_per_item_and_reports(name, pool, digits):
    oracle = CountingOracle(digits.labels)
    result = altmas.assess(**pool, oracle=oracle, metrics=["alt_mas_3", "f1:3"], method=quick_method(name), **QUICK)
    assert len(oracle.asked) == len(set(oracle.asked)) == 40
    assert {"metric", "estimate", "low", "high", "labels", "promise"} <= set(result.estimates.columns)
    assert result.estimates["metric"].tolist() == ["accuracy", "macro_precision", "macro_recall", "f1:3"]
    assert result.history["labels"].unique().tolist() == [20, 30, 40]
    assert (result.estimates["low"] <= result.estimates["high"]).all()
    assert result.estimates["estimate"].between(0, 1).all()
    answers = result.answers
    assert answers["label"].tolist() == digits.labels[answers["position"]].tolist()
    assert answers["round"].tolist() == [0] * 20 + [1] * 10 + [2] * 10
    assert ((answers["propensity"] > 0) & (answers["propensity"] <= 1)).all()
    assert f"Result of {name} after 40 labels" in repr(result)


@pytest.mark.parametrize("name", EVERY_METRIC)
def test_the_same_seed_gives_the_same_numbers_and_another_does_not(name, pool, digits):
    runs = [
        altmas.assess(**pool, oracle=digits.labels[:200], method=quick_method(name), seed=seed, **QUICK)
        for seed in (7, 7, 8)
    ]
    assert runs[0].answers["id"].tolist() == runs[1].answers["id"].tolist() != runs[2].answers["id"].tolist()
    np.testing.assert_allclose(runs[0].history["estimate"], runs[1].history["estimate"], atol=1e-6)


def test_every_method_but_certified_starts_from_the_same_items(pool, digits):
    """Certified does as well where its worth is uniform; else it draws its first questions by the outputs too."""
    firsts = {
        tuple(
            altmas.assess(**pool, oracle=digits.labels[:200], method=quick_method(name), **QUICK | {"budget": 20})
            .answers["id"]
            .tolist()
        )
        for name in EVERY_METRIC
        if name != "certified"
    }
    uniform = altmas.make_method("certified", worth="uniform")
    alike = altmas.assess(**pool, oracle=digits.labels[:200], method=uniform, **QUICK | {"budget": 20})
    assert firsts == {tuple(alike.answers["id"].tolist())}


@pytest.mark.parametrize("name", EVERY_METRIC)
def test_with_every_item_labelled_the_estimate_equals_the_metric(name, digits):
    y, a = digits.labels[:60], digits.predictions[:60]
    result = altmas.assess(
        a, features=digits.images[:60], oracle=y, classes=range(10), metrics=["alt_mas_21", "mcc", "macro_f2"],
        method=quick_method(name), budget=60, initial=50, batch=5, progress=False,
    )  # fmt: skip
    confusion = tally(y, a, 10)
    for one in metrics_named(["alt_mas_21", "mcc", "macro_f2"], range(10)):
        got = result.estimates.set_index("metric").loc[one.name]
        assert got["estimate"] == pytest.approx(float(one.value(confusion)), abs=1e-12)
        assert got["low"] == pytest.approx(got["high"], abs=1e-12)


@pytest.mark.parametrize("counted", [True, False])
def test_equation_3_counts_answers_draws_and_pseudo_labels(counted, rng):
    classes, items = 3, 30
    p = rng.dirichlet(np.ones(classes), (6, items))
    said, truth = rng.integers(0, classes, items), rng.integers(0, classes, items)
    pseudo = [3, 4, 5]
    fixed = FixedSurrogate(p, pseudo)
    method = altmas.make_method("altmas", surrogate=fixed, draws=6, counted=counted)
    result = altmas.assess(
        said,
        scores=np.full(items, 0.9),
        oracle=truth,
        classes=range(classes),
        metrics=["macro_recall"],
        method=method,
        budget=10,
        initial=10,
        progress=False,
    )
    asked = result.answers["position"].to_numpy()
    values = []
    for j in range(6):
        labels = p[j].argmax(-1)
        if counted:
            labels[pseudo] = said[pseudo]
        labels[asked] = truth[asked]
        one = metrics_named(["macro_recall"], range(classes))[0]
        values.append(float(one.value(tally(labels, said, classes))))
    assert result.estimates["estimate"][0] == pytest.approx(np.mean(values), abs=1e-12)
    # Answers first, then pseudo-labelled items with the model under test's own outputs.
    items_seen, labels_seen = fixed.fitted_on[-1]
    open_pseudo = sorted(set(pseudo) - set(asked))
    assert items_seen.tolist() == [*asked, *open_pseudo]
    assert labels_seen.tolist() == [*truth[asked], *said[open_pseudo]]


def test_alt_mas_asks_where_the_metric_can_change(rng):
    """Recall of class 0 depends only on whether a label is 0: items the draws never call 0 are worth nothing."""
    p = np.zeros((4, 40, 3))
    p[:2, :, 1], p[2:, :, 2] = 1, 1  # the draws disagree between 1 and 2 everywhere: BALD is high
    doubtful = [7, 21, 30]
    p[:2, doubtful] = [1, 0, 0]
    said = np.array([0, 1, 2, 1] * 10)
    method = altmas.make_method("altmas", surrogate=FixedSurrogate(p), draws=4, pseudo_labels=False)
    result = altmas.assess(
        said,
        scores=np.full(40, 0.9),
        oracle=said,
        classes=range(3),
        metrics=["recall:0"],
        method=method,
        budget=8,
        initial=5,
        batch=3,
        seed=0,
        progress=False,
    )
    asked = result.answers["position"].tolist()
    left = set(doubtful) - set(asked[:5])
    assert left
    assert set(asked[5 : 5 + len(left)]) == left


def test_ids_are_what_the_oracle_gets(pool, digits):
    ids = [f"scan-{i:03}" for i in range(200)]
    table = dict(zip(ids, digits.labels, strict=False))
    result = altmas.assess(**pool, ids=ids, oracle=table.__getitem__, method="random", **QUICK)
    assert result.answers["id"].str.startswith("scan-").all()


@pytest.mark.parametrize(
    "ensemble", [RandomForestClassifier(12), BaggingClassifier(LogisticRegression(max_iter=500), 5, max_features=0.8)]
)
def test_a_scikit_learn_ensemble_is_a_surrogate(ensemble, pool, digits):
    method = altmas.make_method("altmas", surrogate=ensemble, draws=12)
    runs = [altmas.assess(**pool, oracle=digits.labels[:200], method=method, **QUICK) for _ in range(2)]
    assert 0.4 < runs[0].estimates["estimate"][0] < 1  # a single tree of 40 labels knows little
    assert runs[0].answers.equals(runs[1].answers)


def test_without_features_the_vendors_outputs_are_used_and_it_says_so(digits, capfd):
    altmas.assess(
        digits.predictions[:100], digits.scores[:100], oracle=digits.labels[:100], classes=range(10),
        method=quick_method("altmas"), budget=30, initial=20,
    )  # fmt: skip
    err = capfd.readouterr().err
    assert "no features given: the surrogate learns from the model under test's own outputs" in err
    assert "30 of 30 labels, altmas: accuracy" in err


def test_tuning_reports_and_is_used(pool, digits, capfd):
    method = altmas.make_method("bald", surrogate=MCDropoutMLP(hidden=(16,), max_steps=20), draws=5, tune=True)
    altmas.assess(**pool, oracle=digits.labels[:200], method=method, **QUICK | {"progress": True, "budget": 20})
    err = capfd.readouterr().err
    assert "tuned on 20 answers: learning_rate" in err
    assert "15 of 15 trials, tuning" in err


def test_predictions_that_are_no_class_are_wrong(digits):
    said = digits.predictions[:100].astype(object)
    said[:20] = "error"
    result = altmas.assess(
        said, features=digits.images[:100], oracle=digits.labels[:100], classes=range(10), progress=False,
        metrics=["accuracy", "macro_recall"], method=quick_method("altmas"), budget=100, initial=90,
    )  # fmt: skip
    expected = (digits.predictions[20:100] == digits.labels[20:100]).sum() / 100
    assert result.estimates["estimate"][0] == pytest.approx(expected)


def test_user_metrics_of_both_kinds(pool, digits):
    worst = from_confusion("worst", lambda c: float((c.diagonal() / np.maximum(c.sum(1), 1)).min()), (0, 1))
    plain = from_labels("plain", lambda y, a: float(np.mean(y == a)), bounds=(0, 1))
    forest = RandomForestClassifier(3)
    result = altmas.assess(
        **pool, oracle=digits.labels[:200], metrics=["accuracy", worst, plain], **QUICK | {"budget": 25, "batch": 5},
        method=altmas.make_method("altmas", surrogate=forest, draws=3),
    )  # fmt: skip
    found = result.estimates.set_index("metric")["estimate"]
    assert found["plain"] == pytest.approx(found["accuracy"], abs=1e-12)
    assert found["worst"] < found["accuracy"]


class AsksTwice:
    name = "asks twice"

    def begin(self, job: Job):
        return self

    def update(self, answers, round):
        pass

    def choose(self, count):
        return Choice(np.zeros(count, int), np.ones(count))

    def estimate(self, level):
        return []


def test_a_method_that_asks_twice_is_stopped(pool, digits):
    oracle = CountingOracle(digits.labels)
    with pytest.raises(altmas.AltmasError, match="method 'asks twice' must choose open items, each once"):
        altmas.assess(**pool, oracle=oracle, method=AsksTwice(), **QUICK)
    assert not oracle.asked


def test_plot_draws_each_metric_and_the_truth(pool, digits, tmp_path):
    result = altmas.assess(**pool, oracle=digits.labels[:200], method="random", **QUICK)
    ax = result.plot(["accuracy"], truth={"accuracy": 0.9})
    assert ax.lines[0].get_label() == "accuracy"
    assert len(ax.lines) == 2
    ax.figure.savefig(tmp_path / "plot.png")
    with pytest.raises(altmas.InputError, match="metrics to plot must be among accuracy, .*; got 'recall:1'"):
        result.plot(["recall:1"])


def test_streams_do_not_depend_on_the_order_of_calls():
    first = stream(1, "round", 2, "fit").random()
    stream(1, "round", 2, "draw").random()
    assert stream(1, "round", 2, "fit").random() == first
    assert len({stream(1, "round", r, p).random() for r in range(3) for p in ("fit", "draw")}) == 6


def test_a_pool_without_room_for_another_batch_ends_at_the_budget(digits):
    oracle = CountingOracle(digits.labels)
    altmas.assess(
        digits.predictions[:33],
        classes=range(10),
        oracle=oracle,
        method="random",
        budget=33,
        initial=20,
        progress=False,
    )
    assert len(oracle.asked) == 33


def test_pools_are_built_once_and_frozen():
    assert list(Pool.build([0, 1]).ids) == [0, 1]
