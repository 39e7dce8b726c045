"""The page's own files: read once, served by name from memory, so that no path ever comes from a request."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from starlette.responses import Response

_CONTENT_TYPES = {".js": "text/javascript", ".css": "text/css", ".png": "image/png"}
AUTOESCAPE = True


def static_files() -> dict[str, Response]:
    """What `/static/` answers with, by name.

    >>> static_files()["page.js"].media_type
    'text/javascript'
    """
    home = files("altmas.page") / "static"
    kinds = ((one, _CONTENT_TYPES.get("." + one.name.rpartition(".")[2])) for one in home.iterdir())
    return {one.name: Response(one.read_bytes(), media_type=kind) for one, kind in kinds if kind is not None}


@cache
def environment() -> Environment:
    """Templates that escape whatever is put into them."""
    return Environment(loader=PackageLoader("altmas.page", "static"), autoescape=AUTOESCAPE, undefined=StrictUndefined)


def template(name: str) -> Template:
    """A page to fill in."""
    return environment().get_template(name)
