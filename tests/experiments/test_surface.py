"""Accuracy surfaces on pools with known labels: loaders on small files, runs by hand, and the table in small."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas import InputError
from altmas.experiments.data.networks import IMAGENET_SUPERCLASSES
from altmas.experiments.surface import policies as surface_policies
from altmas.experiments.surface import simple as surface_simple
from altmas.experiments.surface import simulated as surface_simulated
from altmas.experiments.surface import soft as surface_soft
from altmas.experiments.surface import tables as surface_tables
from altmas.experiments.surface.pools import CELEBA_ATTRIBUTES, SurfacePool, load_surface_pool
from altmas.experiments.surface.runs import Constant, Plan, new_estimator, run_surface
from altmas.surfaces.combinations import Combinations
from altmas.surrogates.surface.gp import SurfaceSettings

OTHERS = tuple(f"other {place}" for place in range(28))


@pytest.fixture
def data(tmp_path):
    """Small files in the shape of the real ones."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (600, 40)).astype(np.uint8)
    columns = np.array(CELEBA_ATTRIBUTES + OTHERS)
    male = CELEBA_ATTRIBUTES.index("Male")
    values[:, 12] = values[:, male]  # the first of the other attributes tells the label
    np.savez(tmp_path / "celeba_attributes.npz", packed=np.packbits(values, axis=1), columns=columns)
    labels = rng.integers(0, 2, 400).astype(np.int8)
    age = rng.integers(18, 80, 400).astype(np.float32)
    features = np.column_stack([age, np.where(rng.random(400) < 0.1, np.nan, 1), labels]).astype(np.float32)
    np.savez(
        tmp_path / "compas.npz", features=features, columns=["age", "priors_count", "is_recid"], labels=labels,
        sex=rng.choice(["Female", "Male"], 400), race=rng.choice(["A", "B", "C"], 400),
    )  # fmt: skip
    np.savez(
        tmp_path / "imagenet_14nets.npz", labels=rng.integers(0, 1000, 500).astype(np.int16),
        predictions=rng.integers(0, 1000, (1, 500)).astype(np.int16), models=["lab/net"],
        confidence=rng.random((1, 500)).astype(np.float16),
    )  # fmt: skip
    return tmp_path


def test_celeba_has_the_papers_arms_and_a_service_that_sees_only_the_others(data):
    pool = load_surface_pool("celeba", data)
    assert pool.arms.names == CELEBA_ATTRIBUTES
    assert pool.arms.size == 4096
    assert len(pool.right) == 300
    assert pool.right.all()  # by the attribute that tells the label
    # The label is an attribute as well: each item lies in an arm of its own label.
    assert (pool.arms.codes[pool.arms.index, CELEBA_ATTRIBUTES.index("Male")] == pool.labels).all()


def test_a_service_that_sees_none_of_the_twelve_knows_nothing_if_the_others_tell_nothing(data):
    arrays = dict(np.load(data / "celeba_attributes.npz"))
    values = np.unpackbits(arrays["packed"], axis=1)
    values[:, 12] = np.random.default_rng(1).integers(0, 2, len(values))
    np.savez(data / "celeba_attributes.npz", packed=np.packbits(values, axis=1), columns=arrays["columns"])
    # 300 fair coins: outside 0.5 +- 0.15 once in five million.
    assert abs(load_surface_pool("celeba", data).right.mean() - 0.5) < 0.15


def test_compas_drops_the_column_that_leaks_and_bands_age(data):
    pool = load_surface_pool("compas", data)
    assert pool.arms.names == ("sex", "race", "age")
    assert pool.arms.size == 2 * 3 * 5
    assert abs(pool.right.mean() - 0.5) < 0.18  # is_recid is the label: with it, every prediction would be right
    assert pool.describe().startswith("compas: 200 items, 30 arms")


def test_imagenet_arms_are_known_without_labels(data):
    pool = load_surface_pool("imagenet:lab/net", data)
    assert pool.arms.names == ("predicted", "confidence")
    assert pool.arms.size == len(set(IMAGENET_SUPERCLASSES.values())) * 10
    dogs = (pool.predictions >= 151) & (pool.predictions <= 268)
    said = [pool.arms.value(int(arm))["predicted"] for arm in pool.arms.index]
    assert [one == "dog" for one in said] == dogs.tolist()


@pytest.mark.parametrize(("name", "folder", "message"), [
    ("celebs", True, "pool must be one of celeba, adult"),
    ("celeba", False, "data must be a folder that holds celeba"),
    ("adult", True, "data file must exist"),
])  # fmt: skip
def test_what_is_not_there_is_said(data, name, folder, message):
    with pytest.raises(InputError, match=message):
        load_surface_pool(name, data if folder else None)


def few():
    """Three arms of 10, 6 and 4 items; the accuracies are 1, 0.5 and 0."""
    index = np.repeat([0, 1, 2], [10, 6, 4])
    arms = Combinations.build({"place": np.array(["a", "b", "c"])[index]})
    said = np.concatenate([np.ones(10), np.tile([1, 0], 3), np.zeros(4)])
    return SurfacePool.build("few", arms, said, np.ones(20))


def test_errors_by_hand():
    pool = few()
    np.testing.assert_allclose(pool.truth, [1, 0.5, 0])
    found = run_surface(Constant(3), pool, Plan(20), seed=0)
    level = 13.5 / 21  # 13 right of 20, half an answer each way
    squares = np.square(level - np.array([1, 0.5]))  # the third arm is not active
    assert found["macro"] == pytest.approx(100 * squares.mean())
    assert found["micro"] == pytest.approx(100 * (10 * squares[0] + 6 * squares[1]) / 16)
    assert found["arms seen"] == 2


@pytest.mark.parametrize("rule", ["variance", "random", "round-robin"])
def test_exploration_takes_as_many_labels_as_planned_and_no_item_twice(rule):
    pool = few()
    every = run_surface(new_estimator("beta-i", pool, SurfaceSettings()), pool, Plan(20, rule, 5, 4), seed=1)
    at_once = run_surface(new_estimator("beta-i", pool, SurfaceSettings()), pool, Plan(20), seed=2)
    assert every == at_once  # all twenty labels, however they were come by


def test_exploration_of_active_arms_leaves_the_others_alone():
    pool, estimator = few(), new_estimator("beta-i", few(), SurfaceSettings())
    run_surface(estimator, pool, Plan(17, "round-robin", 1, 4, "active"), seed=0)
    assert estimator.moments()[0][2] > 0.3  # the arm of four wrong answers was asked at most once, at the beginning


def test_plans_that_cannot_be():
    with pytest.raises(InputError, match="labels must be at most the pool's 20 items"):
        run_surface(Constant(3), few(), Plan(21), seed=0)
    with pytest.raises(InputError, match="first must be between 1 and the 10 labels"):
        run_surface(Constant(3), few(), Plan(10, "random", 500), seed=0)


def smoke(*more):
    done = CliRunner().invoke(surface_tables.main, ["--smoke", *map(str, more)], catch_exceptions=False)
    assert done.exit_code == 0
    return done


def test_the_table_in_small_goes_on_where_it_stopped(tmp_path):
    rows = tmp_path / "rows.csv"
    options = ("--explore", "variance", "--methods", "beta-i,betagp-slp", "--rows", rows)
    whole = smoke(*options)
    assert "betagp-slp against beta-i: macro" in whole.stdout
    assert whole.stderr.count("done") == 4
    kept = pd.read_csv(rows)
    assert len(kept) == 4
    kept.iloc[:3].to_csv(rows, index=False)
    again = smoke(*options)
    assert again.stderr.count("done") == 1  # only what was missing
    assert again.stdout == whole.stdout
    seconds = ["seconds"]
    pd.testing.assert_frame_equal(pd.read_csv(rows).drop(columns=seconds), kept.drop(columns=seconds))


def test_an_unknown_method_is_said():
    with pytest.raises(InputError, match="methods must be among constant, beta-i"):
        smoke("--methods", "beta-ii")


@pytest.mark.parametrize(("program", "options", "says"), [
    (surface_policies, [], "certified"),
    (surface_simple, [], "scales, as written"),
    pytest.param(surface_soft, ["--methods", "beta-i,betagp"], "seeds won", marks=pytest.mark.slow),
    (surface_simulated, ["--methods", "beta-i"], "active arms inside their 95% interval; overall accuracy in"),
])  # fmt: skip
def test_every_program_runs_in_small(program, options, says):
    found = CliRunner().invoke(program.main, ["--smoke", *options], catch_exceptions=False)
    assert found.exit_code == 0
    assert says in found.output


def test_simulated_predictors_are_as_accurate_as_said(data):
    pool = load_surface_pool("celeba", data)
    scores = surface_soft.noisy_scores(pool.arms, np.random.default_rng(0))
    true = pool.arms.codes[pool.arms.index]
    right = np.mean([table.argmax(1) == true[:, k] for k, table in enumerate(scores)], axis=1)
    # 300 items each, 12 attributes of accuracy 0.8 to 0.9: 4.5 standard deviations either side.
    assert np.all((right > 0.69) & (right < 0.98))
    with pytest.raises(InputError, match="attributes must have two values each"):
        surface_soft.noisy_scores(load_surface_pool("compas", data).arms, np.random.default_rng(0))


def test_a_deep_kernel_over_known_attributes_runs(data):
    pool = load_surface_pool("smoke", None)
    use = SurfaceSettings(steps=5, update_steps=2, inducing=4, deep=3)
    errors = run_surface(new_estimator("betagp-slp", pool, use), pool, Plan(60), seed=0)
    assert 0 < errors["macro"] < 50
