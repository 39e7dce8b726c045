"""What is kept of the race is what running it again would give, whoever kept it, and in whatever order."""

from dataclasses import replace

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.audits.sample import drawing
from altmas.certified.race import Laps
from altmas.certified.refits import Refit
from altmas.certified.sample import Sample
from altmas.certified.setup import Setup
from altmas.certified.state import chances_of
from altmas.certified.state import replay as run_again
from altmas.core.answers import Answers
from altmas.core.targets import targets_of
from altmas.metrics.belief import Belief
from worlds.audits import answer, make_audit


def race(audit, *, afresh=False, rounds=None, job=None):
    """Where the race stands after the rounds of the log, and the next chances; `afresh` as if nothing were kept."""
    job = audit.job if job is None else job
    job = replace(job, shared={}) if afresh else job
    logged = drawing(audit.state).asked_rounds(audit.kept)[:rounds]
    state = run_again(Setup(job, audit.method), logged)
    if audit.state.fits:
        state = state.with_refit(Refit(*audit.kept(audit.state.fits[-1].number)))
    return np.stack([state.hazard, state.run, chances_of(state)])


def same(audit, **how):
    return np.array_equal(race(audit, **how), race(audit, afresh=True, **how))


@pytest.fixture
def answered(audit, world):
    answer(audit, world, 60)
    audit.refit()
    return audit


@pytest.mark.parametrize("order", [range(1, 7), range(6, 0, -1), (6, 1, 6, 2, 5, 5)])
def test_laps_are_those_of_a_race_run_from_its_start(answered, order):
    assert all(same(answered, rounds=count) for count in order)


def test_few_laps_are_as_good_as_all(answered, monkeypatch):
    monkeypatch.setattr("altmas.certified.race.MOST_BYTES", 1)
    monkeypatch.setattr(Laps.__init__, "__defaults__", (1,))
    with Audit.open(answered.folder) as again:
        assert all(same(again, rounds=count) for count in (3, 6, 4, 6))


def test_a_lap_that_is_let_go_of_meanwhile_changes_nothing(answered, monkeypatch):
    """Another thread may keep so many that the one just found is gone when it is looked for again."""
    wanted = race(answered, afresh=True)
    race(answered)
    find = Laps.find

    def found_once(laps, key):
        found = find(laps, key)
        laps._held.pop(key, None)
        return found

    monkeypatch.setattr(Laps, "find", found_once)
    assert np.array_equal(race(answered), wanted)


def test_a_refit_that_is_written_anew_is_not_taken_for_the_old_one(answered):
    before = race(answered)
    number = answered.state.fits[1].number
    arrays = dict(answered.kept(number)[0])
    arrays["ideal"] = arrays["ideal"][::-1].copy()
    answered.files.save(number, arrays)
    assert same(answered)
    assert not np.array_equal(race(answered), before)


def test_a_refit_that_is_held_in_memory_is_not_taken_for_the_file(answered):
    last = answered.state.fits[-1]
    before = race(answered)
    arrays = dict(answered.kept(last.number)[0])
    arrays["ideal"] = arrays["ideal"][::-1].copy()
    answered.files.hold(last.number, arrays)
    held, _ = answered.files.kept(last)
    assert held.token is None
    assert np.array_equal(held["ideal"], arrays["ideal"])
    assert not np.array_equal(race(answered)[2], before[2])


def test_two_audits_in_one_process_have_nothing_in_common(tmp_path, world):
    first, second = (make_audit(tmp_path / name, world, seed=3) for name in ("first", "second"))
    with first, second:
        answer(first, world, 40)
        answer(second, world, 40, reply=world.wrong)
        for audit in (first, second, first):
            audit.refit()
            assert same(audit)


def test_an_audit_opened_beside_another_finds_the_same(answered):
    race(answered)
    with Audit.open(answered.folder, beside=answered) as again:
        assert again.pool is answered.pool
        assert again.job is answered.job
        assert same(again)


def test_another_audit_gives_nothing_to_one_opened_beside_it(answered, tmp_path, world):
    with make_audit(tmp_path / "other", world) as other, Audit.open(other.folder, beside=answered) as again:
        assert again.pool is not answered.pool
        assert again.job is not answered.job


def test_audits_of_older_versions_begin_with_their_own_chances(answered):
    ours, even = (Setup(replace(answered.job, even_start=one), answered.method).first_chances for one in (False, True))
    assert np.ptp(even) == 0
    assert np.ptp(ours) > 0


def test_what_is_kept_cannot_be_changed():
    laps, lap = Laps(), np.zeros(3)
    laps.keep("round", (lap,))
    with pytest.raises(ValueError, match="read-only"):
        lap += 1


def test_a_confusion_is_never_that_of_another_belief(answered):
    target, pool = targets_of(answered.job.metrics, answered.pool)[0], answered.pool
    rng = np.random.default_rng(0)
    first, second = (rng.dirichlet(np.ones(len(pool.classes)), pool.size) for _ in range(2))
    sample = Sample(Belief.dense(first), Answers(), np.ones(pool.size))
    believed = sample.believed(target)
    assert np.array_equal(replace(sample, belief=Belief.dense(second)).believed(target), target.tally(second))
    assert np.array_equal(sample.believed(target), believed)
    believed += 1.0
    assert np.array_equal(sample.believed(target), target.tally(first))
