//! What can be typed after `kinfold utility`.

use super::{PolicyArgs, ReadArgs};
use clap::Args as ClapArgs;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  kinfold utility release.csv --original patients.csv --policy policy.toml
  kinfold utility release.csv --original patients.csv --policy policy.toml --target diagnosis";

#[derive(Debug, ClapArgs)]
pub struct UtilityArgs {
    /// Release: CSV (also .gz), Parquet or Arrow; - for standard input
    pub release: PathBuf,
    /// Table that the release was made from
    #[arg(long, value_name = "TABLE")]
    pub original: PathBuf,
    /// Column to predict from the quasi-identifiers, by a model trained on the release and on the original
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,
    /// Lookup file written by anonymize --lookup
    #[arg(long, value_name = "FILE")]
    pub lookup: Option<PathBuf>,
    /// Random seed of the range queries: same seed, same figures
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}
