"""Guidelines: Markdown as people write it, and nothing that runs, fetches or leads anywhere but to the web."""

import re

import pytest

from altmas.page.guidelines import rendered

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>\n\n<div\nonclick='x'>",
    "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](\tjavascript:alert(1)) [d](java\nscript:alert(1))",
    "[a](data:text/html,<script>x</script>) [b](vbscript:x) [c](file:///etc/passwd) [d](//evil.example) [e](/login)",
    "[r]\n\n[r]: javascript:alert(1)",
    "<javascript:alert(1)>",
    "![i](https://evil.example/pixel.png)",
    '[a](https://x.example "t\\" onmouseover=alert(1) x=")',
    '[a](https://x.example/"onmouseover="alert(1))',
    '```"><script>alert(1)</script>\nx\n```',
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=1&#62;",
    "| a |\n|:-:|\n| <b onclick=x>y</b> |",
    "<!-- --><style>*{display:none}</style>",
    "\u202e[a](https://x.example)\x00\x1b[2J",
    "[" * 3000 + "x" + "](https://x.example)" * 3000,
    "> " * 500 + "deep",
]
TAG = re.compile(r"<(/?)([a-z0-9]+)((?: [a-z]+=\"[^\"<>]*\")*) ?/?>")
KNOWN = {
    "p", "br", "em", "strong", "a", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "table", "thead", "tbody",
    "tr", "th", "td", "div", "h2", "h3", "h4", "h5", "h6",
}  # fmt: skip
ATTRIBUTES = {"href", "title", "target", "rel", "class", "tabindex", "start"}


def tags(html):
    """Every tag, its attributes by name; what is left beside them must be text."""
    assert "<" not in TAG.sub("", html), html[:200]
    assert ">" not in TAG.sub("", html)
    return [(found[2], dict(re.findall(r'([a-z]+)="([^"]*)"', found[3]))) for found in TAG.finditer(html)]


@pytest.mark.parametrize("text", ATTACKS, ids=lambda text: ascii(text)[:30])
def test_nothing_of_an_attack_is_more_than_text(text):
    for name, attributes in tags(str(rendered(text))):
        assert name in KNOWN
        assert set(attributes) <= ATTRIBUTES
        if name == "a" and attributes:
            assert re.match(r"(https?://|mailto:)", attributes["href"])
            assert attributes["rel"].startswith("noopener noreferrer")


def test_markdown_and_plain_text_are_both_set_as_they_were_meant():
    html = str(
        rendered("# Rules\n\n- one\n- *two*\n\n1. a\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n[more](https://x.example)")
    )
    assert [name for name, _ in tags(html)].count("li") == 6  # each is opened and closed
    assert "<h2>Rules</h2>" in html  # the page has its own first heading
    assert "style=" not in html  # which the page's content policy would not let in
    assert str(rendered("Label what you see.\n    Not what you expect.\n\nThank you")) == (
        "<p>Label what you see.<br />\nNot what you expect.</p>\n<p>Thank you</p>"
    )
    assert str(rendered("")) == ""
