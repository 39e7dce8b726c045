"""The options that the command lines of experiments share, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
NEW_FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)

data_option = click.option("--data", type=FOLDER, help="Folder with the stored data.")
rows_option = click.option("--rows", type=FILE, help="File for the rows, to append to and to go on from.")
smoke_option = click.option("--smoke", is_flag=True, help="Seconds instead of minutes: small, to see that it runs.")
jobs_option = click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")


def seeds_option(usual: int, least: int = 1) -> Callable[[Any], Any]:
    """How many seeds, from 0 on."""
    return click.option("--seeds", type=click.IntRange(least), default=usual, show_default=True, help="Repetitions.")


def together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Several options as one decorator, in the order in which help shows them."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def study_options(seeds: int, *more: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What most studies take: data, seeds, rows, and a small form; and options of its own."""
    return together(data_option, seeds_option(seeds), *more, rows_option, smoke_option)


def need_data(data: object, smoke: bool) -> None:
    """Refuse to start without data, unless bundled data will do."""
    if not data and not smoke:
        raise click.UsageError("Give --data, or --smoke.")
