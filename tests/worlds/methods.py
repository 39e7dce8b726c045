"""What the tests of methods share: a small pool, and a belief that is given and learns nothing."""

from functools import partial

import numpy as np

from altmas.core.pool import Pool


class FixedBelief:
    """A belief that is given `[N, C]` and learns nothing; its draws are its odds times e^(+-1)."""

    def __init__(self, probabilities, pool):
        self.p, self.said = np.asarray(probabilities), pool.predictions
        self.fitted_on = []

    def fit(self, items, labels):
        self.fitted_on.append(items.tolist())

    def probabilities(self, items=None):
        return self.p if items is None else self.p[items]

    def agreement(self, items=None):
        items = np.arange(len(self.p)) if items is None else items
        padded = np.column_stack([self.p, np.zeros(len(self.p))])
        return padded[items, self.said[items]]

    def draw_agreement(self, draws, rng, items=None):
        a = self.agreement(items)
        odds = a / np.maximum(1 - a, 1e-12) * np.exp(rng.uniform(-1, 1, (draws, 1)))
        return odds / (1 + odds)


WRONG = np.random.default_rng(5).dirichlet(np.ones(3), 60)
BELIEF = partial(FixedBelief, WRONG)


def small_pool(items=60, seed=3, scores=True):
    """Three classes, 70% right, with a confidence that says a little."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, items, p=[0.5, 0.3, 0.2])
    a = np.where(rng.random(items) < 0.7, y, rng.integers(0, 3, items))
    sure = np.clip(0.6 + 0.2 * (a == y) + 0.2 * rng.random(items), 0, 1) if scores else None
    return Pool.build(a, scores=sure, classes=[0, 1, 2]), y


def several_models(items=120, accuracies=(0.6, 0.9, 0.7, 0.75), classes=3, no_class=0.0, seed=4):
    """Models m0, m1, ... on the same items; wrong ones guess, and some of their predictions are no class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, items)
    said = {}
    for h, accuracy in enumerate(accuracies):
        one = np.where(rng.random(items) < accuracy, y, rng.integers(0, classes, items))
        said[f"m{h}"] = np.where(rng.random(items) < no_class, classes, one).tolist()
    return Pool.build(said, classes=range(classes)), y
