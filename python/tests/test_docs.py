"""The examples of docs/python.md and of the package, as they are shown."""

from __future__ import annotations

import ast
import doctest
import functools
import inspect
import os
import pathlib
from collections.abc import Iterator

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


def described(module: ast.Module) -> Iterator[tuple[str, str]]:
    """What stubs tell, by the names."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    yield f"{node.name}.{part.name}", ast.get_docstring(part) or ""
    for node in module.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name, ast.get_docstring(node) or ""


def test_help_tells_what_stubs_tell() -> None:
    stubs = pathlib.Path(hyades.__file__).with_name("_native.pyi")
    told = [(name, text) for name, text in described(ast.parse(stubs.read_text())) if text]
    assert len(told) > 50
    for name, text in told:
        # Python describes its own methods itself.
        if hasattr(hyades._native, name.split(".")[0]) and not name.endswith("__"):
            found = functools.reduce(getattr, name.split("."), hyades._native)
            assert inspect.getdoc(found) == text, name


def test_all_that_is_public_is_described() -> None:
    for name in set(hyades.__all__) - {"__version__"}:
        assert inspect.getdoc(getattr(hyades, name)), name
