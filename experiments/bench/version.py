"""What made a row: the package as it was, and what it stands on."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import altmas
from altmas import __version__

PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "scikit-optimize", "tensorflow")


@cache
def code_version() -> str:
    """The version, and the first digits of a SHA-256 over the package's own code: it changes before the version does.

    >>> code_version().split("+")[0] == __version__
    True
    """
    digest = hashlib.sha256()
    for room in dict.fromkeys(Path(folder) / name for folder in altmas.__path__ for name in ROOMS):
        for path in sorted(room.rglob("*.py")) if room.is_dir() else ():
            digest.update(path.name.encode() + path.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:12]}"


ROOMS = ("", "metrics", "surrogates", "experiments")
"""Where code is that a result may depend on, below each folder of the package."""


@cache
def package_versions() -> dict[str, str]:
    """Versions of what results depend on, without importing any of it.

    >>> "numpy" in package_versions()
    True
    """
    found = {"altmas": __version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
