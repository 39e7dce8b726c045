"""What a sweep's rows tell, as a table for the terminal, plain data, and one HTML file that needs no network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import altmas
from altmas.core.files import write_text
from altmas.experiments.bench.drawing import dot_plot, error_curves
from altmas.experiments.bench.ranking import Rank
from altmas.experiments.bench.standings import Comparison, Standing
from altmas.experiments.bench.stored import Stored
from altmas.experiments.bench.version import package_versions
from altmas.words.wording import clean, counted, listed, short

MOST_NAMES = 4
"""Metrics of a set that are named one by one."""

UNSETTLED = 0.95
"""A first place is called settled from this share of the bootstraps on."""


@dataclass(frozen=True, eq=False)
class Told:
    """A comparison, the rows it is of, and what the sweep was: its title and its TOML, where they are known."""

    compared: Comparison
    stored: Stored
    title: str = ""
    sweep: str = ""

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        one = self.compared
        return {
            "baseline": one.baseline or None,
            "methods": [asdict(each) for each in one.standings],
            "by_pool": one.by_pool.to_dict("records"),
            "ranking": [asdict(each) for each in one.ranking],
            "notes": self.notes,
        }

    @property
    def notes(self) -> list[str]:
        """What a reader must know."""
        return [*self.stored.notes, *self.compared.notes]

    def table(self) -> pd.DataFrame:
        """A row of text per method, the least error first."""
        baseline = self.compared.baseline
        return pd.DataFrame([_line(one, baseline) for one in self.compared.standings])

    def sentence(self) -> str:
        """Who is nearest to the truth, and how sure that is."""
        return verdict(self.compared.standings, self.compared.ranking, self.compared.baseline)

    def write(self, path: Path) -> Path:
        """The page."""
        from altmas.reports.writing import template_of

        return write_text(path, template_of("altmas.experiments.bench", "sweep.html").render(**self._shown()))

    def _shown(self) -> dict[str, Any]:
        one, rows = self.compared, self.stored.rows
        text = self.table()
        return {
            "told": self,
            "version": altmas.__version__,
            "counts": {
                "methods": counted(len(one.standings), "method"),
                "pools": counted(rows["pool"].nunique(), "pool"),
                "seeds": counted(rows["seed"].nunique(), "seed"),
                "runs": counted(rows["key"].nunique(), "run"),
            },
            "table_of_methods": _as_table("Every method", text, words=1),
            "ranks": _ranks_table(one.ranking),
            "bars": _bars(one.ranking),
            "dots": _dots(one),
            "by_pool": _pools_table(one),
            "panels": [_panel(place, curve, self, k) for k, (place, curve) in enumerate(one.curves.items())],
            "ran": _ran(rows, self.stored),
            "files": _as_table("Files of rows", pd.DataFrame([asdict(each) for each in self.stored.files]), words=3),
            "versions": listed(f"{name} ({counted(n, 'cell')})" for name, n in self.stored.versions.items()),
            "packages": ", ".join(f"{name} {number}" for name, number in package_versions().items()),
        }


def verdict(standings: Sequence[Standing], ranking: Sequence[Rank], baseline: str) -> str:
    """A sentence or two.

    >>> one = Standing("new", 0.5, 0.1, 0.8, 10, 4.0, 1.0, 0.9, 0.1, 0.2, 1.5, 2, 10)
    >>> verdict([one], [Rank("new", 1.2, 1, 2, 0.8)], "random")
    'new has 0.50 ± 0.10 of the error of random. It ranks first in 80% of bootstraps over pools and seeds: not settled.'
    """
    best = standings[0]
    if best.error is None or best.method == baseline:
        said = "" if best.error is None else f"No method has a smaller error than {baseline}."
    else:
        said = f"{short(best.method)} has {_with_error(best.error, best.error_se)} of the error of {short(baseline)}."
    if not ranking or ranking[0].p_best is None:
        return said
    first = max(ranking, key=lambda one: one.p_best or 0.0)
    share = first.p_best or 0.0
    who = "It" if first.method == best.method and said and best.method != baseline else short(first.method)
    settled = "" if share >= UNSETTLED else ": not settled"
    return f"{said} {who} ranks first in {share:.0%} of bootstraps over pools and seeds{settled}.".strip()


def _line(one: Standing, baseline: str) -> dict[str, str]:
    needs = "" if one.needs is None else f"{'~' if (one.beyond or 0) > 0.5 else ''}{one.needs:.2g}x"
    relative = {"error": _with_error(one.error, one.error_se), "wins": _percent(one.wins), f"{baseline} needs": needs}
    if one.method == baseline:
        relative = {"error": "1", "wins": "", f"{baseline} needs": "1x"}
    return {
        "method": one.method,
        **(relative if baseline else {}),
        "covered": _percent(one.covered, one.covered_se),
        "width": "" if one.width is None else f"{one.width:.3f}",
        "seconds": f"{one.seconds:.3g}",
    }


def _with_error(value: float | None, error: float | None, digits: int = 2) -> str:
    if value is None:
        return ""
    known = error is not None and math.isfinite(error)
    return f"{value:.{digits}f} ± {error:.{digits}f}" if known else f"{value:.{digits}f}"


def _with_errors(values: pd.Series[float], errors: pd.Series[float], digits: int = 2) -> list[str]:
    return [_with_error(value, error, digits) for value, error in zip(values.tolist(), errors.tolist(), strict=True)]


def _percent(share: float | None, error: float | None = None) -> str:
    """A share in percent, with as many digits as its error has; no error where all runs are alike.

    >>> _percent(0.951), _percent(0.951, 0.012), _percent(0.951, 0.003), _percent(1.0, 0.0), _percent(None)
    ('95%', '95% ± 1%', '95.1% ± 0.3%', '100%', '')
    """
    if share is None:
        return ""
    if not error:
        return f"{share:.0%}"
    return f"{share:.1%} ± {error:.1%}" if error < 0.005 else f"{share:.0%} ± {error:.0%}"


def _as_table(caption: str, rows: pd.DataFrame, words: int = 1) -> Any:
    from altmas.reports.tables import Table

    cells = tuple(tuple(map(clean, row)) for row in rows.to_numpy())
    return Table(caption, tuple(map(clean, rows.columns)), cells, words)


def _ranks_table(ranking: Sequence[Rank]) -> Any:
    rows = [
        {
            "": place,
            "method": one.method,
            "mean rank": f"{one.mean:.2f}",
            "95%": "" if one.low is None or one.high is None else f"{one.low:.1f} to {one.high:.1f}",
            "P(best)": "" if one.p_best is None else f"{one.p_best:.2f}",
        }
        for place, one in enumerate(ranking, 1)
    ]
    return _as_table("Ranking of the methods", pd.DataFrame(rows)) if rows else None


def _bars(ranking: Sequence[Rank]) -> list[Mapping[str, Any] | None]:
    """Intervals of ranks on one scale, for the macro that draws those of estimates."""
    wide = max(len(ranking) - 1, 1)
    found: list[Mapping[str, Any] | None] = []
    for one in ranking:
        if one.low is None or one.high is None:
            found.append(None)
            continue
        at, left, right = (round(100 * (value - 1) / wide, 2) for value in (one.mean, one.low, one.high))
        said = f"mean rank {one.mean:.2f}, from {one.low:.1f} to {one.high:.1f}"
        found.append(
            {"at": at, "left": left, "wide": max(right - left, 0.4), "ticks": ["1", str(len(ranking))], "said": said}
        )
    return found


def _dots(one: Comparison) -> str:
    from altmas.reports.svg import draw

    others = [each.method for each in one.standings if each.error is not None and each.method != one.baseline]
    if not others:
        return ""
    pools = one.by_pool.rename(columns={"error": "ratio"})
    title = f"Error of each method over that of {short(one.baseline)}, pool by pool"
    return draw("dots", title, dot_plot, pools, others, one.baseline)


def _pools_table(one: Comparison) -> Any:
    if one.by_pool.empty:
        return None
    text = one.by_pool.assign(text=_with_errors(one.by_pool["error"], one.by_pool["error_se"]))
    order = [each.method for each in one.standings if each.method in set(text["method"])]
    wide = text.pivot_table(index=["pool", "labels"], columns="method", values="text", aggfunc="first", sort=False)
    return _as_table("Error over the baseline's, pool by pool", wide[order].fillna("").reset_index(), words=1)


def _panel(place: tuple[str, str], curve: pd.DataFrame, told: Told, number: int) -> dict[str, Any]:
    from altmas.reports.svg import draw

    pool, panel = place
    names = panel.split()
    metrics = clean(", ".join(names)) if len(names) <= MOST_NAMES else counted(len(names), "metric")
    methods = [one.method for one in told.compared.standings]
    title = f"{short(pool)}: RMSE of {metrics} by labels"
    rows = curve.assign(text=_with_errors(curve["rmse"], curve["rmse"] * curve["error"], 4))
    wide = rows.pivot_table(index="labels", columns="method", values="text", aggfunc="first")
    order = [one for one in methods if one in wide]
    asked = told.stored.rows
    there = asked.loc[(asked["pool"] == pool) & (asked["metrics"] == panel), "metric"].nunique()
    used = int(curve["metrics"].max()) if len(curve) else 0
    return {
        "pool": short(pool),
        "metrics": metrics,
        "figure": draw(f"p{number}", title, error_curves, curve, methods) if len(curve) else "",
        "table": _as_table(title, wide[order].fillna("").reset_index()) if len(curve) else None,
        "left_out": there - used,
        "several": used > 1,
    }


def _ran(rows: pd.DataFrame, stored: Stored) -> Any:
    """A row per pool: what ran on it."""
    found = []
    for pool, one in rows.groupby("pool", sort=False):
        settings = {
            name: ", ".join(map(str, sorted(one[name].unique())))
            for name in ("budget", "initial", "batch", "level")
            if name in one
        }
        found.append(
            {
                "pool": pool,
                "methods": one["method"].nunique(),
                "runs": one["key"].nunique(),
                "seeds": one["seed"].nunique(),
                **settings,
                "SHA-256": one["checksum"].iloc[0][:12],
            }
        )
    return _as_table("What was run, pool by pool", pd.DataFrame(found), words=1)
