"""Parquet, Arrow, polars and pandas tables."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from altmas.formats.tables import read_table
from worlds.formats import BIG, refused


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
