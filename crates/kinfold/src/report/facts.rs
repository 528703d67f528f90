//! Everything that a report for people states: figures, names of columns, hashes; no cell of a table.

use super::{AnonymizeReport, CertifyReport, LossAtK, RiskReport, UtilityReport, VerifyReport};
use kinfold_model::kind::{Kind, infer};
use kinfold_model::policy::{ColumnPolicy, Form, Policy, ReportPolicy, Role};
use kinfold_model::requirement::Requirement;
use kinfold_model::table::Table;
use serde::Serialize;

/// What a report states. It is made by a call, and rendered by [`to_html`](super::to_html) or as JSON.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Facts {
    /// The call that it is about: anonymize, verify, risk or certify.
    pub call: &'static str,
    /// The version of this program.
    pub version: &'static str,
    /// How the call was made, if a command made it.
    pub command: Option<String>,
    /// What people say of the release.
    pub about: ReportPolicy,
    /// The policy.
    pub policy: PolicyFacts,
    /// The table that was read.
    pub input: Option<FileFacts>,
    /// The release.
    pub release: Option<FileFacts>,
    /// Where random choices started from.
    pub seed: Option<u64>,
    /// What came of the anonymization.
    pub anonymize: Option<AnonymizeReport>,
    /// What the verifier found.
    pub verify: Option<VerifyReport>,
    /// What was proven.
    pub certify: Option<CertifyReport>,
    /// The risk of the table before.
    pub before: Option<RiskReport>,
    /// The risk of the release, or of the table that was looked at.
    pub after: Option<RiskReport>,
    /// What the release is still good for.
    pub utility: Option<UtilityReport>,
    /// What releases for other ks would lose, at quick effort, if that was asked.
    pub curve: Vec<LossAtK>,
}

/// What is said of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FileFacts {
    /// Its name, without folders.
    pub name: String,
    /// Its rows.
    pub rows: Option<usize>,
    /// The SHA-256 of its bytes.
    pub sha256: Option<String>,
}

/// What is said of a policy.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct PolicyFacts {
    /// The least group size.
    pub k: u64,
    /// What is minimised.
    pub objective: &'static str,
    /// Whether values are coded group by group or once for all rows.
    pub recoding: &'static str,
    /// How groups are published.
    pub form: &'static str,
    /// The share of people that may be left out.
    pub withhold: f64,
    /// Privacy models, in the terms of the field.
    pub models: Vec<String>,
    /// Whether groups are counted in distinct persons.
    pub persons: bool,
    /// The name of its file, without folders.
    pub file: Option<String>,
    /// Every column that it speaks of.
    pub columns: Vec<ColumnFacts>,
}

/// What is said of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnFacts {
    /// Its name.
    pub column: String,
    /// Its role.
    pub role: &'static str,
    /// What its values are, if it is a quasi-identifier and that is known.
    pub kind: Option<&'static str>,
    /// What is done to it.
    pub technique: &'static str,
    /// The level that it is on in all rows: what it is called, or its number.
    pub level: Option<String>,
    /// What it loses, where loss is counted by cell.
    pub loss: Option<f64>,
}

impl Facts {
    pub(crate) fn new(call: &'static str, policy: &Policy, table: Option<&Table>) -> Self {
        Self {
            call,
            version: env!("CARGO_PKG_VERSION"),
            about: policy.report.clone(),
            policy: PolicyFacts::new(policy, table),
            ..Self::default()
        }
    }
}

impl PolicyFacts {
    fn new(policy: &Policy, table: Option<&Table>) -> Self {
        let mut models: Vec<String> = Vec::new();
        for (said, protection) in policy.sensitive() {
            models.extend(protection.models.iter().map(|(model, _)| model.on(0).words(&said.name)));
        }
        if let Some(presence) = &policy.presence {
            let min = kinfold_model::requirement::Decimal::default();
            models.push(Requirement::Presence { min, max: presence.at_most }.words(""));
        }
        Self {
            k: policy.k,
            objective: policy.objective.word(),
            recoding: policy.recoding.word(),
            form: policy.form.word(),
            withhold: policy.withhold,
            models,
            persons: policy.person_column().is_some(),
            file: policy
                .sources
                .file()
                .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())),
            columns: policy.columns.iter().map(|column| ColumnFacts::new(column, policy, table)).collect(),
        }
    }
}

impl ColumnFacts {
    fn new(said: &ColumnPolicy, policy: &Policy, table: Option<&Table>) -> Self {
        let kind = match &said.role {
            Role::Quasi(quasi) => quasi.kind.clone().or_else(|| {
                let column = table.and_then(|table| table.column(&said.name))?;
                Some(infer(column, policy.missing_in(&said.name)).kind)
            }),
            _ => None,
        };
        let level = match (&said.role, &said.recoded) {
            (Role::Quasi(quasi), _) => quasi.range.fixed().zip(kind.as_ref()),
            (_, recoded) => recoded.as_ref().filter(|r| r.level > 0).map(|r| (r.level, &r.kind)),
        };
        let level = level.map(|(level, kind)| kind.level_name(level).unwrap_or_else(|| level.to_string()));
        let technique = match &said.role {
            Role::Quasi(_) => technique(kind.as_ref(), policy, &said.name),
            _ if said.recoded.is_some() => "ends",
            role if role.published() => "unchanged",
            _ => "removed",
        };
        Self {
            column: said.name.clone(),
            role: said.role.word(),
            kind: kind.map(|kind| kind.word()),
            technique,
            level,
            loss: None,
        }
    }
}

fn technique(kind: Option<&Kind>, policy: &Policy, name: &str) -> &'static str {
    let ordered = kind.is_some_and(Kind::ordered);
    match policy.form {
        Form::Stars if policy.objective == kinfold_model::cost::Objective::Columns => "dropped",
        Form::Stars => "stars",
        Form::Centres => "centre",
        Form::Bounds if ordered => "bounds",
        Form::Midpoint if ordered => "midpoint",
        Form::Codes => "codes",
        Form::Wkt if policy.point_of(name).is_some() => "shape",
        Form::Ranges | Form::Bounds | Form::Midpoint | Form::Wkt => match kind {
            Some(kind) if kind.ordered() => "range",
            Some(Kind::Ladder(_)) => "level",
            Some(Kind::Hierarchy(_)) => "node",
            Some(Kind::Prefix(_)) => "prefix",
            Some(_) => "set",
            None => "other",
        },
    }
}
