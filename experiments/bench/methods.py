"""Methods of a sweep: from the catalogue, with a surrogate that a file can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from altmas.catalogue import make_method
from altmas.core.method import Method
from altmas.metrics.errors import InputError


def method_of(name: str, options: Mapping[str, Any]) -> Method:
    """A method by name; an option `surrogate` given as a table, `{kind = "mlp", epochs = 50}`, is made first.

    >>> method_of("altmas", {"surrogate": {"kind": "lenet", "max_steps": 500}}).surrogate.max_steps
    500
    """
    given = dict(options)
    if isinstance(given.get("surrogate"), Mapping):
        given["surrogate"] = surrogate_of(given["surrogate"])
    return make_method(name, **given)


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


def is_metric_blind(name: str, options: Mapping[str, Any]) -> bool:
    """Whether one run of the method serves every set of metrics.

    >>> is_metric_blind("random", {}), is_metric_blind("altmas", {})
    (True, False)
    """
    return bool(getattr(method_of(name, options), "metric_blind", False))
