//! What solvers of other crates may build on: groupings to start from, rows as records and back, patterns.

pub use crate::parts::patterns::Patterns;
pub use crate::solvers::initial::Initial;
pub use crate::solvers::stars::start as fewest_stars_start;
pub use crate::solvers::whole_rows::{found, grouping, supports_whole_rows};
