"""What a report says about annotators: how far they agree with each other, and with experts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from altmas.core.plain import plain_data, plain_name

if TYPE_CHECKING:
    from altmas.audits.agreement import Agreed, Agreement
    from altmas.core.pool import Pool


def agreement_facts(found: Agreement, pool: Pool) -> dict[str, Any]:
    """Agreement in all, by annotator and by class."""
    names = ("items", "share", "alpha", "annotators", "disputed", "experts")
    people = [
        {
            "annotator": name, "answers": answers,
            **_pairs(found.with_others.get(name)),
            "read": getattr(found.against_experts.get(name), "pairs", 0),
            "confirmed": getattr(found.against_experts.get(name), "agree", 0),
        }
        for name, answers in found.annotators.items()
    ]  # fmt: skip
    each = [{"class": plain_name(pool.classes[c]), **_pairs(one)} for c, one in found.of_classes.items()]
    return {**{name: plain_data(getattr(found, name)) for name in names}, "by_annotator": people, "by_class": each}


def _pairs(one: Agreed | None) -> dict[str, Any]:
    return {"pairs": 0, "share": None} if one is None else {"pairs": one.pairs, "share": one.share}
