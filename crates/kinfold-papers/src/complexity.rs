//! Stars by patterns: the mixed-integer program of paper *complexity*, section 4, as one program.
//!
//! # The problem
//! The fewest stars of all groupings, proven. The paper goes through all sets of open patterns and solves a
//! program for each.
//!
//! # The idea
//! One program for all sets: a variable z that is 0 or 1 says whether a pattern is open, and x how many
//! copies of a record are attached to it.
//!
//! ```text
//! Σ over patterns of x = copies of the record          (2)
//! Σ over records of x ≥ k z                            (1), for open patterns
//! x ≤ copies of the record × z                         closed patterns have nobody
//! ```
//!
//! The last rows are what makes it strong: without them a pattern can be open by a fraction for whoever needs
//! it. Only z must be whole: with the patterns decided, the rest is a flow. Only patterns are there that at
//! least k people match, and only those whose records differ in every starred column ([`Patterns`]).
//!
//! # Example
//! The vertex-cover tables of Theorem 3.1 are solved without branching, 1,394 rows in half a minute.
//!
//! # Promise
//! No grouping has fewer stars, as far as floating point can tell. At the deadline the answer is the best
//! grouping so far, and its bound says how far it can be from the best.
//!
//! # What it lacks
//! Size: some hundred records of eight columns make a hundred thousand variables. Only the deadline ends a
//! search, not the run's stop flag.

use crate::program::{Program, Values, Variable};
use kinfold::model::judge::judge;
use kinfold::model::{Cost, ONE, Objective, Problem};
use kinfold::toolkit::{Patterns, fewest_stars_start, found, grouping, supports_whole_rows};
use kinfold::{Answer, Card, Case, Promise, Run, Solver, Stopped, Unsupported};
use std::collections::BTreeMap;

pub(crate) struct Pattern;

/// Records and patterns that match: variables of the program.
const MOST_MATCHES: usize = 400_000;

const CARD: Card = Card {
    key: "stars-pattern",
    title: "the fewest stars of all groupings, by a mixed-integer program over patterns and HiGHS",
    paper: "Chakaravarthy, Pandit, Sabharwal: on the complexity of the k-anonymization problem, section 4",
    objectives: &[Objective::Stars],
    promise: Promise::Optimal,
    cases: &Case::of_whole_rows("the_pattern_program_meets_exact_and_brute_force"),
    slow: true,
    runtime: "seconds at 100 rows and 8 columns, a minute at 1,400 rows and 3 columns: set a time limit",
    not_for: "more than 400,000 matches of records and patterns, withholding, rows with a count above 1",
    method_of: Some("complexity"),
    ..Card::BASE
};

impl Solver for Pattern {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        supports_whole_rows(problem, CARD.key)?;
        if Patterns::list(problem, MOST_MATCHES, || true).is_none() {
            return Err(Unsupported(format!(
                "stars-pattern takes at most {MOST_MATCHES} matches of records and patterns, here there are more"
            )));
        }
        Ok(())
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let start = grouping(problem, &fewest_stars_start(problem, &run.one_part_of(4))?);
        let Some(patterns) = Patterns::list(problem, MOST_MATCHES, || !run.out_of_time()) else {
            return Ok(Answer::new(found(problem, &start), None));
        };
        let model = Model::new(problem, patterns, &start);
        let Model { program, patterns, matches, .. } = model;
        let Some(answer) = program.solve(run.seed, run.seconds_left()) else {
            return Ok(Answer::new(found(problem, &start), None));
        };
        run.check()?;
        // Floating point may err: nothing is taken on trust.
        let groups = attached(problem, &patterns, &matches, &answer);
        let cost =
            |groups: &Groups| judge(problem, found(problem, groups)).map_or(Cost(u64::MAX), |s| s.cost());
        let better = groups.filter(|groups| cost(groups) < cost(&start));
        let sure = (answer.bound - UNSURE * (1.0 + answer.bound.abs())).max(0.0);
        let bound = Cost((sure * ONE as f64) as u64);
        Ok(Answer::new(found(problem, &better.unwrap_or(start)), Some(bound)))
    }
}

/// By what share HiGHS may take its bound too high.
const UNSURE: f64 = 1e-7;

type Groups = Vec<Vec<(u32, u64)>>;

struct Model {
    program: Program,
    patterns: Patterns,
    /// For every pattern its records, and how many of each are attached.
    matches: Vec<Vec<(u32, Variable)>>,
}

impl Model {
    fn new(problem: &Problem, patterns: Patterns, start: &Groups) -> Self {
        let k = problem.k() as f64;
        let mut program = Program::default();
        let attached = at_start(&patterns, start);
        let mut of_record: Vec<Vec<Variable>> = vec![Vec::new(); problem.records()];
        let mut matches = Vec::new();
        for pattern in 0..patterns.len() as u32 {
            let cost = patterns.cost[pattern as usize] as f64 / ONE as f64;
            let first = attached.get(&pattern);
            let open = program.choice(0.0, first.is_some());
            let mut own = Vec::new();
            for &record in patterns.records(pattern) {
                let copies = problem.record_size(record) as f64;
                let there = first.and_then(|first| first.get(&record)).copied().unwrap_or(0);
                let x = program.number(cost, 0.0..=copies, there as f64);
                program.row([(x, 1.0), (open, -copies)], ..=0.0);
                of_record[record as usize].push(x);
                own.push((record, x));
            }
            program.row(own.iter().map(|&(_, x)| (x, 1.0)).chain([(open, -k)]), 0.0..);
            matches.push(own);
        }
        for (variables, record) in of_record.iter().zip(0..) {
            let copies = problem.record_size(record) as f64;
            program.row(variables.iter().map(|&x| (x, 1.0)), copies..=copies);
        }
        Self { program, patterns, matches }
    }
}

/// How many of each record the groups of a grouping attach to each pattern: its cheapest that all match.
fn at_start(patterns: &Patterns, groups: &Groups) -> BTreeMap<u32, BTreeMap<u32, u64>> {
    let mut attached: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
    for members in groups {
        let all = |pattern: &&u32| members.iter().all(|&(record, _)| patterns.of(record).contains(pattern));
        let Some(&pattern) = members.first().and_then(|&(record, _)| patterns.of(record).iter().find(all))
        else {
            continue;
        };
        let of = attached.entry(pattern).or_default();
        members.iter().for_each(|&(record, copies)| *of.entry(record).or_default() += copies);
    }
    attached
}

/// The groups that an answer says, if it is a grouping.
fn attached(
    problem: &Problem,
    patterns: &Patterns,
    matches: &[Vec<(u32, Variable)>],
    answer: &Values,
) -> Option<Groups> {
    let mut left: Vec<u64> = (0..problem.records() as u32).map(|r| problem.record_size(r)).collect();
    let mut groups = Vec::new();
    for own in matches.iter().take(patterns.len()) {
        let mut members = Vec::new();
        for &(record, x) in own {
            let copies = answer[x].round() as u64;
            if copies > 0 {
                left[record as usize] = left[record as usize].checked_sub(copies)?;
                members.push((record, copies));
            }
        }
        let people: u64 = members.iter().map(|&(_, copies)| copies).sum();
        if people > 0 && people < problem.k() {
            return None;
        }
        if people > 0 {
            groups.push(members);
        }
    }
    left.iter().all(|&left| left == 0).then_some(groups)
}
