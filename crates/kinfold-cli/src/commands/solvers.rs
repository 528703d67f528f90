//! Lists the solvers: those to choose from, then the methods of the papers, by paper.

use super::Voice;
use crate::args::SolversArgs;
use crate::catalogue::solvers;
use kinfold::report::text::{FAINT, STRONG};
use kinfold::solvers::auto;
use kinfold::{Card, Kept, promise_table};
use std::fmt::Write as _;

pub fn run(args: &SolversArgs, voice: &Voice) -> Result<(), crate::failure::Failure> {
    let solvers = solvers();
    let cards = || std::iter::once(&auto::CARD).chain(solvers.cards());
    if args.promises {
        return super::print(&promise_table(cards()));
    }
    voice.result(&cards().collect::<Vec<_>>(), || {
        let mut lists = String::new();
        let mut paper = None;
        for card in cards() {
            if card.method_of != paper {
                paper = card.method_of;
                let _ = writeln!(lists, "{STRONG}Methods of paper {}{STRONG:#}\n", paper.unwrap_or_default());
            }
            let _ = writeln!(lists, "{}", text(card));
        }
        lists.trim_end().to_owned() + "\n"
    })
}

fn objectives(card: &Card) -> String {
    card.objectives.iter().map(|o| o.word()).collect::<Vec<_>>().join(", ")
}

fn text(card: &Card) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}  {}\n", card.key, card.title);
    let mut lines = vec![("objective", objectives(card)), ("promise", card.promise.to_string())];
    for case in card.cases.iter().filter(|case| case.kept != Kept::Fully) {
        lines.push(("", format!("{}: {} ({})", case.inputs(), case.outcome(card.promise), case.why)));
    }
    lines.extend([
        ("runtime", card.runtime.to_owned()),
        ("not for", card.not_for.to_owned()),
        ("paper", card.paper.to_owned()),
    ]);
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
