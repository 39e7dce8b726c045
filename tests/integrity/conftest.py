"""Two vendors' files, and a place that other users can reach: pytest keeps its own to itself."""

import shutil
import tempfile
from pathlib import Path

import pytest

from worlds.commands import write_files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture
def place():
    """A folder of its own, gone afterwards."""
    home = Path(tempfile.mkdtemp(prefix="altmas-tests-"))
    home.chmod(0o755)
    yield home
    for path in (home, *home.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(home, ignore_errors=True)
