"""`is_better`: a sentence that is right for every metric, for ties, and where less is better."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef, precision_score, recall_score
from sklearn.tree import DecisionTreeClassifier

import altmas

SIZE = 200
RNG = np.random.default_rng(8)
TRUTH = RNG.choice(["cat", "cow", "dog"], SIZE)
GOOD, BAD = (np.where(RNG.random(SIZE) < share, TRUTH, RNG.choice(["cat", "cow", "dog"], SIZE)) for share in (0.9, 0.5))

BY_HAND = {
    "accuracy": lambda said: float((said == TRUTH).mean()),
    "error_rate": lambda said: float((said != TRUTH).mean()),
    "expected_cost": lambda said: float((said != TRUTH).mean()),
    "balanced_accuracy": lambda said: balanced_accuracy_score(TRUTH, said),
    "mcc": lambda said: matthews_corrcoef(TRUTH, said),
    "macro_f1": lambda said: f1_score(TRUTH, said, average="macro"),
    "recall:cat": lambda said: recall_score(TRUTH, said, labels=["cat"], average="macro"),
    "precision:dog": lambda said: precision_score(TRUTH, said, labels=["dog"], average="macro"),
}
LESS = ("error_rate", "expected_cost")


def asked(a, b, **given):
    usual = {"oracle": TRUTH, "budget": SIZE, "progress": False}
    if given.get("metric") == "expected_cost":
        usual["cost"] = 1 - np.eye(3)
    return altmas.is_better(a, b, **usual | given)


@pytest.mark.parametrize("metric", BY_HAND)
def test_with_every_label_it_is_the_difference_itself(metric):
    apart = BY_HAND[metric](GOOD) - BY_HAND[metric](BAD)
    for a, b, sign in ((GOOD, BAD, 1), (BAD, GOOD, -1)):
        found = asked(a, b, metric=metric)
        assert found.estimate == pytest.approx(sign * apart, abs=1e-9)
        assert found.yes is (sign > 0)
        assert bool(found) is (sign > 0)
        assert found.sentence.startswith("Yes: by " if sign > 0 else "No: by ")
        side = "below" if (metric in LESS) == (sign > 0) else "above"
        assert f" {side} 'b', exactly. From 200 labels." in str(found)


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "macro_f1"])
def test_few_labels_settle_a_clear_case_with_an_interval(metric):
    found = asked(GOOD, BAD, metric=metric, budget=100)
    assert found.yes is True
    assert found.low < BY_HAND[metric](GOOD) - BY_HAND[metric](BAD) < found.high
    assert "95% interval" in found.sentence


def test_few_labels_do_not_settle_a_close_case():
    close = GOOD.copy()
    close[:3] = BAD[:3]
    found = asked(GOOD, close, budget=30)
    assert found.yes in (None, False)
    assert not found


def test_equal_models_are_called_equal():
    found = asked(GOOD, GOOD, budget=50)
    assert (found.yes, found.estimate) == (False, 0)
    assert found.sentence == "No: by accuracy 'a' and 'b' are equal. From 50 labels."


def test_a_tie_of_different_models_is_called_equal():
    even = np.where(np.arange(SIZE) % 2 == 0, TRUTH, "emu")
    odd = np.where(np.arange(SIZE) % 2 == 1, TRUTH, "emu")
    assert asked(even, odd).sentence == "No: by accuracy 'a' and 'b' are equal. From 200 labels."


def test_names_are_told():
    assert asked(GOOD, BAD, names=("ours", "theirs")).sentence.startswith("Yes: by accuracy 'ours' is ")
    with pytest.raises(altmas.InputError, match="names must be two"):
        asked(GOOD, BAD, names=("x", "x"))


def test_fitted_models_and_columns_in_another_order():
    items = RNG.normal(size=(SIZE, 2))
    items[:, 0] += 2.0 * (TRUTH == "cat")
    items[:, 1] += 2.0 * (TRUTH == "dog")
    models = LogisticRegression().fit(items, TRUTH), DecisionTreeClassifier(max_depth=1).fit(items, TRUTH)
    apart = models[0].score(items, TRUTH) - models[1].score(items, TRUTH)
    assert asked(*models, items=items).estimate == pytest.approx(apart)
    names = [f"row {i}" for i in range(SIZE)]
    shuffled = pd.Series(BAD, names).sample(frac=1, random_state=1)
    found = asked(pd.Series(GOOD, names), shuffled, oracle=pd.Series(TRUTH, names).iloc[::-1])
    assert found.estimate == pytest.approx(BY_HAND["accuracy"](GOOD) - BY_HAND["accuracy"](BAD))


def test_failures_are_asked_about():
    broken = BAD.astype(object)
    broken[:4] = "ERROR"
    with pytest.raises(altmas.InputError, match=r"not_a_class=\['ERROR'\]"):
        asked(GOOD, broken)
    assert asked(GOOD, broken, not_a_class=["ERROR"]).yes is True
