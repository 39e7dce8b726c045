"""A vendor that knows everything but the secret, and corrects the items that it expects to be asked about."""

import shutil

import pytest
from scipy.stats import binomtest

from altmas.audits import draws
from altmas.audits.audit import Audit
from altmas.metrics.errors import InputError
from worlds.attacks import guessed_questions, label, pool_of, vendor
from worlds.commands import init, told

LABELS = 100


def corrected(folder, truth, said, confidence, count, times=1, **settings):
    """What such a vendor says: right wherever it expects a question, guessing anew after each correction."""
    said = said.copy()
    for _ in range(times):
        expected = guessed_questions(folder, truth, said, confidence, count, **settings)
        shutil.rmtree(folder)
        said[expected] = truth[expected]
    return said


def measured(folder, truth, said, confidence, level=0.95, **settings):
    with Audit.create(folder, pool_of(said, confidence), metrics=["accuracy"], **settings) as audit:
        return label(audit, truth, LABELS).estimate(level=level).iloc[0]


@pytest.mark.parametrize("options", [{}, {"interval": "anytime"}])
def test_who_expects_the_usual_seed_gains_nothing(tmp_path, true_draws, monkeypatch, options):
    """Also where the auditor takes the seed that everybody takes. Without the secret the attack succeeds."""
    truth, said, confidence = vendor(2000)
    said = corrected(tmp_path / "home", truth, said, confidence, LABELS, seed=0, options=options)
    accuracy = (said == truth).mean()
    for k, seed in enumerate((None, 0)):
        found = measured(tmp_path / str(k), truth, said, confidence, 0.9999, seed=seed, options=options)
        assert found.low <= accuracy <= found.high  # fails once in 10,000 runs
        assert found.estimate < 0.9
    monkeypatch.setattr(draws, "draws_seed", lambda created: created["settings"]["seed"])
    said = corrected(tmp_path / "home", *vendor(2000), LABELS, times=3, seed=0, options=options)
    found = measured(tmp_path / "unguarded", truth, said, confidence, seed=0, options=options)
    assert found.low > (said == truth).mean() + 0.1


def test_intervals_cover_under_attack_in_a_few_audits(tmp_path, true_draws):
    """12 audits: covered as often as a binomial test allows (error rate below 1e-4)."""
    assert binomtest(covered(tmp_path, 12, 1000), 12, 0.95, "less").pvalue > 1e-4


@pytest.mark.slow
def test_intervals_cover_under_attack(tmp_path, true_draws):
    """200 audits of 5,000 items: at least 93% hold the truth, which 95% fails with probability 0.08."""
    hits = covered(tmp_path, 200, 5000)
    print(f"covered in {hits} of 200 audits under attack")
    assert hits >= 186


def covered(tmp_path, audits, size):
    hits = 0
    for k in range(audits):
        truth, said, confidence = vendor(size, seed=k)
        said = corrected(tmp_path / "home", truth, said, confidence, LABELS, seed=0)
        found = measured(tmp_path / "a", truth, said, confidence)
        hits += found.low <= (said == truth).mean() <= found.high
        shutil.rmtree(tmp_path / "a")
    return hits


def test_two_audits_alike_ask_other_questions(tmp_path, true_draws):
    _, said, confidence = vendor(400)
    found = []
    for k in range(2):
        with Audit.create(tmp_path / str(k), pool_of(said, confidence), seed=7) as audit:
            found.append([query.id for query in audit.ask(20)])
    assert found[0] != found[1]


def test_the_secret_comes_after_the_hashes_and_is_committed_to(tmp_path, true_draws, monkeypatch):
    """When the secret is made, every file of the pool is on disk and hashed; the first event holds both."""
    order, known = [], draws.new_secret
    monkeypatch.setattr(draws, "new_secret", lambda: order.append("secret") or known())
    hashed = "altmas.audits.pool_files.sha256_of"
    from altmas.core.files import sha256_of

    monkeypatch.setattr(hashed, lambda path: order.append("hash") or sha256_of(path))
    _, said, confidence = vendor(400)
    with Audit.create(tmp_path / "a", pool_of(said, confidence)) as audit:
        assert order[-1] == "secret"
        assert order.count("secret") == 1
        assert set(order[:-1]) == {"hash"}
        assert audit.created.body["files"]
        assert audit.events()[0].hash == audit.created.hash


def test_whoever_has_seed_secret_and_files_replays_the_audit(tmp_path, true_draws):
    truth, said, confidence = vendor(400)
    with label(Audit.create(tmp_path / "a", pool_of(said, confidence), initial=20), truth, 40) as audit:
        asked, body = list(audit.state.order), audit.created.body
    again = {"seed": body["settings"]["seed"], "secret": body["secret"], "initial": 20}
    with label(Audit.create(tmp_path / "b", pool_of(said, confidence), **again), truth, 40) as replay:
        assert list(replay.state.order) == asked
        assert any("was given" in one for one in replay.findings().warnings)
    said[0] = (said[0] + 1) % 4  # with another pool, the same secret asks other questions
    with label(Audit.create(tmp_path / "c", pool_of(said, confidence), **again), truth, 20) as other:
        assert list(other.state.order) != asked[:20]


def test_a_secret_without_its_seed_is_no_replay(tmp_path):
    with pytest.raises(InputError, match="seed must come with a secret"):
        Audit.create(tmp_path / "a", pool_of(*vendor(400)[1:]), secret="ab" * 32)


@pytest.mark.parametrize("secret", ["", "abc", "z" * 64, "a" * 63])
def test_a_secret_that_is_none_is_refused(tmp_path, secret):
    with pytest.raises(InputError, match="secret must be the 64 hexadecimal digits"):
        Audit.create(tmp_path / "a", pool_of(*vendor(400)[1:]), secret=secret, seed=1)
    assert list(tmp_path.iterdir()) == []


def test_init_prints_the_seed_and_what_commits_to_it_and_the_report_reveals(files, tmp_path):
    said = told("init", tmp_path / "a", "--predictions", files / "ours.csv", "--initial", 20)
    with Audit.open(tmp_path / "a") as audit:
        body, commitment = audit.created.body, audit.created.hash
    assert f"seed {body['settings']['seed']}" in said
    assert commitment in said
    assert body["secret"] not in said
    told("label", tmp_path / "a", "--from", files / "truth.csv", "-n", 25)
    for name in ("report.html", "report.md", "report.json"):
        told("report", tmp_path / "a", "-o", tmp_path / name)
        text = (tmp_path / name).read_text()
        assert body["secret"] in text
        assert commitment in text


def test_an_audit_of_an_older_version_says_that_its_seed_was_all(tmp_path, monkeypatch):
    truth, said, confidence = vendor(400)
    with Audit.create(tmp_path / "a", pool_of(said, confidence), initial=20) as audit:
        old = {key: value for key, value in audit.created.body.items() if key not in ("secret", "engine", "earlier")}
        monkeypatch.setattr(audit, "created", type(audit.created)(**{**vars(audit.created), "body": old}))
        label(audit, truth, 20)
        assert audit.job.seed == audit.settings.seed
        assert audit.job.afresh  # drawn as that version drew
        assert any("seed alone" in one for one in audit.findings().warnings)


def test_an_earlier_audit_of_the_same_predictions_is_said(files, tmp_path):
    init(files, tmp_path / "first")
    told("label", tmp_path / "first", "--from", files / "truth.csv", "-n", 25)
    told("estimate", tmp_path / "first")
    shutil.rmtree(tmp_path / "first")  # thrown away, and known all the same
    said = told("init", tmp_path / "second", "--predictions", files / "ours.parquet", "--initial", 20)
    assert "not the first audit of the same predictions" in said
    assert "25 labels" in said
    told("label", tmp_path / "second", "--from", files / "truth.csv", "-n", 25)
    assert "not the first audit" in told("estimate", tmp_path / "second")
    theirs = told("init", tmp_path / "theirs", "--predictions", files / "theirs.csv")
    assert "not the first audit" not in theirs  # another vendor on the same items


def test_a_home_that_cannot_be_written_stops_no_audit(files, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ALTMAS_HOME", str(tmp_path / "file" / "home"))
    init(files, tmp_path / "a")
    told("label", tmp_path / "a", "--from", files / "truth.csv", "-n", 25)
    told("estimate", tmp_path / "a")
