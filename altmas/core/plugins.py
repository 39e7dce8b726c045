"""Methods, metrics, pools and commands from other packages, found by their entry points when a name is not ours."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from altmas.metrics.errors import InputError

METHOD_PLUGINS = "altmas.methods"
"""Name -> maker: keyword options to a method."""

METRIC_PLUGINS = "altmas.metrics"
"""Name -> maker: the pool's classes to a metric."""

POOL_PLUGINS = "altmas.pools"
"""Name -> maker: keyword options to a `BenchPool`."""

COMMAND_PLUGINS = "altmas.commands"
"""Name -> a click command."""


def plugin_names(group: str) -> tuple[str, ...]:
    """The names that installed packages add to a group, sorted.

    >>> plugin_names("altmas.nothing")
    ()
    """
    return tuple(sorted({one.name for one in entry_points(group=group)}))


def plugin(group: str, name: str) -> Any:
    """What another package offers under a name; None where no package does.

    >>> plugin("altmas.nothing", "mine") is None
    True
    """
    found = tuple(entry_points(group=group, name=name))
    if not found:
        return None
    places = sorted({one.value for one in found})
    if len(places) > 1:
        raise InputError(f"plug-in {name!r} of {group}", "be offered by one package", " and ".join(places))
    return _loaded(found[0])


def called(group: str, name: str, *values: Any, **options: Any) -> Any:
    """What a plug-in makes of its options; None where no package offers it."""
    maker = plugin(group, name)
    if maker is None:
        return None
    if not callable(maker):
        raise InputError(f"plug-in {name!r} of {group}", "be callable", repr(maker))
    try:
        return maker(*values, **options)
    except InputError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise InputError(f"plug-in {name!r} of {group}", "work with what it is given", said) from error


def _loaded(found: EntryPoint) -> Any:
    try:
        return found.load()
    except Exception as error:
        package = found.dist.name if found.dist is not None else found.value
        said = f"{type(error).__name__}: {error}"
        raise InputError(f"plug-in {found.name!r} of package {package!r}", "load", said) from error
