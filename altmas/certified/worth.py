"""The certified method's choice of worth, by name, for its present belief."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from altmas.beliefs.acquisition import alt_mas
from altmas.beliefs.draws import Draws
from altmas.beliefs.label_belief import LabelBelief
from altmas.beliefs.worths import expected_loss, neyman, xwed
from altmas.certified.design import Sample
from altmas.core.streams import stream
from altmas.metrics import CounterfactualMeans, tally
from altmas.metrics.types import FloatArray, IntArray, Probabilities

if TYPE_CHECKING:
    from altmas.certified.method import CertifiedRun

WORTHS = ("neyman", "information", "expected_loss", "xwed", "uniform")
DRAWS = 20


def worth_of_items(name: str, run: CertifiedRun, sample: Sample) -> FloatArray:
    """Worth of every item of the pool `[N]`, answered ones included: their hazards run on."""
    pool = run.job.pool
    if name == "neyman":
        return neyman([at.variance for at in run.wanted])
    if name == "uniform":
        return np.ones(pool.size)
    said = np.minimum(pool.predictions, len(pool.classes) - 1)
    agreement = np.where(pool.predictions < len(pool.classes), sample.probabilities[np.arange(pool.size), said], 0.0)
    if name == "expected_loss":
        return expected_loss(agreement)
    quick = LabelBelief(pool)
    quick.fit(sample.answers.items, sample.answers.labels)
    if name == "xwed":
        return xwed(quick.draw_agreement(DRAWS, _stream(run)))
    draws = _draws(run, quick)
    drawn = draws.labels()
    confusions = np.stack([tally(row, pool.predictions, len(pool.classes), pool.columns) for row in drawn])
    means = CounterfactualMeans(run.job.metrics, confusions)
    return np.asarray(alt_mas(draws, drawn, pool.predictions, means, pool.size)[:, 0])


def _stream(run: CertifiedRun) -> np.random.Generator:
    return stream(run.job.seed, "worth", run.round)


def _draws(run: CertifiedRun, quick: LabelBelief) -> Draws:
    """Coherent draws of every item's label: the quick surrogate's doubt about agreement, its own split of the rest."""
    pool = run.job.pool

    def source(items: IntArray) -> Probabilities:
        right = quick.draw_agreement(DRAWS, _stream(run), items)
        rest = quick.surrogate.wrong.probabilities(items)
        out = (1 - right)[..., None] * rest
        said = pool.predictions[items]
        real = np.flatnonzero(said < len(pool.classes))
        out[:, real, said[real]] += right[:, real]
        return np.asarray(out, dtype=np.float32)

    return Draws(source, np.arange(pool.size), draws=DRAWS, classes=len(pool.classes))
