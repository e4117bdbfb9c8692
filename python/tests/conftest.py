"""What tests share: the inputs with known answers."""

from __future__ import annotations

import pathlib

import pytest

import hyades

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"


@pytest.fixture(scope="session")
def testdata() -> pathlib.Path:
    return TESTDATA


@pytest.fixture
def early(testdata: pathlib.Path) -> hyades.LTS:
    return hyades.read(testdata / "early.aut")


@pytest.fixture
def late(testdata: pathlib.Path) -> hyades.LTS:
    return hyades.read(testdata / "late.aut")
