//! Solves pieces of a problem by themselves and joins what comes of them: no row shares a group with one of
//! another piece, unless a requirement besides k leaves no other way. Then whole groups are merged, so that every
//! group holds k people of each piece that it holds anybody of.

use crate::catalogue::Choice;
use crate::error::Error;
use crate::parts::mend::mend;
use crate::report::thousands;
use crate::run::Run;
use crate::solve::{Outcome, SolveError, solve};
use kinfold_model::judge::{Found, WITHHELD, judge};
use kinfold_model::problem::Problem;
use kinfold_model::requirement::Guard;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// From so many rows on a piece is worth all threads; smaller ones are solved side by side.
const LARGE: usize = 20_000;
/// What is said instead of a solver's name where none was needed.
const NONE_NEEDED: &str = "earlier groups";

/// Solves the pieces, given by their rows; each must hold k people (k persons, where the policy counts them). Rows
/// of no piece are withheld.
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
    let work = Work {
        problem: problem.clone().unguarded(),
        guard,
        choice,
        run: Run { call: run.call.quietly(), ..run.clone() },
        told: run,
        rows,
        left: AtomicUsize::new(rows),
    };
    let answers = work.solve_all(pieces)?;

    let mut group_of = vec![WITHHELD; problem.rows()];
    let (mut groups, mut by): (u32, Option<(usize, String)>) = (0, None);
    for (piece, answer) in pieces.iter().zip(answers) {
        for (&row, own) in piece.iter().zip(&answer.group_of) {
            group_of[row as usize] = groups + own;
        }
        groups += answer.groups;
        if let Some(solver) = answer.solver.filter(|_| by.as_ref().is_none_or(|by| by.0 < piece.len())) {
            by = Some((piece.len(), solver));
        }
    }
    let solver = by.map_or_else(|| NONE_NEEDED.to_owned(), |(_, solver)| solver);
    let mut found = Found::plain(group_of);
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
}

struct Work<'a> {
    problem: Problem,
    guard: Option<Guard>,
    choice: &'a Choice,
    /// For the pieces: told to nobody.
    run: Run,
    told: &'a Run,
    rows: usize,
    /// Rows of pieces that are not solved yet.
    left: AtomicUsize,
}

impl Work<'_> {
    /// Large pieces one after the other, then small ones side by side. Threads of their own take them, as every
    /// solver has a pool of its own, and a thread of a pool that waits for another pool takes on more work.
    fn solve_all(&self, pieces: &[Vec<u32>]) -> Result<Vec<Solved>, SolveError> {
        let (large, small): (Vec<usize>, Vec<usize>) =
            (0..pieces.len()).partition(|&number| pieces[number].len() >= LARGE);
        let mut answers: Vec<(usize, Solved)> = Vec::with_capacity(pieces.len());
        for number in large {
            answers.push((number, self.solved(&pieces[number], self.run.threads)?));
        }
        let next = AtomicUsize::new(0);
        let take = || {
            let mut own = Vec::new();
            while let Some(&number) = small.get(next.fetch_add(1, Ordering::Relaxed)) {
                own.push((number, self.solved(&pieces[number], 1)?));
            }
            Ok::<_, SolveError>(own)
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

    fn solved(&self, piece: &[u32], threads: usize) -> Result<Solved, SolveError> {
        let answer = self.solve(piece, threads)?;
        let left = self.left.fetch_sub(piece.len(), Ordering::Relaxed) - piece.len();
        self.told.report(1.0 - left as f64 / self.rows.max(1) as f64, None);
        Ok(answer)
    }

    fn solve(&self, rows: &[u32], threads: usize) -> Result<Solved, SolveError> {
        self.run.check()?;
        let one = Solved { group_of: vec![0; rows.len()], groups: 1, solver: None };
        let size = |row: u32| self.problem.row_size(row);
        if rows.iter().map(|&row| size(row)).sum::<u64>() < 2 * self.problem.k() {
            return Ok(one);
        }
        // It holds k people.
        let Ok(piece) = self.problem.piece(rows) else { return Ok(one) };
        let piece = match &self.guard {
            Some(guard) if guard.presence().is_none() && guard.fulfilled_by(&guard.group(rows, size)) => {
                match piece.guarded(guard.piece(rows)) {
                    Ok(piece) => piece,
                    Err(_) => return Ok(one),
                }
            }
            // Groups of k rows may hold fewer than k persons, and merging would hide that.
            Some(guard) if guard.requirements().whole().persons.is_some() => return Ok(one),
            // What it lacks, mergers with groups of other pieces bring.
            _ => piece,
        };
        let outcome = solve(&piece, self.choice, &self.run_for(rows.len(), threads))?;
        let groups = outcome.solution.groups() as u32;
        Ok(Solved { group_of: outcome.solution.group_of().to_vec(), groups, solver: Some(outcome.solver) })
    }

    /// A run whose share of the time left is that of its rows.
    fn run_for(&self, rows: usize, threads: usize) -> Run {
        let side_by_side = (self.run.threads.max(1) / threads.max(1)).max(1);
        let left = self.left.load(Ordering::Relaxed).max(rows).max(1);
        let share = (side_by_side as f64 * rows as f64 / left as f64).min(1.0);
        let now = Instant::now();
        let deadline = self.run.deadline.map(|end| now + end.saturating_duration_since(now).mul_f64(share));
        Run { threads, started: now, deadline, ..self.run.clone() }
    }
}
