//! The cells of one quasi-identifier, read under its kind, and the codes that a frame gives them.

use super::{Codes, Mistake, Rounded};
use crate::bands;
use crate::cost::{Objective, Rule};
use crate::fold::respelled;
use crate::frame::{ColumnFrame, Ends, Values, fingerprint_of, levels_of};
use crate::grid::{Grid, Step, is_unit};
use crate::hierarchy::Hierarchy;
use crate::hint::Hint;
use crate::kind::{Kind, Prefixes, infer, is_missing, value_of};
use crate::policy::{ColumnPolicy, Place, Quasi, Rounding};
use crate::regions::Regions;
use crate::spelling::{Spelling, guess};
use crate::table::Column;
use crate::value::{Number, fit_exactly, positions};

/// One column and all that is said of it.
pub(super) struct View<'a> {
    pub column: &'a Column,
    pub said: &'a ColumnPolicy,
    pub quasi: &'a Quasi,
    pub missing: &'a [String],
    pub objective: Objective,
    /// Whether it is a coordinate that no row may lack: neither rectangles that do not overlap nor
    /// well-known text have a place for such.
    pub needed: bool,
    /// Whether ends are rounded where the column does not say how.
    pub blunt: bool,
}

/// The dictionary of a column, sorted by what its entries are.
pub(super) struct Reading<'a> {
    pub(super) view: View<'a>,
    pub(super) kind: Kind,
    cells: Cells<'a>,
    /// Entries that stand for a missing value.
    pub(super) absent: Vec<u32>,
    /// Entries that the hierarchy lacks, where they go to its root.
    pub(super) unknown: Vec<u32>,
    pub(super) mistakes: Vec<Mistake>,
}

/// What the entries are, each with its number in the dictionary.
enum Cells<'a> {
    /// Values on a line, ascending.
    Line(Vec<(Number, u32)>),
    /// Labels, ascending.
    Labels(Vec<(&'a str, u32)>),
    /// Leaves of a hierarchy or regions of a map, in the order of the dictionary.
    Nodes(Vec<(u32, u32)>),
}

/// The cost of a column's codes, what they are, and which entries have them.
pub(super) type Encoding = (Rule, Kind, Codes);

impl<'a> View<'a> {
    /// Reads the dictionary under this kind, or else the one that the policy says or the values suggest.
    pub(crate) fn read(self, kind: Option<Kind>, notes: &mut Vec<Hint>) -> Reading<'a> {
        let kind = kind.or_else(|| self.quasi.kind.clone()).unwrap_or_else(|| self.infer(notes));
        let mut reading = Reading {
            view: self,
            kind: kind.clone(),
            cells: Cells::Line(Vec::new()),
            absent: Vec::new(),
            unknown: Vec::new(),
            mistakes: Vec::new(),
        };
        if matches!(kind, Kind::Category | Kind::Prefix(_)) {
            notes.extend(reading.view.respelled());
        }
        match &kind {
            Kind::Numeric | Kind::Date | Kind::Spelled(_) | Kind::Ordinal(_) | Kind::Ladder(_) => {
                reading.read_line();
            }
            Kind::Category | Kind::Prefix(_) => reading.read_labels(),
            Kind::Hierarchy(hierarchy) => reading.read_leaves(hierarchy),
            Kind::Region(regions) if reading.view.objective == Objective::GroupSize => {
                reading.read_places(regions);
            }
            Kind::Region(regions) => reading.read_leaves(regions.hierarchy()),
        }
        reading
    }

    fn infer(&self, notes: &mut Vec<Hint>) -> Kind {
        let found = infer(self.column, self.missing);
        let name = self.column.name();
        if found.spoilers > 0 {
            let (spoilers, distinct) = (found.spoilers, self.column.distinct());
            let about = format!(
                "column {name:?} is read as category: {spoilers} of its {distinct} distinct values are not numbers; \
                 say {name}:numeric with "
            );
            let or = format!(", or {name}:category, to be sure");
            notes.push(Hint::from(about).named("missing").text(or));
        }
        match found.kind {
            Kind::Category => self.bands().unwrap_or_else(|| {
                notes.extend(self.looks_spelled());
                Kind::Category
            }),
            kind => kind,
        }
    }

    /// Labels that are bands of numbers have an order.
    fn bands(&self) -> Option<Kind> {
        let few = self.present().nth(bands::MOST).is_none();
        let levels = few.then(|| bands::in_order(self.present()))??;
        Some(Kind::Ordinal(levels.into_iter().map(str::to_owned).collect()))
    }

    /// Labels that look like numbers or dates in another spelling are worth a note.
    fn looks_spelled(&self) -> Option<Hint> {
        let guess = guess(&self.present().collect::<Vec<_>>())?;
        let name = self.column.name();
        let what = guess.spelling.told();
        let about = format!("column {name:?} is read as category, but looks like {what}: say ");
        let hint = Hint::new().text(about).setting("quasi", format!("{name}:{}", guess.spelling.flag()));
        Some(hint.text(format!(", or {name}:category, to be sure")))
    }

    /// Labels that a reader takes for one are different labels here.
    fn respelled(&self) -> Option<Hint> {
        let labels = Some(respelled(self.present())).filter(|&labels| labels > 0)?;
        let name = self.column.name();
        let (are, count) = if labels == 1 { ("label differs", "counts") } else { ("labels differ", "count") };
        Some(
            format!(
                "column {name:?}: {labels} {are} from others only in letter case, blanks or Unicode form, and {count} \
                 as different; one spelling for each may lose less"
            )
            .into(),
        )
    }

    /// The texts that do not stand for a missing value.
    fn present(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.entries().filter(|&(.., missing)| !missing).map(|(_, text, _)| text)
    }

    pub(super) fn mistake(&self, what: String) -> Mistake {
        Mistake::new(format!("column {:?}: {what}", self.column.name()), self.said.place)
    }

    fn entries(&self) -> impl Iterator<Item = (u32, &'a str, bool)> + use<'a> {
        let (column, missing) = (self.column, self.missing);
        (0..column.distinct() as u32)
            .map(move |entry| (entry, column.text(entry), is_missing(column, entry, missing)))
    }
}

impl Reading<'_> {
    pub(super) fn blame(&mut self, entries: &[u32], what: &str, hint: &'static str) {
        if !entries.is_empty() {
            let what = format!("{what} in {}", rows_with(self.view.column, entries));
            self.mistakes.push(self.view.mistake(what).hint(hint));
        }
    }

    /// Values that are new to a frame: how many, and in how many rows; never which.
    pub(super) fn blame_new(&mut self, entries: &[u32], noun: &str, what: &str) {
        let s = if entries.len() == 1 { "" } else { "s" };
        self.blame(entries, &format!("{} {noun}{s} {what}", entries.len()), NEW);
    }

    fn read_line(&mut self) {
        let mut values: Vec<(Number, u32)> = Vec::new();
        let (mut absent, mut spoilers, mut infinite) = (Vec::new(), Vec::new(), Vec::new());
        for (entry, text, missing) in self.view.entries() {
            match value_of(&self.kind, text) {
                _ if missing => absent.push(entry),
                Some(value) => values.push((value, entry)),
                None if is_infinite(text) => infinite.push(entry),
                None => spoilers.push(entry),
            }
        }
        if self.view.needed {
            let hint =
                "fill it in or leave the row out; objective ncp in form ranges or bounds takes missing ones";
            self.blame(&absent, "a coordinate is missing", hint);
        }
        self.blame(&infinite, "NaN or an infinity", "correct them, or treat them as missing with {missing}");
        let hint = match &self.kind {
            Kind::Ordinal(_) => "name every level in the order",
            Kind::Spelled(_) => "correct them, treat them as missing with {missing}, or set another format",
            Kind::Date => "dates are written 2024-02-29 or 2024-02-29T12:30:00",
            _ => "correct them, treat them as missing with {missing}, or use kind category",
        };
        let what = format!("not {}", article(&self.kind));
        self.blame(&spoilers, &what, hint);
        values.sort_unstable();
        self.absent = absent;
        self.cells = Cells::Line(values);
    }

    fn read_labels(&mut self) {
        let mut present = Vec::new();
        for (entry, text, missing) in self.view.entries() {
            if missing { self.absent.push(entry) } else { present.push((text, entry)) }
        }
        present.sort_unstable();
        self.cells = Cells::Labels(present);
    }

    fn read_leaves(&mut self, hierarchy: &Hierarchy) {
        let unknown = self.read_nodes(|text| hierarchy.leaf(text));
        if self.view.quasi.unknown {
            self.unknown = unknown;
            return;
        }
        let what = match unknown.len() {
            1 => "a value that the hierarchy does not name".to_owned(),
            many => format!("{many} values that the hierarchy does not name"),
        };
        let hint = "name each such value in the hierarchy, or publish them at its root: unknown = \"top\"";
        self.blame(&unknown, &what, hint);
    }

    /// Regions as labels: codes are the numbers of the map.
    fn read_places(&mut self, regions: &Regions) {
        let unknown = self.read_nodes(|text| regions.number(text));
        let hint = "fill it in or leave the row out; objective ncp takes missing ones";
        let absent = std::mem::take(&mut self.absent);
        self.blame(&absent, "the region is missing", hint);
        let hint = "add a line for each such region to the file of regions";
        self.blame(&unknown, "a region that the map does not name", hint);
    }

    /// Finds the node of every entry; those that have none, and are not missing, are given back.
    fn read_nodes(&mut self, node: impl Fn(&str) -> Option<u32>) -> Vec<u32> {
        let (mut nodes, mut unknown) = (Vec::new(), Vec::new());
        for (entry, text, missing) in self.view.entries() {
            match node(text) {
                Some(node) => nodes.push((node, entry)),
                None if missing => self.absent.push(entry),
                None => unknown.push(entry),
            }
        }
        self.cells = Cells::Nodes(nodes);
        unknown
    }

    /// What there is to learn from the column. `share`: of its weight, if it is a coordinate of a point.
    pub(crate) fn learn(&self, share: f64, point: Option<[String; 2]>) -> Result<ColumnFrame, Vec<Mistake>> {
        let quasi = self.view.quasi;
        let grid = self.learn_grid()?;
        let values = match (&self.kind, &self.cells) {
            (Kind::Ordinal(levels), _) => Values::Ordinal { levels: levels.clone() },
            (Kind::Ladder(ladder), Cells::Line(values)) => self.learn_ladder(ladder, values)?,
            (kind, Cells::Line(values)) if kind.dates() => Values::Date(self.ends(values)?),
            (_, Cells::Line(values)) => Values::Numeric(self.ends(values)?),
            (Kind::Prefix(Prefixes { lengths, .. }), Cells::Labels(present)) => {
                let mut labels: Vec<String> =
                    present.iter().map(|&(text, _)| text.trim_ascii().to_owned()).collect();
                labels.sort_unstable();
                labels.dedup();
                Values::Prefix { lengths: lengths.clone(), labels }
            }
            (_, Cells::Labels(present)) => {
                Values::Category { labels: present.iter().map(|&(text, _)| text.to_owned()).collect() }
            }
            (Kind::Region(_), Cells::Nodes(_)) => Values::Region { fingerprint: fingerprint_of(&self.kind) },
            (_, Cells::Nodes(_)) => Values::Hierarchy { fingerprint: fingerprint_of(&self.kind) },
        };
        Ok(ColumnFrame {
            name: self.view.column.name().to_owned(),
            weight: quasi.weight.into(),
            share: share.into(),
            unit: quasi.unit.map(Into::into),
            point,
            missing: !self.absent.is_empty(),
            values,
            grid,
            levels: levels_of(quasi),
            axis: None,
        })
    }

    /// The grid that the policy asks for, or that the values suggest where it asks for any.
    fn learn_grid(&self) -> Result<Option<Grid>, Vec<Mistake>> {
        let step = match &self.view.quasi.round {
            Some(Rounding::Exact) => return Ok(None),
            Some(Rounding::To(step)) if step.fits(&self.kind) => Some(*step),
            Some(Rounding::To(step)) => {
                let said = self.view.said;
                return Err(vec![step_mistake(&said.name, said.place, *step, &self.kind)]);
            }
            None if !self.view.blunt => return Ok(None),
            None => None,
        };
        let Cells::Line(values) = &self.cells else { return Ok(None) };
        // Levels have names, and no ends that are somebody's value.
        if !self.kind.ordered() {
            return Ok(None);
        }
        let values = || values.iter().map(|v| v.0);
        let ends = match (&self.kind, &self.view.quasi.domain) {
            (Kind::Ordinal(levels), _) => Some((Number::whole(0), Number::whole(levels.len() as i64 - 1))),
            (kind, Some(domain)) => value_of(kind, &domain.low).zip(value_of(kind, &domain.high)),
            (_, None) => values().min().zip(values().max()),
        };
        let (low, high) = ends.unwrap_or((Number::whole(0), Number::whole(0)));
        let fine = values().any(|value| !is_unit(&self.kind, value));
        let step = step.or_else(|| Step::pick(&self.kind, low, high, fine));
        Ok(step.map(|step| Grid::new(step, &self.kind, values().chain([low, high]))))
    }

    /// The domain: as the policy says, or from the lowest to the highest value.
    pub(super) fn ends(&self, values: &[(Number, u32)]) -> Result<Ends, Vec<Mistake>> {
        // What lies in a band is nobody else's business: the domain ends where it begins.
        let bands = self.bands();
        let text = |value: Option<&(Number, u32)>| {
            let (value, entry) = *value?;
            let end = Some(bands.clamped(value)).filter(|&end| end != value);
            let text = self.view.column.text(entry);
            Some(end.and_then(|end| self.kind.text(end, text)).unwrap_or_else(|| text.to_owned()))
        };
        let (low, high) = match &self.view.quasi.domain {
            Some(domain) => (Some(domain.low.clone()), Some(domain.high.clone())),
            None => (text(values.first()), text(values.last())),
        };
        let base = match &self.kind {
            Kind::Ladder(ladder) => &ladder.base,
            kind => kind,
        };
        let spelling = match base {
            Kind::Spelled(spelling) => Some(spelling.pattern()),
            _ => None,
        };
        let ends = Ends { low, high, exact: true, spelling };
        let Some((low, high)) = ends.numbers(&self.kind) else {
            let what = format!("the ends of its domain are not {}s", self.kind.word());
            return Err(vec![self.view.mistake(what).hint("write the ends as the column writes its values")]);
        };
        Ok(Ends { exact: fit_exactly(values.iter().map(|v| v.0), low, high), ..ends })
    }

    /// The codes of the entries and what they cost, as the frame has it. `known`: the frame comes from
    /// elsewhere.
    pub(crate) fn encode(
        mut self,
        frame: &ColumnFrame,
        known: bool,
        notes: &mut Vec<Hint>,
    ) -> Result<Encoding, Vec<Mistake>> {
        if known && !frame.missing {
            let absent = std::mem::take(&mut self.absent);
            self.blame(&absent, "missing values, which the frame does not have,", NEW);
        }
        let full = Rule::full_of(frame.weight.0 * frame.share.0);
        let (cells, kind) = (std::mem::replace(&mut self.cells, Cells::Nodes(Vec::new())), self.kind.clone());
        let encoding = match (cells, &frame.values, kind) {
            (Cells::Line(values), Values::Ladder { .. }, Kind::Ladder(ladder)) => {
                self.climb(&values, &ladder, frame, full, notes)
            }
            (Cells::Line(values), _, _) => self.line(&values, frame, full, known),
            (Cells::Labels(present), Values::Category { labels }, _) => {
                Some(self.labels(&present, labels, frame, full))
            }
            (Cells::Labels(present), Values::Prefix { lengths, labels }, _) => {
                self.codes(&present, labels, lengths, frame, full, notes)
            }
            (Cells::Nodes(places), _, Kind::Region(regions))
                if self.view.objective == Objective::GroupSize =>
            {
                let mut codes = Codes::new(self.view.column.distinct(), regions.names().len());
                places.iter().for_each(|&(region, entry)| codes.set(entry, region));
                Some((Rule::set(regions.names().len() as u32, full), Kind::Category, codes))
            }
            (Cells::Nodes(leaves), _, Kind::Region(regions)) => self.areas(&leaves, &regions, frame, full),
            (Cells::Nodes(leaves), _, Kind::Hierarchy(hierarchy)) => {
                notes.extend(self.told_unknown());
                self.leaves(&leaves, (*hierarchy).clone(), 0, frame, full)
            }
            _ => None,
        };
        match encoding.filter(|_| self.mistakes.is_empty()) {
            Some(encoding) => Ok(encoding),
            None if self.mistakes.is_empty() => {
                Err(vec![self.view.mistake("the frame has no such values".into())])
            }
            None => Err(self.mistakes),
        }
    }

    fn line(
        &mut self,
        values: &[(Number, u32)],
        frame: &ColumnFrame,
        full: u64,
        known: bool,
    ) -> Option<Encoding> {
        let (low, high, exact) = frame.values.domain()?;
        self.blame_outside(values, low, high, known);
        if let Some(grid) = frame.grid {
            return self.cells(values, frame, grid, full);
        }
        let bands = self.view.quasi.bands;
        if !bands.is_empty() {
            return self.banded(values, frame, full);
        }
        let values = values.iter().copied();
        let (codes, distinct) = Codes::ascending(self.view.column, values, &self.absent, frame.missing);
        let at = positions(&distinct, low, high, full, exact);
        let rule = Rule::line(at, frame.missing, full).ok()?.between_ends(low, high);
        Some((rule, self.kind.clone(), codes))
    }

    /// The cells of a grid that values lie in.
    fn cells(
        &mut self,
        values: &[(Number, u32)],
        frame: &ColumnFrame,
        grid: Grid,
        full: u64,
    ) -> Option<Encoding> {
        let (low, high, _) = frame.values.domain()?;
        let (mut in_cells, mut nowhere): (Vec<(i64, u32)>, Vec<u32>) = (Vec::new(), Vec::new());
        for &(value, entry) in values {
            match grid.cell(&self.kind, value).filter(|&cell| grid.ends(&self.kind, cell, cell).is_some()) {
                Some(cell) => in_cells.push((cell, entry)),
                None => nowhere.push(entry),
            }
        }
        let hint = "choose another step, or leave the ends as they are: round = \"none\"";
        self.blame(&nowhere, "values that cannot be rounded", hint);
        let in_cells = in_cells.into_iter();
        let (mut codes, cells) = Codes::ascending(self.view.column, in_cells, &self.absent, frame.missing);
        let (first, last) = (grid.cell(&self.kind, low)?, grid.cell(&self.kind, high)?);
        let places: Vec<u64> = cells.iter().map(|&cell| cell.abs_diff(first)).collect();
        let rule = Rule::grid(&places, last.abs_diff(first).saturating_add(1), frame.missing, full).ok()?;
        let rule =
            rule.between_ends(grid.ends(&self.kind, first, first)?.0, grid.ends(&self.kind, last, last)?.0);
        codes.rounded = Some(Rounded { grid, cells });
        Some((rule, self.kind.clone(), codes))
    }

    pub(super) fn blame_outside(&mut self, values: &[(Number, u32)], low: Number, high: Number, known: bool) {
        let bands = self.bands();
        let outside: Vec<u32> = values
            .iter()
            .filter(|(v, _)| (*v < low || *v > high) && !bands.holds(*v))
            .map(|&(_, e)| e)
            .collect();
        if known {
            self.blame_new(&outside, "value", "outside the frame's domain");
        } else if !outside.is_empty() {
            let hint = "widen the domain, or leave it out to take the table's own";
            self.blame(&outside, "outside the domain", hint);
            let place = self.view.quasi.domain.as_ref().and_then(|domain| domain.place);
            if let (Some(mistake), Some(place)) = (self.mistakes.last_mut(), place) {
                mistake.place = Some(place);
            }
        }
    }

    fn labels(
        &mut self,
        present: &[(&str, u32)],
        labels: &[String],
        frame: &ColumnFrame,
        full: u64,
    ) -> Encoding {
        let values = labels.len() + usize::from(frame.missing);
        let mut codes = Codes::new(self.view.column.distinct(), values);
        let mut unknown = Vec::new();
        // Both lists ascend.
        let mut next = (0u32..).zip(labels).peekable();
        for &(text, entry) in present {
            while next.next_if(|(_, label)| label.as_str() < text).is_some() {}
            match next.peek() {
                Some(&(code, label)) if label == text => codes.set(entry, code),
                _ => unknown.push(entry),
            }
        }
        for &entry in &self.absent {
            codes.set(entry, labels.len() as u32);
        }
        self.blame_new(&unknown, "label", "that the frame does not know");
        (Rule::set(values as u32, full), Kind::Category, codes)
    }
}

/// The mistake of a step that does not go with the kind of its column.
pub(crate) fn step_mistake(name: &str, place: Option<Place>, step: Step, kind: &Kind) -> Mistake {
    let what = format!("column {name:?}: ends of kind {} cannot be rounded to {step}", kind.word());
    Mistake::new(what, place).hint(match kind {
        kind if kind.numeric() => "write a number, such as round = 5",
        kind if kind.dates() => "write day, week, month, quarter, year or decade, such as round = \"month\"",
        Kind::Ordinal(_) => "write how many levels make one cell, from 2 on",
        _ => "only ordered columns have ends; a hierarchy publishes labels by level",
    })
}

/// How many rows hold one of these entries, and the first such row: never what it holds.
pub(crate) fn rows_with(column: &Column, entries: &[u32]) -> String {
    let mut bad = vec![false; column.distinct()];
    for &entry in entries {
        bad[entry as usize] = true;
    }
    let rows = column.codes().iter().filter(|&&c| bad[c as usize]).count();
    let first = column.first_row(|code| bad[code as usize]);
    if rows == 1 { format!("1 row (row {first})") } else { format!("{rows} rows (the first is row {first})") }
}

/// What to try with values that a frame does not know.
const NEW: &str = "leave these rows out; or make a new frame with {frame}, whose losses are on another scale; a domain \
                   or a hierarchy in the policy covers what later tables may have";

fn is_infinite(text: &str) -> bool {
    let bare = text.trim_ascii().trim_start_matches(['-', '+']).to_ascii_lowercase();
    matches!(bare.as_str(), "inf" | "infinity" | "nan" | "∞")
}

pub(super) fn article(kind: &Kind) -> &'static str {
    match kind {
        Kind::Date => "an ISO date",
        Kind::Spelled(spelling) if matches!(**spelling, Spelling::Date(_)) => "a date in the given format",
        Kind::Spelled(_) => "a number with the given decimal sign",
        Kind::Ordinal(_) => "a level of the given order",
        _ => "a number (up to 30 digits)",
    }
}
