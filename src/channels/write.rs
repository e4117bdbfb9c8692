//! Writing system files.

use std::fmt::Write;

use hyades_formats::{self as formats, WriteOptions};

use super::event::Channel;
use super::file::{FORMAT, behaviour};
use super::system::System;

impl System {
    /// The text of a system file with the behaviours of all components in it, which
    /// [`SystemFile`](super::SystemFile) reads back. States keep their numbers.
    pub fn to_text(&self) -> String {
        let mut text = format!("format = {}\n", quoted(FORMAT));
        if !self.name.is_empty() {
            let _ = writeln!(text, "name = {}", quoted(&self.name));
        }
        for id in self.components() {
            let name = self.component_name(id);
            let _ = write!(text, "\n[[component]]\nname = {}\n", quoted(name));
            let _ = writeln!(text, "aut = {}", many_lines(&self.aut(id)));
        }
        for channel in self.channels().iter() {
            text.push_str(&self.channel_table(channel));
        }
        text
    }

    /// The behaviour of a component in the format AUT.
    pub fn aut(&self, id: super::ComponentId) -> String {
        let lts = self.lts(id);
        let mut bytes = Vec::new();
        let options = WriteOptions::default();
        formats::write_lts(
            &lts,
            formats::Format::Aut,
            &mut bytes,
            &options,
            &mut |_| {},
        )
        .expect("labels begin with a sign, so that none reads like the hidden action");
        String::from_utf8(bytes).expect("labels are text")
    }

    /// The behaviour of a component as an LTS. States keep their numbers.
    pub fn lts(&self, id: super::ComponentId) -> formats::Lts {
        behaviour(self.machine(id), &self.vocabulary(id))
    }

    fn channel_table(&self, channel: &Channel) -> String {
        let mut text = format!("\n[[channel]]\nname = {}\n", quoted(&channel.name));
        for (key, end) in [("from", channel.from), ("to", channel.to)] {
            if let Some(id) = end {
                let _ = writeln!(text, "{key} = {}", quoted(self.component_name(id)));
            }
        }
        if let Some(capacity) = channel.capacity {
            let _ = writeln!(text, "capacity = {capacity}");
        }
        let messages: Vec<String> = channel.messages.iter().map(|name| quoted(name)).collect();
        let _ = writeln!(text, "messages = [{}]", messages.join(", "));
        text
    }
}

/// A string of TOML on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A string of TOML on several lines: as it is, if TOML can have it so.
fn many_lines(text: &str) -> String {
    let is_plain = !text.contains("'''") && !text.chars().any(|c| c.is_control() && c != '\n');
    match is_plain {
        true => format!("'''\n{text}'''"),
        false => quoted(text),
    }
}
