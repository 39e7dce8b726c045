"""Sentences about how an audit was conducted, and warnings where that matters for what its numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from altmas.words.language import sentence
from altmas.words.wording import counted, listed, marked

NOTABLE = 0.05
"""A share of the answers from which changes of mind, and haste, are worth a warning."""


def conduct_rows(conduct: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What happened and how often, for a table.

    >>> found = {"answers": 9, "after_reveal": 0, "timed": 9, "quick": 1, "changed": 2, "replaced_by_import": 0}
    >>> conduct_rows({**found, "taken_back": 0, "looks": [5, 9]})[-1]
    ('looks at the estimates', '2, after 5 and 9 labels')
    """
    looks = [_whole(one) for one in conduct["looks"]]
    few = looks if len(looks) <= 8 else [*looks[:4], "...", *looks[-3:]]
    looked = _whole(len(looks))
    if len(few) > 1:
        looked = sentence("{number}, after {some} labels", number=looked, some=listed(few))
    timed = sentence("not timed")
    if conduct["timed"]:
        quick, all_timed = _whole(conduct["quick"]), _whole(conduct["timed"])
        timed = sentence("{number} of {timed} that were timed", number=quick, timed=all_timed)
    revealed = sentence("after the model's prediction or an estimate was shown")
    return [
        (sentence("answers given"), _whole(conduct["answers"])),
        (revealed, _whole(conduct["after_reveal"])),
        (sentence("in less than a second"), timed),
        (sentence("in place of another answer"), _whole(conduct["changed"])),
        (sentence("of these, by an imported file"), _whole(conduct["replaced_by_import"])),
        (sentence("taken back"), _whole(conduct["taken_back"])),
        (sentence("looks at the estimates"), looked),
    ]


def conduct_warnings(
    conduct: Mapping[str, Any], labels: int, spent: int, budget: int | None, *, one_look: bool
) -> list[str]:
    """What of it a reader must know. `one_look` says that the intervals are those of one look.

    `spent` are questions that were answered, with a label or without one.

    >>> found = {"answers": 9, "after_reveal": 1, "timed": 0, "quick": 0, "changed": 0, "replaced_by_import": 0}
    >>> for one in conduct_warnings({**found, "taken_back": 0, "looks_before": 1}, 9, 9, 20, one_look=True): print(one)
    1 of 9 answers was given after the annotator had been shown the model's prediction or an estimate: such answers \
lean towards the model.
    The estimates were looked at 1 time before, with other answers, and 20 answers are planned, 9 given: whoever \
stops because of what a look showed has intervals that hold the true value less often than they say. Intervals that \
hold at all looks (--anytime) do not mind.
    """
    answers, out = conduct["answers"], []
    all_answers = counted(answers, "answer")
    if count := conduct["after_reveal"]:
        said = sentence(
            "{number} of {answers} was given after the annotator had been shown the model's prediction or an "
            "estimate: such answers lean towards the model."
            if count == 1
            else "{number} of {answers} were given after the annotator had been shown the model's prediction or an "
            "estimate: such answers lean towards the model.",
            number=_whole(count), answers=all_answers,
        )  # fmt: skip
        out.append(said)
    if conduct["quick"] > NOTABLE * max(conduct["timed"], 1):
        said = sentence(
            "{number} of the {answers} that were timed took less than a second, hardly time to look at an item.",
            number=_whole(conduct["quick"]), answers=counted(conduct["timed"], "answer"),
        )  # fmt: skip
        out.append(said)
    if count := conduct["replaced_by_import"]:
        said = sentence(
            "{number} of {answers} was put by an imported file in place of another answer."
            if count == 1
            else "{number} of {answers} were put by an imported file in place of another answer.",
            number=_whole(count), answers=all_answers,
        )  # fmt: skip
        out.append(said)
    if (count := conduct["changed"]) > NOTABLE * answers:
        said = sentence(
            "{number} of {answers} was given in place of another answer; the log has them all."
            if count == 1
            else "{number} of {answers} were given in place of another answer; the log has them all.",
            number=_whole(count), answers=all_answers,
        )  # fmt: skip
        out.append(said)
    if (count := conduct["taken_back"]) > NOTABLE * answers:
        said = sentence(
            "{number} of {answers} was taken back; what has no answer now counts as missing."
            if count == 1
            else "{number} of {answers} were taken back; what has no answer now counts as missing.",
            number=_whole(count), answers=all_answers,
        )  # fmt: skip
        out.append(said)
    if conduct.get("reguided"):
        out.append(sentence("The guidelines were changed after annotators had begun to answer; the log has when."))
    if conduct.get("retargeted"):
        said = sentence(
            "What the model must reach was changed after the estimates had been looked at; the log has when."
        )
        out.append(said)
    before, replanned = conduct["looks_before"], conduct.get("replanned")
    if one_look and replanned and not before:  # the plan was made to fit what there was
        said = sentence(
            "The number of answers planned was changed after the estimates had been looked at: whoever stops because "
            "of what a look showed has intervals that hold the true value less often than they say. Intervals that "
            "hold at all looks (--anytime) do not mind."
        )
        out.append(said)
    if one_look and before and (replanned or budget not in (labels, spent)):
        said = sentence(
            "The estimates were looked at {times} before, with other answers, and {planned}: whoever stops because of "
            "what a look showed has intervals that hold the true value less often than they say. Intervals that hold "
            "at all looks (--anytime) do not mind.",
            times=counted(before, "time"), planned=_planned(budget, spent, replanned=bool(replanned)),
        )  # fmt: skip
        out.append(said)
    return out


def _planned(budget: int | None, spent: int, *, replanned: bool) -> str:
    if replanned:
        return sentence("the number of answers planned was changed after a look")
    if budget is None:
        return sentence("no number of answers was planned")
    return sentence("{number} answers are planned, {given} given", number=_whole(budget), given=_whole(spent))


def _whole(number: int) -> str:
    return marked(f"{number:,}")


def drawn_from(trail: Mapping[str, Any]) -> str:
    """What the questions follow from, and what a reader can do with it; `trail` has seed, secret, given and commitment.

    >>> drawn_from({"seed": 7, "secret": None, "secret_given": False, "commitment": ""})
    'The questions follow from the seed 7 alone.'
    """
    seed, secret, commitment = trail["seed"], trail["secret"], trail["commitment"]
    values = {"seed": seed, "secret": secret, "event": commitment}
    if not commitment:
        return sentence("The questions follow from the seed {seed} alone.", **values)
    if secret is None:
        return sentence(
            "The questions follow from the seed {seed} and a secret, which the report reveals when the planned labels "
            "are there; the audit's first event, {event}, commits to both.",
            **values,
        )
    return sentence(
        "The questions follow from the seed {seed} and the secret {secret}, which was given, as in a replay; the "
        "audit's first event, {event}, committed to both. With them, altmas log --verify draws every question again."
        if trail["secret_given"]
        else "The questions follow from the seed {seed} and the secret {secret}, which was made after the pool's files "
        "were hashed; the audit's first event, {event}, committed to both. With them, altmas log --verify draws every "
        "question again.",
        **values,
    )


def drawing_warnings(created: Mapping[str, Any]) -> list[str]:
    """What a reader must know of how the questions came about, given the body of the audit's first event.

    >>> drawing_warnings({"secret": "ab", "earlier": []})
    []
    >>> earlier = [{"created": "2026-01-02T03:04:05.678Z", "labels": 150}]
    >>> drawing_warnings({"secret": "ab", "earlier": earlier})[0]
    'This is not the first audit of the same predictions by this user: there was 1 before (2026-01-02, 150 labels). \
Numbers picked from several audits look better than the truth.'
    """
    out = []
    if "secret" not in created:
        said = sentence(
            "The questions follow from the seed alone, as in all audits of older versions: a vendor who could guess "
            "the seed could know them beforehand."
        )
        out.append(said)
    if created.get("secret_given"):
        said = sentence(
            "The secret behind the questions was given and not made after the files were hashed, as in a replay: "
            "whoever gave it could know the questions beforehand."
        )
        out.append(said)
    if created.get("registry") is False:
        said = sentence(
            "Nothing could be noted in the user's registry, so that earlier audits of these predictions are not known."
        )
        out.append(said)
    if earlier := created.get("earlier"):
        said = sentence(
            "This is not the first audit of the same predictions by this user: there was {number} before ({audits}). "
            "Numbers picked from several audits look better than the truth."
            if len(earlier) == 1
            else "This is not the first audit of the same predictions by this user: there were {number} before "
            "({audits}). Numbers picked from several audits look better than the truth.",
            number=_whole(len(earlier)), audits=_listed(earlier),
        )  # fmt: skip
        out.append(said)
    return out


def _listed(earlier: Sequence[Mapping[str, Any]]) -> str:
    named = [f"{str(one['created'])[:10]}, {counted(int(one['labels']), 'label')}" for one in earlier]
    more = [sentence("and {number} more", number=_whole(len(named) - 5))] if len(named) > 5 else []
    return "; ".join(named[:5] + more)
