"""What a spreadsheet does to text: it runs formulas, which are made harmless, and shows numbers in its own way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal

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
    return text[1:] if text[:1] == "'" and _NEUTRAL.match(text) else text


DIGITS = 15
"""Significant digits that a spreadsheet keeps of a number."""

_PLAIN = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:([,.' \u2019\u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*")
_LONGEST = 100
_NO_DIGITS = re.compile(r"[^0-9+-]")


def readings(text: str) -> set[Decimal]:
    """The numbers a text may stand for: with thousands parted, or with a decimal comma.

    >>> sorted(map(str, readings("1,234"))), readings("007"), readings("a7"), readings("1,5E+3") == {Decimal(1500)}
    (['1.234', '1234'], {Decimal('7')}, set(), True)
    """
    text = text.strip()
    found = {Decimal(one) for one in (text, text.replace(",", ".", 1)) if _PLAIN.fullmatch(one)}
    if _GROUPED.fullmatch(text):
        found.add(Decimal(_NO_DIGITS.sub("", text)))
    return found


def shown_digits(text: str) -> int | None:
    """To how many significant digits a number was rounded for show, if it was.

    >>> shown_digits("1.23457E+16"), shown_digits("12345678901234600"), shown_digits("123")
    (6, 15, None)
    """
    mantissa, exponent, _ = text.strip().lower().partition("e")
    digits = len(re.sub(r"[^0-9]", "", mantissa).lstrip("0"))
    if exponent:
        return max(1, min(digits, DIGITS))
    return DIGITS if digits > DIGITS else None


class Numbers:
    """Texts by the number each stands for, exactly and as rounded for show."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self._by_value: dict[int | None, dict[Decimal, tuple[str, ...]]] = {}

    def fits(self, text: str) -> set[str]:
        """The known texts that a spreadsheet may have shown as this one.

        >>> known = Numbers(["007", "12345678901234567", "12345678901234999"])
        >>> known.fits("7"), known.fits("7.0"), known.fits("1.23456789012346E+16")
        ({'007'}, {'007'}, {'12345678901234567'})
        """
        values = readings(text)
        same = {one for value in values for one in self._index(None).get(value, ())}
        digits = shown_digits(text)
        if same or digits is None:
            return same
        rounded = {_rounded(value, digits) for value in values}
        return {one for value in rounded for one in self._index(digits).get(value, ())}

    def _index(self, digits: int | None) -> dict[Decimal, tuple[str, ...]]:
        if digits not in self._by_value:
            index: dict[Decimal, tuple[str, ...]] = {}
            for text in self._texts:
                if len(text) < _LONGEST and _PLAIN.fullmatch(text.strip()):
                    value = Decimal(text.strip())
                    for shown in {value} if digits is None else _shown(value, digits):
                        index[shown] = (*index.get(shown, ()), text)
            self._by_value[digits] = index
        return self._by_value[digits]


def _shown(value: Decimal, digits: int) -> set[Decimal]:
    """LibreOffice rounds to 15 digits, Excel cuts off after them; either may show fewer."""
    kept = Context(prec=DIGITS, rounding=ROUND_DOWN).plus(value)
    return {_rounded(value, digits), _rounded(kept, digits)}


def _rounded(value: Decimal, digits: int) -> Decimal:
    return Context(prec=digits, rounding=ROUND_HALF_UP).plus(value)
