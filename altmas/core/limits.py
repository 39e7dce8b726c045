"""How much is too much: every bound on what a file or an array may make altmas hold; docs/command-line.md lists them.

Generous for real data, and small enough that a file made to exhaust a machine is refused by a sentence.
"""

from __future__ import annotations

from altmas.metrics.errors import InputError

MAX_BYTES = 8 << 30
"""What a file may unpack to: 8 GiB, ten million rows of a hundred numbers. Memory-mapped arrays may be larger."""

ALWAYS_FITS = 256 << 20
"""What a file may unpack to however small it is: 256 MiB."""

MAX_GROWTH = 100
"""How many times its own size a file may unpack to beyond that. Data grow tenfold, bombs a thousandfold."""

MAX_TEXT_BYTES = 2 << 30
"""Text grows many times over when it is read into cells, so its files are refused sooner: 2 GiB."""

MAX_JSON_BYTES = 512 << 20
"""A JSON value is held whole, each bracket of it as an object: 512 MiB."""

MAX_CELL = 16 << 20
"""Characters of one cell or header of CSV, and of one line of JSON lines: 16 million, more than any document has."""

MAX_COLUMNS = 30_000
"""Columns of a table: a score for each of 21,841 classes fits."""

NESTED_BYTES = 48
"""What a number in a list takes as a Python object."""

MAX_CLASSES = 10_000
"""A confusion has a cell for each pair of classes: 800 MB."""

MAX_CLASS_CELLS = 1 << 30
"""Items times classes, the size of a table of probabilities: a million items of a thousand classes."""


def fits(subject: str, size: int, packed: int | None = None, hint: str = "") -> None:
    """Refuse what would not fit into memory, before it is unpacked; `packed` is its size as it lies on disk.

    >>> fits("a.npz", 1 << 30, packed=1 << 29)
    >>> fits("a.npz", 1 << 30, packed=1 << 20)
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: a.npz must unpack to at most 100 times its size; got 1,073,741,824 bytes \
from 1,048,576.
    """
    if size > MAX_BYTES:
        raise InputError(subject, f"unpack to at most {MAX_BYTES:,} bytes", f"{size:,}", hint)
    if packed is not None and size > max(ALWAYS_FITS, MAX_GROWTH * packed):
        got = f"{size:,} bytes from {packed:,}"
        raise InputError(subject, f"unpack to at most {MAX_GROWTH} times its size", got, hint)


def few_columns(subject: str, count: int) -> None:
    """Refuse a table wider than any that was meant to be one.

    >>> few_columns("a.csv", 50_000)
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: a.csv must have at most 30,000 columns; got 50,000. Numbers fit into a .npy \
file, which may be as wide as it likes.
    """
    if count > MAX_COLUMNS:
        hint = "Numbers fit into a .npy file, which may be as wide as it likes."
        raise InputError(subject, f"have at most {MAX_COLUMNS:,} columns", f"{count:,}", hint)


def few_classes(classes: int, items: int) -> None:
    """Refuse more classes than can be told apart: most likely a column of ids was taken for predictions.

    >>> few_classes(1000, 1_000_000)
    >>> few_classes(20_000, 50_000)
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: classes must be at most 10,000; got 20,000 for 50,000 items. Is it the right \
column (prediction=...)? Classes declared by classes=[...] may leave rare ones out: predictions of those count as wrong.
    """
    most = min(MAX_CLASSES, MAX_CLASS_CELLS // max(items, 1))
    if classes > max(most, 2):
        hint = (
            "Is it the right column (prediction=...)? Classes declared by classes=[...] may leave rare ones out: "
            "predictions of those count as wrong."
        )
        raise InputError("classes", f"be at most {most:,}", f"{classes:,} for {items:,} items", hint)
