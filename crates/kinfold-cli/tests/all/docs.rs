//! The documentation does what it says: every `console` block of the README and of docs/ is run in a folder of
//! its page, next to a copy of examples/, and what it prints is compared with what the page shows; every `toml`
//! block is read as a policy; every link leads somewhere.
//!
//! - A command starts with `$ ` and goes on after a closing backslash, or up to the end of a heredoc.
//! - Every command must succeed. One that is meant to fail is followed by `; echo "exit code $?"`.
//! - A command without output on the page may print anything. A line `…` stands for any lines.
//! - Times are masked. What cannot run here (installing, other tools) is fenced as `sh`.
//!
//! After an intended change of words: `KINFOLD_BLESS=1 cargo test --test all docs::`, then look at the diff.

use super::golden::without_times;
use super::support::Folder;
use kinfold::model::policy::Draft;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The README, the examples' and every page of docs/, by name.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages.extend([root().join("README.md"), root().join("examples/README.md")]);
    pages
}

/// A fenced block: its language, the number of its first line, its lines.
struct Block<'a> {
    language: &'a str,
    first: usize,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(language), false) => {
                found.push(Block { language: language.trim(), first: number + 1, lines: Vec::new() });
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => found.last_mut().unwrap().lines.push(line),
            (None, false) => {}
        }
    }
    assert!(!open, "a block is not closed");
    found
}

/// A command with what the page shows of its output, as lines of the block.
struct Step {
    command: String,
    shown: std::ops::Range<usize>,
}

fn steps(lines: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(first) = lines[at].strip_prefix("$ ") else {
            steps.last_mut().expect("a block starts with a command").shown.end = at + 1;
            at += 1;
            continue;
        };
        let mut command = first.to_owned();
        let until = first.split_once("<<'").and_then(|(_, rest)| rest.split_once('\'')).map(|(end, _)| end);
        while command.ends_with('\\') || until.is_some_and(|end| lines[at] != end) {
            at += 1;
            command = command + "\n" + lines[at];
        }
        at += 1;
        steps.push(Step { command, shown: at..at });
    }
    steps
}

/// Runs a command as people do, with the built `kinfold` on the path; both outputs in one.
fn run(folder: &Folder, command: &str) -> (Option<i32>, String) {
    let bin = Path::new(env!("CARGO_BIN_EXE_kinfold")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder.path(""))
        .env("PATH", std::env::join_paths(paths).unwrap())
        .env("TMPDIR", folder.spool())
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("sh runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the lines are what the page shows, where `…` stands for any lines.
fn matches(shown: &[String], told: &[String]) -> bool {
    match shown.split_first() {
        None => told.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=told.len()).any(|skipped| matches(rest, &told[skipped..]))
        }
        Some((first, rest)) => {
            told.split_first().is_some_and(|(one, more)| one == first && matches(rest, more))
        }
    }
}

fn masked(text: &str) -> Vec<String> {
    without_times(text).trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
}

/// A policy, or a part of one: what a part lacks is added before it is read.
fn read_policy(folder: &Folder, lines: &[&str]) -> Result<(), String> {
    let mut text = lines.join("\n") + "\n";
    if !lines.iter().any(|line| line.starts_with("k = ")) {
        text = format!("k = 2\n{text}");
    }
    if !text.contains("\"quasi\"") {
        text += "[columns.part]\nrole = \"quasi\"\n";
    }
    Draft::from_toml(&text, &folder.path("policy.toml"))
        .settle()
        .map(drop)
        .map_err(|e| format!("{e}\n{text}"))
}

#[test]
#[cfg(unix)]
fn every_block_runs() {
    let bless = std::env::var_os("KINFOLD_BLESS").is_some();
    let mut faults = Vec::new();
    for page in pages() {
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        let text = std::fs::read_to_string(&page).unwrap();
        let folder = Folder::new();
        let examples = folder.path("examples");
        std::fs::create_dir(&examples).unwrap();
        for entry in std::fs::read_dir(root().join("examples")).unwrap().map(Result::unwrap) {
            std::fs::copy(entry.path(), examples.join(entry.file_name())).unwrap();
        }
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // What was blessed may have another number of lines: from the last block to the first.
        let mut blessed: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        for block in blocks(&text) {
            let place = |line: usize| format!("{name}:{}", block.first + line + 1);
            if block.language == "toml"
                && let Err(mistakes) = read_policy(&folder, &block.lines)
            {
                faults.push(format!("{}: not a policy: {mistakes}", place(0)));
            }
            if block.language != "console" {
                continue;
            }
            for step in steps(&block.lines) {
                let (code, told) = run(&folder, &step.command);
                let at = place(step.shown.start.saturating_sub(1));
                if code != Some(0) {
                    faults.push(format!("{at}: {} ends with {code:?}\n{told}", step.command));
                    continue;
                }
                let shown = block.lines[step.shown.clone()].join("\n");
                if shown.trim().is_empty() || matches(&masked(&shown), &masked(&told)) {
                    continue;
                }
                if bless && !shown.contains('…') {
                    let range = block.first + step.shown.start..block.first + step.shown.end;
                    let gap = if shown.ends_with('\n') { "\n" } else { "" };
                    blessed.push((range, told.trim_end().to_owned() + gap));
                } else {
                    faults.push(format!("{at}: {}\nshown:\n{shown}\ntold:\n{told}", step.command));
                }
            }
        }
        for (range, told) in blessed.into_iter().rev() {
            lines.splice(range, told.split('\n').map(str::to_owned));
        }
        if bless && lines.join("\n") != text.trim_end() {
            std::fs::write(&page, lines.join("\n") + "\n").unwrap();
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// The anchors of a page, as they are made of headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let kept = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || c == ' ';
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|heading| heading.chars().filter(|&c| kept(c)).collect::<String>().replace(' ', "-"))
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut faults = Vec::new();
    let more = ["CONTRIBUTING.md", "GLOSSARY.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|f| root().join(f));
    for page in pages().into_iter().chain(more) {
        let text = std::fs::read_to_string(&page).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        let images =
            text.split("src=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(link, _)| link);
        for link in links.chain(images).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let found = if anchor.is_empty() {
                target.exists()
            } else {
                std::fs::read_to_string(&target).is_ok_and(|text| anchors(&text).contains(anchor))
            };
            if !found {
                faults.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
