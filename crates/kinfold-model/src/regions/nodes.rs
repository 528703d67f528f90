//! What is known of regions besides which of them touch: how many people live there, and where they lie.
//!
//! The file has a header and a line per region, its name first. The other columns are found by name; those of
//! other names are not read.

use super::RegionsError;
use crate::table::{TableError, read_cells};
use crate::value::{Number, parse_number};
use std::collections::BTreeMap;

/// Regions by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Nodes {
    pub(super) people: Option<BTreeMap<String, u64>>,
    pub(super) centroids: Option<BTreeMap<String, [Number; 2]>>,
    pub(super) names: Vec<String>,
}

/// What a column may be called.
const PEOPLE: [&str; 3] = ["people", "population", "weight"];
const ACROSS: [&str; 3] = ["x", "lon", "longitude"];
const UP: [&str; 3] = ["y", "lat", "latitude"];

impl Nodes {
    /// Reads the text of a file of regions.
    pub(crate) fn parse(text: &str) -> Result<Self, RegionsError> {
        let lines = lines_of(text)?;
        let Some((header, lines)) = lines.split_first() else { return Err(RegionsError::Blank) };
        let find =
            |names: [&str; 3]| header.iter().position(|title| names.contains(&title.to_lowercase().trim()));
        let first = header.first().map(|title| title.trim()).unwrap_or_default();
        if [PEOPLE, ACROSS, UP].concat().contains(&first.to_lowercase().as_str()) {
            return Err(RegionsError::Unnamed(first.to_owned()));
        }
        let (people, across, up) = (find(PEOPLE), find(ACROSS), find(UP));
        if people.is_none() && (across.is_none() || up.is_none()) {
            return Err(RegionsError::Nothing);
        }
        let mut nodes = Self {
            people: people.map(|_| BTreeMap::new()),
            centroids: across.and(up).map(|_| BTreeMap::new()),
            names: Vec::with_capacity(lines.len()),
        };
        let mut told: BTreeMap<String, u64> = BTreeMap::new();
        for (line, cells) in (2..).zip(lines) {
            let name = cells[0].trim_ascii().to_owned();
            let cell = |column: usize| cells.get(column).map_or("", |cell| cell.trim_ascii());
            let wrong =
                |column: usize, wanted| RegionsError::Node { line, column: header[column].clone(), wanted };
            let mut differs = false;
            if let (Some(column), Some(known)) = (people, &mut nodes.people) {
                // Where nobody was counted, nobody lives.
                let people = match cell(column) {
                    "" => 0,
                    text => text.parse().map_err(|_| wrong(column, "a whole number of people"))?,
                };
                differs |= known.insert(name.clone(), people).is_some_and(|before| before != people);
            }
            if let (Some(across), Some(up), Some(known)) = (across, up, &mut nodes.centroids) {
                let place = |column| parse_number(cell(column)).ok_or(wrong(column, "a number"));
                let place = [place(across)?, place(up)?];
                differs |= known.insert(name.clone(), place).is_some_and(|before| before != place);
            }
            let first = *told.entry(name.clone()).or_insert(line);
            if differs {
                return Err(RegionsError::Twice { lines: [first, line], region: name });
            }
            nodes.names.push(name);
        }
        Ok(nodes)
    }
}

/// The lines of a file with a header, by the delimiter that the header shows.
pub(super) fn lines_of(text: &str) -> Result<Vec<Vec<String>>, TableError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let header = text.lines().next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t'].into_iter().find(|&d| header.as_bytes().contains(&d)).unwrap_or(b',');
    read_cells(text, delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let nodes =
            Nodes::parse("fips;name;Population;LON;lat\n01;Here;12;-86.5;32.25\n02;There;;1;2\n").unwrap();
        assert_eq!(nodes.people.unwrap(), [("01".into(), 12), ("02".into(), 0)].into());
        let places = nodes.centroids.unwrap();
        assert_eq!(places["01"].map(Number::to_f64), [-86.5, 32.25]);
        assert_eq!(Nodes::parse("region,people\na,1\n").unwrap().centroids, None);
    }

    #[test]
    fn faults_are_told() {
        assert!(matches!(Nodes::parse("region,x\na,1\n"), Err(RegionsError::Nothing)));
        let fault = Nodes::parse("region,people\na,1\nb,many\n").unwrap_err();
        assert_eq!(fault.to_string(), "line 3: people is not a whole number of people");
        assert!(matches!(Nodes::parse("r,x,y\na,1,\n"), Err(RegionsError::Node { line: 2, .. })));
        assert!(matches!(Nodes::parse(""), Err(RegionsError::Blank)));
    }

    #[test]
    fn a_region_is_told_of_once() {
        let same =
            Nodes::parse("region,people,x,y,remark\na,1,2,3,here\nb,,0,0,\na,01,2.0,3,there\n").unwrap();
        assert_eq!(same.people.unwrap(), [("a".into(), 1), ("b".into(), 0)].into());
        let fault = Nodes::parse("region,people\na,1\nb,2\na,3\n").unwrap_err();
        assert_eq!(fault.to_string(), "lines 2 and 4 disagree on region \"a\": keep one of them");
        let places = Nodes::parse("region,people,x,y\na,1,0,0\na,1,0,1\n");
        assert!(matches!(places, Err(RegionsError::Twice { lines: [2, 3], .. })));
    }

    #[test]
    fn the_first_column_is_the_name() {
        for header in ["people,region", "Lon,lat,people", " population ,x,y"] {
            let fault = Nodes::parse(&format!("{header}\n"));
            let fault = fault.unwrap_err().to_string();
            let column = header.split(',').next().unwrap().trim();
            assert_eq!(fault, format!("its first column must name the region, not {column}"));
        }
    }
}
