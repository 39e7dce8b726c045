"""What an audit took over from an earlier one, in a file of its own: the earlier audit may be gone tomorrow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from altmas.audits.fits import FITS_FOLDER
from altmas.audits.store import StoreError
from altmas.core.earlier import Earlier
from altmas.core.files import FOLDER_MODE, sha256_of, sync_folder, write_whole
from altmas.core.pool import Outputs, Pool

EARLIER_FILE = "earlier.npz"


def save_earlier(folder: Path, earlier: Earlier) -> str:
    """Write it; the hash of its file."""
    arrays: dict[str, Any] = {"labels": earlier.labels}
    for k, one in enumerate(earlier.outputs):
        arrays[f"predictions-{k}"] = one.predictions
        if one.scores is not None:
            arrays |= {f"scores-{k}": one.scores, f"unscored-{k}": ~one.scored}
    if earlier.hazard is not None:
        arrays["hazard"] = earlier.hazard
    home = folder / FITS_FOLDER
    if not home.is_dir():
        home.mkdir(mode=FOLDER_MODE)
        sync_folder(folder)

    def write(file: IO[bytes]) -> None:
        np.savez(file, **arrays)

    return sha256_of(write_whole(home / EARLIER_FILE, write))


def load_earlier(folder: Path, pool: Pool) -> Earlier:
    """As it was written, for the models and opinions of the pool."""
    try:
        with np.load(folder / FITS_FOLDER / EARLIER_FILE, allow_pickle=False) as held:
            outputs = [_outputs(held, k, one.name) for k, one in enumerate((*pool.outputs, *pool.opinions))]
            return Earlier(tuple(outputs), held["labels"], held["hazard"] if "hazard" in held.files else None)
    except Exception as error:  # a damaged archive raises anything
        raise StoreError(f"audit must be whole; got no readable file {FITS_FOLDER}/{EARLIER_FILE}.") from error


def _outputs(held: Any, k: int, name: str) -> Outputs:
    if f"scores-{k}" not in held.files:
        return Outputs(name, held[f"predictions-{k}"])
    return Outputs(name, held[f"predictions-{k}"], held[f"scores-{k}"], held[f"unscored-{k}"])


def faults(folder: Path, renewed: Mapping[str, Any] | None) -> list[str]:
    """Whether the file is missing or is not what it was."""
    if renewed is None:
        return []
    path = folder / FITS_FOLDER / EARLIER_FILE
    if not path.is_file():
        return [f"file {FITS_FOLDER}/{EARLIER_FILE} is missing"]
    changed = sha256_of(path) != renewed["sha256"]
    return [f"file {FITS_FOLDER}/{EARLIER_FILE} was changed after the audit was renewed"] if changed else []
