//! Requirements (privacy models): what every group must fulfil beyond holding k people.
//!
//! A group has people, distinct persons, and a histogram of every protected column. Below, `q` is the share
//! of a value in the group and `p` its share in the table.
//!
//! | requirement | fulfilled if | source |
//! |---|---|---|
//! | `People` | people ≥ k | Sweeney 2002 |
//! | `Persons` | distinct persons ≥ k | |
//! | `Distinct` | known values ≥ ℓ | Machanavajjhala et al. 2007 |
//! | `Entropy` | −Σ q ln q ≥ ln ℓ over known values | the same |
//! | `Recursive` | r₁ < c · (r_ℓ + … + r_m), counts of known values in descending order | the same |
//! | `Close` | earth mover's distance of q from p ≤ t | Li et al. 2007 |
//! | `Likeness` | (q − p) / p ≤ β for every value; enhanced: ≤ min(β, −ln p) | Cao & Karras 2012 |
//! | `Disclosure` | \|ln(q / p)\| < δ for every value of the table | Brickell & Shmatikov 2008 |
//! | `Presence` | min ≤ share of the group's population that is in the table ≤ max | Nergiz et al. 2007 |
//!
//! **Missing values.** Closeness, likeness and disclosure treat a missing value as a value of its own. It
//! is never one of the ℓ values of diversity: the three diversities look at the people whose value is
//! known.
//!
//! **Disclosure** compares every value of the table. If the group lacks one, the logarithm is infinite and
//! the group fails. (Some tools skip absent values. That variant is not closed under union.)
//!
//! **Union.** If two groups fulfil a requirement, so does their union, for all requirements but the lower
//! end of `Presence`. Distinct values and persons are never fewer in the union. Entropy is concave, a
//! distance from `p` is convex, and the bounds on `q` of likeness and disclosure hold for every mixture.
//! For `Recursive`, the tail of the union is at least the sum of both tails, and its r₁ at most the sum of
//! both. The share of `Presence` lies between both shares as long as the parts share no member of the
//! population; a wider box may cover more of it, which only lowers the share. Boxes that overlap do share
//! members, so presence is asked again after groups are merged ([`Presence`]). A table has a grouping that
//! fulfils everything else exactly if it does so as one group (`Requirements::check_possible`).
//!
//! **Two layers.** [`Group`] and `Requirements::holds` are the plain definition, which judges. [`Tally`]
//! is the same by running sums, for solvers. Both give the same answer on every group. Comparisons are in
//! exact integers. A logarithm that floats cannot tell from its threshold counts as not fulfilled; only
//! entropy can equal its threshold, and that case is decided exactly. (So the union of two groups just at
//! the threshold of entropy may fail if it is above by less than one part in 10¹³.)

mod closeness;
mod decimal;
mod guard;
mod histogram;
mod likeness;
mod logarithm;
mod occurrences;
mod plain;
mod points;
mod population;
mod presence;
mod protected;
mod reached;
mod requirements;
mod running;
mod tally;
#[cfg(test)]
mod tests;
mod words;

pub use decimal::Decimal;
pub use guard::{Guard, GuardedColumn};
pub(crate) use occurrences::members_of;
pub use occurrences::{Guessed, Occurrences};
pub use plain::Group;
pub(crate) use points::{Points, Runs, runs_of};
pub(crate) use population::{NOWHERE, Population};
pub use presence::{Hull, Presence};
pub use protected::{Leaves, Protected};
pub use reached::ReachedColumn;
pub use requirements::{RequirementError, Requirements, Whole};
pub use tally::Tally;

/// What every group must fulfil. `column` is the position of a protected column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Requirement {
    /// So many people (k-anonymity).
    People(u64),
    /// So many distinct persons; one person may have several rows.
    Persons(u64),
    /// So many distinct known values (distinct ℓ-diversity).
    Distinct { column: usize, l: u32 },
    /// Entropy of the known values of at least ln ℓ (entropy ℓ-diversity).
    Entropy {
        column: usize,
        /// As diverse as this many equally frequent values.
        l: Decimal,
    },
    /// The commonest known value less than c times as frequent as all from the ℓ-th on together
    /// (recursive (c, ℓ)-diversity).
    Recursive {
        column: usize,
        c: Decimal,
        /// From which value on, counted by descending frequency, the rest begins.
        l: u32,
    },
    /// A distribution at most t away from the table's (t-closeness).
    Close {
        column: usize,
        /// The largest earth mover's distance, 0 to 1.
        t: Decimal,
        distance: Distance,
    },
    /// No value more frequent than in the table by more than a factor (β-likeness).
    Likeness {
        column: usize,
        /// The largest relative gain.
        beta: Decimal,
        /// Whether −ln p limits the gain, too.
        enhanced: bool,
    },
    /// Every value about as frequent as in the table (δ-disclosure privacy).
    Disclosure {
        column: usize,
        /// What |ln(q / p)| must stay below.
        delta: Decimal,
    },
    /// A bounded share of the population that fits the group is in the table (δ-presence). Members of the
    /// population that fit no group have share 0; with `min` above 0, whoever matches the population must
    /// see that there are none.
    Presence { min: Decimal, max: Decimal },
}

impl Requirement {
    /// Whether groups are compared with the distribution of all that is released.
    pub fn mirrors_release(&self) -> bool {
        matches!(self, Self::Close { .. } | Self::Likeness { .. } | Self::Disclosure { .. })
    }

    /// The protected column that it is about.
    pub(crate) fn column(&self) -> Option<usize> {
        match *self {
            Self::People(_) | Self::Persons(_) | Self::Presence { .. } => None,
            Self::Distinct { column, .. }
            | Self::Entropy { column, .. }
            | Self::Recursive { column, .. }
            | Self::Close { column, .. }
            | Self::Likeness { column, .. }
            | Self::Disclosure { column, .. } => Some(column),
        }
    }
}

/// How far apart two values of a protected column are, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Distance {
    /// Any two values: 1.
    Equal,
    /// Difference of their ranks, over the largest such difference.
    Ordered,
    /// Height of their lowest common node, over the height of the tree.
    Tree,
}

/// A row as requirements see it. Its values come from `Requirements::values`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// How many people it stands for; a row of nobody is not there.
    pub size: u64,
    /// Whom it is about; ignored if the table has no column for that.
    pub person: u32,
    /// Its value in every protected column.
    pub values: &'a [u32],
}
