"""altmas: how good is a black-box classifier really, on your own data, with few labels."""

from __future__ import annotations

import importlib as _importlib
import pathlib as _pathlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

# In a checkout the rooms metrics/, surrogates/ and experiments/ lie beside this folder, not inside it. Looking for
# them one folder up, only where a pyproject.toml lies, keeps a checkout as working directory from hiding them.
_above = _pathlib.Path(__file__).resolve().parent.parent
if (_above / "pyproject.toml").is_file():
    __path__.append(str(_above))

__version__ = "0.1.0"

if _TYPE_CHECKING:
    from altmas.assessment import assess as assess
    from altmas.audits.audit import Audit as Audit
    from altmas.certified_result import CertifiedResult as CertifiedResult
    from altmas.certified_result import estimate_from_log as estimate_from_log
    from altmas.loop import MethodError as MethodError
    from altmas.loop import OracleError as OracleError
    from altmas.methods import make_method as make_method
    from altmas.metrics.errors import AltmasError as AltmasError
    from altmas.metrics.errors import InputError as InputError
    from altmas.oracles import Noisy as Noisy
    from altmas.oracles import TableOracle as TableOracle
    from altmas.pool import Pool as Pool
    from altmas.result import Result as Result
    from altmas.surfaces.membership import membership_from_scores as membership_from_scores
    from altmas.surfaces.recipe import SurfaceRecipe as SurfaceRecipe
    from altmas.surfaces.surface import surface_from_log as surface_from_log
    from altmas.tuning import tune_network as tune_network

# Names are looked up when first used: `import altmas` stays light, and never loads TensorFlow.
_HOMES = {
    "AltmasError": "metrics.errors",
    "Audit": "audits.audit",
    "CertifiedResult": "certified_result",
    "InputError": "metrics.errors",
    "MethodError": "loop",
    "Noisy": "oracles",
    "OracleError": "loop",
    "Pool": "pool",
    "Result": "result",
    "SurfaceRecipe": "surfaces.recipe",
    "TableOracle": "oracles",
    "assess": "assessment",
    "estimate_from_log": "certified_result",
    "make_method": "methods",
    "membership_from_scores": "surfaces.membership",
    "surface_from_log": "surfaces.surface",
    "tune_network": "tuning",
}
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'altmas' has no attribute {name!r}")
    found: object = getattr(_importlib.import_module(f"altmas.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
