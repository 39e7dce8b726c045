"""Files that others made: found, measured, decoded, and refused in one sentence."""

from __future__ import annotations

import codecs
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from altmas.core import limits
from altmas.metrics.errors import AltmasError, InputError

PICKLES = frozenset({".pkl", ".pickle", ".joblib", ".pt", ".pth", ".dill", ".sav", ".npk"})
SPREADSHEETS = frozenset({".xls", ".xlsb", ".ods", ".numbers"})


def existing(path: str | Path) -> Path:
    """The path of a file that is there.

    >>> existing("nowhere.csv")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: nowhere.csv must be a file; got no file at that path.
    """
    found = Path(path)
    if not found.is_file():
        raise InputError(str(path), "be a file", _instead(found))
    return found


def _instead(path: Path) -> str:
    """What is there, if it is no file: a pipe would be waited for, and a device may never end."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return "a link that leads nowhere" if _is_link(path) else "no file at that path"
    return "a folder" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """All of a file of text, unless it is too large; a file of nothing but NUL is not read to its end."""
    most = limits.MAX_TEXT_BYTES if most is None else most
    size = existing(path).stat().st_size
    if size > most:
        raise InputError(path.name, f"be at most {most:,} bytes of text", f"{size:,}", "Parquet holds more.")
    data = bytearray()
    with path.open("rb") as file:
        while block := file.read(_BYTES_AT_ONCE):
            data += block
            if len(data) > most:  # it grows while it is read
                raise InputError(path.name, f"be at most {most:,} bytes of text", "more")
            if _NOTHING in block:
                raise InputError(
                    path.name, "be text", "a stretch of NUL characters", "Save it as .xlsx, or as 'CSV UTF-8'."
                )
    return bytes(data)


_BYTES_AT_ONCE = 1 << 20
_NOTHING = bytes(64)
"""No text has as many NUL in a row, not even UTF-16."""


def read_text(path: Path, *, windows: bool = False, most: int | None = None) -> str:
    """The text of a file, decoded as `decode` does; `most` bytes of it."""
    return decode(read_bytes(path, most), path.name, windows=windows)


def refuse_suffix(path: Path, known: str) -> InputError:
    """The sentence for a file of a kind that is not read.

    >>> print(refuse_suffix(Path("a.pkl"), "CSV"))
    a.pkl must be CSV; got a pickle. Opening it would run whatever program is in it: ask for another format.
    """
    suffix = path.suffix.lower()
    if suffix in PICKLES:
        hint = "Opening it would run whatever program is in it: ask for another format."
        return InputError(path.name, f"be {known}", "a pickle", hint)
    hint = "Save it as .xlsx, or as 'CSV UTF-8'." if suffix in SPREADSHEETS else "The name's ending tells the format."
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
