//! What k does not protect: columns that are published unchanged.

use crate::Error;
use crate::inspect::category_length;
use crate::report::{percent, sized, thousands};
use kinfold_model::identifying::{Identifying, determines, repeats, unacknowledged};
use kinfold_model::kind::is_missing;
use kinfold_model::policy::{ColumnPolicy, Model, Protection};
use kinfold_model::verify::Shown;
use kinfold_model::{Hint, Mistake, Mistakes, Policy, Role, Table, Unit, Verdict, WITHHELD};

/// Columns that seem to name people are not published as they are unless the policy acknowledges it.
pub(crate) fn refuse_naming(table: &Table, policy: &Policy) -> Result<(), Error> {
    let list: Vec<Mistake> = unacknowledged(policy, table).map(|(said, why)| naming(said, why)).collect();
    if list.is_empty() { Ok(()) } else { Err(Error::from(Mistakes::from(list)).in_policy(policy)) }
}

/// The mistake of publishing a column that seems to name people.
pub(crate) fn naming(said: &ColumnPolicy, why: Identifying) -> Mistake {
    let (name, role) = (&said.name, said.role.word());
    let what = format!("column {name:?} has role {role} but seems to identify people: {}", why.sentence());
    let hint = Hint::new().setting("drop", name.clone()).text(" or ").setting("identifier", name.clone());
    let hint = hint.text(" leaves it out; ").setting("acknowledge", name.clone());
    Mistake::new(what, said.place).hint(hint.text(" publishes it as it is"))
}

/// What the order of the table tells.
pub(crate) const ORDER_KEPT: &str = "the release keeps the order of the table: whoever knows about where a person stands in it \
    can tell which row is theirs, whatever k is";

/// From this share of rows on, unchanged columns that single rows out are worth a warning.
pub const MANY_UNIQUE: f64 = 0.2;

/// A warning of columns that are published as they are and single out many rows together.
fn singled_out(verdict: &Verdict, policy: &Policy) -> Option<Hint> {
    let kept = policy.columns.iter().filter(|c| c.published_untouched()).count();
    (verdict.unique_as_kept >= MANY_UNIQUE).then(|| {
        let share = percent(verdict.unique_as_kept);
        let columns = if kept == 1 { "the column that is" } else { "the columns that are" };
        format!(
            "{share} of rows are unique on {columns} published unchanged: a reader who knows these values of a \
             person finds the row; k protects the quasi-identifiers only"
        )
        .into()
    })
}

/// What the user of a release should be warned of.
pub(crate) fn warnings(table: &Table, policy: &Policy, verdict: &Verdict, group_of: &[u32]) -> Vec<Hint> {
    let told = telling(table, policy).into_iter().chain(few_persons(table, policy, group_of));
    let told = told.chain(of_one_category(table, policy, group_of));
    warnings_of_verdict(policy, verdict).into_iter().chain(told).collect()
}

/// What of that the release alone shows.
pub(crate) fn warnings_of_verdict(policy: &Policy, verdict: &Verdict) -> Vec<Hint> {
    let shown = verdict.shown.iter().filter_map(|shown| unprotected(shown, verdict.unit));
    let joined = verdict.shown.iter().filter_map(respelled);
    shown.chain(joined).chain(singled_out(verdict, policy)).collect()
}

/// Values of a sensitive column that differ in their spelling only count as one.
fn respelled(shown: &Shown) -> Option<Hint> {
    let (column, joined) = (&shown.column, thousands(shown.joined as u64));
    let (spellings, others) =
        if shown.joined == 1 { ("spelling", "another") } else { ("spellings", "others") };
    (shown.joined > 0).then(|| {
        format!(
            "column {column:?}: {joined} {spellings} counted as the same value as {others}, from which only letter \
             case, blanks or Unicode form differ"
        )
        .into()
    })
}

/// From this share of rows on, one column tells another.
const TELLS: f64 = 0.9;

/// Warnings of unchanged columns that tell what a quasi-identifier said before it was generalized.
fn telling(table: &Table, policy: &Policy) -> Vec<Hint> {
    let mut found = Vec::new();
    for said in policy.columns.iter().filter(|c| c.published_untouched() && !policy.per_group) {
        let Some(column) = table.column(&said.name) else { continue };
        let quasi = policy.quasi().filter_map(|(quasi, _)| table.column(&quasi.name));
        let told = quasi.filter_map(|quasi| Some((quasi, determines(column, quasi)?)));
        for (quasi, share) in told.filter(|(_, share)| *share >= TELLS) {
            let (name, quasi, share) = (&said.name, quasi.name(), percent(share));
            let about = format!(
                "column {name:?} is published unchanged, and quasi-identifier {quasi:?} follows from it in {share} of rows; "
            );
            let hint = Hint::new().text(about).setting("quasi", name.clone()).text(" or ");
            found.push(hint.setting("drop", name.clone()).text(" prevents that"));
        }
    }
    found
}

/// Warnings of groups that are diverse by codes of one category only, such as E11.0 and E11.9.
fn of_one_category(table: &Table, policy: &Policy, group_of: &[u32]) -> Vec<Hint> {
    let diverse =
        |model: &Model| matches!(model, Model::Distinct(_) | Model::Entropy(_) | Model::Recursive(..));
    let by_code = |(said, protection): &(&ColumnPolicy, &Protection)| {
        let asked = protection.models.iter().any(|(model, _)| diverse(model));
        asked && protection.values.is_none() && said.recoded.is_none()
    };
    let about = |(said, _): (&ColumnPolicy, &Protection)| {
        let (column, missing) = (table.column(&said.name)?, policy.missing_in(&said.name));
        let length = category_length(column, missing)?;
        let start = |code: u32| column.text(code).trim().chars().take(length).collect::<String>();
        let mut members: Vec<(u32, u32)> = (group_of.iter().zip(column.codes()))
            .filter(|&(&group, &code)| group != WITHHELD && !is_missing(column, code, missing))
            .map(|(&group, &code)| (group, code))
            .collect();
        members.sort_unstable();
        members.dedup();
        let (mut groups, mut alike) = (0u32, 0u64);
        for codes in members.chunk_by(|a, b| a.0 == b.0) {
            groups += 1;
            let first = start(codes[0].1);
            alike += u64::from(codes.len() > 1 && codes[1..].iter().all(|&(_, code)| start(code) == first));
        }
        (alike > 0).then(|| {
            let (name, share) = (&said.name, percent(alike as f64 / f64::from(groups)));
            let (alike, groups) = (thousands(alike), thousands(u64::from(groups)));
            format!(
                "column {name:?}: in {alike} of {groups} groups ({share}) all codes begin with the same \
                 {length} characters: they differ, but are of one category; prefix = [{length}] with \
                 level = {length} publishes and counts categories, values = \"FILE.csv\" counts those of a \
                 hierarchy"
            )
            .into()
        })
    };
    policy.sensitive().filter(by_code).filter_map(about).collect()
}

/// A warning of groups of few persons, where an identifier has several rows for one person and the policy names no
/// person column.
fn few_persons(table: &Table, policy: &Policy, group_of: &[u32]) -> Option<Hint> {
    if policy.person_column().is_some() || policy.count_column().is_some() {
        return None;
    }
    let identifiers = policy.columns.iter().filter(|c| c.role == Role::Identifier);
    let repeating =
        identifiers.filter_map(|c| table.column(&c.name)).filter(|c| repeats(c, policy.missing_in(c.name())));
    let column = repeating.max_by_key(|column| column.distinct())?;
    let mut members: Vec<(u32, u32)> = (group_of.iter().zip(column.codes()))
        .filter(|&(&group, _)| group != WITHHELD)
        .map(|(&group, &code)| (group, code))
        .collect();
    members.sort_unstable();
    let absent = |code: u32| is_missing(column, code, policy.missing_in(column.name()));
    // Rows without a value may be about anybody: each counts as a person.
    members.dedup_by(|a, b| a == b && !absent(a.1));
    let sizes = members.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len);
    let (mut groups, mut few) = (0, 0);
    sizes.for_each(|size| (groups, few) = (groups + 1, few + u64::from((size as u64) < policy.k)));
    (few > 0).then(|| {
        let (name, k) = (column.name().to_owned(), policy.k);
        let (share, few, groups) = (percent(few as f64 / groups as f64), thousands(few), thousands(groups));
        let about = format!(
            "identifier {name:?} has several rows for some values: if they are persons, {few} of {groups} groups \
             ({share}) hold fewer than {k} of them; "
        );
        Hint::new().text(about).setting("person", name).text(" requires that many")
    })
}

/// A warning of a sensitive column that no model protects, if groups give its values away.
fn unprotected(shown: &Shown, unit: Unit) -> Option<Hint> {
    if shown.required || shown.one_value_people == 0 {
        return None;
    }
    let (people, all) = (thousands(shown.one_value_people), sized(shown.people, unit));
    let share = percent(shown.one_value_people as f64 / shown.people.max(1) as f64);
    let column = &shown.column;
    let about = format!(
        "no privacy model protects column {column:?}: {people} of {all} ({share}) are in groups where \
         it has a single value; "
    );
    Some(Hint::new().text(about).setting("diversity", format!("{column}=2")).text(" prevents that"))
}
