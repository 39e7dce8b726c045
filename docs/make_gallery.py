"""Execute the gallery: `python docs/make_gallery.py [NAME ...]` writes an .ipynb beside each docs/gallery/*.py."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from building.notebooks import LARGEST, cells, sources
from nbclient import NotebookClient


def execute(source: Path) -> Path:
    """Run a source in a kernel of its own, in an empty folder, and keep what every cell gave."""
    made = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    notebook = nbformat.v4.new_notebook(
        cells=[made[cell.kind](cell.text, id=f"cell-{k}") for k, cell in enumerate(cells(source.read_text()))],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ALTMAS_HOME"] = folder  # no audit of another run is remembered
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times, which differ from run to run
        for output in cell.get("outputs", ()):
            if output.get("name") == "stderr" or len(str(output)) > LARGEST:
                raise SystemExit(f"{source.name}: a cell's output is too large or an error\n{str(output)[:500]}")
    notebook.metadata.pop("language_info", None)
    target = source.with_suffix(".ipynb")
    target.write_text(nbformat.writes(notebook) + "\n")
    return target


if __name__ == "__main__":
    for path in sources():
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            print(execute(path))
