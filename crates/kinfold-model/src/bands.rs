//! Labels that are bands of numbers: `[70-80)`, `20-29`, `<5`, `65+`.

use crate::value::{Number, parse_number};

/// A band of numbers, as a label writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Band {
    /// Its low end; none if it has none.
    pub low: Option<Number>,
    /// Its high end; none if it has none.
    pub high: Option<Number>,
    /// Whether the high end itself is outside.
    pub below: bool,
}

impl Band {
    /// Reads a label; `None` if it is no band.
    pub(crate) fn parse(label: &str) -> Option<Self> {
        let text = label.trim();
        let number = |text: &str| {
            let text = text.trim();
            text.starts_with(|c: char| c.is_ascii_digit()).then(|| parse_number(text)).flatten()
        };
        let up_to = [("<=", false), ("≤", false), ("<", true), ("under ", true)];
        let up_to = up_to.iter().find_map(|&(mark, below)| Some((text.strip_prefix(mark)?, below)));
        if let Some((high, below)) = up_to {
            return Some(Self { low: None, high: Some(number(high)?), below });
        }
        let from = [">=", "≥", ">"].iter().find_map(|mark| text.strip_prefix(mark));
        let over = || ["+", " and over", " or more"].iter().find_map(|mark| text.strip_suffix(mark));
        if let Some(low) = from.or_else(over) {
            return Some(Self { low: Some(number(low)?), high: None, below: false });
        }
        let (inner, below) = match text.strip_prefix('[') {
            Some(rest) => match rest.strip_suffix(')') {
                Some(inner) => (inner, true),
                None => (rest.strip_suffix(']')?, false),
            },
            None => (text, false),
        };
        let ends = ["-", "–", " to ", ","].into_iter().find_map(|mark| {
            let (low, high) = inner.split_once(mark)?;
            Some((number(low)?, number(high)?))
        });
        ends.filter(|(low, high)| low <= high).map(|(low, high)| Self {
            low: Some(low),
            high: Some(high),
            below,
        })
    }
}

/// More labels than this are no list of bands.
pub const MOST: usize = 200;

/// The labels in the order of their bands; `None` if one of them is no band or two overlap.
pub fn in_order<'a>(labels: impl IntoIterator<Item = &'a str>) -> Option<Vec<&'a str>> {
    let bands: Option<Vec<(Band, &str)>> =
        labels.into_iter().map(|label| Some((Band::parse(label)?, label))).collect();
    let mut bands = bands?;
    bands.sort_by(|(a, one), (b, other)| (a.low, a.high, one).cmp(&(b.low, b.high, other)));
    let apart = bands.windows(2).all(|pair| {
        let (before, after) = (&pair[0].0, &pair[1].0);
        before.high.zip(after.low).is_some_and(|(high, low)| high <= low)
    });
    (apart && bands.len() > 1).then(|| bands.into_iter().map(|(_, label)| label).collect())
}

/// Whether levels are bands in their order, so that several of them together are a wider band.
pub fn are_bands(levels: &[String]) -> bool {
    in_order(levels.iter().map(String::as_str)).is_some_and(|sorted| sorted.iter().eq(levels.iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_read_as_people_write_them() {
        let ends = |label: &str| {
            let band = Band::parse(label)?;
            Some((band.low.map(Number::to_f64), band.high.map(Number::to_f64), band.below))
        };
        assert_eq!(ends("[70-80)"), Some((Some(70.0), Some(80.0), true)));
        assert_eq!(ends(" 20-29 "), Some((Some(20.0), Some(29.0), false)));
        assert_eq!(ends("[0, 2.5]"), Some((Some(0.0), Some(2.5), false)));
        assert_eq!(ends("18 to 24"), Some((Some(18.0), Some(24.0), false)));
        assert_eq!(ends("<5"), Some((None, Some(5.0), true)));
        assert_eq!(ends("65+"), Some((Some(65.0), None, false)));
        assert_eq!(ends(">200"), Some((Some(200.0), None, false)));
        assert_eq!(ends("85 and over"), Some((Some(85.0), None, false)));
        for none in ["", "low", "5", "2020-01-31", "29-20", "-5-3", "a-b", "[1-2", "1-2)"] {
            assert_eq!(ends(none), None, "{none}");
        }
    }

    #[test]
    fn bands_have_an_order_if_they_do_not_overlap() {
        assert_eq!(in_order(["65+", "<5", "5-64"]), Some(vec!["<5", "5-64", "65+"]));
        assert_eq!(in_order(["[10-20)", "[0-10)"]), Some(vec!["[0-10)", "[10-20)"]));
        assert_eq!(in_order(["0-20", "10-30"]), None);
        assert_eq!(in_order(["0-20", "old"]), None);
        assert_eq!(in_order(["0-20"]), None);
        assert_eq!(in_order(["65+", "70+"]), None);
    }
}
