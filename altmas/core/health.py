"""One thing that is looked at to see whether altmas works here, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """Whether one thing works: what was found, what it is for, and how to mend it where it is missing.

    Without a thing that is `needed` altmas does not work; without others something does not, which `use` says.
    """

    name: str
    ok: bool
    found: str
    use: str = ""
    hint: str = ""
    needed: bool = True


@dataclass(frozen=True)
class Looked:
    """A thing to look at: `look` says what was found, or raises what is wrong."""

    name: str
    look: Callable[[], str]
    use: str
    hint: str
    needed: bool = True

    def check(self) -> Check:
        """Look. Whatever is raised is what was found: no check fails by itself.

        >>> Looked("a number", lambda: str(int("x")), "counting", "Learn to count.").check().found
        "ValueError: invalid literal for int() with base 10: 'x'"
        """
        try:
            return Check(self.name, True, self.look(), self.use, "", self.needed)
        except Exception as error:
            said = " ".join(str(error).split())
            found = said if isinstance(error, LackingError) else f"{type(error).__name__}: {said}".rstrip(": ")
            return Check(self.name, False, found, self.use, self.hint, self.needed)


class LackingError(Exception):
    """Something was looked for and is not there, in words."""
