//! How far a grouping can be from the best: proves it, writes the proof down, or checks one.

use crate::bounds::{NoBound, find_prices, judge_prices, supports, supports_objective};
use crate::report::CertifyReport;
use crate::solve::solve;
use crate::solvers::polish::improve;
use crate::{Error, Options, Prepared, SolveError, Stopwatch, Strength};
use kinfold_model::certificate::Certificate;
use kinfold_model::judge::judge;
use kinfold_model::{Found, Hint, Phase, Policy, Problem, Solution, Table};

/// Comparisons allowed for checking a certificate: some minutes.
const WORK: u64 = 20_000_000_000;

/// How to certify.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CertifyOptions {
    /// Who groups the rows, and how long everything may take.
    pub options: Options,
    /// The grouping to certify; none: one is made.
    pub groups: Option<Vec<u32>>,
    /// Whether a better grouping is looked for on the way.
    pub improve: bool,
}

/// A grouping and how far it can be from the best.
#[derive(Debug, Clone)]
pub struct Certified {
    /// What was proven.
    pub report: CertifyReport,
    certificate: Option<String>,
}

impl Certified {
    /// The certificate: what [`check_certificate`] needs to check the bound anew. None where no proof was
    /// found.
    pub fn certificate(&self) -> Option<&str> {
        self.certificate.as_deref()
    }
}

/// Whether bounds can be proven under the objective of a policy at all.
pub fn certifiable(policy: &Policy) -> Result<(), Error> {
    supports_objective(policy.objective).map_err(|why| {
        Error::unsuitable(why.to_string(), "anonymize reports the bound that its solver proves, if any")
    })
}

/// Proves how far a grouping of the table can be from the best.
pub fn certify(table: &Table, policy: &Policy, options: &CertifyOptions) -> Result<Certified, Error> {
    let CertifyOptions { options, groups, improve: improving } = options;
    let call = &options.call;
    let stopwatch = Stopwatch::start();
    certifiable(policy)?;
    let prepared = Prepared::new(table, policy, options)?;
    if let Some((column, _)) = prepared.policy.open_levels().first() {
        let what = format!("no bound can be proven while the level of column {column:?} is open");
        return Err(Error::unsuitable(what, "name the level that {anonymize} chose: level = 10"));
    }
    let problem = &prepared.encoded.problem;
    let mut notes: Vec<Hint> = prepared.encoded.notes.clone();
    notes.extend(options.solver.note());
    supports(problem).map_err(NoBound::from)?;
    let run = options.run();
    call.phase(Phase::Grouping)?;
    let (mut solution, solver) = match groups {
        Some(groups) => {
            let groups = prepared.as_arranged(groups).unwrap_or_else(|| groups.clone());
            (judged(problem, groups)?, "groups file".to_owned())
        }
        None => {
            let outcome = solve(problem, &options.solver, &run.one_part_of(3))?;
            (outcome.solution, outcome.solver)
        }
    };
    call.phase(Phase::Proving)?;
    // Grouping may take a third of the time, and improving half of what is left.
    let proving = if *improving { run.one_part_of(2) } else { run.clone() };
    let prices = find_prices(problem, &solution, Strength::Lp, &proving)?;
    if let (true, Some(prices)) = (improving, &prices) {
        call.phase(Phase::Improving)?;
        match improve(problem, &solution, prices, &run) {
            Ok(found) => {
                let better = judge(problem, found).ok().filter(|after| after.cost() < solution.cost());
                if let Some(mut better) = better {
                    // A bound holds for the table, whatever the grouping.
                    solution.bound().cost().into_iter().for_each(|bound| better.claim(problem, bound));
                    solution = better;
                }
            }
            Err(SolveError::Unsupported(why)) => notes.push(format!("not improved: {why}").into()),
            Err(_) => return Err(Error::Stopped),
        }
    }
    if let Some(prices) = &prices {
        call.phase(Phase::Checking)?;
        judge_prices(problem, &mut solution, prices, Strength::Lp, &run)?;
    }
    let certificate = prices.map(|prices| Certificate::new(problem, &solution, prices).write());
    let mut report = CertifyReport::new(problem, &solution, Some(solver), stopwatch.spent());
    report.notes = notes;
    Ok(Certified { report, certificate })
}

/// Checks a certificate against the table: a report of what it proves, or of why it is refused.
pub fn check_certificate(
    table: &Table,
    policy: &Policy,
    certificate: &str,
    options: &Options,
) -> Result<CertifyReport, Error> {
    let stopwatch = Stopwatch::start();
    certifiable(policy)?;
    let encoded = Prepared::new(table, policy, options)?.encoded;
    options.call.phase(Phase::Checking)?;
    let certificate = Certificate::read(certificate).map_err(|e| {
        Error::unsuitable(format!("cannot read the certificate: {e}"), "is it what {certify} wrote?")
    })?;
    let problem = &encoded.problem;
    let mut report = match options.run().in_pool(|| certificate.check(problem, WORK)) {
        Ok(solution) => CertifyReport::new(problem, &solution, None, stopwatch.spent()),
        Err(refused) => CertifyReport::refused(refused.to_string()),
    };
    report.notes = encoded.notes.clone();
    Ok(report)
}

fn judged(problem: &Problem, group_of: Vec<u32>) -> Result<Solution, Error> {
    judge(problem, Found::plain(group_of)).map_err(|broken| {
        Error::unsuitable(
            format!("the groups file does not fit this table: {broken}"),
            "was it made for this table and policy?",
        )
    })
}
