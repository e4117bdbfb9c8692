"""Pictures."""

from __future__ import annotations

import pathlib
import xml.etree.ElementTree

import hyades
from systems import random_lts

SVG = "{http://www.w3.org/2000/svg}svg"
TEXT = "{http://www.w3.org/2000/svg}text"


def test_pictures_are_svg(early: hyades.LTS) -> None:
    picture = early.to_svg("early & late")
    assert xml.etree.ElementTree.fromstring(picture).tag == SVG
    assert "COIN" in picture and "early &amp; late" in picture
    assert early._repr_svg_() == early.to_svg()
    page = early._repr_html_()
    assert "5 states, 4 transitions, 3 labels" in page and "COFFEE" in page
    for seed in range(30):
        picture = random_lts(seed).to_svg()
        assert xml.etree.ElementTree.fromstring(picture).tag == SVG
        assert picture == random_lts(seed).to_svg()


def test_states_bear_their_names(testdata: pathlib.Path) -> None:
    graph = b'''digraph { __start0 [label="", shape=none]; __start0 -> a;
        a [label="idle"]; b [label="busy"]; a -> b [label="GO"]; }'''
    for source, names in (
        (graph, ("idle", "busy")),
        (testdata / "counter.fsm", ("n=0", "n=1")),
    ):
        picture = xml.etree.ElementTree.fromstring(hyades.read(source).to_svg())
        texts = [text.text for text in picture.iter(TEXT)]
        assert all(name in texts for name in names), texts


def test_large_systems_are_drawn_by_groups() -> None:
    chain = hyades.LTS.from_transitions((k, "a", k + 1) for k in range(20_000))
    picture = chain.to_svg()
    assert len(picture) < 2_000_000
    assert xml.etree.ElementTree.fromstring(picture).tag == SVG
