"""A surface's tables: names of bins, missing values, the order of classes, and attributes with very many values."""

import tracemalloc

import numpy as np
import pytest

from altmas import InputError, Pool
from altmas.core.answers import Answers
from altmas.plots.heat_maps import MarginalDisplay, PairDisplay
from altmas.surfaces.bins import bin_names, quantile_edges
from altmas.surfaces.combinations import Combinations
from altmas.surfaces.membership import membership
from altmas.surfaces.surface import surface_of


def surface(groups, by=None, labelled=None, estimator="beta-i", said=None):
    size = len(next(iter(groups.values())))
    pool = Pool.build([0] * size if said is None else said, groups=groups, classes=None if said else [0, 1])
    items = list(range(size)) if labelled is None else list(labelled)
    labels = [k % 5 == 0 for k in items]
    return surface_of(pool, Answers().extended(items, labels, 0, [1.0] * len(items)), by, estimator=estimator)


@pytest.mark.parametrize(
    ("numbers", "first", "last"),
    [
        (np.arange(18, 81), "18 to <31", "68 to 80"),  # ages
        (94_100 + np.arange(60), "94100 to <94112", "94148 to 94159"),  # postcodes
        (1_702_000_000 + np.arange(60), "1702000000 to <1702000012", "1702000048 to 1702000059"),  # times
        (20_240_101 + np.arange(60), "20240101 to <20240113", "20240149 to 20240160"),  # dates
        (np.arange(-50, 10), "-50 to <-38", "-2 to 9"),
        (np.arange(60) / 60, "0.00 to <0.20", "0.80 to 0.98"),
        (5 + np.arange(60) / 1e7, "5.0000000 to <5.0000012", "5.0000048 to 5.0000059"),
        (1e6 + np.arange(60) + 0.5, "1000000.5 to <1000012.5", "1000048.5 to 1000059.5"),
        (np.array([0.0] * 50 + [1, 2, 2, 2, 3, 4, 4, 5, 6, 6]), "0 to 6", "0 to 6"),
        (np.array([0.0] * 5 + [1] * 5 + [2] * 5 + [9] * 5), "0", "9"),
    ],
)
def test_names_of_bins_say_which_has_the_edge(numbers, first, last):
    names = bin_names(np.asarray(numbers, float), quantile_edges(np.asarray(numbers, float), 5))
    assert (names[0], names[-1]) == (first, last)
    assert len(set(names)) == len(names)
    assert not any("e" in name for name in names)


def test_names_of_bins_are_unique_for_any_numbers(rng):
    for _ in range(300):
        centre, width = 10.0 ** rng.uniform(-12, 18), 10.0 ** rng.uniform(-14, 14)
        numbers = centre * rng.choice([-1, 1]) + width * rng.standard_normal(40)
        edges = quantile_edges(numbers, 5)
        names = bin_names(numbers, edges)
        assert len(set(names)) == len(names) == len(edges) + 1


def test_a_number_on_an_edge_is_where_the_name_says():
    ages = list(range(18, 81))
    (age,) = Combinations.build({"age": ages}).attributes
    assert [age.values[code] for code in age.codes([30, 31, 80])] == ["18 to <31", "31 to <43", "68 to 80"]


def test_missing_values_are_a_value_and_leave_the_others_as_they_are():
    groups = {"hats": [None, 0, 1, 0] * 10, "side": list("abab") * 10}
    found = surface(groups)
    assert found.table["hats"].tolist() == [0, 1, "(missing)"]
    assert {type(one) for one in found.table["hats"]} == {int, str}
    hats = found.marginal("hats")
    assert hats["hats"].tolist() == [0, 1, "(missing)"]
    assert hats["support"].tolist() == [20, 10, 10]
    assert MarginalDisplay.from_surface(found, "hats").names == ("0", "1", "(missing)")
    pair = PairDisplay.from_surface(found, "hats", "side")
    assert pair.rows == ("0", "1", "(missing)")
    assert pair.labels.sum() == 40
    assert found.worst(9)["arm"].str.contains("hats=(missing)", regex=False).sum() == 1


def test_classes_are_in_the_pools_order_and_keep_their_type():
    said = [k % 12 for k in range(120)]
    pool = Pool.build(said, groups={"side": ["a", "b"] * 60})
    where = membership(pool, "class")
    assert where.arms.attributes[0].values == tuple(range(12))
    named = Pool.build(["low", "high", "mid", "none"], classes=["low", "mid", "high", "top"])
    assert membership(named, "class").arms.attributes[0].values == ("low", "mid", "high", "(no class)")
    mine = Pool.build(said, groups={"class": [f"{k % 3}" for k in range(120)]})
    assert membership(mine, "class").arms.attributes[0].values == ("0", "1", "2")


def test_nan_in_a_file_is_as_good_as_blank():
    ages = [str(k) for k in range(20, 60)]
    pool = Pool.build([0] * 43, groups={"age": [*ages, "nan", "", "(missing)"]}, classes=[0, 1])
    where = membership(pool, "age")
    assert where.arms.attributes[0].values[-1] == "(missing)"
    assert where.support[-1] == 3


def test_what_looks_like_an_id_is_refused_and_a_thousand_classes_are_not():
    ids = {"patient": [f"p{k}" for k in range(2001)]}
    rule = "attribute patient must have at most 2,000 values; got 2,001. It looks like an id: leave it out, or group"
    with pytest.raises(InputError, match=rule):
        membership(Pool.build([0] * 2001, groups=ids, classes=[0, 1]))
    classes = Pool.build([f"n{k % 1000}" for k in range(3000)] + ["?"], classes=[f"n{k}" for k in range(1000)])
    assert membership(classes, "class").arms.size == 1001
    many = {name: [f"{(k * step) % 1500}" + "x" for k in range(30_000)] for name, step in (("a", 1), ("b", 7))}
    with pytest.raises(InputError, match="attributes must make a table of at most 25,000,000 numbers"):
        Combinations.build({**many, "c": [f"{k % 17}y" for k in range(30_000)]})


def test_memory_follows_the_arms_and_not_their_square():
    """2,000 values: a table of arms by cells alone would be 32 MB each, with two values beside 128 MB."""
    groups = {"k": [f"v{k % 2000}" for k in range(12_000)], "b": [f"{k // 3 % 2}" for k in range(12_000)]}
    found = surface(groups, labelled=range(0, 12_000, 40))
    tracemalloc.start()
    table = found.marginal("k", "b")
    assert found.widest() == [("k", "b")]
    features = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(table) == 4000
    assert table["labels"].sum() == 300
    assert features < 4 * found.draws.nbytes + 5e6
