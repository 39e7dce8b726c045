"""Written files: whole, private, the same each time."""

import os
import stat

import pandas as pd
import pytest

from altmas.core import limits
from altmas.core.files import write_bytes
from altmas.formats.tables import read_table
from altmas.formats.writing import write_table
from altmas.metrics.errors import InputError
from worlds.formats import BIG


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.parquet", "a.jsonl", "a.ndjson", "a.json", "a.npz"])
def test_written_files_are_whole_private_and_the_same_each_time(tmp_path, name):
    frame = pd.DataFrame({"id": ["007", "ü"], "n": [BIG, -1], "p": [0.1, 1e-9], "ok": [True, False]}, index=[5, 6])
    path = tmp_path / name
    path.write_text("before")
    path.chmod(0o644)
    write_table(frame, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == [name]
    first = path.read_bytes()
    write_table(frame, path)
    assert path.read_bytes() == first
    back = read_table(path, text=False)
    assert back["id"].tolist() == ["007", "ü"]
    assert back["n"].tolist() == [BIG, -1]
    assert back["p"].tolist() == [0.1, 1e-9]
    assert [str(v) for v in back["ok"]] == ["True", "False"]


def test_a_failed_write_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("before")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_bytes(path, b"after")
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_numbers_are_not_neutralised_but_texts_and_names_are(tmp_path):
    frame = pd.DataFrame({"=id": ["-5", "@x"], "n": [-5.5, -1]})
    write_table(frame, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "'=id,n\n'-5,-5.5\n'@x,-1.0\n"
    write_table(frame, tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_text() == '{"=id": "-5", "n": -5.5}\n{"=id": "@x", "n": -1.0}\n'


def test_excel_is_told_the_encoding_where_it_matters(tmp_path):
    write_table(pd.DataFrame({"a": ["x"]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == b"a\nx\n"
    write_table(pd.DataFrame({"a": ["ü"]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == b"\xef\xbb\xbfa\n\xc3\xbc\n"


def test_gaps_when_written(tmp_path):
    frame = pd.DataFrame({"n": pd.array([BIG, None], dtype="Int64"), "t": ["x", None], "p": [0.5, None]})
    expected = {"csv": ["", "", ""], "parquet": [None] * 3, "jsonl": [None] * 3}
    for suffix, gaps in expected.items():
        write_table(frame, tmp_path / f"a.{suffix}")
        back = read_table(tmp_path / f"a.{suffix}")
        assert str(back["n"][0]) == str(BIG)
        assert [None if pd.isna(v) else v for v in back.iloc[1]] == gaps


@pytest.mark.parametrize(
    ("frame", "name", "sentence"),
    [
        ({"a": ["x\0"]}, "a.csv", r"column 'a' must be text; got a NUL character in 'x\x00'."),
        ({"a": ["\ud800"]}, "a.json", r"column 'a' must be text; got half of a surrogate pair in '\ud800'."),
        ({"": ["x"]}, "a.csv", "columns must have names; got ['']."),
        ({"a": [float("inf")]}, "a.jsonl", "numbers in JSON must be finite; got infinity."),
        ({"a": ["x"]}, "a.xlsx", "a.xlsx must be CSV, TSV, Parquet, JSONL, JSON or npz; got the ending '.xlsx'. "
         "The name's ending tells the format."),
    ],
)  # fmt: skip
def test_what_cannot_be_written(tmp_path, frame, name, sentence):
    columns = {key: pd.Series(cells, dtype=object) for key, cells in frame.items()}
    with pytest.raises(InputError) as error:
        write_table(pd.DataFrame(columns), tmp_path / name)
    assert str(error.value) == sentence
    assert not list(tmp_path.iterdir())


def test_text_too_wide_for_npz(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_BYTES", 1000)
    with pytest.raises(InputError, match="column 'a' in npz must unpack to at most 1,000 bytes; got 8,000"):
        write_table(pd.DataFrame({"a": ["x" * 1000, "y"]}), tmp_path / "a.npz")
