//! How a policy says that values are spelled in another way, or that codes have beginnings.

use super::Draft;
use super::toml::Said;
use crate::kind::{Kind, Prefixes};
use crate::spelling::{DateFormat, Decimal, Spelling};
use std::cmp::Reverse;
use std::sync::Arc;

impl Draft {
    /// Dates in this format, or a mistake.
    pub(super) fn date_format(&mut self, name: &str, said: &Said) -> Option<Kind> {
        let pattern = said.text();
        match DateFormat::new(&pattern) {
            Ok(format) => Some(Kind::Spelled(Arc::new(Spelling::Date(format)))),
            Err(why) => {
                let what = format!("{pattern:?} is not a valid date format: {why}");
                let hint = "write %d, %m (or %b, %B) and %Y, with %H, %M and %S if need be: %d/%m/%Y";
                self.wrong_in(name, what, said.place, hint);
                None
            }
        }
    }

    /// Numbers with this decimal sign, or a mistake.
    pub(super) fn decimal(&mut self, name: &str, said: &Said) -> Option<Kind> {
        let sign = said.text();
        let named = Decimal::ALL.iter().copied().find(|decimal| decimal.word() == sign);
        let Some(decimal) = named.or(Decimal::of_sign(&sign)) else {
            let hint = "write decimal = \",\" or decimal = \".\", or {quasi=NAME:numeric=comma}";
            self.wrong_in(name, format!("{sign:?} is not a decimal sign"), said.place, hint);
            return None;
        };
        Some(Kind::Spelled(Arc::new(Spelling::Number(decimal))))
    }
}

/// Codes with beginnings of these lengths.
pub(super) fn prefix(lengths: impl Iterator<Item = usize>) -> Kind {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable_by_key(|&length| Reverse(length));
    lengths.dedup();
    Kind::Prefix(Prefixes { lengths, bare: None })
}
