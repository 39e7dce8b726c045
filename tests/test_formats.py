"""Files people bring and get: tables, arrays, what is refused and with which sentence."""

import io
import json
import os
import pickle
import stat
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from altmas.core.files import write_bytes
from altmas.formats import files
from altmas.formats.arrays import read_array, read_features
from altmas.formats.columns import numbers
from altmas.formats.tables import read_numbered, read_table
from altmas.formats.writing import write_table
from altmas.metrics.errors import AltmasError, InputError

BIG = 2**63 - 1


def save(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path, sentence):
    with pytest.raises(InputError) as error:
        read_table(path)
    assert str(error.value) == sentence


# CSV and TSV


def test_cells_of_csv_stay_the_text_they_were(tmp_path):
    cells = ["007", "9223372036854775807", "NA", "None", "nan", "1e5", "", "True", " x ", "1,5"]
    path = save(tmp_path, "a.csv", "id,other\n" + "".join(f'"{cell}",y\n' for cell in cells))
    frame = read_table(path)
    assert frame["id"].tolist() == cells
    assert all(type(cell) is str for cell in frame["id"])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_endings(tmp_path, delimiter, ending):
    rows = [["id", "text"], ["1", "a"], ["2", "b"]]
    path = save(tmp_path, "a.csv", ending.join(delimiter.join(row) for row in rows))
    assert read_table(path).to_numpy().tolist() == rows[1:]


def test_a_tsv_is_parted_by_tabs_alone(tmp_path):
    assert read_table(save(tmp_path, "a.tsv", "id;x\tb\n1\t2\n")).columns.tolist() == ["id;x", "b"]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    ],
    ids=["utf-8", "utf-8 with a mark", "utf-16 little", "utf-16 big"],
)
def test_encodings(tmp_path, encode):
    frame = read_table(save(tmp_path, "a.csv", encode("id,said\nü☃𝄞,é\n")))
    assert frame.columns.tolist() == ["id", "said"]
    assert frame.iloc[0].tolist() == ["ü☃𝄞", "é"]


def test_rows_are_numbered_as_a_spreadsheet_shows_them(tmp_path):
    path = save(tmp_path, "a.csv", 'id,text\n1,"two\nlines"\n\n2,x\n')
    assert list(read_numbered(path).rows) == [2, 4]
    path = save(tmp_path, "a.jsonl", '{"id": 1}\n\n{"id": 2}\n')
    assert list(read_numbered(path).rows) == [1, 3]


WRONG_CSV = {
    "empty": (b"", "a.csv must have a header row; got an empty file."),
    "only newlines": (b"\n\n", "a.csv must have a header row; got an empty file."),
    "too few cells": (b"a,b\n1,2\n3\n", "row 3 of a.csv must have 2 cells, as its header has; got 1."),
    "too many cells": (b'a,b\n"1\n",2\n3,4,5\n', "row 3 of a.csv must have 2 cells, as its header has; got 3."),
    "a name twice": (b"a,b,a\n", "columns of a.csv must have distinct names; got 'a' twice in row 1."),
    "NUL": (b"a,b\n1,\x00\n", "a.csv must be text; got a NUL character in line 2. Save it as 'CSV UTF-8'."),
    "Windows-1252": (
        b"a,b\n1,2\n3,caf\xe9\n",
        "a.csv must be UTF-8 text; got the byte 0xE9 in line 3. Save it as 'CSV UTF-8'.",
    ),
    "a mark, then not UTF-8": (
        b"\xef\xbb\xbfa\n\xff\n",
        "a.csv must be UTF-8 text; got the byte 0xFF in line 2. Save it as 'CSV UTF-8'.",
    ),
    "half of UTF-16": (b"\xff\xfea\x00b", "a.csv must be UTF-16 text; got truncated data at byte 4."),
    "a stray quote": (
        b'a,b\n"x"y,2\n',
        "row 2 of a.csv must be well quoted; got ',' expected after '\"'. "
        "A quotation mark within quotes is written twice.",
    ),
    "no end of quotes": (
        b'a,b\n"x,2\n',
        "row 2 of a.csv must be well quoted; got unexpected end of data. "
        "A quotation mark within quotes is written twice.",
    ),
}


@pytest.mark.parametrize("case", WRONG_CSV)
def test_wrong_csv(tmp_path, case):
    content, sentence = WRONG_CSV[case]
    refused(save(tmp_path, "a.csv", content), sentence)


def test_columns_a_spreadsheet_left_behind_are_dropped_and_others_are_not(tmp_path):
    assert read_table(save(tmp_path, "a.csv", "a,b,,\n1,2,,\n")).columns.tolist() == ["a", "b"]
    assert read_table(save(tmp_path, "a.csv", ",a\n0,x\n")).columns.tolist() == ["", "a"]  # pandas' index
    refused(
        save(tmp_path, "a.csv", "a,,\n1,2,3\n"), "columns of a.csv must have distinct names; got '' twice in row 1."
    )


def test_a_header_alone_is_a_table_without_rows(tmp_path):
    frame = read_table(save(tmp_path, "a.csv", "a,b\n"))
    assert frame.shape == (0, 2)


def test_a_long_document_in_a_cell(tmp_path):
    assert read_table(save(tmp_path, "a.csv", "id,text\n1," + "x" * 300_000 + "\n"))["text"].str.len().tolist() == [
        300_000
    ]


def test_numbers_from_text_only_if_asked(tmp_path):
    path = save(tmp_path, "a.csv", "i,f,t\n1,0.5,x\n9223372036854775807,1e3,1\n")
    frame = read_table(path, text=False)
    assert frame["i"].tolist() == [1, BIG]
    assert frame["f"].tolist() == [0.5, 1000.0]
    assert frame["t"].tolist() == ["x", "1"]


# JSON and JSON lines


def test_json_lines_and_lists_of_objects(tmp_path):
    records = [{"id": BIG, "said": "a\u2028b", "p": 0.5}, {"id": None, "said": None, "more": [1, {"x": "é"}]}]
    for name, content in {
        "a.jsonl": "\n".join(json.dumps(r, ensure_ascii=False) for r in records),
        "b.ndjson": "\ufeff" + "\r\n".join(json.dumps(r) for r in records),
        "a.json": json.dumps(records),
    }.items():
        frame = read_table(save(tmp_path, name, content))
        assert frame["id"].tolist()[0] == BIG
        assert frame["id"].isna().tolist() == [False, True]
        assert frame["said"].tolist() == ["a\u2028b", None]
        assert frame["more"].tolist() == [None, '[1, {"x": "é"}]']


def test_numbers_beyond_64_bits_and_mixed_columns_stay_what_they_are(tmp_path):
    frame = read_table(save(tmp_path, "a.json", json.dumps([{"a": 2**70, "b": 1, "c": True}, {"a": 1, "b": "1"}])))
    assert frame["a"].tolist() == [2**70, 1]
    assert frame["b"].tolist() == [1, "1"]
    assert frame["c"].isna().tolist() == [False, True]
    mixed = read_table(save(tmp_path, "a.json", json.dumps([{"a": 2**53 + 1}, {"a": 0.5}])))
    assert mixed["a"].tolist() == [2**53 + 1, 0.5]


WRONG_JSON = {
    "no JSON": (
        "a.json",
        "[1,",
        "a.json must be JSON; got JSONDecodeError: Expecting value: line 1 column 4 (char 3).",
    ),
    "an object": ("a.json", "{}", "a.json must be a list of objects; got dict."),
    "a list of lists": ("a.json", "[[]]", "entry 1 of a.json must be an object; got list."),
    "nothing": ("a.json", "[]", "a.json must hold at least one object; got none."),
    "no lines": ("a.jsonl", "\n", "a.jsonl must hold at least one object; got none."),
    "a key twice": (
        "a.jsonl",
        '{"id": 1}\n{"id": 1, "id": 2}',
        "objects of line 2 of a.jsonl must name each key once; got 'id' twice.",
    ),
    "half a surrogate pair": (
        "a.json",
        r'[{"id": "\ud800"}]',
        r"column 'id' of a.json must be text; got half of a surrogate pair in '\ud800'.",
    ),
    "NUL": ("a.json", r'[{"id": "\u0000"}]', r"column 'id' of a.json must be text; got a NUL character in '\x00'."),
}


@pytest.mark.parametrize("case", WRONG_JSON)
def test_wrong_json(tmp_path, case):
    name, content, sentence = WRONG_JSON[case]
    refused(save(tmp_path, name, content), sentence)


@pytest.mark.parametrize("content", ["[" * 100_000, "[" + "9" * 10_000 + "]", '[{"a":' * 50_000])
def test_json_made_to_break_parsers(tmp_path, content):
    with pytest.raises(InputError, match="a.json must be JSON; got "):
        read_table(save(tmp_path, "a.json", content))


# Parquet and Arrow


def test_parquet_keeps_64_bit_numbers_with_and_without_gaps(tmp_path):
    table = pa.table(
        {
            "id": pa.array([BIG, 2**53 + 1], pa.int64()),
            "gap": pa.array([2**53 + 1, None], pa.int64()),
            "unsigned": pa.array([2**64 - 1, None], pa.uint64()),
            "flag": pa.array([True, None]),
            "p": pa.array([0.5, None], pa.float32()),
            "text": pa.array(["007", None]),
            "kind": pa.array(["x", "y"]).dictionary_encode(),
            "day": pa.array([1, None], pa.date32()),
            "when": pa.array([1_700_000_000_123, None], pa.timestamp("ms")),
            "price": pa.array([None, None], pa.decimal128(5, 2)),
            "raw": pa.array([b"caf\xc3\xa9", None]),
            "nested": pa.array([[1, 2], None]),
            "nothing": pa.nulls(2),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    frame = read_table(tmp_path / "a.parquet")
    assert frame["id"].tolist() == [BIG, 2**53 + 1]
    assert (frame["gap"][0], frame["unsigned"][0]) == (2**53 + 1, 2**64 - 1)
    assert frame[["gap", "unsigned", "flag", "text", "day", "nothing"]].isna().iloc[1].all()
    assert frame["flag"][0] is np.True_ or frame["flag"][0] is True
    assert frame["p"][0] == 0.5
    assert frame["text"].tolist() == ["007", None]
    assert frame["kind"].tolist() == ["x", "y"]
    assert (frame["day"][0], frame["when"][0]) == ("1970-01-02", "2023-11-14 22:13:20.123")
    assert frame["raw"][0] == "café"
    assert frame["nested"][0] == "[1, 2]"


def test_polars_pyarrow_and_pandas_tables():
    columns = {"id": ["007", "ü"], "n": [BIG, None]}
    ours = pd.DataFrame({"id": ["007", "ü"], "n": pd.array([BIG, None], dtype="Int64")})
    for table in (pl.DataFrame(columns), pa.table(columns), ours, ours.set_index("id")):
        frame = read_table(table)
        assert frame["id"].tolist() == ["007", "ü"]
        assert frame["n"][0] == BIG
        assert frame["n"].isna().tolist() == [False, True]
    kinds = pl.DataFrame({"c": pl.Series(["x", "y"], dtype=pl.Categorical), "e": pl.Series([[1], [2]])})
    assert read_table(kinds)["c"].tolist() == ["x", "y"]


def test_polars_parquet(tmp_path):
    pl.DataFrame({"id": [BIG, 1], "said": ["a", None]}).write_parquet(tmp_path / "a.parquet")
    frame = read_table(tmp_path / "a.parquet")
    assert frame["id"].tolist() == [BIG, 1]
    assert frame["said"].tolist() == ["a", None]


def test_pandas_tables_are_not_changed_and_text_is_text():
    given = pd.DataFrame({"a": pd.Categorical(["x", None]), "b": ["1", None], 3: [1.5, 2]}, index=[7, 8])
    before = given.copy()
    frame = read_table(given)
    pd.testing.assert_frame_equal(given, before)
    assert frame.index.tolist() == [0, 1]
    assert frame.columns.tolist() == ["a", "b", "3"]
    assert frame["a"].tolist() == ["x", None]
    assert frame["b"].tolist() == ["1", None]


def test_tables_that_are_none():
    refused([1, 2], "a table must be a file or a pandas, polars or pyarrow table; got list.")
    refused(pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns of the table must have distinct names; got 'a' twice.")
    refused(
        pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])),
        "columns of the table must have one name each; got 2 levels of names.",
    )
    refused(
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
        "columns of the table must have distinct names; got 'a' twice.",
    )
    refused(
        pa.table({"a": [b"\xff"]}),
        "column 'a' of the table must be text or numbers; got bytes that are not UTF-8.",
    )


# What is never opened, or is too large


@pytest.mark.parametrize("name", ["m.pkl", "m.pickle", "m.joblib", "m.PT", "m.pth"])
def test_pickles_are_refused_by_name(tmp_path, name):
    refused(
        save(tmp_path, name, b"anything"),
        f"{name} must be CSV, TSV, Parquet, JSONL, JSON or npz; got a pickle. "
        "Opening it would run whatever program is in it: ask for another format.",
    )


def test_other_endings_and_paths_that_are_no_files(tmp_path):
    kinds = "CSV, TSV, Parquet, JSONL, JSON or npz"
    refused(save(tmp_path, "a.xlsx", b""), f"a.xlsx must be {kinds}; got the ending '.xlsx'. Save it as 'CSV UTF-8'.")
    refused(save(tmp_path, "a", b""), f"a must be {kinds}; got no ending. The name's ending tells the format.")
    refused(tmp_path, f"{tmp_path} must be a file; got a folder.")
    refused("no\0where.csv", "no\0where.csv must be a file; got no file at that path.")


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/altmas-was-here",)


def test_nothing_is_ever_unpickled(tmp_path):
    objects = np.array([Evil()], dtype=object)
    np.save(tmp_path / "a.npy", objects)
    np.savez(tmp_path / "a.npz", x=objects)
    save(tmp_path, "b.npy", pickle.dumps(Evil()))
    save(tmp_path, "b.npz", pickle.dumps(Evil()))
    for name in ("a.npy", "b.npy", "a.npz", "b.npz"):
        with pytest.raises(InputError):
            read_array(tmp_path / name)
    with pytest.raises(InputError, match="array 'x' of a.npz must be an array of numbers or text; got pickled Python"):
        read_table(tmp_path / "a.npz")
    with pytest.raises(InputError, match="a.npy must be an array of numbers or text; got pickled Python objects"):
        read_array(tmp_path / "a.npy")
    assert not os.path.exists("/tmp/altmas-was-here")


def test_bombs_are_measured_before_they_go_off(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", x=np.zeros(1_000_000))
    pq.write_table(pa.table({"x": pa.array(np.zeros(1_000_000))}), tmp_path / "a.parquet")
    save(tmp_path, "a.csv", "x\n" + "0\n" * 1000)
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    assert (tmp_path / "a.npz").stat().st_size < 20_000
    for name in ("a.npz", "a.parquet"):
        with pytest.raises(InputError, match=f"{name} must unpack to at most 1,000 bytes; got "):
            read_table(tmp_path / name)
    monkeypatch.setattr(files, "MAX_TEXT_BYTES", 1000)
    refused(tmp_path / "a.csv", "a.csv must be at most 1,000 bytes of text; got 2,002. Parquet holds more.")


def test_an_array_that_claims_more_than_it_holds(tmp_path):
    """The claim alone would be allocated."""
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", member.getvalue() + b"12345678")
    with pytest.raises(InputError, match=r"array 'x' of a.npz must hold what its header claims, shape \(10000"):
        read_table(tmp_path / "a.npz")


def test_the_process_survives_a_file_that_lies_about_its_zip(tmp_path):
    good = io.BytesIO()
    np.savez_compressed(good, x=np.arange(1000))
    lying = bytearray(good.getvalue())
    at = lying.index(b"PK\x01\x02")
    lying[at + 24 : at + 28] = (136 + 8).to_bytes(4, "little")  # the size it says it unpacks to
    with pytest.raises(InputError):
        read_table(save(tmp_path, "a.npz", bytes(lying)))


# npz, npy and arrays


def test_npz_tables(tmp_path):
    np.savez(
        tmp_path / "a.npz",
        id=np.array([BIG, 1]),
        said=np.array(["ü", "b"]),
        raw=np.array([b"x", b"y"]),
        p=np.array([[0.5, 0.5], [1, 0]], dtype=">f4"),
        day=np.array(["2026-11-16", "NaT"], dtype="M8[D]"),
    )
    frame = read_table(tmp_path / "a.npz")
    assert frame.columns.tolist() == ["id", "said", "raw", "p_0", "p_1", "day"]
    assert frame["id"].tolist() == [BIG, 1]
    assert frame["said"].tolist() == ["ü", "b"]
    assert frame["raw"].tolist() == ["x", "y"]
    assert frame["p_1"].tolist() == [0.5, 0.0]
    assert frame["day"].tolist() == ["2026-11-16", None]


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"a": np.zeros(2), "b": np.zeros(3)}, "arrays of a.npz must be of one length; got {'a': 2, 'b': 3}."),
        ({"a": np.zeros((2, 2, 2))}, "array 'a' of a.npz must be [N] or [N, C], a row per item; got shape (2, 2, 2)."),
        ({"a": np.array(1)}, "array 'a' of a.npz must be [N] or [N, C], a row per item; got shape ()."),
        ({"a": np.array([1j])}, "array 'a' of a.npz must be numbers or text; got dtype complex128."),
        ({"a_0": np.zeros(2), "a": np.zeros((2, 1))}, "columns of a.npz must have distinct names; got 'a_0' twice."),
        ({}, "a.npz must hold at least one array; got none."),
    ],
)
def test_npz_that_is_no_table(tmp_path, arrays, sentence):
    np.savez(tmp_path / "a.npz", **arrays)
    refused(tmp_path / "a.npz", sentence)


def test_arrays_stay_on_disk_or_are_read_by_name(tmp_path):
    emb = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.save(tmp_path / "a.npy", emb)
    array = read_array(tmp_path / "a.npy")
    assert isinstance(array, np.memmap)
    np.testing.assert_array_equal(array, emb)
    np.savez(tmp_path / "one.npz", emb)
    np.testing.assert_array_equal(read_array(tmp_path / "one.npz"), emb)
    np.savez(tmp_path / "two.npz", emb=emb, other=emb + 1)
    np.testing.assert_array_equal(read_array(tmp_path / "two.npz", "other"), emb + 1)
    with pytest.raises(InputError, match=r"two.npz must hold one array; got 2: \['emb', 'other'\]. Say which one"):
        read_array(tmp_path / "two.npz")
    with pytest.raises(InputError, match=r"two.npz must hold an array 'x'; got \['emb', 'other'\]"):
        read_array(tmp_path / "two.npz", "x")


def test_arrays_from_tables(tmp_path):
    save(tmp_path, "a.csv", "x,y\n1,0.5\n2,1e-3\n")
    np.testing.assert_array_equal(read_array(tmp_path / "a.csv"), [[1, 0.5], [2, 0.001]])
    pq.write_table(pa.table({"emb": [[1.0, 2.0], [3.0, 4.0]]}), tmp_path / "a.parquet")
    np.testing.assert_array_equal(read_array(tmp_path / "a.parquet"), [[1, 2], [3, 4]])
    pq.write_table(pa.table({"id": ["b", "a"], "emb": [[1.0, 2.0], [3.0, 4.0]]}), tmp_path / "a.parquet")
    array, ids = read_features(tmp_path / "a.parquet", "id")
    np.testing.assert_array_equal(array, [[1, 2], [3, 4]])
    assert ids == ["b", "a"]
    pq.write_table(pa.table({"emb": [[1.0, 2.0], [3.0]]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="column 'emb' must hold lists of numbers, all of one length"):
        read_array(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("x\n1\nhigh\n", "column 'x' of a.csv must be numbers; got 'high' in row 3."),
        ("x,y\n1,\n2,3\n", "column 'y' of a.csv must be numbers; got nothing in row 2."),
        ('x\n"0,5"\n', "column 'x' of a.csv must be numbers; got '0,5' in row 2. Write decimal points."),
        ("x\n1_000\n", "column 'x' of a.csv must be numbers; got '1_000' in row 2."),
    ],
)
def test_arrays_of_no_numbers(tmp_path, content, sentence):
    with pytest.raises(InputError) as error:
        read_array(save(tmp_path, "a.csv", content))
    assert str(error.value) == sentence


def test_arrays_of_other_kinds(tmp_path):
    np.save(tmp_path / "a.npy", np.array(["x"]))
    with pytest.raises(InputError, match="a.npy must be numbers; got dtype <U1"):
        read_array(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.array(1.0))
    with pytest.raises(InputError, match=r"a.npy must be \[N, ...\], a row per item; got a single number"):
        read_array(tmp_path / "a.npy")
    with pytest.raises(InputError, match=r"must be a file; got no file"):
        read_array(tmp_path / "b.npy")


def test_numbers_are_numbers_in_every_type():
    for column in ([1, 2.5], ["1", "2.5"], np.array([1, 2.5], np.float16), pd.array([1, 2.5], dtype="Float64")):
        assert numbers(column, "x").tolist() == [1, 2.5]
    with pytest.raises(InputError, match="x must be numbers; got nothing in row 1"):
        numbers(pd.array([1, None], dtype="Int64"), "x")


# Writing


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
         "Save it as 'CSV UTF-8'."),
    ],
)  # fmt: skip
def test_what_cannot_be_written(tmp_path, frame, name, sentence):
    columns = {key: pd.Series(cells, dtype=object) for key, cells in frame.items()}
    with pytest.raises(InputError) as error:
        write_table(pd.DataFrame(columns), tmp_path / name)
    assert str(error.value) == sentence
    assert not list(tmp_path.iterdir())


def test_text_too_wide_for_npz(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    with pytest.raises(InputError, match="column 'a' in npz must unpack to at most 1,000 bytes; got 8,000"):
        write_table(pd.DataFrame({"a": ["x" * 1000, "y"]}), tmp_path / "a.npz")


def test_errors_are_in_the_one_tree():
    assert issubclass(InputError, AltmasError)


def test_reading_formats_loads_nothing_heavy():
    program = (
        "import altmas.formats.ingest, altmas.formats.matching, altmas.formats.writing, altmas.formats.label_studio\n"
        "import sys; bad = {'tensorflow', 'sklearn', 'matplotlib', 'polars', 'starlette'} & set(sys.modules)\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, capture_output=True, cwd="/")
