"""Accuracy surfaces through the product: counts, the surface's tables, `assess`, the method, audits, and refusals."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.certified.result import CertifiedResult
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from altmas.plots.heat_maps import MarginalDisplay, PairDisplay, plot_surface
from altmas.reports.facts_tables import surface_facts
from altmas.reports.figures import one_scale
from altmas.surfaces.counts import arm_counts
from altmas.surfaces.membership import membership
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.surface import surface_of
from altmas.testing import CountingOracle
from altmas.words.surfaces import surface_verdict
from worlds.surfaces import FEW_STEPS, QUICK, world


@pytest.fixture(scope="module")
def found():
    said, scores, groups, truth = world()
    asked = {"task": "surface", "by": "sex,race", "estimator": "beta-i", "metrics": "accuracy"}
    return altmas.assess(said, scores, groups=groups, oracle=truth, **asked, **QUICK)


def test_the_table_of_a_surface(found):
    table = found.surface
    assert table.columns.tolist() == ["sex", "race", "support", "labels", "estimate", "low", "high", "p_worst"]
    assert (len(table), table["support"].sum(), table["labels"].sum()) == (6, 400, 80)
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()
    assert table["p_worst"].sum() == pytest.approx(1)
    assert found.verdict in repr(found)
    assert found.fitted.promise == "95% credible under the surface's prior"


def test_certified_labels_are_weighted_and_still_estimate_the_whole(found):
    said, scores, groups, truth = world()
    alone = altmas.assess(said, scores, groups=groups, oracle=truth, metrics="accuracy", **QUICK)
    assert isinstance(found.whole, CertifiedResult)
    pd.testing.assert_frame_equal(found.estimates, alone.estimates)
    log, chances = found.answers, found.whole.findings.inclusion
    items = log["position"].to_numpy()
    counts = arm_counts(found.fitted.where.belongs, 6, items, said[items] == truth[items], chances)
    np.testing.assert_allclose(found.fitted.counts.right, counts.right)
    assert np.abs(counts.right + counts.wrong - counts.labels).max() > 0.5
    again = altmas.surface_from_log(found.pool, log, ["sex", "race"], estimator="beta-i")
    assert again.table["labels"].tolist() == found.surface["labels"].tolist()
    # One scale for all arms instead of one each: the same shares.
    share, other = (one.counts.right / (one.counts.right + one.counts.wrong) for one in (again, found.fitted))
    np.testing.assert_allclose(share, other)


def test_worst_and_marginals(found):
    surface = found.fitted
    worst = surface.worst(2)
    assert len(worst) == 2
    assert worst["p_worst"][0] == found.surface["p_worst"].max()
    assert worst["arm"][0] == "sex=f, race=c"
    assert (worst["p"] >= worst["p_worst"]).all()
    assert (surface.worst(100)["p"] == 1).all()
    every = surface.marginal("sex", "race")
    np.testing.assert_allclose(every["estimate"], found.surface["estimate"])
    for names in (["sex"], ["race"], ["race", "sex"]):
        table = surface.marginal(*names)
        assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()
        whole = np.average(table["estimate"], weights=table["support"])
        assert whole == pytest.approx(np.average(every["estimate"], weights=every["support"]))
        assert table["labels"].sum() == 80
    assert surface.widest() == [("sex", "race")]
    with pytest.raises(altmas.InputError, match="attribute must be one of sex, race; got 'hat'"):
        surface.marginal("hat")


def drawn_surface(draws, labels=1, least=1, items=1):
    """A surface with draws of our own, an arm per column."""
    draws = np.asarray(draws, dtype=float)
    arms = draws.shape[1]
    names = [f"v{k:02}" for k in range(arms)]
    pool = Pool.build([0] * (arms * items), groups={"k": names * items}, classes=[0, 1])
    answers = Answers().extended(list(range(labels)), [0] * labels, 0, [1.0] * labels)
    made = surface_of(pool, answers, "k", estimator=SurfaceRecipe("beta-i", least=least))
    mean = draws.mean(0)
    return replace(made, draws=draws, posterior=replace(made.posterior, mean=mean, low=draws.min(0), high=draws.max(0)))


@pytest.mark.parametrize("order", ["poor first", "poor last"])
def test_arms_that_tie_for_the_last_places_share_them(order, monkeypatch):
    monkeypatch.setattr("altmas.core.ranking._NUMBERS_AT_ONCE", 30)  # more than one block
    draws = np.array([[0.1, 0.2, *[1.0] * 18], [0.3, 0.2, *[1.0] * 18]])
    draws = draws if order == "poor first" else draws[:, ::-1]
    found = drawn_surface(draws).worst(10)
    assert len(found) == 10
    assert found["p"].tolist() == pytest.approx([1, 1, *[8 / 18] * 8])
    assert drawn_surface(draws).worst(20)["p"].tolist() == [1] * 20


def test_the_likeliest_worst_leads_and_chances_order_the_others():
    """v03 is worst in four of ten draws and best in the others; the rest take turns."""
    draws = np.tile([0.5, 0.6, 0.7, 0.9], (10, 1))
    draws[:4, 3] = 0.1
    draws[4:7, :2] = [0.6, 0.5]
    found = drawn_surface(draws)
    two = found.worst(2)
    assert two["arm"].tolist() == ["k=v03", "k=v00"]
    assert two["p"].tolist() == [0.4, 1.0]  # and v01, with 0.6, is left out
    assert found.worst(3)["arm"].tolist() == ["k=v03", "k=v00", "k=v01"]
    assert found.verdict.startswith("Which combination is worst is not settled yet: k=v03 (")
    facts = surface_facts(found)["arms"]
    assert [row["p_worst"] for row in facts] == pytest.approx([0.4, 0.3, 0.3, 0])


def test_a_verdict_says_when_one_of_many_is_judged():
    groups = {"side": ["a"] * 20 + ["b"] * 2 + ["c"] * 2}
    pool = Pool.build([0] * 24, groups=groups, classes=[0, 1])
    answers = Answers().extended([0, 1], [0, 0], 0, [1.0] * 2)
    found = {least: surface_of(pool, answers, estimator=SurfaceRecipe("beta-i", least=least)) for least in (5, 90)}
    assert found[5].verdict.startswith("Only one of 3 combinations has enough items to be judged: side=a (right in ")
    assert found[90].verdict.startswith("Only the largest of 3 combinations is judged: side=a (right in ")


def test_small_arms_take_no_part_in_being_worst():
    groups = {"side": ["a"] * 20 + ["b"] * 20 + ["c"] * 2}
    pool = Pool.build([0] * 42, groups=groups, classes=[0, 1])
    answers = Answers().extended([0, 1, 20, 21, 40, 41], [0, 0, 0, 1, 1, 1], 0, [1.0] * 6)
    table = surface_of(pool, answers, estimator="beta-i").table
    assert table["p_worst"].isna().tolist() == [False, False, True]
    judged = surface_of(pool, answers, estimator=SurfaceRecipe("beta-i", least=2)).table
    assert judged["p_worst"].idxmax() == 2
    tiny = surface_of(pool, answers, estimator=SurfaceRecipe("beta-i", least=100)).table
    assert tiny["p_worst"].isna().tolist() == [False, False, True]  # the largest, where none is so large


def test_a_verdict_counts_all_that_are_judged():
    pool = Pool.build([0] * 200, groups={"k": [f"v{i % 40}" for i in range(200)]}, classes=[0, 1])
    answers = Answers().extended([0], [0], 0, [1.0])
    assert "or one of 36 others." in surface_of(pool, answers, "k", estimator="beta-i").verdict
    row = {"labels": 9, "estimate": 0.7, "low": 0.6, "high": 0.8}
    for left, others in ((0.05, ""), (0.2, "or one of 2 others")):
        chances = [0.6, *[(0.4 - left) / 3] * 3, *[left / 2] * 2]
        said = surface_verdict([{**row, "arm": f"k={k}", "p_worst": p} for k, p in enumerate(chances)])
        assert ("others" in said) == bool(others)
        assert others in said


@pytest.mark.parametrize("estimator", ["beta-i", "cpredictor", pytest.param("betagp-slp", marks=pytest.mark.slow)])
def test_one_label_one_value(estimator):
    recipe = SurfaceRecipe(estimator, settings=FEW_STEPS)
    pool = Pool.build([0] * 20, groups={"side": ["a"] * 20, "top": list("xy") * 10}, classes=[0, 1])
    one = Answers().extended([3], [0], 0, [0.05])
    alone = surface_of(pool, one, "side", estimator=recipe)
    assert alone.verdict.startswith("There is one combination only: side=a (right in ")
    assert 0.5 < alone.table["estimate"][0] < 1
    both = surface_of(pool, one, "side,top", estimator=recipe).table
    assert both["labels"].tolist() == [0, 1]
    assert (both["high"] > both["low"]).all()


def test_attributes_by_name():
    said, scores, groups, _ = world()
    pool = Pool.build(said, scores=scores, groups={**groups, "year": [f"{age}" for age in groups["age"]]})
    assert membership(pool, "sex,race").arms.size == membership(pool, ["sex", "race"]).arms.size == 6
    assert membership(pool, "age").arms.size == 5  # numbers are cut
    assert membership(pool, "year").arms.size == 5  # also those a CSV file made text of
    assert membership(pool, "class,sex").arms.name(1) == "class=0, sex=m"
    assert membership(pool).arms.names == ("sex", "race", "age", "year")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"by": "hat"}, "by must be attributes of the pool: sex, race, age, class; got 'hat'."),
        ({"by": []}, "by must name at least one attribute for a surface; got none. There are sex, race, age."),
        ({"by": "sex,sex"}, "by must name each attribute once; got sex, sex."),
        ({"by": 3}, "by must be names of attributes; got 3."),
        ({"groups": None}, "by must name at least one attribute for a surface; got none. Give groups="),
        ({"groups": None, "by": "sex"}, "got 'sex'. The pool has no groups."),
        ({"groups": {"labels": ["x"] * 400}}, "attributes of a surface must not be called .*; got labels."),
        ({"estimator": "magic"}, "estimator of a surface must be one of beta-i, .*; got 'magic'."),
        ({"estimator": "beta-i", "task": "estimate"}, "task 'estimate' must be about by, bins; got 'estimator'."),
        ({"task": "surfaces", "estimator": "beta-i"}, "task must be one of estimate, .*, best; got 'surfaces'."),
        (
            {"task": "estimate", "by": ["sex", "race"]},
            "by must come with task='surface' or a group method; got method 'certified'.",
        ),
        ({"method": "surface", "metrics": "alt_mas_3"}, "metrics must be accuracy or error_rate for method 'surface'"),
        ({"method": "surface", "task": "identify"}, "method must be one of the group methods for task 'identify'"),
        ({"predictions": {"a": [0] * 400, "b": [1] * 400}}, "predictions must be one model's for a surface; got 2"),
        ({"level": 2}, "level must be a number between 0 and 1"),
    ],
)
def test_what_is_refused_costs_no_label(arguments, sentence):
    said, _, groups, truth = world()
    oracle = CountingOracle(truth)
    call = {"predictions": said, "groups": groups, "task": "surface", "classes": [0, 1], **QUICK, **arguments}
    with pytest.raises(altmas.InputError, match=sentence):
        altmas.assess(oracle=oracle, **call)
    assert oracle.asked == []


def test_pictures(found):
    surface = found.fitted
    pair = PairDisplay.from_surface(surface, "sex", "race")
    assert (pair.attributes, pair.rows, pair.columns) == (("race", "sex"), ("a", "b", "c"), ("f", "m"))
    ax = pair.plot()
    assert [text.get_text() for text in ax.texts][1].startswith("n ")
    rows = pd.DataFrame({"hat": ["n", "y"], "age": [1, 2], "support": 9, "labels": 3, "estimate": [0.8, 0.6]})
    holes = PairDisplay.from_table(rows, "hat", "age").plot()
    assert [bool(patch.get_hatch()) for patch in holes.patches] == [False, True, True, False]
    shades = [patch.get_alpha() for patch in holes.patches if not patch.get_hatch()]
    assert shades[1] > shades[0]  # the less accurate, the stronger
    drawn = plot_surface(surface)
    assert drawn.get_title(loc="left").startswith("accuracy")
    assert drawn.get_figure().get_supxlabel().startswith("stronger colour: less accurate, ")
    many = pd.DataFrame({"k": range(40), "support": range(40), "labels": 1.5, "estimate": 0.5, "low": 0.4, "high": 0.6})
    shown = MarginalDisplay.from_table(many, "k")
    assert (shown.names[0], len(shown.names), shown.left_out) == ("28", 12, 28)
    assert "28 rarer values left out" in shown.plot().get_xlabel()


def test_a_heat_map_says_which_values_are_left_out_and_what_has_no_labels():
    cells = [(hat, age) for hat in "ny" for age in range(15)]
    rows = pd.DataFrame(cells, columns=["hat", "age"]).assign(support=9, labels=3, estimate=0.8)
    rows.loc[0, ["labels", "estimate"]] = 0, 0.4
    shown = PairDisplay.from_table(rows, "hat", "age")
    assert (shown.attributes, shown.left_out) == (("age", "hat"), (3, 0))
    ax = shown.plot()
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("age; 3 rarer values left out", "hat")
    first, second = ax.texts[0], ax.texts[2]
    assert (first.get_text(), first.get_style()) == ("(40%)", "italic")
    assert (second.get_text(), second.get_style()) == ("80%", "normal")
    shade, brackets = shown.notes
    assert shade == "stronger colour: less accurate, 40% to 80%"
    assert ax.get_figure().get_supxlabel() == f"{shade}\n{brackets}"
    labelled = PairDisplay.from_table(rows[rows["labels"] > 0], "hat", "age")
    assert labelled.notes == ["stronger colour: less accurate"]
    beside = labelled.plot(ax.get_figure().add_subplot())
    assert beside.get_xlabel() == "hat\nstronger colour: less accurate"
    faint, _ = one_scale([labelled, shown])
    assert faint.plot(noted=False).patches[2].get_alpha() == ax.patches[2].get_alpha()


def test_a_kernel_may_see_features_of_your_own():
    pool = Pool.build([0] * 40, groups={"side": ["a", "b", "c", "d"] * 10}, classes=[0, 1])
    labels = [0 if k % 4 < 2 else 1 for k in range(20)]
    answers = Answers().extended(list(range(20)), labels, 0, [1.0] * 20)
    alike = SurfaceRecipe("cpredictor", features=[[0.0], [0.0], [1.0], [1.0]])
    estimates = surface_of(pool, answers, "side", estimator=alike).table["estimate"]
    assert estimates[0] == estimates[1] > estimates[2] == estimates[3]
    with pytest.raises(InputError, match="features of a surface must be a row per arm, 4; got 2 rows"):
        surface_of(pool, answers, "side", estimator=SurfaceRecipe("cpredictor", features=[[0.0], [1.0]]))
