"""Annotators who leave out what the model got wrong, or take it back, and how an audit's conduct is told."""

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.audits.conduct import conduct_of
from altmas.reports.facts import gather
from worlds.attacks import CLASSES, label, pool_of, vendor
from worlds.commands import altmas, fill, init, told, truth_of


@pytest.fixture(scope="module")
def world():
    return vendor(3000, accuracy=0.8, seed=3)


@pytest.mark.parametrize("options", [{}, {"method": "random"}, {"options": {"interval": "anytime"}}])
@pytest.mark.parametrize("hidden", [1.0, 0.1])
def test_mistakes_that_are_skipped_reach_the_headline(tmp_path, world, options, hidden):
    """All of the model's mistakes skipped, and a tenth of them: below 5% of the questions."""
    truth, said, confidence = world
    rng = np.random.default_rng(0)

    def reply(position, right):
        return right if said[position] == truth[position] or rng.random() > hidden else "skip"

    metrics = ["accuracy", "macro_recall", "macro_precision", "error_rate"]
    with Audit.create(tmp_path / "a", pool_of(said, confidence), metrics=metrics, **options) as audit:
        label(audit, truth, 200, reply)
        found = audit.findings()
        facts = gather(audit)
    lost = found.missing["skip"]
    assert lost > (20 if hidden == 1 else 0)
    truths = {"accuracy": 0.8, "macro_recall": 0.8, "macro_precision": 0.8, "error_rate": 0.2}
    for row in found.estimates.itertuples():
        assert row.low <= truths[row.metric] + 0.02
        assert row.high >= truths[row.metric] - 0.02
        assert row.low <= row.low_alike <= row.high_alike <= row.high
        assert f"whatever the {lost} missing answers are" in row.promise or lost == 1
    if hidden == 1:
        row = found.estimates.iloc[0]
        assert row.low_alike > 0.85 if "interval" not in options.get("options", {}) else True  # what was printed before
        assert f"whatever the {lost} questions without a label are" in facts["headline"][0]
        assert "Answer the questions without a label first" in facts["models"][0]["verdict"]["next"]


def test_groups_cells_bins_and_models_allow_for_missing_answers(tmp_path, world):
    truth, said, confidence = world
    pools = {}
    for reply in (None, lambda position, right: right if said[position] == truth[position] else "skip"):
        with Audit.create(tmp_path / str(reply is None), pool_of(said, confidence), seed=1, metrics="ece") as audit:
            label(audit, truth, 200, reply)
            found = audit.findings()
            pools[reply is None] = found.groups(), found.confusion(), found.calibration(), found.estimates
    for full, lost in zip(pools[True], pools[False], strict=True):
        assert ((lost["high"] - lost["low"]).mean()) > 1.2 * (full["high"] - full["low"]).mean()
    assert pools[False][0]["p_worst"].max() < 0.9


def test_a_method_that_cannot_allow_for_them_says_what_it_assumes(tmp_path, world):
    truth, said, confidence = world
    with Audit.create(tmp_path / "a", pool_of(said, confidence), method="thompson", metrics="accuracy") as audit:
        label(audit, truth, 80, lambda position, right: right if position % 4 else "unsure")
        lost = audit.findings().missing["unsure"]
        assert f"it takes the {lost} questions without a label to be like the others" in audit.estimate()["promise"][0]


def test_taken_back_is_missing_and_not_undrawn(tmp_path, world):
    truth, said, confidence = world
    with Audit.create(tmp_path / "a", pool_of(said, confidence), metrics="accuracy") as audit:
        label(audit, truth, 200)
        for _ in range(120):
            audit.undo()
        found, facts = audit.findings(), gather(audit)
        assert found.missing["taken_back"] == 120
        assert found.labels == 80
        assert audit.status().taken_back == 120
        row = found.estimates.iloc[0]
        assert row.high - row.low > 0.4
        assert "120 taken back" in facts["models"][0]["verdict"]["unanswered"]
        assert any("taken back" in one for one in facts["warnings"])
        for _ in range(120):
            audit.redo()
        assert audit.findings().missing["taken_back"] == 0


def test_conduct_is_summarised(tmp_path, world):
    truth, said, confidence = world
    with Audit.create(tmp_path / "a", pool_of(said, confidence), initial=20, metrics="accuracy") as audit:
        queries = audit.ask(20, annotator="mk")
        shown = queries[3]
        audit.record("revealed", {"what": "prediction", "annotator": "mk", "item": shown.id})
        for k, query in enumerate(queries):
            answer = CLASSES[truth[query.position]]
            audit.tell(query.id, answer, annotator="mk", took_ms=400 if k < 2 else 4000)
        wrong = CLASSES[(truth[queries[0].position] + 1) % 4]
        audit.tell(queries[0].id, wrong, annotator="mk", replace=True)
        with audit.importing({"file": "back.csv", "sha256": None, "rows": 1, "annotator": "mk"}):
            audit.tell(queries[1].id, wrong, annotator="mk", replace=True)
        audit.undo("mk")
        audit.estimate()
        audit.estimate()  # nothing was answered since: not another look
        found = audit.findings().conduct
        assert found.after_reveal == 1
        assert (found.quick, found.timed) == (2, 20)
        assert found.changed >= 1
        assert found.replaced_by_import == (wrong != CLASSES[truth[queries[1].position]])
        assert found.taken_back == 1
        assert found.looks == (20,)
        label(audit, truth, 40)
        said_now = " ".join(audit.findings().warnings)
    assert "given after the annotator had been shown" in said_now
    assert "2 of the 20 answers that were timed took less than a second" in said_now
    assert "looked at 1 time before" in said_now


def test_looks_are_events_and_a_budget_kept_to_needs_no_warning(files, tmp_path):
    audit = init(files, tmp_path / "a", "--budget", 40)
    for count in (20, 10, 10):
        told("label", audit, "--from", files / "truth.csv", "-n", count)
        told("status", audit)  # no number about the model is in it
        told("estimate", audit)
        told("worst", audit)
    events = altmas("log", audit, "--json").json["events"]
    assert [one["body"]["labels"] for one in events if one["kind"] == "looked"] == [20, 30, 40]
    assert "looked at" not in told("estimate", audit)
    told("label", audit, "--from", files / "truth.csv", "-n", 5)
    assert "looked at 3 times" in told("estimate", audit)


def test_the_page_in_a_report_tells_of_conduct(files, tmp_path):
    audit = init(files, tmp_path / "a")
    told("next", audit, "-n", 20, "--to", tmp_path / "todo.csv")
    labels = truth_of(files)
    fill(tmp_path / "todo.csv", labels)
    told("import", audit, tmp_path / "todo.csv", "--annotator", "mk")
    told("report", audit, "-o", tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text()
    assert "looks at the estimates" in text
    assert conduct_of(Audit.open(audit).events()).answers == 20


def test_first_labels_of_several_annotators_can_be_looked_at(tmp_path, world):
    """Each question is for two, and one of them has answered so far."""
    truth, said, confidence = world
    with Audit.create(tmp_path / "a", pool_of(said, confidence), metrics="accuracy", initial=20, overlap=2) as audit:
        for query in audit.ask(20, annotator="mk"):
            audit.tell(query.id, CLASSES[truth[query.position]], annotator="mk")
        found = audit.findings()
        assert (found.labels, found.conduct.looks) == (20, (20,))
