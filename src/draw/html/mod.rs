//! A scene as one page of HTML that needs nothing else: its data, and a program in
//! JavaScript that paints it on a canvas and answers questions about it.

use std::fmt::Write as _;

use crate::Scene;
use crate::text;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The parts of the program, each of which uses what stands above it.
const PROGRAM: [&str; 13] = [
    include_str!("traces.js"),
    include_str!("lts.js"),
    include_str!("panel.js"),
    include_str!("painter.js"),
    include_str!("view.js"),
    include_str!("drawing.js"),
    include_str!("scene.js"),
    include_str!("details.js"),
    include_str!("step.js"),
    include_str!("replay.js"),
    include_str!("search.js"),
    include_str!("legend.js"),
    include_str!("main.js"),
];

/// The page of a scene, the same bytes every time. It works from a file without a network,
/// which it forbids itself; docs/draw.md tells what it offers. O(bytes).
pub fn html(scene: &Scene) -> String {
    let data = data(scene);
    let mut page = String::with_capacity(data.len() + 100_000);
    let mut rest = PAGE;
    // Names of parts that stand in the data or in the program mean nothing.
    while let Some((before, after)) = rest.split_once('@') {
        let (name, after) = after.split_once('@').expect("names stand between two @");
        page += before;
        match name {
            "TITLE" => page += &text::escaped(&scene.title),
            "STYLE" => page += STYLE,
            "SCENE" => page += &data,
            "PROGRAM" => {
                page += "\"use strict\";\n";
                PROGRAM.iter().for_each(|part| page += part);
            }
            _ => unreachable!("no part is called {name}"),
        }
        rest = after;
    }
    page + rest
}

/// The scene as JSON within a page: nothing in it ends the element that it stands in, or
/// begins a comment there.
fn data(scene: &Scene) -> String {
    let json = scene.json();
    let mut data = String::with_capacity(json.len());
    // These stand in texts alone, where JSON has an escape for each character.
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(data, "\\u{:04x}", u32::from(c));
            }
            c => data.push(c),
        }
    }
    data
}
