//! Earlier releases about the same people, laid over a table: which group of an earlier release is a row's own?
//! Who is in the same groups of all releases is an intersection class.
//!
//! **The attacker** has the published files, knows a person's quasi-identifiers, and knows that the person is in
//! both releases. At worst the attacker can also tell which rows of two releases are the same person's, as far
//! as the files show it: by columns that both publish unchanged, or by an order that both keep.
//!
//! **Which group was a row's own** the files do not say: a row may fit several old groups. So the rows of the table
//! are paired with rows of the old release that cover them and agree on the unchanged columns that both have: in
//! order if the old release has the order of the table, by a largest matching otherwise. Rows of the table that
//! are left over count as new people, old rows that are left over as people who have gone.
//!
//! **Why it is enough that every class of that pairing holds k people**, though another pairing may be the true
//! one. Let the pairing be A, and let it give a person, who is published in group H of the new release, a row of
//! the old group G. G covers the person, for A pairs nothing else. The class has at least k people whose old row A
//! puts into G and whose new row is in H. Those old rows have the same cells as each other, and so have the new
//! ones, and both cover the person. A agrees with the files, so the attacker cannot rule it out, nor any of its k or
//! more pairs of an old and a new row: each may be the person's. So at least k rows of either release remain. That
//! A may be wrong about who is who among them does not matter, as the attacker does not know better. The same holds
//! for several old releases, with a pairing each and the old rows of all of them.
//!
//! **With the groups file** of the old release the pairing is the true one: the file has the group of every row, so
//! nothing is worked out from cells. It is checked to belong to the release ([`linked_groups`]). Then the argument
//! holds against a reader who knows who is in which release, too, and those who count as new are new.
//!
//! **What this does not cover.** A person whom A takes for new although they are in the old release: the attacker
//! knows that, and A is no explanation of it. Somebody of their cells was taken in their place, so this happens only
//! where there are new people or old rows were withheld; so that A takes somebody for new has to be allowed. Links
//! between two old releases by columns that the table does not have. And other knowledge than the files of who is in
//! which row, unless the groups files are named.

use super::finder::Finder;
use super::matching::{Edges, largest_matching};
use super::truth::{MOST_PAIRS, MOST_WORK, Sides};
use super::{Published, VerifyError, count_groups};
use crate::encode::Encoded;
use crate::judge::WITHHELD;
use crate::policy::Policy;
use crate::table::{Table, distinct_rows};

/// The group of a row that is not in an earlier release.
pub const NEW: u32 = u32::MAX;

/// The groups of an earlier release that the rows of a table were in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EarlierGroups {
    /// For every row of the table its group there, or [`NEW`].
    pub group_of: Vec<u32>,
    /// Rows of the release.
    pub rows: usize,
    /// Rows of the release that no row of the table is paired with.
    pub left: usize,
}

/// Pairs the rows of a table with those of an earlier release, which was read whole. `at_place` says which row
/// stands in a place of the table's own order. `others` were paired before: where rows fit several groups, those
/// that are together there are kept together. The files do not show that either, and a release that was made to
/// keep the groups of an earlier one is recognized as such.
pub fn earlier_groups(
    earlier: &Published,
    table: &Table,
    policy: &Policy,
    encoded: &Encoded,
    others: &[EarlierGroups],
    at_place: impl Fn(usize) -> usize,
) -> Result<EarlierGroups, VerifyError> {
    let mut sides = Sides::new(earlier, table, policy, encoded)?;
    let rows = earlier.table.rows();
    let partner = match sides.in_order(rows, at_place)? {
        Some(in_order) => in_order.into_iter().map(Some).collect(),
        None => {
            let groups: Vec<&[u32]> = others.iter().map(|other| other.group_of.as_slice()).collect();
            let together = (!groups.is_empty()).then(|| distinct_rows(&groups, table.rows()).of_row);
            sides.largest_pairing(rows, together.as_deref())?.ok_or(VerifyError::TooManyWays)?
        }
    };
    let groups = count_groups(earlier, policy)?.group_of.unwrap_or_default();
    let mut group_of = vec![NEW; table.rows()];
    for (partner, group) in partner.iter().zip(groups) {
        if let Some(row) = partner {
            group_of[*row as usize] = group;
        }
    }
    let left = partner.iter().filter(|partner| partner.is_none()).count();
    Ok(EarlierGroups { group_of, rows, left })
}

/// Who was in which group of an earlier release, by its groups file.
#[derive(Debug, Clone, Copy)]
pub struct Links<'a> {
    /// The group of every line of the file, or [`WITHHELD`].
    pub group_of: &'a [u32],
    /// For every row of the table, the line of the same row.
    pub line_of: &'a [Option<u32>],
    /// Whether those rows have the values that they had then.
    pub unchanged: bool,
}

/// The groups that the rows of a table were in, by the groups file of an earlier release that was read whole. The
/// file belongs to the release if its groups have the sizes of those of the release; and where values are unchanged,
/// if each is published as another group of the release that covers its rows.
pub fn linked_groups(
    earlier: &Published,
    table: &Table,
    policy: &Policy,
    encoded: &Encoded,
    links: Links<'_>,
) -> Result<EarlierGroups, VerifyError> {
    let rows = earlier.table.rows();
    let published = count_groups(earlier, policy)?.group_of.unwrap_or_default();
    let lines: Vec<u32> =
        (0u32..).zip(links.group_of).filter(|(_, group)| **group != WITHHELD).map(|(line, _)| line).collect();
    if lines.len() != rows {
        return Err(VerifyError::NotItsGroups("it has another number of rows"));
    }
    // Its groups, numbered from 0.
    let numbers: Vec<u32> = lines.iter().map(|&line| links.group_of[line as usize]).collect();
    let numbered = distinct_rows(&[&numbers], rows);
    let mut group_of_line = vec![NEW; links.group_of.len()];
    lines.iter().zip(&numbered.of_row).for_each(|(&line, &group)| group_of_line[line as usize] = group);
    let sizes = sizes(&numbered.of_row, numbered.first.len());
    let of_release = self::sizes(&published, distinct_rows(&[&published], rows).first.len());
    let sorted = |sizes: &[u64]| {
        let mut sorted = sizes.to_vec();
        sorted.sort_unstable();
        sorted
    };
    if sorted(&sizes) != sorted(&of_release) {
        return Err(VerifyError::NotItsGroups("its groups have other sizes"));
    }
    let group_of: Vec<u32> =
        links.line_of.iter().map(|line| line.map_or(NEW, |line| group_of_line[line as usize])).collect();
    if links.unchanged
        && !covered(earlier, table, policy, encoded, (&published, &of_release), (&group_of, &sizes))?
    {
        return Err(VerifyError::NotItsGroups("its groups are not published as those of the release"));
    }
    let linked = group_of.iter().filter(|group| **group != NEW).count();
    Ok(EarlierGroups { group_of, rows, left: rows - linked })
}

/// How many rows every group has.
fn sizes(group_of: &[u32], groups: usize) -> Vec<u64> {
    let mut sizes = vec![0; groups];
    group_of.iter().for_each(|&group| sizes[group as usize] += 1);
    sizes
}

/// Whether every group of rows has a group of the release of its own that has its size, covers all of its rows and
/// holds their unchanged cells.
fn covered(
    earlier: &Published,
    table: &Table,
    policy: &Policy,
    encoded: &Encoded,
    (published, of_release): (&[u32], &[u64]),
    (group_of, sizes): (&[u32], &[u64]),
) -> Result<bool, VerifyError> {
    let sides = Sides::new(earlier, table, policy, encoded)?;
    let (rows, class) = (published.len(), sides.classes(published.len()));
    let kept_in = |group_of: &[u32], classes: &[u32]| {
        let mut kept = vec![Vec::new(); sizes.len()];
        let known = group_of.iter().zip(classes).filter(|(group, _)| **group != NEW);
        known.for_each(|(&group, &class)| kept[group as usize].push(class));
        kept.iter_mut().for_each(|classes: &mut Vec<u32>| classes.sort_unstable());
        kept
    };
    let (told, own) = (kept_in(published, &class[..rows]), kept_in(group_of, &class[rows..]));
    let everybody: Vec<u32> = (0..table.rows() as u32).collect();
    let mut finder = Finder::new(&sides.quasi, &everybody, |_| 0);
    let mut edges = Edges { starts: vec![0], to: Vec::new() };
    let (mut found, mut met) = (Vec::new(), vec![0; sizes.len()]);
    for &row in &distinct_rows(&[published], rows).first {
        sides.call.check()?;
        let look = published[row as usize] as usize;
        finder.covered(row, None, &mut found);
        let of: Vec<u32> =
            found.iter().map(|&row| group_of[row as usize]).filter(|&group| group != NEW).collect();
        of.iter().for_each(|&group| met[group as usize] += 1);
        for &group in &of {
            let whole =
                met[group as usize] == sizes[group as usize] && sizes[group as usize] == of_release[look];
            met[group as usize] = 0;
            if whole && told[look] == own[group as usize] {
                edges.to.push(group);
            }
        }
        edges.starts.push(edges.to.len());
        if edges.to.len() > MOST_PAIRS || finder.work > MOST_WORK {
            return Err(VerifyError::TooManyWays);
        }
    }
    let one = vec![1; sizes.len()];
    Ok(largest_matching(&one, &one, &edges, sides.call)? == sizes.len() as u64)
}

/// How rows are counted as people.
pub struct Heads<'a> {
    /// How many people a row stands for.
    pub size: &'a dyn Fn(u32) -> u64,
    /// Whom a row is about, where distinct persons count instead of sizes.
    pub person: Option<&'a dyn Fn(u32) -> u32>,
}

impl Heads<'_> {
    /// The people of every class; rows without a class count nowhere.
    pub fn count(&self, class_of: &[Option<u32>], classes: usize) -> Vec<u64> {
        let mut people = vec![0; classes];
        let rows = (0u32..).zip(class_of).filter_map(|(row, class)| Some((row, (*class)?)));
        match self.person {
            None => rows.for_each(|(row, class)| people[class as usize] += (self.size)(row)),
            Some(person) => {
                let mut pairs: Vec<(u32, u32)> = rows.map(|(row, class)| (class, person(row))).collect();
                pairs.sort_unstable();
                pairs.dedup();
                pairs.iter().for_each(|(class, _)| people[*class as usize] += 1);
            }
        }
        people
    }
}

/// How many people are left where releases are laid over each other. A class without people does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Intersections {
    /// People in the new release; a person with several rows counts once in every class.
    pub people: u64,
    /// People who are alone in their class.
    pub alone: u64,
    /// People in classes of fewer than k.
    pub below_k: u64,
    /// People in the smallest class.
    pub smallest: u64,
}

impl Intersections {
    /// Of the new release, by the group of every row, with earlier ones.
    pub fn of(earlier: &[EarlierGroups], group_of: &[u32], heads: &Heads<'_>, k: u64) -> Self {
        let groups = earlier.iter().map(|earlier| earlier.group_of.as_slice()).chain([group_of]);
        let classes = distinct_rows(&groups.collect::<Vec<_>>(), group_of.len());
        let released = classes.of_row.iter().zip(group_of);
        let class_of: Vec<Option<u32>> =
            released.map(|(&class, &group)| (group != WITHHELD).then_some(class)).collect();
        let mut sizes = heads.count(&class_of, classes.first.len());
        sizes.retain(|&people| people > 0);
        let below = |most: u64| sizes.iter().filter(|&&people| people < most).sum();
        Self {
            people: sizes.iter().sum(),
            alone: below(2),
            below_k: below(k),
            smallest: sizes.iter().copied().min().unwrap_or(0),
        }
    }
}
