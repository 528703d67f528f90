//! What solvers of other crates may build on: groupings to start from, rows as records and back, patterns, bins of
//! labels, prices of people.

pub use crate::bounds::boxes::Space;
pub use crate::bounds::master::Column;
pub use crate::bounds::price::Members;
pub use crate::parts::numbering::number;
pub use crate::parts::order::{ORDER, sorted_records_as_set};
pub use crate::parts::patterns::Patterns;
pub use crate::parts::random::Random;
pub use crate::solvers::clusters::cellular::{few_records, joined};
pub use crate::solvers::initial::Initial;
pub use crate::solvers::places::bins::{Bins, Items, best, fold, greedily, share_out, spread};
pub use crate::solvers::places::labels::{LABELS, Packed, labels_by, takes_labels};
pub use crate::solvers::places::{SHOWN_BY, people_per_label};
pub use crate::solvers::stars::start as fewest_stars_start;
pub use crate::solvers::whole_rows::{found, grouping, releases_everybody, supports_whole_rows};

use crate::bounds::lp::{PLAIN, Work, generate};
use crate::bounds::master::{Demand, solve};
use crate::bounds::nearest::way_to_company;
use crate::{Run, Stopped};
use kinfold_model::{Cost, Prices};

/// Proven prices by so many rounds of column generation, from a grouping and what it costs.
pub fn generated_prices(
    space: &Space<'_>,
    start: Vec<Members>,
    cost: Cost,
    rounds: usize,
    run: &Run,
) -> Result<Prices, Stopped> {
    let work = Work { rounds, ..PLAIN };
    generate(space, start, cost, work, run)
}

/// Prices by the way to the (k − 1)-th nearest other person, on this thread.
pub fn prices_of_nearest(space: &Space<'_>) -> Prices {
    let price = |record| way_to_company(space, record) as i64;
    Prices { of_record: (0..space.records()).map(price).collect(), per_group: 0, cuts: Vec::new() }
}

/// The dearest prices that these groups allow, if the linear program is solved. They are not proven.
pub fn prices_of_groups(space: &Space<'_>, groups: &[&Column]) -> Option<Prices> {
    let most = space.problem.people() / space.problem.k();
    let demand = Demand { people: &space.people, groups: most, cuts: &[] };
    Some(solve(space, &demand, groups, None)?.prices)
}
