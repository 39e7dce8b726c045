"""A page that is served, a client that is logged in, and a visit with a browser."""

import pytest

from worlds.page import Served, make_audit


@pytest.fixture
def served(tmp_path):
    with Served(make_audit(tmp_path / "audit")) as one:
        yield one


@pytest.fixture
def client(served):
    with served.client() as one:
        yield one


@pytest.fixture
def visit(browser):
    """Open an audit's page as an annotator; see `visits`."""
    from worlds.browser import visits

    with visits(browser) as open_page:
        yield open_page
