//! Lists every solver.

use super::Voice;
use crate::screen::{FAINT, STRONG};
use kinfold::Card;
use kinfold::solvers::{SOLVERS, auto};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub fn run(voice: Voice) -> Result<(), crate::failure::Failure> {
    let cards = || std::iter::once(&auto::CARD).chain(SOLVERS.iter().map(|s| s.card()));
    voice.result(|| cards().map(summary).collect(), || cards().map(text).collect::<Vec<_>>().join("\n"))
}

fn objectives(card: &Card) -> String {
    card.objectives.iter().map(|o| o.word()).collect::<Vec<_>>().join(", ")
}

fn summary(card: &Card) -> Value {
    let settings: Vec<Value> =
        card.settings.iter().map(|s| json!({ "key": s.key, "values": s.values, "about": s.about })).collect();
    json!({
        "key": card.key,
        "title": card.title,
        "objectives": card.objectives.iter().map(|o| o.word()).collect::<Vec<_>>(),
        "uses_effort": card.uses_effort,
        "promise": card.promise.to_string(),
        "paper": card.paper,
        "runtime": card.runtime,
        "not_for": card.not_for,
        "settings": settings,
    })
}

fn text(card: &Card) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}  {}\n", card.key, card.title);
    let promise = card.promise.to_string();
    let lines = [
        ("objective", objectives(card)),
        ("promise", promise),
        ("runtime", card.runtime.to_owned()),
        ("not for", card.not_for.to_owned()),
        ("paper", card.paper.to_owned()),
    ];
    for (label, line) in lines {
        let _ = writeln!(text, "  {FAINT}{label:<9}{FAINT:#}  {line}");
    }
    for setting in card.settings {
        let _ = writeln!(
            text,
            "  {FAINT}setting  {FAINT:#}  {}={} (default {}): {}",
            setting.key,
            setting.values.join("|"),
            setting.values[0],
            setting.about
        );
    }
    text
}
