"""`Audit`: a durable assessment for people. Ask, tell, undo, estimate, report; every answer survives what happens."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.audits import pool_files
from altmas.audits.creation import make_folder
from altmas.audits.events import Event
from altmas.audits.fits import FitFiles, fit, growth
from altmas.audits.questions import Questions, ranking_for
from altmas.audits.refit_lock import one_at_a_time, under_way
from altmas.audits.settings import Settings, versions
from altmas.audits.state import DISPUTED, Entry, State, schedule
from altmas.audits.store import Store, StoreError
from altmas.audits.values import SKIP, UNSURE, Given, Query, Status, Told, Undone, Verification
from altmas.audits.verification import verify_folder
from altmas.checks import plain, whole_number
from altmas.method import Job
from altmas.metrics.errors import InputError
from altmas.pool import Pool

if TYPE_CHECKING:
    import pandas as pd

    from altmas.audits.findings import Findings


class Audit:
    """One assessment in a folder of its own: `Audit.create(folder, pool, ...)` or `Audit.open(folder)`.

    >>> import tempfile
    >>> pool = Pool.build(["cat", "dog"] * 30)
    >>> with Audit.create(tempfile.mkdtemp() + "/audit", pool, metrics=["accuracy"]) as audit:
    ...     for query in audit.ask(10):
    ...         told = audit.tell(query.id, "cat")
    ...     audit.status().answered, len(audit.ask(3)), audit.verify().ok
    (10, 3, True)
    """

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.store = folder, store
        self.files = FitFiles(folder)
        try:
            events = store.events()
            self.created = events[0]
            self.settings = Settings.of(self.created.body["settings"], self.created.at)
            self.method = self.settings.make_method()
            self.state = self._blank_state().take(events)
        except (KeyError, IndexError, TypeError, ValueError, sqlite3.DatabaseError) as error:
            found = f"{folder}: {type(error).__name__}: {error}"
            raise StoreError(f"audit must be whole; got {found}. altmas log --verify says what was changed.") from error

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        pool: Pool,
        *,
        metrics: str | Sequence[str] = "alt_mas_3",
        method: str = "certified",
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
        initial: int = 50,
        batch: int = 10,
        level: float = 0.95,
        budget: int | None = None,
        overlap: int = 1,
        items: pd.DataFrame | None = None,
        media: Sequence[str | None] | None = None,
        guidelines: str = "",
        title: str = "",
        inputs: Mapping[str, str] | None = None,
        cost: Any = None,
    ) -> Audit:
        """Make a folder for a pool; nothing is left behind if something is refused.

        `items` are the items' own columns, which annotators see, a row per item; `media` the path of each item's image.
        `budget` is a goal to show, not a limit; `overlap` how many annotators answer each question; `inputs` the hashes
        of the files the pool came from.
        """
        settings = Settings(
            (metrics,) if isinstance(metrics, str) else tuple(metrics), method, dict(options or {}), seed,
            min(whole_number("initial", initial, 1), pool.size), batch, level, budget, overlap, guidelines, title,
            None if cost is None else tuple(map(tuple, np.asarray(cost, dtype=float).tolist())),
            dict(inputs or {}), versions(),
        )  # fmt: skip
        return cls.open(make_folder(Path(folder), pool, settings, items, media))

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Audit:
        """An audit made before."""
        path = Path(folder)
        return cls(path, Store.open(path))

    def close(self) -> None:
        """Let go of the store; every answer is on disk already."""
        self.store.close()

    def __enter__(self) -> Audit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        resolved, asked = len(self.state.resolved), len(self.state.order)
        return f"Audit of {self.settings.title or self.folder}: {resolved} of {asked} questions answered"

    @cached_property
    def pool(self) -> Pool:
        """The pool, as it was when the audit was made."""
        return pool_files.load_pool(self.folder, self.created.body["files"])

    @cached_property
    def job(self) -> Job:
        """What is to be found out."""
        return Job(self.pool, self.settings.metrics_on(self.pool), self.settings.seed)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {str(one): position for position, one in enumerate(self.pool.ids)}

    @cached_property
    def _class_places(self) -> dict[str, int]:
        return {str(one): k for k, one in enumerate(self.pool.classes)}

    @cached_property
    def _questions(self) -> Questions:
        return Questions(self.job, self.method, self.files)

    def _blank_state(self) -> State:
        s = self.settings
        return State(self._places, self._class_places, s.overlap, schedule(s.initial, s.batch, growth(self.method)))

    def state_at(self, seq: int, events: Sequence[Event]) -> State:
        """What the events up to one of them added up to."""
        return self._blank_state().take(event for event in events if event.seq <= seq)

    def refresh(self) -> None:
        """Take in what other processes wrote."""
        with self.store.lock:
            self.state.take(self.store.events(self.state.seq))

    @contextmanager
    def _writing(self) -> Iterator[Store]:
        """A transaction that sees every event before it; the state takes its events in when they are on disk."""
        with self.store.lock:
            committed = self.state.seq
            try:
                with self.store.writing() as store:
                    self.refresh()
                    committed = self.state.seq
                    yield store
            except BaseException:
                if self.state.seq > committed:  # it has seen what was never committed
                    self.state = self._blank_state()
                    self.refresh()
                raise
            self.refresh()

    # Asking

    def ask(
        self,
        n: int = 1,
        *,
        annotator: str = "",
        again: bool = False,
        wait: bool = True,
        without: Collection[int] = (),
    ) -> list[Query]:
        """Open questions in the order drawn, newly drawn ones after them: the same ones until they are answered.

        `again` gives unsure, skipped and disputed ones instead. With `wait=False` no refit is waited for: questions
        come from the last ranking. `without` are positions that others hold just now.
        """
        whole_number("n", n, 1)
        if again:
            self.refresh()
            return [self._query(position) for position in self._to_ask_again() if position not in without][:n]
        found = self._open_for(annotator, without)
        if len(found) < n and len(self.state.order) < self.pool.size:
            if wait:
                self.refit()
            with self._writing():
                short = n - len(self._open_for(annotator, without))
                if short > 0:
                    self._draw(short if wait else max(short, self.settings.batch), wait=wait)
            found = self._open_for(annotator, without)
        return [self._query(position) for position in found[:n]]

    def _open_for(self, annotator: str, without: Collection[int]) -> list[int]:
        with self.store.lock:
            self.refresh()
            return [position for position in self.state.open_for(annotator) if position not in without]

    def _to_ask_again(self) -> list[int]:
        return [position for position in self.state.order if self.state.verdict(position) in (UNSURE, SKIP, DISPUTED)]

    def _draw(self, count: int, *, wait: bool) -> None:
        count = min(count, self.pool.size - len(self.state.order))
        if count <= 0:
            return
        ranking = ranking_for(self.state, wait=wait)
        choice = self._questions.draw(self.state, count, ranking)
        body = {
            "round": len(self.state.rounds),
            "items": [self.pool.ids[int(position)] for position in choice.items],
            "propensities": choice.propensities.tolist(),
            "fit": ranking,
        }
        self.store.append("drawn", body)

    def _query(self, position: int) -> Query:
        content, media = self.store.item(position)
        place, round = self.state.order[position], 0
        for one in self.state.rounds:
            place -= len(one.positions)
            if place < 0:
                round = one.round
                break
        return Query(self.pool.ids[position], position, round, content, media is not None)

    def content(self, position: int) -> Mapping[str, str]:
        """An item's own columns."""
        return self.store.item(position)[0]

    def media_path(self, position: int) -> Path | None:
        """Where an item's image lies."""
        media = self.store.item(position)[1]
        return None if media is None else Path(media)

    def assign(self, ids: Sequence[Hashable], annotator: str) -> Told:
        """Keep questions for one annotator: `ask` gives them to nobody else who says who they are."""
        items = [self.pool.ids[self.position(one)] for one in ids]
        with self._writing():
            event = self.store.append("assigned", {"items": items, "annotator": annotator})
        return Told(event.seq, event.at)

    # Telling

    def position(self, id: Hashable) -> int:
        """An item's place in the pool, by its id or the id's text."""
        place = self._places.get(str(plain(id)))
        if place is None:
            raise InputError("id", "be one of the pool's", repr(id))
        return place

    def tell(
        self,
        id: Hashable,
        label: Hashable,
        *,
        annotator: str = "",
        note: str = "",
        replace: bool = False,
        client: str | None = None,
        took_ms: int | None = None,
        given_at: str = "",
    ) -> Told:
        """Take an answer: a class, `unsure` or `skip`. When this returns, the answer is on disk.

        The same answer again changes nothing; another one is refused unless `replace=True`. `client` is an id of the
        caller's own making: whatever is sent twice with it is kept once.
        """
        with self._writing():
            return self.tell_within(id, label, annotator, note, replace, client, took_ms, given_at)

    def tell_within(
        self,
        id: Hashable,
        label: Hashable,
        annotator: str = "",
        note: str = "",
        replace: bool = False,
        client: str | None = None,
        took_ms: int | None = None,
        given_at: str = "",
    ) -> Told:
        """Take an answer inside a transaction that is under way (see `importing`)."""
        position, told = self.position(id), self._label(label)
        if position not in self.state.order:
            raise InputError("id", "be one that was asked about", repr(id))
        body = {"item": self.pool.ids[position], "annotator": annotator, **told}
        extra = {"note": note, "ms": took_ms, "given_at": given_at}
        body |= {key: value for key, value in extra.items() if value not in ("", None)}
        if client is not None and (known := self.store.by_client(client)) is not None:
            event = self.store.append("answered", body, client)  # refuses another content
            return Told(known.seq, event.at, new=False)
        before = self.state.standing(position).get(annotator)
        if before is not None:
            same = before.label == (told["answer"] if "label" not in told else self._class_places[str(told["label"])])
            if same and (not note or note == before.note):
                return Told(before.seq, before.at, new=False)
            if not same and not replace:
                said = f"{self._text(before)!r} there, {self._name_of(told)!r} now"
                hint = "Undo it, or say replace=True."
                raise InputError(f"answer to {id!r}", "be the one already given", said, hint)
        event = self.store.append("answered", body, client)
        self.refresh()  # so that the next answer of the same transaction sees this one
        return Told(event.seq, event.at)

    def _label(self, label: Hashable) -> dict[str, str]:
        said = plain(label)
        if isinstance(said, str) and said in (UNSURE, SKIP):
            return {"answer": said}
        place = self._class_places.get(str(said))
        if place is None:
            known = ", ".join(repr(one) for one in self.pool.classes[:12])
            raise InputError("label", f"be one of the classes {known}, 'unsure' or 'skip'", repr(label))
        return {"answer": "label", "label": str(self.pool.classes[place])}

    def _name_of(self, told: Mapping[str, str]) -> str:
        return told.get("label", told["answer"])

    def _text(self, entry: Entry) -> Hashable:
        return entry.label if isinstance(entry.label, str) else self.pool.classes[entry.label]

    @contextmanager
    def importing(self, body: dict[str, Any]) -> Iterator[Audit]:
        """One transaction for many answers: all of them are kept, with an event that says where from, or none."""
        with self._writing():
            before = self.state.seq
            yield self
            if self.store.events(before):  # a file that brings nothing new is no event
                self.store.append("imported", body)

    def undo(self, annotator: str = "", count: int = 1) -> Undone | None:
        """Take the annotator's last answer back (the last few with `count`); the question is open again."""
        done = None
        with self._writing():
            for _ in range(whole_number("count", count, 1)):
                entry = self.state.to_undo(annotator)
                if entry is None:
                    break
                done = self._reverse("undone", entry)
                self.refresh()
        return done

    def redo(self, annotator: str = "") -> Undone | None:
        """Give an answer again that was taken back last, if none was given since."""
        with self._writing():
            entry = self.state.to_redo(annotator)
            return None if entry is None else self._reverse("redone", entry)

    def _reverse(self, kind: str, entry: Entry) -> Undone:
        item = self.pool.ids[entry.position]
        body = {"answers": [entry.seq], "item": item, "annotator": entry.annotator}
        event = self.store.append(kind, body)
        return Undone(event.seq, event.at, item, entry.position, self._text(entry))

    def answers_of(self, annotator: str) -> list[Given]:
        """An annotator's standing answers, in the order given."""
        self.refresh()
        return [
            Given(one.position, self.pool.ids[one.position], self._text(one), one.note, one.seq, one.at)
            for one in self.state.given_by(annotator)
        ]

    def record(self, kind: str, body: dict[str, Any], client: str | None = None) -> Told:
        """Log that something happened which changes no answer."""
        if kind not in ("revealed", "exported", "noted", "reported"):
            raise InputError("kind", "be revealed, exported, noted or reported", repr(kind))
        with self._writing():
            event = self.store.append(kind, body, client)
        return Told(event.seq, event.at)

    # Refits

    def refit_due(self) -> bool:
        """Whether a refit has come due that was not made yet."""
        self.refresh()
        return self._due() is not None

    def _due(self) -> int | None:
        number = len(self.state.milestones) - 1
        return None if number < 0 or any(one.number == number for one in self.state.fits) else number

    def refit(self) -> bool:
        """Make the refit that is due, after any that is under way in another process; False if there is none."""
        if not self.refit_due():
            return False
        with one_at_a_time(self.folder):
            self.refresh()
            number = self._due()
            if number is None:
                return False
            upto = self.state.milestones[number]
            then = self.state_at(upto, self.store.events())
            arrays, labels = fit(self.job, self.method, then, number, self.settings.batch, self.files.ideal)
            name, found = self.files.save(number, arrays)
            body = {"number": number, "upto": upto, "labels": labels, "file": name, "sha256": found}
            with self._writing():
                self.store.append("fitted", body)
            return True

    # Looking

    def status(self) -> Status:
        """Where things stand, and how fresh the ranking is."""
        with self.store.lock:
            self.refresh()
            return self._status(self.state)

    def _status(self, state: State) -> Status:
        verdicts = [state.verdict(position) for position in state.order]
        last = state.fits[-1] if state.fits else None
        people: dict[str, int] = {}
        for position in state.entries:
            for annotator in state.standing(position):
                people[annotator] = people.get(annotator, 0) + 1
        return Status(
            answered=sum(isinstance(one, int) for one in verdicts),
            unsure=verdicts.count(UNSURE), skipped=verdicts.count(SKIP), disputed=verdicts.count(DISPUTED),
            open=len(state.order) - len(state.resolved), asked=len(state.order), budget=self.settings.budget,
            pool=self.pool.size, annotators=people, fit_labels=last.labels if last else 0,
            fit_at=last.at if last else None, refitting=under_way(self.folder), last_answer=state.last_answer,
            head=state.head,
        )  # fmt: skip

    def events(self) -> list[Event]:
        """Everything that happened."""
        return self.store.events()

    def verify(self) -> Verification:
        """Check the chain of events and every file against its hash (`verify_folder` needs no whole audit)."""
        return verify_folder(self.folder)

    def findings(self, level: float | None = None, *, metrics: Any = None, anytime: bool = False) -> Findings:
        """Everything the answers tell at this moment."""
        from altmas.audits.findings import findings_of

        return findings_of(self, level, metrics, anytime=anytime)

    def estimate(self, metrics: Any = None, *, level: float | None = None, anytime: bool = False) -> pd.DataFrame:
        """The metrics, each with its interval; others than the audit's own are as valid, chosen afterwards."""
        return self.findings(level, metrics=metrics, anytime=anytime).estimates

    def worst(self, by: str = "class", metric: str = "accuracy", m: int = 1, *, level: float | None = None) -> Any:
        """Which groups are probably the worst: a table with P, and `attrs["verdict"]` in words."""
        return self.findings(level).worst(by, metric, m)

    def compare(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", *, rope: float = 0.05,
        level: float | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Whether two groups differ by more than `rope`."""
        return self.findings(level).compare(by, a, b, metric, rope)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the report: .html, .md or .json, by the file's name."""
        from altmas.reports.writing import write_report

        return write_report(self, Path(path), **options)
