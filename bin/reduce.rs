//! `reduce`: see the module of this name in `src/cli/commands`.

fn main() {
    hyades::cli::core::main::<hyades::cli::commands::reduce::Reduce>()
}
