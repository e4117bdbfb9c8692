//! The trains of appendix B.

use hyades_formats::Lts;

use super::{assert_same, search};
use crate::{MealyTrain, Train};

/// Appendix B: stations, and the functions on lists of requests, each a rewrite
/// rule.
mod stations {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Direction {
        Right,
        Left,
        None,
    }

    /// Station, called, sent.
    pub type List = [(usize, bool, bool)];

    pub fn empty(n: usize) -> Vec<(usize, bool, bool)> {
        (0..n).map(|s| (s, false, false)).collect()
    }

    /// Each row is the one above shifted, as printed for eight stations.
    pub fn left(n: usize, s1: usize, s2: usize) -> bool {
        let first = |s2: usize| (1..=n / 2).contains(&s2);
        first((s2 + n - s1) % n)
    }

    pub fn right(n: usize, s1: usize, s2: usize) -> bool {
        left(n, s2, s1)
    }

    pub fn isreq(s1: usize, list: &List) -> bool {
        match list {
            [] => false,
            [(s2, b1, b2), l @ ..] => {
                if s1 == *s2 {
                    *b1 || *b2
                } else {
                    isreq(s1, l)
                }
            }
        }
    }

    type On = fn(usize, usize, usize) -> bool;

    /// The first station on a side decides: the plain train.
    pub fn first_on(n: usize, on: On, s1: usize, list: &List) -> bool {
        match list {
            [] => false,
            [(s2, b1, b2), l @ ..] => {
                if on(n, *s2, s1) {
                    *b1 || *b2
                } else {
                    first_on(n, on, s1, l)
                }
            }
        }
    }

    /// Any station on a side: the train in the style of Mealy machines.
    pub fn any_on(n: usize, on: On, s1: usize, list: &List) -> bool {
        match list {
            [] => false,
            [(s2, b1, b2), l @ ..] => (on(n, *s2, s1) && (*b1 || *b2)) || any_on(n, on, s1, l),
        }
    }

    pub fn change(kind: &str, s1: usize, list: &List) -> Vec<(usize, bool, bool)> {
        let change = |&(s2, b1, b2): &(usize, bool, bool)| match kind {
            _ if s2 != s1 => (s2, b1, b2),
            "CALL" => (s2, true, b2),
            _ => (s2, b1, true),
        };
        list.iter().map(change).collect()
    }

    pub fn change_f(s1: usize, list: &List) -> Vec<(usize, bool, bool)> {
        let change = |&(s2, b1, b2): &(usize, bool, bool)| {
            if s2 == s1 {
                (s2, false, false)
            } else {
                (s2, b1, b2)
            }
        };
        list.iter().map(change).collect()
    }

    /// The direction in which a train at `stat` starts for `s`.
    pub fn start(n: usize, s: usize, stat: usize, dir: Direction) -> Direction {
        if dir != Direction::None {
            dir
        } else if left(n, s, stat) {
            Direction::Left
        } else if right(n, s, stat) {
            Direction::Right
        } else {
            dir
        }
    }
}

fn train(n: usize) -> Lts {
    use stations::Direction::{self, *};
    use stations::*;
    let initial = (0, false, empty(n), None);
    search(initial, |(stat, dooropen, reqs, dir)| {
        let (stat, dooropen, dir): (usize, bool, Direction) = (*stat, *dooropen, *dir);
        let (left_of, right_of) = ((stat + n - 1) % n, (stat + 1) % n);
        let mut steps = Vec::new();
        for r in ["CALL", "SEND"] {
            for s in 0..n {
                let reqs = if !(s == stat && dooropen) {
                    change(r, s, reqs)
                } else {
                    reqs.clone()
                };
                let next = (stat, dooropen, reqs, start(n, s, stat, dir));
                steps.push((format!("REQUEST({r},{s})"), next));
            }
        }
        if !dooropen && isreq(stat, reqs) {
            let next = (stat, true, change_f(stat, reqs), dir);
            steps.push((format!("OPENDOOR({stat})"), next));
        }
        if dooropen {
            steps.push((
                format!("CLOSEDOOR({stat})"),
                (stat, false, reqs.clone(), dir),
            ));
        }
        if !dooropen && dir == Right && !isreq(stat, reqs) {
            let dir = if first_on(n, right, right_of, reqs) {
                dir
            } else if first_on(n, left, right_of, reqs) {
                Left
            } else {
                dir
            };
            steps.push((
                format!("MOVERIGHT({right_of})"),
                (right_of, dooropen, reqs.clone(), dir),
            ));
        }
        if !dooropen && dir == Left && !isreq(stat, reqs) {
            let dir = if first_on(n, left, left_of, reqs) {
                dir
            } else if first_on(n, right, left_of, reqs) {
                Right
            } else {
                dir
            };
            steps.push((
                format!("MOVELEFT({left_of})"),
                (left_of, dooropen, reqs.clone(), dir),
            ));
        }
        steps
    })
}

fn mealy_train(n: usize) -> Lts {
    use stations::Direction::{self, *};
    use stations::*;
    let initial = (0, false, false, empty(n), None);
    search(initial, |(stat, dooropen, closing, reqs, dir)| {
        let (stat, dooropen, closing): (usize, bool, bool) = (*stat, *dooropen, *closing);
        let dir: Direction = *dir;
        let here = isreq(stat, reqs);
        let (left_of, right_of) = ((stat + n - 1) % n, (stat + 1) % n);
        let mut steps = Vec::new();
        for r in ["CALL", "SEND"] {
            for s in 0..n {
                let request = |answer: String| format!("REQUEST({r},{s},{answer})");
                if dooropen || ((!closing || s != stat) && (closing || (dir != None || here))) {
                    let asked = !(s == stat && dooropen);
                    let reqs = if asked {
                        change(r, s, reqs)
                    } else {
                        reqs.clone()
                    };
                    let next = (stat, dooropen, closing, reqs, start(n, s, stat, dir));
                    steps.push((request("NO_OUTPUT".into()), next));
                }
                if !dooropen && dir == None && s == stat && !here {
                    let next = (stat, true, false, reqs.clone(), dir);
                    steps.push((request(format!("OPENDOOR({stat})")), next));
                }
                if !dooropen && !closing && dir == None && left(n, s, stat) && !here {
                    let dir = if s == left_of { None } else { Left };
                    let next = (left_of, dooropen, false, change(r, s, reqs), dir);
                    steps.push((request(format!("MOVELEFT({left_of})")), next));
                }
                if !dooropen
                    && !closing
                    && dir == None
                    && right(n, s, stat)
                    && !left(n, s, stat)
                    && !here
                {
                    let dir = if s == right_of { None } else { Right };
                    let next = (right_of, dooropen, false, change(r, s, reqs), dir);
                    steps.push((request(format!("MOVERIGHT({right_of})")), next));
                }
            }
        }
        let wait = |answer: String| format!("WAIT({answer})");
        if !dooropen && !closing && dir == None && !here {
            let next = (stat, dooropen, closing, reqs.clone(), dir);
            steps.push((wait("NO_OUTPUT".into()), next));
        }
        if closing && dir == None && !here {
            let next = (stat, dooropen, false, reqs.clone(), dir);
            steps.push((wait(format!("DOORCLOSED({stat})")), next));
        }
        if !dooropen && here {
            let next = (stat, true, false, change_f(stat, reqs), dir);
            steps.push((wait(format!("OPENDOOR({stat})")), next));
        }
        if dooropen {
            let next = (stat, false, true, reqs.clone(), dir);
            steps.push((wait(format!("CLOSEDOOR({stat})")), next));
        }
        if !dooropen && dir == Right && !here {
            let dir = if any_on(n, right, right_of, reqs) {
                dir
            } else if any_on(n, left, right_of, reqs) {
                Left
            } else {
                None
            };
            let next = (right_of, dooropen, false, reqs.clone(), dir);
            steps.push((wait(format!("MOVERIGHT({right_of})")), next));
        }
        if !dooropen && dir == Left && !here {
            let dir = if any_on(n, left, left_of, reqs) {
                dir
            } else if any_on(n, right, left_of, reqs) {
                Right
            } else {
                None
            };
            let next = (left_of, dooropen, false, reqs.clone(), dir);
            steps.push((wait(format!("MOVELEFT({left_of})")), next));
        }
        steps
    })
}

#[test]
fn trains_are_what_the_texts_say() {
    for n in 3..=5 {
        assert_same(&Train::new(n), train(n as usize));
        assert_same(&MealyTrain::new(n), mealy_train(n as usize));
    }
}

/// The table of `left(s1, s2)` for 8 stations, s1 downwards.
#[test]
fn sides_are_those_of_the_table() {
    let table = [
        "FTTTTFFF", "FFTTTTFF", "FFFTTTTF", "FFFFTTTT", "TFFFFTTT", "TTFFFFTT", "TTTFFFFT",
        "TTTTFFFF",
    ];
    for (s1, row) in table.iter().enumerate() {
        for (s2, value) in row.chars().enumerate() {
            assert_eq!(stations::left(8, s1, s2), value == 'T', "{s1} {s2}");
        }
    }
}
