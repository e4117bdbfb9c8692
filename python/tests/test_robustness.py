"""Errors with places, threads, interruptions, hostile inputs."""

from __future__ import annotations

import concurrent.futures
import gzip
import pathlib
import random
import signal
import subprocess
import sys
import threading
import warnings

import pytest

import hyades
from systems import random_lts


def test_errors_tell_their_places(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "wrong.aut"
    path.write_text("des (0, 1, 2)\n(0, GO, x)\n")
    with pytest.raises(hyades.ParseError) as caught:
        hyades.read(path)
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.file, error.line, error.column, error.code) == (str(path), 2, 9, "aut-syntax")
    assert f"{path}:2:9: error: " in str(error)
    with pytest.raises(FileNotFoundError) as missing:
        hyades.read(tmp_path / "none.aut")
    assert missing.value.filename == str(tmp_path / "none.aut")
    # A directory is a partitioned LTS, or nothing.
    with pytest.raises(hyades.ParseError, match="manifest.json"):
        hyades.read(tmp_path)
    with pytest.raises(hyades.ParseError) as caught:
        hyades.read(b"nothing of the kind")
    assert caught.value.code == "aut-no-header"
    unknown = tmp_path / "some.thing"
    unknown.write_text("?")
    with pytest.raises(hyades.ParseError) as caught:
        hyades.read(unknown)
    assert caught.value.line is None and caught.value.code == "format"


@pytest.mark.parametrize(
    "made",
    [
        "hyades.LTS.from_transitions([(0, 'a', 2**31)])",
        "hyades.LTS.from_arrow(table(2**31))",
        "hyades.LTS.from_arrow(table(1), states=2**31 + 1)",
        "hyades.LTS.from_arrow(table(1), initial=2**31)",
    ],
)
def test_states_without_room_are_an_error(made: str) -> None:
    if "table" in made:
        pytest.importorskip("pyarrow")
    text = (
        "import resource, hyades\n"
        "def table(state):\n"
        "    import pyarrow\n"
        "    return pyarrow.table({'src': [0], 'label': ['a'], 'dst': [state]})\n"
        "resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))\n"
        "try:\n"
        f"    {made}\n"
        "except MemoryError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert run.stdout == "there is not enough memory for 2147483649 states\n", run.stderr


def test_a_component_that_is_wrong(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.aut").write_text("des (0, 1, 1)\n(0, x)\n")
    (tmp_path / "net.exp").write_text('"a.aut" || "a.aut"\n')
    for read in (hyades.read, hyades.reach):
        with pytest.raises(hyades.ParseError) as caught:
            read(tmp_path / "net.exp")
        assert pathlib.Path(caught.value.file).name == "a.aut" and caught.value.line == 2


def test_components_of_systems_that_are_wrong(tmp_path: pathlib.Path) -> None:
    system = tmp_path / "s.toml"
    channel = '[[channel]]\nname = "c"\nfrom = "P"\nmessages = ["x"]\n'
    head = 'format = "csm-system-1"\n[[component]]\nname = "P"\n'
    behaviour = 'des (0, 2, 2)\n(0, "-x", 1)\n(1, "-x  +y", 0)\n'
    system.write_text(f"{head}aut = '''\n{behaviour}'''\n{channel}")
    with pytest.raises(hyades.ParseError) as caught:
        hyades.reach(system)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(system), 7, 10)
    system.write_text(f'{head}file = "p.aut.gz"\n{channel}')
    component = tmp_path / "p.aut.gz"
    component.write_bytes(gzip.compress(behaviour.encode()))
    with pytest.raises(hyades.ParseError) as caught:
        hyades.reach(system)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(component), 3, 10)
    component.unlink()
    with pytest.raises(FileNotFoundError):
        hyades.reach(system)


def test_hostile_inputs_never_end_the_process(testdata: pathlib.Path) -> None:
    draw = random.Random(7)
    samples = [
        testdata / "early.aut",
        testdata / "bcg" / "abp.bcg",
        testdata / "mcrl2" / "mini.lts",
        testdata / "mealy" / "angluin.dot",
        testdata / "counter.fsm",
    ]
    for path in samples:
        whole = path.read_bytes()
        for _ in range(60):
            text = bytearray(whole)
            for _ in range(draw.randint(1, 4)):
                place = draw.randrange(len(text))
                if draw.random() < 0.3:
                    del text[place:]
                    break
                text[place] = draw.randrange(256)
            if not text:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    lts = hyades.read(bytes(text), path.suffix[1:])
                    hyades.minimize(lts)
                except (ValueError, OSError, hyades.LimitError, MemoryError):
                    pass
    with pytest.raises((hyades.ParseError, hyades.LimitError)):
        hyades.read(b"des (0, 0, 99999999999999999999)\n")
    for bomb in (b"\x1f\x8b", b"\x28\xb5\x2f\xfd\x00", b"BZh9"):
        with pytest.raises((ValueError, OSError)):
            hyades.read(bomb)


def test_threads_share_what_does_not_change() -> None:
    systems = [random_lts(seed) for seed in range(40)]
    alone = [(hyades.minimize(lts), list(lts)) for lts in systems]

    def again(lts: hyades.LTS) -> tuple[hyades.LTS, list[tuple[int, str, int]]]:
        return hyades.minimize(lts), list(lts)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(again, systems)) == alone


def grid(size: int) -> hyades.LTS:
    """Many rounds of refinement: a long chain with a difference at its end."""
    return hyades.LTS.from_transitions((k, "a", k + 1) for k in range(size))


def test_other_threads_go_on_meanwhile() -> None:
    lts = grid(200_000)
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    other = threading.Thread(target=tick)
    other.start()
    try:
        hyades.minimize(lts, "weak")
    finally:
        done.set()
        other.join()
    assert ticks > 0


INTERRUPTED = """
import os, signal, threading, time, sys, hyades
def interrupt():
    print("ready", flush=True)
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
else:
    print("finished")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "call", ["reach({}, deadlock=True)", "read({})", "equiv({0}, {0}, 'trace')", "minimize({})"]
)
def test_an_interruption_ends_the_work(tmp_path: pathlib.Path, call: str) -> None:
    # 30 machines of ten states side by side: more states than there is room for.
    ring = ["des (0, 10, 10)"] + [f"({k}, A{k}, {(k + 1) % 10})" for k in range(10)]
    (tmp_path / "ring.aut").write_text("\n".join(ring) + "\n")
    net = tmp_path / "net.exp"
    net.write_text(" ||| ".join(['"ring.aut"'] * 30) + "\n")
    code = INTERRUPTED.format(call="hyades." + call.format(repr(str(net))))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["ready", "interrupted"], run.stderr
    assert run.returncode in (0, -signal.SIGINT)


def test_warnings_can_be_errors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(hyades.FormatWarning):
            hyades.read(b'des (0, 1, 1)\n(0, "tau", 0)\n')


def test_warnings_are_of_the_caller() -> None:
    doubtful = b'des (0, 1, 1)\n(0, "tau", 0)\n'
    clean = hyades.read(b"des (0, 1, 1)\n(0, a, 0)\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        calls = [
            lambda: hyades.read(doubtful),
            lambda: hyades.minimize(doubtful),
            lambda: hyades.equiv(doubtful, clean),
            lambda: hyades.spectrum(doubtful, clean),
            lambda: hyades.check('["NONE"] false', clean),
            lambda: hyades.check_all('["NONE"] false', clean),
            lambda: hyades.reach(doubtful),
        ]
        for call in calls:
            call()
    assert [one.category for one in caught] == [hyades.FormatWarning] * len(calls)
    assert {one.filename for one in caught} == {__file__}
