//! Paper *optimize*: Split & Carry (Algorithm 1) in `split_carry.rs`, whose blocks `small.rs` solves, and the
//! mixed-integer program (section 2.2) in `milp.rs`.

#[cfg(feature = "exact")]
pub(crate) mod milp;
mod small;
pub(crate) mod split_carry;
