//! Rule files and regular expressions: see the README.

use hyades::lts::pattern::LabelPattern;
use hyades::lts::relabel::{Action, Outcome, Rules};

/// Checks one input.
pub fn check(input: &[u8]) {
    // A label, then a rule file.
    let (label, file) = match input.iter().position(|&b| b == 0) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (&b"PUSH !1 !A"[..], input),
    };
    for action in [Action::Hide, Action::Cut, Action::Rename] {
        for &matching in action.modes() {
            if let Ok(rules) = Rules::read(&"f".into(), file, action, matching, &mut |_| ()) {
                match rules.apply(label) {
                    Outcome::Label(_) => assert!(action == Action::Rename || !rules.concern(label)),
                    Outcome::Hidden => assert_eq!(action, Action::Hide),
                    Outcome::Cut => assert_eq!(action, Action::Cut),
                }
            }
        }
    }
    if let (Ok(whole), Ok(within)) = (LabelPattern::whole(file), LabelPattern::within(file)) {
        if whole.is_match(label) {
            assert!(within.is_match(label));
        }
        let mut from = 0;
        while let Some(found) = within.find(label, from) {
            assert!(found.start >= from && found.end <= label.len());
            for group in within.groups(label, found.clone()).into_iter().flatten() {
                assert!(group.start >= found.start && group.end <= found.end);
            }
            from = found.end.max(found.start + 1);
            if from > label.len() {
                break;
            }
        }
    }
}
