"""Two vendors' files."""

import pytest

from worlds.commands import write_files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))
