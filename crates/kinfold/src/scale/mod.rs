//! Tables that are too large to be grouped as a whole: they are cut into pieces, each is anonymized on the scale
//! of the whole table, and the releases of the pieces together are one release.
//!
//! Three passes over the rows. The **census** learns what all pieces must know. The rows are **cut** into parts
//! and tallied; parts that cannot fulfil the policy alone are joined. Each piece is **anonymized**. What has been
//! written is verified as a whole. The same steps serve one machine, where pieces wait in a temporary
//! file ([`anonymize_in_pieces`]), and several, where something else moves the rows.
//!
//! Everything that is counted of a part adds up, whatever the parts and their order: census, tallies, figures and
//! verdict. So one machine and Spark take the same steps, and nothing but JSON travels between them.

mod census;
mod cut;
mod figures;
mod pairing;
mod plan;
mod run;
mod tally;

pub use census::Census;
pub use figures::Figures;
pub(crate) use figures::{chosen_levels, tight_loss};
pub use plan::{PIECE_ROWS, Piece, Pieces, Plan, refuse_unfit};
pub use run::anonymize_in_pieces;
pub(crate) use run::chunk_rows;
pub use tally::Tallies;
