//! What must work, byte for byte, beyond the cases in `testdata/cases`: files, streams, summaries.

use crate::support::{Folder, PEOPLE, ROLES, with};
use std::io::{Read, Write};

/// Four people whose groups of two are plain to see; `~` stands for the delimiter.
const PAIRS: &str = "age~note\n30~\"say \"\"hi\"\"\"\n31~\"two\nlines\"\n60~\n61~\"a ~ b\"\n";
const PAIRS_OUT: &str =
    "age~note\n[30-31]~\"say \"\"hi\"\"\"\n[30-31]~\"two\nlines\"\n[60-61]~\n[60-61]~\"a ~ b\"\n";
const FLAGS: [&str; 6] = ["-k", "2", "--quasi", "age", "--keep", "note"];

/// The release of a table as bytes, written to standard output.
#[track_caller]
fn released(table: impl AsRef<[u8]>, flags: &[&str]) -> String {
    let folder = Folder::with(table);
    let told = folder.kinfold(&[&["anonymize", "table.csv", "-o", "-"], flags].concat());
    told.ends_with_code(0);
    folder.holds(&["table.csv"]);
    told.out
}

#[test]
fn wide_characters_are_understood() {
    let (table, expected) = (PAIRS.replace('~', ","), PAIRS_OUT.replace('~', ","));
    let wide: Vec<u8> = format!("\u{feff}{table}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(released(wide, &FLAGS), expected, "UTF-16");
}

fn packed(text: &str) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap()
}

fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn gzip_in_and_out() {
    let (table, expected) = (PAIRS.replace('~', ","), PAIRS_OUT.replace('~', ","));
    let folder = Folder::new();
    folder.write("table.csv.gz", packed(&table));
    let args = with(&["anonymize", "table.csv.gz", "-o", "release.csv.gz"], &FLAGS);
    folder.kinfold(&args).ends_with_code(0);
    assert_eq!(unpacked(&folder.bytes("release.csv.gz")), expected);
    folder.holds(&["release.csv.gz", "table.csv.gz"]);
    let halves = [packed(&table[..20]), packed(&table[20..])].concat();
    assert_eq!(released(halves, &FLAGS), expected, "a file of two streams");
    let verify = ["verify", "release.csv.gz", "-k", "2", "--quasi", "age", "--keep", "note"];
    folder.kinfold(&with(&verify, &["--original", "table.csv.gz"])).ends_with_code(0).says("true");
}

#[test]
fn standard_input_and_output() {
    let (table, expected) = (PAIRS.replace('~', ";"), PAIRS_OUT.replace('~', ";"));
    let folder = Folder::new();
    for bytes in [table.as_bytes(), &packed(&table)] {
        let told = folder.kinfold_fed(&with(&["anonymize", "-", "-o", "-"], &FLAGS), bytes);
        told.ends_with_code(0);
        assert_eq!(told.out, expected);
        assert_eq!(told.err, "");
    }
    let verify = with(&["verify", "-"], &FLAGS);
    folder.kinfold_fed(&verify, expected.as_bytes()).ends_with_code(0).says("safe");
    folder.holds(&[]);
}

#[test]
fn a_tsv_release_has_tabs() {
    let folder = Folder::with(PAIRS.replace('~', ","));
    folder.kinfold(&with(&["anonymize", "table.csv", "-o", "release.tsv"], &FLAGS)).ends_with_code(0);
    let lines = folder.text("release.tsv");
    assert!(lines.starts_with("age\tnote\n[30-31]\t\"say \"\"hi\"\"\"\n"), "{lines}");
}

#[test]
fn an_older_release_is_replaced_if_that_is_asked_for() {
    let folder = Folder::with(PAIRS.replace('~', ","));
    folder.write("release.csv", "older");
    let command = with(&["anonymize", "table.csv", "-o", "release.csv"], &FLAGS);
    folder.careful(&command).ends_with_code(2).complains("release.csv exists already").hints("--force");
    assert_eq!(folder.text("release.csv"), "older");
    folder.careful(&with(&command, &["--force"])).ends_with_code(0);
    assert_eq!(folder.text("release.csv"), PAIRS_OUT.replace('~', ","));
    folder.holds(&["release.csv", "table.csv"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through() {
    let folder = Folder::with(PAIRS.replace('~', ","));
    folder.write("real.csv", "older");
    std::os::unix::fs::symlink("real.csv", folder.path("link.csv")).unwrap();
    folder.kinfold(&with(&["anonymize", "table.csv", "-o", "link.csv"], &FLAGS)).ends_with_code(0);
    assert!(folder.path("link.csv").is_symlink());
    assert_eq!(folder.text("real.csv"), PAIRS_OUT.replace('~', ","));
    folder.holds(&["link.csv", "real.csv", "table.csv"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_yet_is_written_through() {
    let folder = Folder::with(PAIRS.replace('~', ","));
    std::fs::create_dir(folder.path("there")).unwrap();
    std::os::unix::fs::symlink("there/next.csv", folder.path("link.csv")).unwrap();
    std::os::unix::fs::symlink("real.csv", folder.path("there/next.csv")).unwrap();
    folder.kinfold(&with(&["anonymize", "table.csv", "-o", "link.csv"], &FLAGS)).ends_with_code(0);
    assert!(folder.path("link.csv").is_symlink() && folder.path("there/next.csv").is_symlink());
    assert_eq!(folder.text("there/real.csv"), PAIRS_OUT.replace('~', ","));
}

#[test]
fn a_label_with_a_nul_is_a_label_everywhere() {
    let labels = ["a", "b\0", "c", "d", "e", "f", "g", "h", "i", "j"];
    let table: String = labels.iter().map(|label| format!("{label}\n")).collect();
    let folder = Folder::with(format!("town\n{table}"));
    let args = ["-k", "10", "--quasi", "town:category", "--lookup", "lookup.csv"];
    folder.kinfold(&with(&["anonymize", "table.csv", "-o", "release.csv"], &args)).ends_with_code(0);
    let told = folder.kinfold(&with(&["verify", "release.csv", "--original", "table.csv"], &args));
    told.ends_with_code(0);
    told.says("true");
}

#[test]
fn a_row_can_stand_for_many_people() {
    let folder = Folder::with("age,n\n30,5\n60,2\n61,3\n");
    let told =
        folder.kinfold(&["anonymize", "table.csv", "--json", "-k", "5", "--quasi", "age", "--count", "n"]);
    let summary: serde_json::Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!((&summary["groups"], &summary["smallest_group"]), (&2.into(), &5.into()));
}

#[test]
fn at_most_the_given_share_is_withheld() {
    let table: String =
        std::iter::once("age\n".to_owned()).chain((0..99).map(|i| format!("{}\n", i / 3))).collect();
    let folder = Folder::with(table + "9000\n");
    for (share, most) in [("0%", 0), ("1%", 1), ("0.02", 2)] {
        let flags = ["-k", "3", "--quasi", "age", "--withhold", share];
        let told = folder.kinfold(&with(&["anonymize", "table.csv", "-o", "release.csv", "--json"], &flags));
        told.ends_with_code(0);
        let summary: serde_json::Value = serde_json::from_str(&told.out).unwrap();
        let rows = folder.text("release.csv").lines().count() as u64 - 1;
        assert!(summary["withheld"].as_u64().unwrap() <= most, "{share}: {summary}");
        assert_eq!(summary["released"], rows);
        let verify = with(&["verify", "release.csv", "--original", "table.csv"], &flags);
        folder.kinfold(&verify).ends_with_code(0).says("true");
    }
}

#[test]
fn rows_that_are_withheld_have_an_empty_group() {
    let table: String =
        std::iter::once("age\n".to_owned()).chain((0..98).map(|i| format!("{}\n", i / 7))).collect();
    let folder = Folder::with(table + "9000\n9900\n");
    let args = [
        "anonymize",
        "table.csv",
        "-k",
        "7",
        "--quasi",
        "age",
        "--withhold",
        "5%",
        "--solver",
        "greedy-search",
    ];
    let args = with(&args, &["-o", "release.csv", "--groups", "groups.csv"]);
    folder.kinfold(&args).ends_with_code(0).says("2 withheld");
    let groups = folder.text("groups.csv");
    assert_eq!(groups.lines().count(), 101);
    assert!(groups.ends_with("\"\"\n\"\"\n"), "{groups}");
    assert_eq!(folder.text("release.csv").lines().count(), 99);
}

#[test]
fn groups_say_which_rows_look_alike() {
    let folder = Folder::with(PEOPLE);
    folder.release(&["-k", "3", "-o", "release.csv", "--groups", "groups.csv", "--keep-order"]);
    folder.holds(&["groups.csv", "release.csv", "table.csv"]);
    let (release, groups) = (folder.text("release.csv"), folder.text("groups.csv"));
    let looks: Vec<&str> = release.lines().skip(1).map(|l| l.rsplit_once(',').unwrap().0).collect();
    let groups: Vec<&str> = groups.lines().skip(1).collect();
    assert_eq!((looks.len(), groups.len()), (12, 12));
    for a in 0..12 {
        for b in 0..12 {
            assert_eq!(looks[a] == looks[b], groups[a] == groups[b], "rows {a} and {b}");
        }
    }
}

#[test]
fn a_release_tells_nothing_of_the_order_of_the_table() {
    let folder = Folder::with(PEOPLE);
    folder.release(&["-k", "3", "-o", "release.csv"]);
    let (header, rows) = PEOPLE.split_once('\n').unwrap();
    let backwards: String = rows.lines().rev().map(|row| format!("{row}\n")).collect();
    folder.write("table.csv", format!("{header}\n{backwards}"));
    folder.release(&["-k", "3", "-o", "other.csv"]);
    assert_eq!(folder.text("release.csv"), folder.text("other.csv"));
    let kept = ["anonymize", "table.csv", "-k", "3", "-o", "kept.csv", "--keep-order"];
    let told = folder.kinfold(&with(&kept, &ROLES));
    assert!(told.ends_with_code(0).err.contains("keeps the order of the table"), "{}", told.err);
    let sorted = |name: &str| {
        let text = folder.text(name);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[1..].sort_unstable();
        lines
    };
    assert_eq!(sorted("kept.csv"), sorted("release.csv"));
    assert_ne!(folder.text("kept.csv"), folder.text("release.csv"));
    let last = |row: &str| row.rsplit_once(',').unwrap().1.to_owned();
    let kept: Vec<String> = folder.text("kept.csv").lines().skip(1).map(last).collect();
    assert_eq!(kept, backwards.lines().map(last).collect::<Vec<_>>(), "diagnoses, row by row");
    folder.kinfold(&with(&["anonymize", "table.csv", "-k", "3", "--shuffle"], &ROLES)).ends_with_code(2);
}

#[test]
fn the_release_depends_on_the_seed_and_never_on_the_threads() {
    let row = |i: u64| format!("{},{},c{}\n", i * 7919 % 10_007, i * 31 % 97, i * i % 11);
    let table: String = std::iter::once("a,b,c\n".to_owned()).chain((0..1500).map(row)).collect();
    let folder = Folder::with(table);
    for solver in ["auto", "initial", "mondrian", "mondrian:relaxed", "greedy-search", "k-member"] {
        let run = |name: &str, flags: &[&str]| {
            let args =
                ["anonymize", "table.csv", "-k", "4", "--quasi", "a,b,c", "--solver", solver, "-o", name];
            folder.kinfold(&with(&args, flags)).ends_with_code(0);
            folder.bytes(name)
        };
        let one = run("one.csv", &["--threads", "1"]);
        assert!(one == run("two.csv", &["--threads", "2"]), "{solver}: 2 threads");
        assert!(one == run("four.csv", &["--threads", "4"]), "{solver}: 4 threads");
        assert!(one == run("default.csv", &[]), "{solver}: all threads");
        assert!(one == run("seed.csv", &["--seed", "0"]), "{solver}: seed 0 is the default");
        if solver == "k-member" {
            let other = |seed: u32| run("other.csv", &["--seed", &seed.to_string()]);
            assert!((1..20).any(|seed| one != other(seed)), "another seed starts elsewhere");
        }
    }
}

#[test]
fn long_sets_are_pointed_out_and_named_on_request() {
    let names: String = (0..300).map(|i| format!("w{i}\n")).collect();
    let folder = Folder::with(format!("name\n{names}"));
    let roles = ["-k", "120", "--quasi", "name:category", "--objective", "group-size"];
    let long = folder.kinfold(&[&["anonymize", "table.csv", "-o", "long.csv"], &roles[..]].concat());
    assert!(long.ends_with_code(0).err.contains("list up to 150 labels; --lookup FILE"), "{}", long.err);
    let lookup = ["--lookup", "names.csv"];
    let short =
        folder.kinfold(&[&["anonymize", "table.csv", "-o", "short.csv"], &roles[..], &lookup].concat());
    assert!(!short.ends_with_code(0).err.contains("labels"), "{}", short.err);
    assert!(folder.text("short.csv").contains("name set 1\n") && folder.bytes("short.csv").len() < 10_000);
    let verify = ["verify", "short.csv", "--original", "table.csv"];
    folder.kinfold(&[&verify[..], &roles[..], &lookup].concat()).ends_with_code(0).says("true");
    folder.kinfold(&[&verify[..], &roles[..]].concat()).ends_with_code(1).says("not true");
}

#[cfg(target_os = "linux")]
#[test]
fn many_columns_and_many_values_take_seconds() {
    // Five hundred columns that tell the same.
    let row = |i: usize| vec![format!("v{}", i % 40); 500].join(",") + "\n";
    let header: Vec<String> = (0..500).map(|c| format!("c{c}")).collect();
    let table = format!("{}\n{}", header.join(","), (0..400).map(row).collect::<String>());
    let folder = Folder::with(table);
    folder.kinfold_within(1 << 10, &["inspect", "table.csv"]).ends_with_code(0);
    // A hierarchy of far more values than there are rows.
    let line = |i: usize| format!("{i:06};{:05}*;{:03}***;*\n", i / 10, i / 1000);
    folder.write("values.csv", (0..200_000).map(line).collect::<String>());
    let rows = (0..500).map(|i| format!("{:06}\n", i * 7919 * 31 % 200_000));
    folder.write("table.csv", format!("code\n{}", rows.collect::<String>()));
    let quasi = ["--quasi", "code:hierarchy=values.csv", "--solver", "k-member"];
    let args = with(&["anonymize", "table.csv", "-k", "5"], &quasi);
    folder.kinfold_within(1 << 10, &args).ends_with_code(0);
}
