//! Stars by facilities: paper *complexity*, section 4, "facility location with lower bounds".
//!
//! # The problem
//! Every pattern (a record with some cells starred) is a facility that may be opened. A row can be attached
//! to any open pattern that it matches, at the price of the pattern's stars, and an open pattern needs at
//! least k rows. The paper knows no algorithm with a factor for it, and leaves it open.
//!
//! # The idea
//! Greedy, then small changes. A pattern's offer is what it costs per row that has no pattern yet: its stars,
//! if these rows are k or more; if they are fewer, it borrows rows from open patterns that can spare some,
//! and their stars count too. The cheapest offer is taken, again and again. Then, as long as it helps: rows
//! move to cheaper open patterns if their own can spare them, patterns are closed whose rows are served
//! elsewhere for less, and patterns are opened for rows that pay more (`plan.rs`). At last some neighbouring
//! patterns are closed and their rows served anew, greedily, ties broken at random; what is not worse stays
//! (`rebuild.rs`). That is repeated as often as the effort says.
//!
//! The bound is that of dual ascent (`bounds/pattern_prices.rs`): everybody's price starts at the cheapest
//! pattern that k people match, and is raised in turn as far as no pattern's dearest group is worth more than
//! it costs.
//!
//! # Example
//! Ten copies of a b, one a c, k = 3: a b opens alone, free of stars. The pattern a * borrows two of its rows
//! for a c: three stars.
//!
//! # What it lacks
//! Patterns are listed: with more than a dozen columns there are too many. Annealing finds better groupings
//! where it has the time.

use super::plan::Plan;
use super::rebuild::rebuild;
use crate::parts::patterns::Patterns;
use crate::solvers::anneal::Anneal;
use crate::solvers::whole_rows::one_person_each;
use crate::{Answer, Card, Run, Solver, Stopped, Unsupported, bounds};
use kinfold_model::{Found, Objective, Problem};

pub(crate) struct Facility;

/// Records and patterns that may match.
const MOST_MATCHES: usize = 30_000_000;
/// Quasi-identifiers.
const MOST_COLUMNS: u32 = 16;
/// Rounds of small changes at most.
const ROUNDS: usize = 12;

const CARD: Card = Card {
    key: "stars-facility",
    title: "patterns as facilities, opened by what they cost per row, then closed and opened anew",
    paper: "Chakaravarthy, Pandit, Sabharwal: on the complexity of the k-anonymization problem, section 4; heuristic of our own",
    objectives: &[Objective::Stars],
    uses_effort: true,
    runtime: "records × 2^columns: ten seconds at a million rows of 6 columns, five at 30,000 of 8",
    not_for: "more than about 12 columns, rows with a count other than 1",
    ..Card::BASE
};

impl Solver for Facility {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        one_person_each(problem, CARD.key)?;
        let columns = problem.rules().len() as u32;
        Unsupported::unless(columns <= MOST_COLUMNS, || {
            format!(
                "stars-facility takes tables of at most {MOST_COLUMNS} quasi-identifiers, this one has {columns}"
            )
        })
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let Some(found) = planned(problem, run)? else {
            let remark = "its patterns were too many to list in the time, so rows were annealed".to_owned();
            return Ok(Answer { remark: Some(remark), ..Anneal.group(problem, run)? });
        };
        if run.out_of_time() || bounds::supports(problem).is_err() {
            return Ok(found.into());
        }
        Ok(Answer::new(found, Some(bounds::cheapest_box(problem, run)?.bound(problem))))
    }
}

/// The groups alone, without a bound.
pub(super) fn grouping(problem: &Problem, run: &Run) -> Result<Found, Stopped> {
    match planned(problem, run)? {
        Some(found) => Ok(found),
        None => Ok(Anneal.group(problem, run)?.found),
    }
}

/// Groups by patterns; `None` if they are too many, or half of the time is not enough for a first plan.
fn planned(problem: &Problem, run: &Run) -> Result<Option<Found>, Stopped> {
    let half = run.one_part_of(2);
    let Some(patterns) = Patterns::list(problem, MOST_MATCHES, || !half.out_of_time()) else {
        return Ok(None);
    };
    run.check()?;
    let mut plan = Plan::new(problem, &patterns);
    plan.open_greedily(0..patterns.len() as u32, || 0, &half)?;
    if half.out_of_time() {
        return Ok(None);
    }
    plan.serve_the_rest();
    for _ in 0..ROUNDS {
        if run.out_of_time() || !plan.improve(run)? {
            break;
        }
    }
    rebuild(&mut plan, run)?;
    Ok(Some(plan.found()))
}
