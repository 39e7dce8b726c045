"""What the tests of surfaces share: a pool in which one combination is much worse."""

import numpy as np

from altmas.surrogates.surface.gp import SurfaceSettings

QUICK = {"budget": 80, "initial": 40, "progress": False}
FEW_STEPS = SurfaceSettings(steps=40, update_steps=5, learning_rate=0.02, inducing=8)


def world(size=400, seed=0):
    """Two attributes and an age; the model is right in nine of ten, but in half of those of sex f and race c."""
    rng = np.random.default_rng(seed)
    groups = {"sex": rng.choice(["f", "m"], size), "race": rng.choice(list("abc"), size)}
    groups["age"] = rng.integers(18, 80, size)
    truth = rng.integers(2, size=size)
    bad = (groups["sex"] == "f") & (groups["race"] == "c")
    said = np.where(rng.random(size) < np.where(bad, 0.5, 0.9), truth, 1 - truth)
    scores = np.clip(np.where(said == truth, rng.beta(8, 2, size), rng.beta(4, 4, size)), 0.5, 1)
    return said, scores, groups, truth
