//! `kinfold generate instance`: tables with a known optimum, which the command itself then meets or does not
//! beat.

use crate::support::Folder;
use serde_json::Value;

#[test]
fn every_family_is_written_solved_and_compared() {
    let folder = Folder::with("");
    for (family, size, solver) in [
        ("vertex-cover", "6", None),
        ("matching", "3", Some("exact")),
        ("columns", "4", Some("columns")),
        ("labels", "8", Some("labels:prove")),
        ("points", "6", None),
    ] {
        let generate =
            ["generate", "instance", family, "--size", size, "--seed", "3", "-o", "table.csv", "--json"];
        let told = folder.kinfold(&generate);
        told.ends_with_code(0);
        let known: Value = serde_json::from_str(&told.out).unwrap();
        let (table, policy) = (folder.text("table.csv"), folder.text("table.toml"));
        assert_eq!(table.lines().count() as u64, known["rows"].as_u64().unwrap() + 1, "{family}");
        let optimum = known["optimum"].as_u64().unwrap();
        assert!(policy.contains(&format!("# optimum = {optimum}\n")), "{policy}");
        folder.kinfold(&generate).ends_with_code(0);
        assert_eq!(
            (folder.text("table.csv"), folder.text("table.toml")),
            (table, policy),
            "same seed, same bytes"
        );

        let solved = |solver: &str| {
            let args = [
                "anonymize",
                "table.csv",
                "--policy",
                "table.toml",
                "--solver",
                solver,
                "--json",
                "-o",
                "release.csv",
            ];
            let told = folder.kinfold(&args);
            told.ends_with_code(0);
            let found: Value = serde_json::from_str(&told.out).unwrap();
            found["loss"].as_f64().unwrap()
        };
        assert!(solved("auto") >= optimum as f64, "{family}");
        if let Some(solver) = solver {
            assert_eq!(solved(solver), optimum as f64, "{family} by {solver}");
        }
    }
    let told = folder.kinfold(&["generate", "instance", "labels", "-k", "20", "-o", "names.csv"]);
    told.ends_with_code(0).says("has size 20").says("--policy names.toml");
}

#[test]
fn what_cannot_be_written_is_refused_with_the_reason() {
    let folder = Folder::with("");
    for (args, why, hint) in [
        (vec!["vertex-cover", "--size", "5", "-o", "a.csv"], "even number of vertices", "--size"),
        (vec!["vertex-cover", "-k", "5", "-o", "a.csv"], "k = 7", "-k"),
        (vec!["labels", "-o", "-"], "next to the table", "table.csv"),
        (vec!["labels", "-o", "a.toml"], "next to the table", "table.csv"),
        (vec!["points", "--size", "90000000", "-o", "a.csv"], "too large", "--size"),
    ] {
        let told = folder.kinfold(&[&["generate", "instance"], &args[..]].concat());
        told.ends_with_code(2).complains(why).hints(hint);
        assert!(!folder.path("a.csv").exists() && !folder.path("a.toml").exists());
    }
}
