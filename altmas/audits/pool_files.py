"""A pool on disk: arrays as .npy (memory-mapped when read), names as JSON. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from altmas.audits.events import canonical
from altmas.audits.values import SKIP, UNSURE
from altmas.core.clusters import Clusters
from altmas.core.files import FOLDER_MODE, sha256_of, write_array, write_text
from altmas.core.first_phase import FirstPhase
from altmas.core.pool import Outputs, Pool
from altmas.metrics.errors import InputError, rows_at_fault

POOL_FOLDER = "pool"


KNOWN_FILE = "known.npy"
CLUSTERS_FILE = "clusters.npy"
STRATUM_FILE, ROWS_FILE = "stratum.npy", "stratum-rows.npy"


def save_pool(folder: Path, pool: Pool) -> dict[str, str]:
    """Write a pool into `folder/pool`; the hash of each file by its name."""
    _check_names("classes", pool.classes)
    _check_names("ids", pool.ids)
    for one in pool.classes:
        if str(one).strip().lower() in (UNSURE, SKIP):
            raise InputError("classes", "leave the words unsure and skip to the annotator", repr(one))
    home = folder / POOL_FOLDER
    home.mkdir(mode=FOLDER_MODE)
    written = [write_text(home / "ids.json", canonical(list(pool.ids)))]
    for kind, several in (("model", pool.outputs), ("opinion", pool.opinions)):
        for k, one in enumerate(several):
            written.append(write_array(home / f"{kind}-{k}-predictions.npy", one.predictions))
            if one.scores is not None:
                written.append(write_array(home / f"{kind}-{k}-scores.npy", one.scores))
            if one.unscored is not None:
                written.append(write_array(home / f"{kind}-{k}-unscored.npy", one.unscored))
    if pool.features is not None:
        written.append(write_array(home / "features.npy", pool.features))
    if pool.known is not None:
        written.append(write_array(home / KNOWN_FILE, pool.known))
    groups = {name: _codes(name, values) for name, values in pool.groups.items()}
    names = {
        "classes": list(pool.classes),
        "models": [one.name for one in pool.outputs],
        "opinions": [one.name for one in pool.opinions],
        "groups": {name: values for name, (values, _) in groups.items()},
        **({"features_from": pool.features_from} if pool.features_from else {}),
    }
    if pool.clusters is not None:
        written.append(write_array(home / CLUSTERS_FILE, pool.clusters.index))
        names["clusters"] = {"name": pool.clusters.name, "blank": pool.clusters.blank}
    if (phase := pool.first_phase) is not None:
        written.append(write_array(home / STRATUM_FILE, phase.stratum))
        written.append(write_array(home / ROWS_FILE, phase.rows))
        names["first_phase"] = {"names": list(phase.names), "seed": phase.seed}
    for k, (_, codes) in enumerate(groups.values()):
        written.append(write_array(home / f"group-{k}.npy", codes))
    written.append(write_text(home / "names.json", json.dumps(names, ensure_ascii=False)))
    return {path.name: sha256_of(path) for path in written}


def load_pool(folder: Path, files: Collection[str]) -> Pool:
    """The pool as it was saved, from the files that belong to it; features stay on disk until they are looked at."""
    home = folder / POOL_FOLDER
    names = json.loads((home / "names.json").read_text("utf-8"))
    ids = tuple(json.loads((home / "ids.json").read_text("utf-8")))
    groups = {}
    for k, (name, values) in enumerate(names["groups"].items()):
        column = np.empty(len(values), dtype=object)
        column[:] = values
        groups[name] = column[_load(home / f"group-{k}.npy")]
    features = _load(home / "features.npy", mmap_mode="r") if "features.npy" in files else None
    outputs, opinions = (
        tuple(_outputs(home, kind, k, name, files) for k, name in enumerate(names[several]))
        for kind, several in (("model", "models"), ("opinion", "opinions"))
    )
    made_of = str(names.get("features_from", ""))
    known = _load(home / KNOWN_FILE) if KNOWN_FILE in files else None
    clusters = None
    if CLUSTERS_FILE in files:
        clusters = Clusters(
            str(names["clusters"]["name"]), _load(home / CLUSTERS_FILE), int(names["clusters"]["blank"])
        )
    phase = None
    if STRATUM_FILE in files:
        told = names["first_phase"]
        phase = FirstPhase(
            _load(home / STRATUM_FILE), _load(home / ROWS_FILE), tuple(map(str, told["names"])), told["seed"]
        )
    return Pool(
        ids, tuple(names["classes"]), outputs, features, MappingProxyType(groups), opinions, made_of, known, clusters,
        first_phase=phase,
    )  # fmt: skip


def faults(folder: Path, hashes: Mapping[str, str]) -> list[str]:
    """Files of the pool that are missing or are not what they were."""
    found = []
    for name, known in hashes.items():
        path = folder / POOL_FOLDER / name
        if not path.is_file():
            found.append(f"file pool/{name} is missing")
        elif sha256_of(path) != known:
            found.append(f"file pool/{name} was changed after the audit was made")
    strange = sorted({path.name for path in (folder / POOL_FOLDER).glob("*")} - set(hashes))
    return [*found, *(f"file pool/{name} does not belong to the audit" for name in strange)]


def _outputs(home: Path, kind: str, k: int, name: str, files: Collection[str]) -> Outputs:
    predictions = _load(home / f"{kind}-{k}-predictions.npy")
    scores, unscored = (
        _load(home / one) if one in files else None for one in (f"{kind}-{k}-scores.npy", f"{kind}-{k}-unscored.npy")
    )
    return Outputs(name, predictions, scores, unscored)


def _load(path: Path, **how: Any) -> Any:
    try:
        return np.load(path, allow_pickle=False, **how)
    except FileNotFoundError:
        raise
    except Exception as error:  # a damaged header raises anything, even what a Python tokenizer does
        raise ValueError(f"{path.name} cannot be read") from error


def _codes(name: str, values: Any) -> tuple[list[Any], Any]:
    """Distinct values of a group in the order met, and each item's place among them."""
    place: dict[Hashable, int] = {}
    codes = np.array([place.setdefault(value, len(place)) for value in values], dtype=np.int64)
    _check_kinds(f"group {name!r}", tuple(place))
    return list(place), codes


def _check_kinds(subject: str, values: Sequence[Hashable]) -> None:
    kinds = {kind for kind in set(map(type, values)) if not issubclass(kind, str | int | float | None)}
    if kinds:
        strange = [row for row, value in enumerate(values) if type(value) in kinds]
        found = f"{type(values[strange[0]]).__name__} in {rows_at_fault(strange)}"
        raise InputError(f"{subject} of an audit", "be text or numbers, which a store can keep", found)


def _check_names(subject: str, values: Sequence[Hashable]) -> None:
    """Files and pages carry names as text, so no two may read the same."""
    _check_kinds(subject, values)
    if len(set(map(str, values))) < len(values):
        seen: dict[str, int] = {}
        again = [row for row, value in enumerate(values) if seen.setdefault(str(value), row) != row]
        raise InputError(
            f"{subject} of an audit", "read differently", f"{values[again[0]]!r} in {rows_at_fault(again)}"
        )
