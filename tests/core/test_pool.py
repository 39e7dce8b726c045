"""Pools: what people bring, in the shapes they bring it."""

import pickle

import numpy as np
import pandas as pd
import pytest

from altmas.beliefs.on_features import vendor_outputs, view_of
from altmas.core.pool import Pool


def test_class_names_of_any_hashable_kind():
    pool = Pool.build(np.array([3, 1, 3]), ids=["a", "b", "c"])
    assert pool.classes == (1, 3)
    assert pool.predictions.tolist() == [1, 0, 1]
    assert Pool.build(pd.Series(["x", "y"])).classes == ("x", "y")
    assert Pool.build([("a", 1), ("b", 2)]).classes == (("a", 1), ("b", 2))
    assert Pool.build(["x", 1, (2,)]).classes == (1, "x", (2,))
    assert Pool.build(["x", None], classes=["x", "y"]).predictions.tolist() == [0, 2]  # an abstention


def test_declared_classes_keep_their_order_and_other_answers_are_no_class():
    pool = Pool.build(["dog", "error", "cat"], classes=["dog", "cat", "bird"])
    assert pool.predictions.tolist() == [0, 3, 1]
    assert pool.columns == 4
    assert Pool.build(["dog", "cat"], classes=["dog", "cat"]).columns == 2


def test_scores_as_confidences_probabilities_and_logits():
    assert Pool.build([0, 1], scores=[0.9, 0.6]).scores.shape == (2,)
    logits = np.log([[0.9, 0.1], [0.4, 0.6]]) + 5
    np.testing.assert_allclose(Pool.build([0, 1], scores=logits, logits=True).scores, [[0.9, 0.1], [0.4, 0.6]])
    # A confidence need not be a probability.
    assert Pool.build([0, 1], scores=[12.0, 3.0]).scores.tolist() == [12.0, 3.0]


def test_tables_are_aligned_by_name():
    table = pd.DataFrame({"b": [0.1, 0.8], "a": [0.9, 0.2]})
    np.testing.assert_allclose(Pool.build(["a", "b"], scores=table).scores, [[0.9, 0.1], [0.2, 0.8]])
    assert Pool.build(pd.DataFrame({"said": ["a", "b"]})).classes == ("a", "b")


def test_scores_that_contradict_the_predictions_are_a_warning():
    with pytest.warns(UserWarning, match="scores are highest for the predicted class in only 0% of the items"):
        Pool.build(["a", "b"], scores=[[0.1, 0.9], [0.9, 0.1]])


def test_probabilities_of_one_class_are_no_confidences():
    with pytest.warns(UserWarning, match="scores are below 1/2 for 50% of the items; one score per item must be"):
        Pool.build([0, 1], scores=[0.1, 0.9])


def test_several_models_on_the_same_items():
    pool = Pool.build({"ours": ["a", "b"], "theirs": ["b", "b"]}, scores={"theirs": [0.5, 0.9]})
    assert [o.name for o in pool.outputs] == ["ours", "theirs"]
    assert pool.scores is None
    assert pool.outputs[1].scores.tolist() == [0.5, 0.9]


def test_groups_from_a_column_a_mapping_or_a_table():
    assert Pool.build([0, 1], groups=["n", "s"]).groups["group"].tolist() == ["n", "s"]
    assert set(Pool.build([0, 1], groups={"region": ["n", "s"], "age": [1, 2]}).groups) == {"region", "age"}
    assert set(Pool.build([0, 1], groups=pd.DataFrame({"region": ["n", "s"]})).groups) == {"region"}


def test_a_pool_cannot_be_changed():
    pool = Pool.build([0, 1], groups=["n", "s"])
    with pytest.raises(AttributeError):
        pool.classes = ()
    with pytest.raises(TypeError):
        pool.groups["more"] = None


def test_memory_mapped_features_stay_on_disk(tmp_path):
    big = np.lib.format.open_memmap(tmp_path / "f.npy", mode="w+", dtype=np.float32, shape=(50, 3))
    big[:] = np.arange(150).reshape(50, 3)
    pool = Pool.build([0, 1] * 25, features=np.load(tmp_path / "f.npy", mmap_mode="r"))
    assert isinstance(pool.features, np.memmap)
    rows = view_of(pool).rows(np.arange(50))
    np.testing.assert_allclose(rows.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(rows.std(0), 1, atol=1e-5)


def test_features_are_scaled_by_kind(rng):
    pixels = rng.integers(0, 256, (6, 4, 4), dtype=np.uint8)
    np.testing.assert_allclose(
        view_of(Pool.build([0, 1] * 3, features=pixels)).rows(np.arange(6)), pixels / 255, atol=1e-6
    )
    constant = np.c_[np.full(6, 7.0), np.arange(6) * 1e6]
    rows = view_of(Pool.build([0, 1] * 3, features=constant)).rows(np.arange(6))
    assert np.isfinite(rows).all()
    np.testing.assert_array_equal(rows[:, 0], 0)


def test_vendor_outputs_stand_in_for_features():
    pool = Pool.build(["a", "b", "no"], scores=[0.5, 0.99, 0.6], classes=["a", "b"])
    got = vendor_outputs(pool)
    np.testing.assert_array_equal(got[:, :3], np.eye(3))
    assert got[0, 3] == 0.0
    assert got[1, 3] > 4
    raw = vendor_outputs(Pool.build([0, 1], scores=[3.0, 40.0]))
    assert raw[:, -1].tolist() == [3.0, 40.0]


def test_a_pool_can_be_pickled():
    pool = pickle.loads(pickle.dumps(Pool.build([0, 1], scores=[0.9, 0.8], groups={"region": ["n", "s"]})))
    assert (pool.size, list(pool.groups)) == (2, ["region"])


@pytest.mark.parametrize(
    ("scores", "probable", "confidence"),
    [
        (None, False, None),
        ([0.9, 0.6, 1.0], True, [0.9, 0.6, 1.0]),
        ([0.9, 0.6, 7.0], False, [0.9, 0.6, 7.0]),
        ([[0.8, 0.2], [0.3, 0.7], [0.9, 0.1]], True, [0.8, 0.7, 0.0]),
    ],
)
def test_whether_scores_are_probabilities_is_said_once(scores, probable, confidence):
    pool = Pool.build(["a", "b", "?"], scores=scores, classes=["a", "b"])
    assert pool.probable is probable
    found = pool.confidence
    assert (found if found is None else found.tolist()) == confidence
    assert pool.confidence is found
    again = pickle.loads(pickle.dumps(pool))
    assert again.probable is probable
