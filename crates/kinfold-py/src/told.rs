//! Reports on their way to Python: as JSON, as text, and as a picture where there is one.

use crate::error::in_python;
use kinfold::inspect::{Inspection, Proposal, draft_policy};
use kinfold::model::{Hint, Policy};
use kinfold::report::chart::bars::{self, Bar};
use kinfold::report::{
    AnonymizeReport, CertifyReport, CompareReport, Json, KeepableReport, RiskReport, VerifyReport,
    WhatIfReport, text,
};
use pyo3::prelude::*;

/// A report in every form.
#[pyclass(frozen, get_all, module = "kinfold._kinfold")]
pub struct Told {
    /// For machines.
    json: String,
    /// For people.
    text: String,
    /// What else the user should know.
    notes: Vec<String>,
    /// An SVG picture.
    chart: Option<String>,
    /// What comes with it: a policy that was drafted, a certificate.
    document: Option<String>,
}

impl Told {
    fn new(report: &impl Json, text: &str, notes: &[Hint]) -> Self {
        let notes = notes.iter().map(in_python).collect();
        Self {
            json: report.to_json().to_string(),
            text: text::plain(text),
            notes,
            chart: None,
            document: None,
        }
    }

    fn drawn(self, chart: String) -> Self {
        Self { chart: Some(chart), ..self }
    }

    /// The same, and something to keep with it.
    pub fn with(self, document: Option<String>) -> Self {
        Self { document, ..self }
    }

    pub fn anonymize(report: &AnonymizeReport) -> Self {
        let told = Self::new(report, &text::anonymize(report, ""), &report.notes);
        if report.columns.is_empty() {
            return told;
        }
        let bar = |column: &kinfold::report::ColumnLoss| Bar {
            name: column.column.clone(),
            value: column.loss,
            stands_out: false,
        };
        let bars: Vec<Bar> = report.columns.iter().map(bar).collect();
        told.drawn(bars::svg("Loss by quasi-identifier", &bars))
    }

    pub fn verify(report: &VerifyReport, policy: &Policy) -> Self {
        Self::new(report, &text::verify(report, policy), &[])
    }

    pub fn risk(report: &RiskReport) -> Self {
        Self::new(report, &text::risk(report), &report.notes)
    }

    pub fn inspect(found: &Inspection, missing: &[String]) -> Self {
        Self::new(found, &text::inspect(found, None), &[]).with(Some(draft_policy(found, missing)))
    }

    pub fn hierarchy(found: &Proposal) -> Self {
        Self::new(found, &text::hierarchy(found, &found.policy), &[]).with(Some(found.to_file()))
    }

    pub fn certify(report: &CertifyReport, certificate: Option<&str>) -> Self {
        let told = Self::new(report, &text::certify(report, None), &report.notes);
        told.with(certificate.map(str::to_owned))
    }

    pub fn compare(report: &CompareReport) -> Self {
        Self::new(report, &text::compare(report), &report.notes).drawn(report.chart())
    }

    pub fn keepable(report: &KeepableReport) -> Self {
        Self::new(report, &text::keepable(report), &report.notes)
    }

    pub fn whatif(report: &WhatIfReport) -> Self {
        Self::new(report, &text::whatif(report), &[]).drawn(report.chart())
    }
}
