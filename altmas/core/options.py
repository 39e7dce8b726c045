"""Options by name, checked against what takes them before it is called: each wrong one has its own sentence."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

from altmas.metrics.errors import InputError

_RULES = {bool: "True or False", int: "a whole number", float: "a number", str: "text", NoneType: "None"}
"""How a type is said; whatever else an option may be is left to whoever takes it."""


def check_options(
    subject: str, maker: Callable[..., Any], options: Mapping[str, Any], *passed_on: Callable[..., Any]
) -> None:
    """Refuse an option that neither `maker` nor one of those it passes options on to knows, or of another kind.

    >>> def make(draws: int = 50, tune: bool = False): ...
    >>> check_options("method 'bald'", make, {"draws": 20})
    >>> check_options("method 'bald'", make, {"draws": "many"})
    Traceback (most recent call last):
    ...
    altmas.metrics.errors.InputError: option 'draws' of method 'bald' must be a whole number; got 'many'.
    """
    hints = {name: hint for one in (*passed_on, maker) for name, hint in _hints(one).items()}
    for name, value in options.items():
        if name not in hints:
            raise InputError(f"options of {subject}", f"be among {', '.join(sorted(hints)) or 'none'}", repr(name))
        kinds = _kinds(hints[name])
        if kinds and not any(_is(value, kind) for kind in kinds):
            rule = f"be {' or '.join(_RULES[kind] for kind in kinds)}"
            raise InputError(f"option {name!r} of {subject}", rule, repr(value))


def _hints(maker: Callable[..., Any]) -> dict[str, Any]:
    """The names that can be given, with their types."""
    function, given = maker, set()
    while isinstance(function, partial):
        given |= {"name"} if function.args else set()  # what is fixed by position cannot be given again
        function = function.func
    scope = vars(sys.modules[function.__module__])
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        name: _type(one.annotation, scope)
        for name, one in inspect.signature(function).parameters.items()
        if one.kind in named and name not in given
    }


def _type(annotation: Any, scope: dict[str, Any]) -> Any:
    """A type from its text; anything goes where that names what only type checkers know."""
    try:
        return eval(annotation, scope) if isinstance(annotation, str) else annotation
    except NameError:
        return Any


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The plain types an option may have; empty where it may be something else."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return parts if all(part in _RULES for part in parts) else ()


def _is(value: Any, kind: Any) -> bool:
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if isinstance(value, bool | np.bool_):
        return False
    if kind is float:
        return isinstance(value, int | float | np.integer | np.floating)
    return isinstance(value, int | np.integer) if kind is int else isinstance(value, kind)
