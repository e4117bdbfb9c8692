//! Patterns of sequences: see the README.

use hyades::explore::{Answer, ExploreOptions, Questions, Searched, SequencePattern, explore};
use hyades::formats::{Format, ReadOptions, Severity, Source, read_lts, seq};

/// Checks one input: the number of a sequence, and a file.
pub fn check(input: &[u8]) {
    let Some((&seqno, text)) = input.split_first() else {
        return;
    };
    let Ok(source) = Source::from_bytes("p", text.to_vec(), Some(Format::Seq)) else {
        return;
    };
    let mut errors = 0;
    let pattern = seq::read_pattern(source, u64::from(seqno), &mut |d| {
        errors += u64::from(d.severity == Severity::Error);
        assert!(!d.text.is_empty());
    });
    let Ok(pattern) = pattern else {
        return assert!(errors > 0, "no reason");
    };
    assert_eq!(errors, 0);
    let Ok(pattern) = SequencePattern::new(&pattern) else {
        return;
    };
    let small = b"des (0,5,4)\n(0,A,1)\n(1,\"B !1\",0)\n(1,i,2)\n(2,A,2)\n(2,C,3)\n";
    let source = Source::from_bytes("s", small.to_vec(), Some(Format::Aut));
    let source = source.expect("a text");
    let lts = read_lts(source, &ReadOptions::default(), &mut |_| ()).expect("an LTS");
    let options = ExploreOptions {
        questions: Questions {
            deadlock: true,
            ..Questions::default()
        },
        stop_when_answered: true,
        ..ExploreOptions::default()
    };
    let model = Searched::new(&lts, &pattern);
    let found = explore(&model, options, &mut ()).expect("few states");
    assert!(!matches!(found.deadlock, None | Some(Answer::Unknown)));
}
