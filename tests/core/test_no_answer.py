"""Predictions that are no class: found by their words, asked about, and never in the way of real classes."""

import ast

import pytest

import altmas
from altmas.core.no_answer import no_class, patterns_of, suspicious
from altmas.core.pool import Pool

WORDS = [
    "ERROR", "error", "Error: quota exceeded", "N/A", "n/a", "#N/A", "NaN", "null", "None", "<NA>", "timeout", "503",
    "Timed out after 30s", "HTTP 503", "http error 429", "503 Service Unavailable", "Traceback (recent call last):",
    "I'm sorry, but I can't help with that.", "<html><body>502</body></html>", '{"detail": "overloaded"}', "?", "--",
    "Fehler", "unable to parse the answer", "no prediction", "#REF!", "(null)", "[ERROR]", "undefined",
]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_a_failure_among_classes_is_asked_about(word):
    assert suspicious({"cat": 60, "dog": 38, word: 2}) == {word: 2}


@pytest.mark.parametrize("word", ["ERROR", "N/A", "timeout", "none"])
def test_it_is_however_often_the_vendor_failed(word):
    assert suspicious({"cat": 30, "dog": 30, word: 40}) == {word: 40}


@pytest.mark.parametrize(
    "classes",
    [
        ["cat", "dog", "other"],
        ["positive", "negative", "neutral", "mixed"],
        ["0", "1", "2", "10"],
        [0, 1, 2, 3],
        [-1, 1],
        [-1, 0, 1],
        ["1 star", "2 stars", "5 stars"],
        ["comp.sys.ibm.pc.hardware", "talk.politics.guns", "rec.sport.hockey", "sci.space"],
        ["Type 2 diabetes mellitus without complications", "Essential (primary) hypertension", "Headache"],
        ["great white shark, Carcharodon carcharias", "tench, Tinca tinca", "hen"],
        ["😀", "😡", "😐"],
        ["+", "-"],
        ["[1]", "[2]"],
        ["<18", "18-65", ">65"],
        ["猫", "狗", "未知的"],
        ["قطة", "كلب"],
        ["Straße", "Gebäude", "Fußgänger"],
        ["true", "false"],
        ["A1", "B2", "C3"],
        ["terror", "mirror"],
        ["network", "billing", "404"],
    ],
    ids=lambda classes: str(classes[0]),
)
def test_real_classes_are_left_alone(classes):
    assert suspicious({one: 50 + i for i, one in enumerate(classes)}) == {}


def test_rare_classes_among_a_thousand_are_left_alone():
    counts = {f"n{10_000 + i:08d} {'long name of ' * (i % 3)}thing": 1 + i % 7 for i in range(1000)}
    assert suspicious(counts) == {}


def test_a_label_is_a_class_whatever_it_is_called():
    for word in ("none", "unknown", "error", "Cannot tell", "timeout"):
        truth = [word, "fine"] * 20
        pool = Pool.build(truth, labels_seen=truth)
        assert word in pool.classes


def test_the_star_alone_stands_for_other_text():
    assert [no_class(["?"])(one) for one in ("?", "a", "ab")] == [True, False, False]
    assert [no_class(["[ERROR]"])(one) for one in ("[ERROR]", "[error]", "e", "R")] == [True, True, False, False]
    assert [no_class(["**"])(one) for one in ("**", "cat")] == [True, False]
    assert [no_class(["*error*"])(one) for one in ("an ERROR\nin line 3", "cat")] == [True, False]


def test_patterns_name_all_that_is_doubtful_and_no_class():
    doubtful = ["HTTP 503", "HTTP 429: wait", "N/A", "cannot parse it", "cannot reach it", -1]
    classes = ["cat", "cannon"]
    named = patterns_of(doubtful, classes)
    failed = no_class(named)
    assert all(map(failed, doubtful))
    assert not any(map(failed, classes))
    assert "HTTP*" in named


def test_a_pattern_is_not_offered_that_would_take_a_class_along():
    named = patterns_of(["error 1", "error 2"], ["error-free"])
    assert named == ["error 1", "error 2"]


def test_blanks_are_no_answer_without_a_question():
    pool = Pool.build(["cat", "dog", "", " ", None, float("nan")])
    assert (pool.classes, pool.unanswered()) == (("cat", "dog"), 4)


def test_what_nobody_said_is_refused():
    with pytest.raises(altmas.InputError, match="not_a_class must be among the predictions; got 'EROR'"):
        Pool.build(["cat", "dog", "ERROR"], not_a_class=["EROR"])


@pytest.mark.parametrize("words", [["ERROR"], ["HTTP 503", "HTTP 429"], ["?"], ["-"], ['{"a": 1}', "it's down, sorry"]])
@pytest.mark.parametrize("option", ["not_a_class", "is_a_class"])
def test_the_hint_can_be_typed_as_it_is(words, option):
    said = ["cat", "dog"] * 30 + words
    with pytest.raises(altmas.InputError) as caught:
        Pool.build(said)
    start = str(caught.value).index(f"{option}=[") + len(option) + 1
    typed = str(caught.value)[start : str(caught.value).index(" where", start)]
    pool = Pool.build(said, **{option: ast.literal_eval(typed)})
    assert pool.unanswered() == (len(words) if option == "not_a_class" else 0)


@pytest.mark.parametrize("label", ["N/A", "", "unsure", "error"])
def test_labels_that_stand_for_none_are_no_class(label):
    said = ["cat", "dog"] * 20
    with pytest.raises(altmas.InputError, match="labels must be classes; got .* looks like no label"):
        altmas.assess(said, oracle=[label, *said[1:]], budget=20, progress=False)


def test_a_class_that_is_never_right_is_told_of():
    truth = ["cat", "dog"] * 30
    said = ["oops" if i % 5 == 0 else one for i, one in enumerate(truth)]
    result = altmas.assess(said, oracle=truth, method="random", budget=60, metrics="accuracy", progress=False)
    assert "Class 'oops' was predicted for 12 labelled items and is the label of none" in result.remark
