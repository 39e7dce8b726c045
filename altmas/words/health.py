"""What `altmas doctor` says: what each part of a machine is needed for, and how to get it."""

from __future__ import annotations

from altmas.words.language import sentence


def use_of_package(name: str) -> str:
    """What a package is needed for.

    >>> use_of_package("openpyxl")
    'workbooks of Excel (.xlsx)'
    """
    uses = {
        "dask": sentence("work on a cluster: altmas bench --backend dask, altmas init --scheduler"),
        "openpyxl": sentence("workbooks of Excel (.xlsx)"),
        "matplotlib": sentence("pictures and the report"),
        "pillow": sentence("features made of images"),
        "polars": sentence("tables of polars handed over in Python"),
        "pyarrow": sentence("Parquet"),
        "starlette": sentence("the labelling page"),
        "tensorflow": sentence("networks on features, ALT-MAS and accuracy surfaces"),
        "tensorflow-probability": sentence("accuracy surfaces"),
        "torch": sentence("tensors of PyTorch handed over in Python"),
        "uvicorn": sentence("the labelling page"),
    }
    return uses.get(name, sentence("altmas itself"))


def how_to_install(requirement: str, *, upgrade: bool) -> str:
    """A command that gets a package.

    >>> how_to_install("numpy>=2.0", upgrade=False)
    'python -m pip install "numpy>=2.0"'
    """
    return f'python -m pip install {"--upgrade " if upgrade else ""}"{requirement}"'


def package_missing(name: str, error: str) -> str:
    """What is said where a package that altmas needs does not load.

    >>> package_missing("pandas", "No module named 'pandas'")
    "package pandas must be installed; got No module named 'pandas'. altmas doctor says how to get it."
    """
    return sentence(
        "package {name} must be installed; got {error}. altmas doctor says how to get it.", name=name, error=error
    )


def summary(ok: bool, lacking: int) -> str:
    """The last line.

    >>> summary(True, 2)
    'Everything that is needed works; 2 things that are not needed are missing.'
    """
    if not ok:
        return sentence("Something that is needed is missing; the lines above say how to get it.")
    if lacking == 0:
        return sentence("Everything works.")
    if lacking == 1:
        return sentence("Everything that is needed works; 1 thing that is not needed is missing.")
    return sentence("Everything that is needed works; {count} things that are not needed are missing.", count=lacking)
