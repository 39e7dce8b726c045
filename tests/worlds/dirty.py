"""Vendors' files as they really come: the same predictions, and what exports, spreadsheets and failures do to them."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from openpyxl import Workbook
from sklearn.metrics import accuracy_score, precision_score, recall_score

from worlds.commands import altmas, told

SIZE = 60
CLASSES = ("cat", "cow", "dog")
_RNG = np.random.default_rng(11)
_TRUTH = _RNG.integers(3, size=SIZE)
_SAID = np.where(_RNG.random(SIZE) < 0.7, _TRUTH, _RNG.integers(3, size=SIZE))
_OTHER = np.where(_RNG.random(SIZE) < 0.5, _TRUTH, _RNG.integers(3, size=SIZE))

IDS = [f"{i:03d}" for i in range(1, SIZE + 1)]
TRUTH = [CLASSES[k] for k in _TRUTH]
SAID = [CLASSES[k] for k in _SAID]
OTHER = [CLASSES[k] for k in _OTHER]
SURE = [round(float(one), 2) for one in 0.4 + 0.6 * _RNG.random(SIZE)]
SCORES = np.full((SIZE, 3), 0.1)
SCORES[np.arange(SIZE), _SAID] = 0.8
FAILED = (3, 17, 40)
"""Items on which the vendor failed, where it did."""


def with_failures(values, words, where=FAILED):
    """Values with something else in some places."""
    found = list(values)
    for i, place in enumerate(where):
        found[place] = words[i % len(words)] if isinstance(words, list | tuple) else words
    return found


def table(said=SAID, ids=IDS, **more):
    """A vendor's table."""
    return {"id": list(ids), "prediction": list(said), **more}


def text_of(columns, delimiter=",", end="\n"):
    """A table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def write(folder, name, columns, encoding="utf-8", **how):
    """A table in a file of any kind, by the ending of its name; the path."""
    path = folder / name
    if path.suffix == ".parquet":
        pd.DataFrame(columns).to_parquet(path)
    elif path.suffix == ".jsonl":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text("".join(json.dumps(row, **how) + "\n" for row in rows))
    elif path.suffix == ".xlsx":
        workbook([list(columns), *map(list, zip(*columns.values(), strict=True))], path)
    else:
        how = {"delimiter": "\t"} | how if path.suffix == ".tsv" else how
        path.write_bytes(text_of(columns, **how).encode(encoding))
    return path


def workbook(rows, path, change: Callable[[Workbook], None] = lambda book: None):
    """Rows in the first sheet of a workbook, which may be changed before it is saved."""
    book = Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    book.save(path)
    return path


def by_hand(said, truth=TRUTH):
    """Accuracy, macro precision and macro recall as scikit-learn counts clean data; None is no answer."""
    told = ["(none)" if one is None else str(one) for one in said]
    names = sorted({str(one) for one in truth} | set(told) - {"(none)"})
    how: dict[str, Any] = {"labels": names, "average": "macro", "zero_division": 0}
    truth = list(map(str, truth))
    return {
        "accuracy": accuracy_score(truth, told),
        "macro_precision": precision_score(truth, told, **how),
        "macro_recall": recall_score(truth, told, **how),
    }


@dataclass(frozen=True)
class Dirty:
    """A dirty file: how it is written, what mends its refusal, and what was really said.

    `write` gives the arguments of `altmas init`. Each of `mends` follows a refusal: a list of options, all named in
    it; or a pair, words of the sentence and a function that does by hand what the sentence asks for.
    """

    write: Callable[[Path], Any]
    mends: tuple[Any, ...] = ()
    said: list[Any] | dict[str, list[Any]] = field(default_factory=lambda: SAID)
    truth: list[Any] = field(default_factory=lambda: TRUTH)
    labels: Callable[[Path], list[Any]] | None = None
    notes: tuple[str, ...] = ()
    """Words that `init` must say."""


def labels_file(folder, truth=TRUTH, ids=IDS):
    """A table of every item's label."""
    return write(folder, "truth.csv", {"id": list(ids), "label": list(truth)})


def _named(path):
    return [] if path is None else ["--predictions", path]


def walked(folder, case):
    """Through the command line: `init`, mended as its refusals say, `check`, `label --from`; estimates by model."""
    given = case.write(folder)
    arguments = given if isinstance(given, list) else _named(given)
    plan = ["--method", "random", "--budget", SIZE, "--initial", SIZE]
    audit = folder / "audit"
    for mend in case.mends:
        done = altmas("init", audit, *arguments, *plan)
        assert (done.code, done.out) == (2, ""), f"taken without a word: {done.out}"
        arguments = _mended(mend, done.err, folder, arguments)
    done = altmas("init", audit, *arguments, *plan)
    assert done.code == 0, done.err
    for note in case.notes:
        assert note in done.out, done.out
    assert altmas("check", audit).code == 0
    labels = case.labels(folder) if case.labels else [labels_file(folder, case.truth)]
    told("label", audit, "--from", *labels)
    found = altmas("estimate", audit, "--json").json
    assert found["labels"] == SIZE
    by_model: dict[str, dict[str, float]] = {}
    for row in found["estimates"]:
        by_model.setdefault(row.get("model") or "", {})[row["metric"]] = row["estimate"]
    return by_model


def _mended(mend, sentence, folder, arguments):
    if isinstance(mend, tuple):
        words, change = mend
        assert words in sentence, sentence
        changed = change(folder)
        return arguments if changed is None else changed if isinstance(changed, list) else _named(changed)
    for option in mend:
        if str(option).startswith("--"):
            assert option in sentence, sentence
    return [*arguments, *mend]
