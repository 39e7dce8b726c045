"""Figures and names in tables: how many digits they have, differences with their signs, and what is no class."""

from __future__ import annotations

from altmas.core.pool import NO_CLASS
from altmas.words.language import sentence
from altmas.words.wording import clean, digits_for, marked


def table_digits(low: float | None, high: float | None, *, share: bool) -> int:
    """Digits in a table: one more than a sentence needs.

    >>> table_digits(0.88, 0.94, share=True)
    1
    """
    if low is None or high is None or low == high:
        return 2 if share else 3
    return min(digits_for(high - low, share=share) + 1, 4)


def class_name(name: object) -> str:
    """A class as users call it; what is no class, in the language spoken now.

    >>> class_name("cat"), class_name("(no class)")
    ('cat', '(no class)')
    """
    return sentence("(no class)") if name == NO_CLASS else clean(name)


def minus(first: object, second: object) -> str:
    """What a difference is of: two names with a minus between them."""
    return f"{clean(first)} \N{MINUS SIGN} {clean(second)}"


def signed(value: float | None, *, share: bool = True) -> str:
    """A difference in points, with its sign.

    >>> signed(0.031), signed(-0.5, share=False)
    ('+3.1', '−0.500')
    """  # noqa: RUF002
    if value is None:
        return sentence("not known")
    text = f"{100 * value:+.1f}" if share else f"{value:+.3f}"
    return marked(text.replace("-", "\N{MINUS SIGN}"))


def signed_interval(low: float | None, high: float | None, *, share: bool = True) -> str:
    """An interval of a difference, in points.

    >>> signed_interval(-0.1, 0.02), signed_interval(None, None)
    ('−10.0 to +2.0', 'not known')
    """  # noqa: RUF002
    if low is None or high is None:
        return signed(None)
    return sentence("{low} to {high}", low=signed(low, share=share), high=signed(high, share=share))
