//! A policy: what each column is, how small a group may be, what loss means, how groups are published.
//!
//! It is TOML: of a file, of settings of a front end, or both (settings win). One reader (`toml.rs`) reads them
//! as one document (`source.rs`, `layers.rs`) with the one list of keys (`keys.rs`) into a [`Draft`], which
//! collects every mistake and reports them together.

mod clusters;
mod draft;
mod keys;
mod layers;
mod levels;
mod mistake;
mod new_names;
mod presence;
mod protection;
mod report;
mod rounding;
mod source;
mod spelled;
mod toml;

use crate::cost::Objective;
use crate::grid::Step;
use crate::kind::Kind;
use crate::ladder::Bands;
use crate::metric::{Combine, Scale};
use crate::recoding::Recoding;
use crate::unit::Unit;
use crate::world::Disk;
pub use draft::Draft;
pub use keys::json_schema;
pub use levels::{Range, Recoded};
pub use mistake::{Mistake, Mistakes, nearest};
pub use presence::PresencePolicy;
pub(crate) use protection::ORDERED;
pub use protection::{Model, Protection};
pub use report::{Language, ReportPolicy, share};
pub use source::{Place, Source, Sources, Spot};
use std::path::Path;
use std::sync::Arc;

/// What is to be done with a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// Minimum number of people in a group (equivalence class).
    pub k: u64,
    /// What is minimised.
    pub objective: Objective,
    /// The share of people that may be left out, 0 to 1.
    pub withhold: f64,
    /// Whether values are coded group by group, or once for everybody.
    pub recoding: Recoding,
    /// Texts that mean a missing value, but for columns that have their own: ask [`Policy::missing_in`].
    pub missing: Vec<String>,
    /// How groups are published.
    pub form: Form,
    /// Whether the ends of ranges are rounded, to grids that the data suggest where a column names none.
    pub blunt: bool,
    /// Whether a release of centres has one line per group instead of one per row.
    pub per_group: bool,
    /// Whether every group of a release of centres tells the largest radius of all.
    pub one_radius: bool,
    /// How far apart records are, for the objectives that make clusters.
    pub metric: MetricPolicy,
    /// The most groups there may be.
    pub max_groups: Option<u64>,
    /// How much of a population may be in a group.
    pub presence: Option<PresencePolicy>,
    /// How published cells are written.
    pub format: Format,
    /// What the report says of purpose and responsibility.
    pub report: ReportPolicy,
    /// What each column is.
    pub columns: Vec<ColumnPolicy>,
    /// Whether it means to name every column (a policy file does; settings for `verify` need not).
    pub complete: bool,
    /// The texts it came from, to show the lines that a mistake is in.
    pub sources: Sources,
}

/// What is said of distances between records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricPolicy {
    /// What numbers are divided by; by range when not said, under `sse` by standard deviation.
    pub scale: Option<Scale>,
    /// How the distances of columns are combined.
    pub combine: Option<Combine>,
    /// Pairs of columns that are latitude and longitude, in degrees.
    pub points: Vec<[String; 2]>,
    /// Whether the middle of a group may be its centre, besides records.
    pub middles: bool,
    /// What every group costs under `cellular`, besides its people.
    pub setup: Option<f64>,
}

/// The highest set-up cost.
pub(crate) const MOST_SETUP: f64 = 1e9;

/// What one column is.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPolicy {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Where the policy says so.
    pub place: Option<Place>,
    /// Whether it is published as it is though it seems to name people.
    pub acknowledged: bool,
    /// Texts that mean a missing value in this column, in place of the policy's.
    pub missing: Option<Vec<String>>,
    /// What a sensitive or kept column is published as in place of its cells.
    pub recoded: Option<Recoded>,
}

/// What part a column plays.
// A policy has few columns.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// Names a person by itself: left out, and a release that holds it is not safe.
    Identifier,
    /// Left out.
    Drop,
    /// Could name a person together with others: published in groups.
    Quasi(Quasi),
    /// Says whom a row is about: left out; groups must hold k distinct persons.
    Person,
    /// What is to be kept from being linked to a person: published as it is.
    Sensitive(Protection),
    /// Published as it is.
    Keep,
    /// How many people a row stands for: published as it is.
    Count,
    /// What a group costs whose centre is this row, under `cellular`: left out.
    Setup,
}

impl Role {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Drop => "drop",
            Self::Quasi(_) => "quasi",
            Self::Person => "person",
            Self::Sensitive(_) => "sensitive",
            Self::Keep => "keep",
            Self::Count => "count",
            Self::Setup => "setup",
        }
    }

    /// Whether the column may appear in a release.
    pub fn published(&self) -> bool {
        !matches!(self, Self::Identifier | Self::Drop | Self::Setup | Self::Person)
    }

    /// Whether the column must be read to make a release.
    pub fn needed(&self) -> bool {
        self.published() || matches!(self, Self::Setup | Self::Person)
    }
}

/// What is said of a quasi-identifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Quasi {
    /// What its values are; inferred when not said.
    pub kind: Option<Kind>,
    /// How much its loss counts.
    pub weight: f64,
    /// Lowest and highest value that could occur; the table's own when not said.
    pub domain: Option<Domain>,
    /// What makes a distance of 1 where the policy gives units.
    pub unit: Option<f64>,
    /// The column that makes a point together with this one: both axes are drawn to one scale.
    pub point_with: Option<String>,
    /// How the ends of its ranges are rounded, if it says.
    pub round: Option<Rounding>,
    /// Which of its levels may be published.
    pub range: Range,
    /// Where a line without levels is cut off.
    pub bands: Bands,
    /// Whether values that its hierarchy lacks are published at the root.
    pub unknown: bool,
}

/// How the ends of ranges are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// As they are, even if the policy asks for rounded ends in general.
    Exact,
    /// Rounded outward to cells of this width.
    To(Step),
}

/// The values that could occur in a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Domain {
    /// The lowest, as written.
    pub low: String,
    /// The highest, as written.
    pub high: String,
    /// Where the policy says so.
    pub place: Option<Place>,
}

impl Quasi {
    /// One of which nothing is said.
    const PLAIN: Self = Self {
        kind: None,
        weight: 1.0,
        domain: None,
        unit: None,
        point_with: None,
        round: None,
        range: Range::ALL,
        bands: Bands { top: None, bottom: None },
        unknown: false,
    };
}

impl Default for Quasi {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// How groups are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// One column: `[35-37]`, `{a|b}`, a hierarchy node, `*`.
    #[default]
    Ranges,
    /// Ordered kinds as two columns, `NAME_min` and `NAME_max`; the others as in `ranges`.
    Bounds,
    /// Ordered kinds as two columns, `NAME` with the middle of the range and `NAME_width` with its width; the
    /// others as in `ranges`.
    Midpoint,
    /// One column, `group`, with a label; a lookup file says what the cells of every group are, as in `ranges`.
    Codes,
    /// The two coordinates of a point as one column of well-known text: `POLYGON ((…))`; the others as in
    /// `ranges`.
    Wkt,
    /// A cell says what it said, or `*`: for objectives that suppress. A star is a text like any other, equal
    /// to nothing but a star: the rows of a group have the same texts.
    Stars,
    /// What is in the middle of the group, how many people it holds, and how far the furthest is from the
    /// middle.
    Centres,
}

impl Form {
    /// Every form.
    pub const ALL: &'static [Self] =
        &[Self::Ranges, Self::Bounds, Self::Midpoint, Self::Codes, Self::Wkt, Self::Stars, Self::Centres];

    /// The forms that an objective can be published in, the usual one first.
    pub fn of(objective: Objective) -> &'static [Self] {
        match objective {
            Objective::Stars | Objective::Columns => &[Self::Stars],
            Objective::Radius | Objective::Cellular | Objective::Sse => &[Self::Centres],
            Objective::Ncp | Objective::GroupSize => {
                &[Self::Ranges, Self::Bounds, Self::Midpoint, Self::Codes, Self::Wkt]
            }
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ranges => "ranges",
            Self::Bounds => "bounds",
            Self::Midpoint => "midpoint",
            Self::Codes => "codes",
            Self::Wkt => "wkt",
            Self::Stars => "stars",
            Self::Centres => "centres",
        }
    }
}

/// The names of the two columns that stand for an ordered column in form `bounds`.
pub fn bound_names(name: &str) -> [String; 2] {
    [format!("{name}_min"), format!("{name}_max")]
}

/// The names of the two columns that stand for an ordered column in form `midpoint`.
pub fn midpoint_names(name: &str) -> [String; 2] {
    [name.to_owned(), format!("{name}_width")]
}

/// The column of labels in form `codes`.
pub const LABEL_COLUMN: &str = "group";

/// The name of the column that stands for a point in form `wkt`.
pub fn point_name(pair: &[String; 2]) -> String {
    pair.join("_")
}

/// The columns that a release of centres has besides: how many people a group holds, and its radius.
pub const GROUP_COLUMNS: [&str; 2] = ["group_size", "group_radius"];

/// How published cells are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// A range of numbers or levels; `{lo}` and `{hi}` stand for its ends.
    pub range: String,
    /// A range of dates.
    pub date_range: String,
    /// A set of labels: opening, separator, closing.
    pub set: [String; 3],
    /// A suppressed cell.
    pub star: String,
}

impl Default for Format {
    fn default() -> Self {
        Self {
            range: "[{lo}-{hi}]".into(),
            date_range: "[{lo}/{hi}]".into(),
            set: ["{".into(), "|".into(), "}".into()],
            star: "*".into(),
        }
    }
}

/// How a range of numbers is written where some are negative, unless the policy says how.
pub const SIGNED_RANGE: &str = "[{lo}..{hi}]";

/// What stands for a missing value unless the policy says otherwise.
pub fn default_missing() -> Vec<String> {
    ["", "NA", "NaN", "null", "?"].map(String::from).to_vec()
}

impl ColumnPolicy {
    /// Whether it is published for every row, and not in groups: as it is, or recoded.
    pub fn published_untouched(&self) -> bool {
        matches!(self.role, Role::Keep | Role::Sensitive(_))
    }

    /// The same, or how many people the row stands for.
    pub(crate) fn told_by_row(&self) -> bool {
        self.published_untouched() || self.role == Role::Count
    }

    /// The mistake of naming a column without an order among several, under objective `group-size`.
    pub(crate) fn unordered(&self, kind: &Kind) -> Mistake {
        let what = format!(
            "objective group-size takes one quasi-identifier, or several that are ordered: column {:?} is of kind {}",
            self.name,
            kind.word()
        );
        let hint =
            "name one column, or give this one an order (kind ordinal); objective ncp takes any columns";
        Mistake::new(what, self.place).hint(hint)
    }
}

impl Policy {
    /// Reads a policy file and the files that it names, to be joined with a table: `Policy::open("policy.toml")?.for_table(&table)?`.
    pub fn open(path: impl AsRef<Path>) -> Result<Draft, Mistakes> {
        Draft::open_in(Arc::new(Disk::default()), path.as_ref())
    }

    /// Reads the text of a policy, to be joined with a table. Files that it names are read from disk.
    ///
    /// ```
    /// use kinfold_model::{policy::Policy, table::Table};
    /// let table = Table::from_cells(&["age"], &[vec!["30"], vec!["31"]]).unwrap();
    /// let policy = Policy::parse("k = 2\ncolumns.age = 'quasi'").for_table(&table)?;
    /// assert_eq!(policy.quasi().count(), 1);
    /// # Ok::<(), kinfold_model::policy::Mistakes>(())
    /// ```
    pub fn parse(text: &str) -> Draft {
        Draft::from_toml(text, Path::new("policy"))
    }

    /// The texts that mean a missing value in a column: its own, or the policy's.
    pub fn missing_in(&self, name: &str) -> &[String] {
        let own = self.columns.iter().find(|c| c.name == name).and_then(|c| c.missing.as_ref());
        own.unwrap_or(&self.missing)
    }

    /// What is said of a column.
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.columns.iter().find(|c| c.name == name).map(|c| &c.role)
    }

    /// The quasi-identifiers, in the order of the policy.
    pub fn quasi(&self) -> impl Iterator<Item = (&ColumnPolicy, &Quasi)> {
        self.columns.iter().filter_map(|c| match &c.role {
            Role::Quasi(q) => Some((c, q)),
            _ => None,
        })
    }

    /// The two columns that are the point which a column is a coordinate of: latitude or y, longitude or x.
    pub fn point_of(&self, name: &str) -> Option<[String; 2]> {
        let Some(Role::Quasi(Quasi { point_with: Some(_), .. })) = self.role(name) else { return None };
        self.metric.points.iter().find(|pair| pair.iter().any(|n| n == name)).cloned()
    }

    /// The column that says how many people a row stands for.
    pub fn count_column(&self) -> Option<&str> {
        self.columns.iter().find(|c| c.role == Role::Count).map(|c| c.name.as_str())
    }

    /// What k and the sizes of groups are numbers of.
    pub fn unit(&self) -> Unit {
        Unit::counted(self.count_column().is_some())
    }

    /// The column of set-up costs, if there is one.
    pub(crate) fn setup_column(&self) -> Option<&str> {
        self.columns.iter().find(|c| c.role == Role::Setup).map(|c| c.name.as_str())
    }
}
