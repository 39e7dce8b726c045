"""The machine: its memory, its cores, its browsers. What a system does not tell is not known, and never guessed."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup/memory.max")  # what a container may have
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
             "microsoft-edge", "brave-browser")  # fmt: skip
_MAC = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser")
_WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")


def cores() -> int:
    """How many cores this process may use.

    >>> cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int | None:
    """How much memory this process may use: the machine's, or less in a container; None where it is not told."""
    found = []
    with suppress(OSError, ValueError, AttributeError):  # Windows has no sysconf
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):  # no container, or one without a bound: "max"
        found.append(int(_CGROUP.read_text("ascii")))
    if sys.platform == "win32" and (windows := _windows_memory()) is not None:
        found.append(windows)
    return min(found, default=None)


def _windows_memory() -> int | None:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong)
            for name in ("total", "free", "page", "page_free", "virtual", "virtual_free", "extended")
        ]

    status = Status(length=ctypes.sizeof(Status))
    windows = getattr(ctypes, "windll", None)
    told = windows is not None and windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.total) if told else None


def printing_browser() -> str | None:
    """A browser of the Chromium family, which can print a page to PDF by itself; None where none is found."""
    for name in _BROWSERS:
        if found := shutil.which(name):
            return found
    homes = [os.environ.get(name) for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
    likely = [Path(f"/Applications/{name}.app/Contents/MacOS/{name}") for name in _MAC]
    likely += [Path(home, name) for home in homes if home for name in _WINDOWS]
    return next((str(one) for one in likely if one.is_file()), None)


def in_gib(size: float) -> str:
    """A size as people read it.

    >>> in_gib(1.5 * 2**30)
    '1.5 GiB'
    """
    return f"{size / 2**30:.1f} GiB"
