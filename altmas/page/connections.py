"""Connections: how long one may keep the page waiting, and how many there may be. uvicorn itself bounds neither.

Anybody on this machine can connect. Those who connect and say nothing, or say it a byte at a time, must not keep out
the people who label.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""The head of a request must have arrived this long after its first byte, or after connecting."""

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
    """One connection to the page: given up when its request is late, or when others need the room."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._late: asyncio.TimerHandle | None = None
        self.since = self.loop.time()

    @property
    def waits(self) -> bool:
        """Whether it is its client's turn: for a request, or for the rest of one."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    @property
    def logged_in(self) -> bool:
        """Whether its last request came with a session."""
        return bool(self.scope) and LOGGED_IN in self.scope

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and see that there is room."""
        super().connection_made(transport)
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

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clock with the connection."""
        self._stop_waiting()
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


def turned_out(newest: Connection, connections: Collection[Connection]) -> list[Connection]:
    """Those that make room for the newest: strangers first, the oldest first, and nobody who is being answered."""
    most = most_connections()
    if len(connections) <= most:
        return []
    waiting = sorted((one for one in connections if one.waits and one is not newest), key=lambda one: one.since)
    strangers = [one for one in waiting if not one.logged_in]
    # Several at once, so that not each who comes has them sorted anew.
    return strangers[: 1 + most // 8] or waiting[:1] or [newest]


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
