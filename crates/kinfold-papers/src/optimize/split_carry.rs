//! Split & Carry: Algorithm 1 of paper *optimize*.
//!
//! # The problem
//! The best grouping of a large table is out of reach, that of a few dozen rows is not; and in the sorted
//! order of `initial` rows that belong together mostly stand close together.
//!
//! # The idea
//! Read the sorted rows block by block, S·k at a time, and solve each block exactly. A row at the end of a
//! block may fit rows of the next one better: the groups of the block's last k rows are carried into the next
//! block and solved anew there (line 10). The others are final.
//!
//! # Settings
//! - `sets`: S, the runs of k rows that a block reads.
//! - `smaller`: Algorithm 1 with a larger S mostly loses less, but not always: which groups end at a block's
//!   end is a matter of luck. So all S from 2 on are tried, and a larger setting never loses more. `skip`
//!   runs the one S.
//! - `carry`: l of section 3.1, for how many of a block's last rows groups are carried. Large k make large
//!   blocks: up to S·k + l·(2k − 1) rows (Lemma 2, where l = k).
//! - `accept`: A of section 6, the paper's "bubble carry". Every block holds S·k rows, P in the paper; its A
//!   cheapest groups are final, all others are carried.
//! - `part`: section 6 also proposes to carry a part of a group. Here a group that keeps k rows may hand over
//!   the others: those that widen it least, which are likely to fit elsewhere.
//! - `order`: columns in ascending variance of codes (places in the sorted list of distinct values), or of
//!   the values themselves, each over weight² (equation 36). The paper means values; codes do not depend on
//!   units.
//! - `steps`: early termination (section 3.1). The paper stops a block by the clock; steps of search give the
//!   same answer on every machine. At the run's deadline the blocks not read yet stay sorted runs.
//!
//! # Where the text is silent
//! - Groups never overlap here, so there are no "indirectly equivalent" rows to look after (Definition 6).
//!   Groups of 2k rows or more are parted, at no cost.
//! - Fewer than k rows at the end of the table belong to the last block, as in the paper's Example 1.
//! - A block starts from the groups carried into it and sorted runs, and never ends worse. So the answer
//!   never costs more than that of `initial`, unless `accept` shifts the runs.
//! - The cheapest groups to accept are those with the least loss per person; ties go to the one with the
//!   earliest row.
//!
//! # Example
//! Ages 1, 2, 9, 10, 11, 30, 31 with k = 2 and S = 2: 1, 2 | 9, 10 is best for the first block; 9, 10 are
//! carried, and the second block makes 9, 10, 11 | 30, 31 of them.
//!
//! # What it lacks
//! It sees no farther than a block: on wide tables, where rows that fit stand far apart, `greedy-search` is
//! better. Blocks of large k cannot all be solved to the end: the report says how many were. From some k = 12
//! on, where blocks hold more than 64 rows, rows are only moved and swapped.

use super::small::best;
use kinfold::model::cost::group_cost;
use kinfold::model::{Cost, Found, Objective, Problem};
use kinfold::toolkit::{ORDER, Space, found, grouping, sorted_records_as_set, supports_whole_rows};
use kinfold::{Answer, Card, Run, Setting, Solver, Stopped, Unsupported};
use rayon::prelude::*;

pub(crate) struct SplitCarry;

/// Steps of search per round of column generation, times k²: with larger groups a round takes longer.
const STEPS_PER_ROUND: usize = 14;
/// Fewer rounds than this give no useful prices.
const FEWEST_ROUNDS: usize = 3;

const SETS: Setting = Setting {
    key: "sets",
    values: &["4", "2", "3", "5", "6", "8", "10"],
    about: "runs of k rows that a block reads, at most",
};
const SMALLER: Setting = Setting {
    key: "smaller",
    values: &["try", "skip"],
    about: "whether blocks of 2, 3, … runs are tried too, and the best answer counts",
};
const CARRY: Setting = Setting {
    key: "carry",
    values: &["k", "0", "1", "2", "3", "5", "10"],
    about: "over how many of a block's last rows groups are carried into the next",
};
const ACCEPT: Setting = Setting {
    key: "accept",
    values: &["off", "1", "2", "3", "4", "6"],
    about: "carry all but so many of a block's groups, the cheapest; blocks stay at sets·k rows",
};
const PART: Setting = Setting {
    key: "part",
    values: &["whole", "spare"],
    about: "carry whole groups, or only the rows beyond k that a group can spare, those that widen it least",
};
const STEPS: Setting = Setting {
    key: "steps",
    values: &["10000", "1000", "100000", "1000000"],
    about: "work per block, after which its best so far counts",
};

const CARD: Card = Card {
    key: "split-carry",
    title: "blocks of sorted rows solved one by one, each handing its last groups to the next",
    paper: "Liang, Samavi: optimization-based k-anonymity algorithms, Algorithm 1",
    objectives: Objective::BY_CELL,
    runtime: "linear in rows: a second or two at 30,000 rows and k = 3, half a minute at k = 6",
    not_for: "k above 6, many columns, withholding, rows with a count above 1",
    settings: &[SETS, SMALLER, CARRY, ACCEPT, PART, ORDER, STEPS],
    method_of: Some("optimize"),
    ..Card::BASE
};

impl Solver for SplitCarry {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        supports_whole_rows(problem, CARD.key)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let records = sorted_records_as_set(problem, run).into_iter();
        let rows: Vec<u32> = records.flat_map(|record| problem.rows_of(record)).copied().collect();
        let sets = number(run, &SETS).unwrap_or(4);
        let first = if is(run, &SMALLER, "skip") { sets } else { sets.min(2) };
        // A larger block is no better by necessity: which rows are carried is a matter of luck.
        let tried: Result<Vec<Split>, Stopped> =
            (first..=sets).into_par_iter().map(|sets| split(problem, &rows, sets, run)).collect();
        let cost = |split: &Split| group_costs(problem, &rows, &split.groups);
        let Some(best) = tried?.into_iter().rev().min_by_key(cost) else { return Err(Stopped) };
        let groups = best.groups.iter().map(|group| group.iter().map(|&place| rows[place as usize]));
        let found = Found::of_groups(problem.rows(), groups);
        let remark = format!(
            "{} of {} blocks proven optimal, {} runs of k rows each, {} rows in the largest",
            best.proven, best.solved, best.sets, best.largest
        );
        Ok(Answer { remark: Some(remark), ..found.into() })
    }
}

/// The groups that Algorithm 1 finds.
struct Split {
    sets: usize,
    groups: Vec<Group>,
    solved: usize,
    proven: usize,
    largest: usize,
}

/// Algorithm 1 with blocks of so many runs of k rows.
fn split(problem: &Problem, rows: &[u32], sets: usize, run: &Run) -> Result<Split, Stopped> {
    let k = problem.k() as usize;
    let boundary = number(run, &CARRY).unwrap_or(k);
    let accept = number(run, &ACCEPT);
    let steps = number(run, &STEPS).unwrap_or(10_000);
    let mut blocks = Blocks { problem, rows, steps, run, solved: 0, proven: 0, largest: 0 };
    let mut done: Vec<Group> = Vec::new();
    let mut open: Vec<Group> = Vec::new();
    // Rows that their groups have handed over one by one.
    let mut spare: Group = Vec::new();
    let mut read = 0;
    while read < rows.len() {
        run.check()?;
        run.report(read as f64 / rows.len() as f64, None);
        let carried = accept.map_or(0, |_| open.iter().map(Vec::len).sum());
        let from = read;
        read = rows.len().min(read + sets * k - carried);
        if rows.len() - read < k {
            read = rows.len();
        }
        let mut fresh = runs(from as u32, read as u32, k);
        if let Some(first) = fresh.first_mut() {
            first.append(&mut spare);
        }
        open.append(&mut fresh);
        open = blocks.solve(open)?;
        if read == rows.len() {
            done.append(&mut open);
        } else if let Some(accept) = accept {
            open.sort_by_cached_key(|group| (blocks.loss_per_person(group), group[0]));
            done.extend(open.drain(..accept.min(open.len())));
        } else {
            let ends = |group: &Group| group.iter().any(|&place| place as usize + boundary >= read);
            let (carried, kept): (Vec<Group>, Vec<Group>) = open.into_iter().partition(ends);
            done.extend(kept);
            open = carried;
            if is(run, &PART, "spare") {
                for mut group in open.extract_if(.., |group| group.len() > k).collect::<Vec<Group>>() {
                    spare.append(&mut blocks.spare(&mut group));
                    done.push(group);
                }
            }
        }
    }
    let Blocks { solved, proven, largest, .. } = blocks;
    Ok(Split { sets, groups: done, solved, proven, largest })
}

/// What all groups cost together.
fn group_costs(problem: &Problem, rows: &[u32], groups: &[Group]) -> Cost {
    let rows_of = |group: &Group| -> Vec<u32> { group.iter().map(|&place| rows[place as usize]).collect() };
    groups.iter().map(|group| group_cost(problem, &rows_of(group))).sum()
}

/// The number that a setting is set to; `None` if it is left out or no number.
fn number(run: &Run, setting: &Setting) -> Option<usize> {
    run.settings.get(setting.key).and_then(|value| value.parse().ok())
}

fn is(run: &Run, setting: &Setting, value: &str) -> bool {
    run.settings.get(setting.key).is_some_and(|set| set == value)
}

/// Places in the sorted list, ascending.
type Group = Vec<u32>;

/// Runs of k places; a short last one joins the one before.
fn runs(from: u32, to: u32, k: usize) -> Vec<Group> {
    let places: Vec<u32> = (from..to).collect();
    let mut runs: Vec<Group> = Vec::new();
    for run in places.chunks(k) {
        match runs.last_mut() {
            Some(last) if run.len() < k => last.extend(run),
            _ => runs.push(run.to_vec()),
        }
    }
    runs
}

/// Solves blocks of a problem.
struct Blocks<'a> {
    problem: &'a Problem,
    /// The row at every place.
    rows: &'a [u32],
    steps: usize,
    run: &'a Run,
    /// Blocks that were solved, those of them whose grouping is surely the best, and rows in the largest.
    solved: usize,
    proven: usize,
    largest: usize,
}

impl Blocks<'_> {
    /// What a person of the group loses.
    fn loss_per_person(&self, group: &Group) -> u64 {
        let rows: Vec<u32> = group.iter().map(|&place| self.rows[place as usize]).collect();
        group_cost(self.problem, &rows).0 / rows.len() as u64
    }

    /// Takes the rows beyond k out of a group, one after another the row without which it costs most: that
    /// one widens it least.
    fn spare(&self, group: &mut Group) -> Group {
        let mut spare = Group::new();
        while group.len() > self.problem.k() as usize {
            let without = |at: usize| {
                let others = group.iter().enumerate().filter(|&(i, _)| i != at);
                let rows: Vec<u32> = others.map(|(_, &place)| self.rows[place as usize]).collect();
                group_cost(self.problem, &rows)
            };
            let widest = (0..group.len()).max_by_key(|&at| (without(at), at)).unwrap_or(0);
            spare.push(group.remove(widest));
        }
        spare
    }

    /// The best way to group these people anew, as far as time and steps allow.
    fn solve(&mut self, start: Vec<Group>) -> Result<Vec<Group>, Stopped> {
        self.solved += 1;
        self.largest = self.largest.max(start.iter().map(Vec::len).sum());
        if self.run.out_of_time() {
            return Ok(start);
        }
        let mut places: Vec<(u32, u32)> = (0u32..)
            .zip(&start)
            .flat_map(|(number, group)| group.iter().map(move |&p| (p, number)))
            .collect();
        places.sort_unstable();
        let rows: Vec<u32> = places.iter().map(|&(place, _)| self.rows[place as usize]).collect();
        let Ok(block) = self.problem.piece(&rows) else { return Ok(start) };
        let space = Space::new(&block);
        let start = grouping(&block, &Found::plain(places.iter().map(|&(_, number)| number).collect()));
        let k = self.problem.k() as usize;
        let rounds = self.steps / (STEPS_PER_ROUND * k * k);
        let rounds = if rounds < FEWEST_ROUNDS { 0 } else { rounds };
        let (groups, proven) = best(&space, start, self.steps, rounds, self.run)?;
        self.proven += usize::from(proven);
        let mut answer = vec![Group::new(); groups.len()];
        for (&(place, _), group) in places.iter().zip(found(&block, &groups).group_of) {
            answer[group as usize].push(place);
        }
        Ok(answer)
    }
}
