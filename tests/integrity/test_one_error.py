"""What is said of probabilities is never surer than the interval beside it."""

import numpy as np
import pytest
from scipy.stats import binomtest

import altmas
from worlds.attacks import CLASSES, vendor


def assessed(seed, budget=60, rate=(0.75, 0.75), size=2000):
    """Two small groups in a large pool, their accuracies as given, and what the labels tell of them."""
    rng = np.random.default_rng(seed)
    truth, said, confidence = vendor(size, accuracy=0.9, seed=seed)
    group = np.full(size, "rest", dtype=object)
    for name, share in zip("ab", rate, strict=True):
        mine = rng.choice(np.flatnonzero(group == "rest"), size // 20, replace=False)
        group[mine] = name
        right = rng.random(len(mine)) < share
        said[mine] = np.where(right, truth[mine], (truth[mine] + 1) % 4)
    names = np.array(CLASSES)
    result = altmas.assess(
        names[said], confidence, groups={"part": group}, classes=CLASSES, oracle=names[truth].tolist(),
        metrics=["accuracy"], budget=budget, seed=seed, progress=False,
    )  # fmt: skip
    gap = (said == truth)[group == "a"].mean() - (said == truth)[group == "b"].mean()
    return result.findings, gap


@pytest.mark.parametrize("rope", [0.05, 0.1])
def test_no_verdict_is_surer_than_its_interval(rope):
    for seed in range(12):
        found, _ = assessed(seed)
        row = found.compare("part", "a", "b", rope=rope)
        if row["low"] < -rope or row["high"] > rope:
            assert row["p_equal"] < 0.976, row  # 0.975 of a normal lies within one end
        if row["low"] < -rope and row["high"] > rope:
            assert row["p_equal"] < 0.951, row
        if row["low"] <= rope:
            assert row["p_higher"] < 0.976, row
        if row["high"] >= -rope:
            assert row["p_lower"] < 0.976, row
        table = found.groups("part")
        z = 1.96
        assert (table["below"] * z >= (table["estimate"] - table["low"]) * 0.8 - 1e-9).all()


def test_settled_comparisons_are_seldom_wrong():
    """60 pools in which two groups differ by 0.15: of verdicts settled at 95%, no more are wrong than chance allows.

    The binomial test has an error rate below 1e-4.
    """
    settled = wrong = 0
    for seed in range(60):
        found, gap = assessed(seed, 80, (0.9, 0.75), 1000)
        row = found.compare("part", "a", "b", rope=0.05)
        sides = {"p_lower": gap < -0.05, "p_equal": abs(gap) <= 0.05, "p_higher": gap > 0.05}
        likeliest = max(sides, key=row.get)
        if row[likeliest] >= 0.95:
            settled += 1
            wrong += not sides[likeliest]
    assert settled == 0 or binomtest(wrong, settled, 0.05, "greater").pvalue > 1e-4


def test_two_models_are_compared_with_the_error_of_their_interval():
    truth, said, confidence = vendor(1000, accuracy=0.8)
    names = np.array(CLASSES)
    other = np.where(np.random.default_rng(1).random(1000) < 0.02, (said + 1) % 4, said)
    result = altmas.assess(
        {"one": names[said], "two": names[other]}, {"one": confidence, "two": confidence}, classes=CLASSES,
        oracle=names[truth].tolist(), metrics=["accuracy"], budget=60, progress=False,
    )  # fmt: skip
    row, best = result.differences.iloc[0], result.best.set_index("model")["p_best"]
    if row.low <= 0 <= row.high:
        assert 0.02 < row.p_first_higher < 0.98
        assert 0.02 < best["one"] < 0.98
    assert best["one"] == pytest.approx(row.p_first_higher, abs=0.03)
