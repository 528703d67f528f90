//! Mixed-integer programs, solved by HiGHS: variables with costs, linear rows, a first solution, a time
//! limit.
//!
//! HiGHS counts in floating point, so what it answers is a claim: whoever asks makes a grouping of it, which
//! is judged. It works on one thread from a given seed: the same program has the same answer, unless the time
//! limit ends the search. Nothing else ends it: it cannot be asked to stop.

use highs::{Col, HighsModelStatus, HighsSolutionStatus, RowProblem, Sense};
use std::ops::{Index, RangeBounds};

/// HiGHS forgives a billionth; its own millionth would hide small differences between groupings.
const TOLERANCE: f64 = 1e-9;

/// A program in the making: what is to be as cheap as possible, and under which rows.
#[derive(Default)]
pub(crate) struct Program {
    rows: RowProblem,
    start: Vec<f64>,
}

/// A variable of a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variable(Col);

/// The best solution that was found.
pub(crate) struct Values {
    values: Vec<f64>,
    /// What any solution costs, as far as HiGHS knows.
    pub(crate) bound: f64,
}

impl Index<Variable> for Values {
    type Output = f64;
    fn index(&self, variable: Variable) -> &f64 {
        &self.values[variable.0.index()]
    }
}

impl Program {
    /// A variable that is 0 or 1, with what 1 costs and its value in the first solution.
    pub(crate) fn choice(&mut self, cost: f64, start: bool) -> Variable {
        self.start.push(f64::from(u8::from(start)));
        Variable(self.rows.add_integer_column(cost, 0.0..=1.0))
    }

    /// A variable that may be any number between two, with its cost and its value in the first solution.
    pub(crate) fn number(&mut self, cost: f64, between: impl RangeBounds<f64>, start: f64) -> Variable {
        self.start.push(start);
        Variable(self.rows.add_column(cost, between))
    }

    /// A sum of variables, each times a number, that must lie in a range.
    pub(crate) fn row(
        &mut self,
        sum: impl IntoIterator<Item = (Variable, f64)>,
        within: impl RangeBounds<f64>,
    ) {
        self.rows.add_row(within, sum.into_iter().map(|(variable, times)| (variable.0, times)));
    }

    /// The best solution within so many seconds; none if there is none, or HiGHS is at a loss.
    pub(crate) fn solve(self, seed: u64, seconds: Option<f64>) -> Option<Values> {
        let mut model = self.rows.try_optimise(Sense::Minimise).ok()?;
        model.make_quiet();
        model.try_set_option("parallel", "off").ok()?;
        // The number of threads counts for the whole process: it is the same for all programs.
        model.try_set_option("threads", 1).ok()?;
        model.try_set_option("random_seed", (seed % (1 << 31)) as i32).ok()?;
        for gap in ["mip_rel_gap", "mip_abs_gap"] {
            model.try_set_option(gap, 0.0).ok()?;
        }
        for tolerance in
            ["mip_feasibility_tolerance", "primal_feasibility_tolerance", "dual_feasibility_tolerance"]
        {
            model.try_set_option(tolerance, TOLERANCE).ok()?;
        }
        if let Some(seconds) = seconds {
            model.try_set_option("time_limit", seconds).ok()?;
        }
        model.try_set_solution(Some(&self.start), None, None, None).ok()?;
        let solved = model.try_solve().ok()?;
        let ended = matches!(solved.status(), HighsModelStatus::Optimal | HighsModelStatus::ReachedTimeLimit);
        let feasible = solved.primal_solution_status() == HighsSolutionStatus::Feasible;
        let bound = solved.double_info_value(c"mip_dual_bound").ok()?;
        (ended && feasible).then(|| Values { values: solved.get_solution().columns().to_vec(), bound })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_a_knapsack() {
        // Worth 10, 13, 7 at weights 3, 4, 2: of weight 6 at most, the last two are worth most.
        let mut program = Program::default();
        let items: Vec<Variable> = [10.0, 13.0, 7.0].map(|worth| program.choice(-worth, false)).into();
        program.row(items.iter().copied().zip([3.0, 4.0, 2.0]), ..=6.0);
        let answer = program.solve(0, None).unwrap();
        assert_eq!(items.iter().map(|&i| answer[i].round()).collect::<Vec<_>>(), [0.0, 1.0, 1.0]);
        assert!((answer.bound + 20.0).abs() < 1e-6, "{}", answer.bound);
    }

    #[test]
    fn what_cannot_be_has_no_answer() {
        let mut program = Program::default();
        let choice = program.choice(1.0, true);
        program.row([(choice, 1.0)], 2.0..);
        assert!(program.solve(0, None).is_none());
    }

    #[test]
    fn without_time_the_first_solution_is_the_answer_if_any() {
        let mut program = Program::default();
        let choices: Vec<Variable> = (0..30).map(|i| program.choice(f64::from(i % 7 + 1), true)).collect();
        for pair in choices.windows(2) {
            program.row(pair.iter().map(|&choice| (choice, 1.0)), 1.0..);
        }
        if let Some(answer) = program.solve(0, Some(0.0)) {
            assert!(choices.windows(2).all(|pair| answer[pair[0]] + answer[pair[1]] > 0.9));
        }
    }
}
