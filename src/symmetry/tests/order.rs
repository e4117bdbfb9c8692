//! The order of labels.

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::tokens::TokenSyntax;

use crate::pattern::{Order, Pattern, PatternFile};

fn specification(labels: &[&str]) -> Lts {
    let mut builder = LtsBuilder::new(1);
    for label in labels {
        builder.add_text(0, label.as_bytes(), 0).unwrap();
    }
    builder.build(StateId::new(0)).unwrap()
}

fn sorted(order: &Order, labels: &[&str]) -> Vec<String> {
    let lts = specification(labels);
    let ranks = order.ranks(&lts, &TokenSyntax::default());
    let mut ids: Vec<LabelId> = lts.table().visible().map(|(id, _)| id).collect();
    ids.sort_by_key(|id| ranks[id.index()]);
    let text = |id: &LabelId| String::from_utf8(lts.table().text(*id).to_vec()).unwrap();
    ids.iter().map(text).collect()
}

fn pattern(order: &str) -> Pattern {
    let head =
        "template = 't'\n[values]\nuser = [0, 1, 2]\n[[transformations]]\nrotations = 'user'\n";
    let mut template = LtsBuilder::new(1);
    template.add_text(0, b"1 A !0", 0).unwrap();
    let template = template.build(StateId::new(0)).unwrap();
    let file = PatternFile::from_text(&format!("{head}{order}")).unwrap();
    file.pattern(&template).unwrap()
}

#[test]
fn without_entries_tokens_decide() {
    let labels = [
        "B !2", "A !10", "A !9", "A(9)", "A !09", "A !x", "A", "B !2 !1",
    ];
    let expected = [
        "A", "A !9", "A(9)", "A !09", "A !10", "A !x", "B !2", "B !2 !1",
    ];
    assert_eq!(sorted(&Order::default(), &labels), expected);
}

#[test]
fn entries_come_in_their_sequence() {
    let order = "
        [[order]]
        label = 'DREQ !$j !$i !ACK $*'
        by = [
            { variable = 'i', values = 'user', descending = true },
            { variable = 'j', values = [2, 0, 1] },
        ]
        [[order]]
        label = 'JOIN $_'
        [[order]]
        label = 'TWICE $x $x'
        by = [{ variable = 'x', values = 'user' }]
    ";
    let labels = [
        "OTHER",
        "TWICE !1 !0",
        "TWICE !1 !1",
        "TWICE !0 !0",
        "JOIN !7",
        "JOIN",
        "DREQ !0 !1 !ACK",
        "DREQ !2 !1 !ACK !DIND",
        "DREQ !1 !1 !ACK !OK",
        "DREQ !0 !2 !ACK",
        "DREQ !0 !3 !ACK",
    ];
    let expected = [
        "DREQ !0 !2 !ACK",
        "DREQ !2 !1 !ACK !DIND",
        "DREQ !0 !1 !ACK",
        "DREQ !1 !1 !ACK !OK",
        "JOIN !7",
        "TWICE !0 !0",
        "TWICE !1 !1",
        // What no entry fits: `3` is no user, and the variables differ.
        "DREQ !0 !3 !ACK",
        "JOIN",
        "OTHER",
        "TWICE !1 !0",
    ];
    assert_eq!(sorted(&pattern(order).order, &labels), expected);
}

#[test]
fn listed_labels_come_first() {
    let text = b"# by hand\nB !1\n\nA(2)\r\n";
    let order = Order::from_text(text, &TokenSyntax::default()).unwrap();
    let labels = ["A !1", "A !2", "B(1)", "B !0"];
    assert_eq!(sorted(&order, &labels), ["B(1)", "A !2", "A !1", "B !0"]);
    let twice = Order::from_text(b"A !1\nB\nA(1)\n", &TokenSyntax::default());
    let error = twice.unwrap_err().to_string();
    assert_eq!(
        error,
        "3:1: `A 1` is in line 1 already; expected each label once"
    );
}

#[test]
fn the_hidden_label_has_a_place() {
    let mut builder = LtsBuilder::new(1);
    builder.add(StateId::new(0), LabelId::HIDDEN, StateId::new(0));
    builder.add_text(0, b"z", 0).unwrap();
    builder.add_text(0, b"a", 0).unwrap();
    let lts = builder.build(StateId::new(0)).unwrap();
    let ranks = Order::default().ranks(&lts, &TokenSyntax::default());
    assert_eq!(ranks, [1, 2, 0]);
}
