"""The candidates of the certified method's belief: each says how probable every label of an item is, out of fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.outputs.evidence import Evidence
    from altmas.surrogates.outputs.score_calibrated import ScoreCalibrated
    from altmas.surrogates.outputs.score_pool import ScorePool
    from altmas.surrogates.outputs.vote import Vote

FEW_MODELS = 4
"""So many models, the best by the vote, are each asked for their own scores, where there are more."""

FEW_OPINIONS = 8
"""So many others are each asked for an opinion of it, where there are more; all of them vote."""

VOTERS = 3
"""Fewer are no vote."""


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
    ) -> Belief:
        """Label probabilities of wanted items, learnt from answers to others.

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
    ) -> Belief:
        """A few Newton steps."""
        learnt, rows = self.fitted(wanted, answers, weights, says)
        return learnt.belief(rows)

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


@dataclass(frozen=True, eq=False)
class FromVote:
    """What all models said together."""

    vote: Vote
    name: str = "vote"
    asks_learners: bool = False

    def about(
        self, wanted: IntArray, answers: Answers, weights: FloatArray, says: tuple[FloatArray, FloatArray] | None
    ) -> Belief:
        """What the models' votes are worth, as far as the answers show."""
        return self.vote.belief(wanted, self.vote.fit(answers.items, answers.labels, weights))


@dataclass(frozen=True, eq=False)
class FromScores:
    """What the scores of all models say together, of every label."""

    pool: ScorePool
    name: str = "all scores"
    asks_learners: bool = False

    def about(
        self, wanted: IntArray, answers: Answers, weights: FloatArray, says: tuple[FloatArray, FloatArray] | None
    ) -> Belief:
        """A log-linear pool, as far as the answers teach what each model is worth."""
        return Belief.dense(self.pool.probabilities(wanted, self.pool.fit(answers.items, answers.labels, weights)))


@dataclass(frozen=True, eq=False)
class TaughtBefore:
    """Another candidate, taught by labels as well that were there before any question.

    They were not drawn, and may be of other items than the rest or wrong: whether they help is for the answers to say,
    which weigh the candidates. No label that was known before depends on the draws, so each may teach about all items.
    """

    name: str
    model: LabelModel
    known: Answers

    @property
    def asks_learners(self) -> bool:
        """As the other does."""
        return self.model.asks_learners

    def about(
        self, wanted: IntArray, answers: Answers, weights: FloatArray, says: tuple[FloatArray, FloatArray] | None
    ) -> Belief:
        """From the answers, and from what was known of other items."""
        other = self.known.at(np.flatnonzero(~np.isin(self.known.items, answers.items)))
        both = answers.extended(other.items, other.labels, 0, other.propensities)
        return self.model.about(wanted, both, np.append(weights, np.ones(len(other))), says)


def label_models(
    pool: Pool, *, learners: bool = False, vote: bool = True, every_label: bool = False
) -> list[LabelModel]:
    """The candidates for this pool.

    Where three or more models speak, under test or with an opinion, their vote. For each model under test: agreement
    from its own outputs with the others as opinions, and with `learners` the same with what learners on features say.
    Of many models only the best few by the vote are gone into like this, so that the time is linear in their number,
    and where there is a vote, only those that have scores. Without `vote` all are, as in older versions. Where labels
    are known already, each that asks no learners once more, taught by those too. With `every_label`, one more that
    says how probable each label is from all models' scores, where some have a score for every class.

    >>> [one.name for one in label_models(Pool.build([0, 1, 1], scores=[0.9, 0.8, 0.7]))]
    ['scores']
    """
    from altmas.surrogates.outputs.evidence import evidence_from
    from altmas.surrogates.outputs.score_pool import ScorePool
    from altmas.surrogates.outputs.vote import Vote

    said, classes = (*pool.outputs, *pool.opinions), len(pool.classes)
    order, under_test = list(range(len(said))), list(range(len(pool.outputs)))
    voted: list[LabelModel] = []
    if vote and len(said) >= VOTERS:
        voting = Vote(np.stack([one.predictions for one in said]), classes)
        voted.append(FromVote(voting))
        if len(said) > FEW_OPINIONS + 1:
            order = np.argsort(-voting.weights, kind="stable").tolist()
        several = len(pool.outputs) > 1
        under_test = [one for one in order if one < len(pool.outputs) and not (several and said[one].scores is None)]
        under_test = under_test[:FEW_MODELS]
    alone: list[LabelModel] = []
    helped: list[LabelModel] = []
    for index in under_test:
        name = "scores" if len(pool.outputs) == 1 else f"scores of {said[index].name}"
        others = [said[one] for one in order if one != index]
        evidence = evidence_from(said[index], classes, others[:FEW_OPINIONS] if voted else others)
        alone.append(FromOutputs(name, evidence))
        if learners:
            helped.append(FromOutputs(f"{name} and features", evidence, asks_learners=True))
    if every_label and (scored := [one.scores for one in said if one.scores is not None and one.scores.ndim == 2]):
        alone.append(FromScores(ScorePool(scored[: FEW_OPINIONS + 1])))
    taught: list[LabelModel] = []
    if (before := _before(pool)) is not None:
        beside = (*alone, *voted)
        if pool.earlier is not None:
            beside = tuple(label_models(pool.earlier.beside(pool), vote=vote))
        taught = [TaughtBefore(f"{one.name} and known labels", one, before) for one in beside]
    return [*helped, *alone, *voted, *taught]


def _before(pool: Pool) -> Answers | None:
    """Labels there were before any question: of items of the pool, and of an earlier audit's, which come after them."""
    if pool.known is None and (pool.earlier is None or len(pool.earlier.labels) == 0):
        return None
    items, labels = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    if pool.known is not None:
        items.append(np.flatnonzero(pool.known >= 0))
        labels.append(pool.known[items[-1]])
    if pool.earlier is not None:
        items.append(pool.size + np.arange(len(pool.earlier.labels)))
        labels.append(pool.earlier.labels)
    return Answers().extended(np.concatenate(items), np.concatenate(labels), 0, np.ones(sum(map(len, items))))
