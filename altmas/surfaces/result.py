"""The result of `assess` with `task="surface"`: any method's labels and estimates, and the surface they describe."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd

from altmas.core.loop import Round
from altmas.core.result import Result
from altmas.surfaces.chances import drawn_alike
from altmas.surfaces.membership import Membership
from altmas.surfaces.method import SurfaceRun
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.surface import AccuracySurface, surface_of
from altmas.words.surfaces import unknown_chances


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceResult(Result):
    """A result with `surface`, a row per arm with its items, labels, accuracy, interval and P(worst), and `verdict`."""

    surface: pd.DataFrame
    verdict: str
    fitted: AccuracySurface = field(repr=False)
    """The surface itself, for `worst`, `marginal`, draws and pictures."""

    whole: Result = field(repr=False)
    """The result without the surface; that of `certified` can be asked further."""

    def __repr__(self) -> str:
        return f"{self.verdict}\n{super().__repr__()}"


@dataclass(frozen=True, eq=False)
class SurfaceQuestion:
    """Arms laid out before any label is spent, and how their surface is made."""

    where: Membership
    recipe: SurfaceRecipe


def surface_result(question: SurfaceQuestion, whole: Result, last: Round, level: float, seed: int) -> SurfaceResult:
    """The result, with the surface of its labels."""
    run: Any = last.run
    if isinstance(run, SurfaceRun):
        found = run.surface(level)
    else:
        drawn = getattr(run, "inclusion", None)
        known = drawn is not None or drawn_alike(last.answers.propensities, whole.pool.size)
        found = surface_of(
            whole.pool, last.answers, question.where, estimator=question.recipe, level=level, seed=seed,
            inclusion=None if drawn is None else drawn(),
            caution="" if known else unknown_chances(whole.method),
        )  # fmt: skip
    plain = {f.name: getattr(whole, f.name) for f in fields(Result)}
    return SurfaceResult(**plain, surface=found.table, verdict=found.verdict, fitted=found, whole=whole)
