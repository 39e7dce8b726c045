"""The bounds leave room for what people really have."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from altmas.core.limits import few_classes, few_columns, fits
from altmas.core.pool import Pool
from altmas.formats.arrays import read_array
from altmas.formats.tables import read_table
from altmas.metrics.errors import InputError


def test_real_sizes_fit():
    rows, columns = 10_000_000, 100
    fits("vendor.parquet", 8 * rows * columns, packed=8 * rows * columns // 10)
    few_columns("scores", 21_843)  # every class of a large set of images
    few_classes(1000, 1_000_000)
    few_classes(10_000, 100_000)
    few_classes(2, 10**10)


def test_a_repetitive_file_is_read(tmp_path):
    """Two million equal texts and numbers are nothing unusual: small files may grow a hundredfold and more."""
    count = 2_000_000
    table = pa.table({"id": np.arange(count), "said": ["cat"] * count, "p": np.ones(count)})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd")
    frame = read_table(tmp_path / "a.parquet")
    assert frame["said"].tolist() == ["cat"] * count
    assert frame["id"].tolist() == list(range(count))


def test_an_array_on_disk_may_be_larger_than_any_bound(tmp_path):
    with open(tmp_path / "a.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (10**6, 3000)})
        file.truncate(file.tell() + 12 * 10**9)
    assert read_array(tmp_path / "a.npy").shape == (10**6, 3000)


def test_a_class_for_every_item_is_refused_before_a_table_of_them_is_made():
    with pytest.raises(InputError, match=r"classes must be at most 1,073; got 1,000,000 for 1,000,000 items\."):
        Pool.build(range(1_000_000))
    with pytest.raises(InputError, match=r"classes must be at most 10,000; got 20,000 for 3 items\."):
        Pool.build([0, 1, 2], classes=range(20_000))
