"""Deterministic by default; ALTMAS_TEST_SEEDS=0-99 sweeps the statistical tests over more seeds."""

import os

import numpy as np
import pytest
from hypothesis import settings

from altmas.demo import vendor_digits

settings.register_profile("altmas", derandomize=True, deadline=None)
settings.load_profile("altmas")


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        first, _, last = os.environ.get("ALTMAS_TEST_SEEDS", "0").partition("-")
        metafunc.parametrize("seed", range(int(first), int(last or first) + 1))


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
