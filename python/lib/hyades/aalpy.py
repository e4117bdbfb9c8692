"""For AALpy: an equivalence oracle made of test suites, and systems under learning.

AALpy is imported here, and nowhere else in the package.
"""

from __future__ import annotations

from typing import Any, Iterable, Sequence, Union

from aalpy.base import SUL, Oracle

from . import LTS, Source, read, suite

__all__ = ["LtsSUL", "SuiteOracle", "to_lts"]


def _moves(model: Any, alphabet: Sequence[Any]) -> Iterable[tuple[int, int, Any, int]]:
    """Transitions of a deterministic model of AALpy: state, input, output, state, where
    states and inputs are numbers. A Moore machine or an automaton tells the output of the
    state that a transition leads to."""
    number = {id(state): k for k, state in enumerate(model.states)}
    for state in model.states:
        for k, letter in enumerate(alphabet):
            if letter not in state.transitions:
                continue
            target = state.transitions[letter]
            if hasattr(state, "output_fun"):
                output = state.output_fun[letter]
            elif hasattr(target, "output"):
                output = target.output
            else:
                output = target.is_accepting
            yield number[id(state)], k, output, number[id(target)]


def _initial(model: Any) -> int:
    return next(k for k, state in enumerate(model.states) if state is model.initial_state)


def to_lts(model: Any) -> LTS:
    """A deterministic model of AALpy (Mealy, Moore, DFA) as an LTS with labels
    `input/output`."""
    alphabet = model.get_input_alphabet()
    return LTS.from_transitions(
        ((s, f"{alphabet[k]}/{output}", t) for s, k, output, t in _moves(model, alphabet)),
        initial=_initial(model),
        states=len(model.states),
        hidden=(),
    )


class SuiteOracle(Oracle):
    """An equivalence oracle: runs the test suite of the hypothesis, shortest tests first.

    With a method such as `hsi-st`, `h`, `spyh` or `w`, a hypothesis that is not refuted is
    right if the system has at most `extra` states more.
    """

    def __init__(
        self,
        alphabet: Sequence[Any],
        sul: SUL,
        method: str = "hsi-st",
        extra: int = 1,
        max_tests: Union[int, None] = None,
    ) -> None:
        super().__init__(list(alphabet), sul)
        self.method = method
        self.extra = extra
        self.max_tests = max_tests

    def find_cex(self, hypothesis: Any) -> Any:
        """Inputs that the system answers otherwise than the hypothesis; `None` if no test
        finds any."""
        alphabet = list(self.alphabet)
        # Symbols of the suite are numbers, whatever they are to AALpy.
        outputs: dict[Any, int] = {}
        moves = [
            (s, f"{k}/{outputs.setdefault(output, len(outputs))}", t)
            for s, k, output, t in _moves(hypothesis, alphabet)
        ]
        machine = LTS.from_transitions(
            moves, initial=_initial(hypothesis), states=len(hypothesis.states), hidden=()
        )
        tests = suite(machine, self.method, self.extra, max_tests=self.max_tests)
        for test in sorted(tests, key=lambda test: len(test.inputs)):
            found = self._run(hypothesis, [alphabet[int(k)] for k in test.inputs])
            if found is not None:
                return found
        return None

    def _run(self, hypothesis: Any, inputs: list[Any]) -> Any:
        self.reset_hyp_and_sul(hypothesis)
        for steps, letter in enumerate(inputs, 1):
            self.num_steps += 1
            if self.sul.step(letter) != hypothesis.step(letter):
                self.sul.post()
                return tuple(inputs[:steps])
        return None


class LtsSUL(SUL):
    """A system under learning that a deterministic LTS with labels `input/output` is; what
    it has no transition for is answered by `missing`, and changes nothing."""

    def __init__(self, lts: Source, missing: str = "") -> None:
        super().__init__()
        self._lts = lts if isinstance(lts, LTS) else read(lts)
        self._missing = missing
        self._moves: list[dict[str, tuple[str, int]]] = []
        for state in range(self._lts.states):
            moves: dict[str, tuple[str, int]] = {}
            for label, target in self._lts.successors(state):
                given, _, output = label.partition("/")
                step = (output.strip(), target)
                if moves.setdefault(given.strip(), step) != step:
                    raise ValueError(f"state {state} has two answers to {given}")
            self._moves.append(moves)
        self._state = self._lts.initial

    @property
    def alphabet(self) -> list[str]:
        """The inputs."""
        return sorted({given for moves in self._moves for given in moves})

    def pre(self) -> None:
        self._state = self._lts.initial

    def post(self) -> None:
        pass

    def step(self, letter: Any) -> str:
        output, self._state = self._moves[self._state].get(letter, (self._missing, self._state))
        return output
