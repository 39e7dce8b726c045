"""Names of items on the wire: they say nothing about the item, and only the server can make them."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from pathlib import Path

from altmas.core.files import write_whole
from altmas.metrics.errors import InputError

KEY_FILE = "page.key"
_KEY_BYTES, _TAG_BYTES, _NUMBER_BYTES = 32, 16, 8


def audit_key(folder: Path) -> bytes:
    """The audit's own secret, made when first needed; names stay valid when the server is started again."""
    path = folder / KEY_FILE
    if not path.exists():
        write_whole(path, lambda file: file.write(secrets.token_bytes(_KEY_BYTES)))
    key = path.read_bytes()
    if len(key) != _KEY_BYTES:
        hint = "Delete it: a new one is made, and everybody logs in again."
        raise InputError(f"file {KEY_FILE}", f"hold {_KEY_BYTES} bytes", f"{len(key)} in {path}", hint)
    return key


class Names:
    """Position to name and back. The pool's order may give predictions away, so the position is enciphered.

    The name is a tag of the position, then the position masked by what follows from the tag (the idea of RFC 5297).

    >>> names = Names(b"secret", size=10)
    >>> names.position(names.name(7)), names.position("7"), names.position(names.name(12))
    (7, None, None)
    """

    def __init__(self, key: bytes, size: int) -> None:
        self._key, self._size = key, size

    def name(self, position: int) -> str:
        """The name of an item."""
        tag = self._tag(position)
        return base64.urlsafe_b64encode(tag + self._masked(tag, position).to_bytes(_NUMBER_BYTES)).decode()

    def position(self, name: str) -> int | None:
        """The position that a name stands for; None for a name this server did not make."""
        try:
            raw = base64.b64decode(name.encode("ascii"), altchars=b"-_", validate=True)
        except (UnicodeEncodeError, binascii.Error):
            return None
        if len(raw) != _TAG_BYTES + _NUMBER_BYTES:
            return None
        tag = raw[:_TAG_BYTES]
        position = self._masked(tag, int.from_bytes(raw[_TAG_BYTES:]))
        return position if hmac.compare_digest(tag, self._tag(position)) and position < self._size else None

    def _tag(self, position: int) -> bytes:
        return hmac.digest(self._key, b"tag" + position.to_bytes(_NUMBER_BYTES), "sha256")[:_TAG_BYTES]

    def _masked(self, tag: bytes, number: int) -> int:
        return number ^ int.from_bytes(hmac.digest(self._key, b"mask" + tag, "sha256")[:_NUMBER_BYTES])
