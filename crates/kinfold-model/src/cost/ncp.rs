//! Normalized certainty penalty (paper *optimize*, equation 2 and appendix B): a published cell
//! costs the share of its column's width that it covers.
//!
//! | kind | a group is published as | its cell costs, of a whole cell |
//! |---|---|---|
//! | numeric, date, ordinal | lowest to highest value | (highest − lowest) / (width of the domain) |
//! | category | the set of its labels | (labels − 1) / (labels of the column); 0 for one label |
//! | hierarchy | the lowest common node | (leaves under it − 1) / (leaves − 1) |
//! | region | the smallest nested area | as hierarchy; where people are told, its share of them |
//! | any, where cells are only suppressed | its one value, or a star | 0 for one value, 1 for a star |
//!
//! times the column's weight. Where the ends of ranges are rounded (see `grid.rs`), a line counts in cells of its
//! grid: a range costs (cells that it spans) / (cells of the domain), so no cell costs less than one of them, its
//! *floor*. That much is lost whatever the groups are. It is kept apart from what a grouping costs beyond
//! it, which is all that solvers and bounds are about.
//!
//! A missing value is a value of its own; on a line it cannot share a
//! range with present values, so a group that mixes them is a star and costs a whole cell.

use super::{Cost, ONE};
use crate::hierarchy::Tree;
use crate::problem::{Impossible, Problem};
use crate::value::Number;
use std::borrow::Cow;
use std::sync::Arc;

/// How the codes of one quasi-identifier cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    kind: RuleKind,
    full: u64,
    /// The ends of a line's domain, where they are known.
    ends: Option<(Number, Number)>,
    /// What every published cell costs at least, where ends are rounded.
    floor: Option<u64>,
}

/// What the codes of a quasi-identifier are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleKind {
    /// Codes in ascending order of value, each at a place between 0 and the cost of a whole cell.
    Line {
        /// The place of every present value.
        at: Vec<u64>,
        /// Whether one more code, the last, stands for missing values.
        missing: bool,
    },
    /// Labels: every label beyond the first costs the same.
    Set {
        /// Number of labels.
        values: u32,
        /// What one more label costs.
        step: u64,
    },
    /// Leaves of a tree, in depth-first order.
    Tree {
        /// The tree.
        tree: Arc<Tree>,
        /// What each node costs.
        cost: Vec<u64>,
    },
    /// Values that have nothing in common: two different ones are a star. Objectives `stars` and `columns`
    /// see all columns so.
    Flat {
        /// Number of values.
        values: u32,
    },
}

/// What a group's cell covers: the narrowest that can be said truly of all its rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cover<'a> {
    /// From one code to another on a line (the same one twice for a single value).
    Span(u32, u32),
    /// These labels, ascending.
    Labels(Cow<'a, [u32]>),
    /// A node of a tree (a leaf is a node too).
    Node(u32),
    /// Everything: missing and present values mixed, or any two values where cells are only suppressed.
    Star,
}

impl Rule {
    /// The cost of a whole cell of this weight.
    pub fn full_of(weight: f64) -> u64 {
        (weight * ONE as f64).round() as u64
    }

    /// Values on a line at places from 0 to `full`, ascending; `missing` adds a last code.
    pub fn line(at: Vec<u64>, missing: bool, full: u64) -> Result<Self, Impossible> {
        let ascend = at.is_sorted() && at.last().is_none_or(|&last| last <= full);
        Impossible::unless(ascend, "places on a line do not ascend from 0 to the cost of a cell")?;
        Ok(Self { kind: RuleKind::Line { at, missing }, full, ends: None, floor: None })
    }

    /// Cells of a grid, of which the domain has so many, at these places of it, ascending.
    pub fn grid(cells: &[u64], of: u64, missing: bool, full: u64) -> Result<Self, Impossible> {
        // What solvers see is never nothing, so that shares of it are numbers.
        let floor = (full / of.max(1)).min(full.saturating_sub(1));
        let rest = full - floor;
        let place = |&cell: &u64| {
            let steps = u128::from(of.max(2) - 1);
            (u128::from(cell) * u128::from(rest) / steps) as u64
        };
        let line = Self::line(cells.iter().map(place).collect(), missing, rest)?;
        Ok(Self { floor: Some(floor), ..line })
    }

    /// So many labels.
    pub fn set(values: u32, full: u64) -> Self {
        let step = full.saturating_add(u64::from(values) / 2).checked_div(u64::from(values)).unwrap_or(0);
        Self { kind: RuleKind::Set { values, step }, full, ends: None, floor: None }
    }

    /// Leaves of a tree.
    pub fn tree(tree: Arc<Tree>, full: u64) -> Self {
        let widest = u128::from(tree.leaves().max(2) - 1);
        let cost = (0..tree.nodes())
            .map(|node| (u128::from(tree.width(node) - 1) * u128::from(full) / widest) as u64)
            .collect();
        Self { kind: RuleKind::Tree { tree, cost }, full, ends: None, floor: None }
    }

    /// A tree that was cut, whose nodes cost this, at most `full`, and no node more than the one above it. The floor is
    /// what its leaves cost on average: solvers see leaves that cost nothing, and a cell above them costs what it
    /// costs in the whole tree.
    pub(crate) fn cut_tree(tree: Arc<Tree>, mut cost: Vec<u64>, full: u64) -> Result<Self, Impossible> {
        let fits = cost.len() == tree.nodes() as usize;
        Impossible::unless(fits, "costs and nodes differ in number")?;
        let ascend = (0..tree.nodes()).all(|node| cost[node as usize] <= cost[tree.parent(node) as usize]);
        let ascend = ascend && cost.iter().all(|&cost| cost <= full);
        Impossible::unless(ascend, "costs of a tree do not ascend to the cost of a cell")?;
        let leaves = &mut cost[..tree.leaves() as usize];
        let mean = leaves.iter().map(|&cost| u128::from(cost)).sum::<u128>() / leaves.len().max(1) as u128;
        leaves.fill(0);
        // What solvers see is never nothing, so that shares of it are numbers.
        let floor = (mean as u64).min(full.saturating_sub(1));
        cost.iter_mut().for_each(|cost| *cost = cost.saturating_sub(floor));
        let floor = Some(floor).filter(|&floor| floor > 0);
        Ok(Self { kind: RuleKind::Tree { tree, cost }, full: full - floor.unwrap_or(0), ends: None, floor })
    }

    /// Leaves of a tree that hold people: a node costs its share of them.
    pub fn peopled_tree(tree: Arc<Tree>, people: &[u64], full: u64) -> Result<Self, Impossible> {
        Impossible::unless(people.len() == tree.leaves() as usize, "people and leaves differ in number")?;
        let mut up_to = vec![0u128];
        people.iter().for_each(|&p| up_to.push(up_to[up_to.len() - 1] + u128::from(p)));
        let all = up_to[people.len()].max(1);
        let share = |node: u32| {
            let (first, last) = tree.span(node);
            let inside = up_to[last as usize + 1] - up_to[first as usize];
            if node < tree.leaves() { 0 } else { (inside * u128::from(full) / all) as u64 }
        };
        let cost = (0..tree.nodes()).map(share).collect();
        Ok(Self { kind: RuleKind::Tree { tree, cost }, full, ends: None, floor: None })
    }

    /// So many values that are told or not told, with nothing between.
    pub fn flat(values: u32, full: u64) -> Self {
        Self { kind: RuleKind::Flat { values }, full, ends: None, floor: None }
    }

    /// The same rule for a line whose domain has these ends.
    pub(crate) fn between_ends(self, low: Number, high: Number) -> Self {
        Self { ends: Some((low, high)), ..self }
    }

    /// How far a value lies above the low end of its line, in the column's own unit; the code itself where
    /// there is no line.
    pub fn offset(&self, code: u32) -> f64 {
        match (&self.kind, self.ends) {
            (RuleKind::Line { at, .. }, Some((low, high))) if (code as usize) < at.len() && self.full > 0 => {
                (high.to_f64() - low.to_f64()) * at[code as usize] as f64 / self.full as f64
            }
            _ => f64::from(code),
        }
    }

    /// What the codes are.
    pub fn kind(&self) -> &RuleKind {
        &self.kind
    }

    /// Whether the ends of its ranges are those of a grid.
    pub(crate) fn is_rounded(&self) -> bool {
        self.floor.is_some() && matches!(self.kind, RuleKind::Line { .. })
    }

    /// What every published cell costs, however narrow; not part of what [`Rule::cost`] says.
    pub fn floor(&self) -> u64 {
        self.floor.unwrap_or(0)
    }

    /// The cost of a whole cell beyond the floor; without a floor, weight × [`ONE`].
    pub fn full(&self) -> u64 {
        self.full
    }

    /// Number of codes.
    pub fn values(&self) -> u32 {
        match &self.kind {
            RuleKind::Line { at, missing } => at.len() as u32 + u32::from(*missing),
            RuleKind::Set { values, .. } | RuleKind::Flat { values } => *values,
            RuleKind::Tree { tree, .. } => tree.leaves(),
        }
    }

    /// The code of missing values on a line, if there are any.
    pub fn missing_code(&self) -> Option<u32> {
        match &self.kind {
            RuleKind::Line { at, missing: true } => Some(at.len() as u32),
            _ => None,
        }
    }

    /// What a group with these codes covers (`codes` is not empty; repeats are fine).
    pub fn cover(&self, codes: impl Iterator<Item = u32> + Clone) -> Cover<'static> {
        let low = codes.clone().min().unwrap_or(0);
        let high = codes.clone().max().unwrap_or(0);
        match &self.kind {
            RuleKind::Set { .. } if low != high => {
                let mut labels: Vec<u32> = codes.collect();
                labels.sort_unstable();
                labels.dedup();
                Cover::Labels(labels.into())
            }
            _ => self.covering(low, high),
        }
    }

    /// What a group covers whose codes lie between these two; of labels there are no others.
    pub(crate) fn covering(&self, low: u32, high: u32) -> Cover<'static> {
        match &self.kind {
            RuleKind::Line { .. } if low != high && Some(high) == self.missing_code() => Cover::Star,
            RuleKind::Flat { .. } if low != high => Cover::Star,
            RuleKind::Line { .. } | RuleKind::Flat { .. } => Cover::Span(low, high),
            RuleKind::Set { .. } if low == high => Cover::Labels(vec![low].into()),
            RuleKind::Set { .. } => Cover::Labels(vec![low, high].into()),
            RuleKind::Tree { tree, .. } => Cover::Node(tree.join(low, high)),
        }
    }

    /// Number of levels: those of a tree; in other columns a cell is its value (level 0) or a star (level 1).
    pub fn levels(&self) -> usize {
        match &self.kind {
            RuleKind::Tree { tree, .. } => tree.levels(),
            _ => 2,
        }
    }

    /// A number for what a code is on a level: two codes are one there if and only if their numbers agree.
    pub fn node(&self, level: usize, code: u32) -> u32 {
        match &self.kind {
            RuleKind::Tree { tree, .. } => tree.at_level(level, code),
            _ if level == 0 => code,
            _ => 0,
        }
    }

    /// What a code is published as on a level, whatever else is in its group.
    pub fn at_level(&self, level: usize, code: u32) -> Cover<'static> {
        match &self.kind {
            RuleKind::Tree { tree, .. } => Cover::Node(tree.at_level(level, code)),
            _ if level == 0 => self.covering(code, code),
            _ => Cover::Star,
        }
    }

    /// What a cell that covers these two codes costs.
    pub fn between(&self, a: u32, b: u32) -> Cost {
        let (low, high) = (a.min(b), a.max(b));
        Cost(match &self.kind {
            RuleKind::Tree { tree, cost } => cost[tree.join(low, high) as usize],
            _ if low == high => 0,
            RuleKind::Line { at, .. } => at.get(high as usize).map_or(self.full, |h| h - at[low as usize]),
            RuleKind::Set { step, .. } => *step,
            RuleKind::Flat { .. } => self.full,
        })
    }

    /// What a cell that covers this costs.
    pub fn cost(&self, cover: &Cover<'_>) -> Cost {
        Cost(match (&self.kind, cover) {
            (RuleKind::Line { .. } | RuleKind::Flat { .. }, Cover::Span(low, high)) if low == high => 0,
            (RuleKind::Line { at, .. }, Cover::Span(low, high)) => at[*high as usize] - at[*low as usize],
            (RuleKind::Set { step, .. }, Cover::Labels(labels)) => step * (labels.len() as u64 - 1),
            (RuleKind::Tree { cost, .. }, Cover::Node(node)) => cost[*node as usize],
            _ => self.full,
        })
    }
}

/// What a group of these rows costs: its people times the cells it is published as.
pub fn group_cost(problem: &Problem, rows: &[u32]) -> Cost {
    let people: u64 = rows.iter().map(|&row| problem.row_size(row)).sum();
    let cells: Cost = problem
        .rules()
        .iter()
        .enumerate()
        .map(|(column, rule)| {
            rule.cost(&rule.cover(rows.iter().map(|&row| problem.codes(problem.record_of(row))[column])))
        })
        .sum();
    Cost(people * cells.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Hierarchy;

    fn cost(rule: &Rule, codes: &[u32]) -> u64 {
        rule.cost(&rule.cover(codes.iter().copied())).0
    }

    #[test]
    fn a_line_costs_its_extent() {
        let rule = Rule::line(vec![0, 10, 30, 100], true, 100).unwrap();
        assert_eq!(cost(&rule, &[1, 2, 1]), 20);
        assert_eq!(cost(&rule, &[0, 3]), 100);
        assert_eq!(cost(&rule, &[2]), 0);
        assert_eq!(cost(&rule, &[4, 4]), 0, "missing alone is a value like any other");
        assert_eq!(cost(&rule, &[4, 2]), 100, "missing and present share no range");
        assert_eq!(rule.cover([4, 2].into_iter()), Cover::Star);
    }

    #[test]
    fn on_a_grid_cells_count() {
        // Three of ten cells occur: the second, the fourth and the last.
        let rule = Rule::grid(&[1, 3, 9], 10, true, 1_000).unwrap();
        assert_eq!((rule.floor(), rule.full(), rule.is_rounded()), (100, 900, true));
        let whole = |codes: &[u32]| cost(&rule, codes) + rule.floor();
        assert_eq!([whole(&[0]), whole(&[0, 1]), whole(&[1, 2]), whole(&[0, 3])], [100, 300, 700, 1_000]);
        let single = Rule::grid(&[0], 1, false, 1_000).unwrap();
        assert_eq!((single.floor(), single.full()), (999, 1), "one cell says nothing");
        assert!(Rule::grid(&[10], 10, false, 1_000).is_err());
        assert_eq!(Rule::grid(&[0], 0, false, 0).map(|rule| rule.full()), Ok(0));
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        let tree = Arc::new(Hierarchy::parse("a;*\nb;*\n").unwrap().tree().clone());
        let refused = [
            Rule::line(vec![3, 2], false, 9),
            Rule::line(vec![2, 10], false, 9),
            Rule::peopled_tree(tree.clone(), &[1], 9),
            Rule::peopled_tree(tree, &[1, 2, 3], 9),
        ];
        for rule in refused {
            assert!(matches!(rule, Err(Impossible::Malformed(_))));
        }
        assert_eq!((Rule::set(0, 9).values(), Rule::set(2, u64::MAX).values()), (0, 2));
    }

    #[test]
    fn two_codes_cost_what_they_cover() {
        let h = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\nd;y;*\n").unwrap();
        let rules = [
            Rule::line(vec![0, 10, 100], true, 100).unwrap(),
            Rule::set(4, 100),
            Rule::tree(Arc::new(h.tree().clone()), 100),
            Rule::flat(4, 100),
            Rule::cut_tree(Arc::new(h.tree().clone()), vec![5, 9, 7, 5, 30, 40, 100], 100).unwrap(),
        ];
        for rule in rules {
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                assert_eq!(rule.between(a, b).0, cost(&rule, &[a, b]));
            }
        }
    }

    #[test]
    fn leaves_of_a_cut_tree_cost_their_mean() {
        let h = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\n").unwrap();
        let tree = Arc::new(h.tree().clone());
        let rule = Rule::cut_tree(tree.clone(), vec![10, 25, 13, 40, 13, 100], 100).unwrap();
        assert_eq!((rule.floor(), rule.full(), rule.is_rounded()), (16, 84, false));
        let whole = |codes: &[u32]| cost(&rule, codes) + rule.floor();
        assert_eq!([whole(&[0]), whole(&[1, 1]), whole(&[0, 1]), whole(&[1, 2])], [16, 16, 40, 100]);
        assert!(Rule::cut_tree(tree.clone(), vec![50, 0, 0, 40, 0, 100], 100).is_err());
        assert!(Rule::cut_tree(tree, vec![0; 5], 100).is_err());
    }

    #[test]
    fn labels_cost_by_number() {
        let rule = Rule::set(4, 100);
        assert_eq!(cost(&rule, &[3, 3]), 0);
        assert_eq!(cost(&rule, &[0, 3, 0]), 25);
        assert_eq!(cost(&rule, &[0, 1, 2, 3]), 75);
        assert_eq!(rule.cover([3, 0, 3].into_iter()), Cover::Labels(vec![0, 3].into()));
    }

    #[test]
    fn every_column_has_levels() {
        let h = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\n").unwrap();
        let tree = Rule::tree(Arc::new(h.tree().clone()), 100);
        let cost = |rule: &Rule, level| rule.cost(&rule.at_level(level, 1)).0;
        assert_eq!(([0, 1, 2].map(|level| cost(&tree, level)), tree.levels()), ([0, 50, 100], 3));
        assert_eq!((tree.node(1, 0) == tree.node(1, 1), tree.node(1, 1) == tree.node(1, 2)), (true, false));
        let others =
            [Rule::line(vec![0, 10, 100], true, 100).unwrap(), Rule::set(4, 100), Rule::flat(4, 100)];
        for rule in others {
            assert_eq!(([0, 1].map(|level| cost(&rule, level)), rule.levels()), ([0, 100], 2));
            assert_eq!(
                (rule.node(0, 2) == rule.node(0, 3), rule.node(1, 2) == rule.node(1, 3)),
                (false, true)
            );
        }
    }

    #[test]
    fn a_flat_column_is_told_or_starred() {
        let rule = Rule::flat(5, 100);
        assert_eq!((cost(&rule, &[3, 3]), cost(&rule, &[0, 1]), cost(&rule, &[0, 4, 2])), (0, 100, 100));
        assert_eq!(rule.cover([2, 2].into_iter()), Cover::Span(2, 2));
        assert_eq!(rule.cover([2, 3].into_iter()), Cover::Star);
    }

    #[test]
    fn a_tree_costs_its_lowest_common_node() {
        let h = Hierarchy::parse("a;x;*\nb;x;*\nc;x;*\nd;y;*\ne;y;*\n").unwrap();
        let rule = Rule::tree(Arc::new(h.tree().clone()), 100);
        assert_eq!(cost(&rule, &[0, 0]), 0);
        assert_eq!(cost(&rule, &[0, 1]), 50);
        assert_eq!(cost(&rule, &[3, 4]), 25);
        assert_eq!(cost(&rule, &[0, 4]), 100);
        let peopled = Rule::peopled_tree(Arc::new(h.tree().clone()), &[60, 0, 20, 15, 5], 100).unwrap();
        let costs = [&[0, 0][..], &[0, 1], &[3, 4], &[0, 4]].map(|codes| cost(&peopled, codes));
        assert_eq!(costs, [0, 80, 20, 100]);
    }
}
