"""A fitted classifier and its items, in place of what it said."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import altmas

SIZE = 90
RNG = np.random.default_rng(6)
PLACES = RNG.integers(3, size=SIZE)
TRUTH = np.array(["cat", "cow", "dog"])[PLACES]
ITEMS = RNG.normal(size=(SIZE, 3))
ITEMS[np.arange(SIZE), PLACES] += 1.2
MODEL = make_pipeline(StandardScaler(), LogisticRegression()).fit(ITEMS, TRUTH)
RIGHT = float((MODEL.predict(ITEMS) == TRUTH).mean())


def assess(model=MODEL, items=ITEMS, oracle=TRUTH, **given):
    usual = {"method": "random", "metrics": "accuracy", "budget": SIZE, "initial": SIZE, "progress": False}
    return altmas.assess(model=model, items=items, oracle=oracle, **usual | given)


def accuracy(*given, **more):
    return assess(*given, **more).estimates["estimate"].tolist()


def test_predictions_and_scores_are_the_models_own():
    found = assess()
    assert found.estimates.iloc[0]["estimate"] == pytest.approx(RIGHT)
    pool = found.findings.job.pool
    assert pool.classes == ("cat", "cow", "dog")
    assert pool.scores == pytest.approx(MODEL.predict_proba(ITEMS))


def test_labels_in_another_order_are_joined_to_the_items_by_their_index():
    names = [f"row {i}" for i in range(SIZE)]
    labels = pd.Series(TRUTH, names).sample(frac=1, random_state=0)
    model = LogisticRegression().fit(pd.DataFrame(ITEMS), TRUTH)
    assert accuracy(model, pd.DataFrame(ITEMS, names), labels) == pytest.approx([model.score(ITEMS_NAMED, TRUTH)])


ITEMS_NAMED = pd.DataFrame(ITEMS)


def test_several_models_and_one_without_scores():
    other = SVC().fit(ITEMS, TRUTH)
    assert accuracy({"a": MODEL, "b": other}) == pytest.approx([RIGHT, other.score(ITEMS, TRUTH)])


def test_a_label_that_the_model_never_learnt_is_a_class_it_has_wrong():
    truth = np.where(np.arange(SIZE) < 5, "emu", TRUTH)
    found = assess(oracle=truth)
    assert found.findings.job.pool.classes == ("cat", "cow", "dog", "emu")
    assert found.estimates.iloc[0]["estimate"] == pytest.approx((MODEL.predict(ITEMS) == truth).mean())


class Network:
    """Says a row of numbers per item, as networks do."""

    def __init__(self, rows):
        self.rows = rows

    def predict(self, items):
        return self.rows[: len(items)]


def test_a_network_names_its_classes_by_place_unless_they_are_given():
    rows = MODEL.predict_proba(ITEMS)
    assert accuracy(Network(rows), oracle=PLACES) == pytest.approx([RIGHT])
    assert accuracy(Network(rows), classes=["cat", "cow", "dog"]) == pytest.approx([RIGHT])
    with pytest.raises(altmas.InputError, match="Name its classes, in the order of its outputs: classes="):
        assess(Network(rows))


def test_one_output_is_the_second_of_two_classes():
    rows = RNG.random((SIZE, 1))
    truth = (PLACES == 1).astype(int)
    assert accuracy(Network(rows), oracle=truth) == pytest.approx([((rows[:, 0] > 0.5) == truth).mean()])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"oracle": PLACES}, "predictions and labels must have a class in common"),
        ({"oracle": [one.title() for one in TRUTH]}, "predictions and labels must be spelt alike"),
        ({"items": None}, "items must be given with model="),
        ({"model": LogisticRegression}, "model must be fitted; got the class LogisticRegression itself"),
        ({"model": LogisticRegression()}, "model must be fitted; got a LogisticRegression that is not"),
        ({"model": LinearRegression().fit(ITEMS, PLACES)}, "model must be a classifier; got LinearRegression"),
        ({"model": "a model"}, "model must have predict"),
        ({"model": Network(RNG.normal(size=(SIZE, 3)))}, "model must predict classes, or probabilities"),
        ({"scores": RNG.random(SIZE)}, "scores must be left out with model="),
    ],
)  # fmt: skip
def test_what_cannot_be_assessed_says_why(given, sentence):
    with pytest.raises(altmas.InputError, match=sentence):
        assess(**given)
