"""The gate: tests of one bound that hold at all looks, several requirements together, and what is refused."""

from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import binomtest

import altmas
from altmas.certified import functionals as f
from altmas.certified.threshold import ABOVE, BELOW, Threshold
from altmas.experiments.certified.gate_looks import wrong_pass
from altmas.metrics import InputError
from altmas.metrics.belief import Belief
from worlds.certified import NAMES, QUICK, vendor, whole


@pytest.fixture(scope="module")
def good():
    y, said, scores = vendor(accuracy=0.95)
    return altmas.assess(said, scores, oracle=y, classes=range(4), seed=3, **QUICK | {"budget": 200})


def test_clear_requirements_are_settled(good):
    met = good.gate("accuracy >= 0.7", "error_rate <= 30%")
    assert met
    assert (met.outcome, met.exit_code, met.labels_needed) == ("pass", 0, None)
    missed = good.gate("accuracy >= 0.7", "accuracy <= 0.6")
    assert not missed
    assert (missed.outcome, missed.exit_code) == ("fail", 1)
    assert [one.outcome for one in missed.checks] == ["pass", "fail"]


def test_what_is_close_is_not_settled_and_says_how_many_labels_would(good):
    gate = good.gate("accuracy >= 0.94")
    assert not gate
    assert (gate.outcome, gate.exit_code) == ("not settled", 3)
    assert gate.labels < gate.labels_needed <= gate.pool


def test_to_fail_the_level_is_shared_and_to_pass_it_is_not(good):
    """The evidence is the same, whoever else is asked; only what is enough to fail grows with their number."""
    alone, several = good.gate("accuracy >= 0.8"), good.gate("accuracy >= 0.8", "recall:0 >= 0.1", "recall:1 >= 0.1")
    assert alone.checks[0].evidence_for == several.checks[0].evidence_for
    assert "each at 1.667%" in several.promise
    assert "tested" not in alone.promise


@pytest.mark.parametrize("bound", [0.0, 0.5, 1.0])
def test_with_every_item_labelled_it_is_exact(bound):
    y, said, _ = vendor(60)
    result = whole(y, said)
    for name in ("accuracy", "error_rate", "recall:1", "precision:3", "macro_recall", "macro_precision"):
        truth = float(result.estimate([name])["estimate"].iloc[0])
        for sign, met in ((">=", truth >= bound), ("<=", truth <= bound)):
            assert bool(result.gate(f"{name} {sign} {bound}")) == met
        assert result.gate(f"{name} >= {truth!r}", f"{name} <= {truth!r}")


def test_a_class_without_members_has_recall_0():
    said = ["a", "b", "b", "c"] * 5
    result = altmas.assess(said, oracle=["a", "b", "b", "b"] * 5, budget=20, progress=False)
    assert result.gate("recall:c >= 0.5").outcome == "fail"
    assert result.gate("recall:c <= 0.5").outcome == "pass"


@pytest.mark.parametrize("name", ["accuracy", "recall:1", "f1:1", "precision:0", "macro_precision"])
def test_bets_do_not_gain_on_average_if_the_ratio_is_on_the_other_side(name, rng):
    """Mean of the next factor over all next draws: at most 1 for the side that is wrong, exactly, by enumeration."""
    said, y = rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    (ratio,) = f.functionals_of(name, said, range(3))
    chances, belief = rng.uniform(0.1, 1, 40), Belief.dense(rng.dirichlet(np.ones(3), 40))
    for shift, sides in ((0.0, (ABOVE, BELOW)), (0.1, (ABOVE,)), (-0.1, (BELOW,))):
        test = Threshold(ratio, ratio.value(y) + shift).sequence()
        left = list(np.argsort(rng.exponential(size=40) / chances))
        for _ in range(20):
            after = [test.after(chances, belief, np.array([i]), y[[i]]).now for i in left]
            share = chances[left] / chances[left].sum()
            for side in sides:
                assert (share @ np.array(after))[side] <= test.now[side] * (1 + 1e-9)
            drawn = left.pop(0)
            test = test.after(chances, belief, np.array([drawn]), y[[drawn]])


def test_a_missing_answer_counts_against_either_side(rng):
    said, y = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    ratio, chances = f.recall(said, 3, 1), rng.uniform(0.2, 1, 60)
    labels = y.copy()
    labels[:10] = -1
    order = rng.permutation(60)[:30]
    test = Threshold(ratio, 0.4).sequence()
    lost = test.after(chances, None, order, labels[order])
    for filled in rng.integers(0, 3, (20, 10)):
        known = y.copy()
        known[:10] = filled
        found = test.after(chances, None, order, known[order])
        assert (lost.now <= found.now * (1 + 1e-9)).all()


def test_missing_answers_hold_the_gate_and_it_says_so():
    y, said, scores = vendor(accuracy=0.95)
    asked = altmas.assess(said, scores, oracle=lambda i: None if i % 3 == 0 else int(y[i]), classes=range(4),
                          **QUICK | {"budget": 150})  # fmt: skip
    gate = asked.gate("accuracy >= 0.85", "macro_recall >= 0.85")
    assert (gate.outcome, gate.labels_needed) == ("not settled", None)
    assert "Answer the questions without a label first" in gate.summary
    assert asked.gate("accuracy >= 0.2")


def test_several_models_are_told_apart():
    y, said, _ = vendor(accuracy=0.95)
    other = vendor(accuracy=0.5, seed=0)[1]
    two = altmas.assess({"ours": said, "theirs": other}, oracle=y, classes=range(4), **QUICK | {"budget": 150})
    assert two.gate("accuracy >= 0.75", model="ours")
    assert two.gate("accuracy@theirs <= 0.75", "accuracy@ours >= 0.75")
    assert two.gate("accuracy >= 0.75", model="theirs").outcome == "fail"
    with pytest.raises(InputError, match="say which model"):
        two.gate("accuracy >= 0.75")


@pytest.mark.parametrize(
    ("wanted", "match"),
    [
        (("mcc >= 0.5",), "tests that hold at all looks"),
        (("ece <= 0.1",), "tests that hold at all looks"),
        (("accuracy",), "and a number"),
        (("alt_mas_3 >= 0.5",), "one metric"),
        ((), "at least one"),
    ],
)
def test_what_cannot_be_asked_is_refused(good, wanted, match):
    with pytest.raises(InputError, match=match):
        good.gate(*wanted)


@pytest.mark.parametrize("wanted", ["error_rate <= 5", "accuracy >= 90", "accuracy >= -0.1", "recall:1 >= 150%"])
def test_a_bound_that_nothing_could_miss_or_meet_is_refused(good, wanted):
    with pytest.raises(InputError, match="must lie between 0 and 1"):
        good.gate(wanted)


def test_a_model_that_there_is_not_is_no_part_of_the_name_of_a_metric(good):
    with pytest.raises(InputError, match="model must be one of"):
        good.gate("accuracy@other >= 0.5")


def test_it_is_said_on_how_many_items_a_gate_of_scores_is_not():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 200), rng.random(200)
    scores = np.where(np.arange(200)[:, None] < 20, np.nan, np.stack([1 - p, p], axis=1))
    gate = altmas.assess((p > 0.5).astype(int), scores, oracle=y, classes=[0, 1], **QUICK).gate
    assert "gave no score on 20 of 200 items" in gate("brier <= 0.9").promise
    assert "gave no score" not in gate("accuracy >= 0.5").promise


def test_random_draws_are_tested_too_and_methods_without_chances_are_refused():
    y, said, scores = vendor(accuracy=0.95)
    assert altmas.assess(said, scores, oracle=y, method="random", **QUICK).gate("accuracy >= 0.7")
    with pytest.raises(InputError, match="The methods certified and random tell it"):
        altmas.assess(said, scores, oracle=y, method="lure", **QUICK).gate("accuracy >= 0.7")


def test_junit_can_be_read_whatever_classes_are_called(tmp_path):
    y, said, _ = vendor(100)
    names = np.array(["<a>&\"'", "b\x1b\x00", "\ufffe", NAMES[3]], dtype=object)
    result = altmas.assess(list(names[said]), oracle=list(names[y]), classes=list(names), **QUICK)
    gate = result.gate(*(f"recall:{one} >= 0.1" for one in names), "accuracy >= 0.83")
    suite = ElementTree.parse(gate.junit(tmp_path / "gate.xml")).getroot()[0]
    assert suite.get("tests") == "5"
    assert len(suite.findall("testcase")) == 5
    settled = len(suite.findall("testcase/system-out")), len(suite.findall("testcase/error"))
    assert settled == tuple(sum(one.outcome == kind for one in gate.checks) for kind in ("pass", "not settled"))


def test_wrong_passes_are_rare_though_asked_after_every_label():
    """40 audits one item below the bound: with a true rate of 5%, more than 9 have a chance below 1e-4."""
    passed = sum(bool(wrong_pass(seed, "wald", 300, 120)["passed"].iloc[0]) for seed in range(40))
    assert binomtest(passed, 40, 0.05, "greater").pvalue > 1e-4


@pytest.mark.slow
def test_wrong_passes_are_at_most_as_many_as_promised():
    """1,000 audits; fails by chance with probability below 1e-4 if the rate is 5%."""
    passed = sum(bool(wrong_pass(seed, "wald")["passed"].iloc[0]) for seed in range(1000))
    assert binomtest(passed, 1000, 0.05, "greater").pvalue > 1e-4
