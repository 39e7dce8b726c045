"""The catalogue of methods. A new one joins by registering here; the loop does not change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import partial
from typing import Any

from altmas.bandits.method import GroupMethod
from altmas.certified.findings import CertifiedFindings
from altmas.certified.method import Certified
from altmas.certified.result import CertifiedContestResult, CertifiedResult
from altmas.certified.setup import Setup
from altmas.certified.state import replay, rounds_of
from altmas.core.answers import Answers
from altmas.core.contest import HoldsContests, Leading, SeesLeader
from altmas.core.findings import Findings, PlainFindings, asked
from altmas.core.loop import CONTEST_BATCH, CONTEST_INITIAL, USUAL_BATCH, USUAL_INITIAL
from altmas.core.method import AskedRound, Job, Method, Run, TakesTasks, TellsFindings, draws_alike
from altmas.core.options import check_options
from altmas.core.plugins import METHOD_PLUGINS, called, plugin_names
from altmas.core.pool import Pool
from altmas.core.result import ContestResult, Result, contest_result
from altmas.core.targets import resolve_metrics
from altmas.core.tasks import Best, Compare, EstimateGroups, Identify, Surface, Task, task_name
from altmas.methods.alt_mas import AltMas, Bald
from altmas.methods.ase import Ase
from altmas.methods.asi import Asi
from altmas.methods.coda import Coda
from altmas.methods.lure import Lure
from altmas.methods.model_selector import ModelSelector
from altmas.methods.oasis import Oasis
from altmas.methods.ppi import Ppi
from altmas.methods.random import RandomSampling
from altmas.methods.stratified import Stratified
from altmas.metrics import Metric
from altmas.metrics.errors import InputError
from altmas.surfaces.method import SurfaceMethod
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.result import laid_out
from altmas.words.best import best_verdict

METHODS: dict[str, Callable[..., Method]] = {
    "certified": Certified,
    "random": RandomSampling,
    "stratified": Stratified,
    "lure": Lure,
    "ase": Ase,
    "ppi": Ppi,
    "asi": Asi,
    "oasis": Oasis,
    "bald": Bald,
    "altmas": AltMas,
    "uniform": partial(GroupMethod, "uniform", prior="uniform", rule="random"),
    "informed": partial(GroupMethod, "informed", prior="informed", rule="random"),
    "thompson": partial(GroupMethod, "thompson", prior="informed", rule="thompson"),
    "hierarchical": partial(GroupMethod, "hierarchical", prior="hierarchical", rule="random"),
    "hierarchical-thompson": partial(GroupMethod, "hierarchical-thompson", prior="hierarchical", rule="thompson"),
    "surface": SurfaceMethod.of,
    "coda": Coda,
    "model-selector": ModelSelector,
}
"""Name -> maker; the maker's keyword arguments are the method's options."""


def usual_metrics(method: Method) -> str:
    """The metrics of a method where none are named.

    >>> usual_metrics(make_method("certified")), usual_metrics(make_method("surface"))
    ('alt_mas_3', 'accuracy')
    """
    return str(getattr(method, "default_metrics", "alt_mas_3"))


def make_method(name: str, **options: Any) -> Method:
    """A method by name, with options.

    `certified` takes `worth`, `interval`, `floor`, `temperature` and `learners`, the last also `lure`, `ase`, `ppi`
    and `asi`; `altmas` takes `surrogate`, `draws`, `pseudo_labels`, `counted`, `tune` and `metric_aware`; `bald` takes
    `surrogate`, `draws` and `tune`; `stratified` takes `strata`, `ppi` takes `predictor` and `folds`, `asi` takes
    `tau`, `ase` takes `draws`, `oasis` takes `strata`, `alpha` and `epsilon`; the group methods take `prior`, `rule`,
    `strength`, `reward` and `draws`; `surface` takes `estimator`, `explore`, `by`, `batch`, and what a `SurfaceRecipe`
    does. `coda`, which has no options, and `model-selector`, which takes `eps`, look for the best of several models.
    Other packages add methods with the entry point `altmas.methods`.

    >>> make_method("altmas", draws=20).name
    'altmas'
    """
    if name not in METHODS:
        return _from_elsewhere(name, options)
    if options:
        passed_on = [SurfaceRecipe] if name == "surface" else []
        check_options(f"method {name!r}", METHODS[name], options, *passed_on)
    return METHODS[name](**options)


def with_learners(method: Method, learners: str | Sequence[Any]) -> Method:
    """The same method with these learners on features.

    >>> with_learners(make_method("lure"), ["kernel"]).learners
    ['kernel']
    """
    if not hasattr(method, "learners") or not is_dataclass(method):
        takers = ", ".join(name for name, make in METHODS.items() if hasattr(make, "learners"))
        raise InputError("learners", f"come with a method that takes them: {takers}", repr(method.name))
    made: Method = replace(method, learners=learners)
    return made


_ALIKE = Certified(worth="uniform", learners=())
"""What random sampling is to the certified method; one value, so that what a job has in common is found again."""


def findings_of(
    method: Method, run: Run, job: Job, answers: Answers, level: float, rounds: Sequence[AskedRound] | None = None
) -> Findings:
    """Everything the answers of a run tell; `rounds` are those of a log, in which some answers may be missing.

    A method that draws every question uniformly knows the chances of them all, so its labels can be asked whatever
    those of `certified` can; the estimates stay its own.
    """
    if isinstance(run, TellsFindings):
        return run.findings(level)
    if not draws_alike(method):
        return PlainFindings(run, job, answers, level)
    # Every round was uniform, so it is replayed as it was: made again, it would be drawn as certified draws.
    logged = tuple(rounds_of(answers) if rounds is None else rounds)
    state = replay(Setup(job, _ALIKE), logged)
    return CertifiedFindings(state, level, logged, plain=tuple(run.estimate(level)))


def for_task(method: Method, task: Task, pool: Pool) -> tuple[Method, Surface | None]:
    """The method that asks for this task, and the surface to make of its labels, if one is wanted."""
    if isinstance(task, Best):
        return _for_contest(method, task, pool), None
    surface = laid_out(task, pool) if isinstance(task, Surface) else None
    if isinstance(method, TakesTasks):
        chosen = method.with_task(task if surface is None else surface, pool)
        return chosen, getattr(chosen, "surface_task", surface)
    if isinstance(task, Identify | Compare):
        rule = f"be one of the group methods for task {task_name(task)!r}"
        raise InputError("method", rule, repr(method.name), "They are uniform, informed, thompson, hierarchical, ...")
    if isinstance(task, EstimateGroups) and task.by is not None:
        raise InputError("by", "come with task='surface' or a group method", f"method {method.name!r}")
    return method, surface


def check_clusters(method: Method, task: Task, pool: Pool) -> None:
    """Refuse what knows nothing of clusters, where the numbers are to be about others like the pool's.

    >>> check_clusters(make_method("certified"), EstimateGroups(), Pool.build([0, 1] * 5, clusters=range(10)))
    """
    if pool.clusters is None:
        return
    if not getattr(method, "takes_clusters", False):
        if isinstance(method, Certified):
            hint = "Leave out one of the two. Bets at all looks are about the items of this pool alone."
            raise InputError("clusters", "be left out with anytime intervals", f"interval={method.interval!r}", hint)
        hint = "With its option worth='uniform' it draws as random does. Or leave clusters out."
        raise InputError("method", "be certified for intervals about clusters", repr(method.name), hint)
    if isinstance(task, Surface):
        hint = "Leave out one of the two."
        raise InputError(
            "clusters", "be left out with the task surface, which knows nothing of them", pool.clusters.name, hint
        )


def check_first_phase(method: Method, task: Task, pool: Pool) -> None:
    """Refuse what would answer for the items of a sample, where the numbers are to be about the whole.

    >>> check_first_phase(make_method("random"), EstimateGroups(), Pool.build([0, 1, 1]))
    """
    if pool.first_phase is None:
        return
    subject = f"a pool drawn from {pool.whole:,} rows"
    if not isinstance(method, Certified):
        hint = "With its option worth='uniform' it draws as random does."
        raise InputError("method", f"be certified for {subject}", repr(method.name), hint)
    if method.interval != "wald":
        hint = "Bets at all looks are about the items of the sample alone."
        rule = f"be left out for {subject}"
        raise InputError("anytime intervals", rule, f"interval={method.interval!r}", hint)
    if isinstance(task, Surface):
        hint = "Groups one by one are told of the whole: altmas worst, altmas compare."
        raise InputError("task", f"be another one for {subject}", "'surface'", hint)


def portions(method: Method, task: Task, initial: int | None = None, batch: int | None = None) -> tuple[int, int]:
    """How many questions to ask before the first fit and at a time after it; left out, as method and task prefer.

    >>> portions(make_method("coda"), Best()), portions(make_method("certified"), EstimateGroups(), batch=7)
    ((1, 1), (50, 7))
    """
    usual = USUAL_INITIAL, USUAL_BATCH
    if isinstance(task, Best):  # one that draws uniformly asks the same whatever the answers are
        usual = CONTEST_INITIAL, USUAL_BATCH if draws_alike(method) else CONTEST_BATCH
    first = getattr(method, "initial", usual[0]) if initial is None else initial
    return int(first), int(getattr(method, "batch", usual[1]) if batch is None else batch)


def _for_contest(method: Method, task: Best, pool: Pool) -> Method:
    """The method that looks for the best model: one that asks for that, or draws uniformly."""
    if len(pool.outputs) < 2:
        hint = "Give those of every model, each with its name."
        raise InputError("predictions", "be several models' for task 'best'", "one model's", hint)
    if isinstance(method, Certified):
        return replace(method, best=task.name)
    if isinstance(method, TakesTasks) and getattr(method, "several_models", False):
        return method.with_task(task, pool)
    if draws_alike(method):
        return method
    rule = "be certified, random, coda or model-selector for task 'best'"
    raise InputError("method", rule, repr(method.name))


def contested_metrics(task: Best, wanted: tuple[Metric, ...] | None, pool: Pool, cost: Any) -> tuple[Metric, ...]:
    """The metrics of a contest: the one that decides, and those wanted besides.

    >>> pool = Pool.build({"ours": ["a", "b"], "theirs": ["b", "b"]})
    >>> [one.name for one in contested_metrics(Best(), None, pool, None)]
    ['accuracy']
    """
    found = resolve_metrics(task.metric or task.name, pool, cost)
    if len(found) > 1:
        raise InputError("metric of task 'best'", "be one metric", f"{task.name!r}, which is {len(found)}")
    return (*found, *(one for one in wanted or () if one.name != found[0].name))


def leading_of(method: Method, run: Run, job: Job, answers: Answers, level: float) -> Leading:
    """Which model leads after these answers, as one look has it."""
    if isinstance(run, SeesLeader):
        return run.leading(level)
    found: Leading = asked(findings_of(method, run, job, answers, level), HoldsContests, method.name).leading()
    return found


def contest_of(found: Result, metric: str, history: Sequence[Mapping[str, Any]]) -> ContestResult:
    """The result with its contest by a metric."""
    contest = asked(found.findings, HoldsContests, found.method).contest(metric)
    kind = CertifiedContestResult if isinstance(found, CertifiedResult) else ContestResult
    return contest_result(found, contest, best_verdict(contest), history, kind)


def _from_elsewhere(name: str, options: dict[str, Any]) -> Method:
    """A method of another package, by the entry point `altmas.methods`."""
    found: Method | None = called(METHOD_PLUGINS, name, **options)
    if found is None:
        raise InputError("method", f"be one of {', '.join([*METHODS, *plugin_names(METHOD_PLUGINS)])}", repr(name))
    if not hasattr(found, "begin") or not hasattr(found, "name"):
        raise InputError(f"plug-in {name!r} of {METHOD_PLUGINS}", "make a method, with name and begin", repr(found))
    return found
