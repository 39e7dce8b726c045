"""Writing a report: the format by the file's name, the whole file or none of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from altmas.core.files import write_text
from altmas.metrics.errors import InputError

if TYPE_CHECKING:
    from altmas.audits.audit import Audit

FORMATS = (".html", ".htm", ".md", ".json")


def write_report(audit: Audit, path: str | os.PathLike[str], **options: Any) -> Path:
    """Write what `facts.gather(audit, **options)` finds; who may read the file is decided by who owns it (0600)."""
    from altmas.reports.facts import gather

    target = Path(path)
    suffix = suffix_of(target)
    if not target.parent.is_dir():
        raise InputError("report", "be written into a folder that exists", str(target.parent))
    text = render(gather(audit, **options), suffix)
    write_text(target, text)
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


def render(facts: dict[str, Any], suffix: str) -> str:
    """Facts in the format of a suffix.

    >>> print(render({"schema": "altmas-report/1"}, ".json"), end="")
    {
      "schema": "altmas-report/1"
    }
    """
    if suffix == ".json":
        return json.dumps(facts, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    if suffix == ".md":
        from altmas.reports.markdown import render_markdown

        return render_markdown(facts)
    from altmas.reports.html import render_html

    return render_html(facts)
