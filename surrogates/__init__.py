"""Bayesian surrogates: beliefs about the labels that give draws."""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from altmas.surrogates.agreement import PseudoLabelled as PseudoLabelled
    from altmas.surrogates.agreement import pseudo_label as pseudo_label
    from altmas.surrogates.ensemble import EnsembleSurrogate as EnsembleSurrogate
    from altmas.surrogates.ensemble import as_drawing as as_drawing
    from altmas.surrogates.mc_dropout import MCDropoutLeNet as MCDropoutLeNet
    from altmas.surrogates.mc_dropout import MCDropoutMLP as MCDropoutMLP
    from altmas.surrogates.protocols import DrawingEstimator as DrawingEstimator
    from altmas.surrogates.tuning import Tuned as Tuned
    from altmas.surrogates.tuning import check_tunable as check_tunable
    from altmas.surrogates.tuning import tune as tune

# Looked up when first used: an audit without features needs neither scikit-learn nor scikit-optimize.
_HOMES = {
    "DrawingEstimator": "protocols",
    "EnsembleSurrogate": "ensemble",
    "MCDropoutLeNet": "mc_dropout",
    "MCDropoutMLP": "mc_dropout",
    "PseudoLabelled": "agreement",
    "Tuned": "tuning",
    "as_drawing": "ensemble",
    "check_tunable": "tuning",
    "pseudo_label": "agreement",
    "tune": "tuning",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'altmas.surrogates' has no attribute {name!r}")
    # A submodule is never named as what it holds, so that the name found here is the thing, not its module.
    found: object = getattr(_importlib.import_module(f"altmas.surrogates.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
