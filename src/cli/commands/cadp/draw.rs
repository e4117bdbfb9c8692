//! `bcg_draw`: draws.

use std::path::Path;

use hyades_draw::{Drawing, draw};
use hyades_formats::diagnostic::printable_path;

use super::{Arguments, Kind, Tool, bcg_input, read, unsupported};
use hyades_cli_core::{Destination, Failure, Session};

pub const TOOL: Tool = Tool {
    name: "bcg_draw",
    usage: "[OPTIONS] INPUT[.bcg] [OUTPUT.svg|OUTPUT.html|OUTPUT.dot]",
    kind: Kind::Files(run),
};

/// Writes INPUT.svg, or OUTPUT in the format of its ending; nothing is shown on a screen.
fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    while let Some(option) = arguments.option() {
        if option == "-ps" {
            return Err(unsupported(&option));
        }
        if !arguments.common(session, &option, false)? {
            return Err(arguments.unknown(&option));
        }
    }
    let unnamed = arguments.wrong("what is read from standard input needs an OUTPUT");
    let operands = arguments.operands(1, 2)?;
    let input = bcg_input(&operands[0]);
    let output = match operands.get(1) {
        Some(output) => Path::new(output).to_owned(),
        None if input == Path::new("-") => return Err(unnamed),
        None => input.with_extension("svg"),
    };
    let ending = output.extension().and_then(|ending| ending.to_str());
    let (format, render): (_, fn(&hyades_draw::Scene) -> String) = match ending {
        Some("svg") => ("svg", hyades_draw::svg),
        Some("html") => ("html", hyades_draw::html),
        Some("dot") => ("dot", hyades_draw::dot),
        _ => {
            return Err(Failure::error(format!(
                "{}: expected a name that ends in .svg, .html or .dot",
                printable_path(&output)
            )));
        }
    };
    let destination = Destination::new(&output)?;
    session.check_outputs(&[&input], &[&destination])?;
    let lts = read(session, &input, None)?;
    let title = printable_path(input.file_name().unwrap_or_default());
    let drawing = Drawing::new(&lts, &title);
    let scene = session.phase("layout", |_| {
        draw(&drawing).map_err(|error| Failure::error(error.to_string()))
    })?;
    session.write_text(&destination, format, render(&scene).as_bytes())
}
