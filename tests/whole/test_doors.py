"""Three doors, one engine: `assess`, an `Audit` and a log ask the same questions and find the same."""

import numpy as np
import pytest

import altmas
from altmas.audits.settings import NOT_IN_AUDITS
from altmas.catalogue import METHODS, make_method

SEEDS = (0, 1, 2)
INITIAL, BATCH, BUDGET = 18, 5, 33
GROUP_METHODS = ("uniform", "informed", "thompson", "hierarchical", "hierarchical-thompson")
OF_SEVERAL = ("coda", "model-selector")
TASKS = {
    "estimate": altmas.EstimateGroups(),
    "by region": altmas.EstimateGroups(by="region"),
    "identify": altmas.Identify(by="region"),
    "identify two": altmas.Identify(m=2),
    "most costly": altmas.Identify("most_costly", cost=(np.ones((3, 3)) - np.eye(3)).tolist()),
    "least calibrated": altmas.Identify("least_calibrated"),
    "compare": altmas.Compare("n", "s", by="region"),
    "surface": altmas.Surface("region,day", "beta-i"),
}
OPTIONS = {"altmas": {"draws": 6}, "bald": {"draws": 6}, "surface": {"settings": {"steps": 30}, "by": "region,day"}}
CASES = [
    (name, task)
    for name in METHODS
    if name not in NOT_IN_AUDITS
    for task in TASKS
    if task == "estimate" or name in GROUP_METHODS or (task == "surface" and name not in OF_SEVERAL)
]


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(5)
    labels = rng.integers(3, size=150)
    said = np.where(rng.random(150) < 0.75, labels, rng.integers(3, size=150))
    scores = 0.7 * np.eye(3)[said] + 0.3 * rng.dirichlet(np.ones(3), 150)
    groups = {"region": rng.choice(list("nse"), 150), "day": rng.choice(["mon", "tue"], 150)}
    return labels, said, {"scores": scores, "groups": groups, "classes": range(3)}


@pytest.fixture(scope="module")
def of_several(world):
    """The same labels, and three models."""
    labels, said, _ = world
    rng = np.random.default_rng(6)
    others = {name: np.where(rng.random(150) < 0.3, rng.integers(3, size=150), labels) for name in "ab"}
    return labels, {"vendor": said, **others}, {"classes": range(3)}


def by_assess(world, name, task, seed, **more):
    labels, said, given = world
    return altmas.assess(
        said, **given, oracle=labels.tolist(), method=make_method(name, **more), task=task, budget=BUDGET,
        initial=INITIAL, batch=BATCH, seed=seed, progress=False, metrics="usual",
    )  # fmt: skip


def by_audit(folder, world, name, task, seed, **more):
    labels, said, given = world
    pool = altmas.Pool.build(said, **given)
    audit = altmas.Audit.create(
        folder, pool, method=name, options=more, seed=seed, initial=INITIAL, batch=BATCH, task=task
    )
    count = INITIAL
    while audit.status().answered < BUDGET:
        for query in audit.ask(min(count, BUDGET - audit.status().answered)):
            audit.tell(query.id, int(labels[query.position]))
        count = BATCH
    return audit


@pytest.mark.parametrize(
    ("name", "task", "chosen_seed"),
    [
        pytest.param(
            name, task, one, marks=[pytest.mark.slow] if one else []
        )  # one seed by default, all among the slow
        for name, task in CASES
        for one in SEEDS
    ],
)
def test_an_audit_and_assess_are_one(name, task, chosen_seed, world, of_several, tmp_path):
    more, goal = OPTIONS.get(name, {}), TASKS[task]
    world = of_several if name in OF_SEVERAL else world
    with by_audit(tmp_path / "audit", world, name, goal, chosen_seed, **more) as audit:
        result = by_assess(world, name, goal, audit.job.seed, **more)
        assert [audit.pool.ids[p] for p in audit.state.order] == result.answers["id"].tolist()
        found = audit.findings()
        for column in ("metric", "estimate", "low", "high", "promise"):
            assert found.estimates[column].equals(result.estimates[column])
        assert found.verdict == getattr(result, "verdict", None)
        if hasattr(result, "ranking"):
            assert found.found.identified(goal).equals(result.ranking)
        if hasattr(result, "groups"):
            table = result.groups() if callable(result.groups) else result.groups
            by = "class" if goal.__class__ is altmas.Surface or goal.by is None else goal.by
            assert found.groups(by)["p_worst"].tolist() == table["p_worst"].tolist()
        if hasattr(result, "surface"):
            by = getattr(audit.method, "surface_task", goal)
            assert found.surface(by.by, estimator=by.estimator).table.equals(result.surface)


def test_an_audit_and_assess_are_one_with_features(world, tmp_path):
    """Learners take part in the same way behind both doors."""
    labels, said, given = world
    features = np.eye(3)[labels] + np.random.default_rng(1).normal(0, 0.7, (150, 3))
    featured = labels, said, {**given, "features": features}
    with by_audit(tmp_path / "audit", featured, "certified", "estimate", 0) as audit:
        result = by_assess(featured, "certified", "estimate", audit.job.seed)
        assert [audit.pool.ids[p] for p in audit.state.order] == result.answers["id"].tolist()
        assert audit.estimate()["estimate"].tolist() == result.estimates["estimate"].tolist()


@pytest.mark.parametrize("chosen_seed", SEEDS)
def test_an_audit_of_anytime_intervals_is_one_with_assess(chosen_seed, world, tmp_path):
    with by_audit(tmp_path / "audit", world, "certified", "estimate", chosen_seed, interval="anytime") as audit:
        result = by_assess(world, "certified", "estimate", audit.job.seed, interval="anytime")
        found = audit.estimate()
        assert found[["estimate", "low", "high"]].equals(result.estimates[["estimate", "low", "high"]])
        assert found["promise"].tolist() == result.estimates["promise"].tolist()
        other = audit.findings().found
        assert other.ranking("region").equals(result.findings.ranking("region"))
        assert other.compare("region", "n", "s") == result.findings.compare("region", "n", "s")


def test_a_log_is_read_by_the_same_engine(world):
    """From the log alone the belief is learnt anew; with the labels of the last refit it is the same one."""
    result = by_assess(world, "certified", "estimate", 0, learners=())
    known = result.findings.state.refit.known
    log = result.answers[["id", "label", "inclusion"]]
    again = altmas.estimate_from_log(result.pool, log, ["accuracy", "macro_recall"])
    own = result.estimate(["accuracy", "macro_recall"])
    assert known < len(log)  # so that the belief of the run is an older one
    width = (own["high"] - own["low"]).to_numpy()
    assert (np.abs(again["estimate"] - own["estimate"]).to_numpy() < 0.15 * width).all()
