"""Oracles that leave questions unanswered."""

import numpy as np
import pytest

import altmas


@pytest.fixture(scope="module")
def vendor():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 800)
    said = np.where(rng.random(800) < 0.8, truth, rng.integers(0, 3, 800))
    return truth, said, np.where(said == truth, rng.beta(6, 1, 800), rng.beta(2, 2, 800)) * 0.6 + 0.4


def assess(vendor, oracle, **given):
    _, said, sure = vendor
    usual = {"classes": [0, 1, 2], "metrics": "accuracy", "budget": 120, "progress": False}
    return altmas.assess(said, sure, oracle=oracle, **usual | given)


@pytest.mark.parametrize("word", [None, "unsure", "skip"])
def test_a_question_without_an_answer_counts_and_has_no_label(vendor, word):
    asked = []

    def oracle(item):
        asked.append(item)
        return word if item % 7 == 0 else int(vendor[0][item])

    result = assess(vendor, oracle)
    assert len(asked) == len(set(asked)) == 120
    assert len(result.answers) == 120 - sum(item % 7 == 0 for item in asked)
    row = result.estimates.iloc[0]
    assert row["missing"] == sum(item % 7 == 0 for item in asked)
    assert row["low"] <= row["low_alike"] <= row["estimate"] <= row["high_alike"] <= row["high"]


def test_the_first_round_may_go_unanswered_whole(vendor):
    asked = []

    def oracle(item):
        asked.append(item)
        return None if len(asked) <= 50 else int(vendor[0][item])

    result = assess(vendor, oracle)
    assert len(set(asked)) == 120
    assert len(result.answers) == 70


def test_an_oracle_that_never_answers_is_told_so(vendor):
    with pytest.raises(
        altmas.InputError, match="oracle must answer at least one question; got no label for any of 120"
    ):
        assess(vendor, lambda item: None)


def test_a_method_that_cannot_cope_still_refuses(vendor):
    with pytest.raises(altmas.InputError, match="oracle must answer one of the classes"):
        assess(vendor, lambda item: None, method="random")


def test_a_class_may_be_called_skip():
    result = altmas.assess(["skip", "go"] * 40, oracle=lambda item: "skip", classes=["skip", "go"], budget=20,
                           metrics="accuracy", progress=False)  # fmt: skip
    assert len(result.answers) == 20
    assert "missing" not in result.estimates


def test_an_expert_may_leave_readings_open(vendor):
    truth = vendor[0]
    wrong = np.where(np.arange(800) % 9 == 0, (truth + 1) % 3, truth)
    result = assess(vendor, wrong, expert=lambda item: None if item % 4 == 0 else int(truth[item]), second_readings=40)
    assert 0 < len(result.readings) < 40
    assert (result.readings["label"] == truth[result.readings["id"]]).all()


def test_numbers_follow_from_the_seed(vendor):
    def run():
        return assess(vendor, lambda item: None if item % 5 == 0 else int(vendor[0][item]), seed=4).estimates

    assert run().equals(run())
