"""What the figures would be if labellers were wrong: at random it is undone exactly, at worst it only grows."""

import numpy as np
import pytest

import altmas
from altmas.certified.sensitivity import OfTruth
from altmas.metrics import metric
from worlds.certified import QUICK, vendor

TRUTH = np.array([[50.0, 4, 2], [6, 30, 3], [1, 5, 20]])


def as_labelled(confusion, rate):
    """What labellers make of it who name another class so often, each alike."""
    classes = len(confusion)
    mixing = np.full((classes, classes), rate / (classes - 1))
    np.fill_diagonal(mixing, 1 - rate)
    return mixing @ confusion


@pytest.mark.parametrize("name", ["accuracy", "macro_recall", "macro_precision", "f1:1", "mcc"])
@pytest.mark.parametrize("rate", [0.01, 0.1, 0.3])
def test_a_known_confusion_of_labellers_is_undone(name, rate):
    one = metric(name, (0, 1, 2))
    assert OfTruth(one, rate).value(as_labelled(TRUTH, rate)) == pytest.approx(float(one.value(TRUTH)))
    assert OfTruth(one, rate).name == one.name
    assert OfTruth(one, rate).bounds == one.bounds


@pytest.mark.parametrize("name", ["accuracy", "macro_recall", "f1:1", "mcc"])
def test_its_gradient_is_that_of_small_steps(name):
    one, at = OfTruth(metric(name, (0, 1, 2)), 0.1), as_labelled(TRUTH, 0.1)
    steps = np.zeros((3, 3))
    for cell in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[cell] = 1e-4
        steps[cell] = (one.value(at + step) - one.value(at - step)) / 2e-4
    assert one.gradient(at) == pytest.approx(steps, abs=1e-8)


def test_counts_that_no_labellers_could_have_led_to_are_none():
    one = OfTruth(metric("accuracy", (0, 1, 2)), 0.1)
    assert one.value(np.diag([10.0, 10, 10])) == pytest.approx(1.0)


@pytest.fixture(scope="module")
def result():
    y, said, sure = vendor(300)
    return altmas.assess(said, scores=sure, oracle=y, classes=range(4), metrics=["accuracy", "macro_recall"], **QUICK)


def test_at_worst_it_reaches_the_further_the_more_are_wrong(result):
    table = result.sensitivity([0.005, 0.01, 0.05, 0.1, 0.2, 0.4])
    worst = table[table["how"] == "at worst"]
    own = result.estimates.set_index("metric")
    for name, part in worst.groupby("metric"):
        assert (np.diff(part["low"]) <= 1e-9).all()
        assert (np.diff(part["high"]) >= -1e-9).all()
        assert (part["low"] <= own.loc[name, "low"] + 1e-9).all()
        assert (part["high"] >= own.loc[name, "high"] - 1e-9).all()
        assert part["low"].iloc[-1] < own.loc[name, "low"] - 0.1


def test_at_random_accuracy_is_higher_than_agreement_and_the_interval_wider(result):
    table = result.sensitivity([0.1])
    row = table[(table["how"] == "at random") & (table["metric"] == "accuracy")].iloc[0]
    own = result.estimates.iloc[0]
    assert row["estimate"] > own["estimate"]
    assert row["high"] - row["low"] > 0.9 * (own["high"] - own["low"])
    assert row["low"] <= row["estimate"] <= row["high"] <= 1.0


def test_a_rate_at_which_answers_tell_nothing_has_no_row_at_random(result):
    assert set(result.sensitivity([0.75])["how"]) == {"at worst"}
    assert set(result.sensitivity([0.7])["how"]) == {"at worst", "at random"}


@pytest.mark.parametrize("rate", [0, 1, -0.1, "often"])
def test_a_rate_is_a_share(result, rate):
    with pytest.raises(altmas.InputError, match="rate must"):
        result.sensitivity([rate])


def test_of_several_models_each_has_its_rows():
    y, said, _ = vendor(200)
    models = {"ours": said, "theirs": (said + (np.arange(200) % 3 == 0)) % 4}
    result = altmas.assess(models, oracle=y, classes=range(4), metrics=["accuracy"], **QUICK)
    assert set(result.sensitivity([0.05])["model"]) == {"ours", "theirs"}
