//! Reports as text for people, one file per report. Colours are escape codes; [`plain`] takes them away. Texts name no
//! flags: what a front end has to say in its own words, it adds.

mod anonymize;
mod certify;
mod compare;
mod inspect;
mod loss;
mod models;
mod plot;
mod risk;
mod screen;
mod utility;
mod verify;
mod whatif;

pub use anonymize::anonymize;
pub use certify::certify;
pub use compare::{compare, keepable};
pub use inspect::{hierarchy, inspect};
pub use plot::{plot_labels, plot_map};
pub use risk::risk;
#[doc(hidden)]
pub use screen::{BAD, FAINT, GOOD, NOTE, STRONG, loss as loss_text, table};
pub use utility::utility;
pub use verify::verify;
pub use whatif::whatif;

/// The text without colours.
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
