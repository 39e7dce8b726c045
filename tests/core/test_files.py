"""Files are written whole, under names nobody can guess, and say so where they cannot be written."""

import os

import pytest

from altmas.core.files import FileError, new_part, remove_left_behind, write_bytes, write_whole
from worlds.commands import mode


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    write_bytes(tmp_path / "one", b"first")

    def half(file):
        file.write(b"sec")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "one", half)
    assert (tmp_path / "one").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    assert mode(tmp_path / "one") == 0o600


def test_a_half_written_file_has_a_name_of_its_own_and_follows_no_link(tmp_path, monkeypatch):
    parts = [new_part(tmp_path / "one") for _ in range(20)]
    for _, handle in parts:
        os.close(handle)
    assert len({name for name, _ in parts}) == 20
    monkeypatch.setattr("altmas.core.files.secrets.token_hex", lambda size: "guessed")
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / ".one.guessed.part").symlink_to(victim)
    with pytest.raises(FileError, match="file must be writable; got .*one"):
        write_bytes(tmp_path / "one", b"mine")
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / ".one.guessed.part").is_symlink()  # what was not ours stays


def test_only_what_was_left_behind_long_ago_is_removed(tmp_path):
    left, young, other = (tmp_path / name for name in (".a.0.part", ".a.1.part", "mine.part"))
    for path in (left, young, other):
        path.write_bytes(b"half")
    for path in (left, other):
        os.utime(path, (0, 0))
    remove_left_behind(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [young.name, other.name]


def test_a_full_disk_is_said_in_a_sentence(tmp_path):
    def write(file):
        with open("/dev/full", "wb", buffering=0) as full:
            full.write(b"x")

    with pytest.raises(FileError, match=r"file must be writable; got .*one: No space left on device\.$"):
        write_whole(tmp_path / "one", write)
    assert list(tmp_path.iterdir()) == []
