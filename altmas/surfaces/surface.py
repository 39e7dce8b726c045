"""An accuracy surface: how accurate the model under test is for every combination of attributes.

With a dozen attributes there are thousands of combinations, arms, and labels for few of them. A surface shares what
neighbouring arms teach (`altmas.surrogates.surface.estimators`), and says how sure it is of each.

Estimates are about each arm's accuracy behind the pool: how often the model is right on such items, of which those in
the pool are some. What the intervals promise, `altmas.words.surfaces` says per estimator: those of Beta-I and BetaGP
hold the truth at their level on average over surfaces that the prior describes, and nothing is promised about others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from altmas.core.answers import Answers
from altmas.core.checks import fraction, whole_number
from altmas.core.log import answers_in
from altmas.core.pool import Pool
from altmas.core.ranking import probability_among_lowest
from altmas.core.streams import stream
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.surfaces.chances import Chances, chances_in, explored_chances
from altmas.surfaces.combinations import Combinations
from altmas.surfaces.counts import ArmCounts, arm_answers
from altmas.surfaces.marginals import Cells, spread, value_column, worst_first
from altmas.surfaces.membership import By, Membership, membership
from altmas.surfaces.recipe import DEFAULT, SurfaceRecipe, draws_for
from altmas.words.surfaces import GUESSED, LABELLED, surface_promise, surface_verdict

if TYPE_CHECKING:
    from altmas.surrogates.surface.arm_posterior import ArmPosterior, SurfaceBelief


@dataclass(frozen=True, eq=False)
class AccuracySurface:
    """What the answers tell of every arm: `table`, `worst`, `marginal`, `verdict` and what the intervals `promise`."""

    where: Membership
    counts: ArmCounts
    recipe: SurfaceRecipe
    posterior: ArmPosterior
    """Mean and interval of each arm's accuracy, each `[A]`, arms without items included."""

    draws: FloatArray = field(repr=False)
    """Coherent draws of the whole surface `[M, A]`."""

    caution: str = ""

    @property
    def arms(self) -> Combinations:
        """The combinations of attributes."""
        return self.where.arms

    @property
    def values(self) -> dict[str, tuple[Any, ...]]:
        """The values of each attribute, in order."""
        return {one.name: one.values for one in self.arms.attributes}

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return self.posterior.level

    @property
    def active(self) -> Any:
        """Arms that are judged `[A]`."""
        return self.recipe.active(self.where)

    @property
    def labelled(self) -> Any:
        """Arms that have labels of their own `[A]`."""
        return self.counts.labels >= LABELLED

    @property
    def largest_only(self) -> bool:
        """Whether no arm has as many items as the recipe asks for, so that the largest are judged instead."""
        return bool(self.where.support.max() < self.recipe.least)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per arm that has items: its attributes, `support`, `labels`, `estimate`, `low`, `high`, `p_worst`.

        `p_worst` is the probability to be the least accurate of the arms with at least `least` items; NaN for others.
        """
        held = np.flatnonzero(self.where.support > 0)
        chance = np.full(self.arms.size, np.nan)
        chance[self.active] = self._among_worst(1)
        return self._rows(held).assign(
            estimate=self.posterior.mean[held],
            # A Beta that leans on 0 or 1 may have its mean outside its own central interval.
            low=np.minimum(self.posterior.low, self.posterior.mean)[held],
            high=np.maximum(self.posterior.high, self.posterior.mean)[held],
            p_worst=chance[held],
        )

    def worst(self, m: int = 10) -> pd.DataFrame:
        """At most `m` arms: the likeliest worst first, then by `p`, the probability to be among the m least accurate.

        Of arms with the same `p` the one with the lower estimate comes first.
        """
        whole_number("m", m, 1)
        chance = np.full(self.arms.size, np.nan)
        chance[self.active] = self._among_worst(m)
        held = np.flatnonzero(self.where.support > 0)
        table = self.table.assign(p=chance[held], arm=[self.arms.name(int(k)) for k in held])
        return worst_first(table.dropna(subset=["p"]), "p").head(m).reset_index(drop=True)

    def marginal(self, *attributes: str) -> pd.DataFrame:
        """Accuracy per value of an attribute, or per combination of several: each arm counts by its items.

        Intervals are of coherent draws, so that arms that err together do not average out.
        """
        places = [self._place(name) for name in attributes]
        if not places or len(set(places)) < len(places):
            raise InputError("attributes of a marginal", "be one or more, each once", ", ".join(attributes) or "none")
        cells = Cells.of(self.arms, self.where.support, places)
        low, high = np.quantile(cells.draws(self.draws), [(1 - self.level) / 2, (1 + self.level) / 2], axis=0)
        mean = cells.mean(self.posterior.mean)
        columns = {
            name: value_column(self.arms.attributes[place], cells.codes[:, k])
            for k, (name, place) in enumerate(zip(attributes, places, strict=True))
        }
        found = {"support": self._whole(cells.support), "labels": self._whole(cells.total(self.counts.labels))}
        ends = {"low": np.minimum(low, mean), "high": np.maximum(high, mean)}
        return pd.DataFrame({**columns, **found, "estimate": mean, **ends})

    def widest(self, count: int = 1) -> list[tuple[str, str]]:
        """The pairs of attributes whose combinations differ most: by the spread of estimates, items counted.

        >>> groups = {"hat": list("nnnnyyyy"), "age": list("oyoyoyoy"), "day": list("mmffmmff")}
        >>> pool = Pool.build([0] * 8, groups=groups, classes=[0, 1])
        >>> answers = Answers().extended(list(range(8)), [0, 0, 0, 0, 0, 1, 0, 1], 0, [1.0] * 8)
        >>> surface_of(pool, answers, estimator="beta-i").widest()
        [('hat', 'age')]
        """
        pairs = list(combinations(range(len(self.arms.names)), 2))
        found = [spread(Cells.of(self.arms, self.where.support, pair), self.posterior.mean) for pair in pairs]
        first = np.argsort(-np.array(found), kind="stable")[:count]
        return [(self.arms.names[pairs[k][0]], self.arms.names[pairs[k][1]]) for k in first]

    @property
    def verdict(self) -> str:
        """The worst arm, or between which it is not settled."""
        rows = self.worst(int(self.active.sum())).to_dict("records")
        said = [{str(name): value for name, value in row.items()} for row in rows]
        return surface_verdict(said, int((self.where.support > 0).sum()), largest_only=self.largest_only)

    @property
    def promise(self) -> str:
        """What the intervals promise."""
        return surface_promise(self.level, self.recipe.estimator, self.caution, "" if self.where.sure else GUESSED)

    def write(self, path: str | Path) -> None:
        """Write the table: .csv, .tsv, .parquet, .jsonl, .json or .npz, by the ending."""
        from altmas.formats.writing import write_table

        write_table(self.table, path)

    def _place(self, name: str) -> int:
        if name not in self.arms.names:
            raise InputError("attribute", f"be one of {', '.join(self.arms.names)}", repr(name))
        return self.arms.names.index(name)

    def _rows(self, held: Any) -> pd.DataFrame:
        columns = {one.name: value_column(one, self.arms.codes[held, k]) for k, one in enumerate(self.arms.attributes)}
        counts = {"support": self._whole(self.where.support[held]), "labels": self._whole(self.counts.labels[held])}
        return pd.DataFrame({**columns, **counts})

    def _whole(self, counts: FloatArray) -> Any:
        return np.rint(counts).astype(np.int64) if self.where.sure else counts

    def _among_worst(self, m: int) -> FloatArray:
        """P(among the m lowest) of each active arm; ties, which only certain arms have, are shared."""
        return probability_among_lowest(self.draws[:, self.active], m)


def read_surface(
    where: Membership, counts: ArmCounts, recipe: SurfaceRecipe, fitted: SurfaceBelief, level: float, seed: int,
    caution: str = "",
) -> AccuracySurface:  # fmt: skip
    """The surface that a fitted estimator describes."""
    draws = fitted.draw(draws_for(where.arms.size), stream(seed, "surface", "draws"))
    return AccuracySurface(where, counts, recipe, fitted.posterior(fraction("level", level)), draws, caution)


def surface_of(
    pool: Pool,
    answers: Answers,
    by: By = None,
    *,
    estimator: str | SurfaceRecipe = DEFAULT,
    inclusion: FloatArray | None = None,
    level: float = 0.95,
    seed: int = 0,
    model: str | None = None,
    caution: str = "",
) -> AccuracySurface:
    """A surface from answers. `inclusion [N]`: the chance of each item to have been asked about, where they differ.

    Without `inclusion` the labels of an arm are taken as drawn uniformly from it; see `altmas.surfaces.counts`.

    >>> pool = Pool.build(list("aabb"), groups={"hat": ["no", "yes", "no", "yes"]})
    >>> answers = Answers().extended([0, 1, 2, 3], [0, 0, 1, 0], 0, [1.0] * 4)
    >>> surface_of(pool, answers, "hat", estimator="beta-i").table["estimate"].round(2).tolist()
    [0.83, 0.58]
    """
    fraction("level", level)
    recipe = SurfaceRecipe.of(estimator)
    pool = pool.of_model(model)
    where = membership(pool, by, bins=recipe.bins)
    if len(answers) == 0:
        raise InputError("answers", "hold at least one label", "none")
    right = answers.labels == pool.predictions[answers.items]
    each = arm_answers(where.belongs, where.arms.size, answers.items, right, inclusion)
    fitted = recipe.fitted(where, each, stream(seed, "surface", "fit"))
    return read_surface(where, ArmCounts.of(each), recipe, fitted, level, seed, caution)


def surface_from_log(
    pool: Pool, log: pd.DataFrame, by: By = None, *, explored: By = None, at_random: bool = False, **how: Any
) -> AccuracySurface:
    """A surface from a pool and a log of answers: columns `id` and `label`, and `inclusion` where chances differed.

    `result.answers` of `assess` is such a log, and so is the `labels.csv` of an audit's export. Where it does not say
    with what chances its answers were drawn, the promise does; unless you know: `at_random`, uniformly from the whole
    pool, or at random within the combinations `explored`, as the method `surface` does (names of attributes, or the
    `result.fitted.where` of its result). `how` is as for `surface_of`.

    >>> pool = Pool.build([0, 1] * 50, groups={"side": ["left"] * 50 + ["right"] * 50})
    >>> log = pd.DataFrame({"id": range(0, 100, 4), "label": [0] * 25})
    >>> surface_from_log(pool, log, "side", estimator="beta-i", at_random=True).table["labels"].tolist()
    [13, 12]
    """
    if "inclusion" in log and log["inclusion"].isna().all():  # an audit's export, where the method does not know them
        log = log.drop(columns="inclusion")
    answers, _ = answers_in(pool, log)
    answers = answers.at(np.flatnonzero(answers.labels >= 0))  # the others are taken to be like these
    recipe = SurfaceRecipe.of(how.get("estimator"))
    where = membership(pool.of_model(how.get("model")), by, bins=recipe.bins)
    if explored is not None:
        found = explored_chances(membership(pool, explored, bins=recipe.bins), where, answers.items)
    else:
        found = Chances() if at_random else chances_in(log, answers.items, pool.size)
    return surface_of(pool, answers, where, **{"inclusion": found.inclusion, "caution": found.caution, **how})
