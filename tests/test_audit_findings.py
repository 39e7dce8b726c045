"""What an audit's answers tell: estimates, what missing answers could do to them, groups, models, agreement."""

import numpy as np
import pandas as pd
import pytest
from audit_world import CLASSES, answer, make_audit, make_world, passing_audit
from scipy.stats import binomtest

from altmas.audits.agreement import agreement
from altmas.audits.audit import Audit
from altmas.audits.missing import response_rate
from altmas.audits.sample import drawing
from altmas.audits.store import StoreError
from altmas.certified import slices
from altmas.certified.design import Sample, designed, linearise
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.ranking import compared, ranked
from altmas.core.targets import targets_of
from altmas.metrics import metric, metrics_named, tally
from altmas.metrics.errors import InputError
from altmas.words.groups import comparison_verdict, ranking_verdict

METRICS = ["accuracy", "macro_recall", "f1:cat"]


def sometimes(world, share, seed, word="unsure"):
    """Answers of somebody who gives up on so many questions, whatever they are about."""
    lost = np.random.default_rng(seed).random(world.pool.size) < share
    return lambda position: word if lost[position] else world.label(position)


def lost_in(audit, words=("unsure", "skip")):
    return [one for one in audit.answers_of("") if one.label in words]


def truth_of(name, world):
    confusion = tally(world.truth, world.said, len(CLASSES))
    return float(metrics_named([name], CLASSES)[0].value(confusion))


# From no answers to all of them


def test_no_answers_no_findings(audit):
    with pytest.raises(InputError, match="audit must have at least one label; got none; 0 questions asked"):
        audit.findings()
    for query in audit.ask(25):
        audit.tell(query.id, "unsure")
    with pytest.raises(InputError, match="audit must have at least one label; got none; 25 questions asked"):
        audit.findings()


@pytest.mark.parametrize("method", ["certified", "random"])
def test_one_label_is_enough_to_say_little(tmp_path, world, method):
    with make_audit(tmp_path / "a", world, method=method) as audit:
        query = audit.ask(1)[0]
        audit.tell(query.id, world.label(query.position))
        found = audit.findings()
        row = found.estimates.iloc[0]
        assert 0 <= row.low <= row.estimate <= row.high <= 1
        assert row.high - row.low > 0.5
        assert any("1 label is few: " in one for one in found.warnings)


@pytest.mark.parametrize("method", ["certified", "random"])
def test_everything_labelled_is_exact(tmp_path, method):
    world = make_world(60)
    with make_audit(tmp_path / "a", world, metrics=METRICS, method=method) as audit:
        answer(audit, world, 60)
        found = audit.findings()
        for row in found.estimates.itertuples():
            assert (row.estimate, row.low, row.high) == pytest.approx((truth_of(row.metric, world),) * 3)
            assert row.promise == "exact: every item is labelled"
        cells = found.confusion()
        counts = tally(world.truth, world.said, 4)
        np.testing.assert_allclose(cells["estimate"], counts.ravel())
        np.testing.assert_allclose(cells["low"], cells["high"])
        assert found.missing == {"unsure": 0, "skip": 0, "disputed": 0, "open": 0}
        assert found.warnings == ()


def test_everything_asked_but_one_skipped_is_not_exact(tmp_path):
    world = make_world(60)
    with make_audit(tmp_path / "a", world) as audit:
        answer(audit, world, 60, reply=lambda position: "skip" if position == 7 else world.label(position))
        row = audit.findings().estimates.iloc[0]
        assert row.low < row.estimate < row.high
        assert not row.promise.startswith("exact")
        right = [int(p != 7 and world.truth[p] == world.said[p]) for p in range(60)]
        assert (row.worst_case, row.best_case) == pytest.approx((sum(right) / 60, (sum(right) + 1) / 60))


def test_what_was_taken_back_does_not_count(audit, world):
    answer(audit, world, 30)
    before = audit.findings().estimates
    query = audit.ask(1)[0]
    audit.tell(query.id, world.label(query.position))
    assert audit.findings().labels == 31
    audit.undo()
    pd.testing.assert_frame_equal(audit.findings().estimates, before)


def test_questions_after_the_last_answer_do_not_count_yet(audit, world):
    answer(audit, world, 30)
    before = audit.findings()
    audit.ask(40)
    after = audit.findings()
    pd.testing.assert_frame_equal(after.estimates, before.estimates)
    assert after.missing["open"] == 0
    assert audit.status().open == 40


@pytest.mark.parametrize("name", ["pool/model-0-predictions.npy", "fits/0001.npz"])
def test_numbers_from_changed_files_are_never_given_without_a_word(audit, world, name):
    answer(audit, world, 40)
    audit.findings()
    audit.close()
    path = audit.folder / name
    if name.startswith("pool"):
        np.save(path, np.roll(np.load(path), 1))
    else:
        held = dict(np.load(path))
        np.savez(path, **{**held, "ideal": held["ideal"][::-1]})
    with Audit.open(audit.folder) as again:
        try:
            said = " ".join(again.findings().warnings)
        except StoreError as error:
            said = str(error)
        assert f"file {name} was changed" in said


def test_nor_do_those_of_the_same_round(tmp_path, world):
    with make_audit(tmp_path / "a", world, initial=30) as audit:
        queries = audit.ask(30)
        for query in queries[:25]:
            audit.tell(query.id, world.label(query.position))
        found = audit.findings()
        assert found.missing["open"] == 0
        np.testing.assert_allclose(found.estimator.sample.inclusion, 25 / 200, rtol=1e-6)
        audit.tell(queries[27].id, world.label(queries[27].position))
        found = audit.findings()
        assert found.missing["open"] == 2
        np.testing.assert_allclose(found.estimator.sample.inclusion, 26 / 200, rtol=1e-6)  # 28 / 200 x 26 / 28


# Missing answers


def test_missing_answers_are_counted_by_reason(tmp_path, world):
    with make_audit(tmp_path / "a", world, overlap=2) as audit:
        queries = audit.ask(12)
        for k, query in enumerate(queries):
            label, wrong = world.label(query.position), world.wrong(query.position)
            first, second = {0: ("unsure", "unsure"), 1: ("skip", "skip"), 2: (label, wrong)}.get(k, (label, label))
            if k != 5:
                audit.tell(query.id, first, annotator="mk")
                audit.tell(query.id, second, annotator="jo")
        found = audit.findings()
        assert found.missing == {"unsure": 1, "skip": 1, "disputed": 1, "open": 1}
        assert found.labels == 8
        assert any("4 of 12 questions have no label" in one for one in found.warnings)


@pytest.mark.parametrize("method", ["certified", "random"])
def test_worst_and_best_case_are_what_the_estimate_would_become(tmp_path, method, seed):
    """Told afterwards that all were wrong, or all right, or what they are: the bounds said so before."""
    for k, share in enumerate((0.02, 0.1, 0.4)):
        world = make_world(150, accuracy=(0.95, 0.8, 0.6)[k], seed=100 * seed + k)
        names = ["accuracy", "error_rate"]
        options = {"seed": seed, "metrics": names, "method": method}
        with passing_audit(tmp_path / "a", world, **options) as audit:
            answer(audit, world, 80, reply=sometimes(world, share, k))
            lost = lost_in(audit)
            assert lost
            before = audit.findings().estimates.set_index("metric")
            low, high = before.loc["accuracy", ["worst_case", "best_case"]]
            assert low <= before.loc["accuracy", "estimate"] <= high
            assert before.loc["error_rate", "worst_case"] == pytest.approx(1 - low, abs=1e-6)
            assert before.loc["error_rate", "best_case"] == pytest.approx(1 - high, abs=1e-6)
            became = {}
            for case in ("against", "for", "true"):
                for one in lost:
                    said = world.said[one.position]
                    label = {"against": (said + 1) % 4, "for": said, "true": world.truth[one.position]}[case]
                    audit.tell(one.id, CLASSES[label], replace=True)
                became[case] = audit.findings().estimates.set_index("metric").loc["accuracy", "estimate"]
            assert low <= became["against"] + 1e-9
            assert became["for"] <= high + 1e-9
            assert low - 1e-9 <= became["true"] <= high + 1e-9
            assert (low, high) == pytest.approx((became["against"], became["for"]), abs=0.005)


@pytest.mark.parametrize("name", ["macro_precision", "macro_recall", "f1:cat"])
def test_the_truth_lies_between_the_cases_of_other_metrics_too(tmp_path, world, name, seed):
    for k in range(3):
        with passing_audit(tmp_path / "a", world, metrics=[name], seed=10 * seed + k) as audit:
            answer(audit, world, 80, reply=sometimes(world, 0.2, k))
            row = audit.findings().estimates.iloc[0]
            for one in lost_in(audit):
                audit.tell(one.id, world.label(one.position), replace=True)
            became = audit.findings().estimates["estimate"].iloc[0]
            assert row.worst_case - 1e-6 <= became <= row.best_case + 1e-6


def test_an_open_question_before_the_last_answer_is_missing_like_an_unsure_one(tmp_path, world):
    found = []
    for k, word in enumerate((None, "unsure", "skip")):
        with make_audit(tmp_path / str(k), world, initial=30) as audit:
            queries = audit.ask(30)
            for query in queries[:2]:
                if word:
                    audit.tell(query.id, word)
            for query in queries[2:]:
                audit.tell(query.id, world.label(query.position))
            belief = audit.state_at(audit.state.seq, audit.events())
            found.append((drawing(belief).missing.tolist(), audit.findings().drawn.answers.items.tolist()))
    assert found[0] == found[1] == found[2]
    assert found[0][0] == [query.position for query in queries[:2]]


def test_weighting_by_the_response_rate_is_right_on_average(seed):
    """A belief that knows nothing, items drawn with unequal chances, a third of the answers lost at random.

    The mean of 2,000 estimates is within four standard errors of the truth (error rate below 1e-4), and without the
    weighting it is not within forty.
    """
    rng = np.random.default_rng(seed)
    world = make_world(300, accuracy=0.9, seed=seed)
    [target] = targets_of((metric("accuracy", CLASSES),), world.pool)
    inclusion = np.where(rng.random(300) < 0.5, 0.2, 0.6)
    probabilities = np.full((300, 4), 0.25)
    weighted, plain = [], []
    for _ in range(2000):
        drawn = rng.random(300) < inclusion
        lost = drawn & (rng.random(300) < 1 / 3)
        items, missing = np.flatnonzero(drawn & ~lost), np.flatnonzero(lost)
        answers = Answers().extended(items, world.truth[items], 0, np.ones(len(items)))
        for into, rate in ((weighted, response_rate(inclusion, items, missing)), (plain, 1.0)):
            sample = Sample(probabilities, answers, inclusion * rate)
            into.append(designed(linearise([(1.0, target)], "accuracy", "", sample), sample).design)
    error, wrong = (
        (np.mean(values) - world.accuracy) / (np.std(values) / np.sqrt(len(values))) for values in (weighted, plain)
    )
    assert abs(error) < 4
    assert abs(wrong) > 40


def test_everything_answered_is_a_rate_of_one():
    assert response_rate(np.full(10, 0.3), np.arange(4), np.arange(0)) == 1.0
    assert response_rate(np.array([0.5, 0.25]), np.array([0]), np.array([1])) == pytest.approx(2 / 6)


def test_anytime_intervals_allow_for_whatever_is_missing(tmp_path, seed):
    for k, share in enumerate((0.05, 0.3)):
        world = make_world(150, seed=10 * seed + k)
        with passing_audit(tmp_path / "a", world, seed=seed) as audit:
            answer(audit, world, 60, reply=sometimes(world, share, k))
            missing = audit.findings(anytime=True).estimates.iloc[0]
            assert "all looks" in missing.promise
            for one in lost_in(audit):
                audit.tell(one.id, world.label(one.position), replace=True)
            full = audit.findings(anytime=True).estimates.iloc[0]
            ordinary = audit.findings().estimates.iloc[0]
        assert missing.low <= full.low <= full.high <= missing.high
        assert full.high - full.low < missing.high - missing.low
        assert full.high - full.low > ordinary.high - ordinary.low
        assert missing.low <= world.accuracy <= missing.high
        assert missing.low <= missing.estimate <= missing.high


def covered(tmp_path, audits, share, seed=0, **options):
    """In how many audits the 95% interval of accuracy holds the truth, and the errors."""
    hits, errors = 0, []
    for k in range(audits):
        world = make_world(250, accuracy=(0.7, 0.85, 0.95)[k % 3], seed=1000 * seed + k)
        with passing_audit(tmp_path / "a", world, seed=k, **options) as audit:
            answer(audit, world, 70, reply=sometimes(world, share, k))
            row = audit.findings().estimates.iloc[0]
        hits += row.low <= world.accuracy <= row.high
        errors.append(row.estimate - world.accuracy)
    return hits, np.array(errors)


def test_intervals_cover_with_answers_missing_at_random_in_a_few_audits(tmp_path, seed):
    hits, _ = covered(tmp_path, 20, 0.1, seed)
    assert binomtest(int(hits), 20, 0.95, "less").pvalue > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("method", ["certified", "random"])
def test_intervals_cover_with_answers_missing_at_random(tmp_path, seed, method):
    """200 audits, a tenth unsure: covered as often as a binomial test allows (p > 1e-4), and right on average."""
    hits, errors = covered(tmp_path, 200, 0.1, seed, method=method)
    assert binomtest(int(hits), 200, 0.95, "less").pvalue > 1e-4
    assert abs(errors.mean()) < 4 * errors.std() / np.sqrt(len(errors))


# Metrics chosen afterwards, levels, calibration


def test_metrics_chosen_afterwards_are_as_good_as_those_chosen_before(audit, world):
    answer(audit, world, 60)
    found = audit.findings(metrics=["recall:cat", "alt_mas_3"])
    assert found.estimates["metric"].tolist() == ["recall:cat", "accuracy", "macro_precision", "macro_recall"]
    both = audit.findings().estimates.iloc[0], found.estimates.iloc[1]
    assert both[0].to_dict() == pytest.approx(both[1].to_dict(), nan_ok=True)
    pd.testing.assert_frame_equal(audit.estimate("recall:cat"), found.estimates.iloc[:1])
    with pytest.raises(InputError, match="no_such"):
        audit.findings(metrics="no_such")


def test_a_higher_level_is_wider(audit, world):
    answer(audit, world, 60)
    low, usual, high = (audit.findings(level).estimates.iloc[0] for level in (0.5, None, 0.99))
    assert high.low < usual.low < low.low < low.high < usual.high < high.high
    assert "99%" in high.promise
    with pytest.raises(InputError, match="level must"):
        audit.findings(1.0)


def test_calibration_error_is_asked_for_like_a_metric(tmp_path, world):
    with make_audit(tmp_path / "a", world, metrics=["accuracy", "ece"]) as audit:
        answer(audit, world, 60, reply=sometimes(world, 0.1, 0))
        found = audit.findings()
        assert found.estimates["metric"].tolist() == ["accuracy", "ece"]
        row = found.estimates.iloc[1]
        assert (row.estimate, row.low, row.high) == pytest.approx(slices.ece(found.estimator))
        assert (row.estimate, row.low, row.high) == pytest.approx(found.ece())
        assert row.labels == found.labels
        assert 0 <= row.low <= row.estimate <= row.high <= 1
        bins = found.calibration()
        assert bins["size"].sum() == 200
        only = audit.findings(metrics="ece").estimates
        assert "ece" in only["metric"].tolist()
        assert found.history["metric"].unique().tolist() == ["accuracy"]


def test_calibration_error_of_scores_that_are_none(tmp_path):
    bare = make_world(scores=None)
    with make_audit(tmp_path / "a", bare) as audit:
        answer(audit, bare, 30)
        found = audit.findings()
        assert found.ece() is None
        assert found.calibration() is None
        with pytest.raises(InputError, match="ece"):
            _ = audit.findings(metrics=["accuracy", "ece"]).estimates


def test_only_a_certified_audit_has_anytime_intervals(tmp_path, world):
    for method in ("random", "hierarchical"):
        with make_audit(tmp_path / method, world, method=method) as audit:
            answer(audit, world, 30)
            with pytest.raises(InputError, match=f"method must be certified for anytime intervals; got {method}"):
                audit.findings(anytime=True)


# History and plans


def test_history_grows_and_ends_with_the_estimates(audit, world):
    answer(audit, world, 25)
    short = audit.findings().history
    assert short["labels"].tolist() == [20, 25]
    answer(audit, world, 85)
    found = audit.findings()
    assert found.history["labels"].tolist() == [20, 30, 40, 50, 60, 80, 85]
    assert found.history.iloc[0].to_dict() == pytest.approx(short.iloc[0].to_dict())
    last, now = found.history.iloc[-1], found.estimates.iloc[0]
    assert (last.estimate, last.low, last.high) == (now.estimate, now.low, now.high)
    widths = found.history["high"] - found.history["low"]
    assert widths.iloc[-1] < widths.iloc[0]


def test_findings_are_of_one_moment(tmp_path, world):
    with make_audit(tmp_path / "a", world, overlap=2) as audit:
        for query in audit.ask(30):
            for who in ("mk", "jo"):
                audit.tell(query.id, world.label(query.position), annotator=who)
        found = audit.findings()
        for query in audit.ask(30):
            audit.tell(query.id, world.label(query.position), annotator="mk")
            audit.tell(query.id, world.wrong(query.position), annotator="jo")
        audit.refit()
        assert found.labels == 30
        assert found.agreement.items == 30
        assert found.agreement.alpha == 1.0
        assert found.history["labels"].max() == 30


def test_history_is_of_one_kind_of_interval(tmp_path, world):
    with make_audit(tmp_path / "a", world, options={"interval": "anytime"}) as audit:
        answer(audit, world, 60)
        found = audit.findings()
        widths = (found.history["high"] - found.history["low"]).tolist()
        assert widths[-1] < widths[-2] < widths[0]


def test_a_plan_needs_more_labels_for_a_narrower_interval(audit, world):
    answer(audit, world, 60)
    found = audit.findings()
    wide, narrow = (found.forecast(within).iloc[0] for within in (0.05, 0.02))
    assert 60 <= wide.labels_needed < narrow.labels_needed <= 200
    assert found.estimates["random_needed"].iloc[0] == wide.random_needed
    with pytest.raises(InputError, match="within must"):
        found.forecast(0)


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


def test_probabilities_of_a_comparison_by_hand():
    row = {"metric": "recall:cat", "a": 1, "b": 2, "estimate": 0.05, "low": 0.0, "high": 0.1, "error": 0.025}
    found = compared(row, 0.05)
    assert found["p_higher"] == pytest.approx(0.5)
    assert found["p_lower"] == pytest.approx(3.2e-5, rel=0.02)
    assert comparison_verdict(found, 0.05, 0.95).startswith("not settled; likeliest: recall:cat of 1 ")
    assert "error" not in found


def test_groups_that_are_certain_come_before_the_likeliest():
    rows = [{"group": "a", "p": 0.99}, {"group": "b", "p": 0.6}, {"group": "c", "p": 0.41}]
    said = ranking_verdict("lowest accuracy by class", rows, 2, 0.6, 0.95)
    assert said == "lowest accuracy by class: a; not settled; likeliest: b (P = 0.60), c (P = 0.41)"


def test_ranks_by_hand():
    table = pd.DataFrame({"group": list("abc"), "estimate": [0.5, 0.5, 0.9], "error": [0.05, 0.05, 0.05]})
    found = ranked(table, "class", "accuracy", 1, 0.95, 0)
    assert found["p"].iloc[:2].tolist() == pytest.approx([0.5, 0.5], abs=0.02)
    assert found["rank"].tolist() == pytest.approx([1.5, 1.5, 3], abs=0.02)
    assert found["rank_low"].tolist() == [1, 1, 3]
    assert found["rank_high"].tolist() == [2, 2, 3]


# Several models


@pytest.fixture
def two_models(tmp_path, world):
    better = np.where(np.arange(200) % 10 < 9, world.truth, (world.truth + 1) % 4)
    said = {"ours": [CLASSES[c] for c in world.said], "theirs": [CLASSES[c] for c in better]}
    pool = Pool.build(said, classes=CLASSES, ids=world.pool.ids, scores={"ours": world.confidence})
    with Audit.create(tmp_path / "two", pool, metrics=["accuracy", "macro_recall"], initial=50) as audit:
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


def test_several_models_are_for_the_certified_method_only(tmp_path):
    pool = Pool.build({"a": [0, 1] * 20, "b": [1, 1] * 20})
    with pytest.raises(InputError, match="method must be certified for several models"):
        Audit.create(tmp_path / "a", pool, metrics="accuracy", method="random")


# Other methods


def test_a_random_audit_can_be_asked_as_much(tmp_path, world):
    with make_audit(tmp_path / "a", world, method="random") as audit:
        answer(audit, world, 60, reply=sometimes(world, 0.1, 0))
        found = audit.findings()
        assert found.estimator is not None
        sample = found.estimator.sample
        rate = found.labels / (found.labels + found.missing["unsure"])
        np.testing.assert_allclose(sample.inclusion, 60 / 200 * rate, rtol=1e-6)
        labels = found.drawn.answers
        right = (world.said[labels.items] == labels.labels).mean()
        row = found.estimates.iloc[0]
        assert row.estimate == pytest.approx(right)
        lost = found.missing["unsure"]
        assert (row.worst_case, row.best_case) == pytest.approx(
            (right * found.labels / 60, (right * found.labels + lost) / 60)
        )
        assert len(found.groups()) == 4
        assert len(found.confusion()) == 16
        assert found.forecast(0.05) is not None


def test_other_methods_say_what_they_cannot(tmp_path, world):
    with make_audit(tmp_path / "a", world, method="hierarchical") as audit:
        answer(audit, world, 30)
        found = audit.findings()
        assert (found.estimator, found.confusion(), found.ece(), found.forecast(0.05)) == (None, None, None, None)
        with pytest.raises(InputError, match="method must know the chance of each question for this; got hierarchical"):
            found.of_model(None)
        worst = found.worst("class", m=2)
        assert worst["p"].sum() == pytest.approx(2)
        assert worst.attrs["verdict"].startswith("lowest accuracy by class: ")
        compared_row = found.compare("class", "ant", "bee")
        assert compared_row["p_lower"] + compared_row["p_equal"] + compared_row["p_higher"] == pytest.approx(1)


# Agreement


KRIPPENDORFF_2011 = {  # his worked examples: a string per observer, a letter per unit, a dot where there is none
    "A: two observers, two values": (0.095, ["0100000010", "1110010000"]),
    "B: two observers, names": (0.692, ["aabbdcccedda", "babbbccceddd"]),
    "C: four observers, names, some missing": (0.743, ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]),
}


@pytest.mark.parametrize("case", KRIPPENDORFF_2011)
def test_alpha_is_krippendorff_s(case):
    alpha, observers = KRIPPENDORFF_2011[case]
    units = [[ord(value) for value in unit if value != "."] for unit in zip(*observers, strict=True)]
    assert agreement(units)[2] == pytest.approx(alpha, abs=0.0005)


def test_agreement_at_its_ends():
    assert agreement([]) == (0, None, None)
    assert agreement([[1], [2], []]) == (0, None, None)
    assert agreement([[1, 1], [2, 2]]) == (2, 1.0, 1.0)
    assert agreement([[1, 1], [1, 1]]) == (2, 1.0, None)  # one class only: nothing to disagree about
    items, share, alpha = agreement([[1, 2], [2, 1]])
    assert (items, share) == (2, 0.0)
    assert alpha < 0


def test_agreement_of_an_audit_s_annotators(tmp_path, world):
    with make_audit(tmp_path / "a", world, overlap=2) as audit:
        queries = audit.ask(20)
        for k, query in enumerate(queries):
            audit.tell(query.id, world.label(query.position), annotator="mk")
            audit.tell(query.id, (world.wrong if k < 5 else world.label)(query.position), annotator="jo")
        audit.tell(queries[0].id, world.label(queries[0].position), annotator="al")
        found = audit.findings().agreement
        assert found.items == 20
        assert found.share == pytest.approx((15 + 1 / 3) / 20)
        assert found.annotators == {"mk": 20, "jo": 20, "al": 1}
        assert found.disputed == 4
        assert 0 < found.alpha < 1
