"""Connections: how long one may keep the page waiting, and how many there may be. uvicorn itself bounds neither.

Anybody on this machine can connect. Those who connect and say nothing, or say it a byte at a time, or do not read what
they asked for, must not keep out the people who label.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""The head of a request must have arrived this long after its first byte, or after connecting."""

WRITE_SECONDS = 10.0
"""Of an answer that lies ready, a stranger must take some in so long; there is nothing large that they may ask for."""

LOGGED_IN_WRITE_SECONDS = 60.0
"""Those who are logged in may look at large images over a slow line."""

UNREAD_BYTES = 128 * 1024
"""So much the system keeps for a client that does not read. The less, the sooner it shows whether one reads."""

UNSENT_BYTES = 0
"""With more than this left to write, nothing more is written: so one answer at a time lies ready, however many were
asked for, and anything at all that is not read is noticed."""

MOST = 512
AT_ONCE = 32
"""So many are accepted before those accepted earlier are listened to; few beside `MOST`, or they would be turned out
before they can say who they are."""

QUEUE = 1024
"""So many may wait for being accepted; those beyond would be sent away, and come back only after a second."""

OTHER_FILES = 128
"""Descriptors for everything else: the store, images, a refit's log, and those accepted beyond `MOST`."""

LOGGED_IN = "altmas.logged_in"
"""Where the application notes, in a request's scope, that it came with a session."""


class Connection(H11Protocol):
    """One connection to the page: given up when its client is late to ask or to read, or when others need the room."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._late: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._known = False
        self.since = self.loop.time()

    @property
    def idle(self) -> bool:
        """Whether nothing is under way: no request that was begun, and no answer that was not taken."""
        return (self.cycle is None or self.cycle.response_complete) and not self.flow.write_paused

    @property
    def waits(self) -> bool:
        """Whether it is its client's turn: to ask, to send the rest of a request, or to read."""
        return self.idle or self.flow.write_paused or self.cycle.more_body

    @property
    def logged_in(self) -> bool:
        """Whether a request on it came with a session."""
        return self._known or (bool(self.scope) and LOGGED_IN in self.scope)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and see that there is room."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=UNSENT_BYTES)
        self._wait_for_head()
        for one in turned_out(self, self.connections):  # type: ignore[arg-type]
            one.give_up()

    def data_received(self, data: bytes) -> None:
        """Take what has arrived; the clock runs until it is a whole head."""
        before = self.cycle
        if self._late is None and (before is None or before.response_complete):
            self._wait_for_head()
        super().data_received(data)
        if self.cycle is not before:
            self.since = self.loop.time()
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Remember who it is: the next request, which may be for a mere file, has a scope of its own."""
        self._known = self.logged_in
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._wait_for_reading()

    def resume_writing(self) -> None:
        """Everything was taken."""
        self._stop_waiting_for_reading()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clocks with the connection."""
        self._stop_waiting()
        self._stop_waiting_for_reading()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close it at once, whatever is still to be sent."""
        self.connections.discard(self)
        self.transport.abort()

    def _wait_for_head(self) -> None:
        self._late = self.loop.call_later(HEAD_SECONDS, self.give_up)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _wait_for_reading(self) -> None:
        left = self.transport.get_write_buffer_size()
        seconds = LOGGED_IN_WRITE_SECONDS if self.logged_in else WRITE_SECONDS
        self._unread = self.loop.call_later(seconds, self._look_for_reading, left)

    def _look_for_reading(self, before: int) -> None:
        if self.transport.get_write_buffer_size() < before:
            self._wait_for_reading()
        else:
            self.give_up()

    def _stop_waiting_for_reading(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


def turned_out(newest: Connection, connections: Collection[Connection]) -> list[Connection]:
    """Those that make room for the newest: strangers, the oldest first, whether they are being answered or not.

    If there are none, one who is logged in and keeps the page waiting, and only then one who is idle; nobody who is
    logged in and being answered.
    """
    if len(connections) <= most_connections():
        return []
    others = sorted((one for one in connections if one is not newest), key=lambda one: one.since)
    strangers = [one for one in others if not one.logged_in]
    if strangers:
        # Several at once, so that not each who comes has them sorted anew.
        return strangers[: 1 + len(strangers) // 8]
    return sorted((one for one in others if one.waits), key=lambda one: one.idle)[:1] or [newest]


def most_connections() -> int:
    """How many connections there may be: `MOST`, or what the system's limit on open files leaves room for."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if limit == resource.RLIM_INFINITY else min(MOST, max(limit - OTHER_FILES, 8))


def raise_file_limit() -> None:
    """Let this process have as many files open as it needs, where the system allows it."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
        )
