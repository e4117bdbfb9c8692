//! `hyades`: all commands under one name.

/// The pages of `hyades help`, each with the formats that it is on.
const PAGES: [(&[&str], &str); 15] = [
    (&["json"], include_str!("../docs/json.md")),
    (&["aut"], include_str!("../docs/aut.md")),
    (&["bcg"], include_str!("../docs/bcg.md")),
    (&["lts"], include_str!("../docs/lts.md")),
    (&["dot"], include_str!("../docs/dot.md")),
    (&["fsm"], include_str!("../docs/fsm.md")),
    (&["kiss2"], include_str!("../docs/kiss2.md")),
    (&["seq", "trc"], include_str!("../docs/traces.md")),
    (&["exp"], include_str!("../docs/networks.md")),
    (&["toml"], include_str!("../docs/channels.md")),
    (&["tsv"], include_str!("../docs/tsv.md")),
    (&["jsonl"], include_str!("../docs/jsonl.md")),
    (&["graphml"], include_str!("../docs/graphml.md")),
    (&["plts"], include_str!("../docs/plts.md")),
    (&["parquet", "arrow"], include_str!("../docs/columns.md")),
];

fn main() {
    hyades::cli::main(&PAGES)
}
