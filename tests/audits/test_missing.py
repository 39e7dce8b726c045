"""Answers that are missing: counted, bounded by the worst and the best case, allowed for in intervals."""

import numpy as np
import pytest
from scipy.stats import binomtest

from altmas.audits.sample import drawing
from altmas.certified.design import designed, linearise
from altmas.certified.sample import Sample
from altmas.certified.state import response_rate
from altmas.core.answers import Answers
from altmas.core.targets import targets_of
from altmas.metrics import metric
from altmas.metrics.belief import Belief
from worlds.audits import CLASSES, answer, make_audit, make_world, passing_audit, sometimes


def lost_in(audit, words=("unsure", "skip")):
    return [one for one in audit.answers_of("") if one.label in words]


def test_missing_answers_are_counted_by_reason(tmp_path, world):
    with make_audit(tmp_path / "a", world, overlap=2) as audit:
        queries = audit.ask(12)
        for k, query in enumerate(queries):
            label, wrong = world.label(query.position), world.wrong(query.position)
            first, second = {0: ("unsure", "unsure"), 1: ("skip", "skip"), 2: (label, wrong)}.get(k, (label, label))
            if k != 5:
                audit.tell(query.id, first, annotator="mk")
                audit.tell(query.id, second, annotator="jo")
        found = audit.findings()
        assert found.missing == {"unsure": 1, "skip": 1, "disputed": 1, "taken_back": 0, "open": 1}
        assert found.labels == 8
        assert any("4 of 12 questions have no label" in one for one in found.warnings)


@pytest.mark.parametrize("method", ["certified", "random"])
def test_worst_and_best_case_are_what_the_estimate_would_become(tmp_path, method, seed):
    """Told afterwards that all were wrong, or all right, or what they are: the bounds said so before."""
    for k, share in enumerate((0.02, 0.1, 0.4)):
        world = make_world(150, accuracy=(0.95, 0.8, 0.6)[k], seed=100 * seed + k)
        names = ["accuracy", "error_rate"]
        options = {"seed": seed, "metrics": names, "method": method}
        with passing_audit(tmp_path / "a", world, **options) as audit:
            answer(audit, world, 80, reply=sometimes(world, share, k))
            lost = lost_in(audit)
            assert lost
            before = audit.findings().estimates.set_index("metric")
            low, high = before.loc["accuracy", ["worst_case", "best_case"]]
            assert low <= before.loc["accuracy", "estimate"] <= high
            assert before.loc["error_rate", "worst_case"] == pytest.approx(1 - low, abs=1e-6)
            assert before.loc["error_rate", "best_case"] == pytest.approx(1 - high, abs=1e-6)
            became = {}
            for case in ("against", "for", "true"):
                for one in lost:
                    said = world.said[one.position]
                    label = {"against": (said + 1) % 4, "for": said, "true": world.truth[one.position]}[case]
                    audit.tell(one.id, CLASSES[label], replace=True)
                became[case] = audit.findings().estimates.set_index("metric").loc["accuracy", "estimate"]
            assert low <= became["against"] + 1e-9
            assert became["for"] <= high + 1e-9
            assert low - 1e-9 <= became["true"] <= high + 1e-9
            assert (low, high) == pytest.approx((became["against"], became["for"]), abs=0.005)


@pytest.mark.parametrize("name", ["macro_precision", "macro_recall", "f1:cat"])
def test_the_truth_lies_between_the_cases_of_other_metrics_too(tmp_path, world, name, seed):
    for k in range(3):
        with passing_audit(tmp_path / "a", world, metrics=[name], seed=10 * seed + k) as audit:
            answer(audit, world, 80, reply=sometimes(world, 0.2, k))
            row = audit.findings().estimates.iloc[0]
            for one in lost_in(audit):
                audit.tell(one.id, world.label(one.position), replace=True)
            became = audit.findings().estimates["estimate"].iloc[0]
            assert row.worst_case - 1e-6 <= became <= row.best_case + 1e-6


def test_an_open_question_before_the_last_answer_is_missing_like_an_unsure_one(tmp_path, world):
    found = []
    for k, word in enumerate((None, "unsure", "skip")):
        with make_audit(tmp_path / str(k), world, initial=30) as audit:
            queries = audit.ask(30)
            for query in queries[:2]:
                if word:
                    audit.tell(query.id, word)
            for query in queries[2:]:
                audit.tell(query.id, world.label(query.position))
            belief = audit.state_at(audit.state.seq, audit.events())
            found.append((drawing(belief).missing.tolist(), audit.findings().drawn.answers.items.tolist()))
    assert found[0] == found[1] == found[2]
    assert found[0][0] == [query.position for query in queries[:2]]


def test_weighting_by_the_response_rate_is_right_on_average(seed):
    """A belief that knows nothing, items drawn with unequal chances, a third of the answers lost at random.

    The mean of 2,000 estimates is within four standard errors of the truth (error rate below 1e-4), and without the
    weighting it is not within forty.
    """
    rng = np.random.default_rng(seed)
    world = make_world(300, accuracy=0.9, seed=seed)
    [target] = targets_of((metric("accuracy", CLASSES),), world.pool)
    inclusion = np.where(rng.random(300) < 0.5, 0.2, 0.6)
    probabilities = np.full((300, 4), 0.25)
    weighted, plain = [], []
    for _ in range(2000):
        drawn = rng.random(300) < inclusion
        lost = drawn & (rng.random(300) < 1 / 3)
        items, missing = np.flatnonzero(drawn & ~lost), np.flatnonzero(lost)
        answers = Answers().extended(items, world.truth[items], 0, np.ones(len(items)))
        for into, rate in ((weighted, response_rate(inclusion, items, missing)), (plain, 1.0)):
            sample = Sample(Belief.dense(probabilities), answers, inclusion * rate)
            into.append(designed(linearise([(1.0, target)], sample), sample).design)
    error, wrong = (
        (np.mean(values) - world.accuracy) / (np.std(values) / np.sqrt(len(values))) for values in (weighted, plain)
    )
    assert abs(error) < 4
    assert abs(wrong) > 40


def test_everything_answered_is_a_rate_of_one():
    assert response_rate(np.full(10, 0.3), np.arange(4), np.arange(0)) == 1.0
    assert response_rate(np.array([0.5, 0.25]), np.array([0]), np.array([1])) == pytest.approx(2 / 6)


def test_anytime_intervals_allow_for_whatever_is_missing(tmp_path, seed):
    for k, share in enumerate((0.05, 0.3)):
        world = make_world(150, seed=10 * seed + k)
        with passing_audit(tmp_path / "a", world, seed=seed) as audit:
            answer(audit, world, 60, reply=sometimes(world, share, k))
            missing = audit.findings(anytime=True).estimates.iloc[0]
            assert "all looks" in missing.promise
            for one in lost_in(audit):
                audit.tell(one.id, world.label(one.position), replace=True)
            full = audit.findings(anytime=True).estimates.iloc[0]
            ordinary = audit.findings().estimates.iloc[0]
        assert missing.low <= full.low <= full.high <= missing.high
        assert full.high - full.low < missing.high - missing.low
        assert full.high - full.low > ordinary.high - ordinary.low
        assert missing.low <= world.accuracy <= missing.high
        assert missing.low <= missing.estimate <= missing.high


def covered(tmp_path, audits, share, seed=0, **options):
    """In how many audits the 95% interval of accuracy holds the truth, and the errors."""
    hits, errors = 0, []
    for k in range(audits):
        world = make_world(250, accuracy=(0.7, 0.85, 0.95)[k % 3], seed=1000 * seed + k)
        with passing_audit(tmp_path / "a", world, seed=k, **options) as audit:
            answer(audit, world, 70, reply=sometimes(world, share, k))
            row = audit.findings().estimates.iloc[0]
        hits += row.low <= world.accuracy <= row.high
        errors.append(row.estimate - world.accuracy)
    return hits, np.array(errors)


def test_intervals_cover_with_answers_missing_at_random_in_a_few_audits(tmp_path, seed):
    hits, _ = covered(tmp_path, 20, 0.1, seed)
    assert binomtest(int(hits), 20, 0.95, "less").pvalue > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("method", ["certified", "random"])
def test_intervals_cover_with_answers_missing_at_random(tmp_path, seed, method):
    """200 audits, a tenth unsure: covered as often as a binomial test allows (p > 1e-4), and right on average."""
    hits, errors = covered(tmp_path, 200, 0.1, seed, method=method)
    assert binomtest(int(hits), 200, 0.95, "less").pvalue > 1e-4
    assert abs(errors.mean()) < 4 * errors.std() / np.sqrt(len(errors))
