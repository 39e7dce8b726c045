"""Files that others made: found, measured, and refused in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from altmas.metrics.errors import AltmasError, InputError

MAX_BYTES = 8 << 30
"""A file that declares more, 8 GiB, is refused before it is unpacked; memory-mapped arrays may be larger."""
MAX_TEXT_BYTES = 2 << 30
"""Text grows many times over when it is read into cells, so its files are refused sooner: 2 GiB."""

PICKLES = frozenset({".pkl", ".pickle", ".joblib", ".pt", ".pth", ".dill", ".sav", ".npk"})
SPREADSHEETS = frozenset({".xlsx", ".xls", ".xlsm", ".ods", ".numbers"})


def existing(path: str | Path) -> Path:
    """The path of a file that is there.

    >>> existing("nowhere.csv")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: nowhere.csv must be a file; got no file at that path.
    """
    found = Path(path)
    if not found.is_file():
        raise InputError(str(path), "be a file", "a folder" if found.is_dir() else "no file at that path")
    return found


def read_bytes(path: Path) -> bytes:
    """All of a file of text, unless it is too large."""
    size = path.stat().st_size
    if size > MAX_TEXT_BYTES:
        hint = "Parquet holds more."
        raise InputError(path.name, f"be at most {MAX_TEXT_BYTES:,} bytes of text", f"{size:,}", hint)
    return path.read_bytes()


def fits(subject: str, size: int) -> None:
    """Refuse what would not fit into memory, before it is unpacked."""
    if size > MAX_BYTES:
        raise InputError(subject, f"unpack to at most {MAX_BYTES:,} bytes", f"{size:,}")


def refuse_suffix(path: Path, known: str) -> InputError:
    """The sentence for a file of a kind that is not read.

    >>> print(refuse_suffix(Path("a.pkl"), "CSV"))
    a.pkl must be CSV; got a pickle. Opening it would run whatever program is in it: ask for another format.
    """
    suffix = path.suffix.lower()
    if suffix in PICKLES:
        hint = "Opening it would run whatever program is in it: ask for another format."
        return InputError(path.name, f"be {known}", "a pickle", hint)
    hint = "Save it as 'CSV UTF-8'." if suffix in SPREADSHEETS else "The name's ending tells the format."
    return InputError(path.name, f"be {known}", f"the ending {suffix!r}" if suffix else "no ending", hint)


@contextmanager
def refusing(subject: str, rule: str) -> Iterator[None]:
    """Whatever a parser raises on a broken file, as one sentence; ours and the system's errors pass.

    >>> with refusing("a.json", "be JSON"):
    ...     int("x")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: a.json must be JSON; got ValueError: invalid literal for int() with base 10: 'x'.
    """
    try:
        yield
    except (AltmasError, OSError):
        raise
    except Exception as error:  # other people's parsers document no complete list
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise InputError(subject, rule, f"{type(error).__name__}: {said}" if said else type(error).__name__) from error
