//! Pages for `man`: section 1 has the commands and their modes, section 7 what
//! `hyades help TOPIC` tells.

use clap_mangen::Man;

use hyades_cli_commands::cadp::links;

use super::Described;
use super::roff::Page;
use crate::topics::{TOPICS, Topic};
use crate::umbrella;

/// All pages: their paths, and their texts.
pub(super) fn pages(commands: &[Described]) -> Vec<(String, String)> {
    let mut pages = vec![(path("hyades", 1), of_umbrella(commands))];
    for command in commands {
        let name = page_name(command);
        pages.push((path(&name, 1), of_command(command, &name)));
        for (mode, brief) in command.mode_briefs {
            let parser = command.parser.find_subcommand(mode);
            let parser = parser.expect("the briefs are those of the modes");
            let page = of_mode(&name, mode, parser, brief);
            pages.push((path(&format!("{name}-{mode}"), 1), page));
        }
    }
    pages.push((path(LINKS, 1), of_links()));
    let topics = TOPICS.iter();
    pages.extend(topics.map(|topic| (path(&topic_name(topic), 7), of_topic(topic))));
    pages
}

/// The page of `hyades install-links`.
const LINKS: &str = "hyades-install-links";

fn path(name: &str, section: u8) -> String {
    format!("man/man{section}/{name}.{section}")
}

fn page_name(command: &Described) -> String {
    match command.is_behind_hyades {
        true => format!("hyades-{}", command.name),
        false => command.name.to_owned(),
    }
}

fn topic_name(topic: &Topic) -> String {
    format!("hyades-{}", topic.name)
}

/// What a command is, in a line.
fn about(parser: &clap::Command) -> String {
    parser
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn of_command(command: &Described, name: &str) -> String {
    let parser = &command.parser;
    let mut page = begin(name, parser, command.brief);
    if let Some(alias) = command.alias {
        page.put(".PP\n");
        let line = format!("hyades {alias} is another name of hyades {}.", command.name);
        page.line(&line);
    }
    let has_families = parser.is_subcommand_required_set();
    page.section("OPTIONS");
    if has_families {
        let first = parser.get_subcommands().next();
        let first = first.expect("there are families");
        options(&mut page, first, |heading| heading != PARAMETERS);
        families(&mut page, parser);
    } else {
        options(&mut page, parser, |_| true);
    }
    if !command.mode_briefs.is_empty() {
        page.section("MODES");
        for (mode, _) in command.mode_briefs {
            let about = parser.find_subcommand(mode).map(about).unwrap_or_default();
            page.item(&format!("{name} {mode}"), &about);
        }
    }
    end(&mut page, parser, command.brief);
    let modes = command.mode_briefs.iter();
    let modes = modes.map(|(mode, _)| format!("{name}-{mode}"));
    see_also(&mut page, modes.collect(), command.brief);
    page.text()
}

fn of_mode(command: &str, mode: &str, parser: &clap::Command, brief: &str) -> String {
    let mut page = begin(&format!("{command}-{mode}"), parser, brief);
    page.section("OPTIONS");
    options(&mut page, parser, |_| true);
    end(&mut page, parser, brief);
    see_also(&mut page, vec![command.to_owned()], brief);
    page.text()
}

/// NAME, SYNOPSIS and DESCRIPTION.
fn begin(name: &str, parser: &clap::Command, brief: &str) -> Page {
    let mut page = Page::new(name, 1, &about(parser));
    page.section("SYNOPSIS");
    for (k, usage) in usages(brief).into_iter().enumerate() {
        if k > 0 {
            page.put(".br\n");
        }
        page.line(usage);
    }
    page.section("DESCRIPTION");
    let long = parser.get_long_about().or(parser.get_about());
    page.paragraphs(&long.map(ToString::to_string).unwrap_or_default());
    page
}

/// The lines that tell how a command is called.
fn usages(brief: &str) -> Vec<&str> {
    let lines = brief
        .lines()
        .skip_while(|line| !line.starts_with("Usage: "));
    let lines = lines.take_while(|line| !line.is_empty());
    lines
        .map(|line| line.trim_start_matches("Usage: ").trim())
        .collect()
}

const PARAMETERS: &str = "Parameters";

/// The options under each heading that `--help` has, if it `is_there`.
fn options(page: &mut Page, parser: &clap::Command, is_there: impl Fn(&str) -> bool) {
    let mut headings = headings(parser);
    headings.retain(|heading| is_there(heading));
    // What every command has without saying so.
    if !headings.contains(&"") {
        headings.push("");
    }
    for heading in headings {
        page.subsection(if heading.is_empty() { "Help" } else { heading });
        page.put(&group(parser, heading));
    }
}

/// The headings of options that are shown, in their order; empty for none.
fn headings(parser: &clap::Command) -> Vec<&str> {
    let mut headings: Vec<&str> = Vec::new();
    for arg in parser.get_arguments() {
        let heading = arg.get_help_heading().unwrap_or_default();
        if !arg.is_hide_set() && !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    headings
}

/// The options under one heading, without the heading.
fn group(parser: &clap::Command, heading: &str) -> String {
    let is_shown = |arg: &clap::Arg| arg.get_help_heading().unwrap_or_default() == heading;
    let mut shown = parser.clone().mut_args(|arg| {
        let is_hidden = arg.is_hide_set() || !is_shown(&arg);
        short(arg).hide(is_hidden)
    });
    if heading.is_empty() {
        // So that modes have the option, too.
        shown = shown.version(env!("CARGO_PKG_VERSION"));
    } else {
        shown = shown.disable_help_flag(true).disable_version_flag(true);
    }
    let mut bytes = Vec::new();
    let rendered = Man::new(shown).render_options_section(&mut bytes);
    rendered.expect("memory takes all that is written");
    // Its apostrophes are defined at the head of its own pages; empty lines are what makes
    // room.
    let text = String::from_utf8_lossy(&bytes).replace("\\*(Aq", "\\(aq");
    let text = text.replace("\n.br\n\n.br\n", "\n.sp\n");
    let (_, items) = text.split_once("\n.TP\n").unwrap_or_default();
    format!(".TP\n{items}")
}

/// Names of choices that say all about them stand behind the help, as in `--help`.
fn short(arg: clap::Arg) -> clap::Arg {
    let values = arg.get_possible_values();
    let is_plain = values.iter().all(|value| value.get_help().is_none());
    if values.is_empty() || !is_plain || !arg.get_action().takes_values() {
        return arg;
    }
    let names: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
    let help = arg.get_long_help().or(arg.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let help = format!("{help} [possible values: {}]", names.join(", "));
    arg.long_help(help).hide_possible_values(true)
}

/// What `generate` makes, each with its parameters.
fn families(page: &mut Page, parser: &clap::Command) {
    page.section("FAMILIES");
    for family in parser.get_subcommands() {
        let parameters = || {
            let all = family.get_arguments();
            all.filter(|arg| arg.get_help_heading() == Some(PARAMETERS))
        };
        let required = parameters().filter(|arg| arg.is_positional());
        let required = required.map(|arg| arg.get_id().as_str().to_uppercase());
        let words = std::iter::once(family.get_name().to_owned()).chain(required);
        page.subsection(&words.collect::<Vec<_>>().join(" "));
        let long = family.get_long_about().or(family.get_about());
        page.paragraphs(&long.map(ToString::to_string).unwrap_or_default());
        if parameters().next().is_some() {
            page.put(&group(family, PARAMETERS));
        }
    }
}

/// EXIT STATUS and EXAMPLES, from what help ends with.
fn end(page: &mut Page, parser: &clap::Command, brief: &str) {
    let after = parser.get_after_help().map(ToString::to_string);
    let after = after.unwrap_or_default();
    let (example, status) = after.split_once("\n\nExit status:\n").unwrap_or_default();
    page.section("EXIT STATUS");
    for line in status.lines() {
        match line
            .strip_prefix("  ")
            .and_then(|line| line.split_once("  "))
        {
            Some((status, meaning)) => page.item(status, meaning),
            None => {
                if line.starts_with("When") {
                    page.put(".PP\n");
                }
                page.line(line);
            }
        }
    }
    page.section("EXAMPLES");
    let (_, examples) = brief.split_once("\nExamples:\n").unwrap_or_default();
    let (examples, _) = examples.split_once("\n\n").unwrap_or((examples, ""));
    let example = example.trim_start_matches("Example:\n");
    let mut lines: Vec<&str> = examples.lines().map(str::trim).collect();
    let example = example.trim();
    if !lines.contains(&example) {
        lines.push(example);
    }
    page.commands(&lines.join("\n"));
}

/// SEE ALSO: these pages of commands, and those that the last line of `-h` names.
fn see_also(page: &mut Page, mut pages: Vec<String>, brief: &str) {
    pages.push("hyades".into());
    let mut all: Vec<String> = pages.iter().map(|name| format!("{name}(1)")).collect();
    let (_, named) = brief.rsplit_once("hyades help ").unwrap_or_default();
    let words: Vec<&str> = named.trim().split(", ").collect();
    let topics = TOPICS.iter().filter(|topic| words.contains(&topic.name));
    all.extend(topics.map(|topic| format!("{}(7)", topic_name(topic))));
    page.section("SEE ALSO");
    page.line(&all.join(", "));
}

fn of_topic(topic: &Topic) -> String {
    let mut page = Page::new(&topic_name(topic), 7, topic.about);
    page.section("DESCRIPTION");
    let text = (topic.text)();
    match topic.is_table {
        true => page.table(&text),
        false => page.paragraphs(&text),
    }
    if let Some(options) = topic.options {
        let parser = options();
        page.section("OPTIONS");
        for heading in headings(&parser) {
            page.subsection(heading);
            page.put(&group(&parser, heading));
        }
    }
    page.section("SEE ALSO");
    let others = TOPICS.iter().filter(|other| other.name != topic.name);
    let others = others.map(|topic| format!(", {}(7)", topic_name(topic)));
    page.line(&format!("hyades(1){}", others.collect::<String>()));
    page.text()
}

fn of_umbrella(commands: &[Described]) -> String {
    let mut page = Page::new("hyades", 1, "filters for labelled transition systems");
    page.section("SYNOPSIS");
    page.line("hyades NAME [ARGUMENTS]");
    page.put(".br\n");
    page.line("hyades help NAME|TOPIC");
    page.section("DESCRIPTION");
    page.paragraphs(umbrella::DESCRIPTION);
    page.section("COMMANDS");
    for command in commands {
        let mut meaning = about(&command.parser);
        if let Some(alias) = command.alias {
            meaning.push_str(&format!(" (also: hyades {alias})"));
        }
        page.item(&format!("{}(1)", page_name(command)), &meaning);
    }
    page.item(&format!("{LINKS}(1)"), umbrella::ABOUT_LINKS);
    page.section("TOPICS");
    for topic in &TOPICS {
        page.item(&format!("{}(7)", topic_name(topic)), topic.about);
    }
    page.section("COMMANDS OF CADP");
    page.line("With the arguments of CADP's commands, as hyades NAME or by links:");
    page.put(".PP\n");
    page.line(&umbrella::cadp_names().join(", "));
    page.section("COMMANDS OF MCRL2");
    page.line("With the arguments of mCRL2's commands, as hyades NAME or by links:");
    page.put(".PP\n");
    page.line(&umbrella::mcrl2_names().join(", "));
    page.section("EXIT STATUS");
    page.line("That of the command; 2 if there is no such command.");
    page.section("EXAMPLES");
    page.commands(umbrella::EXAMPLE);
    page.section("SEE ALSO");
    let all = commands
        .iter()
        .map(|command| format!("{}(1)", page_name(command)));
    page.line(&all.collect::<Vec<_>>().join(", "));
    page.text()
}

fn of_links() -> String {
    let mut page = Page::new(LINKS, 1, umbrella::ABOUT_LINKS);
    page.section("SYNOPSIS");
    for (k, usage) in links::USAGES.into_iter().enumerate() {
        if k > 0 {
            page.put(".br\n");
        }
        page.line(usage);
    }
    page.section("DESCRIPTION");
    page.paragraphs(&links::about(&umbrella::names()));
    page.section("EXIT STATUS");
    page.item("0", "the links are there");
    page.item(
        "2",
        "wrong usage, or something else has one of the names: then nothing is done",
    );
    page.section("EXAMPLES");
    page.commands(
        "hyades install-links ~/hyades-cadp && PATH=~/hyades-cadp:$PATH sh script\n\
         hyades install-links --own ~/.local/bin",
    );
    see_also(&mut page, Vec::new(), "");
    page.text()
}
