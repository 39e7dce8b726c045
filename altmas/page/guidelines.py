"""Guidelines as annotators read them: Markdown, of which nothing but text, lists, tables and links is taken.

Whoever writes them may have copied from anywhere, so they are not believed: HTML stays text, no image is fetched, and a
link leads to the web alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

_WEB = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
LONGEST_ADDRESS = 2000


@lru_cache(maxsize=4)
def rendered(text: str) -> Markup:
    """Guidelines as HTML that is safe to put into a page.

    >>> print(rendered("**Look** <b>twice</b>"))
    <p><strong>Look</strong> &lt;b&gt;twice&lt;/b&gt;</p>
    """
    return Markup(_reader().render(text).strip())  # the reader escapes whatever is no Markdown


def _reader() -> MarkdownIt:
    # Lines end where they end, and indented ones are no programs: many guidelines are plain text.
    reader = _Reader("commonmark", {"html": False, "linkify": False, "breaks": True}).enable("table")
    reader.disable(["image", "html_inline", "html_block", "code"])
    reader.add_render_rule("link_open", _link)
    for rule in ("heading_open", "heading_close"):
        reader.add_render_rule(rule, _heading)
    for rule in ("table_open", "table_close"):
        reader.add_render_rule(rule, _scrolls)
    for rule in ("th_open", "td_open"):
        reader.add_render_rule(rule, _cell)
    return reader


class _Reader(MarkdownIt):
    """Reads Markdown; a link that does not lead to the web is none."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 (its name in markdown-it)
        """Whether an address may be followed."""
        return len(url) <= LONGEST_ADDRESS and _WEB.match(url.strip()) is not None


def _link(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """In a window of its own, which cannot reach back and is not told where it came from."""
    tokens[at].attrSet("target", "_blank")
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    return str(self.renderToken(tokens, at, options, env))


def _heading(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """One level down: the first is the page's own."""
    tokens[at].tag = f"h{min(int(tokens[at].tag[1]) + 1, 6)}"
    return str(self.renderToken(tokens, at, options, env))


def _cell(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """Without a style of its own, which the page's content policy does not let in."""
    tokens[at].attrs.pop("style", None)
    return str(self.renderToken(tokens, at, options, env))


def _scrolls(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A wide table moves by itself, and not the page."""
    table = str(self.renderToken(tokens, at, options, env))
    return f'<div class="scroll" tabindex="0">{table}' if tokens[at].nesting == 1 else f"{table}</div>"
