//! The verifier: is this published table safe, and is it true?
//!
//! It sees the published bytes and the policy, and (for truth) the original table; never a solution, never
//! what the program meant to write. Rows are alike when the texts of their quasi-identifier cells are equal.
//! A star is a text too: it matches nothing but a star, so in a release with stars the rows of a group are
//! equal letter for letter.

mod balls;
mod centres;
mod codings;
mod cover;
mod earlier;
mod ends;
mod finder;
mod lines;
mod linkage;
mod looks;
mod matching;
mod models;
mod names;
mod off_level;
mod persons;
mod places;
mod presence;
mod risk;
mod runs;
mod spread;
mod told;
mod truth;
mod witness;

use crate::call::{Call, Stopped};
use crate::distribution::{Distributions, row_sizes};
use crate::encode::EncodeError;
use crate::fold::folded;
use crate::identifying::{FEW_ROWS, identifying, unacknowledged, unique_share};
use crate::kind::Kind;
use crate::policy::{
    ColumnPolicy, Form, GROUP_COLUMNS, LABEL_COLUMN, Mistake, Mistakes, Policy, Role, bound_names,
    midpoint_names, nearest, point_name,
};
use crate::requirement::Requirement;
#[cfg(feature = "columnar")]
use crate::table::ReadOptions;
use crate::table::{Column, Found, Hidden, Source, Table, TableError, distinct_rows, read_cells};
use crate::unit::Unit;
use centres::Counted;
pub use codings::Coded;
pub use earlier::{EarlierGroups, Heads, Intersections, Links, NEW, earlier_groups, linked_groups};
pub use linkage::{Linkage, link};
use models::examine;
pub use models::{Finding, ModelVerdict, Shown};
pub(crate) use names::low_end;
pub use places::{PlacedGroup, Places, Shape, places};
pub use risk::{Alike, Exposed, alike, exposed};
pub use runs::{Overall, verify_runs};
use serde::{Deserialize, Serialize};
pub use spread::{Spread, SpreadColumn, spread};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;
pub use told::told;
pub use truth::{Truth, check_truth, in_order};
pub use witness::{Untrue, Witnessed};

/// What the verifier found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The least group size the policy asks for.
    pub k: u64,
    /// What sizes are numbers of.
    pub unit: Unit,
    /// Rows of the release.
    pub rows: usize,
    /// Groups of rows that look alike.
    pub groups: usize,
    /// People in the smallest group.
    pub smallest: u64,
    /// People in the largest group.
    pub largest: u64,
    /// For everybody how many look alike, added up: the discernibility metric of the rows that are published.
    #[serde(with = "crate::value::decimal_text")]
    pub alike: u128,
    /// Groups below k: size → how many groups of that size.
    pub below_k: BTreeMap<u64, usize>,
    /// Groups that tell another size than they have.
    pub miscounted: usize,
    /// Columns that should not be there, and why.
    pub forbidden: Vec<(String, Forbidden)>,
    /// Columns that publish other ends than the policy rounds to, and in how many rows.
    pub unrounded: Vec<(String, usize)>,
    /// Columns with cells outside the levels that the policy allows, and in how many rows: finer or coarser ones, or
    /// values beyond its top or bottom.
    pub off_level: Vec<(String, usize)>,
    /// Under global recoding, the levels that every quasi-identifier can be on.
    #[serde(default)]
    pub codings: Vec<Coded>,
    /// What the file holds besides its rows, and no row has.
    pub hidden: Vec<Hidden>,
    /// Metadata of the file of which it is not clear whether they are about its schema.
    pub unclear: Vec<String>,
    /// Columns that the policy does not speak of, where it did not mean to name them all.
    pub unlisted: Vec<String>,
    /// Those of them that are named like a quasi-identifier or an identifier, and like which.
    pub variants: Vec<(String, String)>,
    /// The privacy models that the policy asks for.
    pub models: Vec<ModelVerdict>,
    /// What is shown of every sensitive column, whether a model was asked for or not.
    pub shown: Vec<Shown>,
    /// The share of rows that no other row equals on all columns that are published as they are; 0 where there
    /// are so few rows that they differ by chance.
    pub unique_as_kept: f64,
}

/// Why a column should not be in a release.
#[allow(missing_docs)] // The sentences say what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Forbidden {
    Identifier,
    Person,
    Dropped,
    Ungrouped,
    NoRole,
    NoRoleNaming,
    NoRoleBeside,
    OwnRadii,
    Naming,
}

impl Forbidden {
    /// As a sentence about the column.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Identifier => "is an identifier",
            Self::Person => "identifies persons",
            Self::Dropped => "has role drop",
            Self::Ungrouped => "is published next to its own bounds",
            Self::NoRole => "has no role in the policy",
            Self::NoRoleNaming => "has no role and seems to identify people",
            Self::NoRoleBeside => "has no role and seems to publish a quasi-identifier a second time",
            Self::OwnRadii => "has a radius per group, but the policy sets one_radius",
            Self::Naming => {
                "is published unchanged and seems to identify people, which the policy does not acknowledge"
            }
        }
    }
}

impl Verdict {
    /// Whether the release is safe under the policy, as far as it was decided ([`Verdict::undecided`]).
    pub fn safe(&self) -> bool {
        let short = self.models.iter().any(|model| matches!(model.finding, Finding::Short { .. }));
        let rounded = self.unrounded.is_empty() && self.off_level.is_empty() && self.hidden.is_empty();
        let rounded = rounded && self.coded_twice().is_none();
        self.below_k.is_empty() && self.miscounted == 0 && self.forbidden.is_empty() && rounded && !short
    }

    /// Under global recoding, a quasi-identifier that is not published at one level.
    pub fn coded_twice(&self) -> Option<&str> {
        self.codings.iter().find(|coded| !coded.once()).map(|coded| coded.column.as_str())
    }

    /// What holds for two parts of a release whose groups are whole in each. What only the whole release tells
    /// is left as it is.
    pub fn absorb(&mut self, other: Self) {
        self.rows += other.rows;
        self.groups += other.groups;
        self.smallest = self.smallest.min(other.smallest);
        self.largest = self.largest.max(other.largest);
        self.alike += other.alike;
        for (size, groups) in other.below_k {
            *self.below_k.entry(size).or_default() += groups;
        }
        self.miscounted += other.miscounted;
        let new = |found: &(String, Forbidden)| !self.forbidden.contains(found);
        let new: Vec<_> = other.forbidden.into_iter().filter(new).collect();
        self.forbidden.extend(new);
        let both = [(&mut self.unrounded, other.unrounded), (&mut self.off_level, other.off_level)];
        for (list, found) in both {
            for (column, rows) in found {
                match list.iter_mut().find(|(own, _)| *own == column) {
                    Some((_, own)) => *own += rows,
                    None => list.push((column, rows)),
                }
            }
        }
        self.codings.iter_mut().zip(&other.codings).for_each(|(own, other)| own.absorb(other));
        self.models.iter_mut().zip(other.models).for_each(|(own, other)| own.absorb(other));
        for other in other.shown {
            match self.shown.iter_mut().find(|own| own.column == other.column) {
                Some(own) => own.absorb(other),
                None => self.shown.push(other),
            }
        }
    }

    /// The models that could not be decided.
    pub fn undecided(&self) -> impl Iterator<Item = &ModelVerdict> {
        self.models.iter().filter(|model| matches!(model.finding, Finding::Undecided(_)))
    }

    /// Takes the columns without a role for harmless, whatever they look like.
    pub fn allow_others(&mut self) {
        let suspect =
            |reason: &Forbidden| matches!(reason, Forbidden::NoRoleNaming | Forbidden::NoRoleBeside);
        let found = self.forbidden.extract_if(.., |(_, reason)| suspect(reason));
        self.unlisted.extend(found.map(|(name, _)| name));
    }

    /// Takes down what was found of distinct persons by other means than the release.
    pub fn decide_persons(&mut self, found: Finding) {
        let words = Requirement::Persons(self.k).words("");
        if let Some(model) = self.models.iter_mut().find(|m| m.column.is_none() && m.model == words) {
            model.finding = found;
        }
    }

    /// Takes down what was found of presence by other means than the release, where it does not tell how many
    /// persons its rows are about.
    pub fn decide_presence(&mut self, found: Finding) {
        let open = Finding::Undecided(presence::ROWS_ARE_NOT_PERSONS.into());
        if let Some(model) = self.models.iter_mut().find(|model| model.finding == open) {
            model.finding = found;
        }
    }
}

/// Why no verdict is possible.
#[allow(missing_docs)] // The messages say what they are.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Policy(#[from] Mistakes),
    #[error(transparent)]
    Original(#[from] EncodeError),
    #[error(
        "could not decide whether the release is true: the rows of the original that its rows cover make more than \
         {} pairs",
        truth::MOST_PAIRS
    )]
    Undecided,
    #[error(
        "could not decide which group of the earlier release each row was in: the rows that its rows cover make more \
         than {} pairs",
        truth::MOST_PAIRS
    )]
    TooManyWays,
    /// A groups file is that of another release.
    #[error("the groups file does not belong to the earlier release: {0}")]
    NotItsGroups(&'static str),
    #[error(transparent)]
    Untrue(#[from] Untrue),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A published table that was read: only the columns that the verdict depends on, unless truth is asked for.
#[derive(Debug, Clone)]
pub struct Published {
    table: Table,
    names: Vec<String>,
    lookup: Lookup,
    /// Whom every row is about, where somebody knows that.
    persons: Option<Vec<u32>>,
    /// What the file holds besides its rows.
    found: Found,
    call: Call,
}

/// What names in a column stand for: column and name → set; in form `codes` column and label → cell.
pub type Lookup = BTreeMap<(String, String), String>;

/// The header of a lookup file of sets.
pub const LOOKUP_HEADER: [&str; 3] = ["column", "name", "set"];

/// Reads a lookup file: column, name, set; or, in form `codes`, a line per group with its label and a cell per
/// quasi-identifier. `None` if it is neither.
pub fn read_lookup(text: &str) -> Result<Option<Lookup>, TableError> {
    let lines = read_cells(text, b',')?;
    let Some(header) = lines.first().cloned() else { return Ok(None) };
    let lines = lines.into_iter().skip(1);
    if header.first().is_some_and(|first| first == LABEL_COLUMN) {
        let cells = |line: Vec<String>| -> Vec<((String, String), String)> {
            let label = line.first().cloned().unwrap_or_default();
            let cells = header.iter().zip(line).skip(1);
            cells.map(|(column, cell)| ((column.clone(), label.clone()), cell)).collect()
        };
        return Ok(Some(lines.flat_map(cells).collect()));
    }
    if header != LOOKUP_HEADER {
        return Ok(None);
    }
    Ok(Some(
        lines
            .filter_map(|line| Some(((line.first()?.clone(), line.get(1)?.clone()), line.get(2)?.clone())))
            .collect(),
    ))
}

impl Published {
    /// Reads what the verifier needs of a release; `whole` reads the untouched columns too, for
    /// [`check_truth`].
    pub fn read(source: Source, policy: &Policy, whole: bool) -> Result<Self, VerifyError> {
        let (names, call) = (source.names().to_vec(), source.call().clone());
        let needed = needed(&names, policy, whole)?;
        Ok(Self::of(source.read(|name| needed.contains(name))?, names, call))
    }

    /// A table of a release whose columns have these names, of which it may lack some.
    fn of(table: Table, names: Vec<String>, call: Call) -> Self {
        Self { table, names, lookup: Lookup::new(), persons: None, found: Found::default(), call }
    }

    /// The same, and looks for what a typed file says besides its rows.
    pub fn read_file(source: Source, policy: &Policy, whole: bool) -> Result<Self, VerifyError> {
        let (names, call) = (source.names().to_vec(), source.call().clone());
        let needed = needed(&names, policy, whole)?;
        let (table, found) = source.read_all_of(|name| needed.contains(name))?;
        Ok(Self { found, ..Self::of(table, names, call) })
    }

    /// Takes over what the verifier needs of a release in memory, as [`Published::read`] does of a file.
    #[cfg(feature = "columnar")]
    pub fn from_batches(
        schema: &arrow_schema::Schema,
        batches: &[arrow_array::RecordBatch],
        policy: &Policy,
        whole: bool,
        options: &ReadOptions,
    ) -> Result<Self, VerifyError> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let needed = needed(&names, policy, whole)?;
        let table = Table::from_batches(schema, batches, |name| needed.contains(name), options)?;
        Ok(Self::of(table, names, options.call.clone()))
    }

    /// The call that reads and verifies it.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Reads names as what they stand for when truth is asked for, or who of a population fits. Whether a
    /// release is safe does not depend on it otherwise.
    pub fn with_lookup(self, lookup: Lookup) -> Self {
        Self { lookup, ..self }
    }

    /// Takes down whom every row is about: a release does not tell, but who made it knows. [`exposed`] then counts
    /// distinct persons.
    pub fn with_persons(self, persons: Vec<u32>) -> Self {
        let persons = Some(persons).filter(|persons| persons.len() == self.table.rows());
        Self { persons, ..self }
    }
}

/// The columns that a verdict depends on; all of them if `whole`.
fn needed(names: &[String], policy: &Policy, whole: bool) -> Result<BTreeSet<String>, Mistakes> {
    let quasi = quasi_columns(names, policy)?.into_iter().flatten();
    if whole || policy.per_group || !policy.complete {
        return Ok(names.iter().cloned().collect());
    }
    let told = GROUP_COLUMNS.iter().filter(|_| policy.form == Form::Centres).map(|&name| name.to_owned());
    let kept = policy.columns.iter().filter(|c| c.published_untouched()).map(|c| c.name.clone());
    let others = policy.count_column().map(str::to_owned).into_iter().chain(told).chain(kept);
    Ok(quasi.chain(others).collect())
}

/// For every quasi-identifier the one or two columns of a release that publish it.
pub fn quasi_columns(names: &[String], policy: &Policy) -> Result<Vec<Vec<String>>, Mistakes> {
    let has = |name: &str| names.iter().any(|n| n == name);
    let mut found = Vec::new();
    let mut mistakes = Vec::new();
    for (column, quasi) in policy.quasi() {
        let bounds = bound_names(&column.name);
        let middle = midpoint_names(&column.name);
        let ordered = quasi.kind.as_ref().is_none_or(Kind::ordered);
        let point = policy.point_of(&column.name).map(|pair| point_name(&pair)).filter(|name| has(name));
        if policy.form == Form::Codes {
            found.push(vec![LABEL_COLUMN.to_owned()]);
        } else if let (Form::Wkt, Some(point)) = (policy.form, &point) {
            found.push(vec![point.clone()]);
        } else if policy.form == Form::Bounds && ordered && bounds.iter().all(|b| has(b)) {
            found.push(bounds.to_vec());
        } else if policy.form == Form::Midpoint && ordered && middle.iter().all(|m| has(m)) {
            found.push(middle.to_vec());
        } else if has(&column.name) {
            found.push(vec![column.name.clone()]);
        } else {
            let mistake = Mistake::new(format!("the release has no column {:?}", column.name), column.place);
            mistakes.push(if bounds.iter().all(|b| has(b)) {
                mistake.hint("it seems to be published as bounds: use {form=bounds}")
            } else if has(LABEL_COLUMN) {
                mistake.hint("it seems to be published by labels of groups: use {form=codes}")
            } else if point.is_some() {
                mistake.hint("it seems to be published as a point: use {form=wkt}")
            } else if let Some(close) = nearest(&column.name, names.iter().map(String::as_str)) {
                mistake.hint(format!("did you mean {close:?}?"))
            } else {
                mistake.hint("is this the right policy for this release?")
            });
        }
    }
    let mut lacks = |what: String, hint: &'static str| mistakes.push(Mistake::new(what, None).hint(hint));
    if policy.form == Form::Codes && !has(LABEL_COLUMN) {
        let what = format!("the release has no column {LABEL_COLUMN:?}");
        lacks(what, "a release in form codes has the label of every row's group");
    }
    for name in GROUP_COLUMNS.iter().filter(|name| policy.form == Form::Centres && !has(name)) {
        let what = format!("the release has no column {name:?}");
        lacks(what, "a release of centres has the size and the radius of every group");
    }
    if let Some(count) = policy.count_column().filter(|c| !has(c)) {
        let what = format!("the release has no count column {count:?}");
        lacks(what, "without it the number of people per row is unknown");
    }
    if mistakes.is_empty() { Ok(found) } else { Err(Mistakes::from(mistakes)) }
}

/// How many people every row of a table stands for.
fn people_of(table: &Table, policy: &Policy) -> Result<Vec<u64>, Mistakes> {
    let counts = row_sizes(table, policy)?;
    Ok(counts.map_or_else(|| vec![1; table.rows()], |counts| counts.into_iter().map(u64::from).collect()))
}

/// How many people every row of a release stands for.
fn people_of_rows(published: &Published, policy: &Policy) -> Result<Vec<u64>, Mistakes> {
    people_of(&published.table, policy).map_err(|mistakes| mistakes.found_in("the release"))
}

/// The groups of a release and the people that they hold.
fn count_groups(published: &Published, policy: &Policy) -> Result<Counted, Mistakes> {
    let table = &published.table;
    let columns = quasi_columns(&published.names, policy)?;
    if policy.form == Form::Centres && policy.per_group {
        return Ok(centres::by_line(published, policy));
    }
    let people = people_of_rows(published, policy)?;
    if policy.form == Form::Centres {
        return Ok(centres::by_row(published, &columns, people));
    }
    // In form codes, one column stands for all of them.
    let names: BTreeSet<&String> = columns.iter().flatten().collect();
    let names = names.into_iter();
    let codes: Vec<&[u32]> = names.filter_map(|name| table.column(name)).map(|c| c.codes()).collect();
    let groups = distinct_rows(&codes, table.rows());
    let sizes = groups.sums(people.iter().copied());
    Ok(Counted { sizes, miscounted: 0, group_of: Some(groups.of_row), first: groups.first, people })
}

/// Judges a published table.
pub fn verify(published: &Published, policy: &Policy) -> Result<Verdict, VerifyError> {
    let mut verdict = verify_part(published, policy, &Distributions::default())?;
    if policy.per_group {
        return Ok(verdict);
    }
    let table = &published.table;
    let naming = unacknowledged(policy, table).map(|(c, _)| (c.name.clone(), Forbidden::Naming));
    verdict.forbidden.extend(naming);
    let unchanged = policy.columns.iter().filter(|c| c.published_untouched());
    let kept: Vec<&[u32]> = unchanged.filter_map(|c| table.column(&c.name)).map(Column::codes).collect();
    if !kept.is_empty() && table.rows() >= FEW_ROWS {
        verdict.unique_as_kept = unique_share(&kept, table.rows());
    }
    Ok(verdict)
}

/// Judges a part of a published table that holds its groups whole. Groups are compared with these
/// distributions of sensitive columns; with the part's own where there is none. A part does not tell whether
/// unchanged columns identify people.
pub fn verify_part(
    published: &Published,
    policy: &Policy,
    whole: &Distributions,
) -> Result<Verdict, VerifyError> {
    let (table, names) = (&published.table, &published.names);
    published.call.check()?;
    let columns = quasi_columns(names, policy)?;
    let counted = count_groups(published, policy)?;
    let (mut models, shown) = examine(published, policy, &counted, whole)?;
    models.extend(presence::examine(published, policy, &counted)?);
    let Counted { sizes, miscounted, .. } = counted;
    let mut below_k = BTreeMap::new();
    for &size in sizes.iter().filter(|&&s| s < policy.k) {
        *below_k.entry(size).or_default() += 1;
    }
    let (mut forbidden, unlisted) = examine_columns(published, policy, &columns);
    let variants =
        unlisted.iter().filter_map(|name| Some((name.clone(), variant_of(name, policy)?.to_owned())));
    let variants = variants.collect();
    if policy.form == Form::Centres && policy.one_radius && centres::tells_several_radii(published) {
        forbidden.push((GROUP_COLUMNS[1].to_owned(), Forbidden::OwnRadii));
    }
    Ok(Verdict {
        k: policy.k,
        unit: policy.unit(),
        rows: table.rows(),
        groups: sizes.len(),
        smallest: sizes.iter().copied().min().unwrap_or(0),
        largest: sizes.iter().copied().max().unwrap_or(0),
        alike: sizes.iter().map(|&size| u128::from(size).pow(2)).sum(),
        below_k,
        miscounted,
        forbidden,
        unrounded: ends::unrounded(published, policy, &columns),
        off_level: off_level::off_level(published, policy, &columns),
        codings: codings::codings(published, policy, &columns),
        hidden: published.found.hidden.clone(),
        unclear: published.found.unclear.clone(),
        unlisted,
        variants,
        models,
        shown,
        unique_as_kept: 0.0,
    })
}

fn examine_columns(
    published: &Published,
    policy: &Policy,
    columns: &[Vec<String>],
) -> (Vec<(String, Forbidden)>, Vec<String>) {
    let (mut forbidden, mut unlisted) = (Vec::new(), Vec::new());
    let names_people = |name: &str| {
        let column = published.table.column(name).filter(|_| !policy.per_group);
        column.is_some_and(|column| identifying(column, policy.missing_in(name)).is_some())
    };
    let other_forms: BTreeSet<String> = policy
        .quasi()
        .flat_map(|(column, _)| bound_names(&column.name).into_iter().chain(midpoint_names(&column.name)))
        .collect();
    for name in &published.names {
        let quasi = columns.iter().flatten().any(|c| c == name);
        let reason = match policy.role(name) {
            _ if quasi || policy.form == Form::Centres && GROUP_COLUMNS.contains(&name.as_str()) => None,
            Some(Role::Identifier) => Some(Forbidden::Identifier),
            Some(Role::Person) => Some(Forbidden::Person),
            Some(Role::Drop | Role::Setup) => Some(Forbidden::Dropped),
            Some(Role::Quasi(_)) => Some(Forbidden::Ungrouped),
            Some(_) => None,
            None if policy.complete => Some(Forbidden::NoRole),
            None if other_forms.contains(name) => Some(Forbidden::NoRoleBeside),
            None if matches!(same_name(name, policy), Some(Role::Quasi(_))) => Some(Forbidden::NoRoleBeside),
            None if same_name(name, policy).is_some() => Some(Forbidden::NoRoleNaming),
            None if names_people(name) => Some(Forbidden::NoRoleNaming),
            None => {
                unlisted.push(name.clone());
                None
            }
        };
        if let Some(reason) = reason {
            forbidden.push((name.clone(), reason));
        }
    }
    (forbidden, unlisted)
}

/// The words of a name: `Age_exact` and `ageExact` are both age, exact.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && before.is_lowercase() {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.push(letter));
        }
        before = letter;
    }
    words.iter().map(|word| folded(word).into_owned()).filter(|word| !word.is_empty()).collect()
}

/// Quasi-identifiers and columns that identify people.
fn protected(policy: &Policy) -> impl Iterator<Item = &ColumnPolicy> {
    let roles = |role: &Role| matches!(role, Role::Quasi(_) | Role::Identifier | Role::Person);
    policy.columns.iter().filter(move |said| roles(&said.role))
}

/// The role of the column that has this name, but for letter case, blanks and signs.
fn same_name<'p>(name: &str, policy: &'p Policy) -> Option<&'p Role> {
    let same = |said: &&ColumnPolicy| words(&said.name).concat() == words(name).concat();
    protected(policy).find(same).map(|said| &said.role)
}

/// The column whose name is a part of this one.
fn variant_of<'p>(name: &str, policy: &'p Policy) -> Option<&'p str> {
    let own = words(name);
    let part = |said: &&ColumnPolicy| {
        let words = words(&said.name);
        !words.is_empty() && own.windows(words.len()).any(|window| window == words)
    };
    protected(policy).find(part).map(|said| said.name.as_str())
}
