//! The report for people as files: names are made sure of before any work is done.

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::output::{open, refuse_reading};
use kinfold::model::{Call, Policy};
use kinfold::{ReportFiles, ReportOptions, named};
use std::path::{Path, PathBuf};

/// The names of the files that a report is written to.
pub fn paths(args: &ReportArgs) -> Vec<PathBuf> {
    let Some(page) = &args.report else { return Vec::new() };
    let figures = args.report_json.then(|| page.with_extension("json"));
    [page.clone()].into_iter().chain(figures).collect()
}

/// Makes sure of the report's files, if one is wanted; none may be one that is read.
pub fn wanted<'a>(
    args: &ReportArgs,
    inputs: impl Iterator<Item = &'a PathBuf> + Clone,
    call: &Call,
) -> Result<Option<ReportFiles>, Failure> {
    let Some(path) = &args.report else { return Ok(None) };
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm")) {
        return Err(Failure::usage(
            format!("cannot write {}: a report is an HTML page", path.display()),
            "name it .html; browsers show it, and print it to PDF",
        ));
    }
    let paths = paths(args);
    for path in &paths {
        for input in inputs.clone() {
            refuse_reading(Some(path), "the report", input)?;
        }
    }
    let page = open(&paths[0], call)?;
    let figures = paths.get(1).map(|path| open(path, call)).transpose()?;
    Ok(Some(ReportFiles { page, figures }))
}

/// What a report says of the command and its input, and what the policy asks of it.
pub fn options<'a>(input: &Path, policy: &Policy) -> ReportOptions<'a> {
    let mut options = ReportOptions::of(policy);
    options.command = Some(command(std::env::args().skip(1)));
    options.input = Some(named(input));
    options
}

/// The command as it was typed, with all it says: for files that are kept.
pub fn typed() -> String {
    let words = std::env::args().skip(1).map(|word| quoted(&word));
    ["kinfold".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:=+%*…".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Flags whose values can be cells of the table.
const TELLING: [&str; 2] = ["--missing", "--set"];

/// The command as it was typed, without values that can be cells and without folders.
fn command(typed: impl Iterator<Item = String>) -> String {
    let mut text = String::from("kinfold");
    let mut hidden = None;
    for word in typed {
        let shown = match (word.split_once('='), hidden) {
            (_, Some("--missing")) => "…".to_owned(),
            (Some((key, _)), Some(_)) => format!("{}=…", key.trim_end()),
            (None, Some(_)) => "…".to_owned(),
            (Some((flag @ "--set", said)), None) => {
                format!("{flag}={}=…", said.split('=').next().unwrap_or_default().trim_end())
            }
            (Some((flag, _)), None) if TELLING.contains(&flag) => format!("{flag}=…"),
            _ => without_folders(&without_levels(&word)),
        };
        hidden = TELLING.into_iter().find(|flag| *flag == word);
        text.push(' ');
        text += &quoted(&shown);
    }
    text
}

/// `stage:ordinal=LOW<HIGH,age` names levels, which are cells.
fn without_levels(word: &str) -> String {
    let column = |part: &str| match part.split_once("ordinal=") {
        Some((before, _)) => format!("{before}ordinal=…"),
        None => part.to_owned(),
    };
    word.split(',').map(column).collect::<Vec<_>>().join(",")
}

/// Files by their names: where they are says more of the one who has them than a reader must know.
fn without_folders(word: &str) -> String {
    let parts = word.split_inclusive(['=', ':', ',']);
    parts.map(|part| part.rsplit(['/', '\\']).next().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_without_folders() {
        let typed =
            "anonymize /home/jo/oncology/t.csv --quasi zip:hierarchy=../zips.csv,age --report=out/r.html";
        assert_eq!(
            command(typed.split(' ').map(str::to_owned)),
            "kinfold anonymize t.csv --quasi zip:hierarchy=zips.csv,age --report=r.html"
        );
    }

    #[test]
    fn a_command_is_told_without_cells() {
        let typed = "anonymize a b.csv --quasi age,stage:ordinal=one<two*2,zip --set columns.age.domain = [0,120] --missing=none --set=columns.stage.order=[1] -k 5";
        let typed: Vec<String> =
            typed.replace("a b", "a\u{a0}b").split(' ').map(|w| w.replace('\u{a0}', " ")).collect();
        assert_eq!(
            command(typed.into_iter()),
            "kinfold anonymize 'a b.csv' --quasi age,stage:ordinal=…,zip --set columns.age.domain=… --missing=… --set=columns.stage.order=… -k 5"
        );
    }
}
