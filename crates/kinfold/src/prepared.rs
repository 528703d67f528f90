//! A table made ready for grouping: in the order of its contents, so that neither groups nor what is
//! published depend on the order of its rows.

use crate::anonymize::group;
use crate::stopwatch::Clock;
use crate::warning::refuse_naming;
use crate::{Error, Grouped, Options};
use kinfold_model::Phase;
use kinfold_model::encode::{EncodeError, Encoded, encode_and_learn, encode_with};
use kinfold_model::frame::Frame;
use kinfold_model::policy::{Policy, Role};
use kinfold_model::recode::recoded;
use kinfold_model::table::{Arranged, Table};
use std::borrow::Cow;
use std::sync::Arc;

/// A table that is ready to be grouped under a policy, for its k or for others: who asks for several ks prepares it
/// once.
///
/// ```
/// use kinfold::model::{policy::Policy, table::Table};
/// use kinfold::{Options, anonymize, prepare};
///
/// let table = Table::from_cells(&["age"], &[vec!["35"], vec!["36"], vec!["61"], vec!["63"]])?;
/// let policy = Policy::parse("k = 2\ncolumns.age = { role = 'quasi', kind = 'numeric' }").for_table(&table)?;
/// let prepared = prepare(&table, &policy, &Options::default())?;
/// assert_eq!(prepared.anonymize(2, &Options::default())?.into_batches()?.report.groups, 2);
/// assert_eq!(prepared.anonymize(3, &Options::default())?.into_batches()?.report.groups, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The table that was given.
    pub(crate) given: Table,
    pub(crate) policy: Policy,
    pub(crate) table: Table,
    pub(crate) encoded: Encoded,
    /// For every row, its place in the table that was given.
    pub(crate) rows: Arc<[u32]>,
    /// What was learned from the table, if that is to be kept.
    pub(crate) frame: Option<Frame>,
}

/// Prepares a table for [`anonymize`](crate::anonymize) under a policy. Of the options, the frame and the call count;
/// those of a release are given with its k.
pub fn prepare(table: &Table, policy: &Policy, options: &Options) -> Result<Prepared, Error> {
    // What is published on a level names nobody by the values below.
    let published =
        recoded(table, policy).map_err(|e| Error::from(EncodeError::from(e)).in_policy(policy))?;
    refuse_naming(&published, policy)?;
    Prepared::new(table, policy, options)
}

impl Prepared {
    /// The groups for this k: the same as [`anonymize`](crate::anonymize) makes under the policy with this k.
    pub fn anonymize(&self, k: u64, options: &Options) -> Result<Grouped<'_>, Error> {
        let clock = Clock::start();
        group(self.under(&Policy { k, ..self.policy.clone() }, options)?, options, clock)
    }

    /// Itself, under another policy. One that differs in k alone shares what was prepared.
    pub(crate) fn under(&self, policy: &Policy, options: &Options) -> Result<Cow<'_, Self>, Error> {
        if *policy == self.policy {
            return Ok(Cow::Borrowed(self));
        }
        let other_k = Policy { k: self.policy.k, ..policy.clone() } == self.policy;
        let encoded = other_k.then(|| self.encoded.with_k(policy.k)).transpose();
        let encoded = encoded.map_err(EncodeError::from)?.flatten();
        Ok(Cow::Owned(match encoded {
            Some(encoded) => Self {
                given: self.given.clone(),
                policy: policy.clone(),
                table: self.table.clone(),
                encoded,
                rows: self.rows.clone(),
                frame: self.frame.clone(),
            },
            None => Self::new(&self.given, policy, options)?,
        }))
    }

    pub(crate) fn new(table: &Table, policy: &Policy, options: &Options) -> Result<Self, Error> {
        options.call.phase(Phase::Encoding)?;
        let settled = options.using.as_ref().map(|frame| frame.settle(policy)).transpose()?;
        let policy = settled.as_ref().unwrap_or(policy);
        let needed = |name: &str| policy.role(name).is_some_and(Role::needed);
        let quasi = |name: &str| matches!(policy.role(name), Some(Role::Quasi(_)));
        let published = recoded(table, policy)
            .map_err(|error| Error::from(EncodeError::from(error)).in_policy(policy))?;
        let Arranged { table: arranged, rows } = published.arranged(needed, quasi);
        let encoded = match &options.using {
            None if options.keep_frame => encode_and_learn(&arranged, policy, &options.call)
                .map(|(encoded, frame)| (encoded, Some(frame))),
            using => encode_with(&arranged, policy, using.as_ref(), &options.call)
                .map(|encoded| (encoded, using.clone().filter(|_| options.keep_frame))),
        };
        let (encoded, frame) = encoded.map_err(|error| Error::from(error).in_policy(policy))?;
        let (given, policy) = (table.clone(), policy.clone());
        Ok(Self { given, policy, table: arranged, encoded, rows, frame })
    }

    /// What is said of every row of the table that was given, in the order of this one.
    pub(crate) fn as_arranged(&self, given: &[u32]) -> Option<Vec<u32>> {
        (given.len() == self.rows.len()).then(|| self.rows.iter().map(|&row| given[row as usize]).collect())
    }
}
