"""`altmas doctor`: what of altmas works on this machine, and how to get what does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.core.health import Check, LackingError, Looked
from altmas.words.health import summary
from altmas.words.language import sentence

_NETWORKS = (
    "from altmas.surrogates.backend import tensorflow as t, tensorflow_probability as p; p(); print(t().__version__)"
)
_ASSESS = """
import altmas
said, truth = ["cat", "dog", "cat", "dog"] * 30, ["cat", "dog", "dog", "dog"] * 30
found = altmas.assess(said, oracle=truth, budget=40, initial=20, seed=0).estimates.iloc[0]
print(f"{found['low']:.2f} to {found['high']:.2f}, truth 0.75")
"""
SECONDS = 120
"""A machine that takes longer for one of these is too slow to be of use."""


@command(short_help="What works on this machine, and what is missing.")
@click.option("--deep", is_flag=True, help="Also load TensorFlow and assess a small model: takes some seconds.")
@shared.as_json
def doctor(deep: bool, as_json: bool) -> None:
    """Look at packages, files, memory, ports and browsers; every line says ok, or what is missing and how to get it."""
    checks = all_checks(Path(), deep=deep)
    ok = all(one.ok or not one.needed for one in checks)
    if as_json:
        shared.say_json("doctor", {"ok": ok, "checks": [vars(one) for one in checks]})
    else:
        for one in checks:
            shared.say(in_a_line(one))
        shared.say(summary(ok, sum(not one.ok for one in checks)))
    if not ok:
        sys.exit(shared.EXIT_PROBLEMS)


def all_checks(folder: Path, *, deep: bool = False) -> list[Check]:
    """Everything that is looked at, in the order it is told."""
    from altmas.commands.machine_checks import machine_checks

    try:
        from altmas.commands.packages import package_checks

        packages = package_checks()
    except ImportError as error:  # what compares versions is a package itself
        hint = 'python -m pip install "packaging"'
        packages = [Check("packages", False, str(error), sentence("comparing versions"), hint)]
    return [*packages, *machine_checks(folder), *(deep_checks() if deep else [])]


def deep_checks() -> list[Check]:
    """What takes seconds, in processes of its own: a package built for another processor ends the whole process."""
    again = sentence("Install altmas anew, in a new virtual environment.")
    return [
        Looked("TensorFlow loads", lambda: _told(_NETWORKS), sentence("networks and accuracy surfaces"), again).check(),
        Looked("a small assessment", lambda: _told(_ASSESS), sentence("altmas itself"), again).check(),
    ]


def _told(program: str) -> str:
    """What a program prints; its last line on stderr where it fails."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", errors="replace",
        timeout=SECONDS, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [sentence("it ended with code {code}", code=done.returncode)]
        raise LackingError(last[0])
    return done.stdout.strip()


def in_a_line(one: Check) -> str:
    """A check as a line.

    >>> in_a_line(Check("numpy", True, "2.4.6", "altmas itself"))
    'ok       numpy: 2.4.6'
    >>> in_a_line(Check("torch", False, "not installed", "tensors", "pip install torch", needed=False))
    'missing  torch: not installed. For tensors; not needed otherwise. pip install torch'
    """
    if one.ok:
        return f"ok       {one.name}: {one.found}"
    words = sentence("For {use}.", use=one.use)
    if not one.needed:
        words = sentence("For {use}; not needed otherwise.", use=one.use)
    return f"missing  {one.name}: {one.found}. {words} {one.hint}".rstrip()
