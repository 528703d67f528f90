//! What can be typed after `kinfold risk`.

use super::{PolicyArgs, ReadArgs, ReportArgs};
use clap::Args as ClapArgs;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  kinfold risk patients.csv --quasi age,sex,zip:category --sensitive diagnosis
  kinfold risk patients.csv --policy policy.toml --sampling-fraction 5%
  kinfold risk release.csv --policy policy.toml --original patients.csv --population register.csv";

#[derive(Debug, ClapArgs)]
pub struct RiskArgs {
    /// Table or release: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Count people whose risk is above these values
    /// [default: 0.2,0.09, or the policy's]
    #[arg(long, value_name = "RISKS", value_delimiter = ',')]
    pub threshold: Vec<f64>,
    /// Number of people in the population that the table is a sample of
    #[arg(long, value_name = "N", conflicts_with = "sampling_fraction")]
    pub population_size: Option<u64>,
    /// Share of the population that is in the table, such as 0.05 or 5%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub sampling_fraction: Option<f64>,
    /// Table of the population: count who fits each class, instead of an estimate
    #[arg(long, value_name = "TABLE")]
    pub population: Option<PathBuf>,
    /// Original table of a release: which rows fit which person, and whom exact ends of ranges single out
    #[arg(long, value_name = "TABLE")]
    pub original: Option<PathBuf>,
    /// Lookup file written by anonymize --lookup
    #[arg(long, value_name = "FILE")]
    pub lookup: Option<PathBuf>,
    /// Examine all sets of up to this many quasi-identifiers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub sets: u8,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// A share of 1, or in percent.
fn share(text: &str) -> Result<f64, String> {
    kinfold::model::policy::share(text).ok_or_else(|| "write a share such as 0.05 or 5%".into())
}
