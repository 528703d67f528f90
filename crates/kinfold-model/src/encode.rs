//! Table + policy → problem: quasi-identifiers become codes, equal rows become records.

use crate::cost::{Cost, ONE, Objective, Rule};
use crate::hierarchy::Hierarchy;
use crate::hint::Hint;
use crate::kind::{Kind, infer, is_missing, value_of};
use crate::measure::measure;
use crate::metric::Clusters;
use crate::policy::{ColumnPolicy, Form, MOST_SETUP, Mistake, Mistakes, Policy, Quasi, Role};
use crate::problem::{Connected, Impossible, Parts, Problem};
use crate::regions::Regions;
use crate::table::{Column, Table, distinct_rows};
use crate::value::{Number, parse_number, positions};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// A problem, and what its codes stand for.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// What solvers see.
    pub problem: Problem,
    /// What publishing needs besides, per quasi-identifier.
    pub codings: Vec<Coding>,
    /// What the user should know of how columns were read.
    pub notes: Vec<String>,
}

/// What the codes of one quasi-identifier stand for.
#[derive(Debug, Clone)]
pub struct Coding {
    /// Position of the column in the table.
    pub column: usize,
    /// What its values are.
    pub kind: Kind,
    words: Vec<u32>,
    respelled: bool,
}

const NO_WORD: u32 = u32::MAX;

impl Coding {
    /// The dictionary entry in which a code is spelled; the first in the table, if it has several (`1`, `1.0`).
    pub fn word(&self, code: u32) -> Option<u32> {
        self.words.get(code as usize).copied().filter(|&w| w != NO_WORD)
    }

    /// Whether some code has several spellings in the table.
    pub fn respelled(&self) -> bool {
        self.respelled
    }
}

/// Why a table cannot be encoded.
#[derive(Debug, Error)]
pub enum EncodeError {
    /// The policy does not fit the table.
    #[error(transparent)]
    Policy(#[from] Mistakes),
    /// The problem has no solution.
    #[error(transparent)]
    Impossible(#[from] Impossible),
}

/// Encodes the quasi-identifiers of a table. All mistakes of all columns are reported together.
pub fn encode(table: &Table, policy: &Policy) -> Result<Encoded, EncodeError> {
    let mut mistakes = Vec::new();
    let mut notes = Vec::new();
    let (mut rules, mut codings, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    // Under group-size there is one column, or all have an order.
    let several_sizes = policy.objective == Objective::GroupSize && policy.quasi().count() > 1;
    let mut map: Option<(usize, ColumnPolicy, Arc<Regions>)> = None;
    for (position, column) in table.columns().iter().enumerate() {
        let Some((said, quasi)) = policy.quasi().find(|(c, _)| c.name == column.name()) else { continue };
        let share = point_share(table, policy, column, quasi);
        let whole = policy.objective == Objective::GroupSize || policy.form == Form::Wkt;
        let needed = whole && quasi.point_with.is_some();
        let (missing, objective) = (&policy.missing, policy.objective);
        let view = View { column, said, quasi, missing, objective, share, needed };
        if let (Some(Kind::Region(regions)), Objective::GroupSize) = (&quasi.kind, policy.objective) {
            map = Some((rules.len(), said.clone(), regions.clone()));
        }
        match view.encode(&mut notes) {
            Ok((_, kind, _)) if several_sizes && !kind.ordered() => mistakes.push(said.unordered(&kind)),
            Ok((rule, kind, codes)) => {
                let respelled = codes.respelled;
                let rule =
                    if policy.objective.suppresses() { Rule::flat(rule.values(), rule.full()) } else { rule };
                codings.push(Coding { column: position, kind, words: codes.words, respelled });
                rules.push(rule);
                columns.push(column.codes().iter().map(|&c| codes.of[c as usize]).collect::<Vec<u32>>());
            }
            Err(found) => mistakes.extend(found),
        }
    }
    let row_sizes = match policy.count_column().and_then(|name| table.column(name)) {
        Some(column) => match read_counts(column) {
            Ok(counts) => Some(counts),
            Err(mistake) => {
                mistakes.push(mistake);
                None
            }
        },
        None => None,
    };
    let setups = match policy.setup_column().and_then(|name| table.column(name)).map(read_setups) {
        Some(Ok(costs)) => Some(costs),
        Some(Err(mistake)) => {
            mistakes.push(mistake);
            None
        }
        None => None,
    };
    let mut clusters = Clusters::default();
    if mistakes.is_empty() && policy.objective.clusters() {
        match measure(table, policy, &codings, &rules, &columns) {
            Ok(measured) => clusters = measured,
            Err(found) => mistakes.extend(found),
        }
    }
    if !mistakes.is_empty() {
        return Err(Mistakes { list: mistakes, file: None }.into());
    }
    let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    let distinct = distinct_rows(&slices, table.rows());
    let codes = distinct.first.iter().flat_map(|&row| columns.iter().map(move |c| c[row as usize])).collect();
    if let Some(costs) = setups {
        // Of copies the cheapest is in the centre.
        clusters.setups = vec![Cost(u64::MAX); distinct.first.len()];
        for (&record, cost) in distinct.of_row.iter().zip(costs) {
            let least = &mut clusters.setups[record as usize];
            *least = cost.min(*least);
        }
    }
    let people: u64 =
        row_sizes.as_ref().map_or(table.rows() as u64, |s| s.iter().map(|&c| u64::from(c)).sum());
    // The small addend forgives the binary rounding of shares such as 0.29.
    let may_withhold = (policy.withhold * people as f64 + 1e-9) as u64;
    let connected = match map {
        Some((column, said, regions)) => {
            let size = |row: usize| row_sizes.as_ref().map_or(1, |s| u64::from(s[row]));
            let mut empty = vec![true; regions.names().len()];
            let mut in_region = vec![0u64; regions.names().len()];
            for (row, &region) in columns[column].iter().enumerate() {
                empty[region as usize] = false;
                in_region[region as usize] += size(row);
            }
            if let Some(mistake) = too_light(&regions, &in_region, &empty, policy, may_withhold, &said) {
                return Err(Mistakes { list: vec![mistake], file: None }.into());
            }
            Some(Connected { column, graph: regions.graph().clone(), empty })
        }
        None => None,
    };
    let problem = Problem::new(Parts {
        k: policy.k,
        objective: policy.objective,
        rules,
        record_of: distinct.of_row,
        codes,
        row_sizes,
        may_withhold,
        clusters,
        connected,
    })?;
    Ok(Encoded { problem, codings, notes })
}

/// Regions that touch nobody but each other and hold too few people cannot be grouped: a mistake that names one of each, unless all
/// of them may be withheld.
fn too_light(
    regions: &Regions,
    people: &[u64],
    empty: &[bool],
    policy: &Policy,
    may_withhold: u64,
    said: &ColumnPolicy,
) -> Option<Mistake> {
    let (component, k) = (regions.graph().components(), policy.k);
    let mut sums: BTreeMap<u32, (u64, usize)> = BTreeMap::new();
    // Rows that stand for nobody need a place too.
    for region in (0..people.len()).filter(|&region| !empty[region]) {
        sums.entry(component[region]).or_insert((0, region)).0 += people[region];
    }
    let light: Vec<(u64, usize)> = sums.into_values().filter(|&(sum, _)| sum < k).collect();
    let everybody: u64 = people.iter().sum();
    let people: u64 = light.iter().map(|(sum, _)| sum).sum();
    if light.is_empty() || may_withhold > 0 && people <= may_withhold {
        return None;
    }
    let mut names: Vec<&str> = light.iter().take(5).map(|&(_, r)| regions.names()[r].as_str()).collect();
    if light.len() > 5 {
        names.push("…");
    }
    let (parts, holds, those) = match light.len() {
        1 => ("1 part".to_owned(), "holds", "that"),
        many => (format!("{many} separate parts"), "hold", "those"),
    };
    let what = format!(
        "column {:?}: {parts} of the map {holds} fewer than {k} people: {those} with region {}",
        said.name,
        names.join(", ")
    );
    // How many live there is nobody's business; the share that must be allowed is.
    let share = percent_above(people.max(1) as f64 / everybody.max(1) as f64);
    let hint =
        Hint::from("withhold them with ")
            .setting("withhold", format!("{share}%"))
            .text(", or say in the file of regions what they touch");
    Some(Mistake::new(what, said.place.clone()).hint(hint))
}

/// A share as a percentage of two digits, rounded up.
fn percent_above(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = (1.0 - percent.log10().floor()).max(0.0) as usize;
    let scale = 10f64.powi(decimals as i32);
    format!("{:.decimals$}", ((percent * scale).ceil() / scale).min(100.0))
}

/// The share of a point's weight that falls to this one of its coordinates: as its domain's width to that of both.
fn point_share(table: &Table, policy: &Policy, column: &Column, quasi: &Quasi) -> f64 {
    let width = |column: &Column, quasi: &Quasi| {
        let texts: Vec<&str> = match &quasi.domain {
            Some(domain) => vec![&domain.low, &domain.high],
            None => {
                let present = |&code: &u32| !is_missing(column, code, &policy.missing);
                (0..column.distinct() as u32).filter(present).map(|code| column.text(code)).collect()
            }
        };
        let values = texts.into_iter().filter_map(|text| value_of(&Kind::Numeric, text)).map(Number::to_f64);
        let ends = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        (ends.1 - ends.0).max(0.0)
    };
    let Some(name) = &quasi.point_with else { return 1.0 };
    let (Some(other_column), Some(Role::Quasi(other))) = (table.column(name), policy.role(name)) else {
        return 1.0;
    };
    let (own, other) = (width(column, quasi), width(other_column, other));
    if own + other > 0.0 { own / (own + other) } else { 0.5 }
}

/// How the dictionary of a column maps to codes.
struct Codes {
    of: Vec<u32>,
    words: Vec<u32>,
    respelled: bool,
}

impl Codes {
    fn new(dictionary: usize, codes: usize) -> Self {
        Self { of: vec![0; dictionary], words: vec![NO_WORD; codes], respelled: false }
    }

    /// Dictionary entries come in order of appearance, so the first spelling of a code is kept.
    fn set(&mut self, entry: u32, code: u32) {
        self.of[entry as usize] = code;
        let word = &mut self.words[code as usize];
        if *word == NO_WORD {
            *word = entry;
        } else {
            self.respelled = true;
        }
    }
}

/// One column and all that is said of it.
struct View<'a> {
    column: &'a Column,
    said: &'a ColumnPolicy,
    quasi: &'a Quasi,
    missing: &'a [String],
    objective: Objective,
    /// The share of the weight that falls to the column: less than all if it is a coordinate of a point.
    share: f64,
    /// Whether it is a coordinate that no row may lack: neither rectangles that do not overlap nor well-known text have a place for such.
    needed: bool,
}

type Encoding = (Rule, Kind, Codes);

impl View<'_> {
    fn encode(&self, notes: &mut Vec<String>) -> Result<Encoding, Vec<Mistake>> {
        let kind = self.quasi.kind.clone().unwrap_or_else(|| self.infer(notes));
        let full = Rule::full_of(self.quasi.weight * self.share);
        match &kind {
            Kind::Numeric | Kind::Date | Kind::Ordinal(_) => self.line(kind, full),
            Kind::Category => Ok(self.labels(full)),
            Kind::Hierarchy(hierarchy) => self.tree(hierarchy, None, full),
            Kind::Region(regions) if self.objective == Objective::GroupSize => self.places(regions, full),
            Kind::Region(regions) => self.tree(regions.hierarchy(), Some(regions), full),
        }
    }

    fn infer(&self, notes: &mut Vec<String>) -> Kind {
        let found = infer(self.column, self.missing);
        let name = self.column.name();
        if found.spoilers > 0 {
            notes.push(format!(
                "column {name:?} is read as category: {} of its {} distinct values are not numbers; \
                 say {name}:numeric with --missing, or {name}:category, to be sure",
                found.spoilers,
                self.column.distinct()
            ));
        }
        found.kind
    }

    fn mistake(&self, what: String) -> Mistake {
        Mistake::new(format!("column {:?}: {what}", self.column.name()), self.said.place.clone())
    }

    /// How many rows hold one of these entries, and the first such row: never what it holds.
    fn rows_with(&self, entries: &[u32]) -> String {
        let mut bad = vec![false; self.column.distinct()];
        for &entry in entries {
            bad[entry as usize] = true;
        }
        let rows = self.column.codes().iter().filter(|&&c| bad[c as usize]).count();
        let first = self.column.codes().iter().position(|&c| bad[c as usize]).map_or(0, |i| i + 1);
        if rows == 1 {
            format!("1 row (row {first})")
        } else {
            format!("{rows} rows (the first is row {first})")
        }
    }

    fn entries(&self) -> impl Iterator<Item = (u32, &str, bool)> {
        (0..self.column.distinct() as u32)
            .map(|entry| (entry, self.column.text(entry), is_missing(self.column, entry, self.missing)))
    }

    fn line(&self, kind: Kind, full: u64) -> Result<Encoding, Vec<Mistake>> {
        let mut values: Vec<(Number, u32)> = Vec::new();
        let (mut absent, mut spoilers, mut infinite) = (Vec::new(), Vec::new(), Vec::new());
        for (entry, text, missing) in self.entries() {
            match value_of(&kind, text) {
                _ if missing => absent.push(entry),
                Some(value) => values.push((value, entry)),
                None if is_infinite(text) => infinite.push(entry),
                None => spoilers.push(entry),
            }
        }
        let mut mistakes = Vec::new();
        if self.needed && !absent.is_empty() {
            let what = format!("a coordinate is missing in {}", self.rows_with(&absent));
            let hint =
                "fill it in or leave the row out; objective ncp in form ranges or bounds takes missing ones";
            mistakes.push(self.mistake(what).hint(hint));
        }
        if !infinite.is_empty() {
            let what = format!("NaN or an infinity in {}", self.rows_with(&infinite));
            mistakes.push(self.mistake(what).hint("mend them, or count them as missing with {missing}"));
        }
        if !spoilers.is_empty() {
            let what = format!("not {} in {}", article(&kind), self.rows_with(&spoilers));
            let hint = match kind {
                Kind::Ordinal(_) => "name every level in the order",
                Kind::Date => "dates are written 2024-02-29 or 2024-02-29T12:30:00",
                _ => "mend them, count them as missing with {missing}, or use kind category",
            };
            mistakes.push(self.mistake(what).hint(hint));
        }
        values.sort_unstable();
        let mut codes = Codes::new(self.column.distinct(), values.len() + usize::from(!absent.is_empty()));
        let mut distinct: Vec<Number> = Vec::new();
        for &(value, entry) in &values {
            if distinct.last() != Some(&value) {
                distinct.push(value);
            }
            codes.set(entry, distinct.len() as u32 - 1);
        }
        for &entry in &absent {
            codes.set(entry, distinct.len() as u32);
        }
        codes.words.truncate(distinct.len() + usize::from(!absent.is_empty()));
        let (low, high) = match (&kind, &self.quasi.domain) {
            (Kind::Ordinal(levels), _) => (Number::whole(0), Number::whole(levels.len() as i64 - 1)),
            (_, Some(domain)) => match (value_of(&kind, &domain.low), value_of(&kind, &domain.high)) {
                (Some(low), Some(high)) => (low, high),
                _ => {
                    let what = format!("the ends of its domain are not {}s", kind.word());
                    return Err(vec![
                        self.mistake(what).hint("write the ends as the column writes its values"),
                    ]);
                }
            },
            _ => (
                distinct.first().copied().unwrap_or(Number::whole(0)),
                distinct.last().copied().unwrap_or(Number::whole(0)),
            ),
        };
        let outside: Vec<u32> =
            values.iter().filter(|(v, _)| *v < low || *v > high).map(|&(_, e)| e).collect();
        if !outside.is_empty() {
            let what = format!("outside the domain in {}", self.rows_with(&outside));
            let mut mistake =
                self.mistake(what).hint("widen the domain, or leave it out to take the table's own");
            mistake.place = self.quasi.domain.as_ref().and_then(|d| d.place.clone()).or(mistake.place);
            mistakes.push(mistake);
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let at = positions(&distinct, low, high, full);
        Ok((Rule::line(at, !absent.is_empty(), full).between_ends(low, high), kind, codes))
    }

    fn labels(&self, full: u64) -> Encoding {
        let mut present: Vec<(&str, u32)> = Vec::new();
        let mut absent = Vec::new();
        for (entry, text, missing) in self.entries() {
            if missing { absent.push(entry) } else { present.push((text, entry)) }
        }
        present.sort_unstable();
        let values = present.len() + usize::from(!absent.is_empty());
        let mut codes = Codes::new(self.column.distinct(), values);
        for (code, &(_, entry)) in (0u32..).zip(&present) {
            codes.set(entry, code);
        }
        for &entry in &absent {
            codes.set(entry, present.len() as u32);
        }
        (Rule::set(values as u32, full), Kind::Category, codes)
    }

    /// Regions as labels: codes are the numbers of the map.
    fn places(&self, regions: &Regions, full: u64) -> Result<Encoding, Vec<Mistake>> {
        let mut codes = Codes::new(self.column.distinct(), regions.names().len());
        let (mut unknown, mut absent) = (Vec::new(), Vec::new());
        for (entry, text, missing) in self.entries() {
            match regions.number(text) {
                Some(region) => codes.set(entry, region),
                None if missing => absent.push(entry),
                None => unknown.push(entry),
            }
        }
        let mut mistakes = Vec::new();
        if !absent.is_empty() {
            let what = format!("the region is missing in {}", self.rows_with(&absent));
            let hint = "fill it in or leave the row out; objective ncp takes missing ones";
            mistakes.push(self.mistake(what).hint(hint));
        }
        if !unknown.is_empty() {
            let what = format!("a region that the map does not name in {}", self.rows_with(&unknown));
            mistakes.push(self.mistake(what).hint("add a line for each such region to the file of regions"));
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        Ok((Rule::set(regions.names().len() as u32, full), Kind::Category, codes))
    }

    fn tree(
        &self,
        hierarchy: &Arc<Hierarchy>,
        regions: Option<&Regions>,
        full: u64,
    ) -> Result<Encoding, Vec<Mistake>> {
        let mut leaf_of: BTreeMap<u32, u32> = BTreeMap::new();
        let (mut absent, mut unknown) = (Vec::new(), Vec::new());
        for (entry, text, missing) in self.entries() {
            match hierarchy.leaf(text) {
                Some(leaf) => {
                    leaf_of.insert(entry, leaf);
                }
                None if missing => absent.push(entry),
                None => unknown.push(entry),
            }
        }
        if !unknown.is_empty() {
            let what = format!("a value that the hierarchy does not name in {}", self.rows_with(&unknown));
            return Err(vec![
                self.mistake(what).hint("add a line for each such value to the hierarchy file"),
            ]);
        }
        let hierarchy =
            if absent.is_empty() { hierarchy.clone() } else { Arc::new(hierarchy.with_extra_leaf()) };
        let leaves = hierarchy.tree().leaves();
        let mut codes = Codes::new(self.column.distinct(), leaves as usize);
        for (entry, leaf) in leaf_of {
            codes.set(entry, leaf);
        }
        for &entry in &absent {
            codes.set(entry, leaves - 1);
        }
        let tree = Arc::new(hierarchy.tree().clone());
        let rule = match regions.and_then(|regions| Some((regions, regions.people()?))) {
            Some((regions, people)) => {
                let living = |leaf| regions.number(hierarchy.label(leaf)).map_or(0, |r| people[r as usize]);
                Rule::peopled_tree(tree, &(0..leaves).map(living).collect::<Vec<u64>>(), full)
            }
            None => Rule::tree(tree, full),
        };
        Ok((rule, Kind::Hierarchy(hierarchy), codes))
    }
}

fn is_infinite(text: &str) -> bool {
    let bare = text.trim_ascii().trim_start_matches(['-', '+']).to_ascii_lowercase();
    matches!(bare.as_str(), "inf" | "infinity" | "nan" | "∞")
}

fn article(kind: &Kind) -> &'static str {
    match kind {
        Kind::Date => "an ISO date",
        Kind::Ordinal(_) => "a level of the given order",
        _ => "a number (up to 30 digits)",
    }
}

/// Counts are whole, and not negative; a row may stand for nobody.
pub(crate) fn read_counts(column: &Column) -> Result<Vec<u32>, Mistake> {
    let mut sizes = vec![0u32; column.distinct()];
    for entry in 0..column.distinct() as u32 {
        match column.text(entry).trim_ascii().parse::<u32>() {
            Ok(count) if !column.is_null(entry) => sizes[entry as usize] = count,
            _ => {
                let row = column.first_row_of(entry);
                let what = format!(
                    "column {:?}: the count in row {row} is not a whole number from 0 to {}",
                    column.name(),
                    u32::MAX
                );
                return Err(Mistake::new(what, None).hint(
                    "counts say how many people a row stands for: no fractions, no negatives, none missing",
                ));
            }
        }
    }
    Ok(column.codes().iter().map(|&c| sizes[c as usize]).collect())
}

/// Set-up costs are numbers from 0 to a thousand million, none missing.
fn read_setups(column: &Column) -> Result<Vec<Cost>, Mistake> {
    let cost = |entry: u32| {
        let number = parse_number(column.text(entry).trim_ascii()).map(|n| n.to_f64());
        match number.filter(|n| !column.is_null(entry) && (0.0..=MOST_SETUP).contains(n)) {
            Some(cost) => Ok(Cost((cost * ONE as f64).round() as u64)),
            None => {
                let row = column.first_row_of(entry);
                let what =
                    format!("column {:?}: the set-up cost in row {row} is out of range", column.name());
                Err(Mistake::new(what, None).hint("write numbers from 0 to 1000000000, none missing"))
            }
        }
    };
    let costs: Vec<Cost> = (0..column.distinct() as u32).map(cost).collect::<Result<_, _>>()?;
    Ok(column.codes().iter().map(|&entry| costs[entry as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::percent_above;

    #[test]
    fn a_share_that_must_be_allowed_is_never_rounded_down() {
        let told = [1.0 / 19.0, 0.000574, 0.5, 0.999, 1.0, 1e-7].map(percent_above);
        assert_eq!(told, ["5.3", "0.058", "50", "100", "100", "0.000010"]);
    }
}
