"""Contests in audits: questions for task `best`, what looks tell, and audits of the version before."""

import json

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.certified.method import Certified
from altmas.certified.setup import Setup
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.core.targets import resolve_metrics
from altmas.metrics import InputError
from altmas.reports.facts import gather
from altmas.reports.writing import render
from worlds.commands import altmas
from worlds.methods import several_models
from worlds.reports import assert_self_contained

POOL, Y = several_models(120, (0.6, 0.9, 0.7, 0.75))


def answered(folder, count=25, pool=POOL, unsure=(), **settings):
    """An audit of four models, with so many questions asked and answered."""
    audit = Audit.create(folder, pool, **{"task": "best", "batch": 5, **settings})
    while len(audit.state.order) < count:
        for query in audit.ask(min(audit.settings.batch, count - len(audit.state.order))):
            audit.tell(query.id, "unsure" if query.position % 10 in unsure else int(Y[query.position]))
    return audit


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("contest") / "audit"
    answered(where).close()
    return where


def strict(text):
    """JSON that knows no NaN and no infinity."""
    return json.loads(text, parse_constant=pytest.fail)


def test_an_audit_of_task_best_asks_little_at_a_time_and_has_a_verdict(folder):
    with Audit.open(folder) as audit:
        settings, found = audit.settings, audit.findings()
        assert settings.metrics == ("accuracy",)
        assert settings.initial == 5
        assert audit.status().answered == 25
    assert found.contests[0].leader == found.best()["model"][0] == "m1"
    assert found.verdict.startswith("'m1' is ")
    assert found.best().columns.tolist()[:3] == ["metric", "model", "p_best"]
    assert set(found.estimates["model"]) == {"m0", "m1", "m2", "m3"}


def test_other_metrics_chosen_later_leave_the_verdict_about_the_task(folder):
    with Audit.open(folder) as audit:
        own, other = audit.findings(), audit.findings(metrics=["mcc", "macro_recall"])
        assert [one.metric for one in other.contests] == ["mcc", "macro_recall"]
        assert other.verdict == own.verdict
        assert audit.findings(metrics=["mcc", "accuracy"]).contests[0].metric == "accuracy"  # which decides
        always = audit.findings(anytime=True)
    assert always.contests[0].leading.loss_bound >= own.contests[0].leading.loss_bound
    assert "all looks" in always.contests[0].promise


def test_every_draw_and_refit_is_made_again(folder):
    with Audit.open(folder) as audit:
        found = audit.verify(fits=True)
    assert found.ok
    assert altmas("log", folder, "--verify").code == 0


def test_what_vendors_prints(folder):
    said = altmas("vendors", folder)
    assert said.code == 0
    assert "By accuracy, best first" in said.out
    assert "leads" in said.out
    assert "'m1' is " in said.out
    assert "nan" not in said.out.lower()
    other = altmas("vendors", folder, "--metric", "macro_recall").out
    assert "By macro_recall, best first" in other
    assert "best by macro recall" in other or "by macro recall: " in other
    found = strict(altmas("vendors", folder, "--anytime", "--json").out)
    assert "all looks" in found["contests"][0]["promise"]
    assert found["best"][0]["model"] == found["contests"][0]["leader"] == "m1"
    assert "'m1' is " in altmas("estimate", folder).out
    assert "25 answered" in altmas("status", folder).out


def test_the_report_has_the_ranked_table_and_the_verdict(folder):
    with Audit.open(folder) as audit:
        facts, found = gather(audit), audit.findings()
    assert facts["headline"][0] == facts["vendors"]["contests"][0]["verdict"] == found.verdict
    assert [one["model"] for one in facts["vendors"]["best"]] == found.best()["model"].tolist()
    assert [one["name"] for one in facts["models"]] == found.best()["model"].tolist()
    assert strict(render(facts, ".json"))["vendors"]["contests"][0]["leader"] == "m1"
    page = assert_self_contained(render(facts, ".html")).text
    for text in (page, render(facts, ".md")):
        assert "Models compared" in text
        assert "behind the leader by" in text
        assert "leads" in text
    assert found.verdict in page


@pytest.mark.parametrize("method", ["random", "coda", "model-selector"])
def test_other_methods_hold_contests_in_audits_too(method, tmp_path):
    with answered(tmp_path / "a", method=method, unsure=(3,)) as audit:
        facts, found = gather(audit), audit.findings()
        assert audit.verify(fits=True).ok
    assert "by accuracy" in found.verdict
    text = render(facts, ".md")
    assert found.verdict in text.replace("\\", "")
    assert "not known to not known" not in text
    strict(render(facts, ".json"))
    said = altmas("vendors", tmp_path / "a").out
    assert "nan" not in said.lower()
    strict(altmas("vendors", tmp_path / "a", "--json").out)


@pytest.mark.parametrize("metric", ["accuracy", pytest.param("macro_recall", marks=pytest.mark.slow)])
def test_an_anytime_contest_with_missing_answers_can_be_looked_at_and_reported(metric, tmp_path):
    """A bet needs its answer: the ends are then those of the worlds in which all of them help, or all of them hurt."""
    with answered(tmp_path / "a", 15, options={"interval": "anytime"}, metric=metric, unsure=(3, 7)) as audit:
        found = audit.findings()
        lost = sum(found.missing.values())
        assert lost > 0
        [contest] = found.contests
        assert "all looks" in contest.promise
        assert "missing answer" in contest.promise
        assert contest.table["behind_low"].le(contest.table["behind"]).all()
        assert render(gather(audit), ".md").count("Models compared") == 1


@pytest.mark.parametrize("method", ["certified", "random"])
def test_a_contest_by_cost_is_told_also_where_other_metrics_are_asked_for(method, tmp_path):
    cost = [[0, 1, 5], [1, 0, 1], [2, 1, 0]]
    with answered(tmp_path / "a", 15, method=method, metric="expected_cost", cost=cost) as audit:
        assert audit.settings.metrics == ("expected_cost",)
        assert "by expected cost" in audit.findings(metrics="mcc").verdict


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"metric": "alt_mas_3"}, "metric of task 'best' must be one metric; got 'alt_mas_3', which is 3"),
        ({"metric": "alt_mas_3", "method": "random"}, "metric of task 'best' must be one metric"),
        ({"metric": "greatness"}, "got 'greatness'"),
        ({"metric": "mcc", "method": "coda"}, "metric of task 'best' must be accuracy for method 'coda'"),
        ({"metric": "mcc", "options": {"interval": "anytime"}}, "metric 'mcc' must be a ratio of sums over items"),
        ({"method": "bald"}, "method must be certified, random, coda or model-selector for task 'best'; got 'bald'"),
        ({"pool": Pool.build([0, 1] * 30)}, "predictions must be several models' for task 'best'; got one model's"),
    ],
    ids=str,
)
def test_what_cannot_be_a_contest_leaves_no_folder_behind(settings, sentence, tmp_path):
    with pytest.raises(InputError, match=sentence):
        answered(tmp_path / "a", **settings)
    assert not (tmp_path / "a").exists()


def test_one_model_has_no_vendors(tmp_path):
    pool = Pool.build([0, 1, 2] * 20, classes=range(3))
    answered(tmp_path / "a", 10, pool, task="estimate", initial=10).close()
    said = altmas("vendors", tmp_path / "a")
    assert (said.code, said.out) == (2, "")
    assert "Error: audit must have several models under test; got one, 'model'. Give --predictions" in said.err


# Audits of the version before


def four_models_and_an_opinion():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 40)

    def one(q):
        return np.where(rng.random(40) < q, y, (y + 1) % 3)

    said = {"a": one(0.9), "b": one(0.7), "c": one(0.6), "d": one(0.8)}
    opinions = {"o": one(0.8)}
    return Pool.build(said, classes=[0, 1, 2], opinions=opinions, scores={name: rng.random(40) for name in said}), y


@pytest.mark.filterwarnings("ignore:.*scores:UserWarning")
def test_an_audit_of_the_version_before_keeps_the_start_it_had(tmp_path, monkeypatch):
    """Its models did not vote, and every two of them were told apart; the numbers are that version's own."""
    pool, y = four_models_and_an_opinion()
    metrics = resolve_metrics("alt_mas_3", pool)
    then = Setup(Job(pool, metrics, 1, voteless_start=True), Certified()).first_chances
    kept = [0.0179702, 0.02986195, 0.03104237, 0.02011416, 0.02986627, 0.02042536, 0.02927403, 0.02652004]
    assert then[:8] == pytest.approx(kept, abs=1e-8)
    now = Setup(Job(pool, metrics, 1), Certified()).first_chances
    assert np.abs(then - now).max() > 1e-4
    with monkeypatch.context() as patch:
        patch.setattr("altmas.audits.draws.ENGINE", 3)
        Audit.create(tmp_path / "older", pool, initial=10, batch=5).close()
    with Audit.open(tmp_path / "older") as audit:
        assert audit.created.body["engine"] == 3
        assert audit.job.voteless_start
        assert not audit.job.even_start
        for query in [*audit.ask(10), *audit.ask(5)]:
            audit.tell(query.id, int(y[query.position]))
        assert audit.findings().contests[0].leader in "abcd"
        found = audit.verify(fits=True)
    assert found.ok
    assert "Another version of altmas drew the questions" in found.notices[0]
