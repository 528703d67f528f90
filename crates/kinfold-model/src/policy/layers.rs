//! The sources of a policy as one document. What settings say is laid over what the file says; settings among
//! themselves say nothing twice.

use super::keys::{COLUMN, Shape};
use super::{Draft, Place};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'t> = Spanned<DeValue<'t>>;

/// Which table of a policy is meant.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Level<'n> {
    Top,
    /// `[columns]`
    Columns,
    /// `[columns.NAME]`
    Column(&'n str),
    Other,
}

impl Draft {
    /// Adds what one setting says to what the settings before it say.
    pub(super) fn join<'t>(&mut self, known: &mut DeTable<'t>, more: DeTable<'t>, level: Level<'_>) {
        for (key, value) in more {
            let name = key.get_ref().to_string();
            let Some(old) = known.get_mut(name.as_str()) else {
                known.insert(key, value);
                continue;
            };
            let place = Some(value.span().into());
            if level == Level::Columns
                && let (Some(one), Some(other)) = (role(old), role(&value))
            {
                self.named_twice(&name, &one, &other, place);
                continue;
            }
            let inner = level.inner(&name);
            match (old.get_mut(), value.into_inner()) {
                (DeValue::Table(old), DeValue::Table(new)) => self.join(old, new, inner),
                _ => {
                    let what = match level {
                        Level::Column(column) => format!("column {column:?}: {name} is given twice"),
                        _ => format!("{name} is given twice"),
                    };
                    self.wrong(what, place, "keep one of them");
                }
            }
        }
    }

    /// The mistake of giving a column two roles.
    pub(super) fn named_twice(&mut self, name: &str, one: &str, other: &str, place: Option<Place>) {
        let both = if one == other { String::new() } else { format!(", as {one} and as {other}") };
        self.wrong(format!("column {name:?} is named twice{both}"), place, "give every column one role");
    }
}

/// Lays what settings say over what the file says.
pub(super) fn lay_over<'t>(file: &mut DeTable<'t>, settings: DeTable<'t>, level: Level<'_>) {
    for (key, mut value) in settings {
        let name = key.get_ref().to_string();
        let Some(old) = file.get_mut(name.as_str()) else {
            file.insert(key, value);
            continue;
        };
        match level {
            // A column that is given a role anew is said anew, but for what was acknowledged. The role of a
            // protected column takes no protection away.
            Level::Columns => {
                let (before, now) = (role(old), role(&value));
                if now.is_some() && (now.as_deref() != Some("sensitive") || before != now) {
                    if matches!(now.as_deref(), Some("keep" | "sensitive"))
                        && let (DeValue::Table(old), DeValue::Table(new)) = (old.get_mut(), value.get_mut())
                        && !new.contains_key("acknowledge")
                        && let Some((key, acknowledged)) = old.remove_entry("acknowledge")
                    {
                        new.insert(key, acknowledged);
                    }
                    *old = value;
                    continue;
                }
            }
            // A bare number is the first key of a privacy model.
            Level::Column(_) if matches!(value.get_ref(), DeValue::Table(_)) => {
                let shape = COLUMN.iter().find(|key| key.name == name).map(|key| key.shape);
                if let Some(Shape::Model(keys)) = shape {
                    wrap(old, keys[0].name);
                }
            }
            _ => {}
        }
        match (old.get_mut(), value.get_mut()) {
            (DeValue::Table(old), DeValue::Table(new)) => {
                lay_over(old, std::mem::take(new), level.inner(&name));
            }
            _ => *old = value,
        }
    }
}

impl Level<'_> {
    fn inner<'n>(self, name: &'n str) -> Level<'n> {
        match self {
            Self::Top if name == "columns" => Level::Columns,
            Self::Columns => Level::Column(name),
            _ => Level::Other,
        }
    }
}

/// The role that an entry of `[columns]` gives.
fn role(entry: &Value<'_>) -> Option<String> {
    entry.get_ref().as_table()?.get("role")?.get_ref().as_str().map(str::to_owned)
}

/// `name = "drop"` under `[columns]` is short for `name = { role = "drop" }`.
pub(super) fn long_forms(policy: &mut DeTable<'_>) {
    if let Some(DeValue::Table(columns)) = policy.get_mut("columns").map(Spanned::get_mut) {
        let short = columns.iter_mut().filter(|(_, entry)| entry.get_ref().is_str());
        short.for_each(|(_, entry)| wrap(entry, "role"));
    }
}

/// A value that is no table becomes one, under this key.
fn wrap(value: &mut Value<'_>, key: &'static str) {
    if !matches!(value.get_ref(), DeValue::Table(_)) {
        let span = value.span();
        let bare = std::mem::replace(value.get_mut(), DeValue::Boolean(false));
        let mut table = DeTable::new();
        table.insert(Spanned::new(span.clone(), key.into()), Spanned::new(span, bare));
        *value.get_mut() = DeValue::Table(table);
    }
}

#[cfg(test)]
mod tests {
    use crate::kind::Kind;
    use crate::policy::{Draft, Mistakes, Model, Policy, Role, Source, Spot};
    use crate::requirement::{Decimal, Distance};
    use crate::world::Disk;
    use std::path::Path;
    use std::sync::Arc;

    const FILE: &str = r#"
k = 5
[columns]
name = "drop"
notes = { role = "keep", acknowledge = true }
[columns.age]
role = "quasi"
kind = "numeric"
domain = [0, 120]
[columns.diagnosis]
role = "sensitive"
diversity = 3
closeness = { t = 0.2, distance = "ordered" }
kind = "numeric"
"#;

    /// The file with settings after it.
    fn over(settings: &[(&'static str, &str)]) -> Result<Policy, Mistakes> {
        let file = Source::file(Path::new("policy.toml"), FILE);
        let settings = settings.iter().map(|(name, text)| match *name {
            "set" => Source::typed("set", *text),
            name => Source::setting(name, *text),
        });
        Draft::read(Arc::new(Disk::default()), [file].into_iter().chain(settings).collect()).settle()
    }

    fn names(policy: &Policy) -> Vec<(&str, &'static str)> {
        policy.columns.iter().map(|c| (c.name.as_str(), c.role.word())).collect()
    }

    #[test]
    fn settings_win_over_the_file_and_keep_its_order() {
        let policy = over(&[
            ("k", "k = 7"),
            ("quasi", "columns.age = { role = 'quasi', kind = 'category' }"),
            ("quasi", "columns.zip = { role = 'quasi' }"),
            ("sensitive", "columns.diagnosis = 'sensitive'"),
            ("sensitive", "columns.notes = 'sensitive'"),
            ("set", "columns.zip.weight = 2"),
        ])
        .unwrap();
        let expected = [
            ("name", "drop"),
            ("notes", "sensitive"),
            ("age", "quasi"),
            ("diagnosis", "sensitive"),
            ("zip", "quasi"),
        ];
        assert_eq!((policy.k, names(&policy)), (7, expected.to_vec()));
        let (_, age) = policy.quasi().next().unwrap();
        assert_eq!((&age.kind, &age.domain), (&Some(Kind::Category), &None), "a role says the column anew");
        assert_eq!(policy.quasi().nth(1).unwrap().1.weight, 2.0);
        let acknowledged = |name| policy.columns.iter().find(|c| c.name == name).unwrap().acknowledged;
        assert!(acknowledged("notes") && !acknowledged("diagnosis"));
        let (_, protection) = policy.sensitive().find(|(c, _)| c.name == "diagnosis").unwrap();
        assert_eq!(protection.models.len(), 2, "the bare role takes no protection away");
    }

    #[test]
    fn keys_join_what_the_file_says() {
        let decimal = |text: &str| Decimal::parse(text).unwrap();
        let policy = over(&[
            ("diversity", "columns.diagnosis.diversity = { entropy = 2.5 }"),
            ("closeness", "columns.diagnosis.closeness = { equal = 0.3 }"),
            ("closeness", "columns.diagnosis.closeness = { ordered = 0.1 }"),
            ("set", "columns.pay.likeness = 2\nmissing = []"),
            ("set", "columns.age.missing = ['-1']"),
        ])
        .unwrap();
        let models = |name: &str| -> Vec<Model> {
            let (_, protection) = policy.sensitive().find(|(c, _)| c.name == name).unwrap();
            protection.models.iter().map(|(model, _)| *model).collect()
        };
        let expected = [
            Model::Distinct(3),
            Model::Entropy(decimal("2.5")),
            Model::Close(decimal("0.1"), Distance::Ordered),
            Model::Close(decimal("0.3"), Distance::Equal),
        ];
        assert_eq!(models("diagnosis"), expected);
        assert_eq!(
            models("pay"),
            [Model::Likeness { beta: decimal("2"), enhanced: false }],
            "it is sensitive"
        );
        let (_, age) = policy.quasi().next().unwrap();
        assert!(age.domain.is_some());
        assert_eq!((policy.missing_in("age"), policy.missing_in("pay")), (&["-1".to_owned()][..], &[][..]));
    }

    #[test]
    fn a_coordinate_has_its_own_domain() {
        let policy = over(&[
            ("quasi", "columns.'lat/lon' = { role = 'quasi', kind = 'point', weight = 2 }"),
            ("set", "columns.lat.domain = [0, 90]"),
        ])
        .unwrap();
        let lat = policy.quasi().find(|(c, _)| c.name == "lat").unwrap().1;
        assert_eq!((lat.weight, lat.domain.as_ref().unwrap().high.as_str()), (2.0, "90"));
        assert!(matches!(policy.role("lon"), Some(Role::Quasi(quasi)) if quasi.domain.is_none()));
    }

    #[test]
    fn mistakes_know_where_they_were_made() {
        let said = [
            ("quasi", "columns.age = { role = 'quasi', kind = 'numberic' }"),
            ("quasi", "columns.ok = 'quasi'"),
            ("keep", "columns.ok = 'keep'"),
            ("diversity", "columns.a.diversity = { many = 3 }"),
            ("set", "columns.b.round = 5"),
            ("set", "k = 3\nk2 = 4"),
            ("set", "k = 4"),
            ("set", "columns.age.disclosure = 2"),
        ];
        let mistakes = over(&said).unwrap_err();
        let shown: Vec<String> = mistakes.to_string().lines().map(str::to_owned).collect();
        let expected = [
            "quasi: column \"age\": unknown kind \"numberic\" (did you mean \"numeric\"?)",
            "keep: column \"ok\" is named twice, as quasi and as keep (give every column one role)",
            "diversity: diversity of column \"a\" has no key \"many\"",
            "set: column \"b\" has no role",
            "set: the policy has no key \"k2\"",
            "set: k is given twice (keep one of them)",
            "set: column \"age\": disclosure cannot be used with role quasi",
        ];
        assert_eq!(shown.len(), expected.len(), "{shown:#?}");
        for (shown, expected) in shown.iter().zip(expected) {
            assert!(shown.starts_with(expected), "{shown}: {expected}");
        }
        let spot = mistakes.sources.spot(mistakes.list[4].place.unwrap());
        assert_eq!(spot, Some(Spot::Typed("set", "k = 3\nk2 = 4", 6..8)));
    }

    #[test]
    fn what_is_no_toml_is_told_where_it_was_typed() {
        let mistakes = over(&[("set", "columns.age.kind = numeric")]).unwrap_err();
        assert_eq!(mistakes.list.len(), 1, "{mistakes}");
        assert!(mistakes.to_string().starts_with("set: not TOML"), "{mistakes}");
        assert!(mistakes.list[0].hint.as_ref().unwrap().to_string().contains("in quotes"), "{mistakes}");
    }
}
