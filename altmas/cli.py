"""The command line. Each command imports what it needs when it runs, so that `--help` is instant."""

from __future__ import annotations

import math
import os
import sys
import warnings

import click

from altmas import __version__
from altmas.commands import (
    changing,
    completing,
    curving,
    doctoring,
    exchanging,
    gating,
    keeping,
    labelling,
    looking,
    over_time,
    saving,
    setting_up,
    surfacing,
)
from altmas.commands.options import refusal
from altmas.commands.shared import EXIT_REFUSED, any_encoding, raw_warnings_said, say
from altmas.core.doing import FIRST, heard
from altmas.core.plugins import COMMAND_PLUGINS, plugin, plugin_names
from altmas.core.progress import PROGRESS
from altmas.demo import demo
from altmas.metrics.errors import AltmasError, InputError
from altmas.words.health import package_missing


class InOrder(click.Group):
    """Commands in the order they are used in, not that of the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As they were added, then those that entry points name: our own `bench`, and other packages'."""
        return [*self.commands, *(name for name in plugin_names(COMMAND_PLUGINS) if name not in self.commands)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of ours, or by the entry point `altmas.commands`; one that does not load is no command."""
        if (ours := super().get_command(ctx, cmd_name)) is not None:
            return ours
        try:
            found = plugin(COMMAND_PLUGINS, cmd_name)
        except InputError as error:
            say(f"Note: {error}", err=True)
            return None
        return found if isinstance(found, click.Command) else None


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="altmas")
def commands() -> None:
    """Tell how good a black-box classifier really is, on your own data, with few labels."""


for command in (
    demo, setting_up.init, setting_up.check, over_time.renew, changing.set_settings, exchanging.next_questions,
    labelling.label, exchanging.import_file, looking.status, looking.estimate, looking.worst, looking.compare,
    curving.curve, surfacing.surface, looking.vendors, over_time.compare_two, gating.gate, keeping.report,
    keeping.export, keeping.log, saving.backup, keeping.undo, keeping.redo, keeping.refit, saving.recover,
    doctoring.doctor, completing.completion,
):  # fmt: skip
    commands.add_command(command)


def _told(text: str) -> None:
    say(f"altmas: {text}", err=True)


def main() -> None:
    """Run the command line; refusals are one sentence and exit code 2, never a traceback."""
    warnings.showwarning = raw_warnings_said()
    any_encoding()
    try:
        with heard(_told, first=math.inf if os.environ.get(PROGRESS) == "off" else FIRST):
            commands(prog_name="altmas", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        sys.exit(EXIT_REFUSED)
    except click.ClickException as error:
        say(f"Error: {error.format_message()}", err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted; every answer is kept.", err=True)
        sys.exit(130)
    except ImportError as error:
        name = (error.name or "altmas").partition(".")[0]
        if name == "altmas":  # a fault of ours
            raise
        say(f"Error: {package_missing(name, str(error))}", err=True)
        sys.exit(EXIT_REFUSED)
    except MemoryError:
        say("Error: the machine must have room for all of this; got no more memory.", err=True)
        sys.exit(EXIT_REFUSED)
    except (AltmasError, OSError) as error:
        say(f"Error: {refusal(error)}", err=True)
        sys.exit(EXIT_REFUSED)
