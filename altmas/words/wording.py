"""How numbers and names are written: as few digits as the interval supports, never narrower than it is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]
"""A row of a table of results: `metric`, `estimate`, `low`, `high` and what else a sentence needs, by name."""

ONE_NUMBER = 1e-9
"""An interval narrower than this is written as one number."""

_SHARES = re.compile(
    r"(accuracy|error_rate|balanced_accuracy|ece)\Z|(accuracy|precision|recall|specificity|f\d[\d.]*):"
    r"|(macro|micro|weighted)_"
)
_NAMES = {"mcc": "MCC", "cohen_kappa": "Cohen's kappa", "ece": "expected calibration error (ECE)"}
_F_NAME = re.compile(r"(?:(macro|micro|weighted) )?f(\d[\d.]*)\Z")
_OCCURRING = re.compile(r"macro_[a-z0-9.]+(_occurring)\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]+")


def is_share(metric: str) -> bool:
    """Whether a metric is a share of items, and so written in percent.

    >>> is_share("accuracy"), is_share("f0.5:cat"), is_share("macro_recall"), is_share("mcc"), is_share("my own")
    (True, True, True, False, False)
    """
    return _SHARES.match(metric) is not None


def named(metric: str) -> str:
    """A metric's name as people say it.

    >>> named("accuracy"), named("macro_f1"), named("precision:8"), named("mcc"), named("f0.5:a:b")
    ('accuracy', 'macro F1', "precision of class '8'", 'MCC', "F0.5 of class 'a:b'")
    >>> named("macro_f1_occurring")
    'macro F1 over the classes that occur'
    """
    if _OCCURRING.match(metric):
        return f"{named(metric.removesuffix('_occurring'))} over the classes that occur"
    if metric in _NAMES:
        return _NAMES[metric]
    kind, colon, group = metric.partition(":")
    words = kind.replace("_", " ")
    if found := _F_NAME.match(words):
        words = f"{found[1]} F{found[2]}" if found[1] else f"F{found[2]}"
    return f"{words} of class {quoted(group)}" if colon else words


def clean(name: object) -> str:
    r"""Text on one line, without what no page and no figure can show.

    >>> clean("two\nlines"), clean(8)
    ('two lines', '8')
    """
    return _CONTROL.sub(" ", str(name)).strip()


def short(name: object, most: int = 60) -> str:
    """A name on one line, of at most so many letters.

    >>> short("x" * 100, 5)
    'xxxx…'
    """
    text = clean(name)
    return text if len(text) <= most else text[: most - 1] + "…"


def quoted(name: object) -> str:
    """A class or a group in a sentence.

    >>> quoted(8), quoted("cat")
    ("'8'", "'cat'")
    """
    return f"'{short(name)}'"


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed("abc")
    ('a', 'a and b', 'a, b and c')
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, in the singular or plural.

    >>> counted(1, "label"), counted(1597, "item"), counted(2, "class", "classes")
    ('1 label', '1,597 items', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def digits_for(width: float, *, share: bool) -> int:
    """Digits behind the point, of percent or of the number itself, that an interval of this width supports.

    >>> digits_for(0.06, share=True), digits_for(0.012, share=True), digits_for(0.06, share=False)
    (0, 1, 2)
    """
    if not width > 0 or not math.isfinite(width):
        return 2 if share else 4
    unit = 100 * width if share else width
    return min(max(math.ceil(math.log10(2 / unit)), 0), 4)


def figure(value: float | None, *, share: bool, digits: int = 1) -> str:
    """One number in a sentence or a table: a share in percent, any other as it is.

    >>> figure(0.913, share=True), figure(0.5, share=False, digits=2), figure(None, share=True)
    ('91.3%', '0.50', 'not known')
    """
    if value is None or math.isnan(value):
        return "not known"
    text = f"{100 * value:.{digits}f}%" if share else f"{value:,.{digits}f}"
    return text.removeprefix("-") if not any(c in "123456789" for c in text) else text.replace("-", "\N{MINUS SIGN}")


def ends(low: float, high: float, *, share: bool, digits: int) -> tuple[str, str]:
    """Both ends of an interval, rounded outwards: what is written is never narrower than what is known.

    >>> ends(0.8849, 0.9301, share=True, digits=0)
    ('88%', '94%')
    """
    scale = (100 if share else 1) * 10**digits
    outwards = math.floor(low * scale + 1e-6) / scale, math.ceil(high * scale - 1e-6) / scale
    first, second = (figure(end, share=share, digits=digits) for end in outwards)
    return first, second


def interval(low: float | None, high: float | None, *, share: bool, digits: int = 1) -> str:
    """An interval in a table.

    >>> interval(0.8849, 0.9301, share=True), interval(0.5, 0.5, share=True), interval(None, None, share=True)
    ('88.4% to 93.1%', '50.0%', 'not known')
    """
    if low is None or high is None:
        return "not known"
    if high - low < ONE_NUMBER:
        return figure(low, share=share, digits=digits)
    return " to ".join(ends(low, high, share=share, digits=digits))


def right_in(row: Row) -> str:
    """An accuracy and its interval inside a sentence.

    >>> right_in({"estimate": 0.72, "low": 0.604, "high": 0.829})
    'right in 72%, 60% to 83%'
    """
    digits = digits_for(row["high"] - row["low"], share=True)
    least, most = ends(row["low"], row["high"], share=True, digits=digits)
    return f"right in {figure(row['estimate'], share=True, digits=digits)}, {least} to {most}"


def amount(count: float | None) -> str:
    """A number of labels or items in a table: whole where it is known, with one digit where it is expected.

    >>> amount(1200.0), amount(0.25), amount(None)
    ('1,200', '0.2', '')
    """
    return "" if count is None else f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}"


def chance(p: float | None) -> str:
    """A probability in a sentence; none is written as quite 0 or 1.

    >>> chance(0.812), chance(0.9999), chance(0.0), chance(1.0)
    ('0.81', 'above 0.99', 'below 0.01', 'above 0.99')
    """
    if p is None or math.isnan(p):
        return "not known"
    return "above 0.99" if p > 0.99 else "below 0.01" if p < 0.01 else f"{p:.2f}"


def points(difference: float, digits: int = 0) -> str:
    """A difference of shares.

    >>> points(0.031), points(0.01), points(0.0125, 1)
    ('3 points', '1 point', '1.2 points')
    """
    number = f"{100 * abs(difference):.{digits}f}"
    return f"{number} {'point' if number == '1' else 'points'}"
