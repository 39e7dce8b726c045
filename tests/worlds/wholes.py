"""A whole of which a pool is a sample: three classes, one of them rare, and a model that is too sure of itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from altmas.core.first_phase import FirstPhase
from altmas.core.keyed_draws import drawn, row_keys
from altmas.core.pool import Pool


@dataclass(frozen=True)
class Whole:
    said: Any
    score: Any
    truth: Any
    group: Any

    @property
    def right(self):
        return self.said == self.truth

    def sampled(self, sample, seed):
        """The pool, and the truth of its items."""
        strata, stratum = np.unique(self.said * 10 + (self.score * 10).astype(int), return_inverse=True)
        rows = np.bincount(stratum)
        chosen = np.flatnonzero(drawn(row_keys(seed, "whole", 0, len(stratum)), stratum, rows, sample))
        phase = FirstPhase(stratum[chosen], rows, tuple(map(str, strata)))
        groups = {"side": self.group[chosen]}
        pool = Pool.build(self.said[chosen], scores=self.score[chosen], classes=range(3), groups=groups)
        return pool.drawn_from(phase), self.truth[chosen]


def whole(rows=6_000, seed=0):
    rng = np.random.default_rng(seed)
    said = rng.choice(3, rows, p=[0.7, 0.28, 0.02])
    score = np.clip(rng.beta(5, 1.2, rows), 0.34, 0.999)
    truth = np.where(rng.random(rows) < 0.92 * score, said, (said + rng.integers(1, 3, rows)) % 3)
    return Whole(said, score, truth, rng.choice(["left", "right"], rows))
