"""Blocks of draws: kept when small, made again when large."""

import numpy as np

from altmas.beliefs.draws import Draws


def test_blocks_are_kept_when_small_and_made_again_when_large(monkeypatch):
    calls = []

    def source(items):
        calls.append(len(items))
        return np.full((3, len(items), 2), 0.5, np.float32)

    small = Draws(source, np.arange(10), draws=3, classes=2, chunk=4)
    list(small.blocks()), list(small.blocks())
    assert calls == [4, 4, 2]
    monkeypatch.setattr("altmas.beliefs.draws._KEPT_BYTES", 0)
    large = Draws(source, np.arange(10), draws=3, classes=2, chunk=4)
    list(large.blocks()), list(large.blocks())
    assert calls == [4, 4, 2] * 3
