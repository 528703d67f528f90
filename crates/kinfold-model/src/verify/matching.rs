//! The largest number of pairs between two sides: maximum flow in a bipartite graph.

use crate::call::{Call, Stopped};
use crate::flow::Network;

/// Which right nodes each left node may be paired with.
pub(super) struct Edges {
    /// Where each left node's edges start; one more entry than left nodes.
    pub(super) starts: Vec<usize>,
    /// The right ends.
    pub(super) to: Vec<u32>,
}

/// Pairs at most `left[i]` times node i on the left and `right[j]` times node j on the right.
pub(super) fn largest_matching(
    left: &[u64],
    right: &[u64],
    edges: &Edges,
    call: &Call,
) -> Result<u64, Stopped> {
    let (source, sink) = ((left.len() + right.len()) as u32, (left.len() + right.len()) as u32 + 1);
    let mut network = Network::new(left.len() + right.len() + 2);
    for (from, &most) in (0u32..).zip(left) {
        network.add(source, from, most);
        for &to in &edges.to[edges.starts[from as usize]..edges.starts[from as usize + 1]] {
            network.add(from, left.len() as u32 + to, most.min(right[to as usize]));
        }
    }
    for (to, &most) in (0u32..).zip(right) {
        network.add(left.len() as u32 + to, sink, most);
    }
    network.send_in(source, sink, call)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit copies and plain augmenting paths: slow, obvious.
    fn brute(left: &[u64], right: &[u64], edges: &Edges) -> u64 {
        let copies = |caps: &[u64]| -> Vec<usize> {
            caps.iter().enumerate().flat_map(|(i, &c)| std::iter::repeat_n(i, c as usize)).collect()
        };
        let (ls, rs) = (copies(left), copies(right));
        let mut partner: Vec<Option<usize>> = vec![None; rs.len()];
        fn augment(
            l: usize,
            ls: &[usize],
            rs: &[usize],
            edges: &Edges,
            seen: &mut [bool],
            partner: &mut [Option<usize>],
        ) -> bool {
            let allowed = &edges.to[edges.starts[ls[l]]..edges.starts[ls[l] + 1]];
            for r in 0..rs.len() {
                if !seen[r] && allowed.contains(&(rs[r] as u32)) {
                    seen[r] = true;
                    if partner[r].is_none_or(|p| augment(p, ls, rs, edges, seen, partner)) {
                        partner[r] = Some(l);
                        return true;
                    }
                }
            }
            false
        }
        (0..ls.len())
            .filter(|&l| augment(l, &ls, &rs, edges, &mut vec![false; rs.len()], &mut partner))
            .count() as u64
    }

    #[test]
    fn equals_plain_augmenting_paths_on_random_graphs() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..500 {
            let left: Vec<u64> = (0..1 + random(7)).map(|_| random(4)).collect();
            let right: Vec<u64> = (0..1 + random(7)).map(|_| random(4)).collect();
            let mut edges = Edges { starts: vec![0], to: Vec::new() };
            for _ in &left {
                edges.to.extend((0..right.len() as u32).filter(|_| random(3) == 0));
                edges.starts.push(edges.to.len());
            }
            let found = largest_matching(&left, &right, &edges, &Call::new());
            assert_eq!(found, Ok(brute(&left, &right, &edges)));
        }
    }
}
