//! All relations between two systems as a picture.

use std::fmt::Write as _;

use hyades_draw::text::{escaped, shortened};
use hyades_equivalence::Relation;
use hyades_equivalence::spectrum::Entry;

use super::lattice::{Position, implied, place};

const WIDTH: f32 = 1150.0;
const HEIGHT: f32 = 815.0;
/// From the middle of a row to that of the next one.
const ROW: f32 = 62.0;
/// Half of the height of a box.
const HALF: f32 = 12.0;
/// How far lines stay away from boxes that they pass.
const GAP: f32 = 8.0;
/// Where lines pass a row: in multiples of this.
const TRACK: f32 = 7.0;
/// What it costs to run along another line, beside the square of each way to the side.
const SHARED: f32 = 1e6;

/// A box of the picture.
struct Place {
    x: f32,
    row: u8,
    wide: f32,
    text: String,
}

impl Place {
    fn of(entry: &Entry) -> Self {
        const COLUMN: f32 = 112.0;
        let (column, row) = place(entry.relation);
        let position = Position::of(&entry.order);
        let sign = match position {
            Position::Below => "A < B:".to_owned(),
            Position::Above => "A > B:".to_owned(),
            Position::Equivalent
            | Position::Incomparable
            | Position::Different
            | Position::Unknown => position.mark().to_string(),
        };
        let text = format!("{sign} {}", entry.relation);
        Self {
            x: 100.0 + column * COLUMN,
            row,
            wide: text.len() as f32 * 6.8 + 14.0,
            text,
        }
    }
}

/// The middle of a row.
fn height(row: u8) -> f32 {
    72.0 + f32::from(row) * ROW
}

/// The colours of a box and of the text in it.
const fn colors(position: Position) -> [&'static str; 2] {
    match position {
        Position::Equivalent => ["#d5ead0", "#1d5c15"],
        Position::Below | Position::Above => ["#fbeac2", "#7a5200"],
        Position::Incomparable | Position::Different => ["#f6d6d2", "#8f1f14"],
        Position::Unknown => ["#e4e4e4", "#444444"],
    }
}

/// SVG, the same bytes every time.
pub fn svg(entries: &[Entry], names: &[String; 2]) -> String {
    // What has room in a line.
    let [a, b] = names.each_ref().map(|name| shortened(name, 150));
    let [a, b] = [a, b].map(|name| escaped(&name));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<title>Relations between A = {a} and B = {b}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"20\" y=\"22\">A = {a}</text>\n<text x=\"20\" y=\"40\">B = {b}</text>\n"
    );
    let places: Vec<Place> = entries.iter().map(Place::of).collect();
    for way in ways(entries, &places) {
        let points: Vec<_> = way.iter().map(|(x, y)| format!("{x:.0} {y:.0}")).collect();
        writeln!(
            svg,
            "<path d=\"M{}\" stroke=\"#8c8c8c\" fill=\"none\" stroke-linejoin=\"round\"/>",
            points.join(" L")
        )
        .expect("a text has room");
    }
    for (entry, place) in entries.iter().zip(&places) {
        let &Place { x, row, wide, .. } = place;
        let [fill, ink] = colors(Position::of(&entry.order));
        let y = height(row);
        writeln!(
            svg,
            "<rect x=\"{:.0}\" y=\"{:.0}\" width=\"{wide:.0}\" height=\"{:.0}\" rx=\"5\" \
             fill=\"{fill}\" stroke=\"{ink}\"/>\n\
             <text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\" fill=\"{ink}\">{}</text>",
            x - wide / 2.0,
            y - HALF,
            2.0 * HALF,
            y + 4.0,
            escaped(&place.text)
        )
        .expect("a text has room");
    }
    let mut x = 20;
    for (position, what) in [
        (Position::Equivalent, "= equivalent"),
        (Position::Below, "A < B or A > B: one below the other"),
        (
            Position::Incomparable,
            "x incomparable, or ! one direction unknown",
        ),
        (Position::Unknown, "? unknown"),
    ] {
        let [fill, ink] = colors(position);
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"788\" width=\"14\" height=\"14\" fill=\"{fill}\" \
             stroke=\"{ink}\"/>\n<text x=\"{}\" y=\"800\">{}</text>",
            x + 20,
            escaped(what)
        )
        .expect("a text has room");
        x += 40 + 7 * what.len();
    }
    svg += "</svg>\n";
    svg
}

/// A line from each relation to each that it implies, those left out that another one of
/// these implies: around all boxes in the rows between.
fn ways(entries: &[Entry], places: &[Place]) -> Vec<Vec<(f32, f32)>> {
    let place_of = |relation: Relation| {
        let found = entries.iter().zip(places);
        let mut found = found.filter(|(entry, _)| entry.relation == relation);
        found.next().map(|(_, place)| place)
    };
    let rows = places.iter().map(|place| place.row).max().unwrap_or(0);
    let mut tracks: Vec<Tracks> = (0..=rows).map(|row| Tracks::of(places, row)).collect();
    let mut ways = Vec::new();
    for (entry, from) in entries.iter().zip(places) {
        let implied = implied(entries, entry.relation).filter_map(place_of);
        for to in implied {
            let between = usize::from(from.row) + 1..usize::from(to.row);
            let passed = pass(from.x, to.x, &tracks[between.clone()]);
            let mut way = vec![(from.x, height(from.row) + HALF)];
            for (row, k) in between.zip(passed) {
                tracks[row].taken[k] = true;
                let (x, y) = (tracks[row].at[k], height(row as u8));
                way.extend([(x, y - HALF - 2.0), (x, y + HALF + 2.0)]);
            }
            way.push((to.x, height(to.row) - HALF));
            ways.push(way);
        }
    }
    ways
}

/// Where a row can be passed.
struct Tracks {
    at: Vec<f32>,
    /// Whether another line is there.
    taken: Vec<bool>,
}

impl Tracks {
    fn of(places: &[Place], row: u8) -> Self {
        let is_free = |x: &f32| {
            let mut boxes = places.iter().filter(|place| place.row == row);
            boxes.all(|place| (place.x - x).abs() > place.wide / 2.0 + GAP)
        };
        let all = (1..).map(|k| k as f32 * TRACK);
        let all = all.take_while(|&x| x < WIDTH - TRACK);
        let at: Vec<f32> = all.filter(is_free).collect();
        Self {
            taken: vec![false; at.len()],
            at,
        }
    }
}

/// Which tracks of these rows a line takes on its way from one `x` to another: those with the
/// least sum of squares of what it goes to the side, so that it is as straight as can be.
fn pass(from: f32, to: f32, rows: &[Tracks]) -> Vec<usize> {
    let aside = |x: f32, other: f32| (x - other) * (x - other);
    // Of each row the costs up to each track, and by which track of the row before.
    let mut costs: Vec<Vec<(f32, usize)>> = Vec::new();
    for (row, tracks) in rows.iter().enumerate() {
        let cost = |x: f32| match row.checked_sub(1) {
            None => (aside(from, x), 0),
            Some(before) => {
                let each = costs[before].iter().zip(&rows[before].at).enumerate();
                let each = each.map(|(k, (&(cost, _), &at))| (cost + aside(at, x), k));
                each.min_by(|a, b| a.0.total_cmp(&b.0))
                    .unwrap_or((f32::INFINITY, 0))
            }
        };
        let all = tracks.at.iter().zip(&tracks.taken);
        let all = all.map(|(&x, &is_taken)| {
            let (least, by) = cost(x);
            (least + if is_taken { SHARED } else { 0.0 }, by)
        });
        let all = all.collect();
        costs.push(all);
    }
    let (Some(last), Some(tracks)) = (costs.last(), rows.last()) else {
        return Vec::new();
    };
    let total = |k: &usize| last[*k].0 + aside(tracks.at[*k], to);
    let Some(end) = (0..last.len()).min_by(|a, b| total(a).total_cmp(&total(b))) else {
        return Vec::new();
    };
    let mut passed = vec![end; rows.len()];
    for row in (1..rows.len()).rev() {
        passed[row - 1] = costs[row][passed[row]].1;
    }
    passed
}

#[cfg(test)]
mod tests {
    use hyades_equivalence::compare::{Order, Verdict};
    use hyades_equivalence::spectrum::open;

    use super::*;

    type Point = (f32, f32);

    /// The corners of a box.
    type Area = [f32; 4];

    /// All relations, of which the same is known.
    fn entries(has_strong_labels: bool, below: &Verdict, above: &Verdict) -> Vec<Entry> {
        let mut entries = open(has_strong_labels);
        for entry in &mut entries {
            entry.order = Order {
                below: below.clone(),
                above: above.clone(),
            };
        }
        entries
    }

    /// The number in an attribute.
    fn number(line: &str, name: &str) -> f32 {
        let (_, rest) = line.split_once(&format!(" {name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    }

    /// The boxes and the lines of a picture.
    fn read(svg: &str) -> (Vec<Area>, Vec<Vec<Point>>) {
        let (mut areas, mut ways) = (Vec::new(), Vec::new());
        for line in svg.lines() {
            if line.starts_with("<rect ") && line.contains(" rx=") {
                let [x, y, wide, high] = ["x", "y", "width", "height"].map(|n| number(line, n));
                areas.push([x, y, x + wide, y + high]);
            } else if let Some(rest) = line.strip_prefix("<path d=\"M") {
                let points = rest.split('"').next().unwrap().split(" L");
                let point = |text: &str| {
                    let (x, y) = text.split_once(' ').unwrap();
                    (x.parse().unwrap(), y.parse().unwrap())
                };
                ways.push(points.map(point).collect());
            }
        }
        (areas, ways)
    }

    /// Whether a line between two points has one within an area, or on its border.
    fn meets([(x, y), (to_x, to_y)]: [Point; 2], [left, top, right, bottom]: Area) -> bool {
        // The part of the line that is on the right side of each border.
        let (mut first, mut last) = (0.0f32, 1.0f32);
        for (start, step, least, most) in [(x, to_x - x, left, right), (y, to_y - y, top, bottom)] {
            if step == 0.0 {
                if start < least || start > most {
                    return false;
                }
                continue;
            }
            let (a, b) = ((least - start) / step, (most - start) / step);
            (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
        }
        first <= last
    }

    #[test]
    fn lines_meet_what_they_cross() {
        let area = [0.0, 0.0, 10.0, 10.0];
        assert!(meets([(-5.0, 5.0), (15.0, 6.0)], area));
        assert!(meets([(5.0, 10.0), (5.0, 20.0)], area));
        assert!(!meets([(-5.0, 5.0), (5.0, 20.0)], area));
        assert!(!meets([(11.0, -5.0), (11.0, 15.0)], area));
    }

    /// No line crosses a box that it neither leaves nor leads to, no two boxes meet, and
    /// each line is that of an implication.
    #[test]
    fn lines_are_those_of_implications() {
        let all = [Verdict::Holds, Verdict::Fails(None), Verdict::Unknown];
        let names = ["A".to_owned(), "B".to_owned()];
        for (has_strong_labels, below, above) in [false, true]
            .into_iter()
            .flat_map(|s| all.iter().map(move |b| (s, b)))
            .flat_map(|(s, b)| all.iter().map(move |a| (s, b, a)))
        {
            let entries = entries(has_strong_labels, below, above);
            let (areas, ways) = read(&svg(&entries, &names));
            assert_eq!(areas.len(), entries.len());
            let of = |k: usize| entries[k].relation;
            for (k, &[left, top, right, bottom]) in areas.iter().enumerate() {
                assert!(left >= 2.0 && right <= WIDTH - 2.0, "{}", of(k));
                for (other, &[l, t, r, b]) in areas.iter().enumerate().take(k) {
                    let apart = right + 4.0 < l || r + 4.0 < left || bottom < t || b < top;
                    assert!(apart, "{} and {}", of(k), of(other));
                }
            }
            let mut found = Vec::new();
            for way in &ways {
                let met = |k: &usize| {
                    way.windows(2)
                        .any(|line| meets([line[0], line[1]], areas[*k]))
                };
                let [from, to] = [way[0], way[way.len() - 1]].map(|(x, y)| {
                    let is_end = |&[left, top, right, bottom]: &Area| {
                        (left..=right).contains(&x) && (top..=bottom).contains(&y)
                    };
                    areas.iter().position(is_end).unwrap()
                });
                for k in (0..areas.len()).filter(met) {
                    assert!(
                        k == from || k == to,
                        "{} to {}: {}",
                        of(from),
                        of(to),
                        of(k)
                    );
                }
                found.push((of(from), of(to)));
            }
            let expected: Vec<_> = entries
                .iter()
                .flat_map(|e| implied(&entries, e.relation).map(|to| (e.relation, to)))
                .collect();
            assert_eq!(found, expected);
        }
    }

    /// By a sign that is no colour, too; and names of any length have room.
    #[test]
    fn boxes_say_what_they_mean() {
        let long = format!("{}/a.aut", "directory/".repeat(40));
        let names = [long.clone(), long];
        let (yes, no, open) = (Verdict::Holds, Verdict::Fails(None), Verdict::Unknown);
        for (below, above, sign) in [
            (&yes, &yes, "="),
            (&yes, &no, "A &lt; B:"),
            (&no, &yes, "A &gt; B:"),
            (&no, &no, "x"),
            (&no, &open, "!"),
            (&open, &open, "?"),
        ] {
            let svg = svg(&entries(false, below, above), &names);
            let text = format!(">{sign} contrasim<");
            assert!(svg.contains(&text), "{text}: {svg}");
            let line = svg.lines().find(|line| line.contains(">A = ")).unwrap();
            assert!(line.contains("…") && line.contains("/a.aut<"), "{line}");
            assert!(line.chars().count() < 200, "{line}");
            assert!(
                svg.contains("\n<title>Relations between A = directory/"),
                "{svg}"
            );
        }
    }
}
