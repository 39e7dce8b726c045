"""Two audits compared: differences, what changed in the pool, and what is refused."""

import numpy as np
import pytest

import altmas
from altmas.audits.audit import Audit
from altmas.core.apart import apart
from altmas.core.pool import Pool
from altmas.core.pool_changes import pool_changes
from altmas.metrics.errors import InputError
from worlds.audits import CLASSES, answer, kinds, make_audit, make_world


def labelled(folder, world, count=60, **options):
    with make_audit(folder, world, **options) as audit:
        answer(audit, world, count)
    return folder


@pytest.fixture
def months(tmp_path):
    good, bad = make_world(300, 0.95, seed=1), make_world(280, 0.6, seed=2)
    metrics = {"metrics": ["accuracy", "macro_recall"]}
    return labelled(tmp_path / "march", good, 100, **metrics), labelled(tmp_path / "april", bad, 100, **metrics)


def test_what_both_tell_is_subtracted(months):
    found = altmas.compare_audits(*months)
    then, now = (Audit.open(one).estimate() for one in months)
    assert found.metrics["metric"].tolist() == ["accuracy", "macro_recall"]
    assert np.allclose(found.metrics["estimate"], now["estimate"] - then["estimate"])
    row = found.metrics.iloc[0]
    assert row["low"] < row["estimate"] < row["high"] < 0
    assert row["p_higher"] < 0.01
    assert found.verdicts[0].startswith("accuracy fell by about")
    assert found.changes[0].startswith("The pool has 280 items instead of 300 items; 280 items are in both")
    assert "independently" in found.notes[0]


def test_the_other_way_round_is_the_same_with_another_sign(months):
    found, back = altmas.compare_audits(*months).metrics, altmas.compare_audits(*reversed(months)).metrics
    assert np.allclose(found[["estimate", "low", "high"]], -back[["estimate", "high", "low"]])
    assert np.allclose(found["p_higher"], 1 - back["p_higher"])


def test_other_metrics_levels_and_german(months):
    found = altmas.compare_audits(*months, metrics=["recall:cat", "ece"], level=0.8, lang="de")
    wide = altmas.compare_audits(*months, metrics=["recall:cat", "ece"], level=0.99)
    assert found.metrics["metric"].tolist() == ["recall:cat", "ece"]
    assert ((wide.metrics["high"] - wide.metrics["low"]) > (found.metrics["high"] - found.metrics["low"])).all()
    assert "80-%-Intervall" in str(found)
    assert not {"the", "is", "of", "pool"} & set(str(found).replace(".", " ").split())


def _scored(folder, classes, items=60):
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(len(classes)), items)
    pool = Pool.build([classes[c] for c in scores.argmax(1)], scores=scores, classes=classes)
    with Audit.create(folder, pool, metrics=["accuracy", "brier", "auroc", "macro_auroc"], initial=items) as audit:
        for query in audit.ask(items):
            audit.tell(query.id, classes[int(rng.integers(len(classes)))])
    return folder


def test_what_means_something_else_in_each_is_not_compared(tmp_path):
    two, three = _scored(tmp_path / "two", ["cat", "dog"]), _scored(tmp_path / "three", ["cat", "dog", "emu"])
    found = altmas.compare_audits(two, three)
    assert found.metrics["metric"].tolist() == ["accuracy", "macro_auroc"]
    assert found.notes[-1].endswith("would not mean the same: brier and auroc.")
    with pytest.raises(InputError, match="mean the same in both audits; got brier"):
        altmas.compare_audits(two, three, metrics="brier")
    assert altmas.compare_audits(two, three, metrics="auroc:dog").metrics["metric"].tolist() == ["auroc:dog"]
    turned = _scored(tmp_path / "turned", ["dog", "cat"])
    assert altmas.compare_audits(two, turned).metrics["metric"].tolist() == ["accuracy", "brier", "macro_auroc"]


def test_models_are_matched_by_name(tmp_path):
    a, b = make_world(120, seed=1), make_world(120, seed=2)

    def several(world, *names):
        said = [CLASSES[c] for c in world.said]
        return Pool.build(dict.fromkeys(names, said), classes=CLASSES)

    folders = []
    for world, names in ((a, ("x", "y")), (b, ("y", "z"))):
        folder = tmp_path / names[0]
        with Audit.create(folder, several(world, *names), metrics=["accuracy"], initial=20) as audit:
            answer(audit, world, 40)
        folders.append(folder)
    found = altmas.compare_audits(*folders)
    assert found.metrics["model"].tolist() == ["y"]
    assert any("Only the later audit has 'z'" in one for one in found.changes)
    assert found.as_dict()["pool"]["only_before"] == ("x",)
    with pytest.raises(InputError, match="both audits have"):
        altmas.compare_audits(*folders, model="x")


def test_refusals(tmp_path, months):
    with pytest.raises(InputError, match="be two"):
        altmas.compare_audits(months[0], months[0])
    other = labelled(tmp_path / "other", make_world(80), 30, metrics=["f1:cat"])
    with pytest.raises(InputError, match="a metric in common"):
        altmas.compare_audits(months[0], other)
    with make_audit(tmp_path / "empty") as empty, pytest.raises(InputError, match="at least one label"):
        altmas.compare_audits(months[0], empty)


def test_kept_labels_are_told_of(tmp_path):
    world = make_world(200, seed=4)
    march = labelled(tmp_path / "march", world, 50, seed=1)
    with make_audit(tmp_path / "april", world, seed=2) as april:
        april.renew(march, keep_labels=True)
        answer(april, world, 80)
        found = altmas.compare_audits(march, april)
        then, now = (one.estimate().to_dict("records")[0] for one in (Audit.open(march), april))
    assert "50 labels are in both audits" in found.notes[0]
    assert "allow for it" in found.notes[0]
    told, independent = found.metrics.iloc[0], apart(then, now, 0.95, (0.0, 1.0))
    assert told["estimate"] == independent.estimate
    assert told["high"] - told["low"] < 0.9 * (independent.high - independent.low)
    assert "looked" in kinds(Audit.open(march))


def test_everything_labelled_is_exact(tmp_path):
    worlds = make_world(40, seed=1), make_world(40, seed=2)
    folders = [labelled(tmp_path / str(k), one, 40) for k, one in enumerate(worlds)]
    row = altmas.compare_audits(*folders).metrics.iloc[0]
    assert row["low"] == row["high"] == pytest.approx(worlds[1].accuracy - worlds[0].accuracy)
    assert row["p_higher"] in (0.0, 1.0)


def test_differences_of_proportions_cover_near_the_bound():
    """Jeffreys intervals of 60 draws each at 0.97 and 0.99, one end open where none was wrong; 4,000 pairs.

    The true coverage must be 93% at least: a chance below 1e-6 of failing where it is 94.5%.
    """
    from scipy.stats import beta

    rng, level, n, held = np.random.default_rng(3), 0.95, 60, 0

    def one(p):
        right = rng.binomial(n, p)
        open_high = right == n
        tail = 0.05 if open_high else 0.025
        high = 1.0 if open_high else beta.ppf(1 - tail, right + 0.5, n - right + 0.5)
        return {"estimate": right / n, "low": beta.ppf(tail, right + 0.5, n - right + 0.5), "high": high}

    for _ in range(4000):
        found = apart(one(0.97), one(0.99), level, (0.0, 1.0))
        held += found.low <= 0.02 <= found.high
    assert held / 4000 > 0.93


def test_scores_groups_and_silence_are_compared():
    said, groups = ["cat", "dog"] * 50, {"region": ["north", "south"] * 50}
    before = Pool.build(said, scores=[0.6] * 100, groups=groups)
    after = Pool.build([None] * 10 + ["cat"] * 90, scores=[0.9] * 100, groups={"region": ["north"] * 100},
                       classes=["cat", "dog"])  # fmt: skip
    found = pool_changes(before, after)
    model = found.models[0]
    assert model.scores_distance == 1.0
    assert model.mean_score == pytest.approx((0.6, 0.9))
    assert model.no_answer == (0.0, 0.1)
    assert found.groups["region"].distance == pytest.approx(0.5)
    assert model.changed == 10 + 45
