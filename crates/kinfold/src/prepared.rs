//! A table made ready for grouping: in the order of its contents, so that neither groups nor what is
//! published depend on the order of its rows.

use crate::error::Error;
use crate::options::Options;
use kinfold_model::call::Phase;
use kinfold_model::encode::{EncodeError, Encoded, encode_and_learn, encode_with};
use kinfold_model::frame::Frame;
use kinfold_model::policy::{Policy, Role};
use kinfold_model::table::{Arranged, Table};

/// A table in the order of its contents, with its problem.
pub(crate) struct Prepared {
    pub table: Table,
    pub encoded: Encoded,
    /// For every row, its place in the table that was given.
    pub rows: Vec<u32>,
    /// What was learned from the table, if that is to be kept.
    pub frame: Option<Frame>,
}

impl Prepared {
    pub fn new(table: &Table, policy: &Policy, options: &Options) -> Result<Self, Error> {
        options.call.phase(Phase::Encoding)?;
        let needed = |name: &str| policy.role(name).is_some_and(Role::needed);
        let quasi = |name: &str| matches!(policy.role(name), Some(Role::Quasi(_)));
        let Arranged { table: arranged, rows } = table.arranged(needed, quasi);
        let encode = |table: &Table| match &options.using {
            None if options.keep_frame => {
                encode_and_learn(table, policy, &options.call).map(|(encoded, frame)| (encoded, Some(frame)))
            }
            using => encode_with(table, policy, using.as_ref(), &options.call)
                .map(|encoded| (encoded, using.clone().filter(|_| options.keep_frame))),
        };
        let (encoded, frame) = encode(&arranged).map_err(|error| {
            // Messages name rows by their place in the table that was given.
            let told = match &error {
                EncodeError::Policy(_) => encode(table).err().unwrap_or(error),
                _ => error,
            };
            Error::from(told).in_policy(policy)
        })?;
        Ok(Self { table: arranged, encoded, rows, frame })
    }

    /// Puts what is said of every row into the order of the table that was given.
    pub fn as_given(&self, of_row: &[u32]) -> Vec<u32> {
        let mut given = vec![0; of_row.len()];
        self.rows.iter().zip(of_row).for_each(|(&row, &said)| given[row as usize] = said);
        given
    }

    /// The way back: what is said of every row of the table that was given.
    pub fn as_arranged(&self, given: &[u32]) -> Option<Vec<u32>> {
        (given.len() == self.rows.len()).then(|| self.rows.iter().map(|&row| given[row as usize]).collect())
    }
}
