"""What other packages are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Union

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    from ._native import LTS, Column

    Numbers = numpy.typing.NDArray[numpy.uint32]


class Arrays(NamedTuple):
    """Columns of an LTS; `label`, `target` and `offsets` are looked at in place."""

    source: Numbers
    label: Numbers
    target: Numbers
    offsets: Numbers


def to_numpy(lts: LTS) -> Arrays:
    import numpy

    return Arrays(*(numpy.asarray(column) for column in lts._columns()))


def to_array(column: Column, dtype: Any, copy: Union[bool, None]) -> Any:
    import numpy

    # It goes by `__array_interface__` before it asks for `__array__`.
    return numpy.array(column, dtype=dtype, copy=copy)


def to_networkx(lts: LTS) -> Any:
    import networkx

    graph = networkx.MultiDiGraph(initial=lts.initial, hidden=lts.hidden)
    graph.add_nodes_from(range(lts.states))
    graph.add_edges_from(
        (source, target, {"label": label}) for source, label, target in lts
    )
    return graph


def to_html(lts: LTS) -> str:
    # `<LTS: … >` without its brackets
    sizes = repr(lts)[len("<LTS: ") : -1]
    return f"<figure>{lts.to_svg()}<figcaption>{sizes}</figcaption></figure>"
