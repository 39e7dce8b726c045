"""Which chances a surface takes its labels to have had, what it promises, and where it says that it does not know."""

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.audits.audit import Audit
from altmas.catalogue import make_method
from altmas.commands.keeping import labels_table
from altmas.core.pool import Pool
from altmas.surfaces.chances import explored_chances
from altmas.surfaces.combinations import Combinations
from altmas.surfaces.counts import arm_counts
from altmas.surfaces.exploration import arm_keys, arm_order, choose_queries, query_chances
from altmas.surfaces.membership import Membership, membership
from altmas.surfaces.method import open_right
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.surface import surface_from_log
from altmas.surrogates.surface.affiliation import Affiliation
from worlds.surfaces import QUICK, world

RANDOM = "as if the labels of each arm were drawn at random"


def explored_pool(size=1000, seed=0):
    """Side b, a fifth of the items, is right in half; side a in nine of ten. Hats have nothing to do with it."""
    rng = np.random.default_rng(seed)
    side, hat = rng.choice(["a", "b"], size, p=[0.8, 0.2]), rng.choice(["no", "yes"], size)
    right = rng.random(size) < np.where(side == "b", 0.5, 0.9)
    return Pool.build([0] * size, groups={"side": side, "hat": hat}, classes=[0, 1]), side, right


def test_labels_explored_over_some_attributes_are_weighted_over_others():
    """Most labels from the side that errs, read by hat: plain counts are 10 points off, weighted ones are not.

    300 samples: a mean lies beyond 4 of its standard errors in 6 of 100,000 runs, here of two hats.
    """
    pool, side, right = explored_pool()
    by_side, by_hat = membership(pool, "side"), membership(pool, "hat")
    truth = np.array([right[pool.groups["hat"] == value].mean() for value in ("no", "yes")])
    rng, errors = np.random.default_rng(1), {"plain": [], "weighted": []}
    for _ in range(300):
        items = np.concatenate([rng.choice(np.flatnonzero(side == one), 60, replace=False) for one in "ab"])
        found = explored_chances(by_side, by_hat, items)
        assert not found.caution
        for name, inclusion in (("plain", None), ("weighted", found.inclusion)):
            counts = arm_counts(by_hat.belongs, 2, items, right[items], inclusion)
            errors[name].append(counts.right / (counts.right + counts.wrong) - truth)
    weighted = np.array(errors["weighted"])
    assert (np.abs(weighted.mean(0)) < 4 * weighted.std(0) / np.sqrt(300)).all()
    assert (np.mean(errors["plain"], axis=0) < -0.1).all()


def test_the_arms_explored_and_finer_ones_count_plainly():
    pool, _, _ = explored_pool(200)
    items, right = np.arange(0, 200, 3), np.ones(67)
    for by in ("side", "hat,side"):
        where = membership(pool, by)
        found = explored_chances(membership(pool, "side"), where, items)
        one, other = (arm_counts(where.belongs, where.arms.size, items, right, p) for p in (None, found.inclusion))
        np.testing.assert_allclose(one.right, other.right)
        assert not found.caution


def test_arms_explored_without_labels_are_a_caution_where_they_matter():
    pool, side, _ = explored_pool(200)
    by_side, items = membership(pool, "side"), np.flatnonzero(side == "a")[:30]
    assert not explored_chances(by_side, membership(pool, "side,hat"), items).caution
    mixed = explored_chances(by_side, membership(pool, "hat"), items)
    assert mixed.caution == "as if the 1 explored combination without labels were like the others"
    assert np.isfinite(mixed.inclusion).all()
    guessed = Membership(by_side.arms, by_side.belongs, by_side.support, sure=False)
    assert "'surface' does not do" in explored_chances(guessed, membership(pool, "hat"), items).caution
    assert not explored_chances(guessed, by_side, items).caution


def test_an_audit_that_explored_one_thing_is_asked_about_another(tmp_path):
    said, scores, groups, truth = world(160)
    pool = Pool.build(said, scores=scores, groups=groups, classes=[0, 1])
    options = {"estimator": "beta-i", "by": "sex,race", "settings": {"steps": 30}, "least": 4, "bins": 3}
    call = {"metrics": ["accuracy"], "method": "surface", "options": options, "initial": 20, "batch": 10}
    with Audit.create(tmp_path / "a", pool, **call) as audit:
        assert (audit.method.recipe.least, audit.method.recipe.bins, audit.method.recipe.settings.steps) == (4, 3, 30)
        for _ in range(4):
            for query in audit.ask(10):
                audit.tell(query.id, int(truth[query.position]))
            audit.refit()
        own, other = (audit.surface(by, estimator="beta-i") for by in ("sex,race", "race,age"))
        log = labels_table(audit)
    np.testing.assert_allclose(own.counts.right + own.counts.wrong, own.counts.labels)
    assert np.abs(other.counts.right + other.counts.wrong - other.counts.labels).max() > 1e-3
    assert own.promise == "95% credible under the surface's prior"
    # The log of such an audit has a column for chances, and none in it.
    read = {explored: surface_from_log(pool, log, "race,age", explored=explored, estimator="beta-i")
            for explored in (None, "sex,race")}  # fmt: skip
    assert RANDOM in read[None].promise
    np.testing.assert_allclose(read["sex,race"].counts.right, other.counts.right)


def test_a_log_says_what_it_does_not_know():
    said, scores, groups, truth = world()
    call = {"predictions": said, "scores": scores, "groups": groups, "oracle": truth, "metrics": "accuracy", **QUICK}
    for method, cautious in (("random", False), ("ppi", False), ("certified", False), ("thompson", True)):
        result = altmas.assess(**call, method=method)
        found = surface_from_log(result.pool, result.answers, "sex", estimator="beta-i")
        assert (f"{RANDOM}, which the log does not say" in found.promise) == cautious, method
    bare = result.answers[["id", "label"]]
    assert RANDOM in surface_from_log(result.pool, bare, "sex", estimator="beta-i").promise
    for known in ({"at_random": True}, {"caution": ""}):
        assert RANDOM not in surface_from_log(result.pool, bare, "sex", estimator="beta-i", **known).promise
    method = make_method("surface", estimator="beta-i", by="sex,race")
    explored = altmas.assess(**call, method=method)
    log, where = explored.answers, explored.fitted.where
    assert RANDOM in surface_from_log(explored.pool, log, "race", estimator="beta-i").promise
    assert RANDOM not in surface_from_log(explored.pool, log, "race", estimator="beta-i", explored=where).promise


@pytest.mark.parametrize(
    ("estimator", "promise"),
    [
        ("beta-i", "95% credible under the surface's prior"),
        ("cpredictor", "95% credible for the smooth curve over combinations, without each one's own scatter around it"),
    ],
)
def test_every_estimator_promises_what_it_can(estimator, promise):
    said, _, groups, truth = world(120)
    method = make_method("surface", estimator=estimator, by="sex,race")
    result = altmas.assess(said, groups=groups, oracle=truth, method=method, budget=40, initial=30, progress=False)
    assert result.fitted.promise == promise
    assert "not coverage: labels were explored" in result.estimates["promise"][0]  # of the pool's accuracy


# Guessed attributes


def test_thin_arms_do_not_vanish_from_the_interval():
    """256 arms for 100 items, each of them expected to have fewer than half an item."""
    rng = np.random.default_rng(0)
    arms = Combinations.build({f"a{k}": rng.integers(2, size=100) for k in range(8)})
    belongs = Affiliation((np.arange(100)[:, None] + 32 * np.arange(8)) % 256, np.full((100, 8), 1 / 8))
    where = Membership(arms, belongs, belongs.support(256), sure=False)
    truth = rng.integers(2, size=100)
    said = np.where(rng.random(100) < 0.9, truth, 1 - truth)
    method = make_method("surface", estimator=SurfaceRecipe("beta-i", least=1), by=where)
    found = altmas.assess(said, oracle=truth, method=method, budget=40, initial=30, progress=False).estimates.iloc[0]
    assert found["low"] > 0.6  # it was 0.35, the share of right answers among all items
    assert found["low"] < found["estimate"] < found["high"]


def test_noise_of_open_items_is_binomial_where_attributes_are_guessed():
    """Beyond 4 standard errors (of a standard deviation: 1 / sqrt(2 n)) in 6 of 100,000 runs."""
    rng = np.random.default_rng(0)
    right = open_right(np.full((4000, 500), 0.8), np.full(500, 0.2), 100, rng, sure=False)
    assert right.mean() == pytest.approx(80, abs=4 * 4 / np.sqrt(4000))
    assert right.std() == pytest.approx(4, abs=4 * 4 / np.sqrt(8000))


# Propensities


@pytest.mark.parametrize(("rule", "reachable"), [("random", 14), ("round-robin", 13), ("variance", 11)])
def test_the_chance_of_a_question_knows_its_ties(rule, reachable):
    """1 / chance is on average the number of items that could have been asked about; 4 standard errors."""
    index = np.repeat([0, 1, 2], [1, 3, 10])
    belongs, variance, asked = Affiliation.exact(index), np.array([0.2, 0.1, 0.2]), np.array([1.0, 0.0, 0.0])
    ties = np.unique(arm_keys(rule, variance, asked), return_inverse=True)[1]
    inverse = []
    for seed in range(600):
        rng = np.random.default_rng(seed)
        order = arm_order(rule, variance, asked, rng)
        chosen = choose_queries(order, belongs, np.zeros(14, bool), rng, 1)
        inverse.append(1 / query_chances(chosen.arms, ties, np.array([1.0, 3, 10]))[0])
    assert np.mean(inverse) == pytest.approx(reachable, abs=4 * np.std(inverse) / np.sqrt(600))


def test_chances_of_a_run_are_those_of_its_rule():
    said, _, groups, truth = world()
    for explore in ("variance", "random", "round-robin"):
        method = make_method("surface", estimator="beta-i", explore=explore, by="race", batch=3)
        found = altmas.assess(said, groups=groups, oracle=truth, method=method, budget=43, initial=40, progress=False)
        later, chances = found.answers["position"].to_numpy()[40:], found.answers["propensity"].to_numpy()[40:]
        before = found.answers["position"].to_numpy()[:40]
        left = {one: (groups["race"] == one).sum() - (groups["race"][before] == one).sum() for one in "abc"}
        within = np.array([1 / left[groups["race"][item]] for item in later])
        assert len(set(groups["race"][later])) == 3
        if explore == "random":
            np.testing.assert_allclose(chances, within / [3, 2, 1])
        assert (chances <= within + 1e-12).all()


# One recipe


def test_a_method_holds_one_recipe():
    recipe = SurfaceRecipe("cpredictor", least=7, bins=3)
    assert make_method("surface", estimator=recipe).recipe is recipe
    made = make_method("surface", estimator="beta-i", least=7, bins=3, settings={"steps": 9}, features=[[0.0]])
    assert (made.recipe.least, made.recipe.bins, made.recipe.settings.steps) == (7, 3, 9)
    assert made.recipe.settings.learning_rate == 0.01  # the rest is as usual
    for options, sentence in (
        ({"estimator": "magic"}, "estimator of a surface must be one of"),
        ({"settings": {"stepz": 3}}, "settings of a surface must be known; got an unexpected keyword argument 'stepz'"),
        ({"settings": 3}, "settings of a surface must be SurfaceSettings, or some of them by name; got 3."),
        ({"least": 0}, "least must be an int >= 1"),
    ):
        with pytest.raises(altmas.InputError, match=sentence):
            make_method("surface", **options)


def test_a_caution_of_ones_own_stays():
    said, _, groups, truth = world(60)
    pool = Pool.build(said, groups=groups)
    log = pd.DataFrame({"id": range(30), "label": truth[:30]})
    assert surface_from_log(pool, log, "sex", estimator="beta-i", caution="by hand").promise.endswith("; by hand")
