//! Pattern files, good and bad.

use hyades_formats::{Lts, LtsBuilder, StateId};

use crate::pattern::{Pattern, PatternError, PatternFile, Transformation};

fn template(edges: &[(u32, &str, u32)]) -> Lts {
    let mut builder = LtsBuilder::new(1);
    for (source, label, target) in edges {
        builder
            .add_text(*source, label.as_bytes(), *target)
            .unwrap();
    }
    builder.build(StateId::new(0)).unwrap()
}

fn read(text: &str) -> Result<Pattern, PatternError> {
    let template = template(&[(0, "1!REQUEST(CALL,1)", 1), (1, "2!MOVE(1)", 0)]);
    PatternFile::from_text(text)?.pattern(&template)
}

fn error(text: &str) -> String {
    match read(text) {
        Ok(pattern) => panic!("accepted: {text}\n{pattern:?}"),
        Err(error) => error.to_string(),
    }
}

const HEAD: &str = "template = 't.aut'\n";

#[test]
fn everything_at_once() {
    let text = "
        template = 'sub/t.aut'
        [labels]
        edge-numbers = true
        token-characters = \"-'\"
        [values]
        station = [0, 1, '-2']
        [[transformations]]
        rotations = 'station'
        [[transformations]]
        map = { 1 = 7 }
        initial = 1
        [[initial]]
        map = { 1 = 0 }
        state = 1
        [[order]]
        label = 'MOVE($s)'
        by = [{ variable = 's', values = 'station', descending = true }]
    ";
    let file = PatternFile::from_text(text).unwrap();
    assert_eq!((file.template(), file.order_file()), ("sub/t.aut", None));
    let pattern = read(text).unwrap();
    let shown: Vec<_> = pattern
        .copies
        .iter()
        .map(|copy| (copy.transformation.to_string(), copy.initial))
        .collect();
    let expected = [("1=1", 0), ("1=-2", 0), ("1=0", 1), ("1=7", 1)];
    assert_eq!(shown, expected.map(|(map, state)| (map.to_owned(), state)));
    assert_eq!(pattern.template.edges().len(), 2);
}

#[test]
fn lists_make_transformations() {
    let shown = |values: &str| {
        let text = format!("{HEAD}[[transformations]]\n{values}\n");
        let copies = read(&text).unwrap().copies;
        let shown: Vec<_> = copies
            .iter()
            .map(|c| c.transformation.to_string())
            .collect();
        shown.join("; ")
    };
    assert_eq!(
        shown("injections = { from = [0, 1], into = [0, 1, 2] }"),
        "0=0 1=1; 0=0 1=2; 0=1 1=0; 0=1 1=2; 0=2 1=0; 0=2 1=1"
    );
    assert_eq!(shown("permutations = ['b', 'a']"), "a=a b=b; a=b b=a");
    assert_eq!(shown("rotations = [7, 1]"), "1=1; 1=7");
    // As many as there should be, all different, in order of their images.
    let values: Vec<Box<[u8]>> = (b'a'..b'g').map(|b| [b].into()).collect();
    let all = Transformation::permutations(&values).unwrap();
    let images = |t: &Transformation| t.pairs().map(|(_, new)| new.to_vec()).collect::<Vec<_>>();
    assert_eq!(all.len(), 720);
    assert!(all.windows(2).all(|two| images(&two[0]) < images(&two[1])));
}

#[test]
fn errors_say_where_and_what() {
    let t = "[[transformations]]\nrotations = [1]\n";
    for (text, expected) in [
        ("", "1:1: missing field `template`"),
        ("template = 't'\n", "1:1: missing field `transformations`"),
        (
            "template = \n",
            "1:12: string values must be quoted, expected literal string",
        ),
        (
            &format!("{HEAD}extra = 1\n{t}"),
            "2:1: unknown field `extra`, expected one of",
        ),
        (
            &format!("{HEAD}[[transformations]]\n"),
            "2:1: expected one of `rotations`",
        ),
        (
            &format!("{HEAD}transformations = [3]\n"),
            "2:20: invalid type: integer `3`, expected a table with one of `rotations`, ",
        ),
        (
            &format!("{HEAD}{t}initial = -1\n"),
            "4:11: state -1; expected a state of the template: a number from 0 to 1",
        ),
        (
            &format!("{HEAD}{t}initial = 1.5\n"),
            "4:11: invalid type: floating point `1.5`, expected a state of the template: a whole \
             number",
        ),
        (
            &format!("{HEAD}{t}initial = 5000000000\n"),
            "4:11: state 5000000000; expected a state of the template",
        ),
        (
            &format!("{HEAD}transformations = []\n"),
            "2:19: no transformations; expected at least one",
        ),
        (
            &format!("{HEAD}[[transformations]]\nrotations = [0]\npermutations = [0]\n"),
            "2:1: expected one of `rotations`",
        ),
        (
            &format!("{HEAD}[[transformations]]\nrotations = 'station'\n"),
            "3:13: no list `station`; expected one defined in [values]",
        ),
        (
            &format!("{HEAD}[values]\na = [1]\nb = [2]\n[[transformations]]\nrotations = 'c'\n"),
            "6:13: no list `c`; expected one of a, b",
        ),
        (
            &format!("{HEAD}[[transformations]]\nrotations = [0, 1, 0]\n"),
            "3:20: `0` for the second time; expected each value once",
        ),
        (
            &format!("{HEAD}[[transformations]]\nrotations = [-1]\n"),
            "3:14: `-1` is no token; expected letters",
        ),
        (
            &format!("{HEAD}[values]\na = [1, '']\n{t}"),
            "3:9: `` is no token",
        ),
        (
            &format!("{HEAD}[[transformations]]\nrotations = [1.5]\n"),
            "3:13: invalid type: floating point `1.5`, expected a value: a string, or a whole number",
        ),
        (
            &format!("{HEAD}[[transformations]]\nrotations = 7\n"),
            "3:13: invalid type: integer `7`, expected a list of values, or the name of one in [values]",
        ),
        (
            &format!("{HEAD}[[transformations]]\ninjections = {{ from = [1, 2], into = [1] }}\n"),
            "2:1: no transformation; expected at least one value, and to choose from no fewer values",
        ),
        (
            &format!("{HEAD}[[transformations]]\nmap = {{ 1 = 'a b' }}\n"),
            "2:1: `a b` is no token",
        ),
        (
            &format!("{HEAD}{t}[[transformations]]\nmap = {{ 1 = 1 }}\n"),
            "4:1: the transformation 1=1 for the second time; expected each once",
        ),
        (
            &format!("{HEAD}[[transformations]]\nrotations = [1]\ninitial = 2\n"),
            "4:11: state 2; expected a state of the template: a number from 0 to 1",
        ),
        (
            &format!("{HEAD}{t}[[initial]]\nmap = {{ 1 = 1 }}\nstate = 9\n"),
            "6:9: state 9; expected a state of the template",
        ),
        (
            &format!("{HEAD}{t}[[initial]]\nmap = {{ 1 = 2 }}\nstate = 1\n"),
            "4:1: no copy maps so that has not been given its initial state before",
        ),
        (
            &format!("{HEAD}[[transformations]]\nrotations = [0, 2]\n"),
            "2:1: none of these values is in the template; expected one at least",
        ),
        (
            &format!("{HEAD}order-file = 'o'\n{t}[[order]]\nlabel = 'A'\n"),
            "2:14: both `order-file` and [[order]]; expected one of them",
        ),
        (
            &format!("{HEAD}{t}[[order]]\nlabel = 'A $x'\n"),
            "5:9: no variable `x` in `by`; expected one, or `$_` for any token",
        ),
        (
            &format!("{HEAD}{t}[[order]]\nlabel = 'A $* B'\n"),
            "5:9: tokens after `$*`; expected it at the end",
        ),
        (
            &format!(
                "{HEAD}{t}[[order]]\nlabel = 'A'\nby = [{{ variable = 'x', values = [1] }}]\n"
            ),
            "5:9: no `$x` in the label; expected each variable of `by` there",
        ),
        (
            &format!(
                "{HEAD}{t}[[order]]\nlabel = '$x'\nby = [{{ variable = 'x', values = [1] }}, \
                 {{ variable = 'x', values = [2] }}]\n"
            ),
            "5:9: `x` twice in `by`; expected once",
        ),
        (
            &format!(
                "{HEAD}{t}[[order]]\nlabel = '$x'\nby = [{{ variable = 'x', values = 'u' }}]\n"
            ),
            "6:34: no list `u`",
        ),
    ] {
        let found = error(text);
        assert!(
            found.starts_with(expected),
            "{text}\nfound    {found}\nexpected {expected}"
        );
    }
}

#[test]
fn templates_are_deterministic_and_numbered() {
    let read = |edges: &[(u32, &str, u32)], numbers: bool| {
        let text = format!(
            "{HEAD}labels.edge-numbers = {numbers}\n[[transformations]]\nmap = {{ 0 = 0 }}\n"
        );
        let pattern = PatternFile::from_text(&text)
            .unwrap()
            .pattern(&template(edges));
        pattern.map(|p| {
            p.template
                .edges()
                .iter()
                .map(|e| e.number)
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(read(&[(0, "A", 0), (0, "B", 0)], false), Ok(vec![1, 2]));
    assert_eq!(read(&[(0, "9 A", 0), (0, "4 B", 0)], true), Ok(vec![9, 4]));
    for (edges, numbers, expected) in [
        (
            &[(0, "A", 0)][..],
            true,
            "the template's label `A` begins with `A`; expected the number",
        ),
        (
            &[(0, "()", 0)],
            true,
            "the template's label `()` has no tokens; expected the number",
        ),
        (
            &[(0, "7", 0)],
            true,
            "the template's label `7` has no action",
        ),
        (
            &[(0, "()", 0)],
            false,
            "the template's label `()` has no action",
        ),
        (
            &[(0, "99999999999999999999 A", 0)],
            true,
            "the template's label",
        ),
        (
            &[(0, "1 A", 0), (0, "01 B", 0)],
            true,
            "two edges of the template have the number 1",
        ),
        (
            &[(0, "1 A(0)", 0), (0, "2 A !0", 1)],
            true,
            "edges 1 and 2 of the template both leave state 0 with `A 0`; expected a deterministic",
        ),
    ] {
        let error = read(edges, numbers).unwrap_err();
        // All that is wrong with these is in their last edge.
        let (source, label, target) = edges[edges.len() - 1];
        let blamed = error.edge.clone().expect("the template is to blame");
        assert_eq!((blamed.source, blamed.target), (source, target));
        assert_eq!(*blamed.label, *label.as_bytes());
        let found = error.to_string();
        assert!(found.starts_with(expected), "{found}");
    }
}

/// Labels that differ must not become the same.
#[test]
fn transformations_keep_labels_apart() {
    let template = template(&[(0, "1 A !0", 0), (0, "2 A !1", 0)]);
    let text = format!("{HEAD}[[transformations]]\nmap = {{ 0 = 1 }}\n");
    let error = PatternFile::from_text(&text).unwrap().pattern(&template);
    assert_eq!(
        error.unwrap_err().to_string(),
        "2:1: the transformation 0=1 makes both `A 0` and `A 1` of the template `A 1`; expected \
         different labels to stay different"
    );
    let text = format!("{HEAD}[[transformations]]\ninjections = {{ from = [0], into = [2, 1] }}\n");
    let error = PatternFile::from_text(&text).unwrap().pattern(&template);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .starts_with("2:1: the transformation 0=1 makes")
    );
}

/// What is made of a list shares it: each with a copy of its own, these would
/// take as many entries as there are values squared.
#[test]
fn many_rotations_of_values_that_all_matter_share_them() {
    let labels: Vec<String> = (0..2000).map(|k| format!("A !{k}")).collect();
    let edges: Vec<_> = labels.iter().map(|l| (0, l.as_str(), 0)).collect();
    let values: Vec<String> = (0..2000).map(|k| k.to_string()).collect();
    let text = format!(
        "{HEAD}labels.edge-numbers = false\n[[transformations]]\nrotations = [{}]\n",
        values.join(", ")
    );
    let pattern = PatternFile::from_text(&text)
        .unwrap()
        .pattern(&template(&edges))
        .unwrap();
    assert_eq!(pattern.copies.len(), 2000);
    let last = &pattern.copies[1999].transformation;
    assert_eq!(
        (last.apply(b"0"), last.apply(b"1999")),
        (&b"1999"[..], &b"1998"[..])
    );
    assert!(size_of::<Transformation>() <= 32);
    // The same permutation, however it is given.
    let value = |text: &str| Box::from(text.as_bytes());
    let two = [value("a"), value("b")];
    let map = Transformation::new([(value("a"), value("b")), (value("b"), value("a"))]).unwrap();
    let turned = Transformation::rotations(&two).unwrap().remove(1);
    let exchanged = Transformation::permutations(&two).unwrap().remove(1);
    assert!(map == turned && map == exchanged && turned == exchanged);
    let set = std::collections::HashSet::from([map, turned, exchanged]);
    assert_eq!(set.len(), 1);
}

#[test]
fn there_are_not_too_many_transformations() {
    for (what, expected) in [
        (
            "permutations = [0, 1, 2, 3, 4, 5, 6, 7, 8]".to_owned(),
            "362880 permutations",
        ),
        (
            format!("permutations = {:?}", (0..5000).collect::<Vec<_>>()),
            "about 10^16326 permutations",
        ),
        (
            format!("rotations = {:?}", (0..70000).collect::<Vec<_>>()),
            "70000 rotations",
        ),
        (
            format!(
                "injections = {{ from = [0, 1], into = {:?} }}",
                (0..300).collect::<Vec<_>>()
            ),
            "89700 injections",
        ),
    ] {
        let text = format!(
            "{HEAD}[[transformations]]\n{what}\n[[initial]]\nmap = {{ 0 = 0 }}\nstate = 0\n"
        );
        assert_eq!(
            error(&text),
            format!(
                "2:1: too many transformations: these values have {expected}; expected at most \
                 65536: list those that matter as maps"
            )
        );
    }
}
