"""A surface in words: where it is worst, and what its intervals promise."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.reports.extremes import PROBABLE, SURE, contenders
from altmas.reports.verdict import Row
from altmas.reports.wording import chance, clean, counted, digits_for, ends, figure


def surface_verdict(rows: Sequence[Row]) -> str:
    """Where it is worst, from rows with `arm`, `estimate`, `low`, `high` and `p_worst`.

    >>> old = {"arm": "age=old, hat=no", "estimate": 0.72, "low": 0.604, "high": 0.829, "p_worst": 0.81}
    >>> new = {"arm": "age=new, hat=no", "estimate": 0.88, "low": 0.79, "high": 0.93, "p_worst": 0.19}
    >>> surface_verdict([new, old])
    'It is probably worst for age=old, hat=no (right in 72%, 60% to 83%; P(worst) 0.81).'
    >>> surface_verdict([{**new, "p_worst": 0.38}, {**old, "p_worst": 0.62}])
    'Which combination is worst is not settled yet: age=old, hat=no (right in 72%, 60% to 83%; P(worst) 0.62), or \
age=new, hat=no (P 0.38).'
    """
    ranked = sorted(rows, key=lambda row: (-row["p_worst"], row["estimate"]))
    first = ranked[0]
    if len(ranked) == 1:
        return f"There is one combination only: {clean(first['arm'])} ({_right_in(first)})."
    p = f"{_right_in(first)}; P(worst) {chance(first['p_worst'])}"
    if first["p_worst"] >= PROBABLE:
        adverb = "almost certainly" if first["p_worst"] >= SURE else "probably"
        return f"It is {adverb} worst for {clean(first['arm'])} ({p})."
    few = contenders(ranked, "p_worst")
    others = [f"{clean(row['arm'])} (P {chance(row['p_worst'])})" for row in few[1:]]
    left = len(ranked) - len(few)
    more = f", or one of {counted(left, 'other')}" if left and sum(row["p_worst"] for row in few) < 0.9 else ""
    named = others if more else [*others[:-1], f"or {others[-1]}"]
    return f"Which combination is worst is not settled yet: {clean(first['arm'])} ({p}), {', '.join(named)}{more}."


def surface_promise(level: float, caution: str = "") -> str:
    """What the intervals of a surface promise.

    >>> surface_promise(0.95)
    "95% credible under the surface's prior"
    """
    return f"{100 * level:.6g}% credible under the surface's prior{f'; {caution}' if caution else ''}"


def unknown_chances(method: str) -> str:
    """What to say of labels that a method chose with chances it does not know.

    >>> unknown_chances("bald")
    "as if the labels of each arm were drawn at random, which 'bald' does not do"
    """
    return f"as if the labels of each arm were drawn at random, which {method!r} does not do"


def _right_in(row: Row) -> str:
    digits = digits_for(row["high"] - row["low"], share=True)
    least, most = ends(row["low"], row["high"], share=True, digits=digits)
    return f"right in {figure(row['estimate'], share=True, digits=digits)}, {least} to {most}"
