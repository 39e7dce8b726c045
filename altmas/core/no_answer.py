"""Predictions that are no class: the vendor failed, and a blank or a message stands where an answer should.

A blank is no answer. A message is suspicious by its words (`ERROR`, `N/A`, `HTTP 503`), or because it is a rare
sentence among short names; whether it is a class, only the auditor can say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from altmas.core.checks import is_blank
from altmas.core.limits import MAX_CELL
from altmas.core.spelling import folded
from altmas.metrics.errors import InputError

_WORDS = {
    "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "nat", "null", "none", "nil", "void", "missing", "empty",
    "undefined", "unknown", "unspecified", "error", "err", "fehler", "exception", "timeout", "failed", "failure",
    "invalid", "abstain", "abstained", "refused", "rejected", "unclassified", "unparsable", "unavailable", "tbd",
    "k.a.", "unbekannt", "inconnu", "erreur", "#ref!", "#value!", "#div/0!", "#name?", "#num!", "#error!",
}  # fmt: skip
"""Whole names that seldom are a class."""

_PHRASES = re.compile(
    r"\b(errors?|exceptions?|traceback|time[ds]? ?out|timeouts?|failed|failures?|rate.?limit|quota|unauthori[sz]ed|"
    r"forbidden|bad (gateway|request)|internal server|service unavailable|too many requests|connection (refused|reset)|"
    r"not (found|available|applicable|answered)|no (answer|prediction|result|response|output|label|class)|"
    r"unable to|cannot|can't|could not|couldn't|sorry|"
    r"kein(e|en)? (ergebnis|antwort|angabe|treffer|vorhersage)|nicht (verfügbar|gefunden|erkannt)|pas de réponse|"
    r"sin respuesta)\b"
)
"""Parts of messages, of programs and of chat models that decline."""

_STATUS = re.compile(r"(https?|status|code)\W*[1-5][0-9]{2}\b|[45][0-9]{2}\W+[a-z]")
_MARKUP = re.compile(r"[<{\[]")
_LETTER = re.compile(r"\w")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,]*%?")

RARE, LONG = 0.05, 3
"""A rare name has at most this share of the items; a long one this many words more than the names that are common."""


def blanks_as_none(column: Sequence[Hashable]) -> list[Hashable | None]:
    """Predictions, None where there is nothing: None, NaN, or text without letters to be seen.

    >>> blanks_as_none(["cat", " ", None, float("nan")])
    ['cat', None, None, None]
    """
    return [None if is_blank(one) or (isinstance(one, str) and not one.strip()) else one for one in column]


def suspicious(counts: Mapping[Any, int], known: Iterable[Hashable] = ()) -> dict[Hashable, int]:
    """Values that are probably no class, of how often each was predicted; `known` are classes beyond doubt.

    >>> suspicious({"cat": 50, "dog": 48, "ERROR": 1, "HTTP 503: try again": 1})
    {'ERROR': 1, 'HTTP 503: try again': 1}
    >>> suspicious({"none": 5, "mild": 3, "severe": 2}, known=["none"])
    {}
    """
    rarely, beyond_doubt = RARE * sum(counts.values()), set(known)
    common = [folded(one) for one, count in counts.items() if count > rarely]
    longest = max((len(text.split()) for text in common), default=MAX_CELL)
    from_zero = len(counts) > 2 and len(common) > 0 and all(text.isdecimal() for text in common)
    in_words = len(common) > 0 and not any(map(_DIGIT.search, common))
    marked = any(map(_MARKUP.match, common)) or not any(map(_LETTER.search, common))
    found = {}
    for value, count in sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0]))):
        text = folded(value)
        unlike = count <= rarely and (
            len(text.split()) >= longest + LONG
            or (from_zero and text.startswith("-"))
            or (in_words and _NUMBER.fullmatch(text) is not None)
            or not (marked or _plain(text))
        )
        if value not in beyond_doubt and (unlike or (isinstance(value, str) and fails_by_name(text))):
            found[value] = count
    return found


def fails_by_name(text: str) -> bool:
    """Whether a text, folded, reads as what a program writes that has no answer.

    >>> fails_by_name("n/a"), fails_by_name("http 503: try again"), fails_by_name("cat")
    (True, True, False)
    """
    bare = text.strip(" .!:-_()[]<>'\"")
    return bool({text, bare} & _WORDS or _PHRASES.search(text) or _STATUS.match(text))


def _plain(text: str) -> bool:
    """Whether there is a letter or digit in it, and it begins neither as a page nor as data does."""
    return bool(_LETTER.search(text)) and not _MARKUP.match(text)


def no_class(patterns: Sequence[Hashable]) -> Callable[[Any], bool]:
    """Whether a prediction is one of those that are no class: itself, its text, or a pattern such as `HTTP*`.

    Only the star stands for other text, and not where it stands alone: `?` and `**` are what vendors write.

    >>> failed = no_class(["ERROR", "HTTP*", "?"])
    >>> failed("ERROR"), failed("http 503"), failed("cat"), failed("?"), failed("a")
    (True, True, False, True, False)
    """
    exactly = set(patterns)
    texts = [folded(one) for one in patterns]
    plainly = {one for one in texts if not one.replace("*", "") or "*" not in one}
    shapes = [one.split("*") for one in texts if one not in plainly]
    known: dict[Any, bool] = {}

    def failed(value: Any) -> bool:
        if value not in known:
            text = folded(value)
            known[value] = value in exactly or text in plainly or any(_shaped(text, one) for one in shapes)
        return known[value]

    return failed


def _shaped(text: str, parts: Sequence[str]) -> bool:
    """Whether a text has these parts in order, the first at its beginning and the last at its end; in linear time."""
    first, *between, last = parts
    if not (text.startswith(first) and text.endswith(last) and len(text) >= len(first) + len(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for part in between:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def answered_classes(
    columns: Mapping[Any, Sequence[Hashable | None]], not_a_class: Sequence[Hashable]
) -> dict[Any, list[Hashable | None]]:
    """Each model's predictions, None where they are one of those that are no class; one that none said is refused.

    >>> answered_classes({"a": ["cat", "ERROR"]}, ["error"])
    {'a': ['cat', None]}
    """
    if isinstance(not_a_class, str) or not hasattr(not_a_class, "__iter__"):
        raise InputError("not_a_class", "be a list of predictions that are no class", repr(not_a_class))
    if not len(not_a_class):
        return {name: list(column) for name, column in columns.items()}
    were_said(not_a_class, (value for column in columns.values() for value in column))
    failed = no_class(not_a_class)
    return {
        name: [None if value is None or failed(value) else value for value in column]
        for name, column in columns.items()
    }


def none_of(classes: Sequence[Hashable], not_a_class: Sequence[Hashable]) -> None:
    """Refuse a class that is declared and, at the same time, no class."""
    both = list(filter(no_class(not_a_class), classes))
    if both:
        hint = "Leave it out of one of them; where it is a class of one vendor only, rename it in the other's file."
        raise InputError("not_a_class", "be none of the declared classes", repr(both[0]), hint)


def refuse_doubtful(said: Mapping[Any, int], known: Iterable[Hashable], is_a_class: Sequence[Hashable] = ()) -> None:
    """Refuse predictions that look like no answer, where nobody has said what they are; the hint can be typed as it is.

    >>> refuse_doubtful({"cat": 50, "dog": 48, "ERROR": 2}, [])
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: predictions must be classes; got what looks like no answer: 'ERROR' \
(2 predictions). Give not_a_class=['ERROR'] where they are no answer, is_a_class=['ERROR'] where they are classes.
    """
    meant = no_class(is_a_class)
    doubtful = suspicious(said, [*known, *filter(meant, said)])
    if not doubtful:
        return
    named = patterns_of(doubtful, [one for one in said if one not in doubtful])
    shown, more = named[:MOST_PATTERNS], len(named) > MOST_PATTERNS
    others = " More are told of then; patterns such as 'HTTP*' are taken." if more else ""
    hint = f"Give not_a_class={shown!r} where they are no answer, is_a_class={shown!r} where they are classes.{others}"
    raise InputError("predictions", "be classes", f"what looks like no answer: {asked_about(doubtful)}", hint)


MOST_PATTERNS = 8
"""So many are named in a hint."""


def were_said(not_a_class: Sequence[Hashable], said: Iterable[Hashable | None]) -> None:
    """Refuse what no model said: a slip of the pen would leave the failures among the classes."""
    known = {value for value in said if value is not None}
    for one in not_a_class:
        if not any(map(no_class([one]), known)):
            raise InputError(
                "not_a_class", "be among the predictions", repr(one), "Patterns such as 'HTTP*' are taken."
            )


def patterns_of(doubtful: Iterable[Hashable], classes: Iterable[Hashable] = ()) -> list[Hashable]:
    r"""The fewest words that name all doubtful predictions and none of the classes: messages by how they begin.

    >>> patterns_of(["ERROR", "HTTP 503: busy", "HTTP 429", "<html>\n502"], ["cat"])
    ['ERROR', 'HTTP*', '<html>*']
    """
    values, others = list(doubtful), [folded(one) for one in classes]
    begins: dict[str, list[str]] = {}
    for one in values:
        if isinstance(one, str):
            begins.setdefault(_beginning(one), []).append(one)

    def named(one: Hashable) -> Hashable:
        if not isinstance(one, str):
            return one
        start = _beginning(one)
        long = len(one) > LONGEST_NAMED or "\n" in one or "\r" in one
        shared = len({folded(other) for other in begins[start]}) > 1
        free = bool(start) and "*" not in start and not any(other.startswith(folded(start)) for other in others)
        return f"{start}*" if (shared or long) and free else one

    return list(dict.fromkeys(map(named, values)))


LONGEST_NAMED = 40
"""A message longer than this is named by its beginning."""


def _beginning(text: str) -> str:
    """The first word of a message, without the punctuation behind it."""
    words = text.split()
    return (words[0].rstrip(".,:;!*") or words[0]) if words else ""


def asked_about(doubtful: Mapping[Hashable, int], most: int = 5) -> str:
    """Suspicious predictions in a message.

    >>> asked_about({"ERROR": 12, "N/A": 1})
    "'ERROR' (12 predictions), 'N/A' (1 prediction)"
    """
    told = [
        f"{_shortened(value)!r} ({count:,} {'prediction' if count == 1 else 'predictions'})"
        for value, count in list(doubtful.items())[:most]
    ]
    more = len(doubtful) - most
    return ", ".join(told) + (f" and {more:,} more" if more > 0 else "")


def _shortened(value: Hashable, most: int = 60) -> Hashable:
    return value if not isinstance(value, str) or len(value) <= most else value[: most - 1] + "…"
