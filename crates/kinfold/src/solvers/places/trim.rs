//! Makes the largest groups smaller by leaving members out, where people may be withheld: from the largest
//! group goes the smallest member that brings it down to the next largest, or else the largest that may go.
//! What did not make the largest group smaller in the end stays.

use std::collections::BTreeSet;

/// Takes members out of groups whose size is to be small, of `spare` people at most, and returns them. Groups
/// keep k people. `may_go` says whether a group can do without one of its members.
pub(crate) fn trim(
    groups: &mut [Vec<u32>],
    size: impl Fn(u32) -> u64,
    k: u64,
    mut spare: u64,
    may_go: impl Fn(&[u32], u32) -> bool,
) -> Vec<u32> {
    let people = |group: &[u32]| group.iter().map(|&member| size(member)).sum::<u64>();
    let mut by_size: BTreeSet<(u64, usize)> =
        groups.iter().enumerate().map(|(at, group)| (people(group), at)).collect();
    let mut sorted = vec![false; groups.len()];
    let mut gone: Vec<(usize, u32)> = Vec::new();
    // The largest group when all is done, and how many had gone by then.
    let (mut least, mut worth) = (by_size.last().map_or(0, |&(most, _)| most), 0);
    while let Some((most, at)) = by_size.pop_last() {
        if most < least {
            (least, worth) = (most, gone.len());
        }
        let group = &mut groups[at];
        if !std::mem::replace(&mut sorted[at], true) {
            group.sort_by_key(|&member| size(member));
        }
        let next = by_size.last().map_or(k, |&(next, _)| next.max(k));
        let up_to = |people: u64| group.partition_point(|&member| size(member) <= people);
        let (none, enough) = (up_to(0), up_to(most.saturating_sub(next).max(1) - 1));
        let end = up_to(spare.min(most.saturating_sub(k)));
        let mut wanted = (enough.max(none)..end).chain((none..enough.min(end)).rev());
        let Some(place) = wanted.find(|&place| may_go(group, group[place])) else { break };
        let member = group.remove(place);
        spare -= size(member);
        gone.push((at, member));
        by_size.insert((most - size(member), at));
    }
    for (at, member) in gone.drain(worth..) {
        groups[at].push(member);
    }
    gone.into_iter().map(|(_, member)| member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_groups_give_members_away_and_nothing_goes_in_vain() {
        let sizes = [4, 3, 2, 5, 5, 1, 6];
        let size = |member: u32| sizes[member as usize];
        let trimmed = |spare, may_go: &dyn Fn(u32) -> bool| {
            let mut groups = vec![vec![0, 1, 2], vec![3, 5], vec![4, 6]];
            let gone = trim(&mut groups, size, 5, spare, |_, member| may_go(member));
            let largest = groups.iter().map(|g| g.iter().map(|&m| size(m)).sum::<u64>()).max();
            (gone, largest.unwrap())
        };
        assert_eq!(trimmed(4, &|_| true), (vec![], 11), "5 or 6 must go from the largest");
        assert_eq!(trimmed(5, &|_| true), (vec![4], 9));
        assert_eq!(trimmed(7, &|_| true), (vec![4, 2], 7), "2 more are as many as may go");
        assert_eq!(trimmed(8, &|_| true), (vec![4, 1], 6), "3 bring the next down to 6");
        assert_eq!(trimmed(7, &|member| member != 4), (vec![6], 9), "the other one goes");
        assert_eq!(trimmed(7, &|_| false), (vec![], 11));
        assert_eq!(trimmed(5, &|member| member == 6), (vec![], 11));
    }
}
