"""Rows that came back, matched to the items that were asked about."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from altmas.core.spelling import folded
from altmas.formats.returned import Returned
from altmas.formats.spreadsheets import Numbers, restore
from altmas.metrics.errors import AltmasError

Label = int | Literal["unsure", "skip"]
"""The position of a class, or an answer that is none."""
_CLASSES_SHOWN = 12


class NoMatchError(AltmasError):
    """A text that stands for no known id or class, or for several."""


@dataclass(frozen=True)
class MatchedRow:
    """A row that is an answer: its number, the item's position, the class's position or `unsure` or `skip`."""

    row: int
    position: int
    label: Label
    annotator: str
    at: str
    note: str


@dataclass(frozen=True)
class Matched:
    """The answers, a sentence for every row that is wrong, and what is worth knowing besides."""

    rows: list[MatchedRow]
    wrong: list[str]
    notices: list[str]


class Known:
    """Texts to be found again although they were neutralised, stripped, or shown as a spreadsheet shows numbers.

    Exactly; else as neutralised; else without blanks around; else as a spreadsheet shows numbers: zeros in front lost,
    `1.23456789012346E+16`, thousands parted, `.0` at the end. `NoMatchError` if none fits, or several.

    >>> ids = Known(["007", "abc"])
    >>> ids.one("7"), ids.one(" abc")
    ('007', 'abc')
    >>> Known(["007", "07"]).one("7")
    Traceback (most recent call last):
    altmas.formats.matching.NoMatchError: id '7' may stand for '007' or '07'
    """

    def __init__(self, texts: Collection[str], subject: str = "id") -> None:
        self._texts = texts if isinstance(texts, Mapping) else dict.fromkeys(texts)
        self._subject = subject
        self._numbers = Numbers(self._texts)
        # All three are made when a text is first not found as it is: of millions of ids most tables know each.
        self._restored = _Forms(self._texts, restore)
        self._stripped = _Forms(self._texts, _stripped)
        self._folded = _Forms(self._texts, folded)

    def find(self, text: str, *, fold: bool = False) -> set[str]:
        """The known texts that this one may stand for, by the strictest comparison under which there are any."""
        if text in self._texts:
            return {text}
        back, bare = restore(text), _stripped(text)
        return (
            ({back} & self._texts.keys()) | self._restored.of(text)
            or self._stripped.of(bare)
            or self._stripped.of(restore(bare))
            or (self._folded.of(folded(bare)) if fold else None)
            or self._numbers.fits(text)
        )

    def one(self, text: str, otherwise: str = "was not asked about", *, fold: bool = False) -> str:
        """The only known text that this one may stand for."""
        fits = self.find(text, fold=fold)
        if not fits:
            raise NoMatchError(f"{self._subject} {text[:80]!r} {otherwise}")
        if len(fits) > 1:
            several = " or ".join(map(repr, sorted(fits)[:4]))
            raise NoMatchError(f"{self._subject} {text[:80]!r} may stand for {several}")
        return next(iter(fits))


class _Forms:
    """Texts by what something makes of them; those that stay as they are need no place of their own."""

    def __init__(self, texts: Mapping[str, Any], form: Callable[[str], str]) -> None:
        self._texts, self._form = texts, form

    def of(self, text: str) -> set[str]:
        """The texts of which this is made."""
        found = self._changed.get(text, set())
        return {text, *found} if text in self._texts and self._form(text) == text else found

    @cached_property
    def _changed(self) -> dict[str, set[str]]:
        changed: defaultdict[str, set[str]] = defaultdict(set)
        for text in self._texts:
            if (made := self._form(text)) != text:
                changed[made].add(text)
        return dict(changed)


def _stripped(text: str) -> str:
    """Without blanks around, and letters with their accents as one: of either form, people see the same."""
    return unicodedata.normalize("NFC", text.strip())


class KnownClasses:
    """The classes that labels may stand for: as `Known`, and in any case if only one class fits.

    >>> pets = KnownClasses(["cat", "dog"])
    >>> pets.find("CAT"), KnownClasses([1, 3]).find("3.0"), KnownClasses([False, True]).find("TRUE")
    (0, 1, 1)
    >>> pets.find("Unsure")
    'unsure'
    >>> pets.find("cow")
    Traceback (most recent call last):
    altmas.formats.matching.NoMatchError: label 'cow' is none of 'cat', 'dog', 'unsure', 'skip'
    """

    def __init__(self, classes: Sequence[Hashable]) -> None:
        self._positions = {str(one): i for i, one in enumerate(classes)}
        self._known = Known(self._positions, "label")
        shown = [repr(name) for name in list(self._positions)[:_CLASSES_SHOWN]]
        left = len(self._positions) - _CLASSES_SHOWN
        more = f" and {left:,} more classes" if left > 0 else ""
        self._otherwise = f"is none of {', '.join([*shown, repr('unsure'), repr('skip')])}{more}"

    def find(self, text: str) -> Label:
        """The position of the class, or `unsure` or `skip`."""
        answer = text.strip().casefold()
        if text not in self._positions and answer in ("unsure", "skip"):
            return "unsure" if answer == "unsure" else "skip"
        return self._positions[self._known.one(text, self._otherwise, fold=True)]


def match(
    returned: Sequence[Returned], ids_asked: Mapping[str, int], ids_all: Collection[str], classes: Sequence[Hashable]
) -> Matched:
    """Match returned rows to the items asked about and to the classes.

    Rows may be partial, in any order, and repeated: rows without a label are left out, the same answer of the same
    annotator is taken once, and different ones are all refused.

    >>> match([Returned(2, "7", "cat"), Returned(3, "8", "dog")], {"007": 0}, {"007", "8"}, ["cat", "dog"])
    Matched(rows=[MatchedRow(row=2, position=0, label=0, annotator='', at='', note='')], \
wrong=["row 3: id '8' was not asked about"], notices=["row 2: id '7' was read as '007'"])
    """
    asked, labels = Known(ids_asked), KnownClasses(classes)
    everything = ids_all if isinstance(ids_all, Set) else set(ids_all)
    found: list[MatchedRow] = []
    named: dict[int, str] = {}
    wrong: list[tuple[int, str]] = []
    changed: list[tuple[int, str, str]] = []
    for one in returned:
        if not one.label.strip():
            continue
        try:
            item = _asked(one.id, asked, everything)
            label = labels.find(one.label)
        except NoMatchError as error:
            wrong.append((one.row, str(error)))
            continue
        if item not in (one.id, restore(one.id), one.id.strip()):
            changed.append((one.row, one.id, item))
        named[ids_asked[item]] = item
        found.append(MatchedRow(one.row, ids_asked[item], label, one.annotator.strip(), one.at, one.note))
    kept, conflicts, repeats = _settled(found, named, classes)
    wrong = sorted([*wrong, *conflicts])
    notices = [
        *_changes(changed),
        *_counted(repeats, "repeats another and was taken once", "repeat others and were taken once"),
    ]
    return Matched(kept, [f"row {row:,}: {why}" for row, why in wrong], notices)


def _asked(text: str, asked: Known, everything: Set[str]) -> str:
    if not text.strip():
        raise NoMatchError("id is empty")
    # An id of the pool that was not asked about must not be taken for one that looks like it.
    otherwise = "was not asked about" if text in everything or restore(text) in everything else "is not in the pool"
    fits = asked.find(text)
    if text in everything and text not in fits:
        raise NoMatchError(f"id {text[:80]!r} was not asked about")
    return asked.one(text, otherwise)


def _settled(
    found: Sequence[MatchedRow], ids: Mapping[int, str], classes: Sequence[Hashable]
) -> tuple[list[MatchedRow], list[tuple[int, str]], int]:
    """Of each annotator's rows on an item: one if they agree, else a sentence for each."""
    groups: defaultdict[tuple[int, str], list[MatchedRow]] = defaultdict(list)
    for one in found:
        groups[one.position, one.annotator].append(one)
    kept: list[MatchedRow] = []
    conflicts: list[tuple[int, str]] = []
    for rows in groups.values():
        if len({one.label for one in rows}) == 1:
            kept.append(rows[0])
            continue
        for one in rows:
            other = next(o for o in rows if o.label != one.label)
            here, there = (o.label if isinstance(o.label, str) else str(classes[o.label]) for o in (one, other))
            who = f" by {one.annotator}" if one.annotator else ""
            why = f"id {ids[one.position]!r} is answered {here!r} here and {there!r} in row {other.row:,}{who}"
            conflicts.append((one.row, why))
    repeats = len(found) - len(kept) - len(conflicts)
    return sorted(kept, key=lambda one: one.row), conflicts, repeats


def _changes(changed: Sequence[tuple[int, str, str]]) -> list[str]:
    if not changed:
        return []
    row, text, item = changed[0]
    if len(changed) == 1:
        return [f"row {row:,}: id {text!r} was read as {item!r}"]
    return [f"{len(changed):,} ids were read as a spreadsheet changed them, e.g. {text!r} as {item!r} in row {row:,}"]


def _counted(count: int, one: str, several: str) -> list[str]:
    return [f"1 row {one}" if count == 1 else f"{count:,} rows {several}"] if count else []
