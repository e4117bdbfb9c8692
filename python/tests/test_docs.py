"""The examples of docs/python.md and of the package, as they are shown."""

from __future__ import annotations

import doctest
import os
import pathlib

import pytest

import hyades

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_page() -> None:
    for needed in ("aalpy", "duckdb", "networkx", "numpy", "pandas", "polars", "pyarrow"):
        pytest.importorskip(needed)
    # Fences are no output.
    text = (ROOT / "docs" / "python.md").read_text().replace("\n```\n", "\n\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, "python.md", None, 0)
    assert len(examples.examples) > 40
    runner = doctest.DocTestRunner()
    here = os.getcwd()
    os.chdir(ROOT)
    try:
        runner.run(examples)
    finally:
        os.chdir(here)
    assert runner.summarize(verbose=False).failed == 0


def test_the_package() -> None:
    assert doctest.testmod(hyades).failed == 0
    assert set(hyades.__all__) <= set(dir(hyades))
