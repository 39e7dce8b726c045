"""`assess`: the whole job in one call, with an oracle that answers at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from altmas.catalogue import (
    check_clusters,
    check_first_phase,
    contest_of,
    contested_metrics,
    findings_of,
    for_task,
    leading_of,
    make_method,
    portions,
    usual_metrics,
    with_learners,
)
from altmas.core.checks import (
    class_indices,
    fraction,
    positive,
    whole_number,
)
from altmas.core.contest import HoldsContests, history_row
from altmas.core.findings import MakesResults
from altmas.core.loop import Plan, Round, answers_kept, rounds
from altmas.core.method import Job, Method, check_scores_seen
from altmas.core.oracles import Oracle, TableOracle, as_oracle
from altmas.core.pool import Pool
from altmas.core.progress import reporter
from altmas.core.result import Result
from altmas.core.streams import new_seed
from altmas.core.targets import resolve_metrics
from altmas.core.tasks import USUAL, Best, Task, as_task
from altmas.given import given
from altmas.metrics import InputError, Metric
from altmas.metrics.errors import rows_at_fault
from altmas.surfaces.result import surface_found, surface_result
from altmas.words.classes import never_answered
from altmas.words.in_short import in_short
from altmas.words.no_answer import failures, never_right


def assess(
    predictions: Any = None,
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
    initial: int | None = None,
    batch: int | None = None,
    level: float = 0.95,
    within: float | None = None,
    seed: int | None = 0,
    ids: Any = None,
    items: Any = None,
    model: Any = None,
    logits: bool = False,
    not_a_class: Sequence[Hashable] = (),
    is_a_class: Sequence[Hashable] = (),
    cost: ArrayLike | None = None,
    task: str | Task = "estimate",
    learners: str | Sequence[Any] | None = None,
    expert: Any = None,
    second_readings: int | None = None,
    cost_expert: float | None = None,
    known: Any = None,
    clusters: Any = None,
    sample: int | None = None,
    scheduler: str = "",
    progress: bool = True,
    **about: Any,
) -> Result:
    """Find out how good a model under test is on a pool, from at most `budget` labels.

    Parameters
    ----------
    predictions
        One class per item, of any hashable kind; or `{"name": [N], ...}` to assess several models from one label stream
        (then `scores` is such a mapping too), each the others' opinion. Lists, arrays, tensors, columns of a table; or
        the path of a file, read as `altmas init` does (its ids are then the items'); or a `Pool`. A blank (None, NaN,
        empty text) is no answer: it counts as wrong, and is no class. Columns of pandas are joined by their index.
    model, items
        In place of predictions, a fitted classifier, several by name, or a network, and the items to be classified.
    scores
        The model's class probabilities `[N, C]`, columns in the order of `classes` (sorted, where none are declared),
        or its confidence in its prediction `[N]`, which need not be a probability. With `logits=True`, logits `[N, C]`.
        None or NaN where there is none: learnt as such, and left out of calibration and of metrics of scores.
    features
        `[N, ...]` numbers per item (images, embeddings; may be memory-mapped). Or what you have of the items, to be
        made into numbers: texts, paths of image files, or a table of mixed columns. Or `"auto"`, which makes them of
        `items`, of the same kinds. Without any, a surrogate learns from the model's own outputs.
    opinions
        Other models' outputs on the same items, used only as evidence about the labels: names to predictions `[N]`,
        `(predictions, confidence)` or scores `[N, C]`.
    groups
        Slices of the pool: a column, or a table of columns.
    classes
        The label set. A prediction outside it counts as wrong and belongs to no class.
    not_a_class, is_a_class
        Predictions that are no answer (`["ERROR", "HTTP*"]`), and those that only look so (`["none"]`). What looks like
        no answer, and is neither named here nor a label, is refused.
    oracle
        `fn(id) -> label` (the id is the position where no `ids` are given), a mapping of ids to labels, or one label
        per item; or the path of a table with columns id and label. Never asked twice about an item. With method
        `"certified"` a function may answer None, `"unsure"` or `"skip"`: the question counts, and has no label.
    metrics
        Names (`accuracy`, `recall:cat`, `macro_f1`, ...), sets (`alt_mas_3`, `alt_mas_21`) or metrics of your own.
        Left out, `alt_mas_3`, or accuracy where the method knows no other.
    method
        A name from the catalogue, or a method made with `make_method`.
    budget, initial, batch
        Labels in all, before the first fit, and per round after it: 50 and 10, or what method and task prefer (for
        task `"best"` 5 and 1).
    level
        Of the intervals; what they promise is in the column `promise`.
    within
        Stop before the budget is spent once every interval is within +- this much; for task `"best"`, once choosing the
        leader costs at most this much, with the probability `level`.
    seed
        The same seed gives the same questions and the same numbers. A vendor who can guess it can know the questions:
        with None the operating system draws one, and `result.findings.job.seed` tells which.
    learners
        On features: names, `("kernel", "linear", "neighbours", "network")`, or any classifiers of scikit-learn; an
        empty list leaves features alone. Left out, the method decides: the quick ones, and the network when it pays.
    cost
        `[true, predicted]`, for the metric `expected_cost` and for finding the most costly groups.
    task
        A value: `altmas.Identify(m=3)`, which groups are the least accurate (the result has `ranking` and `verdict`);
        `altmas.Compare("north", "south", by="region", rope=0.05)`, whether two differ (it has `mu`, `eta`, `lam` and
        `verdict`); `altmas.EstimateGroups(by="region")`, each one's accuracy (it has `groups`): these are for the group
        methods. `altmas.Surface(["sex", "race"])`, the accuracy of every combination (it has `surface`, `verdict` and
        `fitted`), is for any method. `altmas.Best(metric="accuracy")`, which of several models is best (it has
        `leader`, `best`, `expected_loss`, `verdict`). Or a name, `"estimate"`, `"identify"`, `"compare"`, `"surface"`,
        `"best"`, with what it is `about` as further keywords.

    expert, second_readings, cost_expert
        Where the oracle may be wrong: whoever reads some of its answers again, of the same kinds as an oracle, and how
        many (a quarter of the budget, unless said). The estimates are then of what the expert would say of all items,
        however wrong the oracle is. With `cost_expert`, what a reading costs in answers, the `budget` is money for both
        and is split so that the intervals are narrowest.
    known
        Labels you have already, a mapping of ids to labels or a column with None for the others. They were not drawn,
        so they teach what is believed of the labels and never weigh in an estimate.
    clusters
        Which items belong together, such as those of one patient: a value per item, or the name of a column where
        predictions are a file. The intervals are then about clusters like these, of which the pool is a sample, and
        nothing that was learnt of an item comes from its own cluster. `result.of_this_pool()` has those of the pool.
    sample, scheduler
        Of Parquet or CSV files too large to be read (`predictions` is then a pattern such as `"logs/*.parquet"`, a
        folder, or paths): how many rows to draw, in one pass. The numbers are about all rows. The workers of a
        `scheduler` of Dask, `"tcp://..."`, make the pass and draw the same rows.

    Examples
    --------
    >>> truth = ["cat", "dog"] * 100
    >>> said = ["cat", "dog", "cat", "dog", "dog"] * 40
    >>> result = assess(said, oracle=truth, metrics=["accuracy"], method="random", budget=60, progress=False)
    >>> result.estimates[["metric", "labels"]].values.tolist()
    [['accuracy', 60]]

    """
    held = given(
        predictions, scores, model=model, features=features, items=items, opinions=opinions, groups=groups,
        classes=classes, ids=ids, logits=logits, oracle=oracle, expert=expert, known=known, not_a_class=not_a_class,
        is_a_class=is_a_class, clusters=clusters, **_drawn(sample, scheduler, seed),
    )  # fmt: skip
    pool, oracle, expert = held.pool, held.oracle, held.expert
    chosen = _method(method, learners)
    goal = as_task(task, about, cost)
    goal = goal.by_first(metrics) if isinstance(goal, Best) else goal
    chosen, surface = for_task(chosen, goal, pool)
    check_clusters(chosen, goal, pool)
    check_first_phase(chosen, goal, pool)
    first, portion = portions(chosen, goal, initial, batch)
    plan = _plan(pool, budget, first, portion, level, money=cost_expert is not None)
    narrow = None if within is None else positive("within", within)
    if len(pool.outputs) > 1 and not getattr(chosen, "several_models", False):
        hint = "Several models at once take method='certified' or 'random'."
        raise InputError(
            "predictions", f"be one model's for method {chosen.name!r}", f"{len(pool.outputs)} models", hint
        )
    usual = isinstance(metrics, str) and metrics == USUAL
    if isinstance(goal, Best):
        wanted = contested_metrics(goal, None if usual else resolve_metrics(metrics, pool, cost), pool, cost)
    else:
        plan = replace(plan, within=narrow)
        wanted = resolve_metrics(usual_metrics(chosen) if usual else metrics, pool, cost)
    check_scores_seen(chosen, wanted)
    answering = as_oracle(oracle, pool.ids)
    if isinstance(answering, TableOracle):
        _check_table(answering, pool)
    reader, plan = _reader(expert, second_readings, cost_expert, chosen, plan, pool)
    with reporter(progress) as tell:
        job = Job(pool, wanted, new_seed() if seed is None else whole_number("seed", seed, 0), tell)
        contest = goal if isinstance(goal, Best) else None
        seen, led = _followed(job, chosen, (answering, reader), plan, contest, narrow)
    last = seen[-1]
    with answers_kept(chosen, last.answers, pool):
        findings = findings_of(chosen, last.run, job, last.answers, plan.level)
        found = findings.result(chosen.name, seen) if isinstance(findings, MakesResults) else None
        found = Result.of(chosen.name, seen, findings) if found is None else found
        if isinstance(goal, Best):
            found = contest_of(found, goal.name, led)
        if surface is not None:
            found = surface_result(found, surface_found(chosen, findings, surface))
        unseen = last.answers.unseen(pool)
        said = never_answered(unseen, len(pool.classes), len(last.answers), pool.size)
        doubtful = never_right(pool, last.answers)
        verdict = found.verdict or in_short(findings.estimates, plan.level, pool.whole)
        return replace(found, verdict=verdict, remark=" ".join(filter(None, (*failures(pool), *doubtful, said))))


def _followed(
    job: Job,
    chosen: Method,
    people: tuple[Oracle, Oracle | None],
    plan: Plan,
    goal: Best | None,
    within: float | None,
) -> tuple[list[Round], list[dict[str, Any]]]:
    """The rounds until the budget is spent or the goal is reached, and in a contest who led after each."""
    seen: list[Round] = []
    led: list[dict[str, Any]] = []
    for done in rounds(job, chosen, people[0], plan, people[1]):
        seen.append(done)
        if goal is None:
            top = done.estimates[0]
            now = f"{top.metric} {top.estimate:.3f} [{top.low:.3f}, {top.high:.3f}]"
            job.reporter.step(top.labels, plan.budget, f"{chosen.name}: {now}")
            continue
        with answers_kept(chosen, done.answers, job.pool):
            lead = leading_of(chosen, done.run, job, done.answers, plan.level)
            led.append(history_row(done.round, len(done.answers), lead))
            now = f"{lead.leader} leads, P(best) {lead.p_best:.2f}"
            job.reporter.step(len(done.answers), plan.budget, f"{chosen.name}: {now}")
            if within is not None and lead.loss_bound <= within and _settled(chosen, job, done, plan, within):
                break
    return seen, led


def _settled(chosen: Method, job: Job, done: Round, plan: Plan, within: float) -> bool:
    """Whether choosing the leader costs at most so much, by the bound that the method promises."""
    findings = findings_of(chosen, done.run, job, done.answers, plan.level)
    return isinstance(findings, HoldsContests) and findings.contest().leading.loss_bound <= within


def _drawn(sample: int | None, scheduler: str, seed: int | None) -> dict[str, Any]:
    """What a sample of files is drawn with, where one is."""
    if sample is None:
        if scheduler:
            raise InputError("scheduler", "come with sample", repr(scheduler))
        return {}
    return {"sample": sample, "scheduler": scheduler, "seed": seed}


def _method(method: str | Method, learners: str | Sequence[Any] | None) -> Method:
    chosen = make_method(method) if isinstance(method, str) else method
    if not hasattr(chosen, "begin"):
        raise InputError("method", "be a name or a method", repr(method))
    return chosen if learners is None else with_learners(chosen, learners)


def _plan(pool: Pool, budget: int, initial: int, batch: int, level: float, *, money: bool) -> Plan:
    budget = whole_number("budget", budget, 1)
    if budget > pool.size and not money:
        raise InputError("budget", f"be at most the pool's size, {pool.size:,}", f"{budget:,}")
    initial = min(whole_number("initial", initial, 1), budget)
    return Plan(budget, initial, whole_number("batch", batch, 1), fraction("level", level), most=pool.size)


def _reader(
    expert: Any, readings: int | None, cost: float | None, method: Method, plan: Plan, pool: Pool
) -> tuple[Oracle | None, Plan]:
    """Who reads answers again, and the plan with it."""
    if expert is None:
        for name, given in (("second_readings", readings), ("cost_expert", cost)):
            if given is not None:
                raise InputError("expert", f"come with {name}: whoever reads the answers again", "none")
        return None, plan
    if not getattr(method, "takes_readings", False):
        hint = "Take method='certified', whose interval is 'wald' unless said."
        raise InputError("expert", "come with a method whose answers can be corrected", repr(method.name), hint)
    if readings is not None and cost is not None:
        raise InputError("second_readings", "be left out with cost_expert, which decides how many", f"{readings:,}")
    reader = as_oracle(expert, pool.ids, "expert")
    if isinstance(reader, TableOracle):
        _check_table(reader, pool, "expert")
    if cost is not None:
        if plan.budget < 1 + positive("cost_expert", cost):
            raise InputError("budget", f"be enough for an answer and a reading, {1 + cost:g}", f"{plan.budget:,}")
        return reader, replace(plan, expert_cost=float(cost))
    count = max(plan.budget // READ_OF_BUDGET, 1) if readings is None else whole_number("second_readings", readings, 1)
    if count > plan.budget:
        raise InputError("second_readings", f"be at most the budget, {plan.budget:,} answers", f"{count:,}")
    return reader, replace(plan, readings=count)


READ_OF_BUDGET = 4
"""One of so many answers is read again, where nobody says."""


def _check_table(table: TableOracle, pool: Pool, who: str = "oracle") -> None:
    """A table can be checked whole before the first question."""
    missing = [row for row, one in enumerate(pool.ids) if one not in table.labels]
    if missing:
        raise InputError(who, "have a label for every item", f"none for {rows_at_fault(missing)}")
    nothing = [row for row, one in enumerate(pool.ids) if table.labels[one] is None]
    if nothing:
        raise InputError(who, "have a label for every item", f"None for {rows_at_fault(nothing)}")
    places = class_indices([table.labels[one] for one in pool.ids], pool.classes)
    strange = np.flatnonzero(places == len(pool.classes)).tolist()
    if strange:
        label = table.labels[pool.ids[strange[0]]]
        raise InputError(
            f"{who}'s labels",
            f"be among the classes {list(pool.classes)[:12]}",
            f"{label!r} in {rows_at_fault(strange)}",
        )
