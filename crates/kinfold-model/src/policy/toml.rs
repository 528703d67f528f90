//! Policies from TOML. Every value is checked against the list of keys and reported with its line.

mod models;

use super::draft::Files;
use super::keys::{COLUMN, COORDINATE, FORMAT, GROUPING, Key, PROTECTING, RECODING, ROLES, Shape, TOP};
use super::layers::{Level, lay_over, long_forms};
use super::levels::{Groups, told_by_levels};
use super::mistake::{did_you_mean, one_of};
use super::spelled::prefix;
use super::{Domain, Draft, Form, Place, Protection, Quasi, Role, Source, Sources};
use crate::cost::Objective;
use crate::hierarchy::Hierarchy;
use crate::kind::Kind;
use crate::recoding::Recoding;
use crate::world::{Disk, World};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'a> = Spanned<DeValue<'a>>;

/// Stands in for a role with a mistake in it, so that one mistake does not bring others after it.
const UNCLEAR: Role = Role::Quasi(Quasi::PLAIN);

/// Keys that go with one kind.
const TELLING: [(&str, &str); 7] = [
    ("date", "date"),
    ("decimal", "numeric"),
    ("prefix", "prefix"),
    ("order", "ordinal"),
    ("hierarchy", "hierarchy"),
    ("regions", "region"),
    ("nodes", "region"),
];

impl Draft {
    /// Reads a policy; `path` is its name in messages, and hierarchy files are looked for beside it.
    pub fn from_toml(text: &str, path: &Path) -> Self {
        Self::from_toml_in(Arc::new(Disk::default()), text, path)
    }

    /// Reads a policy whose files come from this world.
    pub fn from_toml_in(world: Arc<dyn World>, text: &str, path: &Path) -> Self {
        Self::read(world, vec![Source::file(path, text)])
    }

    /// Reads a policy from several sources, a file first if there is one; settings after it win. The files that it
    /// names come from this world.
    pub fn read(world: Arc<dyn World>, sources: Vec<Source>) -> Self {
        let complete = sources.iter().any(|source| source.path().is_some());
        let mut draft = Self { world: Files(world), complete, ..Self::default() };
        draft.mistakes.sources = Sources(sources);
        let sources = draft.mistakes.sources.clone();
        // What stands before a source is blank: places then count from the start of the first.
        let texts: Vec<(&Source, usize, String)> = sources
            .starts()
            .map(|(start, source)| (source, start, " ".repeat(start) + source.text()))
            .collect();
        let (mut file, mut settings) = (DeTable::new(), DeTable::new());
        for (source, start, text) in &texts {
            let (mut table, errors) = DeTable::parse_recoverable(text);
            long_forms(table.get_mut());
            if let Some(error) = errors.iter().min_by_key(|e| e.span().map_or(0, |span| span.start)) {
                draft.not_toml(source, *start, text, error);
            } else if source.path().is_some() {
                file = table.into_inner();
            } else {
                draft.join(&mut settings, table.into_inner(), Level::Top);
            }
        }
        if !draft.unreadable {
            lay_over(&mut file, settings, Level::Top);
            draft.read_top(&file);
        }
        draft.mistakes.list.sort_by_key(|m| m.place.map_or(usize::MAX, |place| place.start));
        draft
    }

    fn not_toml(&mut self, source: &Source, start: usize, text: &str, error: &toml::de::Error) {
        self.unreadable = true;
        let at = error.span().map_or(start, |span| span.start.clamp(start, text.len()));
        let what = format!("not TOML: {}", error.message());
        match source.path() {
            // The line is told but not shown: a table given for a policy by mistake is full of people.
            Some(path) => {
                let line = 1 + text[..at].matches('\n').count();
                let hint = "a policy is a TOML file: k = 5, then [columns.NAME] with role = \"quasi\" for each \
                            column; {draft} drafts one";
                self.wrong(format!("{}:{line}: {what}", path.display()), None, hint);
            }
            None => {
                let hint = "write KEY = VALUE, with texts in quotes: columns.age.kind = \"numeric\"";
                self.wrong(what, Some((at..at).into()), hint);
            }
        }
    }

    fn read_top(&mut self, table: &DeTable<'_>) {
        let said =
            self.shaped(table, TOP, &["columns", "format", "metric", "presence", "report"], "the policy");
        // Something may have been said of k, and reported: that is mistake enough.
        self.k = table.contains_key("k").then_some(2);
        for (key, value) in said {
            let (word, place, on) = (value.text(), value.place, value.on());
            match key {
                "k" => self.k(value.whole().unwrap_or(0), place),
                "objective" => self.objective = named(Objective::ALL, Objective::word, &word),
                "recoding" => {
                    self.recoding = named(Recoding::ALL, Recoding::word, &word).unwrap_or_default();
                    self.recoding_place = place;
                }
                "withhold" => self.withhold(&word, place),
                "missing" => self.missing = Some(value.texts),
                "form" => (self.form, self.form_place) = (named(Form::ALL, Form::word, &word), place),
                "blunt" => (self.blunt, self.blunt_place) = (on, place),
                "drop_rest" => (self.drop_rest, self.complete) = (on, self.complete | on),
                "max_groups" => {
                    let groups = value.whole().unwrap_or(0);
                    if groups < 1 {
                        let what = format!("{groups} groups is not a valid maximum");
                        self.wrong(what, place, "allow one group at least");
                    }
                    self.max_groups = Some(groups.max(1) as u64);
                    self.said("a number of groups", place);
                }
                "per_group" if on => {
                    self.per_group = true;
                    self.said("one line per group", place);
                }
                "one_radius" if on => {
                    self.one_radius = true;
                    self.said("one radius for all groups", place);
                }
                _ => {}
            }
        }
        for name in ["metric", "format", "report", "presence"] {
            let Some(inner) = self.subtable(table, name) else { continue };
            match name {
                "metric" => self.read_metric(inner),
                "format" => self.read_format(inner),
                "report" => self.read_report(inner),
                _ => self.read_presence(inner),
            }
        }
        if let Some(columns) = self.subtable(table, "columns") {
            // What is said of a coordinate is said of one that is known.
            let (known, bare): (Vec<_>, Vec<_>) =
                in_file_order(columns).into_iter().partition(|(_, value)| !roleless(value));
            known.into_iter().chain(bare).for_each(|(name, value)| self.read_column(name, value));
        }
    }

    fn read_format(&mut self, table: &DeTable<'_>) {
        for (key, value) in self.shaped(table, FORMAT, &[], "[format]") {
            let pattern = value.text();
            let ends = (pattern.matches("{lo}").count(), pattern.matches("{hi}").count());
            match key {
                "star" => self.format.star = pattern,
                "set" => match <[String; 3]>::try_from(value.texts) {
                    // A backslash says that the next letter belongs to a label.
                    Ok(set) if set[1].starts_with('\\') => {
                        let hint = "choose another: a backslash marks letters that belong to a label";
                        self.wrong("the separator of a set begins with a backslash", value.place, hint);
                    }
                    Ok(set) if !set[1].is_empty() => self.format.set = set,
                    _ => self.wrong("the separator of a set is empty", value.place, Shape::Triple.wanted()),
                },
                _ if ends != (1, 1) || pattern.find("{lo}") > pattern.find("{hi}") => {
                    let what = format!("{key} must hold {{lo}} and then {{hi}}, each once");
                    self.wrong(what, value.place, "for example \"[{lo}-{hi}]\"");
                }
                "range" => self.format.range = pattern,
                _ => self.format.date_range = pattern,
            }
        }
    }

    fn read_column(&mut self, name: &str, value: &Value<'_>) {
        let place = Some(value.span().into());
        let DeValue::Table(table) = value.get_ref() else {
            let hint = "write [columns.NAME] with role = …, or NAME = \"drop\"";
            self.wrong(format!("column {name:?} is neither a role nor a table"), place, hint);
            return self.column(name, UNCLEAR, place);
        };
        let said = self.shaped(table, COLUMN, &[], &format!("column {name:?}"));
        let protects =
            |key: &&str| said.get(key).is_some_and(|value| !self.mistakes.sources.in_file(value.place));
        let role = match said.get("role") {
            Some(word) => role(&word.text()),
            None if table.contains_key("role") => UNCLEAR,
            None if self.coordinate(name) => return self.read_coordinate(name, said),
            // A setting that protects a column says that it is sensitive.
            None if PROTECTING.iter().any(protects) => Role::Sensitive(Protection::default()),
            None => {
                self.wrong(format!("column {name:?} has no role"), place, one_of(&ROLES));
                return self.column(name, UNCLEAR, place);
            }
        };
        let mut recoded = None;
        match role {
            Role::Quasi(_) if said.get("kind").is_some_and(|kind| kind.text() == "point") => {
                return self.read_point(name, &said, place);
            }
            role @ Role::Quasi(_) => {
                self.too_much(name, &role, &said, |key| PROTECTING.contains(&key) || key == "acknowledge");
                let quasi = self.read_quasi(name, &said);
                self.column(name, Role::Quasi(quasi), place);
            }
            role @ Role::Sensitive(_) => {
                self.too_much(name, &role, &said, |key| GROUPING.contains(&key));
                let mut protection = self.read_protection(name, &said);
                if protection.values.is_none() {
                    recoded = self.read_recoded(name, protection.kind.as_ref(), &said);
                }
                if let Some(recoded) = &recoded {
                    protection.kind = recoded.kind_of_cells();
                }
                self.column(name, Role::Sensitive(protection), place);
                self.read_models(name, table, &said);
            }
            role => {
                let kept = |key: &str| key == "acknowledge" || RECODING.contains(&key);
                let allowed =
                    |key: &str| ["role", "missing"].contains(&key) || role == Role::Keep && kept(key);
                self.too_much(name, &role, &said, |key| !allowed(key));
                if role == Role::Keep {
                    let kind = self.read_kind(name, &said);
                    recoded = self.read_recoded(name, kind.as_ref(), &said);
                }
                self.column(name, role, place);
            }
        }
        if let Some(column) = self.said_of(name) {
            column.recoded = recoded;
            column.acknowledged |= said.get("acknowledge").is_some_and(Said::on);
            column.missing = said.get("missing").map(|value| value.texts.clone());
        }
    }

    /// Two columns that are one point.
    fn read_point(&mut self, name: &str, said: &AllSaid, place: Option<Place>) {
        for (key, value) in said.iter().filter(|(key, _)| !["role", "kind", "weight", "round"].contains(*key))
        {
            let what = format!("{key} does not go with kind point");
            let hint = "points have role, kind, weight and round; other keys are those of a coordinate, such as \
                        columns.LAT.domain = [LOW, HIGH]";
            self.wrong_in(name, what, value.place, hint);
        }
        let weight = said.get("weight").and_then(Said::number).unwrap_or(1.0);
        let weight = self.weight(name, weight, place);
        self.coordinates(name, weight, place);
        if let Some(value) = said.get("round")
            && let Some((up, across)) = name.split_once('/')
        {
            let round = self.rounding(name, value);
            for name in [up.trim(), across.trim()] {
                self.change(name, value.place, |quasi| quasi.round = round);
            }
        }
    }

    /// Whether a column is a coordinate of a point.
    fn coordinate(&self, name: &str) -> bool {
        let point = |role: &Role| matches!(role, Role::Quasi(Quasi { point_with: Some(_), .. }));
        self.columns.iter().any(|column| column.name == name && point(&column.role))
    }

    /// What is said of a coordinate beside its point.
    fn read_coordinate(&mut self, name: &str, said: AllSaid) {
        for (key, value) in said.iter().filter(|(key, _)| !COORDINATE.contains(*key)) {
            let what = format!("{key} does not go with a coordinate of a point");
            let hint = "coordinates have domain, unit, round and missing; say all else of the point";
            self.wrong_in(name, what, value.place, hint);
        }
        let Quasi { domain, unit, round, .. } = self.read_quasi(name, &said);
        let place = said.values().next().and_then(|value| value.place);
        self.change(name, place, |quasi| {
            quasi.domain = domain;
            quasi.unit = unit;
            quasi.round = round.or(quasi.round);
        });
        if let Some(column) = self.said_of(name) {
            column.missing = said.get("missing").map(|value| value.texts.clone());
        }
    }

    /// Changes what is said of a quasi-identifier, and checks it again.
    fn change(&mut self, name: &str, place: Option<Place>, change: impl FnOnce(&mut Quasi)) {
        let Some(Role::Quasi(quasi)) = self.said_of(name).map(|column| &mut column.role) else { return };
        change(quasi);
        let quasi = quasi.clone();
        self.check_domain(name, &quasi);
        self.check_round(name, &quasi, place);
    }

    /// A file that is named at a place.
    pub(super) fn beside(&self, file: &Said) -> PathBuf {
        self.mistakes.sources.beside(file.place, &file.text())
    }

    /// Keys that do not go with the role.
    fn too_much(&mut self, name: &str, role: &Role, said: &AllSaid, wrong: impl Fn(&str) -> bool) {
        for (key, value) in said.iter().filter(|(key, _)| wrong(key)) {
            let what = format!("{key} cannot be used with role {}", role.word());
            let whose = if *key == "acknowledge" {
                "only kept and sensitive columns are published unchanged"
            } else if PROTECTING.contains(key) {
                "only sensitive columns have one"
            } else {
                "only quasi-identifiers have one"
            };
            self.wrong_in(name, what, value.place, whose);
        }
    }

    fn read_quasi(&mut self, name: &str, said: &AllSaid) -> Quasi {
        let kind = self.read_kind(name, said);
        let number = |value: &Said| value.number().unwrap_or(f64::NAN);
        let weight = said.get("weight").map_or(1.0, |value| self.weight(name, number(value), value.place));
        let domain = said.get("domain").and_then(|value| {
            let [low, high] = <[String; 2]>::try_from(value.texts.clone()).ok()?;
            Some(Domain { low, high, place: value.place })
        });
        let unit = said.get("unit").and_then(|value| self.unit(name, number(value), value.place));
        let round = said.get("round").and_then(|value| self.rounding(name, value));
        let quasi = Quasi { kind, weight, domain, unit, round, ..Quasi::default() };
        self.levels(name, quasi, said)
    }

    /// The kind, and a mistake for every key that does not go with it.
    fn read_kind(&mut self, name: &str, said: &AllSaid) -> Option<Kind> {
        // A key that goes with one kind tells it, unless another is said.
        let told = TELLING.iter().find(|(key, _)| said.contains_key(key)).map(|(_, kind)| *kind);
        let told = told.or_else(|| told_by_levels(said));
        let word = said.get("kind").map(Said::text);
        let kind = self.kind(name, word.as_deref().or(told)?, said);
        for (key, needed) in TELLING {
            if let Some(value) = said.get(key)
                && kind.as_ref().is_some_and(|k| k.word() != needed)
            {
                let what = format!("{key} goes with kind {needed} only");
                self.wrong_in(name, what, value.place, format!("set kind = {needed:?}, or leave {key} out"));
            }
        }
        self.with_ladder(name, kind?, said)
    }

    /// The kind of this word, with what it needs.
    fn kind(&mut self, name: &str, word: &str, said: &AllSaid) -> Option<Kind> {
        let (key, needs, hint) = match word {
            "numeric" => {
                let Some(sign) = said.get("decimal") else { return Some(Kind::Numeric) };
                return self.decimal(name, sign);
            }
            "date" => {
                let Some(format) = said.get("date") else { return Some(Kind::Date) };
                return self.date_format(name, format);
            }
            "prefix" => ("prefix", "lengths", "prefix = [3, 1], or {quasi=NAME:prefix=3/1}"),
            "ordinal" => (
                "order",
                "order",
                "order = [\"low\", \"middle\", \"high\"], or {quasi='NAME:ordinal=low<middle<high'}",
            ),
            "hierarchy" => {
                ("hierarchy", "file", "hierarchy = \"FILE.csv\", or {quasi=NAME:hierarchy=FILE.csv}")
            }
            "region" => ("regions", "file", "regions = \"EDGES.csv\", or {quasi=NAME:region=EDGES.csv}"),
            _ => return Some(Kind::Category),
        };
        let Some(value) = said.get(key) else {
            let place = said.get("kind").and_then(|kind| kind.place);
            self.wrong_in(name, format!("{word} needs its {needs}"), place, hint);
            return None;
        };
        match word {
            "prefix" => Some(prefix(value.texts.iter().filter_map(|length| length.parse().ok()))),
            "ordinal" => Some(Kind::Ordinal(value.texts.clone())),
            "hierarchy" => {
                let hierarchy = self.by_lines("hierarchy", value, Hierarchy::from_bytes)?;
                Some(Kind::Hierarchy(Arc::new(hierarchy)))
            }
            _ => self.regions(value, said.get("nodes")),
        }
    }

    /// The values of known keys that have the right shape; everything else becomes a mistake.
    pub(super) fn shaped(
        &mut self,
        table: &DeTable<'_>,
        keys: &[Key],
        tables: &[&str],
        whose: &str,
    ) -> AllSaid {
        let mut said = AllSaid::new();
        for (name, value) in table {
            let (word, place) = (name.get_ref().as_ref(), Some(value.span().into()));
            if tables.contains(&word) {
                continue;
            }
            let Some(key) = keys.iter().find(|k| k.name == word) else {
                let known: Vec<&str> = keys.iter().map(|k| k.name).chain(tables.iter().copied()).collect();
                let hint = did_you_mean(word, known.iter().copied()).unwrap_or_else(|| one_of(&known));
                self.wrong(format!("{whose} has no key {word:?}"), Some(name.span().into()), hint);
                continue;
            };
            match (shape(key.shape, value.get_ref()), key.shape) {
                (Some(texts), Shape::Word(words)) if !words().contains(&texts.concat().as_str()) => {
                    // Roles and kinds are often mistyped: a near one is suggested. Else all are listed.
                    let said = texts.concat();
                    let (what, near) = match whose.strip_prefix("column ") {
                        Some(_) => (format!("{whose}: "), did_you_mean(&said, words().into_iter())),
                        None => (String::new(), None),
                    };
                    let hint = near.unwrap_or_else(|| one_of(&words()));
                    self.wrong(format!("{what}unknown {word} {said:?}"), place, hint);
                }
                (Some(texts), _) => {
                    let groups = Groups::read(key.shape, value);
                    said.insert(key.name, Said { texts, place, groups });
                }
                (None, _) => {
                    self.wrong(format!("{word} is not {}", key.shape.wanted()), place, key.about);
                }
            }
        }
        said
    }

    fn subtable<'t, 'a>(&mut self, table: &'t DeTable<'a>, name: &str) -> Option<&'t DeTable<'a>> {
        let value = table.get(name)?;
        let inner = value.get_ref().as_table();
        if inner.is_none() {
            let hint = format!("write [{name}]");
            self.wrong(format!("{name} is not a table"), Some(value.span().into()), hint);
        }
        inner
    }
}

/// Values that passed their shape, by key.
pub(super) type AllSaid = BTreeMap<&'static str, Said>;

/// What is said under a key: a text, or several; none for a table, which is read with its own keys.
#[derive(Clone)]
pub(super) struct Said {
    pub(super) texts: Vec<String>,
    pub(super) place: Option<Place>,
    /// Named groups, where the value is a table of them.
    pub(super) groups: Option<Groups>,
}

impl Said {
    pub(super) fn text(&self) -> String {
        self.texts.concat()
    }

    pub(super) fn on(&self) -> bool {
        self.text() == "true"
    }

    pub(super) fn whole(&self) -> Option<i64> {
        self.text().parse().ok()
    }

    pub(super) fn number(&self) -> Option<f64> {
        self.text().replace('_', "").parse().ok()
    }
}

/// The texts of a value of this shape.
fn shape(shape: Shape, value: &DeValue<'_>) -> Option<Vec<String>> {
    let text = |v: &DeValue<'_>, numbers: bool, words: bool| match v {
        DeValue::String(s) if words => Some(s.to_string()),
        DeValue::Integer(i) if numbers => {
            i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i.to_string())
        }
        DeValue::Float(f) if numbers => Some(f.as_str().to_owned()),
        _ => None,
    };
    let one = |numbers, words| text(value, numbers, words).map(|text| vec![text]);
    let many = |numbers, words| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|item| text(item.get_ref(), numbers, words)).collect()
    };
    let length = |text: &String| text.parse::<usize>().is_ok_and(|length| length > 0);
    match shape {
        Shape::Switch => value.as_bool().map(|on| vec![on.to_string()]),
        Shape::Whole | Shape::Count => one(true, false).filter(|_| value.is_integer()),
        Shape::Number | Shape::Amount => one(true, false),
        Shape::Numbers => many(true, false).filter(|v| v.len() == 2),
        Shape::Amounts => many(true, false),
        Shape::Lengths => many(true, false).filter(|v| !v.is_empty() && v.iter().all(length)),
        Shape::Model(_) if value.is_table() => Some(Vec::new()),
        // A bare value is that of the first key.
        Shape::Model(keys) => keys.first().and_then(|key| self::shape(key.shape, value)),
        Shape::Rungs if value.is_table() => Some(Vec::new()),
        Shape::Rungs => many(true, true).filter(|v| !v.is_empty()),
        Shape::Share | Shape::Step | Shape::Rung => one(true, true),
        Shape::Text | Shape::Sign | Shape::Word(_) => one(false, true),
        Shape::Texts => many(false, true),
        Shape::Pair => many(true, true).filter(|v| v.len() == 2),
        Shape::Triple => many(false, true).filter(|v| v.len() == 3),
    }
}

/// The role of this word.
fn role(word: &str) -> Role {
    match word {
        "identifier" => Role::Identifier,
        "person" => Role::Person,
        "sensitive" => Role::Sensitive(Protection::default()),
        "keep" => Role::Keep,
        "drop" => Role::Drop,
        "count" => Role::Count,
        "setup" => Role::Setup,
        _ => UNCLEAR,
    }
}

/// The one of that name.
pub(super) fn named<T: Copy>(all: &[T], name: fn(T) -> &'static str, word: &str) -> Option<T> {
    all.iter().copied().find(|&one| name(one) == word)
}

/// Whether an entry of `[columns]` gives no role.
fn roleless(value: &Value<'_>) -> bool {
    matches!(value.get_ref(), DeValue::Table(table) if !table.contains_key("role"))
}

/// Tables iterate by name; mistakes and roles read better in the order of the file.
fn in_file_order<'t, 'a>(table: &'t DeTable<'a>) -> Vec<(&'t str, &'t Value<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries.into_iter().map(|(name, value)| (name.get_ref().as_ref(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Form, Mistakes, Policy};

    fn read(text: &str) -> Result<Policy, Mistakes> {
        Draft::from_toml(text, Path::new("policy.toml")).settle()
    }

    #[test]
    fn a_whole_policy() {
        let policy = read(
            r#"
k = 7
withhold = "2%"
form = "bounds"
missing = ["", "-9"]
[format]
range = "{lo}..{hi}"
set = ["<", ",", ">"]
star = "?"
[columns]
name = "identifier"
n = "count"
[columns.age]
role = "quasi"
kind = "numeric"
weight = 2
domain = [0, 120]
[columns.size]
role = "quasi"
order = ["S", "M", "L"]
"#,
        )
        .unwrap();
        assert_eq!((policy.k, policy.withhold, policy.form), (7, 0.02, Form::Bounds));
        assert_eq!(policy.missing, ["", "-9"]);
        assert_eq!((policy.format.range.as_str(), policy.format.star.as_str()), ("{lo}..{hi}", "?"));
        assert_eq!(policy.count_column(), Some("n"));
        let age = policy.quasi().find(|(c, _)| c.name == "age").unwrap().1.clone();
        assert_eq!(age.domain.as_ref().map(|d| (d.low.as_str(), d.high.as_str())), Some(("0", "120")));
        assert_eq!(
            age,
            Quasi { kind: Some(Kind::Numeric), weight: 2.0, domain: age.domain.clone(), ..Quasi::default() }
        );
        let size = policy.quasi().find(|(c, _)| c.name == "size").unwrap().1.kind.clone();
        assert_eq!(size, Some(Kind::Ordinal(["S", "M", "L"].map(String::from).to_vec())));
    }

    #[test]
    fn all_mistakes_come_together_with_their_lines() {
        let text = r#"k = 1
wihthold = 0.1
form = "rangs"
missing = "NA"
[format]
range = "{lo}"
[columns.a]
role = "quasy"
[columns.b]
role = "quasi"
kind = "numberic"
[columns.c]
role = "quasi"
kind = "numeric"
weight = -1
domain = [5, 1]
[columns.d]
role = "keep"
weight = 3
[columns.e]
kind = "date"
[columns.f]
role = "quasi"
kind = "ordinal"
[columns.g]
role = "quasi"
hierarchy = "nowhere.csv"
"#;
        let mistakes = read(text).unwrap_err();
        let shown = mistakes.to_string();
        let expected = [
            "policy.toml:1: k is 1",
            "policy.toml:2: the policy has no key \"wihthold\" (did you mean \"withhold\"?)",
            "policy.toml:3: unknown form \"rangs\"",
            "policy.toml:4: missing is not a list of texts",
            "policy.toml:6: range must hold {lo} and then {hi}",
            "policy.toml:8: column \"a\": unknown role \"quasy\" (did you mean \"quasi\"?)",
            "policy.toml:11: column \"b\": unknown kind \"numberic\" (did you mean \"numeric\"?)",
            "policy.toml:15: column \"c\": weight -1 is out of range",
            "policy.toml:16: column \"c\": the domain's low end is not below",
            "policy.toml:19: column \"d\": weight cannot be used with role keep",
            "column \"e\" has no role",
            "policy.toml:24: column \"f\": ordinal needs its order",
            "policy.toml:27: hierarchy nowhere.csv: cannot read",
        ];
        for line in expected {
            assert!(shown.contains(line), "{line}\n\nin\n\n{shown}");
        }
        assert_eq!(mistakes.list.len(), expected.len(), "{shown}");
    }

    #[test]
    fn what_is_no_toml_is_told_once_and_not_shown() {
        let mistakes = read("k = 5\nMary,37,F\nAlice,35,F\n").unwrap_err();
        assert_eq!(mistakes.list.len(), 1, "{mistakes}");
        assert!(mistakes.to_string().contains("policy.toml:2: not TOML"), "{mistakes}");
        assert!(!mistakes.to_string().contains("Mary") && mistakes.list[0].place.is_none(), "{mistakes}");
    }
}
