"""Bytes to text: UTF-8, UTF-16 with its mark, and Windows-1252 only where a mistake would be noticed."""

from __future__ import annotations

import codecs

from altmas.metrics.errors import InputError


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
