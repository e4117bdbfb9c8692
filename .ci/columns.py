"""Opens testdata/vending.aut, in every format that .ci/columns has made of it,
as a user would; and writes tables back. Run by .ci/columns."""

import json

import duckdb
import networkx
import pandas
import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet

STATES, TRANSITIONS = 8, 10
LABELS = {"COIN !1": 3, "i": 3, "TEA": 2, "COFFEE": 1, "REFUND !2": 1}


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"columns: {what}: found {found}, expected {expected}")
    print(f"columns: {what}")


def counts(frame):
    return {label: count for label, count in frame}


# DuckDB
query = "SELECT label, count(*) FROM 'vending.parquet' GROUP BY label"
check("DuckDB, Parquet", counts(duckdb.sql(query).fetchall()), LABELS)
query = "SELECT decode(value) FROM parquet_kv_metadata('vending.parquet') WHERE decode(key) = 'lts.states'"
check("DuckDB, metadata", duckdb.sql(query).fetchall(), [(str(STATES),)])
query = "SELECT label, count(*) FROM read_csv('vending.tsv', skip = 1, delim = '\t', quote = '', escape = '', names = ['src', 'label', 'dst']) GROUP BY label"
check("DuckDB, TSV", counts(duckdb.sql(query).fetchall()), LABELS)
duckdb.sql("COPY (FROM 'vending.parquet') TO 'duckdb.parquet'")

# Polars
for name, frame in {
    "Parquet": polars.read_parquet("vending.parquet"),
    "Arrow": polars.read_ipc("vending.arrow"),
    "Arrow stream": polars.read_ipc_stream("stream.arrow"),
    "TSV": polars.read_csv("vending.tsv", separator="\t", skip_rows=1, has_header=False, quote_char=None, new_columns=["src", "label", "dst"]),
}.items():
    found = frame.with_columns(polars.col("label").cast(polars.String)).group_by("label").len()
    check(f"Polars, {name}", counts(found.iter_rows()), LABELS)
    check(f"Polars, {name}, sources", frame["src"].to_list(), [0, 1, 1, 1, 2, 2, 2, 3, 6, 7])
frame = polars.read_parquet("vending.parquet")
frame.write_parquet("polars.parquet")
frame.write_ipc("polars.arrow")

# pandas and pyarrow
frame = pandas.read_parquet("vending.parquet")
check("pandas, Parquet", frame["label"].astype(str).value_counts().to_dict(), LABELS)
frame.to_parquet("pandas.parquet")
frame = pandas.read_feather("vending.arrow")
check("pandas, Arrow", frame["label"].astype(str).value_counts().to_dict(), LABELS)
table = pyarrow.parquet.read_table("vending.parquet")
check("pyarrow, metadata", table.schema.metadata[b"lts.transitions"], str(TRANSITIONS).encode())
with pyarrow.ipc.open_stream("stream.arrow") as stream:
    check("pyarrow, Arrow stream", stream.read_all().num_rows, TRANSITIONS)
options = pyarrow.ipc.IpcWriteOptions(compression="lz4")
with pyarrow.ipc.new_file("pyarrow.arrow", table.schema, options=options) as file:
    file.write_table(table, max_chunksize=3)

# JSON Lines, without any library
with open("vending.jsonl", encoding="utf-8") as lines:
    head, *edges = map(json.loads, lines)
check("JSON Lines", (head["states"], head["transitions"], len(edges)), (STATES, TRANSITIONS, TRANSITIONS))

# networkx
graph = networkx.read_graphml("vending.graphml", force_multigraph=True)
check("networkx, GraphML", (graph.number_of_nodes(), graph.number_of_edges()), (STATES, TRANSITIONS))
check("networkx, label", graph.edges["n0", "n1", 0]["label"], "COIN !1")
check("networkx, initial", [n for n, initial in graph.nodes(data="initial") if initial], ["n0"])
