"""Which of an item's own columns annotators see: never what a model said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from altmas.formats.columns import as_objects, frame_of
from altmas.formats.keyed import Keyed
from altmas.formats.model_columns import smells_of_a_model
from altmas.formats.model_files import ModelFile
from altmas.metrics.errors import InputError
from altmas.metrics.types import IntArray


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
        raise InputError(subject, "name columns of the predictions or the items", f"{name!r}; there are {known[:12]}")

    def own(self, show: Sequence[str] | None, text: str | None, image: str | None) -> tuple[pd.DataFrame, list[str]]:
        """The columns annotators see, all text, in the order of the pool; and notes on what is shown and withheld."""
        if show is None and text is None:
            chosen, withheld = self._by_default(image)
        else:
            chosen, withheld = list(dict.fromkeys([*([text] if text else []), *(show or ())])), []
        said = self.first.columns.outputs
        told = [name for name in chosen if name in said and not (self.items is not None and self.items.has(name))]
        if told:
            raise InputError("columns to show", "be the item's own", f"{told[0]!r}, which the model under test said")
        columns = {name: as_objects(self.cells(name, "columns to show")) for name in chosen}
        notes = [f"annotators see {_listed(chosen) or 'no columns'}"]
        notes += [f"withheld from annotators: {_listed(withheld)}"] if withheld else []
        return frame_of(columns, len(self.first.keyed.keys)), notes

    def _by_default(self, image: str | None) -> tuple[list[str], list[str]]:
        source = self.items or self.first.keyed
        said = set() if self.items else self.first.columns.outputs
        names = [str(name) for name in source.table.frame.columns if name not in (source.column, image)]
        shown = [name for name in names if name not in said and not smells_of_a_model(name)]
        return shown, [name for name in names if name not in shown]


def _listed(names: Sequence[str], limit: int = 12) -> str:
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(map(repr, names[:limit])) + more
