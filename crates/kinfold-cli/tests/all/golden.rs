//! What people read, letter for letter. After an intended change: `KINFOLD_BLESS=1 cargo test --test all
//! golden::`.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the command in the project's folder and compares what it says with the file of that name.
fn golden(name: &str, args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_kinfold"))
        .args(args)
        .current_dir(root())
        .env("COLUMNS", "100")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the command runs");
    let told = format!(
        "$ kinfold {}\n{}{}(exit {})\n",
        args.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code().expect("it was not killed")
    );
    let told = without_times(&told);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("KINFOLD_BLESS").is_some() {
        std::fs::write(&path, &told).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(told, expected, "{name} changed; if that is meant, bless it");
}

/// Times differ from run to run: every number before a unit of time becomes a dash, widths too.
pub fn without_times(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let timed = |i: usize| {
            words.get(i + 1).is_some_and(|unit| ["ms", "s", "ms,", "s,", "ms)", "s)"].contains(unit))
                && words[i].trim_start_matches('(').parse::<f64>().is_ok()
        };
        // A heading is as wide as the times below it.
        if !((0..words.len()).any(timed) || words.contains(&"time") && words.contains(&"CPU")) {
            lines.push(line.to_owned());
            continue;
        }
        let kept: Vec<&str> = (0..words.len())
            .filter(|&i| !(words[i].is_empty() || i > 0 && timed(i - 1)))
            // Who is on the frontier depends on times, too.
            .filter(|&i| words[i] != "◆")
            .map(|i| if timed(i) { "–" } else { words[i] })
            .collect();
        lines.push(format!("  {}", kept.join(" ")));
    }
    lines.join("\n") + "\n"
}

const RELEASE: &str = "crates/kinfold-cli/tests/golden/release.csv";

#[test]
fn demo() {
    golden("demo.txt", &["demo"]);
}

#[test]
fn inspect() {
    golden("inspect.txt", &["inspect", "examples/patients.csv"]);
}

#[test]
fn inspect_json() {
    golden("inspect-json.txt", &["inspect", "examples/patients.csv", "--json"]);
}

#[test]
fn drafted_policy() {
    golden("draft.txt", &["inspect", "examples/patients.csv", "--policy-out", "-"]);
}

#[test]
fn proposed_levels() {
    golden("hierarchy.txt", &["hierarchy", "examples/patients.csv", "--column", "education"]);
}

#[test]
fn solvers() {
    let name = if cfg!(feature = "exact") { "solvers-exact.txt" } else { "solvers.txt" };
    golden(name, &["solvers"]);
}

#[test]
#[cfg(not(feature = "exact"))]
fn a_solver_that_was_not_built_in() {
    let policy = ["--quasi", "age,sex", "--identifier", "name", "--drop", "zip,education,admitted,diagnosis"];
    let args = ["anonymize", "examples/patients.csv", "-k", "3", "--solver", "milp"];
    golden("lacking.txt", &[&args[..], &policy].concat());
}

#[test]
fn release() {
    golden(
        "release.txt",
        &["anonymize", "examples/patients.csv", "--policy", "examples/patients.toml", "-o", "-"],
    );
}

#[test]
fn summary() {
    golden("summary.txt", &["anonymize", "examples/patients.csv", "--policy", "examples/patients.toml"]);
}

#[test]
fn compare() {
    golden(
        "compare.txt",
        &["compare", "examples/patients.csv", "--policy", "examples/patients.toml", "-k", "2,4"],
    );
}

#[test]
fn verify_safe_and_true() {
    golden(
        "verify.txt",
        &["verify", RELEASE, "--policy", "examples/patients.toml", "--original", "examples/patients.csv"],
    );
}

#[test]
fn verify_not_safe() {
    golden("verify-not-safe.txt", &["verify", "examples/patients.csv", "--policy", "examples/patients.toml"]);
}

#[test]
fn mistakes_in_a_policy() {
    golden(
        "mistakes.txt",
        &["anonymize", "examples/patients.csv", "--policy", "crates/kinfold-cli/tests/golden/mistakes.toml"],
    );
}

#[test]
fn help() {
    golden("help.txt", &["--help"]);
    golden("help-anonymize.txt", &["anonymize", "--help"]);
    golden("help-plot-labels.txt", &["plot", "labels", "--help"]);
    golden("help-plot-map.txt", &["plot", "map", "--help"]);
}

#[test]
fn the_manual_and_completions_are_written() {
    for (what, mark) in [
        ("man", ".TH kinfold 1"),
        ("man", ".SH \"KINFOLD PLOT LABELS\""),
        ("bash", "_kinfold"),
        ("zsh", "#compdef kinfold"),
        ("fish", "complete -c kinfold"),
    ] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_kinfold")).args(["generate", what]).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(mark), "{what}: {}", &text[..text.len().min(300)]);
    }
}
