"""Doubles for tests, ours and yours, and what every method and pool must do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from altmas.core.answers import Answers
from altmas.core.checks import as_column, class_indices
from altmas.core.estimates import Estimate
from altmas.core.loop import Plan, rounds
from altmas.core.method import Job, Method
from altmas.core.oracles import TableOracle
from altmas.core.pool import Pool
from altmas.core.progress import Reporter
from altmas.metrics import metrics_named, tally
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import IntArray, Probabilities

__all__ = ["CountingOracle", "FixedSurrogate", "TableOracle", "check_method", "check_pool"]


@dataclass(eq=False)
class FixedSurrogate:
    """A surrogate whose draws are given, `[M, N, C]`; it learns nothing. Pass it as a method's `surrogate`.

    >>> fixed = FixedSurrogate(np.full((4, 3, 2), 0.5))
    >>> fixed.draw(np.array([0, 2]), draws=4, rng=np.random.default_rng(0)).shape
    (4, 2, 2)
    """

    probabilities: ArrayLike
    pseudo: ArrayLike = ()
    fitted_on: list[tuple[IntArray, IntArray]] = field(default_factory=list)

    def bind(self, pool: Pool) -> Self:
        """Itself."""
        return self

    def fit(self, items: IntArray, labels: IntArray, *, rng: np.random.Generator) -> None:
        """Remember what it was given."""
        self.fitted_on.append((items, labels))

    def draw(self, items: IntArray, *, draws: int, rng: np.random.Generator) -> Probabilities:
        """The given probabilities of these items."""
        p: Probabilities = np.asarray(self.probabilities, np.float32)[:draws, items]
        return p

    def agreeing(self, answers: Answers, *, draws: int, rng: np.random.Generator) -> IntArray:
        """The given pseudo-labelled items that are still open."""
        return np.setdiff1d(np.asarray(self.pseudo, dtype=np.int64), answers.items)

    def tune(self, answers: Answers, *, rng: np.random.Generator, reporter: Reporter) -> dict[str, float]:
        """Nothing to tune."""
        return {}


@dataclass(eq=False)
class CountingOracle:
    """A table that counts how often each item was asked about.

    >>> oracle = CountingOracle(["cat", "dog"])
    >>> oracle(1), oracle.asked
    ('dog', [1])
    """

    labels: Any
    asked: list[Any] = field(default_factory=list)

    def __call__(self, item: Any) -> Any:
        self.asked.append(item)
        return self.labels[item]


def check_method(method: Method, *, exact: bool = True, metrics: Sequence[str] = ("accuracy", "macro_recall")) -> None:
    """Refuse a method that breaks the contract, by a sentence. Run it in your package's tests.

    On a made-up pool of 60 items it must ask about open items, each once, spend exactly its budget, give one estimate
    per metric with low <= estimate <= high, and find the same with the same seed. With every label known it must be
    exact, but for methods that say otherwise (`exact=False`); one that says `metric_blind` must be so. A method that
    knows few metrics is asked for those. The pool has a group, `side`.

    >>> from altmas import make_method
    >>> check_method(make_method("random"))
    """
    subject = f"method {getattr(method, 'name', method)!r}"
    if not isinstance(getattr(method, "name", None), str) or not callable(getattr(method, "begin", None)):
        raise InputError(subject, "have a name and begin(job)", type(method).__name__)
    pool, labels = _made_up()
    for budget in (20, pool.size):
        first, again = (_trial(method, pool, labels, budget, metrics) for _ in range(2))
        if repr(first) != repr(again):
            raise InputError(subject, "find the same with the same seed", f"other results for {budget} labels")
        if len(first[0]) != budget or len(set(first[0])) != budget:
            raise InputError(subject, f"ask {budget} items, each once", f"{len(set(first[0]))}")
        _check_estimates(subject, first[1], budget, metrics)
    if getattr(method, "metric_blind", False):
        _check_blindness(subject, method, pool, labels, metrics)
    confusion = tally(labels, pool.predictions, len(pool.classes), pool.columns)
    for one, metric in zip(first[1], metrics_named(metrics, pool.classes), strict=True):
        if exact and abs(one.estimate - float(metric.value(confusion))) > 1e-6:
            rule = f"give the true {one.metric}, {float(metric.value(confusion)):.6f}, when every label is known"
            raise InputError(subject, rule, f"{one.estimate:.6f}", "If this is meant, say exact=False.")


def _check_blindness(subject: str, method: Method, pool: Pool, labels: IntArray, metrics: Sequence[str]) -> None:
    """A method that says it does not look at the metrics must ask the same, and say the same of one, for any set."""
    asked, both = _trial(method, pool, labels, 20, metrics)
    for name, one in zip(metrics, both, strict=True):
        alone, found = _trial(method, pool, labels, 20, [name])
        if alone != asked or abs(found[0].estimate - one.estimate) > 1e-9:
            raise InputError(subject, "not look at the metrics, as its metric_blind says", f"another run for {name}")


def _made_up() -> tuple[Pool, IntArray]:
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=60)
    said = np.where(rng.random(60) < 0.7, labels, rng.integers(3, size=60))
    scores = 0.6 * np.eye(3)[said] + 0.4 * rng.dirichlet(np.ones(3), 60)
    side = ["left"] * 25 + ["right"] * 35
    return Pool.build(said, scores=scores, classes=range(3), groups={"side": side}), labels


def _trial(
    method: Method, pool: Pool, labels: IntArray, budget: int, metrics: Sequence[str]
) -> tuple[list[Any], list[Estimate]]:
    oracle = CountingOracle(labels.tolist())
    job = Job(pool, tuple(metrics_named(metrics, pool.classes)), 7)
    found: list[Estimate] = []
    for done in rounds(job, method, oracle, Plan(budget, 10, 5, 0.9)):
        found = list(done.estimates)
    return oracle.asked, found


def _check_estimates(subject: str, found: list[Estimate], budget: int, metrics: Sequence[str]) -> None:
    if [one.metric for one in found] != list(metrics):
        raise InputError(subject, f"estimate {', '.join(metrics)}, in this order", [one.metric for one in found])
    for one in found:
        if not one.low <= one.estimate <= one.high:
            rule = f"give {one.metric} inside its interval after {budget} labels"
            raise InputError(subject, rule, f"{one.low}, {one.estimate}, {one.high}")
        if not one.promise:
            raise InputError(subject, "say what its intervals promise", f"nothing for {one.metric}")


def check_pool(pool: Any) -> None:
    """Refuse a pool of a sweep, or a maker of one, that breaks the contract. Run it in your package's tests.

    It must have a name, predictions and a label per item, every label among its classes; a maker must make the same
    pool twice.

    >>> from altmas.experiments.bench.pools import generated
    >>> check_pool(generated)
    """
    if callable(pool):
        first, again = pool(), pool()
        if first.checksum != again.checksum:
            raise InputError(f"pool {first.name!r}", "be the same whenever it is made", "two checksums")
        pool = first
    if not isinstance(getattr(pool, "name", None), str) or not pool.name:
        raise InputError("pool", "have a name", repr(getattr(pool, "name", None)))
    built = pool.build()
    labels = as_column(f"labels of pool {pool.name!r}", pool.labels)
    if len(labels) != built.size:
        raise InputError(f"pool {pool.name!r}", "have a label per item", f"{len(labels):,} for {built.size:,} items")
    strange = np.flatnonzero(class_indices(labels, built.classes) == len(built.classes)).tolist()
    if strange:
        raise InputError(f"labels of pool {pool.name!r}", "be among its classes", rows_at_fault(strange))
