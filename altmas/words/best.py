"""Sentences about which of several models is best, and what choosing one now may cost."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from altmas.core.contest import HOPELESS, Contest
from altmas.core.plain import plain_data
from altmas.words.extremes import PROBABLE, SURE
from altmas.words.wording import chance, counted, is_share, named, points, quoted

MOST_NAMED = 3
"""So many contenders are named at most."""


def best_verdict(found: Contest) -> str:
    """Which model is best as far as is known, and what choosing the leader now may cost.

    >>> import pandas as pd
    >>> from altmas.core.contest import Leading
    >>> table = pd.DataFrame({"model": ["ours", "theirs"], "p_best": [0.93, 0.07], "ruled_out": [False, False]})
    >>> def found(lead):
    ...     return Contest("accuracy", lead, table.assign(p_best=[lead.p_best, 1 - lead.p_best]), 50, 0.95, "")
    >>> best_verdict(found(Leading("ours", 0.93, 0.002, 0.011, 2)))
    "'ours' is probably the best by accuracy (P(best) 0.93). To choose it now costs 0.2 points on average, and with \
95% at most 1.1 points."
    >>> best_verdict(found(Leading("ours", 0.6, 0.002, 0.011, 2)))
    "Too close to call by accuracy: 2 of 2 models remain, 'ours' (P(best) 0.60) and 'theirs' (0.40). To choose 'ours' \
now costs 0.2 points on average, and with 95% at most 1.1 points."
    """
    lead, by = found.leading, named(found.metric)
    if math.isnan(lead.expected_loss):
        return (
            f"{quoted(lead.leader)} is taken for the best by {by} (P(best) {chance(lead.p_best)}); nothing is promised."
        )
    if lead.loss_bound == 0 and lead.expected_loss == 0 and lead.p_best >= SURE:
        return (
            f"{quoted(lead.leader)} is the best by {by}, for all that the labels tell (P(best) {chance(lead.p_best)})."
        )
    if lead.p_best >= PROBABLE:
        adverb = "almost certainly" if lead.p_best >= SURE else "probably"
        said = f"{quoted(lead.leader)} is {adverb} the best by {by} (P(best) {chance(lead.p_best)})."
        return f"{said} To choose it now costs {_cost(found)}."
    cost = f"To choose {quoted(lead.leader)} now costs {_cost(found)}."
    return f"Too close to call by {named(found.metric)}: {_remaining(found)}. {cost}"


def contest_facts(found: Contest) -> dict[str, Any]:
    """A contest as plain data, with its verdict."""
    known = {"metric": found.metric, **plain_data(asdict(found.leading))}
    return {**known, "promise": found.promise, "verdict": best_verdict(found)}


def _remaining(found: Contest) -> str:
    rows = found.table[~found.table["ruled_out"].astype(bool)]
    rows = rows[(rows["p_best"] >= HOPELESS) | (rows["model"] == found.leader)]
    shown = rows.head(MOST_NAMED)
    some = [(quoted(name), chance(float(p))) for name, p in zip(shown["model"], shown["p_best"], strict=True)]
    first, *others = [f"{name} ({'P(best) ' * (k == 0)}{p})" for k, (name, p) in enumerate(some)]
    more = len(rows) - len(some)
    others += [f"{more:,} more"] if more else []
    names = " and ".join([", ".join([first, *others[:-1]]), *others[-1:]])
    verb = "remains" if len(rows) == 1 else "remain"
    return f"{len(rows):,} of {counted(len(found.table), 'model')} {verb}, {names}"


def _cost(found: Contest) -> str:
    share, lead = is_share(found.metric), found.leading
    average, bound = (_amount(one, share=share) for one in (lead.expected_loss, lead.loss_bound))
    if average == bound:
        return f"{average} on average"
    return f"{average} on average, and with {100 * found.level:.6g}% at most {bound}"


def _amount(loss: float, *, share: bool) -> str:
    if not share:
        return f"{loss:.3g}"
    return points(loss, 1) if loss >= 0.0005 else "less than 0.1 points"
