//! What can be typed about the report for people; the policy's `[report]` says the rest.

use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Write a report to sign to this file, without a cell of the table
    ///
    /// It has risk, utility, method and verification on one page. The policy's [report] says more: --set
    /// 'report.language = "de"'
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Also write the figures of the report next to it, as FILE.json
    #[arg(long, requires = "report")]
    pub report_json: bool,
}
