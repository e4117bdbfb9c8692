//! Networks as vectors, read back without options.

use std::collections::BTreeSet;

use hyades_formats::Format;
use hyades_testing::Random;

use super::super::{Customs, Language, Memory, Network, NetworkModel, Options};
use super::random::sample;
use super::{network, read, tuples};

/// The text, or why there is none.
fn written(network: &Network) -> Result<String, String> {
    let mut text = Vec::new();
    let flat = network.flat()?;
    flat.write(&mut text).expect("memory takes everything");
    Ok(String::from_utf8(text).expect("ASCII"))
}

/// Random expressions in all languages and in none, and with other hidden labels
/// than those of the language.
#[test]
fn random_expressions_are_read_back() {
    let mut random = Random::new(7);
    let mut same = BTreeSet::new();
    let (mut read_back, mut refused) = (0, 0);
    for seed in 0..1500 {
        let Some(mut sample) = sample(seed) else {
            continue;
        };
        let own = sample.head.split(' ').next().unwrap_or_default().to_owned();
        if own.is_empty() && random.chance(40) {
            sample.options.customs.language = Some(Language::Elotos);
        }
        let hidden: &[&[u8]] = match random.between(0, 9) {
            0 => &[b"B"],
            1 => &[b"i", b"'A"],
            2 => &[b"tau"],
            _ => &[],
        };
        if own != "mcrl" {
            sample.options.customs.hidden = hidden.iter().map(|text| text.to_vec()).collect();
        }
        let text = format!("{} {}", sample.head, sample.body);
        // Not all expressions make sense with other hidden labels.
        let (Some(network), _) = read(&text, &sample.options, &sample.files) else {
            continue;
        };
        let language = network.parameters().language;
        let Ok(flat) = written(&network) else {
            refused += 1;
            continue;
        };
        let back = super::network(&flat, &Options::default(), &sample.files);
        assert_eq!(
            tuples(&NetworkModel::new(network)),
            tuples(&NetworkModel::new(back)),
            "seed {seed}: {text}\n{flat}\n{:?}",
            sample.files
        );
        same.insert(language.map(Language::name));
        read_back += 1;
    }
    assert_eq!(same.len(), 1 + Language::ALL.len(), "{same:?}");
    assert!(read_back > 600 && refused > 5, "{read_back} {refused}");
}

/// The header under which a network with these labels is written.
fn header(head: &str, labels: &[&str]) -> Result<String, String> {
    let mut files = Memory::default();
    let lines = labels.iter().map(|label| format!("(0, \"{label}\", 1)\n"));
    let text = format!(
        "des (0, {}, 2)\n{}",
        labels.len(),
        lines.collect::<String>()
    );
    files.add("x.aut", text);
    let mut options = Options::default();
    options.customs.keep_case = true;
    let network = network(&format!("{head} \"x.aut\""), &options, &files);
    let flat = written(&network)?;
    let (_, said) = read(&flat, &Options::default(), &files);
    assert_eq!(said, [""; 0], "{flat}");
    let back = super::network(&flat, &Options::default(), &files);
    assert_eq!(
        tuples(&NetworkModel::new(network)),
        tuples(&NetworkModel::new(back))
    );
    let end = flat.find("label par").or(flat.find("total cut"));
    Ok(flat[..end.expect("vectors or none")].trim().to_owned())
}

#[test]
fn the_language_leaves_labels_as_they_are() {
    let is = |head, labels: &[&str]| header(head, labels);
    assert_eq!(is("", &["i", "a"]).as_deref(), Ok(""));
    assert_eq!(
        is("ccs behaviour", &["t", "A"]).as_deref(),
        Ok("ccs behaviour")
    );
    assert_eq!(is("ccs behaviour", &["t", "a"]).as_deref(), Ok(""));
    let mcrl = Ok("mcrl behaviour");
    assert_eq!(is("csp behaviour", &["t", "i", "a"]).as_deref(), mcrl);
    assert_eq!(is("mcrl behaviour", &["t", "i", "tau"]).as_deref(), mcrl);
    let why = is("csp behaviour", &["t", "i", "tau"]).unwrap_err();
    assert!(why.contains("would be hidden"), "{why}");
}

/// What a format tells by itself stays so, unless options changed it.
#[test]
fn formats_that_tell_what_is_hidden() {
    let mut files = Memory::default();
    files.add("x.trc", "tau\ni\nb\n");
    assert_eq!(Format::Trc.hidden(), "tau");
    for head in ["ccs behaviour", "mcrl behaviour"] {
        let mut options = Options::default();
        options.customs.keep_case = true;
        let one = network(&format!("{head} \"x.trc\""), &options, &files);
        let flat = written(&one).expect("vectors");
        let back = network(&flat, &Options::default(), &files);
        assert_eq!(
            tuples(&NetworkModel::new(one)),
            tuples(&NetworkModel::new(back))
        );
    }
    let options = Options {
        customs: Customs {
            hidden: vec![b"b".into()],
            ..Customs::default()
        },
        ..Options::default()
    };
    let why = written(&network("\"x.trc\"", &options, &files)).unwrap_err();
    assert!(why.contains("tells itself"), "{why}");
}
