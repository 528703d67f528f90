//! The sentences of the report in a language, and numbers as it writes them.

use std::collections::BTreeMap;
use std::fmt::Display;

pub use kinfold_model::policy::Language;

/// Every sentence by its key.
pub(super) struct Words {
    sentences: BTreeMap<&'static str, &'static str>,
}

impl Words {
    pub(super) fn of(language: Language) -> Self {
        let file = match language {
            Language::English => include_str!("words/en.txt"),
            Language::German => include_str!("words/de.txt"),
        };
        let lines = file.lines().filter(|line| !line.starts_with('#'));
        Self { sentences: lines.filter_map(|line| line.split_once(" = ")).collect() }
    }

    /// The sentence of this key. A test makes sure that every key is in every file.
    pub(super) fn get(&self, key: &str) -> &'static str {
        self.sentences.get(key).copied().unwrap_or("")
    }

    /// The sentence with its gaps filled in.
    pub(super) fn say(&self, key: &str, gaps: &[(&str, &dyn Display)]) -> String {
        gaps.iter().fold(self.get(key).to_owned(), |text, (gap, value)| {
            text.replace(&format!("{{{gap}}}"), &value.to_string())
        })
    }

    /// A whole number.
    pub(super) fn whole(&self, number: u64) -> String {
        crate::report::thousands(number).replace(',', self.get("thousands"))
    }

    /// A number with so many places.
    pub(super) fn number(&self, number: f64, places: usize) -> String {
        // Adding 0 makes a positive zero of a negative one.
        format!("{:.places$}", number + 0.0).replace('.', self.get("decimal"))
    }

    /// A number with four digits that mean something; what is not a number is not shown.
    pub(super) fn figure(&self, number: f64) -> String {
        if number.is_nan() {
            return "–".into();
        }
        if number == 0.0 || !number.is_finite() {
            return "0".into();
        }
        if number.abs() >= 1000.0 {
            return self.whole(number.round() as u64);
        }
        crate::report::significant(number, 4).replace('.', self.get("decimal"))
    }

    /// A number with three digits that mean something, for pictures.
    pub(super) fn rough(&self, number: f64) -> String {
        if number <= 0.0 || !number.is_finite() {
            return "0".into();
        }
        let unit = 10f64.powi(number.log10().floor() as i32 - 2);
        self.figure((number / unit).round() * unit)
    }

    /// A number that is promised not to be exceeded: four places, never rounded down.
    pub(super) fn at_most(&self, number: f64) -> String {
        crate::report::at_most(number).replace('.', self.get("decimal"))
    }

    /// A number that is promised to be reached: four places, never rounded up.
    pub(super) fn at_least(&self, number: f64) -> String {
        crate::report::at_least(number).replace('.', self.get("decimal"))
    }

    /// A figure that is promised as a lower bound: four digits, never rounded up.
    pub(super) fn figure_at_least(&self, number: f64) -> String {
        if number <= 0.0 || !number.is_finite() {
            return "0".into();
        }
        let unit = 10f64.powi(number.log10().floor() as i32 - 3);
        self.figure((number / unit + 1e-9).floor() * unit)
    }

    /// A share of 1 in percent that is promised not to be exceeded.
    pub(super) fn percent_at_most(&self, share: f64) -> String {
        crate::report::percent_at_most(share).replace('.', self.get("decimal"))
    }

    /// A share of 1 in percent.
    pub(super) fn percent(&self, share: f64) -> String {
        let places = match share * 100.0 {
            0.0 => 0,
            p if p < 0.095 => 3,
            p if p < 9.95 => 2,
            _ => 1,
        };
        crate::report::trimmed(format!("{:.places$}", share * 100.0 + 0.0)).replace('.', self.get("decimal"))
            + " %"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn gaps(sentence: &str) -> BTreeSet<&str> {
        sentence.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(gap, _)| gap).collect()
    }

    #[test]
    fn every_language_has_every_sentence_with_the_same_gaps() {
        let english = Words::of(Language::English);
        for language in Language::ALL {
            let words = Words::of(*language);
            assert_eq!(words.get("language"), language.code());
            assert!(words.sentences.keys().eq(english.sentences.keys()), "{}", language.code());
            for (key, sentence) in &words.sentences {
                assert!(!sentence.trim().is_empty(), "{key}");
                assert_eq!(gaps(sentence), gaps(english.get(key)), "{}: {key}", language.code());
            }
        }
    }

    #[test]
    fn every_key_in_the_code_is_in_the_files() {
        let words = Words::of(Language::English);
        let code = [include_str!("mod.rs"), include_str!("sections.rs"), include_str!("figures.rs")].concat();
        for call in ["get(\"", "say(\"", "heading(\"", "self.line(\"", "note(\""] {
            for rest in code.split(call).skip(1) {
                let key = rest.split('"').next().unwrap();
                assert!(words.sentences.contains_key(key), "{key}");
            }
        }
        // Whatever else looks like a key is one.
        let letter = |c: char| c.is_ascii_lowercase() || "._-".contains(c);
        let named = |text: &&str| text.contains('.') && text.chars().all(letter) && !text.ends_with(".css");
        for key in code.split('"').filter(named) {
            assert!(words.sentences.contains_key(key), "{key}");
        }
    }

    #[test]
    fn numbers_are_written_as_the_language_does() {
        let (english, german) = (Words::of(Language::English), Words::of(Language::German));
        assert_eq!((english.whole(30_162), german.whole(30_162)), ("30,162".into(), "30.162".into()));
        assert_eq!((english.figure(0.01614), german.figure(0.01614)), ("0.01614".into(), "0,01614".into()));
        assert_eq!(english.figure(0.2), "0.2");
        assert_eq!((english.percent(0.2537), german.percent(0.00004)), ("25.4 %".into(), "0,004 %".into()));
        let promised = [0.29631, 0.0581, 0.3, 0.0].map(|number| english.at_most(number));
        assert_eq!(promised, ["0.2964", "0.0581", "0.3", "0"]);
        assert_eq!((german.at_least(2.99999), german.at_least(3.0)), ("2,9999".into(), "3".into()));
        assert_eq!(german.percent_at_most(0.0581), "5,9 %");
        let proven = [0.016148, 12.3457, 98_765.4, 0.2, 0.0].map(|number| english.figure_at_least(number));
        assert_eq!(proven, ["0.01614", "12.34", "98,760", "0.2", "0"]);
    }
}
