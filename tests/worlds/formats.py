"""What the tests of file formats share: files with any content, and the sentence of a refusal."""

import pytest

from altmas.formats.tables import read_table
from altmas.metrics.errors import InputError

BIG = 2**63 - 1


def save(tmp_path, name, content):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path, sentence):
    assert refusal(read_table, path) == sentence


def refusal(read, *arguments, **options):
    """The sentence in which a file is refused."""
    with pytest.raises(InputError) as error:
        read(*arguments, **options)
    return str(error.value)
