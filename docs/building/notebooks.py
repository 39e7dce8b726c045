"""Notebooks of the gallery: written as Python with cells, executed into .ipynb, shown on the site as Markdown.

A source is a program that runs as it is. `# %%` begins a cell of code, `# %% [markdown]` one of text in comments.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GALLERY = Path(__file__).parents[1] / "gallery"
MARK = re.compile(r"^# %%(.*)$", flags=re.MULTILINE)
LARGEST = 200_000
"""Characters of a picture or table that a page may hold."""


@dataclass(frozen=True)
class Cell:
    """A cell of a source: text, or code."""

    kind: str
    text: str


def sources() -> list[Path]:
    """The gallery's programs, in the order of their names."""
    return sorted(GALLERY.glob("[0-9]*.py"))


def cells(program: str) -> list[Cell]:
    r"""A program's cells.

    >>> cells("# %% [markdown]\n# # Title\n\n# %%\n1 + 1\n")
    [Cell(kind='markdown', text='# Title'), Cell(kind='code', text='1 + 1')]
    """
    _, *parts = MARK.split(program)
    found = []
    for mark, body in zip(parts[::2], parts[1::2], strict=True):
        if "markdown" in mark:
            text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines())
            found.append(Cell("markdown", text))
        else:
            found.append(Cell("code", body.strip()))
    return found


def title_of(program: str) -> str:
    r"""The heading of the first cell.

    >>> title_of("# %% [markdown]\n# # A vendor\n")
    'A vendor'
    """
    return cells(program)[0].text.partition("\n")[0].removeprefix("# ")


def as_markdown(notebook: Mapping[str, Any]) -> str:
    """An executed notebook as a page: text, code, and what each cell gave."""
    parts: list[str] = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        parts += [shown for output in cell.get("outputs", ()) for shown in _shown(output)]
    return "\n\n".join(parts) + "\n"


def _shown(output: Mapping[str, Any]) -> Iterator[str]:
    """What a cell gave, in the richest of its forms that a page can hold."""
    if output["output_type"] == "stream":
        yield _wrapped("".join(output["text"]).rstrip())
        return
    data = output["data"]
    if "text/html" in data:
        table = re.sub(r"\n\s*", "\n", "".join(data["text/html"])).strip()
        yield f'<div class="cell-output" markdown="0">\n{table}\n</div>'
    elif "image/png" in data:
        picture = "".join(data["image/png"]).replace("\n", "")
        alt = html.escape("".join(data.get("text/plain", "A picture")), quote=True)
        yield f'<img class="cell-output" alt="{alt}" src="data:image/png;base64,{picture}">'
    else:
        yield _wrapped("".join(data["text/plain"]))


def _wrapped(text: str) -> str:
    return f"``` {{.text .wrapped}}\n{text}\n```"


def read_notebook(source: Path) -> dict[str, Any]:
    """The executed notebook that lies beside a source."""
    found: dict[str, Any] = json.loads(source.with_suffix(".ipynb").read_text())
    return found
