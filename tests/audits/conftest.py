"""A small pool and its labels, audits of it, and a store to meddle with."""

import shutil

import pytest

from worlds.audits import answer, kinds, make_audit, make_world


@pytest.fixture(scope="module")
def world():
    """A small pool and its labels."""
    return make_world()


@pytest.fixture
def audit(tmp_path, world):
    """A new audit of that world."""
    with make_audit(tmp_path / "audit", world) as one:
        yield one


@pytest.fixture(scope="module")
def template(tmp_path_factory, world):
    """A closed audit with rounds, answers, an undo, a replacement, a note, a client's id and three fits."""
    folder = tmp_path_factory.mktemp("template") / "audit"
    with make_audit(folder, world) as audit:
        answer(audit, world, 40)
        audit.undo()
        audit.redo()
        position = next(iter(audit.state.order))
        audit.tell(audit.pool.ids[position], world.wrong(position), replace=True, note="é ☃ after a second look")
        query = audit.ask(1)[0]
        audit.tell(query.id, "unsure", client="a-client", annotator="mk")
        assert kinds(audit).count("fitted") == 3
    return folder


@pytest.fixture
def folder(tmp_path, template):
    """A copy of it, to meddle with."""
    return shutil.copytree(template, tmp_path / "audit")
