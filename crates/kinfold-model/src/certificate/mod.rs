//! Certificates: what proves that no release can be much better, in a form that anybody can check.

mod check;
mod prices;

pub use check::{Verdict, check_prices, dearest_around};
pub use prices::Prices;
