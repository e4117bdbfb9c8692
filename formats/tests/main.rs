//! Readers and writers on whole files, as one executable.

mod common;

mod aut_files;
mod aut_lines;
mod columns;
mod dialects;
mod discretion;
mod dot_files;
mod fsm_files;
mod graphml;
mod jsonl;
mod kiss2;
mod long_labels;
mod mcrl2_files;
mod sizes;
mod sources;
mod text_round_trips;
mod traces;
mod tsv;
