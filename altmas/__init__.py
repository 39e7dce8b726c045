"""altmas: how good is a black-box classifier really, on your own data, with few labels."""

from __future__ import annotations

import importlib as _importlib
import pathlib as _pathlib
import sys as _sys
from importlib.abc import Loader as _Loader
from importlib.abc import MetaPathFinder as _MetaPathFinder
from importlib.machinery import ModuleSpec as _ModuleSpec
from types import ModuleType as _ModuleType
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
    from altmas.audits.comparison import AuditsCompared as AuditsCompared
    from altmas.audits.comparison import compare_audits as compare_audits
    from altmas.beliefs.tune_network import tune_network as tune_network
    from altmas.better import Better as Better
    from altmas.better import is_better as is_better
    from altmas.catalogue import make_method as make_method
    from altmas.certified.log import estimate_from_log as estimate_from_log
    from altmas.certified.result import CertifiedResult as CertifiedResult
    from altmas.core.first_phase import FirstPhase as FirstPhase
    from altmas.core.loop import MethodError as MethodError
    from altmas.core.loop import OracleError as OracleError
    from altmas.core.oracles import Noisy as Noisy
    from altmas.core.oracles import TableOracle as TableOracle
    from altmas.core.pool import Pool as Pool
    from altmas.core.result import Result as Result
    from altmas.core.tasks import Best as Best
    from altmas.core.tasks import Compare as Compare
    from altmas.core.tasks import EstimateGroups as EstimateGroups
    from altmas.core.tasks import Identify as Identify
    from altmas.core.tasks import Surface as Surface
    from altmas.metrics.errors import AltmasError as AltmasError
    from altmas.metrics.errors import InputError as InputError
    from altmas.surfaces.membership import membership_from_scores as membership_from_scores
    from altmas.surfaces.recipe import SurfaceRecipe as SurfaceRecipe
    from altmas.surfaces.surface import surface_from_log as surface_from_log

# Names are looked up when first used: `import altmas` stays light, and never loads TensorFlow.
_HOMES = {
    "AltmasError": "metrics.errors",
    "Audit": "audits.audit",
    "AuditsCompared": "audits.comparison",
    "Better": "better",
    "Best": "core.tasks",
    "CertifiedResult": "certified.result",
    "Compare": "core.tasks",
    "EstimateGroups": "core.tasks",
    "FirstPhase": "core.first_phase",
    "Identify": "core.tasks",
    "InputError": "metrics.errors",
    "MethodError": "core.loop",
    "Noisy": "core.oracles",
    "OracleError": "core.loop",
    "Pool": "core.pool",
    "Result": "core.result",
    "Surface": "core.tasks",
    "SurfaceRecipe": "surfaces.recipe",
    "TableOracle": "core.oracles",
    "assess": "assessment",
    "compare_audits": "audits.comparison",
    "estimate_from_log": "certified.log",
    "is_better": "better",
    "make_method": "catalogue",
    "membership_from_scores": "surfaces.membership",
    "surface_from_log": "surfaces.surface",
    "tune_network": "beliefs.tune_network",
}
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'altmas' has no attribute {name!r}")
    found: object = getattr(_importlib.import_module(f"altmas.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


# Import paths that pages once showed, and where they lead now.
_MOVED = {
    "displays": "plots.displays",
    "estimates": "core.estimates",
    "experiments.bench_pools": "experiments.bench.pools",
    "experiments.bench_rows": "experiments.bench.rows",
    "experiments.bench_spec": "experiments.bench.spec",
    "lockstep": "bandits.lockstep",
    "method": "core.method",
    "method_random": "methods.random",
    "policies": "core.policies",
    "streams": "core.streams",
    "surfaces.plots": "plots.heat_maps",
}


class _Moved(_MetaPathFinder, _Loader):
    """Finds a module by a path it once had: it is the same module as at its present one."""

    def find_spec(self, name: str, path: object, target: object = None) -> _ModuleSpec | None:
        return _ModuleSpec(name, self) if name.removeprefix("altmas.") in _MOVED else None

    def exec_module(self, module: _ModuleType) -> None:
        _sys.modules[module.__name__] = _importlib.import_module(f"altmas.{_MOVED[module.__name__[7:]]}")


_sys.meta_path.append(_Moved())


def __dir__() -> list[str]:
    return sorted(__all__)
