//! What the cells of a release tell beyond the group, measured from what is published and the original: the
//! definitions are those of [`crate::told`], which measures a solution.

use super::presence::sides;
use super::truth::complete;
use super::{Published, VerifyError, people_of_rows};
use crate::cost::Objective;
use crate::policy::{Form, Policy};
use crate::requirement::Runs;
use crate::table::{Table, distinct_rows};
use crate::told::{GROUPS, Told};
use std::collections::BTreeSet;

/// What the ends and labels of a release (read whole) tell of the people of the original; `None` where cells are
/// not the narrowest ranges and sets, or where nothing is known of the rows of a group.
pub fn told(published: &Published, original: &Table, policy: &Policy) -> Result<Option<Told>, VerifyError> {
    let by_row = !policy.per_group && !matches!(policy.form, Form::Centres | Form::Stars);
    let explained = policy.form != Form::Codes || !published.lookup.is_empty();
    if policy.objective != Objective::Ncp || !by_row || !explained {
        return Ok(None);
    }
    complete(original, policy)?;
    let (sides, everybody) = sides(published, policy, original, None)?;
    let looks: Vec<&[u32]> = sides.iter().map(|side| side.looks.as_slice()).collect();
    let groups = distinct_rows(&looks, published.table.rows());
    let people = groups.sums(people_of_rows(published, policy)?);

    let (mut found, mut alone) = (Told::default(), BTreeSet::new());
    for group in (0..people.len()).step_by(people.len().div_ceil(GROUPS).max(1)) {
        published.call.check()?;
        let (row, people) = (groups.first[group], people[group]);
        let mut wanted: Vec<Option<Runs>> = sides.iter().map(|side| side.wanted(row)).collect();
        found.people += people;
        for (column, side) in sides.iter().enumerate() {
            let Some(values) = &side.told[side.looks[row as usize] as usize] else { continue };
            found.generalized += people;
            found.told += people.min(values.len() as u64);
            for &value in values {
                let whole = wanted[column].replace(vec![(value, value)]);
                alone.extend(everybody.only(&wanted));
                wanted[column] = whole;
            }
        }
    }
    found.singled_out = alone.len() as u64;
    Ok(Some(found))
}
