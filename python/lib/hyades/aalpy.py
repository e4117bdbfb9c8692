"""For AALpy: an equivalence oracle made of test suites, and systems under learning.

AALpy is imported here, and nowhere else in the package.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence, Union

from aalpy.base import SUL, Oracle

from . import LTS, Source, read, suite

__all__ = ["LtsSUL", "SuiteOracle", "to_lts"]


def _told(state: Any) -> Any:
    """The output of a state of a Moore machine, or whether one of an automaton accepts."""
    return state.output if hasattr(state, "output") else state.is_accepting


def _is_mealy(model: Any) -> bool:
    return hasattr(model.initial_state, "output_fun")


def _machine(
    model: Any,
    alphabet: Sequence[Any],
    letter: Callable[[int], str],
    output: Callable[[Any], str],
) -> LTS:
    """A deterministic model of AALpy as an LTS with labels `input/output`, in the texts of
    the numbers of inputs and of outputs. A Moore machine or an automaton tells the output
    of the state that a transition leads to, and that of its initial state on the only
    transition of a state 0 before the others, as `--moore` has it."""
    is_mealy = _is_mealy(model)
    first = 0 if is_mealy else 1
    number = {id(state): k for k, state in enumerate(model.states, first)}
    initial = number[id(model.initial_state)]
    moves: list[tuple[int, str, int]] = []
    if not is_mealy:
        moves.append((0, f"/{output(_told(model.initial_state))}", initial))
    for state in model.states:
        for k, given in enumerate(alphabet):
            if given not in state.transitions:
                continue
            target = state.transitions[given]
            answer = state.output_fun[given] if is_mealy else _told(target)
            label = f"{letter(k)}/{output(answer)}"
            moves.append((number[id(state)], label, number[id(target)]))
    return LTS.from_transitions(
        moves,
        initial=initial if is_mealy else 0,
        states=first + len(model.states),
        hidden=(),
    )


def to_lts(model: Any) -> LTS:
    """A deterministic model of AALpy as an LTS with labels `input/output`. Raises ValueError
    if inputs or outputs that differ have the same text, or an input has a `/`.

    Of a Moore machine or a DFA the output is that of the state that follows; its initial
    output is the label `/output` of the only transition of a state 0 before the others, as
    the commands have it with `--moore`: machines that differ in it are different."""
    alphabet = model.get_input_alphabet()
    letters = _told_apart("inputs", alphabet)
    outputs = _outputs(model)
    _told_apart("outputs", outputs)
    for letter in letters:
        if not letter or letter != letter.strip() or "/" in letter:
            raise ValueError(
                f"input {letter!r}: expected a text without `/` and without blanks around it, as "
                "labels are `input/output`"
            )
    return _machine(model, alphabet, lambda k: letters[k], str)


def _outputs(model: Any) -> list[Any]:
    """What the states of a model tell."""
    if _is_mealy(model):
        return [output for state in model.states for output in state.output_fun.values()]
    return [_told(state) for state in model.states]


def _told_apart(what: str, symbols: Sequence[Any]) -> list[str]:
    """The texts of symbols.

    Raises ValueError if two that differ have the same."""
    known: dict[str, Any] = {}
    for symbol in symbols:
        other = known.setdefault(str(symbol), symbol)
        if other != symbol:
            raise ValueError(f"two {what} read {str(symbol)!r}: {other!r} and {symbol!r}")
    return [str(symbol) for symbol in symbols]


class SuiteOracle(Oracle):
    """An equivalence oracle: runs the test suite of the hypothesis, shortest tests first.

    With a method such as `hsi-st`, `h`, `spyh` or `w`, a hypothesis that is not refuted is
    right if the system has at most `extra` states more than the smallest machine of its
    kind (Mealy, Moore, DFA) that answers alike. Of Moore machines and DFAs the output
    before the first input is compared, too: as in queries of AALpy, `step(None)` tells it.
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
        finds any. They are empty where the outputs before the first input differ."""
        if not _is_mealy(hypothesis):
            self.reset_hyp_and_sul(hypothesis)
            told = self.sul.step(None)
            self.sul.post()
            if told != _told(hypothesis.initial_state):
                return ()
        alphabet = list(self.alphabet)
        # Symbols of the suite are numbers, whatever they are to AALpy.
        outputs: dict[Any, int] = {}
        machine = _machine(
            hypothesis,
            alphabet,
            str,
            lambda output: str(outputs.setdefault(output, len(outputs))),
        )
        tests = suite(machine, self.method, self.extra, max_tests=self.max_tests)
        for test in sorted(tests, key=lambda test: len(test.inputs)):
            found = self._run(hypothesis, [alphabet[int(k)] for k in test.inputs])
            if found is not None:
                return found
        return None

    def _run(self, hypothesis: Any, inputs: list[Any]) -> Any:
        self.reset_hyp_and_sul(hypothesis)
        found = None
        for steps, letter in enumerate(inputs, 1):
            self.num_steps += 1
            if self.sul.step(letter) != hypothesis.step(letter):
                found = tuple(inputs[:steps])
                break
        self.sul.post()
        return found


class LtsSUL(SUL):
    """A system under learning that a deterministic LTS with labels `input/output` is; what
    it has no transition for is answered by `missing`, and changes nothing. Of a Moore
    machine, as `to_lts` makes it, `step(None)` tells the output of the state. A file is read
    as by `read`, with `mealy` and `moore`."""

    def __init__(
        self, lts: Source, missing: str = "", *, mealy: bool = False, moore: bool = False
    ) -> None:
        super().__init__()
        if isinstance(lts, LTS) and (mealy or moore):
            raise ValueError("mealy and moore are for files, and an LTS is none")
        self._lts = lts if isinstance(lts, LTS) else read(lts, mealy=mealy, moore=moore)
        self._missing = missing
        self._moves: list[dict[str, tuple[str, int]]] = []
        for state in range(self._lts.states):
            moves: dict[str, tuple[str, int]] = {}
            for label, target in self._lts.successors(state):
                given, separator, output = label.partition("/")
                if not separator:
                    is_hidden = label == self._lts.hidden
                    what = "the hidden action" if is_hidden else f"label {label!r}"
                    raise ValueError(f"state {state}: expected `input/output`, found {what}")
                step = (output.strip(), target)
                if moves.setdefault(given.strip(), step) != step:
                    raise ValueError(f"state {state} has two answers to {given}")
            self._moves.append(moves)
        # No input of a machine is empty.
        untold = (missing, self._lts.initial)
        self._start = self._moves[self._lts.initial].pop("", untold)
        self._is_moore = self._start is not untold
        self._told, self._state = self._start

    @property
    def alphabet(self) -> list[str]:
        """The inputs."""
        return sorted({given for moves in self._moves for given in moves})

    def pre(self) -> None:
        self._told, self._state = self._start

    def post(self) -> None:
        pass

    def step(self, letter: Any) -> str:
        if letter is None:
            return self._told
        move = self._moves[self._state].get(letter)
        if move is None:
            return self._missing
        output, self._state = move
        if self._is_moore:
            self._told = output
        return output
