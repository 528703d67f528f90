//! Two neighbouring areas become one, which is parted anew along random spanning trees: as electoral
//! districts are redrawn. Moving one region at a time cannot make three areas of two; this can.

use super::improve::Areas;
use crate::parts::random::Random;

/// Trees tried per pair of areas.
const TREES: usize = 32;
/// What is above k must shrink by one part in so many.
const GAIN: u64 = 64;

impl Areas<'_> {
    /// Parts an area together with a neighbour anew, so that all parts are clearly smaller than the area was.
    /// Returns the areas that changed.
    pub(super) fn recombine(&mut self, area: u32, random: &mut Random) -> Option<Vec<u32>> {
        let size = self.size(area);
        if self.regions[area as usize].iter().any(|&region| self.people[region as usize] == size) {
            return None;
        }
        // Small gains are not worth the trees.
        let limit = size - 1 - size.saturating_sub(self.k) / GAIN;
        let mut neighbours = self.touching(area);
        neighbours.sort_by_key(|&other| self.size(other));
        neighbours.into_iter().find_map(|other| {
            let both = [&self.regions[area as usize][..], &self.regions[other as usize]].concat();
            let parts = (0..TREES).find_map(|_| self.parted(&both, limit, random))?;
            let mut numbers = vec![area, other];
            for (at, part) in parts.into_iter().enumerate() {
                if at == numbers.len() {
                    numbers.push(self.add_area());
                }
                part.into_iter().for_each(|region| self.shift(region, numbers[at]));
            }
            Some(numbers)
        })
    }

    /// Two or more connected parts of k people and no more than the limit, cut from below off a random
    /// spanning tree, if that makes such.
    fn parted(&self, regions: &[u32], limit: u64, random: &mut Random) -> Option<Vec<Vec<u32>>> {
        let (order, above) = self.random_tree(regions, random)?;
        let mut hanging: Vec<u64> = order.iter().map(|&region| self.people[region as usize]).collect();
        // The number of the part that each region is cut off with; the root's is what is left over.
        let mut topmost = vec![false; order.len()];
        for at in (1..order.len()).rev() {
            topmost[at] = hanging[at] >= self.k;
            if topmost[at] && hanging[at] > limit {
                return None;
            }
            if !topmost[at] {
                hanging[above[at]] += hanging[at];
            }
        }
        let mut part_of = vec![0; order.len()];
        let mut parts = vec![vec![order[0]]];
        let mut sizes = vec![hanging[0]];
        for at in 1..order.len() {
            part_of[at] = if topmost[at] { parts.len() } else { part_of[above[at]] };
            if topmost[at] {
                parts.push(Vec::new());
                sizes.push(hanging[at]);
            }
            parts[part_of[at]].push(order[at]);
        }
        if sizes[0] < self.k {
            // Parts that hang from the left-over touch it.
            let touching = (1..order.len()).filter(|&at| topmost[at] && part_of[above[at]] == 0);
            let smallest = touching.map(|at| part_of[at]).min_by_key(|&part| sizes[part])?;
            let left = std::mem::take(&mut parts[0]);
            sizes[smallest] += sizes[0];
            parts[smallest].extend(left);
            parts.swap_remove(0);
            sizes.swap_remove(0);
        }
        (parts.len() > 1 && sizes.iter().all(|&size| size <= limit)).then_some(parts)
    }

    /// A spanning tree of some regions, grown along borders picked at random: regions in the order they came,
    /// and the place of the one before each. `None` if they are not connected.
    fn random_tree(&self, regions: &[u32], random: &mut Random) -> Option<(Vec<u32>, Vec<usize>)> {
        let mut sorted = regions.to_vec();
        sorted.sort_unstable();
        let mut reached = vec![false; sorted.len()];
        let (mut order, mut above) = (Vec::new(), Vec::new());
        let mut border = vec![(random.below(sorted.len()), 0)];
        while !border.is_empty() {
            let (index, before) = border.swap_remove(random.below(border.len()));
            if std::mem::replace(&mut reached[index], true) {
                continue;
            }
            order.push(sorted[index]);
            above.push(before);
            let here = order.len() - 1;
            let inside = self
                .graph
                .neighbours(sorted[index])
                .iter()
                .filter_map(|next| sorted.binary_search(next).ok());
            border.extend(inside.filter(|&next| !reached[next]).map(|next| (next, here)));
        }
        (order.len() == sorted.len()).then_some((order, above))
    }
}
