//! Pictures of a table's groups, one file per picture.

mod labels;

use super::Voice;
use crate::args::{PlotArgs, Plotted};
use crate::failure::Failure;

pub fn run(args: &PlotArgs, voice: Voice) -> Result<(), Failure> {
    match &args.what {
        Plotted::Labels(a) => labels::run(a, voice),
    }
}
