"""Asking: the same questions until they are answered, and `assess` by another door."""

import numpy as np
import pytest

import altmas
from altmas.audits.audit import Audit
from altmas.metrics.errors import InputError
from worlds.audits import CLASSES, METRICS, answer, drawn, kinds, make_audit, make_world, rounds


def assessed(world, count, method="certified", initial=20, batch=10, metrics=METRICS, **more):
    pool = world.pool
    return altmas.assess(
        [CLASSES[c] for c in world.said], world.confidence, classes=CLASSES, ids=pool.ids, metrics=metrics,
        oracle=dict(zip(pool.ids, [CLASSES[c] for c in world.truth], strict=True)), method=method, budget=count,
        initial=initial, batch=batch, progress=False, **more,
    )  # fmt: skip


# The same questions


def test_asking_twice_changes_nothing(audit):
    first = audit.ask(7)
    events = len(audit.events())
    assert audit.ask(7) == first
    assert audit.ask(3) == first[:3]
    assert len(audit.events()) == events
    more = audit.ask(9)
    assert more[:7] == first
    assert len({query.id for query in more}) == 9


def test_an_answered_question_makes_room_for_the_next(audit):
    first = audit.ask(5)
    audit.tell(first[2].id, "cat")
    second = audit.ask(5)
    assert second[:4] == [*first[:2], *first[3:]]
    assert second[4] not in first


def test_the_same_questions_after_reopening(audit, world):
    answer(audit, world, 30)
    queries = audit.ask(10)
    with Audit.open(audit.folder) as again:
        assert again.ask(10) == queries


def test_the_whole_pool_can_be_asked_about_and_no_more(tmp_path):
    world = make_world(45)
    with make_audit(tmp_path / "audit", world) as audit:
        answer(audit, world, 45)
        assert sorted(drawn(audit)) == list(range(45))
        assert audit.ask(5) == []
        assert audit.ask(5, wait=False) == []
        assert audit.status().open == 0


def test_a_query_shows_nothing_that_the_model_said(audit, world):
    query = audit.ask(1)[0]
    assert vars(query) == {
        "id": world.pool.ids[query.position], "position": query.position, "round": 0, "content": {}, "media": False,
    }  # fmt: skip


def test_rounds_are_numbered_as_they_were_drawn(audit, world):
    answer(audit, world, 20)
    later = audit.ask(3)
    assert {query.round for query in later} == {1}
    for query in later[:2]:
        audit.tell(query.id, "cat")
    assert [query.round for query in audit.ask(2)] == [1, 2]


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", True])
def test_only_whole_numbers_of_questions(audit, n):
    with pytest.raises(InputError, match="n must"):
        audit.ask(n)


# `assess`, by another door


@pytest.mark.parametrize(("initial", "batch"), [(20, 10), (35, 7)])
def test_told_in_order_an_audit_is_assess(tmp_path, seed, initial, batch):
    world = make_world(seed=seed)
    count = initial + 7 * batch
    with make_audit(tmp_path / "a", world, metrics=METRICS, initial=initial, batch=batch, seed=seed) as audit:
        result = assessed(world, count, initial=initial, batch=batch, seed=audit.job.seed)
        answer(audit, world, count)
        assert drawn(audit) == result.answers["position"].tolist()
        given = [p for one in rounds(audit) for p in one["propensities"]]
        np.testing.assert_allclose(given, result.answers["propensity"], rtol=1e-9)
        found = audit.findings()
        expected = result.estimate(METRICS)
        assert found.estimates["metric"].tolist() == METRICS
        for column in ("estimate", "low", "high", "plug_in", "design"):
            np.testing.assert_allclose(found.estimates[column], expected[column], atol=1e-5)
        assert found.estimates["worst_case"].isna().all()
        assert found.estimates["best_case"].isna().all()
        # The design, replayed from the log.
        inclusion = found.found.inclusion[drawn(audit)]
        np.testing.assert_allclose(inclusion, result.answers["inclusion"], rtol=1e-9)


def test_an_anytime_audit_told_in_order_is_assess(tmp_path, world):
    method = altmas.make_method("certified", interval="anytime")
    with make_audit(tmp_path / "a", world, options={"interval": "anytime"}) as audit:
        result = assessed(world, 60, method=method, metrics=["accuracy"], seed=audit.job.seed)
        answer(audit, world, 60)
        assert drawn(audit) == result.answers["position"].tolist()
        row, expected = audit.findings().estimates.iloc[0], result.estimates.iloc[0]
        np.testing.assert_allclose([row.low, row.high], [expected.low, expected.high], atol=1e-5)
        assert "all looks" in row.promise


def test_a_random_audit_told_in_order_is_assess(tmp_path, world):
    with make_audit(tmp_path / "a", world, metrics=METRICS, method="random") as audit:
        result = assessed(world, 60, method="random", seed=audit.job.seed)
        answer(audit, world, 60)
        assert drawn(audit) == result.answers["position"].tolist()
        table = audit.findings().estimates
        for column in ("estimate", "low", "high"):
            np.testing.assert_allclose(table[column], result.estimates[column], atol=1e-12)
        assert not audit.refit_due()
        assert "fitted" not in kinds(audit)


@pytest.mark.parametrize("method", ["uniform", "informed", "thompson", "hierarchical", "hierarchical-thompson"])
def test_group_methods_go_from_the_first_question_to_the_last(tmp_path, method):
    world = make_world(60)
    with make_audit(tmp_path / "a", world, method=method) as audit:
        answer(audit, world, 40, reply=lambda position: "unsure" if position % 7 == 0 else world.label(position))
        found = audit.findings()
        assert not found.knows_chances
        assert found.missing["unsure"] == sum(position % 7 == 0 for position in drawn(audit))
        row = found.estimates.iloc[0]
        assert row.low <= row.estimate <= row.high
        assert len(found.groups()) == 4
        for position in [p for p in drawn(audit) if p % 7 == 0]:
            audit.tell(world.pool.ids[position], world.label(position), replace=True)
        answer(audit, world, 60)
        assert audit.findings().estimates["estimate"].iloc[0] == pytest.approx(world.accuracy)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bald", "altmas", "certified"])
def test_methods_with_a_network_run_in_an_audit(tmp_path, method):
    rng = np.random.default_rng(0)
    world = make_world(60, features=rng.normal(size=(60, 3)).astype(np.float32))
    with make_audit(tmp_path / "a", world, method=method, initial=10, batch=5) as audit:
        answer(audit, world, 20, reply=lambda position: "skip" if position % 9 == 0 else world.label(position))
        assert len(drawn(audit)) == len(set(drawn(audit))) == 20
        assert [one["fit"] for one in rounds(audit)] == [None, 0, 1]
        row = audit.findings().estimates.iloc[0]
        assert 0 <= row.low <= row.estimate <= row.high <= 1
        assert audit.verify().ok
