"""ALT-MAS and its baseline BALD: choose where a surrogate's draws disagree, estimate by Eq. 3."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from altmas.beliefs.acquisition import alt_mas, bald
from altmas.beliefs.draws import Draws
from altmas.beliefs.guard import Guard
from altmas.beliefs.on_features import FeatureSurrogate, OnFeatures, Surrogate, SurrogateRecipe
from altmas.core.answers import Answers
from altmas.core.checks import whole_number
from altmas.core.estimates import Estimate, plug_in
from altmas.core.method import Job, Run
from altmas.core.policies import Choice, best, choose_uniformly
from altmas.core.streams import stream
from altmas.metrics import CounterfactualMeans, tally
from altmas.metrics.types import FloatArray, IntArray, Probabilities

FEWEST_TO_TUNE_ON = 10

MOST_WRONG = 10.0
"""The wrong ones among the pseudo-labels weigh as much as this many answers in training, and no more.

Thousands of pseudo-labels of a middling model would drown the answers; those of a good model are what trains it.
"""

NEARLY_ALL = 0.8
"""Where this share of the predictions stand as labels, the network sees what the model under test said as well.

Of a model that is nearly always right this is the best feature there is; of a middling one the network would echo it.
"""

MOST_TAUGHT = 20_000
"""At most this many pseudo-labels are trained on: a fit visits a limited number of items, the answers among them."""


@dataclass(frozen=True)
class AltMas:
    """ALT-MAS: pseudo-labels, an MC-dropout surrogate, metric-aware mutual information.

    `surrogate` is a drawing estimator or scikit-learn ensemble (None: an MC-dropout network). `counted` decides whether
    pseudo-labelled items count as labelled in Eqs. 3 and 4, as a footnote of the paper has it, or take their drawn
    labels. `metric_aware=False` leaves the choice of items to BALD.

    Which predictions are pseudo-labels is decided by a guard of ours, and the network is kept from
    learning their mistakes. `literal=True` has both as the paper is written.
    """

    surrogate: Any = None
    draws: int = 50
    pseudo_labels: bool = True
    counted: bool = True
    tune: bool = False
    metric_aware: bool = True
    literal: bool = False
    name: str = "altmas"

    def begin(self, job: Job) -> Run:
        """Bind the surrogate to the pool's features."""
        return SurrogateRun(job, self)


@dataclass(frozen=True)
class Bald:
    """BALD: the surrogate learns from the answers only, and asks where its draws disagree about the label."""

    surrogate: Any = None
    draws: int = 50
    tune: bool = False
    name: str = "bald"
    metric_blind: ClassVar[bool] = True

    def begin(self, job: Job) -> Run:
        """Bind the surrogate to the pool's features."""
        recipe = AltMas(
            self.surrogate, self.draws, pseudo_labels=False, counted=False, tune=self.tune, metric_aware=False,
            literal=True, name=self.name,
        )  # fmt: skip
        return SurrogateRun(job, recipe)


NOTHING_TO_LEARN_FROM = (
    "method {method!r} has neither features nor scores to learn from: all items predicted alike look the same to it, "
    "and its estimates can be far off. Give features or scores, or use method='random'."
)


@dataclass(frozen=True, eq=False)
class Guarded:
    """A surrogate that can weigh what it learns from, and the guard over its pseudo-labels."""

    surrogate: FeatureSurrogate
    guard: Guard


class SurrogateRun:
    """A round: pseudo-label, fit, draw, count; then estimate and, if asked, choose."""

    def __init__(self, job: Job, recipe: AltMas) -> None:
        whole_number("draws", recipe.draws, 2)
        self.job, self.recipe = job, recipe
        self.guarded: Guarded | None = None
        if hasattr(recipe.surrogate, "bind"):  # it has its own way to say where the model under test is right
            theirs: SurrogateRecipe = recipe.surrogate
            self.surrogate: Surrogate = theirs.bind(job.pool)
        else:
            ours = OnFeatures(recipe.surrogate, recipe.tune).bind(job.pool)
            self.surrogate = ours
            if recipe.pseudo_labels and not recipe.literal:
                self.guarded = Guarded(ours, Guard(job.pool))
        if job.pool.features is None:
            job.reporter.note("no features given: the surrogate learns from the model under test's own outputs.")
        if job.pool.features is None and job.pool.scores is None:
            warnings.warn(NOTHING_TO_LEARN_FROM.format(method=recipe.name), stacklevel=2)
        self._tuned_at = 0

    def update(self, answers: Answers, round: int) -> None:
        """Refit and draw; estimates and choices then look at the same worlds."""
        pool, recipe = self.job.pool, self.recipe
        self.answers, self.round = answers, round
        self.pseudo = np.zeros(0, np.int64)
        open_items = answers.unlabelled(pool)
        if len(answers) and len(open_items):
            self._tune_if_due()
            if recipe.pseudo_labels:
                self.pseudo = self._pseudo_labelled()
            self._fit()
        self.draws = Draws(self._probabilities, open_items, draws=recipe.draws, classes=len(pool.classes))
        self.drawn = self._drawn_labels() if len(answers) else np.zeros((recipe.draws, len(open_items)), np.int16)
        self.confusions = self._confusions()

    def estimate(self, level: float) -> list[Estimate]:
        """Eq. 3; the promise says how many predictions our guard let stand as labels."""
        found = plug_in(self.job.metrics, self.confusions, len(self.answers), level)
        if self.guarded is None or len(self.draws.items) == 0:
            return found
        said = f"{len(self.pseudo):,} predictions stand as labels, by our guard"
        return [replace(one, promise=f"{one.promise}; {said}") for one in found]

    def choose(self, count: int) -> Choice:
        """The items of highest mutual information; at random before the first answer."""
        if len(self.answers) == 0:
            return choose_uniformly(self.job, self.answers, count)
        return best(self.draws.items, self.worth(), count, self._stream("ties"))

    def worth(self) -> FloatArray:
        """Worth of each open item `[n]`, or `[n, 2]` with the tie-break."""
        predicted = self.job.pool.predictions[self.draws.items]
        if self.recipe.metric_aware:
            means = CounterfactualMeans(self.job.metrics, self.confusions)
            return alt_mas(self.draws, self.drawn, predicted, means, self.job.pool.size)
        return np.concatenate([bald(p) for _, p in self.draws.blocks()])

    def believed_labels(self) -> tuple[IntArray, IntArray]:
        """The open items, and the most probable label of each over all draws."""
        best = [p.mean(0).argmax(-1) for _, p in self.draws.blocks()] if len(self.answers) else []
        return self.draws.items[: sum(map(len, best))], np.concatenate([np.zeros(0, np.int64), *best])

    def _probabilities(self, items: IntArray) -> Probabilities:
        # A new generator of the same stream each time: every block sees the same worlds.
        return self.surrogate.draw(items, draws=self.recipe.draws, rng=self._stream("draw"))

    def _pseudo_labelled(self) -> IntArray:
        rng = self._stream("agreement")
        if self.guarded is None:
            return self.surrogate.agreeing(self.answers, draws=self.recipe.draws, rng=rng)
        found = self.guarded.guard.pseudo_label(self.answers, rng)
        self.precision = found.precision
        return found.rows

    def _fit(self) -> None:
        answers, taught = self.answers, self._taught()
        items = np.concatenate([answers.items, taught])
        labels = np.concatenate([answers.labels, self.job.pool.predictions[taught]])
        rng = self._stream("fit")
        if self.guarded is None:
            self.surrogate.fit(items, labels, rng=rng)
        else:
            weights = weights_of(len(answers), len(taught), self.precision)
            nearly_all = len(self.pseudo) >= NEARLY_ALL * (self.job.pool.size - len(answers))
            self.guarded.surrogate.fit(items, labels, rng=rng, weights=weights, with_outputs=nearly_all)

    def _taught(self) -> IntArray:
        """The pseudo-labels to train on: not so many that the answers drown in them."""
        if len(self.pseudo) <= MOST_TAUGHT:
            return self.pseudo
        return np.sort(self._stream("taught").choice(self.pseudo, MOST_TAUGHT, replace=False))

    def _drawn_labels(self) -> NDArray[np.int16]:
        labels = self.draws.labels()
        if self.recipe.counted and len(self.pseudo):
            where = np.flatnonzero(np.isin(self.draws.items, self.pseudo))
            labels[:, where] = self.job.pool.predictions[self.draws.items[where]]
        return labels

    def _confusions(self) -> FloatArray:
        """Counts per draw `[M, C, P]`: answers as given, open items as drawn."""
        pool = self.job.pool
        said = pool.predictions[self.draws.items]
        counts = np.stack([tally(row, said, len(pool.classes), pool.columns) for row in self.drawn])
        return counts + self.answers.confusion(pool)

    def _tune_if_due(self) -> None:
        """Tune on the first answers, and again whenever they have doubled; a log given at once leads to the same."""
        due, round = tuning_due(self.answers.rounds) if self.recipe.tune else (0, 0)
        if due == self._tuned_at:
            return
        self._tuned_at = due
        rng = stream(self.job.seed, "round", round, "tune")
        settings = self.surrogate.tune(self.answers.first(due), rng=rng, reporter=self.job.reporter)
        shown = ", ".join(f"{name} {value:.3g}" for name, value in settings.items())
        self.job.reporter.note(f"tuned on {due} answers: {shown}.")

    def _stream(self, purpose: str) -> np.random.Generator:
        return stream(self.job.seed, "round", self.round, purpose)


def weights_of(answers: int, taught: int, precision: float) -> FloatArray | None:
    """Weights of the answers and then of the pseudo-labels, of which so large a part is right.

    Together these weigh as much as so many answers as would hold `MOST_WRONG` wrong ones. None where all weigh the
    same: a pseudo-label never weighs more than an answer.

    >>> weights_of(2, 40, 0.5).tolist()[:3]
    [1.0, 1.0, 0.5]
    >>> weights_of(2, 200, 0.99)
    """
    each = MOST_WRONG / max(taught * (1 - precision), MOST_WRONG)
    return None if each == 1 else np.repeat([1.0, each], [answers, taught])


def tuning_due(rounds: IntArray) -> tuple[int, int]:
    """On how many of the answers, given the round of each, tuning was last due, and after how many rounds.

    >>> tuning_due(np.array([0] * 10 + [1] * 5 + [2] * 5)), tuning_due(np.array([0] * 9))
    ((20, 3), (0, 0))
    """
    last = after = 0
    for end in [*(np.flatnonzero(np.diff(rounds)) + 1).tolist(), len(rounds)]:
        if end >= max(FEWEST_TO_TUNE_ON, 2 * last):
            last, after = end, int(rounds[end - 1]) + 1
    return last, after
