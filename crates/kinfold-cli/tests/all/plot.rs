//! Pictures of groups: what they show, what is told beside them, and what is refused.

use crate::support::{Folder, Told, well_formed};
use serde_json::Value;

/// Names and how many people have them; no name is a word that a picture could hold by chance.
fn names() -> String {
    let lines = (1..60u32).map(|rank| format!("qx{rank}vz,{}\n", 1 + 300 / rank));
    format!("name,people,age\n{}", lines.map(|line| line.replace('\n', ",40\n")).collect::<String>())
}

const ROLES: [&str; 6] = ["--quasi", "name:category", "--count", "people", "--drop", "age"];

fn plotted(folder: &Folder, flags: &[&str]) -> Told {
    folder.kinfold(&[&["plot", "labels", "table.csv"], &ROLES[..], flags].concat())
}

#[test]
fn a_picture_has_every_curve_the_bound_and_no_label() {
    let folder = Folder::with(names());
    plotted(&folder, &["-o", "sizes.svg"])
        .ends_with_code(0)
        .says("59 labels")
        .says("Spread is never above Fold")
        .says("sizes.svg");
    folder.holds(&["sizes.svg", "table.csv"]);
    let svg = folder.text("sizes.svg");
    well_formed(&svg);
    assert_eq!(svg.matches("<path class=\"curve ").count(), 7);
    for told in [
        ">Ascending Fold<",
        ">Ascending Spread<",
        ">Random Fold<",
        ">Random Spread<",
        ">Sorted Fold<",
        ">Sorted Spread<",
        ">labels<",
        ">lower bound<",
        "largest group / k",
        "at most 2 groups",
        "no release can be here",
        "59 labels, ",
        "<path class=\"bound\"",
        "prefers-color-scheme:dark",
    ] {
        assert!(svg.contains(told), "{told}: {svg}");
    }
    assert!(!svg.contains("qx") && !svg.contains("vz"), "a label stands in the picture");
}

#[test]
fn a_machine_is_told_every_size() {
    let folder = Folder::with(names());
    let json = |flags: &[&str]| -> Value {
        let told = plotted(&folder, &[&["-o", "sizes.svg", "--json"], flags].concat());
        serde_json::from_str(&told.ends_with_code(0).out).unwrap()
    };
    let all = json(&["--steps", "100000"]);
    let (from, to) = (301, all["people"].as_u64().unwrap() / 2);
    assert_eq!((all["from"].as_u64(), all["to"].as_u64()), (Some(from), Some(to)));
    assert_eq!(all["values_of_k"], to - from + 1, "every k");
    assert_eq!(all["spread_never_above_fold"], true);
    let sizes = all["sizes"].as_array().unwrap();
    let within = |s: &&Value| s["label_best"].as_u64().unwrap() * 100 <= s["bound"].as_u64().unwrap() * 101;
    let share = sizes.iter().filter(within).count() as f64 / sizes.len() as f64;
    assert_eq!(all["label_best_within_one_percent"], share);
    for (k, size) in (from..).zip(sizes) {
        assert_eq!(size["k"], k);
        for way in ["random_fold", "random_spread", "sorted_fold", "sorted_spread", "label_best"] {
            assert!(
                size[way].as_u64() >= size["bound"].as_u64() && size["bound"].as_u64() >= Some(k),
                "{size}"
            );
        }
    }
    let few = json(&["--from", "100", "--to", "200", "--steps", "5", "--threads", "1"]);
    let ks: Vec<u64> = few["sizes"].as_array().unwrap().iter().map(|s| s["k"].as_u64().unwrap()).collect();
    assert_eq!(ks, [100, 125, 150, 175, 200]);
    let first = folder.bytes("sizes.svg");
    assert_eq!(few, json(&["--from", "100", "--to", "200", "--steps", "5", "--threads", "3"]));
    assert!(first == folder.bytes("sizes.svg"), "whatever the number of threads");
    assert_ne!(few, json(&["--from", "100", "--to", "200", "--steps", "5", "--seed", "7"]));
}

#[test]
fn a_picture_on_standard_output_stands_there_alone() {
    let folder = Folder::with(names());
    let told = plotted(&folder, &["-o", "-"]);
    well_formed(&told.ends_with_code(0).out);
    folder.holds(&["table.csv"]);
}

#[test]
fn a_policy_for_anything_else_will_do() {
    let folder = Folder::with(names());
    folder.write(
        "policy.toml",
        "k = 5000\nobjective = \"stars\"\nwithhold = \"2%\"\n[columns]\nname = \"quasi\"\npeople = \"count\"\nage = \"keep\"\n",
    );
    let told = folder.kinfold(&["plot", "labels", "table.csv", "--policy", "policy.toml", "-o", "a.svg"]);
    told.ends_with_code(0).says("59 labels");
    assert!(told.err.contains("withholding is ignored"), "{}", told.err);
    plotted(&folder, &["-o", "b.svg"]).ends_with_code(0);
    assert!(folder.bytes("a.svg") == folder.bytes("b.svg"), "the same sizes");
}

#[test]
fn what_is_no_column_of_labels_is_refused() {
    let table = names();
    let folder = Folder::with(&table);
    let refused = |quasi: &str, others: [&str; 2], message: &str, hint: &str| {
        let args = [&["plot", "labels", "table.csv", "-o", "x.svg", "--quasi", quasi], &others[..]].concat();
        folder.refuses(&args, message, hint, &table);
    };
    refused("name:category,age", ["--count", "people"], "2 quasi-identifiers", "--drop the others");
    refused("age:numeric", ["--drop", "name,people"], "of kind numeric", "age:category");
    refused("age", ["--drop", "name,people"], "of kind numeric", "age:category");
    refused("name:ordinal=a<b", ["--drop", "age,people"], "of kind ordinal", "name:category");
}

#[test]
fn a_range_without_a_k_is_refused() {
    let table = names();
    let folder = Folder::with(&table);
    let refused = |flags: &[&str], message: &str, hint: &str| {
        let args = [&["plot", "labels", "table.csv", "-o", "x.svg"], &ROLES[..], flags].concat();
        folder.refuses(&args, message, hint, &table);
    };
    refused(&["--from", "500", "--to", "400"], "no k to draw from 500 to 400", "--from and --to");
    refused(&["--to", "1000000"], "the highest k is 1,000,000", "cannot be larger than the table");
    plotted(&folder, &["-o", "x.svg", "--from", "1"]).ends_with_code(2);
}

#[test]
fn a_picture_that_cannot_be_written_is_refused_before_any_work() {
    let table = names();
    let folder = Folder::with(&table);
    folder.write("policy.toml", "k = 2\n");
    let refused = |name: &str, flags: &[&str], message: &str, hint: &str| {
        let args = [&["plot", "labels", "table.csv", "-o", name], &ROLES[..], flags].concat();
        folder.refuses(&args, message, hint, &table);
    };
    refused("nowhere/sizes.svg", &[], "cannot write nowhere/sizes.svg", "does the folder exist?");
    refused("sizes.png", &[], "a chart is an SVG picture", "name it .svg");
    refused("-", &["--json"], "cannot both go to standard output", "write the chart to a file");
    #[cfg(unix)]
    for (name, read) in [("table.svg", "table.csv"), ("policy.svg", "policy.toml")] {
        std::os::unix::fs::symlink(read, folder.path(name)).unwrap();
        refused(name, &["--policy", "policy.toml"], "is also read", "another name");
    }
}
