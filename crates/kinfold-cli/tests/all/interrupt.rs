//! Stopped at any moment, the command ends with 130, leaves nothing behind and what was there as it was.

#![cfg(unix)]
use crate::support::Folder;
use std::io::Write;
use std::process::{Child, ChildStdin, Command};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

const OLD: &str = "an older release\n";
const TICK: Duration = Duration::from_millis(5);
const READ: [&str; 8] = ["anonymize", "-", "-k", "2", "--quasi", "a,b", "-o", "release.csv"];

/// A folder without and one with an older file under the final name.
fn folders() -> [Folder; 2] {
    let (empty, full) = (Folder::new(), Folder::new());
    full.write("release.csv", OLD);
    [empty, full]
}

/// Waits for something that comes for sure; gives up after a minute.
#[track_caller]
fn wait_until(what: &str, mut came: impl FnMut() -> bool) {
    for _ in 0..12_000 {
        if came() {
            return;
        }
        sleep(TICK);
    }
    panic!("waited a minute for {what}");
}

fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

/// Whether the process has a hand on SIGINT already; only Linux says so, elsewhere time must do.
fn listens(child: &Child) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", child.id())) else {
        sleep(Duration::from_secs(1));
        return true;
    };
    let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:")).unwrap_or("0").trim();
    u64::from_str_radix(caught, 16).unwrap_or(0) & (1 << (2 - 1)) != 0
}

/// The exit code; a process that does not end is killed, and the test fails.
#[track_caller]
fn ended(child: &mut Child) -> Option<i32> {
    for _ in 0..4_000 {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        sleep(TICK);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("it went on after the signal");
}

/// Size of the temporary file of the release, once there is one: a file without a name, which only the
/// process has, or a hidden one.
fn temporary_size(folder: &Folder, child: &Child) -> Option<u64> {
    let open = std::fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
    let places = [folder.path(""), folder.spool()];
    let unnamed = open.map(|entry| entry.path()).find(|path| {
        let link = std::fs::read_link(path).unwrap_or_default();
        link.to_string_lossy().ends_with("(deleted)") && places.iter().any(|place| link.starts_with(place))
    });
    let hidden = || {
        let entries = places.iter().flat_map(|place| std::fs::read_dir(place).unwrap()).flatten();
        entries.map(|e| e.path()).find(|path| path.to_string_lossy().ends_with(".tmp"))
    };
    unnamed.or_else(hidden)?.metadata().ok().map(|m| m.len())
}

/// Nothing under the final name but what was there before.
#[track_caller]
fn final_name_is_untouched(folder: &Folder, before: bool) {
    match std::fs::read_to_string(folder.path("release.csv")) {
        Ok(text) => assert!(before && text == OLD, "the file under the final name changed"),
        Err(_) => assert!(!before, "the older file is gone"),
    }
}

/// The folder is as it was: no release, no temporary file, the older file untouched.
#[track_caller]
fn nothing_happened(folder: &Folder, before: bool, others: &[&str]) {
    final_name_is_untouched(folder, before);
    folder.holds(&[others, if before { &["release.csv"] } else { &[] }].concat());
}

/// Rows without end, until nobody reads them any more.
fn feed_without_end(mut stdin: ChildStdin) -> JoinHandle<()> {
    spawn(move || {
        let rows = "1,2\n3,4\n".repeat(4096);
        let _ = stdin.write_all(b"a,b\n");
        while stdin.write_all(rows.as_bytes()).is_ok() {}
    })
}

/// A table whose rows all differ.
fn table(rows: u64) -> String {
    let row = |i: u64| format!("{},{}\n", i * 7919 % 1_000_003, i * 31 % 977);
    std::iter::once("a,b\n".to_owned()).chain((0..rows).map(row)).collect()
}

#[test]
fn stopped_while_reading_rows_without_end() {
    for name in ["INT", "TERM"] {
        for (folder, before) in folders().iter().zip([false, true]) {
            let mut child = folder.start(&READ);
            let feeder = feed_without_end(child.stdin.take().unwrap());
            wait_until("the temporary file", || temporary_size(folder, &child).is_some());
            signal(&child, name);
            assert_eq!(ended(&mut child), Some(130));
            feeder.join().unwrap();
            nothing_happened(folder, before, &[]);
        }
    }
}

#[test]
fn stopped_while_waiting_for_the_first_row() {
    for name in ["INT", "TERM"] {
        let folder = Folder::new();
        let mut child = folder.start(&READ);
        wait_until("the command to listen", || listens(&child));
        signal(&child, name);
        assert_eq!(ended(&mut child), Some(130));
        nothing_happened(&folder, false, &[]);
    }
}

#[test]
fn stopped_while_waiting_for_more_rows() {
    for (folder, before) in folders().iter().zip([false, true]) {
        let mut child = folder.start(&READ);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("a,b\n{}", "1,2\n".repeat(100_000)).as_bytes()).unwrap();
        wait_until("the temporary file", || temporary_size(folder, &child).is_some());
        sleep(Duration::from_millis(200));
        signal(&child, "INT");
        assert_eq!(ended(&mut child), Some(130));
        nothing_happened(folder, before, &[]);
    }
}

#[test]
fn stopped_while_a_typed_file_comes_in() {
    let folder = Folder::new();
    let mut child = folder.start(&READ);
    let mut stdin = child.stdin.take().unwrap();
    let feeder = spawn(move || {
        let _ = stdin.write_all(b"PAR1");
        while stdin.write_all(&[0; 4096]).is_ok() {
            sleep(TICK);
        }
    });
    wait_until("the command to listen", || listens(&child));
    sleep(Duration::from_millis(300));
    signal(&child, "INT");
    assert_eq!(ended(&mut child), Some(130));
    feeder.join().unwrap();
    nothing_happened(&folder, false, &[]);
}

const SOLVE: [&str; 10] =
    ["anonymize", "table.csv", "-k", "2", "--quasi", "a,b", "-o", "release.csv", "--solver", "greedy-search"];

#[test]
fn stopped_while_grouping() {
    let table = table(200_000);
    for name in ["INT", "TERM"] {
        for (folder, before) in folders().iter().zip([false, true]) {
            folder.write("table.csv", &table);
            let mut child = folder.start(&SOLVE);
            wait_until("the temporary file", || temporary_size(folder, &child).is_some());
            sleep(Duration::from_secs(1));
            signal(&child, name);
            assert_eq!(ended(&mut child), Some(130));
            nothing_happened(folder, before, &["table.csv"]);
        }
    }
}

#[test]
fn stopped_twice_in_a_row() {
    let table = table(200_000);
    for (folder, before) in folders().iter().zip([false, true]) {
        folder.write("table.csv", &table);
        let mut child = folder.start(&SOLVE);
        wait_until("the temporary file", || temporary_size(folder, &child).is_some());
        let kills = format!("kill -INT {0}; kill -INT {0}; kill -TERM {0}", child.id());
        Command::new("sh").args(["-c", &kills]).output().unwrap();
        assert_eq!(ended(&mut child), Some(130));
        nothing_happened(folder, before, &["table.csv"]);
    }
}

#[test]
fn stopped_while_writing_or_verifying() {
    let table = table(150_000);
    for output in ["release.csv", "release.csv.gz"] {
        for (name, (folder, before)) in ["INT", "TERM"].iter().zip(folders().iter().zip([false, true])) {
            folder.write("table.csv", &table);
            // The last step can be quicker than the signal: then all is done, and it is tried again.
            let stopped = (0..20).any(|_| {
                let args = [
                    "anonymize",
                    "table.csv",
                    "-k",
                    "2",
                    "--quasi",
                    "a,b",
                    "--solver",
                    "initial",
                    "-o",
                    output,
                ];
                let mut child = folder.start(&args);
                wait_until("bytes in the temporary file", || {
                    temporary_size(folder, &child).is_some_and(|size| size > 0)
                        || child.try_wait().unwrap().is_some()
                });
                signal_if_alive(&mut child, name);
                match ended(&mut child) {
                    Some(130) => return true,
                    code => assert_eq!(code, Some(0)),
                }
                folder.holds(&if output == "release.csv" || !before {
                    vec!["table.csv", output]
                } else {
                    vec!["table.csv", "release.csv", output]
                });
                std::fs::remove_file(folder.path(output)).unwrap();
                if before {
                    folder.write("release.csv", OLD);
                }
                false
            });
            assert!(stopped, "it was never stopped");
            nothing_happened(folder, before, &["table.csv"]);
        }
    }
}

fn signal_if_alive(child: &mut Child, name: &str) {
    if child.try_wait().unwrap().is_none() {
        let kill = format!("kill -{name} {} 2>/dev/null", child.id());
        Command::new("sh").args(["-c", &kill]).status().unwrap();
    }
}

#[test]
fn stopped_while_nobody_reads_standard_output() {
    let folder = Folder::with(table(150_000));
    let args = ["anonymize", "table.csv", "-k", "2", "--quasi", "a,b", "--solver", "initial", "-o", "-"];
    let mut child = folder.start(&args);
    wait_until("bytes in the temporary file", || {
        temporary_size(&folder, &child).is_some_and(|size| size > 0)
    });
    sleep(Duration::from_secs(1));
    signal(&child, "INT");
    assert_eq!(ended(&mut child), Some(130));
    folder.holds(&["table.csv"]);
}

#[test]
fn killed_it_leaves_the_final_name_alone() {
    let table = table(200_000);
    for (folder, before) in folders().iter().zip([false, true]) {
        folder.write("table.csv", &table);
        let mut child = folder.start(&SOLVE);
        wait_until("the temporary file", || temporary_size(folder, &child).is_some());
        signal(&child, "KILL");
        assert_eq!(ended(&mut child), None, "killed, so no exit code");
        final_name_is_untouched(folder, before);
        leaves_nothing(folder, before, &["table.csv"]);
    }
    for (folder, before) in folders().iter().zip([false, true]) {
        let mut child = folder.start(&READ);
        let feeder = feed_without_end(child.stdin.take().unwrap());
        wait_until("the temporary file", || temporary_size(folder, &child).is_some());
        signal(&child, "KILL");
        assert_eq!(ended(&mut child), None, "killed, so no exit code");
        feeder.join().unwrap();
        final_name_is_untouched(folder, before);
        leaves_nothing(folder, before, &[]);
    }
}

/// Where files need no name, nothing is left even by a process that had no time to delete it.
#[track_caller]
fn leaves_nothing(folder: &Folder, before: bool, others: &[&str]) {
    if cfg!(target_os = "linux") {
        nothing_happened(folder, before, others);
    }
}

#[test]
fn a_file_that_may_not_grow_leaves_nothing() {
    let folder = Folder::with(table(50_000));
    for output in ["release.csv", "-"] {
        let args = ["table.csv", "-k", "2", "--quasi", "a,b", "--solver", "initial", "--force"];
        let kinfold = env!("CARGO_BIN_EXE_kinfold");
        let limited = format!("ulimit -f 8; exec {kinfold} anonymize {} -o {output}", args.join(" "));
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).current_dir(folder.path("")).env("TMPDIR", folder.spool());
        let told = command.output().unwrap();
        assert_ne!(told.status.code(), Some(0));
        assert!(told.stdout.is_empty());
        leaves_nothing(&folder, false, &["table.csv"]);
    }
}
