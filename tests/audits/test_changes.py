"""Changing an audit: an event that holds from then on, through everything; what was promised stays."""

import os
import signal
import subprocess
import sys

import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.audits.changes import CHANGEABLE, FIXED
from altmas.audits.settings import Settings
from altmas.core.requirements import Requirement
from altmas.metrics.errors import InputError
from worlds.attacks import forge
from worlds.audits import answer, kinds, make_audit, make_world

LATER = {
    "budget": 90, "guidelines": "# Look twice", "title": "Spring", "show": ["text", "region"], "reveal": False,
    "targets": ["accuracy >= 0.9", "error_rate <= 20%"],
}  # fmt: skip


def columns(size=200):
    """What annotators see of each item, and what is kept from them."""
    return pd.DataFrame({"text": ["A"] * size}), pd.DataFrame({"region": ["north"] * size, "n": range(size)})


@pytest.fixture
def described(tmp_path, world):
    items, withheld = columns()
    with make_audit(tmp_path / "audit", world, budget=60, items=items, withheld=withheld) as audit:
        yield audit


def test_a_change_is_an_event_and_holds_for_all_who_have_the_audit_open(described):
    first = described.created
    with Audit.open(described.folder) as other:
        assert other.ask(1)[0].content == {"text": "A"}
        assert described.set(**LATER).seq == described.state.seq
        assert kinds(described).count("set") == 1
        other.refresh()
        for audit in (described, other):
            now = audit.settings
            assert (now.budget, now.title, now.show, now.reveal) == (90, "Spring", ("text", "region"), False)
            assert now.targets == (Requirement("accuracy", ">=", 0.9), Requirement("error_rate", "<=", 0.2))
            assert audit.ask(1)[0].content == {"text": "A", "region": "north"}
            assert audit.status().budget == 90
        assert other.set(**LATER) is None  # it is so already
    with Audit.open(described.folder) as again:
        assert again.settings == described.settings
        assert again.created == first  # the first event is what it was
        assert again.verify(fits=True).ok
        again.set(show=["id"], targets=None, budget=None)
        assert again.ask(1)[0].content == {}
        assert (again.settings.targets, again.settings.budget) == ((), None)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"method": "random"},
            "setting must be one that may change; got 'method'. The questions so far were drawn by it",
        ),
        ({"metrics": ["mcc"]}, "altmas estimate --metrics"),
        ({"colour": "red"}, f"setting must be one of {', '.join(CHANGEABLE)}; got 'colour'."),
        ({"budget": 201}, "budget must be at most the pool's size, 200; got 201."),
        ({"budget": 0}, "budget must be an int >= 1; got 0."),
        ({"second_readings": 9}, "experts must be named for second_readings"),
        (
            {"show": ["prediction"]},
            "columns to show must be kept with the audit, where there are 'text', 'region', 'n'",
        ),
        ({"show": None}, "An empty list shows the id alone."),
        ({"targets": ["accuracy > 1"]}, "target must be a metric, >= or <=, and a number"),
        ({"targets": ["greatness >= 1"]}, "'greatness'"),
        ({"targets": ["mcc >= 1", "mcc >= 0.5"]}, "targets must be one for each metric and sign"),
        ({"guidelines": 3}, "guidelines must be text; got int."),
        ({"title": "\ud800"}, "text must be Unicode that can be written"),
        ({"reveal": "no"}, "reveal must be True or False; got 'no'."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_what_may_not_change_or_does_not_fit_is_refused_and_nothing_changes(described, change, sentence):
    before = described.settings
    with pytest.raises(InputError) as refusal:
        described.set(title="other", **change) if "title" not in change else described.set(**change)
    assert sentence in str(refusal.value)
    assert described.settings == before
    assert "set" not in kinds(described)


def test_every_setting_may_change_or_says_why_not():
    known = {name for name in Settings(("accuracy",)).as_dict() if name not in ("inputs", "versions")}
    assert known - set(CHANGEABLE) <= set(FIXED)
    assert not set(CHANGEABLE) & set(FIXED)


def test_no_question_is_another_because_of_a_change(tmp_path):
    """With and without changes in between, the same questions are drawn, and every one is drawn again."""
    world, drawn = make_world(), []
    for name, change in (("plain", {}), ("changed", {"budget": 150, "targets": "accuracy >= 0.5", "title": "x"})):
        with make_audit(tmp_path / name, world, budget=60, seed=3, secret="ab" * 32) as audit:
            answer(audit, world, 30)
            audit.set(**change)
            answer(audit, world, 60)
            drawn.append(list(audit.state.order))
            assert audit.verify(fits=True).ok
    assert drawn[0] == drawn[1]


def test_a_plan_made_to_fit_after_a_look_is_told(tmp_path):
    world = make_world()
    with make_audit(tmp_path / "audit", world, budget=60) as audit:
        answer(audit, world, 40)
        audit.estimate()
        answer(audit, world, 45)
        audit.set(budget=45, targets=["accuracy >= 0.1"])
        found = audit.findings()
        assert (found.conduct.replanned, found.conduct.retargeted) == (1, 1)
        warnings = " ".join(found.warnings)
        assert "the number of answers planned was changed after a look" in warnings
        assert "What the model must reach was changed after the estimates had been looked at" in warnings


def test_an_audit_of_the_version_before_opens_and_can_be_changed(tmp_path):
    with make_audit(tmp_path / "audit") as audit:
        audit.ask(3)

    def older(told):
        at, kind, body, client = told[0]
        new = ("show", "reveal", "targets")
        settings = {name: value for name, value in body["settings"].items() if name not in new}
        return [(at, kind, {**body, "settings": settings}, client), *told[1:]]

    forge(tmp_path / "audit", older)
    with Audit.open(tmp_path / "audit") as audit:
        assert (audit.settings.show, audit.settings.reveal, audit.settings.targets) == (None, True, ())
        audit.set(budget=50)
        assert audit.settings.budget == 50


@pytest.mark.parametrize("body", [{"settings": {"seed": 1}}, {"settings": {"budget": "x"}}, {"settings": 3}, {}])
def test_a_change_that_no_version_makes_is_found(described, body):
    with described._writing():
        described.store._insert("set", body, None)
        described.state.seq += 1  # as if somebody else had written it
        described.state.head = described.store.events()[-1].hash
    found = described.verify()
    assert not found.ok


KILLED = """
import sys
from altmas.audits.audit import Audit
with Audit.open(sys.argv[1]) as audit:
    for budget in range(1, 200):
        print(audit.set(budget=budget, guidelines="g" * 2000 + str(budget)).seq, flush=True)
"""


def test_a_change_is_there_whole_or_not_at_all_after_kill_9(described):
    command = [sys.executable, "-c", KILLED, str(described.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        acknowledged = [int(worker.stdout.readline()) for _ in range(20)]
        os.kill(worker.pid, signal.SIGKILL)
        acknowledged += [int(line) for line in worker.stdout.read().splitlines()]
    assert described.verify().ok
    with Audit.open(described.folder) as audit:
        made = {event.seq for event in audit.events() if event.kind == "set"}
        assert set(acknowledged) <= made
        assert len(made) - len(acknowledged) <= 1  # one may have been under way
        assert audit.settings.guidelines.endswith(f"g{audit.settings.budget}")
