//! What k does not protect: columns that are published unchanged.

use crate::error::Error;
use crate::report::{percent, sized, thousands};
use kinfold_model::hint::Hint;
use kinfold_model::identifying::unacknowledged;
use kinfold_model::policy::{Mistake, Mistakes, Policy};
use kinfold_model::table::Table;
use kinfold_model::unit::Unit;
use kinfold_model::verify::{Shown, Verdict};

/// Columns that seem to name people are not published as they are unless the policy acknowledges it.
pub(crate) fn refuse_naming(table: &Table, policy: &Policy) -> Result<(), Error> {
    let mut list = Vec::new();
    for (said, why) in unacknowledged(policy, table) {
        let (name, role) = (&said.name, said.role.word());
        let what =
            format!("column {name:?} has role {role} but seems to identify people: {}", why.sentence());
        let hint = Hint::new().setting("drop", name.clone()).text(" or ").setting("identifier", name.clone());
        let hint = hint.text(" leaves it out; ").setting("acknowledge", name.clone());
        list.push(Mistake::new(what, said.place.clone()).hint(hint.text(" publishes it as it is")));
    }
    if list.is_empty() { Ok(()) } else { Err(Error::from(Mistakes { list, file: None }).in_policy(policy)) }
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
pub(crate) fn warnings(verdict: &Verdict, policy: &Policy) -> Vec<Hint> {
    let unprotected = verdict.shown.iter().filter_map(|shown| unprotected(shown, verdict.unit));
    unprotected.chain(singled_out(verdict, policy)).collect()
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
