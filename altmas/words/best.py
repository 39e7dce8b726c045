"""Sentences about which of several models is best, and what choosing one now may cost."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from altmas.core.contest import HOPELESS, Contest
from altmas.core.plain import plain_data
from altmas.words.extremes import PROBABLE, SURE
from altmas.words.language import sentence
from altmas.words.wording import chance, counted, is_share, level_of, listed, marked, named, points, quoted

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
    lead = found.leading
    values = {"model": quoted(lead.leader), "metric": named(found.metric), "p": chance(lead.p_best)}
    if math.isnan(lead.expected_loss):
        return sentence("{model} is taken for the best by {metric} (P(best) {p}); nothing is promised.", **values)
    if lead.loss_bound == 0 and lead.expected_loss == 0 and lead.p_best >= SURE:
        return sentence("{model} is the best by {metric}, for all that the labels tell (P(best) {p}).", **values)
    values["cost"] = _cost(found)
    if lead.p_best >= PROBABLE:
        return sentence(
            "{model} is almost certainly the best by {metric} (P(best) {p}). To choose it now costs {cost}."
            if lead.p_best >= SURE
            else "{model} is probably the best by {metric} (P(best) {p}). To choose it now costs {cost}.",
            **values,
        )
    return sentence(
        "Too close to call by {metric}: {remaining}. To choose {model} now costs {cost}.",
        remaining=_remaining(found), **values,
    )  # fmt: skip


def contest_facts(found: Contest) -> dict[str, Any]:
    """A contest as plain data, with its verdict."""
    known = {"metric": found.metric, **plain_data(asdict(found.leading))}
    return {**known, "promise": found.promise, "verdict": best_verdict(found)}


def _remaining(found: Contest) -> str:
    rows = found.table[~found.table["ruled_out"].astype(bool)]
    rows = rows[(rows["p_best"] >= HOPELESS) | (rows["model"] == found.leader)]
    shown = rows.head(MOST_NAMED)
    some = [
        sentence("{model} (P(best) {p})" if k == 0 else "{model} ({p})", model=quoted(name), p=chance(float(p)))
        for k, (name, p) in enumerate(zip(shown["model"], shown["p_best"], strict=True))
    ]
    more = len(rows) - len(some)
    some += [sentence("{number} more", number=marked(f"{more:,}"))] if more else []
    return sentence(
        "{number} of {models} remains, {names}" if len(rows) == 1 else "{number} of {models} remain, {names}",
        number=marked(f"{len(rows):,}"), models=counted(len(found.table), "model"), names=listed(some),
    )  # fmt: skip


def _cost(found: Contest) -> str:
    share, lead = is_share(found.metric), found.leading
    average, bound = (_amount(one, share=share) for one in (lead.expected_loss, lead.loss_bound))
    if average == bound:
        return sentence("{average} on average", average=average)
    return sentence(
        "{average} on average, and with {level}% at most {bound}",
        average=average, level=level_of(found.level), bound=bound,
    )  # fmt: skip


def _amount(loss: float, *, share: bool) -> str:
    if not share:
        return marked(f"{loss:.3g}")
    return points(loss, 1) if loss >= 0.0005 else sentence("less than 0.1 points")
