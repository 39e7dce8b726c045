"""Linear algebra in one thread."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Matrices are small here, and threads that wait for each other burn the processor.

    On a busy machine a refit took eight times the processor's time without it. And sums come out the same whatever the
    number of processors.

    >>> with one_thread():
    ...     pass
    """
    limits: AbstractContextManager[Any] = _threads().limit(limits=1, user_api="blas")
    return limits


@cache
def _threads() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
