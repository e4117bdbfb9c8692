//! A scene as one page of HTML that needs nothing else: its data, and a program in
//! JavaScript that paints it on a canvas and answers questions about it.

mod data;

use std::fmt::Write as _;

use crate::Scene;
use crate::scene::{CLASS_FILLS, CLASS_FILLS_ON_DARK};
use crate::text;

const PAGE: &str = include_str!("page.html");
pub(crate) const STYLE: &str = include_str!("page.css");
/// The parts of the program, each of which uses what stands above it.
const PROGRAM: [&str; 15] = [
    include_str!("data.js"),
    include_str!("traces.js"),
    include_str!("lts.js"),
    include_str!("panel.js"),
    include_str!("painter.js"),
    include_str!("view.js"),
    include_str!("drawing.js"),
    include_str!("folding.js"),
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
                let fills = [CLASS_FILLS, CLASS_FILLS_ON_DARK];
                let _ = writeln!(page, "const CLASS_FILLS = {fills:?};");
                PROGRAM.iter().for_each(|part| page += part);
            }
            _ => unreachable!("no part is called {name}"),
        }
        rest = after;
    }
    page + rest
}

/// The data of a scene within a page: nothing in them ends the element that they stand in,
/// or begins a comment there.
fn data(scene: &Scene) -> String {
    let json = data::json(scene);
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

#[cfg(test)]
mod tests {
    use super::data::tests::unpacked;
    use super::*;
    use crate::scene::Layout;
    use crate::{Drawing, Part, Shown, draw};
    use hyades_formats::{LtsBuilder, StateId};
    use serde_json::Value;

    fn scene(title: &str, labels: &[&[u8]]) -> Scene {
        let mut builder = LtsBuilder::new(labels.len() as u64 + 1);
        for (state, label) in (0..).zip(labels) {
            builder.add_text(state, label, state + 1).unwrap();
        }
        let lts = builder.build(StateId::new(0)).unwrap();
        let drawing = Drawing::new(&lts, title);
        draw(&drawing).unwrap()
    }

    /// What stands in the element of the data.
    fn embedded(page: &str) -> &str {
        let (_, rest) = page.split_once("id=\"scene\">").unwrap();
        rest.split_once("</script>").unwrap().0
    }

    #[test]
    fn the_data_read_back_are_the_scene() {
        let hostile: [&[u8]; 9] = [
            b"</script><script>throw 1</script>",
            b"<!--",
            b"\xff\xfe",
            "\u{2028}".as_bytes(),
            b"@SCENE@",
            b"@",
            b"\\u003c",
            b"&lt;",
            b"\"quoted\"",
        ];
        let scene = scene("</title>@TITLE@ & <b>", &hostile);
        let page = html(&scene);
        let data = embedded(&page);
        assert!(!data.contains(['<', '>', '&', '\u{2028}']));
        let read = unpacked(serde_json::from_str(data).unwrap());
        assert_eq!(read, serde_json::from_str::<Value>(&scene.json()).unwrap());
        assert!(page.contains("<title>&lt;/title&gt;@TITLE@ &amp; &lt;b&gt;</title>"));
        assert_eq!(page, html(&scene));
    }

    #[test]
    fn nothing_is_loaded() {
        let page = html(&scene("a", &[b"a"]));
        for sign in ["http://", "https://", "src=", "@import", "url(", "fetch("] {
            let name = "http://www.w3.org/2000/svg";
            assert!(!page.replace(name, "").contains(sign), "{sign}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    /// What grows is numbers: a state takes some ten bytes, a transition some twenty.
    #[test]
    fn thousands_of_states_take_less_than_a_megabyte() {
        let (states, transitions) = (5_000_u32, 20_000_u32);
        let mut builder = LtsBuilder::new(u64::from(states));
        for k in 0..transitions {
            // Jumps as wide as the whole.
            let target = k.wrapping_mul(2_654_435_761) >> 16;
            let label = format!("PUT !{}", k % 97);
            let added = builder.add_text(k % states, label.as_bytes(), target % states);
            added.unwrap();
        }
        let lts = builder.build(StateId::new(0)).unwrap();
        let scene = draw(&Drawing::new(&lts, "random")).unwrap();
        assert_eq!(scene.layout, Layout::Force);
        let page = html(&scene);
        assert!(page.len() <= 700_000, "{}", page.len());
    }

    /// Its steps are numbers, too.
    #[test]
    fn a_long_trace_takes_less_than_two_megabytes() {
        let mut cycle = LtsBuilder::new(10);
        let mut chain = LtsBuilder::new(100_001);
        for step in 0..100_000 {
            let label = format!("step {}", step % 10);
            let around = (step % 10, (step + 1) % 10);
            if step < 10 {
                cycle
                    .add_text(around.0, label.as_bytes(), around.1)
                    .unwrap();
            }
            chain.add_text(step, label.as_bytes(), step + 1).unwrap();
        }
        let [cycle, chain] = [cycle, chain].map(|lts| lts.build(StateId::new(0)).unwrap());
        let shown = Shown {
            lts: &chain,
            name: "long.seq",
            differs: false,
            sequences: &[],
        };
        let parts = [Part::of(&cycle, shown)];
        let mut drawing = Drawing::new(&cycle, "cycle");
        drawing.parts = &parts;
        let scene = draw(&drawing).unwrap();
        assert_eq!(scene.traces[0].steps.len(), 100_000);
        let page = html(&scene);
        assert!(page.len() <= 1_000_000, "{}", page.len());
        let read = unpacked(serde_json::from_str(embedded(&page)).unwrap());
        assert_eq!(read, serde_json::from_str::<Value>(&scene.json()).unwrap());
    }

    #[test]
    fn a_million_states_take_two_megabytes_at_most() {
        let states = 1_000_000;
        let mut builder = LtsBuilder::new(states);
        for state in 1..states as u32 {
            builder.add_text((state - 1) / 3, b"a", state).unwrap();
        }
        let lts = builder.build(StateId::new(0)).unwrap();
        let drawing = Drawing::new(&lts, "tree");
        let page = html(&draw(&drawing).unwrap());
        assert!(page.len() <= 2_000_000, "{}", page.len());
    }
}
