"""The group methods through `assess`: estimate, identify, compare."""

import numpy as np
import pytest

import altmas
from altmas.bandits.findings import RANKED
from altmas.metrics import metrics_named, tally

GROUP_METHODS = ["uniform", "informed", "thompson", "hierarchical", "hierarchical-thompson"]
QUICK = {"budget": 80, "initial": 40, "batch": 20, "progress": False}


@pytest.fixture
def call(digits):
    said = digits.predictions[:300]
    return {"predictions": said, "scores": digits.scores[:300], "oracle": digits.labels[:300], "classes": range(10)}


@pytest.mark.parametrize("method", GROUP_METHODS)
def test_estimates_and_groups(method, call):
    result = altmas.assess(**call, method=method, **QUICK)
    groups = result.groups
    assert groups["labels"].sum() == 80
    assert groups["size"].sum() == 300
    assert groups["p_worst"].sum() == pytest.approx(1)
    assert (groups["low"] <= groups["estimate"] + 1e-9).all()
    assert (groups["estimate"] <= groups["high"] + 1e-9).all()
    assert "credible" in result.estimates["promise"][0]
    np.testing.assert_allclose(groups["bias"], groups["score"] - groups["estimate"])
    assert result.calibration["size"].sum() == 300
    estimate, low, high = result.ece
    assert low <= estimate <= high
    truth = float((call["predictions"] == call["oracle"]).mean())
    if method != "uniform":
        assert abs(result.estimates["estimate"][0] - truth) < 0.1


@pytest.mark.parametrize("method", GROUP_METHODS)
@pytest.mark.parametrize("by", ["class", "score", "region"])
def test_with_every_item_labelled_metrics_are_exact(method, by, call):
    items = 60
    few = {k: v if k == "classes" else v[:items] for k, v in call.items()}
    result = altmas.assess(
        **few, groups={"region": ["n", "s", "w"] * 20}, method=method, by=by, metrics=["alt_mas_21", "mcc"],
        budget=items, initial=30, batch=15, progress=False,
    )  # fmt: skip
    assert (result.groups["low"] == result.groups["high"])[result.groups["size"] > 0].all()
    confusion = tally(few["oracle"], few["predictions"], 10)
    for one in metrics_named(["alt_mas_21", "mcc"], range(10)):
        assert result.estimates.set_index("metric")["estimate"][one.name] == pytest.approx(
            float(one.value(confusion)), abs=1e-12
        )


@pytest.mark.parametrize("method", ["thompson", "hierarchical-thompson"])
@pytest.mark.parametrize("target", ["least_accurate", "most_accurate", "least_calibrated", "most_costly"])
def test_identification(method, target, call):
    result = altmas.assess(**call, method=method, task="identify", target=target, m=2, cost=1 - np.eye(10), **QUICK)
    assert result.ranking["p"].sum() == pytest.approx(2)
    assert result.ranking["p"].is_monotonic_decreasing
    assert result.verdict.startswith(RANKED[target] + " by class: ")
    assert (result.ranking["rank_low"] <= result.ranking["rank"]).all()


def made_up(rates, each=200):
    """A pool whose group g is right at this rate exactly."""
    said = np.repeat(np.arange(len(rates)), each)
    right = np.concatenate([np.arange(each) < round(rate * each) for rate in rates])
    labels = np.where(right, said, (said + 1) % len(rates))
    return {"predictions": said, "oracle": labels, "classes": range(len(rates))}


def test_thompson_asks_where_it_matters_and_names_the_worst():
    result = altmas.assess(
        **made_up([0.95, 0.9, 0.92, 0.4]),
        method="hierarchical-thompson",
        task="identify",
        budget=150,
        initial=20,
        progress=False,
    )
    assert result.verdict.startswith("lowest accuracy by class: 3 (P = ")
    assert "not settled" not in result.verdict
    by_group = result.ranking.set_index("group")["labels"]
    assert by_group[3] > 2 * by_group[0]


def test_two_that_are_equally_bad_are_not_told_apart():
    pool = made_up([0.9, 0.5, 0.5, 0.92], each=100)
    result = altmas.assess(
        **pool, method="hierarchical-thompson", task="identify", budget=400, initial=20, progress=False
    )
    assert "not settled; likeliest: " in result.verdict
    top = result.ranking.head(2)
    assert set(top["group"]) == {1, 2}
    assert top["p"].between(0.3, 0.7).all()


def test_comparison_spends_labels_on_the_two_groups():
    pool = made_up([0.9, 0.5, 0.9])
    result = altmas.assess(
        **pool,
        method="thompson",
        scores=np.full(600, 0.8),
        task="compare",
        a=0,
        b=1,
        budget=100,
        initial=10,
        progress=False,
    )
    assert set(result.answers["position"] // 200) == {0, 1}
    assert (result.eta, result.lam > 0.95) == ("higher", True)
    assert sum(result.mu.values()) == pytest.approx(1)
    assert "more than 0.05 above" in result.verdict
    low, high = result.difference[1:]
    assert low < 0.4 < high
    rest = altmas.assess(**pool, method="uniform", task="compare", a=2, b=0, budget=450, initial=10, progress=False)
    assert rest.eta == "equal"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"task": "guess"}, "task must be one of estimate, identify, compare, surface, best; got 'guess'."),
        ({"task": "identify", "target": "nicest"}, "target must be one of least_accurate"),
        ({"task": "identify", "m": 10}, "m must be below the number of groups that have items, 10; got 10."),
        ({"task": "identify", "m": 0}, "m must be an int >= 1; got 0."),
        ({"task": "identify", "target": "most_costly"}, "cost must be given to find the most costly; got none."),
        (
            {"task": "identify", "target": "most_costly", "cost": np.eye(3)},
            "cost must be \\[true, predicted\\] of shape",
        ),
        ({"task": "compare", "a": 0, "b": 77}, "groups to compare must be among 0, 1, .*; got 77."),
        ({"task": "compare", "a": 0, "b": 0}, "groups to compare must be two; got 0 twice."),
        ({"task": "compare", "a": 0, "b": 1, "rope": 5}, "rope must be a number between 0 and 1"),
        ({"by": "region"}, "by must be one of class, score"),
        (
            {"task": "identify", "method": "altmas"},
            "method must be one of the group methods for task 'identify'; got 'altmas'",
        ),
    ],
)
def test_bad_questions_say_so_before_a_label_is_spent(call, arguments, sentence):
    asked = []

    def oracle(item):
        asked.append(item)
        return 0

    with pytest.raises(altmas.InputError, match=sentence):
        altmas.assess(**call | {"oracle": oracle, "method": "thompson"} | arguments, **QUICK)
    assert not asked


def test_results_can_be_drawn(call):
    from altmas.plots.displays import ForestDisplay, ReliabilityDisplay

    result = altmas.assess(**call, method="hierarchical", **QUICK)
    drawn = ReliabilityDisplay.from_calibration(result.calibration)
    np.testing.assert_array_equal(drawn.accuracy.mean, result.calibration["estimate"])
    assert drawn.shares.sum() == pytest.approx(1)
    assert drawn.plot().get_xlabel()
    assert ForestDisplay.from_posterior(result.groups["group"], result.posterior).plot().get_xlabel()


@pytest.mark.parametrize("method", ["hierarchical", "thompson"])
def test_calibration_with_everything_labelled(method, call):
    """Many labels and a weak prior: the posterior's ECE is near the plain one."""
    result = altmas.assess(
        **call, method=altmas.make_method(method, strength=0.01), by="score", **QUICK | {"budget": 300}
    )
    scores, right = call["scores"].max(1), call["predictions"] == call["oracle"]
    bins = np.minimum((scores * 10).astype(int), 9)
    plain = sum(abs(right[bins == b].mean() - scores[bins == b].mean()) * (bins == b).mean() for b in set(bins))
    assert result.ece[0] == pytest.approx(plain, abs=0.05)


def test_confidences_that_are_no_probabilities_have_no_calibration(call):
    result = altmas.assess(**call | {"scores": call["scores"].max(1) * 50}, method="hierarchical-thompson", **QUICK)
    assert result.calibration is None
    assert result.ece is None


def test_learning_the_confusion():
    pool = made_up([0.95, 0.5, 0.9])
    learn = altmas.make_method("thompson", reward="confusion")
    result = altmas.assess(**pool, scores=np.full(600, 0.8), method=learn, budget=120, initial=30, progress=False)
    by_group = result.groups.set_index("group")["labels"]
    assert by_group[1] > by_group[0]  # the column that varies most


def test_options_of_group_methods():
    assert altmas.make_method("thompson", rule="top-two").rule == "top-two"
    for options, sentence in (
        ({"prior": "magic"}, "prior must be one of"),
        ({"rule": "magic"}, "rule must be one of"),
        ({"reward": "fame"}, "reward must be accuracy or confusion"),
        ({"strength": 0}, "strength must be above 0"),
        ({"draws": 1}, "draws must be an int >= 2"),
    ):
        with pytest.raises(altmas.InputError, match=sentence):
            altmas.make_method("thompson", **options)


def test_empty_groups_are_never_named(call):
    """Ten score bins of which the lower ones are empty: they cannot be the worst."""
    result = altmas.assess(**call, method="uniform", by="score", **QUICK)
    assert result.groups.loc[result.groups["size"] == 0, "p_worst"].sum() == 0
    found = altmas.assess(**call, method="thompson", by="score", task="identify", **QUICK)
    assert (found.ranking["size"] > 0).all()
    with pytest.raises(altmas.InputError, match="groups to compare must have items; got none in '0.00-0.10'"):
        altmas.assess(**call, method="thompson", by="score", task="compare", a="0.00-0.10", b="0.90-1.00", **QUICK)


def test_many_groups_do_not_drown_the_answers(call):
    """The strength of a confusion column is shared by the groups that cross it."""
    groups = {"ward": np.arange(300) % 20}
    truth = float((call["predictions"] == call["oracle"]).mean())
    result = altmas.assess(**call, groups=groups, method="uniform", by="ward", **QUICK | {"budget": 200})
    assert abs(result.estimates["estimate"][0] - truth) < 0.12


def test_a_comparison_begins_with_both_sides_alike():
    pool = made_up([0.9, 0.5, 0.9])
    result = altmas.assess(**pool, method="uniform", task="compare", a=0, b=1, budget=20, initial=20, progress=False)
    assert np.bincount(result.answers["position"] // 200).tolist() == [10, 10]


def test_propensities_are_those_of_the_whole_choice():
    """Summed over the open items of an arm they are the arm's chance, at most 1."""
    pool = made_up([0.95, 0.6, 0.9], each=50)
    result = altmas.assess(
        **pool, method="hierarchical-thompson", task="identify", budget=60, initial=30, batch=1, progress=False
    )
    later = result.answers[result.answers["round"] > 0]
    assert (later["propensity"] > 0).all()
    assert (later["propensity"] <= 1 / 10).all()


def test_a_batch_is_spread_over_the_arms():
    pool = made_up([0.7] * 10, each=100)
    method = altmas.make_method("thompson", prior="uniform")
    result = altmas.assess(**pool, method=method, budget=150, initial=50, batch=100, progress=False)
    assert result.groups["labels"].max() < 40


def test_scores_a_hair_above_one_lose_no_answers(call):
    scores = call["scores"].max(1)
    scores[0] = 1.0000001
    result = altmas.assess(**call | {"scores": scores}, method="informed", **QUICK)
    assert result.ece is not None


def test_answers_that_are_no_class(call):
    said = call["predictions"].astype(object)
    said[:40] = "error"
    call = call | {"predictions": said, "not_a_class": ["error"]}
    result = altmas.assess(**call, method="hierarchical-thompson", **QUICK)
    assert result.groups.set_index("group").loc["(no class)", "p_worst"] == 0
    nothing = result.groups.set_index("group").loc["(no class)"]
    assert (nothing["estimate"], nothing["low"], nothing["high"]) == (0.0, 0.0, 0.0)
    assert result.estimates["estimate"].between(0, 1).all()
