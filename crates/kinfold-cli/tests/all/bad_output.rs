//! Nothing that was read is overwritten, and what cannot be written leaves nothing behind.

use crate::support::{Folder, PEOPLE, ROLES, Told, with};
use std::process::Stdio;

#[track_caller]
fn output_refused(folder: &Folder, output: &str, message: &str, hint: &str) {
    let args = with(&["anonymize", "table.csv", "-k", "2", "-o", output], &ROLES);
    folder.refuses(&args, message, hint, PEOPLE);
}

#[test]
fn the_table_is_not_overwritten_under_any_of_its_names() {
    let folder = Folder::with(PEOPLE);
    let absolute = folder.path("table.csv");
    for output in ["table.csv", "./table.csv", absolute.to_str().unwrap()] {
        output_refused(&folder, output, "is also read", "another name");
    }
}

#[cfg(unix)]
#[test]
fn the_table_is_not_overwritten_through_a_link() {
    let folder = Folder::with(PEOPLE);
    std::os::unix::fs::symlink("table.csv", folder.path("soft.csv")).unwrap();
    std::fs::hard_link(folder.path("table.csv"), folder.path("hard.csv")).unwrap();
    for output in ["soft.csv", "hard.csv"] {
        output_refused(&folder, output, "is also read", "another name");
        let args = with(&["anonymize", "table.csv", "-k", "2", "--groups", output], &ROLES);
        folder.refuses(&args, "is also read", "another name", PEOPLE);
    }
}

#[cfg(unix)]
#[test]
fn the_table_on_standard_input_is_not_overwritten() {
    let folder = Folder::with(PEOPLE);
    let mut command = folder.command(&with(&["anonymize", "-", "-k", "2", "-o", "table.csv"], &ROLES));
    command.stdin(std::fs::File::open(folder.path("table.csv")).unwrap());
    Told::of(command.output().unwrap()).ends_with_code(2).complains("is also read").hints("another name");
    assert_eq!(folder.text("table.csv"), PEOPLE);
    folder.holds(&["table.csv"]);
}

#[test]
fn policy_and_hierarchy_files_are_not_overwritten() {
    let folder = Folder::with("zip,x\n11,1\n12,2\n21,3\n22,4\n");
    folder.write(
        "policy.toml",
        "k = 2\n[columns]\nx = \"keep\"\n[columns.zip]\nrole = \"quasi\"\nhierarchy = \"zips.csv\"\n",
    );
    folder.write("zips.csv", "11;1*;*\n12;1*;*\n21;2*;*\n22;2*;*\n");
    for output in ["policy.toml", "zips.csv"] {
        for flag in ["-o", "--groups"] {
            let args = ["anonymize", "table.csv", "--policy", "policy.toml", flag, output];
            folder.refuses(&args, "is also read", "another name", "");
        }
    }
    let args = [
        "anonymize",
        "table.csv",
        "-k",
        "2",
        "--quasi",
        "zip:hierarchy=zips.csv",
        "--keep",
        "x",
        "-o",
        "zips.csv",
    ];
    folder.refuses(&args, "is also read", "another name", "");
}

#[test]
fn release_and_groups_do_not_share_a_file() {
    let folder = Folder::with(PEOPLE);
    for (output, groups) in [("out.csv", "out.csv"), ("out.csv", "./out.csv"), ("-", "-")] {
        let args = with(&["anonymize", "table.csv", "-k", "2", "-o", output, "--groups", groups], &ROLES);
        folder.refuses(&args, "groups", "", PEOPLE);
    }
}

#[test]
fn a_folder_that_does_not_exist() {
    let folder = Folder::with(PEOPLE);
    output_refused(&folder, "nowhere/release.csv", "cannot write nowhere/release.csv", "folder");
    let args = with(
        &["anonymize", "table.csv", "-k", "2", "-o", "release.csv", "--groups", "nowhere/g.csv"],
        &ROLES,
    );
    folder.refuses(&args, "cannot write nowhere/g.csv", "folder", PEOPLE);
    let args = ["inspect", "table.csv", "--policy-out", "nowhere/policy.toml"];
    folder.refuses(&args, "cannot write nowhere/policy.toml", "folder", PEOPLE);
}

#[test]
fn a_folder_as_output() {
    let folder = Folder::with(PEOPLE);
    std::fs::create_dir(folder.path("folder")).unwrap();
    output_refused(&folder, "folder", "cannot write folder: it is a directory", "");
}

#[test]
fn a_format_that_is_not_written() {
    let folder = Folder::with(PEOPLE);
    output_refused(&folder, "release.parquet.gz", "not written gzipped", "remove .gz");
    output_refused(&folder, "release.xlsx", "xlsx", ".csv");
}

#[cfg(unix)]
#[test]
fn a_full_disk() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::with(PEOPLE);
    output_refused(&folder, "/dev/full", "No space left", "free disk space");
    let args =
        with(&["anonymize", "table.csv", "-k", "2", "-o", "/dev/full", "--groups", "groups.csv"], &ROLES);
    folder.refuses(&args, "No space left", "free disk space", PEOPLE);
    for flag in ["--groups", "--frame", "--lookup"] {
        let args =
            with(&["anonymize", "table.csv", "-k", "2", "-o", "release.csv", flag, "/dev/full"], &ROLES);
        folder.refuses(&args, "cannot write /dev/full: No space left", "nothing was left behind", PEOPLE);
    }
}

#[cfg(unix)]
#[test]
fn a_summary_that_cannot_be_printed_leaves_no_file() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::with(PEOPLE);
    folder.write("old.csv", "as before");
    let anonymize = with(&["anonymize", "table.csv", "-k", "2"], &ROLES);
    let certify = with(&["certify", "table.csv", "-k", "2"], &ROLES);
    let runs = [
        with(&anonymize, &["-o", "release.csv", "--groups", "groups.csv"]),
        with(&anonymize, &["-o", "old.csv", "--json"]),
        with(&anonymize, &["-o", "-", "--groups", "groups.csv"]),
        with(&anonymize, &["-o", "release.csv", "--groups", "-"]),
        with(&certify, &["--certificate", "proof.txt"]),
        vec!["inspect", "table.csv", "--policy-out", "policy.toml"],
    ];
    for args in runs {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let told = Told::of(folder.command(&args).stdout(full).output().unwrap());
        told.ends_with_code(2).complains("cannot write standard output: No space left");
        told.hints("nothing was left behind");
        folder.holds(&["old.csv", "table.csv"]);
        assert_eq!(folder.text("old.csv"), "as before");
    }
}

#[cfg(unix)]
#[test]
fn what_tells_of_people_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(PEOPLE);
    let mode = |name: &str| folder.path(name).metadata().unwrap().permissions().mode() & 0o777;
    folder.release(&[
        "-k",
        "3",
        "-o",
        "release.csv",
        "--groups",
        "groups.csv",
        "--frame",
        "frame.json",
        "--record",
        "run.json",
    ]);
    let certify = with(&["certify", "table.csv", "-k", "3", "--certificate", "proof.txt"], &ROLES);
    folder.kinfold(&certify).ends_with_code(0);
    assert_eq!(["groups.csv", "frame.json", "proof.txt", "run.json"].map(mode), [0o600; 4]);
    assert_eq!(mode("release.csv"), mode("table.csv"), "as any new file");
    for name in ["release.csv", "groups.csv"] {
        std::fs::set_permissions(folder.path(name), PermissionsExt::from_mode(0o664)).unwrap();
    }
    folder.release(&["-k", "3", "-o", "release.csv", "--groups", "groups.csv"]);
    assert_eq!(["release.csv", "groups.csv"].map(mode), [0o664; 2], "what was there keeps its permissions");
}

#[cfg(unix)]
#[test]
fn standard_output_on_a_full_disk() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::with(PEOPLE);
    let anonymize = with(&["anonymize", "table.csv", "-k", "2"], &ROLES);
    let verify = ["verify", "release.csv", "-k", "2", "--quasi", "age,sex,zip"];
    folder.release(&["-k", "2", "-o", "release.csv"]);
    let runs = [
        with(&anonymize, &["-o", "-"]),
        anonymize.clone(),
        with(&anonymize, &["--json"]),
        with(&["inspect"], &["table.csv"]),
        vec!["solvers"],
        verify.to_vec(),
        vec!["generate", "man"],
    ];
    for args in runs {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let told = Told::of(folder.command(&args).stdout(full).output().unwrap());
        told.ends_with_code(2).complains("No space left").hints("free disk space");
        folder.holds(&["release.csv", "table.csv"]);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = Folder::with(PEOPLE);
    let anonymize = with(&["anonymize", "table.csv", "-k", "2"], &ROLES);
    let runs = [
        with(&anonymize, &["-o", "-"]),
        anonymize.clone(),
        with(&anonymize, &["--json"]),
        vec!["inspect", "table.csv"],
        vec!["solvers"],
        vec!["generate", "bash"],
    ];
    for args in runs {
        let mut child = folder.command(&args).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        Told::of(child.wait_with_output().unwrap()).ends_with_code(0);
        folder.holds(&["table.csv"]);
    }
}

#[test]
fn a_draft_does_not_replace_a_policy() {
    let folder = Folder::with(PEOPLE);
    folder.write("policy.toml", "k = 5\n");
    let args = ["inspect", "table.csv", "--policy-out", "policy.toml"];
    folder.refuses(&args, "policy.toml exists already", "another name", PEOPLE);
}

#[test]
fn release_and_summary_do_not_mix_on_standard_output() {
    let folder = Folder::with(PEOPLE);
    let args = with(&["anonymize", "table.csv", "-k", "2", "--json", "-o", "-"], &ROLES);
    folder.refuses(&args, "cannot both go to standard output", "write the release to a file", PEOPLE);
}

#[test]
fn groups_on_standard_output_stand_there_alone() {
    let folder = Folder::with(PEOPLE);
    let told = folder.anonymize(&["-k", "3", "--groups", "-"]);
    told.ends_with_code(0);
    assert_eq!(told.out.lines().count(), 13, "{}", told.out);
    assert!(told.out.starts_with("group\n"), "{}", told.out);
    let args = with(&["anonymize", "table.csv", "-k", "2", "--json", "--groups", "-"], &ROLES);
    folder.refuses(&args, "cannot both go to standard output", "", PEOPLE);
}

#[test]
fn a_draft_on_standard_output_stands_there_alone() {
    let folder = Folder::with(PEOPLE);
    let told = folder.kinfold(&["inspect", "table.csv", "--policy-out", "-"]);
    told.ends_with_code(0).says("[columns.age]");
    folder.write("draft.toml", &told.out);
    folder.kinfold(&["anonymize", "table.csv", "--policy", "draft.toml", "-k", "2"]).ends_with_code(0);
    let args = ["inspect", "table.csv", "--policy-out", "-", "--json"];
    folder.refuses(&args, "cannot both go to standard output", "", PEOPLE);
}
