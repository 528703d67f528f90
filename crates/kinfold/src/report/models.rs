//! Privacy models: what a release fulfils of what was asked, and what it reaches.

use kinfold_model::requirement::Decimal;
use kinfold_model::verify::{ModelVerdict, Shown};
use kinfold_model::{Finding, Verdict};
use serde::Serialize;
use std::borrow::Cow;

/// A privacy model that the policy asks for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelReport {
    /// The model in the terms of the field, with its numbers and its column.
    pub model: String,
    /// The sensitive column that it is about, if it is about one.
    pub column: Option<String>,
    /// Whether every group fulfils it; none: that was not decided.
    pub fulfilled: Option<bool>,
    /// Groups that fall short of it.
    pub groups_short: usize,
    /// People in these groups.
    pub people_short: u64,
    /// Why it was not decided.
    pub not_decided: Option<Cow<'static, str>>,
}

/// What every group of a release reaches on a sensitive column, whatever was asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReachedReport {
    /// The column.
    pub column: String,
    /// Whether the policy asks for a model on it.
    pub required: bool,
    /// The fewest distinct known values of a group.
    pub distinct_l: u32,
    /// The largest ℓ of entropy diversity.
    pub entropy_l: f64,
    /// The smallest c of recursive (c, ℓ)-diversity, with ℓ as in `distinct_l`.
    pub recursive_c: Option<f64>,
    /// The smallest t of closeness by equal distance.
    pub closeness_equal: f64,
    /// The smallest t by ordered distance, if the policy gives the column an order.
    pub closeness_ordered: Option<f64>,
    /// The smallest t by hierarchy, if the policy gives the column one.
    pub closeness_hierarchy: Option<f64>,
    /// The smallest β of basic likeness; none: above a million.
    pub likeness_basic: Option<f64>,
    /// The smallest β of enhanced likeness; none: no β is enough.
    pub likeness_enhanced: Option<f64>,
    /// The smallest δ of disclosure privacy; none: above 15, or a group lacks a value.
    pub disclosure: Option<f64>,
    /// The largest |ln(q / p)| of values that occur in a group, which some tools call δ.
    pub disclosure_of_present: f64,
    /// People in groups where the column has a single value.
    pub one_value_people: u64,
    /// The same as a share of all people.
    pub one_value_share: f64,
    /// Spellings that were joined with others: they differ in letter case, blanks or Unicode form only.
    pub spellings_joined: usize,
}

impl ModelReport {
    fn new(verdict: &ModelVerdict) -> Self {
        let (fulfilled, groups_short, people_short, not_decided) = match &verdict.finding {
            Finding::Fulfilled => (Some(true), 0, 0, None),
            Finding::Short { groups, people } => (Some(false), *groups, *people, None),
            Finding::Undecided(why) => (None, 0, 0, Some(why.clone())),
        };
        let (model, column) = (verdict.model.clone(), verdict.column.clone());
        Self { model, column, fulfilled, groups_short, people_short, not_decided }
    }

    pub(crate) fn list(verdict: &Verdict) -> Vec<Self> {
        verdict.models.iter().map(Self::new).collect()
    }
}

impl ReachedReport {
    pub(crate) fn new(shown: &Shown) -> Self {
        let reached = &shown.reached;
        let float = |decimal: Option<Decimal>| decimal.map(Decimal::to_f64);
        Self {
            column: shown.column.clone(),
            required: shown.required,
            distinct_l: reached.distinct,
            entropy_l: reached.entropy.to_f64(),
            recursive_c: float(reached.recursive),
            closeness_equal: reached.equal.to_f64(),
            closeness_ordered: float(reached.ordered),
            closeness_hierarchy: float(reached.tree),
            likeness_basic: float(reached.likeness),
            likeness_enhanced: float(reached.enhanced),
            disclosure: float(reached.disclosure),
            disclosure_of_present: reached.disclosure_of_present,
            one_value_people: shown.one_value_people,
            one_value_share: shown.one_value_people as f64 / shown.people.max(1) as f64,
            spellings_joined: shown.joined,
        }
    }

    pub(crate) fn list(verdict: &Verdict) -> Vec<Self> {
        verdict.shown.iter().map(Self::new).collect()
    }
}

/// What a bound is a bound for, if that is less than the policy asks for: any release that fulfils models holds
/// k people per group, but not the other way round.
pub(crate) const K_ALONE: &str = "k alone";
