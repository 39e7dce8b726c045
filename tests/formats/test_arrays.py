"""npz, npy, and tables read as arrays."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from altmas.formats.arrays import read_array, read_features
from altmas.formats.columns import numbers
from altmas.formats.tables import read_table
from altmas.metrics.errors import InputError
from worlds.formats import BIG, refused, save


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
