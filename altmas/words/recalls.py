"""Sentences about which true class is found least often."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.extremes import PROBABLE, SURE, contenders
from altmas.words.language import sentence
from altmas.words.wording import Row, chance, counted, digits_for, ends, figure, listed, marked, quoted

MOST_NAMED = 4
"""Classes that are named where it never says them."""


def lowest_recall(rows: Sequence[Row]) -> str:
    """Which class is found least often, or between which it is not settled; classes never said come first.

    The rows have `class`, `labels`, `estimate`, `low`, `high` and `p_worst`.

    >>> fear = {"class": "fear", "labels": 9, "estimate": 0.26, "low": 0.104, "high": 0.4, "p_worst": 0.91}
    >>> joy = {"class": "joy", "labels": 40, "estimate": 0.9, "low": 0.85, "high": 0.95, "p_worst": 0.09}
    >>> lowest_recall([fear, joy])
    "Of the true classes it probably misses 'fear' most: it finds 26% of them, 10% to 40% (P(worst) 0.91)."
    >>> lowest_recall([{**fear, "p_worst": 0.6}, {**joy, "p_worst": 0.4}])
    "Which true class it misses most is not settled yet: 'fear' (P 0.60) or 'joy' (P 0.40)."
    >>> lowest_recall([{**fear, "estimate": 0.0, "low": 0.0, "high": 0.0}, joy])
    "It never says 'fear', so it finds none of them."
    """
    known = [row for row in rows if row["estimate"] is not None and row["p_worst"] is not None]
    if never := [row for row in known if row["high"] == 0]:
        return sentence("It never says {classes}, so it finds none of them.", classes=_either(never))
    ranked = sorted(known, key=lambda row: (-row["p_worst"], row["estimate"]))
    if len(ranked) < 2 or len({row["estimate"] for row in ranked}) == 1:
        return ""
    first = ranked[0]
    if first["p_worst"] < PROBABLE:
        few = [
            sentence("{group} (P {p})", group=quoted(row["class"]), p=chance(row["p_worst"]))
            for row in contenders(ranked, "p_worst")
        ]
        if first["p_worst"] < 0.1:
            return sentence("Which true class it misses most is not settled yet: none of the {count} stands out.",
                            count=marked(f"{len(ranked):,}"))  # fmt: skip
        return sentence("Which true class it misses most is not settled yet: {classes}.", classes=_one_of(few))
    digits = digits_for(first["high"] - first["low"], share=True)
    least, most = ends(first["low"], first["high"], share=True, digits=digits)
    adverb = sentence("almost certainly") if first["p_worst"] >= SURE else sentence("probably")
    return sentence(
        "Of the true classes it {adverb} misses {name} most: it finds {value} of them, {low} to {high} (P(worst) {p}).",
        adverb=adverb, name=quoted(first["class"]), value=figure(first["estimate"], share=True, digits=digits),
        low=least, high=most, p=chance(first["p_worst"]),
    )  # fmt: skip


def _either(rows: Sequence[Row]) -> str:
    named, more = [quoted(row["class"]) for row in rows[:MOST_NAMED]], len(rows) - MOST_NAMED
    if more > 0:
        return listed([*named, counted(more, "other class", "other classes")])
    return _one_of(named)


def _one_of(words: Sequence[str]) -> str:
    *most, last = words
    return sentence("{some} or {last}", some=", ".join(most), last=last) if most else last
