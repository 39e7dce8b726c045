"""What a report may leave out, by name: the names are data, and said here."""

from __future__ import annotations

from altmas.words.language import sentence, to_say
from altmas.words.wording import clean

COMPARISON = "comparison by "
"""How the name of a comparison begins; the groups' own name follows."""

_PARTS = (
    to_say("combinations"),
    to_say("groups one by one"),
    to_say("predicted class"),
    to_say("recall by true class"),
    to_say("confusion"),
    to_say("calibration"),
    to_say("calibration error"),
    to_say("forecast"),
)


def part_in_words(part: str) -> str:
    """A part of a report in the language spoken now; a group, which users name, as it is.

    >>> part_in_words("confusion"), part_in_words("comparison by region"), part_in_words("region")
    ('confusion', 'comparison by region', 'region')
    """
    if part.startswith(COMPARISON):
        return sentence("comparison by {by}", by=clean(part.removeprefix(COMPARISON)))
    return sentence(part) if part in _PARTS else clean(part)
