"""What people hold: files, tensors and columns of every make."""

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.core.checks import plain, unwrapped
from worlds.dirty import FAILED, IDS, SAID, SIZE, TRUTH, by_hand, table, with_failures, write

WANTED = by_hand(SAID)["accuracy"]
PLACES = np.array([("cat", "cow", "dog").index(one) for one in SAID])
LABELS = np.array([("cat", "cow", "dog").index(one) for one in TRUTH])


def accuracy(*given, **more):
    usual = {"method": "random", "metrics": "accuracy", "budget": SIZE, "initial": SIZE, "progress": False}
    return altmas.assess(*given, **usual | more).estimates.iloc[0]["estimate"]


class Packed:
    """An array that only DLPack opens."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Tensor:
    """As PyTorch's: on another device, and learning, until it is told otherwise."""

    def __init__(self, array, dtype="torch.float32", *, free=False, near=False):
        self.array, self.dtype, self.free, self.near = array, dtype, free, near
        self.shape, self.ndim = array.shape, array.ndim

    def detach(self):
        return Tensor(self.array, self.dtype, free=True, near=self.near)

    def cpu(self):
        return Tensor(self.array, self.dtype, free=self.free, near=True)

    def float(self):
        return Tensor(self.array, "torch.float32", free=self.free, near=self.near)

    def item(self):
        return self.array.item()

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return (Tensor(one, self.dtype) for one in self.array)

    def __array__(self, dtype=None, copy=None):
        if not self.free or not self.near or self.dtype == "torch.bfloat16":
            raise TypeError("can't convert this tensor to numpy")
        return self.array


@pytest.mark.parametrize("made", [Packed, Tensor, list], ids=["DLPack", "PyTorch", "list"])
def test_tensors_are_arrays(made):
    scores = np.full((SIZE, 3), 0.1)
    scores[np.arange(SIZE), PLACES] = 0.8
    assert accuracy(made(PLACES), made(scores), oracle=made(LABELS)) == pytest.approx(WANTED)


def test_half_precision_opinions_groups_ids_and_known_labels_of_tensors():
    scores = np.full((SIZE, 3), 0.1)
    scores[np.arange(SIZE), PLACES] = 0.8
    found = accuracy(
        Tensor(PLACES), Tensor(scores, "torch.bfloat16"), oracle=Tensor(LABELS), opinions={"other": Tensor(scores)},
        groups=Tensor(LABELS), ids=Tensor(np.arange(SIZE)), known=Tensor(LABELS), features=Tensor(scores),
    )  # fmt: skip
    assert found == pytest.approx(WANTED)


def test_a_list_of_single_values_is_a_column():
    assert accuracy(list(Tensor(PLACES)), oracle=[np.array(one) for one in LABELS]) == pytest.approx(WANTED)


def test_tensorflow():
    import tensorflow as tf

    scores = np.full((SIZE, 3), 0.1, dtype=np.float32)
    scores[np.arange(SIZE), PLACES] = 0.8
    half = tf.cast(tf.constant(scores), tf.bfloat16)
    assert accuracy(tf.constant(PLACES), half, oracle=tf.constant(LABELS)) == pytest.approx(WANTED)
    assert accuracy(tf.constant(SAID), oracle=TRUTH) == pytest.approx(WANTED)


def test_bytes_are_the_text_they_spell():
    assert accuracy(np.array(SAID, dtype="S3"), oracle=TRUTH) == pytest.approx(WANTED)
    assert plain(b"\xff") == b"\xff"


def test_an_iterator_is_read_once():
    assert unwrapped(iter([1, 2])) == [1, 2]
    assert accuracy(iter(SAID), oracle=TRUTH) == pytest.approx(WANTED)


@pytest.mark.parametrize(
    "column",
    [
        np.array(with_failures(SAID, None), dtype=object),
        np.array(with_failures(SAID, float("nan")), dtype=object),
        pd.Series(with_failures(SAID, None), dtype="category"),
        pd.array(with_failures(SAID, None), dtype="string"),
        with_failures(SAID, ""),
        with_failures(SAID, pd.NA),
    ],
    ids=["None", "NaN", "category", "string", "empty", "NA"],
)
def test_a_blank_is_no_answer(column):
    assert accuracy(column, oracle=TRUTH) == pytest.approx(by_hand(with_failures(SAID, None))["accuracy"])


def test_a_gap_among_whole_numbers_leaves_them_whole():
    said = PLACES.astype(float)
    said[list(FAILED)] = np.nan
    right = PLACES == LABELS
    right[list(FAILED)] = False
    assert accuracy(said, oracle=LABELS) == pytest.approx(right.mean())


@pytest.mark.parametrize("name", ["vendor.csv", "vendor.xlsx", "vendor.parquet", "vendor.jsonl"])
@pytest.mark.parametrize("spelt", [str, str.upper])
def test_files_of_predictions_and_of_labels(tmp_path, name, spelt):
    said = write(tmp_path, name, table())
    truth = write(tmp_path, f"truth-{name}", {"id": IDS[::-1], "label": [spelt(one) for one in TRUTH[::-1]]})
    assert accuracy(str(said), oracle=truth) == pytest.approx(WANTED)


def test_a_failure_in_a_file_is_asked_about_in_the_words_of_python(tmp_path):
    said = write(tmp_path, "vendor.csv", table(with_failures(SAID, "ERROR")))
    truth = write(tmp_path, "truth.csv", {"id": IDS, "label": TRUTH})
    with pytest.raises(altmas.InputError, match=r"Give not_a_class=\['ERROR'\] where they are no answer"):
        accuracy(said, oracle=truth)
    wanted = by_hand(with_failures(SAID, None))["accuracy"]
    assert accuracy(said, oracle=truth, not_a_class=["ERROR"]) == pytest.approx(wanted)


def test_two_files_by_name(tmp_path):
    files = {"ours": write(tmp_path, "a.csv", table()), "theirs": write(tmp_path, "b.csv", table(TRUTH))}
    truth = write(tmp_path, "truth.csv", {"id": IDS, "label": TRUTH})
    found = altmas.assess(files, oracle=truth, method="random", metrics="accuracy", budget=SIZE, progress=False)
    assert found.estimates["estimate"].tolist() == pytest.approx([WANTED, 1.0])


def test_labels_in_other_words_than_the_file_are_refused(tmp_path):
    said = write(tmp_path, "vendor.csv", table())
    with pytest.raises(altmas.InputError, match="have a class in common"):
        accuracy(said, oracle=dict(zip(IDS, LABELS.tolist(), strict=True)))


def test_a_file_with_other_columns_is_refused_with_what_python_can_do(tmp_path):
    path = tmp_path / "vendor.csv"
    path.write_text("Case,Said\n1,cat\n2,dog\n")
    with pytest.raises(altmas.InputError, match=r"read with pandas, and their columns given"):
        altmas.assess(path, oracle={1: "cat"}, progress=False)
