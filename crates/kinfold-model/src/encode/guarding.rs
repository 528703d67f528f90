//! The requirements of a policy, and what they look at in the rows of a table.

use super::reading::rows_with;
use crate::distribution::Distributions;
use crate::fold::folded;
use crate::kind::{Kind, is_missing, value_of};
use crate::policy::{ColumnPolicy, Mistake, Model, ORDERED, Policy, Protection};
use crate::requirement::{Distance, Guard, GuardedColumn, Leaves, Presence, Protected, Requirement};
use crate::table::{Column, Table};
use crate::value::{Number, parse_date, parse_number};
use crate::verify::low_end;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What every group must fulfil, in codes that are not counted yet.
#[derive(Default)]
pub(crate) struct Required {
    pub list: Vec<Requirement>,
    pub columns: Vec<GuardedColumn>,
    pub persons: Option<Vec<u32>>,
    pub presence: Option<Presence>,
    /// How many people the whole table is about, if only some of its rows are at hand.
    pub whole: Option<u64>,
}

impl Required {
    /// Reads the columns that requirements look at. All mistakes are reported together.
    /// Where the rows are those of a piece, `whole` has the distributions of the whole table.
    pub(crate) fn read(
        table: &Table,
        policy: &Policy,
        whole: Option<&Distributions>,
    ) -> Result<Self, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let mut required = Self::default();
        for (said, protection) in policy.sensitive().filter(|(_, p)| **p != Protection::default()) {
            match table.column(&said.name).ok_or_else(|| vec![no_column(said)]).and_then(|column| match whole
                .and_then(|whole| whole.of(&said.name))
            {
                Some(whole) => {
                    required.whole = Some(whole.people());
                    whole.read(column, said, protection, policy.missing_in(&said.name))
                }
                None => read_protected(column, said, protection, policy.missing_in(&said.name)),
            }) {
                Ok(_) if protection.models.is_empty() => {}
                Ok(column) => {
                    let at = required.columns.len();
                    required.list.extend(protection.models.iter().map(|(model, _)| model.on(at)));
                    required.columns.push(column);
                }
                Err(found) => mistakes.extend(found),
            }
        }
        if let Some(said) = policy.columns.iter().find(|c| Some(c.name.as_str()) == policy.person_column()) {
            match table
                .column(&said.name)
                .ok_or_else(|| no_column(said))
                .and_then(|c| read_persons(c, said, policy.missing_in(&said.name)))
            {
                Ok(persons) => {
                    required.list.push(Requirement::Persons(policy.k));
                    required.persons = Some(persons);
                }
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if mistakes.is_empty() { Ok(required) } else { Err(mistakes) }
    }

    /// The guard of a table of so many rows; none if nothing is required.
    pub(crate) fn guard(self, rows: usize, sizes: Option<&[u32]>) -> Result<Option<Guard>, Mistake> {
        if self.list.is_empty() && self.presence.is_none() {
            return Ok(None);
        }
        let guard = Guard::new(self.list, self.columns, self.persons, rows, sizes, self.whole);
        let guard = guard.and_then(|guard| match self.presence {
            Some(presence) => guard.with_presence(presence),
            None => Ok(guard),
        });
        guard.map(Some).map_err(|error| Mistake::new(error.to_string(), None))
    }
}

fn no_column(said: &ColumnPolicy) -> Mistake {
    Mistake::new(format!("the table has no column {:?}", said.name), said.place)
}

/// What makes two cells of a protected column one value. In the order of numbers, dates, levels or leaves.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Value<'a> {
    /// Below everything else: `<18`.
    Lowest,
    At(Number),
    Leaf(u32),
    Text(&'a str),
}

/// The codes of a sensitive column: values in their order, then one code for all that is missing. Values whose texts
/// [say the same](folded) are one.
pub(crate) fn read_protected(
    column: &Column,
    said: &ColumnPolicy,
    protection: &Protection,
    missing: &[String],
) -> Result<GuardedColumn, Vec<Mistake>> {
    let mistake = |what: String| Mistake::new(format!("column {:?}: {what}", column.name()), said.place);
    let entries = column.distinct() as u32;
    let absent: HashSet<Cow<str>> = missing.iter().map(|token| folded(token)).collect();
    let mut unknown = Vec::new();
    // What is compared in the place of every entry of the dictionary; `None`: a missing value.
    let texts: Vec<Option<&str>> = (0..entries)
        .map(|entry| {
            let text = column.text(entry).trim_ascii();
            if column.is_null(entry) || absent.contains(&folded(text)) {
                return None;
            }
            let Some(level) = &protection.values else { return Some(text) };
            if level.label(text).is_none() {
                unknown.push(entry);
            }
            level.label(text).map(str::trim_ascii).filter(|label| !absent.contains(&folded(label)))
        })
        .collect();
    if !unknown.is_empty() {
        let what = format!("the file of values does not name what is in {}", rows_with(column, &unknown));
        return Err(vec![mistake(what).hint("add a line for each such value to the file")]);
    }
    let by_order = |(model, _): &(Model, _)| matches!(model, Model::Close(_, Distance::Ordered));
    let kind = match &protection.kind {
        None if protection.models.iter().any(by_order) => match ordered_kind(&texts) {
            Some(kind) => Some(kind),
            None => {
                let what = "closeness by order needs numbers, dates or levels".to_owned();
                return Err(vec![mistake(what).hint(ORDERED)]);
            }
        },
        kind => kind.clone(),
    };
    let value = |text| match &kind {
        Some(kind) if kind.ordered() => value_of(kind, text).map(Value::At),
        // Cells of a column on a level are names of intervals, in the order of their low ends.
        Some(Kind::Ladder(ladder)) => {
            low_end(&ladder.base, text).map(|low| low.map_or(Value::Lowest, Value::At))
        }
        Some(Kind::Hierarchy(hierarchy)) => hierarchy.leaf(text).map(Value::Leaf),
        _ => Some(Value::Text(text)),
    };
    let values: Vec<Option<Option<Value>>> = texts.iter().map(|text| text.map(value)).collect();
    let strange: Vec<u32> =
        (0..entries).filter(|&entry| matches!(values[entry as usize], Some(None))).collect();
    if !strange.is_empty() {
        let word = kind.as_ref().map_or("category", Kind::word);
        let what = format!("not a value of kind {word} in {}", rows_with(column, &strange));
        let hint = "correct them, treat them as missing with {missing}, or use another kind";
        return Err(vec![mistake(what).hint(hint)]);
    }
    // Entries of the dictionary by their values; equal ones get one code. (Columns may have millions of values:
    // sorting is several times as fast as a map.)
    let value = |entry: u32| values[entry as usize].as_ref().and_then(Option::as_ref);
    let mut known: Vec<u32> = (0..entries).filter(|&entry| value(entry).is_some()).collect();
    known.sort_by(|&one, &other| value(one).cmp(&value(other)));
    let mut codes = vec![u32::MAX; entries as usize];
    let (mut count, mut joined, mut leaves) = (0, 0, Vec::new());
    let mut code_of: HashMap<Cow<str>, u32> = HashMap::new();
    let spelled = !matches!(kind, Some(Kind::Numeric | Kind::Date | Kind::Spelled(_)));
    for same in known.chunk_by(|&one, &other| value(one) == value(other)) {
        let text = texts[same[0] as usize].filter(|_| spelled);
        let code = text.map_or(count, |text| *code_of.entry(folded(text)).or_insert(count));
        same.iter().for_each(|&entry| codes[entry as usize] = code);
        if code < count {
            joined += 1;
            continue;
        }
        if let Some(Value::Leaf(leaf)) = value(same[0]) {
            leaves.push(*leaf);
        }
        count += 1;
    }
    // What is missing comes last.
    codes.iter_mut().filter(|code| **code == u32::MAX).for_each(|code| *code = count);
    let absent = texts.iter().any(Option::is_none);
    let all = count + u32::from(absent);
    let tree = match &kind {
        Some(Kind::Hierarchy(hierarchy)) => {
            let wider = if absent { hierarchy.with_extra_leaf() } else { (**hierarchy).clone() };
            let extra = absent.then(|| wider.tree().leaves() - 1);
            Some(Leaves { tree: wider.tree().clone(), of: leaves.into_iter().chain(extra).collect() })
        }
        _ => None,
    };
    let about = Protected {
        name: column.name().to_owned(),
        totals: vec![0; all as usize],
        missing: absent.then_some(count),
        classes: None,
        order: kind.filter(Kind::cells_ordered).map(|_| (0..all).collect()),
        tree,
        joined,
    };
    Ok(GuardedColumn { about, codes: column.codes().iter().map(|&entry| codes[entry as usize]).collect() })
}

/// Numbers or dates, if all are.
fn ordered_kind(texts: &[Option<&str>]) -> Option<Kind> {
    let all = |read: fn(&str) -> Option<Number>| texts.iter().flatten().all(|text| read(text).is_some());
    if all(parse_number) {
        Some(Kind::Numeric)
    } else if all(parse_date) {
        Some(Kind::Date)
    } else {
        None
    }
}

/// Whom every row is about: nobody may be missing, or persons could not be counted.
pub(crate) fn read_persons(
    column: &Column,
    said: &ColumnPolicy,
    missing: &[String],
) -> Result<Vec<u32>, Mistake> {
    let mut number_of: HashMap<Cow<str>, u32> = HashMap::new();
    let mut numbers = Vec::with_capacity(column.distinct());
    for entry in 0..column.distinct() as u32 {
        let text = folded(column.text(entry));
        if is_missing(column, entry, missing) {
            let rows = rows_with(column, &[entry]);
            let what = format!("column {:?}: the person is missing in {rows}", column.name());
            let hint = "fill it in, or leave these rows out: otherwise persons cannot be counted";
            return Err(Mistake::new(what, said.place).hint(hint));
        }
        let next = number_of.len() as u32;
        numbers.push(*number_of.entry(text).or_insert(next));
    }
    Ok(column.codes().iter().map(|&entry| numbers[entry as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Draft, default_missing};
    use crate::world::World;
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    /// The codes of one sensitive column, of which the policy says this.
    fn read(said: &str, cells: &[&str]) -> GuardedColumn {
        let chapters = b"flu;lung;*\nasthma;lung;*\nAsthma;lung;*\ngout;joint;*\nnone;?;*\n";
        let files = BTreeMap::from([(PathBuf::from("chapters.csv"), chapters.to_vec())]);
        let world: Arc<dyn World> = Arc::new(files);
        let text = format!("k = 2\n[columns]\na = \"quasi\"\nx = {{ role = \"sensitive\", {said} }}\n");
        let policy = Draft::from_toml_in(world, &text, Path::new("policy.toml")).settle().unwrap();
        let rows: Vec<Vec<&str>> = cells.iter().map(|cell| vec![*cell]).collect();
        let table = Table::from_cells(&["x"], &rows).unwrap();
        let (column, protection) = policy.sensitive().next().unwrap();
        read_protected(&table.columns()[0], column, protection, &default_missing()).unwrap()
    }

    #[test]
    fn texts_are_compared_without_the_space_around_them() {
        let column = read("diversity = 2", &["b", " a", "a ", "1", "1.0", "NA", ""]);
        assert_eq!(column.codes, [3, 2, 2, 0, 1, 4, 4]);
        assert_eq!((column.about.missing, column.about.totals.len()), (Some(4), 5));
        assert!(column.about.order.is_none() && column.about.tree.is_none());
    }

    #[test]
    fn spellings_of_a_value_are_one() {
        let column = read("diversity = 2", &["HIV", "hiv", "flu\u{a0}", "Flu", "gout", "na", "\u{200b}"]);
        assert_eq!(column.codes, [1, 1, 0, 0, 2, 3, 3]);
        assert_eq!((column.about.joined, column.about.missing), (2, Some(3)));
        assert_eq!(read("order = [\"low\", \"Low\"]", &["Low", "low"]).codes, [0, 0]);
        let said = "hierarchy = \"chapters.csv\", closeness = { t = 0.2, distance = \"hierarchy\" }";
        assert_eq!(read(said, &["asthma", "Asthma", "gout"]).codes, [0, 0, 1]);
    }

    #[test]
    fn equal_numbers_and_dates_are_one_value() {
        let column = read("kind = \"numeric\", diversity = 2", &["10", "2", "1e1", "2.0", "?"]);
        assert_eq!(column.codes, [1, 0, 1, 0, 2]);
        assert_eq!(column.about.order, Some(vec![0, 1, 2]), "missing comes last");
        // Inferred where an order is needed.
        let ordered = "closeness = { t = 0.2, distance = \"ordered\" }";
        assert_eq!(read(ordered, &["10", "2", "1e1"]).codes, [1, 0, 1]);
        assert_eq!(read(ordered, &["2020-02-01", "2020-01-31"]).codes, [1, 0]);
        assert_eq!(read("order = [\"low\", \"high\"]", &["high", "low", "low"]).codes, [1, 0, 0]);
    }

    #[test]
    fn cells_are_called_what_their_level_says() {
        let column =
            read("values = \"chapters.csv\", diversity = 2", &["flu", "gout", "asthma", "none", "NA"]);
        // A label that stands for a missing value is one, too.
        assert_eq!(column.codes, [1, 0, 1, 2, 2]);
        assert_eq!(column.about.missing, Some(2));
    }

    #[test]
    fn a_hierarchy_has_a_leaf_for_every_value() {
        let said = "hierarchy = \"chapters.csv\", closeness = { t = 0.2, distance = \"hierarchy\" }";
        let column = read(said, &["gout", "flu", "NA"]);
        let Leaves { tree, of } = column.about.tree.unwrap();
        assert_eq!(column.codes.len(), 3);
        assert_eq!(of.len(), 3);
        assert_eq!(tree.join(of[0].min(of[2]), of[0].max(of[2])), tree.root(), "missing is far from all");
        assert!(read(said, &["gout", "flu"]).about.missing.is_none());
    }
}
