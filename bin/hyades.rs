//! `hyades`: all commands under one name.

fn main() {
    hyades::cli::commands::hyades::main()
}
