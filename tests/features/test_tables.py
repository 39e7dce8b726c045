"""Tables as numbers: each column by what it holds, and nothing that does not tell items apart."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from altmas.features import tables
from altmas.features.columns import studied
from altmas.features.tables import table_features

N = 60


def of(values, name="x"):
    found = studied(name, pd.Series(values, dtype=object) if isinstance(values, list) else pd.Series(values))
    out = np.zeros((len(values), found.width), np.float32)
    found.fill(out)
    assert np.isfinite(out).all()
    return found, out


@pytest.mark.parametrize(
    "values",
    [
        [f"{i * 1000 + 5:,}" for i in range(N)],
        [f" {i},5 " for i in range(N)],
        [f"${i}" for i in range(0, 2 * N, 2)],
        [f"{i}%" for i in range(0, 2 * N, 2)],
        [i / 7 for i in range(N)],
        [decimal.Decimal(i) / 7 for i in range(N)],
        [f"2020-01-{1 + i // 3:02d}T{i % 3:02d}:00:00Z" for i in range(N)],
        [datetime.date(2020, 1, 1) + datetime.timedelta(days=i) for i in range(N)],
        [f"{1 + i % 28}/{1 + i // 28}/2020" for i in range(N)],
        pd.date_range("2020", periods=N, tz="Europe/Berlin"),
        pd.to_timedelta(np.arange(N), unit="h"),
        pd.period_range("2020-01", periods=N, freq="M"),
        np.linspace(0, 1, N).astype(np.float16),
    ],
)
def test_numbers_and_dates_keep_their_order(values):
    found, out = of(values)
    assert found.why == ""
    assert out.shape == (N, 1)
    assert (np.diff(out[:, 0]) > 0).all()
    assert out.std() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("values", "width"),
    [
        ([np.nan, np.inf, -np.inf, *range(N - 3)], 2),
        ([1e308, -1e308, *(i % 7 for i in range(N - 2))], 1),
        ([f"{i % 9}" for i in range(N - 4)] + ["n/a", "", None, "?"], 2),
        ([str(i % 9) for i in range(N - 2)] + ["about 5", "many"], 1),
        ([True, False] * (N // 2), 1),
        (["yes", "no", ""] * (N // 3), 2),
        (pd.array([True, None, False] * (N // 3), dtype="boolean"), 2),
        ([1, "2", "x", None, True, 3.5] * (N // 6), 6),
        ([7, None] * (N // 2), 1),
        (["9999-12-31", "0001-01-01"] * (N // 2), 1),
        (["2020-99-99", "2020-01-01"] * (N // 2), 1),
        (["a", "b"] * (N // 2), 1),
        (["a", "b", None] * (N // 3), 3),
        ([b"a\xff", b"b"] * (N // 2), 1),
        ([{"a": i % 2} for i in range(N)], 1),
        ([[i, 2.5 * i] for i in range(N)], 2),
        (["\ud800", "\U0001f600", "c"] * (N // 3), 3),
        (pd.Categorical([f"v{i % 20}" for i in range(N)], categories=[f"v{i}" for i in range(10_000)]), 20),
        (np.array([2**63 - 1, -(2**63), 0] * (N // 3)), 1),
    ],
)
def test_blanks_infinities_and_mixed_cells(values, width):
    found, out = of(values)
    assert (found.why, out.shape[1]) == ("", width)
    assert (np.ptp(out, axis=0) > 0).all()


@pytest.mark.parametrize(
    ("values", "name", "why"),
    [
        (["x"] * N, "x", "constant"),
        ([3] * N, "x", "constant"),
        ([None, ""] * (N // 2), "x", "blank"),
        ([np.nan] * N, "x", "blank"),
        ([object() for _ in range(N)], "x", "blank"),
        ([f"{i * 7919:08x}" for i in range(N)], "x", "another value in every row"),
        ([f"images/{i}.png" for i in range(N)], "x", "another value in every row"),
        (range(5, N + 5), "x", "another value in every row"),
        ([i * 17 for i in range(N)], "order_id", "another value in every row"),
    ],
)
def test_what_tells_nothing_is_left_out(values, name, why):
    assert of(list(values), name)[0].why == why


def test_rare_categories_are_one():
    found, out = of(["a"] * 500 + ["b"] * 480 + [f"c{i % 15}" for i in range(20)])
    assert out.sum(0).tolist() == [500, 480, 20]
    found, out = of([f"v{i % 900}" for i in range(2_000)])
    assert found.why == "only rare values"
    assert of([f"v{i % 100}" for i in range(5_000)])[1].shape[1] == 33


def test_a_table_has_its_texts_apart_and_its_order_does_not_matter(rng):
    frame = pd.DataFrame({
        "said": [f"the {w} ship sails {i}" for i, w in enumerate(rng.choice(["red", "old", "new"], 100))],
        "age": rng.normal(size=100),
        "sex": rng.choice(["f", "m", "x"], 100),
    })  # fmt: skip
    found = table_features(frame)
    assert (found.columns, found.text_columns, found.left_out) == (["age", "sex"], ["said"], {})
    order = rng.permutation(100)
    again = table_features(frame.iloc[order])
    assert np.allclose(again.array, found.array[order], atol=1e-6)
    assert table_features(frame, text=["sex"]).text_columns == ["said", "sex"]


def test_a_wide_table_is_made_narrow(rng, monkeypatch):
    monkeypatch.setattr(tables, "WIDEST", 30)
    monkeypatch.setattr(tables, "COMPONENTS", 16)
    frame = pd.DataFrame(rng.normal(size=(50, 40)))
    found = table_features(frame)
    order = rng.permutation(50)
    assert (found.array.shape, found.components) == ((50, 16), True)
    assert np.allclose(table_features(frame.iloc[order]).array, found.array[order], atol=1e-3)
