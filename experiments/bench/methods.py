"""Methods of a sweep: from the catalogue, with a surrogate that a sweep can name, or from a file of one's own."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from altmas.catalogue import make_method
from altmas.core.files import sha256_of
from altmas.core.method import Method
from altmas.metrics.errors import InputError


def method_of(name: str, options: Mapping[str, Any], file: str = "") -> Method:
    """A method by name; an option `surrogate` given as a table, `{kind = "mlp", epochs = 50}`, is made first.

    With a `file` the name is one of that program's: a class, or anything else that makes a method of options.

    >>> method_of("altmas", {"surrogate": {"kind": "lenet", "max_steps": 500}}).surrogate.max_steps
    500
    """
    given = dict(options)
    if isinstance(given.get("surrogate"), Mapping):
        given["surrogate"] = surrogate_of(given["surrogate"])
    return _made_by(name, given, Path(file)) if file else make_method(name, **given)


def _made_by(name: str, options: Mapping[str, Any], file: Path) -> Method:
    maker = _program(file, sha256_of(file)).get(name)
    if not callable(maker):
        raise InputError(f"method {name!r}", f"be defined in {file.name}", "nothing of this name that can be called")
    try:
        method: Method = maker(**options)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"method {name!r} of {file.name}", "take its options", _said(error)) from error
    if not callable(getattr(method, "begin", None)):
        raise InputError(f"method {name!r} of {file.name}", "have begin(job)", type(method).__name__)
    return method


@lru_cache(maxsize=8)
def _program(file: Path, sha256: str) -> dict[str, Any]:
    """What a file defines, run once for each content. Its folder can be imported from, as if it was a program's own."""
    try:
        if str(file.parent) not in sys.path:
            sys.path.append(str(file.parent))
        return runpy.run_path(str(file), run_name=file.stem)
    except Exception as error:
        raise InputError(f"file of methods {file.name}", "run", _said(error)) from error


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def surrogate_of(table: Mapping[str, Any]) -> Any:
    """An estimator by its kind: `mlp`, `lenet`, or `mlp, a mask per item`.

    >>> surrogate_of({"kind": "tree"})
    Traceback (most recent call last):
    ...
    altmas.metrics.errors.InputError: kind of surrogate must be one of mlp, lenet, mlp, a mask per item; got 'tree'.
    """
    from altmas.experiments.bench.per_item_masks import PerItemMLP
    from altmas.surrogates import MCDropoutLeNet, MCDropoutMLP

    kinds: dict[str, Callable[..., Any]] = {
        "mlp": MCDropoutMLP,
        "lenet": MCDropoutLeNet,
        "mlp, a mask per item": PerItemMLP,
    }
    kind = table.get("kind")
    if kind not in kinds:
        raise InputError("kind of surrogate", f"be one of {', '.join(kinds)}", repr(kind))
    try:
        return kinds[str(kind)](**{key: value for key, value in table.items() if key != "kind"})
    except TypeError as error:
        raise InputError("options of the surrogate", "be known", str(error).split("() ")[-1]) from None


def is_metric_blind(name: str, options: Mapping[str, Any], file: str = "") -> bool:
    """Whether one run of the method serves every set of metrics.

    >>> is_metric_blind("random", {}), is_metric_blind("altmas", {})
    (True, False)
    """
    return bool(getattr(method_of(name, options, file), "metric_blind", False))
