"""Pictures: histories, displays of groups and calibration, curves, heat maps of surfaces.

A display holds the numbers it draws and has a `plot(ax=...)`; it computes nothing. Reports turn them into SVG.
Matplotlib is imported when something is drawn, and not before.
"""

from altmas.plots.displays import ForestDisplay, ReliabilityDisplay, RopeDisplay
from altmas.plots.heat_maps import MarginalDisplay, PairDisplay
from altmas.plots.history import plot_history, save

__all__ = [
    "ForestDisplay",
    "MarginalDisplay",
    "PairDisplay",
    "ReliabilityDisplay",
    "RopeDisplay",
    "plot_history",
    "save",
]
