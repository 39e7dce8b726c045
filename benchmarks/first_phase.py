"""A log of 50 million rows in 50 Parquet files: the first pass over it, the same on a cluster, and audits of samples.

The first pass and a bare scan of the same columns take turns in a process of their own. Two workers of a Dask scheduler
on this machine draw the same sample; then one of them is killed half-way. Audits with seeds of their own say how often
their intervals held the truth, which the log was made with; and the precision of a class with 500 predictions is
audited in the whole log, and alone. The files, about 0.6 GB, are removed at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from measuring import apart, peak

CLASSES = tuple(f"c{k}" for k in range(12))
RARE, RARE_ROWS = 11, 500
SHARES = np.array([0.35, 0.2, 0.12, 0.1, 0.07, 0.06, 0.04, 0.03, 0.02, 0.0095, 0.0005])
GOOD = np.array([1.0, 0.95, 0.97, 0.9, 1.0, 0.8, 0.9, 0.7, 0.85, 0.6, 0.75, 0.8])  # of what confidences say
METRICS = ("accuracy", "macro_precision", "precision:c1", "precision:c9", "precision:c11", "recall:c1", "ece")


def truth_of(ids: Any, said: Any, score: Any) -> Any:
    """The label of each row, which follows from its id."""
    from altmas.core.keyed_draws import row_keys

    first = int(ids[0]) if len(ids) else 0
    keys = row_keys(0, "truth", first, len(ids)) if len(ids) == int(ids[-1]) - first + 1 else _one_by_one(ids)
    chance = (keys >> np.uint64(11)).astype(float) / 2.0**53
    wrong = (said + 1 + (keys % np.uint64(9)).astype(int)) % 10
    return np.where(chance < np.asarray(score, dtype=float) * GOOD[said], said, wrong)


def _one_by_one(ids: Any) -> Any:
    from altmas.core.keyed_draws import row_keys

    return np.concatenate([row_keys(0, "truth", int(one), 1) for one in ids])


def make(folder: Path, files: int, rows: int) -> dict[str, Any]:
    """The files, and what is true of all rows: the confusion, and hits and scores by bin."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    confusion, bins = np.zeros((12, 12)), np.zeros((3, 10))
    for k in range(files):
        rng = np.random.default_rng([22, k])
        said = rng.choice(11, rows, p=SHARES / SHARES.sum())
        said[rng.choice(rows, RARE_ROWS // files, replace=False)] = RARE
        score = np.clip(rng.beta(6, 1.2, rows), 0.1, 0.9999).astype(np.float32)
        ids = np.arange(k * rows, (k + 1) * rows)
        true = truth_of(ids, said, score)
        np.add.at(confusion, (true, said), 1)
        place = (score.astype(float) * 10).astype(int)
        for row, weights in enumerate((np.ones(rows), true == said, score)):
            bins[row] += np.bincount(place, weights, 10)
        names = pa.DictionaryArray.from_arrays(said.astype(np.int32), list(CLASSES)).cast(pa.string())
        table = pa.table({"id": ids, "prediction": names, "score": score})
        pq.write_table(table, folder / f"part-{k:03d}.parquet", row_group_size=max(rows // 4, 1))
    hits, said_of, true_of = np.diag(confusion), confusion.sum(0), confusion.sum(1)
    precision = hits / said_of
    return {
        "accuracy": hits.sum() / confusion.sum(), "macro_precision": precision.mean(),
        "recall:c1": hits[1] / true_of[1],
        **{f"precision:c{k}": precision[k] for k in (1, 9, 11)},
        "ece": float(np.abs(bins[1] - bins[2]).sum() / bins[0].sum()),
    }  # fmt: skip


def _planned(folder: str, sample: int, seed: int) -> tuple[Any, Any]:
    from altmas.formats.many_files import found_files
    from altmas.formats.sampled import planned

    pieces = found_files([folder])
    options = dict.fromkeys(("id", "prediction", "scores", "confidence"))
    return planned(pieces, options, (), None, None, sample, seed), pieces


def digest(found: Any) -> str:
    """What a sample is known by."""
    told = hashlib.sha256()
    for column in (found.file, found.row, found.stratum, found.rows):
        told.update(np.ascontiguousarray(column, dtype=np.int64).tobytes())
    told.update(repr(found.strata).encode())
    return told.hexdigest()


def one_pass(folder: str, sample: int) -> dict[str, Any]:
    """Seconds of a bare scan and of the first pass, taking turns; the memory of the latter, and the sample."""
    import pyarrow.dataset as ds

    from altmas.formats.first_pass import draw
    from altmas.formats.sampled import first_pass

    plan, pieces = _planned(folder, sample, 1)
    found, most, rows, times = None, 0.0, 0, ([], [])
    for _ in range(2):
        started = time.perf_counter(), time.process_time()
        found = draw(plan, first_pass(plan, pieces))
        times[0].append((time.perf_counter() - started[0], time.process_time() - started[1]))
        most, rows = most or peak(), 0
        started = time.perf_counter(), time.process_time()
        for batch in ds.dataset([one.path for one in pieces]).to_batches(columns=list(plan.columns)):
            rows += batch.num_rows
        times[1].append((time.perf_counter() - started[0], time.process_time() - started[1]))
    (seconds, cpu), (bare, bare_cpu) = (np.min(one, axis=0).tolist() for one in times)
    return {
        "rows": rows, "seconds": seconds, "cpu": cpu, "bare": bare, "bare_cpu": bare_cpu, "gib": most,
        "digest": digest(found),
    }  # fmt: skip


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler with two workers on this machine."""
    file, started = folder / "scheduler.json", []
    file.unlink(missing_ok=True)
    env = {**os.environ, "PYTHONWARNINGS": "ignore"}

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        started.append(subprocess.Popen([sys.executable, "-m", *arguments], env=env, stdout=quiet, stderr=quiet))
        return started[-1]

    alone = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    start("distributed.cli.dask_scheduler", *alone, "--scheduler-file", str(file))
    while not (file.is_file() and file.read_text().strip()):
        time.sleep(0.1)
    address = json.loads(file.read_text())["address"]
    limits = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "4GB")
    try:
        yield address, [start("distributed.cli.dask_worker", address, *limits) for _ in range(2)]
    finally:
        for one in reversed(started):
            one.kill()
            one.wait()


def on_cluster(folder: str, sample: int, home: Path, kill_after: float | None) -> tuple[float, str]:
    """Seconds of the pass on two workers, one of which may be killed, and what came of it."""
    from altmas.formats.first_pass import draw
    from altmas.formats.sampled import first_pass

    plan, pieces = _planned(folder, sample, 1)
    with cluster(home) as (address, workers):
        from distributed import Client

        with Client(address) as client:
            client.wait_for_workers(2, timeout=60)
        if kill_after is not None:
            threading.Timer(kill_after, workers[0].kill).start()
        started = time.perf_counter()
        found = draw(plan, first_pass(plan, pieces, address))
        return time.perf_counter() - started, digest(found)


def audited(folder: str, sample: int, seed: int, metrics: tuple[str, ...], budget: int) -> Any:
    """One audit of a sample of the log."""
    from altmas import assess
    from altmas.formats.sampled import ingest_sample

    pool = ingest_sample(folder, sample=sample, seed=seed).pool
    return assess(pool, oracle=_oracle(pool), metrics=list(metrics), budget=budget, seed=seed, progress=False)


def _oracle(pool: Any) -> Any:
    names = np.array([int(str(one)[1:]) for one in pool.classes])
    said = names[pool.predictions]
    true = truth_of(np.array(pool.ids, dtype=np.int64), said, pool.confidence)
    return [f"c{k}" for k in true]


def coverage(folder: str, sample: int, seeds: range, truth: dict[str, Any], budget: int) -> None:
    """How often intervals held the truth, over seeds."""
    held: dict[str, list[bool]] = {name: [] for name in METRICS}
    wide: dict[str, list[float]] = {name: [] for name in METRICS}
    for seed in seeds:
        for row in audited(folder, sample, seed, METRICS, budget).estimates.itertuples():
            held[row.metric].append(row.low <= truth[row.metric] <= row.high)
            wide[row.metric].append(row.high - row.low)
    for name in METRICS:
        print(f"  {name}: held in {np.mean(held[name]):.1%} of {len(seeds)}, mean width {np.mean(wide[name]):.4f}")
    print(f"  all together: {np.mean([*held.values()]):.1%} of {len(seeds) * len(METRICS)}")


def rare_class(folder: str, sample: int, seeds: range, budget: int) -> float:
    """The width of the interval of a rare class's precision, over that of an audit of its rows alone."""
    from altmas import assess
    from altmas.core.pool import Pool
    from altmas.formats.sampled import ingest_sample

    name, widths = f"precision:c{RARE}", []
    for seed in seeds:
        pool = ingest_sample(folder, sample=sample, seed=seed).pool
        mine = pool.predictions == pool.classes.index(f"c{RARE}")
        scores = pool.confidence
        assert scores is not None
        oracle = _oracle(pool)
        pair = []
        for part in (slice(None), mine):
            said = np.array(pool.classes)[pool.predictions[part]]
            one = Pool.build(said, scores=scores[part], classes=pool.classes)
            if isinstance(part, slice) and pool.first_phase is not None:
                one = one.drawn_from(pool.first_phase)
            answers = list(np.array(oracle)[part])
            found = assess(one, oracle=answers, metrics=[name], budget=budget, seed=seed, progress=False).estimates
            pair.append(float(found["high"][0] - found["low"][0]))
        widths.append(pair)
    whole, alone = np.mean(widths, axis=0)
    print(f"precision of {RARE_ROWS} among all, {budget} labels: width {whole:.4f}; audited alone {alone:.4f}")
    return float(whole / alone)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a small log, to see that it runs")
    parser.add_argument("--runs", type=int, default=20, help="audits of the whole log")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one_pass(*json.loads(asked.one))))
        return
    files, rows, sample, runs = (50, 20_000, 20_000, 1) if asked.smoke else (50, 1_000_000, 1_000_000, asked.runs)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "log"
        folder.mkdir()
        truth = make(folder, files, rows)
        found = apart(__file__, str(folder), sample)
        slower = found["seconds"] / found["bare"]
        print(f"first pass over {found['rows']:,} rows, sample {sample:,}: {found['seconds']:.1f} s, "
              f"{found['cpu']:.1f} s of CPU, {found['gib']:.2f} GiB with imports; "
              f"bare scan {found['bare']:.1f} s, {found['bare_cpu']:.1f} s of CPU")  # fmt: skip
        print(f"ratio: {slower:.2f} of a bare scan of the same columns")
        if not asked.smoke:
            usual, same = on_cluster(str(folder), sample, Path(home), None)
            print(f"two workers: {usual:.1f} s, the same sample: {same == found['digest']}")
            late, again = on_cluster(str(folder), sample, Path(home), usual / 2)
            print(f"one of them killed half-way: {late:.1f} s, the same sample: {again == found['digest']}")
        wider = rare_class(str(folder), sample, range(100, 100 + max(runs // 2, 1)), 100)
        print(f"ratio: {wider:.2f} of the width alone")
        print(f"intervals of the whole, 200 labels, sample {sample // 5:,}:")
        coverage(str(folder), sample // 5, range(7_000, 7_000 + runs), truth, 200)


if __name__ == "__main__":
    main()
