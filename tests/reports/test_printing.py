"""The report as PDF, by a browser that is there; a plain refusal where there is none."""

import shutil
import subprocess

import pytest

from altmas.metrics.errors import AltmasError, InputError
from altmas.reports.printing import BROWSERS, NAMED_BY, a_browser, printed
from altmas.reports.writing import write_report
from worlds.commands import altmas, told
from worlds.reports import made

there = pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="no browser: apt install chromium")


def test_without_a_browser_it_says_what_to_install(audit, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(NAMED_BY, raising=False)
    with pytest.raises(InputError, match=r"printed by a browser; got none\. Install Chromium, Chrome or Edge"):
        write_report(audit, tmp_path / "report.pdf")
    monkeypatch.setenv(NAMED_BY, "netscape")
    with pytest.raises(InputError, match=r"ALTMAS_BROWSER must name a browser that can be started; got .netscape."):
        a_browser()
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_fails_leaves_no_file(audit, tmp_path, monkeypatch):
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    broken.chmod(0o700)
    monkeypatch.setenv(NAMED_BY, str(broken))
    with pytest.raises(AltmasError, match="could not print the report: no display"):
        write_report(audit, tmp_path / "report.pdf")
    assert [one.name for one in tmp_path.iterdir()] == ["broken"]


@there
def test_printed_whole_with_its_tables_open_and_a_place_to_sign(audit, page, tmp_path):
    target = tmp_path / "report.pdf"
    target.write_bytes(printed(page, a_browser()))
    assert target.read_bytes().startswith(b"%PDF")
    if not shutil.which("pdftotext"):
        pytest.skip("no pdftotext")
    pages = subprocess.run(["pdftotext", "-layout", target, "-"], check=True, capture_output=True, text=True).stdout
    pages = pages.rstrip("\f").split("\f")
    assert "Accuracy of model 0 is" in pages[0]
    text = "\n".join(pages)
    assert "P(worst)" in text
    last = audit.events()[-1]
    assert last.hash[:12] in text  # of the list of all events, which is closed on the screen
    for number, one in enumerate(pages, start=1):
        assert f"{number} / {len(pages)}" in one
        assert len(one.split()) > 15  # nobody's footer stands alone
    assert "Signature" in pages[-1]
    assert "Made by altmas" in pages[-1]


@there
def test_from_the_command_line(tmp_path):
    with made(tmp_path / "audit"):
        pass
    target = tmp_path / "r.pdf"
    told("report", tmp_path / "audit", "--pdf", "-o", target)
    assert target.read_bytes().startswith(b"%PDF")
    wrong = altmas("report", tmp_path / "audit", "--pdf", "-o", tmp_path / "r.html")
    assert wrong.code == 2
    assert "does not end in .pdf" in wrong.err
