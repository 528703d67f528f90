//! Machinery that several solvers share.

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
pub(crate) mod order;
pub(crate) mod patterns;
pub(crate) mod random;
pub(crate) mod sorting;
pub(crate) mod sweep;
