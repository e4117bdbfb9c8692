//! The commands as users run them, and the library as a whole.
//!
//! One executable, so that its parts are linked once and run beside one another:
//! `cargo test --test commands reach::` runs those of `tests/reach.rs`.

mod util;

mod architecture;
mod bcg;
mod black_box;
mod cadp;
mod cadp_open;
mod channels;
mod check;
mod check_mcf;
#[cfg(feature = "cluster")]
mod cluster;
mod corpus;
mod describe;
mod dot;
mod draw;
mod equiv;
mod examples;
mod exit_status;
mod external;
mod fsm;
mod generate;
mod hostile;
mod hyades;
mod internal_error;
mod json;
mod kernel;
mod kernel_check;
mod kernel_symmetry;
mod kiss2;
mod known_counts;
mod known_kernels;
mod limits;
mod lts;
mod manual;
mod mcrl2;
mod minimize;
mod model;
mod moore;
mod networks;
mod options;
mod outputs;
mod pipes;
mod plts;
mod reach;
mod readme;
mod reduce;
mod reductions;
mod refine;
mod relabel;
mod signals;
mod streams;
mod svl;
mod symmetry;
mod tables;
mod tau;
mod terminal;
mod threads;
mod traces;
mod transcode;
mod wmethod;
mod wmethod_suites;
