"""The record of an audit: what was asked and answered, by whom and when. Telling is quick, and never refits."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from altmas.audits.changes import asked_for
from altmas.audits.fits import under_way
from altmas.audits.opened import Opened
from altmas.audits.parts import Entry
from altmas.audits.sample import drawing
from altmas.audits.state import DISPUTED, State
from altmas.audits.telling import annotator_name, checked_body, checked_client, checked_extras
from altmas.audits.values import SKIP, UNSURE, Given, Status, Told, Undone
from altmas.core.checks import class_place, plain
from altmas.metrics.errors import InputError


class Record(Opened):
    """The folder of an audit, open for reading and for answers."""

    def __repr__(self) -> str:
        answered, asked = self.state.answered, len(self.state.order)
        return f"Audit of {self.settings.title or self.folder}: {answered} of {asked} questions answered"

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
        expert: bool | None = None,
    ) -> Told:
        """Take an answer: a class, `unsure` or `skip`. When this returns, the answer is on disk.

        With `expert=True` it is an expert's reading of an answer that was drawn for one, or settles what annotators
        left undecided; left out, it is one if the annotator is among the audit's experts. The same answer again changes
        nothing; another one is refused unless `replace=True`. `client` is an id of the caller's own making: whatever is
        sent twice with it is kept once. Inside `importing` it joins that transaction.
        """
        checked_client(client)
        extra = checked_extras(note, given_at, took_ms)
        with self._writing():
            position, told, annotator = self.position(id), self._label(label), annotator_name(annotator)
            if position not in self.state.order:
                raise InputError("id", "be one that was asked about", repr(id))
            reads = self._reads(position, annotator, expert)
            before = self._given_before(position, annotator, replace=replace, expert=reads)
            if before is not None and replace and not annotator:
                annotator = before.annotator  # under its name: nobody's would be a second voice, and a dispute
            body = {"item": self.pool.ids[position], "annotator": annotator, **told, **extra}
            body |= ({"imported": True} if self._importing else {}) | ({"expert": True} if reads else {})
            if client is not None and self.store.by_client(client) is not None:
                event = self.store.append("answered", body, client)  # refuses another content
                return Told(event.seq, event.at, new=False)
            if before is not None:
                same = before.label == (
                    told["answer"] if "label" not in told else self._class_places[str(told["label"])]
                )
                if same and (not note or note == before.note):
                    return Told(before.seq, before.at, new=False)
                if not same and not replace:
                    said = f"{self._text(before)!r} there, {self._name_of(told)!r} now"
                    hint = "Undo it first, or ask for it to be replaced."
                    if position in self.state.to_read and not reads:
                        hint = "An expert's reading comes with the expert's name."
                    raise InputError(f"answer to {id!r}", "be the one already given", said, hint)
            event = self.store.append("answered", body, client)
            self.refresh()  # so that the next answer of the same transaction sees this one
            if annotator:
                self.leases.drop(annotator, position)
            return Told(event.seq, event.at)

    def _reads(self, position: int, annotator: str, expert: bool | None) -> bool:
        """Whether this is an expert's reading; refused where none was drawn: experts must not choose the sample."""
        experts, state = self.settings.experts, self.state
        if not (annotator in experts if expert is None else expert):
            return False
        if experts and annotator not in experts:
            raise InputError("annotator", f"be one of the experts, {', '.join(experts)}", repr(annotator))
        if not state.may_be_read(position):
            hint = "altmas next --second-reading has them; expert=False gives an ordinary answer."
            rule = "be one that was drawn for a second reading, or that annotators left undecided"
            raise InputError("id", rule, repr(self.pool.ids[position]), hint)
        if annotator in state.standing(position):
            hint = "" if annotator else "Say who reads: --annotator."
            raise InputError("expert", "be somebody else than the annotator", repr(annotator), hint)
        return True

    def _given_before(self, position: int, annotator: str, *, replace: bool, expert: bool = False) -> Entry | None:
        """The annotator's standing answer. Whoever is not named may be anybody, so it is no second opinion."""
        given = self.state.standing(position) if not expert else self.state.read_by(position)
        if replace and not annotator and len(given) > 1 and "" not in given:
            hint = "Say whose answer is replaced: --annotator."
            raise InputError("annotator", "be named where several answered", f"none, of {', '.join(given)}", hint)
        nameless = "" if annotator else next(iter(given), "")
        return given.get(annotator) or given.get(nameless)

    def _label(self, label: Hashable) -> dict[str, str]:
        said = plain(label)
        if isinstance(said, str) and said in (UNSURE, SKIP):
            return {"answer": said}
        place = self._class_places.get(str(said))
        place = class_place(said, self.pool.classes) if place is None else place
        if place is None:
            known = ", ".join(repr(one) for one in self.pool.classes[:12])
            raise InputError("label", f"be one of the classes {known}, 'unsure' or 'skip'", repr(label))
        return {"answer": "label", "label": str(self.pool.classes[place])}

    def _name_of(self, told: Mapping[str, str]) -> str:
        return told.get("label", told["answer"])

    def _text(self, entry: Entry) -> Hashable:
        return entry.label if isinstance(entry.label, str) else self.pool.classes[entry.label]

    @contextmanager
    def importing(self, body: dict[str, Any]) -> Iterator[Self]:
        """One transaction for many answers: all of them are kept, with an event that says where from, or none."""
        with self._writing():
            before = self.state.seq
            self._importing = True
            try:
                yield self
            finally:
                self._importing = False
            self.refresh()
            if self.state.seq > before:  # a file that brings nothing new is no event
                self.store.append("imported", body)

    def undo(self, annotator: str = "", *, client: str | None = None) -> Undone | None:
        """Take the annotator's last answer back; the question is open again. `client` as for `tell`."""
        return self._turn("undone", annotator, client)

    def redo(self, annotator: str = "", *, client: str | None = None) -> Undone | None:
        """Give an answer again that was taken back last, if none was given since."""
        return self._turn("redone", annotator, client)

    def _turn(self, kind: str, annotator: str, client: str | None) -> Undone | None:
        with self._writing():
            event = None if client is None else self.store.by_client(client)
            if event is None:
                entry = self.state.to_undo(annotator) if kind == "undone" else self.state.to_redo(annotator)
                if entry is None:
                    return None
                if kind == "undone" and annotator:  # before it is open again: whoever took it back sees it next
                    self.leases.add(annotator, entry.position)
                item = self.pool.ids[entry.position]
                event = self.store.append(kind, {"answers": [entry.seq], "item": item, "annotator": annotator}, client)
            elif event.kind != kind or event.body["annotator"] != annotator:
                raise InputError("client id", "be new, or come with the same content", repr(client))
            entry = self.state.entry(event.body["answers"][0])
            return Undone(event.seq, event.at, event.body["item"], entry.position, self._text(entry))

    def answers_of(self, annotator: str) -> list[Given]:
        """An annotator's standing answers, in the order given."""
        with self.store.lock:
            self.refresh()
            return [self._given(one) for one in self.state.given_by(annotator)]

    def answer_of(self, annotator: str, place: int | None = None) -> tuple[Given, int, int] | None:
        """One of those answers, which one it is, and of how many; the last one there is, where `place` is none of them.

        None for an annotator without an answer.
        """
        with self.store.lock:
            self.refresh()
            count = len(self.state.given_by(annotator))
            if count == 0:
                return None
            place = count - 1 if place is None else min(place, count - 1)
            return self._given(self.state.nth_given_by(annotator, place)), place, count

    def _given(self, entry: Entry) -> Given:
        id = self.pool.ids[entry.position]
        return Given(entry.position, id, self._text(entry), entry.note, entry.seq, entry.at)

    def record(self, kind: str, body: dict[str, Any], client: str | None = None) -> Told:
        """Log that something happened which changes no answer."""
        if kind not in ("revealed", "exported", "noted", "reported"):
            raise InputError("kind", "be revealed, exported, noted or reported", repr(kind))
        checked_client(client)
        checked_body(body)
        if "item" in body:
            body = {**body, "item": self.pool.ids[self.position(body["item"])]}
        with self._writing():
            event = self.store.append(kind, body, client)
        return Told(event.seq, event.at)

    def log_look(self, labels: int) -> None:
        """Log that somebody looks at the estimates, once for the answers there are: looking has consequences.

        A copy that cannot be written is looked at without a word.
        """
        self.refresh()
        if self.state.looked_at or self.store.read_only:
            return
        with self._writing():
            self.store.append("looked", {"labels": labels})
        self.note_in_registry()

    def log_rebuilt(self, fits: Sequence[dict[str, Any]]) -> None:
        """Log refits that were made again and came out a little differently."""
        with self._writing():
            for one in fits:
                self.store.append("rebuilt", one)

    def log_recovered(self, problems: Sequence[str]) -> None:
        """Log that the audit goes on though the registry knew of another log."""
        with self._writing():
            self.store.append("recovered", {"from": self.state.seq, "lost": None, "known": list(problems)})

    def set(self, **changes: Any) -> Told | None:
        """Change what may change: `budget`, `second_readings`, `guidelines`, `title`, `show`, `reveal`, `targets`.

        It is an event of the log, and holds from then on, for pages that are open too; None if nothing changes.
        `show` names columns that are kept with the audit; `targets` are such as `"accuracy >= 0.9"`.
        """
        with self._writing():
            new = asked_for(self.settings, changes, self.pool, self.columns)
            if not new:
                return None
            event = self.store.append("set", {"settings": new})
        return Told(event.seq, event.at)

    @property
    def columns(self) -> list[str]:
        """The items' own columns that are kept with the audit, shown to annotators or not."""
        return list(self.kept_of(0)[0])

    def without_image(self, most: int = 5) -> tuple[int, list[str]]:
        """How many items have no image, and the first ones' ids; none where no item has one."""
        images = self.created.body.get("media", {}).get("files", 0)
        return self.store.without_media(most) if images else (0, [])

    def assign(self, ids: Sequence[Hashable], annotator: str) -> Told:
        """Keep questions for one annotator: `ask` gives them to nobody else who says who they are."""
        items, annotator = [self.pool.ids[self.position(one)] for one in ids], annotator_name(annotator)
        with self._writing():
            event = self.store.append("assigned", {"items": items, "annotator": annotator})
        return Told(event.seq, event.at)

    def status(self) -> Status:
        """Where things stand, and how fresh the ranking is."""
        with self.store.lock:
            self.refresh()
            return self._status(self.state)

    def unseen_classes(self) -> list[Hashable]:
        """The declared classes that no label named so far; none before the first label."""
        with self.store.lock:
            self.refresh()
            answers = drawing(self.state).answers
        return answers.unseen(self.pool) if len(answers) else []

    def _status(self, state: State) -> Status:
        last, tally = state.fits[-1] if state.fits else None, state.tally
        return Status(
            answered=state.answered, labels=state.labels,
            unsure=tally[UNSURE], skipped=tally[SKIP], disputed=tally[DISPUTED], taken_back=len(state.taken_back),
            open=len(state.order) - state.answered, asked=len(state.order), budget=self.settings.budget,
            pool=self.pool.size, annotators=state.annotators(), fit_labels=last.labels if last else 0,
            fit_at=last.at if last else None, refitting=under_way(self.folder), last_answer=state.last_answer,
            head=state.head, experts=state.experts(), to_read=len(state.to_read), readings_open=state.readings_open(),
            settled=len(state.settled),
        )  # fmt: skip
