"""Texts as numbers: TF-IDF of words, or of parts of words where there are no words, and a truncated SVD of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from altmas.features.made import ROWS_AT_ONCE, balanced, typical
from altmas.metrics.types import Float32Array

COMPONENTS = 128
"""On 20 Newsgroups as good as 256 for 400 labels, and better than 64: a ridge has .77 right, on raw counts .45."""

LEARNT_FROM = 20_000
"""Texts that words and components are learnt from; the others are only looked up."""

LONGEST, ALL_TOGETHER = 5_000, 150_000_000
"""Characters read of a text, and of all of them: 100,000 texts of any length take half a minute."""

_SHORT = 200
"""Below this many characters, parts of words are looked at as well: few words of a short text occur in another."""

_SOME = 0.02
"""Above this share of texts without words, parts of words are looked at as well."""

_WORD = re.compile(r"[^\W\d_]{2,}")


def text_features(texts: Sequence[str]) -> Float32Array | None:
    """A row of at most 128 numbers for each text, the mean for an empty one; None if all texts are alike.

    >>> text_features(["a good film", "a bad film", ""] * 4).shape, text_features(["same", "same"])
    ((12, 2), None)
    """
    longest = int(np.clip(ALL_TOGETHER // max(len(texts), 1), 300, LONGEST))
    cut = [text[:longest].strip() for text in texts]
    there = np.array([bool(text) for text in cut])
    present = [text for text in cut if text]
    if len(set(present)) < 2:
        return None
    chosen = typical((text.encode("utf-8", "surrogatepass") for text in present), LEARNT_FROM)
    sample = [present[i] for i in chosen]
    counting, counted = _fitted(sample)
    if counting is None:
        return None
    components, width = _components(counted)
    found = np.zeros((len(texts), width), np.float32)
    rows = np.flatnonzero(there)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        projected = counting.transform([cut[i] for i in part]) @ components.T
        length = np.linalg.norm(projected, axis=1, keepdims=True)
        found[part] = projected / np.maximum(length, 1e-12)
    if np.ptp(found[rows], axis=0).max(initial=0.0) < 1e-9:
        return None
    found[~there] = found[rows].mean(0, dtype=np.float64)
    return balanced(found)


def _components(counted: Any) -> tuple[Any, int]:
    """Directions `[D, words]` in which the texts differ most; those that are only rounding are left out."""
    from sklearn.decomposition import TruncatedSVD

    svd = TruncatedSVD(min(COMPONENTS, *counted.shape), n_iter=5, random_state=0).fit(counted)
    real = int((svd.singular_values_ > 1e-6 * svd.singular_values_[0]).sum())
    return svd.components_[:real], real


def _fitted(sample: Sequence[str]) -> tuple[Any, Any]:
    """What counts the words of texts, and their counts in the sample; (None, None) if nothing can be counted."""
    from sklearn.pipeline import FeatureUnion

    letters = sum(map(len, sample)) / len(sample)
    words, parts = _words(len(sample)), _parts(3, 5, len(sample))
    if not _has_words(sample):
        ways = [_parts(1, 3, len(sample), 1_000)]
    elif _without_words(sample) > _SOME:
        ways = [FeatureUnion([("words", words), ("parts", _parts(1, 3, len(sample), 1_000))])]
    elif letters < _SHORT:
        ways = [FeatureUnion([("words", words), ("parts", parts)])]
    else:
        ways = [words]
    ways += [_words(0), _parts(1, 3, 0)]  # of very few texts, or all of the same words
    for way in ways:
        try:
            counted = way.fit_transform(sample)
        except ValueError:  # no word is left
            continue
        if counted.nnz:
            return way, counted
    return None, None


def _has_words(sample: Sequence[str]) -> bool:
    """Whether blanks part words: not so in Chinese, Japanese or Thai, nor among emoji and codes."""
    found = [_WORD.findall(text) for text in sample[:2_000]]
    count = sum(map(len, found))
    return count >= 2 * len(found) and sum(len(word) for words in found for word in words) <= 12 * count


def _without_words(sample: Sequence[str]) -> float:
    """The share of texts in which blanks part no words, in a pool of several languages."""
    few = sample[:2_000]
    return sum(not _has_words([text]) for text in few) / len(few)


def _words(texts: int) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, max_features=50_000, dtype=np.float64, **_bounds(texts))


def _parts(shortest: int, longest: int, texts: int, letters: int | None = None) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        sublinear_tf=True, max_features=50_000, dtype=np.float64, analyzer="char_wb", ngram_range=(shortest, longest),
        preprocessor=_Cut(letters) if letters else None, **_bounds(texts),
    )  # fmt: skip


class _Cut:
    """The first letters of a text, in lower case."""

    def __init__(self, letters: int) -> None:
        self.letters = letters

    def __call__(self, text: str) -> str:
        return text[: self.letters].lower()


def _bounds(texts: int) -> dict[str, Any]:
    """Words of one text only tell nothing, nor do words of nearly all; where there are few texts, all words count.

    Words that are in half of the texts may be what tells two classes apart.
    """
    return {"min_df": 2, "max_df": 0.8} if texts >= 50 else {}
