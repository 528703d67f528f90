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
