"""What opinions saved, in a sentence."""

from __future__ import annotations

from altmas.core.findings import OpinionsWorth
from altmas.words.language import sentence
from altmas.words.wording import clean, counted, listed

HARDLY = 0.02
"""A change of the expected error below this is none."""


def opinions_sentence(worth: OpinionsWorth) -> str:
    """How many labels opinions saved, as far as the answers show.

    >>> opinions_sentence(OpinionsWorth(0.7, ("judge",), 200, 390))
    'The opinion of judge saved about 190 labels: without it, intervals as narrow would have taken about 390 labels \
instead of 200 labels.'
    >>> opinions_sentence(OpinionsWorth(1.0, ("judge",), 200, 200))
    'The opinion of judge saved hardly any labels.'
    """
    names, one = listed(clean(name) for name in worth.names), len(worth.names) == 1
    if worth.error > 1 - HARDLY:
        return sentence(
            "The opinion of {names} saved hardly any labels."
            if one
            else "The opinions of {names} saved hardly any labels.",
            names=names,
        )
    values = {
        "names": names, "saved": counted(worth.labels_without - worth.labels, "label"),
        "without": counted(worth.labels_without, "label"), "labels": counted(worth.labels, "label"),
    }  # fmt: skip
    return sentence(
        "The opinion of {names} saved about {saved}: without it, intervals as narrow would have taken about {without} "
        "instead of {labels}."
        if one
        else "The opinions of {names} saved about {saved}: without them, intervals as narrow would have taken about "
        "{without} instead of {labels}.",
        **values,
    )
