//! Where whole columns count: which of them can be kept, for every k.

use super::Voice;
use crate::failure::Failure;
use crate::progress;
use crate::screen::{Align, FAINT, count, loss, span, table};
use kinfold::Run;
use kinfold::columns::{Kept, curve};
use kinfold::model::encode::Encoded;
use kinfold::model::table::{Column, Table};
use serde_json::{Value, json};

/// The ks that are answered for unless some are typed.
const KS: std::ops::RangeInclusive<u64> = 2..=100;

/// Tells what can be kept for these ks, or for all up to a hundred if none were typed.
pub fn run(read: &Table, encoded: &Encoded, ks: &[u64], run: &Run, voice: Voice) -> Result<(), Failure> {
    progress::phase("columns");
    let most = ks.iter().copied().max().unwrap_or(*KS.end());
    let mut found = curve(&encoded.problem, *KS.start()..=most, run).map_err(kinfold::SolveError::from)?;
    progress::finish();
    if !ks.is_empty() {
        found.retain(|(k, _)| ks.contains(k));
    }
    let name = |column: usize| read.columns()[encoded.codings[column].column].name();
    let everything = encoded.problem.withheld_cost();
    let told = Told { names: (0..encoded.codings.len()).map(name).collect(), everything, found };
    voice.result(|| told.json(), || told.text(read.columns()))
}

struct Told<'a> {
    names: Vec<&'a str>,
    everything: u64,
    found: Vec<(u64, Kept)>,
}

impl Told<'_> {
    fn kept(&self, kept: &Kept) -> Vec<&str> {
        kept.columns.iter().map(|&column| self.names[column]).collect()
    }

    fn average_loss(&self, kept: &Kept) -> f64 {
        (self.everything - kept.worth) as f64 / self.everything as f64
    }

    fn json(&self) -> Value {
        let row = |(k, kept): &(u64, Kept)| {
            json!({
                "k": k, "solver": "columns", "kept": self.kept(kept), "average_loss": self.average_loss(kept),
                "loss": kinfold::model::cost::Cost(self.everything - kept.worth).cells(), "best": kept.best,
            })
        };
        self.found.iter().map(row).collect()
    }

    fn text(&self, columns: &[Column]) -> String {
        use Align::{Left, Right};
        let rows = columns.first().map_or(0, |column| column.codes().len());
        let mut lines = vec![["k", "loss", "", "columns kept"].map(str::to_owned).to_vec()];
        for same in self.found.chunk_by(|a, b| a.1.columns == b.1.columns) {
            let (Some((first, kept)), Some((last, _))) = (same.first(), same.last()) else { continue };
            let names = self.kept(kept);
            lines.push(vec![
                span(*first, *last),
                loss(self.average_loss(kept)),
                format!("{} of {}", names.len(), self.names.len()),
                if names.is_empty() { "–".to_owned() } else { names.join(", ") },
            ]);
        }
        let mut text = format!("{}\n\n", count(rows, "row", "rows"));
        text.push_str(&table(&[Right, Right, Right, Left], &lines));
        if self.found.iter().all(|(_, kept)| kept.best) {
            text + &format!("\n  {FAINT}no other set of columns is worth more{FAINT:#}\n")
        } else {
            text + &format!("\n  {FAINT}the time was up: another set of columns may be worth more{FAINT:#}\n")
        }
    }
}
