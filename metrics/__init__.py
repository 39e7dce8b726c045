"""Confusion counts, the catalogue, gradients, counterfactuals, beliefs; also the array types and errors of all rooms.

A metric here is a function of a confusion, whoever estimated it: pools, answers and estimates are unknown. Needs numpy
and scipy alone, and imports no other room.
"""

from altmas.metrics.catalogue import metric, metric_names, metrics_named
from altmas.metrics.confusion import tally, totals
from altmas.metrics.counterfactual import CounterfactualMeans, counterfactuals
from altmas.metrics.custom import expected_cost, from_confusion, from_labels
from altmas.metrics.errors import AltmasError, InputError
from altmas.metrics.formulas import Metric

__all__ = [
    "AltmasError",
    "CounterfactualMeans",
    "InputError",
    "Metric",
    "counterfactuals",
    "expected_cost",
    "from_confusion",
    "from_labels",
    "metric",
    "metric_names",
    "metrics_named",
    "tally",
    "totals",
]
