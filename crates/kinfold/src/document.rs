//! What the report for people states, gathered by call. The calls themselves are the usual ones; nothing is
//! worked out that they do not say. What of it is shown is decided in [`crate::shown`].

use crate::anonymized::Anonymized;
use crate::destination::Destination;
use crate::error::Error;
use crate::options::Options;
use crate::report::{CertifyReport, Facts, FileFacts, RiskReport, VerifyReport};
use crate::risk::{RiskOptions, risk, risk_beside_ends};
use crate::shown::{Released, without_persons};
use crate::utility::{UtilityOptions, utility};
use crate::variants::loss_curve;
use kinfold_model::policy::Policy;
use kinfold_model::recode::recoded;
use kinfold_model::table::Table;
use kinfold_model::unit::Unit;
use kinfold_model::verify::{Lookup, Published};
use sha2::{Digest, Sha256};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// What a report is to say besides what follows from the call.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReportOptions<'a> {
    /// How the call was made.
    pub command: Option<String>,
    /// The table that was read.
    pub input: Option<FileFacts>,
    /// The release, where the call does not write it.
    pub release: Option<FileFacts>,
    /// What is asked of the risk; the original of a release is added where it is known.
    pub risk: RiskOptions<'a>,
    /// The column that a model is to predict, for utility.
    pub target: Option<String>,
    /// Whether the loss for other ks is shown, for anonymize: every k takes a grouping at quick effort.
    pub curve: bool,
}

impl ReportOptions<'_> {
    /// What the policy asks of its report.
    pub fn of(policy: &Policy) -> Self {
        let said = &policy.report;
        let mut options = Self { target: said.target.clone(), curve: said.curve, ..Self::default() };
        options.risk = RiskOptions::of(policy);
        options
    }
}

/// The SHA-256 of what a reader holds, in hexadecimal digits.
pub fn sha256(from: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut from = BufReader::with_capacity(1 << 16, from);
    while let bytes @ [_, ..] = from.fill_buf()? {
        hash.update(bytes);
        let read = bytes.len();
        from.consume(read);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The name of a file, without folders.
pub fn named(path: &Path) -> FileFacts {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    FileFacts { name, ..FileFacts::default() }
}

/// Name and SHA-256 of a file; none of a pipe, which can be read only once.
pub fn file_facts(path: &Path) -> FileFacts {
    let file = path.metadata().is_ok_and(|meta| meta.is_file());
    let sha256 = file.then(|| std::fs::File::open(path).and_then(sha256).ok()).flatten();
    FileFacts { sha256, ..named(path) }
}

/// Name, rows and SHA-256 of a release that is written, and may have no name yet.
pub(crate) fn release_facts(file: &Destination, rows: usize) -> Result<FileFacts, Error> {
    let hash = sha256(file.reopened()?).map_err(|e| Error::write(file.name(), e))?;
    Ok(FileFacts { rows: Some(rows), sha256: Some(hash), ..named(file.name()) })
}

impl Facts {
    /// What is told of its files: the input has so many rows, if that is known.
    fn about(mut self, options: &ReportOptions<'_>, rows: Option<usize>) -> Self {
        self.command = options.command.clone();
        self.input = options.input.clone().map(|file| FileFacts { rows: rows.or(file.rows), ..file });
        self.release = options.release.clone();
        self
    }

    /// Of a verification; with the original also of the risk before, and of utility. The release must have been
    /// read whole.
    pub fn of_verify(
        report: &VerifyReport,
        published: &Published,
        original: Option<&Table>,
        policy: &Policy,
        lookup: &Lookup,
        options: &ReportOptions<'_>,
    ) -> Result<Self, Error> {
        let mut facts = Self::new("verify", policy, original).about(options, None);
        if let Some(release) = &mut facts.release {
            release.rows = Some(report.rows);
        }
        facts.verify = Some(report.clone());
        // Which rows are withheld the release does not show: then nothing is said of the original.
        let whole = report.truth.as_ref().is_some_and(|truth| truth.holds && truth.withheld_rows == 0);
        facts.compare(published, original.filter(|_| whole), policy, lookup, options, None)?;
        Ok(facts.shown())
    }

    /// Of risk alone.
    pub fn of_risk(report: &RiskReport, policy: &Policy, options: &ReportOptions<'_>) -> Self {
        let mut facts = Self::new("risk", policy, None).about(options, Some(report.rows));
        facts.after = Some(report.clone());
        facts.shown()
    }

    /// Of a certificate.
    pub fn of_certify(
        report: &CertifyReport,
        table: &Table,
        policy: &Policy,
        options: &ReportOptions<'_>,
    ) -> Self {
        let mut facts = Self::new("certify", policy, Some(table)).about(options, Some(table.rows()));
        facts.certify = Some(report.clone());
        facts.shown()
    }

    /// The risk of the release, and where the original is known its risk and what became of it.
    fn compare(
        &mut self,
        published: &Published,
        original: Option<&Table>,
        policy: &Policy,
        lookup: &Lookup,
        options: &ReportOptions<'_>,
        rows: Option<&[u32]>,
    ) -> Result<(), Error> {
        let linked = original.filter(|_| !policy.per_group);
        let mut of_release = RiskOptions { original: linked, lookup: lookup.clone(), ..options.risk.clone() };
        if original.is_some() {
            // Columns that single people out are those of the table before.
            of_release.subset_columns = 1;
        }
        let mut after = match &self.anonymize {
            // What ends tell was measured already.
            Some(report) => {
                let published = published.clone().with_lookup(lookup.clone());
                let mut risk = risk_beside_ends(&published, policy, &of_release)?;
                (risk.values_told, risk.singled_out) = (report.values_told, report.singled_out);
                risk
            }
            None => risk(published.clone(), policy, &of_release)?,
        };
        after.notes.clear();
        if let Some(original) = original {
            // Columns that are published on a level are compared as they are published.
            let original = &*recoded(original, policy)?;
            let table = Published::of_table(original, published.call());
            let of_table = RiskOptions { original: None, ..options.risk.clone() };
            // Before is counted as after is: in rows, where the release does not tell whom they are about.
            let by_row = (after.unit == Unit::Rows).then(|| without_persons(policy));
            self.before = Some(risk(table, by_row.as_ref().unwrap_or(policy), &of_table)?);
            let usefulness = UtilityOptions {
                target: options.target.clone(),
                rows,
                lookup: lookup.clone(),
                seed: self.seed.unwrap_or(0),
            };
            self.utility = Some(utility(published.clone(), original, policy, &usefulness)?);
        }
        self.after = Some(after);
        Ok(())
    }
}

impl Anonymized {
    /// What a report states of this release. Its hash is added when it is saved.
    pub fn facts(&self, options: &ReportOptions<'_>) -> Result<Facts, Error> {
        self.facts_of(self.read_whole()?, options)
    }

    /// The same, of the release as it was read, whole.
    pub(crate) fn facts_of(
        &self,
        mut published: Published,
        options: &ReportOptions<'_>,
    ) -> Result<Facts, Error> {
        let released = Released::of(self);
        let (table, policy) = (released.table.as_ref(), released.policy.as_ref());
        let mut facts = Facts::new("anonymize", policy, Some(table));
        facts = facts.about(options, Some(self.contents.table.rows()));
        facts.seed = (!self.contents.options.secret_seed).then(|| self.seed());
        facts.anonymize = Some(released.report()?);
        let rows = (!policy.per_group).then_some(released.rows.as_slice());
        let person = policy.person_column().and_then(|name| table.column(name));
        if let (Some(person), Some(rows)) = (person, rows) {
            published =
                published.with_persons(rows.iter().map(|&row| person.codes()[row as usize]).collect());
        }
        facts.compare(&published, Some(table), policy, &self.contents.names()?, options, rows)?;
        if options.curve {
            let asked = Options { using: None, ..self.contents.options.clone() };
            facts.curve = loss_curve(table, policy, &asked)?;
        }
        Ok(facts.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_standard() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&b"abc"[..]).unwrap(), abc);
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(&b""[..]).unwrap(), empty);
    }
}
