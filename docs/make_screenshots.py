"""Take the screenshots of the docs: `python docs/make_screenshots.py`, with Chromium and playwright installed.

Everything is real: audits in a folder of their own, `altmas label` in a process of its own, a browser that types.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from altmas import Pool
from altmas.audits.audit import Audit
from altmas.demo import run_audit

HERE = Path(__file__).parent / "screenshots"
CHROMIUM = "/usr/bin/chromium"
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDE = {"width": 1080, "height": 720}
LARGEST = 150_000

TOPICS = (
    "appointment", "billing", "blood test", "car park", "cleaning", "complaint about staff", "consent form", "diet",
    "discharge", "emergency", "interpreter", "lost property", "medication", "operation date", "pain", "physiotherapy",
    "praise", "records", "referral", "sick note", "transport", "vaccination", "visiting hours", "waiting time",
)  # fmt: skip
LETTERS = (
    "I was told to come back within two weeks, but nobody at the desk could give me a date. Who do I call?",
    "The tablets you gave me make me dizzy in the morning. May I take them in the evening instead?",
    "We waited for three hours although we had come in time. Nobody told us why.",
    "Please send the pictures of my knee to my own doctor; she asked me for them twice.",
)


def text_audit(folder: Path) -> Path:
    """Letters to a hospital, of more kinds than there are keys."""
    rng = np.random.default_rng(0)
    size = 400
    items = pd.DataFrame({"letter": [LETTERS[i % len(LETTERS)] for i in range(size)]})
    items["received"] = [f"2026-0{1 + i % 9}-{1 + i % 28:02d}" for i in range(size)]
    pool = Pool.build([TOPICS[k] for k in rng.integers(len(TOPICS), size=size)], classes=list(TOPICS))
    guidelines = "What is the letter mainly about? If it is about two things, take the one it asks for."
    with Audit.create(
        folder, pool, metrics=["accuracy"], budget=120, items=items, guidelines=guidelines, title="Letters by topic"
    ) as audit:
        for query in audit.ask(18):
            audit.tell(query.id, TOPICS[int(rng.integers(len(TOPICS)))], annotator="mk")
    return folder


@contextmanager
def labelling(audit: Path, annotator: str) -> Iterator[str]:
    """`altmas label` on an audit; gives the annotator's link."""
    command = [sys.executable, "-m", "altmas", "label", str(audit), "--annotator", annotator]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        try:
            yield served.stdout.readline().split()[-1]
        finally:
            served.send_signal(signal.SIGINT)


def small(picture: Path) -> None:
    """Fewer colours: half the bytes, and nothing to be seen of it."""
    from PIL import Image

    with Image.open(picture) as image:
        image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(picture, optimize=True)
    if picture.stat().st_size >= LARGEST:
        raise SystemExit(f"{picture} must be below {LARGEST:,} bytes")


def shoot(view: Any, name: str, of: Any = None) -> None:
    """What is on the screen, or one part of it."""
    path = HERE / f"{name}.png"
    (of or view).screenshot(path=path)
    small(path)


def label_digits(view: Any, name: str) -> None:
    """Two answers by key, then the picture: the time of the last is in the line at the top."""
    from playwright.sync_api import expect

    progress = view.locator("#progress")
    for key in ("4", "7"):
        expect(view.locator("#item > *").first).to_be_visible()
        expect(view.locator("body")).not_to_have_class("busy")  # keys wait while something is under way
        before = progress.inner_text()
        view.keyboard.press(key)
        expect(progress).not_to_have_text(before, timeout=20_000)
    view.wait_for_load_state("networkidle")
    shoot(view, name)


def label_letters(view: Any) -> None:
    """The guidelines open, and a part of a class's name typed."""
    view.set_viewport_size({"width": WIDE["width"], "height": 790})
    view.keyboard.press("g")
    view.keyboard.press("/")
    view.keyboard.type("in")
    shoot(view, "label-filter")


def show_report(view: Any) -> None:
    """The verdict, and the forest plot."""
    shoot(view, "report-verdict")
    shoot(view, "report-worst", view.locator("#worst .part").first)


def readme_sweep(folder: Path) -> Path:
    """The README's sweep, with its method, run as a reader would; the page it writes."""
    text = (HERE.parent.parent / "README.md").read_text(encoding="utf-8")
    for name, language, known_by in (("mine.py", "python", "class Mine"), ("sweep.toml", "toml", "methods")):
        blocks = re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
        (folder / name).write_text(next(one for one in blocks if known_by in one), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "altmas", "bench", "sweep.toml"], cwd=folder, check=True)
    return folder / "sweep.report.html"


def main() -> None:
    """Write every screenshot."""
    from playwright.sync_api import sync_playwright

    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place)
        report = folder / "report.html"
        with run_audit(folder / "digits") as audit:
            audit.report(report)
            for _ in range(115):
                audit.undo("demo")
        letters = text_audit(folder / "letters")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)

        def seen(url: str, look: Callable[[Any], None], scheme: str = "light") -> None:
            with browser.new_context(viewport=WIDE, color_scheme=scheme) as context:  # type: ignore[arg-type]
                view = context.new_page()
                view.goto(url)
                view.wait_for_load_state("networkidle")
                look(view)

        for scheme in ("light", "dark"):
            with labelling(folder / "digits", "demo") as link:  # who takes an answer back is asked again
                seen(link, lambda view, name=f"label-{scheme}": label_digits(view, name), scheme)  # type: ignore[misc]
        with labelling(letters, "mk") as link:
            seen(link, label_letters)
        seen(report.as_uri(), show_report)
        seen(readme_sweep(folder).as_uri(), lambda view: shoot(view, "sweep-report"))
        browser.close()


if __name__ == "__main__":
    main()
