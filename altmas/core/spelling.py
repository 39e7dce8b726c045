"""Classes that two files spell differently: `Cat` and `cat `, `1` and `1.0`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable

_WHOLE = re.compile(r"([+-]?[0-9]+)\.0*\Z")


def folded(value: object) -> str:
    """A class without what people do not mean by it: case, blanks around and in a row, `.0` behind a whole number.

    Nor characters that cannot be seen, such as a space of no width.

    >>> folded(" Guinea  Pig"), folded("guinea pig"), folded(3.0), folded("3"), folded("0.5")
    ('guinea pig', 'guinea pig', '3', '3', '0.5')
    """
    seen = "".join(c for c in unicodedata.normalize("NFKC", str(value)) if unicodedata.category(c) != "Cf")
    text = " ".join(seen.split()).casefold()
    found = _WHOLE.match(text)
    return found[1] if found else text


def spelt_differently(first: Iterable[Hashable], second: Iterable[Hashable]) -> list[tuple[Hashable, Hashable]]:
    """Pairs of one class of the first and one of the second that are not the same, and read alike.

    >>> spelt_differently(["Cat", "dog"], ["cat ", "dog", "emu"])
    [('Cat', 'cat ')]
    """
    known = set(first)
    alike = {folded(one): one for one in known}
    return [
        (alike[folded(one)], one)
        for one in sorted(set(second), key=lambda one: (type(one).__name__, str(one)))
        if one not in known and folded(one) in alike
    ]
