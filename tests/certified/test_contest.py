"""Who is a contender, and what may be said of those who are not."""

import numpy as np
import pytest

import altmas
from altmas.catalogue import make_method
from altmas.certified.contest import _borne_out
from altmas.certified.design import Interval
from altmas.certified.standing import _nearest


def noisy(rng, labels, share, classes=3):
    return np.where(rng.random(len(labels)) < share, labels, (labels + rng.integers(1, classes, len(labels))) % classes)


def test_copies_of_the_leader_leave_room_for_the_others():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 400)
    bad, good = noisy(rng, truth, 0.79), noisy(rng, truth, 0.80)
    said = {**{f"copy {k}": bad for k in range(45)}, "good": good, "poor": noisy(rng, truth, 0.5)}
    found = altmas.assess(said, oracle=truth, task="best", budget=25, seed=1, progress=False)
    row = found.best.set_index("model").loc["good"]
    assert row["p_best"] > 0
    assert not row["ruled_out"]
    assert found.expected_loss > 0


def test_who_was_not_weighed_is_not_ruled_out():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 300)
    said = {f"model {k}": noisy(rng, truth, 0.75) for k in range(60)}
    table = altmas.assess(said, oracle=truth, task="best", budget=10, seed=1, progress=False).best
    assert not (table["ruled_out"] & (table["p_best"] == 0) & (table["behind_low"] <= 0)).any()


def test_out_of_reach_is_who_is_so_by_the_design_as_well():
    """Of a run in which ten models were wrong together: the honest one was 9 of the belief's errors behind."""
    thought, error = np.array([-0.27, -0.05, -0.30]), np.array([0.03, 0.03, 0.03])
    design, variance = np.array([-0.20, -0.05, -0.30]), np.square([0.13, 0.13, 0.01])
    assert _nearest(thought, error, design, variance).tolist() == [1, 0]
    unanswered = np.full(3, np.inf)
    assert _nearest(thought, error, design, unanswered).tolist() == [1]
    assert len(_nearest(thought - 1, error, design - 1, np.full(3, 1e-6))) == 1  # one is left to be told apart


def test_what_the_interval_does_not_bear_out():
    # Of a level of 50% the ends are [0.01, 0.05], of 95% they hold 0; the last interval is on the other side of 0.
    half, sure, against = (
        Interval(0.03, 0.01, 0.05, 0.03, 0.03, 0.03),
        *(Interval(end, end - 0.02, end + 0.02, 0.01, 0.01, 0.01) for end in (0.03, -0.03)),
    )
    assert [_borne_out(-0.03, one) for one in (half, sure, against)] == [False, True, False]
    assert [_borne_out(0.03, one) for one in (half, sure, against)] == [False, False, True]


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "expected_cost", "macro_recall"])
def test_a_contest_at_all_looks_by_any_metric(metric):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)
    said = {name: noisy(rng, truth, share) for name, share in (("a", 0.6), ("b", 0.95), ("c", 0.75))}
    cost = 3.0 * (1 - np.eye(3)) if metric == "expected_cost" else None
    method = make_method("certified", interval="anytime")
    found = altmas.assess(
        said, oracle=truth, task="best", metric=metric, cost=cost, method=method, budget=60, seed=0, progress=False
    )
    assert found.leader == "b"
    assert (found.best["behind_low"][1:] > 0).all()
    assert found.best["behind"].tolist() == pytest.approx(found.best["behind_low"].tolist(), abs=1e-9)
