"""Deterministic by default; ALTMAS_TEST_SEEDS=0-99 sweeps the statistical tests over more seeds."""

import os

import numpy as np
import pytest
from hypothesis import settings

from altmas.audits import draws
from altmas.demo import vendor_digits

settings.register_profile("altmas", derandomize=True, deadline=None)
settings.load_profile("altmas")


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        first, _, last = os.environ.get("ALTMAS_TEST_SEEDS", "0").partition("-")
        metafunc.parametrize("seed", range(int(first), int(last or first) + 1))


TRUE_DRAWS = draws.new_seed, draws.new_secret


@pytest.fixture
def true_draws(monkeypatch):
    """Seeds and secrets as users get them."""
    monkeypatch.setattr(draws, "new_seed", TRUE_DRAWS[0])
    monkeypatch.setattr(draws, "new_secret", TRUE_DRAWS[1])


@pytest.fixture(scope="session", autouse=True)
def repeatable_draws():
    """Audits that give no seed draw the same questions in every run of the tests; tests of secrecy undo this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws, "new_seed", lambda: 0)
        patch.setattr(draws, "new_secret", lambda: "5ec7e7" + "0" * 58)
        yield


@pytest.fixture(scope="module", autouse=True)
def home_of_the_module(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALTMAS_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(autouse=True)
def own_registry(tmp_path_factory, monkeypatch):
    """No test knows of another's audits."""
    monkeypatch.setenv("ALTMAS_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="session", autouse=True)
def silent_steps():
    """However slow the machine is, commands say the same; tests of progress undo this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALTMAS_PROGRESS", "off")
        yield


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def digits():
    return vendor_digits()


@pytest.fixture(scope="module")
def browser():
    from worlds.browser import chromium  # which skips where playwright is not installed

    with chromium() as one:
        yield one
