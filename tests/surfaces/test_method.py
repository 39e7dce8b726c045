"""The method that asks where a surface is least sure."""

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.catalogue import make_method
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.surfaces.membership import membership
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.surface import surface_of
from altmas.testing import check_method
from worlds.surfaces import FEW_STEPS, QUICK, world


def test_options_of_the_method_are_checked():
    for options, sentence in (
        ({"explore": "greed"}, "explore must be one of variance, random, round-robin; got 'greed'."),
        ({"batch": 0}, "batch must be an int >= 1; got 0."),
        ({"speed": 3}, "options of method 'surface' must be among .*; got 'speed'"),
    ):
        with pytest.raises(altmas.InputError, match=sentence):
            make_method("surface", **options)
    pool = Pool.build([0, 1], groups={"side": ["a", "b"]})
    with pytest.raises(altmas.InputError, match="be a membership of this pool's 2 items; got one of 400"):
        membership(pool, membership(Pool.build(world()[0], groups=world()[2]), "sex"))
    with pytest.raises(altmas.InputError, match="answers must hold at least one label; got none"):
        surface_of(pool, Answers(), "side", estimator="beta-i")


@pytest.mark.parametrize("explore", ["variance", "random", "round-robin"])
def test_the_method_keeps_the_contract(explore):
    check_method(make_method("surface", estimator="beta-i", explore=explore), metrics=("accuracy", "error_rate"))


@pytest.mark.slow  # every run traces processes of its own
def test_the_method_keeps_the_contract_with_gaussian_processes():
    check_method(make_method("surface", settings=FEW_STEPS, by="side"), metrics=("error_rate",))


def test_the_default_estimator_explores():
    said, _, groups, truth = world(100)
    method = make_method("surface", settings=FEW_STEPS, by="sex,race", batch=6)
    result = altmas.assess(said, groups=groups, oracle=truth, method=method, budget=32, initial=20, progress=False)
    assert result.history["labels"].tolist() == [20, 26, 32]
    table = result.surface
    assert (table["labels"] >= 2).all()
    assert ((table["low"] < table["estimate"]) & (table["estimate"] < table["high"])).all()
    assert result.estimates["promise"][0].startswith("spread of 2,000 draws, not coverage")
    assert result.fitted.promise == "95% credible under the surface's prior"
    assert table["p_worst"].sum() == pytest.approx(1)


class Spy:
    """An estimator that counts."""

    def __init__(self, real):
        self.real, self.fits, self.updates = real, 0, 0

    def fit(self, right, wrong, *, rng):
        self.fits += 1
        self.real.fit(right, wrong, rng=rng)
        return self

    def update(self, right, wrong):
        self.updates += 1
        self.real.update(right, wrong)
        return self

    def __getattr__(self, name):
        return getattr(self.real, name)


def test_the_method_asks_where_it_is_least_sure_and_updates(monkeypatch):
    spies, make = [], SurfaceRecipe.make
    monkeypatch.setattr(SurfaceRecipe, "make", lambda *a: spies.append(Spy(make(*a))) or spies[-1])
    said, _, groups, truth = world()
    method = make_method("surface", estimator="beta-i", by="race")
    result = altmas.assess(said, groups=groups, oracle=truth, method=method, budget=100, initial=40, progress=False)
    assert [(spy.fits, spy.updates) for spy in spies] == [(1, 5)]
    assert result.history["labels"].tolist() == [40, 52, 64, 76, 88, 100]  # batches of twelve
    assert result.estimates["metric"].tolist() == ["accuracy"]
    first = altmas.assess(said, groups=groups, oracle=truth, method="random", budget=40, initial=40, progress=False)
    assert result.answers["id"].tolist()[:40] == first.answers["id"].tolist()
    # Rounds go to all three arms, four each: then arms are equally sure but for their accuracy.
    later = result.answers["position"].to_numpy()[40:]
    assert pd.Series(groups["race"][later]).value_counts().tolist() == [20, 20, 20]
    assert result.answers["propensity"].between(0, 1, inclusive="right").all()


def test_exploration_finds_rare_arms():
    """Six arms of very different size: variance asks about all of them, random sampling follows their size."""
    rng = np.random.default_rng(0)
    side = rng.choice(list("abcdef"), 1000, p=[0.6, 0.3, 0.04, 0.03, 0.02, 0.01])
    truth = rng.integers(2, size=1000)
    call = {"groups": {"side": side}, "oracle": truth, "estimator": "beta-i", "task": "surface", "budget": 100}
    call |= {"initial": 20, "progress": False, "metrics": "accuracy"}
    said = np.where(rng.random(1000) < 0.7, truth, 1 - truth)
    asked = {m: altmas.assess(said, method=m, **call).surface["labels"].min() for m in ("surface", "random")}
    assert asked["surface"] >= 8
    assert asked["random"] <= 4


def test_a_method_that_does_not_know_its_chances_says_so():
    said, scores, groups, truth = world()
    call = {
        "predictions": said,
        "scores": scores,
        "groups": groups,
        "oracle": truth,
        "estimator": "beta-i",
        "by": "sex",
    }
    for method, careful in (("stratified", True), ("thompson", True), ("random", False), ("ppi", False)):
        promise = altmas.assess(**call, method=method, task="surface", **QUICK).fitted.promise
        assert (f"which '{method}' does not do" in promise) == careful
