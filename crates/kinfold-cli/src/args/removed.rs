//! Flags that are keys of the policy now: whoever types one is told the line to write instead.

use super::super::flags::{key, value};
use crate::failure::Failure;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// What to say where clap met a flag that no longer exists.
pub fn instead(told: &clap::Error, typed: &[OsString]) -> Option<Failure> {
    let Some(ContextValue::String(flag)) = told.get(ContextKind::InvalidArg) else { return None };
    if told.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let flag = flag.split('=').next().unwrap_or_default();
    if flag == "--shuffle" {
        return Some(Failure::usage(
            "--shuffle no longer exists: a release tells nothing of the order of the table anyway",
            "remove it; --keep-order keeps the order of the table",
        ));
    }
    let mut words = typed.iter().map(|word| word.to_string_lossy().into_owned());
    let given = words.by_ref().find_map(|word| match word.split_once('=') {
        Some((name, value)) if name == flag => Some(Some(value.to_owned())),
        _ => (word == flag).then_some(None),
    })?;
    let given = given.or_else(|| words.next()).unwrap_or_default();
    let lines = lines(flag, &given)?.into_iter().map(|line| line.replace('\'', "'\\''"));
    let lines: Vec<String> = lines.map(|line| format!("--set '{line}'")).collect();
    let hint = format!("write {}", lines.join(" "));
    Some(Failure::usage(format!("{flag} is a key of the policy now"), hint))
}

/// The line of a policy that says what a flag said.
const LINES: [(&str, &str); 21] = [
    ("--per-group", "per_group = true"),
    ("--one-radius", "one_radius = true"),
    ("--max-groups", "max_groups = GIVEN"),
    ("--metric", "metric.combine = GIVEN"),
    ("--scale", "metric.scale = GIVEN"),
    ("--points", "metric.points = [GIVEN]"),
    ("--centre", "metric.centre = GIVEN"),
    ("--setup", "metric.setup = GIVEN"),
    ("--report-curve", "report.curve = true"),
    ("--language", "report.language = GIVEN"),
    ("--target", "report.target = GIVEN"),
    ("--threshold", "report.threshold = [GIVEN]"),
    ("--population-size", "report.population_size = GIVEN"),
    ("--sampling-fraction", "report.sampling_fraction = GIVEN"),
    ("--setup-column", "columns.NAME = \"setup\""),
    ("--acknowledge", "columns.NAME.acknowledge = true"),
    ("--round", "columns.NAME.round = VALUE"),
    ("--unit", "columns.NAME.unit = VALUE"),
    ("--disclosure", "columns.NAME.disclosure = VALUE"),
    ("--likeness", "columns.NAME.likeness = VALUE"),
    ("--domain", "columns.NAME.domain = VALUE"),
];

/// The lines for what was given to a flag.
fn lines(flag: &str, given: &str) -> Option<Vec<String>> {
    let (_, line) = LINES.iter().find(|(name, _)| *name == flag)?;
    let all: Vec<String> = given.split(',').map(|part| value(part).to_string()).collect();
    let of_column = |part: &str| {
        let (name, said) = part.split_once('=').unwrap_or((part, "VALUE"));
        let said = match (said.split_once(".."), said.strip_suffix(":enhanced")) {
            (Some((low, high)), _) => format!("[{}, {}]", value(low), value(high)),
            (_, Some(beta)) => format!("{{ enhanced = {} }}", value(beta)),
            _ => value(said).to_string(),
        };
        line.replace("VALUE", &said).replace("NAME", &key(name).to_string())
    };
    Some(match line.contains("NAME") {
        true => given.split(',').map(of_column).collect(),
        false => vec![line.replace("GIVEN", &all.join(", "))],
    })
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn every_removed_flag_has_a_line() {
        let flags = [
            ("--round", "age=5", "columns.age.round = 5"),
            ("--round", "admitted=month", "columns.admitted.round = \"month\""),
            ("--domain", "age=0..120", "columns.age.domain = [0, 120]"),
            (
                "--domain",
                "born=2000-01-01..2020-12-31",
                "columns.born.domain = [\"2000-01-01\", \"2020-12-31\"]",
            ),
            ("--acknowledge", "place of birth", "columns.\"place of birth\".acknowledge = true"),
            ("--unit", "age=2.5", "columns.age.unit = 2.5"),
            ("--likeness", "pay=2", "columns.pay.likeness = 2"),
            ("--likeness", "pay=1.5:enhanced", "columns.pay.likeness = { enhanced = 1.5 }"),
            ("--disclosure", "pay=1", "columns.pay.disclosure = 1"),
            ("--per-group", "-o", "per_group = true"),
            ("--one-radius", "", "one_radius = true"),
            ("--max-groups", "4", "max_groups = 4"),
            ("--metric", "manhattan", "metric.combine = \"manhattan\""),
            ("--scale", "sd", "metric.scale = \"sd\""),
            ("--points", "a/b,c/d", "metric.points = [\"a/b\", \"c/d\"]"),
            ("--centre", "middle", "metric.centre = \"middle\""),
            ("--setup", "3", "metric.setup = 3"),
            ("--setup-column", "cost", "columns.cost = \"setup\""),
            ("--report-curve", "", "report.curve = true"),
            ("--language", "de", "report.language = \"de\""),
            ("--target", "pay", "report.target = \"pay\""),
            ("--threshold", "0.2,0.05", "report.threshold = [0.2, 0.05]"),
            ("--population-size", "1000", "report.population_size = 1000"),
            ("--sampling-fraction", "5%", "report.sampling_fraction = \"5%\""),
        ];
        for (flag, given, expected) in flags {
            assert_eq!(lines(flag, given), Some(vec![expected.to_owned()]));
        }
        assert_eq!(lines("--nonsense", "x"), None);
    }
}
