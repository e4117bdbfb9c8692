//! `draw`: pictures of labelled transition systems, machines and networks.

mod classes;
mod machines;
mod networks;

use std::path::{Path, PathBuf};

use clap::Parser;
use hyades_draw::scene::{Kind, Layout, Scene};
use hyades_draw::{DrawError, Drawing, Part, Shown, draw, names};
use hyades_equivalence::{Criterion, IsStrong, Kept, minimize_observed};
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::{Format, Lts, StateId, named};

use hyades_cli_core::choices::one_of;
use hyades_cli_core::options::classes_help;
use hyades_cli_core::{
    Asks, Command, Destination, DialectOption, Epilogue, Failure, InputOption, ReadOptions,
    RelationOption, RunOptions, Session, Status, TextOption, Unit, check_quotient, show_lts,
};
use machines::machine;

const EPILOGUE: Epilogue = Epilogue {
    example: "minimize -e branching big.aut.gz | draw --layout force -o small.html",
    asks: Asks::Nothing,
    open: Epilogue::MEMORY,
};

/// Draw an LTS, a Mealy or Moore machine or a network: SVG, DOT, HTML
///
/// Up to 300 states are drawn in layers by their distance from the initial state, up to
/// 5,000 by forces, and larger systems as a tree of groups by rank: states with the same
/// distance from the initial one that are connected through states farther away. Which of
/// these it is stands in the picture. Transitions between the same states are one edge with
/// a line for each label; hidden ones are dashed, deadlocks red squares. States bear the
/// names that DOT and FSM have for them. A network (.exp) becomes a diagram of its
/// components and of the gates at which they synchronise; `reach` makes an LTS of it. Of
/// machines, edges are `input / output`; of Moore machines the outputs stand in the states,
/// and accepting states of automata are double circles. The same input gives the same bytes.
#[derive(Parser)]
#[command(name = "draw", after_help = EPILOGUE.text())]
pub struct Draw {
    /// How nodes are placed: layered, by forces, or as groups of states by rank [default: by
    /// size]
    #[arg(long, value_name = "NAME", help_heading = "Picture", value_parser = one_of::<LayoutName, _>(LayoutName::ALL.map(LayoutName::name)))]
    layout: Option<LayoutName>,

    /// Draw the quotient by the equivalence of -e; -e alone implies this
    #[arg(long, help_heading = "Picture", conflicts_with_all = ["classes", "mealy", "moore"])]
    quotient: bool,

    #[command(flatten)]
    relation: RelationOption,

    #[arg(long, value_name = "FILE", help_heading = "Picture", help = classes_help(), conflicts_with = "equivalence")]
    classes: Option<PathBuf>,

    /// Make one node of each class of --classes
    #[arg(long, help_heading = "Picture", requires = "classes")]
    fold: bool,

    /// Mark where the trace in FILE leads, or each of its sequences, as far as it is possible
    /// (repeatable); with hidden steps in between if it needs them. A page of HTML replays it
    #[arg(long, value_name = "FILE", help_heading = "Picture")]
    trace: Vec<PathBuf>,

    /// Mark the evidence in FILE that `check -o` wrote, or any other part of the input
    /// (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Picture")]
    evidence: Vec<PathBuf>,

    /// Mark the difference in FILE that `equiv -o` wrote, an LTS or a trace (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Picture")]
    difference: Vec<PathBuf>,

    #[command(flatten)]
    output: TextOption,

    /// Write this format [default: the one of OUTPUT's ending; svg if it has none]
    #[arg(long, value_name = "FORMAT", help_heading = "Output", value_parser = one_of::<Picture, _>(Picture::ALL.map(Picture::name)))]
    to: Option<Picture>,

    #[command(flatten)]
    input: InputOption,
    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    run: RunOptions,
}

/// Formats of pictures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Picture {
    Svg,
    Dot,
    Html,
    Json,
}

named!(Picture, "format of pictures": Svg = "svg", Dot = "dot" | "gv", Html = "html" | "htm", Json = "json");

/// Values of `--layout`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LayoutName {
    Layered,
    Force,
    Clusters,
}

named!(LayoutName, "layout": Layered = "layered", Force = "force", Clusters = "clusters");

impl From<LayoutName> for Layout {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Layered => Layout::Layered,
            LayoutName::Force => Layout::Force,
            LayoutName::Clusters => Layout::Clusters,
        }
    }
}

impl Command for Draw {
    const NAME: &'static str = "draw";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.output.get()?;
        let picture = self.picture()?;
        session.tell_no_writing("draw writes a picture");
        if self.is_quotient() {
            self.check_relation()?;
        }
        self.check_files(session, &destination)?;
        let scene = match self.is_network()? {
            true => self.network(session)?,
            false => self.system(session)?,
        };
        for text in &scene.told {
            session.note(text);
        }
        session.add_figure("layout", layout_name(scene.layout));
        session.add_figure("nodes", scene.nodes.len());
        session.add_figure("edges", scene.edges.len());
        let text = session.phase("render", |_| {
            Ok(match picture {
                Picture::Svg => hyades_draw::svg(&scene),
                Picture::Dot => hyades_draw::dot(&scene),
                Picture::Html => hyades_draw::html(&scene),
                Picture::Json => scene.json() + "\n",
            })
        })?;
        session.write_text(&destination, picture.name(), text.as_bytes())?;
        Ok(Status::Holds)
    }
}

impl Draw {
    /// The format of the output.
    fn picture(&self) -> Result<Picture, Failure> {
        let ending = || {
            let path = self.output.path()?;
            let ending = path.extension()?.to_str()?.to_ascii_lowercase();
            Some((path, ending))
        };
        match (self.to, ending()) {
            (Some(picture), _) => Ok(picture),
            (None, None) => Ok(Picture::Svg),
            (None, Some((path, ending))) => Picture::from_name(&ending).ok_or_else(|| {
                let hint = match (Format::from_path(path), &*ending) {
                    (Some(_), _) => "; an LTS is written by transcode",
                    (None, "pdf" | "png" | "ps" | "eps") => {
                        "; rsvg-convert makes PDF and PNG of SVG, dot of DOT"
                    }
                    (None, _) => "",
                };
                Failure::error(format!(
                    "{}: pictures are written as {} (or name the format with --to){hint}",
                    printable_path(path),
                    Picture::ALL.map(|p| format!(".{p}")).join(", "),
                ))
            }),
        }
    }

    /// All files that are read besides INPUT.
    fn others(&self) -> impl Iterator<Item = &Path> + Clone {
        let marks = self
            .trace
            .iter()
            .chain(&self.evidence)
            .chain(&self.difference);
        marks.chain(&self.classes).map(PathBuf::as_path)
    }

    fn check_files(&self, session: &mut Session, output: &Destination) -> Result<(), Failure> {
        let all = self.others().chain([self.input.input.as_path()]);
        // A picture says less than what it shows.
        session.check_spares(output, all.clone().collect::<Vec<_>>())?;
        match all.filter(|path| *path == Path::new("-")).count() {
            0 | 1 => Ok(()),
            _ => Err(Failure::error(
                "only one of the inputs can be standard input",
            )),
        }
    }

    /// Whether INPUT is a network, of which the diagram is drawn.
    fn is_network(&self) -> Result<bool, Failure> {
        let named = || Format::from_path(&self.input.input);
        Ok(self.read.from()?.or_else(named) == Some(Format::Exp))
    }

    fn title(&self) -> String {
        match self.input.input == Path::new("-") {
            true => "standard input".to_owned(),
            false => printable_path(self.input.input.file_name().unwrap_or_default()),
        }
    }

    /// Whether the quotient is drawn.
    fn is_quotient(&self) -> bool {
        self.quotient || self.relation.is_given()
    }

    /// The diagram of a network.
    fn network(&self, session: &mut Session) -> Result<Scene, Failure> {
        if let Some(option) = self.about_states() {
            return Err(Failure::error(format!(
                "{option} is about the states of an LTS, and {} is a network, drawn as a diagram \
                 of its components: reach makes an LTS of it",
                printable_path(&self.input.input)
            )));
        }
        let options = self.read.network(&self.dialect, Some(&self.input.input));
        let network = session.read_network(&self.input.input, &options)?;
        let diagram = networks::diagram(&network, self.title(), self.dialect.shown_hidden());
        session.phase("layout", |_| Ok(diagram.scene()))
    }

    /// The first option that is given and is about states.
    fn about_states(&self) -> Option<&'static str> {
        hyades_cli_core::choices::first_given([
            (self.layout.is_some(), "--layout"),
            (self.is_quotient(), "--quotient"),
            (self.classes.is_some(), "--classes"),
            (!self.trace.is_empty(), "--trace"),
            (!self.evidence.is_empty(), "--evidence"),
            (!self.difference.is_empty(), "--difference"),
        ])
    }

    /// The picture of an LTS or a machine.
    fn system(&self, session: &mut Session) -> Result<Scene, Failure> {
        let marks = [&self.trace, &self.evidence, &self.difference];
        session.expect_inputs(1 + marks.iter().map(|files| files.len()).sum::<usize>());
        let lts = session.read(&self.input.input, &self.read, &self.dialect)?;
        let (lts, title) = match self.is_quotient() {
            true => {
                let title = format!("{}, quotient by {}", self.title(), self.relation.get());
                (self.quotient(session, lts)?, title)
            }
            false => (lts, self.title()),
        };
        let classes = match &self.classes {
            Some(path) => classes::read(session, path, lts.states())?,
            None => Vec::new(),
        };
        let machine = machine(&lts, self.dialect.mealy())
            .map_err(|error| Failure::error(format!("{}: {error}", self.title())))?;
        // Outputs of states have moved: states and transitions are other ones.
        if machine
            .as_ref()
            .is_some_and(|machine| machine.kind != Kind::Mealy)
            && self.others().next().is_some()
        {
            return Err(Failure::error(
                "--trace, --evidence, --difference and --classes are about the transitions of \
                 an LTS, which transcode makes of INPUT with the same options: draw that",
            ));
        }
        let mut parts = Vec::new();
        let files = self.trace.iter().map(|path| (path, false));
        let files = files.chain(self.evidence.iter().map(|path| (path, false)));
        for (path, differs) in files.chain(self.difference.iter().map(|path| (path, true))) {
            parts.push(self.part(session, &lts, path, differs)?);
        }
        let own = match machine {
            Some(_) => Vec::new(),
            None => names(&lts),
        };
        let (lts, states, accepting, kind) = match &machine {
            Some(of) => (&of.lts, &of.states[..], &of.accepting[..], of.kind),
            None => (&lts, &own[..], &[][..], Kind::Lts),
        };
        let drawing = Drawing {
            lts,
            title: &title,
            kind,
            hidden: self.dialect.shown_hidden(),
            layout: self.layout.map(Layout::from),
            states,
            accepting,
            classes: &classes,
            fold: self.fold,
            parts: &parts,
        };
        session.phase("layout", |_| {
            draw(&drawing).map_err(|error| {
                let otherwise = match error {
                    DrawError::TooManyForLayers { fits_forces: true } => {
                        "--layout force or clusters"
                    }
                    DrawError::TooManyForLayers { fits_forces: false }
                    | DrawError::TooManyForForce => "--layout clusters",
                };
                Failure::error(format!("{error}: {otherwise}"))
            })
        })
    }

    /// Refuses relations whose quotient cannot be drawn.
    fn check_relation(&self) -> Result<(), Failure> {
        let relation = self.relation.get();
        check_quotient(relation)?;
        match relation.has_strong_labels() {
            false => Ok(()),
            true => Err(Failure::error(format!(
                "{relation} depends on which labels are strong, which draw is not told: draw what \
                 `minimize -e {relation} --strong-labels FILE INPUT` writes, or INPUT with the \
                 classes that its --classes writes (draw --classes)"
            ))),
        }
    }

    fn quotient(&self, session: &mut Session, lts: Lts) -> Result<Lts, Failure> {
        let relation = self.relation.get();
        let is_strong: &IsStrong<'_> = &|_| false;
        let criterion = Criterion {
            relation,
            is_strong,
            max_states: StateId::MAX_COUNT,
        };
        session.phase("minimize", |phase| {
            let what = format!("minimizing, {relation}");
            let mut bar = phase.progress(&what, Unit::None, None).refined(what);
            let minimal = minimize_observed(lts, criterion, Kept::Reachable, &mut bar)
                .map_err(|error| Failure::error(error.to_string()))?;
            phase.summary(|| format!("{relation}, {}", show_lts(&minimal.lts)));
            Ok(minimal.lts)
        })
    }

    /// What of the input a file shows.
    fn part(
        &self,
        session: &mut Session,
        lts: &Lts,
        path: &Path,
        differs: bool,
    ) -> Result<Part, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if let Some("mcf" | "mcl") = ending {
            return Err(Failure::error(format!(
                "{}: formulas are not drawn: expected an LTS or a trace, as -o of check and equiv \
                 writes into a file whose name ends in .aut or .seq",
                printable_path(path)
            )));
        }
        let options = self.read.get(&self.dialect);
        let (shown, sequences) = session.read_trace(path, &options)?;
        let shown = Shown {
            lts: &shown,
            name: &printable_path(path.file_name().unwrap_or_default()),
            differs,
            sequences: &sequences,
        };
        let is_empty = shown.lts.transitions() == 0;
        let part = Part::of(lts, shown);
        if part.traces.is_empty() && !is_empty && !part.transitions.contains(&true) {
            session.note(format_args!(
                "{}: no transition from its initial state on is one of {}",
                printable_path(path),
                self.title()
            ));
        }
        tell_impossible(session, &printable_path(path), &part);
        Ok(part)
    }
}

/// Tells of the traces of a file which are not possible, and from which step on.
fn tell_impossible(session: &mut Session, path: &str, part: &Part) {
    /// So many are told one by one.
    const MOST: usize = 10;
    let impossible = part.traces.iter().enumerate();
    let impossible: Vec<_> = impossible.filter(|(_, trace)| !trace.possible).collect();
    for (k, trace) in impossible.iter().take(MOST) {
        let which = match part.traces.len() {
            1 => path.to_owned(),
            _ => format!("{path}: sequence {}", k + 1),
        };
        match trace.steps.split_last() {
            Some((next, done)) if next.states.is_empty() => session.note(format_args!(
                "{which}: step {}, `{}`, is not possible",
                done.len() + 1,
                next.text
            )),
            Some(_) | None => session.note(format_args!(
                "{which}: after {} there is no <deadlock>",
                counted(trace.steps.len(), "step")
            )),
        }
    }
    if let Some(left) = impossible.len().checked_sub(MOST).filter(|&left| left > 0) {
        session.note(format_args!(
            "{path}: {} more of {} are not possible",
            left,
            counted(part.traces.len(), "sequence")
        ));
    }
}

const fn layout_name(layout: Layout) -> &'static str {
    match layout {
        Layout::Layered => LayoutName::Layered.name(),
        Layout::Force => LayoutName::Force.name(),
        Layout::Clusters => LayoutName::Clusters.name(),
    }
}
