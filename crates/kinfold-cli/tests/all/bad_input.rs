//! Bad input that is no text: bytes, damaged files, too much of it. Bad texts are in `testdata/cases`. All is
//! refused with code 2, a message, a hint, no cell repeated, nothing left behind.

use crate::support::{Folder, PEOPLE, ROLES, with};
use std::io::{Read, Write};

#[test]
fn text_that_is_not_utf8_names_its_place_and_can_be_decoded() {
    let folder = Folder::with(b"a,b\n1,plain\n1,caf\xe9\n");
    let args = ["anonymize", "table.csv", "-k", "2", "--quasi", "a", "--keep", "b", "-o", "release.csv"];
    folder.refuses(
        &args,
        "line 3, column \"b\": not UTF-8",
        "--encoding windows-1252",
        "a,b\n1,plain\n1,caf\n",
    );
    folder.kinfold(&with(&args, &["--encoding", "windows-1252"])).ends_with_code(0);
    assert_eq!(folder.text("release.csv"), "a,b\n1,café\n1,plain\n");
}

#[test]
fn a_field_of_a_hundred_megabytes_is_refused_in_little_memory() {
    for start in ["a,b\n", "a,b\n\"", "a,\""] {
        let folder = Folder::new();
        let mut child = folder.start(&["anonymize", "-", "-k", "2", "--quasi", "a,b", "-o", "release.csv"]);
        let mut stdin = child.stdin.take().unwrap();
        let (chunk, mut peak) = (vec![b'x'; 1 << 20], 0);
        let _ = stdin.write_all(start.as_bytes());
        for _ in 0..100 {
            peak = peak.max(most_memory(child.id()));
            if stdin.write_all(&chunk).is_err() {
                break;
            }
        }
        drop(stdin);
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2), "{err}");
        assert!(err.contains("a field longer than 1048576 bytes") && err.contains("help:"), "{err}");
        assert!(err.len() < 1000 && !err.contains("xx"), "a cell leaks");
        assert!(peak < 64 << 10, "it took {peak} KiB");
        folder.holds(&[]);
    }
}

/// The most memory a process ever had, in KiB; 0 where the system does not say.
fn most_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[test]
fn a_header_of_a_million_columns() {
    let header: Vec<String> = (0..1_000_000).map(|i| format!("c{i}")).collect();
    let table = format!("{}\n", header.join(","));
    let args = ["anonymize", "table.csv", "-k", "2", "--quasi", "a,b", "-o", "release.csv"];
    Folder::with(&table).refuses(&args, "more than 10000 columns", "delimiter", &table);
}

#[test]
fn a_gzip_file_that_is_cut_off() {
    let folder = Folder::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(PEOPLE.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for length in [12, packed.len() / 2, packed.len() - 3] {
        folder.write("table.csv.gz", &packed[..length]);
        let args = with(&["anonymize", "table.csv.gz", "-k", "2", "-o", "release.csv"], &ROLES);
        folder.refuses(&args, "cannot read table.csv.gz", "", PEOPLE);
    }
}

#[test]
fn a_wrong_byte_in_an_arrow_file_is_told_in_a_sentence() {
    let folder = Folder::with(PEOPLE);
    folder.release(&["-k", "2", "-o", "whole.arrow", "-q"]);
    let whole = folder.bytes("whole.arrow");
    let mut refused = 0;
    for at in (whole.len() - 200..whole.len() - 10).step_by(4) {
        let mut bytes = whole.clone();
        bytes[at] = 0;
        folder.write("damaged.arrow", bytes);
        let told = folder.kinfold(&["inspect", "damaged.arrow"]);
        assert!(!told.err.contains("panicked"), "{}", told.err);
        refused += usize::from(told.code == Some(2) && told.err.contains("it is damaged"));
    }
    assert!(refused > 0);
}

#[test]
fn parquet_and_arrow_files_that_are_damaged() {
    for name in ["whole.parquet", "whole.arrow"] {
        let folder = Folder::with(PEOPLE);
        folder.release(&["-k", "2", "-o", name, "-q"]);
        let whole = folder.bytes(name);
        let mut garbled = whole.clone();
        garbled[20..whole.len() / 2].iter_mut().for_each(|b| *b ^= 0x5a);
        let mut footer = whole.clone();
        let end = whole.len() - 10;
        footer[end - 40..end].iter_mut().for_each(|b| *b ^= 0x5a);
        for bytes in [&whole[..whole.len() / 2], &whole[..9], &garbled, &footer] {
            folder.write("damaged", bytes);
            let args = with(&["anonymize", "damaged", "-k", "2", "-o", "release.csv"], &ROLES[..2]);
            let args = with(&args, &["--sensitive", "diagnosis"]);
            folder.refuses(&args, "cannot read damaged", "", PEOPLE);
        }
    }
}

#[test]
fn a_table_larger_than_the_memory_it_may_use() {
    let table: String =
        std::iter::once("a,b\n".to_owned()).chain((0..60_000).map(|i| format!("v{i},w\n"))).collect();
    let folder = Folder::with(&table);
    let args =
        ["anonymize", "table.csv", "-k", "2", "--quasi", "a,b", "-o", "release.csv", "--max-memory=200KiB"];
    let told = folder.kinfold(&args);
    told.ends_with_code(2).complains("more than 200 KiB of memory").hints("--max-memory");
    folder.holds(&["table.csv"]);
}

/// Addresses of the program itself, its threads and what it may take beside the limit, in MiB.
#[cfg(target_os = "linux")]
const BESIDE: usize = 200 + 128;

#[cfg(target_os = "linux")]
#[test]
fn long_labels_are_counted_as_they_are_read() {
    let folder = Folder::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"label\n").unwrap();
    let rest = "x".repeat(1_000_000);
    for row in 0..1_000 {
        writeln!(packed, "{row}{rest}").unwrap();
    }
    folder.write("table.csv.gz", packed.finish().unwrap());
    let told = folder.kinfold_within(20 + BESIDE, &["inspect", "table.csv.gz", "--max-memory", "20MiB"]);
    told.ends_with_code(2).complains("more than 20 MiB of memory (reached at row").hints("--max-memory");
}

#[cfg(target_os = "linux")]
#[test]
fn files_without_an_end_are_refused() {
    let folder = Folder::with(PEOPLE);
    folder.release(&["-k", "3", "-o", "release.csv"]);
    folder.write("edges.toml", "k = 2\n[columns]\nzip = { role = \"quasi\", regions = \"/dev/zero\" }\n");
    folder.write(
        "people.toml",
        "k = 2\n[presence]\npopulation = \"/dev/zero\"\nat_most = 0.5\n[columns]\nzip = \"quasi\"\n",
    );
    let anonymize = ["anonymize", "table.csv", "-k", "3"];
    let certify = with(&["certify", "table.csv", "-k", "3"], &ROLES);
    let verify = ["verify", "release.csv", "-k", "3", "--quasi", "age,sex,zip:category"];
    let hierarchy = ["--quasi", "zip:hierarchy=/dev/zero", "--drop", "name,age,sex,diagnosis"];
    for args in [
        vec!["inspect", "/dev/zero"],
        with(&anonymize, &["--policy", "/dev/zero"]),
        with(&anonymize, &["--policy", "edges.toml", "--drop-rest"]),
        with(&anonymize, &["--policy", "people.toml", "--drop-rest"]),
        with(&anonymize, &hierarchy),
        with(&with(&anonymize, &ROLES), &["--using", "/dev/zero"]),
        with(&certify, &["--groups", "/dev/zero"]),
        with(&certify, &["--check", "/dev/zero"]),
        with(&verify, &["--lookup", "/dev/zero"]),
    ] {
        let told = folder.kinfold_within(64 + BESIDE, &with(&args, &["--max-memory", "64MiB"]));
        assert!(
            told.code == Some(2) && told.err.contains("/dev/zero") || told.err.contains("a field longer"),
            "{args:?}: {told:?}"
        );
    }
    folder.holds(&["edges.toml", "people.toml", "release.csv", "table.csv"]);
}

#[test]
fn a_time_limit_beyond_all_times() {
    let folder = Folder::with(PEOPLE);
    folder.release(&["-k", "3", "--solver", "mondrian", "--time-limit", "1e19s"]);
    let args = with(&["anonymize", "table.csv", "-k", "3", "--time-limit", "1e30s"], &ROLES);
    assert_eq!(folder.kinfold(&args).code, Some(2));
}

#[test]
fn a_file_that_is_not_there_and_a_folder_that_is_no_file() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder")).unwrap();
    let args = |table| with(&["anonymize", table, "-k", "2", "-o", "release.csv"], &ROLES);
    folder.refuses(&args("nowhere.csv"), "cannot read nowhere.csv", "check the path", PEOPLE);
    folder.refuses(&args("folder"), "cannot read folder: it is a directory", "", PEOPLE);
}

#[test]
fn a_policy_of_bytes() {
    let folder = Folder::with(PEOPLE);
    folder.write("policy.toml", b"k = 5\n\xff\xfe\x00");
    let args = ["anonymize", "table.csv", "--policy", "policy.toml", "-o", "release.csv"];
    folder.refuses(&args, "policy.toml is not UTF-8", "TOML", PEOPLE);
}

#[test]
fn a_table_without_a_header_is_noticed_and_its_first_row_is_not_shown() {
    let rows = PEOPLE.split_once('\n').unwrap().1;
    let folder = Folder::with(rows);
    let quasi = ["-k", "3", "--quasi", "age,sex"];
    for flags in [
        vec!["inspect", "table.csv"],
        [&["anonymize", "table.csv"], &quasi[..]].concat(),
        [&["verify", "table.csv"], &quasi[..]].concat(),
        vec!["whatif", "table.csv", "-k", "3", "--quasi", "age"],
    ] {
        folder.refuses(&flags, "the first line looks like data", "--header no", rows);
    }
    folder
        .kinfold(&["inspect", "table.csv", "--header", "no"])
        .ends_with_code(0)
        .says("12 rows")
        .says("column2");
    let roles = ["-k", "3", "--quasi", "column2,column3", "--drop-rest"];
    folder
        .kinfold(&[&["anonymize", "table.csv", "--header", "no", "-o", "release.csv"], &roles[..]].concat())
        .ends_with_code(0);
    assert!(folder.text("release.csv").starts_with("column2,column3\n"));
    let verify = [&["verify", "release.csv", "--original", "table.csv"], &roles[..]].concat();
    let told = folder.kinfold(&verify);
    told.ends_with_code(2)
        .complains("the original: the first line looks like data")
        .hints("--original-header no");
    folder.kinfold(&[&verify[..], &["--original-header", "no"]].concat()).ends_with_code(0).says("true");
}

#[test]
fn a_verdict_that_is_not_possible_names_the_table_at_fault() {
    let folder = Folder::with(PEOPLE);
    let flags = ["-k", "3", "--quasi", "age:numeric,sex", "--drop-rest"];
    folder
        .kinfold(&[&["anonymize", "table.csv", "-o", "release.csv"], &flags[..]].concat())
        .ends_with_code(0);
    folder.write("table.csv", PEOPLE.replace(",20,", ",twenty,"));
    folder
        .kinfold(&[&["verify", "release.csv", "--original", "table.csv"], &flags[..]].concat())
        .ends_with_code(2)
        .complains("the original: column \"age\": not a number");
    folder.write("counted.csv", "age,n\n1,2\n2,x\n");
    folder
        .kinfold(&["verify", "counted.csv", "-k", "2", "--quasi", "age", "--count", "n"])
        .ends_with_code(2)
        .complains("the release: column \"n\"");
}
