//! Plots of numbers, as SVG.

use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

use super::{add, grouped};
use crate::text::escaped;

/// A plot: numbers over numbers.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What stands below it.
    pub caption: String,
    /// What the axes are about.
    pub axes: [String; 2],
    /// The points, by ascending first numbers; values that are missing are 0 to columns,
    /// and are left out by lines.
    pub points: Vec<(u64, u64)>,
    /// How they are drawn.
    pub shape: Shape,
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A column for each number, or for ranges of equal width if there are many: its
    /// height is the sum.
    Columns,
    /// A line from point to point.
    Line,
}

const SIZE: (u32, u32) = (720, 260);
const COLUMNS: u64 = 60;
/// So many points are enough for a line.
const POINTS: usize = 720;
const COLOUR: RGBColor = RGBColor(47, 111, 180);

/// Columns of ranges of equal width.
struct Columns {
    first: u64,
    /// Of how many numbers each column is the sum.
    width: u64,
    sums: Vec<u64>,
}

impl Columns {
    fn new(points: &[(u64, u64)]) -> Self {
        let first = points.first().map_or(0, |p| p.0);
        let last = points.last().map_or(0, |p| p.0);
        let width = (last - first) / COLUMNS + 1;
        let mut sums = vec![0u64; ((last - first) / width) as usize + 1];
        for &(x, y) in points {
            sums[((x - first) / width) as usize] += y;
        }
        Self { first, width, sums }
    }
}

impl Chart {
    /// Appends the plot, with what stands below it, to a page.
    pub(super) fn add_to(&self, page: &mut String) {
        let (svg, notes) = self.svg();
        add(
            page,
            format_args!(
                "<figure>\n{svg}<figcaption>{}{}</figcaption>\n</figure>\n",
                escaped(&self.caption),
                escaped(&notes)
            ),
        );
    }

    /// The plot, and what has to be known to read it.
    fn svg(&self) -> (String, String) {
        let (points, width) = match self.shape {
            Shape::Columns => {
                let Columns { first, width, sums } = Columns::new(&self.points);
                let points = sums.iter().enumerate();
                let points = points.map(|(k, &sum)| (first + k as u64 * width, sum));
                (points.collect(), width)
            }
            Shape::Line => (thinned(&self.points), 1),
        };
        let largest = points.iter().map(|p| p.1).max().unwrap_or(0).max(1);
        let least = points.iter().map(|p| p.1).filter(|&y| y > 0).min();
        let is_logarithmic = least.is_some_and(|least| largest / least >= 200);
        let mut notes = String::new();
        if width > 1 {
            notes += &format!(" Each column is the sum of {} numbers.", grouped(width));
        }
        if is_logarithmic {
            notes += " The scale of heights is logarithmic.";
        }
        // A column of one number stands around it, one of several over all of them.
        let start = match (self.shape, width) {
            (Shape::Columns, 1) => -0.5,
            (Shape::Columns | Shape::Line, _) => 0.0,
        };
        let first = points.first().map_or(0, |p| p.0);
        let end = points.last().map_or(1, |p| p.0 + width).max(first + 1);
        let mut svg = String::new();
        let plot = Plot {
            chart: self,
            points: &points,
            width,
            start,
            x: first as f64 + start..end as f64 + start,
        };
        let drawn = match is_logarithmic {
            // Half of what there is at least, so that heights of 1 show.
            true => plot.draw(&mut svg, (0.5..largest as f64 * 1.3).log_scale(), 0.5),
            false => plot.draw(&mut svg, 0.0..largest as f64 * 1.05, 0.0),
        };
        // Texts are the only device.
        drawn.expect("drawing into a string");
        (svg, notes)
    }
}

/// At most [`POINTS`] of the points: the first and the last, and others between them at
/// equal distances.
fn thinned(points: &[(u64, u64)]) -> Vec<(u64, u64)> {
    if points.len() <= POINTS {
        return points.to_vec();
    }
    let last = points.len() - 1;
    let place = |k: usize| k * last / (POINTS - 1);
    (0..POINTS).map(|k| points[place(k)]).collect()
}

/// What is drawn of a chart.
struct Plot<'a> {
    chart: &'a Chart,
    points: &'a [(u64, u64)],
    width: u64,
    /// Where a column begins, from its number.
    start: f64,
    x: Range<f64>,
}

impl Plot<'_> {
    fn draw<Y>(&self, svg: &mut String, y: Y, base: f64) -> Result<(), DrawingError>
    where
        Y: AsRangedCoord<Value = f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(80)
            .build_cartesian_2d(self.x.clone(), y)?;
        // There is nothing between two whole numbers.
        let number = |number: &f64| match number.fract() == 0.0 && *number >= 0.0 {
            true => grouped(*number as u64),
            false => String::new(),
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc(self.chart.axes[0].as_str())
            .y_desc(self.chart.axes[1].as_str())
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .y_labels(6)
            .draw()?;
        match self.chart.shape {
            Shape::Columns => {
                let shown = self.points.iter().filter(|p| p.1 > 0);
                let columns = shown.map(|&(x, y)| {
                    let left = x as f64 + self.start;
                    let corners = [(left, base), (left + self.width as f64, y as f64)];
                    let mut column = Rectangle::new(corners, COLOUR.filled());
                    column.set_margin(0, 0, 0, u32::from(self.points.len() > 1));
                    column
                });
                chart.draw_series(columns)?;
            }
            Shape::Line => {
                let points = self
                    .points
                    .iter()
                    .map(|&(x, y)| (x as f64, base.max(y as f64)));
                chart.draw_series(LineSeries::new(points, COLOUR.stroke_width(2)))?;
            }
        }
        area.present()
    }
}

type DrawingError = DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn columns_are_sums(points in proptest::collection::btree_map(0u64..5000, 0u64..50, 1..200)) {
            let points: Vec<(u64, u64)> = points.into_iter().collect();
            let Columns { first, width, sums } = Columns::new(&points);
            prop_assert!(sums.len() as u64 <= COLUMNS);
            prop_assert_eq!(first, points[0].0);
            for (k, &sum) in sums.iter().enumerate() {
                let start = first + k as u64 * width;
                let within = points.iter().filter(|p| (start..start + width).contains(&p.0));
                prop_assert_eq!(sum, within.map(|p| p.1).sum::<u64>());
            }
            let all: u64 = points.iter().map(|p| p.1).sum();
            prop_assert_eq!(all, sums.iter().sum::<u64>());
        }

        #[test]
        fn lines_keep_their_ends(points in proptest::collection::btree_map(0u64..9000, 0u64..50, 1..3000)) {
            let points: Vec<(u64, u64)> = points.into_iter().collect();
            let thin = thinned(&points);
            prop_assert_eq!(thin.len(), points.len().min(POINTS));
            prop_assert_eq!(thin.first(), points.first());
            prop_assert_eq!(thin.last(), points.last());
            prop_assert!(thin.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }

    #[test]
    fn all_kinds_of_numbers_are_drawn() {
        let many: Vec<(u64, u64)> = (0..100_000).map(|x| (x, x % 977 * (x % 3))).collect();
        let cases = [
            vec![],
            vec![(0, 0)],
            vec![(7, 1)],
            vec![(0, 3), (1, 40_000_000_000)],
            vec![(u64::from(u32::MAX), 5), (1 << 40, 1)],
            many,
        ];
        for points in cases {
            for shape in [Shape::Columns, Shape::Line] {
                let chart = Chart {
                    caption: "c".into(),
                    axes: ["x".into(), "y".into()],
                    points: points.clone(),
                    shape,
                };
                let (svg, _) = chart.svg();
                assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
                assert!(svg.len() < 100_000, "{}", svg.len());
                assert_eq!(svg, chart.svg().0);
            }
        }
    }
}
