"""`assess`: the whole job in one call, with an oracle that answers at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from altmas.bandits.findings import result_for
from altmas.bandits.method import GroupMethod
from altmas.bandits.tasks import GroupQuestion, checked_task
from altmas.catalogue import USUAL, make_method, usual_metrics
from altmas.certified.method import Certified
from altmas.core.checks import as_column, fraction, positive, whole_number
from altmas.core.loop import Plan, Round, answers_kept, rounds
from altmas.core.method import Job, Method
from altmas.core.oracles import TableOracle, as_oracle, labels_in
from altmas.core.pool import Pool
from altmas.core.progress import reporter
from altmas.core.resolve import resolve_metrics
from altmas.core.result import Result
from altmas.metrics import InputError, Metric
from altmas.metrics.errors import rows_at_fault
from altmas.surfaces.membership import By, membership
from altmas.surfaces.method import SurfaceMethod
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.result import SurfaceQuestion, surface_result


def assess(
    predictions: Any,
    scores: Any = None,
    features: Any = None,
    opinions: Any = None,
    groups: Any = None,
    classes: Sequence[Hashable] | None = None,
    *,
    oracle: Any,
    metrics: str | Metric | Sequence[str | Metric] = USUAL,
    method: str | Method = "certified",
    budget: int = 300,
    initial: int = 50,
    batch: int | None = None,
    level: float = 0.95,
    within: float | None = None,
    seed: int = 0,
    ids: Any = None,
    logits: bool = False,
    cost: ArrayLike | None = None,
    task: str = "estimate",
    by: By = None,
    target: str = "least_accurate",
    m: int = 1,
    a: Hashable = None,
    b: Hashable = None,
    rope: float = 0.05,
    estimator: str | SurfaceRecipe | None = None,
    progress: bool = True,
) -> Result:
    """Find out how good a model under test is on a pool, from at most `budget` labels.

    Parameters
    ----------
    predictions
        One class per item, of any hashable kind; or `{"name": [N], ...}` to assess several models from one label stream
        (then `scores` is such a mapping too), each the others' opinion.
    scores
        The model's class probabilities `[N, C]`, columns in the order of `classes` (sorted, where none are declared),
        or its confidence in its prediction `[N]`, which need not be a probability. With `logits=True`, logits `[N, C]`.
    features
        `[N, ...]` numbers per item (images, embeddings; may be memory-mapped). Without any, a surrogate learns from the
        model's own outputs.
    opinions
        Other models' outputs on the same items, used only as evidence about the labels: names to predictions `[N]`,
        `(predictions, confidence)` or scores `[N, C]`.
    groups
        Slices of the pool: a column, or a table of columns.
    classes
        The label set. A prediction outside it counts as wrong and belongs to no class.
    oracle
        `fn(id) -> label` (the id is the position where no `ids` are given), a mapping of ids to labels, or one label
        per item. Never asked twice about an item.
    metrics
        Names (`accuracy`, `recall:cat`, `macro_f1`, ...), sets (`alt_mas_3`, `alt_mas_21`) or metrics of your own.
        Left out, `alt_mas_3`, or accuracy where the method knows no other.
    method
        A name from the catalogue, or a method made with `make_method`.
    budget, initial, batch
        Labels in all, at random before the first fit, and per round after it (10, or what the method prefers).
    level
        Of the intervals; what they promise is in the column `promise`.
    within
        Stop before the budget is spent once every interval is within +- this much.
    seed
        The same seed gives the same questions and the same numbers.
    task, by
        For the group methods: `estimate` each group's accuracy (the result has `groups`), `identify` the `m` groups
        that are `target` (it has `ranking` and `verdict`), or `compare` groups `a` and `b` (it has `mu`, `eta`, `lam`
        and `verdict`; differences below `rope` do not matter). `by` is `class` (predicted, the default), `score`,
        `score:weight` or one of `groups`. For any method: `surface`, the accuracy of every combination of the
        attributes `by`, `["sex", "race"]` or `"sex,race"` among `groups`, or all of them (it has `surface`, `verdict`
        and `fitted`).
    estimator
        Of a surface: a name, `betagp` unless given, or a `SurfaceRecipe`; see docs/surface.md.

    Examples
    --------
    >>> truth = ["cat", "dog"] * 100
    >>> said = ["cat", "dog", "cat", "dog", "dog"] * 40
    >>> result = assess(said, oracle=truth, metrics=["accuracy"], method="random", budget=60, progress=False)
    >>> result.estimates[["metric", "labels"]].values.tolist()
    [['accuracy', 60]]

    """
    column = next(iter(predictions.values()), ()) if isinstance(predictions, Mapping) else predictions
    names = ids if ids is not None else range(len(column) if hasattr(column, "__len__") else 0)
    seen_labels = labels_in(oracle, as_column("ids", names)) if classes is None else ()
    pool = Pool.build(
        predictions, ids=ids, scores=scores, logits=logits, features=features, opinions=opinions, groups=groups,
        classes=classes, labels_seen=seen_labels,
    )  # fmt: skip
    chosen = make_method(method) if isinstance(method, str) else method
    if not hasattr(chosen, "begin"):
        raise InputError("method", "be a name or a method", repr(method))
    portion = getattr(chosen, "batch", 10) if batch is None else batch
    plan = replace(
        _plan(pool, budget, initial, portion, level), within=None if within is None else positive("within", within)
    )
    if len(pool.outputs) > 1 and not isinstance(chosen, Certified):
        hint = "Several models at once take method='certified'."
        raise InputError(
            "predictions", f"be one model's for method {chosen.name!r}", f"{len(pool.outputs)} models", hint
        )
    if isinstance(metrics, str) and metrics == USUAL:
        metrics = usual_metrics(chosen)
    wanted = resolve_metrics(metrics, pool, cost)
    answering = as_oracle(oracle, pool.ids)
    if isinstance(answering, TableOracle):
        _check_table(answering, pool)
    seed = whole_number("seed", seed, 0)
    surface, chosen = _surface_question(chosen, pool, task, by, estimator)
    if surface is None:
        question = GroupQuestion(task, "class" if by is None else by, target, m, a, b, rope, cost)  # type: ignore[arg-type]
        chosen = _with_question(chosen, question)
    else:
        question = GroupQuestion()
    seen: list[Round] = []
    with reporter(progress) as tell:
        for done in rounds(Job(pool, wanted, seed, tell), chosen, answering, plan):
            first = done.estimates[0]
            now = f"{chosen.name}: {first.metric} {first.estimate:.3f} [{first.low:.3f}, {first.high:.3f}]"
            tell.step(first.labels, plan.budget, now)
            seen.append(done)
    with answers_kept(chosen, seen[-1].answers, pool):
        found = result_for(question, chosen.name, pool, seen, plan.level)
        return found if surface is None else surface_result(surface, found, seen[-1], plan.level, seed)


def _surface_question(
    method: Method, pool: Pool, task: str, by: By, estimator: str | SurfaceRecipe | None
) -> tuple[SurfaceQuestion | None, Method]:
    """The arms and the recipe of a surface, where one is asked for, and the method with both."""
    checked_task(task)
    if task != "surface" and not (isinstance(method, SurfaceMethod) and task == "estimate"):
        if estimator is not None:
            raise InputError("estimator", "come with task='surface'", f"task {task!r}")
        if by is not None and task == "estimate" and not isinstance(method, GroupMethod):
            raise InputError("by", "come with task='surface' or a group method", f"method {method.name!r}")
        return None, method
    if len(pool.outputs) > 1:
        hint = "Assess them all, then take altmas.surface_from_log(pool, result.answers, by, model=...)."
        raise InputError("predictions", "be one model's for a surface", f"{len(pool.outputs)} models", hint)
    if isinstance(method, SurfaceMethod):
        recipe = method.recipe if estimator is None else SurfaceRecipe.of(estimator)
        where = membership(pool, method.by if by is None else by, bins=recipe.bins)
        return SurfaceQuestion(where, recipe), replace(method, by=where, estimator=recipe)
    recipe = SurfaceRecipe.of(estimator)
    return SurfaceQuestion(membership(pool, by, bins=recipe.bins), recipe), method


def _with_question(method: Method, question: GroupQuestion) -> Method:
    if isinstance(method, GroupMethod):
        return replace(method, question=question)
    if question.kind != "estimate":
        rule = f"be one of the group methods for task {question.kind!r}"
        raise InputError("method", rule, repr(method.name), "They are uniform, informed, thompson, hierarchical, ...")
    return method


def _plan(pool: Pool, budget: int, initial: int, batch: int, level: float) -> Plan:
    budget = whole_number("budget", budget, 1)
    if budget > pool.size:
        raise InputError("budget", f"be at most the pool's size, {pool.size:,}", f"{budget:,}")
    initial = min(whole_number("initial", initial, 1), budget)
    return Plan(budget, initial, whole_number("batch", batch, 1), fraction("level", level))


def _check_table(table: TableOracle, pool: Pool) -> None:
    """A table can be checked whole before the first question."""
    missing = [row for row, one in enumerate(pool.ids) if one not in table.labels]
    if missing:
        raise InputError("oracle", "have a label for every item", f"none for {rows_at_fault(missing)}")
    nothing = [row for row, one in enumerate(pool.ids) if table.labels[one] is None]
    if nothing:
        raise InputError("oracle", "have a label for every item", f"None for {rows_at_fault(nothing)}")
    known = set(pool.classes)
    strange = np.flatnonzero([table.labels[one] not in known for one in pool.ids]).tolist()
    if strange:
        label = table.labels[pool.ids[strange[0]]]
        raise InputError(
            "oracle's labels",
            f"be among the classes {list(pool.classes)[:12]}",
            f"{label!r} in {rows_at_fault(strange)}",
        )
