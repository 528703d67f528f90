//! Points as well-known text: the rectangle around a group, or the line or point that is left of it.

use kinfold_model::policy::Format;
use kinfold_model::value::parse_number;

/// The lowest and highest value of a coordinate, as they are spelled.
type Ends = (Option<String>, Option<String>);

/// The rectangle from the ends of both coordinates; a star where one is missing or says nothing.
pub(super) fn shape(up: Ends, across: Ends, format: &Format) -> String {
    let number =
        |text: Option<String>| text.map(|t| t.trim_ascii().to_owned()).filter(|t| parse_number(t).is_some());
    let ((south, north), (west, east)) = (up, across);
    let [Some(south), Some(north), Some(west), Some(east)] = [south, north, west, east].map(number) else {
        return format.star.clone();
    };
    match (west == east, south == north) {
        (true, true) => format!("POINT ({west} {south})"),
        (false, false) => format!(
            "POLYGON (({west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}))"
        ),
        _ => format!("LINESTRING ({west} {south}, {east} {north})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaped(up: [&str; 2], across: [&str; 2]) -> String {
        let ends = |[low, high]: [&str; 2]| (Some(low.to_owned()), Some(high.to_owned()));
        shape(ends(up), ends(across), &Format::default())
    }

    #[test]
    fn what_is_flat_is_no_polygon() {
        assert_eq!(shaped(["1", "2"], ["-4", "-3"]), "POLYGON ((-4 1, -3 1, -3 2, -4 2, -4 1))");
        assert_eq!(shaped(["1", "1"], ["-4", "-3"]), "LINESTRING (-4 1, -3 1)");
        assert_eq!(shaped(["1", "1"], ["-4", "-4"]), "POINT (-4 1)");
        assert_eq!(shaped(["*", "*"], ["-4", "-3"]), "*");
        assert_eq!(shape((None, None), (Some("1".into()), Some("2".into())), &Format::default()), "*");
    }
}
