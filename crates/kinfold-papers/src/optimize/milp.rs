//! Milp: the mixed-integer program of paper *optimize*, section 2.2.
//!
//! # The problem
//! The least loss of all groupings, in a form that any solver of mixed-integer programs understands.
//!
//! # The idea
//! Every row has a lower and an upper end on every column, around its own value; what it costs is the
//! distance between them (equation 21, weighted as in 34). A variable per pair of rows, 0 or 1, says that
//! both look alike; where it is 1, their ends must be the same. With a constant M that no distance exceeds
//! this is linear (22–25, M as in 29–32):
//!
//! ```text
//! −M (1 − alike) ≤ end of the one − end of the other ≤ M (1 − alike)
//! ```
//!
//! Everybody is alike with at least k − 1 others (26). The search starts from the sorted runs of section 2.3.
//!
//! Alike need not be transitive: a may be alike with b and b with c, and nobody says so of a and c. All three
//! have the same ends all the same. So a group is what hangs together.
//!
//! # Beyond the paper
//! One variable for a pair, not two. Ends are numbers, not whole numbers (27): with the pairs decided, the
//! best ends are values of the table. They are no wider than the table's values. For the kinds of columns
//! that the paper does not have, marks between 0 and 1 take the place of ends, equal among rows that are
//! alike:
//!
//! | column | a row's marks |
//! |---|---|
//! | labels | for every other label: it is in the group. One costs what one more label costs (Definition 8) |
//! | hierarchy | for every node above its leaf: the cell says this node or a wider one. One costs what the step up costs |
//! | any, where cells are only suppressed | its cell is a star |
//! | line with missing values | the group mixes missing and present values. The cell costs no less than a star then |
//!
//! # Promise
//! No grouping is better, as far as floating point can tell. At the deadline the answer is the best grouping
//! so far.
//!
//! # What it lacks
//! Speed: M makes the relaxation say next to nothing, so that the search tries almost everything. `exact`
//! finds the same for tables of some hundred rows. Only the deadline ends a search, not the run's stop flag.

use crate::program::{Program, Values, Variable};
use kinfold::model::hierarchy::Tree;
use kinfold::model::judge::judge;
use kinfold::model::{Cost, Found, ONE, Objective, Problem, Rule, RuleKind};
use kinfold::toolkit::{Initial, number, supports_whole_rows};
use kinfold::{Answer, Card, Case, Promise, Run, Solver, Stopped, Unsupported};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Milp;

/// Rows that it takes on.
const MOST_ROWS: usize = 40;

const CARD: Card = Card {
    key: "milp",
    title: "the least loss of all groupings, by the paper's mixed-integer program and HiGHS",
    paper: "Liang, Samavi: optimization-based k-anonymity algorithms, section 2.2",
    objectives: Objective::BY_CELL,
    promise: Promise::Optimal,
    cases: &Case::of_whole_rows("milp_exact_and_trying_all_groupings_agree"),
    slow: true,
    runtime: "a second at 8 rows and 3 columns, and then ever longer: set a time limit",
    not_for: "anything but comparison (use exact); more than 40 rows, withholding, rows with a count above 1",
    method_of: Some("optimize"),
    ..Card::BASE
};

impl Solver for Milp {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        if problem.rows() > MOST_ROWS {
            return Err(Unsupported(format!(
                "milp takes tables of at most {MOST_ROWS} rows, this one has {}; exact takes larger ones",
                problem.rows()
            )));
        }
        supports_whole_rows(problem, CARD.key)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let start = Initial.group(problem, run)?.found;
        let model = Model::new(problem, &start.group_of);
        let Some(answer) = model.program.solve(run.seed, run.seconds_left()) else {
            return Ok(Answer::new(start, None));
        };
        run.check()?;
        let group_of = what_hangs_together(problem.rows(), &model.pairs, &answer);
        // Floating point may err: nothing is taken on trust.
        let cost = |found: &Found| judge(problem, found.clone()).map_or(Cost(u64::MAX), |s| s.cost());
        let found = Found::plain(group_of);
        let found = if cost(&found) < cost(&start) { found } else { start };
        let bound = (answer.bound / CELL - UNSURE * problem.people() as f64).max(0.0) * ONE as f64;
        Ok(Answer::new(found, Some(Cost(bound as u64))))
    }
}

/// What a cell costs in the program: so much that HiGHS tells apart groupings that differ by a unit of the
/// judge's. With 1,000 it takes some for equally good.
const CELL: f64 = (1 << 20) as f64;
/// Cells per person by which HiGHS may take its bound too high.
const UNSURE: f64 = 1e-7;

/// Two rows, and the variable that says that they look alike.
struct Pair {
    rows: [usize; 2],
    alike: Variable,
}

struct Model<'a> {
    program: Program,
    pairs: Vec<Pair>,
    /// The groups of the first solution.
    group_of: &'a [u32],
}

impl<'a> Model<'a> {
    fn new(problem: &Problem, group_of: &'a [u32]) -> Self {
        let rows = problem.rows();
        let mut program = Program::default();
        let mut pairs = Vec::new();
        for [i, l] in (0..rows).flat_map(|i| (i + 1..rows).map(move |l| [i, l])) {
            pairs.push(Pair { rows: [i, l], alike: program.choice(0.0, group_of[i] == group_of[l]) });
        }
        for row in 0..rows {
            let own = pairs.iter().filter(|pair| pair.rows.contains(&row));
            program.row(own.map(|pair| (pair.alike, 1.0)), (problem.k() - 1) as f64..);
        }
        let mut model = Self { program, pairs, group_of };
        for (column, rule) in problem.rules().iter().enumerate() {
            let codes = (0..rows as u32).map(|row| problem.codes(problem.record_of(row))[column]);
            model.column(rule, &codes.collect::<Vec<_>>());
        }
        model
    }

    fn column(&mut self, rule: &Rule, codes: &[u32]) {
        match rule.kind() {
            RuleKind::Line { at, .. } => {
                let at: Vec<f64> = at.iter().map(|&at| cells(at)).collect();
                let missing = rule.missing_code().filter(|code| codes.contains(code));
                match missing {
                    Some(missing) if !at.is_empty() => {
                        self.line_with_gaps(&at, missing, cells(rule.full()), codes)
                    }
                    Some(_) => {}
                    None => {
                        self.line(&at, codes, CELL);
                    }
                }
            }
            RuleKind::Set { step, .. } => self.set(cells(*step), codes),
            RuleKind::Flat { .. } => self.flat(cells(rule.full()), codes),
            RuleKind::Tree { tree, cost } => self.tree(tree, cost, codes),
        }
    }

    /// The lower and the upper end of every row whose code has a place; `price` is what a cell's distance
    /// between them costs.
    fn line(&mut self, at: &[f64], codes: &[u32], price: f64) -> Vec<Option<[Variable; 2]>> {
        let place = |code: u32| at.get(code as usize).copied();
        let (lowest, highest) = (at[0], at[at.len() - 1]);
        let ends: Vec<Option<[Variable; 2]>> = (0..codes.len())
            .map(|row| {
                let own = place(codes[row])?;
                let group = self.group(row, codes).filter_map(place);
                let (low, high) = group.fold((own, own), |(low, high), at| (low.min(at), high.max(at)));
                let lower = self.program.number(-price, lowest..=own, low);
                let upper = self.program.number(price, own..=highest, high);
                Some([lower, upper])
            })
            .collect();
        for (pair, [a, b]) in self.each_pair() {
            if let (Some(one), Some(other)) = (ends[a], ends[b]) {
                // Codes are in the order of places.
                let (below, above) =
                    (at[codes[a].min(codes[b]) as usize], at[codes[a].max(codes[b]) as usize]);
                self.equal_if(pair, [one[0], other[0]], above - lowest);
                self.equal_if(pair, [one[1], other[1]], highest - below);
            }
        }
        ends
    }

    /// A line on which some values are missing.
    fn line_with_gaps(&mut self, at: &[f64], missing: u32, full: f64, codes: &[u32]) {
        let ends = self.line(at, codes, 0.0);
        let is_missing = |row: usize| codes[row] == missing;
        let mut mixed = Vec::new();
        for (row, ends) in ends.iter().enumerate() {
            let group: Vec<u32> = self.group(row, codes).collect();
            let mixes = group.iter().any(|&code| (code == missing) != is_missing(row));
            let start = f64::from(u8::from(mixes));
            let Some([lower, upper]) = *ends else {
                mixed.push(self.program.number(full * CELL, 0.0..=1.0, start));
                continue;
            };
            let mark = self.program.number(0.0, 0.0..=1.0, start);
            let places = || group.iter().filter_map(|&code| at.get(code as usize).copied());
            let width = places().fold(f64::MIN, f64::max) - places().fold(f64::MAX, f64::min);
            let cell = self.program.number(CELL, 0.0..=full, if mixes { full } else { width });
            self.program.row([(cell, 1.0), (upper, -1.0), (lower, 1.0)], 0.0..);
            self.program.row([(cell, 1.0), (mark, -full)], 0.0..);
            mixed.push(mark);
        }
        for (pair, [a, b]) in self.each_pair() {
            if is_missing(a) == is_missing(b) {
                self.equal_if(pair, [mixed[a], mixed[b]], 1.0);
            } else {
                self.one_if(pair, mixed[a]);
                self.one_if(pair, mixed[b]);
            }
        }
    }

    /// For every row a mark: its cell is a star.
    fn flat(&mut self, full: f64, codes: &[u32]) {
        let mut stars = Vec::new();
        for (row, own) in codes.iter().enumerate() {
            let start = f64::from(u8::from(self.group(row, codes).any(|code| code != *own)));
            stars.push(self.program.number(full * CELL, 0.0..=1.0, start));
        }
        for (pair, [a, b]) in self.each_pair() {
            if codes[a] == codes[b] {
                self.equal_if(pair, [stars[a], stars[b]], 1.0);
            } else {
                self.one_if(pair, stars[a]);
                self.one_if(pair, stars[b]);
            }
        }
    }

    /// For every row and label that is not its own a mark: it is in the row's group.
    fn set(&mut self, step: f64, codes: &[u32]) {
        let labels: BTreeSet<u32> = codes.iter().copied().collect();
        let mut marks: Vec<BTreeMap<u32, Variable>> = Vec::new();
        for (row, own) in codes.iter().enumerate() {
            let there: BTreeSet<u32> = self.group(row, codes).collect();
            let others = labels.iter().filter(|label| *label != own);
            let mark = |label: &u32| {
                let start = f64::from(u8::from(there.contains(label)));
                (*label, self.program.number(step * CELL, 0.0..=1.0, start))
            };
            marks.push(others.map(mark).collect());
        }
        for (pair, [a, b]) in self.each_pair() {
            for label in &labels {
                match (marks[a].get(label), marks[b].get(label)) {
                    (Some(&one), Some(&other)) => self.equal_if(pair, [one, other], 1.0),
                    (Some(&mark), None) | (None, Some(&mark)) => self.one_if(pair, mark),
                    (None, None) => {}
                }
            }
        }
    }

    /// For every row and node above its leaf a mark: the row is published as that node or a wider one.
    fn tree(&mut self, tree: &Tree, cost: &[u64], codes: &[u32]) {
        let mut marks: Vec<BTreeMap<u32, Variable>> = Vec::new();
        for (row, &leaf) in codes.iter().enumerate() {
            let group: Vec<u32> = self.group(row, codes).collect();
            let mut above = BTreeMap::new();
            let mut below = leaf;
            while below != tree.root() {
                let node = tree.parent(below);
                // Somebody in the group lies outside of the node below.
                let start = f64::from(u8::from(group.iter().any(|&other| !tree.covers(below, other))));
                let step = cells(cost[node as usize]) - cells(cost[below as usize]);
                let mark = self.program.number(step * CELL, 0.0..=1.0, start);
                if let Some(&narrower) = above.get(&below) {
                    self.program.row([(narrower, 1.0), (mark, -1.0)], 0.0..);
                }
                above.insert(node, mark);
                below = node;
            }
            marks.push(above);
        }
        for (pair, [a, b]) in self.each_pair() {
            let common = tree.join(codes[a].min(codes[b]), codes[a].max(codes[b]));
            for (&node, &mark) in &marks[a] {
                match marks[b].get(&node) {
                    Some(&other) if node == common => {
                        self.one_if(pair, mark);
                        self.one_if(pair, other);
                    }
                    Some(&other) => self.equal_if(pair, [mark, other], 1.0),
                    // Below the common node: what is published is wider anyway.
                    None => {}
                }
            }
        }
    }

    /// The codes of a row's group in the first solution.
    fn group<'c>(&self, row: usize, codes: &'c [u32]) -> impl Iterator<Item = u32> + use<'a, 'c> {
        let group_of = self.group_of;
        codes.iter().zip(group_of).filter(move |(_, group)| **group == group_of[row]).map(|(&code, _)| code)
    }

    fn each_pair(&self) -> Vec<(Variable, [usize; 2])> {
        self.pairs.iter().map(|pair| (pair.alike, pair.rows)).collect()
    }

    /// Two variables that differ by no more than `most` are equal if the choice is 1 (equations 22–25).
    fn equal_if(&mut self, choice: Variable, [one, other]: [Variable; 2], most: f64) {
        self.program.row([(one, 1.0), (other, -1.0), (choice, most)], ..=most);
        self.program.row([(one, -1.0), (other, 1.0), (choice, most)], ..=most);
    }

    /// A mark is 1 if the choice is.
    fn one_if(&mut self, choice: Variable, mark: Variable) {
        self.program.row([(mark, 1.0), (choice, -1.0)], 0.0..);
    }
}

fn cells(cost: u64) -> f64 {
    cost as f64 / ONE as f64
}

/// Rows that are alike, and those alike with them, are a group.
fn what_hangs_together(rows: usize, pairs: &[Pair], answer: &Values) -> Vec<u32> {
    let mut group_of: Vec<u32> = (0..rows as u32).collect();
    for pair in pairs.iter().filter(|pair| answer[pair.alike] > 0.5) {
        let [keeps, goes] = pair.rows.map(|row| group_of[row]);
        group_of.iter_mut().filter(|group| **group == goes).for_each(|group| *group = keeps);
    }
    number(&mut group_of);
    group_of
}
