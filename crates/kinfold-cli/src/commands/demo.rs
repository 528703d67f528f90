//! The whole pipeline on a built-in example: what goes in, what is decided, what comes out, whether it is safe.

use super::Voice;
use crate::failure::Failure;
use crate::screen::{Align, FAINT, GOOD, STRONG, loss, span, table};
use kinfold::model::encode::encode;
use kinfold::model::policy::Draft;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, check_truth, verify};
use kinfold::{Choice, Run, publish, solve};
use serde_json::json;
use std::path::Path;

const PATIENTS: &str = include_str!("../../../../examples/patients.csv");
const POLICY: &str = include_str!("../../../../examples/patients.toml");
const SHOWN: usize = 10;

pub fn run(voice: Voice) -> Result<(), Failure> {
    let options = ReadOptions::default();
    let source = Source::from_bytes(PATIENTS.as_bytes().to_vec(), &options)?;
    let policy = Draft::from_toml(POLICY, Path::new("patients.toml")).settle_for(source.names())?;
    let read = source.read(|_| true)?;
    let encoded = encode(&read, &policy)?;
    let outcome = solve(&encoded.problem, &Choice::Auto, &Run::default())?;
    let mut bytes = Vec::new();
    publish(&read, &policy, &encoded, &outcome.solution)
        .write_csv(&mut bytes)
        .map_err(|e| Failure::write(Path::new("(memory)"), e))?;
    // From here on only the published bytes and the policy count.
    let released = Source::from_bytes(bytes.clone(), &options)?.read(|_| true)?;
    let published = Published::read(Source::from_bytes(bytes, &options)?, &policy, true)?;
    let verdict = verify(&published, &policy)?;
    let truth = check_truth(&published, &read, &policy)?;
    if !(verdict.safe() && truth.holds()) {
        return Err(Failure::Refused("the demo's release is not safe or not true".into()));
    }
    let average = outcome.solution.average_loss(&encoded.problem);
    let k = policy.k;
    let mut text = format!("{STRONG}1. A table about people{STRONG:#}\n\n{}", first_rows(&read));
    text += &format!("\n{STRONG}2. A policy{STRONG:#}  {FAINT}(examples/patients.toml){FAINT:#}\n\n");
    text += "  name is an identifier and left out; diagnosis is published as it is;\n";
    text += &format!(
        "  on all other columns together, everybody must look like at least {} others (k = {k})\n",
        k - 1
    );
    text += &format!("\n{STRONG}3. The release{STRONG:#}\n\n{}", first_rows(&released));
    text += &format!(
        "\n{STRONG}4. The verdict{STRONG:#}  {FAINT}(from the published bytes and the policy alone){FAINT:#}\n\n"
    );
    text += &format!(
        "  {GOOD}safe{GOOD:#}  {} rows in {} groups of {} people\n",
        verdict.rows,
        verdict.groups,
        span(verdict.smallest, verdict.largest)
    );
    text +=
        &format!("  {GOOD}true{GOOD:#}  every cell covers the original value, no row is lost or invented\n");
    text += &format!("\n{STRONG}5. The loss{STRONG:#}\n\n");
    text += &format!(
        "  {STRONG}{}{STRONG:#} per cell (0 nothing, 1 everything), by {}\n",
        loss(average),
        outcome.solver
    );
    text += &format!("\n{STRONG}Your turn{STRONG:#}\n\n");
    text += "  kinfold inspect   TABLE.csv --policy-out policy.toml\n";
    text += "  kinfold anonymize TABLE.csv --policy policy.toml -o release.csv\n";
    text += "  kinfold verify    release.csv --policy policy.toml --original TABLE.csv\n";
    let json = || {
        json!({
            "rows": verdict.rows, "k": k, "groups": verdict.groups, "smallest_group": verdict.smallest,
            "safe": verdict.safe(), "true": truth.holds(), "average_loss": average, "solver": outcome.solver,
        })
    };
    voice.result(json, || text)
}

fn first_rows(of: &Table) -> String {
    let columns = of.columns();
    let mut rows = vec![columns.iter().map(|c| c.name().to_owned()).collect::<Vec<_>>()];
    for row in 0..of.rows().min(SHOWN) {
        rows.push(columns.iter().map(|c| c.text(c.codes()[row]).to_owned()).collect());
    }
    let mut text = table(&vec![Align::Left; columns.len()], &rows);
    if of.rows() > SHOWN {
        text += &format!("  {FAINT}… and {} more rows{FAINT:#}\n", of.rows() - SHOWN);
    }
    text
}
