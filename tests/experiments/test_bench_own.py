"""What users bring to a sweep: a method in a file of their own, and pools made up as they need them."""

import re

import numpy as np
import pytest

from altmas import InputError
from altmas.experiments.bench.spec import parse_sweep, read_sweep

MINE = """
from helper import NAME
from altmas.methods.random import RandomRun

class Mine:
    name = NAME
    def __init__(self, share=0.5):
        self.share = share
    def begin(self, job):
        return RandomRun(job)
"""


def test_a_method_of_ones_own_file(tmp_path):
    from altmas.experiments.bench.run import run_cell

    (tmp_path / "helper.py").write_text('NAME = "mine"\n')
    (tmp_path / "mine.py").write_text(MINE)
    sweep = tmp_path / "s.toml"
    sweep.write_text(
        'pools = ["generated"]\nmetrics = ["accuracy"]\nbudgets = [60]\n'
        'methods = ["random", { name = "Mine", file = "mine.py", label = "ours", options = { share = 0.2 } }]\n'
    )
    random, ours = read_sweep(sweep).cells()
    assert run_cell(random) == run_cell(ours)
    assert ours.columns["method"] == "ours"
    (tmp_path / "mine.py").write_text(MINE + "\n# changed\n")
    assert read_sweep(sweep).cells()[1].key != ours.key  # what ran with other code runs again
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("mine.py", "s.toml"):
        (elsewhere / name).write_bytes((tmp_path / name).read_bytes())
    assert read_sweep(elsewhere / "s.toml").cells() == read_sweep(sweep).cells()
    for change, sentence in (
        ({"file": "none.py"}, "file of method 'Mine' must exist"),
        ({"name": "Yours"}, "method 'Yours' must be defined in mine.py"),
        ({"options": {"colour": 1}}, "method 'Mine' of mine.py must take its options; got TypeError"),
        ({"name": "NAME"}, "method 'NAME' must be defined in mine.py"),
        ({"name": "RandomRun", "options": {"job": 1}}, "method 'RandomRun' of mine.py must have begin"),
    ):
        table = {
            "pools": ["generated"],
            "metrics": ["accuracy"],
            "methods": [{"name": "Mine", "file": "mine.py"} | change],
        }
        with pytest.raises(InputError, match=re.escape(sentence)):
            parse_sweep(table, tmp_path)
    (tmp_path / "mine.py").write_text("1 / 0\n")
    with pytest.raises(InputError, match="file of methods mine.py must run; got ZeroDivisionError"):
        read_sweep(sweep)


def test_generated_pools_have_features_and_groups_beside_what_they_had():
    from altmas.experiments.bench.pools import generated
    from altmas.testing import check_pool

    plain, more = generated(items=300), generated(items=300, features=8, groups=3)
    for name in ("predictions", "labels", "scores"):
        assert (getattr(plain, name) == getattr(more, name)).all()
    assert more.features.shape == (300, 8)
    assert set(more.groups["group"]) == {0, 1, 2}
    centres = np.stack([more.features[more.labels == c].mean(0) for c in range(3)])
    nearest = ((more.features[:, None] - centres) ** 2).sum(2).argmin(1)
    assert (nearest == more.labels).mean() > 0.7  # they tell of the labels
    check_pool(lambda: generated(items=60, features=2))
    with pytest.raises(InputError, match="features must be an int >= 0; got -1"):
        generated(features=-1)
