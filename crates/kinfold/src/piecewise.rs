//! Solves pieces of a problem by themselves and joins what comes of them.
//!
//! Two things part a problem. **Classes** ([`Problem::classes`]) are never crossed: each of their pieces fulfils every
//! requirement by itself. Of what may be withheld, each has a share. **Earlier groups** keep k people together in every
//! intersection, but a requirement besides k may leave no way within them. Then whole groups are merged, so that every
//! group holds k people of each piece that it holds anybody of.

use crate::catalogue::Choice;
use crate::error::Error;
use crate::parts::mend::mend;
use crate::report::thousands;
use crate::run::Run;
use crate::solve::{MERGED, Outcome, SolveError, Unsupported, solve};
use kinfold_model::classes::Classes;
use kinfold_model::cost::{Cost, Objective, group_cost};
use kinfold_model::judge::{Found, WITHHELD, judge};
use kinfold_model::problem::Problem;
use kinfold_model::requirement::{Guard, Requirement};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// From so many rows on a piece is worth all threads; smaller ones are solved side by side.
const LARGE: usize = 20_000;
/// What is said instead of a solver's name where none was needed.
const NONE_NEEDED: &str = "one group each";

/// Solves a problem by itself.
type Solve<'a> = &'a (dyn Fn(&Problem, &Run) -> Result<Outcome, SolveError> + Sync);

/// Solves a problem whose groups must not cross classes, class by class.
pub(crate) fn solve_classes(problem: &Problem, run: &Run, solve: Solve<'_>) -> Result<Outcome, SolveError> {
    let objective = problem.objective();
    Unsupported::unless(MERGED.contains(&objective), || {
        format!("objective {} has no fixed or coarsest levels: use ncp, stars or sse", objective.word())
    })?;
    let Some(Classes { released, guard, short, .. }) = problem.classes() else { return solve(problem, run) };
    let left = problem.may_withhold().saturating_sub(short.people);
    let shares = shares(problem, &released, guard.as_ref(), left);
    let rows = released.iter().map(Vec::len).sum::<usize>();
    let work = Work { problem, guard, crossing: false, shares, solve, run: run.quietly(), told: run, rows };
    let answers = work.solve_all(&released)?;
    // Who may be withheld in one class might be worth more in another: then bounds of classes do not add up.
    let bound = match problem.may_withhold() {
        0 => answers.iter().map(|answer| answer.bound).sum(),
        _ => None,
    };
    let (found, solver) = joined(problem, &released, answers);
    let mut solution =
        judge(problem, found).map_err(|broken| SolveError::Broken { solver: solver.clone(), broken })?;
    if let Some(bound) = bound {
        solution.claim(problem, bound);
    }
    let remark = match released.len() {
        1 => "within one class of fixed or coarsest levels".to_owned(),
        count => format!("within each of {} classes of fixed or coarsest levels", thousands(count as u64)),
    };
    Ok(Outcome { solution, solver, why: None, remark: Some(remark) })
}

/// How many people of each class may be withheld, of so many in all. Where groups must mirror what is released, none,
/// as that would change with them.
fn shares(problem: &Problem, classes: &[Vec<u32>], guard: Option<&Guard>, may_withhold: u64) -> Vec<u64> {
    let mirrors = |guard: &Guard| guard.requirements().list().iter().any(Requirement::mirrors_release);
    if may_withhold == 0 || guard.is_some_and(mirrors) {
        return vec![0; classes.len()];
    }
    let people = |rows: &Vec<u32>| u128::from(rows.iter().map(|&row| problem.row_size(row)).sum::<u64>());
    let people: Vec<u128> = classes.iter().map(people).collect();
    let (all, may_withhold) = (people.iter().sum::<u128>().max(1), u128::from(may_withhold));
    // Running totals are rounded, so that the shares add up, and small classes have one now and then.
    let mut before = 0;
    let share = |people: &u128| {
        let from = before * may_withhold / all;
        before += people;
        (before * may_withhold / all - from) as u64
    };
    people.iter().map(share).collect()
}

/// Solves the pieces that earlier groups leave, given by their rows; each must hold k people (k persons, where the
/// policy counts them). Rows of no piece are withheld.
pub(crate) fn solve_piecewise(
    problem: &Problem,
    pieces: &[Vec<u32>],
    choice: &Choice,
    run: &Run,
) -> Result<Outcome, Error> {
    let rows = pieces.iter().map(Vec::len).sum::<usize>();
    let guard = released_guard(problem, pieces, rows)?;
    if let Choice::Named { solver, .. } = choice
        && guard.is_some()
        && !solver.fulfils_requirements(problem.objective())
    {
        // It says why.
        solver.supports(problem).map_err(SolveError::from)?;
    }
    let shares = vec![0; pieces.len()];
    let solve: Solve<'_> = &|piece, run| solve(piece, choice, run);
    let work = Work { problem, guard, crossing: true, shares, solve, run: run.quietly(), told: run, rows };
    let answers = work.solve_all(pieces)?;
    let (mut found, solver) = joined(problem, pieces, answers);
    run.in_pool(|| mend(problem, &mut found));
    let solution =
        judge(problem, found).map_err(|broken| SolveError::Broken { solver: solver.clone(), broken })?;
    let count = thousands(pieces.len() as u64);
    let remark = match pieces.len() {
        1 => "within one intersection of earlier groups".to_owned(),
        _ => format!("within each of {count} intersections of earlier groups"),
    };
    Ok(Outcome { solution, solver, why: None, remark: Some(remark) })
}

/// The groups of all pieces, numbered one after the other, and who made those of the largest.
fn joined(problem: &Problem, pieces: &[Vec<u32>], answers: Vec<Solved>) -> (Found, String) {
    let mut group_of = vec![WITHHELD; problem.rows()];
    let (mut groups, mut by): (u32, Option<(usize, String)>) = (0, None);
    for (piece, answer) in pieces.iter().zip(answers) {
        for (&row, &own) in piece.iter().zip(&answer.group_of) {
            group_of[row as usize] = if own == WITHHELD { WITHHELD } else { groups + own };
        }
        groups += answer.groups;
        if let Some(solver) = answer.solver.filter(|_| by.as_ref().is_none_or(|by| by.0 < piece.len())) {
            by = Some((piece.len(), solver));
        }
    }
    (Found::plain(group_of), by.map_or_else(|| NONE_NEEDED.to_owned(), |(_, solver)| solver))
}

/// What every group must fulfil, compared with what is released. Pieces rely on nobody else being released.
fn released_guard(problem: &Problem, pieces: &[Vec<u32>], rows: usize) -> Result<Option<Guard>, Error> {
    let Some(guard) = problem.guard() else { return Ok(None) };
    if rows == problem.rows() {
        return Ok(Some(guard.clone()));
    }
    let mut released = vec![false; problem.rows()];
    pieces.iter().flatten().for_each(|&row| released[row as usize] = true);
    let size = |row: u32| if released[row as usize] { problem.row_size(row) } else { 0 };
    let of_release = guard.of_release(size).ok().filter(|guard| guard.check_possible().is_ok());
    Ok(Some(of_release.ok_or_else(|| {
        let what = "earlier releases leave rows that must be withheld, and without them the other privacy models \
                    cannot be fulfilled";
        Error::unsuitable(what, "use a smaller {k}, or less strict models")
    })?))
}

/// The groups of a piece, numbered from 0.
struct Solved {
    group_of: Vec<u32>,
    groups: u32,
    /// Who made them, unless there was no choice.
    solver: Option<String>,
    /// What any groups of the piece must cost, if that is known and nobody is withheld.
    bound: Option<Cost>,
}

struct Work<'a> {
    problem: &'a Problem,
    guard: Option<Guard>,
    /// Whether groups may be merged across pieces in the end.
    crossing: bool,
    /// How many people of each piece may be withheld.
    shares: Vec<u64>,
    solve: Solve<'a>,
    /// For the pieces: told to nobody.
    run: Run,
    told: &'a Run,
    /// Rows of all pieces.
    rows: usize,
}

impl Work<'_> {
    /// Large pieces one after the other, then small ones side by side. Threads of their own take them, as every
    /// solver has a pool of its own, and a thread of a pool that waits for another pool takes on more work.
    fn solve_all(&self, pieces: &[Vec<u32>]) -> Result<Vec<Solved>, SolveError> {
        let left = AtomicUsize::new(self.rows);
        let solved = |number: usize, threads: usize| {
            let answer = self.piece(&pieces[number], self.shares[number], threads, &left)?;
            let left = left.fetch_sub(pieces[number].len(), Ordering::Relaxed) - pieces[number].len();
            self.told.report(1.0 - left as f64 / self.rows.max(1) as f64, None);
            Ok::<_, SolveError>((number, answer))
        };
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(pieces[number].len()));
        let (large, small) = order.split_at(order.partition_point(|&number| pieces[number].len() >= LARGE));
        let mut answers: Vec<(usize, Solved)> = Vec::with_capacity(pieces.len());
        for &number in large {
            answers.push(solved(number, self.run.threads)?);
        }
        let next = AtomicUsize::new(0);
        let one = Run { threads: 1, ..self.run.clone() };
        let take = || {
            one.in_pool(|| {
                let mut own = Vec::new();
                while let Some(&number) = small.get(next.fetch_add(1, Ordering::Relaxed)) {
                    own.push(solved(number, 1)?);
                }
                Ok::<_, SolveError>(own)
            })
        };
        let taken: Vec<Result<_, SolveError>> = std::thread::scope(|scope| {
            let others = (1..self.run.threads.min(small.len()))
                .filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, take).ok());
            let others: Vec<_> = others.collect();
            let own = take();
            let joined = others.into_iter().map(|thread| thread.join().unwrap_or_else(|e| resume_unwind(e)));
            joined.chain([own]).collect()
        });
        for own in taken {
            answers.extend(own?);
        }
        answers.sort_unstable_by_key(|(number, _)| *number);
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }

    fn piece(
        &self,
        rows: &[u32],
        may_withhold: u64,
        threads: usize,
        left: &AtomicUsize,
    ) -> Result<Solved, SolveError> {
        self.run.check()?;
        let size = |row: u32| self.problem.row_size(row);
        let alike = || rows.iter().all(|&row| self.problem.record_of(row) == self.problem.record_of(rows[0]));
        // It holds k people.
        if rows.iter().map(|&row| size(row)).sum::<u64>() < 2 * self.problem.k() || alike() {
            return Ok(self.one(rows));
        }
        let guard = match &self.guard {
            Some(guard) if self.crossing => {
                let alone = guard.presence().is_none() && guard.fulfilled_by(&guard.group(rows, size));
                // Groups of k rows may hold fewer than k persons, and merging would hide that.
                if !alone && guard.requirements().whole().persons.is_some() {
                    return Ok(self.one(rows));
                }
                // What it lacks, mergers with groups of other pieces bring.
                alone.then_some(guard)
            }
            guard => guard.as_ref(),
        };
        let Ok(piece) = self.problem.piece_under(rows, guard) else { return Ok(self.one(rows)) };
        let piece = piece.withholding(may_withhold);
        let outcome = (self.solve)(&piece, &self.run_for(rows.len(), threads, left))?;
        let solution = &outcome.solution;
        Ok(Solved {
            group_of: solution.group_of().to_vec(),
            groups: solution.groups() as u32,
            bound: solution.bound().cost(),
            solver: Some(outcome.solver),
        })
    }

    /// A piece as one group. If no other is possible, that is also its bound.
    fn one(&self, rows: &[u32]) -> Solved {
        let by_cell = Objective::BY_CELL.contains(&self.problem.objective());
        let bound = by_cell.then(|| group_cost(self.problem, rows));
        Solved { group_of: vec![0; rows.len()], groups: 1, solver: None, bound }
    }

    /// A run whose share of the time left is that of its rows, and of the work that no table is too small for.
    fn run_for(&self, rows: usize, threads: usize, left: &AtomicUsize) -> Run {
        let side_by_side = (self.run.threads.max(1) / threads.max(1)).max(1);
        let left = left.load(Ordering::Relaxed).max(rows).max(1);
        let part = (side_by_side as f64 * rows as f64 / left as f64).min(1.0);
        let now = Instant::now();
        let deadline = self.run.deadline.map(|end| now + end.saturating_duration_since(now).mul_f64(part));
        let share = self.run.share * rows as f64 / self.rows.max(1) as f64;
        Run { threads, share, started: now, deadline, ..self.run.clone() }
    }
}
