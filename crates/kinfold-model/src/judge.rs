//! The judge: nobody marks their own work. A solver answers with a grouping; the judge checks it
//! against the problem, works out its cost from the plain definition, and only then is there a
//! [`Solution`]. Nothing else can make one.

use crate::certificate::{PriceCheck, Prices, check_prices};
use crate::cost::{
    Cost, Cover, Covers, MIDDLE, ONE, Objective, Rule, clusters_cost, columns_cost, least_largest,
    overlapping, parted, radius, sse,
};
use crate::members::Members;
use crate::problem::Problem;
use crate::recoding::{Recoding, not_the_classes};
use thiserror::Error;

/// The group number of a row that is left out of the release.
pub const WITHHELD: u32 = u32::MAX;

/// Units per person by which a claimed bound may be too high.
const ROUNDING: u64 = 64;

/// What a solver answers: the group of every row. No row can be lost or used twice in this form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// For every row its group, counted from 0 without gaps, or [`WITHHELD`].
    pub group_of: Vec<u32>,
    /// What the groups are published as.
    pub seal: Seal,
}

/// What the groups of an answer are published as.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Seal {
    /// What follows from the rows of the group alone: the narrowest cells that are true of all, or their
    /// mean.
    Box,
    /// What is in the centre of each group: a record, by number, or [`MIDDLE`].
    Centres(Vec<u32>),
    /// Under global recoding, the level of every column: a group's cells are the nodes of its rows there, however
    /// narrow its rows are.
    Levels(Vec<u32>),
}

impl Found {
    /// Groups that are published as what follows from their rows.
    pub fn plain(group_of: Vec<u32>) -> Self {
        Self { group_of, seal: Seal::Box }
    }

    /// Every list of rows is a group, published as what follows from them; of so many rows, those in no list are
    /// withheld.
    pub fn of_groups(rows: usize, groups: impl IntoIterator<Item: IntoIterator<Item = u32>>) -> Self {
        let mut group_of = vec![WITHHELD; rows];
        for (number, group) in (0u32..).zip(groups) {
            group.into_iter().for_each(|row| group_of[row as usize] = number);
        }
        Self::plain(group_of)
    }

    /// The groups that levels induce, one for every column.
    pub fn on_levels(group_of: Vec<u32>, levels: Vec<u32>) -> Self {
        Self { group_of, seal: Seal::Levels(levels) }
    }

    /// Groups around centres: a record each, by number, or [`MIDDLE`].
    pub fn around(group_of: Vec<u32>, centres: Vec<u32>) -> Self {
        Self { group_of, seal: Seal::Centres(centres) }
    }
}

/// A lower bound on the loss of any release under the policy; a report never blurs the kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Proven by the judge itself.
    Checked(Cost),
    /// Claimed by a solver, with nothing the judge could check.
    Claimed(Cost),
    /// Nothing is known.
    None,
}

impl Bound {
    /// The bound, whoever says so.
    pub fn cost(self) -> Option<Cost> {
        match self {
            Self::Checked(cost) | Self::Claimed(cost) => Some(cost),
            Self::None => None,
        }
    }

    /// The word for its kind in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Checked(_) => "checked",
            Self::Claimed(_) => "claimed",
            Self::None => "none",
        }
    }
}

/// A grouping that was checked, with its cost.
#[derive(Debug, Clone)]
pub struct Solution {
    group_of: Vec<u32>,
    seal: Seal,
    rows_of: Members,
    covers: Covers,
    /// People in every group.
    sizes: Vec<u64>,
    cost: Cost,
    bound: Bound,
}

/// Why an answer is no solution.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// Not one group per row.
    #[error("the answer has {found} rows, the problem has {expected}")]
    WrongLength {
        /// Rows of the problem.
        expected: usize,
        /// Rows of the answer.
        found: usize,
    },
    /// A group number that skips others.
    #[error("group {0} has no rows")]
    EmptyGroup(u32),
    /// A group below k.
    #[error("group {group} has size {size}, less than k = {k}")]
    TooSmall {
        /// The group.
        group: u32,
        /// Its size.
        size: u64,
        /// The least size.
        k: u64,
    },
    /// More withheld than allowed.
    #[error("the withheld rows have size {withheld} in all, but at most {allowed} may be withheld")]
    TooManyWithheld {
        /// People withheld.
        withheld: u64,
        /// People that may be.
        allowed: u64,
    },
    /// More groups than allowed.
    #[error("there are {groups} groups, but at most {allowed} may be")]
    TooManyGroups {
        /// Groups there are.
        groups: usize,
        /// Groups there may be.
        allowed: u64,
    },
    /// Not one centre per group, or centres where none are wanted.
    #[error("there are {found} centres for {expected} groups that need one")]
    Centres {
        /// Groups that need one.
        expected: usize,
        /// Centres given.
        found: usize,
    },
    /// A centre that is nobody's record.
    #[error("the centre of group {0} is not a record of the table")]
    NoSuchCentre(u32),
    /// Rows of one record in several groups, where a value stands for one group.
    #[error("rows that agree on all quasi-identifiers are in groups {0} and {1}")]
    Parted(u32, u32),
    /// Runs or rectangles that overlap, where they must not.
    #[error("groups {0} and {1} overlap")]
    Overlap(u32, u32),
    /// A group whose regions do not touch.
    #[error("the regions of group {0} are not connected")]
    Apart(u32),
    /// A group that holds rows of several classes, which no group may cross.
    #[error("group {0} crosses classes that must stay apart")]
    Crosses(u32),
    /// A group that falls short of a requirement.
    #[error("group {group} lacks {requirement}")]
    Unfulfilled {
        /// The group.
        group: u32,
        /// The requirement, in words.
        requirement: String,
    },
    /// Under global recoding, groups that are not the classes of the levels.
    #[error("the groups are not those of the levels: {0}")]
    Levels(&'static str),
    /// Levels without global recoding, or the other way round.
    #[error("levels go with global recoding, and with nothing else")]
    Seal,
    /// Everybody is withheld.
    #[error("nothing is left to release")]
    NothingReleased,
}

/// Checks an answer and works out what it costs.
pub fn judge(problem: &Problem, found: Found) -> Result<Solution, Broken> {
    let Found { group_of, seal } = found;
    if group_of.len() != problem.rows() {
        return Err(Broken::WrongLength { expected: problem.rows(), found: group_of.len() });
    }
    let groups = group_of.iter().filter(|&&g| g != WITHHELD).max().map_or(0, |&g| g as usize + 1);
    if groups == 0 {
        return Err(Broken::NothingReleased);
    }
    if groups > group_of.len() {
        return Err(Broken::EmptyGroup(missing_number(&group_of)));
    }
    let released = (0u32..).zip(group_of.iter().copied()).filter(|(_, group)| *group != WITHHELD);
    let rows_of = Members::new(groups, released);
    let people = |rows: &[u32]| -> u64 { rows.iter().map(|&row| problem.row_size(row)).sum() };
    let sizes: Vec<u64> = rows_of.each().map(people).collect();
    let withheld_rows = group_of.len() - rows_of.all().len();
    let withheld_people = problem.people() - sizes.iter().sum::<u64>();
    // A row that stands for nobody may be left out only where leaving out is allowed at all.
    if withheld_people > problem.may_withhold() || withheld_rows > 0 && problem.may_withhold() == 0 {
        return Err(Broken::TooManyWithheld { withheld: withheld_people, allowed: problem.may_withhold() });
    }
    for (group, &size) in (0u32..).zip(&sizes) {
        if rows_of.of(group).is_empty() {
            return Err(Broken::EmptyGroup(group));
        }
        if size < problem.k() {
            return Err(Broken::TooSmall { group, size, k: problem.k() });
        }
    }
    if let Some(class_of) = problem.class_of() {
        let crosses =
            |rows: &[u32]| rows.iter().any(|&row| class_of[row as usize] != class_of[rows[0] as usize]);
        if let Some((group, _)) = (0u32..).zip(rows_of.each()).find(|(_, rows)| crosses(rows)) {
            return Err(Broken::Crosses(group));
        }
    }
    let centres = check_seal(problem, &seal, groups)?;
    let covers = match &seal {
        Seal::Levels(levels) => {
            if let Some(why) = not_the_classes(problem, levels, &group_of) {
                return Err(Broken::Levels(why));
            }
            Covers::of_levels(problem, rows_of.each(), levels)
        }
        _ => Covers::of(problem, rows_of.each()),
    };
    let cost = match problem.objective() {
        Objective::Ncp | Objective::Stars => cells_cost(problem, &covers, &sizes),
        Objective::Columns => columns_cost(problem, rows_of.each()),
        Objective::Radius | Objective::Cellular => clusters_cost(problem, rows_of.each(), centres)
            .map_err(|group| Broken::NoSuchCentre(group as u32))?,
        Objective::Sse => rows_of.each().map(|rows| sse(problem, rows)).sum(),
        Objective::GroupSize => {
            if let Some((a, b)) = parted(problem, &group_of) {
                return Err(Broken::Parted(a, b));
            }
            if let Some((a, b)) = overlapping(problem, rows_of.each()) {
                return Err(Broken::Overlap(a, b));
            }
            Cost(sizes.iter().copied().max().unwrap_or(0) * ONE)
        }
    };
    if let Some(connected) = problem.connected() {
        for (group, rows) in (0u32..).zip(rows_of.each()) {
            let region = |&row: &u32| problem.codes(problem.record_of(row))[connected.column];
            if !connected.joins(&rows.iter().map(region).collect::<Vec<u32>>()) {
                return Err(Broken::Apart(group));
            }
        }
    }
    check_guard(problem, &group_of, &rows_of)?;
    let bound = match problem.objective() {
        Objective::GroupSize => Bound::Checked(Cost(least_largest(problem) * ONE)),
        _ => Bound::None,
    };
    Ok(Solution { group_of, seal, rows_of, covers, sizes, cost, bound })
}

/// What the cells of these groups cost; whoever is in none of them loses all cells.
fn cells_cost(problem: &Problem, covers: &Covers, sizes: &[u64]) -> Cost {
    let withheld = problem.people() - sizes.iter().sum::<u64>();
    let own = |(group, &people): (usize, &u64)| Cost(people * covers.cells(problem, group).0);
    Cost(withheld * problem.withheld_cost()) + sizes.iter().enumerate().map(own).sum()
}

/// Whether every group fulfils all requirements. Groups are compared with what is released.
fn check_guard(problem: &Problem, group_of: &[u32], rows_of: &Members) -> Result<(), Broken> {
    let Some(guard) = problem.guard() else { return Ok(()) };
    let released = |row: u32| if group_of[row as usize] == WITHHELD { 0 } else { problem.row_size(row) };
    let of_release = match rows_of.all().len() == group_of.len() {
        true => None,
        false => Some(guard.of_release(released).map_err(|_| Broken::NothingReleased)?),
    };
    let guard = of_release.as_ref().unwrap_or(guard);
    let lacking = |rows: &[u32]| guard.first_unfulfilled(&guard.group(rows, |row| problem.row_size(row)));
    for (group, rows) in (0u32..).zip(rows_of.each()) {
        if let Some(requirement) = lacking(rows) {
            return Err(Broken::Unfulfilled { group, requirement });
        }
    }
    for alike in guard.alike(rows_of.each()) {
        let together: Vec<u32> = alike.iter().flat_map(|&group| rows_of.of(group)).copied().collect();
        if let Some(requirement) = lacking(&together) {
            return Err(Broken::Unfulfilled { group: alike[0], requirement });
        }
    }
    Ok(())
}

/// As many groups as there may be, sealed as the objective wants it. The centres, if there are any.
fn check_seal<'s>(problem: &Problem, seal: &'s Seal, groups: usize) -> Result<&'s [u32], Broken> {
    if let Some(allowed) = problem.clusters().max_groups.filter(|&most| groups as u64 > most) {
        return Err(Broken::TooManyGroups { groups, allowed });
    }
    if matches!(seal, Seal::Levels(_)) != (problem.recoding() == Recoding::Global) {
        return Err(Broken::Seal);
    }
    let expected = if problem.objective().centred() { groups } else { 0 };
    let centres: &[u32] = match seal {
        Seal::Box | Seal::Levels(_) => &[],
        Seal::Centres(centres) => centres,
    };
    if centres.len() != expected {
        return Err(Broken::Centres { expected, found: centres.len() });
    }
    let known =
        |centre: u32| (centre as usize) < problem.records() || centre == MIDDLE && problem.clusters().middles;
    match (0u32..).zip(centres).find(|&(_, &centre)| !known(centre)) {
        Some((group, _)) => Err(Broken::NoSuchCentre(group)),
        None => Ok(centres),
    }
}

/// The least number that no row has.
fn missing_number(group_of: &[u32]) -> u32 {
    let mut used = vec![false; group_of.len()];
    for &group in group_of {
        if let Some(slot) = used.get_mut(group as usize) {
            *slot = true;
        }
    }
    used.iter().position(|u| !u).unwrap_or(group_of.len()) as u32
}

impl Solution {
    /// For every row its group, or [`WITHHELD`].
    pub fn group_of(&self) -> &[u32] {
        &self.group_of
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.rows_of.groups()
    }

    /// The rows of a group, in the order of the table.
    pub fn rows(&self, group: usize) -> &[u32] {
        self.rows_of.of(group as u32)
    }

    /// The record in the centre of a group, where the objective wants one.
    pub fn centre(&self, group: usize) -> Option<u32> {
        match &self.seal {
            Seal::Box | Seal::Levels(_) => None,
            Seal::Centres(centres) => centres.get(group).copied(),
        }
    }

    /// The level of every column, under global recoding.
    pub fn levels(&self) -> Option<&[u32]> {
        match &self.seal {
            Seal::Levels(levels) => Some(levels),
            _ => None,
        }
    }

    /// What the same groups lose per cell under another problem of the same rows, by the narrowest cells that are true of
    /// them there; withheld rows lose everything.
    pub fn average_loss_under(&self, other: &Problem) -> f64 {
        let cost = cells_cost(other, &Covers::of(other, self.rows_of.each()), &self.sizes);
        (cost + other.floor()).0 as f64 / self.whole(other) as f64
    }

    /// How far the centre of a group is from its furthest row, where the objective wants a centre.
    pub fn radius(&self, problem: &Problem, group: usize) -> Option<Cost> {
        radius(problem, self.centre(group)?, self.rows(group))
    }

    /// People in the smallest group.
    pub fn smallest(&self) -> u64 {
        self.sizes.iter().copied().min().unwrap_or(0)
    }

    /// People in the largest group.
    pub fn largest(&self) -> u64 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// What a group is published as in a column: the narrowest that is true of all its rows, or its node on the
    /// level of the column.
    pub fn cover(&self, problem: &Problem, group: usize, column: usize) -> Cover<'_> {
        self.covers.get(problem, group, column)
    }

    /// What people who are released lose in every column, in units, where loss is counted by cell. Weights count.
    pub fn lost_by_column(&self, problem: &Problem) -> Vec<u128> {
        let lost = |(column, rule): (usize, &Rule)| {
            let of_group = |(group, &people): (usize, &u64)| {
                let cost = rule.cost(&self.cover(problem, group, column)).0 + rule.floor();
                u128::from(people) * u128::from(cost)
            };
            self.sizes.iter().enumerate().map(of_group).sum()
        };
        problem.rules().iter().enumerate().map(lost).collect()
    }

    /// What every column loses, 0 nothing to 1 everything, where loss is counted by cell; rows that are
    /// withheld lose all cells. Weights do not count.
    pub fn loss_by_column(&self, problem: &Problem) -> Vec<f64> {
        let (withheld, people) = (self.withheld_people(problem) as f64, problem.people() as f64);
        let share = |(lost, rule): (u128, &Rule)| {
            let full = (rule.full() + rule.floor()).max(1);
            (lost as f64 / full as f64 + withheld) / people
        };
        self.lost_by_column(problem).into_iter().zip(problem.rules()).map(share).collect()
    }

    /// The discernibility metric DM: for everybody how many look alike, and all people for those who are
    /// withheld (Bayardo, Agrawal 2005).
    pub fn discernibility(&self, problem: &Problem) -> u128 {
        let alike: u128 = self.sizes.iter().map(|&size| u128::from(size).pow(2)).sum();
        alike + self.discernibility_of_withheld(problem)
    }

    /// The part of it that is due to people who are withheld.
    pub fn discernibility_of_withheld(&self, problem: &Problem) -> u128 {
        u128::from(self.withheld_people(problem)) * u128::from(problem.people())
    }

    /// How many people are left out.
    pub fn withheld_people(&self, problem: &Problem) -> u64 {
        problem.people() - self.sizes.iter().sum::<u64>()
    }

    /// The average class size C_avg: people released per group, in multiples of k (LeFevre, DeWitt,
    /// Ramakrishnan 2006).
    pub fn average_class_size(&self, problem: &Problem) -> f64 {
        self.sizes.iter().sum::<u64>() as f64 / self.groups() as f64 / problem.k() as f64
    }

    /// Rows left out.
    pub fn withheld(&self) -> usize {
        self.group_of.len() - self.rows_of.all().len()
    }

    /// What the release costs beyond what is lost in any case ([`Problem::floor`]).
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Says nothing of what other releases cost: for one that was chosen among several problems.
    pub fn forget_bound(&mut self) {
        self.bound = Bound::None;
    }

    /// What any release must cost, beyond the same.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// All that the release loses.
    pub fn loss(&self, problem: &Problem) -> Cost {
        self.cost + problem.floor()
    }

    /// What any release loses at least, if a bound is known.
    pub fn least_loss(&self, problem: &Problem) -> Option<Cost> {
        Some(self.bound.cost()? + problem.floor())
    }

    /// How far the loss is above the bound at most, as a share of the loss; `None` without a bound.
    pub fn gap(&self, problem: &Problem) -> Option<f64> {
        self.bound.cost().map(|bound| match self.loss(problem).0 {
            0 => 0.0,
            loss => self.cost.0.saturating_sub(bound.0) as f64 / loss as f64,
        })
    }

    /// Checks prices with the work allowed. If they hold, what they prove is the bound, unless a better one
    /// is known.
    pub fn prove(&mut self, problem: &Problem, prices: &Prices, work: u64) -> PriceCheck {
        let verdict = check_prices(problem, prices, work);
        let bound = problem.round_up(prices.bound(problem));
        if verdict == PriceCheck::Holds && self.bound.cost().is_none_or(|known| bound >= known) {
            self.bound = Bound::Checked(bound);
        }
        verdict
    }

    /// Takes down what a solver says any release costs; what was checked stays unless this is better. No more
    /// than this solution's own cost is believed.
    pub fn claim(&mut self, problem: &Problem, bound: Cost) {
        // Solvers may err by some units per person; the next cost that there is lies far above that.
        let sure = Cost(bound.0.saturating_sub(ROUNDING * problem.people()));
        let bound = problem.round_up(sure).max(bound);
        if bound <= self.cost && self.bound.cost().is_none_or(|known| bound > known) {
            self.bound = Bound::Claimed(bound);
        }
    }

    /// Between 0 and 1, the loss over what losing everything would cost: loss per cell, or per column where
    /// columns count. Of clusters: the largest radius, the mean radius per released person, or the squared
    /// error over that of one single group.
    pub fn average_loss(&self, problem: &Problem) -> f64 {
        self.loss(problem).0 as f64 / self.whole(problem) as f64
    }

    /// What losing everything would cost, in units.
    pub fn whole(&self, problem: &Problem) -> u128 {
        let people = u128::from(problem.people());
        match problem.objective() {
            Objective::Ncp | Objective::Stars => {
                people * u128::from(problem.withheld_cost()) + u128::from(problem.floor().0)
            }
            Objective::Columns => u128::from(problem.withheld_cost()),
            Objective::Radius => u128::from(ONE),
            Objective::Cellular => u128::from(ONE) * self.rows_of.all().len() as u128,
            Objective::Sse => {
                let everybody: Vec<u32> = (0..problem.rows() as u32).collect();
                // Where all rows are alike there is nothing to lose.
                u128::from(sse(problem, &everybody).0.max(1))
            }
            Objective::GroupSize => people * u128::from(ONE),
        }
    }
}
