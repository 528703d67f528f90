//! What the cells of a release tell beyond the group, measured from what is published and the original: the
//! definitions are those of [`crate::told`], which measures a solution.

use super::presence::Side;
use super::truth::complete;
use super::{Published, VerifyError, people_of_rows, quasi_columns};
use crate::cost::Objective;
use crate::encode::read_counts;
use crate::policy::{Form, Mistakes, Policy};
use crate::requirement::{Population, Runs};
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
    let names = quasi_columns(&published.names, policy)?;
    let mut sides = Vec::new();
    for ((said, quasi), names) in policy.quasi().zip(&names) {
        let Some(column) = original.column(&said.name) else { continue };
        sides.push(Side::new(&said.name, quasi, column, names, published, policy));
    }
    let counts = policy.count_column().and_then(|name| original.column(name)).map(read_counts);
    let counts = counts.transpose().map_err(Mistakes::from)?;
    let places: Vec<u32> =
        (0..original.rows()).flat_map(|row| sides.iter().map(move |side| side.places[row])).collect();
    let one_each = |row: usize| counts.as_ref().map_or(1, |counts| u64::from(counts[row]));
    let everybody = Population::new(sides.len(), &places, one_each);
    let looks: Vec<&[u32]> = sides.iter().map(|side| side.looks.as_slice()).collect();
    let groups = distinct_rows(&looks, published.table.rows());
    let mut people = vec![0u64; groups.first.len()];
    let rows = people_of_rows(published, policy)?;
    groups.of_row.iter().zip(&rows).for_each(|(&group, &rows)| people[group as usize] += rows);

    let (mut found, mut alone) = (Told::default(), BTreeSet::new());
    for group in (0..people.len()).step_by(people.len().div_ceil(GROUPS).max(1)) {
        published.call.check()?;
        let (row, people) = (groups.first[group] as usize, people[group]);
        let look = |side: &Side| side.looks[row] as usize;
        let mut wanted: Vec<Option<Runs>> = sides.iter().map(|side| side.runs[look(side)].clone()).collect();
        found.people += people;
        for (column, side) in sides.iter().enumerate() {
            let Some(values) = &side.told[look(side)] else { continue };
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
