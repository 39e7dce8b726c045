"""The catalogue of methods. A new one joins by registering here; the loop does not change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from altmas.method import Method
from altmas.method_ase import Ase
from altmas.method_asi import Asi
from altmas.method_certified import Certified
from altmas.method_groups import GroupMethod
from altmas.method_lure import Lure
from altmas.method_oasis import Oasis
from altmas.method_ppi import Ppi
from altmas.method_random import RandomSampling
from altmas.method_stratified import Stratified
from altmas.method_surface import SurfaceMethod
from altmas.method_surrogate import AltMas, Bald
from altmas.metrics.errors import InputError
from altmas.plugins import METHODS as PLUG_INS
from altmas.plugins import called, plugin_names

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
