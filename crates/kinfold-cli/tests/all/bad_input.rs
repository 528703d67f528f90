//! Every bad table is refused with code 2, a message, a hint, no cell of it repeated, nothing left behind.

use crate::support::{Folder, PEOPLE, ROLES, with};
use std::io::{Read, Write};

/// A small table is refused when its columns `a` and `b` are quasi-identifiers.
#[track_caller]
fn table_refused(table: &str, message: &str, hint: &str) {
    let folder = Folder::with(table);
    let args = ["anonymize", "table.csv", "-k", "2", "--quasi", "a,b", "-o", "release.csv"];
    folder.refuses(&args, message, hint, table);
}

/// [`PEOPLE`] is refused with these flags.
#[track_caller]
fn flags_refused(flags: &[&str], message: &str, hint: &str) {
    let args = with(&["anonymize", "table.csv", "-o", "release.csv"], flags);
    Folder::with(PEOPLE).refuses(&args, message, hint, PEOPLE);
}

#[test]
fn an_empty_file() {
    table_refused("", "the table is empty", "the first line names the columns");
    table_refused("\n \n\n", "the table is empty", "the first line names the columns");
}

#[test]
fn a_header_without_rows() {
    table_refused("a,b\n", "a header but no rows", "each further line is a row");
    table_refused("a,b", "a header but no rows", "each further line is a row");
}

#[test]
fn a_ragged_row_is_named_by_its_line() {
    table_refused("a,b\nwxyz,2\nvwxy\n", "line 3: ", "--delimiter");
    table_refused("a,b\nwxyz,2\nvwxy,2,uvwx\n", "line 3: 3 fields", "quote");
    table_refused("a,b\n\"wxyz\n\nvwxy\",2\nuvwx,3,4\n", "line 5: ", "quote");
}

#[test]
fn the_line_is_right_when_lines_end_in_crlf() {
    table_refused("a,b\r\nwxyz,2\r\nvwxy,3,4\r\n", "line 3: ", "quote");
    table_refused("a,b\r\n\"wxyz\r\n\r\nvwxy\",2\r\nuvwx,3,4\r\n", "line 5: ", "quote");
}

#[test]
fn the_line_is_right_after_blank_lines() {
    table_refused("a,b\n\n\nwxyz,2\n\nvwxy,3,4\n", "line 6: ", "quote");
}

#[test]
fn two_columns_of_one_name() {
    table_refused("a,b,a\n1,2,3\n", "names column \"a\" twice (columns 1 and 3)", "a name of its own");
}

#[test]
fn a_column_without_a_name() {
    table_refused("a,b,\n1,2,3\n", "column 3 of the header has no name", "a name of its own");
    table_refused("a, ,b\n1,2,3\n", "column 2 of the header has no name", "a name of its own");
}

#[test]
fn a_quote_that_never_closes() {
    table_refused("a,b\n1,2\n\"wxyz,3\n4,5\n", "line 3: a quote opens here", "close the quote");
}

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
    assert_eq!(folder.text("release.csv"), "a,b\n1,plain\n1,café\n");
}

#[test]
fn an_unknown_encoding() {
    flags_refused(&with(&ROLES, &["-k", "2", "--encoding", "klingon"]), "unknown encoding", "windows-1252");
}

#[test]
fn an_unknown_column_suggests_the_nearest() {
    let flags = ["-k", "2", "--quasi", "age,sx,zip", "--identifier", "name", "--sensitive", "diagnosis"];
    flags_refused(&flags, "no column \"sx\"", "did you mean \"sex\"?");
    let flags = ["-k", "2", "--quasi", "age,sex,zip", "--identifier", "name", "--sensitive", "qqqqqqqq"];
    flags_refused(&flags, "no column \"qqqqqqqq\"", "kinfold inspect");
}

#[test]
fn an_impossible_k() {
    for k in ["0", "1", "-3"] {
        flags_refused(&with(&ROLES, &["-k", k]), &format!("k is {k}"), "k = 2 at least");
    }
    flags_refused(&with(&ROLES, &["-k", "13"]), "the table holds only 12 people", "a k between 2 and 12");
    flags_refused(&ROLES, "k is not set", "-k 5");
}

#[test]
fn no_quasi_identifier() {
    let flags = ["-k", "2", "--identifier", "name", "--keep", "age,sex,zip,diagnosis"];
    flags_refused(&flags, "no column is a quasi-identifier", "--quasi");
}

#[test]
fn columns_without_a_role_are_all_listed() {
    let flags = ["-k", "2", "--quasi", "age,sex"];
    flags_refused(&flags, "no role: \"name\", \"zip\", \"diagnosis\"", "--identifier");
}

#[test]
fn a_column_with_two_roles() {
    flags_refused(&with(&ROLES, &["-k", "2", "--keep", "zip"]), "\"zip\" is named twice", "one role");
}

#[test]
fn infinities_and_nan_are_no_numbers() {
    for cell in ["inf", "-Infinity", "NaN"] {
        let table = format!("a,b\n1,wxyz\n2,vwxy\n{cell},uvwx\n4,tuvw\n");
        let folder = Folder::with(&table);
        let args = ["anonymize", "table.csv", "-k", "2", "--quasi", "a:numeric", "--keep", "b", "--missing="];
        folder.refuses(&args, "NaN or an infinity in 1 row (row 3)", "--missing", &table);
    }
}

#[test]
fn words_in_a_numeric_column() {
    let table = "a,b\n1,x\nsecretly,x\n3,x\nhidden,x\n";
    let args = ["anonymize", "table.csv", "-k", "2", "--quasi", "a:numeric", "--keep", "b"];
    let message = "not a number (up to 30 digits) in 2 rows (the first is row 2)";
    Folder::with(table).refuses(&args, message, "kind category", table);
}

#[test]
fn a_domain_that_leaves_data_out() {
    let flags = with(&ROLES, &["-k", "2", "--domain", "age=30..100"]);
    flags_refused(
        &flags,
        "column \"age\": outside the domain in 3 rows (the first is row 1)",
        "widen the domain",
    );
    flags_refused(&with(&ROLES, &["-k", "2", "--domain", "age=90..10"]), "not below", "lowest value first");
    flags_refused(
        &with(&ROLES, &["-k", "2", "--domain", "zip=1..2"]),
        "a domain does not go with",
        "numeric",
    );
}

#[test]
fn counts_that_count_nobody() {
    for count in ["-1", "1.5", "", "NA", "wxyz", "4294967296"] {
        let table = format!("a,n\n1,2\n2,{count}\n3,7\n");
        let folder = Folder::with(&table);
        let args = ["anonymize", "table.csv", "-k", "2", "--quasi", "a", "--count", "n", "-o", "release.csv"];
        folder.refuses(&args, "column \"n\": the count in row 2", "no negatives", &table);
    }
}

#[test]
fn an_unknown_solver_or_setting() {
    let flags = |solver| with(&ROLES, &["-k", "2", "--solver", solver]);
    flags_refused(&flags("mondrain"), "unknown solver \"mondrain\"", "did you mean \"mondrian\"?");
    flags_refused(&flags("qqqq"), "unknown solver \"qqqq\"", "greedy-search");
    flags_refused(&flags("mondrian:relaxt"), "no setting \"relaxt\"", "relaxed");
    flags_refused(&flags("mondrian:relaxed=7"), "no setting \"relaxed=7\"", "true");
    flags_refused(&flags("anneal:deep=1"), "no setting \"deep=1\"", "it has none");
    flags_refused(&flags("auto:deep=1"), "no setting \"deep=1\"", "it has none");
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
    table_refused(&format!("{}\n", header.join(",")), "more than 10000 columns", "delimiter");
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
        ["anonymize", "table.csv", "-k", "2", "--quasi", "a,b", "-o", "release.csv", "--max-memory", "1MiB"];
    let told = folder.kinfold(&args);
    told.ends_with_code(2).complains("more than 1 MiB of memory").hints("--max-memory");
    folder.holds(&["table.csv"]);
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
fn a_kept_column_that_has_the_name_of_a_bound() {
    let table = "age,age_min\n1,wxyz\n2,vwxy\n";
    let args =
        ["anonymize", "table.csv", "-k", "2", "--quasi", "age", "--keep", "age_min", "--form", "bounds"];
    Folder::with(table).refuses(
        &with(&args, &["-o", "release.csv"]),
        "\"age_min\"",
        "use form ranges",
        table,
    );
}
