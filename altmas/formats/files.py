"""Files that others made: found, measured, decoded, and refused in one sentence."""

from __future__ import annotations

import codecs
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


def read_text(path: Path, *, windows: bool = False) -> str:
    """The text of a file, decoded as `decode` does."""
    return decode(read_bytes(path), path.name, windows=windows)


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


def decode(data: bytes, subject: str, *, windows: bool = False) -> str:
    r"""The text of a file.

    UTF-8 with or without a byte order mark; UTF-16 with one. Anything else is an error that names the byte and the
    row, except with `windows=True`: then it is Windows-1252, which Excel writes in western countries. Only files whose
    every id and label is afterwards found among those known are read so: there a misreading cannot pass unseen.

    >>> decode("\ufeffé".encode(), "a.csv"), decode("é".encode("utf-16"), "a.csv")
    ('é', 'é')
    >>> decode(b"id\n\xe9", "a.csv", windows=True)
    'id\né'
    >>> decode(b"id\n\xe9", "a.csv")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: a.csv must be UTF-8 text; got the byte 0xE9 in line 2. Save it as 'CSV UTF-8'.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise InputError(subject, "be UTF-16 text", f"{error.reason} at byte {error.start:,}") from None
    else:
        text = _utf8(data, subject, windows)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(subject, "be text", f"a NUL character in line {line:,}", "Save it as 'CSV UTF-8'.")
    return text


def _utf8(data: bytes, subject: str, windows: bool) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # With a mark, positions count from behind it.
        start = error.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    if windows and not data.startswith(codecs.BOM_UTF8):
        try:
            return data.decode("cp1252")
        except UnicodeDecodeError as error:
            start = error.start
    line = data.count(b"\n", 0, start) + 1
    raise InputError(
        subject, "be UTF-8 text", f"the byte 0x{data[start]:02X} in line {line:,}", "Save it as 'CSV UTF-8'."
    )
