//! What is in which group: the rows of a record or of a group, the neighbours of a region.

/// The members of every group, group by group in one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    list: Vec<u32>,
    starts: Vec<u32>,
}

impl Members {
    /// Of so many groups, from every member and its group. Within a group, members keep their order.
    pub fn new(groups: usize, members: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; groups + 1];
        members.clone().for_each(|(_, group)| starts[group as usize + 1] += 1);
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut list = vec![0; starts[groups] as usize];
        for (member, group) in members {
            let at = &mut next[group as usize];
            list[*at as usize] = member;
            *at += 1;
        }
        Self { list, starts }
    }

    pub fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub fn of(&self, group: u32) -> &[u32] {
        &self.list[self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize]
    }

    /// Those of every group.
    pub fn each(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.starts.windows(2).map(|ends| &self.list[ends[0] as usize..ends[1] as usize])
    }

    /// Those of all groups, one after the other.
    pub fn all(&self) -> &[u32] {
        &self.list
    }
}
