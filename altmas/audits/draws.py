"""What the questions of an audit follow from: a seed, and a secret that is made when the pool can no longer change.

A vendor who knows the questions beforehand need only get those right. A seed alone does not keep them secret: people
take the same one every time. So the draws are keyed with a secret as well, made after the pool's files were hashed and
kept in the first event beside those hashes. That event's hash commits to all of it: whoever is given the hash when the
audit begins can see in the end, when the report reveals the secret, that nothing was chosen afterwards.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Any

from altmas.audits.events import canonical
from altmas.core.streams import new_seed
from altmas.metrics.errors import InputError

__all__ = ["ENGINE", "UNCHANGED_SINCE", "checked_secret", "draws_seed", "new_secret", "new_seed"]

SECRET_DIGITS = 64

ENGINE = 6
"""Raise it whenever the same answers lead to other draws or refits: audits of another engine are not replayed."""

UNCHANGED_SINCE = 5
"""The oldest engine that draws as this one, but for methods that name another, `drawn_alike_since`."""


def new_secret() -> str:
    """256 random bits, as hexadecimal digits."""
    return secrets.token_hex(SECRET_DIGITS // 2)


def checked_secret(secret: str) -> str:
    """A secret that somebody gave, to replay an audit.

    >>> checked_secret("ab" * 32)[:4]
    'abab'
    """
    digits = secret.strip().lower() if isinstance(secret, str) else ""
    if len(digits) != SECRET_DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise InputError("secret", f"be the {SECRET_DIGITS} hexadecimal digits that a report revealed", repr(secret))
    return digits


def draws_seed(created: Mapping[str, Any]) -> int:
    """The number that every random choice of an audit follows from, given the body of its first event.

    It is HMAC-SHA256, with the secret as its key, of the seed and the hash of the pool: with another pool the same
    secret draws other questions. Audits made before there were secrets follow their seed alone.

    >>> body = {"settings": {"seed": 7}, "pool": "0f"}
    >>> draws_seed(body), draws_seed({**body, "secret": "ab" * 32}) % 1000
    (7, 589)
    """
    seed = int(created["settings"]["seed"])
    if "secret" not in created:
        return seed
    bound = canonical([seed, created["pool"]])
    return int.from_bytes(hmac.digest(bytes.fromhex(created["secret"]), bound.encode(), "sha256"))
