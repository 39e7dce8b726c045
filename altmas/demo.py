"""The main job on bundled data: a vendor's digits classifier, assessed by four methods from the same pool and seed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from altmas.assessment import assess
from altmas.metrics import metrics_named, tally
from altmas.metrics.confusion import FloatArray, IntArray
from altmas.result import Result

METHODS = ("certified", "altmas", "bald", "random")
METRICS = "alt_mas_3"


@dataclass(frozen=True, eq=False)
class VendorDigits:
    """What a buyer has: images, the vendor's predictions and scores; and the labels, which only the oracle knows."""

    images: NDArray[np.uint8]
    predictions: IntArray
    scores: FloatArray
    labels: IntArray


def vendor_digits(seed: int = 0) -> VendorDigits:
    """scikit-learn's digits with a classifier trained elsewhere: on 200 of them, sharper than the buyer's images.

    >>> vendor_digits().images.shape
    (1597, 8, 8)
    """
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression

    digits: Any = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))
    theirs, ours = order[:200], order[200:]
    # The vendor's scanner saturates; the buyer's does not. The classifier was never told.
    vendor = LogisticRegression(C=0.02, max_iter=2000)
    vendor.fit((digits.data[theirs] > 6) * 16.0, digits.target[theirs])
    scores = vendor.predict_proba(digits.data[ours])
    images = (digits.images[ours] * 15.9).astype(np.uint8)
    return VendorDigits(images, scores.argmax(1), scores, digits.target[ours].astype(np.int64))


def run_demo(
    *, budget: int = 150, batch: int = 10, seed: int = 0, progress: bool = True
) -> tuple[dict[str, Result], dict[str, float]]:
    """Each method's result, and the truth that only a demo knows."""
    vendor = vendor_digits()
    results = {
        name: assess(
            vendor.predictions, vendor.scores, vendor.images, oracle=vendor.labels, metrics=METRICS, method=name,
            budget=budget, initial=min(50, budget), batch=batch, seed=seed, progress=progress,
        )
        for name in METHODS
    }  # fmt: skip
    confusion = tally(vendor.labels, vendor.predictions, 10)
    return results, {one.name: float(one.value(confusion)) for one in metrics_named([METRICS], range(10))}


def relative_errors(history: pd.DataFrame, truth: dict[str, float]) -> pd.Series[Any]:
    """Mean over metrics of |estimate - truth| / truth, by labels spent."""
    known = history["metric"].map(truth)
    error: pd.Series[Any] = ((history["estimate"] - known).abs() / known).groupby(history["labels"]).mean()
    return error


def comparison(results: dict[str, Result], truth: dict[str, float]) -> pd.DataFrame:
    """One row per metric and method, beside the truth."""
    rows = []
    for name, result in results.items():
        for row in result.estimates.to_dict("records"):
            error = abs(row["estimate"] - truth[row["metric"]])
            rows.append({"metric": row["metric"], "truth": truth[row["metric"]], "method": name, **row, "error": error})
    table = pd.DataFrame(rows)
    columns = ["metric", "truth", "method", "estimate", "low", "high", "error", "labels", "promise"]
    return table[columns].sort_values(["metric", "method"], kind="stable").reset_index(drop=True)


def write_figure(results: dict[str, Result], truth: dict[str, float], path: Path) -> None:
    """Relative error against labels, one line per method."""
    from altmas.plots import plot_relative_error, save

    errors = {name: relative_errors(result.history, truth) for name, result in results.items()}
    save(plot_relative_error(errors, title="A vendor's digits classifier: error of the estimates"), str(path))
