//! A certificate as a file: plain text, a number per line, no value of any column.
//!
//! ```text
//! kinfold certificate 2
//! k 3
//! policy 4be1c2…        fingerprints, in base 16
//! table 90aa17…
//! loss 8251723842       in units of 2⁻³² of a cell
//! bound 8243389012
//! price-per-group 0
//! prices 2              one line for every record, in the order in which records first appear (rows as arranged)
//! 1442
//! -3
//! pair-prices 1         one line for every price per pair: the price, then the records, counted from 0
//! 12 0 1 4
//! groups 3              one line for every row; - is a withheld row
//! 0
//! 0
//! -
//! end
//! ```

use super::{Cut, Fingerprint, PriceCheck, Prices};
use crate::cost::Cost;
use crate::judge::{Broken, Found, Solution, WITHHELD, judge};
use crate::problem::Problem;
use std::fmt::Write as _;
use std::str::{FromStr, Lines};
use thiserror::Error;

const TITLE: &str = "kinfold certificate 2";

/// A grouping, what it costs, what any grouping costs at least, and what proves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// Minimum number of people in a group (equivalence class).
    pub k: u64,
    /// What it was made for.
    pub fingerprint: Fingerprint,
    /// What the grouping costs.
    pub loss: Cost,
    /// What any grouping costs at least.
    pub bound: Cost,
    /// The proof.
    pub prices: Prices,
    /// For every row its group, or [`WITHHELD`].
    pub group_of: Vec<u32>,
}

/// Why a file is no certificate.
#[allow(missing_docs)] // The messages say what they are.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unreadable {
    #[error("it does not start with \"{TITLE}\"")]
    NoCertificate,
    #[error("line {line} is malformed: {expected} expected")]
    Line { line: usize, expected: &'static str },
}

/// Why a certificate proves nothing here.
#[allow(missing_docs)] // The messages say what they are.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    #[error("it was made for k = {certificate}, not for k = {policy}")]
    AnotherK { certificate: u64, policy: u64 },
    #[error("it was made for another policy: other weights, or another share that may be withheld")]
    AnotherPolicy,
    #[error("it was made for another table, or for other quasi-identifiers, kinds or domains")]
    AnotherTable,
    #[error("it has {found} prices, the table has {expected} distinct records")]
    Prices { expected: usize, found: usize },
    #[error("a price per pair names a record twice, or a record that the table does not have")]
    Pairs,
    #[error("its groups are not a valid release: {0}")]
    Groups(#[from] Broken),
    #[error("it states a loss of {said}, but its groups lose {is}")]
    Loss { said: Cost, is: Cost },
    #[error("it states a bound of {said}, but its prices add up to {is}")]
    Bound { said: Cost, is: Cost },
    #[error("its prices prove nothing: a group of size {0} has prices above its cost")]
    Dearer(usize),
    #[error("it could not be checked with the work allowed")]
    TooMuchWork,
}

impl Certificate {
    /// A certificate for a solution.
    pub fn new(problem: &Problem, solution: &Solution, prices: Prices) -> Self {
        Self {
            k: problem.k(),
            fingerprint: Fingerprint::of(problem),
            loss: solution.cost(),
            bound: prices.bound(problem),
            prices,
            group_of: solution.group_of().to_vec(),
        }
    }

    /// Checks everything that the certificate says against the problem; a solution whose bound is checked if
    /// all is true.
    pub fn check(&self, problem: &Problem, work: u64) -> Result<Solution, Refused> {
        if self.k != problem.k() {
            return Err(Refused::AnotherK { certificate: self.k, policy: problem.k() });
        }
        let fingerprint = Fingerprint::of(problem);
        if self.fingerprint.policy != fingerprint.policy {
            return Err(Refused::AnotherPolicy);
        }
        if self.fingerprint.table != fingerprint.table {
            return Err(Refused::AnotherTable);
        }
        let (expected, found) = (problem.records(), self.prices.of_record.len());
        if expected != found {
            return Err(Refused::Prices { expected, found });
        }
        if !self.prices.cuts_name_records(problem) {
            return Err(Refused::Pairs);
        }
        let mut solution = judge(problem, Found::plain(self.group_of.clone()))?;
        if solution.cost() != self.loss {
            return Err(Refused::Loss { said: self.loss, is: solution.cost() });
        }
        let bound = self.prices.bound(problem);
        if bound != self.bound {
            return Err(Refused::Bound { said: self.bound, is: bound });
        }
        match solution.prove(problem, &self.prices, work) {
            PriceCheck::Holds => Ok(solution),
            PriceCheck::Dearer(people) => Err(Refused::Dearer(people.len())),
            PriceCheck::TooMuchWork => Err(Refused::TooMuchWork),
        }
    }

    /// As text.
    pub fn write(&self) -> String {
        let Self { k, fingerprint, loss, bound, prices, group_of } = self;
        let mut text = format!(
            "{TITLE}\nk {k}\npolicy {:016x}\ntable {:016x}\nloss {}\nbound {}\nprice-per-group {}\nprices {}\n",
            fingerprint.policy,
            fingerprint.table,
            loss.0,
            bound.0,
            prices.per_group,
            prices.of_record.len()
        );
        for price in &prices.of_record {
            let _ = writeln!(text, "{price}");
        }
        let _ = writeln!(text, "pair-prices {}", prices.cuts.len());
        for Cut { records, price } in &prices.cuts {
            let records: String = records.iter().map(|record| format!(" {record}")).collect();
            let _ = writeln!(text, "{price}{records}");
        }
        let _ = writeln!(text, "groups {}", group_of.len());
        for &group in group_of {
            let _ = match group {
                WITHHELD => writeln!(text, "-"),
                group => writeln!(text, "{group}"),
            };
        }
        text.push_str("end\n");
        text
    }

    /// From text.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let mut reader = Reader { lines: text.lines(), line: 0 };
        if reader.next() != Some(TITLE) {
            return Err(Unreadable::NoCertificate);
        }
        let k = reader.number("k ", "k and a number")?;
        let policy = reader.base16("policy ", "policy and a fingerprint")?;
        let table = reader.base16("table ", "table and a fingerprint")?;
        let loss = Cost(reader.number("loss ", "loss and a number")?);
        let bound = Cost(reader.number("bound ", "bound and a number")?);
        let per_group = reader.number("price-per-group ", "price-per-group and a number")?;
        let count: usize = reader.number("prices ", "prices and their number")?;
        let of_record = (0..count).map(|_| reader.number("", "a price")).collect::<Result<_, _>>()?;
        let count: usize = reader.number("pair-prices ", "pair-prices and their number")?;
        let cuts = (0..count).map(|_| reader.cut()).collect::<Result<_, _>>()?;
        let count: usize = reader.number("groups ", "groups and the number of rows")?;
        let group_of = (0..count).map(|_| reader.group()).collect::<Result<_, _>>()?;
        if reader.next() != Some("end") {
            return Err(reader.fail("end"));
        }
        let fingerprint = Fingerprint { policy, table };
        let prices = Prices { of_record, per_group, cuts };
        Ok(Self { k, fingerprint, loss, bound, prices, group_of })
    }
}

struct Reader<'t> {
    lines: Lines<'t>,
    line: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<&'t str> {
        self.line += 1;
        self.lines.next()
    }

    fn fail(&self, expected: &'static str) -> Unreadable {
        Unreadable::Line { line: self.line, expected }
    }

    fn after(&mut self, key: &str, expected: &'static str) -> Result<&'t str, Unreadable> {
        self.next().and_then(|line| line.strip_prefix(key)).ok_or_else(|| self.fail(expected))
    }

    fn number<T: FromStr>(&mut self, key: &str, expected: &'static str) -> Result<T, Unreadable> {
        self.after(key, expected)?.parse().map_err(|_| self.fail(expected))
    }

    fn base16(&mut self, key: &str, expected: &'static str) -> Result<u64, Unreadable> {
        u64::from_str_radix(self.after(key, expected)?, 16).map_err(|_| self.fail(expected))
    }

    fn cut(&mut self) -> Result<Cut, Unreadable> {
        let cut = self.next().and_then(|line| {
            let mut numbers = line.split(' ');
            let price = numbers.next()?.parse().ok()?;
            let records = numbers.map(|record| record.parse().ok()).collect::<Option<_>>()?;
            Some(Cut { records, price })
        });
        cut.ok_or_else(|| self.fail("a price and records"))
    }

    fn group(&mut self) -> Result<u32, Unreadable> {
        let group = match self.next() {
            Some("-") => return Ok(WITHHELD),
            number => number.and_then(|number| number.parse().ok()),
        };
        group.filter(|&group| group != WITHHELD).ok_or_else(|| self.fail("a group"))
    }
}
