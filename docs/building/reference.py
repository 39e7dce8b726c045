"""The pages of the Python API, made from docstrings: one for each public name, and one that lists them."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

HOMES = ("altmas", "altmas.metrics", "altmas.testing")
"""Modules whose `__all__` are the public names. TensorFlow is loaded by none of them."""

FOLDER = "reference"
WIDTH = 88
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", flags=re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A page of the site: where it lies below docs/, what it is called, and its Markdown."""

    path: str
    title: str
    text: str


def public_names() -> dict[str, list[str]]:
    """Each public module, and its public names in alphabetical order.

    >>> "assess" in public_names()["altmas"]
    True
    """
    return {
        home: sorted((name for name in importlib.import_module(home).__all__ if name[:1] != "_"), key=str.casefold)
        for home in HOMES
    }


def reference_pages() -> list[Page]:
    """A page per public name, after one that lists them all."""
    named = {
        home: [(name, getattr(importlib.import_module(home), name)) for name in names]
        for home, names in public_names().items()
    }
    each = [
        Page(f"{FOLDER}/{home}.{name}.md", name, _page(home, name, found))
        for home, names in named.items()
        for name, found in names
    ]
    return [Page(f"{FOLDER}/index.md", "Python API", _list_of(named)), *each]


def _list_of(named: dict[str, list[tuple[str, Any]]]) -> str:
    parts = ["# Python API", "Every public name, with its first sentence. Examples are run by the tests."]
    for home, names in named.items():
        rows = [f"| [`{name}`]({home}.{name}.md) | {_in_a_cell(_first_sentence(found))} |" for name, found in names]
        parts.append(f"## {home}\n\n| name | is |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _page(home: str, name: str, found: Any) -> str:
    parts = [f"# {home}.{name}"]
    parts.append(_fence("python", _signed(name, found)))
    parts.append(docstring_as_markdown(inspect.getdoc(found) or ""))
    if inspect.isclass(found):
        parts += [_attributes(found), *(_member(one, at) for one, at in public_members(found))]
    return "\n\n".join(filter(None, parts)) + "\n"


def public_members(of: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class and of altmas's own classes above it, in alphabetical order."""
    above = [one for one in of.__mro__ if one.__module__.partition(".")[0] == "altmas"]
    known = {name: at for one in reversed(above) for name, at in vars(one).items() if not name.startswith("_")}
    kinds = (property, cached_property, classmethod, staticmethod)
    return (
        (name, known[name])
        for name in sorted(known)
        if isinstance(known[name], kinds) or inspect.isroutine(known[name])
    )


def _member(name: str, at: Any) -> str:
    if isinstance(at, property | cached_property):
        made = at.fget if isinstance(at, property) else at.func
        gives = _annotated(inspect.signature(made).return_annotation) if made else ""
        signed = name + (f": {gives}" if gives else "")
        return f"## {name}\n\n" + _fence("python", signed) + "\n\n" + docstring_as_markdown(inspect.getdoc(made) or "")
    called: Callable[..., Any] = at.__func__ if isinstance(at, classmethod | staticmethod) else at
    mark = (
        "@classmethod\n" if isinstance(at, classmethod) else "@staticmethod\n" if isinstance(at, staticmethod) else ""
    )
    signed = mark + _signed(name, called)
    return f"## {name}\n\n" + _fence("python", signed) + "\n\n" + docstring_as_markdown(inspect.getdoc(called) or "")


def _attributes(of: type) -> str:
    """The fields of a dataclass, with what is said below each."""
    if not is_dataclass(of):
        return ""
    said = {name: text for one in reversed(of.__mro__) for name, text in _said_below(one).items()}
    shown = [one for one in fields(of) if not one.name.startswith("_")]
    rows = [
        f"| `{one.name}` | {_in_a_cell(f'`{_annotated(one.type)}`')} | {_in_a_cell(said.get(one.name, ''))} |"
        for one in shown
    ]
    return "## Attributes\n\n| name | type | holds |\n|---|---|---|\n" + "\n".join(rows) if rows else ""


def _said_below(of: type) -> dict[str, str]:
    """Texts that stand below the attributes of a class, by attribute."""
    if not is_dataclass(of):
        return {}
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(of))).body
    assert isinstance(tree, ast.ClassDef)
    pairs = zip(tree.body, tree.body[1:], strict=False)
    return {
        first.target.id: " ".join(then.value.value.split())
        for first, then in pairs
        if isinstance(first, ast.AnnAssign) and isinstance(first.target, ast.Name)
        and isinstance(then, ast.Expr) and isinstance(then.value, ast.Constant) and isinstance(then.value.value, str)
    }  # fmt: skip


def _signed(name: str, found: Any) -> str:
    """How it is called; one argument a line where a line does not hold them."""
    try:
        signature = inspect.signature(found)
    except ValueError:  # an exception that is made like any other
        return f"{name}(...)"
    given, star = [], False
    for one in signature.parameters.values():
        if one.name == "self" or (one.name == "cls" and not inspect.isclass(found)):
            continue
        if one.kind is one.KEYWORD_ONLY and not star:
            given.append("*")
        star = star or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        given.append(_argument(one))
    gives = "" if inspect.isclass(found) else _annotated(signature.return_annotation)
    end = f") -> {gives}" if gives else ")"
    line = f"{name}({', '.join(given)}{end}"
    return line if len(line) <= WIDTH else f"{name}(\n" + "".join(f"    {one},\n" for one in given) + end


def _argument(one: inspect.Parameter) -> str:
    star = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
    kind = _annotated(one.annotation)
    text = f"{star}{one.name}: {kind}" if kind else f"{star}{one.name}"
    if one.default is one.empty:
        return text
    shown = repr(one.default)
    shown = "..." if shown.startswith("<") else shown  # a default that has no name to write
    return f"{text} = {shown}" if kind else f"{text}={shown}"


def _annotated(kind: Any) -> str:
    """A type as it is written; nothing where there is none."""
    if kind is inspect.Signature.empty:
        return ""
    return kind if isinstance(kind, str) else inspect.formatannotation(kind)


def docstring_as_markdown(text: str) -> str:
    r"""Plain text with `>>>` examples as Markdown: examples as code, `Parameters` as a list of names.

    >>> docstring_as_markdown("Adds.\n\n>>> 1 + 1\n2").splitlines()
    ['Adds.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    head, *sections = SECTION.split(text)
    parts = [_prose(head)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        parts.append(f"**{title}**\n\n" + (_definitions(body) if title == "Parameters" else _prose(body)))
    return "\n\n".join(filter(None, parts))


def _prose(text: str) -> str:
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        _fence("pycon", textwrap.dedent(one)) if one.lstrip().startswith(">>>") else textwrap.dedent(one)
        for one in paragraphs
        if one.strip()
    )


def _definitions(body: str) -> str:
    """`name` lines with indented text below, as a definition list; examples after it stay examples."""
    parts = []
    for block in re.split(r"\n(?=\S)", body.strip("\n")):
        if block.startswith(">>>"):
            parts.append(_fence("pycon", block.strip()))
            continue
        names, _, said = block.partition("\n")
        shown = ", ".join(f"`{one.strip()}`" for one in names.split(","))
        parts.append(f"{shown}\n:   " + textwrap.indent(textwrap.dedent(said).strip(), "    ").lstrip())
    return "\n\n".join(parts)


def _first_sentence(found: Any) -> str:
    paragraph = re.split(r"\n\s*\n", inspect.getdoc(found) or "")[0]
    return " ".join(paragraph.split())


def _in_a_cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"
