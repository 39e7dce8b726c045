"""What an annotator waits for: `tell`, which must not grow with the pool, and `ask` while a refit is under way.

Refits run in a process of their own, as they do behind the labelling page; each answer is on disk when `tell` returns.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

SIZES = (1_000, 100_000)
REFIT = "import sys; from altmas.audits.audit import Audit; Audit.open(sys.argv[1]).refit()"


def make_audit(folder: Path, items: int, initial: int):
    from altmas.audits.audit import Audit
    from altmas.core.pool import Pool

    rng = np.random.default_rng(0)
    labels = rng.integers(10, size=items)
    right = rng.random(items) < 0.85
    said = np.where(right, labels, (labels + 1) % 10)
    confidence = 0.5 + 0.5 * np.where(right, rng.random(items) ** 0.3, rng.random(items))
    pool = Pool.build(said.tolist(), scores=confidence, classes=range(10))
    return Audit.create(folder, pool, metrics="alt_mas_3", initial=initial), labels


def tell_all(audit, labels, queries) -> list[float]:
    """Milliseconds for each answer."""
    out = []
    for query in queries:
        start = time.perf_counter()
        audit.tell(query.id, int(labels[query.position]), annotator="mk", client=f"c-{query.position}")
        out.append(1000 * (time.perf_counter() - start))
    return out


def time_telling(home: Path, sizes: tuple[int, ...], answers: int) -> list[float]:
    found = []
    for items in sizes:
        audit, labels = make_audit(home / f"tell-{items}", items, answers)
        with audit:
            each = tell_all(audit, labels, audit.ask(answers))
        found.append(median(each))
        worst = float(np.quantile(each, 0.99))
        print(f"tell, {items:>9,} items: median {found[-1]:6.2f} ms, 99 of 100 within {worst:6.2f} ms")
    return found


def time_asking(home: Path, items: int, answers: int) -> None:
    """Ten answers, ten questions more, again and again until the refit is made."""
    audit, labels = make_audit(home / "ask", items, answers)
    with audit:
        tell_all(audit, labels, audit.ask(answers))
        audit.refit()
        while not audit.refit_due():
            tell_all(audit, labels, audit.ask(10, wait=False))
        before = len(audit.state.fits)
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-c", REFIT, audit.folder])
        while not audit.status().refitting and process.poll() is None:
            time.sleep(0.01)
        asked, told = [], []
        while process.poll() is None or not asked:
            told += tell_all(audit, labels, audit.ask(10, wait=False))
            begin = time.perf_counter()
            audit.ask(10, wait=False)
            asked.append(1000 * (time.perf_counter() - begin))
        took = time.perf_counter() - start
        audit.refresh()
        assert len(audit.state.fits) > before, "the refit was not made"
    print(
        f"ask,  {items:>9,} items, during a refit of {took:.1f} s: median {median(asked):6.2f} ms, "
        f"at most {max(asked):6.2f} ms, {len(asked)} rounds of 10 drawn; tell meanwhile {median(told):.2f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small pools, to see that it runs")
    smoke = parser.parse_args().smoke
    sizes, answers = ((200, 2_000), 60) if smoke else (SIZES, 500)
    with tempfile.TemporaryDirectory() as home:
        small, large = time_telling(Path(home), sizes, answers)
        time_asking(Path(home), sizes[-1], answers)
    print(f"ratio: {large / small:.2f} times the time to tell for {sizes[1] // sizes[0]} times the items")


if __name__ == "__main__":
    main()
