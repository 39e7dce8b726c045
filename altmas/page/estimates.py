"""The running estimate, for those who ask to see it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from altmas.audits.audit import Audit
from altmas.metrics.errors import AltmasError

_COLUMNS_SHOWN = ("model", "metric", "estimate", "low", "high", "labels", "promise")


def running_estimate(folder: Path) -> dict[str, Any]:
    """Rows of the audit's estimates now, or a sentence that says why there are none yet."""
    with Audit.open(folder) as audit:
        try:
            rows = audit.estimate().to_dict("records")
        except AltmasError as error:
            return {"rows": [], "sentence": str(error)}
    return {"rows": [{k: _plain(row[k]) for k in _COLUMNS_SHOWN if k in row} for row in rows], "sentence": ""}


def _plain(value: Any) -> Any:
    """For JSON, which knows no NaN."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
