"""What the tests of audits share: pools whose labels are known, audits of them, a hand that meddles with a store."""

import shutil
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from altmas.audits.audit import Audit
from altmas.audits.store import STORE_FILE
from altmas.core.pool import Pool
from altmas.metrics import metrics_named, tally
from altmas.metrics.types import FloatArray, IntArray

CLASSES = ("ant", "bee", "cat", "dog")
METRICS = ["accuracy", "macro_recall", "f1:cat"]
QUICK = {"metrics": ["accuracy"], "initial": 20, "batch": 10}


@dataclass(frozen=True, eq=False)
class World:
    """A pool, and what only the annotators know: the class of each item, by position."""

    pool: Pool
    truth: IntArray
    said: IntArray
    confidence: FloatArray

    def label(self, position):
        """What a careful annotator answers."""
        return self.pool.classes[self.truth[position]]

    def wrong(self, position):
        """What a careless one might."""
        return self.pool.classes[(self.truth[position] + 1) % len(self.pool.classes)]

    @property
    def accuracy(self):
        return float((self.truth == self.said).mean())


def make_world(size=200, accuracy=0.8, seed=0, classes=CLASSES, **more):
    """A pool of a vendor with confidences that know a little of where it is right."""
    rng = np.random.default_rng(seed)
    k = len(classes)
    truth = rng.choice(k, size, p=np.arange(k, 0, -1) / sum(range(k + 1)))
    right = rng.random(size) < accuracy
    said = np.where(right, truth, (truth + rng.integers(1, k, size)) % k)
    u = rng.random(size)
    confidence = 0.5 + 0.5 * np.where(right, u**0.3, u)
    options = {"scores": confidence, "ids": [f"item-{i}" for i in range(size)], **more}
    return World(Pool.build([classes[c] for c in said], classes=classes, **options), truth, said, confidence)


def make_audit(folder, world=None, **options):
    """An audit of a world (a small one, if none is given)."""
    return Audit.create(folder, (world or make_world()).pool, **{**QUICK, **options})


@contextmanager
def passing_audit(folder, world=None, **options):
    """An audit that is gone afterwards: tests of many audits leave no heap behind."""
    with make_audit(folder, world, **options) as audit:
        yield audit
    shutil.rmtree(folder)


def answer(audit, world, count, *, reply=None, **how):
    """Ask and tell rounds as `assess` would: the initial ones, then batches, until `count` were asked in all."""
    reply = reply or world.label
    while (asked := len(audit.state.order)) < count:
        size = audit.settings.initial if asked == 0 else audit.settings.batch
        for query in audit.ask(min(size, count - asked), **how):
            audit.tell(query.id, reply(query.position))


def standing(audit):
    """Every standing answer: (position, annotator) to the class, `unsure` or `skip`."""
    people = audit.status().annotators
    return {(one.position, who): one.label for who in people for one in audit.answers_of(who)}


def kinds(audit):
    return [event.kind for event in audit.events()]


def drawn(audit):
    """Positions in the order drawn."""
    return list(audit.state.order)


def rounds(audit):
    return [event.body for event in audit.events() if event.kind == "drawn"]


def rows(folder):
    """The events as they are on disk."""
    connection = sqlite3.connect(folder / STORE_FILE)
    found = connection.execute("SELECT * FROM events ORDER BY seq").fetchall()
    connection.close()
    return found


def meddle(folder, *statements):
    """Change a store behind the program's back: a second connection that first takes the guards away."""
    connection = sqlite3.connect(folder / STORE_FILE)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        text, *values = statement if isinstance(statement, tuple) else (statement,)
        assert connection.execute(text, values).rowcount, f"{text} changed nothing"
    connection.commit()
    connection.close()


def sometimes(world, share, seed, word="unsure"):
    """Answers of somebody who gives up on so many questions, whatever they are about."""
    lost = np.random.default_rng(seed).random(world.pool.size) < share
    return lambda position: word if lost[position] else world.label(position)


def truth_of(name, world):
    confusion = tally(world.truth, world.said, len(CLASSES))
    return float(metrics_named([name], CLASSES)[0].value(confusion))
