"""Changing an audit: what may change without changing which questions are drawn or what was promised, and what not.

A change is an event like any other; the first event stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from altmas.audits.settings import Settings, values_of
from altmas.core.pool import Pool
from altmas.core.requirements import read_requirement
from altmas.metrics.errors import InputError

CHANGEABLE = ("budget", "second_readings", "guidelines", "title", "show", "reveal", "targets")
"""None of these is looked at when questions are drawn: how many are, and what people see and are told, is all."""

_ANEW = "Make a new audit with altmas init; --known takes the labels you have along."
_STEERS = f"The questions so far were drawn by it. {_ANEW}"
FIXED: Mapping[str, str] = {
    "metrics": "Questions are drawn for them, but any other can be estimated from the same answers: altmas estimate "
    "--metrics; a target may name any.",
    "level": "altmas estimate --level and altmas report --level take another.",
    "method": _STEERS,
    "options": _STEERS,
    "anytime": "altmas estimate --anytime gives intervals that hold at all looks.",
    "seed": _STEERS,
    "secret": _STEERS,
    "task": "altmas worst, compare, surface and vendors ask the answers afterwards, whatever they were drawn for.",
    "initial": _STEERS,
    "batch": _STEERS,
    "overlap": f"Answers so far were counted by it. {_ANEW}",
    "cost": f"The metrics were made with it. {_ANEW}",
    "cost_expert": "--budget changes how much is spent; how it is split was promised at the start.",
    "experts": f"Who is taken for right was promised at the start. {_ANEW}",
    "classes": f"Answers were given by them. {_ANEW}",
    "known": f"The belief learns from them from the start. {_ANEW}",
    "predictions": "Their hashes were promised at the start. Make a new audit with altmas init.",
    "features": f"The belief learns from them from the start. {_ANEW}",
    "groups": "They are part of the pool, whose hash was promised at the start. Make a new audit with altmas init.",
}
"""What may not change, and what to do instead."""


def settings_after(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Settings with changes as events have them.

    >>> settings_after(Settings(("accuracy",), budget=200), {"budget": 300}).budget
    300
    """
    return replace(settings, **values_of(changes)) if changes else settings


def asked_for(settings: Settings, wanted: Mapping[str, Any], pool: Pool, columns: Sequence[str]) -> dict[str, Any]:
    """What of this would change, as an event has it; refused if it may not, or would not fit.

    `columns` are those kept with the audit, which can be shown.

    >>> asked_for(Settings(("accuracy",), budget=2), {"budget": 3, "title": ""}, Pool.build(["a", "b"] * 2), [])
    {'budget': 3}
    """
    for name in wanted:
        if name in CHANGEABLE:
            continue
        if name in FIXED:
            raise InputError("setting", "be one that may change", repr(name), FIXED[name])
        raise InputError("setting", f"be one of {', '.join(CHANGEABLE)}", repr(name))
    new = dict(wanted)
    if "targets" in new:
        new["targets"] = targets_named(new["targets"])
    if "show" in new:
        new["show"] = columns_to_show(new["show"], columns)
    after = replace(settings, **new)
    after.check_plan(pool)
    after.check_told(pool)
    if {"budget", "second_readings"} & new.keys():
        after.check_experts(pool, after.make_method(pool))
    before, now = settings.as_dict(), after.as_dict()
    return {name: now[name] for name in CHANGEABLE if name in new and now[name] != before[name]}


def targets_named(given: Any) -> tuple[Any, ...]:
    """Targets as requirements: one, several, or None for none.

    >>> [str(one) for one in targets_named("accuracy >= 90%")]
    ['accuracy >= 0.9']
    """
    listed = () if given is None else [given] if isinstance(given, str) or not isinstance(given, Sequence) else given
    return tuple(read_requirement(one) for one in listed)


ID = "id"
"""Stands among the columns to show for the id, which is shown always."""


def columns_to_show(show: Any, columns: Sequence[str]) -> tuple[str, ...]:
    """Columns by their names, each once; `id` stands for the id, which needs no saying.

    >>> columns_to_show("id", ["text"]), columns_to_show(["text", "id"], ["text"])
    ((), ('text',))
    """
    if show is None:
        raise InputError("columns to show", "be names", "None", "An empty list shows the id alone.")
    named = [show] if isinstance(show, str) else list(show)
    for name in named:
        if name != ID and name not in columns:
            kept = ", ".join(map(repr, columns)) or "none"
            hint = "A model's outputs are never kept, and large columns only if altmas init shows them."
            raise InputError("columns to show", f"be kept with the audit, where there are {kept}", repr(name), hint)
    return tuple(dict.fromkeys(name for name in named if name != ID or name in columns))
