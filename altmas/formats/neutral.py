"""Cells that a spreadsheet would run as a formula, made harmless, and back."""

from __future__ import annotations

import re

# Apostrophes already in front of such a character get one more, so that every text comes back as it was.
_DANGEROUS = re.compile(r"'*[=+\-@\t\r]")
_NEUTRAL = re.compile(r"'+[=+\-@\t\r]")


def neutralise(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet could take it for a formula.

    >>> neutralise("=1+1"), neutralise("'=1"), neutralise("'twas"), neutralise("1-1")
    ("'=1+1", "''=1", "'twas", '1-1')
    """
    return "'" + text if _DANGEROUS.match(text) else text


def restore(text: str) -> str:
    """What `neutralise` was given: `restore(neutralise(text)) == text` for every text.

    >>> restore("'=1+1"), restore("''=1"), restore("'twas"), restore("=1")
    ('=1+1', "'=1", "'twas", '=1')
    """
    return text[1:] if _NEUTRAL.match(text) else text
