//! Earlier releases about the same people: how many people are left where they are laid over the new one, and
//! groups that leave k everywhere. Who could learn what, and why this holds, is in the model's
//! `verify/earlier.rs`.
//!
//! A class of people that earlier releases leave together can only be kept whole or be parted further. So it is
//! grouped by itself (`piecewise.rs`), and one of fewer than k people is withheld or nothing is published.

use crate::error::Error;
use crate::groups_file::GroupsFile;
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
use kinfold_model::recoding::Recoding;
use kinfold_model::table::{Source, distinct_rows};
use kinfold_model::unit::Unit;
use kinfold_model::verify::{
    EarlierGroups, Heads, Intersections, Links, NEW, Published, VerifyError, earlier_groups, linked_groups,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A release that was published before, about the same people.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// What it is called in messages and reports.
    name: String,
    published: Published,
    groups: Option<GroupsFile>,
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
        Ok(Self { published: published?, name, groups: None })
    }

    /// With the groups file of that release: which row was whose is known then, not worked out from cells.
    pub fn with_groups(self, groups: GroupsFile) -> Self {
        Self { groups: Some(groups), ..self }
    }

    /// The column by which the groups file finds rows, if it needs one.
    pub(crate) fn key(&self) -> Option<&str> {
        self.groups.as_ref()?.key.as_ref().map(|key| key.name.as_str())
    }

    /// The groups of this release that the rows of a table were in.
    fn groups(&self, prepared: &Prepared, others: &[EarlierGroups]) -> Result<EarlierGroups, Error> {
        let Prepared { given, policy, table, encoded, rows, .. } = prepared;
        let failed = |e: VerifyError| Error::from(e).in_policy(policy);
        let Some(groups) = &self.groups else {
            let mut arranged = vec![0; rows.len()];
            (0..).zip(&**rows).for_each(|(row, &place)| arranged[place as usize] = row);
            let at_place = |place: usize| arranged[place];
            return earlier_groups(&self.published, table, policy, encoded, others, at_place).map_err(failed);
        };
        let lines = groups.line_of(given).map_err(|e| e.about(&format!("earlier release {}", self.name)))?;
        let line_of: Vec<Option<u32>> = rows.iter().map(|&place| lines[place as usize]).collect();
        let unchanged = groups.key.is_none();
        let links = Links { group_of: &groups.group_of, line_of: &line_of, unchanged };
        linked_groups(&self.published, table, policy, encoded, links).map_err(|e| match e {
            VerifyError::NotItsGroups(_) => {
                let hint = match unchanged {
                    true => "name the file that {groups} wrote with that release; if rows or values have changed since, \
                             put a column that tells rows apart before the groups: ID,group",
                    false => "name the file that {groups} wrote with that release",
                };
                Error::unsuitable(format!("earlier release {}: {e}", self.name), hint)
            }
            e => failed(e),
        })
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
    /// What the earlier releases are called, and whether groups files link them.
    releases: Vec<(String, bool)>,
    groups: Vec<EarlierGroups>,
    refuse: bool,
}

impl Overlay {
    /// None without earlier releases.
    pub fn new(prepared: &Prepared, options: &Options) -> Result<Option<Self>, Error> {
        let policy = &prepared.policy;
        let (releases, refuse) = (options.after.as_slice(), options.refuse);
        if releases.is_empty() {
            return match refuse || options.new_people.is_some() {
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
        let mut groups = Vec::with_capacity(releases.len());
        for release in releases {
            let found = release.groups(prepared, &groups)?;
            if found.left == found.rows {
                return Err(Error::unsuitable(
                    format!("no row of earlier release {} fits a row of the table", release.name),
                    "is it about these people, with the same roles, kinds and {form}? if it is about others, leave it out",
                ));
            }
            groups.push(found);
        }
        let said = |release: &Earlier| (release.name.clone(), release.groups.is_some());
        let overlay = Self { releases: releases.iter().map(said).collect(), groups, refuse };
        overlay.refuse_new(&prepared.encoded.problem, options)?;
        Ok(Some(overlay))
    }

    /// How many people count as new after each release.
    fn new_people(&self, problem: &Problem) -> impl Iterator<Item = u64> {
        self.groups.iter().map(|earlier| {
            let new = (0u32..).zip(&earlier.group_of).filter(|(_, group)| **group == NEW);
            new.map(|(row, _)| problem.row_size(row)).sum()
        })
    }

    /// Whoever counts as new by the cells may have been in the earlier release: then nothing is promised to them, and
    /// somebody has to say that they are new. By a groups file they are.
    fn refuse_new(&self, problem: &Problem, options: &Options) -> Result<(), Error> {
        let allowed = match options.new_people {
            Some(_) if !self.refuse => {
                let what = "new people are counted against a limit only where intersections are refused";
                return Err(Error::unsuitable(what, "add {refuse}, or leave out {new_people}"));
            }
            allowed => allowed.unwrap_or(0),
        };
        let guessed = self.releases.iter().zip(self.new_people(problem)).filter(|((_, linked), _)| !linked);
        let Some(((name, _), new)) = guessed.max_by_key(|&(_, new)| new) else { return Ok(()) };
        if !self.refuse || new <= allowed {
            return Ok(());
        }
        let what = format!(
            "{} of the table fit no row of earlier release {name} that is left for them, and {} may count as new: \
             whoever was in it nevertheless could be left among fewer than k",
            sized(new, problem.unit()),
            thousands(allowed),
        );
        let hint = Hint::from("if they were not in it, say so: ").setting("new_people", new.to_string());
        Err(Error::unsuitable(what, hint.text("; or name its groups file: ").setting("after_groups", "FILE")))
    }

    /// Groups the rows so that every intersection with earlier groups holds k people.
    pub fn solve(&self, problem: &Problem, options: &Options, run: &Run) -> Result<Outcome, Error> {
        if problem.recoding() == Recoding::Global {
            let what = "groups cannot be kept within those of earlier releases under global recoding";
            return Err(Error::unsuitable(
                what,
                "use local recoding, or only measure what earlier releases leave",
            ));
        }
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
        let mut groups: Vec<&[u32]> = self.groups.iter().map(|earlier| earlier.group_of.as_slice()).collect();
        // What no group crosses parts them further.
        groups.extend(problem.class_of());
        let released = problem.classes().map(|classes| classes.released.concat());
        let released = released.map(|rows| rows.into_iter().collect::<BTreeSet<u32>>());
        let classes = distinct_rows(&groups, problem.rows());
        let class_of: Vec<Option<u32>> = classes.of_row.iter().copied().map(Some).collect();
        let people = heads.count(&class_of, classes.first.len());
        let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let (mut nobody, mut short_rows) = (Vec::new(), 0);
        for (row, &class) in (0u32..).zip(&classes.of_row) {
            match people[class as usize] {
                _ if released.as_ref().is_some_and(|rows| !rows.contains(&row)) => {
                    short_rows += problem.row_size(row);
                }
                0 => nobody.push(row),
                people if people < problem.k() => short_rows += problem.row_size(row),
                _ => rows.entry(class).or_default().push(row),
            }
        }
        let mut pieces: Vec<Vec<u32>> = rows.into_values().collect();
        // Rows that stand for nobody change no intersection, wherever they are in their class.
        let class = |row: u32| problem.class_of().map(|of| of[row as usize]);
        pieces.sort_by_key(|piece| class(piece[0]));
        for piece in pieces.chunk_by_mut(|a, b| class(a[0]) == class(b[0])) {
            if let Some(largest) = piece.iter_mut().max_by_key(|piece| piece.len()) {
                let own = class(largest[0]);
                largest.extend(nobody.extract_if(.., |row| class(*row) == own));
            }
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
        let releases = self.releases.iter().zip(&self.groups).zip(self.new_people(problem));
        let releases = releases.map(|(((name, linked), groups), new)| EarlierReport {
            name: name.clone(),
            rows: groups.rows,
            new: Some(new),
            gone: Some(groups.left),
            by_groups_file: *linked,
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
            hint = Hint::withhold(self.people, self.all).text("; ");
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
            "no release keeps {k} together in every intersection: the earlier releases by themselves leave {people} in \
             {classes} of fewer than {k}, and {allowed} may be withheld"
        )
    }
}
