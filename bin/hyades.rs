//! `hyades`: all commands under one name.

/// The pages of `hyades help`, each with the formats that it is on.
const PAGES: [(&[&str], &str); 10] = [
    (&["json"], include_str!("../docs/json.md")),
    (&["aut"], include_str!("../docs/aut.md")),
    (&["bcg"], include_str!("../docs/bcg.md")),
    (&["lts"], include_str!("../docs/lts.md")),
    (&["dot"], include_str!("../docs/dot.md")),
    (&["fsm"], include_str!("../docs/fsm.md")),
    (&["seq", "trc"], include_str!("../docs/traces.md")),
    (&["exp"], include_str!("../docs/networks.md")),
    (&["toml"], include_str!("../docs/channels.md")),
    (
        &["tsv", "jsonl", "graphml", "parquet", "arrow"],
        include_str!("../docs/tables.md"),
    ),
];

fn main() {
    hyades::cli::main(&PAGES)
}
