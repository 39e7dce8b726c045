"""Tasks for Label Studio, which shows people the items and nothing the model under test said."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from altmas.core.files import write_bytes
from altmas.formats.columns import sound
from altmas.metrics.errors import InputError

ID = "altmas_id"
"""The key of a task's data that holds the item's own id; Label Studio gives tasks ids of its own."""
LABEL = "altmas_label"
"""The name of the control that takes the label."""
INTERFACE_KINDS = ("image", "text", "table")
_TAKEN = (ID, LABEL, "image", "table")


class Asked(Protocol):
    """An item asked about, as `Audit.ask` gives it."""

    @property
    def id(self) -> Hashable: ...
    @property
    def content(self) -> Mapping[str, str]: ...


def tasks(
    queries: Iterable[Asked],
    *,
    media: Callable[[Any], Path | str | None] | None = None,
    root: Path | str | None = None,
) -> list[dict[str, Any]]:
    """Label Studio tasks, one per query: the item's id, its own columns, and its image if it has one.

    `media` gives a query's image file. With `root`, the folder Label Studio serves as its local storage, images are
    `/data/local-files/?d=...` below it; without, they are file paths. There are no predictions in it, so that nobody
    is swayed by them.

    >>> from types import SimpleNamespace as Query
    >>> tasks([Query(id=7, content={"text": "a <b>"})])[0]["data"]
    {'altmas_id': '7', 'text': 'a <b>', 'table': {'text': 'a <b>'}}
    """
    return [_task(query, media(query) if media else None, root) for query in queries]


def write_tasks(path: Path | str, given: Sequence[Mapping[str, Any]]) -> None:
    """Write tasks as the JSON that Label Studio imports."""
    write_bytes(Path(path), (json.dumps(list(given), ensure_ascii=False, indent=1) + "\n").encode())


def _task(query: Asked, image: Path | str | None, root: Path | str | None) -> dict[str, Any]:
    # A column named like one of our own keys cannot stand beside them; people still see it in the table.
    own = {name: cell for name, cell in query.content.items() if name not in _TAKEN}
    data: dict[str, Any] = {ID: str(query.id), **own}
    if query.content:
        data["table"] = dict(query.content)
    if image is not None:
        data["image"] = _address(Path(image), None if root is None else Path(root))
    return {"data": data, "meta": {"from": "altmas"}}


def _address(image: Path, root: Path | None) -> str:
    if root is None:
        return str(image)
    inside = os.path.relpath(image.resolve(), root.resolve())
    if inside.startswith(".."):
        raise InputError("images for Label Studio", f"be inside its folder {root}", image)
    return f"/data/local-files/?d={quote(inside)}"


def labelling_config(classes: Sequence[Hashable], kind: str, text: str = "text") -> str:
    """The labelling interface to paste into Label Studio's settings; `text` is the column to show for kind `text`.

    >>> print(labelling_config(["cat", "R&D"], "image"))
    <View>
      <Image name="item" value="$image"/>
      <Choices name="altmas_label" toName="item" choice="single" showInline="true">
        <Choice value="cat"/>
        <Choice value="R&amp;D"/>
        <Choice value="unsure"/>
      </Choices>
    </View>
    """
    if kind not in INTERFACE_KINDS:
        raise InputError("kind", f"be one of {', '.join(INTERFACE_KINDS)}", repr(kind))
    shown = {"image": "Image", "text": "Text", "table": "Table"}[kind]
    choices = [_choice(str(one)) for one in classes]
    return "\n".join(
        [
            "<View>",
            f'  <{shown} name="item" value={quoteattr("$" + (text if kind == "text" else kind))}/>',
            f'  <Choices name="{LABEL}" toName="item" choice="single" showInline="true">',
            *(f"    <Choice value={one}/>" for one in (*choices, '"unsure"')),
            "  </Choices>",
            "</View>",
        ]
    )


def _choice(name: str) -> str:
    sound(name, "a class for Label Studio")
    if any(ord(c) < 0x20 and c not in "\t\n\r" for c in name) or any(c in "\ufffe\uffff" for c in name):
        raise InputError("a class for Label Studio", "be text that XML can hold", repr(name))
    # Within single quotes Python's quoteattr would leave double ones; both are valid XML.
    return quoteattr(name)
