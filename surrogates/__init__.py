"""Bayesian surrogates: beliefs about the labels that give draws."""

from altmas.surrogates.agreement import PseudoLabelled, pseudo_label
from altmas.surrogates.ensemble import EnsembleSurrogate, as_drawing
from altmas.surrogates.mc_dropout import MCDropoutLeNet, MCDropoutMLP
from altmas.surrogates.protocols import DrawingEstimator
from altmas.surrogates.tuning import Tuned, check_tunable, tune

__all__ = [
    "DrawingEstimator",
    "EnsembleSurrogate",
    "MCDropoutLeNet",
    "MCDropoutMLP",
    "PseudoLabelled",
    "Tuned",
    "as_drawing",
    "check_tunable",
    "pseudo_label",
    "tune",
]
