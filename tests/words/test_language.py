"""German: numbers, and sentences without a word of English left in them."""

import re
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from altmas.core.contest import Contest, Leading
from altmas.metrics.errors import InputError
from altmas.words import wording
from altmas.words.best import best_verdict
from altmas.words.comparing import two_groups
from altmas.words.language import language, sentence, speaking
from altmas.words.verdict import how_good

SPACE = "\N{NO-BREAK SPACE}"
ROW = {"metric": "accuracy", "estimate": 0.9114, "low": 0.883, "high": 0.938, "labels": 1200}


@pytest.fixture
def german():
    with speaking("de"):
        yield


@pytest.mark.usefixtures("german")
def test_numbers_in_german():
    assert wording.counted(1597, "item") == "1.597 Objekte"
    assert wording.counted(1, "class", "classes") == "1 Klasse"
    assert wording.figure(-0.1234, share=True) == f"−12,3{SPACE}%"  # noqa: RUF001
    assert wording.figure(1234.5, share=False) == "1.234,5"
    assert wording.interval(0.8849, 0.9301, share=True) == f"88,4{SPACE}% bis 93,1{SPACE}%"
    assert wording.amount(1200.25) == "1.200,2"
    assert wording.chance(0.812) == "0,81"
    assert wording.points(0.0125, 1) == "1,2 Prozentpunkte"


@pytest.mark.usefixtures("german")
def test_sentences_in_german():
    said = how_good({**ROW, "promise": "approximate 95% coverage"}, 0.95, 10_000)
    expected = (
        "Genauigkeit etwa 91 %, zwischen 88 % und 94 % (95-%-Intervall) für diese 10.000 Objekte, aus 1.200 Labels."
    )
    assert said.replace(SPACE, " ") == expected
    row = {"metric": "f0.5:x", "a": "n", "b": "s", "estimate": -0.06, "low": -0.11, "high": -0.013, "p_lower": 0.64}
    assert two_groups("region", row, 0.95, 0.05).replace(SPACE, " ") == (
        "Für region „n“: F0.5 der Klasse „x“ etwa 6 Prozentpunkte niedriger als für „s“ (95-%-Intervall: 11 darunter "
        "bis 1 darunter). Der Wert liegt um mehr als 5 Prozentpunkte niedriger (P 0,64)."
    )
    table = pd.DataFrame({"model": ["a", "b"], "p_best": [0.6, 0.4], "ruled_out": False})
    found = best_verdict(Contest("mcc", Leading("a", 0.6, 0.002, 0.011, 2), table, 50, 0.95, ""))
    assert not re.search(r"\b(the|best|now|costs|and|remain)\b", found)


def test_names_of_users_are_never_taken_for_a_text():
    with speaking("de"):
        assert wording.quoted("{secret} not known") == "„{secret} not known“"
        assert wording.named("my_{own}") == "my {own}"


def test_a_language_that_there_is_not_is_refused_and_those_there_are_named():
    with pytest.raises(InputError, match=r"lang must be one of en, de; got 'fr'\."), speaking("fr"):
        pass


def test_a_language_is_spoken_only_within_and_only_here():
    with speaking("de"), ThreadPoolExecutor(1) as elsewhere:
        assert sentence("not known") == "nicht bekannt"
        assert elsewhere.submit(language).result() == "en"
    assert language() == "en"
    with pytest.raises(ZeroDivisionError), speaking("de"):
        raise ZeroDivisionError
    assert language() == "en"
