"""Going on after a loss: it is written into the log for good, and the witness begins anew."""

from __future__ import annotations

from pathlib import Path

from altmas.audits import witness
from altmas.audits.events import Event
from altmas.audits.store import Store, StoreError


def loss_of(folder: Path) -> witness.Loss | None:
    """What was acknowledged and is no longer in the store; None if nothing."""
    store = Store.open(folder)
    try:
        return store.loss()
    finally:
        store.close()


def accept_loss(folder: Path) -> Event | None:
    """Log what is lost, so that the audit can go on without it; None if nothing is. Other damage is not accepted."""
    store = Store.open(folder)
    try:
        problems = store.faults()
        if problems:
            hint = "This cannot be mended; restore a backup."
            raise StoreError(f"log must be whole as far as it goes; got {folder}: {problems[0]}. {hint}")
        lost = store.loss()
        if lost is None:
            return None
        body = {"from": lost.kept, "lost": lost.count, "witnessed": lost.last and lost.last.hash}
        witness.put_aside(folder)
        with store.writing():
            event = store.append("recovered", body)
        witness.rewrite(folder, event.seq, event.hash)
        return event
    finally:
        store.close()
