"""A surface in words: where it is worst, and what its intervals promise."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.extremes import ALMOST_CERTAINLY, PROBABLE, PROBABLY, SURE, contenders
from altmas.words.language import sentence
from altmas.words.wording import Row, chance, clean, counted, marked, right_in

LABELLED = 0.5
"""Expected labels below this count as none; where attributes are guessed, an arm's labels are an expected number."""

SMOOTH = "{level}% credible for the smooth curve over combinations, without each one's own scatter around it"
SUPERVISED = "nominally {level}%, as measured on simulated surfaces, no theory: the number of answers counts twice"
PROMISES = {"cpredictor": SMOOTH, "berngp": SMOOTH, "betagp-sl": SUPERVISED, "betagp-slp": SUPERVISED}
"""What the intervals promise, of estimators whose intervals are not credible ones under the surface's prior."""

GUESSED = "as if the probabilities of the attributes were right"


def surface_verdict(rows: Sequence[Row], combinations: int = 1, *, largest_only: bool = False) -> str:
    """Where it is worst, from rows with `arm`, `labels`, `estimate`, `low`, `high` and `p_worst`: the arms judged.

    `combinations` have items, and are not judged where they have too few; `largest_only` where all have too few.

    >>> old = {"arm": "age=old, hat=no", "labels": 9, "estimate": 0.72, "low": 0.604, "high": 0.829, "p_worst": 0.81}
    >>> new = {"arm": "age=new, hat=no", "labels": 0, "estimate": 0.88, "low": 0.79, "high": 0.93, "p_worst": 0.19}
    >>> surface_verdict([new, old])
    'It is probably worst for age=old, hat=no (right in 72%, 60% to 83%; P(worst) 0.81).'
    >>> surface_verdict([{**new, "p_worst": 0.38}, {**old, "p_worst": 0.62}])
    'Which combination is worst is not settled yet: age=old, hat=no (right in 72%, 60% to 83%; P(worst) 0.62), or \
age=new, hat=no (P 0.38, no labels).'
    >>> surface_verdict([new, {**old, "labels": 0}])
    'Which combination is worst cannot be told: none of the 2 that are judged has a label.'
    >>> surface_verdict([old], 3209)
    'Only one of 3,209 combinations has enough items to be judged: age=old, hat=no (right in 72%, 60% to 83%).'
    """
    ranked = sorted(rows, key=lambda row: (-row["p_worst"], row["estimate"]))
    first = ranked[0]
    arm = clean(first["arm"])
    if len(ranked) == 1:
        values = {"number": marked(f"{combinations:,}"), "arm": arm, "right": right_in(first) + _unlabelled(first)}
        if combinations <= 1:
            return sentence("There is one combination only: {arm} ({right}).", **values)
        return sentence(
            "Only the largest of {number} combinations is judged: {arm} ({right})."
            if largest_only
            else "Only one of {number} combinations has enough items to be judged: {arm} ({right}).",
            **values,
        )
    if not any(row["labels"] >= LABELLED for row in ranked):
        return sentence(
            "Which combination is worst cannot be told: none of the {number} that are judged has a label.",
            number=marked(f"{len(ranked):,}"),
        )
    p = chance(first["p_worst"]) + _unlabelled(first)
    if first["p_worst"] >= PROBABLE:
        text = ALMOST_CERTAINLY if first["p_worst"] >= SURE else PROBABLY
        return sentence(text, where=sentence("for {arm}", arm=arm), right=right_in(first), p=p)
    few = contenders(ranked, "p_worst")
    named = [sentence("{arm} ({right}; P(worst) {p})", arm=arm, right=right_in(first), p=p)]
    named += [
        sentence("{group} (P {p})", group=clean(row["arm"]), p=chance(row["p_worst"]) + _unlabelled(row))
        for row in few[1:]
    ]
    left = len(ranked) - len(few)
    if left and sum(row["p_worst"] for row in few) < 0.9:
        named.append(sentence("one of {others}", others=counted(left, "other")))
    return sentence(
        "Which combination is worst is not settled yet: {some}, or {last}.", some=", ".join(named[:-1]), last=named[-1]
    )


def surface_promise(level: float, estimator: str, *cautions: str) -> str:
    """What the intervals of a surface promise, by its estimator, as data; cautions that are empty say nothing.

    >>> surface_promise(0.95, "betagp")
    "95% credible under the surface's prior"
    >>> surface_promise(0.9, "betagp-slp")
    'nominally 90%, as measured on simulated surfaces, no theory: the number of answers counts twice'
    """
    promise = PROMISES.get(estimator, "{level}% credible under the surface's prior").format(level=f"{100 * level:.6g}")
    return "; ".join([promise, *filter(None, cautions)])


def unknown_chances(method: str = "") -> str:
    """The caution for labels whose chances of being asked for nobody knows: chosen by a method, or found in a log.

    >>> unknown_chances("bald")
    "as if the labels of each arm were drawn at random, which 'bald' does not do"
    >>> unknown_chances()
    'as if the labels of each arm were drawn at random, which the log does not say'
    """
    why = f"{method!r} does not do" if method else "the log does not say"
    return f"as if the labels of each arm were drawn at random, which {why}"


def not_reached(arms: int) -> str:
    """The caution for explored arms that got no label, where their items now count as part of other arms.

    >>> not_reached(1)
    'as if the 1 explored combination without labels were like the others'
    """
    explored = "explored combination" if arms == 1 else "explored combinations"
    return f"as if the {arms:,} {explored} without labels were like the others"


def too_small(least: int) -> str:
    """What happens where every combination has too few items.

    >>> too_small(5)
    'No combination has 5 items: the largest are judged.'
    """
    return sentence("No combination has {items}: the largest are judged.", items=counted(least, "item"))


def _unlabelled(row: Row) -> str:
    return "" if row["labels"] >= LABELLED else sentence(", no labels")
