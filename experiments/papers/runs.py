"""Every run of the four papers that is not stored yet, then the pages; the whole a step at a time.

    python -m altmas.experiments.papers.runs --data DIR --rows benchmarks/results --docs docs

With --smoke every runner runs in small on bundled data, and no page is written: its rows are not the papers'.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import click

from altmas.core.files import write_bytes
from altmas.experiments.active_bayesian import page as aba_page
from altmas.experiments.active_bayesian import papers as aba
from altmas.experiments.alt_mas import results, studies
from altmas.experiments.bench.options import NEW_FOLDER, data_option, jobs_option, need_data, smoke_option, together
from altmas.experiments.papers.page import ABA_ROWS, write_papers
from altmas.experiments.surface import arms, simple, tables

Step = tuple[click.Command, list[str]]

FAST = ["--learning-rate", "0.01"]
LEARNT = [*FAST, "--deep", "20"]
ALPHA_BETA = ["--methods", "betagp,betagp-ab"]
GPS = "berngp,betagp,betagp-sl,betagp-slp"
WITHOUT_KERNEL = "constant,beta-i,cpredictor"

CELEBA = (
    ["--usual"],
    FAST,
    [*LEARNT, "--methods", f"{GPS},betagp-ab"],
    *([*way, *ALPHA_BETA, "--labels", labels] for way in (FAST, LEARNT) for labels in ("1000", "3500")),
)
"""What Tables 7 and 15 to 18 are read off, on CelebA."""

OTHERS = (("imagenet", "1000"), ("adult", "500"), ("compas", "500"))
"""Services that stand in for those that are not here, and how many labels."""


def surface_steps(rows: Path, smoke: bool) -> Iterator[Step]:
    """The surfaces' runs; rows in small are of one pool, and need one run."""
    small = ["--smoke"] if smoke else []
    yield arms.main, [*small, "--rows", str(rows / "surface-arms.csv")]
    yield simple.main, [*small, "--rows", str(rows / "surface-simple.csv")]
    for options in CELEBA[:1] if smoke else CELEBA:
        yield tables.main, [*small, *options, "--rows", str(rows / "surface-celeba.csv")]
    for pool, labels in () if smoke else OTHERS:
        chosen = ["--pool", pool, "--labels", labels, "--usual", "--methods", f"{WITHOUT_KERNEL},{GPS}"]
        yield tables.main, [*chosen, "--rows", str(rows / "surface-others.csv")]


def steps(rows: Path, jobs: int, smoke: bool) -> Iterator[Step]:
    """A command and its options, but for the data; the longest last."""
    small = ["--smoke"] if smoke else []
    yield from surface_steps(rows, smoke)
    yield aba.main, [*small, "--out", str(rows / ABA_ROWS)]
    for name in studies.STUDIES:
        yield studies.main, [name, "--smoke" if smoke else "--quick", "--rows", str(rows), "--jobs", str(jobs)]


def pack(rows: Path, profile: str = "quick") -> None:
    """Rows of sweeps as they are stored: gzipped, the same bytes again where nothing is new; and no locks of files."""
    for path in sorted(rows.glob(f"*.{profile}.jsonl")):
        packed = path.with_suffix(".jsonl.gz")
        content = path.read_bytes()
        if not packed.is_file() or gzip.decompress(packed.read_bytes()) != content:
            write_bytes(packed, gzip.compress(content, mtime=0))
        path.unlink()
    for lock in rows.glob(".*.lock"):
        lock.unlink()


@click.command()
@together(
    data_option,
    click.option("--rows", type=NEW_FOLDER, required=True, help="Folder of all rows."),
    click.option("--docs", type=NEW_FOLDER, help="Folder to write the pages to."),
    jobs_option,
    smoke_option,
)
def main(data: Path | None, rows: Path, docs: Path | None, jobs: int, smoke: bool) -> None:
    """Run what is missing; write the pages."""
    need_data(data, smoke)
    rows.mkdir(parents=True, exist_ok=True)
    for command, options in steps(rows, jobs, smoke):
        where = ["--data", str(data)] if data is not None and command is not simple.main else []
        command.main([*options, *where], standalone_mode=False)
    if not smoke:
        pack(rows)
    if docs is not None and not smoke:
        aba_page.write_page(rows / ABA_ROWS, docs)
        results.write_results(rows, docs)
        write_papers(rows, docs)


if __name__ == "__main__":
    main()
