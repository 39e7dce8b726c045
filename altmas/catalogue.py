"""The catalogue of methods. A new one joins by registering here; the loop does not change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from altmas.bandits.method import GroupMethod
from altmas.certified.method import Certified
from altmas.core.method import Method
from altmas.core.plugins import METHODS as PLUG_INS
from altmas.core.plugins import called, plugin_names
from altmas.methods.alt_mas import AltMas, Bald
from altmas.methods.ase import Ase
from altmas.methods.asi import Asi
from altmas.methods.lure import Lure
from altmas.methods.oasis import Oasis
from altmas.methods.ppi import Ppi
from altmas.methods.random import RandomSampling
from altmas.methods.stratified import Stratified
from altmas.metrics.errors import InputError
from altmas.surfaces.method import SurfaceMethod

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
}
"""Name -> maker; the maker's keyword arguments are the method's options."""

USUAL = "usual"
"""Metrics where none are named: `alt_mas_3`, or what the method says it knows."""


def usual_metrics(method: Method) -> str:
    """The metrics of a method where none are named.

    >>> usual_metrics(make_method("certified")), usual_metrics(make_method("surface"))
    ('alt_mas_3', 'accuracy')
    """
    return str(getattr(method, "default_metrics", "alt_mas_3"))


def make_method(name: str, **options: Any) -> Method:
    """A method by name, with options.

    `certified` takes `worth`, `interval`, `floor`, `temperature`, `network`, `surrogate`; `altmas` takes
    `surrogate`, `draws`, `pseudo_labels`, `counted`, `tune` and `metric_aware`; `bald` takes `surrogate`, `draws`
    and `tune`; `stratified` takes `strata`, `ppi` takes `predictor` and `folds`, `asi` takes `tau`, `ase` takes
    `draws`, `oasis` takes `strata`, `alpha` and `epsilon`; the group methods take `prior`, `rule`, `strength`,
    `reward` and `draws`; `surface` takes `estimator`, `explore`, `by`, `batch`, and what a `SurfaceRecipe` does.
    Other packages add methods with the entry point `altmas.methods`.

    >>> make_method("altmas", draws=20).name
    'altmas'
    """
    if name not in METHODS:
        return _from_elsewhere(name, options)
    try:
        return METHODS[name](**options)
    except TypeError as error:
        said = str(error).split("() ")[-1].removeprefix("got ")
        raise InputError(f"options of method {name!r}", "be known", said) from None


def _from_elsewhere(name: str, options: dict[str, Any]) -> Method:
    """A method of another package, by the entry point `altmas.methods`."""
    found: Method | None = called(PLUG_INS, name, **options)
    if found is None:
        raise InputError("method", f"be one of {', '.join([*METHODS, *plugin_names(PLUG_INS)])}", repr(name))
    if not hasattr(found, "begin") or not hasattr(found, "name"):
        raise InputError(f"plug-in {name!r} of {PLUG_INS}", "make a method, with name and begin", repr(found))
    return found
