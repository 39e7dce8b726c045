"""Every room is in the wheel: what is imported from a checkout must be there for whoever installs it."""

import tomllib

from worlds.places import ROOT


def test_every_folder_of_code_is_declared():
    declared = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = set()
    for top in ("altmas", "metrics", "surrogates", "experiments"):
        for one in (ROOT / top).rglob("__init__.py"):
            parts = one.parent.relative_to(ROOT).parts
            found.add(".".join(parts if parts[0] == "altmas" else ("altmas", *parts)))
    assert found <= declared, found - declared
