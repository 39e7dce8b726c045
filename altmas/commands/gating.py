"""`altmas gate`: pass, fail or not settled, for pipelines."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from altmas.commands import shared
from altmas.commands.options import command


@command(short_help="Pass or fail, for pipelines: ask after every label.")
@shared.folder
@click.option("--require", "required", multiple=True, metavar="'METRIC >= NUMBER'", help="What the model must reach, "
              "such as 'recall:malignant >= 95%'. Several may be given. Default: the audit's targets.")  # fmt: skip
@shared.model
@shared.level
@shared.this_pool
@click.option("--junit", type=shared.FILE_OUT, help="Write JUnit XML, a test case per requirement.")
@shared.as_json
def gate(
    audit: Path, required: tuple[str, ...], model: str | None, level: float | None, this_pool: bool,
    junit: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Whether the model meets all that is required of it. Ends with 0 for pass, 1 for fail, 3 for not settled."""
    if junit is not None:
        shared.check_file(junit, (".xml",), "--junit")
    with shared.found_in(audit, as_json, level=level, this_pool=this_pool) as (_, found):
        made, warnings = found.gate(*required, model=model), found.warnings
    if junit is not None:
        made.junit(junit)
    if as_json:
        shared.say_json("gate", {**made.as_dict(), "warnings": list(warnings)}, audit)
    else:
        for one in made.checks:
            shared.say(one.sentence)
        shared.say(made.promise)
        shared.say_warnings(warnings)
        shared.say(made.summary)  # last, where logs of pipelines are read from
    sys.exit(made.exit_code)
