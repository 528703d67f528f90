//! What can be typed about the report for people.

use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct ReportArgs {
    /// Write a report to sign to this file: risk, utility, method and verification on one page, without a cell
    /// of the table
    #[arg(long, value_name = "FILE.html", help_heading = "Report")]
    pub report: Option<PathBuf>,
    /// Also write the figures of the report next to it, as FILE.json
    #[arg(long, requires = "report", help_heading = "Report")]
    pub report_json: bool,
    /// Language of the report
    #[arg(long, value_name = "CODE", value_enum, default_value_t = Language::En, help_heading = "Report")]
    pub language: Language,
}

/// What else can be said of the report on a release.
#[derive(Debug, ClapArgs)]
pub struct ReportRiskArgs {
    /// Column to predict by a model trained on the release, for the section on utility in the report
    #[arg(long, value_name = "COLUMN", requires = "report", help_heading = "Report")]
    pub target: Option<String>,
    /// Count people whose risk is above these values in the report [default: 0.2,0.09]
    #[arg(long, value_name = "RISKS", value_delimiter = ',', requires = "report", help_heading = "Report")]
    pub threshold: Vec<f64>,
    /// Number of people in the population that the table is a sample of: the report estimates the risk in it
    #[arg(
        long,
        value_name = "N",
        requires = "report",
        conflicts_with = "sampling_fraction",
        help_heading = "Report"
    )]
    pub population_size: Option<u64>,
    /// The same by the share of the population that is in the table, such as 0.05 or 5%
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "report", help_heading = "Report")]
    pub sampling_fraction: Option<f64>,
}

/// A share of 1, or in percent.
pub fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.trim().strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let number: f64 = number.trim().parse().map_err(|_| "write a share such as 0.05 or 5%".to_owned())?;
    Ok(number / unit)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// English
    En,
    /// German
    De,
}

impl From<Language> for kinfold::report::Language {
    fn from(typed: Language) -> Self {
        match typed {
            Language::En => Self::English,
            Language::De => Self::German,
        }
    }
}
