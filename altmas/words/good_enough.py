"""Whether what a model must reach is reached, in sentences that say no more than the interval does."""

from __future__ import annotations

from altmas.core.requirements import Requirement
from altmas.words.language import sentence, to_say
from altmas.words.wording import Row, counted, digits_for, ends, figure, is_share, marked, named, percent

OUTCOMES = {"pass": to_say("met"), "fail": to_say("missed"), "not settled": to_say("not settled")}
"""How an outcome is written."""


def outcome_in_words(outcome: str) -> str:
    """One word for a table.

    >>> outcome_in_words("fail")
    'missed'
    """
    return sentence(OUTCOMES[outcome])


def asked_for(one: Requirement) -> str:
    """A requirement as people say it.

    >>> asked_for(Requirement("accuracy", ">=", 0.9)), asked_for(Requirement("mcc", "<=", 0.25))
    ('accuracy of at least 90%', 'MCC of at most 0.25')
    """
    bound = _bound(one)
    if one.sign == ">=":
        return sentence("{metric} of at least {bound}", metric=named(one.metric), bound=bound)
    return sentence("{metric} of at most {bound}", metric=named(one.metric), bound=bound)


def goal_in_short(one: Requirement) -> str:
    """A requirement as the head of a column.

    >>> goal_in_short(Requirement("recall:fear", ">=", 0.5))
    "recall of class 'fear' ≥ 50%"
    """
    return f"{named(one.metric)} {'≥' if one.sign == '>=' else '≤'} {_bound(one)}"


def _bound(one: Requirement) -> str:
    return percent(one.bound, ".6g") if is_share(one.metric) else marked(f"{one.bound:g}")


def target_sentence(one: Requirement, row: Row, pool: int) -> str:
    """What came of a requirement; the row has `outcome`, `estimate`, `low`, `high`, `labels` and `labels_needed`.

    >>> target = Requirement("accuracy", ">=", 0.75)
    >>> row = {"outcome": "pass", "estimate": 0.81, "low": 0.772, "high": 0.848, "labels": 300, "labels_needed": None}
    >>> target_sentence(target, row, 6_000)
    'Accuracy of at least 75% is met: it is between 77% and 85%.'
    >>> row = {**row, "outcome": "not settled", "low": 0.73, "high": 0.87, "labels_needed": 420}
    >>> target_sentence(target, row, 6_000)
    'Accuracy of at least 75% is not settled: it is about 81%, between 73% and 87%. About 120 more labels would settle \
it, if it is 81%.'
    """
    what = asked_for(one)
    what = what[:1].upper() + what[1:]
    if row["estimate"] is None or row["low"] is None or row["high"] is None:
        return sentence("{target} is not settled: nothing is known of it yet.", target=what)
    share, low, high = is_share(one.metric), row["low"], row["high"]
    digits = digits_for(high - low, share=share)
    least, most = ends(low, high, share=share, digits=digits)
    value = figure(row["estimate"], share=share, digits=digits)
    if low == high:
        return sentence("{target} is {outcome}: it is {value}.", target=what, value=value,
                        outcome=outcome_in_words(row["outcome"]))  # fmt: skip
    if row["outcome"] != "not settled":
        return sentence("{target} is {outcome}: it is between {low} and {high}.", target=what, low=least, high=most,
                        outcome=outcome_in_words(row["outcome"]))  # fmt: skip
    said = sentence("{target} is not settled: it is about {value}, between {low} and {high}.", target=what,
                    value=value, low=least, high=most)  # fmt: skip
    return f"{said} {_would_settle(row, value, pool)}".strip()


def _would_settle(row: Row, value: str, pool: int) -> str:
    """What it would take; nothing where no method forecasts it."""
    needed = row.get("labels_needed")
    if row.get("clusters"):
        return sentence("No number of labels from this pool settles it, if it is {value}: that takes more clusters.",
                        value=value)  # fmt: skip
    if row.get("unreachable"):
        return sentence("Answer the questions without a label first: without them, more labels do not settle it.")
    if needed is None:
        return ""
    more = int(needed) - int(row["labels"])
    if needed >= pool:
        return sentence("It is so close that the whole pool would have to be labelled.")
    if more <= 0:
        return sentence("A few more labels would settle it, if it is {value}.", value=value)
    return sentence("About {labels} would settle it, if it is {value}.", labels=counted(more, "more label"),
                    value=value)  # fmt: skip


def too_early(answered: int, budget: int | None) -> str:
    """What to know where outcomes rest on intervals of one look, and the plan is not finished.

    >>> too_early(200, 300)
    'Of 300 planned answers 200 are given, and these intervals are meant for one look: who stops as soon as a target \
is met will find it met too often. Finish the plan, or have intervals that hold at all looks (--anytime).'
    >>> too_early(300, 300)
    ''
    """
    if budget is not None and answered >= budget:
        return ""
    plan = (
        sentence("No number of answers was planned")
        if budget is None
        else sentence(
            "Of {budget} planned answers {answered} are given",
            budget=marked(f"{budget:,}"),
            answered=marked(f"{answered:,}"),
        )
    )
    return sentence(
        "{plan}, and these intervals are meant for one look: who stops as soon as a target is met will find it met too "
        "often. Finish the plan, or have intervals that hold at all looks (--anytime).",
        plan=plan,
    )
