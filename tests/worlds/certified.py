"""What the tests of the certified method share: a vendor's outputs, a run without the loop, everything labelled."""

import numpy as np

import altmas
from altmas.metrics import metrics_named, tally
from worlds import runs

NAMES = ["ant", "bee", "cat", "dog"]
QUICK = {"budget": 60, "initial": 30, "batch": 15, "progress": False}


def vendor(items=400, accuracy=0.8, scores="informative", seed=0):
    """Labels, predictions and a confidence that knows where they are right, or nothing, or the opposite of it."""
    rng = np.random.default_rng(seed)
    y = rng.choice(4, items, p=[0.4, 0.3, 0.2, 0.1])
    right = rng.random(items) < accuracy
    said = np.where(right, y, (y + rng.integers(1, 4, items)) % 4)
    u = rng.random(items)
    high = {"informative": right, "useless": np.zeros(items, bool), "opposite": ~right}[scores]
    return y, said, 0.5 + 0.5 * np.where(high, u**0.3, u)


def at_work(method, pool, y, **how):
    """A run after rounds of answers, as the loop would have it."""
    return runs.at_work(method, pool, y, **how)[0]


def truth_of(names, y, said, classes=4):
    confusion = tally(y, said, classes)
    return [float(one.value(confusion)) for one in metrics_named(list(names), range(classes))]


def whole(y, said, **more):
    """Everything labelled."""
    options = {"classes": range(4), "budget": len(y), "initial": len(y) - 20, "batch": 20, "progress": False}
    return altmas.assess(said, oracle=y, **options | more)
