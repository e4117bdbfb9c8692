//! Networks made for one point each.

use std::collections::HashSet;
use std::fmt::Write as _;

use hyades_explore::{ExploreOptions, Model, explore, words};

use super::super::*;
use super::{of_files, read};
use crate::{Customs, Memory, Network, Options, from_text};

/// The error for types that are no symmetry.
#[track_caller]
fn refused(network: &Network, types: &str) -> String {
    let types = Types::parse_line(types).unwrap();
    let found = Symmetry::new(network, &types);
    found.map(|_| ()).expect_err("no symmetry").to_string()
}

#[test]
fn reasons_are_told() {
    let (network, _) = read("phils_3");
    let error = refused(&network, "Phil=P0,P1,P2");
    assert!(
        error.starts_with("with P0 and P1 exchanged, the component ")
            && error.contains("which no component has"),
        "{error}"
    );
    // A constant among the values.
    let (network, _) = read("liststack_2_2_2");
    let error = refused(&network, "Node=N0,N1,Null");
    assert!(
        error.starts_with("with N1 and Null exchanged, the component "),
        "{error}"
    );
    let mut files = Memory::default();
    files.add("a.aut", "des (0,1,2)\n(0,A !0,1)\n");
    files.add("b.aut", "des (0,1,2)\n(0,A !1,1)\n");
    let text =
        "label par using \"A !0\" * \"A !1\" -> \"X\", _ * \"A !1\" -> \"Y\" in a || b end par";
    let error = refused(&of_files(text, &files), "V=0,1");
    assert_eq!(
        error,
        "with 0 and 1 exchanged, the rule b `A !1` -> `Y` would have to be the rule a `A !0` -> \
         `Y`, which the network does not have"
    );
    let text = "total prio \"A !0\" > \"A !1\" in a ||| b end prio";
    let error = refused(&of_files(text, &files), "V=0,1");
    assert!(error.starts_with("the network has priorities"), "{error}");
}

#[test]
fn labels_are_spelt_in_several_ways() {
    for name in ["liststack_2_2_2", "peterson_3", "database_4"] {
        let (network, types) = read(name);
        let count = |network: &Network| {
            let symmetry = Symmetry::new(network, &types).unwrap();
            let model = SymmetricModel::new(&symmetry, Strategy::Exact);
            model.count(ExploreOptions::default()).unwrap().1.unwrap()
        };
        let expected = count(&network);
        for form in [
            |label: &str| calls(label),
            |label: &str| label.replace(" !", "."),
        ] {
            assert_eq!(count(&rewritten(&network, form)), expected, "{name}");
        }
    }
}

/// `PUSH !a !b` as `push(a,b)`.
fn calls(label: &str) -> String {
    let mut tokens = label.split(" !");
    let gate = tokens.next().unwrap().to_lowercase();
    let values: Vec<&str> = tokens.collect();
    match values.is_empty() {
        true => gate,
        false => format!("{gate}({})", values.join(",")),
    }
}

/// The network with its labels in another form.
fn rewritten(network: &Network, form: impl Fn(&str) -> String) -> Network {
    let show = |text: &[u8]| form(std::str::from_utf8(text).unwrap());
    let mut files = Memory::default();
    let mut names = Vec::new();
    for (k, component) in network.components().iter().enumerate() {
        let lts = &network.files()[component.file].lts;
        let mut aut = format!(
            "des ({},{},{})\n",
            lts.initial(),
            lts.transitions(),
            lts.states()
        );
        for (s, l, t) in lts.iter() {
            match l.is_hidden() {
                true => writeln!(aut, "({s},i,{t})").unwrap(),
                false => writeln!(aut, "({s},\"{}\",{t})", show(lts.table().text(l))).unwrap(),
            }
        }
        files.add(format!("c{k}.aut"), aut);
        names.push(format!("\"c{k}.aut\""));
    }
    let rules = network.rules().rules.iter();
    // Hidden steps of components need no vectors.
    let rules = rules.filter(|rule| !rule.parts.iter().any(|part| part.1.is_hidden()));
    let vectors = rules.map(|rule| {
        let entries = (0..names.len()).map(|c| {
            let part = rule.parts.iter().find(|part| part.0 as usize == c);
            part.map_or("_".into(), |&(_, label)| {
                let text = network.file_of(c).lts.table().text(label);
                format!("\"{}\"", show(text))
            })
        });
        let output = match rule.label.is_hidden() {
            true => "i".into(),
            false => show(network.labels().text(rule.label)),
        };
        format!(
            "{} -> \"{output}\"",
            entries.collect::<Vec<_>>().join(" * ")
        )
    });
    let vectors: Vec<String> = vectors.collect();
    let text = format!(
        "label par using {} in {} end par",
        vectors.join(",\n"),
        names.join(" || ")
    );
    of_files(&text, &files)
}

#[test]
fn types_are_found() {
    for (name, expected) in [
        (
            "liststack_2_2_2",
            "type Type1 = A B\ntype N = N0 N1\ntype T = T0 T1\n",
        ),
        (
            "liststack_3_2_2",
            "type Type1 = A B\ntype N = N0 N1 N2\ntype T = T0 T1\n",
        ),
        ("peterson_3", "type P = P0 P1 P2\n"),
        ("database_4", "type M = M0 M1 M2 M3\n"),
        ("phils_3", ""),
    ] {
        let (network, _) = read(name);
        let types = find_types(&network, None).unwrap();
        assert_eq!(types.to_string(), expected, "{name}");
        Symmetry::new(&network, &types).unwrap();
    }
}

/// The largest types are found in random networks too: those declared are parts of
/// them, and no exchange of two values of different types is a symmetry.
#[test]
fn types_that_are_found_are_the_largest() {
    for seed in 0..100 {
        let mut random = hyades_testing::Random::new(seed);
        let sample = super::random::sample(&mut random);
        let Some(network) = sample.network() else {
            continue;
        };
        let found = find_types(&network, None).unwrap();
        Symmetry::new(&network, &found).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let own = |value: &String| found.types().iter().position(|t| t.values.contains(value));
        // In labels that can happen.
        let declared = Symmetry::new(&network, &sample.types()).unwrap();
        let unused = declared.unused();
        let occurs = |value: &String| !unused.types.iter().any(|t| t.values.contains(value));
        for declared in sample.types().types() {
            if declared.values.iter().all(occurs) {
                let places: HashSet<_> = declared.values.iter().map(own).collect();
                assert_eq!(places.len(), 1, "seed {seed}: {found}");
                assert!(!places.contains(&None), "seed {seed}: {found}");
            }
        }
    }
}

/// Components that are all alike, three circles of three, of which only the rules
/// tell that they are circles, each with a value of its own and another direction.
#[test]
fn components_that_are_alike_are_told_apart_by_rules() {
    let mut files = Memory::default();
    files.add("p.aut", "des (0,2,2)\n(0,x,1)\n(1,y,0)\n");
    let circles = [[0, 4, 8], [1, 3, 6], [7, 5, 2]];
    let mut vectors = Vec::new();
    for (k, circle) in circles.iter().enumerate() {
        for at in 0..3 {
            let (from, to) = (circle[at], circle[(at + 1) % 3]);
            let entry = |c: usize| match c {
                _ if c == from => "x",
                _ if c == to => "y",
                _ => "_",
            };
            let entries: Vec<&str> = (0..9).map(entry).collect();
            vectors.push(format!("{} -> \"STEP !V{k}\"", entries.join(" * ")));
            let entries: Vec<&str> = (0..9).map(|c| if c == from { "x" } else { "_" }).collect();
            vectors.push(format!("{} -> \"OWN !V{k}\"", entries.join(" * ")));
        }
    }
    let vectors = vectors
        .join(", ")
        .replace('x', "\"x\"")
        .replace('y', "\"y\"");
    let text = format!(
        "label par using {vectors} in {} end par",
        ["p"; 9].join(" || ")
    );
    let network = of_files(&text, &files);
    let types = Types::parse_line("V=V0,V1,V2").unwrap();
    let symmetry = Symmetry::new(&network, &types).unwrap();
    let model = SymmetricModel::new(&symmetry, Strategy::Exact);
    let (_, counts) = model.count(ExploreOptions::default()).unwrap();
    let counts = counts.unwrap();
    let unreduced = model.unreduced();
    let whole = explore(&unreduced, ExploreOptions::default(), &mut ()).unwrap();
    assert_eq!(counts.states, whole.states.into());
    // Each circle has 8 states; 3 circles of them, in any order.
    assert_eq!((counts.states, counts.orbits), (512, 120));
    // A circle the other way round is no circle.
    let broken = text.replacen("STEP !V0", "STEP !V1", 1);
    let network = of_files(&broken, &files);
    assert!(matches!(
        Symmetry::new(&network, &types),
        Err(SymmetryError::Rule { .. })
    ));
}

/// Nodes with a datum and a next node each, all set once: all functions from nodes
/// to nodes, with colours.
fn functions(nodes: usize, data: usize) -> (Network, Types) {
    let mut files = Memory::default();
    let mut vectors = Vec::new();
    for me in 0..nodes {
        let labels = (0..data).flat_map(|d| (0..nodes).map(move |n| (d, n)));
        let labels: Vec<String> = labels
            .map(|(d, next)| format!("\"SET !N{me} !D{d} !N{next}\""))
            .collect();
        let count = labels.len();
        let mut aut = format!("des (0,{},{})\n", 2 * count, count + 1);
        for (k, label) in labels.iter().enumerate() {
            // A loop tells the states apart.
            writeln!(aut, "(0,{label},{0})\n({0},{label},{0})", k + 1).unwrap();
            let entries: Vec<&str> = (0..nodes)
                .map(|c| if c == me { label.as_str() } else { "_" })
                .collect();
            vectors.push(format!("{} -> {label}", entries.join(" * ")));
        }
        files.add(format!("n{me}.aut"), aut);
    }
    let names: Vec<String> = (0..nodes).map(|me| format!("n{me}")).collect();
    let text = format!(
        "label par using {} in {} end par",
        vectors.join(", "),
        names.join(" || ")
    );
    let values = |letter, count| {
        let all: Vec<String> = (0..count).map(|k| format!("{letter}{k}")).collect();
        all.join(" ")
    };
    let types = format!(
        "type Node = {}\ntype Data = {}",
        values("N", nodes),
        values("D", data)
    );
    (of_files(&text, &files), Types::parse(&types).unwrap())
}

/// Representatives are not unique for circles (Gibson-Robinson & Lowe 2019,
/// Examples 43 and 52).
#[test]
fn circles_have_several_representatives() {
    for (nodes, data, orbits) in [(4, 2, 114), (5, 1, 47)] {
        let (network, types) = functions(nodes, data);
        let symmetry = Symmetry::new(&network, &types).unwrap();
        let exact = SymmetricModel::new(&symmetry, Strategy::Exact);
        let mut states: HashSet<Vec<u64>> = HashSet::new();
        let mut open = vec![vec![0; words(exact.bits())]];
        exact.unreduced().initial(&mut open[0]).unwrap();
        let mut scratch = exact.scratch();
        while let Some(state) = open.pop() {
            if states.insert(state.clone()) {
                let mut next = super::brute::Collect::default();
                exact
                    .unreduced()
                    .successors(&mut scratch, &state, &mut next)
                    .unwrap();
                open.extend(next.0.into_iter().map(|(_, target)| target));
            }
        }
        // Those in which each node is set.
        let mut own = Vec::new();
        let is_set = |state: &Vec<u64>| {
            let mut own = Vec::new();
            symmetry.unpack(state, &mut own);
            own.iter()
                .zip(0..)
                .all(|(&s, c)| s != symmetry.parts.leaf(c).lts.initial().get())
        };
        own.extend(states.into_iter().filter(is_set));
        assert_eq!(own.len(), (nodes * data).pow(nodes as u32));
        for strategy in Strategy::ALL {
            let model = SymmetricModel::new(&symmetry, strategy);
            let mut scratch = model.scratch();
            let mut found = HashSet::new();
            for state in &own {
                let mut state = state.clone();
                model.representative(&mut scratch, &mut state).unwrap();
                found.insert(state);
            }
            match strategy {
                Strategy::Exact => assert_eq!(found.len(), orbits),
                Strategy::Paper => assert_eq!(found.len(), orbits + 1),
                Strategy::Refine => assert!((orbits..=orbits + 1).contains(&found.len())),
                _ => assert!(found.len() >= orbits),
            }
        }
    }
}

/// Of three values of components that behave alike, the exchange of the first two is a
/// symmetry; the rule that is blamed is one that the other exchange makes no rule of,
/// however the components are exchanged.
#[test]
fn the_rule_to_blame_has_no_image() {
    let mut files = Memory::default();
    files.add("p.aut", "des (0,2,1)\n(0,a,0)\n(0,b,0)\n");
    let rules = "a * _ * _ -> \"A !x0\", _ * a * _ -> \"A !x1\", _ * _ * a -> \"A !x2\", \
                 b * _ * _ -> \"B !x0\", _ * b * _ -> \"B !x1\", \
                 b * _ * _ -> C, _ * b * _ -> C, _ * _ * b -> C";
    let network = |rules: &str| {
        let text = format!("label par using {rules} in p || p || p end par");
        of_files(&text, &files)
    };
    let all = network(rules);
    let error = refused(&all, "x=x0,x1,x2");
    assert!(
        error.starts_with("with x1 and x2 exchanged, the rule p")
            && error.contains("`b` -> `B !x1` would have to be the rule p")
            && error.contains("`b` -> `B !x2`, which"),
        "{error}"
    );
    let types = |line| Types::parse_line(line).unwrap();
    Symmetry::new(&all, &types("x=x0,x1")).unwrap();
    // Of each label there are as many; only which component has two of them differs.
    let crossed = network(&rules.replace("b * _ * _ -> \"B !x0\"", "_ * _ * b -> \"B !x0\""));
    let error = refused(&crossed, "x=x0,x1");
    assert!(
        error.starts_with("with x0 and x1 exchanged, the rule p"),
        "{error}"
    );
}

/// Values that are in no label cost nothing, however many there are.
#[test]
fn types_without_effect_are_left_out() {
    let (network, types) = read("liststack_2_2_2");
    let mut text = types.to_string();
    let many: Vec<String> = (0..20_000).map(|k| format!("u{k}")).collect();
    text += &format!("type Many = {}\n", many.join(" "));
    for k in 0..10_000 {
        text += &format!("type T{k} = a{k} b{k}\n");
    }
    text += "gate UNKNOWN : Many Node\n";
    let symmetry = Symmetry::new(&network, &Types::parse(&text).unwrap()).unwrap();
    assert_eq!(symmetry.types().types(), types.types());
    assert_eq!(symmetry.unused().types.len(), 10_001);
    assert_eq!(symmetry.unused().gates, ["UNKNOWN"]);
    // Some of a type are in labels: that is no symmetry, and soon known.
    let text = text.replace("type Many =", "type Many = Null");
    let error = Symmetry::new(&network, &Types::parse(&text).unwrap());
    let error = error.map(drop).expect_err("no symmetry").to_string();
    assert!(
        error.starts_with("with Null and u0 exchanged, the component "),
        "{error}"
    );
}

/// One state and one component each, and types of one value, are no exception.
#[test]
fn small_networks_are_no_exception() {
    let mut files = Memory::default();
    files.add("a.aut", "des (0,0,1)\n");
    let network = of_files("a ||| a", &files);
    for types in ["V=v", "V=v,w,x", "V=v;W=w"] {
        let types = Types::parse_line(types).unwrap();
        let symmetry = Symmetry::new(&network, &types).unwrap();
        for strategy in Strategy::ALL {
            let model = SymmetricModel::new(&symmetry, strategy);
            assert_eq!(
                explore(&model, ExploreOptions::default(), &mut ())
                    .unwrap()
                    .states,
                1
            );
        }
    }
    let symmetry = Symmetry::new(&network, &Types::default()).unwrap();
    assert_eq!(symmetry.order(), Some(1));
    assert_eq!(find_types(&network, None).unwrap(), Types::default());
}

/// Results do not depend on how many threads there are.
#[test]
fn threads_make_no_difference() {
    let (network, types) = read("liststack_3_2_2");
    let symmetry = Symmetry::new(&network, &types).unwrap();
    for strategy in Strategy::ALL {
        let model = SymmetricModel::new(&symmetry, strategy);
        let texts = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let lts = pool.install(|| super::brute::lts(&model));
            hyades_testing::aut(&lts)
        });
        assert_eq!(texts[0], texts[1], "{strategy}");
    }
}

/// The option that makes labels hidden is respected.
#[test]
fn what_is_hidden_is_up_to_the_network() {
    let mut files = Memory::default();
    files.add("a.aut", "des (0,2,2)\n(0,A !0,1)\n(1,tau,0)\n");
    files.add("b.aut", "des (0,2,2)\n(0,A !1,1)\n(1,tau,0)\n");
    let options = Options {
        customs: Customs {
            hidden: vec![b"tau".to_vec()],
            ..Customs::default()
        },
        ..Options::default()
    };
    let network = from_text("net.exp", "a ||| b", &options, &files, &mut |_| {}).unwrap();
    let types = Types::parse_line("V=0,1").unwrap();
    let symmetry = Symmetry::new(&network, &types).unwrap();
    let model = SymmetricModel::new(&symmetry, Strategy::Exact);
    let found = explore(&model, ExploreOptions::default(), &mut ()).unwrap();
    assert_eq!((found.states, symmetry.control_states()), (3, 2));
    let apart = symmetry.tells_apart(|text| text == b"A !0").unwrap();
    assert_eq!(apart.map(|l| network.labels().text(l)), [b"A !0", b"A !1"]);
    assert_eq!(symmetry.tells_apart(|text| text.starts_with(b"A")), None);
}

/// A type of which no two values are alike is refused at once, however many
/// labels that there are not all exchanges together would give.
#[test]
fn values_that_are_not_alike_are_refused_at_once() {
    let mut files = Memory::default();
    let values: Vec<String> = (0..40).map(|k| format!("V{k}")).collect();
    let labels = values.windows(3).map(|w| format!("\"A {}\"", w.join(" ")));
    let lines = labels.map(|label| format!("(0,{label},0)\n"));
    let aut = format!("des (0,38,1)\n{}", lines.collect::<String>());
    files.add("a.aut", aut);
    let network = of_files("a", &files);
    let error = refused(&network, &format!("V={}", values.join(",")));
    assert_eq!(
        error,
        "with V0 and V1 exchanged, the component a behaves like no component of the network that \
         could stand for it: its label `A V0 V1 V2` becomes `A V1 V0 V2`, which no component has \
         in a rule"
    );
    assert_eq!(find_types(&network, None).unwrap(), Types::default());
}

/// What would take too long is refused, and what has many values is not.
#[test]
fn many_values_are_exchanged() {
    let mut files = Memory::default();
    let names: Vec<String> = (0..40).map(|k| format!("n{k}")).collect();
    for (k, name) in names.iter().enumerate() {
        let aut = format!("des (0,2,2)\n(0,SET !V{k},1)\n(1,UNSET !V{k},0)\n");
        files.add(format!("{name}.aut"), aut);
    }
    let network = of_files(&names.join(" ||| "), &files);
    let types = find_types(&network, None).unwrap();
    assert_eq!(types.values(), 40);
    let symmetry = Symmetry::new(&network, &types).unwrap();
    // 40! is too large a number.
    assert_eq!(symmetry.order(), None);
    for strategy in Strategy::ALL {
        let model = SymmetricModel::new(&symmetry, strategy);
        let found = explore(&model, ExploreOptions::default(), &mut ());
        match strategy {
            Strategy::Segmented => {
                let error = found.unwrap_err().to_string();
                assert!(error.contains("more than 10000000 orders"), "{error}");
            }
            _ => assert_eq!(found.unwrap().states, 41, "{strategy}"),
        }
    }
    let model = SymmetricModel::new(&symmetry, Strategy::Exact);
    let counts = model.count(ExploreOptions::default()).unwrap().1.unwrap();
    assert_eq!((counts.orbits, counts.states), (41, 1 << 40));
    assert_eq!(counts.transitions, 40 << 40);
    let refined = SymmetricModel::new(&symmetry, Strategy::Refine);
    let error = refined
        .count(ExploreOptions::default())
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "states are counted by the strategy exact, not refine"
    );
}
