//! What a policy says for the report: what only people know of a release, such as what it is for and who answers for
//! it, which goes into the report as it is; and what is to be worked out for it.

use super::Draft;
use super::keys::REPORT;
use super::toml::named;
use serde::Serialize;
use toml::de::DeTable;

/// What a policy says for the report; what it does not say is left to fill in.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
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
    /// In which language.
    #[serde(skip)]
    pub language: Language,
    /// The column that a model is to predict, for utility.
    #[serde(skip)]
    pub target: Option<String>,
    /// People at a risk above these are counted.
    #[serde(skip)]
    pub threshold: Option<Vec<f64>>,
    /// How many people the population has that the table is a sample of.
    #[serde(skip)]
    pub population_size: Option<u64>,
    /// The share of the population that is in the table.
    #[serde(skip)]
    pub sampling_fraction: Option<f64>,
    /// Whether the loss for other ks is shown.
    #[serde(skip)]
    pub curve: bool,
}

/// The languages of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Self] = &[Self::English, Self::German];

    /// Its code.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }
}

/// A share of 1, or in percent: `0.02` or `2%`.
pub fn share(text: &str) -> Option<f64> {
    match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse().ok().map(|percent: f64| percent / 100.0),
        None => text.trim().parse().ok(),
    }
}

impl Draft {
    pub(super) fn read_report(&mut self, table: &DeTable<'_>) {
        for (key, value) in self.shaped(table, REPORT, &[], "[report]") {
            let said = value.text();
            match key {
                "language" => {
                    self.report.language = named(Language::ALL, Language::code, &said).unwrap_or_default();
                }
                "threshold" => {
                    self.report.threshold = Some(value.texts.iter().filter_map(|t| t.parse().ok()).collect());
                }
                "population_size" => self.report.population_size = said.parse().ok(),
                "sampling_fraction" => self.report.sampling_fraction = share(&said).or(Some(f64::NAN)),
                "curve" => self.report.curve = value.on(),
                "purpose" => self.report.purpose = Some(said),
                "recipient" => self.report.recipient = Some(said),
                "controller" => self.report.controller = Some(said),
                "legal_basis" => self.report.legal_basis = Some(said),
                "contact" => self.report.contact = Some(said),
                "earlier_releases" => self.report.earlier_releases = Some(said),
                "review_date" => self.report.review_date = Some(said),
                _ => self.report.target = Some(said),
            }
        }
    }
}
