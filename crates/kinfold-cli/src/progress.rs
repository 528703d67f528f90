//! A line that moves while work goes on: only on a terminal, only after a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kinfold::Progress;
use std::io::IsTerminal;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

static LINE: OnceLock<Line> = OnceLock::new();

struct Line {
    bar: ProgressBar,
    phase: Mutex<(String, Instant)>,
}

/// Allows progress to be shown, if anybody can see it.
pub fn enable() {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    let _ = LINE.set(Line { bar, phase: Mutex::new((String::new(), Instant::now())) });
}

/// A new phase starts.
pub fn phase(name: &str) {
    if let Some(line) = LINE.get()
        && let Ok(mut phase) = line.phase.lock()
    {
        phase.0 = name.to_owned();
        line.bar.set_message(name.to_owned());
        drop(phase);
        tick(line, String::new());
    }
}

/// So many rows are read.
pub fn rows_read(rows: usize) {
    if let Some(line) = LINE.get() {
        tick(line, format!(" {} rows", crate::screen::thousands(rows as u64)));
    }
}

/// A solver has come so far.
pub fn solved(so_far: Progress) {
    if let Some(line) = LINE.get() {
        tick(line, share_and_loss(so_far));
    }
}

fn share_and_loss(Progress { done, loss, bound }: Progress) -> String {
    let gap = loss.zip(bound).filter(|(loss, _)| *loss > 0.0).map(|(loss, bound)| 1.0 - bound / loss);
    let loss = loss.map(|loss| format!("  loss {loss:.4}")).unwrap_or_default();
    let gap = gap.map(|gap| format!("  gap {:.1} %", gap * 100.0)).unwrap_or_default();
    format!(" {:.0} %{loss}{gap}", done * 100.0)
}

fn tick(line: &Line, detail: String) {
    let Ok(phase) = line.phase.lock() else { return };
    if phase.1.elapsed() < Duration::from_secs(1) {
        return;
    }
    if line.bar.is_hidden() {
        line.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        line.bar.enable_steady_tick(Duration::from_millis(100));
    }
    line.bar.set_message(format!("{}{detail}", phase.0));
}

/// Takes the line away.
pub fn finish() {
    if let Some(line) = LINE.get() {
        line.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_and_gap_are_shown_once_they_are_known() {
        assert_eq!(share_and_loss(Progress { done: 0.4, loss: None, bound: None }), " 40 %");
        assert_eq!(
            share_and_loss(Progress { done: 0.4, loss: Some(0.01714), bound: None }),
            " 40 %  loss 0.0171"
        );
        let proven = Progress { done: 0.4, loss: Some(0.02), bound: Some(0.019) };
        assert_eq!(share_and_loss(proven), " 40 %  loss 0.0200  gap 5.0 %");
    }
}
