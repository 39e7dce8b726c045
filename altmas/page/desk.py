"""The desk: between the audit and the people at the page. It knows no HTTP; one thread at a time may use it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from altmas.audits.audit import Audit
from altmas.audits.fits import under_way
from altmas.audits.second_readings import answers_planned
from altmas.audits.state import DISPUTED
from altmas.audits.values import SKIP, UNSURE, Query, Told, Undone
from altmas.core.plain import plain_rows
from altmas.core.pool import NO_CLASS
from altmas.metrics.errors import AltmasError, InputError
from altmas.page.guidelines import rendered
from altmas.page.names import Names, audit_key
from altmas.page.refits import Refits
from altmas.page.wire import RefusedError, Reply, Reveal, Turn, Wish

Json = dict[str, Any]
_log = logging.getLogger("altmas.page")

QUESTIONS_AHEAD = 2
"""The item to label, and the one after it, whose image the page fetches meanwhile."""

_COLUMNS_SHOWN = ("model", "metric", "estimate", "low", "high", "labels", "promise")


class Desk:
    """Hands out queries, takes answers, starts refits."""

    def __init__(self, audit: Audit, refits: Refits | None = None, experts: Sequence[str] = ()) -> None:
        self._audit = audit
        self._experts = {*experts, *audit.settings.experts}
        self._refits = refits or Refits(audit.folder)
        self._names = Names(audit_key(audit.folder), audit.pool.size)
        self._seen_again: dict[str, set[int]] = {}

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self._audit.pool.classes)

    @property
    def folder(self) -> Path:
        """The audit's folder."""
        return self._audit.folder

    @property
    def title(self) -> str:
        """What the audit is called."""
        return self._audit.settings.title or self._audit.folder.name

    def about(self) -> Json:
        """What the audit is called and what annotators should know, as the auditor has it by now."""
        self._audit.refresh()
        return {"title": self.title, "guidelines": rendered(self._audit.settings.guidelines)}

    def close(self) -> None:
        """Let go of the audit, and end a refit that is under way."""
        self._refits.stop()
        self._audit.close()

    def state(self, annotator: str) -> Json:
        """What the page needs to begin, and how things stand."""
        classes = [str(one) for one in self._audit.pool.classes]
        images = self._audit.created.body.get("media", {}).get("files", 0) > 0
        about = {"annotator": annotator, "title": self.title, "classes": classes, "images": images}
        return {**about, "standing": self._standing(annotator)}

    def next(self, annotator: str, wish: Wish) -> Json:
        """The item to label now, or why there is none."""
        if wish.again:
            self._seen_again[annotator] = set()
        return self._and_then(annotator, wish)

    def answer(self, annotator: str, reply: Reply) -> Json:
        """Take an answer; what comes back was committed to disk."""
        position = self._position(reply.item)
        expert = annotator in self._experts
        self._audit.refresh()
        if expert and not self._audit.state.may_be_read(position):
            raise RefusedError(409, "This answer is not among those for you to read; the next one is.")
        label = reply.label if isinstance(reply.label, str) else self._audit.pool.classes[reply.label]
        told = self._telling(
            lambda: self._audit.tell(
                self._audit.pool.ids[position], label, annotator=annotator, note=reply.note,
                replace=reply.replace, client=_own(annotator, reply.client), took_ms=reply.took_ms,
                expert=expert,
            )
        )  # fmt: skip
        if reply.wish.again:
            self._seen_again.setdefault(annotator, set()).add(position)
        try:
            if self._audit.refit_due():
                self._refits.start()
            after = self._and_then(annotator, reply.wish)
        except Exception:
            # The answer is on disk: whatever fails now must not look as if it were not.
            _log.exception("after an answer that was saved")
            after = {"query": None, "why": "trouble"}
        return {"saved": _acknowledged(told), **after}

    def undo(self, annotator: str, turn: Turn) -> Json:
        """Take the annotator's last answer back and show its item; sent twice, it is done once."""
        done = self._audit.undo(annotator, client=_own(annotator, turn.client))
        if done is None:
            raise RefusedError(409, "There is nothing to undo.")
        query = self._on_wire(done.position)
        return {"undone": self._said(done), "query": query, "standing": self._standing(annotator)}

    def redo(self, annotator: str, turn: Turn) -> Json:
        """Give the answer again that was taken back, and go on; sent twice, it is done once."""
        done = self._audit.redo(annotator, client=_own(annotator, turn.client))
        if done is None:
            raise RefusedError(409, "There is nothing to redo.")
        return {"redone": self._said(done), **self._and_then(annotator, turn.wish)}

    def reveal(self, annotator: str, asked: Reveal) -> Json:
        """Log a look at what is hidden; for a prediction, what each model said of the item.

        Refused, whatever the page may show, where the auditor does not want annotators to be swayed.
        """
        self._audit.refresh()
        if not self._audit.settings.reveal:
            raise RefusedError(403, "Predictions and estimates are not shown in this audit.")
        pool = self._audit.pool
        position = None if asked.item is None else self._position(asked.item)
        item = {} if position is None else {"item": pool.ids[position]}
        body = {"what": asked.what, "annotator": annotator, **item}
        told = self._telling(lambda: self._audit.record("revealed", body, _own(annotator, asked.client)))
        names = [*map(str, pool.classes), NO_CLASS]
        models = () if position is None else pool.outputs
        said = [{"model": one.name, "prediction": names[int(one.predictions[position])]} for one in models]
        return {"saved": _acknowledged(told), "predictions": said}

    def review(self, annotator: str, at: int | None) -> Json:
        """One of the annotator's own answers, counted from 0 in the order given; the last if `at` is None."""
        found = self._audit.answer_of(annotator, at)
        if found is None:
            raise RefusedError(404, "You have given no answer yet.")
        one, place, count = found
        answer = {"label": self._index(one.label), "note": one.note, "at": one.at}
        return {"at": place, "of": count, "query": self._on_wire(one.position), "answer": answer}

    def image(self, name: str) -> Path:
        """Where the image of the item of this name was, when the audit was made."""
        path = self._audit.media_path(self._position(name))
        if path is None:
            raise RefusedError(404, "This item has no image.")
        return path

    def _said(self, done: Undone) -> Json:
        return {"seq": done.seq, "at": done.at, "label": self._index(done.label)}

    def _and_then(self, annotator: str, wish: Wish) -> Json:
        if annotator in self._experts:
            queries = self._to_read(annotator)
        else:
            queries = self._again(annotator) if wish.again else self._fresh(annotator, wish.beyond)
        after: Json = {"query": None, "upcoming": None, "standing": self._standing(annotator)}
        if not queries:
            return {**after, "why": "read" if annotator in self._experts else self._why_none(wish)}
        first, *later = [self._on_wire(one.position) for one in queries]
        return {**after, "query": first, "upcoming": later[0]["media"] if later else None}

    def _to_read(self, expert: str) -> list[Query]:
        """Answers for an expert to read again; where none are left and some are due, they are drawn beside the page."""
        found = self._audit.ask(QUESTIONS_AHEAD, annotator=expert, wait=False, second_reading=True)
        if not found and self._audit.refit_due():
            self._refits.start()
        return found

    @property
    def _goal(self) -> int | None:
        """How many questions are planned."""
        return answers_planned(self._audit, self._audit.state) or None

    def _fresh(self, annotator: str, beyond: bool) -> list[Query]:
        audit = self._audit
        audit.refresh()
        goal = None if beyond else self._goal
        if goal is not None and audit.state.answered >= goal:
            return []
        all_drawn = goal is not None and len(audit.state.order) >= goal  # asked about as much as was planned
        return audit.ask(QUESTIONS_AHEAD, annotator=annotator, wait=False, only_drawn=all_drawn)

    def _again(self, annotator: str) -> list[Query]:
        seen = self._seen_again.setdefault(annotator, set())
        return self._audit.ask(QUESTIONS_AHEAD, annotator=annotator, again=True, wait=False, without=seen)

    def _why_none(self, wish: Wish) -> str:
        audit = self._audit
        if wish.again:
            return "seen"
        if not wish.beyond and self._goal is not None and audit.state.answered >= self._goal:
            return "planned"
        return "all" if audit.state.answered >= audit.pool.size else "held"

    def _standing(self, annotator: str) -> Json:
        audit = self._audit
        audit.refresh()
        state, tally = audit.state, audit.state.tally
        labels, people, refits = state.labels, state.annotators(), self._refits
        ranked = state.fits[-1].labels if state.fits else 0
        read = len(state.to_read) - state.readings_open()
        return {
            "answered": state.answered, "budget": self._goal, "pool": audit.pool.size,
            "expert": annotator in self._experts, "to_read": len(state.to_read), "read": read,
            "yours": people.get(annotator, 0) + state.experts().get(annotator, 0), "annotators": len(people),
            "unsure": tally[UNSURE], "skipped": tally[SKIP], "disputed": tally[DISPUTED],
            "labels": labels, "ranked": min(ranked, labels),
            "reveal": audit.settings.reveal, "changed": state.changed_by,
            # Another process is asked about only where it can matter: it takes a while to see that a lock is held.
            "refitting": refits.running or under_way(audit.folder), "refit_failed": refits.failed,
        }  # fmt: skip

    def _on_wire(self, position: int) -> Json:
        name = self._names.name(position)
        content, path = self._audit.item(position)
        shown = [list(pair) for pair in content.items()]
        image = None if path is None else f"/media/{name}"
        return {"item": name, "id": str(self._audit.pool.ids[position]), "content": shown, "media": image}

    def _position(self, name: str) -> int:
        position = self._names.position(name)
        if position is None:
            raise RefusedError(404, "There is no item of this name.")
        return position

    def _index(self, label: Any) -> int | str:
        return label if label in (UNSURE, SKIP) else self._audit.pool.classes.index(label)

    def _telling(self, tell: Callable[[], Told]) -> Told:
        try:
            return tell()
        except InputError as error:
            raise RefusedError(409, str(error)) from None


def _own(annotator: str, client: str) -> str:
    """Ids made by one annotator's browser cannot meet those of another, or the audit's own."""
    return f"{annotator}:{client}"


def _acknowledged(told: Told) -> Json:
    return {"seq": told.seq, "at": told.at, "new": told.new}


def running_estimate(folder: Path) -> dict[str, Any]:
    """Rows of the audit's estimates now, and a sentence: why there are none yet, or which classes were not seen."""
    with Audit.open(folder) as audit:
        try:
            found = audit.findings()
            table, sentence = found.estimates, found.classes_verdict
        except AltmasError as error:
            return {"rows": [], "sentence": str(error)}
    return {"rows": plain_rows(table[[name for name in _COLUMNS_SHOWN if name in table]]), "sentence": sentence}
