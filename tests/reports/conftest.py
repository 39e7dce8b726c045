"""One audit, its facts, and its report as a page."""

import pytest

from altmas.reports.facts import gather
from altmas.reports.writing import render
from worlds.reports import made


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    with made(tmp_path_factory.mktemp("report") / "audit", unsure=1, title="Animals", guidelines="Look twice.") as one:
        yield one


@pytest.fixture(scope="module")
def facts(audit):
    return gather(audit)


@pytest.fixture(scope="module")
def page(facts):
    return render(facts, ".html")
