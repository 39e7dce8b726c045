"""The labelling page in Chromium: from key press to the next item on the screen, beside a refit and without.

100,000 items, ranked by a fit. The page itself measures; the refits are the worker's own command, one after the other.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.page.refits import Refits, refit_command

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
SERVE = "import sys; from altmas.page.server import serve; serve(sys.argv[1], annotator='bench')"


def make_audit(folder, items, answered, seed=0):
    """An audit with so many answers, so that a refit is due."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.full(9, 0.3), items)
    labels = (scores.cumsum(1) > rng.random((items, 1))).argmax(1)
    pool = Pool.build(scores.argmax(1), scores=scores, classes=range(9))
    texts = pd.DataFrame({"text": [f"Item {k}" for k in range(items)]})
    settings = {"metrics": ["accuracy", "macro_recall"], "initial": answered, "budget": 2 * answered}
    with Audit.create(folder, pool, items=texts, **settings) as audit:
        for query in audit.ask(answered):
            audit.tell(query.id, int(labels[query.position]), annotator="before")


@contextmanager
def refits_beside(folder):
    """Refits of copies, one after the other, until the work is done."""
    done = threading.Event()

    def work():
        for k in itertools.count():
            copy = folder.with_name(f"copy-{k}")
            shutil.copytree(folder, copy)
            refits = Refits(copy)
            refits.start()
            while refits.running:
                if done.wait(0.05):
                    refits.stop()
                    return

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def page_of(folder):
    """The page in a browser, served by a process of its own."""
    from playwright.sync_api import expect, sync_playwright

    process = subprocess.Popen([sys.executable, "-u", "-c", SERVE, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        link = process.stdout.readline().split()[1]
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            page = browser.new_page()
            page.goto(link)
            expect(page.locator("#item > *")).to_be_visible()
            yield page
            browser.close()
    finally:
        process.terminate()
        process.wait()


def label(page, count):
    """Milliseconds from key press to the next item on the screen, as the page measured them."""
    before = page.evaluate("window.altmasTimings.length")
    for k in range(count):
        page.keyboard.press(str(k % 9))  # classes that are digits have their own keys
        end = time.monotonic() + 60
        while page.evaluate("window.altmasTimings.length") <= before + k:
            assert time.monotonic() < end, page.locator("#trouble").inner_text()
            page.wait_for_timeout(5)
    return page.evaluate("window.altmasTimings")[before:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few items, to see that it runs")
    asked = parser.parse_args()
    items, answered, count = (2_000, 80, 5) if asked.smoke else (100_000, 700, 60)
    if not Path(CHROMIUM).exists():
        print(f"No {CHROMIUM}, so nothing was measured; ratio: none")
        return
    with tempfile.TemporaryDirectory() as home:
        folder, waiting = Path(home) / "audit", Path(home) / "waiting"
        make_audit(folder, items, answered)
        shutil.copytree(folder, waiting)  # its refit stays due
        subprocess.run(refit_command(folder), check=True, stdout=subprocess.DEVNULL)
        with page_of(folder) as page:
            label(page, 3)
            alone = statistics.median(label(page, count))
            with refits_beside(waiting):
                page.wait_for_timeout(2_000)  # the worker has started by now
                beside = statistics.median(label(page, count))
    print(f"{items:,} items, {count} answers by key, median from key press to the next item on the screen:")
    print(f"  {alone:.0f} ms alone, {beside:.0f} ms beside a refit")
    print(f"ratio: {beside / alone:.2f}")


if __name__ == "__main__":
    main()
