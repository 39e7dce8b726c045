"""What intervals promise, in words. A promise itself is data, in English: code compares it, and audits keep it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from altmas.words.language import sentence, to_say
from altmas.words.wording import Row, level_of, marked

_PROMISE_KINDS = (
    ("exact", "exact"),
    ("spread", "not coverage"),
    ("search", "not to measure"),
    ("nothing", "nothing"),
    ("anytime", "all looks"),
    ("credible", "credible"),
    ("published", "as published"),
    ("random", "under random sampling"),
    ("clusters", "clusters like these"),
    ("approximate", "approximate"),
)

ROUGH_BELOW = 30
"""From fewer labels than this, approximate intervals are rough."""

NO_COVERAGE = to_say(
    "The spread is no coverage: it shows how far guesses of the labels lie apart, not how far they all are from the "
    "truth, which may lie outside."
)

_APPROXIMATE = {
    "random": (
        to_say("under random sampling"),
        to_say("under random sampling and whatever the questions without a label are"),
    ),
    "clusters": (
        to_say("however good our guesses of the other labels are, if clusters elsewhere are like these"),
        to_say(
            "however good our guesses of the other labels are and whatever the questions without a label are, if "
            "clusters elsewhere are like these"
        ),
    ),
    "approximate": (
        to_say("however good our guesses of the other labels are"),
        to_say("however good our guesses of the other labels are and whatever the questions without a label are"),
    ),
}
"""What approximate intervals hold under; also where questions have no label."""

_PROMISES = {
    "exact": to_say("As sure as the labels are: nothing was left to estimate."),
    "spread": NO_COVERAGE,
    "nothing": to_say("This method promises nothing about it: it asked about two groups only."),
    "anytime": to_say(
        "Of 100 audits made this way at least {level} have the true value in the interval at every look, "
        "so you may watch and stop when you like."
    ),
    "credible": to_say("This is a belief, not coverage: it is as good as the prior it began with."),
    "published": to_say("The normal interval of the literature: it fails with few labels, and near 0 and 1."),
}

_PARTS = (
    to_say("exact: every item is labelled"),
    to_say("exact: every item is labelled, by annotators"),
    to_say("experts read {number} and changed none"),
    to_say("certain: no label could change it"),
    to_say("approximate {level}% coverage, whatever the surrogate believes"),
    to_say("approximate {level}% coverage of the experts' truth, whatever the surrogate believes and annotators say"),
    to_say("approximate {level}% coverage for clusters like these {number}, whatever the surrogate believes"),
    to_say(
        "approximate {level}% coverage of the experts' truth for clusters like these {number}, whatever the surrogate "
        "believes and annotators say"
    ),
    to_say("every item is labelled"),
    to_say("approximate {level}% coverage for clusters like these {number}, bins as they are"),
    to_say("approximate {level}% coverage, bins as they are"),
    to_say("approximate {level}% coverage under random sampling"),
    to_say("{number} of {classes} classes not seen, taken as all right and as all wrong"),
    to_say("surrogate and design disagree by {number} standard errors"),
    to_say("at least {level}% coverage at all looks together"),
    to_say("at least {level}% coverage at all looks and for all models together"),
    to_say("{number} classes at {level}% each"),
    to_say("{level}% credible under the surface's prior"),
    to_say("{level}% credible under the {prior} prior"),
    to_say("normal {level}% interval, as published"),
    to_say("fails with few labels or near 0 and 1"),
    to_say("spread of {number} draws, not coverage"),
    to_say("spread of {number} draws, not coverage: labels were explored for the combinations"),
    to_say("all {number} draws agree, which is not coverage"),
    to_say("{number} predictions stand as labels, by our guard"),
    to_say("nothing, no interval: chosen to find the best model, not to measure it"),
    to_say("nothing: a comparison asks about its two groups only"),
    to_say("less here, where looking went on until it was narrow"),
    to_say("it takes the question without a label to be like the others"),
    to_say("it takes the {number} questions without a label to be like the others"),
    to_say("{level}% credible for the smooth curve over combinations, without each one's own scatter around it"),
    to_say("nominally {level}%, as measured on simulated surfaces, no theory: the number of answers counts twice"),
    to_say("as if the labels of each arm were drawn at random, which {method} does not do"),
    to_say("as if the labels of each arm were drawn at random, which the log does not say"),
    to_say("as if the {number} explored combination without labels were like the others"),
    to_say("as if the {number} explored combinations without labels were like the others"),
    to_say("as if the probabilities of the attributes were right"),
)
"""What promises are made of, with semicolons between; the first that fits is said."""

_BESIDES = (
    to_say("{promise}, at a look fixed beforehand"),
    to_say("{promise}, and whatever the missing answer is"),
    to_say("{promise}, and whatever the {number} missing answers are"),
)
"""What may stand behind the first of them."""

_WORDS = ("promise", "prior", "method")
"""Names in these that stand for words; the others stand for numbers."""


def promised(promise: str) -> str:
    """A promise in the language spoken now; what is not known, such as a plug-in's, as it is.

    >>> promised("approximate 95% coverage, and whatever the 1,200 missing answers are; of a plug-in")
    'approximate 95% coverage, and whatever the 1,200 missing answers are; of a plug-in'
    """
    return "; ".join(map(_part, promise.split("; ")))


def _part(said: str) -> str:
    for text in (*_BESIDES, *_PARTS):
        if found := re.fullmatch("".join(_pattern(text)), said):
            values = {name: value if name in _WORDS else marked(value) for name, value in found.groupdict().items()}
            if "promise" in values:
                values["promise"] = _part(values["promise"])
            return sentence(text, **values)
    return said


def _pattern(text: str) -> Iterator[str]:
    for literal, name in re.findall(r"([^{}]*)(?:\{(\w+)\})?", text):
        yield re.escape(literal)
        if name:
            yield f"(?P<{name}>{'.+' if name in _WORDS else '[0-9.,]+'})"


def kind_of(promise: str) -> str:
    """What sort of promise an interval comes with.

    >>> kind_of("approximate 95% coverage, whatever the surrogate believes")
    'approximate'
    >>> kind_of("spread of 50 draws, not coverage")
    'spread'
    """
    return next((kind for kind, sign in _PROMISE_KINDS if sign in promise), "other")


def taken_as_alike(missing: int) -> str:
    """What an interval assumes that does not allow for missing answers: part of a promise, which is data.

    >>> taken_as_alike(2)
    'it takes the 2 questions without a label to be like the others'
    """
    questions = "question" if missing == 1 else f"{missing:,} questions"
    return f"it takes the {questions} without a label to be like the others"


def promise_in_words(row: Row, level: float) -> str:
    """What the interval promises, and no more.

    >>> row = {"metric": "accuracy", "estimate": 0.91, "low": 0.88, "high": 0.94, "labels": 200}
    >>> promise_in_words({**row, "promise": "approximate 95% coverage, whatever the surrogate believes"}, 0.95)
    'Of 100 intervals made this way about 95 hold the true value, however good our guesses of the other labels are.'
    >>> promise_in_words({**row, "promise": "95% credible under the uniform prior"}, 0.95)
    'This is a belief, not coverage: it is as good as the prior it began with.'
    """
    if kind_of(row["promise"]) == "search":
        return sentence(
            "It comes without an interval: the questions were chosen to find the best model, not to measure it."
        )
    if None in (row["estimate"], row["low"], row["high"]):
        return sentence("No interval can be given yet.")
    if (kind := kind_of(row["promise"])) in _APPROXIMATE:
        whatever = sentence(_APPROXIMATE[kind][bool(row.get("missing"))])
        few = sentence("With so few labels it may be fewer.") if row["labels"] < ROUGH_BELOW else ""
        made = sentence(
            "Of 100 intervals made this way about {level} hold the true value, {whatever}.",
            level=level_of(level), whatever=whatever,
        )  # fmt: skip
        return f"{made} {few}".strip()
    if kind in _PROMISES:
        return sentence(_PROMISES[kind], level=level_of(level))
    return sentence("The interval's promise: {promise}.", promise=promised(row["promise"]))
