"""What an audit's answers tell: estimates, what missing answers could do to them, groups, models, agreement."""

import numpy as np
import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.audits.store import StoreError
from altmas.certified import slices
from altmas.core.findings import TellsConfusion, asked
from altmas.core.pool import Pool
from altmas.metrics import tally
from altmas.metrics.errors import InputError
from worlds.audits import METRICS, answer, make_audit, make_world, sometimes, truth_of

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
        assert found.missing == {"unsure": 0, "skip": 0, "disputed": 0, "taken_back": 0, "open": 0}
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


def test_what_was_taken_back_is_missing_until_it_is_answered_again(audit, world):
    answer(audit, world, 30)
    query = audit.ask(1)[0]
    audit.tell(query.id, world.label(query.position))
    before = audit.findings()
    assert before.labels == 31
    audit.undo()
    undone = audit.findings()
    assert (undone.labels, undone.missing["taken_back"]) == (30, 1)
    assert undone.estimates["low"].iloc[0] < before.estimates["low"].iloc[0]
    audit.redo()
    pd.testing.assert_frame_equal(audit.findings().estimates, before.estimates)


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
    asked = {}
    for count in (25, 28):  # as if no more had been drawn
        with make_audit(tmp_path / str(count), world, initial=count) as other:
            answer(other, world, count)
            asked[count] = other.findings().found.inclusion
    with make_audit(tmp_path / "a", world, initial=30) as audit:
        queries = audit.ask(30)
        for query in queries[:25]:
            audit.tell(query.id, world.label(query.position))
        found = audit.findings()
        assert found.missing["open"] == 0
        np.testing.assert_allclose(found.found.inclusion, asked[25], rtol=1e-9)
        audit.tell(queries[27].id, world.label(queries[27].position))
        found = audit.findings()
        assert found.missing["open"] == 2
        answered = found.found.inclusion / asked[28]  # of those asked about, as many as were answered, by weight
        np.testing.assert_allclose(answered, answered[0], rtol=1e-9)
        assert answered[0] == pytest.approx(26 / 28, rel=0.05)


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
        assert (row.estimate, row.low, row.high) == pytest.approx(slices.ece(found.found.estimator))
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


# Other methods


def test_a_random_audit_can_be_asked_as_much(tmp_path, world):
    with make_audit(tmp_path / "a", world, method="random") as audit:
        answer(audit, world, 60, reply=sometimes(world, 0.1, 0))
        found = audit.findings()
        assert found.knows_chances
        sample = found.found.estimator.sample
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
        assert (found.knows_chances, found.confusion(), found.forecast(0.05)) == (False, None, None)
        with pytest.raises(
            InputError, match="counts per true and predicted class on the whole pool.*got 'hierarchical'"
        ):
            asked(found.found, TellsConfusion, "hierarchical")
        worst = found.worst("class", m=2)
        assert worst["p"].sum() == pytest.approx(2)
        assert worst.attrs["verdict"].startswith("lowest accuracy by class: ")
        compared_row = found.compare("class", "ant", "bee")
        assert compared_row["p_lower"] + compared_row["p_equal"] + compared_row["p_higher"] == pytest.approx(1)


# Classes that were never the answer


def test_classes_that_were_never_the_answer_are_named_once_and_everywhere(tmp_path):
    """The audit's findings, its warnings and its status read the same answers."""
    world = make_world(120, classes=("ant", "bee", "cat"))
    pool = Pool.build([world.pool.classes[k] for k in world.said], classes=["ant", "bee", "cat", "emu", "yak"])
    with Audit.create(tmp_path / "a", pool, metrics=["accuracy"], initial=20, batch=10) as audit:
        assert audit.unseen_classes() == []  # before the first label nothing was seen, which is no news
        answer(audit, world, 40)
        found = audit.findings()
        assert audit.unseen_classes() == ["emu", "yak"]
        assert found.classes_seen["labels"].tolist()[3:] == [0, 0]
        assert found.classes_seen["labels"].sum() == 40
        assert found.classes_verdict.startswith(
            "2 of 5 classes were never the answer in 40 labels: 'emu' and 'yak'. They may not occur in the pool."
        )
        assert found.warnings.count(found.classes_verdict) == 1


def test_a_class_that_was_seen_is_no_news(audit, world):
    answer(audit, world, 60)
    found = audit.findings()
    assert (found.classes_seen["labels"] > 0).all()
    assert found.classes_verdict == ""
    assert audit.unseen_classes() == []
