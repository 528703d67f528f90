//! How large the largest group of labels is for every k (paper *geo*, Figure 7): seven ways to group them, and the bound.

use super::Voice;
use crate::args::PlotLabelsArgs;
use crate::chart::curves::{self, WAYS};
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, open_chart};
use crate::progress;
use crate::screen::{Align, FAINT, count, table, thousands};
use kinfold::model::cost::Objective;
use kinfold::model::encode::encode;
use kinfold::model::kind::Kind;
use kinfold::model::policy::Policy;
use kinfold::model::table::Source;
use kinfold::{LabelSizes, Run, SolveError, label_sizes, people_per_label};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

pub fn run(args: &PlotLabelsArgs, voice: Voice) -> Result<(), Failure> {
    let to_stdout = alone_on_stdout(Some(&args.output), "the chart", voice.json)?;
    progress::phase("reading");
    let source = Source::open(&args.table, &input::read_options(&args.read))?;
    // Every k is drawn, so that of a policy does not matter.
    let draft = input::draft(&args.policy, Some(2))?;
    let inputs = [&args.table].into_iter().chain(&args.policy.policy).chain(draft.files());
    let mut chart = open_chart(&args.output, inputs)?;
    let file = draft.file();
    let policy = about_labels(draft.settle_for(source.names())?, voice)?;
    let read = source.read(|name| policy.role(name).is_some_and(|r| r.published()))?;
    let encoded = encode(&read, &policy).map_err(|e| Failure::from(e).in_file(&file))?;
    encoded.notes.iter().for_each(|n| voice.note(n));
    for coding in &encoded.codings {
        must_be_labels(read.columns()[coding.column].name(), &coding.kind)?;
    }
    let people = people_per_label(&encoded.problem);
    let ks = ks(args, &people)?;
    progress::phase("grouping");
    let sizes = label_sizes(&people, &ks, &run_of(args)).map_err(SolveError::from)?;
    progress::finish();
    let told = Told { people: &people, sizes, seed: args.seed, output: &args.output };
    chart.write(|file| Ok(file.write_all(told.picture().as_bytes())?))?;
    chart.commit()?;
    let voice = Voice { quiet: voice.quiet || to_stdout, ..voice };
    voice.result(|| told.json(), || told.text())
}

/// The policy with what matters to a picture of sizes: whatever else it is for, labels are grouped whole, and nobody is withheld.
fn about_labels(policy: Policy, voice: Voice) -> Result<Policy, Failure> {
    let quasi: Vec<_> = policy.quasi().collect();
    if let [(column, quasi)] = quasi[..] {
        quasi.kind.as_ref().map_or(Ok(()), |kind| must_be_labels(&column.name, kind))?;
    } else {
        return Err(Failure::usage(
            format!("{} quasi-identifiers, but the sizes of groups of labels are about one", quasi.len()),
            "name one column of labels with --quasi NAME:category, and --drop the others",
        ));
    }
    if policy.withhold > 0.0 {
        voice.note("nobody is withheld here: sizes are those of groups of everybody");
    }
    Ok(Policy { objective: Objective::GroupSize, withhold: 0.0, ..policy })
}

fn must_be_labels(name: &str, kind: &Kind) -> Result<(), Failure> {
    match kind {
        Kind::Category => Ok(()),
        kind => Err(Failure::usage(
            format!("column {name:?} is of kind {}, but labels have no order and no map", kind.word()),
            format!("say --quasi {name}:category if its values are mere labels"),
        )),
    }
}

fn run_of(args: &PlotLabelsArgs) -> Run {
    let mut run = Run { seed: args.seed, ..Run::default() };
    run.progress = Some(Arc::new(progress::solved));
    run.threads = args.threads.map_or(run.threads, usize::from);
    run
}

/// The ks to draw, evenly spaced.
fn ks(args: &PlotLabelsArgs, people: &[u64]) -> Result<Vec<u64>, Failure> {
    let all: u64 = people.iter().sum();
    let commonest = people.iter().copied().max().unwrap_or(0);
    let (from, to) = (args.from.unwrap_or(commonest.max(2)), args.to.unwrap_or(all / 2));
    if to > all {
        return Err(Failure::usage(
            format!(
                "--to is {}, but the table holds only {}",
                thousands(to),
                count(all as usize, "person", "people")
            ),
            "no group can hold more people than there are",
        ));
    }
    if from > to {
        let what = format!("no k to draw from {} to {}", thousands(from), thousands(to));
        return Err(Failure::usage(
            what,
            "the picture starts at the people of the commonest label and ends at half of all people, unless --from and --to say otherwise",
        ));
    }
    let (range, steps) = (to - from, u64::from(args.steps) - 1);
    if range <= steps {
        return Ok((from..=to).collect());
    }
    let nth = |n: u64| (u128::from(range) * u128::from(n) / u128::from(steps)) as u64;
    Ok((0..=steps).map(|n| from + nth(n)).collect())
}

/// What was found, for people and machines.
struct Told<'a> {
    people: &'a [u64],
    sizes: Vec<LabelSizes>,
    seed: u64,
    output: &'a Path,
}

impl Told<'_> {
    fn about(&self) -> String {
        let all = self.people.iter().sum();
        format!("{}, {} people", count(self.people.len(), "label", "labels"), thousands(all))
    }

    fn ends(&self) -> (u64, u64) {
        (self.sizes.first().map_or(0, |s| s.k), self.sizes.last().map_or(0, |s| s.k))
    }

    fn share(&self, holds: impl Fn(&LabelSizes) -> bool) -> f64 {
        self.sizes.iter().filter(|s| holds(s)).count() as f64 / self.sizes.len().max(1) as f64
    }

    fn within_one_percent(&self) -> f64 {
        self.share(|s| u128::from(s.best) * 100 <= u128::from(s.bound) * 101)
    }

    fn spread_never_above_fold(&self) -> bool {
        self.sizes.iter().all(|s| {
            s.random_spread <= s.random_fold
                && s.sorted_spread <= s.sorted_fold
                && s.ascending_spread <= s.ascending_fold
        })
    }

    fn picture(&self) -> String {
        let (from, to) = self.ends();
        let about = format!(
            "{}; {} from {} to {}",
            self.about(),
            values(&self.sizes),
            thousands(from),
            thousands(to)
        );
        curves::svg("Largest group of labels", &about, &self.sizes)
    }

    fn json(&self) -> Value {
        let row = |s: &LabelSizes| {
            json!({
                "k": s.k, "random_fold": s.random_fold, "random_spread": s.random_spread,
                "sorted_fold": s.sorted_fold, "sorted_spread": s.sorted_spread,
                "ascending_fold": s.ascending_fold, "ascending_spread": s.ascending_spread,
                "label_best": s.best, "bound": s.bound, "most_groups": s.most_groups,
            })
        };
        json!({
            "labels": self.people.len(), "people": self.people.iter().sum::<u64>(), "seed": self.seed,
            "values_of_k": self.sizes.len(), "from": self.ends().0, "to": self.ends().1,
            "label_best_within_one_percent": self.within_one_percent(),
            "label_best_at_bound": self.share(|s| s.best == s.bound),
            "spread_never_above_fold": self.spread_never_above_fold(),
            "output": self.output.display().to_string(),
            "sizes": self.sizes.iter().map(row).collect::<Value>(),
        })
    }

    fn text(&self) -> String {
        use Align::{Left, Right};
        let (from, to) = self.ends();
        let mut lines = vec![["largest group / k", "average", "at most"].map(str::to_owned).to_vec()];
        let bound: (&str, fn(&LabelSizes) -> u64) = ("lower bound", |s| s.bound);
        for (name, largest) in WAYS.iter().map(|way| (way.name, way.largest)).chain([bound]) {
            let ratios = || self.sizes.iter().map(|s| largest(s) as f64 / s.k as f64);
            let average = ratios().sum::<f64>() / self.sizes.len().max(1) as f64;
            lines.push(vec![
                name.to_owned(),
                format!("{average:.3}"),
                format!("{:.3}", ratios().fold(0.0, f64::max)),
            ]);
        }
        let mut text = format!("{}\n\n", self.about());
        text.push_str(&table(&[Left, Right, Right], &lines));
        text.push_str(&format!(
            "\n  {} from {} to {}: label-best is within 1 % of the bound at {},\n  and Spread is {} Fold.\n",
            values(&self.sizes),
            thousands(from),
            thousands(to),
            of_all(self.within_one_percent()),
            if self.spread_never_above_fold() { "never above" } else { "not always below" },
        ));
        text + &format!("\n  {FAINT}drawn in {}{FAINT:#}\n", self.output.display())
    }
}

fn values(sizes: &[LabelSizes]) -> String {
    count(sizes.len(), "value of k", "values of k")
}

/// A share, never rounded up: it stands for "at least".
fn of_all(share: f64) -> String {
    if share == 1.0 {
        "every one".into()
    } else {
        format!("{:.1} % of them", (share * 1000.0).floor() / 10.0)
    }
}
