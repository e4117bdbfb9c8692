//! A system to test from outside: the machine of `coffee.dot`, over standard input
//! and output, or at a port:
//!
//! ```sh
//! cargo run --example black_box
//! cargo run --example black_box -- --listen 127.0.0.1:7777
//! ```
//!
//! Each input is a line, and so is each output. `RESET` brings it back to its initial
//! state, and is answered with `OK`. With `--faulty`, a tea is for free if there are
//! two coins in it. `coffee.sh` beside this file is the same in another language.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpListener;

/// The machine.
struct Coffee {
    coins: u32,
    faulty: bool,
}

impl Coffee {
    fn answer(&mut self, input: &str) -> String {
        match (input, self.coins) {
            ("coin", 2) => return "full".into(),
            ("coin", _) => self.coins += 1,
            ("tea", 1..) => {
                if !(self.faulty && self.coins == 2) {
                    self.coins -= 1;
                }
                return "tea".into();
            }
            ("coffee", 2) => {
                self.coins = 0;
                return "coffee".into();
            }
            ("tea" | "coffee", _) => return "no".into(),
            ("back", coins) => {
                self.coins = 0;
                return coins.to_string();
            }
            _ => return format!("unknown input {input}"),
        }
        "ok".into()
    }
}

/// Answers until the inputs end.
fn serve(inputs: impl BufRead, mut outputs: impl Write, faulty: bool) -> io::Result<()> {
    let mut coffee = Coffee { coins: 0, faulty };
    for line in inputs.lines() {
        let answer = match line?.as_str() {
            "RESET" => {
                coffee.coins = 0;
                "OK".into()
            }
            input => coffee.answer(input),
        };
        // A whole line at once, and at once: the other side waits for it.
        outputs.write_all(format!("{answer}\n").as_bytes())?;
        outputs.flush()?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let faulty = arguments.iter().any(|argument| argument == "--faulty");
    let Some(listen) = arguments.iter().position(|argument| argument == "--listen") else {
        return serve(io::stdin().lock(), io::stdout(), faulty);
    };
    let address = arguments
        .get(listen + 1)
        .map_or("127.0.0.1:0", String::as_str);
    let listener = TcpListener::bind(address)?;
    // Port 0 stands for one that is free.
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        serve(BufReader::new(&stream), &stream, faulty)?;
    }
}
