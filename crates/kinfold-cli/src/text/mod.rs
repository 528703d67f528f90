//! Reports as text for people, one file per report. Colours are escape codes; [`plain`] takes them away.

mod anonymize;
mod certify;
mod compare;
mod inspect;
mod loss;
mod models;
mod plot;
mod risk;
mod utility;
mod verify;
mod whatif;

pub use anonymize::{anonymize, release};
pub use certify::certify;
pub use compare::{compare, keepable};
pub use inspect::inspect;
pub use plot::{plot_labels, plot_map};
pub use risk::risk;
pub use utility::utility;
pub use verify::verify;
pub use whatif::whatif;

/// The text without colours.
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
