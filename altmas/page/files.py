"""The page's own files: read once, served by name from memory, so that no path ever comes from a request."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

_CONTENT_TYPES = {".js": "text/javascript", ".css": "text/css", ".png": "image/png"}
AUTOESCAPE = True


@dataclass(frozen=True)
class StaticFile:
    """Bytes and their content type."""

    data: bytes
    kind: str


def static_files() -> dict[str, StaticFile]:
    """What `/static/` has.

    >>> static_files()["page.js"].kind
    'text/javascript'
    """
    home = files("altmas.page") / "static"
    kinds = ((one, _CONTENT_TYPES.get("." + one.name.rpartition(".")[2])) for one in home.iterdir())
    return {one.name: StaticFile(one.read_bytes(), kind) for one, kind in kinds if kind is not None}


@cache
def environment() -> Environment:
    """Templates that escape whatever is put into them."""
    return Environment(loader=PackageLoader("altmas.page", "static"), autoescape=AUTOESCAPE, undefined=StrictUndefined)


def template(name: str) -> Template:
    """A page to fill in."""
    return environment().get_template(name)
