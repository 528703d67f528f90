//! What can be typed.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Publish a table about people so that every row looks like at least k − 1 others.
#[derive(Debug, Parser)]
#[command(name = "kinfold", version, styles = STYLES, propagate_version = true, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    /// Say nothing that is not asked for
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print a machine-readable summary on standard output; messages go to standard error
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show columns, kinds, distinct values and how unique people are; draft a policy
    Inspect(InspectArgs),
    /// Group, publish and verify a table
    #[command(after_help = ANONYMIZE_EXAMPLES)]
    Anonymize(Box<AnonymizeArgs>),
    /// Judge a release from its bytes and the policy alone: exit 0 safe, 1 not safe, 2 could not tell
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(Box<VerifyArgs>),
    /// Prove how far a grouping can be from the best, write the proof down, or check one that was written
    #[command(after_help = CERTIFY_EXAMPLES)]
    Certify(Box<CertifyArgs>),
    /// Run several solvers on one table: loss and time, side by side
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Say what other settings would cost: k, withholding, columns dropped or weighed less
    #[command(after_help = WHATIF_EXAMPLES)]
    Whatif(Box<WhatIfArgs>),
    /// Draw pictures: how large groups become with k, and where a release puts people
    Plot(PlotArgs),
    /// List every solver: objective, promise, paper, limits
    Solvers(SolversArgs),
    /// Run the whole pipeline on a built-in example
    Demo,
    /// Write shell completions, the manual page, the policy's JSON schema, or tables to test solvers with
    Generate(GenerateArgs),
}

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
pub struct ReadArgs {
    /// Delimiter of text tables: , ; | or tab [default: sniffed]
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// Encoding of text tables, such as windows-1252 [default: UTF-8, or what a byte order mark says]
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub encoding: Option<String>,
    /// Refuse tables that need more memory than this
    #[arg(long, value_name = "SIZE", default_value = "4GiB", help_heading = "Reading", value_parser = memory)]
    pub max_memory: usize,
}

#[derive(Debug, ClapArgs)]
pub struct PolicyArgs {
    /// Policy file (TOML); flags win over it
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub policy: Option<PathBuf>,
    /// Quasi-identifiers: NAME[:KIND][*WEIGHT],… with KIND numeric, date, category, ordinal=LOW<…<HIGH,
    /// hierarchy=FILE or region=EDGES[+NODES]; LAT/LON:point
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Policy")]
    pub quasi: Vec<String>,
    /// Columns that name people by themselves: left out, and a release that holds one is not safe
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Policy")]
    pub identifier: Vec<String>,
    /// Column that says whom a row is about: left out; k counts distinct persons
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', help_heading = "Policy")]
    pub person: Vec<String>,
    /// Columns to protect: published as they are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Policy")]
    pub sensitive: Vec<String>,
    /// Diversity of a sensitive column in every group: NAME=L distinct values, NAME=entropy:L or
    /// NAME=recursive:C:L
    #[arg(long, value_name = "MODELS", value_delimiter = ',', help_heading = "Privacy models")]
    pub diversity: Vec<String>,
    /// How far the distribution of a sensitive column in a group may be from the table's: NAME=T,
    /// NAME=T:ordered or NAME=T:hierarchy[=FILE]
    #[arg(long, value_name = "MODELS", value_delimiter = ',', help_heading = "Privacy models")]
    pub closeness: Vec<String>,
    /// By how much a sensitive value may be more frequent in a group than in the table: NAME=BETA or
    /// NAME=BETA:enhanced
    #[arg(long, value_name = "MODELS", value_delimiter = ',', help_heading = "Privacy models")]
    pub likeness: Vec<String>,
    /// What |ln(q / p)| must stay below for the shares q and p of a sensitive value in a group and in the
    /// table: NAME=DELTA
    #[arg(long, value_name = "MODELS", value_delimiter = ',', help_heading = "Privacy models")]
    pub disclosure: Vec<String>,
    /// Columns published as they are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Policy")]
    pub keep: Vec<String>,
    /// Columns left out
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Policy")]
    pub drop: Vec<String>,
    /// Leave out all columns that have no role
    #[arg(long, help_heading = "Policy")]
    pub drop_rest: bool,
    /// Kept or sensitive columns to publish although they seem to identify people
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Policy")]
    pub acknowledge: Vec<String>,
    /// Column that says how many people a row stands for
    #[arg(long, value_name = "COLUMN", help_heading = "Policy")]
    pub count: Option<String>,
    /// Lowest and highest value that could occur: NAME=LOW..HIGH
    #[arg(long, value_name = "DOMAIN", value_delimiter = ',', help_heading = "Policy")]
    pub domain: Vec<String>,
    /// Texts that stand for a missing value [default: empty, NA, NaN, null, ?]
    #[arg(
        long,
        value_name = "TEXTS",
        value_delimiter = ',',
        help_heading = "Policy",
        allow_hyphen_values = true
    )]
    pub missing: Option<Vec<String>>,
    /// What is to be small: ncp (width of what is published), stars (blanked cells), columns (dropped ones),
    /// radius (largest around a centre), cellular (everybody's radius), sse (squared error from the mean) or
    /// group-size (the largest group)
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub objective: Option<String>,
    /// Share of people that may be left out, such as 2%
    #[arg(long, value_name = "SHARE", help_heading = "Policy")]
    pub withhold: Option<String>,
    /// How groups are published: ranges, bounds, wkt for points, stars with objectives that blank out, or
    /// centres with those that make clusters [default: what goes with the objective]
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub form: Option<String>,
    /// A release of centres has one line per group, with how often each value of the other columns occurs
    #[arg(long, help_heading = "Policy")]
    pub per_group: bool,
    /// Every group of a release of centres tells the largest radius of all, not its own
    #[arg(long, help_heading = "Policy")]
    pub one_radius: bool,
    /// The most groups there may be (objective radius)
    #[arg(long, value_name = "N", help_heading = "Policy", allow_hyphen_values = true)]
    pub max_groups: Option<i64>,
    /// How the columns' distances make one: euclidean, manhattan or maximum (objectives that make clusters)
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub metric: Option<String>,
    /// What numbers are divided by before they are compared: range, sd, or given (see --unit)
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub scale: Option<String>,
    /// What makes a distance of 1 in a column: NAME=NUMBER; in days for dates, in kilometres for points
    #[arg(long, value_name = "UNITS", value_delimiter = ',', help_heading = "Policy")]
    pub unit: Vec<String>,
    /// Pairs of columns that are one point, in degrees: LATITUDE/LONGITUDE
    #[arg(long, value_name = "PAIRS", value_delimiter = ',', help_heading = "Policy")]
    pub points: Vec<String>,
    /// What a centre is: record, one of the table, or middle, that of the group where that is nearer (radius,
    /// cellular)
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub centre: Option<String>,
    /// What every group costs besides its people (objective cellular)
    #[arg(long, value_name = "COST", help_heading = "Policy", allow_hyphen_values = true)]
    pub setup: Option<f64>,
    /// A column that says what a group costs besides if this row is its centre (objective cellular); never
    /// published
    #[arg(long, value_name = "COLUMN", help_heading = "Policy")]
    pub setup_column: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct SolveArgs {
    /// Where random choices start from: same seed, same release
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Solving")]
    pub seed: u64,
    /// Threads; the release does not depend on it [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Solving", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
    /// How much work the release is worth: quick, normal or deep
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Effort::Normal, help_heading = "Solving")]
    pub effort: Effort,
    /// Take the best grouping found by then, such as 10s or 2m
    #[arg(long, value_name = "TIME", help_heading = "Solving", value_parser = duration)]
    pub time_limit: Option<std::time::Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// A good release at once
    Quick,
    /// A very good one, about a tenth of a millisecond per row
    Normal,
    /// The best, ten times as long
    Deep,
}

#[derive(Debug, ClapArgs)]
pub struct InspectArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Write a draft of a policy here
    #[arg(long, value_name = "FILE")]
    pub policy_out: Option<PathBuf>,
    /// Policy file (TOML): say which sensitive columns no privacy model protects
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Texts that stand for a missing value [default: empty, NA, NaN, null, ?]
    #[arg(long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct AnonymizeArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Least number of people in a group
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Where the release goes: .csv, .tsv, .csv.gz, .parquet or .arrow; - for standard output [default:
    /// nowhere, only a summary]
    #[arg(long, short, value_name = "RELEASE")]
    pub output: Option<PathBuf>,
    /// Write the group number of every row here (empty: withheld). It links the release to the table: keep it
    /// to yourself
    #[arg(long, value_name = "FILE")]
    pub groups: Option<PathBuf>,
    /// Publish names in the place of sets of more than 8 labels, and write here (as CSV) what they stand for;
    /// publish both
    #[arg(long, value_name = "FILE", requires = "output")]
    pub lookup: Option<PathBuf>,
    /// Write what was learned from the table (domains, labels, scales) here, as JSON, to be used for later
    /// tables
    #[arg(long, value_name = "FILE")]
    pub frame: Option<PathBuf>,
    /// Use the domains, labels and scales of an earlier table, as --frame wrote them: losses can be compared
    #[arg(long, value_name = "FRAME")]
    pub using: Option<PathBuf>,
    /// Put the rows in random order, so that their place in the table says nothing
    #[arg(long)]
    pub shuffle: bool,
    /// Replace files that exist already
    #[arg(long)]
    pub force: bool,
    /// Solver: auto, or one of `kinfold solvers`, with settings as NAME:key=value
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Solving")]
    pub solver: String,
    /// How good a bound on the loss of any release to prove: none, quick or lp (which takes as long as
    /// --time-limit leaves)
    #[arg(long, value_name = "STRENGTH", value_enum, default_value_t = Strength::Quick, help_heading = "Solving")]
    pub bound: Strength,
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
    /// Least number of people in a group
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Write the proof here: prices per record and the group of every row, no values. Keep it to yourself,
    /// like a groups file
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pub certificate: Option<PathBuf>,
    /// Check the proof in this file against the table and the policy: exit 0 if it holds, 1 if not
    #[arg(long, value_name = "FILE", conflicts_with_all = ["groups", "solver"])]
    pub check: Option<PathBuf>,
    /// Then solve neighbouring groups anew, region by region, for a better grouping as long as the time limit
    /// allows
    #[arg(long, conflicts_with = "check")]
    pub improve: bool,
    /// Certify the grouping in this file, as anonymize --groups writes it [default: the best that is found]
    #[arg(long, value_name = "FILE")]
    pub groups: Option<PathBuf>,
    /// Solver: auto, or one of `kinfold solvers`, with settings as NAME:key=value
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        conflicts_with = "groups",
        help_heading = "Solving"
    )]
    pub solver: String,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub solve: SolveArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strength {
    /// No bound
    None,
    /// What takes no time beside the grouping
    Quick,
    /// The linear program
    Lp,
}

#[derive(Debug, ClapArgs)]
pub struct VerifyArgs {
    /// Release: CSV (also .gz), Parquet or Arrow; - for standard input
    pub release: PathBuf,
    /// Least number of people in a group
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Also compare with the table it was made from: does every cell tell the truth, is no row lost or
    /// invented?
    #[arg(long, value_name = "TABLE")]
    pub original: Option<PathBuf>,
    /// What names in the release stand for, as anonymize --lookup writes it
    #[arg(long, value_name = "FILE", requires = "original")]
    pub lookup: Option<PathBuf>,
    /// Delimiter of the original [default: sniffed]
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = delimiter)]
    pub original_delimiter: Option<u8>,
    /// Encoding of the original [default: UTF-8, or what a byte order mark says]
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub original_encoding: Option<String>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct CompareArgs {
    /// Table: CSV (also .gz), Parquet or Arrow; - for standard input
    pub table: PathBuf,
    /// Least numbers of people in a group, such as 3,5,10
    #[arg(
        short,
        value_name = "K,…",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Policy"
    )]
    pub k: Vec<i64>,
    /// Draw loss against CPU time here, as SVG: a panel for every k
    #[arg(long, value_name = "FILE.svg")]
    pub chart: Option<PathBuf>,
    /// Solvers to compare [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Solving")]
    pub solvers: Vec<String>,
    /// Efforts to compare, such as quick,deep: a solver that heeds it runs once with each [default: that of
    /// --effort]
    #[arg(
        long,
        value_name = "LEVELS",
        value_enum,
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
    /// Least number of people in a group
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Draw the losses here, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub chart: Option<PathBuf>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// Effort for every variant: quick, normal or deep
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Effort::Quick, help_heading = "Solving")]
    pub effort: Effort,
    /// Where random choices start from: same seed, same figures
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Solving")]
    pub seed: u64,
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
    /// The largest group of labels against k, for seven ways to group them, and how small it can be at best
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
    /// Where the picture goes; - for standard output
    #[arg(long, short, value_name = "FILE.svg")]
    pub output: PathBuf,
    /// The least k [default: as many people as have the commonest label]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..))]
    pub from: Option<u64>,
    /// The largest k [default: half of all people, so that there can be two groups]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..))]
    pub to: Option<u64>,
    /// How many values of k, evenly spaced: every one if there are no more
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(2..))]
    pub steps: u32,
    /// Where random orders start from: same seed, same picture
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Solving")]
    pub seed: u64,
    /// Threads; the picture does not depend on it [default: all cores]
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
    /// Least number of people in a group
    #[arg(short, value_name = "K", allow_hyphen_values = true, help_heading = "Policy")]
    pub k: Option<i64>,
    /// Where the map goes; - for standard output
    #[arg(long, short, value_name = "FILE.svg")]
    pub output: PathBuf,
    /// What names in the release stand for, as anonymize --lookup writes it
    #[arg(long, value_name = "FILE")]
    pub lookup: Option<PathBuf>,
    /// Put the points of the table on top. They are where people are: keep such a map to yourself
    #[arg(long, value_name = "TABLE")]
    pub original: Option<PathBuf>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, ClapArgs)]
pub struct SolversArgs {
    /// What each solver promises on which input, and the test that shows it, as a Markdown table
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
    /// A table whose best release is known, and its policy: to test solvers with
    #[command(after_help = INSTANCE_EXAMPLES)]
    Instance(InstanceArgs),
}

#[derive(Debug, ClapArgs)]
pub struct InstanceArgs {
    /// What the table is made from
    pub family: Family,
    /// Where the table goes, as CSV; its policy goes beside it, under the same name with .toml
    #[arg(long, short, value_name = "FILE.csv")]
    pub output: PathBuf,
    /// Vertices of the graph (even, up to 40), edges of the matching, or groups
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub size: usize,
    /// Least number of people in a group; vertex-cover is always for 7 [default: 7 for vertex-cover, else 5]
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u64).range(2..))]
    pub k: Option<u64>,
    /// Where random choices start from: same seed, same table
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Family {
    /// Objective stars, k = 7: the smallest vertex cover of a graph of three neighbours each
    VertexCover,
    /// Objective stars: a perfect matching of a hypergraph
    Matching,
    /// Objective columns: a perfect matching of a hypergraph
    Columns,
    /// Objective group-size: groups of exactly k people, cut into labels
    Labels,
    /// Objective group-size: points in rectangles of exactly k people
    Points,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" | "\t" => Ok(b'\t'),
        "," | ";" | "|" => Ok(text.as_bytes()[0]),
        _ => Err("use ',', ';', '|' or tab".into()),
    }
}

fn memory(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err("write a size such as 500MiB or 8GiB".into()),
    };
    let number: usize =
        digits.trim().parse().map_err(|_| "write a size such as 500MiB or 8GiB".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is more than any machine has".to_owned())
}

fn duration(text: &str) -> Result<std::time::Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 500ms, 10s, 2m or 1h".into()),
    };
    let number: f64 =
        digits.trim().parse().map_err(|_| "write a time such as 500ms, 10s, 2m or 1h".to_owned())?;
    std::time::Duration::try_from_secs_f64(number * unit).map_err(|_| "write a time such as 10s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn sizes_and_times() {
        assert_eq!(memory("8GiB"), Ok(8 << 30));
        assert_eq!(memory("100"), Ok(100));
        assert!(memory("lots").is_err() && memory("99999999999999GiB").is_err());
        assert_eq!(duration("1.5s"), Ok(std::time::Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(std::time::Duration::from_secs(120)));
        assert!(duration("soon").is_err() && duration("-1s").is_err());
    }
}
