//! The sections of the report that show figures side by side: risk and utility.

use super::Page;
use crate::report::chart::paired::{self, Words as ChartWords};
use crate::report::{ColumnUtility, PairUtility, RiskReport};
use kinfold_model::risk::SizeCount;

/// The upper ends of the bands of risk.
const RISKS: [f64; 8] = [0.01, 0.02, 0.05, 0.09, 0.2, 0.33, 0.5, 1.0];
/// The lower ends of the bands of class sizes.
const SIZES: [u64; 9] = [1, 2, 3, 4, 5, 10, 20, 50, 100];
/// Sets of columns, and pairs, that are listed.
const LISTED: usize = 8;

/// The share of people in every band, by the size of their class.
fn shares(sizes: &[SizeCount], bands: usize, band: impl Fn(u64) -> usize) -> Vec<f64> {
    let mut people = vec![0.0; bands];
    for class in sizes {
        people[band(class.size).min(bands - 1)] += class.size as f64 * class.classes as f64;
    }
    let all: f64 = people.iter().sum::<f64>().max(1.0);
    people.into_iter().map(|people| people / all).collect()
}

impl Page<'_> {
    fn chart_words(&self, title: &str, x_axis: &str) -> ChartWords {
        ChartWords {
            title: title.to_owned(),
            before: self.words.get("chart.before").into(),
            after: self.words.get("chart.after").into(),
            x_axis: x_axis.to_owned(),
            y_axis: self.words.get("chart.share").into(),
        }
    }

    pub(super) fn loss_chart(&mut self) {
        let words = self.words;
        let losses = self.facts.policy.columns.iter().filter_map(|c| Some((c.column.clone(), c.loss?)));
        let bars: Vec<(String, f64, String)> =
            losses.map(|(column, loss)| (column, loss, words.figure(loss))).collect();
        if !bars.is_empty() {
            let svg = paired::lengths(words.get("chart.loss"), &bars);
            self.figure(&svg, words.get("chart.loss.caption"));
        }
    }

    pub(super) fn risk(&mut self) {
        let Some(after) = &self.facts.after else { return };
        let before = self.facts.before.as_ref();
        match before {
            Some(_) => self.heading("risk"),
            None => self.heading("risk.alone"),
        }
        self.risk_table(before, after);
        self.risk_charts(before, after);
        let telling = before.unwrap_or(after);
        self.sets(telling, before.is_some());
        self.population(telling);
        let likely: Vec<&str> = after.safe_harbor.iter().map(|found| found.column.as_str()).collect();
        if !likely.is_empty() {
            self.say("risk.harbor", &[("columns", &likely.join(", "))]);
        }
    }

    fn risk_table(&mut self, before: Option<&RiskReport>, after: &RiskReport) {
        let words = self.words;
        let figures = |report: &RiskReport| -> Vec<(String, String)> {
            let said = |key: &str| words.get(key).to_owned();
            let of_all =
                |people: u64, share: f64| format!("{} ({})", words.whole(people), words.percent(share));
            let mut list = vec![
                (said("risk.people"), words.whole(report.people)),
                (said("risk.classes"), words.whole(report.classes)),
                (said("risk.average"), words.number(report.average_class, 2)),
                (said("risk.uniques"), of_all(report.sample_uniques, report.sample_uniques_share)),
                (said("risk.highest"), words.figure(report.prosecutor.highest)),
                (said("risk.mean"), words.figure(report.prosecutor.average)),
            ];
            for at in &report.prosecutor.above {
                let name = words.say("risk.above", &[("threshold", &words.figure(at.threshold))]);
                list.push((name, of_all(at.people, at.share)));
            }
            if let Some(journalist) = &report.journalist {
                let keys = match journalist.counted {
                    true => ["risk.journalist.highest", "risk.journalist.mean"],
                    false => ["risk.journalist.estimate", "risk.journalist.estimate.mean"],
                };
                list.push((said(keys[0]), words.figure(journalist.highest)));
                list.push((said(keys[1]), words.figure(journalist.average)));
            }
            list
        };
        let caption = words.get("risk.table.caption");
        let after = figures(after);
        match before.map(figures) {
            Some(before) => {
                let both = before.into_iter().zip(after);
                let rows: Vec<_> = both.map(|((name, was), (_, is))| vec![name, was, is]).collect();
                self.table(caption, &["risk.figure", "risk.before", "risk.after"], 1.., &rows);
            }
            None => {
                let rows: Vec<_> = after.into_iter().map(|(name, is)| vec![name, is]).collect();
                self.table(caption, &["risk.figure", "risk.value"], 1.., &rows);
            }
        }
    }

    fn risk_charts(&mut self, before: Option<&RiskReport>, after: &RiskReport) {
        let words = self.words;
        let risk_band = |size: u64| RISKS.iter().position(|&end| 1.0 / size as f64 <= end).unwrap_or(0);
        let size_band = |size: u64| SIZES.iter().rposition(|&low| size >= low).unwrap_or(0);
        let names: Vec<String> = RISKS.iter().map(|&end| format!("≤ {}", words.figure(end))).collect();
        let of = |report: &RiskReport| shares(&report.class_sizes, RISKS.len(), risk_band);
        let chart = self.chart_words(words.get("chart.risk"), words.get("chart.risk.axis"));
        let svg = paired::bands(&chart, &names, before.map(of).as_deref(), &of(after));
        let caption = if before.is_some() { "chart.risk.caption" } else { "chart.risk.caption.alone" };
        self.figure(&svg, words.get(caption));
        let name = |(i, low): (usize, &u64)| match SIZES.get(i + 1) {
            Some(&next) if next > low + 1 => format!("{low}–{}", next - 1),
            Some(_) => low.to_string(),
            None => format!("{low}+"),
        };
        let names: Vec<String> = SIZES.iter().enumerate().map(name).collect();
        let of = |report: &RiskReport| shares(&report.class_sizes, SIZES.len(), size_band);
        let chart = self.chart_words(words.get("chart.sizes"), words.get("chart.sizes.axis"));
        let svg = paired::bands(&chart, &names, before.map(of).as_deref(), &of(after));
        self.figure(&svg, words.get("chart.sizes.caption"));
    }

    fn sets(&mut self, report: &RiskReport, earlier: bool) {
        let Some(all) = &report.all_columns else { return };
        let words = self.words;
        self.subheading("risk.sets");
        let mut rows = Vec::new();
        let mut telling: Vec<_> = report.single_columns.iter().chain(&report.telling_sets).collect();
        // Few columns that tell much come first: most people per column.
        telling.sort_by(|a, b| {
            let weight = |set: &kinfold_model::risk::Subset| set.distinction / set.columns.len() as f64;
            weight(b).total_cmp(&weight(a))
        });
        for set in telling.into_iter().take(LISTED).chain([all]) {
            rows.push(vec![
                set.columns.join(", "),
                words.figure(set.distinction),
                words.number(set.separation, 4),
                words.percent(set.unique),
            ]);
        }
        let caption = if earlier { "risk.sets.caption" } else { "risk.sets.caption.alone" };
        let keys = ["risk.sets.columns", "risk.sets.distinction", "risk.sets.separation", "risk.sets.unique"];
        self.table(words.get(caption), &keys, 1.., &rows);
    }

    fn population(&mut self, report: &RiskReport) {
        let Some(uniques) = &report.population_uniques else { return };
        let words = self.words;
        self.subheading("risk.population");
        let population = words.whole(uniques.population.round() as u64);
        let fraction = words.figure(uniques.sampling_fraction);
        let caption =
            words.say("risk.population.text", &[("population", &population), ("fraction", &fraction)]);
        let mut rows = Vec::new();
        for estimate in &uniques.estimates {
            let chosen = Some(estimate.method) == uniques.chosen;
            let chosen = if chosen { words.get("risk.population.chosen") } else { "" };
            rows.push(match (estimate.uniques, estimate.share) {
                (Some(people), Some(share)) => vec![
                    estimate.method.word().into(),
                    words.percent(share),
                    words.whole(people.round() as u64),
                    chosen.into(),
                ],
                _ => {
                    let none = words.get("risk.population.none").to_owned();
                    vec![estimate.method.word().into(), "–".into(), "–".into(), none]
                }
            });
        }
        let keys = ["risk.population.model", "risk.population.share", "risk.population.people", ""];
        self.table(&caption, &keys, 1..3, &rows);
    }

    pub(super) fn utility(&mut self) {
        let Some(utility) = &self.facts.utility else { return };
        let words = self.words;
        self.heading("utility");
        self.line("utility.intro");
        let queries = &utility.queries;
        self.say(
            "utility.queries",
            &[
                ("n", &words.whole(queries.queries as u64)),
                ("median", &words.percent(queries.median_error)),
                ("high", &words.percent(queries.high_error)),
                ("plain", &words.percent(queries.median_error_without_spreading)),
                ("plainhigh", &words.percent(queries.high_error_without_spreading)),
            ],
        );
        if let Some(target) = &utility.target {
            let gaps: [(&str, &dyn std::fmt::Display); 6] = [
                ("model", &target.model),
                ("column", &target.column),
                ("after", &words.percent(target.accuracy_after)),
                ("before", &words.percent(target.accuracy_before)),
                ("rows", &words.whole(target.tested_rows as u64)),
                ("base", &words.percent(target.base_rate)),
            ];
            let held = if target.held_out { "utility.target.held" } else { "utility.target.seen" };
            self.paragraph(&(words.say("utility.target", &gaps) + " " + words.get(held)));
        }
        self.subheading("utility.columns");
        self.column_table(&utility.columns);
        self.out.push_str("<div class=\"pictures\">\n");
        for column in &utility.columns {
            self.distribution(column);
        }
        self.out.push_str("</div>\n");
        self.pairs(&utility.pairs);
    }

    /// What other ks would cost.
    pub(super) fn curve(&mut self) {
        let (words, curve) = (self.words, &self.facts.curve);
        let Some(report) = self.facts.anonymize.as_ref().filter(|_| !curve.is_empty()) else { return };
        self.heading("curve");
        let points: Vec<(String, f64)> =
            curve.iter().map(|p| (format!("k = {}", p.k), self.shown_loss(p.loss, p.average_loss))).collect();
        let loss = self.shown_loss(report.loss, report.average_loss);
        let ring = curve.iter().position(|point| point.k == report.k).map(|at| (at, loss));
        let chart = ChartWords {
            title: words.get("curve.title").into(),
            before: words.get("curve.this").into(),
            after: words.get("curve.quick").into(),
            x_axis: words.get("curve.axis").into(),
            y_axis: words.get("curve.loss").into(),
        };
        let svg = paired::line(&chart, &points, ring, &|loss| words.rough(loss));
        let caption = words.say("curve.caption", &[("k", &report.k), ("loss", &words.figure(loss))]);
        self.figure(&svg, &caption);
    }

    fn column_table(&mut self, columns: &[ColumnUtility]) {
        let words = self.words;
        let mut rows = Vec::new();
        for column in columns {
            let said = self.facts.policy.columns.iter().find(|said| said.column == column.column);
            let loss = said.and_then(|said| said.loss);
            rows.push(vec![
                column.column.clone(),
                words.number(column.distance, 4),
                column.earth_mover.map_or("–".into(), |moved| words.number(moved, 4)),
                loss.map_or("–".into(), |loss| words.figure(loss)),
                words.percent(column.starred),
            ]);
        }
        let keys = ["utility.column", "utility.distance", "utility.mover", "utility.loss", "utility.stars"];
        self.table(words.get("utility.columns.caption"), &keys, 1.., &rows);
    }

    fn distribution(&mut self, column: &ColumnUtility) {
        let words = self.words;
        // The bin of missing values is drawn only where there are some.
        let bins = column.before.len() - 1;
        let missing = column.before[bins] > 0.0 || column.after[bins] > 0.0;
        let drawn = if missing { bins + 1 } else { bins };
        let title = words.say("chart.distribution", &[("column", &column.column)]);
        let chart = self.chart_words(&title, "");
        let (ends, key) = match column.ordered {
            true => (["chart.low", "chart.high"], "chart.distribution.ordered"),
            false => (["chart.first", "chart.last"], "chart.distribution.labels"),
        };
        let ends = ends.map(|key| words.get(key));
        let svg = paired::overlay(&chart, ends, &column.before[..drawn], &column.after[..drawn]);
        let mut caption = words.say(key, &[("column", &column.column)]);
        if missing {
            caption = caption + " " + words.get("chart.distribution.missing");
        }
        self.figure(&svg, &caption);
    }

    fn pairs(&mut self, pairs: &[PairUtility]) {
        if pairs.is_empty() {
            return;
        }
        let words = self.words;
        self.subheading("utility.pairs");
        let mut pairs: Vec<&PairUtility> = pairs.iter().collect();
        let change = |pair: &PairUtility| (pair.after - pair.before).abs();
        pairs.sort_by(|a, b| change(b).total_cmp(&change(a)));
        let mut rows = Vec::new();
        for pair in pairs.into_iter().take(LISTED) {
            let columns = pair.columns.join(", ");
            rows.push(vec![columns, words.number(pair.before, 3), words.number(pair.after, 3)]);
        }
        let keys = ["utility.pairs.columns", "risk.before", "risk.after"];
        self.table(words.get("utility.pairs.caption"), &keys, 1.., &rows);
    }
}
