"""Options: what refusals call as Python does, in the words of the command line; each that is no list given once."""

from __future__ import annotations

import ast
import re
import shlex
from collections import Counter
from functools import partial

import click

from altmas.metrics.errors import InputError

NAMES = {
    **{name: f"--{name.replace('_', '-')}" for name in (
        "predictions", "id", "label", "prediction", "scores", "logits", "features", "opinions", "items", "image",
        "text", "show", "classes", "not_a_class", "is_a_class", "metrics", "method", "budget", "initial", "batch",
        "task", "overlap", "experts", "second_readings", "cost_expert", "known", "level", "seed", "secret",
        "guidelines", "title", "model", "metric", "by", "rope", "annotator", "replace", "sample", "scheduler",
    )},
    "groups": "--group",
    "clusters": "--cluster",
    "requirements": "--require",
    "options": "--option",
    "confidence": "--scores",
}  # fmt: skip
"""Options as Python and as the command line call them."""

_GIVEN = re.compile(rf"\b({'|'.join(sorted(NAMES, key=len, reverse=True))})=(\.{{3}}|\[\.{{3}}\]|True|'([^']*)')")
_LISTED = re.compile(r"\b(not_a_class|is_a_class)=(\[.*?\])(?= where\b)", re.DOTALL)
_ALONE = re.compile(rf"\b({'|'.join(name for name in NAMES if '_' in name)})\b")


def in_options(text: str) -> str:
    """A hint or a note in the words of the command line.

    >>> in_options("Declare classes=[...], or name the column with id=....")
    'Declare --classes, or name the column with --id.'
    >>> in_options("scores='conf' takes it as one, logits=True as logits; write name=path")
    '--scores conf takes it as one, --logits as logits; write name=path'
    >>> in_options("Give not_a_class=['ERROR', 'HTTP*'] where they are no answer")
    "Give --not-a-class ERROR --not-a-class 'HTTP*' where they are no answer"
    """
    text = _LISTED.sub(_each, text)
    return _GIVEN.sub(lambda found: NAMES[found[1]] + (f" {found[3]}" if found[3] else ""), text)


def _each(found: re.Match[str]) -> str:
    """An option for each value of a list, ready to be typed."""
    try:
        values = ast.literal_eval(found[2])
    except (SyntaxError, ValueError):
        return found[0]
    return " ".join(f"{NAMES[found[1]]} {shlex.quote(str(one))}" for one in values)


def refusal(error: BaseException) -> str:
    """What is said of an error: as it is, but options are named as the command line has them.

    >>> refusal(InputError("second_readings", "be left out with cost_expert", 3, "Or give budget=...."))
    '--second-readings must be left out with --cost-expert; got 3. Or give --budget.'
    """
    if type(error) is not InputError:
        return str(error)
    subject, rule, got, hint = error.args
    subject, rule = (_ALONE.sub(lambda found: NAMES[found[1]], text) for text in (subject, rule))
    return str(InputError(subject, rule, got, in_options(hint)))


class OnceEach(click.Command):
    """A command that refuses an option given twice, where only the last would count."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, unless something is said twice."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        for one, times in Counter(order).items():
            if isinstance(one, click.Option) and times > 1 and not (one.multiple or one.count or one.is_flag):
                raise click.UsageError(f"{one.opts[-1]} may be given once; got it {times} times.")
        return super().parse_args(ctx, args)


command = partial(click.command, cls=OnceEach)
"""As `click.command`."""
