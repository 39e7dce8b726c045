"""Texts as numbers: the same ones in any order, whatever language, length or emptiness."""

import numpy as np
import pytest

from altmas.features import text
from altmas.features.text import text_features

ABOUT = {"sea": "ship wave harbour sail salt fish", "snow": "ski ice cold slope white winter"}


def sentences(rng, count):
    """Half about the sea, half about snow; which."""
    topics = rng.integers(2, size=count)
    words = [ABOUT[name].split() for name in ("sea", "snow")]
    common = ["the", "a", "and", "of", "it", "was", "very", "not", "with", "from"]
    return [" ".join(rng.permutation([*rng.choice(words[t], 3), *rng.choice(common, 5)])) for t in topics], topics


def test_texts_that_share_words_are_near_each_other(rng):
    texts, topics = sentences(rng, 300)
    found = text_features(texts)
    assert found.dtype == np.float32
    assert found.shape[1] <= text.COMPONENTS
    middle = [found[topics == t].mean(0) for t in (0, 1)]
    nearer = np.linalg.norm(found - middle[0], axis=1) > np.linalg.norm(found - middle[1], axis=1)
    assert (nearer == topics).mean() > 0.95


def test_the_order_of_texts_changes_nothing(rng, monkeypatch):
    monkeypatch.setattr(text, "LEARNT_FROM", 120)  # the others are only looked up
    texts, _ = sentences(rng, 200)
    order = rng.permutation(200)
    found = text_features(texts)
    assert np.array_equal(text_features([texts[i] for i in order]), found[order])
    assert np.array_equal(text_features(texts), found)


def test_all_columns_vary_alike_so_that_standardising_keeps_distances(rng):
    found = text_features([*sentences(rng, 200)[0], "", ""])
    assert found.std(0).max() < 1.3 * found.std(0).min()


@pytest.mark.parametrize(
    "texts",
    [
        ["\U0001f600", "\U0001f621\U0001f621", ""] * 10,
        ["這個產品很好", "不好用", "很喜歡這個", "完全不行"] * 10,
        ["word " * 100_000, "other " * 100_000, "third"],
        ["\ud800 half", "a pair", "\0 nothing"],
        ["a", "b"],
        ["good", "  ", "bad", ""] * 5,
        [str(i) for i in range(60)],
        ["the same words but one", "the same words but two"] * 40,
    ],
)
def test_odd_texts_have_finite_features_and_differ(texts):
    found = text_features(texts)
    assert found.shape[0] == len(texts)
    assert np.isfinite(found).all()
    assert found.std() > 0


def test_an_empty_text_is_the_mean(rng):
    texts, _ = sentences(rng, 60)
    found = text_features([*texts, "", " \n"])
    assert np.allclose(found[-2:], found[:-2].mean(0), atol=1e-5)


@pytest.mark.parametrize("texts", [["", ""], ["same", "same", ""], ["\U0001f600"] * 3, []])
def test_texts_that_do_not_differ_have_none(texts):
    assert text_features(texts) is None
