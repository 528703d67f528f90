//! What only people know of a release: what it is for, who answers for it. It goes into the report as it is.

use serde::Serialize;

/// What a policy says for the report; what it does not say is left to fill in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ReportPolicy {
    /// What the release is for.
    pub purpose: Option<String>,
    /// Who gets it.
    pub recipient: Option<String>,
    /// Who answers for it.
    pub controller: Option<String>,
    /// On which legal basis.
    pub legal_basis: Option<String>,
    /// Whom to ask.
    pub contact: Option<String>,
    /// Which releases of the same people there were before.
    pub earlier_releases: Option<String>,
    /// When the decision is looked at again.
    pub review_date: Option<String>,
}

impl ReportPolicy {
    /// The place of what a key says.
    pub(super) fn slot(&mut self, key: &str) -> Option<&mut Option<String>> {
        Some(match key {
            "purpose" => &mut self.purpose,
            "recipient" => &mut self.recipient,
            "controller" => &mut self.controller,
            "legal_basis" => &mut self.legal_basis,
            "contact" => &mut self.contact,
            "earlier_releases" => &mut self.earlier_releases,
            "review_date" => &mut self.review_date,
            _ => return None,
        })
    }
}
