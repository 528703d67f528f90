//! Pictures of groups, one file per picture.

mod labels;
mod map;

use super::Voice;
use crate::args::{PlotArgs, Plotted};
use crate::failure::Failure;

pub fn run(args: &PlotArgs, voice: &Voice) -> Result<(), Failure> {
    match &args.what {
        Plotted::Labels(a) => labels::run(a, voice),
        Plotted::Map(a) => map::run(a, voice),
    }
}
