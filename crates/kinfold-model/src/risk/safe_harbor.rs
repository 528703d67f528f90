//! Which columns are likely identifiers in the sense of the HIPAA Safe Harbor rule, 45 CFR 164.514(b)(2)(i):
//! by their name, and by what their values look like. A list to go through, not a verdict.

use crate::identifying::identifying;
use crate::kind::{infer, is_missing, value_of};
use crate::table::{Column, Table};
use crate::value::Number;
use serde::Serialize;

/// The kinds of identifiers that Safe Harbor removes, by the letter of the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SafeHarbor {
    /// (A) Names.
    Name,
    /// (B) Places smaller than a state.
    Place,
    /// (C) Dates of a person other than years.
    Date,
    /// (C) Ages over 89.
    AgeOver89,
    /// (D) and (E) Telephone and fax numbers.
    Telephone,
    /// (F) Electronic mail addresses.
    Email,
    /// (G) Social security numbers.
    SocialSecurity,
    /// (H) Medical record numbers.
    MedicalRecord,
    /// (I) Health plan beneficiary numbers.
    HealthPlan,
    /// (J) Account numbers.
    Account,
    /// (K) Certificate and licence numbers.
    Licence,
    /// (L) Vehicle identifiers and plates.
    Vehicle,
    /// (M) Device identifiers and serial numbers.
    Device,
    /// (N) Web addresses.
    WebAddress,
    /// (O) Internet protocol addresses.
    IpAddress,
    /// (P) Biometric identifiers.
    Biometric,
    /// (Q) Photographs of the face.
    Photograph,
    /// (R) Any other unique number or code.
    UniqueCode,
}

/// What gave a column away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Its name.
    Name,
    /// Its values.
    Content,
}

/// A column that is likely an identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LikelyIdentifier {
    /// The column.
    pub column: String,
    /// What it is.
    pub identifier: SafeHarbor,
    /// What gave it away.
    pub by: Basis,
}

/// Words in names of columns. What counts as a name of an identifier elsewhere, too, is in `identifying.rs`.
const WORDS: [(SafeHarbor, &str); 16] = [
    (SafeHarbor::Name, "name surname firstname lastname forename fullname maiden"),
    (
        SafeHarbor::Place,
        "zip zipcode postcode postal plz city town county street address precinct village latitude longitude lat lon",
    ),
    (SafeHarbor::Date, "date birthday birthdate dob dod birth death admitted admission discharged discharge"),
    (SafeHarbor::Telephone, "phone telephone mobile fax cell tel"),
    (SafeHarbor::Email, "email mail"),
    (SafeHarbor::SocialSecurity, "ssn socialsecurity"),
    (SafeHarbor::MedicalRecord, "mrn medicalrecord patientid patientnumber patientnbr"),
    (SafeHarbor::HealthPlan, "insurance insured beneficiary healthplan policynumber medicare medicaid"),
    (SafeHarbor::Account, "account iban creditcard cardnumber"),
    (SafeHarbor::Licence, "licence license certificate passport"),
    (SafeHarbor::Vehicle, "vin plate licenseplate vehicle"),
    (SafeHarbor::Device, "device serial imei serialnumber"),
    (SafeHarbor::WebAddress, "url website homepage web"),
    (SafeHarbor::IpAddress, "ip ipaddress"),
    (SafeHarbor::Biometric, "fingerprint biometric retina iris voiceprint genome dna"),
    (SafeHarbor::Photograph, "photo photograph image picture portrait"),
];

/// Words that say that something is meant only in part, which Safe Harbor allows, or only how it is.
const HARMLESS: [&str; 8] = ["year", "state", "country", "type", "source", "class", "status", "disposition"];
/// A column of words for yes and no is about something, not it.
const FEW_VALUES: usize = 3;
/// The share of values that must look like an identifier.
const MOST: f64 = 0.8;
/// Ages above this are identifiers.
const OLD: i64 = 89;

/// The columns of a table that are likely identifiers, in the order of the table.
pub fn safe_harbor<'m>(table: &Table, missing: impl Fn(&str) -> &'m [String]) -> Vec<LikelyIdentifier> {
    table.columns().iter().filter_map(|column| likely(column, missing(column.name()))).collect()
}

fn likely(column: &Column, missing: &[String]) -> Option<LikelyIdentifier> {
    let present = (0..column.distinct() as u32).filter(|&code| !is_missing(column, code, missing));
    let values: Vec<&str> = present.map(|code| column.text(code).trim_ascii()).collect();
    let found = |identifier, by| Some(LikelyIdentifier { column: column.name().to_owned(), identifier, by });
    if let Some(identifier) = by_content(column, &values, missing) {
        return found(identifier, Basis::Content);
    }
    if values.len() > FEW_VALUES
        && let Some(identifier) = by_name(column.name())
    {
        return found(identifier, Basis::Name);
    }
    // Measurements differ by chance; a number or a word of one's own is a code.
    let measured = values.iter().any(|value| value.contains('.') && value.parse::<f64>().is_ok());
    identifying(column, missing).filter(|_| !measured)?;
    found(SafeHarbor::UniqueCode, Basis::Content)
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    name.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
}

fn by_name(name: &str) -> Option<SafeHarbor> {
    let words = words(name);
    let whole = words.concat();
    let has = |word: &str| words.iter().any(|own| own == word);
    if HARMLESS.into_iter().any(has) {
        return None;
    }
    let named = |list: &str| list.split(' ').any(|word| has(word) || word == whole);
    WORDS.iter().find(|(_, list)| named(list)).map(|(identifier, _)| *identifier)
}

/// Whether a text looks like something.
type Looks = fn(&str) -> bool;

fn by_content(column: &Column, values: &[&str], missing: &[String]) -> Option<SafeHarbor> {
    if values.is_empty() {
        return None;
    }
    let most = |looks: Looks| {
        values.iter().filter(|value| looks(value)).count() as f64 >= MOST * values.len() as f64
    };
    let patterns: [(SafeHarbor, Looks); 5] = [
        (SafeHarbor::Email, is_email),
        (SafeHarbor::IpAddress, |text| text.parse::<std::net::IpAddr>().is_ok()),
        (SafeHarbor::WebAddress, is_web_address),
        (SafeHarbor::SocialSecurity, is_social_security),
        (SafeHarbor::Telephone, is_telephone),
    ];
    if let Some((identifier, _)) = patterns.into_iter().find(|&(_, looks)| most(looks)) {
        return Some(identifier);
    }
    let kind = infer(column, missing).kind;
    // Years alone are no dates: they are read as numbers.
    if kind.dates() {
        return Some(SafeHarbor::Date);
    }
    let about_age = words(column.name()).iter().any(|word| word == "age" || word == "alter");
    let old = |value: &&str| value_of(&kind, value).is_some_and(|age| age > Number::whole(OLD));
    (about_age && kind.numeric() && values.iter().any(old)).then_some(SafeHarbor::AgeOver89)
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(who, host)| {
        !who.is_empty() && host.contains('.') && !host.contains('@') && !text.contains(char::is_whitespace)
    })
}

fn is_web_address(text: &str) -> bool {
    ["http://", "https://", "www."].iter().any(|start| text.to_ascii_lowercase().starts_with(start))
}

/// Whether a text is digits in groups of these lengths, joined by hyphens.
fn is_social_security(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([3, 2, 4])
        && parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
}

/// Seven to fifteen digits with the marks that telephone numbers are written with, at least one of them.
fn is_telephone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let marks = text.bytes().filter(|b| b"+()-/ .".contains(b)).count();
    let date = text.len() == 10 && (text.matches(['-', '.', '/']).count() == 2);
    (7..=15).contains(&digits)
        && marks > 0
        && digits + marks == text.len()
        && text.contains(['+', '(', '-', '/', ' '])
        && !text.starts_with('-')
        && !date
        && text.matches('.').count() != 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::default_missing;

    fn of(name: &str, value: impl Fn(usize) -> String) -> Option<(SafeHarbor, Basis)> {
        let cells: Vec<String> = (0..60).map(value).collect();
        let rows: Vec<Vec<&str>> = cells.iter().map(|cell| vec![cell.as_str()]).collect();
        let table = Table::from_cells(&[name], &rows).unwrap();
        let missing = default_missing();
        safe_harbor(&table, |_| &missing).first().map(|found| (found.identifier, found.by))
    }

    #[test]
    fn values_give_a_column_away_whatever_its_name() {
        use Basis::Content;
        assert_eq!(of("x", |i| format!("p{i}@example.org")), Some((SafeHarbor::Email, Content)));
        assert_eq!(of("x", |i| format!("10.0.0.{i}")), Some((SafeHarbor::IpAddress, Content)));
        assert_eq!(of("x", |i| format!("https://example.org/{i}")), Some((SafeHarbor::WebAddress, Content)));
        assert_eq!(of("x", |i| format!("123-45-{:04}", i)), Some((SafeHarbor::SocialSecurity, Content)));
        assert_eq!(of("x", |i| format!("+49 30 1234{i:02}")), Some((SafeHarbor::Telephone, Content)));
        assert_eq!(of("x", |i| format!("2020-01-{:02}", i % 28 + 1)), Some((SafeHarbor::Date, Content)));
        assert_eq!(of("age", |i| format!("{}", 40 + i % 55)), Some((SafeHarbor::AgeOver89, Content)));
        assert_eq!(of("key", |i| format!("{}", 100 + i)), Some((SafeHarbor::UniqueCode, Content)));
    }

    #[test]
    fn names_tell_where_values_do_not() {
        use Basis::Name;
        assert_eq!(of("zip", |i| format!("{:05}", 10_000 + i % 9)), Some((SafeHarbor::Place, Name)));
        assert_eq!(of("Last name", |i| format!("n{}", i % 9)), Some((SafeHarbor::Name, Name)));
        assert_eq!(of("medical_record", |i| format!("m{}", i % 9)), Some((SafeHarbor::MedicalRecord, Name)));
    }

    #[test]
    fn what_is_no_identifier_is_none() {
        assert_eq!(of("age", |i| format!("{}", 20 + i % 50)), None);
        assert_eq!(of("Telephone", |i| ["yes", "no"][i % 2].into()), None);
        assert_eq!(of("birth_year", |i| format!("{}", 1950 + i % 9)), None);
        assert_eq!(of("weight", |i| format!("{i}.5")), None);
        assert_eq!(of("change", |i| format!("-{}", 1_000_000 + i % 9)), None);
        assert_eq!(of("diagnosis", |i| format!("d{}", i % 9)), None);
    }
}
