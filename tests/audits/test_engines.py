"""Audits of older versions go on as they were begun, and answers that are taken back do not confuse a refit."""

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.audits.draws import ENGINE
from altmas.audits.replay import OLDER
from altmas.certified.refits import Refit
from worlds.audits import METRICS, answer, drawn, kinds, make_audit, rounds, truth_of


@pytest.fixture
def older(tmp_path, world, monkeypatch):
    """An audit as the version before drew it: uniformly at first."""
    with monkeypatch.context() as patch:
        patch.setattr("altmas.audits.draws.ENGINE", 2)
        make_audit(tmp_path / "older", world, metrics=METRICS).close()
    with Audit.open(tmp_path / "older") as audit:
        assert audit.created.body["engine"] == 2 < ENGINE
        yield audit


def test_an_older_audit_keeps_its_uniform_start_and_goes_on(older, world, tmp_path):
    assert older.job.even_start
    assert not older.job.afresh
    with make_audit(tmp_path / "random", world, method="random") as other:
        other.ask(20)
        older.ask(20)
        assert drawn(older) == drawn(other)
    assert rounds(older)[0]["propensities"] == pytest.approx(1 / (200 - np.arange(20)))
    for query in older.ask(20):
        older.tell(query.id, world.label(query.position))
    assert older.findings().found.inclusion == pytest.approx(np.full(200, 0.1))
    answer(older, world, 60)
    with Audit.open(older.folder) as again:
        table = again.estimate()
        found = again.verify(fits=True)
    assert found.ok
    assert "Another version of altmas drew the questions" in found.notices[0]
    assert kinds(older).count("fitted") == 5
    for name, low, high in zip(table["metric"], table["low"], table["high"], strict=True):
        assert low <= truth_of(name, world) <= high


def test_a_new_audit_says_which_engine_drew_it(audit):
    assert audit.created.body["engine"] == ENGINE
    assert not audit.job.even_start
    audit.ask(20)
    assert rounds(audit)[0]["propensities"] != pytest.approx(1 / (200 - np.arange(20)))


@pytest.mark.parametrize(("method", "replayed"), [("random", True), ("thompson", False)])
def test_the_engine_before_is_replayed_but_for_groups(tmp_path, world, monkeypatch, method, replayed):
    """Since then priors and comparisons of groups are computed otherwise; nothing else is."""
    with monkeypatch.context() as patch:
        patch.setattr("altmas.audits.draws.ENGINE", 5)
        make_audit(tmp_path / "before", world, method=method).close()
    with Audit.open(tmp_path / "before") as audit:
        answer(audit, world, 40)
        found = audit.verify(fits=True)
    assert found.ok
    assert [one for one in found.notices if one.startswith("Another version")] == ([] if replayed else [OLDER])


# What a refit keeps


def test_a_refit_keeps_the_inclusion_of_every_item_in_its_file(audit, world):
    answer(audit, world, 20)
    audit.refit()
    kept = Refit(*audit.kept(0))
    assert kept.drawn_then.shape == (200,)
    assert kept.drawn_then == pytest.approx(audit.findings().found.inclusion)


def test_a_refit_of_an_older_version_kept_none_and_serves_all_the_same(audit, world, monkeypatch):
    answer(audit, world, 45)
    audit.refit()
    now = audit.estimate()
    older = property(lambda self: None)
    monkeypatch.setattr(Refit, "drawn_then", older)
    with Audit.open(audit.folder) as again:
        table = again.estimate()
    assert table["estimate"].tolist() == pytest.approx(now["estimate"].tolist(), abs=0.02)
    assert Refit({"ideal": np.ones(3), "belief": np.ones((3, 2))}, 2).drawn_then is None


def test_answers_taken_back_or_given_late_after_a_refit_are_estimated_from(tmp_path, world):
    """Then the answers a refit was made from are not the first so many any more."""
    with make_audit(tmp_path / "a", world, metrics=METRICS) as audit:
        queries = audit.ask(40)
        for query in queries[3:]:
            audit.tell(query.id, world.label(query.position))
        audit.refit()
        known = audit.status().fit_labels
        for _ in range(10):
            audit.undo()
        table = audit.estimate()
        assert audit.status().answered < known
        assert np.isfinite(table[["estimate", "low", "high"]].to_numpy()).all()
        for query in queries[:3]:  # drawn before all others
            audit.tell(query.id, world.label(query.position))
        with Audit.open(audit.folder) as again:
            late = again.estimate()
        assert np.isfinite(late[["estimate", "low", "high"]].to_numpy()).all()
        for query in queries[-10:]:
            audit.tell(query.id, world.label(query.position))
        found = audit.findings().estimates
        for name, low, high in zip(found["metric"], found["low"], found["high"], strict=True):
            assert low <= truth_of(name, world) <= high
        assert audit.verify(fits=True).ok
