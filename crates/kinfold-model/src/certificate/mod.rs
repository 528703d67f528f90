//! Certificates: what proves that no release can be much better, in a form that anybody can check who trusts
//! neither the solver nor the bound's finder.

mod check;
mod file;
mod fingerprint;
mod flat;
mod landmarks;
mod prices;

pub use check::{PriceCheck, check_prices, dearest_around};
pub use file::{Certificate, Refused, Unreadable};
pub use fingerprint::Fingerprint;
pub(crate) use fingerprint::Fnv;
pub use prices::{Cut, Prices};
