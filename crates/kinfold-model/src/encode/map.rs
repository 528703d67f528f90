//! A column of regions under objective `group-size`: which of them touch, and whether those that do hold
//! enough people.

use crate::hint::Hint;
use crate::policy::{ColumnPolicy, Mistake, Mistakes, Policy};
use crate::problem::Connected;
use crate::regions::Regions;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The quasi-identifier whose values are regions, by number, and what is said of it.
pub(super) struct Map {
    pub column: usize,
    pub said: ColumnPolicy,
    pub regions: Arc<Regions>,
}

impl Map {
    /// Which regions touch, and which are empty, if every group of regions can be made large enough.
    pub(crate) fn connected(
        &self,
        region_of: &[u32],
        row_sizes: &Option<Vec<u32>>,
        policy: &Policy,
        may_withhold: u64,
    ) -> Result<Connected, Mistakes> {
        let size = |row: usize| row_sizes.as_ref().map_or(1, |s| u64::from(s[row]));
        let mut empty = vec![true; self.regions.names().len()];
        let mut in_region = vec![0u64; self.regions.names().len()];
        for (row, &region) in region_of.iter().enumerate() {
            empty[region as usize] = false;
            in_region[region as usize] += size(row);
        }
        match too_light(&self.regions, &in_region, &empty, policy, may_withhold, &self.said) {
            Some(mistake) => Err(Mistakes::from(mistake)),
            None => Ok(Connected { column: self.column, graph: self.regions.graph().clone(), empty }),
        }
    }
}

/// Regions that touch nobody but each other and hold too few people cannot be grouped: a mistake that names
/// one of each, unless all of them may be withheld.
fn too_light(
    regions: &Regions,
    people: &[u64],
    empty: &[bool],
    policy: &Policy,
    may_withhold: u64,
    said: &ColumnPolicy,
) -> Option<Mistake> {
    let (component, k) = (regions.graph().components(), policy.k);
    let mut sums: BTreeMap<u32, (u64, usize)> = BTreeMap::new();
    // Rows that stand for nobody need a place too.
    for region in (0..people.len()).filter(|&region| !empty[region]) {
        sums.entry(component[region]).or_insert((0, region)).0 += people[region];
    }
    let light: Vec<(u64, usize)> = sums.into_values().filter(|&(sum, _)| sum < k).collect();
    let everybody: u64 = people.iter().sum();
    let people: u64 = light.iter().map(|(sum, _)| sum).sum();
    if light.is_empty() || may_withhold > 0 && people <= may_withhold {
        return None;
    }
    let mut names: Vec<&str> = light.iter().take(5).map(|&(_, r)| regions.names()[r].as_str()).collect();
    if light.len() > 5 {
        names.push("…");
    }
    let (parts, holds, those) = match light.len() {
        1 => ("1 part".to_owned(), "holds", "that"),
        many => (format!("{many} separate parts"), "hold", "those"),
    };
    let what = format!(
        "column {:?}: {parts} of the map {holds} fewer than {k} {}: {those} with region {}",
        said.name,
        policy.unit().noun(k),
        names.join(", ")
    );
    // How many live there is nobody's business; the share that must be allowed is.
    let share = percent_above(people.max(1) as f64 / everybody.max(1) as f64);
    let hint = Hint::from("withhold them with ")
        .setting("withhold", format!("{share}%"))
        .text(", or add their neighbours to the file of regions");
    Some(Mistake::new(what, said.place).hint(hint))
}

/// A share as a percentage of two digits, rounded up.
fn percent_above(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = (1.0 - percent.log10().floor()).max(0.0) as usize;
    let scale = 10f64.powi(decimals as i32);
    format!("{:.decimals$}", ((percent * scale).ceil() / scale).min(100.0))
}

#[cfg(test)]
mod tests {
    use super::percent_above;

    #[test]
    fn a_share_that_must_be_allowed_is_never_rounded_down() {
        let told = [1.0 / 19.0, 0.000574, 0.5, 0.999, 1.0, 1e-7].map(percent_above);
        assert_eq!(told, ["5.3", "0.058", "50", "100", "100", "0.000010"]);
    }
}
