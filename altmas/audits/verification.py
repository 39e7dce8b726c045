"""Checking an audit without believing it: first the chain of events, then the files they name."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from altmas.audits import earlier_files, media_files, pool_files, witness
from altmas.audits.beginning import checked_beginning
from altmas.audits.connections import DAMAGED
from altmas.audits.events import Event
from altmas.audits.fits import FitFiles
from altmas.audits.item_hashes import digest, digest_of_texts
from altmas.audits.parts import Fit
from altmas.audits.store import Store, StoreError
from altmas.audits.values import Verification
from altmas.core.doing import doing
from altmas.metrics.errors import AltmasError


def verify_folder(folder: Path) -> Verification:
    """Whether anything in an audit's folder was lost or changed, and what."""
    try:
        store = Store.open(folder, migrate=False)
    except StoreError as error:
        return Verification(False, 0, "", (str(error),))
    try:
        with doing("checking the chain of events"):
            problems = store.faults()
        if problems:
            return Verification(False, 0, "", tuple(problems))
        events = store.events()
        if wrong := _wrong_beginning(events):
            return Verification(False, len(events), "", (wrong,))
        lost = store.loss()
        problems = [] if lost is None else [witness.in_words(lost)]
        with doing("checking every file"):
            problems += _file_problems(folder, events)
        with doing("checking every item"):
            problems += _item_problems(store, events[0])
        with doing("checking the images"):
            shown = store.items(with_images=True)
            images = [] if problems else media_files.faults(folder, events[0].body["files"], shown)
        found = (*problems, *images)
        return Verification(not found, len(events), events[-1].hash, found, only_images=bool(images))
    except (AltmasError, OSError, *DAMAGED) as error:
        return Verification(False, 0, "", (f"the store is damaged: {error}",))
    except (KeyError, TypeError, ValueError, AttributeError):
        return Verification(False, 0, "", ("an event does not hold what its kind says",))
    finally:
        store.close()


def _wrong_beginning(events: list[Event]) -> str:
    if not events or events[0].kind != "created":
        return "the log does not begin with the audit's creation"
    try:
        checked_beginning(events[0].body)
    except ValueError as error:
        return f"the first event does not hold what an audit begins with: {error}"
    return ""


def _file_problems(folder: Path, events: list[Event]) -> list[str]:
    fits = [
        Fit(e.body["number"], e.body["upto"], e.body["labels"], e.body["file"], e.body["sha256"], e.at)
        for e in events
        if e.kind == "fitted"
    ]
    rebuilt = {e.body["number"]: e.body["sha256"] for e in events if e.kind == "rebuilt"}
    fits = [replace(one, sha256=rebuilt.get(one.number, one.sha256)) for one in fits]
    renewed = next((e.body for e in events if e.kind == "renewed"), None)
    return [
        *pool_files.faults(folder, events[0].body["files"]), *earlier_files.faults(folder, renewed),
        *FitFiles(folder).faults(fits),
    ]  # fmt: skip


def _item_problems(store: Store, created: Event) -> list[str]:
    """Whether the rows have their hash; what SQLite writes otherwise than we do is written again before it is said."""
    known = created.body["items"]
    with suppress(sqlite3.OperationalError):  # a library without JSON
        if digest_of_texts(store.items_as_json()) == known:
            return []
    return [] if digest(store.items()) == known else ["the items' contents were changed after the audit was made"]
