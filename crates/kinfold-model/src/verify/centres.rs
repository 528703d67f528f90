//! Releases of centres: do the sizes that they tell agree with the rows or values that stand there?
//!
//! Read from the published texts alone. Rows are alike when their quasi-identifiers and what is told of their
//! group are equal: who sees that two rows tell different sizes sees that they are of different groups.

use super::Published;
use super::cover::items;
use crate::policy::{Format, GROUP_COLUMNS, Policy, Role};
use crate::table::distinct_rows;
use std::iter::repeat;

/// What the groups of a release hold.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) sizes: Vec<u64>,
    /// Groups that tell another size than they have.
    pub(super) miscounted: usize,
    /// The group of every row; none where a line is a group.
    pub(super) group_of: Option<Vec<u32>>,
    /// The first row of every group, and how many people every row stands for, where groups have rows.
    pub(super) first: Vec<u32>,
    pub(super) people: Vec<u64>,
}

/// Whether groups tell different radii.
pub(super) fn tells_several_radii(published: &Published) -> bool {
    let column = published.table.column(GROUP_COLUMNS[1]);
    column.is_some_and(|c| c.codes().windows(2).any(|pair| pair[0] != pair[1]))
}

/// One line per row: a group holds the rows that look alike. If several groups look alike, they hold as many
/// each.
pub(super) fn by_row(published: &Published, quasi: &[Vec<String>], people: Vec<u64>) -> Counted {
    let table = &published.table;
    let names = quasi.iter().flatten().map(String::as_str).chain(GROUP_COLUMNS);
    let codes: Vec<&[u32]> = names.filter_map(|name| table.column(name)).map(|c| c.codes()).collect();
    let looks = distinct_rows(&codes, table.rows());
    let rows = looks.sums(repeat(1));
    let told: Vec<Option<u64>> = looks.first.iter().map(|&row| told_size(published, row)).collect();
    let wrong = |(&rows, told): (&u64, &Option<u64>)| !told.is_some_and(|t| t > 0 && rows.is_multiple_of(t));
    let miscounted = rows.iter().zip(&told).filter(|&pair| wrong(pair)).count();
    // Of groups that cannot be told apart, each is safe in the others; one that tells a size of its own is
    // not.
    Counted {
        sizes: rows.iter().zip(told).map(|(&rows, told)| told.map_or(rows, |t| t.min(rows))).collect(),
        miscounted,
        group_of: Some(looks.of_row),
        first: looks.first,
        people,
    }
}

/// One line per group: it holds as many people as it says, and every other column tells of as many.
pub(super) fn by_line(published: &Published, policy: &Policy) -> Counted {
    let table = &published.table;
    let others = policy.columns.iter().filter(|c| matches!(c.role, Role::Sensitive(_) | Role::Keep));
    let others: Vec<_> = others.filter_map(|c| table.column(&c.name)).collect();
    let mut counted = Counted::default();
    for row in 0..table.rows() as u32 {
        let told = told_size(published, row);
        let agrees = |c: &&crate::table::Column| {
            let text = c.text(c.codes()[row as usize]);
            told.is_some() && occurrences(text, &policy.format) == told
        };
        counted.miscounted += usize::from(told.is_none() || !others.iter().all(agrees));
        counted.sizes.push(told.unwrap_or(0));
    }
    counted
}

pub(super) fn told_size(published: &Published, row: u32) -> Option<u64> {
    let column = published.table.column(GROUP_COLUMNS[0])?;
    column.text(column.codes()[row as usize]).trim_ascii().parse().ok()
}

/// How many values a multiset holds.
fn occurrences(text: &str, format: &Format) -> Option<u64> {
    multiset(text, format)?.iter().try_fold(0u64, |total, (_, count)| total.checked_add(*count))
}

/// The values of a multiset such as `{cold:2|flu:1}`, each once, with a count above 0.
pub(super) fn multiset(text: &str, format: &Format) -> Option<Vec<(String, u64)>> {
    let value = |item: String| {
        let (value, count) = item.rsplit_once(':')?;
        Some((value.to_owned(), count.parse::<u64>().ok().filter(|&count| count > 0)?))
    };
    let mut values: Vec<(String, u64)> =
        items(text, format)?.into_iter().map(value).collect::<Option<_>>()?;
    values.sort_unstable();
    values.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiset_holds_what_it_counts() {
        let holds = |text: &str| occurrences(text, &Format::default());
        assert_eq!(holds("{cold:2|flu:1}"), Some(3));
        assert_eq!(holds(r"{a\|b:1|\{x\}:2|c\\:4}"), Some(7));
        let values = multiset(r"{a\|b:1|\{x\}:2|c\\:4}", &Format::default()).unwrap();
        assert_eq!(values, [("a|b", 1), (r"c\", 4), ("{x}", 2)].map(|(value, n)| (value.to_owned(), n)));
        assert_eq!(holds("{:3}"), Some(3), "an empty text is a value too");
        assert_eq!(holds("{a:b:2}"), Some(2), "a value may hold a colon");
        for wrong in
            ["cold", "{cold}", "{cold:0}", "{cold:x}", "{cold:2|}", "{cold:1|cold:1}", "{}", "{cold:-1}"]
        {
            assert_eq!(holds(wrong), None, "{wrong}");
        }
    }
}
