"""The compiled part of the package."""

import os
from typing import (
    Any,
    ClassVar,
    Iterable,
    Iterator,
    Optional,
    Protocol,
    Sequence,
    SupportsIndex,
    Union,
    final,
    overload,
)

from ._desk import Arrays

_Path = Union[str, os.PathLike[str]]
_Text = Union[str, bytes]

class _Reads(Protocol):
    """An open file, whatever it is of."""

    def read(self) -> _Text: ...

_Source = Union[LTS, _Path, bytes, bytearray, memoryview, _Reads]

__all__ = [
    "Column",
    "FormatWarning",
    "LTS",
    "LimitError",
    "ModelError",
    "Numbers",
    "ParseError",
    "Reached",
    "Transitions",
    "Verdict",
    "WriteError",
    "__version__",
    "_minimize",
    "_spectrum",
    "_suite",
    "check_all",
    "equiv",
    "evaluate",
    "features",
    "reach",
    "read",
    "refine",
    "relations",
]
__version__: str
features: list[str]

class ParseError(ValueError):
    """A file, a text or a formula is malformed. Attributes: `file`, `line`, `column` (both from
    1, or `None`), `code`."""

    file: str
    line: Optional[int]
    column: Optional[int]
    code: str

class WriteError(ValueError):
    """A format cannot express an LTS. Attributes: `file`, `code`."""

    file: str
    code: str

class LimitError(RuntimeError):
    """A limit is reached, or there is more than can be numbered."""

class ModelError(RuntimeError):
    """A model fails while it is explored."""

class FormatWarning(UserWarning):
    """Something doubtful in a file, which was read or written all the same."""

@final
class Column(Sequence[int]):
    """Numbers of 32 bits without signs, which NumPy looks at in place: `numpy.asarray` makes
    an array of them that cannot be written to."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, key: slice, /) -> Column: ...
    def __iter__(self) -> Numbers: ...
    def __reversed__(self) -> Numbers: ...
    def __contains__(self, key: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def index(self, value: object, start: int = 0, stop: int = ...) -> int:
        """The first place of a number, from `start` on and before `stop`."""
    def count(self, value: object) -> int:
        """How often a number occurs."""
    def tolist(self) -> list[int]:
        """The numbers as a list."""
    @staticmethod
    def _from_bytes(bytes: bytes) -> Column: ...
    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        """An array of NumPy: the numbers in place, unless another type or a copy is asked
        for."""
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

@final
class Numbers(Iterator[int]):
    """The numbers of a column, one after the other."""

    def __iter__(self) -> Numbers: ...
    def __next__(self) -> int: ...

@final
class LTS:
    """A labelled transition system; it does not change.

    States are numbers from 0. Labels are texts; the hidden action is shown as `hidden`.
    """

    @property
    def states(self) -> int:
        """The number of states."""
    @property
    def transitions(self) -> int:
        """The number of transitions, which is `len()` too."""
    @property
    def initial(self) -> int:
        """The initial state."""
    @property
    def hidden(self) -> str:
        """How the hidden action is shown: by the first of `i`, `tau`, `τ`, `tau_1`,
        `tau_2`, … that no visible label reads."""
    @property
    def labels(self) -> list[str]:
        """The texts of the labels by their numbers; the hidden action is number 0. Not all
        of them need occur."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Transitions:
        """Transitions: source, label, target; by their sources."""
    def __hash__(self) -> int: ...
    def successors(self, state: SupportsIndex) -> list[tuple[str, int]]:
        """Label and target of each transition of a state."""
    @staticmethod
    def from_transitions(
        transitions: Iterable[Union[tuple[SupportsIndex, _Text, SupportsIndex], list[Any]]],
        *,
        initial: int = 0,
        states: int = 1,
        hidden: Union[_Text, Iterable[_Text], None] = None,
    ) -> LTS:
        """An LTS of transitions, tuples or lists of source, label and target. There are at
        least so many states, and as many as the largest number needs: if that is far more
        than there are transitions for, `states` has to say so. The labels that are `hidden`
        (without it, `i`; none if it is empty) become the hidden action."""
    @staticmethod
    def from_arrow(
        data: Any,
        *,
        initial: Optional[int] = None,
        states: Optional[int] = None,
        hidden: Union[_Text, Iterable[_Text], None] = None,
    ) -> LTS:
        """An LTS of a table with columns `src`, `label`, `dst`, of anything with Arrow's
        stream protocol. What is not said is taken from its metadata, if there are any."""
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def _columns(self) -> tuple[Column, Column, Column, Column]: ...
    def to_numpy(self) -> Arrays:
        """Sources, labels and targets as numbers, and where the row of each state starts;
        all but the sources without copies."""
    def to_networkx(self) -> Any:
        """A `networkx.MultiDiGraph` whose edges have the attribute `label`."""
    def to_svg(self, title: str = "") -> str:
        """A picture: of layers up to some hundreds of states, placed by forces up to some
        thousands, and of groups of states beyond. States bear the names that DOT and FSM
        have for them."""
    def _repr_svg_(self) -> str:
        """The picture, for notebooks."""
    def _repr_html_(self) -> str:
        """The picture with its sizes below it, for notebooks."""
    def hide(self, *patterns: _Text, match: str = "total", others: bool = False) -> LTS:
        """With hidden labels: those that a pattern matches, or all `others`. Patterns are
        POSIX basic regular expressions; `match` is `total`, `gate` or `partial`."""
    def cut(self, *patterns: _Text, match: str = "total", others: bool = False) -> LTS:
        """Without the transitions whose labels a pattern matches, or all `others`."""
    def rename(self, names: Union[dict[str, str], dict[bytes, bytes], dict[str, bytes], dict[bytes, str]], *, match: str = "total") -> LTS:
        r"""With other labels: for each pattern its replacement, in which `\1` to `\9` are
        groups; `match` is `total`, `gate`, `single` or `multiple`."""
    def save(
        self,
        path: _Path,
        format: Optional[str] = None,
        *,
        canonical: bool = False,
        dialect: Optional[str] = None,
        visible_i: Optional[_Text] = None,
    ) -> None:
        """Writes a file, whole or not at all, in the format and the compression that the
        ending of its name tells."""
    def to_bytes(
        self,
        format: str = "aut",
        *,
        canonical: bool = False,
        dialect: Optional[str] = None,
        visible_i: Optional[_Text] = None,
    ) -> bytes:
        """The bytes of a file."""

@final
class Transitions(Iterator[tuple[int, str, int]]):
    """The transitions of an LTS, one after the other."""

    def __iter__(self) -> Transitions: ...
    def __next__(self) -> tuple[int, str, int]: ...

@final
class Verdict:
    """An answer; true and false as `holds`. What is not known is false."""

    @property
    def holds(self) -> Optional[bool]:
        """Whether it holds; `None` if that is not known."""
    @property
    def name(self) -> str:
        """What was asked: the name of a relation, a semantics, a property or a question."""
    @property
    def reason(self) -> Optional[str]:
        """Why, in words."""
    @property
    def formula(self) -> Optional[str]:
        """A formula that tells two systems apart: that holds in the system that `reason`
        names first, or of a trace in the first of the two. `evaluate` decides it, and
        `check` where it is MCL: without hidden steps, `!`, `&&` and names."""
    @property
    def trace(self) -> Optional[list[str]]:
        """The labels of a trace that shows it."""
    @property
    def cycle(self) -> Optional[int]:
        """After how many steps the rest of the trace is a cycle."""
    @property
    def evidence(self) -> Optional[LTS]:
        """An LTS that shows it."""
    @property
    def states(self) -> int:
        """How many states, or pairs of them, were looked at; 0 if they are not counted."""
    def __bool__(self) -> bool: ...
    @staticmethod
    def _from_parts(
        holds: Optional[bool],
        name: bytes,
        reason: Optional[bytes],
        formula: Optional[bytes],
        trace: Optional[list[bytes]],
        cycle: Optional[int],
        evidence: Optional[LTS],
        states: int,
    ) -> Verdict: ...

@final
class Reached:
    """What was reached, and the answers to what was asked."""

    @property
    def lts(self) -> LTS:
        """The state space. Raises LimitError if a limit was reached."""
    @property
    def complete(self) -> bool:
        """Whether everything that can be reached was looked at."""
    @property
    def states(self) -> int:
        """How many states were reached."""
    @property
    def transitions(self) -> int:
        """How many transitions they have."""
    @property
    def deadlock(self) -> Optional[Verdict]:
        """Whether there is a deadlock; `None` if that was not asked."""
    @property
    def livelock(self) -> Optional[Verdict]:
        """Whether there is a cycle of hidden transitions; `None` if that was not asked."""
    @property
    def find(self) -> list[Verdict]:
        """For each pattern whether a transition with such a label was reached."""
    @staticmethod
    def _from_parts(
        lts: Optional[LTS],
        ended: str,
        states: int,
        transitions: int,
        deadlock: Optional[Verdict],
        livelock: Optional[Verdict],
        find: list[Verdict],
    ) -> Reached: ...

def read(
    source: _Source,
    format: Optional[str] = None,
    hidden: Union[_Text, Iterable[_Text], None] = None,
    *,
    dialect: Optional[str] = None,
    mode: Optional[str] = None,
    mealy: bool = False,
    moore: bool = False,
) -> LTS:
    """An LTS from a file, bytes or an open file; of a network (`.exp`) its state space.

    The format is told by the content, then by the ending of the name; the compression by
    the content. `hidden` are the labels that count as hidden, at least one, in place of
    those of the format; `dialect` is `cadp` or `mcrl2`; `mode` is `strict` or `lenient`.
    With `mealy` it is a Mealy machine: labels are `input/output`, without blanks around `/`;
    with `moore` a Moore machine, which in DOT has its outputs in the labels of nodes, and whose
    initial output is the label `/output` of the only transition of its initial state.
    """

def equiv(
    first: _Source,
    second: _Source,
    relation: str = "strong",
    *,
    preorder: bool = False,
    max_pairs: Optional[int] = None,
    strong_labels: Union[_Text, Iterable[_Text], None] = None,
) -> Verdict:
    """Whether two systems are equivalent; with `preorder`, whether the first is below the
    second. `strong_labels` are patterns, as `LTS.hide` has them, of the labels that are
    strong, on which the relations `sharp` and `divsharp` depend."""

def evaluate(formula: _Text, lts: _Source) -> bool:
    """Whether a formula as `Verdict.formula` has them holds in the initial state of a system.
    Those of weak relations speak of hidden steps (`<<"a">>f`, `[["a"]]f`, `<f U "a">g`, `div f`),
    which `check` does not know."""

def refine(
    specification: _Source,
    implementation: _Source,
    model: str = "FD",
    *,
    max_states: Optional[int] = None,
    max_memory: Optional[int] = None,
    argument: Optional[str] = None,
) -> Verdict:
    """Whether an implementation does nothing that its specification forbids, in the
    semantics `T`, `F` or `FD`. Both may be models, as in `reach`; `argument` is for the
    implementation."""

def reach(
    model: _Source,
    *,
    deadlock: bool = False,
    livelock: bool = False,
    find: Union[_Text, Iterable[_Text], None] = None,
    space: bool = True,
    max_states: Optional[int] = None,
    max_memory: Optional[int] = None,
    argument: Optional[str] = None,
) -> Reached:
    """Explores an LTS, a network (`.exp`), a system of machines (`.toml`) or a model plugin
    (`.so`, with its argument), and answers questions. Without `space` it ends when all are
    answered. `find` are patterns of whole labels; the hidden action of an LTS reads as its
    `hidden`, that of other models as `i`. A plugin is code that runs in this process: name
    only files that you trust."""

def check_all(
    formula: _Path,
    model: _Source,
    *,
    syntax: Optional[str] = None,
    values: Optional[dict[str, Sequence[str]]] = None,
    evidence: bool = True,
    max_states: Optional[int] = None,
    max_memory: Optional[int] = None,
    max_instances: Optional[int] = None,
    argument: Optional[str] = None,
) -> list[Verdict]:
    """Verdicts on all formulas of a text or a file, in MCL or (`syntax="mcf"`, or a file
    `.mcf`) in mCRL2's language. `values` are those of sorts of mCRL2's formulas."""

def relations() -> list[str]:
    """The names of all relations, the finest first; `sharp` and `divsharp` ask for
    `strong_labels`."""

def _minimize(
    lts: _Source,
    relation: str = "strong",
    strong_labels: Union[_Text, Iterable[_Text], None] = None,
    classes: bool = False,
) -> tuple[LTS, Column]: ...
def _spectrum(
    first: _Source,
    second: _Source,
    *,
    max_pairs: Optional[int] = None,
    strong_labels: Union[_Text, Iterable[_Text], None] = None,
) -> list[tuple[str, bool, Verdict, Verdict]]: ...
def _suite(
    machine: _Source, method: str, extra: int, tests: int, seed: int, max_tests: Optional[int]
) -> tuple[list[tuple[list[str], list[str]]], str, Optional[str]]: ...
