"""Serving the page: on this machine alone, one instance per audit, to those who have a login link."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from altmas.audits.audit import Audit
from altmas.core.checks import whole_number
from altmas.core.files import locked, write_text
from altmas.metrics.errors import InputError
from altmas.page.app import Page
from altmas.page.connections import AT_ONCE, QUEUE, UNREAD_BYTES, Connection, raise_file_limit
from altmas.page.desk import Desk
from altmas.page.doors import Doors, given_name
from altmas.page.logs import bounded_logs
from altmas.page.names import audit_key
from altmas.page.opening import Opening

PAGE_LOCK, ADDRESS = "server.lock", "server.json"
_LAST_PORT = 65535
LOGGING: Any = {"access_log": False, "log_level": logging.WARNING}
LOOPBACK = ("127.0.0.1", "localhost")
WARNING = (
    "Warning: the page is served to other machines, and without encryption: whoever can listen on the network can read"
    " items and answers. A tunnel (ssh -L) is safer."
)


def serve(
    audit_folder: str | os.PathLike[str],
    *,
    annotator: str | Sequence[str],
    port: int = 0,
    host: str = "127.0.0.1",
    allow_remote: bool = False,
    open_browser: bool = False,
    on_ready: Callable[[str], None] | None = None,
    say: Callable[[str], None] = print,
    experts: Sequence[str] = (),
) -> None:
    """Serve an audit's labelling page until Ctrl-C.

    Those among the audit's experts, or named in `experts`, read answers of others again.

    Each annotator gets a link that works once; `on_ready` gets them in order (without it they are printed). Port 0
    takes the port of the last time if it is free, so that pages still open go on.
    """
    folder = Path(audit_folder)
    annotators = [given_name(one) for one in ([annotator] if isinstance(annotator, str) else annotator)]
    check_host(host, allow_remote)
    if whole_number("port", port, 0) > _LAST_PORT:
        raise InputError("port", f"be at most {_LAST_PORT}", port)
    Audit.open(folder).close()  # a sentence about a wrong folder comes before anything else
    if host not in LOOPBACK:
        say(WARNING)
    with only_instance(folder), listening(host, port, folder) as listener:
        port = listener.getsockname()[1]
        announce(folder, host, port)
        doors, opening = Doors(folder), Opening(folder)
        if doors.put_aside is not None:
            say(f"Warning: the logins could not be read and lie in {doors.put_aside} now; everybody logs in again.")
        page = Page(lambda: Desk(Audit.open(folder), experts=experts), doors, hosts_of(host, port), cookie_name(folder))
        try:
            links = [login_url(host, port, doors.new_login(one, opening.end)) for one in annotators[:1]]
            links += [login_url(host, port, doors.new_login(one)) for one in annotators[1:]]
            for name, link in zip(annotators, links, strict=True):
                if on_ready is None:
                    say(f"{name}: {link}")
                else:
                    on_ready(link)
            if on_ready is None:
                say("Stop with Ctrl-C; every answer is kept.")
            browse = (lambda: opening.start(links[0])) if open_browser and links else None
            run(page, listener, browse)
        finally:
            opening.end()
            page.close()


class PageServer(uvicorn.Server):
    """uvicorn with bounds on connections; `on_started` is called as soon as requests are answered.

    Nothing is logged per request: addresses hold login tokens.
    """

    def __init__(self, page: Page, on_started: Callable[[], None] | None = None, **logs: Any) -> None:
        config = uvicorn.Config(
            page.app(), http=Connection, ws="none", lifespan="off", server_header=False, proxy_headers=False,
            timeout_keep_alive=65, timeout_graceful_shutdown=3, backlog=AT_ONCE, **{**LOGGING, **logs},
        )  # fmt: skip
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(QUEUE)  # uvicorn has one number for how many may wait, and how many are accepted at once
        if self._on_started is not None:
            self._on_started()


def run(page: Page, listener: socket.socket, on_started: Callable[[], None] | None = None) -> None:
    """Serve until a signal says stop."""
    raise_file_limit()
    server = PageServer(page, on_started)
    try:
        with bounded_logs():
            server.run(sockets=[listener])
    except KeyboardInterrupt:  # uvicorn has shut down by now and passes the signal on
        return


def check_host(host: str, allow_remote: bool) -> None:
    """Refuse addresses that other machines can reach, unless they are wanted.

    >>> check_host("127.0.0.1", False)
    """
    if host in LOOPBACK:
        return
    if not allow_remote:
        hint = "Other machines are let in with --allow-remote; a tunnel (ssh -L) is safer."
        raise InputError("host", "be 127.0.0.1 or localhost", repr(host), hint)
    if host in ("", "0.0.0.0", "::"):
        hint = "The page answers to one name, so that no other site can pass for it."
        raise InputError("host", "be a name or address that others call this machine by", repr(host), hint)


def hosts_of(host: str, port: int) -> frozenset[str]:
    """What the Host header may say.

    >>> sorted(hosts_of("127.0.0.1", 8000))
    ['127.0.0.1:8000', 'localhost:8000']
    """
    names = LOOPBACK if host in LOOPBACK else (host.lower(),)
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def login_url(host: str, port: int, token: str) -> str:
    """A link that logs one annotator in, once."""
    return f"http://{host}:{port}/login?token={token}"


def cookie_name(folder: Path) -> str:
    """Cookies are shared by all ports of a host, so each audit has its own name for its cookie."""
    return "altmas-" + hashlib.sha256(b"cookie" + audit_key(folder)).hexdigest()[:16]


def listening(host: str, port: int, folder: Path) -> socket.socket:
    """A socket that listens; on the port of the last time, if any port will do and that one is free."""
    last = last_instance(folder)
    if port == 0 and last.get("host") == host:
        try:
            return _bound(host, int(last["port"]))
        except (OSError, ValueError, OverflowError):
            pass
    try:
        return _bound(host, port)
    except OSError as error:
        raise InputError("port", "be free on this machine", f"{host}:{port}", str(error)) from None


def _bound(host: str, port: int) -> socket.socket:
    listener = socket.create_server((host, port), backlog=QUEUE)
    listener.setblocking(False)
    # Connections inherit it: without, each response's body waits some 40 ms for the browser to confirm its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)
    return listener


@contextmanager
def only_instance(folder: Path) -> Iterator[None]:
    """Hold the audit's page, or say who does. The system lets go of the lock when the process ends, however it ends."""
    with locked(folder / PAGE_LOCK, wait=0) as mine:
        if not mine:
            other = last_instance(folder)
            where = f"http://{other['host']}:{other['port']}" if other else "an address not known yet"
            raise InputError(
                "audit",
                "have one labelling page at a time",
                f"another in process {other.get('pid', 'unknown')} at {where}",
                "It serves several annotators: start it once, with --annotator for each.",
            )
        yield


def announce(folder: Path, host: str, port: int) -> None:
    """Leave the address for those who come second, and for the next start, which takes the same port."""
    write_text(folder / ADDRESS, json.dumps({"pid": os.getpid(), "host": host, "port": port}))


def last_instance(folder: Path) -> dict[str, Any]:
    """What the last page that was served said about itself; empty if there was none."""
    try:
        said = json.loads((folder / ADDRESS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) and {"pid", "host", "port"} <= said.keys() else {}
