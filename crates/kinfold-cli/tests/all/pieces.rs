//! Tables larger than memory.

use crate::support::{Folder, with};

/// A thousand people in three hundred places, told apart by ticket.
fn people(rows: usize) -> String {
    let mut text = String::from("age,place,ticket\n");
    for i in 0..rows {
        text += &format!("{},p{},t{}\n", i * 37 % 71, i * i % 300, i / 2);
    }
    text
}

const FLAGS: [&str; 9] = [
    "anonymize",
    "table.csv",
    "-k",
    "5",
    "--quasi",
    "age:numeric,place:category",
    "--keep",
    "ticket",
    "--effort",
];

#[test]
fn pieces_make_one_verified_release() {
    let folder = Folder::with(people(3_000));
    let args = with(&FLAGS, &["quick", "-o", "release.csv", "--pieces", "4"]);
    folder.kinfold(&args).ends_with_code(0).says("3,000 rows in").says("in 4 pieces");
    folder.holds(&["release.csv", "table.csv"]);
    let verify =
        ["verify", "release.csv", "-k", "5", "--quasi", "age:numeric,place:category", "--keep", "ticket"];
    folder.kinfold(&with(&verify, &["--original", "table.csv"])).ends_with_code(0).says("safe").says("true");
}

#[test]
fn a_table_beyond_the_limit_is_cut_by_itself_and_its_release_verified_alike() {
    let folder = Folder::with(people(300_000));
    let within = |flags: &[&str]| folder.kinfold(&with(flags, &["--max-memory", "3200KiB"]));
    let told = within(&with(&FLAGS, &["quick", "-o", "release.csv"]));
    told.ends_with_code(0).says("300,000 rows in").says("pieces");
    let verify = ["verify", "release.csv", "-k", "5", "--quasi", "age,place", "--keep", "ticket"];
    within(&verify).ends_with_code(0).says("safe  300,000 rows");
    // Rows of one class that are not next to each other cannot be judged a part at a time.
    let text = folder.text("release.csv");
    let mut lines: Vec<&str> = text.lines().collect();
    let last = lines.len() - 1;
    lines.swap(1, last);
    folder.write("scattered.csv", lines.join("\n") + "\n");
    let scattered = verify.map(|word| if word == "release.csv" { "scattered.csv" } else { word });
    within(&scattered).ends_with_code(2).complains("could not decide").hints("--max-memory");
    folder.kinfold(&scattered).ends_with_code(0).says("safe");
}

#[test]
fn what_needs_all_rows_at_once_is_declined() {
    let folder = Folder::with(people(200));
    let declined = [
        (vec!["--groups", "groups.csv"], "groups file cannot be written"),
        (vec!["--lookup", "lookup.csv"], "short names"),
        (vec!["--report", "report.html"], "table as a whole"),
        (vec!["--keep-order"], "order of the table"),
    ];
    for (flags, why) in declined {
        let args = with(&with(&FLAGS, &["quick", "-o", "release.csv", "--pieces", "2"]), &flags);
        folder.kinfold(&args).ends_with_code(2).complains(why);
        folder.holds(&["table.csv"]);
    }
    let piped = FLAGS.map(|word| if word == "table.csv" { "-" } else { word });
    let args = with(&piped, &["quick", "-o", "release.csv", "--pieces", "2"]);
    folder.kinfold_fed(&args, people(200).as_bytes()).ends_with_code(2).complains("read only once");
    folder.holds(&["table.csv"]);
}
