//! Groups files: a title, then a group number per row; an empty text is a row that is left out.

use crate::error::Error;
use kinfold_model::judge::WITHHELD;
use std::fmt::Write as _;

/// Writes the group of every row.
pub(crate) fn groups_file(group_of: &[u32]) -> String {
    let mut text = String::from("group\n");
    for &group in group_of {
        match group {
            WITHHELD => text.push_str("\"\"\n"),
            group => {
                let _ = writeln!(text, "{group}");
            }
        }
    }
    text
}

/// Reads a groups file: the group of every row, [`WITHHELD`] for those left out.
pub fn parse_groups(text: &str) -> Result<Vec<u32>, Error> {
    let mut groups = Vec::new();
    for (at, line) in text.lines().enumerate().skip(1) {
        groups.push(match line.trim() {
            "\"\"" | "" => WITHHELD,
            number => number.parse().map_err(|_| {
                Error::unsuitable(
                    format!("line {} of the groups file is not a group number", at + 1),
                    "use what anonymize wrote with {groups}",
                )
            })?,
        });
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let groups = [0, WITHHELD, 3, 0];
        assert_eq!(groups_file(&groups), "group\n0\n\"\"\n3\n0\n");
        assert_eq!(parse_groups(&groups_file(&groups)).unwrap(), groups);
        assert!(parse_groups("group\n0\nx\n").unwrap_err().to_string().contains("line 3"));
    }
}
