"""Making an audit's folder: whole, or not at all."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from altmas.audits import draws, registry
from altmas.audits.drafts import draft_of
from altmas.audits.draws import checked_secret
from altmas.audits.events import canonical
from altmas.audits.item_hashes import Hashed, as_json, save_item_hashes
from altmas.audits.media_files import save_media
from altmas.audits.pool_files import save_pool
from altmas.audits.registry import Registered
from altmas.audits.settings import Settings
from altmas.audits.store import Store
from altmas.core.doing import doing
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def make_folder(
    target: Path,
    pool: Pool,
    settings: Settings,
    items: pd.DataFrame | None,
    media: Sequence[str | None] | None,
    secret: str | None = None,
) -> Path:
    """Check everything, write a draft beside the folder, then name it: an audit that is there is complete."""
    given = {} if secret is None else {"secret": checked_secret(secret), "secret_given": True}
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError("audit folder", "be new or empty", str(target), "Audit.open takes up one that is there.")
    settings.checked(pool)
    settings.make_method(pool).begin(Job(pool, settings.metrics_on(pool), settings.seed))  # it checks what it needs
    rows, paths = _item_rows(pool, items, media)
    with draft_of(target) as draft:
        with doing("writing the pool"):
            kept = save_pool(draft, pool)
        with doing("writing the items into the store"):
            store = Store.create(draft, rows)
        files = save_item_hashes(draft, rows.each(), kept)
        with doing("hashing images"):
            files, images = save_media(draft, paths, files)
        sketches = registry.sketches_of(pool)
        body = {
            "settings": settings.as_dict(),
            "files": files,
            "pool": hashlib.sha256(canonical(kept).encode()).hexdigest(),  # wherever the images may lie
            "items": rows.all,
            "size": pool.size,
            "media": images,
            "witness": True,
            "engine": draws.ENGINE,
            "earlier": [_told(one) for one in registry.earlier_than(sketches)],
            "registry": registry.ready(),
        }
        body |= given or {"secret": draws.new_secret()}  # only now, when no file of the pool can change any more
        with store.writing():
            created = store.append("created", body)
        store.close()
    registry.settle(created.hash, target)
    place = registry.place_of(target)
    registry.note(Registered(created.hash, created.at, place, sketches, 0, created.seq, created.hash))
    return target


def _told(one: Registered) -> dict[str, Any]:
    """What a report says of an earlier audit."""
    return {"created": one.created, "labels": one.labels, "head": one.head}


def together(items: pd.DataFrame | None, withheld: pd.DataFrame | None) -> pd.DataFrame | None:
    """All columns that are kept with an audit, those that annotators see first."""
    import pandas as pd

    if items is None or withheld is None:
        return withheld if items is None else items
    if len(withheld) != len(items):
        raise InputError("withheld", "have a row per item", f"{len(withheld):,} for {len(items):,} items")
    if twice := {str(name) for name in items.columns} & {str(name) for name in withheld.columns}:
        raise InputError("withheld", "be other columns than items", repr(min(twice)))
    return pd.concat([items.reset_index(drop=True), withheld.reset_index(drop=True)], axis=1)


def _item_rows(
    pool: Pool, items: pd.DataFrame | None, media: Sequence[str | None] | None
) -> tuple[Hashed, Sequence[str | None]]:
    """The rows of the store, made as they are written, and where each item's image lies."""
    for subject, given in (("items", items), ("media", media)):
        if given is not None and len(given) != pool.size:
            raise InputError(subject, "have a row per item", f"{len(given):,} for {pool.size:,} items")
    columns = [] if items is None else [str(name) for name in items.columns]
    values = repeat((), pool.size) if items is None else items.itertuples(index=False, name=None)
    paths = [None] * pool.size if media is None else [path and str(Path(path).resolve()) for path in media]
    names = {as_json(name): place for place, name in enumerate(columns)}
    rows = (
        (position, str(id), _content(names, row), path)
        for position, (id, row, path) in enumerate(zip(pool.ids, values, paths, strict=True))
    )
    return Hashed(rows), paths


def _text(value: Any) -> str:
    """A cell as annotators see it; nothing where there is nothing."""
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)


def _content(names: Mapping[str, int], row: Sequence[Any]) -> str:
    """As JSON, the columns in the order they came in: that is how annotators see them.

    >>> _content({'"a"': 0, '"b"': 1}, ("x", None))
    '{"a": "x", "b": ""}'
    """
    return "{" + ", ".join([f"{name}: {as_json(_text(row[place]))}" for name, place in names.items()]) + "}"
