//! What each cell of a release says.

use super::alike::merge_alike;
use super::texts::Texts;
use super::{bands, centres, codes, middles, points};
use foldhash::fast::FixedState;
use kinfold_model::bands::are_bands;
use kinfold_model::cost::{Cover, Objective, dropped};
use kinfold_model::encode::{Coding, Encoded};
use kinfold_model::judge::{Solution, WITHHELD};
use kinfold_model::kind::Kind;
use kinfold_model::policy::{Form, Format, Policy, Quasi, Role, SIGNED_RANGE, bound_names, point_name};
use kinfold_model::table::{Column, Table};
use kinfold_model::value::{Number, has_time};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A table ready to be written. It says nothing yet of being safe: verify what was written.
#[derive(Debug, Clone)]
pub struct Release {
    pub(super) delimiter: u8,
    pub(super) columns: Vec<ReleasedColumn>,
    /// The table's rows that are released, in the order of the release.
    pub(super) rows: Vec<u32>,
    /// The group of every row of the table.
    pub(super) group_of: Vec<u32>,
    /// What labels stand for, in form `codes`.
    pub(super) labels: Option<String>,
}

/// One column of a release.
#[derive(Debug, Clone)]
pub(super) struct ReleasedColumn {
    pub(super) name: String,
    pub(super) cells: Cells,
    /// How many labels the cell of each group lists; empty where no cell is a set.
    pub(super) labels: Vec<usize>,
    /// Which set the name in the cell of each group stands for, where the release alone does not tell.
    pub(super) explained: Vec<Option<String>>,
}

impl ReleasedColumn {
    pub(super) fn new(name: impl Into<String>, cells: Cells) -> Self {
        Self { name: name.into(), cells, labels: Vec::new(), explained: Vec::new() }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Cells {
    /// As in the table.
    Untouched(Arc<Column>),
    /// One text per group.
    Grouped(Texts),
    /// The same for numbers and ends of ranges, of the type of this column if they are its values; only typed
    /// files ask for it.
    #[cfg_attr(not(feature = "columnar"), allow(dead_code))]
    Ends(Texts, Option<Arc<Column>>),
    /// Exact decimals that were worked out, one per group.
    Numbers(Texts),
}

impl Cells {
    /// Number of texts, counted as [`Release::index`] does.
    pub(super) fn len(&self) -> usize {
        match self {
            Cells::Untouched(column) => column.distinct(),
            Cells::Grouped(texts) | Cells::Ends(texts, _) | Cells::Numbers(texts) => texts.of_group().len(),
        }
    }

    /// The text with this index.
    pub(super) fn text(&self, index: usize) -> Option<&str> {
        match self {
            Cells::Untouched(c) => (!c.is_null(index as u32)).then(|| c.text(index as u32)),
            Cells::Grouped(texts) | Cells::Ends(texts, _) | Cells::Numbers(texts) => texts.get(index),
        }
    }

    /// All of them.
    pub(super) fn texts(&self) -> Vec<Option<&str>> {
        (0..self.len()).map(|index| self.text(index)).collect()
    }
}

/// Publishes a solution in the form the policy asks for, rows in the order of the table: see
/// [`Release::sort`].
pub fn publish(table: &Table, policy: &Policy, encoded: &Encoded, solution: &Solution) -> Release {
    if policy.form == Form::Centres {
        return centres::publish(table, policy, encoded, solution);
    }
    let mut columns = Vec::new();
    let dropped = match policy.objective {
        Objective::Columns => {
            dropped(&encoded.problem, (0..solution.groups()).map(|group| solution.rows(group)))
        }
        _ => vec![false; encoded.codings.len()],
    };
    for column in table.columns() {
        match policy.role(column.name()) {
            Some(Role::Quasi(_)) => {
                let Some(writer) = Writer::new(table, policy, encoded, solution, column.name()) else {
                    continue;
                };
                let point = policy.point_of(column.name()).filter(|_| policy.form == Form::Wkt);
                if let Some(pair) = point {
                    // Both coordinates are one column, where the first of them stands.
                    let done = columns.iter().any(|c: &ReleasedColumn| c.name == point_name(&pair));
                    let [up, across] =
                        pair.each_ref().map(|name| Writer::new(table, policy, encoded, solution, name));
                    if let (false, Some(up), Some(across)) = (done, up, across) {
                        let shape = |group| {
                            Some(points::shape(up.bounds(group), across.bounds(group), &policy.format))
                        };
                        let cells = Cells::Grouped((0..solution.groups()).map(shape).collect());
                        columns.push(ReleasedColumn::new(point_name(&pair), cells));
                    }
                } else if dropped[writer.rule] {
                    let stars =
                        Texts::new(vec![Some(policy.format.star.clone())], vec![0; solution.groups()]);
                    columns.push(ReleasedColumn::new(column.name(), Cells::Grouped(stars)));
                } else {
                    columns.extend(writer.publish(policy.form));
                }
            }
            Some(role) if role.published() => {
                columns.push(ReleasedColumn::new(column.name(), Cells::Untouched(column.clone())));
            }
            _ => {}
        }
    }
    let mut labels = None;
    if policy.form == Form::Codes {
        let (coded, lookup) = codes::coded(columns, solution.groups());
        (columns, labels) = (coded, Some(lookup));
    }
    let mut group_of = solution.group_of().to_vec();
    merge_alike(&mut columns, &mut group_of, solution.groups());
    Release { delimiter: table.delimiter(), columns, rows: released(solution), group_of, labels }
}

/// The rows that are not withheld, in the order of the table.
pub(super) fn released(solution: &Solution) -> Vec<u32> {
    (0u32..).zip(solution.group_of()).filter(|&(_, &g)| g != WITHHELD).map(|(row, _)| row).collect()
}

impl Release {
    /// The row of the table for every row of the release.
    pub(crate) fn table_rows(&self) -> &[u32] {
        &self.rows
    }

    /// Which of a column's distinct texts a row has.
    #[inline]
    pub(super) fn index(&self, column: &ReleasedColumn, row: u32) -> usize {
        match &column.cells {
            Cells::Untouched(c) => c.codes()[row as usize] as usize,
            Cells::Grouped(_) | Cells::Ends(..) | Cells::Numbers(_) => self.group_of[row as usize] as usize,
        }
    }

    /// Makes the first group say something else in a column.
    #[cfg(test)]
    pub(crate) fn falsify(&mut self, name: &str, said: &str) {
        for column in self.columns.iter_mut().filter(|column| column.name == name) {
            let mut texts: Vec<Option<String>> =
                column.cells.texts().iter().map(|text| text.map(str::to_owned)).collect();
            texts[0] = Some(said.to_owned());
            column.cells = Cells::Grouped(texts.into_iter().collect());
        }
    }

    /// The delimiter of the table it came from.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The group of every row of the table.
    pub fn group_of(&self) -> &[u32] {
        &self.group_of
    }

    /// The group of every row of the table in another order: this is each row's place in it.
    pub(crate) fn groups_at(&self, places: &[u32]) -> Vec<u32> {
        let mut groups = vec![0; places.len()];
        places.iter().zip(&self.group_of).for_each(|(&place, &group)| groups[place as usize] = group);
        groups
    }

    /// Rows in the release.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The names of its columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// What is published of a row of this group, a cell for every column (none: a null). `own` has the row's own
    /// cells, for columns that are published unchanged.
    pub(crate) fn row<'a>(
        &'a self,
        group: u32,
        own: impl Fn(&str) -> Option<&'a str>,
    ) -> Vec<Option<&'a str>> {
        let cell = |column: &'a ReleasedColumn| match column.cells.of_groups() {
            Some(texts) => texts.get(group as usize),
            None => own(&column.name),
        };
        self.columns.iter().map(cell).collect()
    }
}

struct Writer<'a> {
    column: &'a Arc<Column>,
    coding: &'a Coding,
    format: &'a Format,
    encoded: &'a Encoded,
    solution: &'a Solution,
    rule: usize,
    /// Whether the column holds regions of a map.
    on_map: bool,
    /// Whether its levels are bands of numbers, which together are a wider band.
    banded: bool,
    /// Whether it has negative numbers: a dash between two of them is hard to read.
    negative: bool,
    /// A date of the column with the time of day, where the ends of a grid are written with it.
    timed: &'a str,
    /// Whether it has dates with slashes: another slash between two of them is hard to read.
    slashed: bool,
}

impl<'a> Writer<'a> {
    fn new(
        table: &'a Table,
        policy: &'a Policy,
        encoded: &'a Encoded,
        solution: &'a Solution,
        name: &str,
    ) -> Option<Self> {
        let column_of = |coding: &Coding| &table.columns()[coding.column];
        let (rule, coding) =
            encoded.codings.iter().enumerate().find(|(_, coding)| column_of(coding).name() == name)?;
        let on_map =
            matches!(policy.role(name), Some(Role::Quasi(Quasi { kind: Some(Kind::Region(_)), .. })));
        let column = column_of(coding);
        // Whoever sets a format of ranges gets it.
        let free = policy.format.range == Format::default().range;
        let banded = free && matches!(&coding.kind, Kind::Ordinal(levels) if are_bands(levels));
        // Only what may be published counts: values beyond the ends of a line tell nothing.
        let minus = |code: u32| {
            let said = coding.word(code).map(|word| column.text(word)).or_else(|| coding.name(code));
            said.is_some_and(|said| said.trim_ascii_start().trim_start_matches('<').starts_with('-'))
        };
        let negative = free && coding.kind.numeric() && coding.codes().any(minus);
        let slash =
            matches!(&coding.kind, Kind::Spelled(s) if coding.kind.dates() && s.pattern().contains('/'));
        let slashed = slash && policy.format.date_range == Format::default().date_range;
        let texts = || (0..column.distinct() as u32).map(|code| column.text(code));
        let fine = coding.grid().is_some_and(|grid| !grid.whole) && coding.kind == Kind::Date;
        let timed = texts().find(|text| fine && has_time(text)).unwrap_or_default();
        let format = &policy.format;
        Some(Self {
            column,
            coding,
            format,
            encoded,
            solution,
            rule,
            on_map,
            banded,
            negative,
            timed,
            slashed,
        })
    }

    fn publish(&self, form: Form) -> Vec<ReleasedColumn> {
        let name = self.column.name();
        if form == Form::Bounds && self.coding.kind.ordered() {
            let (ends, of_group) = self.by_cover(|group, _| self.bounds(group));
            let (low, high): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
            let column = |(name, texts)| {
                let texts = Texts::new(texts, of_group.clone());
                ReleasedColumn::new(name, Cells::Ends(texts, Some(self.column.clone())))
            };
            return bound_names(name).into_iter().zip([low, high]).map(column).collect();
        }
        if form == Form::Midpoint && self.coding.kind.ordered() {
            let (ends, of_group) = self.by_cover(|group, _| self.bounds(group));
            return middles::columns(self.column, &self.coding.kind, ends, &of_group);
        }
        let (texts, of_group) = self.by_cover(|group, cover| self.cell(group, cover));
        let mut published = ReleasedColumn::new(name, Cells::Grouped(Texts::new(texts, of_group)));
        for cover in (0..self.solution.groups()).map(|group| self.cover(group)) {
            if let Cover::Labels(labels) = &cover {
                published.labels.push(labels.len());
            }
            if self.on_map {
                published.explained.push(self.area(&cover));
            }
        }
        vec![published]
    }

    /// What is said of groups, and for every group which of it: groups of one cover say the same, unless a value has
    /// several spellings.
    fn by_cover<T>(&self, said: impl Fn(usize, &Cover<'a>) -> T) -> (Vec<T>, Vec<u32>) {
        let mut numbers: HashMap<Cover<'a>, u32, FixedState> = HashMap::default();
        let mut list = Vec::new();
        let number = |group: usize| {
            let cover = self.cover(group);
            if !self.coding.respelled()
                && let Some(&number) = numbers.get(&cover)
            {
                return number;
            }
            list.push(said(group, &cover));
            numbers.insert(cover, list.len() as u32 - 1);
            list.len() as u32 - 1
        };
        let of_group = (0..self.solution.groups()).map(number).collect();
        (list, of_group)
    }

    fn cover(&self, group: usize) -> Cover<'a> {
        self.solution.cover(&self.encoded.problem, group, self.rule)
    }

    fn cell(&self, group: usize, cover: &Cover<'_>) -> Option<String> {
        Some(match cover {
            Cover::Star => self.format.star.clone(),
            &Cover::Span(low, high) => {
                let Some([first, last]) = self.ends(low, high) else { return self.single(group, low) };
                if self.banded
                    && let Some(wider) = bands::joined(&first, &last)
                {
                    return Some(wider);
                }
                let pattern = match &self.coding.kind {
                    _ if self.negative || self.slashed => SIGNED_RANGE,
                    kind if kind.dates() => &self.format.date_range,
                    _ => &self.format.range,
                };
                let (open, rest) = pattern.split_once("{lo}").unwrap_or_default();
                let (middle, close) = rest.split_once("{hi}").unwrap_or_default();
                [open, &first, middle, &last, close].concat()
            }
            Cover::Labels(labels) if labels.len() == 1 => return self.single(group, labels[0]),
            Cover::Labels(labels) => self.set(labels.iter().map(|&label| self.spelled(label))),
            &Cover::Node(node) => match &self.coding.kind {
                Kind::Hierarchy(h) if node >= h.tree().leaves() => h.label(node).to_owned(),
                _ => return self.single(group, node),
            },
        })
    }

    /// Low and high end. A group that has missing values has none: an empty cell leaves numbers numbers.
    fn bounds(&self, group: usize) -> (Option<String>, Option<String>) {
        let missing = self.encoded.problem.rules()[self.rule].missing_code();
        match self.cover(group) {
            Cover::Span(low, _) if Some(low) == missing => (None, None),
            Cover::Span(low, high) => match self.ends(low, high) {
                Some([low, high]) => (Some(low.into_owned()), Some(high.into_owned())),
                None => {
                    let text = self.single(group, low);
                    (text.clone(), text)
                }
            },
            _ => (None, None),
        }
    }

    /// The two ends of a range of codes: the values themselves, or where the cells of a grid end. `None` where the
    /// range is one value that may be told.
    fn ends(&self, low: u32, high: u32) -> Option<[Cow<'a, str>; 2]> {
        match self.coding.rounded(low, high) {
            // Where levels do not come out even, the last cell is one level.
            Some((first, last)) => (first != last).then(|| [self.written(first), self.written(last)]),
            None => (low != high).then(|| [low, high].map(|code| self.spelled(code).into())),
        }
    }

    /// An end of a cell, as values of the column are written.
    fn written(&self, end: Number) -> Cow<'a, str> {
        self.coding.kind.text(end, self.timed).unwrap_or_default().into()
    }

    fn spelled(&self, code: u32) -> &'a str {
        let name = || self.coding.name(code).unwrap_or_default();
        self.coding.word(code).map_or_else(name, |word| self.column.text(word))
    }

    /// A group of one value says it byte for byte; if its rows spell it differently (`1`, `1.0`), in
    /// the first spelling of the dictionary.
    fn single(&self, group: usize, code: u32) -> Option<String> {
        let Some(mut word) = self.coding.word(code) else {
            return self.coding.name(code).map(str::to_owned);
        };
        if self.coding.respelled() {
            let mut words = self.solution.rows(group).iter().map(|&row| self.column.codes()[row as usize]);
            let first = words.next()?;
            if words.all(|w| w == first) {
                word = first;
            }
        }
        (!self.column.is_null(word)).then(|| self.column.text(word).to_owned())
    }

    fn set<'l>(&self, labels: impl Iterator<Item = &'l str>) -> String {
        set(self.format, labels.map(|label| (label, String::new())))
    }

    /// The regions of the nested area that a group is published as; none where the cell is a region or a
    /// star.
    fn area(&self, cover: &Cover<'_>) -> Option<String> {
        let (&Cover::Node(node), Kind::Hierarchy(h)) = (cover, &self.coding.kind) else {
            return None;
        };
        let tree = h.tree();
        let (first, last) = tree.span(node);
        let area = node >= tree.leaves() && h.label(node) != self.format.star;
        area.then(|| self.set((first..=last).map(|leaf| h.label(leaf))))
    }
}

/// A set of labels, each with what is to stand behind it. They are written so that no part of them can be taken for
/// the set's own punctuation, or for the start of it.
pub(super) fn set<'l>(format: &Format, labels: impl Iterator<Item = (&'l str, String)>) -> String {
    let [open, separator, close] = &format.set;
    let mut text = open.clone();
    for (i, (label, behind)) in labels.enumerate() {
        if i > 0 {
            text.push_str(separator);
        }
        for letter in label.chars() {
            if letter == '\\' || format.set.iter().any(|mark| mark.starts_with(letter)) {
                text.push('\\');
            }
            text.push(letter);
        }
        text.push_str(&behind);
    }
    text.push_str(close);
    text
}
