//! Privacy models in a policy file: `diversity`, `closeness` and the like of a sensitive column, and
//! `[presence]`.

use super::{Said, Shaped, at, named, text, texts, whole};
use crate::policy::keys::{CLOSENESS, DIVERSITY, LIKENESS, PRESENCE};
use crate::policy::{Draft, Mistake, Protection};
use crate::requirement::Distance;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

impl Draft {
    pub(super) fn read_protection(&mut self, name: &str, said: &Said) -> Protection {
        let kind = match said.get("kind") {
            Some((word, span)) if ["region", "point"].contains(&text(word).as_str()) => {
                let what = format!("column {name:?}: kind {} does not go with role sensitive", text(word));
                self.mistake(
                    Mistake::new(what, at(span))
                        .hint("use one of numeric, date, ordinal, category, hierarchy"),
                );
                None
            }
            _ => self.read_kind(name, said),
        };
        let level = said.get("level").and_then(|(value, _)| whole(value)).unwrap_or(1);
        let values = match (said.get("values"), said.get("level")) {
            (Some(named), _) => {
                self.level(&self.beside(named), usize::try_from(level).unwrap_or(0), &at(&named.1))
            }
            (None, Some((_, span))) => {
                let mistake = Mistake::new(format!("column {name:?}: level goes with values only"), at(span));
                self.mistake(mistake.hint("values = \"FILE.csv\""));
                None
            }
            (None, None) => None,
        };
        Protection { models: Vec::new(), kind, values }
    }

    /// The privacy models that a sensitive column must fulfil.
    pub(super) fn read_models(&mut self, name: &str, table: &DeTable<'_>, said: &Said) {
        for (key, keys) in [("diversity", DIVERSITY), ("closeness", CLOSENESS), ("likeness", LIKENESS)] {
            let Some((bare, span)) = said.get(key) else { continue };
            let inner = match table.get(key).map(Spanned::get_ref) {
                Some(DeValue::Table(inner)) => {
                    self.shaped(inner, keys, &[], &format!("{key} of column {name:?}"))
                }
                // A bare number is the first key.
                _ => Said::from([(keys[0].name, (Shaped::One(text(bare)), span.clone()))]),
            };
            if key == "closeness" {
                self.read_closeness(name, &inner, span);
                continue;
            }
            for (word, (value, span)) in &inner {
                self.model(name, word, &texts(value), at(span));
            }
        }
        if let Some((value, span)) = said.get("disclosure") {
            self.model(name, "disclosure", &texts(value), at(span));
        }
    }

    fn read_closeness(&mut self, name: &str, said: &Said, span: &Range<usize>) {
        let distance = said
            .get("distance")
            .map_or(Some(Distance::Equal), |(word, _)| named(Distance::ALL, Distance::word, &text(word)));
        let by_distance = |distance: &&Distance| said.contains_key(distance.word());
        match (said.get("t"), distance) {
            (Some((t, span)), Some(distance)) => self.model(name, distance.word(), &texts(t), at(span)),
            (None, _) if Distance::ALL.iter().find(by_distance).is_none() => {
                let mistake = Mistake::new(format!("column {name:?}: closeness needs t"), at(span));
                self.mistake(mistake.hint("closeness = { t = 0.2, distance = \"ordered\" }"));
            }
            _ => {}
        }
        for distance in Distance::ALL {
            if let Some((t, span)) = said.get(distance.word()) {
                self.model(name, distance.word(), &texts(t), at(span));
            }
        }
    }

    pub(super) fn read_presence(&mut self, table: &DeTable<'_>) {
        let said = self.shaped(table, PRESENCE, &[], "[presence]");
        let place = said.values().map(|(_, span)| span).min_by_key(|span| span.start).and_then(at);
        for key in ["population", "at_most"].into_iter().filter(|key| !table.contains_key(*key)) {
            let mistake = Mistake::new(format!("[presence] lacks {key}"), place.clone());
            self.mistake(mistake.hint("population = \"FILE.csv\" and at_most = 0.5"));
        }
        if let Some((value, span)) = said.get("at_least").filter(|(value, _)| text(value).parse() != Ok(0.0))
        {
            let what = format!("at_least = {}: a least share cannot be required", text(value));
            let hint =
                "leave it out; groups that are merged may fall below it, so no release would be sure of it";
            self.mistake(Mistake::new(what, at(span)).hint(hint));
        }
        if let (Some(file), Some((most, span))) = (said.get("population"), said.get("at_most")) {
            self.presence(&self.beside(file), at(&file.1), &text(most), at(span));
        }
    }
}
