"""People in `assess`: an expert who reads again, money for both, and labels known before."""

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.core.answers import Answers
from altmas.core.loop import OracleError, Plan
from altmas.core.pool import Pool
from worlds.certified import truth_of, vendor
from worlds.people import annotator

Y, SAID, SURE = vendor(300)
WRONG = annotator(Y, 0.15)


def assess(**more):
    options = {"scores": SURE, "classes": range(4), "oracle": WRONG, "budget": 60, "progress": False}
    return altmas.assess(SAID, **options | {"metrics": ["accuracy"], "initial": 30} | more)


# What is refused


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"method": "random"}, "expert must come with a method whose answers can be corrected; got 'random'"),
        ({"method": altmas.make_method("certified", interval="anytime")}, "whose answers can be corrected"),
        ({"second_readings": 61}, "second_readings must be at most the budget, 60 answers; got 61"),
        ({"second_readings": 0}, "second_readings must be an int >= 1; got 0"),
        ({"second_readings": 10, "cost_expert": 3}, "second_readings must be left out with cost_expert"),
        ({"cost_expert": 0}, "cost_expert must"),
        ({"cost_expert": -2.0}, "cost_expert must"),
        ({"cost_expert": float("nan")}, "cost_expert must"),
        ({"expert": None, "cost_expert": 2}, "expert must come with cost_expert"),
        ({"expert": None, "second_readings": 2}, "expert must come with second_readings"),
        ({"expert": Y[:-1]}, "expert must be one label per item; got 299 labels for 300 items"),
        ({"expert": dict.fromkeys(range(10), 0)}, "expert must have a label for every item; got none for rows 10"),
        ({"expert": [None, *Y[1:]]}, "expert must have a label for every item; got None for row 0"),
        ({"expert": [9, *Y[1:]]}, "expert's labels must be among the classes .* got 9 in row 0"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_asked(given, why):
    asked = []
    with pytest.raises(altmas.InputError, match=why):
        assess(**{"expert": Y, "oracle": lambda id: asked.append(id) or WRONG[id], **given})
    assert asked == []


def test_no_feature_may_be_what_the_expert_says():
    names = np.array(["ant", "bee", "cat", "dog"])
    sides = np.random.default_rng(0).choice(["left", "right", "none"], 300)
    table = pd.DataFrame({"side": sides, "reading": names[Y]})
    options = {"classes": names.tolist(), "oracle": names[WRONG], "expert": names[Y], "budget": 40, "progress": False}
    made = altmas.assess(names[SAID], features="auto", items=table, metrics=["accuracy"], **options)
    used, _, left_out = made.findings.job.pool.features_from.partition("left out: ")
    assert "reading" in left_out
    assert "reading" not in used


def test_an_expert_who_answers_nonsense_costs_no_answer():
    with pytest.raises(OracleError, match="expert must answer one of the classes 0, 1, 2, 3; got 'what' for") as caught:
        assess(expert=lambda id: "what")
    assert len(caught.value.answers) == 30
    assert caught.value.answers == {id: WRONG[id] for id in caught.value.answers}


def test_an_expert_who_fails_is_told_of_by_name():
    def gone(id):
        raise RuntimeError("out for lunch")

    with pytest.raises(OracleError, match=r"expert must answer for .*; got RuntimeError: out for lunch") as caught:
        assess(expert=gone)
    assert len(caught.value.answers) == 30


# How many readings


def test_a_quarter_is_read_unless_said_and_nobody_is_asked_twice():
    read = []
    assess(expert=lambda id: read.append(id) or Y[id])
    assert len(read) == len(set(read)) == 15
    read.clear()
    assess(expert=lambda id: read.append(id) or Y[id], second_readings=60)
    assert len(read) == len(set(read)) == 60


@pytest.mark.parametrize(("budget", "cost"), [(60, 5), (100, 1.5), (40, 5), (30, 20), (90, 0.3), (500, 2)])
def test_money_is_spent_on_both_and_never_more_than_there_is(budget, cost):
    asked, read = [], []
    assess(
        oracle=lambda id: asked.append(id) or WRONG[id], expert=lambda id: read.append(id) or Y[id], budget=budget,
        cost_expert=cost,
    )  # fmt: skip
    assert len(asked) <= 300
    assert 0 < len(read) <= len(asked)
    spent = len(asked) + cost * len(read)
    assert spent <= budget + 1e-9
    everything = len(asked) == len(read) == 300
    assert everything or len(asked) == len(read) or spent > budget - cost - 1


@pytest.mark.parametrize("ratios", [(0.5, 0.1, 0.02), (0.02, 0.5, 1.0), (0.3, 0.3, 0.3)])
def test_a_plan_that_changes_its_mind_spends_no_more(ratios):
    """What was read when readings seemed to be worth more is paid for."""
    plan = Plan(60, 15, 5, 0.95, expert_cost=5.0, most=300)
    answered = read = 0
    for ratio in (*ratios, *[ratios[-1]] * 20):
        answered += max(plan.answers_due(answered, ratio, read), 0)
        read += max(plan.readings_due(answered, read, ratio), 0)
        assert answered + 5 * read <= 60


def test_what_is_exact_for_annotators_is_said_to_be_theirs():
    whole = {"budget": 300, "initial": 300, "oracle": Y, "expert": Y}
    some, every = assess(second_readings=30, **whole).estimates, assess(second_readings=300, **whole).estimates
    assert some["promise"][0] == "exact: every item is labelled, by annotators; experts read 30 and changed none"
    assert every["promise"][0] == "exact: every item is labelled"
    read = assess(second_readings=300, **whole | {"oracle": WRONG}).estimates
    assert read["estimate"][0] == pytest.approx(np.mean(Y == SAID))
    assert read["promise"][0] == "exact: every item is labelled"


def test_readings_are_repeatable():
    first, again, other = (assess(expert=Y, seed=seed) for seed in (1, 1, 2))
    assert first.readings.equals(again.readings)
    assert first.estimates.equals(again.estimates)
    assert not first.readings.equals(other.readings)


def test_an_expert_s_truth_is_covered_where_annotators_are_far_off():
    """One run whose annotators always name one class: agreement alone would be 0.15 too low."""
    y, said, sure = vendor(1000, seed=4)
    a = annotator(y, 0.2, "one class", seed=4)
    options = {"scores": sure, "classes": range(4), "budget": 200, "oracle": a, "progress": False}
    alone = altmas.assess(said, **options).estimates
    read = altmas.assess(said, expert=y, second_readings=100, **options).estimates
    truth = truth_of(read["metric"], y, said)
    assert not alone["low"][0] <= truth[0] <= alone["high"][0]
    assert ((read["low"] <= truth) & (truth <= read["high"])).all()


# Labels known before


def test_known_labels_teach_and_are_no_answers():
    known = {k: int(Y[k]) for k in range(0, 300, 2)}
    asked = []
    result = assess(oracle=lambda id: asked.append(id) or Y[id], known=known)
    assert len(asked) == 60
    assert sorted(result.answers["id"].tolist()) == sorted(asked)
    assert (result.estimates["labels"] == 60).all()
    taught, plain = (one.findings.state.believed_of_all.rows() for one in (result, assess(oracle=Y)))
    assert not np.allclose(taught, plain)


def test_known_labels_come_as_a_mapping_or_a_column():
    column = [int(Y[k]) if k % 2 else None for k in range(300)]
    some = assess(known=column).estimates
    assert some.equals(assess(known={k: int(Y[k]) for k in range(1, 300, 2)}).estimates)
    assert some.equals(assess(known={**{k: int(Y[k]) for k in range(1, 300, 2)}, "elsewhere": 2}).estimates)
    assert assess(known=[None] * 300).estimates.equals(assess().estimates)
    assert assess(known={}).estimates.equals(assess().estimates)


def test_a_class_only_known_labels_have_is_one_of_the_classes():
    said = ["cat", "dog"] * 50
    result = altmas.assess(said, oracle=lambda id: said[id], known={3: "owl"}, budget=30, progress=False)
    assert result.findings.job.pool.classes == ("cat", "dog", "owl")


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({0: "owl"}, "known labels must be among the classes .* got 'owl' in row 0"),
        ({"a": 1, "b": 2}, "known labels must be of the pool's items; got none, e.g. 'a'"),
        ([1, 2, 3], "known labels"),
    ],
)
def test_known_labels_that_cannot_be_are_refused(known, why):
    with pytest.raises(altmas.InputError, match=why):
        assess(known=known)


@pytest.mark.parametrize("how", ["wrong", "of errors alone", "right"])
def test_whatever_was_known_estimates_still_cover(how):
    """Six runs at 95%, of which at most two may miss: fails by chance once in 400."""
    inside, widths = [], []
    for seed in range(6):
        y, said, sure = vendor(500, seed=seed)
        some = np.flatnonzero((y != said) if how == "of errors alone" else np.arange(500) % 2 == 0)
        labels = (y + 1) % 4 if how == "wrong" else y
        options = {"scores": sure, "classes": range(4), "oracle": y, "budget": 80, "progress": False, "seed": seed}
        options |= {"metrics": ["accuracy"], "initial": 40, "batch": 40}
        known, plain = (
            altmas.assess(said, **options | more).estimates.iloc[0]
            for more in ({"known": {int(k): int(labels[k]) for k in some}}, {})
        )
        inside.append(known["low"] <= np.mean(y == said) <= known["high"])
        widths.append((known["high"] - known["low"]) / (plain["high"] - plain["low"]))
    assert sum(inside) >= 4
    assert np.mean(widths) < (1.02 if how == "right" else 1.5)


def test_no_known_label_is_an_answer_of_the_pool():
    pool = Pool.build(SAID, classes=range(4)).with_known({3: 1})
    assert pool.known.tolist().count(-1) == 299
    assert len(Answers().unlabelled(pool)) == 300
