"""Whatever is passed as an argument: an answer or a sentence, never a traceback. Numbers of any width match."""

import contextlib
import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import altmas
from altmas.core.pool import Pool
from worlds.cats_and_dogs import SAID, SCORES, N

ODD = {
    "an array without axes": lambda: np.array(3),
    "a number": lambda: 3,
    "a set": lambda: {"cat", "dog"},
    "a mapping of odd things": lambda: {"a": 3, "b": None},
    "bytes": lambda: b"abc",
    "a bytearray": lambda: bytearray(b"x" * N),
    "rows of different length": lambda: [[1], [1, 2]] * (N // 2),
    "masked": lambda: np.ma.array([1, 2] * (N // 2), mask=[1, 0] * (N // 2)),
    "dates": lambda: np.array(["2020-01-01", "2021-01-01"] * (N // 2), "M8[ns]"),
    "no dates": lambda: np.array(["NaT", "2021-01-01"] * (N // 2), "M8[ns]"),
    "Python's dates": lambda: [datetime.date(2020, 1, 1)] * N,
    "structured": lambda: np.zeros(N, [("a", "f8"), ("b", "i4")]),
    "complex": lambda: np.ones(N, complex),
    "a cube": lambda: np.zeros((N, 2, 2)),
    "no columns": lambda: np.zeros((N, 0)),
    "nothing": lambda: [],
    "a function": lambda: len,
    "objects": lambda: [object() for _ in range(N)],
    "numbers without end": lambda: [10**400, 1] * (N // 2),
    "decimals": lambda: [decimal.Decimal("0.5")] * N,
    "a generator": lambda: (one for one in SAID),
    "an index of levels": lambda: pd.Series(SAID, index=pd.MultiIndex.from_product([range(2), range(N // 2)])),
    "columns of levels": lambda: pd.DataFrame(np.ones((N, 1)), columns=pd.MultiIndex.from_tuples([("a", "b")])),
    "gaps": lambda: pd.array([1, None] * (N // 2), dtype="Int64"),
    "polars": lambda: pl.DataFrame({"a": SAID, "b": SAID}),
    "polars, lazy": lambda: pl.DataFrame({"a": SAID}).lazy(),
    "arrow": lambda: pa.table({"cat": SCORES[:, 0], "dog": SCORES[:, 1]}),
    "arrow's column": lambda: pa.chunked_array([SAID]),
}
PLACES = {
    **{name: lambda odd, name=name: {name: odd} for name in ("predictions", "scores", "features", "groups", "ids")},
    **{name: lambda odd, name=name: {name: odd} for name in ("classes", "oracle")},
    "one of several models": lambda odd: {"predictions": {"ours": odd}},
    "one of several groups": lambda odd: {"groups": {"region": odd}},
    "an opinion": lambda odd: {"opinions": {"other": odd}},
    "confidence of an opinion": lambda odd: {"opinions": {"other": (SAID, odd)}},
}
USUAL = {"predictions": SAID, "oracle": SAID, "method": "random", "budget": 20, "initial": 10, "progress": False}


@pytest.mark.filterwarnings("ignore:scores are:UserWarning")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("odd", ODD)
def test_odd_values_are_answered_or_refused(odd, place):
    with contextlib.suppress(altmas.InputError):
        altmas.assess(**USUAL | PLACES[place](ODD[odd]()) | {"metrics": "accuracy"})


@pytest.mark.parametrize(
    ("odd", "place", "sentence"),
    [
        (
            "an array without axes",
            "predictions",
            "predictions must be one-dimensional, one value per item; got",
        ),
        ("an array without axes", "groups", "groups must be one-dimensional, one value per item; got shape ()."),
        ("a set", "predictions", "predictions must have an order; got a set. A list has one."),
        ("a set", "classes", "classes must have an order; got a set. A list has one."),
        ("a bytearray", "predictions", "predictions must be one value per item; got bytearray(b'xxx"),
        ("masked", "predictions", "predictions must have no masked values; got rows 0, 2, 4, 6, 8 and 15 more."),
        ("masked", "features", "features must have no masked values; got rows 0, 2, 4, 6, 8 and 15 more."),
        ("rows of different length", "features", "features must be numbers, in rows of one length; got list."),
        ("rows of different length", "an opinion", "opinion 'other' must be hashable and not NaN; got rows 0, 1, 2"),
        ("dates", "scores", "scores must be numbers; got dtype datetime64[ns]."),
        ("complex", "scores", "scores must be numbers; got dtype complex128."),
        ("numbers without end", "features", "features must be numbers; got list."),
        ("structured", "features", "features must be numbers; got dtype [('a', '<f8'), ('b', '<i4')]."),
    ],
)
def test_odd_values_have_their_sentence(odd, place, sentence):
    with pytest.raises(altmas.InputError) as caught:
        altmas.assess(**USUAL | PLACES[place](ODD[odd]()))
    assert str(caught.value).startswith(sentence)


def test_what_can_be_read_once_and_columns_of_arrow_are_read_like_lists():
    usual = altmas.assess(**USUAL).estimates
    for given in ((one for one in SAID), pa.array(SAID), pl.DataFrame({"a": SAID}).lazy()):
        found = altmas.assess(**USUAL | {"predictions": given}).estimates
        pd.testing.assert_frame_equal(found, usual)
    assert Pool.build(SAID, scores=ODD["arrow"]()).scores.tolist() == SCORES.tolist()


SINGLE, DOUBLE = np.array([0.1, 1 / 3], np.float32), np.array([0.1, 1 / 3])


@pytest.mark.parametrize(("said", "truth"), [(SINGLE, DOUBLE), (DOUBLE, SINGLE), (SINGLE.astype(float), DOUBLE)])
@pytest.mark.parametrize("declared", [None, "said", "truth"])
def test_fractions_of_any_width_are_one_class(said, truth, declared):
    classes = {None: None, "said": list(said), "truth": list(truth)}[declared]
    half = N // 2
    call = USUAL | {"predictions": np.tile(said, half), "classes": classes, "metrics": "accuracy", "budget": N}
    for oracle in (np.tile(truth, half), lambda item: truth[item % 2]):
        if declared is None and callable(oracle):
            continue
        assert altmas.assess(**call | {"oracle": oracle}).estimates["estimate"].tolist() == [1.0]


def test_whole_numbers_of_any_kind_are_one_class():
    said = np.array([1.0, 2.0] * (N // 2), np.float32)
    for truth in (np.array([1, 2] * (N // 2)), [1, 2.0] * (N // 2), np.array([1, 2] * (N // 2), np.uint8)):
        found = altmas.assess(**USUAL | {"predictions": said, "oracle": truth, "metrics": "accuracy", "budget": N})
        assert found.estimates["estimate"].tolist() == [1.0]
    large = Pool.build([16777216.0, 16777217.0])  # single precision has no number between
    assert large.classes == (16777216.0, 16777217.0)


def test_classes_that_only_double_precision_tells_apart_stay_apart_where_they_are_declared():
    pool = Pool.build([0.1, 0.1000000001, 0.10000000149011612], classes=[0.1, 0.1000000001])
    assert pool.predictions.tolist() == [0, 1, 2]


def test_an_audit_takes_a_fraction_of_any_width(tmp_path):
    with altmas.Audit.create(tmp_path / "audit", Pool.build(np.tile(SINGLE, 20)), metrics=["accuracy"]) as audit:
        for query in audit.ask(2):
            audit.tell(query.id, DOUBLE[query.position % 2])
        with pytest.raises(altmas.InputError, match="label must be one of the classes"):
            audit.tell(query.id, [0.1])


def test_a_log_takes_a_fraction_of_any_width():
    pool = Pool.build(np.tile(SINGLE, 20))
    logs = [pd.DataFrame({"id": range(10), "label": np.tile(one, 5), "inclusion": 0.25}) for one in (SINGLE, DOUBLE)]
    single, double = (altmas.estimate_from_log(pool, log, "accuracy") for log in logs)
    pd.testing.assert_frame_equal(single, double)
