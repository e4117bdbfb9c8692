"""Arrow streams to and from other packages, arrays, graphs."""

from __future__ import annotations

import json
import random

import pytest

import hyades
from systems import random_lts

duckdb = pytest.importorskip("duckdb")
networkx = pytest.importorskip("networkx")
numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")


def test_the_schema_is_that_of_files(early: hyades.LTS) -> None:
    table = pyarrow.table(early)
    assert table.schema.names == ["src", "label", "dst"]
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    assert table.schema.types == [pyarrow.uint32(), text, pyarrow.uint32()]
    assert not any(field.nullable for field in table.schema)
    metadata = table.schema.metadata
    assert metadata[b"lts.states"] == b"5" and metadata[b"lts.transitions"] == b"4"
    assert metadata[b"lts.initial"] == b"0" and json.loads(metadata[b"lts.hidden"]) == ["i"]
    assert pyarrow.schema(early) == table.schema
    if "columns" in hyades._native.features:
        file = pyarrow.ipc.open_file(early.to_bytes("arrow")).read_all()
        assert file.schema.types == table.schema.types
        assert file.to_pylist() == table.to_pylist()


def test_columns_are_looked_at_in_place(early: hyades.LTS) -> None:
    table = pyarrow.table(early)
    arrays = early.to_numpy()
    place = lambda array: array.__array_interface__["data"][0]  # noqa: E731
    chunk = lambda name: table.column(name).chunk(0)  # noqa: E731
    assert chunk("dst").buffers()[1].address == place(arrays.target)
    assert chunk("label").indices.buffers()[1].address == place(arrays.label)
    again = early.to_numpy()
    assert place(again.target) == place(arrays.target)
    assert place(again.offsets) == place(arrays.offsets)
    with pytest.raises(ValueError):
        arrays.target[0] = 7


def test_what_is_made_of_an_lts_outlives_it() -> None:
    made = [
        (pyarrow.table(lts), polars.DataFrame(lts), lts.to_numpy(), list(lts))
        for lts in map(random_lts, range(50))
    ]
    for table, frame, arrays, transitions in made:
        rows = [tuple(row.values()) for row in table.to_pylist()]
        assert rows == transitions
        assert frame.rows() == transitions
        pairs = zip(arrays.source.tolist(), arrays.target.tolist())
        assert list(pairs) == [(s, t) for s, _, t in transitions]


def test_round_trips_through_tables() -> None:
    for seed in range(150):
        lts = random_lts(seed)
        rest = {"states": lts.states, "initial": lts.initial, "hidden": lts.hidden}
        assert hyades.LTS.from_arrow(lts) == lts
        assert hyades.LTS.from_arrow(pyarrow.table(lts)) == lts
        assert hyades.LTS.from_arrow(polars.DataFrame(lts), **rest) == lts
        assert hyades.LTS.from_arrow(pandas.DataFrame.from_arrow(lts), **rest) == lts
        assert hyades.LTS.from_arrow(duckdb.sql("SELECT * FROM lts"), **rest) == lts


def test_tables_of_other_types() -> None:
    expected = hyades.LTS.from_transitions([(0, "a", 1), (1, "i", 0), (1, "b", 1)])
    src, dst, label = [0, 1, 1], [1, 0, 1], ["a", "i", "b"]
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        numbers = getattr(pyarrow, kind)()
        for text in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
            table = pyarrow.table(
                {
                    "dst": pyarrow.array(dst, numbers),
                    "note": ["x", "y", None],
                    "src": pyarrow.array(src, numbers),
                    "label": pyarrow.array(label, text),
                }
            )
            assert hyades.LTS.from_arrow(table) == expected
    binary = pyarrow.table({"src": src, "label": [b"a", b"i", b"b"], "dst": dst})
    assert hyades.LTS.from_arrow(binary) == expected
    parts = pyarrow.concat_tables([binary.slice(0, 1), binary.slice(1)])
    assert hyades.LTS.from_arrow(parts) == expected
    frame = polars.DataFrame({"src": src, "label": label, "dst": dst})
    categories = frame.with_columns(polars.col("label").cast(polars.Categorical))
    for frame in (frame, categories):
        assert hyades.LTS.from_arrow(frame) == expected
    # Texts of a dictionary that no row has are no labels.
    keys = pyarrow.DictionaryArray.from_arrays([2, 0], ["x", "unused", "y"])
    table = pyarrow.table({"src": [0, 1], "label": keys, "dst": [1, 0]})
    assert hyades.LTS.from_arrow(table).labels == ["i", "x", "y"]


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"src": [0], "label": ["a"]}, "no column `dst`"),
        ({"src": [-1], "label": ["a"], "dst": [0]}, "-1 is no state"),
        ({"src": [2**32 - 1], "label": ["a"], "dst": [0]}, "is no state"),
        ({"src": [0.5], "label": ["a"], "dst": [0]}, "expected integers"),
        ({"src": [0], "label": [1], "dst": [0]}, "expected texts"),
        ({"src": [None, 1], "label": ["a", "b"], "dst": [0, 1]}, "no value"),
        ({"src": [0, 1], "label": ["a", None], "dst": [0, 1]}, "no value"),
    ],
)
def test_tables_that_are_no_lts(columns: dict[str, list[object]], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        hyades.LTS.from_arrow(pyarrow.table(columns))


def test_metadata_that_are_wrong(early: hyades.LTS) -> None:
    table = pyarrow.table(early)
    for key, value in [
        ("lts.states", "many"),
        ("lts.initial", "-1"),
        ("lts.hidden", "i"),
        ("lts.initial", str(2**32)),
    ]:
        wrong = table.replace_schema_metadata({key: value})
        with pytest.raises(ValueError, match=key):
            hyades.LTS.from_arrow(wrong)
    with pytest.raises(hyades.LimitError):
        hyades.LTS.from_arrow(table.replace_schema_metadata({"lts.states": str(2**60)}))
    with pytest.raises(TypeError, match="stream protocol"):
        hyades.LTS.from_arrow([(0, "a", 1)])


def test_labels_that_are_no_utf8() -> None:
    lts = hyades.LTS.from_transitions([(0, b"\xff", 1)])
    table = pyarrow.table(lts)
    assert table.column("label").to_pylist() == [b"\xff"]
    assert hyades.LTS.from_arrow(table) == lts


def test_graphs() -> None:
    for seed in range(50):
        lts = random_lts(seed)
        graph = lts.to_networkx()
        assert isinstance(graph, networkx.MultiDiGraph)
        assert list(graph.nodes) == list(range(lts.states))
        edges = [(s, data["label"], t) for s, t, data in graph.edges(data=True)]
        assert sorted(edges) == sorted(lts)
        assert graph.graph == {"initial": lts.initial, "hidden": lts.hidden}
        reached = networkx.descendants(graph, lts.initial) | {lts.initial}
        assert hyades.reach(lts).states == len(reached)


def test_empty_columns() -> None:
    lts = hyades.LTS.from_transitions([], states=3)
    assert pyarrow.table(lts).num_rows == 0
    assert polars.DataFrame(lts).shape == (0, 3)
    assert hyades.LTS.from_arrow(lts) == lts
    arrays = lts.to_numpy()
    assert [len(array) for array in arrays] == [0, 0, 0, 4]


def test_sources_of_rows_of_all_lengths() -> None:
    for seed in range(20):
        draw = random.Random(seed)
        lengths = [draw.choice([0, 0, 1, 2, 7, 8, 9, 40]) for _ in range(draw.randint(1, 300))]
        rows = [(s, "a", 0) for s, length in enumerate(lengths) for _ in range(length)]
        lts = hyades.LTS.from_transitions(rows, states=len(lengths))
        assert lts.to_numpy().source.tolist() == [s for s, _, _ in rows]
        assert pyarrow.table(lts).column("src").to_pylist() == [s for s, _, _ in rows]


def test_a_column_by_itself(early: hyades.LTS) -> None:
    column = hyades.minimize(early, "strong", classes=True).classes
    assert isinstance(column, hyades.Column) and len(column) == 5
    assert column.tolist() == [column[k] for k in range(5)] == list(numpy.asarray(column))
    assert column[-1] == column[4]
    for index in (5, -6):
        with pytest.raises(IndexError):
            column[index]
