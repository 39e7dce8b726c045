"""What a report says about one model under test."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from altmas.core.groups import groups_by
from altmas.core.plain import plain_data, plain_name, plain_rows
from altmas.metrics.errors import AltmasError
from altmas.reports.facts_tables import calibration_facts, confusion_facts, surface_facts, thinned
from altmas.surfaces.membership import membership
from altmas.words.comparing import picked_after_looking, two_groups
from altmas.words.extremes import settled, worst_lines, worst_of
from altmas.words.language import sentence
from altmas.words.promises import promise_in_words
from altmas.words.recalls import lowest_recall
from altmas.words.unanswered import unanswered
from altmas.words.verdict import how_good, next_step, random_needed, reach
from altmas.words.wording import counted, marked, quoted, short

if TYPE_CHECKING:
    import pandas as pd

    from altmas.audits.told import Told
    from altmas.core.pool import Pool
    from altmas.surfaces.membership import By
    from altmas.surfaces.recipe import SurfaceRecipe

MAIN = "accuracy"
UNNAMED = "model"
"""What a model is called that came without a name."""

MOST_GROUPS, MOST_CLASSES = 1000, 200
"""Of more groups than this no table is made, and of more classes than this no confusion: it would take minutes."""

WORST_LINES = 5
"""Sentences about where it is worst that a page has on its first screen."""

PAIR_FROM, PAIR_TO = 2, 12
"""Of an attribute with this many values, the lowest and the highest group are compared without being asked for."""


@dataclass(frozen=True)
class Wanted:
    """What a report was asked for."""

    compare: tuple[tuple[str, Hashable, Hashable], ...] = ()
    rope: float = 0.05
    within: float = 0.03
    surface: By = None  # None: no surface is asked for
    estimator: str | SurfaceRecipe = "betagp"


@dataclass(eq=False)
class ModelFacts:
    """Gathers the facts about one model; `left_out` tells what could not be said, and why."""

    findings: Told
    pool: Pool
    method: str
    name: str
    wanted: Wanted
    left_out: list[dict[str, str]] = field(default_factory=list)

    def gather(self) -> dict[str, Any]:
        """Everything, as plain data."""
        estimates = self._rows_of(self.findings.estimates)
        groups = [found for by in self._looked_at() if (found := self._groups(by))]
        forecast = self._forecast()
        main = main_row(estimates)
        surface, recalls = self._surface(), self._recalls()
        return {
            "name": self.name,
            "verdict": {**self._verdict(main, forecast), "worst": self._worst(groups, surface, recalls)},
            "main": main and main["metric"],
            "estimates": estimates,
            "groups": groups,
            "recalls": recalls,
            "comparisons": self._comparisons(groups),
            "surface": surface,
            "confusion": self._confusion(),
            "calibration": self._calibration(estimates),
            "forecast": forecast,
            "history": thinned(self._rows_of(self.findings.history)),
            "left_out": self.left_out,
        }

    @property
    def _one(self) -> str | None:
        return self.name if len(self.findings.models) > 1 else None

    @property
    def _named(self) -> str:
        """The model's name in a sentence; nothing where nobody gave it one."""
        return "" if self.name == UNNAMED else short(self.name)

    def _rows_of(self, table: pd.DataFrame) -> list[dict[str, Any]]:
        rows = plain_rows(table)
        return [row for row in rows if row.get("model", self.name) == self.name]

    def _looked_at(self) -> list[str]:
        """Groups to look into one by one."""
        if (combinations := self._combinations_only()) is None:
            return ["class", *(name for name in self.pool.groups if name != "class")]
        self._leave_out("groups one by one", combinations)
        return []

    def _combinations_only(self) -> str | None:
        """Where to find what the method tells instead, where it tells of combinations only."""
        drawn_for = self.findings.combinations_only
        if drawn_for is None:
            return None
        method = quoted(self.method)
        if self.wanted.surface is not None:
            return sentence("Method {method} tells of combinations: see Accuracy by combination.", method=method)
        by = ",".join(membership(self.pool, drawn_for.by, bins=drawn_for.estimator.bins).arms.names)
        return sentence(
            "Method {method} tells of combinations: altmas report --surface {by} adds them.", method=method, by=by
        )

    def _worst(
        self, groups: Sequence[dict[str, Any]], surface: dict[str, Any] | None, recalls: dict[str, Any] | None
    ) -> list[str]:
        """The first screen's sentences; combinations, if they were asked for, are not cut off with the last of them."""
        lines = worst_lines(groups)
        if recalls is not None and recalls["verdict"] and groups:
            lines.insert(1 if groups[0]["by"] == "class" and groups[0]["verdict"] else 0, recalls["verdict"])
        if surface is None:
            elsewhere = self._combinations_only()
            return lines if elsewhere is None else [elsewhere]
        return [*lines[: WORST_LINES - 1], surface["verdict"], *lines[WORST_LINES - 1 :]]

    def _asked(self, part: str, question: Callable[[], Any]) -> Any:
        """The answer, or None and the reason why there is none."""
        try:
            found = question()
        except AltmasError as error:
            self._leave_out(part, str(error) if self.findings.knows_chances else self._not_given())
            return None
        if found is None:
            self._leave_out(part, self._not_given())
        return found

    def _not_given(self) -> str:
        method = quoted(self.method)
        return sentence("Method {method} does not give it; audits by certified or random do.", method=method)

    def _leave_out(self, part: str, why: str) -> None:
        self.left_out.append({"part": part, "why": why})

    def _groups(self, by: str) -> dict[str, Any] | None:
        part = "predicted class" if by == "class" else by
        values = len(groups_by(self.pool, by).names)
        if values > MOST_GROUPS:
            many, most = counted(values, "value"), marked(f"{MOST_GROUPS:,}")
            why = sentence("{values} are too many for a table; at most {most}.", values=many, most=most)
            self._leave_out(part, why)
            return None
        table = self._asked(part, lambda: self.findings.groups(by, MAIN, self._one))
        if table is None:
            return None
        named = groups_by(self.pool.of_model(self._one), by)
        told = {plain_name(name) for name, has in zip(named.names, named.told, strict=True) if has}
        rows = [row for row in plain_rows(table, ("group",)) if row["group"] in told]  # failures are no group
        return {
            "by": by,
            "metric": MAIN,
            "values": len(rows),
            "rows": rows,
            "verdict": worst_of(by, rows),
            "settled": settled(rows),
        }

    def _recalls(self) -> dict[str, Any] | None:
        """How many of each true class are found; of many classes it would take long."""
        part, classes = "recall by true class", len(self.pool.classes)
        if self._combinations_only() is not None:
            return None
        if classes > MOST_CLASSES:
            many = counted(classes, "class", "classes")
            self._leave_out(part, sentence("{classes} are too many; at most {most}.", classes=many, most=MOST_CLASSES))
            return None
        table = self._asked(part, lambda: self.findings.recalls(self._one))
        if table is None:
            return None
        told = ["class", "labels", "estimate", "low", "high", "p_worst"]
        rows = plain_rows(table[told], ("class",))
        return {"rows": rows, "verdict": lowest_recall(rows)}

    def _comparisons(self, groups: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        asked = [(by, a, b, False) for by, a, b in self.wanted.compare]
        for one in groups:
            by = one["by"]
            known = [row for row in one["rows"] if row["estimate"] is not None]
            if by == "class" or not PAIR_FROM <= len(known) <= PAIR_TO or any(by == other for other, *_ in asked):
                continue
            ranked = sorted(known, key=lambda row: row["estimate"])
            if ranked[0]["estimate"] < ranked[-1]["estimate"]:
                asked.append((by, ranked[0]["group"], ranked[-1]["group"], True))
        return [found for by, a, b, picked in asked if (found := self._comparison(by, a, b, picked=picked))]

    def _comparison(self, by: str, a: Hashable, b: Hashable, *, picked: bool) -> dict[str, Any] | None:
        question = partial(self.findings.compare, by, a, b, MAIN, self.wanted.rope, self._one)
        found = self._asked(f"comparison by {by}", question)
        if found is None:
            return None
        row = plain_data(found)
        said = two_groups(by, row, self.findings.level, self.wanted.rope)
        picked = picked and len(groups_by(self.pool, by).names) > 2  # of two groups there is one pair only
        note = picked_after_looking() if picked else ""
        return {**row, "by": by, "picked": picked, "rope": self.wanted.rope, "sentence": said, "note": note}

    def _surface(self) -> dict[str, Any] | None:
        if self.wanted.surface is None:
            return None
        question = partial(self.findings.surface, self.wanted.surface, estimator=self.wanted.estimator, model=self._one)
        found = self._asked("combinations", question)
        return None if found is None else surface_facts(found)

    def _confusion(self) -> dict[str, Any] | None:
        classes = len(self.pool.classes)
        if classes > MOST_CLASSES:
            told, cells = counted(classes, "class", "classes"), marked(f"{classes**2:,}")
            self._leave_out("confusion", sentence("{classes} make {cells} cells.", classes=told, cells=cells))
            return None
        table = self._asked("confusion", lambda: self.findings.confusion(self._one))
        return None if table is None else confusion_facts(table, classes)

    def _calibration(self, estimates: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
        outputs = next(one for one in self.pool.outputs if one.name == self.name)
        if not outputs.probable:
            why = sentence(
                "The model under test came without scores."
                if outputs.scores is None
                else "The model under test has scores that are no probabilities."
            )
            self._leave_out("calibration", why)
            return None
        table = self._asked("calibration", lambda: self.findings.calibration(self._one))
        if table is None:
            return None
        error = self._asked("calibration error", lambda: self.findings.ece(self._one))
        return calibration_facts(table, error, next((row for row in estimates if row["metric"] == MAIN), None))

    def _forecast(self) -> list[dict[str, Any]]:
        table = self._asked("forecast", lambda: self.findings.forecast(self.wanted.within))
        if table is None:
            return []
        return [{**row, "within": self.wanted.within} for row in self._rows_of(table)]

    def _verdict(self, main: dict[str, Any] | None, forecast: Sequence[dict[str, Any]]) -> dict[str, Any]:
        size, whole, level = self.pool.size, self.pool.whole, self.findings.level
        ahead = next((row for row in forecast if main and row["metric"] == main["metric"]), None)
        exact = main is not None and str(main["promise"]).startswith("exact")
        compared = main is not None and not exact and self.method != "random"
        return {
            "how_good": how_good(main, level, whole, self._named) if main else sentence("No metric was asked for."),
            "reach": reach(main) if main else "",
            "promise": promise_in_words(main, level) if main else "",
            "next": "" if exact else next_step(ahead, size),
            "random": random_needed(main) if main and compared else "",
            "features": self.findings.features_verdict,
            "unanswered": unanswered(self.findings.missing, main) if "open" in self.findings.missing else "",
        }


def main_row(estimates: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The estimate a reader wants first: accuracy, or else the first there is.

    >>> main_row([{"metric": "mcc"}, {"metric": "accuracy"}])
    {'metric': 'accuracy'}
    """
    return next((row for row in estimates if row["metric"] == MAIN), estimates[0] if estimates else None)
