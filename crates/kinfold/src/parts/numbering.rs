//! Groups by their numbers.

use kinfold_model::WITHHELD;

/// How many groups there are, counted from 0; rows that are withheld are in none.
pub(crate) fn groups_of(group_of: &[u32]) -> usize {
    group_of.iter().filter(|&&group| group != WITHHELD).max().map_or(0, |&group| group as usize + 1)
}

/// Numbers groups without gaps, in the order in which they come.
pub fn number(group_of: &mut [u32]) {
    number_from(0, group_of);
}

/// The same from a number on; says which comes next.
pub(crate) fn number_from(mut next: u32, group_of: &mut [u32]) -> u32 {
    let mut numbers = vec![WITHHELD; groups_of(group_of)];
    for group in group_of.iter_mut().filter(|group| **group != WITHHELD) {
        let number = &mut numbers[*group as usize];
        if *number == WITHHELD {
            *number = next;
            next += 1;
        }
        *group = *number;
    }
    next
}
