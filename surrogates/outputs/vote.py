"""The vote of many models: how probable each label is, from who said what, before any answer and after.

The log odds of a label c of item i are

    gamma V_i(c) + b_c + sum_h d_h 1[model h said c],      V_i(c) = sum_h w_h 1[model h said c],

and the labels that nobody said have e^u among them. The weights w_h are found without an answer, in the manner of Dawid
and Skene (1979): a model counts for more that agrees with the others' vote, and near-duplicates count as one between
them, or a clique of copies would outvote everybody. What the answers teach is gamma, u, each class's b_c and what each
model is worth besides, d_h, all with Gaussian priors, so that the vote that is proved wrong loses its say. Time and
memory are linear in the number of models.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from altmas.metrics.belief import Belief, Shared, Single
from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.outputs.line_search import halved_until_lower

POWER = 4.0
"""A model's say grows with this power of what its agreement with the vote is above chance."""

ALIKE = 0.85
"""Two models are near-duplicates from this share of equal answers on, and copies where it is 1."""

SHARPNESS = (2.5, 2.5)
"""Prior mean and deviation of gamma: of the log odds of what all models say."""

NOBODY = (0.0, 1.0)
"""Prior mean and deviation of u."""

CLASS_SD = 0.5
"""Prior deviation of a class's own log odds."""

MODELS_SD = 0.45
"""Prior deviation of what each model is worth besides its weight in the vote."""

MANY_CLASSES = 20
"""With more classes than this none has log odds of its own: few answers would be of it."""

_ROUNDS, _ITEMS_TO_COMPARE = 8, 512
_NEWTON_STEPS, _SMALL = 30, 1e-6


@dataclass(frozen=True, eq=False)
class Opinion:
    """What was learnt: each model's log odds `[H]`, each class's `[C]`, and those of the labels nobody said."""

    models: FloatArray
    classes: FloatArray
    nobody: float


class Vote:
    """Label probabilities from what models said, `said [H, N]`; C stands for an answer that is no class.

    >>> said = np.array([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]])
    >>> vote = Vote(said, 2)
    >>> vote.probabilities(np.array([1, 3]), vote.before).round(2).tolist()
    [[0.08, 0.92], [0.92, 0.08]]
    """

    def __init__(self, said: IntArray, classes: int) -> None:
        self.said, self.classes = said, classes
        self.copies = near_duplicates(said)
        self.weights = vote_weights(said, classes, self.copies)
        self._own = classes if classes <= MANY_CLASSES else 0  # classes that have log odds of their own

    @cached_property
    def before(self) -> Opinion:
        """What is thought before there is an answer."""
        return Opinion(SHARPNESS[0] * self.weights, np.zeros(self.classes), NOBODY[0])

    def fit(self, items: IntArray, labels: IntArray, weights: FloatArray) -> Opinion:
        """What answers teach: the most probable coefficients, by Newton's method."""
        if len(items) == 0:
            return self.before
        lesson = _lesson(self, items, labels)
        theta = _most_probable(lesson, weights)
        gamma, nobody = SHARPNESS[0] + SHARPNESS[1] * theta[0], NOBODY[0] + NOBODY[1] * theta[1]
        own, each = np.zeros(self.classes), theta[2 + self._own :]
        own[: self._own] = CLASS_SD * theta[2 : 2 + self._own]
        return Opinion(gamma * self.weights + MODELS_SD * each, own, float(nobody))

    def belief(self, items: IntArray, opinion: Opinion) -> Belief:
        """Label probabilities of some items: of many classes those that somebody said, and what the rest share."""
        if self.classes <= 2 * len(self.said) or self.classes <= MANY_CLASSES:
            return Belief.dense(self.probabilities(items, opinion))
        said = self.said[:, items]
        unheard = opinion.nobody - np.log(self.classes - 1)
        odds, first = np.zeros(said.shape), np.zeros(said.shape, dtype=bool)
        for row, one in enumerate(said):  # the first who said a label stands for all who did
            alike = said == one
            odds[row] = opinion.models @ alike
            first[row] = (one < self.classes) & ~alike[:row].any(0)
        top = np.maximum(np.where(first, odds, -np.inf).max(0), unheard)
        shares = np.where(first, np.exp(odds - top), 0.0)
        rest = np.exp(unheard - top)
        total = shares.sum(0) + rest * (self.classes - first.sum(0))
        rest /= total
        even = Shared(np.zeros(len(items), dtype=np.int8), np.ones((1, self.classes)), rest)
        above = np.where(first, shares / total - rest, 0.0)
        return Belief(len(items), self.classes, (even, *map(Single, said, above)))

    def probabilities(self, items: IntArray, opinion: Opinion) -> FloatArray:
        """The same, `[n, C]`."""
        said = self.said[:, items]
        odds = _tally(said, opinion.models, self.classes) + opinion.classes
        heard = np.zeros((len(items), self.classes + 1), dtype=bool)
        rows = np.arange(len(items))
        for one in said:
            heard[rows, one] = True
        odds[~heard[:, :-1]] = opinion.nobody - np.log(max(self.classes - 1, 1))
        odds -= odds.max(1, keepdims=True)
        np.exp(odds, out=odds)
        odds /= odds.sum(1, keepdims=True)
        return odds


def near_duplicates(said: IntArray) -> FloatArray:
    """How many models each one stands among that say nearly the same, itself included `[H]`; on a sample of items.

    >>> near_duplicates(np.array([[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0]])).tolist()
    [2.0, 2.0, 1.0]
    """
    size = said.shape[1]
    some = said[:, np.unique(np.linspace(0, size - 1, min(size, _ITEMS_TO_COMPARE)).astype(np.int64))]
    alike = np.stack([(some == one).mean(1) for one in some])
    return np.asarray(np.clip((alike - ALIKE) / (1 - ALIKE), 0.0, 1.0).sum(1))


def vote_weights(said: IntArray, classes: int, copies: FloatArray) -> FloatArray:
    """Each model's weight in the vote `[H]`, which sum to 1, found without any answer.

    >>> said = np.array([[0, 1, 1, 0, 1], [0, 1, 1, 0, 1], [0, 1, 0, 0, 1], [1, 0, 1, 1, 0]])
    >>> vote_weights(said, 2, np.ones(4)).round(2).tolist()  # the last one contradicts the others
    [0.46, 0.46, 0.08, 0.0]
    """
    weights = 1 / copies
    rows = np.arange(said.shape[1])
    for _ in range(_ROUNDS):
        share = _tally(said, weights / weights.sum(), classes)
        padded = np.concatenate([share, np.zeros((len(share), 1))], axis=1)  # no class is never voted for
        agreement = np.array([padded[rows, one].mean() for one in said])
        weights = np.maximum(agreement - 1 / classes, 1e-3) ** POWER / copies
    return np.asarray(weights / weights.sum())


def _tally(said: IntArray, weights: FloatArray, classes: int) -> FloatArray:
    """The weights of the models that said each class, summed `[n, C]`."""
    rows = np.arange(said.shape[1])
    out = np.zeros((len(rows), classes + 1))
    for one, weight in zip(said, weights, strict=True):
        out[rows, one] += weight
    return out[:, :classes]


@dataclass(frozen=True, eq=False)
class _Lesson:
    """Answers as choices between slots: a slot per label that somebody said, and one for all the others.

    `columns [n, S, D]` are scaled so that every coefficient has a standard normal prior; `offset [n, S]` is what the
    prior means amount to, minus infinity where an item has fewer slots; `chosen [n]` is the label's slot.
    """

    columns: FloatArray
    offset: FloatArray
    chosen: IntArray


def _lesson(vote: Vote, items: IntArray, labels: IntArray) -> _Lesson:
    said, classes, own = vote.said[:, items], vote.classes, vote._own
    heard = [np.unique(one[one < classes]) for one in said.T]
    slots = 1 + max(len(one) for one in heard)
    columns = np.zeros((len(items), slots, 2 + own + len(said)))
    offset = np.full((len(items), slots), -np.inf)
    chosen = np.zeros(len(items), dtype=np.int64)
    for row, (names, label) in enumerate(zip(heard, labels, strict=True)):
        left = classes - len(names)
        offset[row, 0] = NOBODY[0] + np.log(left / max(classes - 1, 1)) if left else -np.inf
        columns[row, 0, 1] = NOBODY[1]
        said_so = said[:, row] == names[:, None]  # [slots - 1, H]
        part = columns[row, 1 : 1 + len(names)]
        voted = said_so @ vote.weights
        part[:, 0], offset[row, 1 : 1 + len(names)] = SHARPNESS[1] * voted, SHARPNESS[0] * voted
        if own:
            part[np.arange(len(names)), 2 + names] = CLASS_SD
        part[:, 2 + own :] = said_so * MODELS_SD
        place = np.searchsorted(names, label)
        chosen[row] = 1 + place if place < len(names) and names[place] == label else 0
    return _Lesson(columns, offset, chosen)


def _most_probable(lesson: _Lesson, weights: FloatArray) -> FloatArray:
    """Newton's method with a halving line search; in the space of the answers where that is the smaller one."""
    count, slots, size = lesson.columns.shape
    flat = lesson.columns.reshape(count * slots, size)
    rows = np.arange(count)
    wanted = np.zeros((count, slots))
    wanted[rows, lesson.chosen] = 1.0

    def judged(theta: FloatArray) -> tuple[float, FloatArray]:
        odds = lesson.offset + (flat @ theta).reshape(count, slots)
        top = odds.max(1, keepdims=True)
        shares = np.exp(odds - top)
        total = shares.sum(1, keepdims=True)
        lost = weights @ (np.log(total) + top - odds[rows, lesson.chosen][:, None])[:, 0]
        return float(lost + 0.5 * theta @ theta), shares / total

    theta = np.zeros(size)
    loss, p = judged(theta)
    for _ in range(_NEWTON_STEPS):
        gradient = theta - flat.T @ ((wanted - p) * weights[:, None]).ravel()
        centred = lesson.columns - np.einsum("ns,nsd->nd", p, lesson.columns)[:, None]
        root = (np.sqrt(weights[:, None] * p)[:, :, None] * centred).reshape(count * slots, size)
        if size <= count * slots:
            step = np.linalg.solve(np.eye(size) + root.T @ root, gradient)
        else:  # Woodbury
            inner = np.eye(count * slots) + root @ root.T
            step = gradient - root.T @ np.linalg.solve(inner, root @ gradient)
        gain = float(gradient @ step)
        if gain < _SMALL:
            break
        theta, loss, p = halved_until_lower(theta, -step, gain, loss, judged)
    return theta
