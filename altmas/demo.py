"""`altmas demo`, the main job on bundled data: a vendor's digits classifier, audited to a report.

Beside it, four methods assess the same pool from the same seed. Imports wait until the demo runs: `altmas --help` reads
this file too.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from altmas.audits.audit import Audit
    from altmas.core.result import Result

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
    from altmas.assessment import assess
    from altmas.metrics import metrics_named, tally

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
    import pandas as pd

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
    from altmas.plots.history import plot_relative_error, save

    errors = {name: relative_errors(result.history, truth) for name, result in results.items()}
    save(plot_relative_error(errors, title="A vendor's digits classifier: error of the estimates"), str(path))


def run_audit(folder: Path, *, budget: int = 150, batch: int = 10) -> Audit:
    """An audit of the vendor's classifier in a new folder, its questions answered from the labels the demo knows.

    The images lie beside it, so that labelling can be tried, and how much ink a digit has is a group to look into.
    """
    from altmas.audits.audit import Audit
    from altmas.core.checks import whole_number
    from altmas.core.pool import Pool

    vendor = vendor_digits()
    whole_number("budget", budget, 1)
    _make_room(folder)
    media = _write_images(folder.parent / "images", vendor.images)
    ink = vendor.images.mean((1, 2))
    thirds = np.digitize(ink, np.quantile(ink, [1 / 3, 2 / 3]))
    pool = Pool.build(
        vendor.predictions, scores=vendor.scores, classes=range(10),
        groups={"ink": np.array(["light", "medium", "heavy"])[thirds]},
    )  # fmt: skip
    audit = Audit.create(
        folder, pool, metrics=[METRICS, "ece"], budget=budget, initial=min(50, budget), batch=batch,
        media=media, title=TITLE, guidelines="Which digit was written?",
    )  # fmt: skip
    while (asked := len(audit.state.order)) < budget:
        for query in audit.ask(min(batch if asked else min(50, budget), budget - asked)):
            audit.tell(query.id, int(vendor.labels[query.position]), annotator=ANNOTATOR)
    return audit


TITLE, ANNOTATOR = "A vendor's digits classifier", "demo"


def _make_room(folder: Path) -> None:
    """Remove the audit of an earlier demo; whatever a person has labelled in stays, and stops the demo."""
    from altmas.audits import registry
    from altmas.audits.audit import Audit

    if not folder.exists():
        return
    ours, first = False, ""
    if (folder / "audit.db").is_file():
        with Audit.open(folder) as audit:
            ours = audit.settings.title == TITLE and set(audit.status().annotators) <= {ANNOTATOR}
            first = audit.created.hash
    if not ours:
        raise InputError("demo's folder", "be new, or hold a demo that nobody labelled in", str(folder))
    shutil.rmtree(folder)
    registry.forget(first)


def _write_images(folder: Path, images: NDArray[np.uint8]) -> list[str]:
    """The digits as image files, large enough to look at."""
    from matplotlib.image import imsave

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{position}.png" for position in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        if not path.exists():
            imsave(path, np.kron(255 - image, np.ones((16, 16), dtype=np.uint8)), cmap="gray", vmin=0, vmax=255)
    return [str(path.resolve()) for path in paths]


@click.command(short_help="The main job on bundled data, to a report.")
@click.option("--out", default="altmas-demo", show_default=True, help="Folder for the report and the tables.",
              type=click.Path(file_okay=False, path_type=Path))  # fmt: skip
@click.option("--budget", default=150, show_default=True, help="Labels each method may spend.")
@click.option("--seed", default=0, show_default=True, help="Of the methods compared; the audit draws its own.")
@click.option("--compare/--no-compare", "methods", default=True, help="Beside the audit, three other methods.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def demo(out: Path, budget: int, seed: int, methods: bool, as_json: bool) -> None:
    """Audit a vendor's digits classifier: 150 labels, a report; and other methods beside the truth."""
    from altmas.commands.shared import rows, say_json

    started = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    audit = run_audit(out / "audit", budget=budget)
    with audit:
        audit.report(out / "report.html")
        sentences = audit.findings().estimates[["metric", "estimate", "low", "high"]]
    table = None
    if methods:
        results, truth = run_demo(budget=budget, seed=seed, progress=not as_json)
        table = comparison(results, truth)
        table.to_csv(out / "estimates.csv", index=False)
        for name, result in results.items():
            result.history.to_csv(out / f"history-{name}.csv", index=False)
            result.answers.to_csv(out / f"answers-{name}.csv", index=False)
        for kind in ("svg", "png"):
            write_figure(results, truth, out / f"relative-error.{kind}")
    if as_json:
        say_json("demo", {"report": str(out / "report.html"), "audit": rows(sentences), "methods": rows(table)})
        return
    if table is not None:
        _show(table)
        click.echo(f"\nWritten to {out}/: relative-error.svg and .png, and the tables as CSV.")
    click.echo(f"\nThe audit, after {budget} labels:")
    for row in sentences.to_dict("records"):
        click.echo(f"  {row['metric']}: {row['estimate']:.1%}, between {row['low']:.1%} and {row['high']:.1%}")
    click.echo(f"The report: {out}/report.html. Go on with: altmas label {out}/audit --annotator you")
    click.echo(f"All in {time.monotonic() - started:.0f} s.")


def _show(table: pd.DataFrame) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(title="Estimates beside the truth (which only a demo knows)", title_justify="left")
    for column in ("metric", "truth", "method", "estimate", "interval", "error"):
        shown.add_column(column, justify="left" if column in ("metric", "method") else "right", no_wrap=True)
    for metric, part in table.groupby("metric", sort=False):
        for row in part.to_dict("records"):
            first = row["method"] == part["method"].iloc[0]
            named = (str(metric), f"{row['truth']:.3f}") if first else ("", "")
            interval = f"{row['low']:.3f} to {row['high']:.3f}"
            shown.add_row(*named, row["method"], f"{row['estimate']:.3f}", interval, f"{row['error']:.3f}")
        shown.add_section()
    Console().print(shown)
    click.echo("What the intervals promise:")
    for method, promise in table.drop_duplicates("method")[["method", "promise"]].itertuples(index=False):
        click.echo(f"  {method}: {promise}")
    click.echo("Only an interval that promises coverage can be relied on to hold the truth.")
