"""Every kind of wrong input: its sentence, and no oracle call spent on it."""

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.core.pool import Pool
from altmas.metrics import expected_cost, from_confusion
from altmas.testing import CountingOracle
from worlds.cats_and_dogs import SAID, SCORES, N


def scores(row, value):
    bad = SCORES.copy()
    bad[row] = value
    return bad


def broken(_confusion):
    raise ZeroDivisionError("oops")


WRONG = {
    "no items": ({"predictions": []}, "predictions must hold at least one item; got 0 items."),
    "a string for predictions": ({"predictions": "cat"}, "predictions must be one value per item; got 'cat'."),
    "a number for predictions": ({"predictions": 3}, "predictions must be one value per item; got 3."),
    "a matrix of predictions": (
        {"predictions": np.zeros((4, 2))},
        "predictions must be one-dimensional, one value per item; got shape (4, 2).",
    ),
    "unhashable predictions": (
        {"predictions": [["cat"], *SAID[1:]]},
        "predictions must be hashable and not NaN; got row 0.",
    ),
    "no models": ({"predictions": {}}, "predictions must name at least one model; got an empty mapping."),
    "two models of different length": (
        {"predictions": {"a": SAID, "b": SAID[1:]}},
        "predictions must be one class per item; got 39 predictions for 40 items.",
    ),
    "two models": (
        {"predictions": {"a": SAID, "b": SAID}, "method": "lure"},
        "predictions must be one model's for method 'lure'; got 2 models. "
        "Several models at once take method='certified' or 'random'.",
    ),
    "scores of an unknown model": (
        {"predictions": {"a": SAID}, "scores": {"z": SCORES}},
        "scores must be keyed by the models of predictions; got ['z'].",
    ),
    "one class only": (
        {"predictions": ["cat"] * N},
        "classes must be at least two; got only 'cat' in predictions. "
        "Declare classes=[...] when the model under test only ever says one class.",
    ),
    "a number for classes": ({"classes": 3}, "classes must be a list of classes; got 3."),
    "a word for classes": ({"classes": "abc"}, "classes must be a list of classes; got 'abc'."),
    "classes that read alike": (
        {"predictions": ["1", 1] * (N // 2)},
        "classes must read differently; got 1 and '1'. Make labels and predictions of one type",
    ),
    "nothing but blanks": (
        {"predictions": [None, "", float("nan")] * 4},
        "predictions must be there for some item; got none.",
    ),
    "a table of predictions": (
        {"predictions": pd.DataFrame({"a": SAID, "b": SAID})},
        "predictions must be one column; got a table of 2.",
    ),
    "no metrics at all": ({"metrics": None}, "each metric must be a name or a metric; got None."),
    "a function for metrics": (
        {"metrics": len},
        "each metric must be a name or a metric; got <built-in function len>. Wrap",
    ),
    "a misspelt metric": ({"metrics": "macro_recal"}, "metric must be one of accuracy"),
    "a cost that is no matrix": ({"metrics": "expected_cost", "cost": {"a": 1}}, "cost must be numbers; got dict."),
    "too few declared classes": ({"classes": ["cat"]}, "classes must be at least two; got 1."),
    "a class twice": ({"classes": ["cat", "dog", "cat"]}, "classes must be distinct; got 'cat' twice."),
    "predictions of other classes": (
        {"classes": ["bird", "fish"]},
        "predictions must hold some of the classes ['bird', 'fish']; got none, e.g. 'cat'.",
    ),
    "ids too short": ({"ids": range(39)}, "ids must be one id per item; got 39 ids for 40 items."),
    "an id twice": ({"ids": [0, *range(39)]}, "ids must be unique; got 0 again in row 1."),
    "scores too short": ({"scores": SCORES[1:]}, "scores must be one row per item; got 39 scores for 40 items."),
    "scores with a column too many": (
        {"scores": np.full((N, 3), 1 / 3)},
        "scores must be [N], or [N, C] with a column for each of 2 classes; got shape (40, 3).",
    ),
    "scores that are words": ({"scores": ["high"] * N}, "scores must be numbers; got 'high'."),
    "endless scores": ({"scores": scores(7, np.inf)}, "scores must be finite; got infinity in row 7."),
    "negative scores": (
        {"scores": scores(3, [1.2, -0.2])},
        "scores must be at least 0; got negative numbers in row 3. Pass logits=True if these are logits.",
    ),
    "scores that do not sum to one": (
        {"scores": scores(5, [0.7, 0.7])},
        "each row of scores must sum to 1; got 1.4 in row 5. Pass logits=True if these are logits.",
    ),
    "logits of the prediction only": (
        {"scores": np.ones(N), "logits": True},
        "logits must be [N, C]; got one score per item.",
    ),
    "features too short": (
        {"features": np.zeros((39, 2))},
        "features must be one row per item; got 39 features for 40 items.",
    ),
    "NaN features": (
        {"features": np.where(np.arange(N)[:, None] == 9, np.nan, 0.0)},
        "features must be finite; got NaN or infinity in row 9.",
    ),
    "features that are words": ({"features": [["a"]] * N}, "features must be numbers; got 'a'."),
    "one number as features": ({"features": 1.0}, "features must be [N, ...], a row per item; got a single number."),
    "groups too short": ({"groups": ["north"]}, "groups must be one value per item; got 1 groups for 40 items."),
    "groups that are lists": (
        {"groups": [["north"]] * N},
        "groups must be hashable and not NaN; got rows 0, 1, 2, 3, 4 and 35 more.",
    ),
    "budget 0": ({"budget": 0}, "budget must be an int >= 1; got 0."),
    "half a label": ({"budget": 10.5}, "budget must be an int >= 1; got 10.5."),
    "budget beyond the pool": ({"budget": 41}, "budget must be at most the pool's size, 40; got 41."),
    "initial 0": ({"initial": 0}, "initial must be an int >= 1; got 0."),
    "batch 0": ({"batch": 0}, "batch must be an int >= 1; got 0."),
    "level 95": ({"level": 95}, "level must be a number between 0 and 1, both excluded; got 95."),
    "level that is a word": ({"level": "high"}, "level must be a number between 0 and 1, both excluded; got 'high'."),
    "negative seed": ({"seed": -1}, "seed must be an int >= 0; got -1."),
    "unknown method": ({"method": "magic"}, "method must be one of certified, random, stratified, lure, "),
    "a method that is none": ({"method": 3}, "method must be a name or a method; got 3."),
    "unknown metric": ({"metrics": ["acuracy"]}, "metric must be one of accuracy, "),
    "metric of an unknown class": (
        {"metrics": ["recall:bird"]},
        "the class of metric 'recall:bird' must be one of cat, dog; got 'bird'.",
    ),
    "no metrics": ({"metrics": []}, "metrics must name at least one metric; got none."),
    "a metric twice": (
        {"metrics": ["accuracy", "alt_mas_3"]},
        "metrics must have distinct names; got 'accuracy' twice.",
    ),
    "a bare function": (
        {"metrics": [len]},
        "each metric must be a name or a metric; got <built-in function len>. Wrap",
    ),
    "a cost without a matrix": (
        {"metrics": ["expected_cost"]},
        "expected_cost must come with a cost matrix; got none.",
    ),
    "a cost of another size": (
        {"metrics": [expected_cost(np.zeros((3, 3)))]},
        "metric 'expected_cost' must take a confusion of shape (2, 2); got ValueError",
    ),
    "a metric that fails": (
        {"metrics": [from_confusion("mine", broken)]},
        "metric 'mine' must take a confusion of shape (2, 2); got ZeroDivisionError: oops.",
    ),
    "a metric that is not finite": (
        {"metrics": [from_confusion("mine", lambda c: float("nan"))]},
        "metric 'mine' must give one finite number for a confusion; got nan.",
    ),
    "a surrogate that cannot draw": (
        {"scores": SCORES, "method": altmas.make_method("bald", surrogate=object())},
        "surrogate must have fit and draw, or be a scikit-learn ensemble; got object.",
    ),
    "a surrogate without members": (
        {"surrogate of": "LogisticRegression"},
        "ensemble must have members in estimators_; got LogisticRegression.",
    ),
    "members that are regressions": (
        {"surrogate of": "GradientBoostingClassifier"},
        "ensemble must have members that predict class probabilities; got AttributeError",
    ),
    "members that are binary": (
        {"surrogate of": "OneVsRestClassifier"},
        "ensemble must average its members; got OneVs",
    ),
    "one draw": (
        {"scores": SCORES, "method": altmas.make_method("bald", draws=1)},
        "draws must be an int >= 2; got 1.",
    ),
    "LeNet without images": (
        {"method": "bald", "features": np.zeros((N, 8, 8)), "lenet": True},
        "LeNet's items must be images of at least 16 x 16 pixels; got shape (8, 8).",
    ),
    "opinions without names": ({"opinions": [SAID]}, "opinions must map names to predictions; got list."),
    "a word for an opinion": ({"opinions": {"x": "cat"}}, "opinion 'x' must be one value per item; got 'cat'."),
    "an opinion too short": ({"opinions": {"x": SAID[1:]}}, "opinion 'x' must be one prediction per item; got 39 "),
    "an opinion of other classes": (
        {"opinions": {"x": ["zebra"] * N}},
        "opinion 'x' must hold some of the classes ['cat', 'dog']; got none, e.g. 'zebra'.",
    ),
    "within 0": ({"within": 0}, "within must be a number above 0; got 0."),
    "within less than nothing": ({"within": -0.1}, "within must be a number above 0; got -0.1."),
    "within a word": ({"within": "narrow"}, "within must be a number above 0; got 'narrow'."),
    "within NaN": ({"within": float("nan")}, "within must be a number above 0; got nan."),
    "an unknown worth": (
        {"method": altmas.make_method("certified", worth="tea")},
        "worth must be one of neyman, information, expected_loss, xwed, uniform; got 'tea'.",
    ),
    "an unknown interval": (
        {"method": altmas.make_method("certified", interval="wide")},
        "interval must be one of wald, anytime; got 'wide'.",
    ),
    "floor 0": (
        {"method": altmas.make_method("certified", floor=0)},
        "floor must be a number between 0 and 1, both excluded; got 0.",
    ),
    "floor 2": (
        {"method": altmas.make_method("certified", floor=2)},
        "floor must be a number between 0 and 1, both excluded; got 2.",
    ),
    "temperature 0": (
        {"method": altmas.make_method("certified", temperature=0)},
        "temperature must be a number above 0; got 0.",
    ),
    "temperature NaN": (
        {"method": altmas.make_method("certified", temperature=float("nan"))},
        "temperature must be a number above 0; got nan.",
    ),
    "an anytime interval of what is no ratio": (
        {"method": altmas.make_method("certified", interval="anytime"), "metrics": ["accuracy", "mcc"]},
        "metric 'mcc' must be a ratio of sums over items, or a mean of such, for an anytime interval; got another",
    ),
    "a learner that cannot learn": (
        {"features": np.eye(N), "method": "certified", "learners": [object()]},
        "learner must be a name, or a classifier with fit and predict_proba; got object.",
    ),
    "a learner nobody knows": (
        {"method": "certified", "learners": ["forest"]},
        "learner must be one of kernel, linear, neighbours, network, or a classifier of scikit-learn; got 'forest'.",
    ),
    "learners for a method without": (
        {"learners": ["kernel"]},
        "learners must come with a method that takes them: certified, lure, ase, ppi, asi; got 'random'.",
    ),
    "a group task for certified": (
        {"method": "certified", "task": "identify"},
        "method must be one of the group methods for task 'identify'; got 'certified'.",
    ),
    "tuning what has no settings": (
        {"tuned forest": True, "scores": SCORES},
        "a surrogate to tune must have the settings learning_rate, epochs, dropout; got EnsembleSurrogate.",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_has_its_sentence_and_spends_no_label(case):
    arguments, sentence = WRONG[case]
    arguments = dict(arguments)
    if arguments.pop("lenet", False):
        from altmas.surrogates import MCDropoutLeNet

        arguments["method"] = altmas.make_method("bald", surrogate=MCDropoutLeNet())
    if arguments.pop("tuned forest", False):
        from sklearn.ensemble import RandomForestClassifier

        arguments["method"] = altmas.make_method("bald", surrogate=RandomForestClassifier(5), tune=True)
    if kind := arguments.pop("surrogate of", None):
        from sklearn.ensemble import GradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier

        kinds = [LogisticRegression(), GradientBoostingClassifier(), OneVsRestClassifier(LogisticRegression())]
        chosen = next(k for k in kinds if type(k).__name__ == kind)
        arguments |= {"method": altmas.make_method("bald", surrogate=chosen), "features": np.eye(N)}
    oracle = CountingOracle(SAID)
    call = {"predictions": SAID, "method": "random", "budget": 30, "initial": 10, "progress": False} | arguments
    with pytest.raises(altmas.InputError) as caught:
        altmas.assess(**call, oracle=oracle)
    assert str(caught.value).startswith(sentence)
    assert oracle.asked == []


@pytest.mark.parametrize(
    ("oracle", "sentence"),
    [
        (None, "oracle must be a callable, a mapping of ids to labels, or one label per item; got none."),
        (SAID[1:], "oracle must be one label per item; got 39 labels for 40 items."),
        ({0: "cat"}, "oracle must have a label for every item; got none for rows 1, 2, 3, 4, 5 and 34 more."),
    ],
)
def test_wrong_oracles_are_refused_before_the_first_question(oracle, sentence):
    with pytest.raises(altmas.InputError) as caught:
        altmas.assess(SAID, oracle=oracle, method="random", budget=30, initial=10, progress=False)
    assert str(caught.value) == sentence


def test_a_table_with_labels_outside_the_declared_classes_is_refused():
    with pytest.raises(altmas.InputError, match=r"oracle's labels must be among the classes .*; got 'bird' in row 4\."):
        altmas.assess(
            SAID, oracle=[*SAID[:4], "bird", *SAID[5:]], classes=["cat", "dog"], method="random", budget=30, initial=10
        )


LOG = pd.DataFrame({"id": range(10), "label": SAID[:10], "inclusion": 0.25})


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (LOG.drop(columns="inclusion"), "log must have the columns id, label and inclusion; got no inclusion."),
        (LOG.drop(columns="id"), "log must have the columns id, label and inclusion; got no id."),
        (LOG.assign(id=range(35, 45)), "log's ids must be ids of the pool; got 40 in rows 5, 6, 7, 8, 9."),
        (LOG.assign(id=[0, *range(9)]), "log's ids must be unique; got 1 again."),
        (LOG.assign(label=["bird", *SAID[1:10]]), "log's labels must be among the classes ['cat', 'dog']; got row 0."),
        (LOG.assign(inclusion=[0.0, *[0.5] * 9]), "log's inclusion must be above 0 and at most 1; got row 0."),
        (LOG.assign(inclusion=[0.5, 1.5, *[0.5] * 8]), "log's inclusion must be above 0 and at most 1; got row 1."),
        (LOG.assign(inclusion=np.nan), "log's inclusion must be above 0 and at most 1; got rows 0, 1, 2, 3, 4 and 5"),
    ],
)
def test_a_wrong_log_has_its_sentence(log, sentence):
    with pytest.raises(altmas.InputError) as caught:
        altmas.estimate_from_log(Pool.build(SAID), log, "accuracy")
    assert str(caught.value).startswith(sentence)


def test_a_certified_result_refuses_wrong_questions():
    result = altmas.assess(SAID, oracle=SAID, groups=["n", "s"] * 20, budget=30, initial=10, progress=False)
    for ask, sentence in [
        (lambda: result.estimate("acuracy"), "metric must be one of accuracy, "),
        (lambda: result.groups("colour"), "by must be one of class, score, score:weight, group; got 'colour'."),
        (lambda: result.compare("group", "n", "x"), "group must be one of ['n', 's']; got 'x'."),
        (lambda: result.forecast(0), "within must be "),
        (lambda: result.ece, "calibration must be asked of scores that are probabilities; got none such."),
        (lambda: result.calibration, "calibration must be asked of scores that are probabilities; got none such."),
    ]:
        with pytest.raises(altmas.InputError) as caught:
            ask()
        assert str(caught.value).startswith(sentence)


def test_options_of_a_method():
    with pytest.raises(altmas.InputError, match="options of method 'bald' must be among draws, .*; got 'colour'"):
        altmas.make_method("bald", colour="red")
    with pytest.raises(altmas.InputError, match="option 'draws' of method 'bald' must be a whole number; got 'many'."):
        altmas.make_method("bald", draws="many")
    with pytest.raises(
        altmas.InputError, match="option 'floor' of method 'certified' must be a number or None; got '1'"
    ):
        altmas.make_method("certified", floor="1")


def test_there_are_many_kinds():
    assert len(WRONG) >= 25
