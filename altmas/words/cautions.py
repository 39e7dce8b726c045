"""What a reader must know of the labels behind the numbers: too few, missing, lost, or at odds with the surrogate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from altmas.words.language import sentence
from altmas.words.people import taken_for
from altmas.words.promises import ROUGH_BELOW
from altmas.words.unanswered import how_to_answer
from altmas.words.wording import Row, marked, named


def at_odds(row: Row) -> str:
    """Where the surrogate and the labels disagree; the row has `plug_in`, `design` and, of several, `model`.

    >>> at_odds({"metric": "mcc", "plug_in": 0.9, "design": 0.5}).partition(";")[0]
    'MCC: what the surrogate believes (0.900) and what the labels say (0.500) are far apart'
    """
    values = {name: marked(f"{row[name]:.3f}") for name in ("plug_in", "design")}
    name = named(row["metric"])
    if row.get("model"):
        name = sentence("{metric} of {model}", metric=name, model=row["model"])
    return sentence(
        "{metric}: what the surrogate believes ({plug_in}) and what the labels say ({design}) are far apart; the "
        "estimate follows the labels, more of them would help.",
        metric=name, **values,
    )  # fmt: skip


def without_label(lost: int, labels: int, missing: Mapping[str, int], *, models: bool, allows: bool) -> str:
    """How many questions have no label, what they are taken for, and what brings them back.

    >>> without_label(1, 9, {"open": 1}, models=False, allows=False)
    '1 of 10 questions has no label; the estimates take them to be like the others, and so do the intervals. altmas \
label and altmas next bring it next.'
    """
    told = sentence(
        "{number} of {all} questions has no label; {taken}."
        if lost == 1
        else "{number} of {all} questions have no label; {taken}.",
        number=marked(f"{lost:,}"), all=marked(f"{lost + labels:,}"), taken=taken_for(models=models, allows=allows),
    )  # fmt: skip
    return f"{told} {how_to_answer(missing)}"


def drawn_after(count: int) -> str:
    """Questions that were drawn, and left, behind the last one answered.

    >>> drawn_after(30)[:52]
    '30 questions were drawn after the last one answered,'
    """
    return sentence(
        "{number} questions were drawn after the last one answered, and count as not drawn: if they were looked "
        "at, and answers ended where it suited, the numbers look better than the truth. Answering them mends it.",
        number=marked(f"{count:,}"),
    )


def few_labels(labels: int) -> str:
    """A word where labels are few; nothing where they are not.

    >>> few_labels(1), few_labels(30)
    ('1 label is few: intervals are approximate, and more so the fewer labels there are.', '')
    """
    if labels >= ROUGH_BELOW:
        return ""
    return sentence(
        "{number} label is few: intervals are approximate, and more so the fewer labels there are."
        if labels == 1
        else "{number} labels are few: intervals are approximate, and more so the fewer labels there are.",
        number=marked(f"{labels:,}"),
    )


def not_as_registered(problem: str) -> str:
    """The log and the user's registry disagree.

    >>> not_as_registered("it is shorter")
    "The log is not what this user's registry knows: it is shorter."
    """
    return sentence("The log is not what this user's registry knows: {problem}.", problem=problem)


def accepted_loss(body: Mapping[str, Any]) -> str:
    """What was lost, or went another way, once and for all; the body of the event that accepted it.

    >>> accepted_loss({"lost": None, "from": 4}).partition(",")[0]
    'An unknown number of acknowledged events after event 4 were lost'
    """
    if "known" in body:
        return sentence(
            "The log went another way than the user's registry knew, and that was accepted: {known}.",
            known="; ".join(map(str, body["known"])),
        )
    if body["lost"] is None:
        return sentence(
            "An unknown number of acknowledged events after event {event} were lost, and the loss was accepted; the "
            "estimates are made of what was left.",
            event=body["from"],
        )
    return sentence(
        "{number} acknowledged events after event {event} were lost, and the loss was accepted; the estimates are "
        "made of what was left.",
        number=marked(f"{body['lost']:,}"), event=body["from"],
    )  # fmt: skip
