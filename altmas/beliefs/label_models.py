"""The candidates of the certified method's belief: each says how probable every label of an item is, out of fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.outputs.evidence import Evidence
    from altmas.surrogates.outputs.score_calibrated import ScoreCalibrated


class LabelModel(Protocol):
    """One way to learn the labels of a pool."""

    @property
    def name(self) -> str: ...

    @property
    def asks_learners(self) -> bool:
        """Whether it hears what learners on features say."""
        ...

    def about(
        self, wanted: IntArray, answers: Answers, weights: FloatArray, says: tuple[FloatArray, FloatArray] | None
    ) -> FloatArray:
        """Label probabilities `[m, C]` of wanted items, learnt from answers to others.

        `says` has what learners on features say about the wanted items `[m, C]`, and about those answered `[n, C]`
        as far as they can without each one's own label.
        """
        ...


@dataclass(frozen=True, eq=False)
class FromOutputs:
    """Agreement learnt from what the models said, and from the predicted class.

    With `asks_learners`, what learners on features say is one more opinion.
    """

    name: str
    evidence: Evidence
    asks_learners: bool = False

    def about(
        self, wanted: IntArray, answers: Answers, weights: FloatArray, says: tuple[FloatArray, FloatArray] | None
    ) -> FloatArray:
        """A few Newton steps."""
        belief, rows = self.fitted(wanted, answers, weights, says)
        return belief.probabilities(rows)

    def fitted(
        self, wanted: IntArray, answers: Answers, weights: FloatArray, says: tuple[FloatArray, FloatArray] | None
    ) -> tuple[ScoreCalibrated, IntArray]:
        """The regression, and the rows by which it knows the wanted items."""
        from altmas.surrogates.outputs.score_calibrated import ScoreCalibrated

        if says is None:
            belief = ScoreCalibrated(self.evidence)
            belief.fit(answers.items, answers.labels, weights)
            return belief, wanted
        both = np.concatenate([wanted, answers.items])
        belief = ScoreCalibrated(self.evidence.with_learner(both, np.concatenate(says), len(wanted)))
        belief.fit(np.arange(len(wanted), len(both)), answers.labels, weights)
        return belief, np.arange(len(wanted))


def label_models(pool: Pool, *, learners: bool = False) -> list[LabelModel]:
    """The candidates for this pool.

    For each model under test: agreement from its own outputs with every other model as an opinion, and with `learners`
    the same with what learners on features say.

    >>> [one.name for one in label_models(Pool.build([0, 1, 1], scores=[0.9, 0.8, 0.7]))]
    ['scores']
    """
    from altmas.surrogates.outputs.evidence import evidence_from

    said, classes = (*pool.outputs, *pool.opinions), len(pool.classes)
    alone: list[LabelModel] = []
    helped: list[LabelModel] = []
    for index, outputs in enumerate(pool.outputs):
        name = "scores" if len(pool.outputs) == 1 else f"scores of {outputs.name}"
        evidence = evidence_from(outputs, classes, said[:index] + said[index + 1 :])
        alone.append(FromOutputs(name, evidence))
        if learners:
            helped.append(FromOutputs(f"{name} and features", evidence, asks_learners=True))
    return [*helped, *alone]
