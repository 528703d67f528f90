//! Does a published cell cover an original value? Read from the published text alone: this is not
//! the code that wrote it.

use super::names::{self, Named};
use crate::bands::{Band, are_bands};
use crate::kind::{Kind, Prefixes, value_of};
use crate::policy::{Format, SIGNED_RANGE};
use crate::value::Number;
use std::collections::BTreeMap;

/// What a published cell (or pair of bounds) says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// Anything.
    Star,
    /// Any of these readings.
    Either(Vec<Reading>),
}

/// One way to read a published text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    /// This very text.
    Text(String),
    /// A missing value.
    Missing,
    /// Any value from the first to the second.
    Range(Number, Number),
    /// Any value of an interval that need not have both ends.
    Interval(Named),
    /// Any of these labels.
    Labels(Vec<String>),
    /// Any leaf in this run.
    Leaves(u32, u32),
    /// This code, whatever blanks are around it.
    Code(String),
    /// Any code that begins like this.
    Prefix(String),
}

/// An original value, as much of it as covering depends on.
pub(super) struct Original<'a> {
    pub(super) text: &'a str,
    pub(super) missing: bool,
    pub(super) value: Option<Number>,
    pub(super) leaf: Option<u32>,
}

/// Reads published texts of one column.
pub(super) struct Reader<'a> {
    kind: &'a Kind,
    format: &'a Format,
    missing: &'a [String],
    /// The runs of leaves under the nodes of each name.
    nodes: BTreeMap<&'a str, Vec<(u32, u32)>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(kind: &'a Kind, format: &'a Format, missing: &'a [String]) -> Self {
        let mut nodes: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
        if let Kind::Hierarchy(hierarchy) = kind {
            for node in 0..hierarchy.tree().nodes() {
                nodes.entry(hierarchy.label(node)).or_default().push(hierarchy.tree().span(node));
            }
        }
        Self { kind, format, missing, nodes }
    }

    pub(super) fn kind(&self) -> &'a Kind {
        self.kind
    }

    fn is_missing(&self, text: &str) -> bool {
        self.missing.iter().any(|t| t == text.trim_ascii())
    }

    /// Its very text, or a missing value.
    fn as_it_is(&self, text: &str, null: bool) -> Vec<Reading> {
        let missing = (null || self.is_missing(text)).then_some(Reading::Missing);
        [Reading::Text(text.to_owned())].into_iter().chain(missing).collect()
    }

    /// A cell of form `ranges`.
    pub(super) fn cell(&self, text: &str, null: bool) -> Said {
        if text == self.format.star {
            return Said::Star;
        }
        let mut readings = self.as_it_is(text, null);
        match self.kind {
            Kind::Numeric | Kind::Date | Kind::Spelled(_) | Kind::Ordinal(_) => {
                if let Some(value) = value_of(self.kind, text) {
                    readings.push(Reading::Range(value, value));
                }
                let pattern = if self.kind.dates() { &self.format.date_range } else { &self.format.range };
                readings.extend(self.ranges(pattern, text));
                // Dates that are written with slashes have another mark between them.
                if self.kind.dates() && self.format.date_range == Format::default().date_range {
                    readings.extend(self.ranges(SIGNED_RANGE, text));
                }
                if matches!(self.kind, Kind::Ordinal(_)) {
                } else if let Some(band) = names::band(self.kind, text) {
                    readings.push(Reading::Interval(band));
                }
                // Unless the policy sets a format, negative numbers and bands have one of their own.
                if self.format.range == Format::default().range {
                    match self.kind {
                        kind if kind.numeric() => readings.extend(self.ranges(SIGNED_RANGE, text)),
                        Kind::Ordinal(levels) => readings.extend(band(levels, text)),
                        _ => {}
                    }
                }
            }
            Kind::Ladder(ladder) => {
                if let Some(value) = value_of(self.kind, text) {
                    readings.push(Reading::Range(value, value));
                }
                readings.extend(names::read(&ladder.base, text).map(Reading::Interval));
            }
            // Regions are encoded as labels or as leaves of their areas.
            Kind::Category | Kind::Region(_) => {
                readings.extend(items(text, self.format).map(Reading::Labels))
            }
            Kind::Prefix(Prefixes { lengths, bare }) => {
                if Some(text.chars().count()) == *bare {
                    readings.push(Reading::Prefix(text.to_owned()));
                }
                readings.push(Reading::Code(text.trim_ascii().to_owned()));
                let start = text.strip_suffix('*').unwrap_or(text);
                if start.is_empty() {
                    return Said::Star;
                }
                if start.len() < text.len() && lengths.contains(&start.chars().count()) {
                    readings.push(Reading::Prefix(start.to_owned()));
                }
            }
            Kind::Hierarchy(_) => {
                let runs = self.nodes.get(text).into_iter().flatten();
                readings.extend(runs.map(|&(first, last)| Reading::Leaves(first, last)));
            }
        }
        Said::Either(readings)
    }

    /// A cell of form `stars`: what it said before, or a star. `starred`: whether a star may stand here.
    pub(super) fn told(&self, text: &str, null: bool, starred: bool) -> Said {
        if starred && text == self.format.star {
            return Said::Star;
        }
        let mut readings = self.as_it_is(text, null);
        // The same value may be spelled in another way.
        readings.extend(value_of(self.kind, text).map(|value| Reading::Range(value, value)));
        // A node of its levels may be what a row says.
        if matches!(self.kind, Kind::Ladder(_) | Kind::Prefix(_) | Kind::Hierarchy(_))
            && let Said::Either(more) = self.cell(text, null)
        {
            readings.extend(more);
        }
        if let Some(band) = names::band(self.kind, text) {
            readings.push(Reading::Interval(band));
        }
        Said::Either(readings)
    }

    fn says_nothing(&self, (text, null): (&str, bool)) -> bool {
        null || text.is_empty() || text == self.format.star
    }

    /// A pair of cells of form `bounds`.
    pub(super) fn bounds(&self, low: (&str, bool), high: (&str, bool)) -> Said {
        // Two empty cells say nothing, as two stars do: the group has missing values.
        if self.says_nothing(low) && self.says_nothing(high) {
            return Said::Star;
        }
        let mut readings = Vec::new();
        if self.is_missing(low.0) && self.is_missing(high.0) {
            readings.push(Reading::Missing);
        }
        if let (Some(low), Some(high)) = (value_of(self.kind, low.0), value_of(self.kind, high.0)) {
            readings.push(Reading::Range(low, high));
        }
        Said::Either(readings)
    }

    /// The middle of a range and its width, of form `midpoint`. The middle of dates and levels is rounded down:
    /// it is as far from the low end as half the width, rounded down in the unit of the width. That is a level,
    /// a second where the middle tells the time of day (a minute where the format has no seconds), a day where it
    /// does not.
    pub(super) fn middle(&self, middle: (&str, bool), width: (&str, bool)) -> Said {
        if self.says_nothing(middle) && self.says_nothing(width) {
            return Said::Star;
        }
        let range = || {
            let value = value_of(self.kind, middle.0)?;
            let kind = if self.kind.numeric() { self.kind } else { &Kind::Numeric };
            let width = value_of(kind, width.0).filter(|width| *width >= Number::whole(0))?;
            let unit = self.kind.step(middle.0).unwrap_or(1);
            let half = if self.kind.numeric() { width.half()? } else { width.half_down()? };
            let low = value.minus(half.times(unit)?)?;
            Some(Reading::Range(low, low.plus(width.times(unit)?)?))
        };
        Said::Either(range().into_iter().collect())
    }

    /// A point, line or rectangle in well-known text, and which of its coordinates is meant: 0 up, 1 across
    /// (`POINT (x y)`).
    pub(super) fn wkt(&self, text: &str, coordinate: usize) -> Said {
        if text == self.format.star {
            return Said::Star;
        }
        let own = self.corners(text).unwrap_or_default().into_iter().map(|(x, y)| [y, x][coordinate]);
        let range = own.map(|v| (v, v)).reduce(|(low, high), (v, _)| (low.min(v), high.max(v)));
        Said::Either(range.map(|(low, high)| Reading::Range(low, high)).into_iter().collect())
    }

    /// The corners, across and up, of a shape that fills the box around them. Any other shape says less or
    /// more than its box, so it is not read.
    fn corners(&self, text: &str) -> Option<Vec<(Number, Number)>> {
        let (word, rest) = text.split_once('(')?;
        let mut inner = rest.trim_ascii().strip_suffix(')')?;
        let word = word.trim_ascii().to_ascii_uppercase();
        if word == "POLYGON" {
            inner = inner.trim_ascii().strip_prefix('(')?.strip_suffix(')')?;
        }
        let corner = |text: &str| {
            let mut parts = text.split_ascii_whitespace().map(|part| value_of(self.kind, part));
            let corner = (parts.next()??, parts.next()??);
            parts.next().is_none().then_some(corner)
        };
        let corners: Vec<(Number, Number)> = inner.split(',').map(corner).collect::<Option<_>>()?;
        let fills_its_box = match (word.as_str(), corners.as_slice()) {
            ("POINT", [_]) => true,
            ("LINESTRING", [a, b]) => a.0 == b.0 || a.1 == b.1,
            // Up or down first, then across, in turns, and back to where it began; or across first.
            ("POLYGON", [a, b, c, d, end]) => {
                let upright = a.0 == b.0 && b.1 == c.1 && c.0 == d.0 && d.1 == a.1;
                let lying = a.1 == b.1 && b.0 == c.0 && c.1 == d.1 && d.0 == a.0;
                a == end && (upright || lying)
            }
            _ => false,
        };
        fills_its_box.then_some(corners)
    }

    /// Every way to cut the text between the parts of the pattern into two values (`[-5--2]` has more than
    /// one dash).
    fn ranges(&self, pattern: &str, text: &str) -> Vec<Reading> {
        let Some((open, rest)) = pattern.split_once("{lo}") else { return Vec::new() };
        let Some((middle, close)) = rest.split_once("{hi}") else { return Vec::new() };
        let Some(inner) = text.strip_prefix(open).and_then(|t| t.strip_suffix(close)) else {
            return Vec::new();
        };
        let read = |(at, _)| {
            let (low, high) = (&inner[..at], inner[at..].strip_prefix(middle)?);
            if let (Some(low), Some(high)) = (value_of(self.kind, low), value_of(self.kind, high)) {
                return Some(Reading::Range(low, high));
            }
            names::reaching(self.kind, low, high).map(Reading::Interval)
        };
        inner.char_indices().filter_map(read).collect()
    }
}

/// The items of a set. One that holds a part of the format is written with a backslash before it; no separator begins
/// with one.
pub(super) fn items(text: &str, format: &Format) -> Option<Vec<String>> {
    let [open, separator, close] = &format.set;
    let mut rest = text.strip_prefix(open.as_str())?.strip_suffix(close.as_str())?;
    let (mut items, mut item) = (Vec::new(), String::new());
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(separator.as_str()) {
            items.push(std::mem::take(&mut item));
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('\\').unwrap_or(rest);
        let letter = rest.chars().next()?;
        item.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    items.push(item);
    Some(items)
}

/// The levels that a wider band spans, where levels are bands: from the one that begins where it begins to the
/// one that ends where it ends.
fn band(levels: &[String], text: &str) -> Option<Reading> {
    let whole = Band::parse(text).filter(|_| are_bands(levels))?;
    let bands: Vec<Band> = levels.iter().map(|level| Band::parse(level)).collect::<Option<_>>()?;
    let first = bands.iter().position(|band| band.low == whole.low)?;
    let last = bands.iter().position(|band| (band.high, band.below) == (whole.high, whole.below))?;
    (first <= last).then(|| Reading::Range(Number::whole(first as i64), Number::whole(last as i64)))
}

impl Said {
    /// The ways to read it; none if it says anything.
    pub(super) fn readings(&self) -> &[Reading] {
        match self {
            Self::Star => &[],
            Self::Either(readings) => readings,
        }
    }

    /// The ranges that it may be.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (Number, Number)> {
        self.readings().iter().filter_map(|reading| match reading {
            Reading::Range(low, high) => Some((*low, *high)),
            _ => None,
        })
    }

    /// Whether the original value is one of those that the cell speaks of.
    pub(super) fn covers(&self, original: &Original<'_>, missing: &[String]) -> bool {
        let Self::Either(readings) = self else { return true };
        readings.iter().any(|reading| match reading {
            Reading::Text(text) => text == original.text,
            Reading::Missing => original.missing,
            Reading::Range(low, high) => original.value.is_some_and(|v| *low <= v && v <= *high),
            Reading::Interval(named) => original.value.is_some_and(|value| named.holds(value)),
            Reading::Labels(labels) if original.missing => {
                labels.iter().any(|l| missing.iter().any(|t| t == l.trim_ascii()))
            }
            Reading::Labels(labels) => labels.iter().any(|l| l == original.text),
            Reading::Code(code) => !original.missing && original.text.trim_ascii() == code,
            Reading::Prefix(start) => !original.missing && original.text.trim_ascii().starts_with(start),
            Reading::Leaves(first, last) => original.leaf.is_some_and(|l| (first..=last).contains(&&l)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::default_missing;

    fn covers(kind: Kind, published: &str, original: &str) -> bool {
        let (format, missing) = (Format::default(), default_missing());
        let said = Reader::new(&kind, &format, &missing).cell(published, false);
        let absent = missing.iter().any(|t| t == original);
        let value = if absent { None } else { value_of(&kind, original) };
        said.covers(&Original { text: original, missing: absent, value, leaf: None }, &missing)
    }

    #[test]
    fn in_form_stars_a_cell_is_its_value_or_a_star() {
        let (kind, format, missing) = (Kind::Numeric, Format::default(), default_missing());
        let reader = Reader::new(&kind, &format, &missing);
        let seven = Original { text: "7", missing: false, value: value_of(&kind, "7"), leaf: None };
        let covers = |text: &str, starred| reader.told(text, false, starred).covers(&seven, &missing);
        assert!(covers("7", true) && covers("7.0", true) && covers("*", true));
        assert!(!covers("8", true) && !covers("[6-8]", true) && !covers("NA", true));
        assert!(!covers("*", false), "a star in a column that is not dropped");
    }

    #[test]
    fn ranges_cover_what_lies_between() {
        assert!(covers(Kind::Numeric, "[35-37]", "36.5"));
        assert!(covers(Kind::Numeric, "[-5--2]", "-3"));
        assert!(covers(Kind::Numeric, "[1e-3-5]", "1"));
        assert!(covers(Kind::Numeric, "37", "37.0"));
        assert!(!covers(Kind::Numeric, "[35-37]", "38"));
        assert!(!covers(Kind::Numeric, "[35-37]", "NA"));
        assert!(covers(Kind::Numeric, "*", "NA"));
        assert!(covers(Kind::Date, "[2020-01-01/2020-02-01]", "2020-01-31"));
        assert!(!covers(Kind::Date, "[2020-01-01/2020-02-01]", "2020-02-02"));
        assert!(covers(Kind::Numeric, "[-5..-2]", "-3") && covers(Kind::Numeric, "[-5...5]", "0"));
        assert!(!covers(Kind::Numeric, "[-5..-2]", "-1.5") && !covers(Kind::Numeric, "[..]", "1"));
        let levels = Kind::Ordinal(["low", "mid-low", "high"].map(String::from).to_vec());
        assert!(covers(levels.clone(), "[low-mid-low]", "mid-low"));
        assert!(!covers(levels, "[low-mid-low]", "high"));
    }

    #[test]
    fn wider_bands_cover_the_bands_that_they_span() {
        let kind = |levels: &[&str]| Kind::Ordinal(levels.iter().map(|&level| level.into()).collect());
        let halves = kind(&["[0-10)", "[10-20)", "[20-30)"]);
        assert!(covers(halves.clone(), "[0-20)", "[10-20)") && !covers(halves.clone(), "[0-20)", "[20-30)"));
        assert!(covers(halves.clone(), "[10-20)", "[10-20)"));
        // No level ends there, or in that way.
        for odd in ["[0-15)", "[5-20)", "[0-20]", "0-20", "[0-40)"] {
            assert!(!covers(halves.clone(), odd, "[0-10)"), "{odd}");
        }
        let ages = kind(&["<5", "5-64", "65+"]);
        assert!(covers(ages.clone(), "<=64", "<5") && !covers(ages.clone(), "<=64", "65+"));
        assert!(covers(ages.clone(), "5+", "65+") && !covers(ages, "5+", "<5"));
    }

    #[test]
    fn a_middle_and_a_width_cover_their_range() {
        let said = |kind: &Kind, middle: &str, width: &str| {
            let (format, missing) = (Format::default(), default_missing());
            Reader::new(kind, &format, &missing).middle((middle, false), (width, false))
        };
        let range = |kind: &Kind, low: &str, high: &str| {
            let value = |text: &str| value_of(kind, text).unwrap();
            Said::Either(vec![Reading::Range(value(low), value(high))])
        };
        let levels = Kind::Ordinal(["low", "middle", "high", "top"].map(String::from).to_vec());
        for (kind, middle, width, low, high) in [
            (&Kind::Numeric, "35.5", "1", "35", "36"),
            (&Kind::Numeric, "-0.15", "0.1", "-0.2", "-0.1"),
            (&Kind::Numeric, "7.0", "0", "7", "7"),
            (&Kind::Date, "2024-02-29", "3", "2024-02-28", "2024-03-02"),
            (&Kind::Date, "2024-02-29", "2", "2024-02-28", "2024-03-01"),
            (&Kind::Date, "2024-01-01T00:00:01", "3", "2024-01-01", "2024-01-01T00:00:03"),
            (&Kind::Date, "2024-01-01T00:00:00.7Z", "1.5", "2024-01-01", "2024-01-01T00:00:01.5"),
            (&levels, "middle", "3", "low", "top"),
            (&levels, "high", "0", "high", "high"),
        ] {
            assert_eq!(said(kind, middle, width), range(kind, low, high), "{middle} {width}");
        }
        assert_eq!(said(&Kind::Numeric, "", ""), Said::Star);
        for (middle, width) in [("7", ""), ("", "7"), ("7", "-1"), ("*", "1"), ("x", "1"), ("[6-8]", "0")] {
            assert_eq!(said(&Kind::Numeric, middle, width), Said::Either(Vec::new()), "{middle} {width}");
        }
    }

    #[test]
    fn well_known_text_covers_its_rectangle() {
        let (kind, format, missing) = (Kind::Numeric, Format::default(), default_missing());
        let reader = Reader::new(&kind, &format, &missing);
        let covers = |text: &str, coordinate, value: &str| {
            let original =
                Original { text: value, missing: false, value: value_of(&kind, value), leaf: None };
            reader.wkt(text, coordinate).covers(&original, &missing)
        };
        let box_ = "POLYGON ((-74 40, -73.5 40, -73.5 41.25, -74 41.25, -74 40))";
        assert!(covers(box_, 0, "41") && covers(box_, 1, "-73.5") && covers("POINT (2 1)", 0, "1.0"));
        assert!(!covers(box_, 0, "-74") && !covers(box_, 1, "40.5") && !covers("POINT (2 1)", 1, "1"));
        assert!(covers("*", 0, "7") && !covers("POINT (x 1)", 0, "1") && !covers("40", 0, "40"));
        for text in [
            "polygon((2 3, 2 0, 0 0, 0 3, 2 3))",
            "Polygon (( 0 3,0 0,2.0 0,2 3.0,0 3 ))",
            "LINESTRING (1 0, 1 3)",
            "linestring (1 2, 1 -1)",
            "POINT(1 1)",
        ] {
            assert!(covers(text, 0, "1") && covers(text, 1, "1") && !covers(text, 1, "2.5"), "{text}");
        }
    }

    #[test]
    fn what_does_not_fill_its_box_covers_nothing() {
        let (kind, format, missing) = (Kind::Numeric, Format::default(), default_missing());
        let reader = Reader::new(&kind, &format, &missing);
        for text in [
            "POLYGON ((0 0, 2 0, 2 2, 0 0))",
            "POLYGON ((0 0, 2 0, 2 2, 1 2, 0 0))",
            "POLYGON ((1 0, 2 1, 1 2, 0 1, 1 0))",
            "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))",
            "POLYGON ((0 0, 2 0, 2 2, 0 2))",
            "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 1))",
            "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0), (1 1, 1 1, 1 1, 1 1, 1 1))",
            "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0)) POINT (1 1)",
            "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0)",
            "POLYGON (0 0, 2 0, 2 2, 0 2, 0 0)",
            "LINESTRING (0 0, 2 2)",
            "LINESTRING (0 0, 0 2, 2 2)",
            "LINESTRING (1 1)",
            "MULTIPOINT (0 0, 2 0)",
            "POINT (1 1, 1 1)",
            "POINT (1 1 1)",
            "POINT (1)",
            "POINT EMPTY",
            "(1 1)",
            "",
        ] {
            assert_eq!(reader.wkt(text, 0), Said::Either(Vec::new()), "{text}");
            assert_eq!(reader.wkt(text, 1), Said::Either(Vec::new()), "{text}");
        }
    }

    #[test]
    fn beginnings_cover_the_codes_that_have_them() {
        let kind = || Kind::Prefix(Prefixes { lengths: vec![3, 1], bare: None });
        assert!(
            covers(kind(), "E11*", "E11.9") && covers(kind(), "E11*", "E11") && covers(kind(), "E*", "E78")
        );
        assert!(covers(kind(), "E11.9", "E11.9") && covers(kind(), "*", "J18") && covers(kind(), "*", "NA"));
        assert!(
            !covers(kind(), "E11*", "E12.1")
                && !covers(kind(), "E11", "E11.9")
                && !covers(kind(), "E*", "NA")
        );
        assert!(!covers(kind(), "E1*", "E11.9"), "no beginning of this policy");
    }

    #[test]
    fn spelled_ranges_cover_what_lies_between() {
        use crate::spelling::{DateFormat, Decimal, Spelling};
        let dates = || Kind::Spelled(Spelling::Date(DateFormat::new("%d/%m/%Y").unwrap()).into());
        assert!(covers(dates(), "[31/01/1980..02/02/1980]", "1/2/1980"));
        assert!(
            covers(dates(), "[31/01/1980/02/02/1980]", "01/02/1980")
                && covers(dates(), "01/02/1980", "1/2/1980")
        );
        assert!(!covers(dates(), "[31/01/1980..02/02/1980]", "03/02/1980"));
        assert!(!covers(dates(), "[1980-01-31..1980-02-02]", "01/02/1980"));
        let numbers = || Kind::Spelled(Spelling::Number(Decimal::Comma).into());
        assert!(covers(numbers(), "[1,5-1.200]", "1.000,25") && covers(numbers(), "[-1,5..-0,5]", "-1"));
        assert!(!covers(numbers(), "[1,5-1.200]", "1.200,5"));
    }

    #[test]
    fn sets_cover_their_labels() {
        assert!(covers(Kind::Category, "{a|b}", "b"));
        assert!(!covers(Kind::Category, "{a|b}", "c"));
        assert!(!covers(Kind::Category, "{a|b}", "a|b"));
        assert!(covers(Kind::Category, r"{a\|b|c\}}", "a|b"));
        assert!(covers(Kind::Category, r"{a\|b|c\}}", "c}"));
        assert!(covers(Kind::Category, "{a|b}", "{a|b}"), "a label may look like a set");
        assert!(covers(Kind::Category, "{?|b}", "NA"), "missing is one value, however it is written");
    }
}
