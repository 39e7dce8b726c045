"""What an audit says of groups, and of several models."""

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.metrics import tally
from altmas.metrics.errors import InputError
from worlds.audits import CLASSES, answer, make_audit, make_world

# Groups


@pytest.fixture
def regions(tmp_path):
    """North is right nine times in ten, south half as often, east like south."""
    base = make_world(300, accuracy=1.0)
    rng = np.random.default_rng(1)
    region = np.array(["north", "south", "east"])[np.arange(300) % 3]
    wrong = rng.random(300) < np.where(region == "north", 0.05, 0.5)
    said = np.where(wrong, (base.truth + 1) % 4, base.truth)
    pool = Pool.build([CLASSES[c] for c in said], classes=CLASSES, ids=base.pool.ids, groups={"region": region})
    world = type(base)(pool, base.truth, said, base.confidence)
    with make_audit(tmp_path / "regions", world, initial=150) as audit:
        answer(audit, world, 150)
        yield audit, world, region


def test_groups_have_their_own_estimates(regions):
    audit, world, region = regions
    table = audit.findings().groups("region").set_index("group")
    assert table["size"].to_dict() == {"north": 100, "south": 100, "east": 100}
    assert table["labels"].sum() == 150
    for name in ("north", "south", "east"):
        truth = float((world.truth == world.said)[region == name].mean())
        assert table.loc[name, "low"] <= truth <= table.loc[name, "high"]
        assert abs(table.loc[name, "estimate"] - truth) < 0.15
    assert table["p_worst"].sum() == pytest.approx(1)
    assert table.loc["north", "p_worst"] < 0.01


def test_the_worst_group_is_named_only_when_the_answers_settle_it(regions):
    audit, _, _ = regions
    one = audit.worst("region")
    assert one.attrs["verdict"].startswith("lowest accuracy by region: not settled; likeliest: ")
    assert set(one["group"].head(2)) == {"south", "east"}
    assert one["p"].sum() == pytest.approx(1)
    two = audit.worst("region", m=2)
    assert two.attrs["verdict"] in (
        f"lowest accuracy by region: {first}, {second} (P = 1.00)"
        for first, second in (("south", "east"), ("east", "south"))
    )
    assert two["p"].sum() == pytest.approx(2)
    assert two.iloc[-1]["group"] == "north"
    assert (two.iloc[-1]["rank_low"], two.iloc[-1]["rank_high"]) == (3, 3)
    with pytest.raises(InputError, match="m must be below the number of groups"):
        audit.worst("region", m=3)


def test_an_error_is_worst_where_it_is_highest(regions):
    audit, _, _ = regions
    table = audit.worst("region", metric="error_rate", m=2)
    assert table.attrs["verdict"].startswith("highest error_rate by region: ")
    assert table.iloc[-1]["group"] == "north"
    by_group = audit.findings().groups("region", metric="error_rate").set_index("group")
    assert by_group["p_worst"].idxmax() != "north"


def test_two_groups_compared(regions):
    audit, _, _ = regions
    apart = audit.compare("region", "south", "north")
    assert apart["verdict"] == "accuracy of south is more than 0.05 below that of north (P = 1.00)"
    assert apart["p_lower"] + apart["p_equal"] + apart["p_higher"] == pytest.approx(1)
    assert apart["low"] <= apart["estimate"] <= apart["high"] < -0.05
    turned = audit.compare("region", "north", "south")
    assert turned["verdict"] == "accuracy of north is more than 0.05 above that of south (P = 1.00)"
    assert turned["estimate"] == pytest.approx(-apart["estimate"])
    near = audit.compare("region", "south", "east", rope=0.01)
    assert near["verdict"].startswith("not settled; likeliest: accuracy of south ")
    same = audit.compare("region", "south", "east", rope=0.5)
    assert same["verdict"] == "accuracy of south and of east are within 0.5 of each other (P = 1.00)"
    with pytest.raises(InputError, match="group must be one of"):
        audit.compare("region", "south", "west")
    with pytest.raises(InputError, match="rope must"):
        audit.compare("region", "south", "north", rope=0)


# Several models


@pytest.fixture
def two_models(tmp_path, world):
    better = np.where(np.arange(200) % 10 < 9, world.truth, (world.truth + 1) % 4)
    said = {"ours": [CLASSES[c] for c in world.said], "theirs": [CLASSES[c] for c in better]}
    pool = Pool.build(said, classes=CLASSES, ids=world.pool.ids, scores={"ours": world.confidence})
    with Audit.create(tmp_path / "two", pool, metrics=["accuracy", "macro_recall"], initial=50, seed=1) as audit:
        for query in audit.ask(120):
            audit.tell(query.id, world.label(query.position))
        yield audit, {"ours": world.said, "theirs": better}


def test_several_models_from_one_label_stream(two_models, world):
    audit, said = two_models
    found = audit.findings()
    assert found.models == ("ours", "theirs")
    assert found.estimates[["model", "metric"]].values.tolist() == [
        ["ours", "accuracy"], ["ours", "macro_recall"], ["theirs", "accuracy"], ["theirs", "macro_recall"],
    ]  # fmt: skip
    table = found.estimates.set_index(["model", "metric"])
    for name, one in said.items():
        row = table.loc[(name, "accuracy")]
        assert row.low <= (world.truth == one).mean() <= row.high
    gap = found.differences().set_index("metric").loc["accuracy"]
    assert (gap["first"], gap["second"]) == ("ours", "theirs")
    assert gap["estimate"] == pytest.approx(
        table.loc[("ours", "accuracy"), "estimate"] - table.loc[("theirs", "accuracy"), "estimate"], abs=0.03
    )
    assert gap["p_first_higher"] < 0.1
    best = found.best()
    accuracy = best[best["metric"] == "accuracy"]
    assert accuracy.loc[accuracy["p_best"].idxmax(), "model"] == "theirs"
    assert accuracy["p_best"].sum() == pytest.approx(1)


def test_each_model_s_own_confusion_and_groups(two_models, world):
    audit, said = two_models
    found = audit.findings()
    for name, one in said.items():
        counts = tally(world.truth, one, 4)
        cells = found.confusion(name)
        low, high = cells["low"].to_numpy() - 1e-9, cells["high"].to_numpy() + 1e-9
        assert ((low <= counts.ravel()) & (counts.ravel() <= high)).mean() > 0.8
        sizes = found.groups("class", model=name).set_index("group")["size"]
        assert sizes.to_dict() == {CLASSES[c]: int((one == c).sum()) for c in range(4)}
    assert found.ece("ours") is not None
    assert found.ece("theirs") is None
    with pytest.raises(InputError, match="model must be one of ours, theirs"):
        found.confusion("nobody's")
    with pytest.raises(InputError, match="ece"):
        _ = audit.findings(metrics=["accuracy", "ece"]).estimates


def test_one_model_has_no_differences(audit, world):
    answer(audit, world, 30)
    found = audit.findings()
    assert found.differences() is None
    assert found.best() is None
    assert "model" not in found.estimates


def test_several_models_are_for_methods_that_can_tell_them_apart(tmp_path):
    pool = Pool.build({"a": [0, 1] * 20, "b": [1, 1] * 20})
    with pytest.raises(InputError, match="method must be certified or random for several models"):
        Audit.create(tmp_path / "a", pool, metrics="accuracy", method="bald")
    with Audit.create(tmp_path / "b", pool, metrics="accuracy", method="random", initial=20) as audit:
        for query in audit.ask(20):
            audit.tell(query.id, query.position % 2)
        found = audit.findings()
    assert found.estimates[["model", "estimate"]].to_numpy().tolist()[0] == ["a", 1.0]
    assert found.best()["model"].tolist() == ["a", "b"]
