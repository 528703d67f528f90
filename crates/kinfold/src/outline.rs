//! Lines to draw a map on, such as coasts and borders: GeoJSON, or a text of coordinates.

use crate::Error;
use serde_json::Value;

/// Lines of places, x (longitude) first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    pub(crate) lines: Vec<Vec<(f64, f64)>>,
}

impl Outline {
    /// Reads the lines and polygons of a GeoJSON text; or a text with two numbers in every line, longitude and
    /// latitude, in which any other line starts a new one. A first line that names `lat` or `y` before the other
    /// turns the order around.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut lines = Vec::new();
        if text.trim_start().starts_with(['{', '[']) {
            let json: Value = serde_json::from_str(text).map_err(|e| refused(&format!("not JSON: {e}")))?;
            collect(&json, &mut lines);
        } else {
            lines = of_text(text);
        }
        lines.retain(|line| line.len() > 1);
        if lines.is_empty() {
            return Err(refused("no line of at least two places"));
        }
        Ok(Self { lines })
    }
}

fn refused(why: &str) -> Error {
    Error::unsuitable(
        format!("the outline cannot be drawn: {why}"),
        "use GeoJSON with LineString or Polygon, or a CSV of lon,lat with an empty line between lines",
    )
}

/// Adds every list of positions, wherever GeoJSON has them.
fn collect(json: &Value, lines: &mut Vec<Vec<(f64, f64)>>) {
    match json {
        Value::Object(object) => {
            let keys = ["features", "geometry", "geometries", "coordinates"];
            keys.iter().filter_map(|&key| object.get(key)).for_each(|inner| collect(inner, lines));
        }
        Value::Array(list) => match list.iter().map(position).collect::<Option<Vec<_>>>() {
            Some(line) => lines.push(line),
            None => list.iter().for_each(|inner| collect(inner, lines)),
        },
        _ => {}
    }
}

fn position(json: &Value) -> Option<(f64, f64)> {
    match json.as_array()?.as_slice() {
        [x, y, ..] => Some((x.as_f64()?, y.as_f64()?)),
        _ => None,
    }
}

fn of_text(text: &str) -> Vec<Vec<(f64, f64)>> {
    let first = text.lines().next().unwrap_or_default().to_lowercase();
    let turned = first.starts_with("lat") || first.starts_with('y');
    let place = |line: &str| {
        let mut numbers = line.split([',', ';', '\t', ' ']).filter(|part| !part.is_empty());
        let (a, b) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        Some(if turned { (b, a) } else { (a, b) })
    };
    let mut lines = vec![Vec::new()];
    for line in text.lines() {
        match (place(line), lines.last_mut()) {
            (Some(place), Some(last)) => last.push(place),
            _ => lines.push(Vec::new()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::Outline;

    #[test]
    fn lines_come_from_geojson_and_from_text() {
        let two = vec![vec![(1.0, 2.0), (3.0, 4.0)], vec![(5.0, 6.0), (7.0, 8.0), (5.0, 6.0)]];
        let json = r#"{"type":"FeatureCollection","features":[
            {"type":"Feature","properties":{"name":"x"},"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}},
            {"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[[5,6],[7,8,0],[5,6]]]]}},
            {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}]}"#;
        assert_eq!(Outline::parse(json).unwrap().lines, two);
        assert_eq!(Outline::parse("lon,lat\n1,2\n3,4\n\n5,6\n7,8\n5,6\n").unwrap().lines, two);
        assert_eq!(Outline::parse("lat;lon\n2;1\n4;3\n\n6;5\n8;7\n6;5").unwrap().lines, two);
        for nothing in ["", "a,b\nc,d\n", "{\"type\":\"Point\",\"coordinates\":[1,2]}", "{"] {
            assert!(Outline::parse(nothing).is_err(), "{nothing}");
        }
    }
}
