"""The running estimate, for those who ask to see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from altmas.audits.audit import Audit
from altmas.core.plain import plain_rows
from altmas.metrics.errors import AltmasError

_COLUMNS_SHOWN = ("model", "metric", "estimate", "low", "high", "labels", "promise")


def running_estimate(folder: Path) -> dict[str, Any]:
    """Rows of the audit's estimates now, or a sentence that says why there are none yet."""
    with Audit.open(folder) as audit:
        try:
            table = audit.estimate()
        except AltmasError as error:
            return {"rows": [], "sentence": str(error)}
    return {"rows": plain_rows(table[[name for name in _COLUMNS_SHOWN if name in table]]), "sentence": ""}
