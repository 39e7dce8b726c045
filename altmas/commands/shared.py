"""What the commands share: options, opening an audit, and saying things as a table or as JSON."""

from __future__ import annotations

import io
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    import pandas as pd

    from altmas.audits.audit import Audit
    from altmas.audits.looks import AuditFindings

EXIT_REFUSED = 2
"""Exit code for input that altmas refuses; 0 is success, 1 an unexpected failure, 130 an interruption."""

EXIT_PROBLEMS = 3
"""Exit code of a check that found something wrong."""

F = TypeVar("F", bound=Callable[..., Any])

FILE_IN = click.Path(exists=True, dir_okay=False, path_type=Path)


class Outside(click.Path):
    """A path to write to: never inside of an audit's own folder, where it could take the place of the record."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, if it may be written to."""
        from altmas.audits.store import STORE_FILE
        from altmas.metrics.errors import InputError

        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        # A link may lead there, or lie there.
        whole, beside = (Path(os.path.realpath(one)) for one in (path, path.parent))
        if any(os.path.isfile(home / STORE_FILE) for home in {whole, *whole.parents, beside, *beside.parents}):
            name = "file" if param is None else param.get_error_hint(ctx).replace("'", "")
            raise InputError(name, "lie outside of the audit's own folder", str(path))
        return path


FILE_OUT = Outside(dir_okay=False, path_type=Path)
FOLDER_OUT = Outside(file_okay=False, path_type=Path)
folder = click.argument("audit", type=click.Path(file_okay=False, path_type=Path))
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON; docs/command-line.md has its schema.")
level = click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), help="The intervals' level.")
this_pool = click.option("--of-this-pool", "this_pool", is_flag=True, help="About the items of this pool alone, where "
                         "the audit has clusters and intervals are about others like them.")  # fmt: skip


def checked_name(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """Refuse a name that cannot be shown before anything has happened."""
    if given:
        from altmas.audits.telling import annotator_name

        for one in [given] if isinstance(given, str) else given:
            annotator_name(one)
    return given


id_column = click.option("--id", "id_column", metavar="COLUMN", help="The table's column with your ids. Default: id.")
label_column = click.option("--label", "label_column", metavar="COLUMN",
                            help="The table's column with the labels. Default: label.")  # fmt: skip
annotator = click.option("--annotator", default="", callback=checked_name, help="Who answers; kept with every answer.")
guidelines = click.option("--guidelines", type=FILE_IN, help="A text file, Markdown if you like, that annotators read.")
target = click.option("--target", "targets", multiple=True, metavar="'METRIC >= NUMBER'", help="What the model must "
                      "reach to be good enough, such as 'accuracy >= 0.9'. Several may be given.")  # fmt: skip
metric = click.option("--metric", default="accuracy", show_default=True, help="Any metric of docs/metrics.md.")
model = click.option("--model", default=None, help="Which model under test, where there are several.")


@contextmanager
def opened(path: Path) -> Iterator[Audit]:
    """An audit, closed in the end."""
    from altmas.audits.audit import Audit

    with Audit.open(path) as audit:
        yield audit


def tell_of_refit(audit: Audit, quiet: bool) -> None:
    """A refit that is due comes first and may take a while, so a person is told."""
    if not quiet and audit.refit_due():
        say("Refitting first ...", err=True)


@contextmanager
def found_in(audit: Path, quiet: bool, **asked: Any) -> Iterator[tuple[Audit, AuditFindings]]:
    """An audit and what its answers tell, asked with a level, metrics or `anytime`."""
    from altmas.core.doing import doing

    with opened(audit) as held:
        tell_of_refit(held, quiet)
        with doing("estimating"):
            yield held, held.findings(**asked)


def check_file(path: Path, endings: Iterable[str], subject: str = "file") -> None:
    """Refuse a file that could not be written, before anything is computed or drawn for it."""
    from altmas.metrics.errors import InputError

    known = tuple(endings)
    if path.suffix.lower() not in known:
        raise InputError(subject, f"be named {', '.join(f'*{one}' for one in known)}", repr(path.name))
    if not path.absolute().parent.is_dir():
        raise InputError(subject, "be written into a folder that exists", str(path.parent))


def names_in(text: str | None) -> list[str] | None:
    """Names with commas between them.

    >>> names_in("accuracy, recall:cat")
    ['accuracy', 'recall:cat']
    """
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def say(text: str, *, err: bool = False) -> None:
    """Print a line. Every command prints through here: names come from a vendor's file, and may command a terminal."""
    click.echo(printable(text), err=err)


def any_encoding() -> None:
    """Let output that cannot hold a letter spell it out, as pipes of Windows and of old locales: never fail for it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not holds_everything(stream.encoding):
            stream.reconfigure(errors="backslashreplace")


def holds_everything(encoding: str | None) -> bool:
    """Whether every letter can be written.

    >>> holds_everything("utf8"), holds_everything("cp1252")
    (True, False)
    """
    return encoding is not None and encoding.lower().replace("-", "").replace("_", "").startswith("utf")


def say_json(kind: str, data: dict[str, Any], audit: Path | None = None, *, version: int = 1) -> None:
    """Print one JSON object that names its schema, and the audit it is about."""
    from altmas.core.plain import plain_data

    about = {"schema": f"altmas-{kind}/{version}"} | ({} if audit is None else {"audit": str(audit)})
    ascii_only = not holds_everything(getattr(sys.stdout, "encoding", None) or "utf-8")
    text = json.dumps({**about, **plain_data(data)}, indent=2, ensure_ascii=ascii_only)
    click.echo(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text))  # JSON leaves these as they are


_CONTROLS = re.compile("[\x7f-\x9f]")


def rows(table: pd.DataFrame | None) -> list[dict[str, Any]] | None:
    """A table for JSON."""
    from altmas.core.plain import plain_rows

    names = ("group", "true", "predicted", "a", "b", "id", "class")
    return None if table is None else plain_rows(table, names)


def say_problems(problems: Sequence[str]) -> None:
    """What is wrong, a line each, to the terminal and not to a file that takes the output."""
    for problem in problems:
        say(f"Problem: {problem}", err=True)


def raw_warnings_said() -> Callable[..., None]:
    r"""What shows warnings of Python's own kind in place of Python: a line each, once each, no lines of a program.

    >>> import contextlib
    >>> show = raw_warnings_said()
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     show("overflow\nin exp", RuntimeWarning, "/lib/site-packages/numpy/core.py", 12)
    ...     show("overflow\nin exp", RuntimeWarning, "/lib/site-packages/numpy/core.py", 15)
    Warning of numpy: overflow in exp
    """
    known: set[str] = set()

    def show(message: Warning | str, category: type[Warning], filename: str, *_: object, **__: object) -> None:
        whose = re.search(r"site-packages[\\/](\w+)", filename)
        of = f" of {whose[1]}" if whose and whose[1] != "altmas" else ""
        text = f"Warning{of}: {' '.join(str(message).split())}"
        if text not in known:
            known.add(text)
            say(text, err=True)

    return show


def say_warnings(warnings: Sequence[str]) -> None:
    """What a reader must know, a line each."""
    for warning in warnings:
        say(f"Warning: {warning}")


def say_table(table: pd.DataFrame, columns: Sequence[str], title: str = "") -> None:
    """Print some columns of a table."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(title=title or None, title_justify="left")
    numbers = {name for name in columns if name in table and table[name].dtype.kind in "fiu"}
    for name in columns:
        shown.add_column(_cell(name.replace("_", " ")), justify="right" if name in numbers else "left", overflow="fold")
    for row in table.to_dict("records"):
        shown.add_row(*(_cell(row[name]) for name in columns))
    terminal = Console()
    (terminal if terminal.is_terminal else Console(width=160)).print(shown)  # in a file, lines may be long


def _cell(value: Any) -> Any:
    from rich.text import Text

    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3f}"
    return Text(printable(str(value)))  # as it is: a class may be called [bold]


KEPT = "\n\t\u00a0\u202f"
"""Blanks that text may have: those within numbers, of some languages, too."""


def printable(text: str) -> str:
    r"""Text that cannot command a terminal: control characters are shown, not sent.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() or c in KEPT else c.encode("unicode_escape").decode() for c in text)


def measured(table: pd.DataFrame, metric: str | None = None) -> pd.DataFrame:
    """Estimates and intervals as the report writes them, of one metric or of each row's own."""
    from altmas.reports.numbers import table_digits
    from altmas.words.wording import figure, interval, is_share

    columns: dict[str, list[str]] = {name: [] for name in ("interval", *sorted(_MEASURED & set(table)))}
    for row in table.to_dict("records"):
        share = is_share(metric or str(row["metric"]))
        low, high = (None if math.isnan(row[name]) else row[name] for name in ("low", "high"))
        digits = table_digits(low, high, share=share)
        columns["interval"].append(interval(low, high, share=share, digits=digits))
        for name in _MEASURED & set(table):
            missing = row[name] is None or math.isnan(row[name])
            columns[name].append("" if missing else figure(row[name], share=share, digits=digits))
    return table.assign(**columns)


_MEASURED = {"estimate", "plug_in", "design", "worst_case", "best_case"}


def behind(table: pd.DataFrame, metric: str, of: str = "behind_") -> pd.DataFrame:
    """Differences and their intervals as the report writes them: in points where the metric is a share."""
    from altmas.reports.numbers import signed, signed_interval
    from altmas.words.wording import is_share

    value = of.removesuffix("_") or "estimate"
    rows = table.to_dict("records")
    shares = [is_share(metric or str(row["metric"])) for row in rows]
    known = [
        {name: None if math.isnan(row[name]) else row[name] for name in (value, f"{of}low", f"{of}high")}
        for row in rows
    ]
    return table.assign(
        **{
            value: [signed(row[value], share=share) for row, share in zip(known, shares, strict=True)],
            f"{of}interval": [
                signed_interval(row[f"{of}low"], row[f"{of}high"], share=share)
                for row, share in zip(known, shares, strict=True)
            ],
        }
    )


def with_interval(table: pd.DataFrame, of: str = "") -> pd.DataFrame:
    """Low and high, or those `of` something, as one column; a method may have none."""
    pairs = zip(table[f"{of}low"], table[f"{of}high"], strict=True)
    text = [f"{low:.3f} to {high:.3f}" if low <= high else "none" for low, high in pairs]
    return table.assign(**{f"{of}interval": text})
