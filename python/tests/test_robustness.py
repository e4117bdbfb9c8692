"""Errors with places, threads, interruptions, hostile inputs."""

from __future__ import annotations

import concurrent.futures
import gzip
import multiprocessing
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable

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
        "hyades.LTS.from_transitions([(0, 'a', 2**31)], states=2**31 + 1)",
        "hyades.LTS.from_arrow(table(2**31), states=2**31 + 1)",
        "hyades.LTS.from_arrow(table(1), states=2**31 + 1)",
        "hyades.LTS.from_arrow(table(1), initial=2**31, states=2**31 + 1)",
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


def test_far_more_states_than_transitions_have_to_be_meant() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    large = 2**24 + 1
    table = pyarrow.table({"src": [0], "label": ["a"], "dst": [large - 1]})
    with pytest.raises(ValueError, match=f"1 transition: .* states={large} "):
        hyades.LTS.from_arrow(table)
    assert hyades.LTS.from_arrow(table, states=large).states == large


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


def test_other_threads_go_on_while_formulas_are_prepared() -> None:
    lts = hyades.LTS.from_transitions((k, f"a({k})", k + 1) for k in range(20_000))
    # It is decided at once, after its patterns are looked for among all labels.
    formula = "true or " + " or ".join(f"<'x{k}.*'>true" for k in range(60))
    ticks = [time.perf_counter()]
    done = threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    other = threading.Thread(target=tick)
    other.start()
    try:
        with pytest.warns(hyades.FormatWarning):
            hyades.check(formula, lts)
    finally:
        done.set()
        other.join()
    gaps = [after - before for before, after in zip(ticks, ticks[1:])]
    assert max(gaps) < sum(gaps) / 2


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


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interruption_ends_the_preparation_of_formulas() -> None:
    # Too many patterns for who waits for them.
    labels = "(k, f'a({k})', k + 1) for k in range(50_000)"
    lts = f"lts = hyades.LTS.from_transitions({labels}); interrupt.start()"
    formula = """'true or ' + ' or '.join(f"<'x{k}.*'>true" for k in range(10_000))"""
    call = f"{lts}; hyades.check({formula}, lts)"
    code = INTERRUPTED.replace("threading.Thread", "interrupt = threading.Thread")
    code = code.replace("daemon=True).start()", "daemon=True)").format(call=call)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["ready", "interrupted"], run.stderr


DEEP = """
import sys, threading, warnings, hyades
warnings.simplefilter("ignore")
lts = hyades.LTS.from_transitions([(0, "a", 1)])
chains = [hyades.LTS.from_transitions((k, "a", k + 1) for k in range(n)) for n in (2000, 2001)]
deep = lambda count, text="true": "(" * count + text + ")" * count
calls = [
    lambda: hyades.check("<" + deep(490) + "> true", lts),
    lambda: hyades.check(deep(490), lts),
    lambda: hyades.check(deep(490), lts, syntax="mcf"),
    lambda: hyades.check("val(" + deep(490) + ")", lts, syntax="mcf"),
    lambda: hyades.check("<" + deep(5000) + "> true", lts),
    lambda: hyades.evaluate(deep(50_000), lts),
    lambda: hyades.evaluate(hyades.equiv(*chains, "sim").formula, chains[0]),
    lambda: hyades.read(deep(3000, '"a.aut"').encode(), format="exp"),
    lambda: hyades.reach(lts, find=chr(92).join("(" * 100)),
    lambda: hyades.minimize(chains[0], "weak"),
    lambda: chains[0].to_svg(),
]
def run(call):
    try:
        call()
    except (ValueError, OSError):
        pass
    print("done", flush=True)
for size in (1 << 17, 1 << 18, 1 << 20):
    threading.stack_size(size)
    for call in calls:
        thread = threading.Thread(target=run, args=(call,))
        thread.start()
        thread.join()
print(3 * len(calls))
"""


def test_threads_of_little_stack_have_room_for_deep_texts() -> None:
    run = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True)
    *done, count = run.stdout.split()
    assert run.returncode == 0 and len(done) == int(count) > 30, run.stderr


def shuffled_ring(size: int) -> hyades.LTS:
    """So many states that threads share the work."""
    states = list(range(size))
    random.Random(1).shuffle(states)
    return hyades.LTS.from_transitions(
        (states[k], "a" if k else "b", states[(k + 1) % size]) for k in range(size)
    )


RING = shuffled_ring(20_000)


def of_ring(_: int) -> tuple[str, bool, int]:
    """What takes threads: minimising, an LTS of transitions, columns, a state space."""
    minimal = hyades.minimize(RING)
    same = hyades.LTS.from_transitions(list(RING)) == RING
    assert len(RING.to_numpy().source) == RING.transitions
    return repr(minimal), same, hyades.reach(RING).states


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that are forked")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_processes_have_threads_of_their_own() -> None:
    pytest.importorskip("numpy")
    expected = of_ring(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(of_ring, range(4)).get(timeout=60) == 4 * [expected]


def of_grandchild() -> None:
    if hyades.minimize(RING).states == RING.states:
        child = multiprocessing.get_context("fork").Process(target=of_ring, args=(0,))
        child.start()
        child.join(60)
        sys.exit(child.exitcode)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that are forked")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_processes_can_fork() -> None:
    pytest.importorskip("numpy")
    child = multiprocessing.get_context("fork").Process(target=of_grandchild)
    child.start()
    child.join(60)
    assert child.exitcode == 0


FORKED = """
import os, signal, threading, time, sys, hyades
if os.fork():
    _, status = os.wait()
    sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that are forked")
def test_an_interruption_ends_the_work_of_a_forked_process(tmp_path: pathlib.Path) -> None:
    # More states than there is room for.
    ring = ["des (0, 10, 10)"] + [f"({k}, A{k}, {(k + 1) % 10})" for k in range(10)]
    (tmp_path / "ring.aut").write_text("\n".join(ring) + "\n")
    net = tmp_path / "net.exp"
    net.write_text(" ||| ".join(['"ring.aut"'] * 30) + "\n")
    code = FORKED + INTERRUPTED.format(call=f"hyades.reach({str(net)!r}, deadlock=True)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["ready", "interrupted"], run.stderr


def test_advice_is_of_python(tmp_path: pathlib.Path) -> None:
    tau = hyades.LTS.from_transitions([(0, "i", 1), (1, "tau", 0)], hidden=[])
    with pytest.raises(hyades.WriteError, match=r"name another text with visible_i \["):
        tau.to_bytes("aut")
    assert b"hush" in hyades.LTS.from_transitions([(0, "i", 0)], hidden=[]).to_bytes(
        "aut", visible_i="hush"
    )
    with pytest.raises(hyades.WriteError, match='with dialect="mcrl2"'):
        hyades.LTS.from_transitions([(0, "i", 0)], hidden=[]).to_bytes("aut")
    with pytest.raises(hyades.WriteError, match="`--lossy` of the commands writes"):
        hyades.LTS.from_transitions([(0, b"a\n", 0)]).to_bytes("aut")
    with pytest.raises(hyades.ParseError, match=r'is read with hyades\.read\(…, format="exp"\)'):
        hyades.read(b"par A in B || C end par\n", format="aut")
    unknown = tmp_path / "some.thing"
    unknown.write_text("?")
    with pytest.raises(hyades.ParseError, match=r"name it with hyades\.read\(…, format=…\) \(aut, "):
        hyades.read(unknown)
    with pytest.warns(hyades.FormatWarning, match=r'to hide it, use hyades\.read\(…, hidden="tau"\)'):
        hyades.read(b'des (0, 1, 1)\n(0, "tau", 0)\n')
    with pytest.raises(hyades.WriteError, match=r"a directory: give save\(\) its name"):
        tau.to_bytes("plts")
    if "columns" not in hyades._native.features:
        with pytest.raises(hyades.WriteError, match="`pip install ./python` makes one"):
            tau.to_bytes("parquet")
    with pytest.raises(hyades.ParseError, match=r'use hyades\.read\(…, mode="lenient"\)'):
        hyades.minimize(b"des (0, 2, 2)\n(0, a, 1)\n")
    with pytest.raises(ValueError, match=r"perhaps `strong`; hyades\.relations\(\) lists all"):
        hyades.equiv(tau, tau, "Strong")
    system = tmp_path / "x.toml"
    system.write_text('format = "csm-system-1"\n')
    with pytest.raises(ValueError, match=r"no LTS: hyades\.reach\(…\)\.lts is its state space"):
        hyades.minimize(system)
    with pytest.raises(ValueError, match=r"give its name, which ends in \.toml"):
        hyades.reach(system.read_bytes())
    library = tmp_path / "x.so"
    library.write_bytes(b"\x7fELF")
    with pytest.raises(ValueError, match=r"the name ends in \.so, as that runs their code"):
        hyades.read(library)
    # What stands in a file is no advice.
    with pytest.raises(hyades.ParseError, match="found `--from exp`"):
        hyades.read(b"--from exp\n")


NUMBERS: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: hyades.LTS.from_transitions([(-1, "a", 0)]), ValueError, "source: .* found -1"),
    (lambda: hyades.LTS.from_transitions([(0, "a", 2**64)]), ValueError, "target: .* from 0 to"),
    (lambda: hyades.LTS.from_transitions([], initial=-1), ValueError, "initial: .* found -1"),
    (lambda: hyades.LTS.from_transitions([], initial=2**32), ValueError, "found 4294967296"),
    (lambda: hyades.LTS.from_transitions([], states=-1), ValueError, "states: .* found -1"),
    (lambda: RING.successors(-1), IndexError, "no state -1: there are 20000"),
    (lambda: hyades.reach(RING, max_states=-1), ValueError, "max_states: .* found -1"),
    (lambda: hyades.refine(RING, RING, max_memory=-7), ValueError, "max_memory: .* found -7"),
    (lambda: hyades.check("<'a'>true", RING, max_instances=-1), ValueError, "max_instances: "),
    (lambda: hyades.equiv(RING, RING, max_pairs=10**5000), ValueError, "max_pairs: .* a longer"),
]


@pytest.mark.parametrize("call, kind, message", NUMBERS)
def test_numbers_that_do_not_fit(
    call: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        call()


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
