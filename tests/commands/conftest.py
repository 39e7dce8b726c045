"""Two vendors' files, and an audit of the first of them."""

import shutil

import pytest

from worlds.commands import init, told, write_files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def labelled(files):
    """An audit with a group and 40 answers, its refits made."""
    audit = init(files, files / "labelled", "--group", "region", "--budget", 60, "--title", "Animals")
    told("label", audit, "--from", files / "truth.csv", "-n", 40)
    told("refit", audit)
    return audit


@pytest.fixture
def audit(labelled, tmp_path):
    return shutil.copytree(labelled, tmp_path / "audit")
