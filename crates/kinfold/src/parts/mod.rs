//! Machinery that several solvers share.
//!
//! Rows that agree on all quasi-identifiers are copies of one **record**. Solvers that never part copies work on
//! records; the others take rows from a record one at a time.
//!
//! | question | files |
//! |---|---|
//! | which free record is cheapest to add, by looking at all? | `sweep.rs` (exact; 16-bit amounts for many columns) |
//! | the same without looking at all | `digest.rs` (records packed), `near.rs` (a tree over them), `neighbours.rs` |
//! | what does a group cost with a row more, fewer or exchanged? | `groups.rs`, in O(1); `growing.rs` for groups that only grow |
//! | in which order do records lie? | `order.rs`, `sorting.rs`; a **place** is a number in the order of the tree's leaves |
//! | where is a sorted list cut best? | `cut.rs` |
//! | which patterns do k people match, where cells are only blanked out? | `patterns.rs`, `looks.rs` |
//! | what about rows and groups that fall short? | `leftovers.rs`, `mend.rs`, `closing.rs` |
//! | how are groups counted without gaps? | `numbering.rs` |

pub(crate) mod closing;
pub(crate) mod cut;
pub(crate) mod digest;
pub(crate) mod groups;
pub(crate) mod growing;
pub(crate) mod leftovers;
pub(crate) mod looks;
pub(crate) mod mend;
pub(crate) mod near;
pub(crate) mod neighbours;
pub(crate) mod numbering;
pub(crate) mod order;
pub(crate) mod patterns;
pub(crate) mod random;
pub(crate) mod sorting;
pub(crate) mod sweep;
