"""Renewed audits: what is taken over, what never is, and that the record of it holds without the earlier audit."""

import shutil

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.audits.backups import back_up
from altmas.audits.earlier_files import EARLIER_FILE
from altmas.audits.renewal import check_untouched
from altmas.core.pool import Pool
from altmas.metrics.errors import AltmasError, InputError
from worlds.audits import CLASSES, World, answer, kinds, make_audit, make_world, meddle

SIZE = 240


@pytest.fixture
def world():
    return make_world(SIZE, seed=5)


@pytest.fixture
def march(tmp_path, world):
    with make_audit(tmp_path / "march", world, seed=1) as audit:
        answer(audit, world, 60)
        yield audit


def partly(world, new, seed=9):
    """A world in which some items are others, under the same ids."""
    other = make_world(SIZE, seed=seed)
    said, truth, conf = (np.where(new, getattr(other, k), getattr(world, k)) for k in ("said", "truth", "confidence"))
    pool = Pool.build([CLASSES[c] for c in said], classes=CLASSES, scores=conf, ids=world.pool.ids)
    return World(pool, truth, said, conf)


def test_answers_are_evidence_and_count_for_nothing(tmp_path, world, march):
    with make_audit(tmp_path / "april", world, seed=2) as april:
        body = april.renew(march)
        assert (body["evidence"], body["kept"]) == (60, 0)
        assert april.status().labels == 0
        assert kinds(april) == ["created", "renewed"]
        answer(april, world, 40)
        found = april.findings()
        assert found.labels == 40
        assert any("60 labels of an audit" in one for one in found.people["sentences"])
        assert april.verify(fits=True).ok


def test_the_belief_begins_with_them(tmp_path, world, march):
    with make_audit(tmp_path / "april", world, seed=2) as april, make_audit(tmp_path / "anew", world, seed=2) as anew:
        april.renew(march)
        taught, blank = (
            one.method.begin(one.job).state.setup.outputs_alone.before_answers(np.arange(SIZE)) for one in (april, anew)
        )
    right = [float(np.log(p.chance(world.truth)).mean()) for p in (taught, blank)]
    assert right[0] > right[1]


def test_labels_that_are_kept_have_the_chances_they_were_drawn_with(tmp_path, world, march):
    asked = march.findings().found.asked
    with make_audit(tmp_path / "april", world, seed=2) as april:
        body = april.renew(march, keep_labels=True)
        assert (body["stayed"], body["kept"], body["evidence"]) == (SIZE, 60, 0)
        found = april.findings()
        assert found.labels == 60
        assert np.allclose(found.found.asked, asked)
        answer(april, world, 90)
        now = april.findings().found
        assert (now.asked >= asked - 1e-12).all()
        assert (now.asked > asked).any()
        assert len(set(april.state.order)) == 90
        assert april.verify(fits=True).ok


def test_items_that_changed_start_without_a_chance(tmp_path, world, march):
    new = np.random.default_rng(0).random(SIZE) < 0.5
    april_world = partly(world, new)
    with make_audit(tmp_path / "april", april_world, seed=2) as april:
        body = april.renew(march, keep_labels=True)
        assert body["kept"] + body["evidence"] == 60
        hazard = april.job.pool.earlier.hazard
        assert ((hazard > 0) == ~new).mean() > 0.98  # by chance a new item may be as the old one was
        with pytest.raises(InputError, match="had no chance yet"):
            april.findings()
        answer(april, april_world, body["kept"] + 20)
        found = april.findings().found
        assert (found.asked > 0).all()
        low, high = (getattr(found.estimates[0], name) for name in ("low", "high"))
        assert low <= april_world.accuracy <= high
        assert april.verify(fits=True).ok


def test_an_item_without_a_score_stays_where_others_have_other_scores(tmp_path):
    """What stands in place of its score is the usual one of the pool, which moves."""
    said, ids = ["cat", "dog"] * 60, [f"item-{k}" for k in range(120)]
    then, now = np.linspace(0.5, 0.9, 120), np.linspace(0.6, 1.0, 120)
    then[:20] = now[:20] = np.nan
    pools = [Pool.build(said, scores=scores, ids=ids) for scores in (then, now)]
    with Audit.create(tmp_path / "march", pools[0], metrics=["accuracy"], initial=20, seed=1) as march:
        for query in march.ask(60):
            march.tell(query.id, "cat")
        with Audit.create(tmp_path / "april", pools[1], metrics=["accuracy"], seed=2) as april:
            assert april.renew(march, keep_labels=True)["stayed"] == 20


def test_the_earlier_audit_may_be_deleted_and_a_backup_has_everything(tmp_path, world, march):
    with make_audit(tmp_path / "april", world, seed=2) as april:
        april.renew(march, keep_labels=True)
        answer(april, world, 80)
        before = april.estimate()
    march.close()
    shutil.rmtree(tmp_path / "march")
    back_up(tmp_path / "april", tmp_path / "april.zip")
    shutil.unpack_archive(tmp_path / "april.zip", tmp_path / "restored")
    for folder in (tmp_path / "april", tmp_path / "restored" / "april"):
        with Audit.open(folder) as audit:
            assert audit.verify(fits=True).ok
            assert audit.estimate().equals(before)


def test_whoever_had_it_open_sees_the_renewal(tmp_path, world, march):
    with make_audit(tmp_path / "april", world, seed=2) as april, Audit.open(tmp_path / "april") as other:
        assert other.job.pool.earlier is None
        april.renew(march, keep_labels=True)
        assert len(other.ask(5)) == 5
        assert other.job.pool.earlier is not None
        assert not set(other.state.rounds[1].positions) & set(other.state.rounds[0].positions)
        assert other.verify().ok


def test_skipped_questions_stay_open(tmp_path, world):
    with make_audit(tmp_path / "march", world, seed=1) as march, make_audit(tmp_path / "april", world, seed=2) as april:
        queries = march.ask(40)
        for k, query in enumerate(queries):
            march.tell(
                query.id, "unsure" if k % 4 == 0 else world.label(query.position), annotator="mk", note="n" * (k == 1)
            )
        body = april.renew(march, keep_labels=True)
        assert body["kept"] == 30
        found = april.findings()
        assert found.missing["unsure"] == 10
        assert april.status().annotators == {"mk": 40}
        assert found.conduct.quick == 0


@pytest.mark.parametrize(
    "meddling",
    [
        "UPDATE events SET body = replace(body, '\"stayed\":240', '\"stayed\":239') WHERE kind = 'renewed'",
        "DELETE FROM events WHERE kind = 'renewed'",
    ],
)
def test_a_changed_record_is_found(tmp_path, world, march, meddling):
    with make_audit(tmp_path / "april", world, seed=2) as april:
        april.renew(march, keep_labels=True)
    meddle(tmp_path / "april", meddling)
    from altmas.audits.replay import verify_whole

    assert not verify_whole(tmp_path / "april").ok


@pytest.mark.parametrize("how", ["changed", "missing"])
def test_a_changed_file_is_found(tmp_path, world, march, how):
    path = tmp_path / "april" / "fits" / EARLIER_FILE
    with make_audit(tmp_path / "april", world, seed=2) as april:
        april.renew(march, keep_labels=True)
        if how == "missing":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes() + b" ")
        assert any(EARLIER_FILE in one for one in april.verify().problems)
        with pytest.raises(AltmasError, match=EARLIER_FILE):
            april.findings()
    with Audit.open(tmp_path / "april") as opened, pytest.raises(AltmasError, match=EARLIER_FILE):
        opened.ask(3)


def test_refusals(tmp_path, world, march):
    with make_audit(tmp_path / "a", world, seed=2) as april:
        with pytest.raises(InputError, match="be another one"):
            april.renew(april.folder)
        april.ask(3)
        with pytest.raises(InputError, match="before its first question"):
            april.renew(march)
    with make_audit(tmp_path / "b", world, seed=2) as april:
        april.renew(march)
        with pytest.raises(InputError, match="be renewed once"):
            april.renew(march)
    with (
        make_audit(tmp_path / "c", world, seed=2, method="random") as april,
        pytest.raises(InputError, match="be certified"),
    ):
        april.renew(march)
    with (
        make_audit(tmp_path / "d", world, seed=2, overlap=2) as april,
        pytest.raises(InputError, match="overlap must be the earlier audit's"),
    ):
        april.renew(march, keep_labels=True)
    with make_audit(tmp_path / "e", world, seed=2, options={"interval": "anytime"}) as april:
        with pytest.raises(InputError, match="keep_labels must be left out"):
            april.renew(march, keep_labels=True)
        april.renew(march)
        answer(april, world, 30)
        assert "all looks" in april.estimate()["promise"][0]
    with make_audit(tmp_path / "f", world, seed=2) as april, make_audit(tmp_path / "g", world, seed=3) as empty:
        with pytest.raises(InputError, match="at least one label"):
            april.renew(empty)
        assert kinds(april) == ["created"]


def test_kept_labels_and_bets_do_not_mix(tmp_path, world, march):
    with make_audit(tmp_path / "april", world, seed=2) as april:
        april.renew(march, keep_labels=True)
        with pytest.raises(InputError, match="anytime"):
            april.estimate(anytime=True)


def test_a_pool_without_what_was_labelled_is_refused(tmp_path, world, march):
    rest = [p for p in range(SIZE) if p not in march.state.order]
    pool = Pool.build(
        [CLASSES[c] for c in world.said[rest]], classes=CLASSES, scores=world.confidence[rest],
        ids=[world.pool.ids[p] for p in rest],
    )  # fmt: skip
    with Audit.create(tmp_path / "april", pool, metrics=["accuracy"]) as april:
        with pytest.raises(InputError, match="not depend on which were asked"):
            april.renew(march, keep_labels=True)
        assert april.renew(march)["evidence"] == 60


def test_a_vendor_who_answers_the_labelled_items_anew_is_refused(tmp_path, world, march):
    said = world.said.copy()
    asked = list(march.state.order)
    said[asked] = world.truth[asked]
    confidence = world.confidence.copy()
    confidence[asked] = 0.99
    pool = Pool.build([CLASSES[c] for c in said], classes=CLASSES, scores=confidence, ids=world.pool.ids)
    april_world = World(pool, world.truth, said, confidence)
    refused = pytest.raises(InputError, match="not depend on which were asked")
    with make_audit(tmp_path / "april", april_world, seed=2) as april, refused:
        april.renew(march, keep_labels=True)


def test_chance_alone_is_hardly_ever_refused():
    """Of 2,000 fair draws none should be; each has a chance below 1e-4 of it."""
    rng, refused = np.random.default_rng(0), 0
    for _ in range(2000):
        chances = rng.uniform(0.01, 0.6, 200)
        try:
            check_untouched(chances, int((rng.random(200) < chances).sum()))
        except InputError:
            refused += 1
    assert refused <= 2


def test_an_earlier_audit_with_nothing_in_common_is_refused(tmp_path, world, march):
    pool = Pool.build(["yes", "no"] * 50)
    with Audit.create(tmp_path / "april", pool, metrics=["accuracy"], initial=20) as april:
        for keep in (False, True):
            with pytest.raises(InputError, match="a labelled class and a model in common"):
                april.renew(march, keep_labels=keep)
        assert april.state.renewed is None


def test_evidence_of_other_classes_and_models(tmp_path, world, march):
    """What the later pool does not know is left aside, and nothing of it stops the renewal."""
    classes = ("emu", *reversed(CLASSES[:-1]))  # no dogs any more
    said = [one if one in classes else "emu" for one in (CLASSES[c] for c in world.said)]
    opinion = {"cheap": (said, world.confidence)}
    pool = Pool.build(said, classes=classes, scores=world.confidence, ids=world.pool.ids, opinions=opinion)
    with Audit.create(tmp_path / "april", pool, metrics=["accuracy"], initial=20) as april:
        body = april.renew(march)
        assert 0 < body["evidence"] < 60
        for query in april.ask(20):
            label = world.label(query.position)
            april.tell(query.id, label if label in classes else "emu")
        assert april.findings().labels == 20
        assert april.verify(fits=True).ok
