"""The surface that any method's labels describe, and the result of `assess` that holds one."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import pandas as pd

from altmas.core.findings import Findings, KnowsChances
from altmas.core.method import draws_alike
from altmas.core.pool import Pool
from altmas.core.result import Result
from altmas.core.tasks import Surface
from altmas.metrics.errors import InputError
from altmas.surfaces.chances import Chances, explored_chances
from altmas.surfaces.membership import Membership, membership
from altmas.surfaces.method import SurfaceFindings
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.surface import AccuracySurface, surface_of
from altmas.words.surfaces import unknown_chances

if TYPE_CHECKING:
    from altmas.core.method import Method


def laid_out(task: Surface, pool: Pool) -> Surface:
    """The same task with its combinations laid out on a pool, so that what is wrong is said before a label is spent."""
    if len(pool.outputs) > 1:
        hint = "Assess them all, then take altmas.surface_from_log(pool, result.answers, by, model=...)."
        raise InputError("predictions", "be one model's for a surface", f"{len(pool.outputs)} models", hint)
    recipe = SurfaceRecipe.of(task.estimator)
    return Surface(membership(pool, task.by, bins=recipe.bins), recipe)


def surface_found(method: Method, findings: Findings, task: Surface, model: str | None = None) -> AccuracySurface:
    """The accuracy of every combination, from the labels of any method; their chances are allowed for."""
    recipe, pool = SurfaceRecipe.of(task.estimator), findings.job.pool
    if pool.first_phase is not None:
        hint = "Groups one by one are told of the whole: altmas worst, altmas compare."
        raise InputError("surface", "be asked of a pool that is no sample", f"{pool.whole:,} rows in all", hint)
    where = membership(pool.of_model(model), task.by, bins=recipe.bins)
    if isinstance(findings, SurfaceFindings) and findings.is_about(where, recipe):
        return findings.run.surface(findings.level)
    found = _chances(method, findings, where)
    return surface_of(
        pool, findings.answers, where, estimator=recipe, level=findings.level, seed=findings.job.seed, model=model,
        inclusion=found.inclusion, caution=found.caution,
    )  # fmt: skip


def _chances(method: Method, findings: Findings, where: Membership) -> Chances:
    """With what chances the labels of these combinations came about."""
    if isinstance(findings, SurfaceFindings):
        return explored_chances(findings.run.where, where, findings.answers.items)
    if isinstance(findings, KnowsChances):
        return Chances(findings.inclusion)
    return Chances() if draws_alike(method) else Chances(caution=unknown_chances(method.name))


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceResult(Result):
    """A result with `surface`, a row per arm with its items, labels, accuracy, interval and P(worst), and `verdict`."""

    surface: pd.DataFrame
    fitted: AccuracySurface = field(repr=False)
    """The surface itself, for `worst`, `marginal`, draws and pictures."""

    whole: Result = field(repr=False)
    """The result without the surface; that of `certified` can be asked further."""


def surface_result(whole: Result, found: AccuracySurface) -> SurfaceResult:
    """The result, with the surface of its labels."""
    plain: dict[str, Any] = {one.name: getattr(whole, one.name) for one in fields(Result)}
    return SurfaceResult(**{**plain, "verdict": found.verdict}, surface=found.table, fitted=found, whole=whole)
