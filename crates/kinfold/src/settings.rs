//! How to work, as people write it: words, times and sizes. Front ends hand over what was typed, and it is read
//! here once, with one set of messages.

use crate::{Choice, Effort, Error, Options, ReportOptions, RiskOptions, Solvers, Strength};
use kinfold_model::table::Header;
use kinfold_model::{Call, Limits, Policy, ReadOptions};
use serde::Deserialize;
use std::time::Duration;

/// A setting that is one of a few words.
pub trait Word: Copy + PartialEq + 'static {
    /// What it is called.
    const WHAT: &'static str;
    /// Every word, with its meaning as a value and in a sentence.
    const WORDS: &'static [(&'static str, Self, &'static str)];

    /// The word for it.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value, _)| *value == self).map_or("", |(word, ..)| word)
    }

    /// What a word means.
    fn named(word: &str) -> Result<Self, Error> {
        let known = Self::WORDS.iter().find(|(name, ..)| *name == word);
        known.map(|(_, value, _)| *value).ok_or_else(|| {
            let words: Vec<&str> = Self::WORDS.iter().map(|(name, ..)| *name).collect();
            let what = format!("unknown {} {word:?}", Self::WHAT);
            Error::unsuitable(what, format!("use one of {}", words.join(", ")))
        })
    }
}

impl Word for Effort {
    const WHAT: &'static str = "effort";
    const WORDS: &'static [(&'static str, Self, &'static str)] = &[
        ("quick", Self::Quick, "Milliseconds for thousands of rows, seconds for a million"),
        ("normal", Self::Normal, "About a tenth of a millisecond per row"),
        ("deep", Self::Deep, "About ten times as long as normal"),
    ];
}

impl Word for Strength {
    const WHAT: &'static str = "bound";
    const WORDS: &'static [(&'static str, Self, &'static str)] = &[
        ("none", Self::None, "No bound"),
        ("quick", Self::Quick, "At most a tenth of the solving time"),
        ("lp", Self::Lp, "Linear program: closer, and slower; respects the time limit"),
    ];
}

impl Word for Header {
    const WHAT: &'static str = "header";
    const WORDS: &'static [(&'static str, Self, &'static str)] = &[
        ("yes", Self::Yes, "The first line names the columns"),
        ("no", Self::No, "The columns are column1, column2, …"),
    ];
}

/// What can be said of how to work. What is not said is as the library has it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "each is a field of the options that it is for")]
pub struct Settings {
    pub effort: Option<String>,
    pub seed: Seed,
    pub threads: Option<usize>,
    pub time_limit: Option<Amount>,
    pub solver: Option<String>,
    pub bound: Option<String>,
    pub keep_order: bool,
    pub others_ok: bool,
    pub lookup: bool,
    pub refuse: bool,
    pub new_people: Option<u64>,
    pub improve: bool,
    pub solvers: Vec<String>,
    pub efforts: Vec<String>,
    pub missing: Option<Vec<String>>,
    pub threshold: Option<Vec<f64>>,
    pub population_size: Option<u64>,
    pub sampling_fraction: Option<f64>,
    pub sets: Option<usize>,
    pub target: Option<String>,
    pub curve: bool,
    pub delimiter: Option<char>,
    pub encoding: Option<String>,
    pub max_memory: Option<Amount>,
}

/// Where random choices start from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Seed {
    /// From this number.
    Number(u64),
    /// From a number that is drawn, and told nobody, if the word is `secret`.
    Word(String),
}

impl Default for Seed {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl Seed {
    /// Reads one as it is typed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let said = text.parse().map_or_else(|_| Self::Word(text.to_owned()), Self::Number);
        said.check().map(|()| said)
    }

    fn check(&self) -> Result<(), Error> {
        match self {
            Self::Word(word) if word != "secret" => Err(Error::unsuitable(
                format!("{word:?} is not a seed"),
                "write a number from 0 on, or secret",
            )),
            _ => Ok(()),
        }
    }

    /// Sets the seed of these options.
    pub fn set(&self, options: &mut Options) -> Result<(), Error> {
        self.check()?;
        match self {
            Self::Number(seed) => options.seed = *seed,
            Self::Word(_) => options.draw_seed()?,
        }
        Ok(())
    }
}

/// A time or a size: a number of seconds or bytes, or a text with a unit.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// Seconds or bytes.
    Number(f64),
    /// With a unit, such as `10s` or `8GiB`.
    Text(String),
}

impl Settings {
    /// Reads them from JSON.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        serde_json::from_str(json)
            .map_err(|e| Error::unsuitable(format!("an option makes no sense: {e}"), ""))
    }

    /// How a table is read.
    pub fn reading(&self, call: &Call) -> Result<ReadOptions, Error> {
        let not_byte = |_| Error::unsuitable("the delimiter is not a single byte", "use {delimiter=;}");
        let delimiter = self.delimiter.map(|c| u8::try_from(c).map_err(not_byte)).transpose()?;
        let mut limits = Limits::default();
        limits.memory = match &self.max_memory {
            None => limits.memory,
            Some(Amount::Number(bytes)) => *bytes as usize,
            Some(Amount::Text(text)) => size(text)?,
        };
        let (encoding, call) = (self.encoding.clone(), call.clone());
        Ok(ReadOptions { delimiter, encoding, limits, call, ..ReadOptions::default() })
    }

    /// How the library is to work, with one of these solvers.
    pub fn options(&self, solvers: &Solvers, call: &Call) -> Result<Options, Error> {
        let mut options = Options::default();
        options.effort = self.effort.as_deref().map_or(Ok(options.effort), Word::named)?;
        options.bound = self.bound.as_deref().map_or(Ok(options.bound), Word::named)?;
        options.solver = self.solver.as_deref().map_or(Ok(Choice::Auto), |name| solvers.choice(name))?;
        self.seed.set(&mut options)?;
        (options.threads, options.new_people) = (self.threads, self.new_people);
        options.time_limit = match &self.time_limit {
            Some(Amount::Number(seconds)) => Duration::try_from_secs_f64(*seconds).ok(),
            Some(Amount::Text(text)) => Some(duration(text)?),
            None => None,
        };
        (options.keep_order, options.lookup, options.refuse) = (self.keep_order, self.lookup, self.refuse);
        (options.limits, options.call) = (self.reading(call)?.limits, call.clone());
        Ok(options)
    }

    /// What is asked of the risk: what is said here, else what the policy says.
    pub fn risk<'a>(&self, policy: &Policy) -> RiskOptions<'a> {
        let mut options = RiskOptions::of(policy);
        options.thresholds = self.threshold.clone().unwrap_or(options.thresholds);
        options.subset_columns = self.sets.unwrap_or(options.subset_columns);
        if self.population_size.is_some() || self.sampling_fraction.is_some() {
            options.population_size = self.population_size;
            options.sampling_fraction = self.sampling_fraction;
        }
        options
    }

    /// What a report for people is to hold: what is said here, else what the policy says.
    pub fn report<'a>(&self, policy: &Policy) -> ReportOptions<'a> {
        let mut options = ReportOptions::of(policy);
        options.risk = self.risk(policy);
        options.target = self.target.clone().or(options.target);
        options.curve |= self.curve;
        options
    }
}

/// A number and its unit.
fn parted(text: &str) -> (&str, &str) {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    (number.trim(), &text[number.len()..])
}

/// A size such as `500MiB` or `8GiB`.
pub fn size(text: &str) -> Result<usize, Error> {
    let unclear =
        || Error::unsuitable(format!("{text:?} is not a size"), "write a size such as 500MiB or 8GiB");
    let (number, unit) = parted(text);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(unclear()),
    };
    let number: usize = number.parse().map_err(|_| unclear())?;
    let too_much =
        || Error::unsuitable(format!("{text} is more than any machine has"), "write a smaller size");
    number.checked_mul(1 << shift).ok_or_else(too_much)
}

/// A time such as `500ms`, `10s`, `2m` or `1h`.
pub fn duration(text: &str) -> Result<Duration, Error> {
    let hint = "write a time such as 500ms, 10s, 2m or 1h";
    let unclear = || Error::unsuitable(format!("{text:?} is not a time"), hint);
    let (number, unit) = parted(text);
    let unit = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(unclear()),
    };
    let number: f64 = number.parse().map_err(|_| unclear())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| unclear())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times() {
        assert_eq!(size("8GiB").unwrap(), 8 << 30);
        assert_eq!(size("100").unwrap(), 100);
        assert!(size("lots").is_err() && size("99999999999999GiB").is_err());
        assert_eq!(duration("1.5s").unwrap(), Duration::from_millis(1500));
        assert_eq!(duration("2m").unwrap(), Duration::from_secs(120));
        assert!(duration("soon").is_err() && duration("-1s").is_err());
    }

    #[test]
    fn settings_are_words_times_and_sizes() {
        let read = |json: &str| {
            Settings::from_json(json).and_then(|said| said.options(&Solvers::standard(), &Call::new()))
        };
        let said = r#"{ "effort": "deep", "bound": "lp", "time_limit": "2m", "max_memory": "1GiB", "solver": "mondrian" }"#;
        let options = read(said).unwrap();
        assert_eq!((options.effort, options.bound), (Effort::Deep, Strength::Lp));
        assert_eq!((options.time_limit, options.limits.memory), (Some(Duration::from_secs(120)), 1 << 30));
        assert_eq!(read(r#"{ "time_limit": 5 }"#).unwrap().time_limit, Some(Duration::from_secs(5)));
        assert_eq!(read(r#"{ "seed": 7 }"#).map(|of| (of.seed, of.secret_seed)).unwrap(), (7, false));
        let [one, two] = [1, 2].map(|_| read(r#"{ "seed": "secret" }"#).unwrap());
        assert!(one.secret_seed && two.secret_seed && one.seed != two.seed, "drawn anew");
        assert!(one.seed < 1 << 63);
        assert_eq!(read(r#"{ "seed": "hidden" }"#).unwrap_err().to_string(), "\"hidden\" is not a seed");
        let unknown = read(r#"{ "effort": "eager" }"#).unwrap_err();
        assert_eq!(unknown.to_string(), "unknown effort \"eager\"");
        assert_eq!(unknown.hint().unwrap().to_string(), "use one of quick, normal, deep");
        assert!(read(r#"{ "efort": "deep" }"#).is_err());
    }
}
