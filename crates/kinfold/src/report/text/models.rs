//! Privacy models: what a release fulfils, and what it reaches.

use super::screen::{BAD, FAINT, GOOD, NOTE, count, percent, sized};
use crate::report::{ModelReport, ReachedReport, at_least, at_most};
use kinfold_model::Unit;
use std::fmt::Write as _;

/// A line for every model that was asked for.
pub(crate) fn models_text(models: &[ModelReport], unit: Unit) -> String {
    let mut text = String::new();
    for model in models {
        let name = &model.model;
        let _ = match (model.fulfilled, &model.not_decided) {
            (Some(true), _) => writeln!(text, "  {GOOD}fulfilled{GOOD:#}: {name}"),
            (Some(false), _) => {
                let groups = count(model.groups_short, "group", "groups");
                let people = sized(model.people_short, unit);
                let verb = if model.groups_short == 1 { "falls" } else { "fall" };
                writeln!(text, "  {BAD}not fulfilled{BAD:#}: {name}; {groups} with {people} {verb} short")
            }
            (None, why) => {
                let why = why.as_deref().unwrap_or_default();
                writeln!(text, "  {NOTE}not checked{NOTE:#}: {name}; {why}")
            }
        };
    }
    text
}

/// Two lines for every sensitive column: what all groups reach, and who is in groups of one value.
pub(crate) fn reached_text(reached: &[ReachedReport], unit: Unit) -> String {
    let mut text = String::new();
    for column in reached {
        let name = &column.column;
        // Rounded such that the release fulfils what is shown.
        let reached = |model: &str, value: Option<f64>| match value {
            Some(value) => format!("{model} = {}", at_most(value)),
            None => format!("{model}: no protection"),
        };
        let mut t = at_most(column.closeness_equal);
        for (by, more) in [("ordered", column.closeness_ordered), ("hierarchy", column.closeness_hierarchy)] {
            let _ = more.map(|more| write!(t, " ({by} {})", at_most(more)));
        }
        let recursive = column.recursive_c.map_or(String::new(), |c| {
            format!(", recursive c = {} with l = {}", at_most(c), column.distinct_l)
        });
        let _ = writeln!(
            text,
            "  {FAINT}{name} reaches l = {} (entropy {}{recursive}), t = {t}; {}, {}, {}{FAINT:#}",
            column.distinct_l,
            at_least(column.entropy_l),
            reached("beta", column.likeness_basic),
            reached("enhanced beta", column.likeness_enhanced),
            reached("delta", column.disclosure),
        );
        if column.one_value_people > 0 {
            let people = sized(column.one_value_people, unit);
            let verb = if column.one_value_people == 1 { "is" } else { "are" };
            let share = percent(column.one_value_share);
            let _ = writeln!(
                text,
                "  {NOTE}{people} ({share}){NOTE:#} {verb} in groups where {name} has a single value"
            );
        }
        if column.spellings_joined > 0 {
            let spellings = count(column.spellings_joined, "spelling", "spellings");
            let _ = writeln!(
                text,
                "  {NOTE}{spellings}{NOTE:#} of {name} counted as the same value as another: they differ in letter \
                 case, blanks or Unicode form only"
            );
        }
    }
    text
}
