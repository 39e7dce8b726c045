"""A sweep as a file: pools x models x metric sets x methods x budgets x seeds, expanded into cells."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from altmas.core.checks import fraction, whole_number
from altmas.core.files import sha256_of
from altmas.core.method import Job
from altmas.core.targets import resolve_metrics
from altmas.experiments.bench.methods import is_metric_blind, method_of
from altmas.experiments.bench.pools import MODELS, OWN, TRAINED, load_pool, metrics_asked, pool_names
from altmas.metrics.errors import InputError

T = TypeVar("T")

SIGHTS = ("features", "opinions")
"""What of a pool a method sees only where its table says so."""

UNTITLED = "sweep"

NAME_EACH, LABEL_EACH = "Give each a name; kind says what it is.", "Give each a label of its own."
KEYS = ("title", "pools", "models", "metrics", "methods", "budgets", "seeds", "initial", "batch", "level", "data",
        "checkpoints", "baseline")  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A pool or a method: its name, the label it has in the rows, and its options as JSON, so that it can be hashed."""

    name: str
    label: str
    options: str = "{}"
    sees: tuple[str, ...] = ()
    file: str = field(default="", compare=False)
    """Where a method of one's own is defined; its content counts, not where it lies."""
    content: str = ""

    @property
    def given(self) -> dict[str, Any]:
        """The options."""
        found: dict[str, Any] = json.loads(self.options)
        return found


@dataclass(frozen=True, kw_only=True)
class Portions:
    """What a sweep and its cells share. `home` and `data` say where files lie, and are no part of what a cell is."""

    initial: int = 50
    batch: int = 10
    level: float = 0.95
    checkpoints: tuple[int, ...] = ()
    home: str = field(default="", compare=False)
    data: str = field(default="", compare=False)


@dataclass(frozen=True)
class Cell(Portions):
    """One run."""

    pool: Entry
    model: str
    metrics: tuple[str, ...]
    method: Entry
    budget: int
    seed: int

    @property
    def key(self) -> str:
        """A short hash of the content: the same in every process and on every machine.

        >>> cell = Cell(Entry("digits", "digits"), "own", ("accuracy",), Entry("random", "random"), 100, 0)
        >>> cell.key
        '56d7c1a104ecc404'
        """
        method = self.method
        content = [
            [self.pool.label, self.pool.name, self.pool.options], self.model, self.metrics,
            [method.label, method.name, method.options, method.sees, *filter(None, [method.content])],
            self.budget, self.seed, self.initial, self.batch, self.level, self.checkpoints,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    @property
    def columns(self) -> dict[str, Any]:
        """What the rows say about it."""
        return {
            "pool": self.pool.label, "model": self.model, "metrics": " ".join(self.metrics),
            "method": self.method.label, "budget": self.budget, "seed": self.seed, "initial": self.initial,
            "batch": self.batch, "level": self.level,
        }  # fmt: skip


@dataclass(frozen=True)
class Sweep(Portions):
    """A whole sweep."""

    title: str
    pools: tuple[Entry, ...]
    models: tuple[str, ...]
    metrics: tuple[tuple[str, ...], ...]
    methods: tuple[Entry, ...]
    budgets: tuple[int, ...]
    seeds: tuple[int, ...]
    baseline: str = ""

    def cells(self) -> tuple[Cell, ...]:
        """Every run, pool by pool, so that a worker seldom loads another. A pool with its own outputs has one model.

        A method that does not look at the metrics runs once for all sets of them.

        >>> len(parse_sweep({"pools": ["digits"], "metrics": ["accuracy"], "methods": ["random"], "seeds": 3}).cells())
        3
        """
        found, shared = [], {one.name: getattr(self, one.name) for one in fields(Portions)}
        for pool in self.pools:
            models = self.models if pool.given.get("kind", pool.name) in TRAINED else (OWN,)
            for parts in product(models, self.metrics, self.methods, self.budgets, self.seeds):
                model, metrics, method, budget, seed = parts
                portions = shared | {"initial": min(self.initial, budget)}
                found.append(Cell(pool, model, self.metrics_run(method, metrics), method, budget, seed, **portions))
        return tuple(dict.fromkeys(found))

    def compared_with(self, baseline: str) -> Sweep:
        """The same with this baseline, if any is given."""
        labels = [one.label for one in self.methods]
        if baseline and baseline not in labels:
            raise InputError("baseline", f"be the label of one of the methods, {', '.join(labels)}", repr(baseline))
        return replace(self, baseline=baseline or self.baseline)

    def metrics_run(self, method: Entry, metrics: tuple[str, ...]) -> tuple[str, ...]:
        """What the cell of a method estimates where these metrics are asked for: every set's, if they are shared."""
        if len(self.metrics) > 1 and is_metric_blind(method.name, method.given, method.file):
            return tuple(dict.fromkeys(name for names in self.metrics for name in names))
        return metrics


def read_sweep(path: Path) -> Sweep:
    """A sweep from its TOML file; files it names are looked for beside it."""
    if not path.is_file():
        raise InputError("sweep", "be a TOML file", str(path))
    if path.suffix in (".jsonl", ".gz"):
        raise InputError("sweep", "be a TOML file", path.name, "Rows are compared with --report.")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"sweep {path.name}", "be TOML", str(error)) from None
    return parse_sweep(table, path.resolve().parent)


def parse_sweep(table: Mapping[str, Any], home: Path | None = None) -> Sweep:
    """A sweep from what a TOML file says; mistakes are refused by a sentence. Files are looked for at `home`.

    >>> parse_sweep({"metrics": ["accuracy"], "methods": ["random"]})
    Traceback (most recent call last):
    ...
    altmas.metrics.errors.InputError: sweep must name pools; got no pools.
    """
    _only("sweep", table, KEYS)
    for needed in ("pools", "metrics", "methods"):
        if needed not in table:
            raise InputError("sweep", f"name {needed}", f"no {needed}")
    found = Sweep(
        title=_text("title", table.get("title", UNTITLED)),
        pools=_once("pools", map(_pool, _listed("pools", table["pools"])), "be told apart", NAME_EACH),
        models=_once("models", map(_model, _listed("models", table.get("models", ["logistic"])))),
        metrics=_once("metrics", _metric_sets(table["metrics"])),
        methods=_once(
            "methods",
            map(partial(_method, home=home), _listed("methods", table["methods"])),
            "be told apart",
            LABEL_EACH,
        ),
        budgets=_numbers("budgets", table.get("budgets", [100]), 1),
        seeds=_seeds(table.get("seeds", 1)),
        initial=whole_number("initial", table.get("initial", 50), 1),
        batch=whole_number("batch", table.get("batch", 10), 1),
        level=fraction("level", table.get("level", 0.95)),
        checkpoints=_numbers("checkpoints", table["checkpoints"], 1) if "checkpoints" in table else (),
        data=_text("data", table.get("data", "")),
        baseline=_text("baseline", table["baseline"]) if "baseline" in table else "",
        home=str(home or ""),
    )
    _check_looks(found)
    return found.compared_with(found.baseline)


def _check_looks(sweep: Sweep) -> None:
    """A checkpoint that no round ends at would be left out without a word."""
    for look in sweep.checkpoints:
        reached = [look == min(sweep.initial, one) or look == one for one in sweep.budgets]
        reached += [sweep.initial < look < one and not (look - sweep.initial) % sweep.batch for one in sweep.budgets]
        if not any(reached):
            rule = f"be reached: {sweep.initial} initial labels, then {sweep.batch} at a time"
            raise InputError("each of checkpoints", rule, look)


def check_pools(sweep: Sweep) -> None:
    """Load every pool once and look its metrics up: a sweep that cannot begin is refused before it does."""
    for pool, model in dict.fromkeys((cell.pool, cell.model) for cell in sweep.cells()):
        source = load_pool(pool.name, model, pool.given, sweep.home, sweep.data)
        built = source.build()
        asked = [resolve_metrics(metrics_asked(names, source.metrics), built) for names in sweep.metrics]
        seen = {sees: source.build(frozenset(sees)) if sees else built for sees in {one.sees for one in sweep.methods}}
        for method in sweep.methods:  # it checks what it needs before any label is spent
            method_of(method.name, method.given, method.file).begin(Job(seen[method.sees], asked[0]))
        if max(sweep.budgets) > built.size:
            rule = f"be at most the size of pool {pool.label!r}, {built.size:,}"
            raise InputError("budgets", rule, f"{max(sweep.budgets):,}")


def _pool(one: Any) -> Entry:
    table = {"name": one} if isinstance(one, str) else one
    if not isinstance(table, Mapping):
        raise InputError("each pool", "be a name or a table", repr(one))
    name = table.get("name", Path(str(table.get("file", ""))).stem)
    options = {key: value for key, value in table.items() if key != "name"}
    kind = options.get("kind", name)
    if "file" in options:
        _only(f"pool {name!r}", options, ("file",))
    elif kind not in pool_names():
        raise InputError("pool", f"be one of {', '.join(pool_names())}, or have a file", repr(kind))
    return Entry(_text("name of a pool", name), name, _canonical(f"options of pool {name!r}", options))


def _method(one: Any, home: Path | None) -> Entry:
    table = {"name": one} if isinstance(one, str) else one
    if not isinstance(table, Mapping) or "name" not in table:
        raise InputError("each method", "be a name or a table with a name", repr(one))
    _only("method", table, ("name", "label", "options", "sees", "file"))
    name, options = _text("name of a method", table["name"]), table.get("options", {})
    if not isinstance(options, Mapping):
        raise InputError(f"options of method {name!r}", "be a table", repr(options))
    file = _text("file of a method", table["file"]) if "file" in table else ""
    path = (home or Path()) / file
    if file and not path.is_file():
        raise InputError(f"file of method {name!r}", "exist", str(path))
    where = (str(path.resolve()), sha256_of(path)) if file else ("", "")
    method_of(name, options, where[0])  # an unknown name or option is refused here
    sees = tuple(sorted(_listed("sees", table.get("sees", []))))
    if strange := [what for what in sees if what not in SIGHTS]:
        raise InputError(f"sees of method {name!r}", f"be among {', '.join(SIGHTS)}", repr(strange[0]))
    label = _text("label of a method", table.get("label", name))
    return Entry(name, label, _canonical(f"options of method {name!r}", options), sees, *where)


def _model(one: Any) -> str:
    if one not in MODELS:
        raise InputError("model", f"be one of {', '.join(MODELS)}", repr(one))
    return str(one)


def _metric_sets(value: Any) -> tuple[tuple[str, ...], ...]:
    """One set as a list of names, or several as a list of lists."""
    listed = _listed("metrics", value)
    sets = [listed] if all(isinstance(one, str) for one in listed) else listed
    lists = (_listed("each set of metrics", [one] if isinstance(one, str) else one) for one in sets)
    return tuple(tuple(_text("metric", name) for name in names) for names in lists)


def _seeds(value: Any) -> tuple[int, ...]:
    """A number of seeds from 0 on, or the seeds themselves."""
    return _numbers("seeds", value, 0) if isinstance(value, list) else tuple(range(whole_number("seeds", value, 1)))


def _numbers(name: str, value: Any, least: int) -> tuple[int, ...]:
    return _once(name, (whole_number(f"each of {name}", one, least) for one in _listed(name, value)), "be distinct")


def _once(name: str, values: Iterable[T], rule: str = "be named once each", hint: str = "") -> tuple[T, ...]:
    """The values, none of them twice; pools and methods go by their labels."""
    found = tuple(values)
    labels = [getattr(one, "label", one) for one in found]
    if twice := [one for one in labels if labels.count(one) > 1]:
        raise InputError(name, rule, f"{twice[0]!r} twice", hint)
    return found


def _listed(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple) or (not value and name != "sees"):
        raise InputError(name, "be a list of at least one", repr(value))
    return list(value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or (not value and name != "data"):
        raise InputError(name, "be text", repr(value))
    return value


def _canonical(name: str, options: Mapping[str, Any]) -> str:
    try:
        return json.dumps(options, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(name, "be numbers, text, lists and tables", str(error)) from None


def _only(subject: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    if strange := [key for key in table if key not in known]:
        raise InputError(subject, f"have no keys but {', '.join(known)}", repr(strange[0]))
