//! The definitions once more, straight from the papers: in floats, from rows and their labels, with the
//! earth mover's distance as the transport of least cost that it is. And random small tables to compare
//! both on.

use super::super::{Leaves, Protected, Requirement, Requirements, Row, Whole};
use crate::hierarchy::Hierarchy;
use std::collections::{BTreeMap, BTreeSet};

/// Splitmix64.
pub struct Random(pub u64);

impl Random {
    /// A number below the end.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    pub fn shuffled(&mut self, count: u64) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..count as u32).collect();
        (1..numbers.len()).rev().for_each(|i| numbers.swap(i, self.below(i as u64 + 1) as usize));
        numbers
    }
}

/// A table with one protected column that has an order, a tree, classes of codes and perhaps a missing
/// value.
pub struct Sample {
    pub codes: Vec<u32>,
    pub sizes: Vec<u64>,
    pub persons: Vec<u32>,
    pub protected: Protected,
    /// For every class what it generalizes to, ever wider; the last is the same for all.
    paths: Vec<Vec<String>>,
    classes: Vec<u32>,
    ranks: Vec<u32>,
    /// As requirements number them, once they are made.
    values: Vec<u32>,
}

impl Sample {
    /// So many rows, and codes below a number.
    pub fn random(random: &mut Random, rows: u64, codes: u64) -> Self {
        let grouped = random.below(3) == 0;
        let count = if grouped { codes.div_ceil(2) } else { codes };
        let classes: Vec<u32> = (0..codes).map(|code| (code % count) as u32).collect();
        // Two widest nodes at least, so that no level is left out. One value may hang higher than the others.
        let high = random.below(6);
        let path = |class: u64| {
            if class == high && class > 1 {
                return ["high", "high", "*"].map(String::from).to_vec();
            }
            let wide = if class < 2 { class } else { random.below(2) };
            let narrow = if class < 2 { 0 } else { random.below(3) };
            vec![format!("{wide}.{narrow}"), format!("{wide}"), "*".to_owned()]
        };
        let paths: Vec<Vec<String>> = (0..count).map(path).collect();
        let lines =
            (0..).zip(&paths).map(|(i, path): (usize, _)| [vec![format!("v{i}")], path.clone()].concat());
        let hierarchy = Hierarchy::from_paths(lines.collect()).unwrap();
        let leaf_of = (0..count).map(|i| hierarchy.leaf(&format!("v{i}")).unwrap()).collect();
        let ranks = random.shuffled(count);
        let row_codes: Vec<u32> = (0..rows).map(|_| random.below(codes) as u32).collect();
        let sizes: Vec<u64> = (0..rows).map(|_| 1 + random.below(5) / 4).collect();
        let mut totals = vec![0; codes as usize];
        row_codes.iter().zip(&sizes).for_each(|(&code, &size)| totals[code as usize] += size);
        let protected = Protected {
            name: "illness".into(),
            totals,
            missing: (random.below(3) == 0).then(|| random.below(codes) as u32),
            classes: grouped.then(|| classes.clone()),
            order: Some(ranks.clone()),
            tree: Some(Leaves { tree: hierarchy.tree().clone(), of: leaf_of }),
            ..Protected::default()
        };
        let persons = (0..rows).map(|_| random.below(rows) as u32).collect();
        Self { codes: row_codes, sizes, persons, protected, paths, classes, ranks, values: Vec::new() }
    }

    pub fn require(&mut self, list: Vec<Requirement>) -> Requirements {
        let people: u64 = self.sizes.iter().sum();
        let persons = Some(self.persons.iter().collect::<BTreeSet<_>>().len() as u64);
        let whole = Whole { people, persons, population: Some(3 * people) };
        let requirements = Requirements::new(list, vec![self.protected.clone()], whole).unwrap();
        self.values = self.codes.iter().map(|&code| requirements.value(0, code).unwrap()).collect();
        requirements
    }

    /// A row, as the requirements that were made last take it.
    pub fn row(&self, row: usize) -> Row<'_> {
        Row { size: self.sizes[row], person: self.persons[row], values: &self.values[row..row + 1] }
    }

    pub fn rows<'a>(&'a self, rows: &'a [usize]) -> impl Iterator<Item = Row<'a>> + Clone {
        rows.iter().map(|&row| self.row(row))
    }

    fn shares(&self, rows: impl Iterator<Item = usize>) -> BTreeMap<u32, f64> {
        let mut shares = BTreeMap::new();
        rows.for_each(|row| {
            *shares.entry(self.classes[self.codes[row] as usize]).or_default() += self.sizes[row] as f64
        });
        let people: f64 = shares.values().sum();
        shares.into_iter().map(|(class, count)| (class, count / people)).collect()
    }

    fn missing(&self) -> Option<u32> {
        self.protected.missing.map(|code| self.classes[code as usize])
    }

    /// The measures of a group of rows.
    pub fn measure(&self, rows: &[usize]) -> Measures {
        let q = self.shares(rows.iter().copied());
        let p = self.shares(0..self.codes.len());
        let mut known: Vec<f64> =
            q.iter().filter(|&(class, _)| Some(*class) != self.missing()).map(|(_, &share)| share).collect();
        let all: f64 = known.iter().sum();
        known.iter_mut().for_each(|share| *share /= all);
        known.sort_by(|a, b| b.total_cmp(a));
        let entropy: f64 = known.iter().map(|share| -share * share.ln()).sum();
        let least_c = |l: usize| known[0] / known[l - 1..].iter().sum::<f64>();

        let mut present: Vec<u32> = p.keys().copied().collect();
        present.sort_by_key(|&class| self.ranks[class as usize]);
        let rank = |class: u32| present.iter().position(|&c| c == class).unwrap() as f64;
        let steps = (present.len() as f64 - 1.0).max(1.0);
        let climb = |a: u32, b: u32| {
            let (a, b) = (&self.paths[a as usize], &self.paths[b as usize]);
            (a.iter().zip(b).position(|(a, b)| a == b).unwrap() + 1) as f64
        };
        let emd = |distance: &dyn Fn(u32, u32) -> f64| {
            transport(&present, &p, &q, |a, b| if a == b { 0.0 } else { distance(a, b) })
        };

        let share = |class: &u32| q.get(class).copied().unwrap_or(0.0);
        let gains = || p.iter().map(|(class, p)| ((share(class) - p) / p, -p.ln()));
        let largest = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(0.0, f64::max);
        Measures {
            distinct: known.len() as u32,
            entropy: entropy.exp(),
            recursive: (1..=known.len()).map(least_c).collect(),
            close: [
                emd(&|_, _| 1.0),
                emd(&|a, b| (rank(a) - rank(b)).abs() / steps),
                emd(&|a, b| climb(a, b) / 3.0),
            ],
            likeness: largest(&mut gains().map(|(gain, _)| gain)),
            beyond_log: gains().map(|(gain, limit)| gain - limit).fold(f64::NEG_INFINITY, f64::max),
            disclosure: largest(&mut p.iter().map(|(class, p)| (share(class) / p).ln().abs())),
            disclosure_of_present: largest(&mut q.iter().map(|(class, q)| (q / p[class]).ln().abs())),
        }
    }
}

/// For each requirement the parameter at which it turns.
#[derive(Debug)]
pub struct Measures {
    pub distinct: u32,
    pub entropy: f64,
    /// The least c for l = 1, 2, …
    pub recursive: Vec<f64>,
    /// By equal, ordered and tree distance.
    pub close: [f64; 3],
    pub likeness: f64,
    /// By how much a gain exceeds −ln p.
    pub beyond_log: f64,
    pub disclosure: f64,
    pub disclosure_of_present: f64,
}

/// The least cost of making one distribution of another: along paths of least cost, one after the other.
fn transport(
    classes: &[u32],
    from: &BTreeMap<u32, f64>,
    to: &BTreeMap<u32, f64>,
    distance: impl Fn(u32, u32) -> f64,
) -> f64 {
    let share = |of: &BTreeMap<u32, f64>, class: u32| of.get(&class).copied().unwrap_or(0.0);
    let m = classes.len();
    let mut supply: Vec<f64> = classes.iter().map(|&c| share(from, c)).collect();
    let mut demand: Vec<f64> = classes.iter().map(|&c| share(to, c)).collect();
    let mut flow = vec![vec![0.0; m]; m];
    let mut cost = 0.0;
    const TINY: f64 = 1e-13;
    loop {
        // Cheapest ways from any supply: sources 0..m, sinks m..2m; back along what flows already.
        let mut way = vec![(f64::INFINITY, usize::MAX); 2 * m];
        (0..m).filter(|&i| supply[i] > TINY).for_each(|i| way[i].0 = 0.0);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (i, j) in (0..m).flat_map(|i| (0..m).map(move |j| (i, j))) {
                let d = distance(classes[i], classes[j]);
                if way[i].0 + d < way[m + j].0 - 1e-12 {
                    way[m + j] = (way[i].0 + d, i);
                    changed = true;
                }
                if flow[i][j] > TINY && way[m + j].0 - d < way[i].0 - 1e-12 {
                    way[i] = (way[m + j].0 - d, m + j);
                    changed = true;
                }
            }
        }
        let sink = (0..m).filter(|&j| demand[j] > TINY && way[m + j].0.is_finite());
        let Some(sink) = sink.min_by(|&a, &b| way[m + a].0.total_cmp(&way[m + b].0)) else { return cost };
        let mut steps = Vec::new();
        let mut at = m + sink;
        while way[at].1 != usize::MAX {
            steps.push((way[at].1, at));
            at = way[at].1;
        }
        let back = steps.iter().filter(|(a, _)| *a >= m).map(|&(a, b)| flow[b][a - m]);
        let amount = back.fold(supply[at].min(demand[sink]), f64::min);
        for &(a, b) in &steps {
            if a < m { flow[a][b - m] += amount } else { flow[b][a - m] -= amount }
        }
        supply[at] -= amount;
        demand[sink] -= amount;
        cost += amount * way[m + sink].0;
    }
}
