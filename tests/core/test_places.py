"""Ids are found by their texts as a dict would find them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from altmas.core.places import Places

IDS = st.lists(st.text(max_size=4) | st.integers(-9, 9), max_size=30, unique_by=str)


@given(IDS, st.lists(st.text(max_size=4), max_size=20))
def test_as_a_dict_would(ids, others):
    places, known = Places(tuple(ids)), {str(one): k for k, one in enumerate(ids)}
    assert dict(places) == known
    asked = [*others, *reversed(list(known))]
    assert [places.get(text) for text in asked] == [known.get(text) for text in asked]
    for texts in (asked, list(known)):
        assert places.positions(texts).tolist() == [known.get(text, -1) for text in texts]


@pytest.mark.parametrize("texts", [["a", "b", "c"], ["c", "a", "z"], ["z"]])
def test_two_texts_of_one_hash(texts, monkeypatch):
    monkeypatch.setattr("altmas.core.places.hash", lambda text: 7, raising=False)
    places = Places(("a", "b", "c"))
    assert [places.get(text, -1) for text in texts] == ["abc".find(text) for text in texts]
    assert places.positions(texts).tolist() == ["abc".find(text) for text in texts]
