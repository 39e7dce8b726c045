"""A gate: whether a model meets what is required of it, as a value that pipelines act on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from altmas.core.junit import junit_xml
from altmas.core.requirements import Outcome, Requirement

if TYPE_CHECKING:
    import pandas as pd

EXIT_CODES: dict[Outcome, int] = {"pass": 0, "fail": 1, "not settled": 3}
"""What `altmas gate` ends with."""


@dataclass(frozen=True)
class Checked:
    """What came of one requirement. `evidence_for` and `evidence_against` are wealths of bets (20 are enough for 95%).

    `labels_needed` is how many labels in all would probably settle it; None where it is settled, or where no number of
    further labels would, because of answers that are missing.
    """

    model: str
    metric: str
    sign: str
    bound: float
    outcome: Outcome
    estimate: float
    evidence_for: float | None
    evidence_against: float | None
    labels_needed: int | None
    likely: Outcome
    certain: bool
    sentence: str

    @property
    def requirement(self) -> Requirement:
        """What was required."""
        return Requirement(self.metric, ">=" if self.sign == ">=" else "<=", self.bound)

    @property
    def name(self) -> str:
        """The requirement as it is written, with its model where there are several."""
        return f"{self.model}: {self.requirement}" if self.model else str(self.requirement)


@dataclass(frozen=True)
class Gate:
    """Whether all requirements are met: `outcome` is pass, fail or not settled. It is true only where they are.

    >>> met = Checked("", "accuracy", ">=", 0.9, "pass", 0.95, 40.0, 0.1, None, "pass", False, "It is met.")
    >>> gate = Gate("pass", (met,), 300, 5000, 0.95, None, "It passes.", "")
    >>> bool(gate), gate.exit_code, gate.table["requirement"].tolist()
    (True, 0, ['accuracy >= 0.9'])
    """

    outcome: Outcome
    checks: tuple[Checked, ...]
    labels: int
    pool: int
    level: float
    labels_needed: int | None
    summary: str
    promise: str

    def __bool__(self) -> bool:
        return self.outcome == "pass"

    @property
    def exit_code(self) -> int:
        """0 for pass, 1 for fail, 3 for not settled."""
        return EXIT_CODES[self.outcome]

    @property
    def table(self) -> pd.DataFrame:
        """A row per requirement."""
        import pandas as pd

        table = pd.DataFrame([{"requirement": one.name, **asdict(one)} for one in self.checks])
        return table.drop(columns=["model"] if (table["model"] == "").all() else [])

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        every = [{"requirement": one.name, **asdict(one)} for one in self.checks]
        about = {name: value for name, value in asdict(self).items() if name != "checks"}
        return {**about, "exit_code": self.exit_code, "requirements": every}

    def junit(self, path: str | os.PathLike[str], name: str = "altmas gate") -> Path:
        """Write JUnit XML, a test case per requirement: missed is a failure, not settled an error; the file."""
        cases = [(one.name, one.outcome, one.sentence) for one in self.checks]
        about = {"outcome": self.outcome, "labels": str(self.labels), "level": f"{self.level:g}", "said": self.summary}
        target = Path(path)
        target.write_text(junit_xml(name, cases, about), encoding="utf-8")
        return target

    def __repr__(self) -> str:
        return "\n".join((self.summary, *(f"- {one.sentence}" for one in self.checks), self.promise))


@runtime_checkable
class Gates(Protocol):
    """Whether requirements are met, asked after every label if you like."""

    def gate(
        self, requirements: Sequence[str | Requirement], *, model: str | None = None, cost: Any = None
    ) -> Gate: ...


def together(checks: Sequence[Checked]) -> Outcome:
    """Of all requirements: fail if one is missed, pass if every one is met.

    >>> met = Checked("", "accuracy", ">=", 0.9, "pass", 0.95, 40.0, 0.1, None, "pass", False, "")
    >>> from dataclasses import replace
    >>> together([met, replace(met, outcome="not settled")]), together([met, replace(met, outcome="fail")])
    ('not settled', 'fail')
    """
    found = {one.outcome for one in checks}
    return "fail" if "fail" in found else "not settled" if "not settled" in found else "pass"


def needed_together(checks: Sequence[Checked]) -> int | None:
    """Labels in all that would probably settle all of them; None where they are settled, or nothing would.

    One that will probably be missed settles it for all, so the first of these counts; else the last of those to be met.
    """
    if together(checks) != "not settled":
        return None
    still = [one for one in checks if one.outcome == "not settled"]
    missed = [one.labels_needed for one in still if one.likely == "fail" and one.labels_needed is not None]
    if missed:
        return min(missed)
    needed = [one.labels_needed for one in still if one.labels_needed is not None]
    return max(needed) if len(needed) == len(still) else None
