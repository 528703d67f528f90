//! Policies from flags: `--quasi age,zip:category,income:numeric*2`.

use super::keys::KINDS;
use super::mistake::{did_you_mean, one_of};
use super::spelled::prefix;
use super::{Domain, Draft, Mistake, Place, Quasi, Role};
use crate::kind::Kind;
use std::path::Path;

impl Draft {
    /// One quasi-identifier as the flag writes it: `NAME[:KIND][*WEIGHT]`.
    pub fn quasi_flag(&mut self, spec: &str) {
        let place = Some(Place::Setting("quasi"));
        let (rest, weight) = match spec.rsplit_once('*') {
            Some((rest, weight)) if !weight.contains(':') => match weight.trim().parse::<f64>() {
                Ok(weight) => (rest, weight),
                Err(_) => {
                    let mistake =
                        Mistake::new(format!("{spec:?}: {weight:?} is not a valid weight"), place.clone());
                    self.mistake(mistake.hint("write NAME:KIND*2 or NAME*0.5"));
                    (rest, 1.0)
                }
            },
            _ => (spec, 1.0),
        };
        let (name, kind) = match rest.split_once(':') {
            Some((name, kind)) => (name.trim(), Some(kind.trim())),
            None => (rest.trim(), None),
        };
        if name.is_empty() {
            return self.mistake(
                Mistake::new(format!("{spec:?} names no column"), place).hint("write NAME[:KIND][*WEIGHT]"),
            );
        }
        let weight = self.weight(name, weight, &place);
        if kind == Some("point") {
            return self.coordinates(name, weight, place);
        }
        let kind = kind.and_then(|word| self.kind_flag(name, word, &place));
        self.column(name, Role::Quasi(Quasi { kind, weight, ..Quasi::default() }), place);
    }

    fn kind_flag(&mut self, name: &str, word: &str, place: &Option<Place>) -> Option<Kind> {
        let (word, detail) = word.split_once('=').map_or((word, None), |(w, d)| (w, Some(d)));
        match (word, detail) {
            ("numeric", None) => Some(Kind::Numeric),
            ("date", None) => Some(Kind::Date),
            ("category", None) => Some(Kind::Category),
            ("date", Some(format)) => self.date_format(name, format, place),
            ("numeric", Some(sign)) => self.decimal(name, sign, place),
            ("prefix", lengths) => {
                let read = |text: &str| text.trim().parse().ok().filter(|&length: &usize| length > 0);
                let lengths = lengths.and_then(|all| all.split('/').map(read).collect::<Option<Vec<_>>>());
                if lengths.is_none() {
                    let what = format!("column {name:?}: prefix needs its lengths");
                    self.mistake(Mistake::new(what, place.clone()).hint(format!("write {name}:prefix=3/1")));
                }
                Some(prefix(lengths?.into_iter()))
            }
            ("ordinal", Some(levels)) => {
                Some(Kind::Ordinal(levels.split('<').map(|l| l.trim().to_owned()).collect()))
            }
            ("hierarchy", Some(path)) => self.hierarchy(Path::new(path), place),
            ("region", Some(paths)) if !paths.is_empty() && !paths.ends_with('+') => {
                // A plus parts the two files, unless it belongs to the name of one.
                let (edges, nodes) = match paths.rsplit_once('+') {
                    Some((edges, nodes)) if !self.world.has(Path::new(paths)) => {
                        (edges, Some(Path::new(nodes)))
                    }
                    _ => (paths, None),
                };
                self.regions(Path::new(edges), nodes, place)
            }
            ("region", _) => {
                let mistake = Mistake::new(format!("column {name:?}: region needs its file"), place.clone());
                self.mistake(
                    mistake
                        .hint(format!("write {name}:region=EDGES.csv or {name}:region=EDGES.csv+NODES.csv")),
                );
                None
            }
            ("ordinal", None) => {
                let mistake =
                    Mistake::new(format!("column {name:?}: ordinal needs its order"), place.clone());
                self.mistake(
                    mistake.hint(format!("write '{name}:ordinal=low<middle<high', lowest level first")),
                );
                None
            }
            ("hierarchy", None) => {
                let mistake =
                    Mistake::new(format!("column {name:?}: hierarchy needs its file"), place.clone());
                self.mistake(mistake.hint(format!("write {name}:hierarchy=FILE.csv")));
                None
            }
            (_, Some(_)) if KINDS.contains(&word) => {
                let mistake =
                    Mistake::new(format!("column {name:?}: nothing goes after kind {word}"), place.clone());
                self.mistake(mistake.hint(format!("write {name}:{word}")));
                None
            }
            _ => {
                let hint = did_you_mean(word, KINDS.into_iter()).unwrap_or_else(|| one_of(&KINDS));
                self.mistake(
                    Mistake::new(format!("column {name:?}: unknown kind {word:?}"), place.clone()).hint(hint),
                );
                None
            }
        }
    }

    /// A privacy model as its flag writes it, `NAME=NUMBERS` with a word before or after them: `diversity`
    /// takes `NAME=3`, `NAME=entropy:3` and `NAME=recursive:3:3`; `closeness` takes `NAME=0.2`,
    /// `NAME=0.2:ordered` and `NAME=0.2:hierarchy[=FILE]`; `likeness` takes `NAME=2` and `NAME=2:enhanced`;
    /// `disclosure` takes `NAME=1`.
    pub fn model_flag(&mut self, flag: &'static str, spec: &str) {
        let place = Some(Place::Setting(flag));
        // The first word is meant where none is said.
        let (words, hint): (&[&'static str], _) = match flag {
            "diversity" => {
                (&["distinct", "entropy", "recursive"], "NAME=3, NAME=entropy:3 or NAME=recursive:3:3")
            }
            "closeness" => {
                (&["equal", "ordered", "hierarchy"], "NAME=0.2, NAME=0.2:ordered or NAME=0.2:hierarchy=FILE")
            }
            "likeness" => (&["basic", "enhanced"], "NAME=2 or NAME=2:enhanced"),
            _ => (&["disclosure"], "NAME=1"),
        };
        let (models, file) = match spec.split_once(":hierarchy=") {
            Some((before, file)) => (format!("{before}:hierarchy"), Some(file)),
            None => (spec.to_owned(), None),
        };
        let Some((name, parts)) = models.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
            let mistake = Mistake::new(format!("{spec:?} is not a valid {flag} requirement"), place);
            return self.mistake(mistake.hint(format!("write {hint}")));
        };
        let name = name.trim();
        let is_word = |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic());
        let (said, numbers): (Vec<&str>, Vec<&str>) = parts.split(':').map(str::trim).partition(is_word);
        let word = match said[..] {
            [] => words[0],
            [word] if words.contains(&word) => word,
            _ => {
                let what = format!("column {name:?}: unknown {flag} {:?}", said.join(":"));
                let near = did_you_mean(said[0], words.iter().copied());
                return self.mistake(
                    Mistake::new(what, place).hint(near.unwrap_or_else(|| format!("write {hint}"))),
                );
            }
        };
        let numbers: Vec<String> = numbers.into_iter().map(str::to_owned).collect();
        self.model(name, word, &numbers, place.clone());
        if let Some(kind) = file.and_then(|file| self.hierarchy(Path::new(file), &place))
            && let Some(protection) = self.protection(name, &place)
        {
            protection.kind = Some(kind);
        }
    }

    /// A unit as the flag writes it: `NAME=NUMBER`.
    pub fn unit_flag(&mut self, spec: &str) {
        let place = Some(Place::Setting("unit"));
        match spec
            .split_once('=')
            .and_then(|(name, unit)| Some((name.trim(), unit.trim().parse::<f64>().ok()?)))
        {
            Some((name, unit)) => {
                let unit = self.unit(name, unit, &place);
                match self.columns.iter_mut().find(|c| c.name == name).map(|c| &mut c.role) {
                    Some(Role::Quasi(quasi)) => quasi.unit = unit,
                    _ => {
                        let mistake =
                            Mistake::new(format!("{name:?} has a unit but is not a quasi-identifier"), place);
                        self.mistake(mistake.hint("name it in {quasi}"));
                    }
                }
            }
            None => {
                let mistake = Mistake::new(format!("{spec:?} is not a valid unit"), place);
                self.mistake(mistake.hint("write NAME=NUMBER, such as age=10"));
            }
        }
    }

    /// A domain as the flag writes it: `NAME=LOW..HIGH`.
    pub fn domain_flag(&mut self, spec: &str) {
        let place = Some(Place::Setting("domain"));
        match spec.split_once('=').and_then(|(name, ends)| Some((name, ends.split_once("..")?))) {
            Some((name, (low, high))) => {
                let (low, high) = (low.trim().to_owned(), high.trim().to_owned());
                self.domain(name.trim(), Domain { low, high, place });
            }
            None => {
                let mistake = Mistake::new(format!("{spec:?} is not a valid domain"), place);
                self.mistake(mistake.hint("write NAME=LOW..HIGH, such as age=0..120"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Model, Policy};
    use crate::requirement::{Decimal, Distance};

    fn policy(specs: &[&str]) -> Result<Policy, super::super::Mistakes> {
        let mut draft = Draft::new();
        draft.k(2, None);
        for spec in specs {
            draft.quasi_flag(spec);
        }
        draft.settle()
    }

    #[test]
    fn names_kinds_and_weights() {
        let policy =
            policy(&["age", "zip:category", "pay:numeric*2.5", "size:ordinal=S<M<L*3", "x*0.5"]).unwrap();
        let said: Vec<_> = policy
            .quasi()
            .map(|(c, q)| (c.name.as_str(), q.kind.as_ref().map(Kind::word), q.weight))
            .collect();
        let expected = [
            ("age", None, 1.0),
            ("zip", Some("category"), 1.0),
            ("pay", Some("numeric"), 2.5),
            ("size", Some("ordinal"), 3.0),
            ("x", None, 0.5),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn privacy_models() {
        let decimal = |text: &str| Decimal::parse(text).unwrap();
        let said = [
            ("diversity", "a=3", Model::Distinct(3)),
            ("diversity", "a=entropy:2.5", Model::Entropy(decimal("2.5"))),
            ("diversity", "a=recursive:3:4", Model::Recursive(decimal("3"), 4)),
            ("closeness", "a=0.2", Model::Close(decimal("0.2"), Distance::Equal)),
            ("closeness", "a=0.1:ordered", Model::Close(decimal("0.1"), Distance::Ordered)),
            ("likeness", "a=2", Model::Likeness { beta: decimal("2"), enhanced: false }),
            ("likeness", "a=1.5:enhanced", Model::Likeness { beta: decimal("1.5"), enhanced: true }),
            ("disclosure", "a=1", Model::Disclosure(decimal("1"))),
        ];
        let mut draft = Draft::new();
        draft.k(2, None);
        draft.quasi_flag("age");
        for (flag, spec, _) in said {
            draft.model_flag(flag, spec);
        }
        let policy = draft.settle().unwrap();
        let (column, protection) = policy.sensitive().next().unwrap();
        assert_eq!(column.name, "a");
        let models: Vec<Model> = protection.models.iter().map(|(model, _)| *model).collect();
        assert_eq!(models, said.map(|(_, _, model)| model));
    }

    #[test]
    fn privacy_models_that_make_no_sense() {
        let mut draft = Draft::new();
        draft.k(2, None);
        draft.quasi_flag("age");
        let refused = [
            ("diversity", "a", "\"a\" is not a valid diversity requirement"),
            ("diversity", "=3", "is not a valid diversity requirement"),
            ("diversity", "a=many:3", "unknown diversity \"many\""),
            ("diversity", "a=recursive:3", "3 does not go with privacy model recursive"),
            ("diversity", "a=2.5", "2.5 does not go with privacy model distinct"),
            ("diversity", "a=entropy:0.5", "l is 0.5, but it must be at least 1"),
            ("closeness", "a=1.5", "t is 1.5, but it must be between 0 and 1"),
            ("closeness", "a=-1", "-1 does not go with privacy model equal"),
            ("closeness", "a=0.2:orderd", "unknown closeness \"orderd\""),
            ("closeness", "a=0.2:hierarchy=nowhere.csv", "hierarchy nowhere.csv: cannot read"),
            ("disclosure", "a=0", "delta is 0, but it must be above 0"),
            ("likeness", "age=2", "column \"age\" has role quasi: only sensitive columns are protected"),
        ];
        for (flag, spec, _) in refused {
            draft.model_flag(flag, spec);
        }
        draft.model_flag("likeness", "b=2");
        draft.model_flag("likeness", "b=3");
        let shown: Vec<String> = draft.settle().unwrap_err().list.into_iter().map(|m| m.what).collect();
        for (told, (.., expected)) in shown.iter().zip(&refused) {
            assert!(told.contains(expected), "{told}: {expected}");
        }
        assert!(shown[refused.len()].contains("given twice"), "{shown:?}");
        assert!(shown[refused.len() + 1].contains("closeness by hierarchy needs a hierarchy"), "{shown:?}");
        assert_eq!(shown.len(), refused.len() + 2, "{shown:?}");
    }

    #[test]
    fn every_mistake_is_reported() {
        let mistakes = policy(&["age:numberic", "zip*heavy", "a:ordinal", "b:hierarchy", "ok", "ok", "w*-1"])
            .unwrap_err();
        let whats: Vec<&str> = mistakes.list.iter().map(|m| m.what.as_str()).collect();
        assert_eq!(whats.len(), 6, "{whats:?}");
        assert_eq!(mistakes.list[0].hint, Some("did you mean \"numeric\"?".into()));
        assert!(whats[4].contains("named twice"));
    }
}
