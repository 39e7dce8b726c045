"""Bayesian surrogates: beliefs about labels, accuracies and surfaces that give draws.

Everything here learns from arrays: `networks` and `learners` from features, `outputs` from what models said, `groups`
from counts per group, `surface` from counts per combination of attributes. Pools, answers and methods are unknown here;
who binds a surrogate to a pool is `altmas.beliefs`.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from altmas.surrogates.networks.agreement import PseudoLabelled as PseudoLabelled
    from altmas.surrogates.networks.agreement import pseudo_label as pseudo_label
    from altmas.surrogates.networks.drawing import DrawingEstimator as DrawingEstimator
    from altmas.surrogates.networks.drawing import EnsembleSurrogate as EnsembleSurrogate
    from altmas.surrogates.networks.drawing import as_drawing as as_drawing
    from altmas.surrogates.networks.mc_dropout import MCDropoutLeNet as MCDropoutLeNet
    from altmas.surrogates.networks.mc_dropout import MCDropoutMLP as MCDropoutMLP
    from altmas.surrogates.networks.tuning import Tuned as Tuned
    from altmas.surrogates.networks.tuning import check_tunable as check_tunable
    from altmas.surrogates.networks.tuning import tune as tune

# Looked up when first used: an audit without features needs neither scikit-learn nor scikit-optimize.
_HOMES = {
    "DrawingEstimator": "networks.drawing",
    "EnsembleSurrogate": "networks.drawing",
    "MCDropoutLeNet": "networks.mc_dropout",
    "MCDropoutMLP": "networks.mc_dropout",
    "PseudoLabelled": "networks.agreement",
    "Tuned": "networks.tuning",
    "as_drawing": "networks.drawing",
    "check_tunable": "networks.tuning",
    "pseudo_label": "networks.agreement",
    "tune": "networks.tuning",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'altmas.surrogates' has no attribute {name!r}")
    # A submodule is never named as what it holds, so that the name found here is the thing, not its module.
    found: object = getattr(_importlib.import_module(f"altmas.surrogates.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
