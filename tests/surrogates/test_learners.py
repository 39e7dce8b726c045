"""Learners on features: exact where they say so, and never told what they must not know."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

import altmas.surrogates.learners.neighbours as graph
from altmas.beliefs.cross_fit import FOLDS, CrossFit
from altmas.beliefs.label_models import label_models
from altmas.beliefs.learners import as_learner, learners_on
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from altmas.surrogates.learners.blend import Blend
from altmas.surrogates.learners.classifier import Classifier
from altmas.surrogates.learners.kernel import Kernel, linear_probe
from altmas.surrogates.learners.neighbours import Neighbours
from altmas.surrogates.learners.network import FoldNetwork, held_out
from altmas.surrogates.learners.protocol import Lesson, a_few
from altmas.surrogates.learners.space import Space, squared_distances
from altmas.surrogates.learners.testing import ArrayRows

PARTS, CLASSES = 5, 3
QUICK = [Kernel(), linear_probe(), Neighbours()]
EVERY = [*QUICK, Classifier(GaussianNB()), FoldNetwork(hidden=(16,), most_steps=100)]


def clusters(items=150, seed=0, wide=4):
    """Features around a centre for each of three classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, items)
    return y, 2.5 * np.eye(CLASSES, wide)[y] + rng.normal(size=(items, wide))


def lesson_of(y, count=40, *, whole=False, seed=1):
    items = np.random.default_rng(seed).permutation(len(y))[:count]
    return Lesson(items, y[items], np.arange(count) % PARTS, CLASSES, PARTS, seed=3, whole=whole)


def bound(learner, x):
    return learner.bind(Space(ArrayRows(x), len(x)))


def relabelled(lesson, rows):
    labels = lesson.labels.copy()
    labels[rows] = (labels[rows] + 1) % CLASSES
    return Lesson(lesson.items, labels, lesson.part, CLASSES, PARTS, lesson.seed, lesson.whole)


# What is promised of all of them


@pytest.mark.parametrize("learner", EVERY, ids=lambda one: one.name)
def test_they_learn_and_their_rows_are_probabilities(learner):
    y, x = clusters()
    learnt = bound(learner, x).learn(lesson_of(y, 60, whole=True))
    p = learnt.predict(np.arange(150), None)
    assert p.sum(1) == pytest.approx(np.ones(150))
    assert (p > 0).all()
    assert (p.argmax(1) == y).mean() > 0.7
    assert learnt.left_out(None).shape == (60, CLASSES)


@pytest.mark.parametrize("learner", EVERY, ids=lambda one: one.name)
def test_what_they_say_of_an_answer_knows_neither_it_nor_the_part_left_out(learner):
    """Labels are changed that must not be seen; what is said stays the same to the last bit."""
    y, x = clusters()
    x[75:] = x[:75]  # every item has a twin: whoever is told a label tells it
    lesson, on = lesson_of(y), bound(learner, x)
    learnt = on.learn(lesson)
    other = on.learn(relabelled(lesson, lesson.part == 2))
    seen = lesson.seen(2)
    np.testing.assert_array_equal(learnt.predict(np.arange(150), 2), other.predict(np.arange(150), 2))
    np.testing.assert_array_equal(learnt.left_out(2), other.left_out(2))
    row = int(seen[7])
    one = on.learn(relabelled(lesson, [row]))
    exact = learner.quick  # others leave out the answer's part; its sharpness is chosen with all answers that are seen
    before, after = learnt.left_out(2)[7], one.left_out(2)[7]
    np.testing.assert_allclose(before, after, atol=0.25 if exact else 0)
    assert not np.allclose(learnt.predict(np.arange(150), 2), one.predict(np.arange(150), 2))


@pytest.mark.parametrize("learner", EVERY, ids=lambda one: one.name)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_next_to_no_answers_are_enough(learner, count):
    y, x = clusters(30)
    for whole, without in ((True, None), (False, 0)):
        learnt = bound(learner, x).learn(lesson_of(y, count, whole=whole))
        p = learnt.predict(np.arange(30), without)
        assert p.shape == (30, CLASSES)
        assert p.sum(1) == pytest.approx(np.ones(30))
        assert np.isfinite(learnt.left_out(without)).all()


@pytest.mark.parametrize("learner", [*QUICK, EVERY[-1]], ids=lambda one: one.name)
@pytest.mark.parametrize("kind", ["zeros", "huge", "two"])
def test_features_that_say_nothing_do_no_harm(learner, kind):
    y = np.arange(40) % CLASSES
    x = {"zeros": np.zeros((40, 3)), "huge": np.full((40, 1), 1e8), "two": np.repeat(np.eye(2), 20, 0)}[kind]
    learnt = bound(learner, x).learn(lesson_of(y, 20, whole=True))
    assert np.isfinite(learnt.predict(np.arange(40), None)).all()


def test_the_same_lesson_gives_the_same_whatever_was_learnt_before():
    y, x = clusters()
    for learner in EVERY:
        fresh, used = bound(learner, x), bound(learner, x)
        used.learn(lesson_of(y, 30, seed=9))
        a, b = (one.learn(lesson_of(y)).predict(np.arange(150), 1) for one in (fresh, used))
        np.testing.assert_array_equal(a, b)


# Exact leave-one-out


@pytest.mark.parametrize("learner", QUICK, ids=lambda one: one.name)
def test_leaving_one_out_is_what_learning_without_it_says(learner):
    """The same scores as without the answer; probabilities differ as far as sharpness is chosen with it or without."""
    y, x = clusters(60)
    lesson, on = lesson_of(y, 20, whole=True), bound(learner, x)
    all_in = on.learn(lesson).left_out(None)
    for row in range(0, 20, 5):
        rest = np.delete(np.arange(20), row)
        less = Lesson(lesson.items[rest], lesson.labels[rest], lesson.part[rest], CLASSES, PARTS, whole=True)
        alone = on.learn(less).predict(lesson.items[[row]], None)[0]
        ranks, others = np.argsort(all_in[row]), np.argsort(alone)
        assert ranks[-1] == others[-1]
        assert all_in[row] == pytest.approx(alone, abs=0.15)


def test_scores_of_the_kernel_left_out_are_exact():
    y, x = clusters(60)
    lesson = lesson_of(y, 20, whole=True)
    on = bound(Kernel(), x)
    solved = on.learn(lesson)._solved(None)
    for row in range(20):
        rest = np.delete(np.arange(20), row)
        near = on.near(lesson.items, lesson.items).astype(float)
        inside = near[np.ix_(rest, rest)] + Kernel().ridge * np.eye(19)
        alone = near[row, rest] @ np.linalg.solve(inside, np.eye(CLASSES)[lesson.labels[rest]] - 1 / CLASSES)
        assert solved.left_out[row] == pytest.approx(alone + 1 / CLASSES, abs=1e-5)


def test_labels_spread_as_the_closed_form_says():
    y, x = clusters(60)
    lesson, on = lesson_of(y, 12, whole=True), bound(Neighbours(), x)
    learnt = on.learn(lesson)
    start = np.zeros((60, CLASSES))
    start[lesson.items, lesson.labels] = 1
    a = Neighbours().stay
    exact = (1 - a) * np.linalg.solve(np.eye(60) - a * on.graph.toarray(), start)
    assert learnt._mass(None)[0] == pytest.approx(exact, abs=0.02 * exact.max())


# Large pools


def test_a_large_pool_has_a_graph_of_some_of_its_items(monkeypatch):
    y, x = clusters(400)
    whole = bound(Neighbours(), x).learn(lesson_of(y, 60, whole=True)).predict(np.arange(400), None)
    monkeypatch.setattr(graph, "MOST_ON_GRAPH", 100)
    on = bound(Neighbours(), x)
    learnt = on.learn(lesson_of(y, 60, whole=True))
    p = learnt.predict(np.arange(400), None)
    assert len(on.on_graph) == 100
    assert (p.argmax(1) == y).mean() > (whole.argmax(1) == y).mean() - 0.1
    assert learnt.left_out(None).shape == (60, CLASSES)


@pytest.mark.parametrize("learner", [Kernel(), Neighbours()], ids=lambda one: one.name)
def test_of_many_answers_some_are_learnt_from(learner, monkeypatch):
    monkeypatch.setattr("altmas.surrogates.learners.kernel.MOST_CENTRES", 25)
    monkeypatch.setattr(graph, "MOST_SOURCES", 25)
    y, x = clusters()
    learnt = bound(learner, x).learn(lesson_of(y, 60))
    assert (learnt.predict(np.arange(150), 0).argmax(1) == y).mean() > 0.7
    assert np.isfinite(learnt.left_out(0)).all()


def test_components_are_read_in_blocks(monkeypatch):
    x = np.random.default_rng(0).normal(size=(50, 10, 10))
    whole = Space(ArrayRows(x), 50).components
    monkeypatch.setattr("altmas.surrogates.learners.space._NUMBERS_AT_ONCE", 300)
    assert Space(ArrayRows(x), 50).components == pytest.approx(whole, abs=1e-5)
    assert squared_distances(whole, whole).diagonal() == pytest.approx(np.zeros(50), abs=1e-2)


# Together


def test_the_better_learner_counts_for_more():
    y, x = clusters(300)
    space, noise = Space(ArrayRows(x), 300), Space(ArrayRows(np.random.default_rng(1).normal(size=(300, 4))), 300)
    blend = Blend(["good", "useless"], [Kernel().bind(space), Kernel().bind(noise)])
    learnt = blend.learn(lesson_of(y, 100))
    assert learnt.shares()["good"] > 0.8
    assert sum(learnt.shares().values()) == pytest.approx(1)


@pytest.mark.parametrize("learner", EVERY, ids=lambda one: one.name)
def test_the_belief_of_a_fold_never_saw_its_labels(learner):
    """An item's label is planted in its features' neighbours: a belief that peeked would change with it."""
    y, x = clusters()
    x[75:] = x[:75]
    rng = np.random.default_rng(0)
    said = np.where(rng.random(150) < 0.7, y, rng.integers(0, CLASSES, 150))
    pool = Pool.build(said, scores=rng.uniform(0.4, 1, 150), features=x, classes=range(CLASSES))
    items = rng.permutation(150)[:50]
    with_features = [one for one in label_models(pool, learners=True) if one.asks_learners]
    fit = CrossFit(with_features, 150, CLASSES, 0, learners_on(pool, [learner]))
    answers = Answers().extended(items, y[items], 0, np.ones(50))
    before = fit.fit(answers, np.ones(50)).belief.rows()
    for fold in range(0, FOLDS, 2):
        hidden = fit.fold[items] == fold
        lied = np.where(hidden, (y[items] + 1) % CLASSES, y[items])
        after = fit.fit(Answers().extended(items, lied, 0, np.ones(50)), np.ones(50)).belief.rows()
        inside = fit.fold == fold
        np.testing.assert_array_equal(before[inside], after[inside])
        assert not np.allclose(before[~inside], after[~inside])


# Names and instances


def test_learners_by_name_or_brought_along():
    pool = Pool.build([0, 1, 1], features=np.eye(3))
    assert learners_on(pool, ["kernel", RandomForestClassifier()]).names == ["kernel", "RandomForestClassifier"]
    assert learners_on(pool, []) is None
    assert learners_on(Pool.build([0, 1]), "auto") is None
    for wrong in ("forest", 3, ["forest"], [object()], [RandomForestClassifier], ["kernel", "kernel"], [None]):
        with pytest.raises(InputError, match="learner"):
            learners_on(pool, wrong)
    with pytest.raises(InputError, match="kernel, linear, neighbours, network"):
        as_learner("forest")


# On trial


class Counts:
    """A learner that counts its lessons, and knows all or nothing."""

    quick, warm = False, {}

    def __init__(self, y, *, knows):
        self.y, self.knows, self.lessons = y, knows, 0
        self.name = "counts"

    def bind(self, space):
        return self

    def learn(self, lesson):
        self.lessons += 1
        self.lesson = lesson
        return self

    def left_out(self, without):
        return self.predict(self.lesson.items[self.lesson.seen(without)], without)

    def predict(self, items, without):
        return 0.9 * np.eye(CLASSES)[self.y[items]] + 0.1 / 3 if self.knows else np.full((len(items), CLASSES), 1 / 3)


@pytest.mark.parametrize("kind", ["tails", "specks", "large"])
def test_heavy_tails_stop_nobody(kind, rng):
    """Most items nearly equal and a few far away: a kernel of such features is singular to rounding."""
    x = rng.lognormal(0, 6, (120, 5)) if kind == "tails" else 1e-7 * rng.normal(size=(120, 5))
    x[:12] += rng.normal(size=(12, 5)) * (1e6 if kind == "large" else 1)
    y = rng.integers(0, CLASSES, 120)
    for learner in QUICK:
        learnt = bound(learner, x).learn(lesson_of(y, 60))
        assert np.isfinite(learnt.predict(np.arange(120), 0)).all()
        assert np.isfinite(learnt.left_out(0)).all()


def test_what_is_held_out_stays_held_out():
    """Or a network that goes on would be judged by what it trained on."""
    items = np.arange(500)
    few = held_out(items[:100])
    assert held_out(items)[:100].tolist() == few.tolist()
    assert 0.05 < few.mean() < 0.25


def test_of_many_answers_the_same_stay_chosen():
    items = np.random.default_rng(0).permutation(10_000)[:300]
    before, after = items[a_few(items[:200], 50)], items[a_few(items, 50)]
    assert len(before) == len(after) == 50
    assert np.isin(after, before).sum() > 25


@pytest.mark.parametrize(("knows", "lessons"), [(True, 4), (False, 2)])
def test_a_costly_learner_is_tried_now_and_then_and_stays_while_it_pays(knows, lessons, monkeypatch):
    monkeypatch.setattr("altmas.surrogates.learners.blend.FIRST_TRIAL", 100)
    y, x = clusters(400)
    costly = Counts(y, knows=knows)
    blend = Blend(["kernel", "counts"], [bound(Kernel(), x), costly], frozenset(["counts"]))
    warm = {}
    for count in (50, 100, 120, 150, 200):
        one = lesson_of(y, count)
        learnt = blend.learn(Lesson(one.items, one.labels, one.part, CLASSES, PARTS, warm=warm))
        warm = learnt.warm
        assert learnt.left_out(0).shape == (len(one.seen(0)), CLASSES)
    assert costly.lessons == lessons
    assert int(warm["counts:tried"]) == 200
    assert (warm["counts:share"].min() > 0.5) == knows
    assert warm["counts:share"].shape == (PARTS,)


def test_equal_distances_are_settled_by_a_trace_of_noise():
    """Rows of a table are equally far in crowds: rounding must not choose between them."""
    x = np.eye(4)[np.arange(80) % 4]
    one = bound(Neighbours(), x)
    other = bound(Neighbours(), x * (1 + 1e-6))
    assert (one.graph != other.graph).nnz == 0 or np.array_equal(one.graph.indices, other.graph.indices)
