//! What a certificate proves.

use super::loss::{bound_sentence, loss_sentence};
use super::screen::{BAD, FAINT, GOOD, STRONG, count, seconds};
use crate::report::{CertifyReport, CertifyVerdict};
use std::path::Path;

/// What a certificate proves.
pub fn certify(report: &CertifyReport, file: Option<&Path>) -> String {
    let name = file.map(|f| f.display().to_string()).unwrap_or_default();
    let proven = match &report.verdict {
        CertifyVerdict::Proven(proven) => proven,
        CertifyVerdict::Refused { why, .. } => {
            return format!("{BAD}refused{BAD:#}  {name}\n  {why}\n");
        }
    };
    let headline =
        if proven.checked { format!("{GOOD}checked{GOOD:#}") } else { proven.lost.bound_kind.to_owned() };
    let name = if name.is_empty() { name } else { format!("  {STRONG}{name}{STRONG:#}") };
    let by = proven.solver.as_ref().map(|s| format!(", by {s}")).unwrap_or_default();
    let (rows, groups) = (count(proven.rows, "row", "rows"), count(proven.groups, "group", "groups"));
    let (k, took) = (proven.k, seconds(proven.seconds));
    let lost = loss_sentence(&proven.lost, proven.objective, proven.unit);
    let bound = bound_sentence(&proven.lost, proven.objective).unwrap_or_default();
    format!(
        "{headline}{name}\n\n  {rows} in {groups} (k = {k})\n  {lost}{by}\n  {bound}\n  {FAINT}{took}{FAINT:#}\n"
    )
}
