//! A policy in the making: takes everything that is said, and collects what is wrong with it.

use super::mistake::{did_you_mean, one_of};
use super::report::share;
use super::toml::Said;
use super::{
    ColumnPolicy, Domain, Form, Format, MetricPolicy, Mistake, Mistakes, Place, Policy, Quasi, ReportPolicy,
    Role, Source, default_missing,
};
use crate::cost::Objective;
use crate::hierarchy::HierarchyError;
use crate::hint::Hint;
use crate::kind::{Kind, value_of};
use crate::recoding::Recoding;
use crate::regions::{Nodes, Regions, RegionsError};
use crate::table::{Table, TableError};
use crate::value::parse_date;
use crate::world::{Disk, World};
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was said so far, and every mistake in it.
#[derive(Debug, Default)]
pub struct Draft {
    pub(super) k: Option<u64>,
    pub(super) objective: Option<Objective>,
    pub(super) withhold: Option<f64>,
    pub(super) recoding: Recoding,
    pub(super) recoding_place: Option<Place>,
    pub(super) missing: Option<Vec<String>>,
    pub(super) form: Option<Form>,
    pub(super) form_place: Option<Place>,
    pub(super) metric: MetricPolicy,
    pub(super) max_groups: Option<u64>,
    pub(super) blunt: bool,
    pub(super) blunt_place: Option<Place>,
    pub(super) per_group: bool,
    pub(super) one_radius: bool,
    /// What was said of clusters, and where: it must go with the objective.
    pub(super) cluster_words: Vec<(&'static str, Option<Place>)>,
    pub(super) presence: Option<super::presence::Asked>,
    pub(super) format: Format,
    pub(super) report: ReportPolicy,
    pub(super) columns: Vec<ColumnPolicy>,
    pub(super) mistakes: Mistakes,
    pub(super) complete: bool,
    pub(super) drop_rest: bool,
    /// The file is no TOML: whatever else could be said follows from that.
    pub(super) unreadable: bool,
    pub(super) files: Vec<PathBuf>,
    /// Where the files it names come from.
    pub(super) world: Files,
}

/// Where files come from.
#[derive(Debug)]
pub(super) struct Files(pub(super) Arc<dyn World>);

impl Default for Files {
    fn default() -> Self {
        Self(Arc::new(Disk::default()))
    }
}

impl Draft {
    /// Reads a policy file of a world, and the files it names.
    pub fn open_in(world: Arc<dyn World>, path: &Path) -> Result<Self, Mistakes> {
        let source = Source::open(&*world, path)?;
        Ok(Self::read(world, vec![source]))
    }

    /// The same, though it does not mean to name every column, as a policy file does.
    pub fn incomplete(self) -> Self {
        Self { complete: false, ..self }
    }

    /// The files it names, which were read with it.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Notes a mistake, and what to try.
    pub(super) fn wrong(&mut self, what: impl Into<String>, place: Option<Place>, hint: impl Into<Hint>) {
        self.mistakes.list.push(Mistake::new(what, place).hint(hint));
    }

    /// A mistake in what is said of a column.
    pub(super) fn wrong_in(
        &mut self,
        name: &str,
        what: impl Display,
        place: Option<Place>,
        hint: impl Into<Hint>,
    ) {
        self.wrong(format!("column {name:?}: {what}"), place, hint);
    }

    /// Sets k.
    pub(super) fn k(&mut self, k: i64, place: Option<Place>) {
        if k < 2 {
            let what = format!("k is {k}, but it must be at least 2");
            self.wrong(what, place, "use k = 2 at least; 5 to 20 is usual");
        }
        // Kept in any case, so that one mistake does not bring "k is not set" after it.
        self.k = Some(k.max(2) as u64);
    }

    /// Sets k where nothing else does.
    pub fn default_k(&mut self, k: u64) {
        self.k.get_or_insert(k);
    }

    /// Sets the share that may be left out.
    pub(super) fn withhold(&mut self, text: &str, place: Option<Place>) {
        match share(text) {
            Some(share) if (0.0..1.0).contains(&share) => self.withhold = Some(share),
            _ => {
                let hint = "write a share from 0% to below 100%, such as 2% or 0.02";
                self.wrong(format!("{text:?} is not a share between 0 and 1"), place, hint);
            }
        }
    }

    /// Says what a column is. A later word from elsewhere (a setting after a file) wins; the same source twice
    /// is a mistake.
    pub(super) fn column(&mut self, name: &str, role: Role, place: Option<Place>) {
        match &role {
            Role::Quasi(quasi) => {
                self.check_order(name, &quasi.kind, place);
                self.check_domain(name, quasi);
                self.check_round(name, quasi, place);
            }
            Role::Sensitive(protection) => self.check_order(name, &protection.kind, place),
            _ => {}
        }
        let said = ColumnPolicy {
            name: name.into(),
            role,
            place,
            acknowledged: false,
            missing: None,
            recoded: None,
        };
        match self.columns.iter().position(|c| c.name == name) {
            // Settings win over a file, but nothing wins over its own kind: a file names a column twice by
            // naming its point.
            Some(i) if self.same_source(self.columns[i].place, place) => {
                let earlier = self.columns[i].role.word();
                self.named_twice(name, earlier, said.role.word(), place);
            }
            // One coordinate alone would be published while the other is grouped without it.
            Some(i) if breaks_point(&self.columns[i].role, &said.role) => {
                let what = format!("column {name:?} is a coordinate of a point in the policy file");
                let hint = "name the point again with {quasi=LAT/LON:point}, or change the policy file";
                self.wrong(what, place, hint);
            }
            Some(i) => self.columns[i] = said,
            None => self.columns.push(said),
        }
    }

    /// What is said of a column so far.
    pub(super) fn said_of(&mut self, name: &str) -> Option<&mut ColumnPolicy> {
        self.columns.iter_mut().find(|c| c.name == name)
    }

    /// Whether two places are both in the file, or both settings.
    pub(super) fn same_source(&self, a: Option<Place>, b: Option<Place>) -> bool {
        let sources = &self.mistakes.sources;
        a.is_some() && b.is_some() && sources.in_file(a) == sources.in_file(b)
    }

    /// The weight, or 1 in place of one that makes no sense.
    pub(super) fn weight(&mut self, name: &str, weight: f64, place: Option<Place>) -> f64 {
        if (1e-6..=1e6).contains(&weight) {
            return weight;
        }
        let what = format!("weight {weight} is out of range");
        self.wrong_in(name, what, place, "write a weight from 0.000001 to 1000000");
        1.0
    }

    fn check_order(&mut self, name: &str, kind: &Option<Kind>, place: Option<Place>) {
        let Some(Kind::Ordinal(levels)) = kind else { return };
        let mut sorted = levels.clone();
        sorted.sort();
        if levels.len() < 2 || sorted.windows(2).any(|w| w[0] == w[1]) {
            let hint = "order = [\"low\", \"middle\", \"high\"], or {quasi='name:ordinal=low<middle<high'}";
            self.wrong_in(name, "an order needs two levels or more, each once", place, hint);
        }
    }

    pub(super) fn check_domain(&mut self, name: &str, quasi: &Quasi) {
        let Some(Domain { low, high, place }) = &quasi.domain else { return };
        let kind = match &quasi.kind {
            None if parse_date(low).is_some() => &Kind::Date,
            None => &Kind::Numeric,
            Some(kind) if kind.numeric() || kind.dates() => kind,
            Some(other) => {
                let what = format!("a domain does not go with kind {}", other.word());
                return self.wrong_in(name, what, *place, "only numeric and date columns have one");
            }
        };
        let (what, hint) = match (value_of(kind, low), value_of(kind, high)) {
            (Some(low), Some(high)) if low < high => return,
            (Some(_), Some(_)) => {
                ("the domain's low end is not below its high end", "write the lowest value first")
            }
            _ if matches!(kind, Kind::Spelled(_)) => (
                "an end of the domain is not in its format",
                "write the ends as the column writes its values, in quotes",
            ),
            _ => (
                "an end of the domain is neither a number nor a date",
                "write [0, 120] or [\"2000-01-01\", \"2020-12-31\"]",
            ),
        };
        self.wrong_in(name, what, *place, hint);
    }

    /// Reads a file that is named there, with one line per value; or notes what is wrong with it.
    pub(super) fn by_lines<T>(
        &mut self,
        what: &str,
        named: &Said,
        read: impl FnOnce(Vec<u8>) -> Result<T, HierarchyError>,
    ) -> Option<T> {
        let path = self.beside(named);
        let bytes = self.world.0.read(&path).map_err(|source| TableError::Io { path: path.clone(), source });
        let read = bytes.map_err(HierarchyError::from).and_then(read);
        if let Err(error) = &read {
            let hint = "one line per value: value;wider;wider still;*";
            self.wrong(format!("{what} {}: {error}", path.display()), named.place, hint);
        }
        self.files.push(path);
        read.ok()
    }

    /// Reads a file of regions that touch and, if there is one, that of what is known of them; or notes what
    /// is wrong with them.
    pub(super) fn regions(&mut self, edges: &Said, nodes: Option<&Said>) -> Option<Kind> {
        let place = edges.place;
        let (edges, nodes) = (self.beside(edges), nodes.map(|nodes| self.beside(nodes)));
        self.files.extend([Some(edges.clone()), nodes.clone()].into_iter().flatten());
        let world = self.world.0.clone();
        let text = |path: &Path| -> Result<String, RegionsError> {
            let decoded = world.read(path).and_then(|bytes| {
                let not_text = || std::io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text");
                String::from_utf8(bytes).map_err(|_| not_text())
            });
            Ok(decoded.map_err(|source| TableError::Io { path: path.to_owned(), source })?)
        };
        let mut tell = |path: &Path, error: RegionsError, layout: &'static str| match error {
            // It names the file itself, and its layout is not known.
            RegionsError::Table(unread @ TableError::Io { .. }) => {
                self.wrong(format!("regions: {unread}"), place, "check the path");
            }
            error => self.wrong(format!("regions {}: {error}", path.display()), place, layout),
        };
        let told = nodes.as_deref().map(|path| {
            let nodes = text(path).and_then(|text| Nodes::parse(&text));
            let layout = "a header such as region,people,x,y, then one line per region";
            nodes.map_err(|error| tell(path, error, layout)).ok()
        });
        let known = told.clone().flatten().unwrap_or_default();
        let regions = text(&edges).and_then(|text| Regions::parse(&text, &known)).map_err(|error| {
            tell(&edges, error, "a header, then one line per pair of regions that touch: 01001,01021");
        });
        // A map without its other file would be another map.
        regions.ok().filter(|_| told != Some(None)).map(|regions| Kind::Region(Arc::new(regions)))
    }

    /// Two columns that are the coordinates of a point, `NAME1/NAME2`: both numeric, with the point's weight
    /// shared out by the widths of their domains.
    pub(super) fn coordinates(&mut self, names: &str, weight: f64, place: Option<Place>) {
        match names.split_once('/').map(|(a, b)| (a.trim(), b.trim())) {
            Some((a, b)) if !a.is_empty() && !b.is_empty() && a != b => {
                // Objectives that make clusters measure between points as the crow flies.
                self.metric.points.push([a.to_owned(), b.to_owned()]);
                for (name, other) in [(a, b), (b, a)] {
                    let kind = Some(Kind::Numeric);
                    let quasi =
                        Quasi { kind, weight, point_with: Some(other.to_owned()), ..Quasi::default() };
                    self.column(name, Role::Quasi(quasi), place);
                }
            }
            _ => {
                let hint = "write LAT/LON:point, or [columns.\"LAT/LON\"] with kind = \"point\"";
                self.wrong(format!("{names:?}: a point is made of two columns"), place, hint);
            }
        }
    }

    /// A policy for a release, whose columns are not the table's: nothing is compared with a header.
    pub fn settle(mut self) -> Result<Policy, Mistakes> {
        if self.unreadable {
            return Err(self.mistakes);
        }
        if self.k.is_none() {
            self.wrong("k is not set", None, "use {k=5}, or k = 5 in the policy");
        }
        if !self.columns.iter().any(|c| matches!(c.role, Role::Quasi(_))) {
            let hint = "name the columns that could identify a person together: {quasi=age,zip,sex}";
            self.wrong("no column is a quasi-identifier", None, hint);
        }
        for role in [Role::Count, Role::Setup, Role::Person] {
            if let Some(second) = self.columns.iter().filter(|c| c.role == role).nth(1) {
                let what = format!("two columns have role {}", role.word());
                self.wrong(what, second.place, format!("keep one of them as {}", role.word()));
            }
        }
        let objective = self.objective.unwrap_or(match self.form {
            Some(Form::Stars) => Objective::Stars,
            Some(Form::Centres) => Objective::Radius,
            _ => Objective::Ncp,
        });
        let form = self.form.unwrap_or(Form::of(objective)[0]);
        if !Form::of(objective).contains(&form) {
            let words: Vec<&str> = Form::of(objective).iter().map(|form| form.word()).collect();
            let what = format!("form {} does not go with objective {}", form.word(), objective.word());
            self.wrong(what, self.form_place, one_of(&words));
        }
        let points = |c: &ColumnPolicy| matches!(&c.role, Role::Quasi(quasi) if quasi.point_with.is_some());
        if form == Form::Wkt && !self.columns.iter().any(points) {
            let what = "form wkt publishes points, and no columns are one";
            self.wrong(what, self.form_place, "name it: {quasi=LAT/LON:point}");
        }
        if self.recoding == Recoding::Global && !Objective::BY_CELL.contains(&objective) {
            let what = format!("global recoding does not go with objective {}", objective.word());
            let words: Vec<&str> = Objective::BY_CELL.iter().map(|objective| objective.word()).collect();
            self.wrong(what, self.recoding_place, one_of(&words));
        }
        if objective == Objective::GroupSize {
            self.check_group_size();
        }
        self.check_clusters(objective);
        self.check_rounding(objective);
        self.check_levels(objective, form);
        self.check_protections();
        let presence = self.read_population(objective);
        if !self.mistakes.list.is_empty() {
            return Err(self.mistakes);
        }
        Ok(Policy {
            k: self.k.unwrap_or_default(),
            objective,
            withhold: self.withhold.unwrap_or(0.0),
            recoding: self.recoding,
            missing: self.missing.unwrap_or_else(default_missing),
            form,
            blunt: self.blunt,
            per_group: self.per_group,
            one_radius: self.one_radius,
            metric: self.metric,
            max_groups: self.max_groups,
            presence,
            format: self.format,
            report: self.report,
            columns: self.columns,
            complete: self.complete,
            sources: self.mistakes.sources,
        })
    }

    /// Objective `group-size` is about one column of labels, levels, numbers or regions, or about several
    /// that are ordered.
    fn check_group_size(&mut self) {
        let quasi = self.columns.iter().filter(|c| matches!(c.role, Role::Quasi(_)));
        let several = quasi.clone().count() > 1;
        let mistake = |column: &ColumnPolicy| match &column.role {
            Role::Quasi(Quasi { kind: Some(kind), .. }) if several && !kind.ordered() => {
                Some(column.unordered(kind))
            }
            Role::Quasi(Quasi { kind: Some(kind @ (Kind::Hierarchy(_) | Kind::Prefix(_))), .. }) => {
                let (name, word) = (&column.name, kind.word());
                let what = format!("column {name:?}: objective group-size does not take kind {word}");
                let hint = "use kind category to group its values as labels";
                Some(Mistake::new(what, column.place).hint(hint))
            }
            _ => None,
        };
        let mistakes: Vec<Mistake> = quasi.filter_map(mistake).collect();
        self.mistakes.list.extend(mistakes);
    }

    /// A policy for a table whose columns were all read.
    pub fn for_table(self, table: &Table) -> Result<Policy, Mistakes> {
        let names: Vec<String> = table.columns().iter().map(|c| c.name().to_owned()).collect();
        self.settle_for(&names)
    }

    /// A policy for a table with these columns: each has one role, and none is made up.
    pub fn settle_for(mut self, names: &[String]) -> Result<Policy, Mistakes> {
        if self.unreadable {
            return Err(self.mistakes);
        }
        let known = |name: &str| names.iter().any(|n| n == name);
        let unknown: Vec<ColumnPolicy> = self.columns.iter().filter(|c| !known(&c.name)).cloned().collect();
        for column in unknown {
            let hint = did_you_mean(&column.name, names.iter().map(String::as_str))
                .map_or(Hint::from("see the columns with: {inspect}"), Hint::from);
            self.wrong(format!("the table has no column {:?}", column.name), column.place, hint);
        }
        self.check_new_names(names);
        self.check_group_columns(names);
        if self.drop_rest {
            for name in names {
                if self.said_of(name).is_none() {
                    self.column(name, Role::Drop, None);
                }
            }
        }
        let roleless: Vec<String> = names
            .iter()
            .filter(|n| !self.columns.iter().any(|c| c.name == **n))
            .map(|n| format!("{n:?}"))
            .collect();
        if !roleless.is_empty() {
            let noun = if roleless.len() == 1 { "a column has" } else { "columns have" };
            let hint = "give each one: {quasi}, {identifier}, {person}, {sensitive}, {keep}, {drop} or {count}; \
                        {drop_rest} leaves the rest out";
            self.wrong(format!("{noun} no role: {}", listed(&roleless)), None, hint);
        }
        self.settle()
    }
}

/// At most twenty of them, and how many more.
fn listed(items: &[String]) -> String {
    const SHOWN: usize = 20;
    match items.len() {
        n if n > SHOWN => format!("{} and {} more", items[..SHOWN].join(", "), n - SHOWN),
        _ => items.join(", "),
    }
}

/// Whether the first role is that of a coordinate, and the second is not that of the same point's.
fn breaks_point(earlier: &Role, later: &Role) -> bool {
    let point = |role: &Role| match role {
        Role::Quasi(quasi) => quasi.point_with.clone(),
        _ => None,
    };
    point(earlier).is_some() && point(earlier) != point(later)
}
