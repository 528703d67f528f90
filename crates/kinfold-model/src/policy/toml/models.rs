//! Privacy models in a policy file: `diversity`, `closeness` and the like of a sensitive column, and
//! `[presence]`.

use super::{AllSaid, Said, named};
use crate::hierarchy::Level;
use crate::policy::keys::{CLOSENESS, DIVERSITY, LIKENESS, PRESENCE};
use crate::policy::{Draft, Place, Protection};
use crate::requirement::Distance;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

impl Draft {
    pub(super) fn read_protection(&mut self, name: &str, said: &AllSaid) -> Protection {
        let kind = match said.get("kind") {
            Some(word) if ["region", "point"].contains(&word.text().as_str()) => {
                let what = format!("kind {} does not go with role sensitive", word.text());
                let hint = "use one of numeric, date, ordinal, category, hierarchy";
                self.wrong_in(name, what, word.place, hint);
                None
            }
            _ => self.read_kind(name, said),
        };
        let level = said.get("level").and_then(Said::whole).unwrap_or(1);
        let values = said.get("values").and_then(|file| {
            let level = usize::try_from(level).unwrap_or(0);
            self.by_lines("values", file, |bytes| Level::from_bytes(bytes, level)).map(Arc::new)
        });
        Protection { models: Vec::new(), kind, values }
    }

    /// The privacy models that a sensitive column must fulfil.
    pub(super) fn read_models(&mut self, name: &str, table: &DeTable<'_>, said: &AllSaid) {
        for (key, keys) in [("diversity", DIVERSITY), ("closeness", CLOSENESS), ("likeness", LIKENESS)] {
            let Some(value) = said.get(key) else { continue };
            let inner = match table.get(key).map(Spanned::get_ref) {
                Some(DeValue::Table(inner)) => {
                    self.shaped(inner, keys, &[], &format!("{key} of column {name:?}"))
                }
                // A bare number is the first key.
                _ => AllSaid::from([(keys[0].name, value.clone())]),
            };
            if key == "closeness" {
                self.read_closeness(name, &inner, value.place);
                continue;
            }
            for (word, value) in &inner {
                self.model(name, word, value);
            }
        }
        if let Some(value) = said.get("disclosure") {
            self.model(name, "disclosure", value);
        }
    }

    fn read_closeness(&mut self, name: &str, said: &AllSaid, place: Option<Place>) {
        let distance = said
            .get("distance")
            .map_or(Some(Distance::Equal), |word| named(Distance::ALL, Distance::word, &word.text()));
        let by_distance = |distance: &&Distance| said.contains_key(distance.word());
        match (said.get("t"), distance) {
            (Some(t), Some(distance)) => self.model(name, distance.word(), t),
            (None, _) if Distance::ALL.iter().find(by_distance).is_none() => {
                let hint = "closeness = { t = 0.2, distance = \"ordered\" }";
                self.wrong_in(name, "closeness needs t", place, hint);
            }
            _ => {}
        }
        for distance in Distance::ALL {
            if let Some(t) = said.get(distance.word()) {
                self.model(name, distance.word(), t);
            }
        }
    }

    pub(super) fn read_presence(&mut self, table: &DeTable<'_>) {
        let said = self.shaped(table, PRESENCE, &[], "[presence]");
        let place = said.values().filter_map(|value| value.place).min_by_key(|place| place.start);
        for key in ["population", "at_most"].into_iter().filter(|key| !table.contains_key(*key)) {
            let hint = "population = \"FILE.csv\" and at_most = 0.5";
            self.wrong(format!("[presence] lacks {key}"), place, hint);
        }
        if let Some(value) = said.get("at_least").filter(|value| value.text().parse() != Ok(0.0)) {
            let what = format!("at_least = {}: a least share cannot be required", value.text());
            let hint =
                "leave it out; groups that are merged may fall below it, so no release would be sure of it";
            self.wrong(what, value.place, hint);
        }
        if let (Some(file), Some(most)) = (said.get("population"), said.get("at_most")) {
            self.presence(file, most);
        }
    }
}
