"""Test suites, and the oracle for AALpy."""

from __future__ import annotations

import itertools
import pathlib

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


def test_what_has_no_suite(early: hyades.LTS) -> None:
    with pytest.raises(ValueError, match="w, wp"):
        hyades.suite(LIGHT, "nope")
    with pytest.raises(ValueError, match="label"):
        hyades.suite(early)
    both = hyades.LTS.from_transitions([(0, "a/x", 0), (0, "a/y", 0)])
    with pytest.raises(ValueError, match="deterministic"):
        hyades.suite(both)
    partial = hyades.LTS.from_transitions([(0, "a/x", 1), (1, "b/x", 0)])
    with pytest.raises(ValueError, match="complete|transition"):
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
