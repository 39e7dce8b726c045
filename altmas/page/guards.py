"""Guards: what every request is checked for before anything is done, and what every response carries."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Collection, Mapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from altmas.page.wire import RefusedError

BODY_LIMIT = 64 << 10
BODY_SECONDS = 20.0
CSRF_HEADER = "x-altmas-csrf"

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # the address of the login page has a token in it
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    # Other servers on this machine count as the same site for cookies; this keeps their pages from showing our images.
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """The outermost layer: refuses requests meant for another host, and puts the headers on every response."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        app = self._app if host_allowed(Headers(scope=scope).get("host"), self._hosts) else WRONG_HOST
        await app(scope, receive, send_with_headers)


def host_allowed(host: str | None, hosts: Collection[str]) -> bool:
    """Whether the Host header names this server. A page elsewhere can point its own name at 127.0.0.1 (DNS rebinding).

    >>> host_allowed("127.0.0.1:8000", {"127.0.0.1:8000"}), host_allowed("evil.example:8000", {"127.0.0.1:8000"})
    (True, False)
    """
    return host is not None and host.lower() in hosts


WRONG_HOST = JSONResponse({"error": "This server answers to its own address only."}, 421)


def check_origin(request: Request) -> None:
    """A write must come from a page of this very server."""
    if request.headers.get("origin") != f"{request.url.scheme}://{request.headers['host'].lower()}":
        raise RefusedError(403, "Writes must come from the labelling page itself.")


def check_json(request: Request) -> None:
    """A form of another site can send text, but not this content type."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(415, "Writes must be sent as application/json.")


def check_csrf(request: Request, expected: str) -> None:
    """The page proves with each write that it could read what the server sent to it."""
    if not hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), expected.encode()):
        raise RefusedError(403, "This write does not come with the page's own token; load the page again.")


async def read_body(request: Request) -> bytes:
    """The body, as far as it is allowed to be: the bytes that arrive are counted, not those announced."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY_LIMIT:
                    raise RefusedError(413, f"The request must be at most {BODY_LIMIT >> 10} KiB.")
    except TimeoutError:
        raise RefusedError(408, "The request did not arrive in time.") from None
    except ClientDisconnect:
        raise RefusedError(400, "The request broke off.") from None
    return bytes(body)


def parse_json(body: bytes) -> dict[str, Any]:
    """A JSON object, or a refusal."""
    try:
        parsed = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RefusedError(400, "The request must be JSON.") from None
    if not isinstance(parsed, dict):
        raise RefusedError(400, "The request must be a JSON object.")
    return parsed


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
