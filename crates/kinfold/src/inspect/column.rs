//! What a column is, and the role that a first draft gives it. Content counts before the name.

use crate::report::thousands;
use kinfold_model::bands::{self, in_order};
use kinfold_model::identifying::{Identifying, identifying, share_of_singles};
use kinfold_model::kind::{Kind, infer, is_missing};
use kinfold_model::table::Column;
use serde::Serialize;

/// What is known of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnInspection {
    /// Its name.
    pub name: String,
    /// What its values seem to be: numeric, date, ordinal or category.
    pub kind: &'static str,
    /// Number of distinct values.
    pub distinct: usize,
    /// Rows without a value, as a share.
    pub missing: f64,
    /// Rows whose value no other row has, as a share.
    pub unique: f64,
    /// Whether it seems to name people by itself, and why.
    #[serde(rename = "likely_identifier")]
    pub identifier: Option<&'static str>,
    /// The role that a draft gives it.
    pub role: &'static str,
    /// Why.
    pub reason: String,
    /// What else is worth knowing.
    pub note: Option<String>,
    /// The levels of bands such as `20-29`, lowest first.
    #[serde(skip)]
    pub(super) levels: Vec<String>,
}

/// The distinct values of a column that are not missing.
struct Values<'a> {
    texts: Vec<&'a str>,
    rows: usize,
    unique: f64,
}

pub(super) fn inspect_column(column: &Column, rows: usize, missing: &[String]) -> ColumnInspection {
    let inferred = infer(column, missing);
    let absent = column.codes().iter().filter(|&&c| is_missing(column, c, missing)).count();
    let present = (0..column.distinct() as u32).filter(|&code| !is_missing(column, code, missing));
    let values = Values {
        texts: present.map(|code| column.text(code).trim()).collect(),
        rows,
        unique: share_of_singles(column.codes(), column.distinct()),
    };
    let mut kind = inferred.kind.word();
    let mut levels = Vec::new();
    if inferred.kind == Kind::Category
        && values.texts.len() <= bands::MOST
        && let Some(sorted) = in_order(values.texts.iter().copied())
    {
        (kind, levels) = ("ordinal", sorted.into_iter().map(str::to_owned).collect());
    }
    let coded = words_of(column.name()).iter().any(|word| CODES.contains(&word.as_str()));
    let coded = coded && inferred.kind == Kind::Numeric && values.texts.len() <= MOST_CODES;
    if coded {
        kind = "category";
    }
    let note = if coded {
        Some("whole numbers that are codes: read as labels without order".to_owned())
    } else if inferred.spoilers > 0 {
        Some(match inferred.spoilers {
            1 => "almost numeric: 1 distinct value is not a number".to_owned(),
            many => format!("almost numeric: {many} distinct values are not numbers"),
        })
    } else if inferred.padded {
        Some("digits with leading zeros: read as text".to_owned())
    } else if kind == "category" {
        values.unread()
    } else {
        None
    };
    let naming = identifying(column, missing).filter(|why| values.names(*why, &inferred.kind));
    let (role, reason) = values.role(column.name(), kind, naming);
    ColumnInspection {
        name: column.name().to_owned(),
        kind,
        distinct: column.distinct(),
        missing: absent as f64 / rows as f64,
        unique: values.unique,
        identifier: naming.filter(|_| role == "identifier").map(Identifying::sentence),
        role,
        reason,
        note,
        levels,
    }
}

/// Words in the names of codes, and how many values such a column has at most.
const CODES: [&str; 5] = ["id", "code", "type", "category", "cat"];
const MOST_CODES: usize = 100;

impl Values<'_> {
    /// Measurements with decimals and dates differ by chance; texts and whole numbers that all differ number
    /// people.
    fn names(&self, why: Identifying, kind: &Kind) -> bool {
        let decimal = || self.texts.iter().any(|text| text.contains(['.', 'e', 'E']));
        why == Identifying::Named || !(*kind == Kind::Date || *kind == Kind::Numeric && decimal())
    }

    fn role(&self, name: &str, kind: &str, naming: Option<Identifying>) -> (&'static str, String) {
        let words: Vec<String> = words_of(name);
        let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let text = kind == "category" && self.mean_words() >= 4.0 && self.texts.len() > 20;
        if self.texts.len() <= 1 {
            ("keep", "one value only: it distinguishes no rows".into())
        } else if self.repeating_key() && (named(&KEYS) || naming == Some(Identifying::Named)) {
            let (values, rows) = (thousands(self.texts.len() as u64), thousands(self.rows as u64));
            ("person", format!("a key that repeats: {values} values in {rows} rows"))
        } else if let Some(why) = naming {
            ("identifier", why.sentence().into())
        } else if text {
            ("drop", "free text: it may contain names or other identifying details".into())
        } else if named(&SENSITIVE) || words.iter().any(|word| word.starts_with("diag")) {
            ("sensitive", "its name suggests a sensitive attribute".into())
        } else if kind == "ordinal" {
            ("quasi", "bands, in their order".into())
        } else if let Some(form) = self.code() {
            (
                "quasi",
                format!("{form}: codes with a common prefix are related; a hierarchy can generalize them"),
            )
        } else {
            ("quasi", "could identify a person together with others".into())
        }
    }

    /// Whether many rows have a value of their own, and yet values repeat: one person, several rows.
    fn repeating_key(&self) -> bool {
        let per_value = self.rows as f64 / self.texts.len().max(1) as f64;
        let key =
            |text: &&str| text.len() >= 3 && text.chars().all(|c| c.is_alphanumeric() || "-_/".contains(c));
        let numbered = self.texts.iter().filter(|text| text.contains(|c: char| c.is_ascii_digit())).count();
        self.rows >= 20
            && (1.02..20.0).contains(&per_value)
            && self.texts.len() > 10
            && numbered * 10 >= self.texts.len() * 9
            && self.texts.iter().filter(|text| key(text)).count() * 10 >= self.texts.len() * 9
    }

    fn mean_words(&self) -> f64 {
        let words: usize = self.texts.iter().map(|text| text.split_whitespace().count()).sum();
        words as f64 / self.texts.len().max(1) as f64
    }

    /// Dates and numbers in forms that are not read as such.
    fn unread(&self) -> Option<String> {
        let all = |form: &dyn Fn(&str) -> bool| {
            self.texts.len() > 1
                && self.texts.iter().filter(|text| form(text)).count() * 20 >= self.texts.len() * 19
        };
        let parts = |text: &str, mark: char| -> Option<[u32; 3]> {
            let parts: Vec<u32> = text.split(mark).map(|part| part.parse().ok()).collect::<Option<_>>()?;
            parts.try_into().ok()
        };
        let date = |text: &str, mark: char| {
            parts(text, mark).is_some_and(|[a, b, year]| {
                (1..=31).contains(&a) && (1..=31).contains(&b) && (a <= 12 || b <= 12) && year >= 1
            })
        };
        for mark in ['/', '.', '-'] {
            if all(&|text| date(text, mark)) {
                return Some(format!(
                    "looks like dates written with {mark:?}: read as labels; write them as YYYY-MM-DD to \
                     publish ranges of dates"
                ));
            }
        }
        let comma = |text: &str| {
            text.split_once(',').is_some_and(|(whole, rest)| {
                let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                digits(whole.trim_start_matches('-')) && digits(rest)
            })
        };
        let commas = self.texts.iter().any(|text| comma(text));
        let number = |text: &str| comma(text) || text.parse::<i64>().is_ok();
        (commas && all(&number)).then(|| {
            "looks like numbers with decimal commas: read as labels; write them with a decimal point to \
             publish ranges of numbers"
                .to_owned()
        })
    }

    /// Whether values are codes whose beginnings mean something.
    fn code(&self) -> Option<&'static str> {
        let most = |form: &dyn Fn(&str) -> bool| {
            self.texts.len() >= 20
                && self.texts.iter().filter(|text| form(text)).count() * 10 >= self.texts.len() * 9
        };
        let icd = |text: &str| {
            let mut letters = text.chars();
            letters.next().is_some_and(|c| c.is_ascii_alphabetic())
                && letters.next().is_some_and(|c| c.is_ascii_digit())
                && (3..=8).contains(&text.len())
        };
        let postcode = |text: &str| text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit());
        if most(&postcode) {
            Some("digits of one length, as in postcodes")
        } else if most(&icd) {
            Some("a letter and digits, as in ICD codes")
        } else {
            None
        }
    }
}

/// `patient_nbr`, `PatientNbr` and `patient nbr` are two words each.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && lower {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// Words in the names of keys of people.
const KEYS: [&str; 20] = [
    "id",
    "nbr",
    "no",
    "nr",
    "num",
    "number",
    "key",
    "patient",
    "person",
    "subject",
    "customer",
    "client",
    "member",
    "user",
    "mrn",
    "insured",
    "employee",
    "student",
    "participant",
    "uuid",
];

/// Words in the names of what people do not know of each other.
const SENSITIVE: [&str; 40] = [
    "diagnosis",
    "diagnose",
    "icd",
    "icd10",
    "disease",
    "illness",
    "condition",
    "income",
    "salary",
    "wage",
    "wages",
    "earnings",
    "religion",
    "faith",
    "hiv",
    "result",
    "outcome",
    "readmitted",
    "medication",
    "drug",
    "treatment",
    "therapy",
    "disability",
    "pregnant",
    "pregnancy",
    "orientation",
    "political",
    "party",
    "vote",
    "crime",
    "offence",
    "offense",
    "conviction",
    "credit",
    "loan",
    "debt",
    "risk",
    "injury",
    "procedure",
    "score",
];

#[cfg(test)]
mod tests {
    use super::*;
    use kinfold_model::policy::default_missing;
    use kinfold_model::table::Table;

    /// A column of this name in which row i has the i-th text.
    fn inspected(name: &str, rows: usize, text: impl Fn(usize) -> String) -> ColumnInspection {
        let cells: Vec<String> = (0..rows).map(text).collect();
        let cells: Vec<Vec<&str>> = cells.iter().map(|cell| vec![cell.as_str()]).collect();
        let table = Table::from_cells(&[name], &cells).unwrap();
        inspect_column(&table.columns()[0], rows, &default_missing())
    }

    #[test]
    fn content_counts_before_the_name() {
        let role = |name: &str, text: &dyn Fn(usize) -> String| inspected(name, 200, text).role;
        assert_eq!(role("encounter", &|i| format!("{}", 100_000 + i)), "identifier");
        assert_eq!(role("patient_nbr", &|i| format!("{}", 100_000 + i * 3 / 4)), "person");
        assert_eq!(role("PatientNumber", &|i| format!("P{}", 100 + i / 2)), "person");
        assert_eq!(role("Telephone", &|i| ["yes", "no"][i % 2].into()), "quasi");
        assert_eq!(role("admission_type_id", &|i| format!("{}", i % 8)), "quasi");
        assert_eq!(role("diag_1", &|i| format!("{}", 250 + i % 60)), "sensitive");
        assert_eq!(role("salary-class", &|i| ["<=50K", ">50K"][i % 2].into()), "sensitive");
        assert_eq!(role("remarks", &|i| format!("came in on day {} with a cough", i / 2)), "drop");
        assert_eq!(role("country", &|_| "X".into()), "keep");
        assert_eq!(role("age", &|i| format!("{}", i % 70)), "quasi");
        // Weights with decimals differ by chance.
        assert_eq!(role("weight", &|i| format!("{}.5", i)), "quasi");
    }

    #[test]
    fn kinds_are_those_of_the_content() {
        let age = inspected("age", 100, |i| format!("[{}-{})", i % 5 * 10, i % 5 * 10 + 10));
        assert_eq!((age.kind, age.role), ("ordinal", "quasi"));
        assert_eq!(age.levels, ["[0-10)", "[10-20)", "[20-30)", "[30-40)", "[40-50)"]);
        assert_eq!(inspected("admission_type_id", 100, |i| format!("{}", i % 8)).kind, "category");
        assert_eq!(inspected("age", 100, |i| format!("{}", i % 50)).kind, "numeric");
    }

    #[test]
    fn what_is_read_as_labels_though_it_is_more_gets_a_note() {
        let note = |text: &dyn Fn(usize) -> String| inspected("x", 60, text).note.unwrap_or_default();
        assert!(note(&|i| format!("{:02}/{:02}/1980", i % 28 + 1, i % 12 + 1)).contains("dates"));
        assert!(note(&|i| format!("{}.{}.1980", i % 28 + 1, i % 12 + 1)).contains("dates"));
        assert!(note(&|i| format!("{},{}", i, i % 10)).contains("decimal commas"));
        assert!(note(&|i| format!("{:05}", 501 + i)).contains("leading zeros"));
        assert_eq!(note(&|i| format!("label {}", i % 9)), "");
    }
}
