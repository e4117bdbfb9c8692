"""Test suites, and the oracle for AALpy."""

from __future__ import annotations

import itertools
import pathlib
from typing import Any

import pytest

import hyades

MACHINES = ["angluin.dot", "ble_nrf52832.dot", "ble_cyw43455.dot", "cycle.aut", "traffic_light.dot"]


def step(lts: hyades.LTS, state: int, given: str) -> tuple[str, int]:
    for label, target in lts.successors(state):
        first, _, output = label.partition("/")
        if first.strip() == given:
            return output.strip(), target
    raise AssertionError(f"no input {given} in {state}")


def run(lts: hyades.LTS, inputs: list[str]) -> list[str]:
    state, outputs = lts.initial, []
    for given in inputs:
        output, state = step(lts, state, given)
        outputs.append(output)
    return outputs


LIGHT = hyades.LTS.from_transitions([(0, "press/on", 1), (1, "press/off", 0)])


def test_a_suite_says_what_is_answered() -> None:
    suite = hyades.suite(LIGHT)
    assert len(suite) >= 1 and "complete" in suite.claim
    for test in suite:
        assert run(LIGHT, test.inputs) == test.outputs
    assert suite[0].inputs == suite[:1][0].inputs
    assert len(hyades.suite(LIGHT, extra=2)[0].inputs) > len(suite[0].inputs)
    short = hyades.suite(LIGHT, "random", tests=5, seed=1, max_tests=2)
    assert len(short) == 2 and "complete" not in short.claim
    machine = hyades.LTS.from_transitions(
        [(0, "a/x", 1), (0, "b/x", 0), (1, "a/y", 0), (1, "b/x", 1)]
    )
    part = hyades.suite(machine, extra=1, max_tests=3)
    assert len(part) == 3 < len(hyades.suite(machine, extra=1))
    assert "complete" not in part.claim


@pytest.mark.parametrize("method", ["w", "wp", "hsi", "hsi-st", "h", "spy", "spyh"])
def test_suites_find_every_machine_of_as_many_states(method: str) -> None:
    """All machines of two states, two inputs and two outputs."""
    machine = hyades.LTS.from_transitions(
        [(0, "a/x", 1), (0, "b/x", 0), (1, "a/y", 0), (1, "b/x", 1)]
    )
    tests = hyades.suite(machine, method)
    places = list(itertools.product("01", "ab"))
    survivors = 0
    for moves in itertools.product(itertools.product("xy", (0, 1)), repeat=4):
        other = hyades.LTS.from_transitions(
            [(int(s), f"{i}/{o}", t) for (s, i), (o, t) in zip(places, moves)], states=2
        )
        passes = all(run(other, test.inputs) == test.outputs for test in tests)
        survivors += passes
        assert passes == bool(hyades.equiv(machine, other)), moves
    assert survivors >= 1


def moore(outputs: str, moves: dict[tuple[int, str], int]) -> hyades.LTS:
    """A Moore machine that starts in its state 0."""
    each = [(s + 1, f"{given}/{outputs[t]}", t + 1) for (s, given), t in moves.items()]
    return hyades.LTS.from_transitions([(0, f"/{outputs[0]}", 1), *each], hidden=())


LAST = b"""digraph {
s0 [label="s0|0"]; s1 [label="s1|1"];
{s0 s1} -> s0 [label=a]; {s0 s1} -> s1 [label=b];
__start0 -> s0
}"""


@pytest.mark.parametrize("method", ["w", "wp", "hsi", "hsi-st", "h", "spy", "spyh"])
def test_suites_of_moore_machines_count_their_states(method: str) -> None:
    """The smallest Mealy machine has one state, but the Moore machine two."""
    places = [(s, given) for s in range(3) for given in "ab"]
    last = moore("01", {(0, "a"): 0, (0, "b"): 1, (1, "a"): 0, (1, "b"): 1})
    of_lts, of_file = (hyades.suite(machine, method, extra=1) for machine in (last, LAST))
    assert list(of_lts) == list(of_file)
    for suite in (of_lts, of_file):
        assert suite.initial_output == "0"
        assert suite.claim == (
            "complete for implementations of at most 2 states, and for Moore machines of at "
            "most 3 with the same initial output"
        )
    survivors = 0
    for more in itertools.product("01", repeat=2):
        for targets in itertools.product(range(3), repeat=6):
            other = moore("".join(["0", *more]), dict(zip(places, targets)))
            _, start = other.successors(0)[0]
            answers = hyades.LTS.from_transitions(list(other), initial=start, hidden=())
            passes = all(run(answers, test.inputs) == test.outputs for test in of_lts)
            if passes:
                survivors += 1
                assert hyades.equiv(last, other), (more, targets)
    assert survivors >= 1


def test_mealy_machines_have_no_initial_output() -> None:
    assert hyades.suite(LIGHT).initial_output is None


def test_what_has_no_suite(early: hyades.LTS) -> None:
    with pytest.raises(ValueError, match="w, wp"):
        hyades.suite(LIGHT, "nope")
    with pytest.raises(ValueError, match="label"):
        hyades.suite(early)
    both = hyades.LTS.from_transitions([(0, "a/x", 0), (0, "a/y", 0)])
    with pytest.raises(ValueError, match="deterministic"):
        hyades.suite(both)
    partial = hyades.LTS.from_transitions([(0, "a/x", 1), (1, "b/x", 0)])
    why = "state 0 has no transition for input `b`: .* a method that needs none .*hsi"
    with pytest.raises(ValueError, match=why):
        hyades.suite(partial, "w")
    with pytest.raises(ValueError, match="extra"):
        hyades.suite(LIGHT, extra=100_000)


def test_machines_of_others(testdata: pathlib.Path) -> None:
    for name in MACHINES:
        suite = hyades.suite(testdata / "mealy" / name, "hsi-st")
        assert len(suite) >= 1 and all(len(t.inputs) == len(t.outputs) for t in suite)


def test_learning_with_the_oracle(testdata: pathlib.Path) -> None:
    aalpy = pytest.importorskip("aalpy")
    from hyades.aalpy import LtsSUL, SuiteOracle, to_lts

    for name in ("angluin.dot", "ble_nrf52832.dot", "ble_cyw43455.dot"):
        machine = hyades.read(testdata / "mealy" / name)
        sul = LtsSUL(machine)
        for method, extra in (("hsi-st", 1), ("w", 1), ("spyh", 1)):
            oracle = SuiteOracle(sul.alphabet, sul, method=method, extra=extra)
            assert isinstance(oracle, aalpy.base.Oracle)
            learned = aalpy.run_Lstar(
                sul.alphabet, sul, oracle, automaton_type="mealy", print_level=0
            )
            result = to_lts(learned)
            assert hyades.equiv(result, machine, "strong"), (name, method)
            assert oracle.num_queries > 0 and oracle.num_steps > 0


@pytest.mark.parametrize("kind", ["mealy", "moore", "dfa"])
def test_the_oracle_finds_every_difference(kind: str) -> None:
    aalpy = pytest.importorskip("aalpy")
    from aalpy.utils import (
        generate_random_deterministic_automata,
    )

    from hyades.aalpy import SuiteOracle

    for seed in range(8):
        import random

        random.seed(seed)
        options = {"num_states": 5, "input_alphabet_size": 3}
        if kind == "dfa":
            options["num_accepting_states"] = 2
        else:
            options["output_alphabet_size"] = 2
        system = generate_random_deterministic_automata(kind, **options)
        sul = aalpy.SULs.AutomatonSUL(system)
        alphabet = system.get_input_alphabet()
        oracle = SuiteOracle(alphabet, sul, extra=5)
        learned = aalpy.run_Lstar(alphabet, sul, oracle, automaton_type=kind, print_level=0)
        from aalpy.utils.ModelChecking import bisimilar

        assert bisimilar(learned, system), (kind, seed)


def model(kind: str, outputs: list[bool], moves: dict[tuple[int, str], int]) -> Any:
    """A Moore machine or a DFA of AALpy that starts in its state 0."""
    from aalpy.automata import Dfa, DfaState, MooreMachine, MooreState

    of_state = DfaState if kind == "dfa" else MooreState
    states = [of_state(f"s{k}", output) for k, output in enumerate(outputs)]
    for (s, given), t in moves.items():
        states[s].transitions[given] = states[t]
    return (Dfa if kind == "dfa" else MooreMachine)(states[0], states)


HALF = {(0, "a"): 0, (0, "b"): 1, (1, "a"): 0, (1, "b"): 1}


@pytest.mark.parametrize("kind", ["moore", "dfa"])
@pytest.mark.parametrize("method", ["hsi-st", "h", "spyh", "w"])
def test_the_oracle_counts_the_states_of_moore_machines(kind: str, method: str) -> None:
    aalpy = pytest.importorskip("aalpy")
    from hyades.aalpy import SuiteOracle, to_lts

    hypothesis = model(kind, [False, True], HALF)
    found = 0
    for targets in itertools.product(range(3), repeat=6):
        moves = dict(zip([(s, given) for s in range(3) for given in "ab"], targets))
        system = model(kind, [False, True, False], moves)
        oracle = SuiteOracle(["a", "b"], aalpy.SULs.AutomatonSUL(system), method, extra=1)
        word = oracle.find_cex(hypothesis)
        assert (word is None) == bool(hyades.equiv(to_lts(hypothesis), to_lts(system))), targets
        if word is not None:
            found += 1
            system.reset_to_initial()
            hypothesis.reset_to_initial()
            assert [system.step(i) for i in word] != [hypothesis.step(i) for i in word]
    assert found > 0


@pytest.mark.parametrize("kind", ["moore", "dfa"])
def test_initial_outputs_are_seen(kind: str) -> None:
    aalpy = pytest.importorskip("aalpy")
    from hyades.aalpy import LtsSUL, SuiteOracle, to_lts

    moves = {(0, "a"): 1, (1, "a"): 1}
    first, second = model(kind, [True, True], moves), model(kind, [False, True], moves)
    assert list(to_lts(second)) == [(0, "/False", 1), (1, "a/True", 2), (2, "a/True", 2)]
    assert not hyades.equiv(to_lts(first), to_lts(second))
    assert SuiteOracle(["a"], aalpy.SULs.AutomatonSUL(first)).find_cex(second) == ()
    assert SuiteOracle(["a"], aalpy.SULs.AutomatonSUL(first)).find_cex(first) is None
    system = LtsSUL(to_lts(model(kind, [False, True], HALF)))
    assert system.alphabet == ["a", "b"] and system.query(()) == ["False"]
    assert system.query(("b", "c", None)) == ["True", "", "True"]
    oracle = SuiteOracle(system.alphabet, system)
    learned = aalpy.run_Lstar(
        system.alphabet, system, oracle, automaton_type="moore", print_level=0
    )
    assert list(to_lts(learned)) == list(to_lts(model(kind, [False, True], HALF)))


def test_each_test_of_the_oracle_is_ended() -> None:
    aalpy = pytest.importorskip("aalpy")
    from hyades.aalpy import SuiteOracle

    class Counting(aalpy.SULs.AutomatonSUL):
        begun = ended = 0

        def pre(self) -> None:
            super().pre()
            self.begun += 1

        def post(self) -> None:
            super().post()
            self.ended += 1

    sul = Counting(model("moore", [False, True], HALF))
    assert SuiteOracle(["a", "b"], sul).find_cex(model("moore", [False, True], HALF)) is None
    assert sul.begun == sul.ended > 1


def test_tests_share_the_texts_of_symbols(testdata: pathlib.Path) -> None:
    suite = hyades.suite(testdata / "mealy" / "ble_nrf52832.dot", extra=1)
    for words in ([t.inputs for t in suite], [t.outputs for t in suite]):
        symbols = [symbol for word in words for symbol in word]
        assert len({id(symbol) for symbol in symbols}) == len(set(symbols)) < len(symbols)


def mealy(moves: dict[tuple[int, Any], tuple[Any, int]]) -> Any:
    """A Mealy machine of AALpy that starts in its state 0."""
    from aalpy.automata import MealyMachine, MealyState

    states = [MealyState(f"s{k}") for k in range(1 + max(s for s, _ in moves))]
    for (s, given), (output, t) in moves.items():
        states[s].transitions[given] = states[t]
        states[s].output_fun[given] = output
    return MealyMachine(states[0], states)


def test_machines_that_labels_cannot_tell() -> None:
    pytest.importorskip("aalpy")
    from hyades.aalpy import to_lts

    assert list(to_lts(mealy({(0, "a"): ("b/c", 0)}))) == [(0, "a/b/c", 0)]
    for moves, why in [
        ({(0, "a/b"): ("c", 0)}, "input 'a/b': expected a text without `/`"),
        ({(0, "a "): ("c", 0)}, "input 'a ': expected"),
        ({(0, ""): ("c", 0)}, "input '': expected"),
        ({(0, 1): ("x", 0), (0, "1"): ("y", 0)}, "two inputs read '1': 1 and '1'"),
        ({(0, "a"): (1, 0), (0, "b"): ("1", 0)}, "two outputs read '1': 1 and '1'"),
    ]:
        with pytest.raises(ValueError, match=why):
            to_lts(mealy(moves))
    with pytest.raises(ValueError, match="two outputs"):
        to_lts(model("moore", [1, "1"], HALF))  # type: ignore[list-item]


def test_systems_under_learning_are_machines(testdata: pathlib.Path) -> None:
    pytest.importorskip("aalpy")
    from hyades.aalpy import LtsSUL

    for each, found in [([(0, "a", 0)], "label 'a'"), ([(0, "i", 0)], "the hidden action")]:
        with pytest.raises(ValueError, match=f"state 0: expected `input/output`, found {found}"):
            LtsSUL(hyades.LTS.from_transitions(each))
    system = LtsSUL(testdata / "mealy" / "traffic_light.dot", moore=True)
    assert system.alphabet == ["reset", "tick"]
    with pytest.raises(ValueError, match="moore are for files"):
        LtsSUL(LIGHT, moore=True)
    assert system.query((None,)) == ["red"] and system.query(("tick", "tick"))[-1] == "yellow"
