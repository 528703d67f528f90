//! A line that moves while work goes on: only on a terminal, only after a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kinfold::Progress;
use kinfold::model::Event;
use kinfold::report::thousands;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub struct Line {
    bar: ProgressBar,
    phase: Mutex<(String, Instant)>,
}

impl Line {
    /// A line, if anybody can see it.
    pub fn new() -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        Some(Self { bar, phase: Mutex::new((String::new(), Instant::now())) })
    }

    /// Shows what a call tells.
    pub fn show(&self, event: Event) {
        match event {
            Event::Phase(phase) => self.phase(phase.word().to_owned()),
            Event::Part(name) => self.phase(name),
            Event::Rows(rows) => self.tick(&format!(" {} rows", thousands(rows as u64))),
            Event::Work(so_far) => self.tick(&share_and_loss(so_far)),
            _ => {}
        }
    }

    fn phase(&self, name: String) {
        if let Ok(mut phase) = self.phase.lock() {
            self.bar.set_message(name.clone());
            phase.0 = name;
        }
        self.tick("");
    }

    fn tick(&self, detail: &str) {
        let Ok(phase) = self.phase.lock() else { return };
        if phase.1.elapsed() < Duration::from_secs(1) {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
        self.bar.set_message(format!("{}{detail}", phase.0));
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn share_and_loss(Progress { done, loss, bound }: Progress) -> String {
    let gap = loss.zip(bound).filter(|(loss, _)| *loss > 0.0).map(|(loss, bound)| 1.0 - bound / loss);
    let loss = loss.map(|loss| format!("  loss {loss:.4}")).unwrap_or_default();
    let gap = gap.map(|gap| format!("  gap {:.1} %", gap * 100.0)).unwrap_or_default();
    format!(" {:.0} %{loss}{gap}", done * 100.0)
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
