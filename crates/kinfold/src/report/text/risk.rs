//! How likely people are found again.

use super::models::reached_text;
use super::screen::{FAINT, NOTE, STRONG, count, table, thousands};
use crate::report::{AttributeRisk, RiskReport, percent, significant};
use kinfold_model::Unit;
use kinfold_model::risk::{AtRisk, Basis, PopulationUniques, SafeHarbor, Subset};
use std::fmt::Write as _;

/// How likely people are found again.
pub fn risk(report: &RiskReport) -> String {
    let classes = count(report.classes as usize, "class", "classes");
    let counted = match report.unit {
        Unit::People => "people",
        _ => "rows, each counted as one person,",
    };
    let mut text = format!(
        "{STRONG}{}{STRONG:#} {counted} in {classes} of {:.2} on average, by {}\n",
        thousands(report.people),
        report.average_class,
        report.quasi_identifiers.join(", "),
    );
    let uniques = thousands(report.sample_uniques);
    let share = percent(report.sample_uniques_share);
    let _ = writeln!(text, "  {NOTE}{uniques} people ({share}){NOTE:#} are unique in the table");
    let smallest = report.class_sizes.iter().take(5);
    let smallest = smallest.map(|c| format!("{} of {}", thousands(c.classes), c.size));
    let _ = writeln!(text, "  smallest classes: {}\n", smallest.collect::<Vec<_>>().join(", "));
    text.push_str(&attackers(report));
    if let Some(uniques) = &report.population_uniques {
        text.push_str(&population(uniques));
    }
    text.push_str(&sets(report));
    for attribute in &report.attributes {
        text.push_str(&attribute_text(attribute, report.unit));
    }
    if let Some(linkage) = &report.linkage {
        let people = thousands(linkage.people);
        let whom = if linkage.sampled { format!("a sample of {people}") } else { format!("all {people}") };
        let _ = writeln!(
            text,
            "\n{STRONG}linkage{STRONG:#} of {whom} people of the original: at least {} people of the release fit each, {:.1} \
             on average",
            thousands(linkage.fewest),
            linkage.average
        );
        let (pinned, unmatched) = (thousands(linkage.pinned), thousands(linkage.unmatched));
        let _ = writeln!(text, "  {pinned} people fit one group only; {unmatched} fit none (withheld)");
    }
    if let Some((told, alone)) = report.values_told.zip(report.singled_out) {
        let (told, alone) = (percent(told), percent(alone));
        let _ = writeln!(
            text,
            "\n{STRONG}exact values{STRONG:#}: {told} of the generalized values are somebody's own; {alone} of people are the \
             only ones in their group with such a value"
        );
    }
    if !report.safe_harbor.is_empty() {
        let _ = writeln!(text, "\n{STRONG}likely identifiers{STRONG:#} in the sense of HIPAA Safe Harbor");
        let mut rows = Vec::new();
        for found in &report.safe_harbor {
            let by = match found.by {
                Basis::Name => "its name",
                Basis::Content => "its values",
            };
            rows.push(vec![found.column.clone(), identifier(found.identifier).into(), by.into()]);
        }
        text.push_str(&table(&["column", "likely", "by"], ..0, &rows));
    }
    text
}

fn attackers(report: &RiskReport) -> String {
    let prosecutor = &report.prosecutor;
    let row = |who: &str, knows: &str, highest: Option<f64>, average: f64, above: &[AtRisk]| {
        let figure = |risk: f64| format!("{risk:.4}");
        let mut row = vec![who.to_owned(), knows.to_owned()];
        row.extend([highest.map(figure).unwrap_or_default(), figure(average)]);
        row.extend(above.iter().map(|at| percent(at.share)));
        row
    };
    let (highest, above) = (Some(prosecutor.highest), &prosecutor.above);
    let mut rows =
        vec![row("prosecutor", "that the person is in the table", highest, prosecutor.average, above)];
    if let Some(journalist) = &report.journalist {
        let knows = if journalist.counted { "the population" } else { "the population (estimate)" };
        let highest = Some(journalist.highest);
        rows.push(row("journalist", knows, highest, journalist.average, &journalist.above));
    }
    rows.push(row("marketer", "looks everybody up", None, report.marketer, &[]));
    let thresholds: Vec<String> = above.iter().map(|at| format!("above {}", at.threshold)).collect();
    let heading = ["attacker", "knows", "highest", "average"].into_iter();
    let heading: Vec<&str> = heading.chain(thresholds.iter().map(String::as_str)).collect();
    let mut text = table(&heading, 2.., &rows);
    if let Some(journalist) = &report.journalist {
        let expected = if journalist.counted { "" } else { "about " };
        let k = thousands(journalist.k_map.round() as u64);
        let _ = writeln!(
            text,
            "  {FAINT}k-map: at least {expected}{k} people of the population fit each class{FAINT:#}"
        );
        if journalist.without_match > 0 {
            let people = thousands(journalist.without_match);
            let _ = writeln!(
                text,
                "  {NOTE}{people} people{NOTE:#} are in classes that nobody of the population fits"
            );
        }
    }
    text
}

fn population(uniques: &PopulationUniques) -> String {
    let mut text = format!(
        "\n{STRONG}population uniques{STRONG:#}: estimates for {} people (sampling fraction {})\n",
        thousands(uniques.population.round() as u64),
        significant(uniques.sampling_fraction, 6),
    );
    let mut rows = Vec::new();
    for estimate in &uniques.estimates {
        let chosen = if Some(estimate.method) == uniques.chosen { "by Dankar's rule" } else { "" };
        rows.push(match (estimate.uniques, estimate.share) {
            (Some(people), Some(share)) => vec![
                estimate.method.word().into(),
                format!("{:.4} %", 100.0 * share),
                thousands(people.round() as u64),
                chosen.into(),
            ],
            _ => {
                let why = estimate.no_answer.unwrap_or_default();
                vec![estimate.method.word().into(), "–".into(), "–".into(), format!("no answer: {why}")]
            }
        });
    }
    text.push_str(&table(&["model", "unique", "people", ""], 1..3, &rows));
    text
}

/// Columns alone, then the sets that tell most.
fn sets(report: &RiskReport) -> String {
    let Some(all) = &report.all_columns else { return String::new() };
    let looked = count(report.sets_looked_at, "set", "sets");
    let mut text = format!(
        "\n{STRONG}which columns single people out{STRONG:#} {FAINT}({looked} of up to {} columns; the most telling \
         are listed){FAINT:#}\n",
        report.sets_up_to
    );
    let mut rows = Vec::new();
    let mut singles: Vec<&Subset> = report.single_columns.iter().collect();
    singles.sort_by(|a, b| b.distinction.total_cmp(&a.distinction));
    for set in singles.into_iter().chain(&report.telling_sets).chain([all]) {
        let columns = if set == all { "all".to_owned() } else { set.columns.join(", ") };
        rows.push(vec![
            columns,
            significant(set.distinction, 6),
            format!("{:.6}", set.separation),
            percent(set.unique),
        ]);
    }
    text.push_str(&table(&["columns", "distinction", "separation", "unique"], 1.., &rows));
    text
}

fn attribute_text(attribute: &AttributeRisk, unit: Unit) -> String {
    let reached = &attribute.reached;
    let mut text = format!(
        "\n{STRONG}{}{STRONG:#}: certain for {} people ({}), above 80 % for {} ({})\n",
        reached.column,
        thousands(attribute.certain_people),
        percent(attribute.certain_share),
        thousands(attribute.likely_people),
        percent(attribute.likely_share),
    );
    let _ = writeln!(
        text,
        "  best guess by class is right for {}, without the table for {}",
        percent(attribute.best_guess),
        percent(attribute.base_rate)
    );
    let mut reached = reached.clone();
    // Said above.
    reached.one_value_people = 0;
    text.push_str(&reached_text(&[reached], unit));
    text
}

fn identifier(identifier: SafeHarbor) -> &'static str {
    match identifier {
        SafeHarbor::Name => "name",
        SafeHarbor::Place => "place smaller than a state",
        SafeHarbor::Date => "date",
        SafeHarbor::AgeOver89 => "ages over 89",
        SafeHarbor::Telephone => "telephone or fax number",
        SafeHarbor::Email => "e-mail address",
        SafeHarbor::SocialSecurity => "social security number",
        SafeHarbor::MedicalRecord => "medical record number",
        SafeHarbor::HealthPlan => "health plan number",
        SafeHarbor::Account => "account number",
        SafeHarbor::Licence => "licence or certificate number",
        SafeHarbor::Vehicle => "vehicle identifier",
        SafeHarbor::Device => "device identifier",
        SafeHarbor::WebAddress => "web address",
        SafeHarbor::IpAddress => "IP address",
        SafeHarbor::Biometric => "biometric identifier",
        SafeHarbor::Photograph => "photograph",
        SafeHarbor::UniqueCode => "unique number or code",
    }
}
