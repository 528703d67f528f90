//! What can be typed.

mod removed;
mod report;
mod risk;
mod utility;

use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand};
use kinfold::bounds::Strength;
use kinfold::inspect::Making;
use kinfold::model::table::Header;
use kinfold::{Effort, Seed, Word, duration, size};
use kinfold_papers::instances::Family;
pub use removed::instead;
pub use report::ReportArgs;
pub use risk::RiskArgs;
use std::path::PathBuf;
pub use utility::UtilityArgs;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Anonymize tables: publish microdata that is k-anonymous and loses little information.
#[derive(Debug, Parser)]
#[command(name = "kinfold", version, styles = STYLES, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    /// Print only errors and requested output
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print a machine-readable summary on standard output; messages go to standard error. Its figures
    /// are exact: keep them with the table
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Profile a table: kinds, distinct values, uniqueness; draft a policy
    Inspect(InspectArgs),
    /// Propose levels for a column: ever coarser codings, with a preview; write a hierarchy file
    #[command(after_help = HIERARCHY_EXAMPLES)]
    Hierarchy(HierarchyArgs),
    /// Anonymize a table: group the rows, write the release, verify it
    #[command(after_help = ANONYMIZE_EXAMPLES)]
    Anonymize(Box<AnonymizeArgs>),
    /// Check a release against a policy: exit code 0 safe, 1 not safe, 2 could not be checked
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(Box<VerifyArgs>),
    /// Estimate re-identification risk: three attackers, uniqueness, columns that single people out
    #[command(after_help = risk::EXAMPLES)]
    Risk(Box<RiskArgs>),
    /// Compare a release with its original: distributions, associations, range queries, a predictive model
    #[command(after_help = utility::EXAMPLES)]
    Utility(Box<UtilityArgs>),
    /// Prove a lower bound on the loss: write a certificate, or check one
    #[command(after_help = CERTIFY_EXAMPLES)]
    Certify(Box<CertifyArgs>),
    /// Compare solvers on one table: loss and time
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Say what other settings would cost: k, withholding, columns dropped or weighed less
    #[command(after_help = WHATIF_EXAMPLES)]
    Whatif(Box<WhatIfArgs>),
    /// Draw charts as SVG: group sizes against k, maps of a release
    Plot(PlotArgs),
    /// Open a page in the browser, on this machine only: set k, see what it costs, publish
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// List all solvers: objective, guarantee, paper, limits
    Solvers(SolversArgs),
    /// Run the whole pipeline on a built-in example
    Demo,
    /// Print shell completions, the manual page or the policy's JSON schema; write test tables
    Generate(GenerateArgs),
}

const HIERARCHY_EXAMPLES: &str = "\
Examples:
  kinfold hierarchy patients.csv --column age
  kinfold hierarchy patients.csv --column education --by frequent -o education.csv --policy-out levels.toml";

const ANONYMIZE_EXAMPLES: &str = "\
Examples:
  kinfold anonymize patients.csv -k 5 --quasi age,sex,zip:category --identifier name --sensitive diagnosis -o release.csv
  kinfold anonymize patients.parquet --policy policy.toml -o release.parquet
  zcat big.csv.gz | kinfold anonymize - --policy policy.toml -o release.csv.gz --solver mondrian";

const VERIFY_EXAMPLES: &str = "\
Examples:
  kinfold verify release.csv --policy policy.toml
  kinfold verify release.csv -k 5 --quasi age,sex,zip --identifier name
  kinfold verify release.csv --policy policy.toml --original patients.csv";

const CERTIFY_EXAMPLES: &str = "\
Examples:
  kinfold certify patients.csv --policy policy.toml --time-limit 5m --certificate proof.txt
  kinfold certify patients.csv --policy policy.toml --groups groups.csv
  kinfold certify patients.csv --policy policy.toml --check proof.txt";

const COMPARE_EXAMPLES: &str = "\
Examples:
  kinfold compare patients.csv --policy policy.toml -k 3,5,10
  kinfold compare patients.csv --policy policy.toml --solvers auto,k-member --efforts quick,normal,deep --chart frontier.svg";

const WHATIF_EXAMPLES: &str = "\
Examples:
  kinfold whatif patients.csv --policy policy.toml
  kinfold whatif patients.csv --policy policy.toml --chart whatif.svg";

const SERVE_EXAMPLES: &str = "\
Examples:
  kinfold serve
  kinfold serve patients.csv --policy policy.toml";

const PLOT_LABELS_EXAMPLES: &str = "\
Examples:
  kinfold plot labels names.csv --quasi name:category --count people -o sizes.svg
  kinfold plot labels names.csv --quasi name:category --count people -o - --from 2 --to 5000 --steps 5000 > sizes.svg";

const PLOT_MAP_EXAMPLES: &str = "\
Examples:
  kinfold plot map release.csv -k 50 --quasi lat/lon:point -o map.svg
  kinfold plot map release.csv --policy policy.toml --lookup areas.csv -o map.svg";

const INSTANCE_EXAMPLES: &str = "\
Examples:
  kinfold generate instance vertex-cover --size 12 --seed 1 -o cover.csv
  kinfold anonymize cover.csv --policy cover.toml -o release.csv";

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// Delimiter of text tables: , ; | or tab [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// Encoding of text tables, such as windows-1252 [default: UTF-8, or by byte order mark]
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<String>,
    /// Whether the first line of a text table names the columns [default: yes, unless it looks like data]
    #[arg(long, value_name = "yes|no", value_parser = word::<Header>())]
    pub header: Option<Header>,
    /// Refuse tables that need more memory than this
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = size)]
    pub max_memory: usize,
}

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// Policy file (TOML); flags override it
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Any key of the policy as TOML, such as 'columns.age.round = 5'. Can be given several times; see
    /// docs/policy.md
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Quasi-identifiers: NAME[:KIND][*WEIGHT],… or LAT/LON:point
    ///
    /// KIND is numeric[=comma], date[=%d/%m/%Y], category, prefix=3/1, ordinal=LOW<…<HIGH, hierarchy=FILE or
    /// region=EDGES[+NODES]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub quasi: Vec<String>,
    /// Direct identifiers: removed; a release that contains one is not safe
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub identifier: Vec<String>,
    /// Column that identifies the person a row is about: removed; k then counts distinct persons
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub person: Vec<String>,
    /// Sensitive columns: published unchanged; protect them with a privacy model
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub sensitive: Vec<String>,
    /// l-diversity of a sensitive column: NAME=L, NAME=entropy:L or NAME=recursive:C:L
    #[arg(long, value_name = "MODELS", value_delimiter = ',')]
    pub diversity: Vec<String>,
    /// t-closeness of a sensitive column: NAME=T, NAME=T:ordered or NAME=T:hierarchy[=FILE]
    #[arg(long, value_name = "MODELS", value_delimiter = ',')]
    pub closeness: Vec<String>,
    /// Columns published unchanged
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Columns to remove
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub drop: Vec<String>,
    /// Leave out all columns that have no role
    #[arg(long)]
    pub drop_rest: bool,
    /// Column with the number of people each row represents
    #[arg(long, value_name = "COLUMN")]
    pub count: Option<String>,
    /// Texts that mean a missing value [default: empty, NA, NaN, null, ?]
    #[arg(long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,
    /// What to minimise: ncp, stars, columns, radius, cellular, sse or group-size
    ///
    /// ncp is the normalized certainty penalty, stars counts suppressed cells, columns suppressed columns, radius is
    /// the largest cluster radius, cellular the sum of radii, sse the squared error from the mean, and group-size the
    /// largest group
    #[arg(long, value_name = "NAME")]
    pub objective: Option<String>,
    /// Whether values are coded group by group, or once for everybody: local or global [default: local]
    ///
    /// Under global recoding (full-domain generalization) every quasi-identifier is published at one level; columns
    /// without a hierarchy are published as they are, or not at all
    #[arg(long, value_name = "NAME")]
    pub recoding: Option<String>,
    /// Share of rows that may be left out (record suppression), such as 2%
    ///
    /// With a count column it is a share of people
    #[arg(long, value_name = "SHARE")]
    pub withhold: Option<String>,
    /// Form of the release: ranges, bounds, midpoint, codes, wkt, stars or centres [default: by objective]
    ///
    /// bounds and midpoint (middle and width) have two columns, codes a label per group and a lookup file, wkt is for
    /// points, stars for objectives stars and columns, centres for objectives radius, cellular and sse
    #[arg(long, value_name = "NAME")]
    pub form: Option<String>,
    /// Round the ends of ranges outward, so that they are nobody's value
    ///
    /// The step is chosen from the data, or given for a column with --set 'columns.NAME.round = 5'
    #[arg(long)]
    pub blunt: bool,
}

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Solving")]
pub struct SolveArgs {
    /// Random seed: same seed, same release. secret draws one, and tells it in the --record of anonymize alone
    #[arg(long, value_name = "N|secret", default_value = "0", value_parser = Seed::parse)]
    pub seed: Seed,
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
    /// Search effort: more effort takes longer and loses less information
    #[arg(long, value_name = "LEVEL", value_parser = word::<Effort>(), default_value = "normal")]
    pub effort: Effort,
    /// Stop after this time and use the best grouping found, such as 10s or 2m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<std::time::Duration>,
}

#[derive(Debug, ClapArgs)]
pub struct InspectArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Write a draft policy to this file
    #[arg(long, value_name = "FILE")]
    pub policy_out: Option<PathBuf>,
    /// Policy file (TOML): list sensitive columns without a privacy model
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Texts that mean a missing value [default: empty, NA, NaN, null, ?]
    #[arg(long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct HierarchyArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Column to propose levels for
    #[arg(long, short, value_name = "NAME")]
    pub column: String,
    /// How levels are made [default: by what the values are]
    #[arg(long, value_name = "HOW", value_parser = word::<Making>())]
    pub by: Option<Making>,
    /// Write the levels to this file, as a hierarchy in ARX's format; it holds all values of the column
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write what a policy says of the column to this file
    #[arg(long, value_name = "FILE")]
    pub policy_out: Option<PathBuf>,
    /// Texts that mean a missing value [default: empty, NA, NaN, null, ?]
    #[arg(long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct ServeArgs {
    /// Table to open: CSV (also .gz), Parquet or Arrow [default: chosen on the page]
    pub table: Option<PathBuf>,
    /// Policy file (TOML) to start with
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Port on 127.0.0.1; 0 takes any free port
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Print the address but do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// End sessions that were not used for this time
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    pub idle: std::time::Duration,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct AnonymizeArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Minimum number of rows in a group (equivalence class); of people, with a count column
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Output file: .csv, .tsv, .csv.gz, .parquet or .arrow; - for standard output [default: summary only]
    #[arg(long, short, value_name = "RELEASE")]
    pub output: Option<PathBuf>,
    /// Write the group number of every row (empty: withheld). Confidential
    ///
    /// It links the release to the table
    #[arg(long, value_name = "FILE")]
    pub groups: Option<PathBuf>,
    /// Publish short names for long sets of labels (or codes), and write their meaning here
    ///
    /// Sets of more than 8 labels get names; with --form codes, every group does. The CSV file is part of the release
    #[arg(long, value_name = "FILE", requires = "output")]
    pub lookup: Option<PathBuf>,
    /// Write what every value is published as (CSV), for columns that are coded once. Confidential
    ///
    /// Under global recoding, of columns with a level, and of sensitive and kept columns on a level: column, value, published
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Save the domains, labels, scales and levels of this table (JSON) for later tables. Confidential
    #[arg(long, value_name = "FILE")]
    pub frame: Option<PathBuf>,
    /// Write what it takes to make the release again (JSON): version, options, the seed. Confidential
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Use what --frame saved: the same scales and the same levels, so that releases can be compared
    #[arg(long, value_name = "FRAME")]
    pub using: Option<PathBuf>,
    /// An earlier release about the same people: report who is left where it is laid over the new one
    ///
    /// It must be under the same policy. Can be given several times
    #[arg(long, value_name = "OLD_RELEASE")]
    pub after: Vec<PathBuf>,
    /// What --groups wrote with the release of --after: which row was whose is known then. Confidential
    ///
    /// The table must have the rows of that time in their order, or the file a column before its groups, named like
    /// one of the table, that tells rows apart. Give it for every --after, in their order
    #[arg(long, value_name = "FILE")]
    pub after_groups: Vec<PathBuf>,
    /// Leave at least k people in every intersection with the releases of --after, or write nothing
    #[arg(long)]
    pub refuse: bool,
    /// With --refuse, how many people may count as new: in none of the groups of a release of --after [default: 0]
    #[arg(long, value_name = "N")]
    pub new_people: Option<u64>,
    /// Anonymize the table in N pieces, one by one, for tables larger than memory
    ///
    /// Done by itself where --max-memory would be exceeded
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub pieces: Option<u32>,
    /// Write the rows in the order of the table
    ///
    /// By default they are sorted by what is published, so that their position reveals nothing
    #[arg(long)]
    pub keep_order: bool,
    /// Replace files that exist already
    #[arg(long)]
    pub force: bool,
    /// Solver: auto, or a name from `kinfold solvers`, with settings as NAME:key=value
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Solving")]
    pub solver: String,
    /// Lower bound on the loss to prove
    #[arg(long, value_name = "STRENGTH", value_parser = word::<Strength>(), default_value = "quick", help_heading = "Solving")]
    pub bound: Strength,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub solve: SolveArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct CertifyArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Minimum number of rows in a group (equivalence class); of people, with a count column
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Write the certificate to this file: prices per record and the group of every row, no values.
    /// Confidential, like a groups file
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pub certificate: Option<PathBuf>,
    /// Check this certificate against the table and the policy: exit code 0 if it holds, 1 if not
    #[arg(long, value_name = "FILE", conflicts_with_all = ["groups", "solver"])]
    pub check: Option<PathBuf>,
    /// Search for a better grouping with the help of the proof, within the time limit
    #[arg(long, conflicts_with = "check")]
    pub improve: bool,
    /// Certify the grouping in this file, written by anonymize --groups [default: run the solver]
    #[arg(long, value_name = "FILE")]
    pub groups: Option<PathBuf>,
    /// Solver: auto, or a name from `kinfold solvers`, with settings as NAME:key=value
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        conflicts_with = "groups",
        help_heading = "Solving"
    )]
    pub solver: String,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub solve: SolveArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct VerifyArgs {
    /// Release: CSV (also .gz), Parquet or Arrow; - for standard input
    pub release: PathBuf,
    /// Minimum number of rows in a group (equivalence class); of people, with a count column
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Also compare with the original table: every cell must cover the original value, no row may be lost or
    /// invented
    #[arg(long, value_name = "TABLE")]
    pub original: Option<PathBuf>,
    /// Lookup file written by anonymize --lookup
    #[arg(long, value_name = "FILE")]
    pub lookup: Option<PathBuf>,
    /// Without a policy file: allow columns without a role that seem to identify people or to publish a
    /// quasi-identifier a second time
    #[arg(long)]
    pub others_ok: bool,
    /// Delimiter of the original [default: detected]
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = delimiter)]
    pub original_delimiter: Option<u8>,
    /// Encoding of the original [default: UTF-8, or by byte order mark]
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub original_encoding: Option<String>,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Whether the first line of the original names its columns [default: yes, unless it looks like data]
    #[arg(long, value_name = "yes|no", help_heading = "Reading", value_parser = word::<Header>())]
    pub original_header: Option<Header>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct CompareArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Minimum group sizes, such as 3,5,10
    #[arg(
        short,
        value_name = "K,…",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Policy"
    )]
    pub k: Vec<i64>,
    /// Draw loss against CPU time to this file, one panel per k
    #[arg(long, value_name = "FILE.svg")]
    pub chart: Option<PathBuf>,
    /// Solvers to compare [default: all but the methods of papers]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Solving")]
    pub solvers: Vec<String>,
    /// Efforts to compare, such as quick,deep; applies to solvers that use it [default: that of --effort]
    #[arg(
        long,
        value_name = "LEVELS",
        value_parser = word::<Effort>(),
        value_delimiter = ',',
        conflicts_with = "effort",
        help_heading = "Solving"
    )]
    pub efforts: Vec<Effort>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub solve: SolveArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct WhatIfArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Minimum number of rows in a group
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Draw the losses here, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub chart: Option<PathBuf>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// Effort for every variant: quick, normal or deep
    #[arg(long, value_name = "LEVEL", value_parser = word::<Effort>(), default_value = "quick", help_heading = "Solving")]
    pub effort: Effort,
    /// Where random choices start from: same seed, same figures
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Solving")]
    pub seed: u64,
    /// Stop after this time; settings that were not tried by then are left out
    #[arg(long, value_name = "TIME", default_value = "1m", help_heading = "Solving", value_parser = duration)]
    pub time_limit: std::time::Duration,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct PlotArgs {
    #[command(subcommand)]
    pub what: Plotted,
}

#[derive(Debug, Subcommand)]
pub enum Plotted {
    /// Size of the largest group of labels against k, for seven methods, with the lower bound
    #[command(after_help = PLOT_LABELS_EXAMPLES)]
    Labels(Box<PlotLabelsArgs>),
    /// A map of a release: rectangles around points, or areas of regions
    #[command(after_help = PLOT_MAP_EXAMPLES)]
    Map(Box<PlotMapArgs>),
}

#[derive(Debug, ClapArgs)]
pub struct PlotLabelsArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Output file; - for standard output
    #[arg(long, short, value_name = "FILE.svg")]
    pub output: PathBuf,
    /// Smallest k [default: size of the most frequent label]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..))]
    pub from: Option<u64>,
    /// Largest k [default: half the size of the table]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..))]
    pub to: Option<u64>,
    /// Number of values of k, evenly spaced
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(2..))]
    pub steps: u32,
    /// Random seed: same seed, same picture
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Solving")]
    pub seed: u64,
    /// Number of threads; the picture does not depend on it [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Solving", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct PlotMapArgs {
    /// Release: CSV (also .gz), Parquet or Arrow; - for standard input
    pub release: PathBuf,
    /// Minimum number of rows in a group (equivalence class); of people, with a count column
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Output file; - for standard output
    #[arg(long, short, value_name = "FILE.svg")]
    pub output: PathBuf,
    /// Lookup file written by anonymize --lookup
    #[arg(long, value_name = "FILE")]
    pub lookup: Option<PathBuf>,
    /// Draw these lines below: GeoJSON (LineString, Polygon), or CSV of lon,lat with an empty line between lines
    #[arg(long, value_name = "FILE")]
    pub outline: Option<PathBuf>,
    /// Draw the points of the original table on top. Confidential: the picture shows where they are
    #[arg(long, value_name = "TABLE")]
    pub original: Option<PathBuf>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct SolversArgs {
    /// Print a Markdown table of each solver's guarantees by input, with the test that shows them
    #[arg(long)]
    pub promises: bool,
}

#[derive(Debug, ClapArgs)]
pub struct GenerateArgs {
    #[command(subcommand)]
    pub what: Artefact,
}

#[derive(Debug, Subcommand)]
pub enum Artefact {
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
    /// Completions for PowerShell
    Powershell,
    /// The manual page (roff)
    Man,
    /// The JSON schema of policy files
    Schema,
    /// A test table with a known optimum, and its policy
    #[command(after_help = INSTANCE_EXAMPLES)]
    Instance(InstanceArgs),
}

#[derive(Debug, ClapArgs)]
pub struct InstanceArgs {
    /// Family of test tables
    #[arg(value_parser = word::<Family>())]
    pub family: Family,
    /// Output file (CSV); the policy is written next to it with the extension .toml
    #[arg(long, short, value_name = "FILE.csv")]
    pub output: PathBuf,
    /// Vertices of the graph (even, up to 40), edges of the matching, or groups
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub size: usize,
    /// Minimum number of rows in a group; vertex-cover is always for 7 [default: 7 for vertex-cover, else 5]
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u64).range(2..))]
    pub k: Option<u64>,
    /// Random seed: same seed, same table
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" | "\t" => Ok(b'\t'),
        "," | ";" | "|" => Ok(text.as_bytes()[0]),
        _ => Err("use ',', ';', '|' or tab".into()),
    }
}

/// One of a few words, which the library knows.
fn word<T: Word + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let words = T::WORDS.iter().map(|(word, _, about)| PossibleValue::new(*word).help(*about));
    PossibleValuesParser::new(words).try_map(|word| T::named(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_help_of_anonymize_fits_two_screens() {
        let mut command = Args::command().term_width(100);
        command.build();
        let anonymize = command.find_subcommand_mut("anonymize").unwrap();
        let flags = anonymize.get_arguments().filter(|arg| !arg.is_positional()).count();
        let lines = anonymize.render_help().to_string().lines().count();
        assert!(flags <= 48 && lines <= 100, "{flags} flags, {lines} lines");
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }
}
