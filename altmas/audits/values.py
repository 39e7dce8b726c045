"""Values an audit speaks in: queries, acknowledgements, what was given, where things stand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

UNSURE, SKIP = "unsure", "skip"
"""The two replies that are no label: looked at and undecided; not looked at."""


@dataclass(frozen=True)
class Query:
    """An item asked about: its id, what it shows of its own, and whether an image belongs to it."""

    id: Hashable
    position: int
    round: int
    content: Mapping[str, str] = field(default_factory=dict)
    media: bool = False


@dataclass(frozen=True)
class Told:
    """Acknowledged: committed to disk. `new` is False where the same answer was there already."""

    seq: int
    at: str
    new: bool = True


@dataclass(frozen=True)
class Given:
    """An annotator's standing answer: a class, `unsure` or `skip`."""

    position: int
    id: Hashable
    label: Hashable
    note: str
    seq: int
    at: str


@dataclass(frozen=True)
class Undone:
    """An answer that was taken back, or given again."""

    seq: int
    at: str
    id: Hashable
    position: int
    label: Hashable


@dataclass(frozen=True)
class Status:
    """Where an audit stands. Questions: `answered` in whatever way, of which `labels` have a label; `open` not yet.

    A question is answered when as many annotators as must have said a class, `unsure` or `skip`. Of the open ones,
    `taken_back` had an answer once. `to_read` answers were drawn for a second reading, of which
    `readings_open` were not read yet; `settled` were left undecided by annotators and decided by an expert.
    """

    answered: int
    labels: int
    unsure: int
    skipped: int
    disputed: int
    taken_back: int
    open: int
    asked: int
    budget: int | None
    pool: int
    annotators: dict[str, int]
    fit_labels: int
    fit_at: str | None
    refitting: bool
    last_answer: str | None
    head: str
    experts: dict[str, int] = field(default_factory=dict)
    to_read: int = 0
    readings_open: int = 0
    settled: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Verification:
    """What checking an audit found: no `problems` if nothing was lost or changed; `notices` of what was not checked."""

    ok: bool
    events: int
    head: str
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    only_images: bool = False  # all that is wrong is outside of the folder
