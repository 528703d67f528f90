//! Earlier releases about the same people: how many people are left where they are laid over the new one, and
//! groups that leave k everywhere. Who could learn what, and why this holds, is in the model's
//! `verify/earlier.rs`.
//!
//! A class of people that earlier releases leave together can only be kept whole or be parted further. So it is
//! grouped by itself (`piecewise.rs`), and one of fewer than k people is withheld or nothing is published.

use crate::error::Error;
use crate::options::Options;
use crate::piecewise::solve_piecewise;
use crate::prepared::Prepared;
use crate::report::{EarlierReport, OverlayReport, count, sized, thousands};
use crate::run::Run;
use crate::solve::Outcome;
use kinfold_model::cost::Objective;
use kinfold_model::hint::Hint;
use kinfold_model::policy::{Form, Policy};
use kinfold_model::problem::Problem;
use kinfold_model::table::{Source, distinct_rows};
use kinfold_model::unit::Unit;
use kinfold_model::verify::{
    EarlierGroups, Heads, Intersections, NEW, Published, VerifyError, earlier_groups,
};
use std::collections::BTreeMap;
use std::fmt;

/// A release that was published before, about the same people.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// What it is called in messages and reports.
    name: String,
    published: Published,
}

impl Earlier {
    /// Reads an earlier release under the policy of the new one: it must publish the same quasi-identifiers in the
    /// same form. Unchanged columns that only one of them has are ignored.
    pub fn read(source: Source, name: impl Into<String>, policy: &Policy) -> Result<Self, Error> {
        suitable(policy)?;
        let name = name.into();
        let published = Published::read(source, policy, true).map_err(|e| match e {
            VerifyError::Policy(mistakes) => {
                Error::Policy(mistakes.found_in(&format!("earlier release {name}")))
            }
            e => e.into(),
        });
        Ok(Self { published: published?, name })
    }
}

/// Where it is not known from the cells which rows a group covers, releases cannot be laid over each other.
fn suitable(policy: &Policy) -> Result<(), Error> {
    match policy.form {
        Form::Codes | Form::Centres => Err(Error::unsuitable(
            format!("releases in form {} cannot be laid over each other", policy.form.word()),
            "leave out {after}, or publish in another {form}",
        )),
        _ => Ok(()),
    }
}

/// The objectives under which pieces of a table can be grouped by themselves.
const IN_PIECES: [Objective; 2] = [Objective::Ncp, Objective::Stars];

/// Earlier releases, paired with the rows of a table.
#[derive(Debug)]
pub(crate) struct Overlay {
    /// What the earlier releases are called.
    names: Vec<String>,
    groups: Vec<EarlierGroups>,
    refuse: bool,
}

impl Overlay {
    /// None without earlier releases.
    pub fn new(prepared: &Prepared, options: &Options) -> Result<Option<Self>, Error> {
        let policy = &prepared.policy;
        let (releases, refuse) = (options.after.as_slice(), options.refuse);
        if releases.is_empty() {
            return match refuse {
                true => Err(Error::unsuitable(
                    "there is no earlier release to keep apart from",
                    "name one: {after=OLD_RELEASE}",
                )),
                false => Ok(None),
            };
        }
        suitable(policy)?;
        let objective = policy.objective;
        if refuse && !IN_PIECES.contains(&objective) {
            return Err(Error::unsuitable(
                format!(
                    "groups within those of earlier releases are not made under objective {}",
                    objective.word()
                ),
                "use objective ncp or stars; without {refuse}, intersections are measured only",
            ));
        }
        let mut arranged = vec![0; prepared.rows.len()];
        (0..).zip(&*prepared.rows).for_each(|(row, &given)| arranged[given as usize] = row);
        let mut groups = Vec::with_capacity(releases.len());
        for release in releases {
            let (table, encoded) = (&prepared.table, &prepared.encoded);
            let found =
                earlier_groups(&release.published, table, policy, encoded, &groups, |place| arranged[place])
                    .map_err(|e| Error::from(e).in_policy(policy))?;
            if found.left == found.rows {
                return Err(Error::unsuitable(
                    format!("no row of earlier release {} fits a row of the table", release.name),
                    "is it about these people, with the same roles, kinds and {form}? if it is about others, leave it out",
                ));
            }
            groups.push(found);
        }
        let names = releases.iter().map(|release| release.name.clone()).collect();
        Ok(Some(Self { names, groups, refuse }))
    }

    /// Groups the rows so that every intersection with earlier groups holds k people.
    pub fn solve(&self, problem: &Problem, options: &Options, run: &Run) -> Result<Outcome, Error> {
        let (pieces, short) = with_heads(problem, |heads| self.pieces(problem, heads));
        if short.people > problem.may_withhold() || pieces.is_empty() {
            return Err(Error::Overlaid(short));
        }
        solve_piecewise(problem, &pieces, &options.solver, run)
    }

    /// Whether groups are to be kept within those of earlier releases.
    pub fn refuses(&self) -> bool {
        self.refuse
    }

    /// The classes of rows that earlier releases leave together, if they hold k people, and what the others hold.
    fn pieces(&self, problem: &Problem, heads: &Heads<'_>) -> (Vec<Vec<u32>>, Short) {
        let groups: Vec<&[u32]> = self.groups.iter().map(|earlier| earlier.group_of.as_slice()).collect();
        let classes = distinct_rows(&groups, problem.rows());
        let class_of: Vec<Option<u32>> = classes.of_row.iter().copied().map(Some).collect();
        let people = heads.count(&class_of, classes.first.len());
        let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let (mut nobody, mut short_rows) = (Vec::new(), 0);
        for (row, &class) in (0u32..).zip(&classes.of_row) {
            match people[class as usize] {
                0 => nobody.push(row),
                people if people < problem.k() => short_rows += problem.row_size(row),
                _ => rows.entry(class).or_default().push(row),
            }
        }
        let mut pieces: Vec<Vec<u32>> = rows.into_values().collect();
        // Rows that stand for nobody change no intersection, wherever they are.
        if let Some(largest) = pieces.iter_mut().max_by_key(|piece| piece.len()) {
            largest.extend(nobody);
        }
        let few: Vec<u64> = people.into_iter().filter(|&n| 0 < n && n < problem.k()).collect();
        let short = Short {
            classes: few.len(),
            people: short_rows,
            unit: problem.unit(),
            smallest: few.iter().copied().min().unwrap_or(0),
            k: problem.k(),
            all: problem.people(),
            may_withhold: problem.may_withhold(),
        };
        (pieces, short)
    }

    /// What is left of everybody in a release with these groups. Below k it is refused, if that was asked for.
    pub fn measure(
        &self,
        problem: &Problem,
        policy: &Policy,
        group_of: &[u32],
    ) -> Result<OverlayReport, Error> {
        let k = policy.k;
        let found = with_heads(problem, |heads| Intersections::of(&self.groups, group_of, heads, k));
        if self.refuse && found.below_k > 0 {
            let smallest = found.smallest;
            return Err(Error::Refused(format!(
                "an intersection with earlier releases has size {smallest}, k is {k}"
            )));
        }
        let releases = self.names.iter().zip(&self.groups).map(|(name, groups)| {
            let new = (0u32..).zip(&groups.group_of).filter(|(_, group)| **group == NEW);
            EarlierReport {
                name: name.clone(),
                rows: groups.rows,
                new: new.map(|(row, _)| problem.row_size(row)).sum(),
                gone: groups.left,
            }
        });
        let persons = counts_persons(problem);
        Ok(OverlayReport::new(releases.collect(), found, policy.unit(), persons, self.refuse))
    }
}

fn counts_persons(problem: &Problem) -> bool {
    problem.guard().is_some_and(|guard| guard.requirements().whole().persons.is_some())
}

/// Rows count as the people that they stand for, or as whom they are about where the policy says that.
fn with_heads<T>(problem: &Problem, work: impl FnOnce(&Heads<'_>) -> T) -> T {
    let size = |row: u32| problem.row_size(row);
    match problem.guard().filter(|_| counts_persons(problem)) {
        Some(guard) => work(&Heads { size: &size, person: Some(&|row| guard.row(row, 1).person) }),
        None => work(&Heads { size: &size, person: None }),
    }
}

/// What intersections of earlier releases hold fewer than k people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Short {
    /// How many such intersections there are.
    pub classes: usize,
    /// People in them.
    pub people: u64,
    /// What people are: rows, unless a column counts people.
    pub unit: Unit,
    /// People in the smallest.
    pub smallest: u64,
    /// The least that every one must hold.
    pub k: u64,
    /// People in the table.
    pub all: u64,
    /// People that may be withheld.
    pub may_withhold: u64,
}

impl Short {
    /// What to try.
    pub(crate) fn hint(&self) -> Hint {
        let mut hint = Hint::new();
        if self.people < self.all {
            // In hundredths of a per cent, rounded up.
            let share = (u128::from(self.people) * 10_000).div_ceil(u128::from(self.all));
            let share = format!("{}.{:02}%", share / 100, share % 100);
            hint = hint.text("allow to leave them out: ").setting("withhold", share).text("; ");
        }
        if self.smallest >= 2 {
            hint = hint.text("use ").setting("k", self.smallest.to_string()).text("; ");
        }
        hint.text("without ").named("refuse").text(", intersections are only measured")
    }
}

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let people = sized(self.people, self.unit);
        let classes = count(self.classes, "intersection", "intersections");
        let (k, allowed) = (self.k, thousands(self.may_withhold));
        write!(
            f,
            "no release keeps {k} together in every intersection with earlier ones: those alone leave {people} in \
             {classes} of fewer than {k}, and {allowed} may be withheld"
        )
    }
}
