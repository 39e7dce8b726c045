"""`altmas completion`: let the shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(short_help="Let the shell complete commands.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for your shell's start file: eval "$(altmas completion bash)"."""
    made = get_completion_class(shell)
    root = context.find_root()
    assert made is not None
    click.echo(made(root.command, {}, "altmas", "_ALTMAS_COMPLETE").source())
