"""Who the figures are measured against: annotators, or experts; and what they would be if annotators were wrong."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.language import sentence
from altmas.words.wording import Row, counted, digits_for, ends, figure, is_share, marked, named, percent

NOTHING_TO_READ = "Nothing to read again: there is no answer yet, or every one was read. Annotators answer first."
SAID_OF = 0.05
"""The share of wrong answers that a sentence goes into."""


def measured_against(readings: int, changed: int, answers: int) -> str:
    """What the figures are measured against, in a sentence.

    >>> measured_against(75, 9, 300)
    'Experts read 75 of 300 answers again and changed 9: the figures are about what experts would say of every item, \
however wrong annotators are.'
    >>> measured_against(75, 0, 300)
    'Experts read 75 of 300 answers again and confirmed them all: the figures are agreement with annotators, as long \
as nothing speaks against them.'
    >>> measured_against(0, 0, 300).startswith("No expert has read the answers again")
    True
    """
    if not readings:
        return sentence(
            "No expert has read the answers again, so this is agreement with annotators: where they are wrong, so are "
            "the figures."
        )
    values = {"number": marked(f"{readings:,}"), "answers": counted(answers, "answer")}
    if not changed:
        return sentence(
            "Experts read {number} of {answers} again and confirmed it: the figures are agreement with annotators, as "
            "long as nothing speaks against them."
            if readings == 1
            else "Experts read {number} of {answers} again and confirmed them all: the figures are agreement with "
            "annotators, as long as nothing speaks against them.",
            **values,
        )
    return sentence(
        "Experts read {number} of {answers} again and changed {changed}: the figures are about what experts would say "
        "of every item, however wrong annotators are.",
        changed=marked(f"{changed:,}"), **values,
    )  # fmt: skip


def reading_warnings(missing: int, drawn: int, changed: int) -> list[str]:
    """What a reader must know of second readings that did not come, and of answers changed once they were drawn.

    >>> reading_warnings(0, 75, 0)
    []
    >>> reading_warnings(3, 75, 0)[0][:72]
    '3 of 75 answers drawn for a second reading have no label by an expert; t'
    """
    out = []
    if missing:
        said = sentence(
            "{number} of {answers} drawn for a second reading has no label by an expert; the estimates take them to be "
            "like those that have one, and the intervals allow for whatever they are where an expert left them out. "
            "Reading them mends it."
            if missing == 1
            else "{number} of {answers} drawn for a second reading have no label by an expert; the estimates take them "
            "to be like those that have one, and the intervals allow for whatever they are where an expert left them "
            "out. Reading them mends it.",
            number=marked(f"{missing:,}"), answers=counted(drawn, "answer"),
        )  # fmt: skip
        out.append(said)
    if changed:
        said = sentence(
            "{answers} was changed or taken back after being drawn for a second reading; what counts is the answer as "
            "it stood when it was drawn."
            if changed == 1
            else "{answers} were changed or taken back after being drawn for a second reading; what counts is the "
            "answer as it stood when it was drawn.",
            answers=counted(changed, "answer"),
        )  # fmt: skip
        out.append(said)
    return out


def if_wrong(rows: Sequence[Row]) -> str:
    """What a metric would be if some answers were wrong, at random and at worst; nothing where that is not told.

    >>> row = {"metric": "accuracy", "wrong": 0.05, "estimate": 0.9, "low": 0.87, "high": 0.93}
    >>> if_wrong([{**row, "how": "at random"}, {**row, "how": "at worst", "low": 0.8, "high": 0.97}])
    'If 5% of the answers are wrong at random, accuracy is about 90%, between 87% and 93%; if they are wrong where it \
matters most, it is between 80% and 97%.'
    """
    found = {str(row["how"]): row for row in rows if row["wrong"] == SAID_OF}
    if "at worst" not in found:
        return ""
    worst = found["at worst"]
    share = is_share(worst["metric"])

    def between(row: Row) -> str:
        low, high = ends(row["low"], row["high"], share=share, digits=digits_for(row["high"] - row["low"], share=share))
        return sentence("between {low} and {high}", low=low, high=high)

    values = {"metric": named(worst["metric"]), "share": percent(SAID_OF, "g"), "worst": between(worst)}
    if "at random" not in found:
        return sentence("If {share} of the answers are wrong where it matters most, {metric} is {worst}.", **values)
    some = found["at random"]
    return sentence(
        "If {share} of the answers are wrong at random, {metric} is about {about}, {between}; if they are wrong where "
        "it matters most, it is {worst}.",
        about=figure(some["estimate"], share=share, digits=digits_for(some["high"] - some["low"], share=share)),
        between=between(some), **values,
    )  # fmt: skip


def known_before(count: int) -> str:
    """What is done with labels there were already; nothing where there were none.

    >>> known_before(1240)
    '1,240 labels were known before: they taught what is believed, and weigh in no estimate, for they were not drawn.'
    """
    if not count:
        return ""
    return sentence(
        "{labels} was known before: it taught what is believed, and weighs in no estimate, for it was not drawn."
        if count == 1
        else "{labels} were known before: they taught what is believed, and weigh in no estimate, for they were not "
        "drawn.",
        labels=counted(count, "label"),
    )


def taken_for(*, models: bool, allows: bool) -> str:
    """What questions without a label are taken for, by estimates that model who answers or not, and by intervals.

    >>> taken_for(models=False, allows=False)
    'the estimates take them to be like the others, and so do the intervals'
    """
    if models:
        return sentence("the estimates allow for what is skipped more often, the intervals for whatever they are")
    return sentence(
        "the estimates take them to be like the others, the intervals allow for whatever they are"
        if allows
        else "the estimates take them to be like the others, and so do the intervals"
    )
