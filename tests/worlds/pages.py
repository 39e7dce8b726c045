"""Pages of the docs as their reader walks them: blocks of commands, and what is quoted after each."""

import contextlib
import re
import shlex
from dataclasses import dataclass

from click.testing import CliRunner

from altmas.cli import commands

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """The commands of one console block, and the output quoted after it ('' if none is)."""

    commands: tuple[str, ...]
    quoted: str


def steps(text):
    """Console blocks with the quotation that follows each."""
    blocks = [(one[1], one[2]) for one in FENCE.finditer(text)]
    after = [*blocks[1:], ("", "")]
    return [
        Step(tuple(body.splitlines()), quoted if kind == "text" else "")
        for (language, body), (kind, quoted) in zip(blocks, after, strict=True)
        if language == "console"
    ]


def of_that_form(text):
    """A text whose figures may be others: no two audits ask the same questions."""
    return re.sub(r"[0-9a-f]{16,}|[+-]?\d[\d,.]*", "#", text)


def missing_lines(quoted, printed, form=str):
    """Quoted lines that were not printed, in this order; `…` stands for what was left out."""
    left = [form(line.rstrip()) for line in printed.splitlines()]
    lacking = []
    for line in quoted.splitlines():
        if line.strip() == "…":
            continue
        pattern = re.compile(".*".join(re.escape(form(part)) for part in line.rstrip().split("…")))
        found = next((i for i, one in enumerate(left) if pattern.fullmatch(one)), None)
        if found is None:
            lacking.append(line)
        else:
            left = left[found + 1 :]
    return lacking


def run(command):
    """What a command of a page prints; it must succeed."""
    done = CliRunner().invoke(commands, shlex.split(command)[1:], catch_exceptions=False)
    assert done.exit_code == 0, f"{command}\n{done.output}"
    return done.output


def walked_page(page, home, before=lambda command: None):
    """Every step of a page with what its commands printed, run in a folder of their own after the page's own lines.

    `before` is told of each command, for what people do in between.
    """

    def printed(command):
        before(command)
        return run(command)

    with contextlib.chdir(home):
        (files,) = [one[2] for one in FENCE.finditer(page.read_text()) if one[1] == "py"]
        exec(files, {})
        return home, [(step, "".join(map(printed, step.commands))) for step in steps(page.read_text())]
