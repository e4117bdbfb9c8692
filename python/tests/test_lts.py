"""The class LTS: what it is made of, what it becomes, what it is read from."""

from __future__ import annotations

import copy
import gzip
import io
import os
import pathlib
import pickle
import sys

import pytest

import hyades
from systems import random_lts, random_transitions


def test_what_an_lts_tells(early: hyades.LTS) -> None:
    assert (early.states, early.transitions, early.initial, len(early)) == (5, 4, 0, 4)
    assert list(early) == [(0, "COIN", 1), (0, "COIN", 2), (1, "TEA", 3), (2, "COFFEE", 4)]
    assert early.labels == ["i", "COIN", "TEA", "COFFEE"]
    assert early.successors(0) == [("COIN", 1), ("COIN", 2)]
    assert early.successors(4) == []
    assert repr(early) == "<LTS: 5 states, 4 transitions, 3 labels>"
    for state in (5, 2**40, 2**64, -1):
        with pytest.raises(IndexError, match=f"no state {state}: there are 5"):
            early.successors(state)


def test_transitions_come_back_by_their_sources() -> None:
    for seed in range(200):
        states, transitions = random_transitions(seed)
        lts = hyades.LTS.from_transitions(iter(transitions), states=states, initial=states - 1)
        assert list(lts) == sorted(transitions, key=lambda one: one[0])
        assert (lts.states, lts.initial) == (states, states - 1)
        for state in range(states):
            assert lts.successors(state) == [(l, t) for s, l, t in transitions if s == state]


def test_hidden_labels() -> None:
    lts = hyades.LTS.from_transitions([(0, "tau", 1), (1, "i", 0)], hidden="tau")
    assert lts.hidden == "tau"
    assert list(lts) == [(0, "tau", 1), (1, "i", 0)]
    assert lts.labels[0] == "tau"
    both = hyades.LTS.from_transitions([(0, "x", 0), (0, "tau", 1), (1, "i", 0)], hidden=["x"])
    assert both.hidden == "\u03c4"
    none = hyades.LTS.from_transitions([(0, "i", 1)], hidden=())
    assert none.labels == ["tau", "i"]
    with pytest.raises(hyades.WriteError) as caught:
        none.to_bytes("aut")
    assert caught.value.file == "<bytes>" and caught.value.code
    assert hyades.read(none.to_bytes("aut", visible_i="j")).labels == ["i", "j"]


def test_wrong_transitions() -> None:
    build = hyades.LTS.from_transitions
    for wrong, error in [
        ([(0, 1, 2)], TypeError),
        ([(0, "a")], ValueError),
        ([(-1, "a", 0)], ValueError),
        ([(2**32, "a", 0)], ValueError),
        ([(2**32 - 1, "a", 0)], ValueError),
        ([None], TypeError),
        (7, TypeError),
        ([[0, "a"]], ValueError),
        (["abc"], TypeError),
    ]:
        with pytest.raises(error):
            build(wrong)  # type: ignore[arg-type]
        if isinstance(wrong, list):
            good: object = (0, "b", 1)
            with pytest.raises(error, match=r"^transitions\[3\]: "):
                build([good, good, good, *wrong, good])  # type: ignore[list-item]
    with pytest.raises(KeyError, match="^'mine'$"):
        build({}["mine"] for _ in range(1))
    assert build([[0, "a", 1], (1, "b", 0)]) == build([(0, "a", 1), (1, "b", 0)])
    with pytest.raises(hyades.LimitError):
        build([], states=2**40)
    # A few bytes are no gigabytes by mistake.
    with pytest.raises(ValueError, match=r"^2147483649 states .* 1 transition: .*states=2147483649"):
        build([(2**31, "a", 0)])
    large = 2**24 + 1
    with pytest.raises(ValueError, match=f"states={large}"):
        build([(0, "a", large - 1)])
    with pytest.raises(ValueError, match=f"states={large}"):
        build([], initial=large - 1)
    assert build([(0, "a", large - 1)], states=large).states == large
    assert build([(0, "a", large - 2)]).states == large - 1


def test_equality_copies_and_pickles() -> None:
    for seed in range(100):
        lts = random_lts(seed)
        again = pickle.loads(pickle.dumps(lts))
        assert again == lts == copy.deepcopy(lts)
        assert hash(again) == hash(lts)
        assert list(again) == list(lts) and again.labels == lts.labels
    first = hyades.LTS.from_transitions([(0, "a", 1), (0, "b", 1)])
    assert first != hyades.LTS.from_transitions([(0, "b", 1), (0, "a", 1)])
    assert first != hyades.LTS.from_transitions([(0, "a", 1), (0, "c", 1)])
    assert first != hyades.LTS.from_transitions([(0, "a", 1), (0, "b", 1)], initial=1)
    assert first != hyades.LTS.from_transitions([(0, "a", 1), (0, "b", 1)], states=3)
    assert first != list(first)

    class Equal:
        def __eq__(self, other: object) -> bool:
            return True

    assert first == Equal()
    # The numbers of labels do not matter.
    one = hyades.LTS.from_transitions([(0, "a", 1), (1, "b", 0)])
    other = hyades.LTS.from_transitions([(1, "b", 0), (0, "a", 1)])
    assert one.labels != other.labels and one == other


def test_parts_that_are_no_lts() -> None:
    _, (initial, offsets, labels, targets, texts) = random_lts(3).__reduce__()
    make = hyades.LTS._from_parts  # type: ignore[attr-defined]
    assert make(initial, offsets, labels, targets, texts) == random_lts(3)
    for parts in [
        (99, offsets, labels, targets, texts),
        (initial, b"", b"", b"", []),
        (initial, offsets[:-1], labels, targets, texts),
        (initial, offsets, labels[4:], targets, texts),
        (initial, offsets, labels, b"\xff" * len(targets), texts),
        (initial, offsets, b"\xff" * len(labels), targets, texts),
        (initial, offsets[::-1], labels, targets, texts),
        (initial, offsets, labels, targets, texts + [b"a", b"a"]),
    ]:
        with pytest.raises(ValueError, match="not the parts"):
            make(*parts)


def test_bytes_that_are_no_utf8_come_back(tmp_path: pathlib.Path) -> None:
    lts = hyades.LTS.from_transitions([(0, b"\xff\xfe", 1)])
    [(_, label, _)] = lts
    assert os.fsencode(label) == b"\xff\xfe"
    assert hyades.LTS.from_transitions(lts, states=2) == lts
    assert hyades.read(lts.to_bytes("bcg")) == lts


@pytest.mark.filterwarnings("ignore::hyades.FormatWarning")
@pytest.mark.parametrize("format", ["aut", "bcg", "lts", "tsv", "jsonl", "dot", "fsm"])
def test_round_trips_through_formats(format: str, tmp_path: pathlib.Path) -> None:
    for seed in range(60):
        lts = random_lts(seed)
        text = lts.to_bytes(format)
        read = hyades.read(text, format)
        # Some number states by reachability, or do not know of those without transitions.
        assert sorted(l for _, l, _ in read) == sorted(l for _, l, _ in lts), (format, seed)
        assert hyades.equiv(read, lts, "isomorphism"), (format, seed)
        for ending in ("", ".gz", ".zst", ".xz", ".bz2") if seed % 20 == 0 else ():
            path = tmp_path / f"file.{format}{ending}"
            lts.save(path)
            assert hyades.read(path) == read
            assert hyades.read(path.read_bytes(), format) == read


def test_sources_of_all_kinds(early: hyades.LTS, testdata: pathlib.Path) -> None:
    path = testdata / "early.aut"
    text = path.read_bytes()
    for source in (str(path), path, text, bytearray(text), memoryview(text), io.BytesIO(text)):
        assert hyades.read(source) == early
    with open(path, "rb") as file:
        assert hyades.read(file) == early
    with open(path) as file:
        assert hyades.read(file) == early  # type: ignore[arg-type]
    for wrong in (7, None, ["early.aut"]):
        with pytest.raises(TypeError):
            hyades.read(wrong)  # type: ignore[arg-type]


def test_options_of_reading() -> None:
    text = b'des (0, 2, 2)\n(0, "tau", 1)\n(1, "i", 0)\n'
    assert hyades.read(text).hidden == "i"
    with pytest.warns(hyades.FormatWarning, match="tau"):
        hyades.read(b'des (0, 1, 1)\n(0, "tau", 0)\n')
    assert hyades.read(text, dialect="mcrl2").hidden == "tau"
    assert list(hyades.read(text, hidden=["tau", "i"])) == [(0, "i", 1), (1, "i", 0)]
    with pytest.raises(ValueError, match="hidden: .* found an empty list"):
        hyades.read(text, hidden=())
    short = b"des (0, 2, 2)\n(0, a, 1)\n"
    with pytest.raises(hyades.ParseError):
        hyades.read(short)
    with pytest.warns(hyades.FormatWarning):
        assert len(hyades.read(short, mode="lenient")) == 1
    machine = b'des (0, 2, 2)\n(0, "a / x", 1)\n(1, "a/y", 0)\n'
    assert [label for _, label, _ in hyades.read(machine, mealy=True)] == ["a/x", "a/y"]
    with pytest.raises(hyades.ParseError, match="separator"):
        hyades.read(text, mealy=True)
    for options in ({"format": "nope"}, {"dialect": "nope"}, {"mode": "nope"}):
        with pytest.raises(ValueError, match="nope.*expected"):
            hyades.read(text, **options)  # type: ignore[arg-type]


def test_files_are_written_whole_or_not_at_all(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "kept.seq"
    path.write_text("old")
    loop = hyades.LTS.from_transitions([(0, "a", 0)])
    with pytest.raises(hyades.WriteError) as caught:
        loop.save(path)
    assert caught.value.file == str(path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["kept.seq"]
    hyades.write(loop, tmp_path / "some.name", format="aut")
    assert (tmp_path / "some.name").read_bytes() == loop.to_bytes("aut")
    buffer = io.BytesIO()
    hyades.write(loop, buffer)
    assert buffer.getvalue() == loop.to_bytes()
    for name in ("none/a.aut", "."):
        with pytest.raises((OSError, ValueError)):
            loop.save(tmp_path / name)
    with pytest.raises(ValueError, match="no format"):
        loop.save(tmp_path / "a.nope")
    unsorted = hyades.LTS.from_transitions([(0, "b", 0), (0, "a", 0), (0, "a", 0)])
    canonical = hyades.read(unsorted.to_bytes(canonical=True))
    assert list(canonical) == [(0, "a", 0), (0, "b", 0)]


def test_relabelling() -> None:
    lts = hyades.LTS.from_transitions(
        [(0, "PUSH !1", 1), (1, "PUSH !2", 2), (2, "POP", 0), (2, "i", 2)]
    )
    assert [l for _, l, _ in lts.hide("POP")] == ["PUSH !1", "PUSH !2", "i", "i"]
    assert [l for _, l, _ in lts.hide("PUSH", match="gate")] == ["i", "i", "POP", "i"]
    assert [l for _, l, _ in lts.hide("PUSH", match="gate", others=True)] == [
        "PUSH !1",
        "PUSH !2",
        "i",
        "i",
    ]
    assert [l for _, l, _ in lts.cut("PUSH.*")] == ["POP", "i"]
    assert [l for _, l, _ in lts.rename({r"PUSH !\(.*\)": r"\1 in"})] == [
        "1 in",
        "2 in",
        "POP",
        "i",
    ]
    assert [l for _, l, _ in lts.rename({"PUSH": "PUT"}, match="gate")][:2] == ["PUT !1", "PUT !2"]
    assert lts.states == lts.hide(".*").states
    with pytest.raises(ValueError):
        lts.hide("[")
    with pytest.raises(ValueError, match="total, gate, partial"):
        lts.hide("a", match="single")


def test_the_known_samples_in_bcg(testdata: pathlib.Path) -> None:
    names = sorted((testdata / "bcg").glob("*.bcg"))
    assert len(names) == 21
    for name in names:
        assert hyades.equiv(name, name.with_suffix(".aut"), "isomorphism"), name


def test_hashes_tell_systems_apart() -> None:
    """Equal systems have the same one, whatever the numbers of labels; others seldom."""
    systems = [random_lts(seed) for seed in range(300)]
    one = hyades.LTS.from_transitions([(0, "a", 1), (1, "b", 0)])
    assert hash(one) == hash(hyades.LTS.from_transitions([(1, "b", 0), (0, "a", 1)]))
    # Loops alone, of the same sizes.
    systems += [hyades.LTS.from_transitions([(0, f"a{k}", 0)]) for k in range(300)]
    different: list[hyades.LTS] = []
    for lts in systems:
        if lts not in different:
            different.append(lts)
    assert len({hash(lts) for lts in different}) > 0.95 * len(different)


def answers() -> list[object]:
    early, late = random_lts(3), random_lts(4)
    odd = hyades.LTS.from_transitions([(0, b"\xff", 1), (1, "i", 1)])
    reached = [
        hyades.reach(odd, deadlock=True, livelock=True, find=["a", b"\xff"]),
        hyades.reach(odd, space=False),
        hyades.reach(odd, max_states=1),
    ]
    return [
        *hyades.spectrum(early, late).values(),
        hyades.check('["\udcff"] false', odd),
        *reached,
        reached[0].find[1],
        hyades.minimize(odd, classes=True),
        hyades.minimize(odd, classes=True).classes,
        hyades.suite(hyades.LTS.from_transitions([(0, "a/x", 0)])),
    ]


def shown(answer: object) -> object:
    """All that there is to see of an answer."""
    if isinstance(answer, (hyades.Verdict, hyades.Reached)):
        names = [name for name in dir(answer) if name[0] != "_"]
        if isinstance(answer, hyades.Reached) and "limit" in repr(answer) + str(answer.states):
            names.remove("lts")
        return repr(answer), [shown(getattr(answer, n)) for n in names if not is_absent(answer, n)]
    if isinstance(answer, (list, tuple)) or type(answer).__name__ == "Suite":
        return [shown(part) for part in answer]  # type: ignore[attr-defined]
    return answer


def is_absent(answer: object, name: str) -> bool:
    try:
        getattr(answer, name)
    except (ValueError, hyades.LimitError):
        return True
    return False


def test_answers_can_be_copied_and_pickled() -> None:
    for answer in answers():
        for made in (
            pickle.loads(pickle.dumps(answer)),
            copy.copy(answer),
            copy.deepcopy(answer),
        ):
            assert type(made) is type(answer) and shown(made) == shown(answer)


def test_files_that_are_open_have_names(tmp_path: pathlib.Path, testdata: pathlib.Path) -> None:
    (tmp_path / "tea.aut").write_text("des (0, 2, 2)\n(0, COIN, 1)\n(1, TEA, 0)\n")
    net = tmp_path / "net.exp"
    net.write_text('"tea.aut" ||| "tea.aut"\n')
    table = tmp_path / "a.tsv"
    hyades.LTS.from_transitions([(0, "a", 1)]).save(table)
    packed = tmp_path / "b.tsv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    for path in (net, table, packed):
        with open(path, "rb") as file:
            assert hyades.read(file) == hyades.read(path), path
    with open(net, "rb") as file:
        assert hyades.read(file, format="exp").states == 4
    with open(net, "rb") as file:
        assert hyades.reach(file).states == 4
    with gzip.open(packed) as unpacked:
        assert hyades.read(unpacked) == hyades.read(table)
    with open(testdata / "channels" / "x25_v1.toml", "rb") as file:
        with pytest.raises(ValueError, match="read from a file: give its name"):
            hyades.reach(file)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files that are any bytes")
def test_names_of_files_come_back(tmp_path: pathlib.Path) -> None:
    loop = hyades.LTS.from_transitions([(0, "a", 0)])
    for name in ("none.aut", "\u00e9 \\ b.aut", "a\nb.aut", "caf\udce9.aut", "none.mcl"):
        path = str(tmp_path / name)
        for call in (
            lambda: hyades.read(path),
            lambda: hyades.minimize(path),
            lambda: hyades.reach(path),
            lambda: hyades.check(path, loop) if name.endswith("mcl") else hyades.read(path),
            lambda: loop.save(f"{path}/x.aut"),
        ):
            with pytest.raises(OSError) as caught:
                call()
            assert caught.value.filename in (path, f"{path}/x.aut")
        with pytest.raises(FileNotFoundError):
            hyades.reach(path + ".so")
    for call in (lambda: hyades.read("a\0b"), lambda: loop.save("a\0b.aut")):
        with pytest.raises(ValueError, match="embedded null byte"):
            call()


def test_moore_machines_are_read(testdata: pathlib.Path) -> None:
    path = testdata / "mealy" / "traffic_light.dot"
    light = hyades.read(path, moore=True)
    assert light.successors(0) == [("/red", 1)]
    assert sorted(light.successors(1)) == [("reset/red", 1), ("tick/green", 2)]
    assert list(hyades.suite(light)) == list(hyades.suite(path))
    with pytest.raises(hyades.ParseError, match=r"a Moore machine with hyades\.read\(…, moore=True\)"):
        hyades.minimize(path)
    assert hyades.minimize(hyades.read(path, moore=True)).states == 4
    with pytest.raises(ValueError, match="mealy and moore"):
        hyades.read(path, mealy=True, moore=True)
    with pytest.raises(hyades.ParseError, match="moore"):
        hyades.read(b'des (0, 1, 1)\n(0, "a/x", 0)\n', moore=True)


def test_patterns_may_be_bytes() -> None:
    lts = hyades.LTS.from_transitions([(0, b"\xffa", 1)])
    assert list(lts.rename({b"\xff\\(.*\\)": rb"\1"})) == [(0, "a", 1)]
