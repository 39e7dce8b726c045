"""Writing a report: the format by the file's name, the whole file or none of it.

HTML and Markdown are made by templates, from the facts, the tables and, for HTML, the figures. The page is one file: no
script, no network, nothing outside of it. Markdown has the same sentences and tables without the figures.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup
from markupsafe import escape as html_escape

from altmas.core.doing import doing
from altmas.core.files import write_bytes, write_text
from altmas.core.result import Result
from altmas.metrics.errors import InputError
from altmas.reports import tables, tables_models, tables_people, tables_record, tables_surface
from altmas.reports.printing import a_browser, printed
from altmas.reports.view import view
from altmas.reports.workbook import workbook
from altmas.words.conduct import drawn_from
from altmas.words.good_enough import outcome_in_words
from altmas.words.language import ENGLISH, sentence, speaking
from altmas.words.left_out import part_in_words
from altmas.words.promises import promised
from altmas.words.wording import clean, counted, marked, percent, quoted

if TYPE_CHECKING:
    from altmas.audits.audit import Audit

PDF, XLSX = ".pdf", ".xlsx"
FORMATS = (".html", ".htm", ".md", ".json", XLSX, PDF)

MOST_CONTENT = 2000
"""Letters of an item's text that are shown."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def write_report(of: Audit | Result, path: str | os.PathLike[str], *, lang: str = ENGLISH, **options: Any) -> Path:
    """Write what `facts.gather` finds of an audit, or of a result; only its owner may read the file (0600).

    `lang` is one of `altmas.words.language.languages()`.
    """
    from altmas.reports.facts import gather, gather_result

    target = Path(path)
    suffix = suffix_of(target)
    if not target.parent.is_dir():
        raise InputError("report", "be written into a folder that exists", str(target.parent))
    browser = a_browser() if suffix == PDF else ""  # refused before anything is computed
    with speaking(lang), doing("gathering what the report says"):
        found = gather_result(of, **options) if isinstance(of, Result) else gather(of, **options)
    with doing("writing the report"):
        if suffix == PDF:
            write_bytes(target, printed(render(found, ".html"), browser))
        elif suffix == XLSX:
            write_bytes(target, workbook(found))
        else:
            write_text(target, render(found, suffix))
    return target


def suffix_of(path: Path) -> str:
    """The format that a file's name asks for.

    >>> suffix_of(Path("Report.HTML"))
    '.html'
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError("report", f"be named {', '.join(f'*{one}' for one in FORMATS)}", repr(path.name))
    return suffix


def render(facts: Mapping[str, Any], suffix: str) -> str:
    """Facts in the format of a suffix, in their language.

    Whatever came from outside is escaped; figures are escaped by `figures`.

    >>> print(render({"schema": "altmas-report/1"}, ".json"), end="")
    {
      "schema": "altmas-report/1"
    }
    """
    if suffix == ".json":
        return json.dumps(facts, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    with speaking(facts["language"]):
        if suffix == ".md":
            text = _environment(markdown=True).get_template("report.md").render(facts=facts)
            return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"  # parts that have nothing to say leave empty lines
        return _environment().get_template("report.html").render(facts=facts, view=view(facts))


@cache
def _environment(*, markdown: bool = False) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("altmas.reports"),
        autoescape=True,
        finalize=_as_markdown if markdown else None,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    safe = _as_markdown if markdown else html_escape
    environment.globals |= {
        "t": partial(_translated, safe),
        "tables": tables,
        "model_tables": tables_models,
        "people_tables": tables_people,
        "record_tables": tables_record,
        "surface_tables": tables_surface,
        "drawn_from": drawn_from,
        "word_of": outcome_in_words,
        "part_of": part_in_words,
    }
    environment.filters |= {
        "figure": Markup,  # SVG of our own making
        "counted": counted,
        "quoted": quoted,
        "clean": clean,
        "minute": minute,
        "percent": percent,
        "promised": promised,
        "marked": marked,
        "said": said,
        "cut": lambda text: text if len(text) <= MOST_CONTENT else text[:MOST_CONTENT] + "…",
    }
    return environment


def template_of(home: str, name: str) -> jinja2.Template:
    """A page of another room, made with the same parts, style and filters as a report.

    >>> template_of("altmas.reports", "report.html").name
    'report.html'
    """
    both = jinja2.ChoiceLoader([jinja2.PackageLoader(home), jinja2.PackageLoader("altmas.reports")])
    return _environment().overlay(loader=both).get_template(name)


def _translated(safe: Callable[[object], Markup], text: str, /, **values: object) -> Markup:
    """A text of a template in the language spoken now, tags and all; values that came from outside are escaped."""
    return Markup(sentence(text, **{name: safe(value) for name, value in values.items()}))


def _as_markdown(value: object) -> Markup:
    """What a template writes: Markdown of its own making as it is, anything else escaped."""
    return value if isinstance(value, Markup) else Markup(escape(value))


def escape(text: object) -> str:
    r"""Text that no reader of Markdown takes for anything else.

    >>> print(escape("a|b <script> *x*"))
    a\|b \<script\> \*x\*
    """
    return _SPECIAL.sub(r"\\\1", clean(text))


def said(words: str) -> str:
    """A sentence whose probabilities stay on one line.

    >>> said("settled (P 0.31)") == "settled (P\N{NO-BREAK SPACE}0.31)"
    True
    """
    return re.sub(r"(\bP(?:\(\w+\))?) (?=\d|above|below)", "\\1\N{NO-BREAK SPACE}", words)


def minute(at: str) -> str:
    """A time as people read it.

    >>> minute("2026-11-16T14:02:11.123Z")
    '2026-11-16 14:02 UTC'
    """
    if not at:
        return sentence("not known")
    year, month, day = at[:10].split("-")
    return sentence("{year}-{month}-{day} {time} UTC", year=year, month=month, day=day, time=at[11:16])
