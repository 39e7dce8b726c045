"""Pages of the site that are not written by hand: the Python API, the gallery, and what lies above docs/.

Hooks of MkDocs, which calls these functions by their names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as SitePage
from notebooks import as_markdown, cells, read_notebook, sources, title_of
from reference import HOMES, Page, reference_pages

ROOT = Path(__file__).parents[2]
FROM_ABOVE = {"SECURITY.md": "security.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository's root that are pages of the site."""

LINK = re.compile(r"(\]\()([^)\s#]+)")


def gallery_pages() -> list[Page]:
    """The executed notebooks, after a page that lists them."""
    each, rows = [], []
    for source in sources():
        program = source.read_text()
        title, path = title_of(program), f"gallery/{source.stem}.md"
        _, _, said = cells(program)[0].text.partition("\n")
        rows.append(f"## [{title}]({source.stem}.md)\n\n{said.strip().partition(chr(10) * 2)[0]}")
        each.append(Page(path, title, as_markdown(read_notebook(source))))
    head = (
        "# Gallery\n\nNotebooks on bundled or made-up data, executed. Each is a program in `docs/gallery` "
        "with its notebook beside it; `make gallery` executes them anew."
    )
    return [Page("gallery/index.md", "Gallery", "\n\n".join([head, *rows]) + "\n"), *each]


def pages_from_above() -> list[Page]:
    """Security, contributing and the changelog, their links as seen from docs/."""
    return [
        Page(path, "", LINK.sub(lambda found: found[1] + found[2].removeprefix("docs/"), (ROOT / name).read_text()))
        for name, path in FROM_ABOVE.items()
    ]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the API and of the gallery into the navigation."""
    reference, gallery = reference_pages(), gallery_pages()
    filled: dict[str, Any] = {
        "Gallery": [one.path if one.path.endswith("index.md") else {one.title: one.path} for one in gallery],
        "Python API": [reference[0].path, *_by_home(reference[1:])],
    }
    config.nav = [_filled(entry, filled) for entry in config.nav or []]
    return config


def _by_home(pages: list[Page]) -> list[dict[str, Any]]:
    """Pages of names below their modules."""
    home = {page.path: page.path.removesuffix(".md").rpartition("/")[2].rpartition(".")[0] for page in pages}
    return [{one: [{page.title: page.path} for page in pages if home[page.path] == one]} for one in HOMES]


def _filled(entry: Any, filled: Mapping[str, Any]) -> Any:
    if not isinstance(entry, dict):
        return entry
    ((title, below),) = entry.items()
    if title in filled:
        return {title: filled[title]}
    return {title: [_filled(one, filled) for one in below] if isinstance(below, list) else below}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    for page in (*reference_pages(), *gallery_pages(), *pages_from_above()):
        files.append(File.generated(config, page.path, content=page.text))
    return files


def on_page_markdown(markdown: str, page: SitePage, config: MkDocsConfig, files: Files) -> str:
    """Lead links to files above docs/, and to notebooks, to their pages."""

    def led(found: re.Match[str]) -> str:
        target = FROM_ABOVE.get(found[2].removeprefix("../"), found[2])
        return found[1] + re.sub(r"\.ipynb$", ".md", target)

    return LINK.sub(led, markdown)
