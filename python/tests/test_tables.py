"""Arrow streams to and from other packages, arrays, graphs."""

from __future__ import annotations

import collections.abc
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
        ({"src": [None, None], "label": ["a", "b"], "dst": [0, 1]}, "found Null"),
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
        ("lts.hidden", '["i"'),
        ("lts.hidden", "[1]"),
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


def test_rows_without_a_value_in_the_dictionary() -> None:
    texts = pyarrow.array(["a", None])
    for keys, fits in ([0, 0], True), ([0, 1], False):
        label = pyarrow.DictionaryArray.from_arrays(pyarrow.array(keys, pyarrow.int8()), texts)
        table = pyarrow.table({"src": [0, 1], "label": label, "dst": [1, 0]})
        if fits:
            assert hyades.LTS.from_arrow(table).labels == ["i", "a"]
        else:
            with pytest.raises(ValueError, match="column label: a row has no value"):
                hyades.LTS.from_arrow(table)


@pytest.mark.parametrize("name", ["\u03c4", "a,b", 'a"b', "a\\b", "[a]", "\n", ""])
def test_hidden_labels_of_metadata(name: str) -> None:
    for escapes in (True, False):
        hidden = json.dumps([name, "x"], ensure_ascii=escapes)
        table = pyarrow.table({"src": [0, 1, 2], "label": [name, "x", "i"], "dst": [1, 2, 0]})
        lts = hyades.LTS.from_arrow(table.replace_schema_metadata({"lts.hidden": hidden}))
        assert lts == hyades.LTS.from_transitions(
            [(0, "h", 1), (1, "h", 2), (2, "i", 0)], hidden="h"
        )


def test_empty_frames() -> None:
    names = ("src", "label", "dst")
    for frame in (
        polars.DataFrame({name: [] for name in names}),
        polars.DataFrame(schema=dict(zip(names, (polars.UInt8, polars.String, polars.Int64)))),
        pyarrow.table({name: [] for name in names}),
        pandas.DataFrame({name: [] for name in names}).astype({"label": "str"}).astype(
            {"src": "int64", "dst": "int64"}
        ),
    ):
        assert hyades.LTS.from_arrow(frame, states=2) == hyades.LTS.from_transitions([], states=2)


def columns() -> list[hyades.Column]:
    """Of each kind that there is."""
    own = hyades.minimize(random_lts(1), classes=True).classes
    return [own, *(column for seed in range(5) for column in random_lts(seed)._columns())]


def test_columns_are_sequences() -> None:
    for column in columns():
        values = column.tolist()
        assert isinstance(column, collections.abc.Sequence)
        assert list(column) == values and list(reversed(column)) == values[::-1]
        for cut in (slice(None), slice(1, -1), slice(None, None, -2), slice(7, 2), slice(-3, 99)):
            assert isinstance(column[cut], hyades.Column) and list(column[cut]) == values[cut]
        for value in {*values, 77, -1, 2**40, "a"}:
            assert (value in column) == (value in values)
            assert column.count(value) == values.count(value)
            if value in values:
                assert column.index(value) == values.index(value)
                assert column.index(value, -len(values)) == values.index(value)
            else:
                with pytest.raises(ValueError, match="is not in the column"):
                    column.index(value)


def test_columns_are_equal_by_their_values() -> None:
    for one in columns():
        assert one == one[:] and not one != one[:]
        for other in columns():
            assert (one == other) == (one.tolist() == other.tolist())
        assert one != one.tolist() and one != one[:-1] or not len(one)
        assert (one == numpy.asarray(one)).all()
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)


def test_columns_become_columns_of_others() -> None:
    for column in columns():
        values = column.tolist()
        frame = pandas.DataFrame({"state": range(len(values))})
        frame["cls"] = column
        made = [
            frame["cls"],
            pandas.Series(column),
            polars.Series("c", column),
            polars.DataFrame({"c": column})["c"],
            numpy.array(column),
            pyarrow.array(column, pyarrow.uint32()).to_numpy(),
            pyarrow.table({"c": column})["c"].to_numpy(),
        ]
        assert all(list(one) == values for one in made)
        assert frame["cls"].dtype == numpy.asarray(column).dtype == numpy.uint32
        wide = column.__array__("int64")
        assert wide.dtype == numpy.int64 and wide.tolist() == values
        assert column.__array__(copy=True).flags.writeable
        assert not column.__array__().flags.writeable
