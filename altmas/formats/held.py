"""Files in place of arrays: predictions and labels as people hold them, read as `altmas init` reads them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from altmas.core.pool import Pool
from altmas.formats.ingest import ingest
from altmas.formats.labels import label_table
from altmas.formats.returned import read_returned
from altmas.formats.sampled import ingest_sample
from altmas.formats.tables import ENDINGS
from altmas.metrics.errors import InputError


def is_file(given: Any) -> bool:
    """Whether a path was given, or several by name, and no array: text with the ending of a table, or a file's name.

    >>> is_file("vendor.xlsx"), is_file({"a": Path("a.csv")}), is_file(["cat", "dog"]), is_file("cat")
    (True, True, False, False)
    """
    if isinstance(given, Mapping):
        return len(given) > 0 and all(is_file(one) for one in given.values())
    if isinstance(given, str) and len(given) < LONGEST_PATH:
        return Path(given).suffix.lower() in ENDINGS or Path(given).is_file()
    return isinstance(given, Path)


LONGEST_PATH = 4096


def labels_of_file(path: str | Path) -> list[str]:
    """The labels that a table names, as they are written; those that are none (unsure, skip, blank) left out."""
    labels = dict.fromkeys(row.label.strip() for row in read_returned(path))
    return [one for one in labels if one and one.casefold() not in ("unsure", "skip")]


def pool_of_file(given: Any, labels: Sequence[str], **options: Any) -> Pool:
    """The pool in a file of predictions, or in several by name; its classes are those of predictions and labels."""
    named = [f"{name}={path}" for name, path in given.items()] if isinstance(given, Mapping) else given
    if options.get("sample") is not None:
        return ingest_sample(named, labels_seen=labels, **options).pool
    return ingest(named, labels_seen=labels, **options).pool


def oracle_of_file(path: str | Path, ids: Sequence[Hashable], classes: Sequence[Hashable]) -> dict[Any, Hashable]:
    """The labels of a table with columns id and label, by id."""
    places = {str(one): at for at, one in enumerate(ids)}
    found = label_table(path, places, classes, f"labels in {Path(path).name}")
    if found.wrong:
        hint = "Declare classes=[...] if it is a class the model under test never predicts."
        raise InputError(f"labels in {Path(path).name}", "be labels of the items", found.wrong[0], hint)
    return {ids[at]: label for at, label in found.labels.items() if label not in ("unsure", "skip")}
