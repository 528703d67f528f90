//! What groups say in a column: every distinct text is kept once. Groups by the hundred thousand say few different
//! things.

use foldhash::fast::FixedState;
use std::collections::HashMap;

/// A text per group; none where all its values are nulls of a typed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Texts {
    /// In order of first appearance.
    distinct: Vec<Option<String>>,
    of_group: Vec<u32>,
}

impl Texts {
    /// Every group says one of these texts, by number; a text may be there twice.
    pub fn new(said: Vec<Option<String>>, mut of_group: Vec<u32>) -> Self {
        let mut numbers: HashMap<Option<String>, u32, FixedState> = HashMap::default();
        let mut number = |text| {
            let next = numbers.len() as u32;
            *numbers.entry(text).or_insert(next)
        };
        let number_of: Vec<u32> = said.into_iter().map(&mut number).collect();
        let mut distinct = vec![None; numbers.len()];
        numbers.into_iter().for_each(|(text, number)| distinct[number as usize] = text);
        of_group.iter_mut().for_each(|said| *said = number_of[*said as usize]);
        Self { distinct, of_group }
    }

    pub fn distinct(&self) -> &[Option<String>] {
        &self.distinct
    }

    /// Which of the distinct texts every group says.
    pub fn of_group(&self) -> &[u32] {
        &self.of_group
    }

    pub fn get(&self, group: usize) -> Option<&str> {
        self.distinct[self.of_group[group] as usize].as_deref()
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.of_group.len()).map(|group| self.get(group))
    }

    /// Of these groups alone, each of which is the first that says what it says in all columns.
    pub fn keep(&mut self, groups: &[u32]) {
        self.of_group = groups.iter().map(|&group| self.of_group[group as usize]).collect();
    }
}

impl FromIterator<Option<String>> for Texts {
    fn from_iter<T: IntoIterator<Item = Option<String>>>(said: T) -> Self {
        let said: Vec<_> = said.into_iter().collect();
        let of_group = (0..said.len() as u32).collect();
        Self::new(said, of_group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_kept_once_in_order_of_appearance() {
        let text = |text: &str| Some(text.to_owned());
        let said = Texts::new(vec![text("b"), None, text("a"), text("b"), text("")], vec![0, 1, 3, 2, 4, 1]);
        assert_eq!(said.distinct(), [text("b"), None, text("a"), text("")]);
        assert_eq!(said.iter().collect::<Vec<_>>(), [Some("b"), None, Some("b"), Some("a"), Some(""), None]);
        let owned: Texts = said.iter().map(|text| text.map(str::to_owned)).collect();
        assert_eq!(owned, said);
    }
}
