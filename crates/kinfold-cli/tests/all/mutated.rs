//! Files with bytes changed, cut out, put in: whatever is read, the command ends with an answer or with a
//! sentence. It never panics, takes ten seconds or more memory than it may, or leaves a file behind.
//!
//! The mutants are those of the fuzz targets, which try far more of them without a process for each.
//!
//! 500 files for each reader; `KINFOLD_ROUNDS=1000` makes it 5,000.

#![cfg(target_os = "linux")]
use crate::support::{Folder, PEOPLE, ROLES, rounds, with};
use kinfold_fuzz::{Random, mutant};
use std::io::Write;

const FILES: usize = 500;
/// `--max-memory`, 200 MiB that may be taken beside it, and addresses of the program itself, in MiB.
const MEMORY: usize = 64 + 200 + 128;

/// Runs the command on mutants of a file; the folder holds what else it reads.
#[track_caller]
fn survives(folder: &Folder, file: &str, args: &[&str]) {
    let whole = folder.bytes(file);
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let args = with(args, &["--max-memory", "64MiB"]);
    folder.kinfold_within(MEMORY, &args).ends_with_code(0);
    let _ = std::fs::remove_file(folder.path("release.csv"));
    let before: Vec<String> = folder.contents().into_keys().collect();
    let mut codes = [0; 3];
    for number in 0..rounds(FILES) {
        let bytes = mutant(&whole, &mut random);
        folder.write(file, &bytes);
        let told = folder.kinfold_within(MEMORY, &args);
        let code = told.code.filter(|code| (0..3).contains(code));
        let sentence = told.err.contains("error: ") && !told.err.contains("panicked");
        if code.is_none() || code == Some(2) && !sentence {
            panic!("mutant {number} of {file}: {told:?}\n{bytes:?}");
        }
        codes[code.unwrap_or(2) as usize] += 1;
        if code == Some(0) {
            let _ = std::fs::remove_file(folder.path("release.csv"));
        }
        folder.holds(&before.iter().map(String::as_str).collect::<Vec<_>>());
    }
    println!("{file}: {} read, {} found wanting, {} refused", codes[0], codes[1], codes[2]);
    assert!(codes[1] + codes[2] > 0, "no mutant was noticed");
}

fn people() -> Folder {
    Folder::with(PEOPLE)
}

/// What is quickest.
const QUICK: [&str; 6] = ["--solver", "mondrian", "--bound", "none", "-o", "release.csv"];

fn anonymize<'a>(more: &[&'a str]) -> Vec<&'a str> {
    with(&with(&["anonymize", "table.csv", "-k", "3"], more), &QUICK)
}

#[test]
fn csv() {
    let folder = people();
    survives(&folder, "table.csv", &anonymize(&ROLES));
}

#[test]
fn gzip() {
    let folder = Folder::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let (header, people) = PEOPLE.split_once('\n').unwrap();
    packed.write_all(format!("{header}\n{}", people.repeat(20)).as_bytes()).unwrap();
    folder.write("table.csv.gz", packed.finish().unwrap());
    survives(&folder, "table.csv.gz", &["inspect", "table.csv.gz"]);
}

/// A typed release of the people: whole numbers, texts, nulls.
fn typed(name: &str) -> Folder {
    let folder = Folder::with(PEOPLE.replace("Xanthippe,22", "Xanthippe,"));
    folder.release(&["-k", "2", "--form", "bounds", "-o", name]);
    folder
}

#[test]
fn parquet() {
    survives(&typed("t.parquet"), "t.parquet", &["inspect", "t.parquet"]);
}

#[test]
fn arrow_file() {
    survives(&typed("t.arrow"), "t.arrow", &["inspect", "t.arrow"]);
}

#[test]
fn arrow_stream() {
    let folder = typed("t.arrow");
    // Within a file is a stream, which starts with this mark.
    let file = folder.bytes("t.arrow");
    let start = file.windows(4).position(|bytes| bytes == [0xff; 4]).unwrap();
    folder.write("stream.arrow", &file[start..]);
    survives(&folder, "stream.arrow", &["inspect", "stream.arrow"]);
}

#[test]
fn policy() {
    let folder = people();
    folder.write(
        "policy.toml",
        "k = 3\nobjective = \"ncp\"\nwithhold = \"5%\"\nmissing = [\"\", \"NA\"]\n[columns]\nname = \"identifier\"\n\
         age = { role = \"quasi\", kind = \"numeric\", weight = 2.0, domain = [0, 120] }\nsex = \"quasi\"\n\
         zip = { role = \"quasi\", kind = \"category\" }\ndiagnosis = { role = \"sensitive\", diversity = 2 }\n\
         [format]\nset = [\"<\", \"|\", \">\"]\nrange = \"{lo}..{hi}\"\n",
    );
    survives(&folder, "policy.toml", &with(&["anonymize", "table.csv", "--policy", "policy.toml"], &QUICK));
}

#[test]
fn hierarchy() {
    let folder = people();
    let zips = PEOPLE.lines().skip(1).filter_map(|line| line.split(',').nth(3));
    folder.write("zips.csv", zips.map(|zip| format!("{zip};{}**;*\n", &zip[..3])).collect::<String>());
    let roles = ["--quasi", "zip:hierarchy=zips.csv", "--drop", "name,age,sex,diagnosis"];
    survives(&folder, "zips.csv", &anonymize(&roles));
}

/// The people on a map, where each zip touches the next.
fn mapped() -> Folder {
    let folder = people();
    let mut zips: Vec<&str> = PEOPLE.lines().skip(1).filter_map(|line| line.split(',').nth(3)).collect();
    zips.dedup();
    let pairs: String = zips.windows(2).map(|pair| format!("{},{}\n", pair[0], pair[1])).collect();
    folder.write("edges.csv", format!("a,b\n{pairs}"));
    let nodes = zips.iter().zip(1..).map(|(zip, n)| format!("{zip},{n},{n}.5,-{n}\n"));
    folder.write("nodes.csv", format!("region,people,x,y\n{}", nodes.collect::<String>()));
    folder
}

#[test]
fn regions() {
    let roles = ["--quasi", "zip:region=edges.csv+nodes.csv", "--drop", "name,age,sex,diagnosis"];
    survives(&mapped(), "edges.csv", &anonymize(&roles));
    survives(&mapped(), "nodes.csv", &anonymize(&roles));
}

#[test]
fn lookup() {
    let folder = people();
    // All names in one set.
    let roles = ["-k", "12", "--quasi", "name:category,age", "--drop-rest"];
    let written = ["-o", "short.csv", "--lookup", "lookup.csv"];
    folder.kinfold(&[&["anonymize", "table.csv"], &roles[..], &written].concat()).ends_with_code(0);
    let read = ["--lookup", "lookup.csv", "--original", "table.csv"];
    survives(&folder, "lookup.csv", &[&["verify", "short.csv"], &roles[..4], &read].concat());
}

#[test]
fn groups() {
    let folder = people();
    folder.release(&["-k", "3", "--groups", "groups.csv"]);
    let certify = with(&["certify", "table.csv", "-k", "3", "--time-limit", "1s"], &ROLES);
    survives(&folder, "groups.csv", &with(&certify, &["--groups", "groups.csv"]));
}

#[test]
fn certificate() {
    let folder = people();
    let certify = with(&["certify", "table.csv", "-k", "3", "--time-limit", "1s"], &ROLES);
    folder.kinfold(&with(&certify, &["--certificate", "proof.txt"])).ends_with_code(0);
    survives(&folder, "proof.txt", &with(&certify, &["--check", "proof.txt"]));
}

#[test]
fn frame() {
    let folder = people();
    folder.release(&["-k", "3", "--frame", "frame.json"]);
    survives(&folder, "frame.json", &with(&anonymize(&ROLES), &["--using", "frame.json"]));
}
