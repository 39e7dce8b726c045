"""How numbers and names are written: as few digits as the interval supports, never narrower than it is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from altmas.words.language import sentence, to_say

Row = Mapping[str, Any]
"""A row of a table of results: `metric`, `estimate`, `low`, `high` and what else a sentence needs, by name."""

ONE_NUMBER = 1e-9
"""An interval narrower than this is written as one number."""

_SHARES = re.compile(
    r"(accuracy|error_rate|balanced_accuracy|ece|top_k)\Z|(accuracy|precision|recall|specificity|f\d[\d.]*|top_k"
    r"|precision_at|recall_at|fpr_at|recall_at_fpr):|(macro|micro|weighted)_(?!au)"
)
_NAMES = {
    "accuracy": to_say("accuracy"),
    "error_rate": to_say("error rate"),
    "balanced_accuracy": to_say("balanced accuracy"),
    "precision": to_say("precision"),
    "recall": to_say("recall"),
    "specificity": to_say("specificity"),
    "macro_precision": to_say("macro precision"),
    "macro_recall": to_say("macro recall"),
    "micro_precision": to_say("micro precision"),
    "micro_recall": to_say("micro recall"),
    "weighted_precision": to_say("weighted precision"),
    "weighted_recall": to_say("weighted recall"),
    "mcc": to_say("MCC"),
    "cohen_kappa": to_say("Cohen's kappa"),
    "expected_cost": to_say("expected cost"),
    "ece": to_say("expected calibration error (ECE)"),
    "brier": to_say("Brier score"),
    "log_loss": to_say("log loss"),
    "auroc": to_say("AUROC"),
    "auprc": to_say("AUPRC"),
    "macro_auroc": to_say("macro AUROC"),
    "macro_auprc": to_say("macro AUPRC"),
}
_NUMBERED = {
    "top_k": to_say("top-{number} accuracy"),
    "log_loss": to_say("log loss (probabilities at least {number})"),
    "precision_at": to_say("precision at scores from {number}"),
    "recall_at": to_say("recall at scores from {number}"),
    "fpr_at": to_say("false-positive rate at scores from {number}"),
    "recall_at_fpr": to_say("recall at a false-positive rate of {number}"),
}
"""Names with a number after the colon; a class may follow."""
_F_NAMES = {
    "": to_say("F{beta}"),
    "macro_": to_say("macro F{beta}"),
    "micro_": to_say("micro F{beta}"),
    "weighted_": to_say("weighted F{beta}"),
}
_F_NAME = re.compile(r"((?:macro|micro|weighted)_)?f(\d[\d.]*)\Z")
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
    >>> named("recall_at_fpr:0.05:cat"), named("top_k:3")
    ("recall at a false-positive rate of 0.05 of class 'cat'", 'top-3 accuracy')
    >>> named("macro_f1_occurring")
    'macro F1 over the classes that occur'
    """
    if _OCCURRING.match(metric):
        return sentence("{metric} over the classes that occur", metric=named(metric.removesuffix("_occurring")))
    kind, colon, group = metric.partition(":")
    if colon and kind in _NUMBERED:
        number, colon, group = group.partition(":")
        name = sentence(_NUMBERED[kind], number=number)
    elif found := _F_NAME.match(kind):
        name = sentence(_F_NAMES[found[1] or ""], beta=found[2])
    else:
        name = sentence(_NAMES[kind]) if kind in _NAMES else kind.replace("_", " ")
    return sentence("{metric} of class {name}", metric=name, name=quoted(group)) if colon else name


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
    return sentence("'{name}'", name=short(name))


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed("abc")
    ('a', 'a and b', 'a, b and c')
    """
    *most, last = words
    return sentence("{some} and {last}", some=", ".join(most), last=last) if most else last


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, in the singular or plural; both are in catalogues, as "{number} label".

    >>> counted(1, "label"), counted(1597, "item"), counted(2, "class", "classes")
    ('1 label', '1,597 items', '2 classes')
    """
    return sentence(f"{{number}} {noun if number == 1 else plural or noun + 's'}", number=marked(f"{number:,}"))


def marked(number: str) -> str:
    """A number as Python writes it, with the marks for thousands and decimals that the language has.

    >>> marked(f"{1234.5:,.1f}")
    '1,234.5'
    """
    example = sentence("1,234.5")
    return number.translate({ord(","): example[1], ord("."): example[-2]})


def percent(share: float, form: str = ".0f") -> str:
    """A share in percent, in one of Python's forms.

    >>> percent(0.95), percent(0.9125, ".6g")
    ('95%', '91.25%')
    """
    return sentence("{number}%", number=marked(format(100 * share, form)))


def level_of(level: float) -> str:
    """The number of percent of an interval's level, for "95% interval".

    >>> level_of(0.95)
    '95'
    """
    return marked(f"{100 * level:.6g}")


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
        return sentence("not known")
    text = f"{100 * value:.{digits}f}" if share else f"{value:,.{digits}f}"
    zero = not any(c in "123456789" for c in text)
    text = marked(text.removeprefix("-") if zero else text.replace("-", "\N{MINUS SIGN}"))
    return sentence("{number}%", number=text) if share else text


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
        return sentence("not known")
    if high - low < ONE_NUMBER:
        return figure(low, share=share, digits=digits)
    least, most = ends(low, high, share=share, digits=digits)
    return sentence("{low} to {high}", low=least, high=most)


def right_in(row: Row) -> str:
    """An accuracy and its interval inside a sentence.

    >>> right_in({"estimate": 0.72, "low": 0.604, "high": 0.829})
    'right in 72%, 60% to 83%'
    """
    digits = digits_for(row["high"] - row["low"], share=True)
    least, most = ends(row["low"], row["high"], share=True, digits=digits)
    share = figure(row["estimate"], share=True, digits=digits)
    return sentence("right in {share}, {low} to {high}", share=share, low=least, high=most)


def amount(count: float | None) -> str:
    """A number of labels or items in a table: whole where it is known, with one digit where it is expected.

    >>> amount(1200.0), amount(0.25), amount(None)
    ('1,200', '0.2', '')
    """
    return "" if count is None else marked(f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}")


def chance(p: float | None) -> str:
    """A probability in a sentence; none is written as quite 0 or 1.

    >>> chance(0.812), chance(0.9999), chance(0.0), chance(1.0)
    ('0.81', 'above 0.99', 'below 0.01', 'above 0.99')
    """
    if p is None or math.isnan(p):
        return sentence("not known")
    if p > 0.99:
        return sentence("above 0.99")
    return sentence("below 0.01") if p < 0.01 else marked(f"{p:.2f}")


def points(difference: float, digits: int = 0) -> str:
    """A difference of shares.

    >>> points(0.031), points(0.01), points(0.0125, 1)
    ('3 points', '1 point', '1.2 points')
    """
    number = f"{100 * abs(difference):.{digits}f}"
    return sentence("{number} point" if number == "1" else "{number} points", number=marked(number))
