//! What a release costs, as whole numbers.
//!
//! One cell of weight 1 that is lost entirely costs [`ONE`] units. Sums of integers do not depend
//! on the order of adding, so threads agree to the bit and "bound ≤ cost" is exact. The definitions
//! here are plain; fast running totals in solvers are tested to be equal to them.

mod clusters;
mod columns;
mod covers;
mod group_size;
mod ncp;

pub(crate) use clusters::clusters_cost;
pub use clusters::{MIDDLE, radius, sse};
pub use columns::{columns_cost, dropped};
pub(crate) use covers::Covers;
pub(crate) use group_size::overlapping;
pub use group_size::{even_share, least_largest, least_limit, most_groups, parted};
pub use ncp::{Cover, Rule, RuleKind, group_cost};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Units in one fully lost cell of weight 1.
pub const ONE: u64 = 1 << 32;

/// A loss in units of 1/[`ONE`] of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cost(pub u64);

impl Cost {
    /// Nothing lost.
    pub const ZERO: Self = Self(0);

    /// In cells, for people to read.
    pub fn cells(self) -> f64 {
        self.0 as f64 / ONE as f64
    }
}

impl Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4}", self.cells())
    }
}

/// What is minimised. Closed on purpose: solvers match on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// Normalized certainty penalty: the width of what is published, relative to its column.
    Ncp,
    /// Suppressed cells: a cell is the group's one value, or a star.
    Stars,
    /// Whole columns: a column is published as it is, or as nothing but stars.
    Columns,
    /// The largest radius of a group around its centre.
    Radius,
    /// The radius of its group for every person, and a set-up cost for every group.
    Cellular,
    /// Squared error: how far everybody is from the mean of the group, squared.
    Sse,
    /// The largest group; all rows of a record share one.
    GroupSize,
}

impl Objective {
    /// Every objective.
    pub const ALL: &'static [Self] =
        &[Self::Ncp, Self::Stars, Self::Columns, Self::Radius, Self::Cellular, Self::Sse, Self::GroupSize];

    /// Those under which every group pays for its own cells: solvers that take one take the other.
    pub const BY_CELL: &'static [Self] = &[Self::Ncp, Self::Stars];

    /// The word for it in policies, flags and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ncp => "ncp",
            Self::Stars => "stars",
            Self::Columns => "columns",
            Self::Radius => "radius",
            Self::Cellular => "cellular",
            Self::Sse => "sse",
            Self::GroupSize => "group-size",
        }
    }

    /// Whether groups are published by what is in their middle: rows are near or far, and nothing is
    /// generalized.
    pub fn clusters(self) -> bool {
        matches!(self, Self::Radius | Self::Cellular | Self::Sse)
    }

    /// Whether every group has a centre that is a record of the table.
    pub fn centred(self) -> bool {
        matches!(self, Self::Radius | Self::Cellular)
    }

    /// Whether a cell is either a value or a star: nothing is generalized.
    pub fn suppresses(self) -> bool {
        matches!(self, Self::Stars | Self::Columns)
    }
}
