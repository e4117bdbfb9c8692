//! Networks against their definition.

mod examples;
mod expression;
mod flat;
mod isomorphism;
mod messages;
mod naive;
pub mod random;
mod semi_composition;
mod size;

use hyades_explore::{ExploreOptions, LtsSink, Model, explore, words};
use hyades_formats::{Lts, StateId};

use super::{Memory, Network, NetworkModel, Options, from_text};

/// The components of the worked examples.
const COMPONENTS: [(&str, &str); 19] = [
    ("ab", include_str!("../../../testdata/networks/ab.aut")),
    ("bc", include_str!("../../../testdata/networks/bc.aut")),
    ("g1", include_str!("../../../testdata/networks/g1.aut")),
    ("g2", include_str!("../../../testdata/networks/g2.aut")),
    ("ax", include_str!("../../../testdata/networks/ax.aut")),
    ("bx", include_str!("../../../testdata/networks/bx.aut")),
    ("it", include_str!("../../../testdata/networks/it.aut")),
    ("p", include_str!("../../../testdata/networks/p.aut")),
    ("c1", include_str!("../../../testdata/networks/c1.aut")),
    ("c2", include_str!("../../../testdata/networks/c2.aut")),
    ("s", include_str!("../../../testdata/networks/s.aut")),
    ("r", include_str!("../../../testdata/networks/r.aut")),
    ("u", include_str!("../../../testdata/networks/u.aut")),
    ("e1", include_str!("../../../testdata/networks/e1.aut")),
    ("e2", include_str!("../../../testdata/networks/e2.aut")),
    ("m1", include_str!("../../../testdata/networks/m1.aut")),
    ("m2", include_str!("../../../testdata/networks/m2.aut")),
    ("s1", include_str!("../../../testdata/networks/s1.aut")),
    // With a transition that cannot be reached.
    ("far", "des (0, 2, 3)\n(0, H, 1)\n(2, B, 2)\n"),
];

/// The components of the worked examples as files.
fn components() -> Memory {
    let mut files = Memory::default();
    for (name, text) in COMPONENTS {
        files.add(format!("{name}.aut"), text);
    }
    files
}

/// What reading a network gives, and what there was to say.
fn read(text: &str, options: &Options, files: &Memory) -> (Option<Network>, Vec<String>) {
    let mut said = Vec::new();
    let network = from_text("net.exp", text, options, files, &mut |d| {
        said.push(d.to_string())
    });
    (network.ok(), said)
}

/// A network without errors.
#[track_caller]
pub fn network(text: &str, options: &Options, files: &Memory) -> Network {
    let (network, said) = read(text, options, files);
    network.unwrap_or_else(|| panic!("{text}\n{said:?}"))
}

/// The reachable state space.
pub fn explored(model: &impl Model) -> Lts {
    let mut sink = LtsSink::new();
    let found = explore(model, ExploreOptions::default(), &mut sink).expect("few states");
    sink.finish(found.labels.into_owned())
        .expect("few transitions")
}

/// A state space by tuples of component states: the initial one, and
/// transitions with their labels, `None` for hidden.
type Tuples = (
    Vec<u32>,
    std::collections::BTreeSet<(Vec<u32>, Option<String>, Vec<u32>)>,
);

/// The reachable state space by tuples, each transition once.
#[track_caller]
fn tuples(model: &NetworkModel) -> Tuples {
    struct Collect(Vec<(hyades_formats::LabelId, Vec<u64>)>);
    impl hyades_explore::Emit for Collect {
        fn label(&mut self, _: &[u8]) -> hyades_formats::LabelId {
            unreachable!("all labels are known")
        }
        fn transition(&mut self, label: hyades_formats::LabelId, target: &[u64]) {
            self.0.push((label, target.to_vec()));
        }
    }
    let mut initial = vec![0; words(model.bits())];
    model.initial(&mut initial).expect("an initial state");
    let mut open = vec![initial.clone()];
    let mut seen: std::collections::HashSet<_> = open.iter().cloned().collect();
    let mut transitions = std::collections::BTreeSet::new();
    let mut scratch = model.scratch();
    while let Some(state) = open.pop() {
        let mut found = Collect(Vec::new());
        model
            .successors(&mut scratch, &state, &mut found)
            .expect("successors");
        for (label, target) in found.0 {
            let text = model.labels().text(label).to_vec();
            let text = (!label.is_hidden()).then(|| String::from_utf8(text).expect("ASCII"));
            let source = model.component_states(&state);
            let new = transitions.insert((source, text, model.component_states(&target)));
            assert!(new, "a transition twice");
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    (model.component_states(&initial), transitions)
}

/// Transitions with labels by text, in the order of the rows.
fn rows(lts: &Lts) -> Vec<(StateId, String, StateId)> {
    let text = |l| String::from_utf8_lossy(lts.table().text(l)).into_owned();
    lts.iter().map(|(s, l, t)| (s, text(l), t)).collect()
}
