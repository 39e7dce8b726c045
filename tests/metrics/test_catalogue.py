"""Contract tests over the whole catalogue: no metric escapes."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from altmas.metrics import (
    InputError,
    expected_cost,
    from_confusion,
    from_labels,
    metric,
    metric_names,
    metrics_named,
    tally,
)
from altmas.metrics.scores import NAMES

BETAS = ("0.5", "1", "2")
SPELLED_OUT = {"alt_mas_3", "alt_mas_21", "expected_cost", *NAMES}  # those of scores have a contract of their own


def spell(name, classes):
    """Every concrete name behind a catalogue entry."""
    for beta in BETAS if "BETA" in name else [""]:
        for cls in classes if "CLASS" in name else [""]:
            yield name.replace("BETA", beta).replace("CLASS", str(cls))


def all_metrics(classes):
    names = [one for name in metric_names() if name not in SPELLED_OUT for one in spell(name, classes)]
    cost = np.abs(np.subtract.outer(np.arange(len(classes)), np.arange(len(classes)))) * 1.5
    return [metric(name, classes) for name in dict.fromkeys(names)] + [expected_cost(cost)]


@st.composite
def problems(draw):
    """Labels and predictions over 2-6 classes; some classes are often missing on one side or both."""
    classes = draw(st.integers(2, 6))
    items = draw(st.integers(1, 40))
    labels = hnp.arrays(np.int64, items, elements=st.integers(0, classes - 1))
    return classes, draw(labels), draw(labels)


def by_sklearn(classes, y, a):
    """The same names, computed by scikit-learn on label arrays."""
    labels = list(range(classes))
    known = {"labels": labels, "zero_division": 0.0}
    out = {"accuracy": sk.accuracy_score(y, a), "error_rate": 1 - sk.accuracy_score(y, a)}
    out["balanced_accuracy"] = sk.balanced_accuracy_score(y, a)
    out["mcc"] = sk.matthews_corrcoef(y, a)
    out["cohen_kappa"] = sk.cohen_kappa_score(y, a, labels=labels, replace_undefined_by=0.0)
    for beta in BETAS:
        p, r, f, _ = sk.precision_recall_fscore_support(y, a, beta=float(beta), **known)
        for c in labels:
            out |= {f"precision:{c}": p[c], f"accuracy:{c}": p[c], f"recall:{c}": r[c], f"f{beta}:{c}": f[c]}
        for how in ("macro", "micro", "weighted"):
            p, r, f, _ = sk.precision_recall_fscore_support(y, a, beta=float(beta), average=how, **known)
            out |= {f"{how}_precision": p, f"{how}_recall": r, f"{how}_f{beta}": f}
        occurring = {"labels": np.unique(y), "zero_division": 0.0, "average": "macro"}
        p, r, f, _ = sk.precision_recall_fscore_support(y, a, beta=float(beta), **occurring)
        out |= {"macro_precision_occurring": p, "macro_recall_occurring": r, f"macro_f{beta}_occurring": f}
    for c in labels:
        out[f"specificity:{c}"] = sk.recall_score(y != c, a != c, zero_division=0.0)
    out["expected_cost"] = np.mean(np.abs(y - a) * 1.5)
    return out


# scikit-learn warns where a class has no true members; that is the very case under test.
one_class_only = pytest.mark.filterwarnings(
    "ignore:y_pred contains classes not in y_true",
    "ignore:A single label was found",
    "ignore:`y1`, `y2` and `labels` have only one label in common",
)


@one_class_only
@settings(max_examples=200, deadline=None)
@given(problems())
def test_every_metric_equals_scikit_learn(problem):
    equals_scikit_learn(problem)


@pytest.mark.slow
@one_class_only
@settings(max_examples=1000, deadline=None)
@given(problems())
def test_every_metric_equals_scikit_learn_on_many(problem):
    equals_scikit_learn(problem)


def equals_scikit_learn(problem):
    classes, y, a = problem
    confusion = tally(y, a, classes)
    expected = by_sklearn(classes, y, a)
    for one in all_metrics(range(classes)):
        assert abs(float(one.value(confusion)) - expected.pop(one.name)) < 1e-12, one.name
    assert not expected


@settings(max_examples=200, deadline=None)
@given(problems())
def test_bounds_and_relabelling(problem):
    classes, y, a = problem
    confusion = tally(y, a, classes)
    order = np.random.default_rng(0).permutation(classes)
    for one in all_metrics(range(classes)):
        value = float(one.value(confusion))
        low, high = one.bounds
        assert low - 1e-12 <= value <= high + 1e-12
        if one.name == "expected_cost":
            continue
        # Class k becomes order[k]: the metric of the renamed class on the renamed labels is the same.
        name, colon, cls = one.name.partition(":")
        renamed = metric(f"{name}:{order[int(cls)]}" if colon else name, range(classes))
        assert float(renamed.value(tally(order[y], order[a], classes))) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("columns", [4, 5], ids=["classes only", "with answers that are no class"])
def test_gradients_equal_finite_differences(columns):
    rng = np.random.default_rng(1)
    confusion = rng.uniform(0.5, 20, (3, 4, columns))
    cells = np.eye(4 * columns).reshape(-1, 4, columns)
    cost = expected_cost(rng.uniform(0, 3, (4, columns)))
    for one in [*all_metrics(range(4))[:-1], cost]:
        step = 1e-5
        moved = [one.value(confusion + step * e) - one.value(confusion - step * e) for e in cells]
        numeric = np.moveaxis(np.array(moved), 0, -1).reshape(confusion.shape) / (2 * step)
        np.testing.assert_allclose(one.gradient(confusion), numeric, atol=1e-8, err_msg=one.name)


@pytest.mark.parametrize("kind", ["precision", "recall", "f0.5", "f1", "f2"])
@pytest.mark.parametrize("columns", [4, 5], ids=["classes only", "with answers that are no class"])
def test_a_class_enters_those_that_occur_without_a_jump(kind, columns):
    """Of fractions of a true member: the value goes along, and its slope is that of finite differences."""
    one, rng = metric(f"macro_{kind}_occurring", range(4)), np.random.default_rng(7)
    confusion = rng.uniform(0.5, 20, (4, columns))
    cells, step = np.eye(4 * columns).reshape(-1, 4, columns), 1e-6
    without = confusion.copy()
    without[1] = 0
    for members in (0.9, 0.3, 1e-3):
        now = without.copy()
        now[1] = members * confusion[1] / confusion[1].sum()
        numeric = (one.value(now + step * cells) - one.value(now - step * cells)) / (2 * step)
        np.testing.assert_allclose(one.gradient(now).ravel(), numeric, atol=1e-7)
    assert float(one.value(now)) == pytest.approx(float(one.value(without)), abs=1e-3)
    # A class without members has the slope of its first one.
    numeric = (one.value(without + step * cells) - one.value(without)) / step
    np.testing.assert_allclose(one.gradient(without).ravel(), numeric, atol=1e-6)


def test_classes_that_do_not_occur_are_left_out():
    confusion = [[3, 1, 0], [0, 4, 2], [0, 0, 0]]  # the third is predicted, and never true
    assert float(metric("macro_recall", "abc").value(confusion)) == pytest.approx((3 / 4 + 4 / 6) / 3)
    assert float(metric("macro_recall_occurring", "abc").value(confusion)) == pytest.approx((3 / 4 + 4 / 6) / 2)
    assert float(metric("macro_precision_occurring", "abc").value(confusion)) == pytest.approx((1 + 4 / 5) / 2)
    for kind in ("precision", "recall", "f1"):
        assert float(metric(f"macro_{kind}_occurring", "abc").value(np.zeros((3, 3)))) == 0


@pytest.mark.parametrize(
    ("name", "meant"),
    [("macro_recal_occurring", "macro_recall_occurring"), ("macro_recall_occuring", "macro_recall_occurring"),
     ("macro_f1_ocurring", "macro_f1_occurring"), ("micro_recall_occurring", "macro_recall_occurring")],
)  # fmt: skip
def test_a_name_near_those_that_occur_is_helped(name, meant):
    with pytest.raises(InputError, match=rf"Did you mean {meant}\?"):
        metric(name, "ab")


def test_gradient_of_empty_classes_is_finite():
    confusion = np.zeros((3, 3))
    confusion[0, 0] = 5
    for one in all_metrics(range(3)):
        assert np.isfinite(one.gradient(confusion)).all(), one.name
        assert np.isfinite(one.gradient(np.zeros((3, 3)))).all(), one.name


def test_vectorised_over_leading_axes():
    rng = np.random.default_rng(2)
    confusion = rng.integers(0, 9, (2, 3, 4, 4)).astype(float)
    for one in all_metrics(range(4)):
        each = [[one.value(confusion[i, j]) for j in range(3)] for i in range(2)]
        np.testing.assert_array_equal(one.value(confusion), each)
        assert one.gradient(confusion).shape == confusion.shape


def test_answers_that_are_no_class_count_as_wrong_and_stay_out_of_macro_averages():
    # Three items of class 0: one right, two unanswered; class 1 all right.
    confusion = [[1, 0, 2], [0, 3, 0]]
    assert float(metric("accuracy", "ab").value(confusion)) == pytest.approx(4 / 6)
    assert float(metric("macro_precision", "ab").value(confusion)) == 1.0
    assert float(metric("macro_recall", "ab").value(confusion)) == pytest.approx((1 / 3 + 1) / 2)


def test_sets():
    assert [m.name for m in metrics_named(["alt_mas_3"], range(10))] == ["accuracy", "macro_precision", "macro_recall"]
    assert len(metrics_named(["alt_mas_21"], range(10))) == 21


def test_user_metrics_agree_with_the_catalogue():
    rng = np.random.default_rng(3)
    confusion = rng.integers(1, 30, (2, 3, 3)).astype(float)
    known = metric("macro_f1", "abc")
    mine = from_confusion("mine", lambda c: float(known.value(c)))
    np.testing.assert_array_equal(mine.value(confusion), known.value(confusion))
    np.testing.assert_allclose(mine.gradient(confusion), known.gradient(confusion), atol=1e-7)
    slow = from_labels("slow", lambda y, a: sk.f1_score(y, a, average="macro"), "abc")
    np.testing.assert_allclose(slow.value(confusion), known.value(confusion), atol=1e-12)
    # A difference of one whole item is only near the slope.
    np.testing.assert_allclose(slow.gradient(confusion), known.gradient(confusion), atol=2e-3)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: metric("acuracy", "ab"), "metric must be one of accuracy, .*; got 'acuracy'"),
        (lambda: metric("recall:z", "ab"), "the class of metric 'recall:z' must be one of a, b; got 'z'"),
        (lambda: metric("jaccard:a", "ab"), "metric must be one of"),
        (lambda: metric("expected_cost", "ab"), "expected_cost must come with a cost matrix"),
        (lambda: expected_cost([1, 2]), "cost must be a \\[C, C\\] matrix"),
        (lambda: expected_cost([[0, np.nan], [1, 0]]), "cost must be finite"),
        (lambda: from_labels("f", lambda y, a: 0.0, "ab").value([[0.5, 0], [0, 1]]), "must hold whole counts"),
    ],
)
def test_bad_metrics_say_so(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
