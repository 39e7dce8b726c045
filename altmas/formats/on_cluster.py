"""The first pass over a log on the workers of a Dask scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from altmas.formats.first_pass import Collector, Part, Plan, scanned
from altmas.formats.many_files import Piece, split
from altmas.metrics.errors import InputError

TASKS_PER_WORKER = 8
"""The pass is cut into so many tasks for each thread: what a lost worker had begun is little."""

RETRIES = 3


def scanned_on_cluster(plan: Plan, pieces: Sequence[Piece], scheduler: str) -> Part:
    """What is known of the rows of these pieces, each looked at by one worker or another.

    A task that was lost with its worker is made again by another one.
    """
    try:
        import distributed
    except ImportError as error:
        hint = "pip install 'altmas[dask]'."
        raise InputError("scheduler", "come with the package distributed", str(error), hint) from None
    dask: Any = distributed  # whether it is typed or not
    try:
        client = dask.Client(scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise InputError("scheduler", "answer", f"{scheduler}: {error}") from None
    found = Collector(plan)
    with client:
        client.wait_for_workers(1, timeout=60)
        threads = sum(client.nthreads().values())
        tasks = iter(_tasks(pieces, TASKS_PER_WORKER * threads))

        def begun(count: int) -> list[Any]:
            # Whatever is known by now leaves the later ones less to keep, and to send.
            known = dict(found.known)
            return [
                client.submit(scanned, plan, one, known, retries=RETRIES, pure=False) for one in islice(tasks, count)
            ]

        under_way = dask.as_completed(begun(2 * threads))
        for one in under_way:
            found.add(one.result())
            one.release()
            under_way.update(begun(1))
    return found.part()


def _tasks(pieces: Sequence[Piece], wanted: int) -> list[list[Piece]]:
    """About so many tasks of neighbouring pieces.

    >>> [len(task) for task in _tasks([Piece("a.csv", "a.csv", "csv")] * 5, 2)]
    [3, 2]
    """
    small = split(pieces, wanted)
    step = -(-len(small) // wanted)
    return [list(small[start : start + step]) for start in range(0, len(small), step)]
