"""Labelled transition systems: read, minimise, compare, check, test.

>>> import hyades
>>> early = hyades.LTS.from_transitions([(0, "COIN", 1), (0, "COIN", 2), (1, "TEA", 3)])
>>> late = hyades.LTS.from_transitions([(0, "COIN", 1), (1, "TEA", 2)])
>>> bool(hyades.equiv(early, late, "trace"))
True

docs/python.md of the repository describes all of it.
"""

from __future__ import annotations

import collections.abc
import os
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Iterable,
    Mapping,
    NamedTuple,
    Protocol,
    Sequence,
    Union,
    overload,
)

from . import _native
from ._native import (
    LTS,
    Column,
    FormatWarning,
    LimitError,
    ModelError,
    ParseError,
    Reached,
    Verdict,
    WriteError,
    __version__,
    check_all,
    equiv,
    evaluate,
    reach,
    read,
    refine,
    relations,
)

if TYPE_CHECKING:
    from typing import Literal

__all__ = [
    "LTS",
    "Column",
    "FormatWarning",
    "LimitError",
    "Minimized",
    "ModelError",
    "Order",
    "ParseError",
    "Reached",
    "Suite",
    "Test",
    "Verdict",
    "WriteError",
    "__version__",
    "check",
    "check_all",
    "equiv",
    "evaluate",
    "minimize",
    "reach",
    "read",
    "refine",
    "relations",
    "spectrum",
    "suite",
    "write",
]

Path = Union[str, "os.PathLike[str]"]
Texts = Union[str, bytes, Iterable[Union[str, bytes]]]


class Reads(Protocol):
    """An open file, whatever it is of."""

    def read(self) -> Union[str, bytes]: ...


class Writes(Protocol):
    """An open binary file."""

    def write(self, data: bytes, /) -> object: ...


Source = Union[LTS, Path, bytes, bytearray, memoryview, Reads]

collections.abc.Sequence.register(Column)


class _Minimized(NamedTuple):
    lts: LTS
    classes: Column


class Minimized(_Minimized):
    """A quotient, and for each state of the input the state that stands for it;
    `Minimized.NO_CLASS` where there is none, as for states that cannot be reached."""

    __slots__ = ()
    NO_CLASS: ClassVar[int] = 0xFFFFFFFF


@overload
def minimize(
    lts: Source,
    relation: str = ...,
    classes: Literal[False] = ...,
    *,
    strong_labels: Union[Texts, None] = ...,
) -> LTS: ...
@overload
def minimize(
    lts: Source,
    relation: str,
    classes: Literal[True],
    *,
    strong_labels: Union[Texts, None] = ...,
) -> Minimized: ...
@overload
def minimize(
    lts: Source,
    relation: str = ...,
    *,
    classes: Literal[True],
    strong_labels: Union[Texts, None] = ...,
) -> Minimized: ...
@overload
def minimize(
    lts: Source,
    relation: str = ...,
    classes: bool = ...,
    *,
    strong_labels: Union[Texts, None] = ...,
) -> Union[LTS, Minimized]: ...
def minimize(
    lts: Source,
    relation: str = "strong",
    classes: bool = False,
    *,
    strong_labels: Union[Texts, None] = None,
) -> Union[LTS, Minimized]:
    """The smallest LTS that is equivalent; with `classes`, what its states stand for, which
    relations by traces do not tell: there they stand for sets that may overlap.

    `strong_labels` are for the relations `sharp` and `divsharp`, as in `equiv`.
    """
    quotient, of_state = _native._minimize(lts, relation, strong_labels, bool(classes))
    return Minimized(quotient, of_state) if classes else quotient


class Order(NamedTuple):
    """What is known of two systems and a relation."""

    relation: str
    preorder: bool
    below: Verdict
    above: Verdict

    @property
    def equivalent(self) -> Union[bool, None]:
        """Whether they are related both ways; `None` if that is not known."""
        both = (self.below.holds, self.above.holds)
        if False in both:
            return False
        return None if None in both else True


def spectrum(
    first: Source,
    second: Source,
    *,
    max_pairs: Union[int, None] = None,
    strong_labels: Union[Texts, None] = None,
) -> dict[str, Order]:
    """Which of all relations hold, by their names, the finest first; `sharp` and `divsharp`
    are among them if there are `strong_labels`, as in `equiv`."""
    found = _native._spectrum(
        first, second, max_pairs=max_pairs, strong_labels=strong_labels
    )
    return {name: Order(name, preorder, below, above) for name, preorder, below, above in found}


def check(
    formula: Path,
    model: Source,
    *,
    syntax: Union[str, None] = None,
    values: Union[Mapping[str, Sequence[str]], None] = None,
    evidence: bool = True,
    max_states: Union[int, None] = None,
    max_memory: Union[int, None] = None,
    max_instances: Union[int, None] = None,
    argument: Union[str, None] = None,
) -> Verdict:
    """Whether a formula holds in the initial state of an LTS or a model.

    `formula` is a text, or the file of one formula; `check_all` takes files of several.
    """
    verdicts = check_all(
        formula,
        model,
        syntax=syntax,
        values=None if values is None else dict(values),
        evidence=evidence,
        max_states=max_states,
        max_memory=max_memory,
        max_instances=max_instances,
        argument=argument,
    )
    if len(verdicts) != 1:
        names = ", ".join(verdict.name for verdict in verdicts)
        raise ValueError(f"there are {len(verdicts)} formulas ({names}): use check_all")
    return verdicts[0]


class Test(NamedTuple):
    """Inputs, and what the specification answers to them."""

    inputs: list[str]
    outputs: list[str]


class Suite(Sequence[Test]):
    """A test suite; `claim` says what it is good for. `initial_output` is what a Moore
    machine tells before the first input, which no test asks for; `None` for others."""

    def __init__(
        self, tests: Sequence[Test], claim: str, initial_output: Union[str, None] = None
    ) -> None:
        self._tests = tuple(tests)
        self.claim = claim
        self.initial_output = initial_output

    @overload
    def __getitem__(self, index: int) -> Test: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Test]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Test, Sequence[Test]]:
        return self._tests[index]

    def __len__(self) -> int:
        return len(self._tests)

    def __repr__(self) -> str:
        return f"<Suite: {len(self)} tests, {self.claim}>"


def suite(
    machine: Source,
    method: str = "w",
    extra: int = 0,
    *,
    tests: int = 1000,
    seed: int = 0,
    max_tests: Union[int, None] = None,
) -> Suite:
    """A test suite of a Mealy machine, whose labels are `input/output`, or of a Moore
    machine in DOT; as an LTS that begins with a transition `/output`, as `--moore` has it.

    `extra` is how many states implementations may have more; `tests` and `seed` are for the
    method `random`.
    """
    found, claim, initial = _native._suite(machine, method, extra, tests, seed, max_tests)
    return Suite([Test(inputs, outputs) for inputs, outputs in found], claim, initial)


def write(
    lts: LTS,
    target: Union[Path, Writes],
    format: Union[str, None] = None,
    **options: Any,
) -> None:
    """Writes an LTS to a path, whole or not at all, or to an open binary file: without a
    format AUT, whatever its name."""
    if isinstance(target, (str, os.PathLike)):
        lts.save(target, format, **options)
    else:
        target.write(lts.to_bytes(format or "aut", **options))
