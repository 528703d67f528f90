//! Mistakes in a policy: what is wrong, where, and what to try.

use super::source::{Place, Sources, Spot};
use crate::hint::Hint;
use std::fmt;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong.
    pub what: String,
    /// What to try.
    pub hint: Option<Hint>,
    /// Where.
    pub place: Option<Place>,
}

impl Mistake {
    /// A mistake at a place.
    pub fn new(what: impl Into<String>, place: Option<Place>) -> Self {
        Self { what: what.into(), hint: None, place }
    }

    /// With something to try.
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// All mistakes of a policy, together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mistakes {
    /// The mistakes, in the order of the policy.
    pub list: Vec<Mistake>,
    /// The texts of the policy, to show the lines.
    pub sources: Sources,
}

/// Mistakes whose places are in a policy that is at hand elsewhere.
impl From<Vec<Mistake>> for Mistakes {
    fn from(list: Vec<Mistake>) -> Self {
        Self { list, sources: Sources::default() }
    }
}

impl From<Mistake> for Mistakes {
    fn from(mistake: Mistake) -> Self {
        vec![mistake].into()
    }
}

impl Mistakes {
    /// The line of a mistake in the policy file, counted from 1.
    pub fn line(&self, mistake: &Mistake) -> Option<usize> {
        self.sources.line(mistake.place?)
    }

    /// The same, in a policy of these sources unless its own are known.
    pub fn within(self, sources: &Sources) -> Self {
        let known = self.sources != Sources::default();
        if known { self } else { Self { sources: sources.clone(), ..self } }
    }

    /// The same, where several tables are read, with the one that they are in.
    pub fn found_in(mut self, table: &str) -> Self {
        self.list.iter_mut().for_each(|mistake| mistake.what = format!("{table}: {}", mistake.what));
        self
    }
}

impl std::error::Error for Mistakes {}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mistake) in self.list.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            match mistake.place.and_then(|place| self.sources.spot(place)) {
                Some(Spot::File(path, ..)) => {
                    write!(f, "{}:{}: ", path.display(), self.line(mistake).unwrap_or_default())?;
                }
                Some(Spot::Typed(name, ..) | Spot::Setting(name)) => write!(f, "{name}: ")?,
                None => {}
            }
            write!(f, "{}", mistake.what)?;
            if let Some(hint) = &mistake.hint {
                write!(f, " ({hint})")?;
            }
        }
        Ok(())
    }
}

/// The candidate that is most likely meant, if one is close enough to suggest.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |s: &str| s.to_lowercase().replace(['-', '_', ' '], "");
    let meant = plain(word);
    let distance = |candidate: &str| {
        let candidate = plain(candidate);
        // A part of the word, or the word with more to it ("zip" for "zipcode"), is as near as a letter
        // amiss.
        let part = candidate.len().min(meant.len()) >= 3
            && (candidate.contains(&meant) || meant.contains(&candidate));
        if part { 1 } else { strsim::damerau_levenshtein(&meant, &candidate) }
    };
    candidates
        .map(|c| (distance(c), c))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, c)| distance <= 1 + c.chars().count().max(word.chars().count()) / 4)
        .map(|(_, c)| c)
}

/// "did you mean …?", if something is close.
pub(crate) fn did_you_mean<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|c| format!("did you mean {c:?}?"))
}

/// "one of a, b, c", for hints.
pub(crate) fn one_of(words: &[&str]) -> String {
    match words {
        [only] => format!("use {only}"),
        words => format!("use one of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn suggests_what_is_close_and_nothing_else() {
        let names = ["age", "zip", "native-country", "marital_status"];
        let near = |word| nearest(word, names.into_iter());
        assert_eq!(near("aeg"), Some("age"));
        assert_eq!(near("zipcode"), Some("zip"));
        assert_eq!(near("NativeCountry"), Some("native-country"));
        assert_eq!(near("marital-statsu"), Some("marital_status"));
        assert_eq!(near("diagnosis"), None);
    }
}
