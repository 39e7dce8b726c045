"""Making an audit's folder: whole, or not at all."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from altmas.audits import draws, registry
from altmas.audits.drafts import draft_of
from altmas.audits.draws import checked_secret
from altmas.audits.events import canonical
from altmas.audits.item_hashes import save_item_hashes
from altmas.audits.media_files import save_media
from altmas.audits.pool_files import save_pool
from altmas.audits.registry import Registered
from altmas.audits.settings import Settings
from altmas.audits.store import Store
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

ItemRow = tuple[int, str, str, str | None]


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
    rows = _item_rows(pool, items, media)
    with draft_of(target) as draft:
        kept = save_pool(draft, pool)
        files = save_item_hashes(draft, rows, kept)
        files, images = save_media(draft, [row[-1] for row in rows], files)
        store = Store.create(draft, rows)
        sketches = registry.sketches_of(pool)
        body = {
            "settings": settings.as_dict(),
            "files": files,
            "pool": hashlib.sha256(canonical(kept).encode()).hexdigest(),  # wherever the images may lie
            "items": digest(rows),
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


def digest(rows: Iterable[Any]) -> str:
    """The hash of the items' rows."""
    found = hashlib.sha256()
    for row in rows:
        found.update(canonical(list(row)).encode())
    return found.hexdigest()


def _item_rows(pool: Pool, items: pd.DataFrame | None, media: Sequence[str | None] | None) -> list[ItemRow]:
    for subject, given in (("items", items), ("media", media)):
        if given is not None and len(given) != pool.size:
            raise InputError(subject, "have a row per item", f"{len(given):,} for {pool.size:,} items")
    columns = [] if items is None else [str(name) for name in items.columns]
    values = [()] * pool.size if items is None else items.itertuples(index=False, name=None)
    paths = [None] * pool.size if media is None else media
    return [
        (position, str(id), _content(columns, row), path and str(Path(path).resolve()))
        for position, (id, row, path) in enumerate(zip(pool.ids, values, paths, strict=True))
    ]


def _text(value: Any) -> str:
    """A cell as annotators see it; nothing where there is nothing."""
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)


def _content(columns: Sequence[str], row: Sequence[Any]) -> str:
    """As JSON, the columns in the order they came in: that is how annotators see them."""
    return json.dumps(dict(zip(columns, map(_text, row), strict=True)), ensure_ascii=False)
