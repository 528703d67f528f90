//! Areas: connected sets of regions of at least k people each, the largest as small as possible (paper *geo*,
//! section 2 and appendix A.1: greedy cuts of a low-degree spanning tree of the whole graph).

mod cut;
mod improve;
mod recombine;
mod spanning;

pub(crate) use cut::cut;
pub(crate) use improve::improve;
pub(crate) use spanning::SpanningTree;

#[cfg(test)]
mod tests;
