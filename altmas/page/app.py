"""The application: which address does what. Everything asked of the audit runs in one thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from altmas.metrics.errors import AltmasError, InputError
from altmas.page import guards, wire
from altmas.page.connections import LOGGED_IN
from altmas.page.desk import Desk, running_estimate
from altmas.page.doors import SESSION_SECONDS, Doors, Session
from altmas.page.files import static_files, template
from altmas.page.media import read_image
from altmas.page.wire import ESTIMATE, RefusedError

T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]
Writing = Callable[[str, wire.Body], Any]

COOKIE: Any = {"max_age": SESSION_SECONDS, "httponly": True, "samesite": "strict"}
"""No script can read it, and no other site's page can send it."""


class Page:
    """The endpoints of one audit's page."""

    def __init__(self, open_desk: Callable[[], Desk], doors: Doors, hosts: Collection[str], cookie: str) -> None:
        self._doors, self._hosts, self._cookie = doors, hosts, cookie
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desk")
        self._desk = self._thread.submit(open_desk).result()
        self._static = static_files()
        self._one_estimate = asyncio.Lock()

    def close(self) -> None:
        """Finish what is under way, then let go of the audit."""
        self._thread.submit(self._desk.close).result()
        self._thread.shutdown()

    def app(self) -> guards.Guard:
        """The whole application, guards around it."""
        desk = self._desk
        writes: dict[str, Writing] = {
            "next": lambda who, body: desk.next(who, wire.read_wish(body)),
            "answer": lambda who, body: desk.answer(who, wire.read_reply(body, desk.classes)),
            "undo": lambda who, body: desk.undo(who, wire.read_turn(body)),
            "redo": lambda who, body: desk.redo(who, wire.read_turn(body)),
            "reveal": lambda who, body: desk.reveal(who, wire.read_reveal(body)),
        }

        def review(who: str, request: Request) -> Any:
            return desk.review(who, wire.read_place(request.query_params.get("at")))

        routes = [
            Route("/", self._page, methods=["GET"]),
            Route("/login", self._login_page, methods=["GET"]),
            Route("/login", self._login, methods=["POST"]),
            Route("/api/state", self._read(lambda who, request: desk.state(who)), methods=["GET"]),
            Route("/api/review", self._read(review), methods=["GET"]),
            *(Route(f"/api/{name}", self._write(act), methods=["POST"]) for name, act in writes.items()),
            Route("/media/{name}", self._media, methods=["GET"]),
            Route("/static/{name}", self._file, methods=["GET"]),
        ]
        return guards.Guard(Starlette(routes=routes, exception_handlers=HANDLERS), self._hosts)

    async def _do(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _session(self, request: Request) -> Session:
        session = self._doors.session(request.cookies.get(self._cookie, ""))
        if session is None:
            raise RefusedError(401, "Your login is over. Open a new link from `altmas label`.")
        request.scope[LOGGED_IN] = True
        return session

    async def _page(self, request: Request) -> Response:
        try:
            session = self._session(request)
        except RefusedError:
            return RedirectResponse("/login", 303)
        about = await self._do(self._desk.about)
        text = template("page.html").render(**about, annotator=session.annotator, csrf=session.csrf, audit=self._cookie)
        return Response(text, media_type="text/html")

    async def _login_page(self, request: Request) -> Response:
        # Looking at the link uses nothing up: programs that preview links do so too. The page sends the token on.
        return Response(template("login.html").render(title=self._desk.title), media_type="text/html")

    async def _login(self, request: Request) -> Response:
        guards.check_origin(request)
        guards.check_json(request)
        secret = self._doors.enter(wire.read_login(guards.parse_json(await guards.read_body(request))))
        if secret is None:
            raise RefusedError(403, "This link was used before, or is not of this server. Ask for a new one.")
        response = JSONResponse({})
        response.set_cookie(self._cookie, secret, **COOKIE)
        return response

    def _read(self, look: Callable[[str, Request], Any]) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            session = self._session(request)
            return JSONResponse(await self._do(look, session.annotator, request))

        return endpoint

    def _write(self, act: Writing) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            session = self._session(request)
            guards.check_origin(request)
            guards.check_json(request)
            guards.check_csrf(request, session.csrf)
            body = guards.parse_json(await guards.read_body(request))
            done = await self._do(act, session.annotator, body)
            if body.get("what") == ESTIMATE:  # logged by now; takes a while, so those who label do not wait for it
                async with self._one_estimate:
                    done["estimates"] = await asyncio.to_thread(running_estimate, self._desk.folder)
            return JSONResponse(done)

        return endpoint

    async def _media(self, request: Request) -> Response:
        self._session(request)
        path = await self._do(self._desk.image, request.path_params["name"])
        data, kind = await asyncio.to_thread(read_image, path)
        return Response(data, media_type=kind)

    async def _file(self, request: Request) -> Response:
        found = self._static.get(request.path_params["name"])
        if found is None:
            raise RefusedError(404, "There is nothing here.")
        return found


async def _refused(request: Request, error: RefusedError | AltmasError) -> Response:
    status = error.status if isinstance(error, RefusedError) else 400 if isinstance(error, InputError) else 503
    return JSONResponse({"error": str(error)}, status)


async def _http_error(request: Request, error: HTTPException) -> Response:
    sentence = {404: "There is nothing here.", 405: "This address does not take that."}.get(error.status_code)
    return JSONResponse({"error": sentence or "The request is refused."}, error.status_code, error.headers)


HANDLERS: dict[Any, Any] = {RefusedError: _refused, AltmasError: _refused, HTTPException: _http_error}
