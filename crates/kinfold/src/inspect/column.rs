//! What a column is, and the role that a first draft gives it. Content counts before the name.

use crate::report::thousands;
use kinfold_model::bands::{self, in_order};
use kinfold_model::identifying::{Identifying, identifying, share_of_singles};
use kinfold_model::kind::{infer, is_missing};
use kinfold_model::spelling::{Spelling, guess};
use kinfold_model::{Column, Kind};
use serde::Serialize;

/// What is known of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnInspection {
    /// Its name.
    pub name: String,
    /// What its values seem to be: numeric, date, ordinal, prefix or category.
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
    /// Further keys of a draft, with their values: a format of dates, a decimal sign, lengths of prefixes.
    #[serde(skip)]
    pub(super) keys: Vec<(&'static str, String)>,
    /// Levels that a draft proposes for numbers and dates, as a line of a policy.
    #[serde(skip)]
    pub(super) ladder: Option<String>,
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
    let values = Values::of(column, rows, missing);
    let mut kind = inferred.kind.word();
    let mut levels = Vec::new();
    if inferred.kind == Kind::Category
        && values.texts.len() <= bands::MOST
        && let Some(sorted) = in_order(values.texts.iter().copied())
    {
        (kind, levels) = ("ordinal", sorted.into_iter().map(str::to_owned).collect());
    }
    let coded = has_word_of(CODES, column.name());
    let coded = coded && inferred.kind == Kind::Numeric && values.texts.len() <= MOST_CODES;
    if coded {
        kind = "category";
    }
    let mut keys = Vec::new();
    let spelled = values.spelled(&inferred.kind).filter(|_| levels.is_empty() && !coded);
    if let Some((Some(spelling), _)) = &spelled {
        kind = spelling.kind_word();
        let key = if kind == "date" { "date" } else { "decimal" };
        keys.push((key, format!("{:?}", spelling.pattern())));
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
    } else {
        spelled.map(|(_, note)| note)
    };
    let naming = identifying(column, missing).filter(|why| values.names(*why, kind));
    let code = values.code(column.name(), kind);
    let (role, reason) = values.role(column.name(), kind, naming, code.map(|(form, _)| form));
    if let Some((_, lengths)) = code.filter(|_| role == "quasi") {
        kind = "prefix";
        keys.push(("prefix", format!("{lengths:?}")));
    }
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
        keys,
        ladder: None,
    }
}

/// How many characters say the category of a code, if the column seems to hold codes of categories.
pub(crate) fn category_length(column: &Column, missing: &[String]) -> Option<usize> {
    let kind = infer(column, missing).kind.word();
    let (_, lengths) = Values::of(column, column.codes().len(), missing).code(column.name(), kind)?;
    lengths.first().copied()
}

/// Words in the names of codes, and how many values such a column has at most.
const CODES: &str = "id code type category cat";
const MOST_CODES: usize = 100;

impl<'a> Values<'a> {
    fn of(column: &'a Column, rows: usize, missing: &[String]) -> Self {
        let present = (0..column.distinct() as u32).filter(|&code| !is_missing(column, code, missing));
        Self {
            texts: present.map(|code| column.text(code).trim()).collect(),
            rows,
            unique: share_of_singles(column.codes(), column.distinct()),
        }
    }

    /// Measurements with decimals and dates differ by chance; texts and whole numbers that all differ number
    /// people.
    fn names(&self, why: Identifying, kind: &str) -> bool {
        let decimal = || self.texts.iter().any(|text| text.contains(['.', ',', 'e', 'E']));
        why == Identifying::Named || !(kind == "date" || kind == "numeric" && decimal())
    }

    fn role(
        &self,
        name: &str,
        kind: &str,
        naming: Option<Identifying>,
        code: Option<&'static str>,
    ) -> (&'static str, String) {
        let text = kind == "category" && self.mean_words() >= 4.0 && self.texts.len() > 20;
        if self.texts.len() <= 1 {
            ("keep", "one value only: it distinguishes no rows".into())
        } else if self.repeating_key() && (has_word_of(KEYS, name) || naming == Some(Identifying::Named)) {
            let (values, rows) = (thousands(self.texts.len() as u64), thousands(self.rows as u64));
            ("person", format!("a key that repeats: {values} values in {rows} rows"))
        } else if let Some(why) = naming {
            ("identifier", why.sentence().into())
        } else if text {
            ("drop", "free text: it may contain names or other identifying details".into())
        } else if has_word_of(SENSITIVE, name) || words_of(name).iter().any(|word| word.starts_with("diag")) {
            ("sensitive", "its name suggests a sensitive attribute".into())
        } else if kind == "ordinal" {
            ("quasi", "bands, in their order".into())
        } else if let Some(form) = code {
            ("quasi", format!("{form}: codes with a common prefix are related"))
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

    /// The spelling of dates and numbers that are written in another way than usual, and what to say of it.
    fn spelled(&self, kind: &Kind) -> Option<(Option<Spelling>, String)> {
        let digits = |text: &&str| text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit());
        let compact =
            || *kind == Kind::Numeric && self.texts.len() >= FEW_DAYS && self.texts.iter().all(digits);
        if *kind != Kind::Category && !compact() {
            return None;
        }
        let found = guess(&self.texts)?;
        let what = found.spelling.told();
        if found.spoilers > 0 {
            let values = thousands(found.spoilers as u64);
            let note = format!("almost {what}: {values} distinct values are not; read as labels");
            return Some((None, note));
        }
        let note = match found.or {
            Some(Spelling::Date(other)) => {
                format!("{what}: day and month cannot be told apart; if the month comes first, write {other}")
            }
            Some(Spelling::Number(_)) => {
                format!("{what}: the commas could be decimal signs, too; then write decimal = \",\"")
            }
            None => what,
        };
        Some((Some(found.spelling), note))
    }

    /// Whether values are codes whose beginnings mean something: what they look like, and the lengths to keep.
    fn code(&self, name: &str, kind: &str) -> Option<(&'static str, &'static [usize])> {
        // Five digits are an income as well, unless some begin with a zero or the name says what they are.
        let named = has_word_of(POSTCODES, name);
        let most = |form: &dyn Fn(&str) -> bool| {
            (named || self.texts.len() >= FEW_CODES)
                && self.texts.iter().filter(|text| form(text)).count() * 10 >= self.texts.len() * 9
        };
        let icd = |text: &str| {
            let mut letters = text.chars();
            letters.next().is_some_and(|c| c.is_ascii_alphabetic())
                && letters.next().is_some_and(|c| c.is_ascii_digit())
                && (3..=8).contains(&text.len())
        };
        let postcode = |text: &str| text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit());
        if most(&postcode) && (kind == "category" || named) {
            Some(("digits of one length, as in postcodes", &[3, 2, 1]))
        } else if kind == "category" && most(&icd) {
            Some(("a letter and digits, as in ICD codes", &[3, 1]))
        } else {
            None
        }
    }
}

/// Fewer distinct values than this are no list of codes, unless the name says so.
const FEW_CODES: usize = 20;

/// Fewer distinct numbers of eight digits than this may be dates by chance.
const FEW_DAYS: usize = 10;

/// Words in the names of postcodes.
const POSTCODES: &str = "zip zipcode postcode postal plz postleitzahl cap";

/// Whether the name of a column has a word of this list.
fn has_word_of(list: &str, name: &str) -> bool {
    words_of(name).iter().any(|word| list.split(' ').any(|known| known == word))
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
const KEYS: &str = "\
    id nbr no nr num number key patient person subject customer client member user mrn insured employee \
    student participant uuid";

/// Words in the names of what people do not know of each other.
const SENSITIVE: &str = "\
    diagnosis diagnose icd icd10 disease illness condition income salary wage wages earnings religion \
    faith hiv result outcome readmitted medication drug treatment therapy disability pregnant pregnancy \
    orientation political party vote crime offence offense conviction credit loan debt risk injury \
    procedure score";

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
    fn other_spellings_are_recognised_with_their_format() {
        let draft = |text: &dyn Fn(usize) -> String| {
            let column = inspected("x", 60, text);
            let key = column.keys.first().map(|(key, value)| format!("{key} = {value}"));
            (column.kind, key.unwrap_or_default(), column.note.unwrap_or_default())
        };
        let (kind, key, note) = draft(&|i| format!("{:02}/{:02}/1980", i % 28 + 1, i % 12 + 1));
        assert_eq!((kind, key.as_str()), ("date", "date = \"%d/%m/%Y\""));
        assert_eq!(note, "dates written %d/%m/%Y");
        let (_, key, note) = draft(&|i| format!("{:02}/{:02}/19{:02}", i % 12 + 1, i % 12 + 1, i));
        assert_eq!(key, "date = \"%d/%m/%Y\"");
        assert!(note.contains("day and month cannot be told apart") && note.contains("%m/%d/%Y"), "{note}");
        assert_eq!(draft(&|i| format!("{}.{}.1980", i % 28 + 1, i % 12 + 1)).1, "date = \"%-d.%-m.%Y\"");
        assert_eq!(draft(&|i| format!("1980{:02}{:02}", i % 12 + 1, i % 28 + 1)).1, "date = \"%Y%m%d\"");
        assert_eq!(draft(&|i| format!("{},{}", i, i % 10)).1, "decimal = \",\"");
        let (kind, key, note) =
            draft(&|i| if i == 0 { "?!".into() } else { format!("{:02}.01.1980", i % 31 + 1) });
        assert_eq!((kind, key.as_str()), ("category", ""));
        assert!(note.starts_with("almost dates written"), "{note}");
        assert!(draft(&|i| format!("{:05}", 501 + i)).2.contains("leading zeros"));
        assert_eq!(draft(&|i| format!("label {}", i % 9)).2, "");
    }

    #[test]
    fn codes_get_their_beginnings() {
        let draft = |name: &str, text: &dyn Fn(usize) -> String| {
            let column = inspected(name, 200, text);
            (
                column.kind,
                column.keys.first().map(|(key, value)| format!("{key} = {value}")).unwrap_or_default(),
            )
        };
        let zip = |i: usize| format!("{:05}", 501 + 97 * (i % 50));
        assert_eq!(draft("x", &zip), ("prefix", "prefix = [3, 2, 1]".into()));
        let five = |i: usize| format!("{}", 20_000 + 97 * (i % 50));
        assert_eq!(draft("zip", &five), ("prefix", "prefix = [3, 2, 1]".into()));
        assert_eq!(draft("earned", &five), ("numeric", String::new()));
        let icd = |i: usize| format!("{}{:02}.{}", ["E", "J"][i % 2], i % 30, i % 3);
        assert_eq!(draft("code", &icd), ("prefix", "prefix = [3, 1]".into()));
        assert_eq!(draft("diagnosis", &icd).1, "", "a sensitive column is published as it is");
    }
}
