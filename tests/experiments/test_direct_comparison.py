"""Experiments shrink: the same code, seconds instead of minutes."""

from click.testing import CliRunner


def test_direct_comparison_smoke(tmp_path):
    from altmas.experiments.alt_mas import direct_comparison

    done = CliRunner().invoke(direct_comparison.main, ["--smoke", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    for name in direct_comparison.COMPARED_METHODS:
        assert name in done.stdout
    assert (tmp_path / "direct-comparison.svg").stat().st_size > 1000
