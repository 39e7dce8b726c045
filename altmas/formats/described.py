"""What is known of the items beside what models said of them, and which of it annotators see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from altmas.formats.auto_features import says_the_same
from altmas.formats.columns import as_objects, frame_of
from altmas.formats.keyed import Keyed
from altmas.formats.model_columns import smells_of_a_model
from altmas.formats.model_files import ModelFile
from altmas.metrics.errors import InputError
from altmas.metrics.types import IntArray

OPTIONS = {"columns to show": "show"}
"""Subjects of refusals that are not called as the option that mends them."""

SHOW = "Leave it out of show=..., or name others."

KEPT_CHARACTERS = 8_000_000
"""Of columns that are not shown, so much is kept with an audit: they can be shown later."""

FEWEST_TO_COMPARE, LONGEST_CLASS = 30, 40
"""Of fewer items, or longer texts, nothing is concluded from a column that goes with the predictions."""


@dataclass(frozen=True, eq=False)
class Described:
    """Where columns about the items come from: a table of items and its order if there is one, and the first file."""

    first: ModelFile
    items: Keyed | None
    order: IntArray | None

    def cells(self, name: str, subject: str) -> list[str]:
        """A column of either, in the order of the pool."""
        if self.items is not None and self.order is not None and self.items.has(name):
            column = self.items.cells(name)
            return [column[i] for i in self.order]
        if self.first.keyed.has(name):
            return self.first.keyed.cells(name)
        known = [str(n) for one in (self.first.keyed, self.items) if one is not None for n in one.table.frame.columns]
        hint = f"{OPTIONS.get(subject, subject)}=... names another."
        got = f"{name!r}; there are {known[:12]}"
        raise InputError(subject, "name columns of the predictions or the items", got, hint)

    def table(self) -> pd.DataFrame:
        """All columns of both, in the order of the pool."""
        found = self.first.keyed.table.frame
        if self.items is None or self.order is None:
            return found
        more = self.items.table.frame.iloc[self.order].reset_index(drop=True)
        return pd.concat([more, found[[name for name in found.columns if not self.items.has(name)]]], axis=1)

    def own(
        self, show: Sequence[str] | None, text: str | None, image: str | None, groups: Sequence[str] = ()
    ) -> tuple[pd.DataFrame, list[str]]:
        """The columns annotators see, all text, in the order of the pool; and notes on what is shown and withheld.

        Groups may sway annotators, who see them only if `show` names them. The id is shown always.
        """
        if show is None and text is None:
            chosen, withheld = self._by_default(image, groups)
        else:
            chosen, withheld = list(dict.fromkeys([*([text] if text else []), *(show or ())])), []
            chosen = [name for name in chosen if not self._is_id(name)]
            withheld = [name for name in groups if name not in chosen]
        said = self.first.columns.outputs
        told = [name for name in chosen if name in said and not (self.items is not None and self.items.has(name))]
        if told:
            got = f"{told[0]!r}, which the model under test said"
            raise InputError("columns to show", "be the item's own", got, SHOW)
        repeated = [name for name in chosen if name != text and self._repeats(name)]
        if repeated:
            got = f"{repeated[0]!r}, which says what the model under test said"
            raise InputError("columns to show", "be the item's own", got, SHOW)
        columns = {name: as_objects(self.cells(name, "columns to show")) for name in chosen}
        notes = [f"annotators see {_listed(chosen) or 'no columns'}"]
        notes += self._withheld([name for name in withheld if name not in groups])
        if swaying := [name for name in groups if name in withheld]:
            notes.append(
                f"withheld from annotators, whom groups may sway: {_listed(swaying)}; --show names what they see"
            )
        return frame_of(columns, len(self.first.keyed.keys)), notes

    def _is_id(self, name: str) -> bool:
        """Whether a name stands for the id: that of its column, or `id` where no column is called so."""
        columns = {one.column for one in (self.first.keyed, self.items) if one is not None}
        there = any(one.has(name) for one in (self.first.keyed, self.items) if one is not None)
        return name in columns or (name == "id" and not there)

    def withheld(self, shown: Sequence[str], image: str | None, told: set[str]) -> tuple[pd.DataFrame, list[str]]:
        """Further columns that annotators may be shown later, as many as are small; and a note on those that are not.

        Never what a model said: columns of its outputs, or that sound or read like them.
        """
        columns, large, room = {}, [], KEPT_CHARACTERS
        for name in map(str, self.table().columns):
            if name in shown or name == image or name in told or self._is_id(name) or smells_of_a_model(name):
                continue
            cells = self.cells(name, "columns")
            size = sum(map(len, cells)) + len(cells)
            if size > room:
                large.append(name)
            elif not self._repeats(name):
                columns[name], room = as_objects(cells), room - size
        notes = [f"too large to keep, so never to be shown unless --show names them now: {_listed(large)}"]
        return frame_of(columns, len(self.first.keyed.keys)), notes if large else []

    def _withheld(self, names: Sequence[str]) -> list[str]:
        """What annotators do not see; a confidence that nobody took as one is offered."""
        confident = [name for name in names if self._is_confidence(name)]
        others = [name for name in names if name not in confident]
        notes = [f"withheld from annotators: {_listed(others)}"] if others else []
        return notes + [
            f"withheld from annotators: {name!r}, which looks like a confidence: scores={name!r} takes it as one"
            for name in confident
        ]

    def _is_confidence(self, name: str) -> bool:
        """Whether a column of the predictions looks like a confidence, where none was taken for one."""
        taken = self.first.columns
        if taken.scores or taken.confidence is not None or not self.first.keyed.has(name):
            return False
        if not any(word in name.casefold() for word in ("conf", "score", "prob")):
            return False
        try:
            found = self.first.numbers(name)
        except InputError:
            return False
        known = found[~np.isnan(found)]
        return len(known) > 0 and bool(((known >= 0) & (known <= 1)).all())

    def _by_default(self, image: str | None, groups: Sequence[str]) -> tuple[list[str], list[str]]:
        source = self.items or self.first.keyed
        said = set() if self.items else self.first.columns.outputs
        names = [str(name) for name in source.table.frame.columns if name not in (source.column, image)]
        own = [name for name in names if name not in said and name not in groups and not smells_of_a_model(name)]
        shown = [name for name in own if not self._repeats(name)]
        return shown, [name for name in names if name not in shown]

    def _repeats(self, name: str) -> bool:
        """Whether a column has another word for every class that was predicted, and so shows annotators which."""
        said = self.first.said
        if said is None or len(said) < FEWEST_TO_COMPARE:
            return False
        cells = self.cells(name, "columns to show")
        return max(map(len, cells)) <= LONGEST_CLASS and says_the_same(cells, said)


def _listed(names: Sequence[str], limit: int = 12) -> str:
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(map(repr, names[:limit])) + more
