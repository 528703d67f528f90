//! Policies from TOML files. Every value is checked against the list of keys and reported with its line.

mod models;

use super::keys::{COLUMN, FORMAT, GROUPING, KINDS, Key, METRIC, PROTECTING, REPORT, ROLES, Shape, TOP};
use super::mistake::{did_you_mean, one_of};
use super::spelled::prefix;
use super::{Domain, Draft, Mistake, Place, Protection, Quasi, Role};
use crate::kind::Kind;
use crate::world::{Disk, World};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'a> = Spanned<DeValue<'a>>;

/// Stands in for a role with a mistake in it, so that one mistake does not bring others after it.
const UNCLEAR: Role =
    Role::Quasi(Quasi { kind: None, weight: 1.0, domain: None, unit: None, point_with: None, round: None });

impl Draft {
    /// Reads a policy; `path` is its name in messages, and hierarchy files are looked for beside it.
    pub fn from_toml(text: &str, path: &Path) -> Self {
        Self::from_toml_in(Arc::new(Disk::default()), text, path)
    }

    /// Reads a policy whose files come from this world.
    pub fn from_toml_in(world: Arc<dyn World>, text: &str, path: &Path) -> Self {
        let mut draft = Self { complete: true, ..Self::within(world) };
        draft.mistakes.file = Some((path.display().to_string(), text.to_owned()));
        let (table, errors) = DeTable::parse_recoverable(text);
        let start = |e: &toml::de::Error| e.span().map_or(0, |s| s.start.min(text.len()));
        if let Some(error) = errors.iter().min_by_key(|e| start(e)) {
            // The line is told but not shown: a table given for a policy by mistake is full of people.
            let line = 1 + text[..start(error)].matches('\n').count();
            let what = format!("{}:{line}: not TOML: {}", path.display(), error.message());
            draft.mistake(Mistake::new(what, None).hint(
                "a policy is a TOML file: k = 5, then [columns.NAME] with role = \"quasi\" for each column; \
                 {draft} drafts one",
            ));
            draft.unreadable = true;
            return draft;
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        draft.read(table.get_ref(), folder);
        draft.mistakes.list.sort_by_key(|m| match &m.place {
            Some(Place::File(span)) => span.start,
            _ => usize::MAX,
        });
        draft
    }

    fn read(&mut self, table: &DeTable<'_>, folder: &Path) {
        let said =
            self.shaped(table, TOP, &["columns", "format", "metric", "presence", "report"], "the policy");
        match said.get("k") {
            Some((value, span)) => self.k(whole(value).unwrap_or(0), at(span)),
            // Something was said of k, and reported: that is mistake enough.
            None => self.k = table.contains_key("k").then_some(2),
        }
        if let Some((value, span)) = said.get("objective") {
            self.objective(&text(value), at(span));
        }
        if let Some((value, span)) = said.get("withhold") {
            self.withhold(&text(value), at(span));
        }
        if let Some((value, _)) = said.get("missing") {
            self.missing = Some(texts(value));
        }
        if let Some((value, span)) = said.get("form") {
            self.form(&text(value), at(span));
        }
        if let Some((value, span)) = said.get("blunt") {
            self.blunt(text(value) == "true", at(span));
        }
        if let Some((value, span)) = said.get("one_radius") {
            self.one_radius(text(value) == "true", at(span));
        }
        if let Some((value, span)) = said.get("per_group") {
            self.per_group(text(value) == "true", at(span));
        }
        if let Some((value, span)) = said.get("max_groups") {
            self.max_groups(whole(value).unwrap_or(0), at(span));
        }
        if let Some(metric) = self.subtable(table, "metric") {
            self.read_metric(metric);
        }
        if let Some(format) = self.subtable(table, "format") {
            self.read_format(format);
        }
        if let Some(report) = self.subtable(table, "report") {
            for (key, (value, _)) in self.shaped(report, REPORT, &[], "[report]") {
                if let Some(slot) = self.report.slot(key) {
                    *slot = Some(text(&value));
                }
            }
        }
        if let Some(presence) = self.subtable(table, "presence") {
            self.read_presence(presence, folder);
        }
        if let Some(columns) = self.subtable(table, "columns") {
            for (name, value) in in_file_order(columns) {
                self.read_column(name, value, folder);
            }
        }
    }

    fn read_metric(&mut self, table: &DeTable<'_>) {
        let said = self.shaped(table, METRIC, &[], "[metric]");
        if let Some((value, span)) = said.get("scale") {
            self.scale(&text(value), at(span));
        }
        if let Some((value, span)) = said.get("combine") {
            self.combine(&text(value), at(span));
        }
        if let Some((value, span)) = said.get("points") {
            texts(value).iter().for_each(|pair| self.point(pair, at(span)));
        }
        if let Some((value, span)) = said.get("centre") {
            self.centre(&text(value), at(span));
        }
        if let Some((value, span)) = said.get("setup") {
            self.setup(number(value).unwrap_or(f64::NAN), at(span));
        }
    }

    fn read_format(&mut self, table: &DeTable<'_>) {
        let said = self.shaped(table, FORMAT, &[], "[format]");
        for name in ["range", "date_range"] {
            let Some((value, span)) = said.get(name) else { continue };
            let pattern = text(value);
            let ends = (pattern.matches("{lo}").count(), pattern.matches("{hi}").count());
            if ends != (1, 1) || pattern.find("{lo}") > pattern.find("{hi}") {
                let mistake =
                    Mistake::new(format!("{name} must hold {{lo}} and then {{hi}}, each once"), at(span));
                self.mistake(mistake.hint("for example \"[{lo}-{hi}]\""));
            } else if name == "range" {
                self.format.range = pattern;
            } else {
                self.format.date_range = pattern;
            }
        }
        if let Some((value, span)) = said.get("set") {
            match <[String; 3]>::try_from(texts(value)) {
                // A backslash says that the next letter belongs to a label.
                Ok(set) if set[1].starts_with('\\') => self.mistake(
                    Mistake::new("the separator of a set begins with a backslash", at(span))
                        .hint("choose another: a backslash marks letters that belong to a label"),
                ),
                Ok(set) if !set[1].is_empty() => self.format.set = set,
                _ => self.mistake(
                    Mistake::new("the separator of a set is empty", at(span)).hint(Shape::Triple.wanted()),
                ),
            }
        }
        if let Some((value, _)) = said.get("star") {
            self.format.star = text(value);
        }
    }

    fn read_column(&mut self, name: &str, value: &Value<'_>, folder: &Path) {
        let place = at(&value.span());
        // `name = "drop"` is short for `name = { role = "drop" }`.
        if let DeValue::String(word) = value.get_ref() {
            let role = self.role(word, &place);
            return self.column(name, role, place);
        }
        let DeValue::Table(table) = value.get_ref() else {
            let mistake =
                Mistake::new(format!("column {name:?} is neither a role nor a table"), place.clone());
            self.mistake(mistake.hint("write [columns.NAME] with role = …, or NAME = \"drop\""));
            return self.column(name, UNCLEAR, place);
        };
        let said = self.shaped(table, COLUMN, &[], &format!("column {name:?}"));
        let Some((word, span)) = said.get("role") else {
            if !table.contains_key("role") {
                let mistake = Mistake::new(format!("column {name:?} has no role"), place.clone());
                self.mistake(mistake.hint(one_of(&ROLES)));
            }
            return self.column(name, UNCLEAR, place);
        };
        let role = match self.role(&text(word), &at(span)) {
            Role::Quasi(_) if said.get("kind").is_some_and(|(kind, _)| text(kind) == "point") => {
                for (key, (_, span)) in
                    said.iter().filter(|(key, _)| !["role", "kind", "weight", "round"].contains(*key))
                {
                    let what = format!("column {name:?}: {key} does not go with kind point");
                    let hint = "points have role, kind, weight and round; a domain per coordinate is given with {domain}";
                    self.mistake(Mistake::new(what, at(span)).hint(hint));
                }
                let weight = said.get("weight").and_then(|(value, _)| number(value)).unwrap_or(1.0);
                let weight = self.weight(name, weight, &place);
                self.coordinates(name, weight, place);
                if let Some((value, span)) = said.get("round") {
                    self.round(name, &text(value), &at(span));
                }
                return;
            }
            role @ Role::Quasi(_) => {
                self.too_much(name, &role, &said, |key| PROTECTING.contains(&key) || key == "acknowledge");
                Role::Quasi(self.read_quasi(name, &said, folder))
            }
            role @ Role::Sensitive(_) => {
                self.too_much(name, &role, &said, |key| GROUPING.contains(&key));
                let protection = self.read_protection(name, &said, folder);
                self.column(name, Role::Sensitive(protection), place);
                self.read_acknowledge(name, &said);
                return self.read_models(name, table, &said);
            }
            role => {
                let kept = role == Role::Keep;
                self.too_much(name, &role, &said, |key| key != "role" && !(kept && key == "acknowledge"));
                role
            }
        };
        let kept = role == Role::Keep;
        self.column(name, role, place);
        if kept {
            self.read_acknowledge(name, &said);
        }
    }

    fn read_acknowledge(&mut self, name: &str, said: &Said) {
        if let Some((value, span)) = said.get("acknowledge")
            && text(value) == "true"
        {
            self.acknowledge(name, at(span));
        }
    }

    /// Keys that do not go with the role.
    fn too_much(&mut self, name: &str, role: &Role, said: &Said, wrong: impl Fn(&str) -> bool) {
        for (key, (_, span)) in said.iter().filter(|(key, _)| wrong(key)) {
            let what = format!("column {name:?}: {key} cannot be used with role {}", role.word());
            let whose = if *key == "acknowledge" {
                "only kept and sensitive columns are published unchanged"
            } else if PROTECTING.contains(key) {
                "only sensitive columns have one"
            } else {
                "only quasi-identifiers have one"
            };
            self.mistake(Mistake::new(what, at(span)).hint(whose));
        }
    }

    fn role(&mut self, word: &str, place: &Option<Place>) -> Role {
        match word {
            "quasi" => Role::Quasi(Quasi::default()),
            "identifier" => Role::Identifier,
            "person" => Role::Person,
            "sensitive" => Role::Sensitive(Protection::default()),
            "keep" => Role::Keep,
            "drop" => Role::Drop,
            "count" => Role::Count,
            "setup" => Role::Setup,
            _ => {
                let hint = did_you_mean(word, ROLES.into_iter()).unwrap_or_else(|| one_of(&ROLES));
                self.mistake(Mistake::new(format!("unknown role {word:?}"), place.clone()).hint(hint));
                UNCLEAR
            }
        }
    }

    fn read_quasi(&mut self, name: &str, said: &Said, folder: &Path) -> Quasi {
        let kind = self.read_kind(name, said, folder);
        let weight = match said.get("weight") {
            Some((value, span)) => self.weight(name, number(value).unwrap_or(f64::NAN), &at(span)),
            None => 1.0,
        };
        let domain = said.get("domain").and_then(|(value, span)| {
            let [low, high] = <[String; 2]>::try_from(texts(value)).ok()?;
            Some(Domain { low, high, place: at(span) })
        });
        let unit = said.get("unit").and_then(|(value, span)| {
            let unit = number(value).unwrap_or(f64::NAN);
            self.unit(name, unit, &at(span))
        });
        let round = said.get("round").and_then(|(value, span)| self.rounding(name, &text(value), &at(span)));
        Quasi { kind, weight, domain, unit, point_with: None, round }
    }

    /// The kind, and a mistake for every key that does not go with it.
    fn read_kind(&mut self, name: &str, said: &Said, folder: &Path) -> Option<Kind> {
        let kind = self.said_kind(name, said, folder);
        for (key, needed) in [
            ("date", "date"),
            ("decimal", "numeric"),
            ("prefix", "prefix"),
            ("order", "ordinal"),
            ("hierarchy", "hierarchy"),
            ("regions", "region"),
            ("nodes", "region"),
        ] {
            if let Some((_, span)) = said.get(key)
                && kind.as_ref().is_some_and(|k| k.word() != needed)
            {
                let what = format!("column {name:?}: {key} goes with kind {needed} only");
                self.mistake(
                    Mistake::new(what, at(span)).hint(format!("set kind = {needed:?}, or leave {key} out")),
                );
            }
        }
        kind
    }

    fn said_kind(&mut self, name: &str, said: &Said, folder: &Path) -> Option<Kind> {
        let (word, place) = match said.get("kind") {
            Some((value, span)) => (Some(text(value)), at(span)),
            None => (None, None),
        };
        // A format tells the kind, unless another is said.
        for (key, kind) in [("date", "date"), ("decimal", "numeric"), ("prefix", "prefix")] {
            if let Some((value, span)) = said.get(key)
                && word.as_deref().is_none_or(|word| word == kind)
            {
                return match key {
                    "date" => self.date_format(name, &text(value), &at(span)),
                    "decimal" => self.decimal(name, &text(value), &at(span)),
                    _ => Some(prefix(texts(value).iter().filter_map(|length| length.parse().ok()))),
                };
            }
        }
        match (word.as_deref(), said.get("order"), said.get("hierarchy")) {
            (Some("prefix"), ..) => {
                let mistake = Mistake::new(format!("column {name:?}: prefix needs its lengths"), place);
                self.mistake(mistake.hint("prefix = [3, 1]"));
                None
            }
            (Some("numeric"), ..) => Some(Kind::Numeric),
            (Some("date"), ..) => Some(Kind::Date),
            (Some("category"), ..) => Some(Kind::Category),
            (Some("ordinal") | None, Some((levels, _)), _) => Some(Kind::Ordinal(texts(levels))),
            (Some("hierarchy") | None, _, Some((file, span))) => {
                self.hierarchy(&folder.join(text(file)), &at(span))
            }
            // What else is said beside them is told to be too much.
            (Some("region"), ..) | (None, None, None) if said.contains_key("regions") => {
                let (file, span) = &said["regions"];
                let nodes = said.get("nodes").map(|(file, _)| folder.join(text(file)));
                self.regions(&folder.join(text(file)), nodes.as_deref(), &at(span))
            }
            (Some("region"), ..) => {
                let mistake = Mistake::new(format!("column {name:?}: region needs its file"), place);
                self.mistake(mistake.hint("regions = \"EDGES.csv\""));
                None
            }
            (None, None, None) => None,
            (Some("ordinal"), ..) => {
                let mistake = Mistake::new(format!("column {name:?}: ordinal needs its order"), place);
                self.mistake(mistake.hint("order = [\"low\", \"middle\", \"high\"]"));
                None
            }
            (Some("hierarchy"), ..) => {
                let mistake = Mistake::new(format!("column {name:?}: hierarchy needs its file"), place);
                self.mistake(mistake.hint("hierarchy = \"FILE.csv\""));
                None
            }
            (Some(other), ..) => {
                let hint = did_you_mean(other, KINDS.into_iter()).unwrap_or_else(|| one_of(&KINDS));
                self.mistake(
                    Mistake::new(format!("column {name:?}: unknown kind {other:?}"), place).hint(hint),
                );
                None
            }
        }
    }

    /// The values of known keys that have the right shape; everything else becomes a mistake.
    fn shaped(&mut self, table: &DeTable<'_>, keys: &[Key], tables: &[&str], whose: &str) -> Said {
        let mut said = Said::new();
        for (name, value) in table {
            let (word, span) = (name.get_ref().as_ref(), value.span());
            if tables.contains(&word) {
                continue;
            }
            let Some(key) = keys.iter().find(|k| k.name == word) else {
                let known: Vec<&str> = keys.iter().map(|k| k.name).chain(tables.iter().copied()).collect();
                let hint = did_you_mean(word, known.iter().copied()).unwrap_or_else(|| one_of(&known));
                self.mistake(
                    Mistake::new(format!("{whose} has no key {word:?}"), at(&name.span())).hint(hint),
                );
                continue;
            };
            match shape(key.shape, value.get_ref()) {
                Some(shaped) => {
                    said.insert(key.name, (shaped, span));
                }
                None => {
                    let mistake = Mistake::new(format!("{word} is not {}", key.shape.wanted()), at(&span));
                    self.mistake(mistake.hint(key.about));
                }
            }
        }
        said
    }

    fn subtable<'t, 'a>(&mut self, table: &'t DeTable<'a>, name: &str) -> Option<&'t DeTable<'a>> {
        let value = table.get(name)?;
        match value.get_ref() {
            DeValue::Table(inner) => Some(inner),
            _ => {
                self.mistake(
                    Mistake::new(format!("{name} is not a table"), at(&value.span()))
                        .hint(format!("write [{name}]")),
                );
                None
            }
        }
    }
}

/// Values that passed their shape, by key.
type Said = BTreeMap<&'static str, (Shaped, Range<usize>)>;

enum Shaped {
    One(String),
    Many(Vec<String>),
    /// A table, to be read with its own keys.
    Inner,
}

fn shape(shape: Shape, value: &DeValue<'_>) -> Option<Shaped> {
    let one = |v: &DeValue<'_>, numbers: bool, words: bool| match v {
        DeValue::String(s) if words => Some(s.to_string()),
        DeValue::Integer(i) if numbers => {
            i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i.to_string())
        }
        DeValue::Float(f) if numbers => Some(f.as_str().to_owned()),
        _ => None,
    };
    let many = |v: &DeValue<'_>, numbers: bool, words: bool| match v {
        DeValue::Array(items) => {
            items.iter().map(|i| one(i.get_ref(), numbers, words)).collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    match shape {
        Shape::Switch => match value {
            DeValue::Boolean(on) => Some(Shaped::One(on.to_string())),
            _ => None,
        },
        Shape::Whole | Shape::Count => match value {
            DeValue::Integer(_) => one(value, true, false).map(Shaped::One),
            _ => None,
        },
        Shape::Number | Shape::Amount => one(value, true, false).map(Shaped::One),
        Shape::Numbers => many(value, true, false).filter(|v| v.len() == 2).map(Shaped::Many),
        Shape::Lengths => {
            let lengths = many(value, true, false)?;
            let length = |text: &String| text.parse::<usize>().is_ok_and(|length| length > 0);
            (!lengths.is_empty() && lengths.iter().all(length)).then_some(Shaped::Many(lengths))
        }
        Shape::Model(keys) => match value {
            DeValue::Table(_) => Some(Shaped::Inner),
            // A bare value is that of the first key.
            _ => keys.first().and_then(|key| self::shape(key.shape, value)),
        },
        Shape::Share | Shape::Step => one(value, true, true).map(Shaped::One),
        Shape::Text | Shape::Word(_) => one(value, false, true).map(Shaped::One),
        Shape::Texts => many(value, false, true).map(Shaped::Many),
        Shape::Pair => many(value, true, true).filter(|v| v.len() == 2).map(Shaped::Many),
        Shape::Triple => many(value, false, true).filter(|v| v.len() == 3).map(Shaped::Many),
    }
}

fn text(shaped: &Shaped) -> String {
    match shaped {
        Shaped::Inner => String::new(),
        Shaped::One(s) => s.clone(),
        Shaped::Many(list) => list.concat(),
    }
}

fn texts(shaped: &Shaped) -> Vec<String> {
    match shaped {
        Shaped::Inner => Vec::new(),
        Shaped::One(s) => vec![s.clone()],
        Shaped::Many(list) => list.clone(),
    }
}

fn whole(shaped: &Shaped) -> Option<i64> {
    text(shaped).parse().ok()
}

fn number(shaped: &Shaped) -> Option<f64> {
    text(shaped).replace('_', "").parse().ok()
}

fn at(span: &Range<usize>) -> Option<Place> {
    Some(Place::File(span.clone()))
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
            "policy.toml:8: unknown role \"quasy\" (did you mean \"quasi\"?)",
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
