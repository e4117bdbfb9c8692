//! `transcode`: from one format or compression to another.
//!
//! Reads the whole system into memory (about 12 bytes a transition), then
//! writes it.

use clap::Parser;
use hyades_cli_core::{
    Asks, Command, Epilogue, Failure, FilterOptions, RunOptions, Session, Status,
};

const EPILOGUE: Epilogue = Epilogue {
    example: "curl -s https://example.org/big.aut.xz | transcode --canonical -o big.aut.zst",
    asks: Asks::Nothing,
    open: Epilogue::MEMORY,
};

/// Convert an LTS between formats and compressions
///
/// Transitions are grouped by source, otherwise in the order of the input, duplicates
/// included. States keep their numbers, but DOT, FSM and KISS2 put the initial one first,
/// .lts does so if no transition mentions it, and BCG numbers states breadth first without
/// --keep-order; --canonical sorts, so that equal systems give equal files. The formats
/// are named at --from and --to; parquet and arrow are among them in builds with
/// the feature `columns`.
#[derive(Parser)]
#[command(name = "transcode", after_help = EPILOGUE.text())]
pub struct Transcode {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Command for Transcode {
    const NAME: &'static str = "transcode";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.filter.output(session, &[])?;
        let lts = self.filter.read(session)?;
        session.write(&output, &lts)?;
        Ok(Status::Holds)
    }
}
