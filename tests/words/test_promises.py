"""Promises are data in English; what is shown of them is in the language spoken."""

import pytest

from altmas.certified import anytime
from altmas.certified.estimator import approximately
from altmas.core.estimates import EXACT, whatever_missing
from altmas.core.loop import _watched
from altmas.methods.best_model import PROMISE
from altmas.words.language import speaking
from altmas.words.promises import promised, taken_as_alike
from altmas.words.surfaces import GUESSED, PROMISES, not_reached, surface_promise, unknown_chances

MADE = [
    EXACT,
    f"{EXACT}, by annotators; experts read 1,200 and changed none",
    PROMISE,
    *(
        approximately(0.95, experts=experts) + whatever_missing(lost)
        for experts in (False, True)
        for lost in (0, 1, 1200)
    ),
    _watched(approximately(0.95)),
    f"{approximately(0.9)}; surrogate and design disagree by 3.1 standard errors; {taken_as_alike(1)}",
    f"spread of 50 draws, not coverage; 1,234 predictions stand as labels, by our guard; {taken_as_alike(1200)}",
    anytime.promise(4, 0.95) + whatever_missing(2),
    *(surface_promise(0.95, one, unknown_chances("bald"), GUESSED) for one in (*PROMISES, "betagp")),
    surface_promise(0.9, "betagp", unknown_chances()),
    surface_promise(0.9, "betagp", not_reached(1)),
    surface_promise(0.9, "betagp", not_reached(2)),
]


@pytest.mark.parametrize("promise", MADE)
def test_a_promise_is_shown_as_it_is_in_english_and_translated_part_by_part(promise):
    assert promised(promise) == promise
    with speaking("de"):
        shown = promised(promise).split("; ")
    assert len(shown) == len(promise.split("; "))
    assert not set(shown) & set(promise.split("; "))


def test_numbers_of_a_promise_get_the_marks_of_the_language():
    with speaking("de"):
        said = promised(f"{anytime.promise(4, 0.95)}; of a plug-in{whatever_missing(1200)}")
    assert "4 Klassen zu je 98,75\N{NO-BREAK SPACE}%" in said
    assert "die 1.200 fehlenden Antworten" in said
    assert said.split("; ")[-1].startswith("of a plug-in, ")


def test_data_stays_english_in_every_language():
    with speaking("de"):
        made = taken_as_alike(1200), not_reached(1200), unknown_chances("bald"), surface_promise(0.95, "betagp")
    assert made == (
        "it takes the 1,200 questions without a label to be like the others",
        "as if the 1,200 explored combinations without labels were like the others",
        "as if the labels of each arm were drawn at random, which 'bald' does not do",
        "95% credible under the surface's prior",
    )
