"""Doors: who may come in. A login token works once, for a session that the browser keeps in a cookie."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from altmas.audits.telling import annotator_name
from altmas.core.files import write_text
from altmas.metrics.errors import InputError

SESSIONS_FILE = "sessions.json"
SESSION_SECONDS = 7 * 24 * 3600
SINGLE_USE = True
"""A login token that was used is gone."""


@dataclass(frozen=True)
class Session:
    """One annotator in one browser. `csrf` goes into the page and must come back with every write."""

    annotator: str
    csrf: str


class Doors:
    """Login tokens and sessions, 256 random bits each. Only their hashes are kept, so that a stolen file opens nothing.

    Sessions outlive the server: a page that is open goes on when it is started again.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._file, self._clock = folder / SESSIONS_FILE, clock
        self._logins: dict[str, tuple[str, Callable[[], None]]] = {}  # hash of the token -> annotator, whom to tell
        self._sessions: dict[str, tuple[str, float]] = {}  # hash of the secret -> annotator, end
        self.put_aside: Path | None = None
        """Where a file of sessions lies that could not be read; everybody logs in again."""
        if self._file.exists():
            try:
                self._sessions = _read(self._file)
            except (ValueError, TypeError, AttributeError):
                self.put_aside = self._file.replace(self._file.with_name(f"{SESSIONS_FILE}.damaged"))

    def new_login(self, annotator: str, when_used: Callable[[], None] = lambda: None) -> str:
        """A token that lets this annotator in, once."""
        token = secrets.token_urlsafe(32)
        self._logins[_hashed(token)] = given_name(annotator), when_used
        return token

    def enter(self, token: str) -> str | None:
        """Use up a login token; gives the secret of a new session, or None if there is no such token."""
        key = found(_hashed(token), self._logins)
        if key is None:
            return None
        annotator, when_used = self._logins[key]
        if SINGLE_USE:
            del self._logins[key]
        secret, now = secrets.token_urlsafe(32), self._clock()
        self._sessions = {key: (who, until) for key, (who, until) in self._sessions.items() if until > now}
        self._sessions[_hashed(secret)] = (annotator, now + SESSION_SECONDS)
        write_text(self._file, json.dumps(self._sessions))
        when_used()
        return secret

    def session(self, secret: str) -> Session | None:
        """The session that a cookie belongs to; None if there is none, or it is over."""
        key = found(_hashed(secret), self._sessions)
        if key is None or self._sessions[key][1] <= self._clock():
            return None
        return Session(self._sessions[key][0], _hashed("csrf " + secret))


def _read(path: Path) -> dict[str, tuple[str, float]]:
    held = json.loads(path.read_text("utf-8"))
    if not all(len(key) == len(_hashed("")) and key.isascii() for key in held):
        raise ValueError("no hashes")
    return {key: (given_name(who), float(until)) for key, (who, until) in held.items()}


def given_name(annotator: str) -> str:
    """The name of an annotator who answers on the page, where nobody stays unnamed.

    >>> given_name("mk")
    'mk'
    """
    if not annotator:
        raise InputError("annotator", "be a name: nobody answers unnamed on the page", repr(annotator))
    return annotator_name(annotator)


def found(wanted: str, hashes: Iterable[str]) -> str | None:
    """The equal one among hashes. All are compared, each in constant time: how long it takes tells nothing."""
    match = None
    for one in hashes:
        if hmac.compare_digest(one, wanted):
            match = one
    return match


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
