"""Contract tests over every metric of scores: no metric escapes."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from altmas.metrics import InputError, metric, metric_names
from altmas.metrics.scores import NAMES, ModelScores, ScoreMetric

SPELT = {
    "brier": ["brier"], "log_loss": ["log_loss"], "log_loss:CLIP": ["log_loss:0.05"], "top_k:K": ["top_k:2"],
    "ece": ["ece"], "auroc": ["auroc"], "auroc:CLASS": ["auroc:0"], "macro_auroc": ["macro_auroc"],
    "auprc": ["auprc"], "auprc:CLASS": ["auprc:0"], "macro_auprc": ["macro_auprc"],
    "precision_at:SCORE[:CLASS]": ["precision_at:0.3:0"], "recall_at:SCORE[:CLASS]": ["recall_at:0.3:0"],
    "fpr_at:SCORE[:CLASS]": ["fpr_at:0.3:0"],
    "recall_at_fpr:RATE[:CLASS]": ["recall_at_fpr:0.2:0", "recall_at_fpr:0.5:1"],
}  # fmt: skip
EVERY = [one for some in SPELT.values() for one in some]


def test_no_metric_escapes():
    assert set(SPELT) == set(NAMES) <= set(metric_names())


@st.composite
def problems(draw):
    """Labels that hold every class, and scores in tenths, so that most are tied, or in any numbers."""
    classes, items = draw(st.integers(2, 4)), draw(st.integers(8, 40))
    tenths = draw(st.booleans())
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(classes), items)
    scores = np.stack([rng.multinomial(10, one) for one in shares]) / 10 if tenths else shares
    labels = draw(hnp.arrays(np.int64, items, elements=st.integers(0, classes - 1)))
    labels[:classes] = np.arange(classes)
    return scores, labels


def given_scores(scores):
    said = scores.argmax(1)
    return ModelScores(tuple(range(scores.shape[1])), said, scores, np.ones(len(scores), dtype=bool), True)


def bound(name, scores):
    return metric(name, range(scores.shape[1])).on(given_scores(scores))


def counted(found, weights):
    """Label weights `[N, C]` summed by the columns of a bound metric."""
    out = np.zeros((weights.shape[1], found.width))
    np.add.at(out.T, found.columns, weights)
    return out


def recall_at(y, scores, rate):
    fpr, tpr, _ = sk.roc_curve(y, scores, drop_intermediate=False)
    k = np.searchsorted(fpr, rate + 1e-12, side="right")
    if k == len(fpr):
        return 1.0
    return tpr[k - 1] + (rate - fpr[k - 1]) / (fpr[k] - fpr[k - 1]) * (tpr[k] - tpr[k - 1])


def by_sklearn(scores, y):
    classes = scores.shape[1]
    told, two = np.eye(classes)[y], classes == 2
    said, sure, high = scores.argmax(1), scores.max(1), scores[:, 0] >= 0.3
    bins = np.minimum((sure * 10).astype(int), 9)
    aurocs = [sk.roc_auc_score(y == c, scores[:, c]) for c in range(classes)]
    precisions = [sk.average_precision_score(y == c, scores[:, c]) for c in range(classes)]
    clipped = np.clip(scores, 0.05, 0.95)
    return {
        "brier": sk.brier_score_loss(y, scores[:, 1]) if two else sk.brier_score_loss(y, scores),
        "log_loss": sk.log_loss(y, scores, labels=range(classes)),
        "log_loss:0.05": -np.log(clipped[np.arange(len(y)), y]).mean(),
        "top_k:2": 1.0 if two else sk.top_k_accuracy_score(y, scores, k=2, labels=range(classes)),
        "ece": sum(abs((sure - (said == y))[bins == b].sum()) for b in range(10)) / len(y),
        "auroc": aurocs[1] if two else sk.roc_auc_score(y, scores, multi_class="ovr"),
        "auroc:0": aurocs[0], "macro_auroc": np.mean(aurocs),
        "auprc": precisions[1] if two else sk.average_precision_score(told, scores),
        "auprc:0": precisions[0], "macro_auprc": np.mean(precisions),
        "precision_at:0.3:0": sk.precision_score(y == 0, high, zero_division=0.0),
        "recall_at:0.3:0": sk.recall_score(y == 0, high),
        "fpr_at:0.3:0": sk.recall_score(y != 0, high),
        "recall_at_fpr:0.2:0": recall_at(y == 0, scores[:, 0], 0.2),
        "recall_at_fpr:0.5:1": recall_at(y == 1, scores[:, 1], 0.5),
    }  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(problems())
def test_with_everything_labelled_every_metric_equals_scikit_learn(problem):
    scores, y = problem
    wanted = by_sklearn(scores, y)
    for name in EVERY:
        found = bound(name, scores)
        value = float(found.metric.value(counted(found, np.eye(scores.shape[1])[y])))
        assert value == pytest.approx(wanted[name], abs=1e-9), name


@settings(max_examples=500, deadline=None)
@given(problems(), st.integers(0, 2**32 - 1))
def test_influences_equal_finite_differences(problem, seed):
    """At a belief, where every label of every item has some weight: there each metric is smooth."""
    scores, _ = problem
    rng = np.random.default_rng(seed)
    items, classes = scores.shape
    belief = rng.dirichlet(np.full(classes, 2.0), items)
    step = 1e-6
    for name in EVERY:
        found = bound(name, scores)
        counts = counted(found, belief)
        slopes = found.metric.gradient(counts)
        column, label = int(rng.integers(found.width)), int(rng.integers(classes))
        ends = []
        for sign in (1, -1):
            moved = counts.copy()
            moved[label, column] += sign * step
            ends.append(float(found.metric.value(moved)))
        assert slopes[label, column] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=2e-6), name


@pytest.mark.parametrize("name", EVERY)
def test_many_confusions_at_once_have_the_values_of_each(name):
    rng = np.random.default_rng(3)
    scores = rng.dirichlet(np.ones(3), 20)
    found = bound(name, scores)
    several = np.stack([counted(found, rng.dirichlet(np.ones(3), 20)) for _ in range(4)]).reshape(2, 2, 3, found.width)
    values, slopes = found.metric.value(several), found.metric.gradient(several)
    assert values.shape == (2, 2)
    for place in np.ndindex(2, 2):
        assert values[place] == pytest.approx(float(found.metric.value(several[place])))
        assert np.allclose(slopes[place], found.metric.gradient(several[place]))


@pytest.mark.parametrize("name", ["auroc:0", "auprc:0", "macro_auroc", "recall_at_fpr:0.1:0"])
def test_a_class_that_nobody_has_leaves_it_open(name):
    scores = np.random.default_rng(1).dirichlet(np.ones(2), 30)
    found = bound(name, scores)
    counts = counted(found, np.eye(2)[np.ones(30, dtype=int)])
    assert np.isfinite(found.metric.value(counts))
    assert not found.metric.gradient(counts).any()
    assert found.metric.possible(counts) == (0.0, 1.0)


def test_an_order_is_not_broken_by_rounding():
    """Rows that were divided by their sums: 0.3 and 0.1 + 0.2 are one score."""
    scores = np.array([[0.3, 0.7], [0.1 + 0.2, 0.7], [0.9, 0.1]])
    assert bound("auroc:0", scores).width == 2


def test_one_confidence_says_the_scores_of_two_classes():
    said, sure = np.array([1, 0, 1, 0]), np.array([0.9, 0.8, 0.6, 0.7])
    both = np.stack([np.where(said == 1, 1 - sure, sure), np.where(said == 1, sure, 1 - sure)], axis=1)
    one = ModelScores((0, 1), said, sure, np.ones(4, dtype=bool), True)
    y = np.eye(2)[[1, 0, 0, 1]]
    for name in ("brier", "log_loss", "auroc", "auprc"):
        mine, whole = metric(name, (0, 1)).on(one), bound(name, both)
        assert float(mine.metric.value(counted(mine, y))) == pytest.approx(float(whole.metric.value(counted(whole, y))))


@pytest.mark.parametrize(
    ("name", "classes", "scores", "match"),
    [
        ("auroc", 3, np.full(4, 0.9), "one score per item for 3 classes.*--scores"),
        ("auroc", 2, None, "no scores"),
        ("brier", 2, np.full(4, 7.0), "scores that are no probabilities"),
    ],
)
def test_scores_that_do_not_tell_are_refused(name, classes, scores, match):
    given = ModelScores(
        tuple(range(classes)), np.zeros(4, dtype=int), scores, np.ones(4, dtype=bool),
        scores is not None and scores.max() <= 1,
    )  # fmt: skip
    with pytest.raises(InputError, match=match):
        metric(name, range(classes)).on(given)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("log_loss:2", "clip between 0 and 0.5"),
        ("top_k", "K from 1 to"),
        ("top_k:9", "K from 1 to"),
        ("top_k:1.5", "K from 1 to"),
        ("recall_at_fpr:1.5", "a rate"),
        ("recall_at_fpr:0", "between 0 and 1"),
        ("precision_at:high", "a score"),
        ("precision_at:0.5", "name a class"),
        ("auroc:cow", "be one of cat, dog, emu"),
    ],
)
def test_names_that_make_no_sense_are_refused(name, match):
    with pytest.raises(InputError, match=match):
        metric(name, ["cat", "dog", "emu"])


def test_counts_alone_have_no_value():
    with pytest.raises(InputError, match="certified"):
        ScoreMetric("auroc", "auroc").value(np.ones((2, 2)))
