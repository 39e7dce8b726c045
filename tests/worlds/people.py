"""What the tests of people share: annotators who are wrong or silent, an expert, and audits in which one reads."""

import numpy as np

from worlds.audits import make_audit

EXPERT = "ada"


def annotator(y, rate, how="at random", classes=4, seed=0):
    """Answers of somebody who is wrong so often: about any class, or always naming the last one."""
    rng = np.random.default_rng(seed)
    if how == "at random":
        return np.where(rng.random(len(y)) < rate, (y + rng.integers(1, classes, len(y))) % classes, y)
    elsewhere = y != classes - 1
    return np.where(elsewhere & (rng.random(len(y)) < rate / elsewhere.mean()), classes - 1, y)


def with_expert(folder, world, **options):
    """An audit in which Ada reads some answers again."""
    return make_audit(folder, world, **{"experts": [EXPERT], "budget": 60, **options})


def read_again(audit, world, count=5, reply=None):
    """Have Ada read answers; the positions."""
    queries = audit.ask(count, annotator=EXPERT)
    for query in queries:
        audit.tell(query.id, (reply or world.label)(query.position), annotator=EXPERT)
    return [query.position for query in queries]


def bodies(audit, kind):
    return [event.body for event in audit.events() if event.kind == kind]
