//! The whole pipeline on a built-in example.

use super::Voice;
use crate::failure::Failure;

pub fn run(_voice: Voice) -> Result<(), Failure> {
    Ok(())
}
