"""An audit's folder, open: its store and files, and what its events add up to by now."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from altmas.audits import earlier_files, pool_files, registry, witness
from altmas.audits.beginning import checked_beginning
from altmas.audits.changes import settings_after
from altmas.audits.events import Event
from altmas.audits.fits import FitFiles
from altmas.audits.item_hashes import HASHES_FILE, load_item_hashes, row_hash
from altmas.audits.leases import Leases
from altmas.audits.parts import schedule
from altmas.audits.registry import Registered
from altmas.audits.settings import Settings
from altmas.audits.state import State
from altmas.audits.store import Store, StoreError
from altmas.core.checks import plain
from altmas.core.doing import doing
from altmas.core.method import ArrayMap, Method
from altmas.core.places import Places
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from altmas.metrics.types import IntArray

DAMAGE = (
    KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError, EOFError, OSError,
    sqlite3.DatabaseError,
)  # fmt: skip
"""What reading a log or a pool raises that somebody has changed."""


def refuse_loss(folder: Path, store: Store) -> None:
    """Refuse to go on without what was acknowledged, as if it had never been there."""
    lost = store.loss()
    if lost is not None:
        on = f"`altmas recover {folder} --accept-loss` goes on without"
        raise StoreError(
            f"audit must be whole; got {folder}: {witness.in_words(lost)}. {witness.how_to_mend(lost)}; {on}."
        )


class Opened:
    """The folder of an audit, open for reading; whoever writes does so in one transaction at a time."""

    _follows_from_beginning: tuple[str, ...] = ("pool", "method", "places")
    """What the first event decides, for it names the hashes of the pool's files."""

    def __init__(self, folder: Path, store: Store, beside: Opened | None = None) -> None:
        self.folder, self.store = folder, store
        self.files, self.leases = FitFiles(folder), Leases(folder)
        self._importing = False
        self._sound: set[int] = set()  # fits whose files were checked
        self._sound_earlier = ""  # the hash of what an earlier audit left, where its file was checked
        self.unsaved: list[Event] = []  # refits of an audit that can only be read
        try:
            events = store.events()
            refuse_loss(folder, store)
            self.created = events[0]
            self._begun = Settings.of(checked_beginning(self.created.body)["settings"], self.created.at)
            self._settings: tuple[Mapping[str, Any], Settings] = ({}, self._begun)
            if beside is not None and beside.created.hash == self.created.hash:
                self.__dict__ |= {name: getattr(beside, name) for name in self._follows_from_beginning}
            self.state = self.blank_state().take(events)
        except DAMAGE as error:
            lost = f"no {error.filename}" if isinstance(error, FileNotFoundError) else "something that cannot be read"
            hint = "altmas log --verify says what was changed."
            raise StoreError(f"audit must be whole; got {lost} in {folder}. {hint}") from error

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, beside: Opened | None = None) -> Self:
        """An audit made before. `beside` is the same one, open already: what follows from its pool is taken from it."""
        path = Path(folder)
        store = Store.open(path)
        try:
            with doing("opening the audit"):
                return cls(path, store, beside)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """Let go of the store; every answer is on disk already."""
        self.leases.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def pool(self) -> Pool:
        """The pool, as it was when the audit was made."""
        return pool_files.load_pool(self.folder, self.created.body["files"])

    @property
    def settings(self) -> Settings:
        """What the audit is set up to do by now: as it was made, with what was changed since."""
        changes, known = self._settings
        if changes is not self.state.changes:
            known = settings_after(self._begun, self.state.changes)
            self._settings = (self.state.changes, known)
        return known

    @cached_property
    def method(self) -> Method:
        """The method, for the audit's task."""
        return self._begun.make_method(self.pool)

    @cached_property
    def places(self) -> Places:
        """Each item's place in the pool, by the text of its id."""
        return Places(self.pool.ids)

    @cached_property
    def _class_places(self) -> dict[str, int]:
        return {str(one): k for k, one in enumerate(self.pool.classes)}

    def blank_state(self) -> State:
        """The state before the first event."""
        s = self._begun
        return State(
            self.places,
            self._class_places,
            s.overlap,
            schedule(s.initial, s.batch, getattr(self.method, "refit_growth", 1.0)),
        )

    def kept(self, number: int) -> tuple[ArrayMap, int]:
        """What a fit left behind: its arrays, and how many labels it knew."""
        known = {one.number: one for one in self.state.fits}
        if number not in known:  # made by another process since this one last looked
            self.refresh()
            known = {one.number: one for one in self.state.fits}
        if number not in known:
            raise StoreError(f"audit must be whole; got no fit {number} in {self.folder}.")
        return self.files.kept(known[number])

    def state_at(self, seq: int, events: Sequence[Event]) -> State:
        """What the events up to one of them added up to."""
        return self.blank_state().take(event for event in events if event.seq <= seq)

    def refresh(self) -> None:
        """Take in what other processes wrote."""
        with self.store.lock:
            self.state.take(self.store.events(self.state.seq, self.state.head))

    @contextmanager
    def _writing(self) -> Iterator[Store]:
        """A transaction that sees every event before it; the state takes its events in when they are on disk."""
        with self.store.lock:
            if self.store.under_way:  # one transaction for all of it
                yield self.store
                return
            committed = self.state.seq
            try:
                with self.store.writing() as store:
                    self.refresh()
                    committed = self.state.seq
                    yield store
            except BaseException:
                if self.state.seq > committed:  # it has seen what was never committed
                    self.state = self.blank_state()
                    self.refresh()
                raise
            self.refresh()

    def item(self, position: int) -> tuple[dict[str, str], str | None]:
        """What an item shows, if that is what it was: the columns annotators see, and the path of its image."""
        content, media = self.kept_of(position)
        show = self.settings.show
        return (content if show is None else {name: content[name] for name in show if name in content}), media

    def kept_of(self, position: int) -> tuple[dict[str, str], str | None]:
        """All that is kept of an item: also columns that annotators do not see."""
        row = self.store.item(position)
        known = None if self._item_hashes is None else int(self._item_hashes[position])
        try:
            if row is not None and known in (None, row_hash(row)):
                return json.loads(row[2]), row[3]
        except (TypeError, ValueError):  # no text where there was text
            pass
        raise StoreError(f"audit must be whole; got {self.folder}: item {position} was changed after it was made.")

    @cached_property
    def _item_hashes(self) -> IntArray | None:
        try:
            return load_item_hashes(self.folder, self.created.body["files"])
        except Exception as error:  # a damaged header raises anything
            raise StoreError(f"audit must be whole; got no readable file pool/{HASHES_FILE}.") from error

    def content(self, position: int) -> Mapping[str, str]:
        """Of an item's own columns those that annotators see."""
        return self.item(position)[0]

    def media_path(self, position: int) -> Path | None:
        """Where an item's image lies."""
        media = self.item(position)[1]
        return None if media is None else Path(media)

    def position(self, id: Hashable) -> int:
        """An item's place in the pool, by its id or the id's text."""
        place = self.places.get(str(plain(id)))
        if place is None:
            raise InputError("id", "be one of the pool's", repr(id))
        return place

    def registry_problems(self) -> list[str]:
        """What the user's registry knows of this log that the log does not have."""
        return registry.problems_of(self.created.hash, self.folder, [event.hash for event in self.store.events()])

    def note_in_registry(self, *, settled: bool = False) -> None:
        """Tell the user's registry how far the log has got; not while it knows better, unless that is `settled`."""
        first = self.created.hash
        if settled:
            registry.settle(first, self.folder)
        elif self.registry_problems():
            return
        known = [one for one in registry.entries() if one.first == first]
        sketches = known[0].sketches if known else registry.sketches_of(self.pool)
        place, labels = registry.place_of(self.folder), self.state.labels
        registry.note(Registered(first, self.created.at, place, sketches, labels, self.state.seq, self.state.head))

    def check_files(self) -> None:
        """Refuse to go on with files that are not what they were; a number from them would be worse than none."""
        earlier = earlier_files.faults(self.folder, self.state.renewed)
        self._refuse([*self._pool_problems, *earlier, *self.files.faults(self.state.fits)])

    def check_ranking(self, number: int | None) -> None:
        """Refuse to draw from files that are not what they were: the chances would be logged, and be wrong for good."""
        used = [one for one in self.state.fits if one.number == number and number not in self._sound]
        self._refuse([*self._pool_problems, *self._earlier_problems(), *self.files.faults(used)])
        self._sound.update(one.number for one in used)

    def _refuse(self, problems: list[str]) -> None:
        if problems:
            hint = ""
            if any(
                earlier_files.EARLIER_FILE in one for one in problems
            ):  # the earlier audit may be gone: nothing here can make it
                hint = f" {earlier_files.EARLIER_FILE} can be had from a backup only."
            elif any("fits/" in one for one in problems):
                hint = f" altmas refit {self.folder} makes refits again."
            raise StoreError(f"audit must be whole; got {self.folder}: {'; '.join(problems)}.{hint}")

    def _earlier_problems(self) -> list[str]:
        """Of what was taken over from an earlier audit; looked at once, as what never changes again."""
        if self.state.renewed is None or self.state.renewed["sha256"] == self._sound_earlier:
            return []
        found = earlier_files.faults(self.folder, self.state.renewed)
        self._sound_earlier = "" if found else str(self.state.renewed["sha256"])
        return found

    @cached_property
    def _pool_problems(self) -> list[str]:
        with doing("checking the files of the pool"):
            return pool_files.faults(self.folder, self.created.body["files"])

    def events(self) -> list[Event]:
        """Everything that happened."""
        return self.store.events()
