"""Second readings: estimates are of what the expert would say, however wrong annotators are."""

from dataclasses import replace

import numpy as np
import pytest

import altmas
from altmas.beliefs.likely import Heard, likely
from altmas.certified.corrected import Corrected
from altmas.certified.design import designed, linearise
from altmas.certified.method import Certified
from altmas.certified.people import reading_chances, readings_drawn
from altmas.certified.rereading import Rereading, drawn_readings, reading_clocks
from altmas.certified.sample import Sample
from altmas.certified.split import best_ratio
from altmas.core.answers import Answers, Circumstances, Votes
from altmas.core.method import Job, ReadRound
from altmas.core.pool import Pool
from altmas.core.targets import targets_of
from altmas.metrics import metrics_named
from altmas.metrics.belief import Belief
from worlds.certified import at_work, truth_of, vendor
from worlds.people import annotator

HOWS = [(rate, how) for rate in (0.05, 0.1, 0.2) for how in ("at random", "one class")]


def target_of(pool, name="accuracy"):
    (found,) = targets_of(tuple(metrics_named([name], pool.classes)), pool)
    return found


def read_by(expert, round):
    return replace(round, labels=expert[round.items])


# The formula


@pytest.mark.parametrize(("rate", "how"), HOWS)
def test_with_any_guess_of_the_labels_the_design_has_the_experts_truth_as_its_mean(rate, how, rng):
    """Poisson draws of answers and of readings, 400 each; both checks at 4 Monte-Carlo errors.

    A mean fails by chance once in 15,000; the variance, whose error is that of a nearly normal estimate, as rarely.
    """
    y, said, _ = vendor(300)
    pool, a = Pool.build(said, classes=range(4)), annotator(y, rate, how)
    p, r = rng.uniform(0.2, 0.9, 300), rng.uniform(0.1, 0.9, 300)
    belief = rng.dirichlet(np.ones(4), 300)
    guess = 0.8 * np.eye(4)[a] + 0.2 * rng.dirichlet(np.ones(4), 300)
    target, found = target_of(pool), []
    for _ in range(400):
        items = np.flatnonzero(rng.random(300) < p)
        read = rng.random(len(items)) < r[items]
        answers = Answers().extended(items, np.where(read, y[items], a[items]), 0, p[items])
        sample = Sample(Belief.dense(belief), answers, p, corrected=Corrected(guess[items], read, r[items]))
        one = designed(linearise([(1.0, target)], sample), sample)
        found.append((one.design, one.observed))
    design, observed = np.array(found).T
    assert abs(design.mean() - np.mean(said == y)) < 4 * design.std() / 20
    apart = np.square(design - np.mean(said == y)) - observed
    assert abs(apart.mean()) < 4 * apart.std() / 20


def test_what_is_read_counts_as_read_and_what_is_certain_needs_no_weight():
    guess = np.array([[0.9, 0.1], [0.6, 0.4]])
    some = Corrected(guess, np.array([True, False]), np.array([1.0, 0.5]))
    told = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert some.known(told).tolist() == [[0.0, 1.0], [0.6, 0.4]]
    assert some.counted(told).tolist() == [[0.0, 1.0], [0.6, 0.4]]
    assert some.shown(np.array([0.5, 0.5])).tolist() == [0.0, 0.0]
    assert some.expected(np.array([0.5, 0.5])).tolist() == [0.0, 4.0]
    assert some.with_certain(np.array([[1.0, 0.0]])).weight.tolist() == [1.0, 0.0, 1.0]


# A state, and readings drawn again and again


@pytest.fixture(scope="module")
def world():
    y, said, sure = vendor(400)
    return y, said, Pool.build(said, scores=sure, classes=range(4))


def state_of(pool, a, seed=0):
    return at_work(Certified(), pool, a, sizes=(50, 30, 20), seed=seed).state


def design_of(state):
    sample = state.sample()
    return designed(linearise([(1.0, state.setup.targets[0])], sample), sample)


@pytest.mark.parametrize(("rate", "how"), HOWS)
def test_over_draws_of_readings_a_state_says_what_the_expert_would(world, rate, how):
    """60 draws of 20 and then 20 of 100 answers: within 4 standard errors, which fails by chance once in 5,000."""
    y, _, pool = world
    state = state_of(pool, annotator(y, rate, how))
    truth = design_of(replace(state, answers=state.answers.relabelled(y[state.answers.items])).with_refit(state.refit))
    found = []
    for draw in range(60):
        state.setup.__dict__["reading_clocks"] = reading_clocks(draw, pool.size)
        now = state
        for count in (20, 20):
            now = now.with_readings(read_by(y, readings_drawn(now, count)))
        found.append(design_of(now).design)
    error = max(np.std(found, ddof=1) / np.sqrt(60), 1e-6)
    assert abs(np.mean(found) - truth.design) < 4 * error


def test_inclusion_of_readings_is_how_often_they_are_drawn(world):
    """Of 2,000 races among 60 answers, each one's share is within 4.5 errors of its chance: once in 2,500 by chance."""
    ideal = np.random.default_rng(1).dirichlet(np.ones(60))
    answered, counts, chance = np.arange(60), np.zeros(60), np.zeros(60)
    for draw in range(2000):
        clocks, now = reading_clocks(draw, 60), Rereading.of(60)
        for count in (10, 10):
            choice, chances = drawn_readings(now, answered, ideal, count, clocks)
            now = now.after(
                ReadRound(choice.items, choice.items * 0, choice.propensities, answered, chances), clocks
            )  # fmt: skip
        counts[now.items] += 1
        chance += chances
    chance /= 2000
    assert counts.sum() == 40_000
    bias = 0.02  # a race of a fixed number is not quite one of a fixed time
    assert (np.abs(counts / 2000 - chance) < 4.5 * np.sqrt(chance * (1 - chance) / 2000) + bias).all()


def certain(items, size):
    ones = np.ones(len(items))
    return ReadRound(items, np.zeros(len(items), dtype=int), ones, items, ones)


def test_what_is_certain_to_be_read_leaves_the_other_clocks_running():
    """Else all that is drawn afterwards would be the likeliest, and nothing left to chance."""
    ideal = np.linspace(1, 2, 20) / 30
    first = set()
    for draw in range(20):
        clocks = reading_clocks(draw, 20)
        now = Rereading.of(20).after(certain(np.array([3]), 20), clocks)
        now = now.after(certain(np.array([3]), 20), clocks)  # as later rounds of a log have it
        choice, chances = drawn_readings(now, np.arange(20), ideal, 1, clocks)
        assert 3 not in choice.items
        assert chances[3] == 1.0
        first.add(int(choice.items[0]))
    assert len(first) > 5


def test_answers_that_come_after_all_were_read_are_drawn_by_chance():
    ideal, old, first = np.full(10, 0.1), np.arange(10), set()
    for draw in range(10):
        clocks, now = reading_clocks(draw, 20), Rereading.of(20)
        choice, chances = drawn_readings(now, old, ideal, 10, clocks)
        now = now.after(ReadRound(choice.items, choice.items * 0, choice.propensities, old, chances), clocks)
        assert (chances == 1.0).all()
        assert (now.hazard[10:] == 0).all()
        choice, chances = drawn_readings(now, np.arange(20), np.full(20, 0.05), 1, clocks)
        assert 0 < chances[10] < 0.5
        first.add(int(choice.items[0]))
    assert len(first) > 3
    assert min(first) >= 10


def test_while_no_reading_differs_nothing_changes(world):
    y, _, pool = world
    state = state_of(pool, y)
    read = state.with_readings(read_by(y, readings_drawn(state, 30)))
    assert read.readings == 30
    assert read.corrected is None
    assert design_of(read) == design_of(state)


def test_when_every_answer_is_read_the_annotators_no_longer_matter(world):
    y, _, pool = world
    state = state_of(pool, annotator(y, 0.2))
    read = state.with_readings(read_by(y, readings_drawn(state, 1000)))
    truth = replace(state, answers=state.answers.relabelled(y[state.answers.items])).with_refit(state.refit)
    assert read.readings == 100
    assert (reading_chances(read) == 1.0).all()
    mine, theirs = design_of(read), design_of(truth)
    assert mine.design == pytest.approx(theirs.design)
    assert mine.observed == pytest.approx(theirs.observed)


def test_readings_that_did_not_come_are_taken_to_be_like_those_that_came(world):
    y, _, pool = world
    state = state_of(pool, annotator(y, 0.2))
    round = read_by(y, readings_drawn(state, 40))
    half = state.with_readings(replace(round, labels=np.where(np.arange(40) % 2, round.labels, -1)))
    assert half.readings == 20
    ratio = reading_chances(half) / reading_chances(state.with_readings(round))
    assert ratio == pytest.approx(ratio[0])
    assert 0.3 < ratio[0] < 0.7


def test_what_an_expert_settled_is_certain_and_stands_for_no_other_answer(world):
    y, _, pool = world
    a = annotator(y, 0.2)
    state = state_of(pool, a)
    settled = state.answers.items[:10]
    known = state.answers.labels.copy()
    known[:10] = y[settled]
    told = replace(state, answers=state.answers.relabelled(known), circumstances=Circumstances(settled=settled))
    told = told.with_refit(state.refit).with_readings(replace(certain(settled, pool.size), labels=y[settled]))
    assert told.readings == 0
    assert (reading_chances(told)[:10] == 1.0).all()
    read = told.with_readings(read_by(y, readings_drawn(told, 20)))
    assert read.readings == 20
    assert (reading_chances(read)[:10] == 1.0).all()
    assert (reading_chances(read)[10:] < 1.0).all()
    assert not np.isin(read.reread.items[10:], settled).any()


# Whole runs


def run_of(seed, rate, how, items=300, **more):
    y, said, sure = vendor(items, seed=1000 + seed)
    options = {"classes": range(4), "budget": 80, "second_readings": 30, "initial": 40, "batch": 20, **more}
    options |= {"oracle": annotator(y, rate, how, seed=seed), "expert": y, "seed": seed, "progress": False}
    result = altmas.assess(said, scores=sure, **options)
    return result, truth_of(result.estimates["metric"], y, said)


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "how"), HOWS)
def test_whole_runs_are_right_on_average(rate, how):
    """500 runs: the design of accuracy within 3 standard errors, its variance within a quarter, intervals hold at 92%.

    A mean fails by chance once in 370, over the six of them once in 60; the others more rarely. The estimate leans on
    what is believed, as it does without an expert: by less than half of its own spread.
    """
    design, leaning, shown, inside = [], [], [], []
    for seed in range(500):
        result, (truth,) = run_of(seed, rate, how, metrics=["accuracy"])
        one, found = result.estimates.iloc[0], design_of(result.findings.state)
        design.append(found.design - truth)
        leaning.append(one["estimate"] - truth)
        shown.append(found.observed)
        inside.append(one["low"] <= truth <= one["high"])
    assert abs(np.mean(design)) < 3 * np.std(design, ddof=1) / np.sqrt(500), np.mean(design)
    assert np.mean(shown) == pytest.approx(np.var(design), rel=0.25)
    assert abs(np.mean(leaning)) < 0.5 * np.std(leaning)
    assert np.mean(inside) >= 0.92


def test_with_a_careful_annotator_an_expert_changes_no_number():
    y, said, sure = vendor(300)
    options = {"scores": sure, "classes": range(4), "budget": 90, "oracle": y, "progress": False}
    alone, read = altmas.assess(said, **options), altmas.assess(said, expert=y, second_readings=40, **options)
    assert read.estimates.equals(alone.estimates)  # and what only was confirmed promises no more

    assert read.confusion.equals(alone.confusion)
    assert len(read.readings) == 40
    assert (read.readings["answer"] == read.readings["label"]).all()


def test_the_result_has_the_readings():
    y, said, sure = vendor(300)
    a = annotator(y, 0.2)
    result = altmas.assess(
        said, scores=sure, oracle=a, expert=y, classes=range(4), budget=80, second_readings=40, progress=False
    )
    table = result.readings
    assert len(table) == 40
    assert table["label"].tolist() == y[table["id"]].tolist()
    assert table["answer"].tolist() == a[table["id"]].tolist()
    assert table["chance"].between(0, 1, inclusive="right").all()
    with pytest.raises(altmas.InputError, match="where no expert has read; got 40 readings"):
        result.sensitivity()
    with pytest.raises(altmas.InputError, match="where no expert has read; got 40 readings"):
        result.findings.at_all_looks()


def test_groups_confusion_and_contests_know_of_the_readings():
    y, said, sure = vendor(300)
    a, other = annotator(y, 0.3, "one class"), annotator(y, 0.4, seed=5)
    options = {"oracle": a, "expert": y, "classes": range(4), "progress": False}
    groups = {"side": ["left", "right"] * 150}
    result = altmas.assess(said, scores=sure, groups=groups, budget=150, second_readings=150, **options)
    side = result.groups("side")
    for k, (low, high) in enumerate(zip(side["low"], side["high"], strict=True)):
        assert low <= np.mean((y == said)[k::2]) <= high
    table = result.confusion
    right = table[table["true"] == table["predicted"]]
    assert (right["low"] <= right["estimate"]).all()
    best = altmas.assess({"ours": said, "theirs": other}, task="best", budget=60, second_readings=30, **options)
    assert best.leader == "ours"


# What an answer makes of a label


def test_an_annotator_who_is_found_wrong_is_believed_less():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    who = np.arange(200) % 2
    a = np.where((who == 1) & (rng.random(200) < 0.4), (y + 1) % 3, y)
    votes = Votes(np.arange(200), who, a)
    heard = Heard.of(votes, Answers().extended(np.arange(200), a, 0, np.ones(200)), 3)
    believed, read = np.full((200, 3), 1 / 3), rng.random(200) < 0.5
    found = likely(believed, a, heard, read, np.where(read, y, a), np.ones(200), np.arange(200) % 5)
    sure = found[np.arange(200), a]
    assert found.sum(1) == pytest.approx(1.0)
    assert sure[who == 0].mean() > 0.9
    assert sure[who == 1].mean() < 0.75
    bad = found[who == 1]
    said = a[who == 1]
    assert bad[np.arange(100), (said - 1) % 3].mean() > bad[np.arange(100), (said + 1) % 3].mean()


def test_no_reading_has_a_say_in_its_own_item():
    rng = np.random.default_rng(0)
    a, y = rng.integers(0, 3, 100), rng.integers(0, 3, 100)
    heard = Heard(np.zeros(100), np.zeros((100, 0)))
    believed, fold, read = rng.dirichlet(np.ones(3), 100), np.arange(100) % 5, np.ones(100, dtype=bool)
    before = likely(believed, a, heard, read, y, np.ones(100), fold)
    y[fold == 2] = (y[fold == 2] + 1) % 3
    after = likely(believed, a, heard, read, y, np.ones(100), fold)
    assert np.array_equal(before[fold == 2], after[fold == 2])
    assert not np.array_equal(before[fold == 1], after[fold == 1])


def test_answers_are_taken_as_they_are_until_one_is_changed_unless_it_is_for_choosing():
    a, heard = np.arange(50) % 2, Heard(np.zeros(50), np.zeros((50, 0)))
    rest = np.full((50, 2), 0.5), a, heard, np.arange(50) < 20, a, np.ones(50), np.arange(50) % 5
    assert np.array_equal(likely(*rest), np.eye(2)[a])
    assert (likely(*rest, as_shown=False).max(1) < 1.0).all()


# Splitting money


def test_the_best_split_is_the_known_one_and_never_more_than_one_reading_per_answer():
    first, second = np.array([0.2]), np.array([0.05])
    assert best_ratio(first, second, 4.0) == pytest.approx(np.sqrt(0.05 / (4 * 0.2)), rel=0.05)
    assert best_ratio(first, np.array([9.0]), 0.5) == 1.0
    assert best_ratio(first, np.array([0.0]), 4.0) == pytest.approx(0.01)
    assert best_ratio(first, second, 1.0) > best_ratio(first, second, 16.0)


def test_a_dearer_expert_reads_less():
    y, said, sure = vendor(400)
    run = at_work(Certified(), Pool.build(said, scores=sure, classes=range(4)), annotator(y, 0.1), sizes=(60, 20))
    ratios = [run.readings_per_answer(cost) for cost in (0.5, 2.0, 8.0)]
    assert ratios == sorted(ratios, reverse=True)
    assert 0.01 <= ratios[-1] < ratios[0] <= 1.0
    assert isinstance(run.state.setup.job, Job)


def test_readings_that_an_expert_leaves_out_may_be_anything():
    """An expert who leaves out whatever they would change moves the estimate, and the interval allows for it."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 2000)
    said = np.where(rng.random(2000) < 0.8, y, rng.integers(0, 4, 2000))
    sure = np.where(said == y, rng.beta(6, 1, 2000), rng.beta(2, 2, 2000)) * 0.66 + 0.33
    kind = np.where((said != y) & (rng.random(2000) < 0.6), said, y)  # annotators repeat the vendor's mistakes
    options = {"oracle": kind, "classes": range(4), "metrics": "accuracy", "budget": 300, "second_readings": 75}
    unwilling = altmas.assess(said, sure, expert=lambda item: None if kind[item] != y[item] else int(y[item]),
                              progress=False, **options).estimates.iloc[0]  # fmt: skip
    assert unwilling["missing"] > 0
    assert unwilling["low_alike"] > np.mean(said == y)
    assert unwilling["low"] <= np.mean(said == y) <= unwilling["high"]
    assert "missing" not in altmas.assess(said, sure, expert=y, progress=False, **options).estimates
