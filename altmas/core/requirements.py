"""Requirements: what a metric must reach for the model under test to be good enough, such as `accuracy >= 0.9`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from altmas.core.checks import is_blank
from altmas.metrics.errors import InputError

Sign = Literal[">=", "<="]
Outcome = Literal["pass", "fail", "not settled"]

_SIGNS: dict[str, Sign] = {">=": ">=", "<=": "<=", "≥": ">=", "≤": "<="}
# As much as fits is the metric's name: a class in it may have a sign of its own.
_WRITTEN = re.compile(r"\s*(?P<metric>.*\S)\s*(?P<sign>>=|<=|≥|≤)\s*(?P<bound>\S+?)\s*(?P<percent>%?)\s*", re.DOTALL)


@dataclass(frozen=True)
class Requirement:
    """A metric that must be at least, or at most, a number.

    >>> str(Requirement("accuracy", ">=", 0.9))
    'accuracy >= 0.9'
    """

    metric: str
    sign: Sign
    bound: float

    def __post_init__(self) -> None:
        if not isinstance(self.metric, str) or not self.metric.strip():
            raise InputError("metric of a requirement", "be a name", repr(self.metric))
        if self.sign not in (">=", "<="):
            raise InputError("sign of a requirement", "be >= or <=", repr(self.sign))
        if isinstance(self.bound, bool) or not isinstance(self.bound, int | float) or not math.isfinite(self.bound):
            raise InputError("bound of a requirement", "be a finite number", repr(self.bound))

    def __str__(self) -> str:
        # The shortest text that is read as the same number again.
        return f"{self.metric} {self.sign} {float(self.bound)!r}".removesuffix(".0")

    def met_by(self, low: float | None, high: float | None) -> Outcome:
        """Whether a metric within this interval meets it; one on both sides of the bound, or none, settles nothing.

        >>> [Requirement("accuracy", ">=", 0.9).met_by(*ends) for ends in ((0.9, 0.95), (0.8, 0.89), (0.8, 0.95))]
        ['pass', 'fail', 'not settled']
        """
        if low is None or high is None or is_blank(low) or is_blank(high):
            return "not settled"
        if self.sign == ">=":
            return "pass" if low >= self.bound else "fail" if high < self.bound else "not settled"
        return "pass" if high <= self.bound else "fail" if low > self.bound else "not settled"


def read_requirement(text: str | Requirement) -> Requirement:
    """A requirement as people write it; one that was read already as it is.

    >>> read_requirement("recall:cat >= 95%"), read_requirement("error_rate <= 0.1").sign
    (Requirement(metric='recall:cat', sign='>=', bound=0.95), '<=')
    """
    if isinstance(text, Requirement):
        return text
    rule = "be a metric, >= or <=, and a number, such as 'accuracy >= 0.9'"
    found = _WRITTEN.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise InputError("target", rule, repr(text))
    try:
        bound = float(found["bound"])
    except ValueError:
        raise InputError("target", rule, repr(text)) from None
    # Written as a fraction: 95 / 100 and not 95 * 0.01, which is a little off.
    return Requirement(found["metric"], _SIGNS[found["sign"]], bound / 100 if found["percent"] else bound)


def check_bound(one: Requirement, low: float, high: float) -> None:
    """Refuse a bound beyond all that the metric can be, from `low` to `high`: it would be met, or missed, unseen.

    >>> check_bound(Requirement("accuracy", ">=", 0.9), 0.0, 1.0)
    >>> check_bound(Requirement("error_rate", "<=", 5), 0.0, 1.0)
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: the number in 'error_rate <= 5' must lie between 0 and 1; got 5. A share may be \
written in percent: 'error_rate <= 5%'.
    """
    if low <= one.bound <= high:
        return
    given = f"{one.bound:g}"
    shares = (low, high) == (0.0, 1.0) and 2 <= one.bound <= 100
    hint = f"A share may be written in percent: '{one.metric} {one.sign} {given}%'." if shares else ""
    raise InputError(f"the number in {str(one)!r}", f"lie between {low:g} and {high:g}", given, hint)
