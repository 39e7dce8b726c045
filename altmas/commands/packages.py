"""Packages: what altmas declares that it needs, against what is installed; nothing is imported for it."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from altmas import __version__
from altmas.core.health import Check
from altmas.words.health import how_to_install, use_of_package
from altmas.words.language import sentence

OPTIONAL = (Requirement("dask[distributed]>=2024.8"), Requirement("polars"), Requirement("torch"))
"""Packages that altmas works with where they are installed."""


def package_checks() -> list[Check]:
    """Python, altmas, and every package, needed or not."""
    return [python_check(), altmas_check(), *map(check_package, declared()), *(check_package(one, needed=False) for one
            in OPTIONAL)]  # fmt: skip


def python_check() -> Check:
    """Whether this Python is one that altmas runs on."""
    try:
        wanted = metadata.metadata("altmas")["Requires-Python"] or ""
    except metadata.PackageNotFoundError:
        wanted = ""
    here, machine = platform.python_version(), f"{platform.system()} {platform.machine()}"
    ok = SpecifierSet(wanted).contains(here, prereleases=True)
    hint = "" if ok else sentence("Install altmas with Python {wanted}.", wanted=wanted)
    return Check("Python", ok, f"{here}, {machine}, {sys.executable}", sentence("altmas itself"), hint)


def altmas_check() -> Check:
    """Which altmas this is, and where it lies."""
    return Check("altmas", True, f"{__version__}, {Path(__file__).resolve().parents[1]}")


def declared() -> list[Requirement]:
    """What the installed altmas says it needs; nothing of its extras."""
    try:
        texts = metadata.requires("altmas") or []
    except metadata.PackageNotFoundError:  # run from a folder, and never installed
        return []
    found = map(Requirement, texts)
    return [one for one in found if one.marker is None or one.marker.evaluate({"extra": ""})]


def check_package(wanted: Requirement, *, needed: bool = True) -> Check:
    """Whether a package is installed, and new enough.

    >>> check_package(Requirement("click>=8.1")).ok
    True
    >>> check_package(Requirement("nothing-of-that-name>=2")).hint
    'python -m pip install "nothing-of-that-name>=2"'
    """
    use = use_of_package(wanted.name)
    try:
        here = metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        hint = how_to_install(str(wanted), upgrade=False)
        return Check(wanted.name, False, sentence("not installed"), use, hint, needed)
    if not wanted.specifier.contains(here, prereleases=True):
        hint = how_to_install(str(wanted), upgrade=True)
        return Check(
            wanted.name, False, sentence("{here}; must be {wanted}", here=here, wanted=wanted.specifier), use, hint,
            needed,
        )  # fmt: skip
    return Check(wanted.name, True, here, use, "", needed)
