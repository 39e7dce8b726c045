"""The method `surface`: asks where an accuracy surface is least sure, and estimates accuracy from the surface."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.core.answers import Answers
from altmas.core.checks import whole_number
from altmas.core.estimates import Estimate, everything_labelled
from altmas.core.findings import RunFindings
from altmas.core.method import Job, Run
from altmas.core.policies import Choice, choose_uniformly
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.core.tasks import Best, Compare, Identify, Surface, Task, task_name
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.surfaces.chances import same_combinations
from altmas.surfaces.counts import ArmCounts, arm_counts
from altmas.surfaces.exploration import BATCH, EXPLORE_RULES, arm_keys, arm_order, choose_queries, query_chances
from altmas.surfaces.membership import By, Membership, membership
from altmas.surfaces.recipe import DEFAULT, SurfaceRecipe, draws_for
from altmas.surfaces.surface import AccuracySurface, read_surface, surface_of

if TYPE_CHECKING:
    from altmas.surrogates.surface.arm_posterior import SurfaceEstimator

MEASURES = ("accuracy", "error_rate")
"""What a surface knows of the whole pool: it sees right and wrong, not classes."""


@dataclass(frozen=True)
class SurfaceMethod:
    """An estimator of the surface, and how to explore: arms by `variance`, at `random` or in `round-robin`.

    Arms are asked about in batches of `batch`, one item each, drawn at random within its arm (where attributes are
    guessed, the item that most probably belongs to it); the surface is updated between batches, not fitted anew.
    """

    estimator: str | SurfaceRecipe = DEFAULT
    explore: str = "variance"
    by: By = None
    batch: int = BATCH
    name: str = "surface"

    default_metrics = "accuracy"

    def __post_init__(self) -> None:
        if self.explore not in EXPLORE_RULES:
            raise InputError("explore", f"be one of {', '.join(EXPLORE_RULES)}", repr(self.explore))
        whole_number("batch", self.batch, 1)
        SurfaceRecipe.of(self.estimator)  # an unknown one is refused now

    @classmethod
    def of(
        cls, estimator: str | SurfaceRecipe = DEFAULT, explore: str = "variance", by: By = None, batch: int = BATCH,
        name: str = "surface", **recipe: Any,
    ) -> SurfaceMethod:  # fmt: skip
        """From options as a command or a file can say them; `recipe` has those of `SurfaceRecipe`.

        >>> SurfaceMethod.of("beta-i", least=8).recipe.least
        8
        """
        made = replace(SurfaceRecipe.of(estimator), **recipe) if recipe else estimator
        return cls(made, explore, by, batch, name)

    @property
    def recipe(self) -> SurfaceRecipe:
        """How the surface is made."""
        return SurfaceRecipe.of(self.estimator)

    @property
    def guide(self) -> SurfaceRecipe:
        """Of the surface whose variance is followed: for `betagp` it is `betagp-sl`, which sees where answers are few.

        >>> SurfaceMethod("betagp").guide.estimator, SurfaceMethod("berngp").guide.estimator
        ('betagp-sl', 'berngp')
        """
        follows = self.recipe.estimator == "betagp" and self.explore == "variance"
        return replace(self.recipe, estimator="betagp-sl") if follows else self.recipe

    def with_task(self, task: Task, pool: Pool) -> SurfaceMethod:
        """The same method, for the combinations that a task names."""
        if isinstance(task, Identify | Compare | Best):
            hint = "They are uniform, informed, thompson, hierarchical, ..."
            rule = f"be one of the group methods for task {task_name(task)!r}"
            raise InputError("method", rule, repr(self.name), hint)
        named = task.estimator if isinstance(task, Surface) else None
        recipe = self.recipe if named is None else SurfaceRecipe.of(named)
        return replace(
            self, by=membership(pool, self.by if task.by is None else task.by, bins=recipe.bins), estimator=recipe
        )

    @property
    def surface_task(self) -> Surface:
        """What its labels are drawn for."""
        return Surface(self.by, self.recipe)

    def begin(self, job: Job) -> Run:
        """Lay out the arms."""
        if other := [one.name for one in job.metrics if one.name not in MEASURES]:
            hint = "method='certified' estimates every metric, and task='surface' gives the surface of its labels."
            raise InputError("metrics", f"be {' or '.join(MEASURES)} for method 'surface'", repr(other[0]), hint)
        return SurfaceRun(job, self, membership(job.pool, self.by, bins=self.recipe.bins))


@dataclass(eq=False)
class SurfaceRun:
    """A surface at work: fitted at the first answers, then updated with each round's."""

    job: Job
    method: SurfaceMethod
    where: Membership
    answers: Answers = field(default_factory=Answers)
    round: int = 0
    fitted: SurfaceEstimator | None = None

    def update(self, answers: Answers, round: int) -> None:
        """Follow the answers round by round, on from the last surface where that is right; a log leads to the same."""
        if self.fitted is None or not answers.goes_on_from(self.answers):
            self.answers, self.fitted = Answers(), None
        for number in np.unique(answers.rounds[len(self.answers) :]):
            self.answers = answers.first(int(np.searchsorted(answers.rounds, number, side="right")))
            counts = self.counts()
            if self.fitted is None:
                rng = stream(self.job.seed, "surface", "fit")
                self.fitted = self._unfitted.fit(counts.right, counts.wrong, rng=rng)
            else:
                self.fitted = self.fitted.update(counts.right, counts.wrong)
        self.answers, self.round = answers, round

    @cached_property
    def _unfitted(self) -> SurfaceEstimator:
        return self.method.guide.make(self.where)

    def counts(self) -> ArmCounts:
        """Plain counts: within an arm every item had the same chance to be asked about."""
        items = self.answers.items
        right = self.answers.labels == self.job.pool.predictions[items]
        return arm_counts(self.where.belongs, self.where.arms.size, items, right)

    def choose(self, count: int) -> Choice:
        """Arms by the rule, those too small to be judged last; uniformly before the first answer."""
        if self.fitted is None:
            return choose_uniformly(self.job, self.answers, count)
        rng = stream(self.job.seed, "surface", "choose", self.round)
        labelled = np.zeros(self.job.pool.size, dtype=bool)
        labelled[self.answers.items] = True
        known = (self.method.explore, self.fitted.moments()[1], self.counts().labels)
        order, active = arm_order(*known, rng), self.method.recipe.active(self.where)
        items: list[int] = []
        arms: list[int] = []
        for some in (order[active[order]], order[~active[order]]):
            if len(items) < count and len(some):
                found = choose_queries(some, self.where.belongs, labelled, rng, count - len(items))
                items, arms = [*items, *found.items.tolist()], [*arms, *found.arms.tolist()]
                labelled[found.items] = True
        if not self.where.sure:  # the surest item of an arm, not one at random
            return Choice(np.array(items, dtype=np.int64), np.ones(len(items)))
        left = self.where.open_support(self.answers.items)
        ties = np.unique(np.stack([arm_keys(*known), ~active], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        return Choice(np.array(items, dtype=np.int64), query_chances(np.array(arms, dtype=np.int64), ties, left))

    def findings(self, level: float) -> SurfaceFindings:
        """Everything the answers tell."""
        return SurfaceFindings(self, level)

    def estimate(self, level: float) -> list[Estimate]:
        """Accuracy on the pool: labelled items as they are, open ones by their arm's accuracy."""
        if (exact := everything_labelled(self.job, self.answers, level)) is not None:
            return exact
        mean, draws = self._accuracy()
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
        ends = {"accuracy": (mean, low, high), "error_rate": (1 - mean, 1 - high, 1 - low)}
        # Explored labels lie where combinations are rare; what a surface makes of them for the pool is often too sure.
        promise = f"spread of {len(draws):,} draws, not coverage: labels were explored for the combinations"
        return [_estimate(one.name, ends[one.name], len(self.answers), promise) for one in self.job.metrics]

    def _accuracy(self) -> tuple[float, FloatArray]:
        """Mean, and draws `[M]`, of the accuracy on the pool."""
        assert self.fitted is not None, "there are answers"
        pool, items = self.job.pool, self.answers.items
        known = float((self.answers.labels == pool.predictions[items]).sum())
        left = self.where.open_support(items)
        rng = stream(self.job.seed, "surface", "accuracy", self.round)
        draws = np.clip(self.fitted.draw(draws_for(self.where.arms.size) // 2, rng), 0.0, 1.0)
        right = open_right(draws, left, pool.size - len(items), rng, sure=self.where.sure)
        mean = (known + float(left @ self.fitted.moments()[0])) / pool.size
        return min(max(mean, 0.0), 1.0), (known + right) / pool.size

    def surface(self, level: float) -> AccuracySurface:
        """The surface as it is now; fitted anew where another one was followed, or where attributes are guessed."""
        assert self.fitted is not None, "there are answers"
        if not self.where.sure or self.method.guide != self.method.recipe:
            return surface_of(
                self.job.pool, self.answers, self.where, estimator=self.method.recipe, level=level, seed=self.job.seed
            )
        return read_surface(self.where, self.counts(), self.method.recipe, self.fitted, level, self.job.seed)


@dataclass(frozen=True, eq=False)
class SurfaceFindings(RunFindings):
    """What the labels of an exploring run tell: its estimates, and the surface they were drawn for."""

    run: SurfaceRun

    def is_about(self, where: Membership, recipe: SurfaceRecipe) -> bool:
        """Whether the labels were drawn for just this surface."""
        return recipe == self.run.method.recipe and same_combinations(self.run.where, where)


def open_right(draws: FloatArray, left: FloatArray, items: int, rng: np.random.Generator, *, sure: bool) -> FloatArray:
    """How many of the open items are right `[M]`, by draws of the surface `[M, A]` and the open items of each arm.

    Where attributes are guessed, `left` are expected numbers, of which many are below one: rounded arm by arm, they
    would vanish. Then the items are drawn together by their mean accuracy, the widest noise that items with this mean
    can have.

    >>> rng = np.random.default_rng(0)
    >>> open_right(np.array([[0.0, 1.0]]), np.array([3.0, 4.0]), 7, rng, sure=True)
    array([4.])
    >>> open_right(np.array([[1.0, 1.0]]), np.array([0.4, 0.4]), 1, rng, sure=False)
    array([1.])
    """
    if sure:
        return np.asarray(rng.binomial(np.rint(left).astype(np.int64), draws).sum(1), dtype=np.float64)
    share = np.clip(draws @ left / left.sum(), 0.0, 1.0)
    return np.asarray(rng.binomial(items, share), dtype=np.float64)


def _estimate(name: str, found: tuple[float, float, float], labels: int, promise: str) -> Estimate:
    """The mean is exact but the ends come from draws, so that it may lie just outside them: then they give way."""
    value, low, high = map(float, found)
    return Estimate(name, value, min(low, value), max(high, value), labels, promise)
