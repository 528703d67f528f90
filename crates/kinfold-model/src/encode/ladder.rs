//! Columns with levels in codes: leaves of a tree that is cut at the finest level that may be published.
//!
//! Nodes cost what they cost in the whole tree, so leaves of a cut tree are not free. Leaves that are no values of
//! the column are published by their names; so codes that stand for them have no spelling.

use super::reading::{Encoding, Reading, rows_with};
use super::{Codes, Mistake};
use crate::cost::Rule;
use crate::frame::{ColumnFrame, Values};
use crate::hierarchy::Hierarchy;
use crate::hint::Hint;
use crate::kind::{Kind, Prefixes};
use crate::ladder::{Bands, Ladder};
use crate::regions::Regions;
use crate::value::{Number, fit_exactly, parse_number, positions};
use std::sync::Arc;

impl Reading<'_> {
    /// Where the line of the column is cut off.
    pub(super) fn bands(&self) -> Bands {
        match &self.kind {
            Kind::Ladder(ladder) => ladder.bands,
            _ => self.view.quasi.bands,
        }
    }

    /// The cells of the finest level that occur, and the domain.
    pub(super) fn learn_ladder(
        &self,
        ladder: &Ladder,
        values: &[(Number, u32)],
    ) -> Result<Values, Vec<Mistake>> {
        let present = || values.iter().map(|&(value, _)| value);
        // Exact values beyond the ends tell nothing of how the others are written.
        let whole = ladder.is_whole(present().filter(|&value| !ladder.bands.holds(value)));
        let mut ends = self.ends(values)?;
        if let Some((low, high)) = ends.numbers(&ladder.base) {
            ends.exact = fit_exactly(present().map(|value| value.clamp(low, high)), low, high);
        }
        let finest = self.view.quasi.range.finest;
        let mut cells: Vec<Number> = present().filter_map(|value| ladder.first_of(finest, value)).collect();
        cells.dedup();
        Ok(Values::Ladder { ends, whole, cells: cells.iter().map(ToString::to_string).collect() })
    }

    /// Numbers and dates are leaves of the tree of their intervals.
    pub(super) fn climb(
        &mut self,
        values: &[(Number, u32)],
        ladder: &Ladder,
        frame: &ColumnFrame,
        full: u64,
        notes: &mut Vec<Hint>,
    ) -> Option<Encoding> {
        let Values::Ladder { ends, whole, cells } = &frame.values else { return None };
        let (domain, whole) = (ends.numbers(&ladder.base)?, *whole);
        if self.view.quasi.domain.is_some() {
            self.blame_outside(values, domain.0, domain.1, false);
        }
        let finest = self.view.quasi.range.finest;
        let odd = |&&(value, _): &&(Number, u32)| {
            let fraction = whole && !ladder.bands.holds(value) && !value.is_whole();
            fraction || ladder.names(finest, value, whole).is_none()
        };
        let nowhere: Vec<u32> = values.iter().filter(odd).map(|&(_, entry)| entry).collect();
        self.blame(&nowhere, "values that fit no interval of its levels", "choose other levels");
        let mut cells: Vec<Number> = cells.iter().map(|text| parse_number(text)).collect::<Option<_>>()?;
        let own: Vec<Option<Number>> =
            values.iter().map(|&(value, _)| ladder.first_of(finest, value)).collect();
        let new: Vec<u32> = values
            .iter()
            .zip(&own)
            .filter(|(_, cell)| cell.is_some_and(|cell| cells.binary_search(&cell).is_err()))
            .map(|(&(_, entry), _)| entry)
            .collect();
        notes.extend(self.told_new(&new));
        cells.extend(own.iter().flatten());
        cells.sort_unstable();
        cells.dedup();
        // A column without a value has a tree all the same.
        let cells = if cells.is_empty() { vec![Number::whole(0)] } else { cells };
        let paths: Vec<Vec<String>> =
            cells.iter().map(|&cell| ladder.names(finest, cell, whole)).collect::<Option<_>>()?;
        let names: Vec<String> = paths.iter().map(|path| path[0].clone()).collect();
        let hierarchy = Hierarchy::from_paths(paths).ok()?;
        let leaf_of: Vec<u32> = names.iter().map(|name| hierarchy.leaf(name)).collect::<Option<_>>()?;
        let hierarchy = if frame.missing { hierarchy.with_missing() } else { hierarchy };
        let tree = hierarchy.tree();
        // What every node covers of the domain; where it stands on several levels, on the lowest of them.
        let mut places = Vec::new();
        let mut nodes = Vec::new();
        for level in (finest..ladder.levels() - 1).rev() {
            for (&cell, &leaf) in cells.iter().zip(&leaf_of) {
                let (low, high) = ladder.extent(level, cell, whole, domain)?;
                nodes.push(tree.at_level(level - finest, leaf));
                places.extend([low, high]);
            }
        }
        let places = positions(&places, domain.0, domain.1, full, ends.exact);
        let mut cost = vec![full; tree.nodes() as usize];
        if frame.missing {
            cost[tree.leaves() as usize - 1] = 0;
        }
        for (node, ends) in nodes.into_iter().zip(places.chunks_exact(2)) {
            cost[node as usize] = ends[1].saturating_sub(ends[0]);
        }
        let mut codes = Codes::new(self.view.column.distinct(), tree.leaves() as usize);
        for (&(value, entry), cell) in values.iter().zip(&own) {
            let Some(at) = cell.and_then(|cell| cells.binary_search(&cell).ok()) else { continue };
            let named = finest > 0 || ladder.bands.holds(value);
            codes.put(entry, leaf_of[at], named);
        }
        self.absent.iter().for_each(|&entry| codes.set(entry, tree.leaves() - 1));
        let rule = Rule::cut_tree(Arc::new(tree.clone()), cost, full).ok()?;
        Some((rule, Kind::Hierarchy(Arc::new(hierarchy)), codes))
    }

    /// Values on a line that is cut off: what lies beyond is one value at its end.
    pub(super) fn banded(
        &self,
        values: &[(Number, u32)],
        frame: &ColumnFrame,
        full: u64,
    ) -> Option<Encoding> {
        let (low, high, exact) = frame.values.domain()?;
        let bands = self.view.quasi.bands;
        let below = |bottom: Number| bottom.minus(Number::whole(1));
        let place = |value: Number| match (bands.bottom, bands.top) {
            (Some(bottom), _) if value < bottom => below(bottom),
            (_, Some(top)) if value >= top => Some(top),
            _ => Some(value),
        };
        let placed: Vec<(Number, u32)> =
            values.iter().map(|&(value, entry)| Some((place(value)?, entry))).collect::<Option<_>>()?;
        let (mut codes, distinct) =
            Codes::ascending(self.view.column, placed.into_iter(), &self.absent, frame.missing);
        for (code, &value) in (0u32..).zip(&distinct) {
            if let Some(name) = bands.name(&self.kind, value) {
                codes.words[code as usize] = super::NO_WORD;
                codes.bands.insert(code, name);
            }
        }
        // A band reaches to the end of the domain.
        let end = |value: Number| match (bands.bottom, bands.top) {
            (Some(bottom), _) if value < bottom => low,
            (_, Some(top)) if value >= top => high,
            _ => value,
        };
        let ends: Vec<Number> = distinct.iter().map(|&value| end(value)).collect();
        let at = positions(&ends, low, high, full, exact);
        let rule = Rule::line(at, frame.missing, full).ok()?.between_ends(low, high);
        Some((rule, self.kind.clone(), codes))
    }

    /// Codes are leaves of the tree of their beginnings.
    pub(super) fn codes(
        &mut self,
        present: &[(&str, u32)],
        labels: &[String],
        lengths: &[usize],
        frame: &ColumnFrame,
        full: u64,
        notes: &mut Vec<Hint>,
    ) -> Option<Encoding> {
        let is_new = |text: &str| labels.binary_search_by(|label| label.as_str().cmp(text)).is_err();
        let new: Vec<(&str, u32)> = present
            .iter()
            .map(|&(text, entry)| (text.trim_ascii(), entry))
            .filter(|(text, _)| is_new(text))
            .collect();
        // Beginnings that are published in place of codes are known of codes that are not.
        let entries: Vec<u32> = new.iter().map(|&(_, entry)| entry).collect();
        let mut all: Vec<String> = labels.to_vec();
        if self.view.quasi.range.finest > 0 {
            notes.extend(self.told_new(&entries));
            let mut more: Vec<String> = new.iter().map(|(text, _)| (*text).to_owned()).collect();
            more.sort_unstable();
            more.dedup();
            all.extend(more);
        } else {
            self.blame_new(&entries, "code", "that the frame does not know");
        }
        // A column without a value has a tree all the same.
        if all.is_empty() {
            all.push(String::new());
        }
        let hierarchy = Hierarchy::by_prefix(&all, lengths).ok()?;
        let leaf = |&(text, entry): &(&str, u32)| Some((hierarchy.leaf(text)?, entry));
        let leaves: Vec<(u32, u32)> = present.iter().filter_map(leaf).collect();
        let extra = all.len().saturating_sub(labels.len().max(1));
        self.leaves(&leaves, hierarchy, extra, frame, full)
    }

    /// Leaves of a hierarchy, cut at the finest level. `extra`: so many of its values do not count in what nodes cost.
    pub(super) fn leaves(
        &self,
        leaf_of: &[(u32, u32)],
        hierarchy: Hierarchy,
        extra: usize,
        frame: &ColumnFrame,
        full: u64,
    ) -> Option<Encoding> {
        let quasi = self.view.quasi;
        let hierarchy = if quasi.unknown { hierarchy.with_unknown() } else { hierarchy };
        let unknown = hierarchy.unknown();
        let whole = hierarchy.tree().leaves() + u32::from(frame.missing);
        let counted = u64::from(whole) - extra as u64 - u64::from(unknown.is_some());
        let finest = quasi.range.finest;
        let (mut cut, mut new_leaf) = if finest > 0 {
            hierarchy.cut(finest)
        } else {
            let same = (0..hierarchy.tree().leaves()).collect();
            (hierarchy, same)
        };
        // A missing value is no part of what a level covers, be it the root.
        if frame.missing {
            cut = cut.with_missing();
            new_leaf.push(cut.tree().leaves() - 1);
        }
        if let Some(Kind::Prefix(Prefixes { bare: Some(_), .. })) = &quasi.kind {
            cut.rename_leaves(|label| {
                label.strip_suffix('*').filter(|l| !l.is_empty()).unwrap_or(label).to_owned()
            });
        }
        let tree = cut.tree().clone();
        let mut codes = Codes::new(self.view.column.distinct(), tree.leaves() as usize);
        for &(leaf, entry) in leaf_of {
            codes.put(entry, new_leaf[leaf as usize], finest > 0);
        }
        for &entry in &self.absent {
            codes.set(entry, *new_leaf.last()?);
        }
        for (&entry, leaf) in self.unknown.iter().zip(unknown.into_iter().cycle()) {
            codes.put(entry, new_leaf[leaf as usize], true);
        }
        if finest == 0 && unknown.is_none() {
            return Some((Rule::tree(Arc::new(tree), full), Kind::Hierarchy(Arc::new(cut)), codes));
        }
        // How many values are under every node.
        let mut up_to = vec![0u64; tree.leaves() as usize + 1];
        new_leaf.iter().for_each(|&leaf| up_to[leaf as usize + 1] += 1);
        if let Some(unknown) = unknown {
            up_to[new_leaf[unknown as usize] as usize + 1] -= 1;
        }
        (1..up_to.len()).for_each(|at| up_to[at] += up_to[at - 1]);
        let widest = u128::from(counted.max(2) - 1);
        let share = |node: u32| {
            let (first, last) = tree.span(node);
            let values = up_to[last as usize + 1] - up_to[first as usize];
            let share = u128::from(values.saturating_sub(1)) * u128::from(full) / widest;
            (share as u64).min(full)
        };
        let mut cost: Vec<u64> = (0..tree.nodes()).map(share).collect();
        cost[tree.root() as usize] = full;
        if let Some(unknown) = unknown {
            cost[new_leaf[unknown as usize] as usize] = full;
        }
        let rule = Rule::cut_tree(Arc::new(tree), cost, full).ok()?;
        Some((rule, Kind::Hierarchy(Arc::new(cut)), codes))
    }

    /// Regions are leaves of the tree of their areas.
    pub(super) fn areas(
        &self,
        leaf_of: &[(u32, u32)],
        regions: &Regions,
        frame: &ColumnFrame,
        full: u64,
    ) -> Option<Encoding> {
        let (rule, kind, codes) = self.leaves(leaf_of, (**regions.hierarchy()).clone(), 0, frame, full)?;
        let (Some(people), Kind::Hierarchy(hierarchy)) = (regions.people(), &kind) else {
            return Some((rule, kind, codes));
        };
        let living = |leaf| regions.number(hierarchy.label(leaf)).map_or(0, |r| people[r as usize]);
        let leaves = hierarchy.tree().leaves();
        let tree = Arc::new(hierarchy.tree().clone());
        let rule = Rule::peopled_tree(tree, &(0..leaves).map(living).collect::<Vec<u64>>(), full).ok()?;
        Some((rule, kind, codes))
    }

    /// How many values go to the root because the hierarchy lacks them; never which.
    pub(super) fn told_unknown(&self) -> Option<Hint> {
        let (one, more) = ("value that the hierarchy lacks is", "values that the hierarchy lacks are");
        self.told(&self.unknown, one, more, "published at its root")
    }

    /// How many values the frame does not have; never which.
    fn told_new(&self, new: &[u32]) -> Option<Hint> {
        self.told(new, "value is", "values are", "new to the frame and coded by its levels")
    }

    fn told(&self, entries: &[u32], one: &str, more: &str, what: &str) -> Option<Hint> {
        let (column, values) = (self.view.column, entries.len());
        let are = if values == 1 { one } else { more };
        let rows = || rows_with(column, entries);
        (values > 0)
            .then(|| format!("column {:?}: {values} {are} {what}, in {}", column.name(), rows()).into())
    }
}

impl Codes {
    /// Gives an entry its code. `named`: it is published by the name of the code.
    fn put(&mut self, entry: u32, code: u32, named: bool) {
        match named {
            true => self.of[entry as usize] = code,
            false => self.set(entry, code),
        }
    }
}
