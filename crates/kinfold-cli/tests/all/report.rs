//! The report for people: one page that is well formed, needs nothing else, and shows no cell.

use crate::support::{Folder, PEOPLE, ROLES, Told, with};

/// What may stand without an end.
const VOID: [&str; 1] = ["meta"];

/// Every element ends, in order; nothing is loaded, nothing runs.
fn is_a_page(html: &str) {
    assert!(html.starts_with("<!doctype html>\n<html lang="));
    let mut open: Vec<&str> = Vec::new();
    let mut rest = &html["<!doctype html>".len()..];
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let (text, tag) = (&rest[..start], &rest[start + 1..end]);
        assert!(open.last() == Some(&"style") || !text.contains('>'), "{text:?} is not escaped");
        assert!(tag.matches('"').count().is_multiple_of(2) && !tag.contains('<'), "<{tag}>");
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') || VOID.contains(&name) => {}
            None => open.push(name),
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    for foreign in
        ["<script", "javascript:", "http:", "https:", "@import", "url(", "<img", "<link", " onload", "src="]
    {
        assert!(!html.contains(foreign), "{foreign}");
    }
    assert!(
        !html.contains("{}") && !html.contains("NaN") && !html.contains("<dd></dd>"),
        "a gap was left open"
    );
    assert!(html.len() < 1_500_000);
}

fn shows_no_cell(page: &str, table: &str) {
    for cell in table.lines().skip(1).flat_map(|line| line.split(',')).filter(|cell| cell.len() >= 4) {
        assert!(!page.contains(cell), "{cell:?} is shown");
    }
}

#[track_caller]
fn good(told: &Told) {
    told.ends_with_code(0);
}

fn people(rows: usize) -> String {
    let mut text = String::from("name,age,sex,zip,diagnosis\n");
    for i in 0..rows {
        let (age, zip) = (20 + i * 7 % 61, 90_701 + i * 3 % 17);
        text += &format!("Zephyrine{i},{age},{},{zip},gout-x{}\n", ["F", "M"][i % 2], i * i % 5);
    }
    text
}

#[test]
fn every_command_writes_a_page_that_shows_no_cell() {
    let table = people(120);
    let folder = Folder::with(&table);
    let models = with(&ROLES[..4], &["--diversity", "diagnosis=2", "-k", "4"]);
    let report = ["--report", "r.html", "--report-json"];
    good(
        &folder.kinfold(
            &[
                &["anonymize", "table.csv", "-o", "release.csv", "--set", "report.target = 'diagnosis'"],
                &models[..],
                &report,
            ]
            .concat(),
        ),
    );
    let page = folder.text("r.html");
    is_a_page(&page);
    shows_no_cell(&page, &table);
    shows_no_cell(&folder.text("r.json"), &table);
    for section in [
        "Summary",
        "Purpose",
        "Input",
        "Columns",
        "Method",
        "Attackers",
        "Risk before",
        "Singling out",
        "Sensitive columns",
        "Utility",
        "Bound",
        "Withheld",
        "Verification",
        "Limits",
        "Signatures",
        "SHA-256",
        "distinct 2-diversity",
    ] {
        assert!(page.contains(section), "{section}");
    }
    // The hash is that of the bytes that were written.
    let facts: serde_json::Value = serde_json::from_str(&folder.text("r.json")).unwrap();
    let hash = kinfold::sha256(&folder.bytes("release.csv")[..]).unwrap();
    assert_eq!(facts["release"]["sha256"], hash);
    assert!(page.contains(&hash));
    assert_eq!(facts["input"]["rows"], 120);
    assert!(facts["after"]["prosecutor"]["highest"].as_f64().unwrap() <= 0.25);
    assert_eq!(facts["before"]["sample_uniques"], facts["before"]["class_sizes"][0]["classes"]);

    let again = ["--report", "v.html", "--set", "report.language = 'de'"];
    good(
        &folder
            .kinfold(&[&["verify", "release.csv", "--original", "table.csv"], &models[..], &again].concat()),
    );
    let page = folder.text("v.html");
    is_a_page(&page);
    shows_no_cell(&page, &table);
    assert!(
        page.contains("<html lang=\"de\">")
            && page.contains("Bericht zur Prüfung")
            && page.contains("keine Zeile ist verloren")
    );

    good(&folder.kinfold(
        &[&["risk", "table.csv", "--sampling-fraction", "0.1", "--report", "k.html"], &ROLES[..]].concat(),
    ));
    is_a_page(&folder.text("k.html"));
    shows_no_cell(&folder.text("k.html"), &table);
    good(&folder.kinfold(&[&["certify", "table.csv", "-k", "4", "--report", "c.html"], &ROLES[..]].concat()));
    is_a_page(&folder.text("c.html"));
    shows_no_cell(&folder.text("c.html"), &table);
    folder.holds(&["c.html", "k.html", "r.html", "r.json", "release.csv", "table.csv", "v.html"]);
}

#[test]
fn levels_are_told_with_both_losses_and_what_the_verifier_read() {
    let table = people(120);
    let folder = Folder::with(&table);
    let policy = "k = 4\nwithhold = '20%'\n[columns]\nname = 'identifier'\nsex = 'quasi'\n\
        age = { role = 'quasi', levels = [10, 20], level = 20 }\n\
        zip = { role = 'quasi', prefix = [4, 3], finest = 4 }\n\
        diagnosis = { role = 'sensitive', prefix = [4], level = 4 }\n";
    folder.write("p.toml", policy);
    let texts = [
        (
            "en",
            "on one level in all rows: 20</td>",
            "on one level in all rows: 4</td>",
            "tight bounds",
            "One coding per column",
        ),
        (
            "de",
            "in allen Zeilen auf einer Ebene: 20</td>",
            "in allen Zeilen auf einer Ebene: 4</td>",
            "mit engen Grenzen",
            "Eine Kodierung je Spalte",
        ),
    ];
    for (code, age, diagnosis, tight, coding) in texts {
        let language = format!("report.language = '{code}'");
        for global in [false, true] {
            let recoding = if global { "global" } else { "local" };
            let made = ["--recoding", recoding, "--report", "r.html", "--report-json"];
            let made = [&["anonymize", "table.csv", "-o", "r.csv", "--policy", "p.toml"], &made[..]].concat();
            good(&folder.kinfold(&[&made[..], &["--set", &language]].concat()));
            let page = folder.text("r.html");
            is_a_page(&page);
            shows_no_cell(&page, &table);
            assert!(page.contains(age) && page.contains(diagnosis), "{code} {recoding}");
            let said = ["global: ", tight, coding].map(|words| page.contains(words));
            assert_eq!(said, [global; 3], "{code} {recoding}");
            let facts: serde_json::Value = serde_json::from_str(&folder.text("r.json")).unwrap();
            assert_eq!(facts["policy"]["recoding"], recoding);
        }
        let check = ["verify", "r.csv", "--policy", "p.toml", "--recoding", "global", "--report", "v.html"];
        good(&folder.kinfold(&[&check[..], &["--set", &language]].concat()));
        assert!(folder.text("v.html").contains(coding));
    }
}

#[test]
fn every_kind_of_release_has_its_page() {
    let table = people(90);
    let folder = Folder::with(&table);
    let numbers = ["--quasi", "age", "--drop", "name,sex,zip", "--sensitive", "diagnosis"];
    for (roles, flags) in [
        (&ROLES, &["--form", "bounds"][..]),
        (&ROLES, &["--objective", "stars"]),
        (&ROLES, &["--objective", "columns"]),
        (&numbers, &["--objective", "radius"]),
        (&numbers, &["--objective", "sse"]),
        (&numbers, &["--objective", "sse", "--set", "per_group = true"]),
        (&ROLES, &["--withhold", "10%"]),
        (&ROLES, &["--keep-order"]),
    ] {
        let files = ["anonymize", "table.csv", "-k", "3", "-o", "r.csv", "--report", "r.html"];
        let args = [&files, &roles[..], flags].concat();
        good(&folder.kinfold(&args));
        is_a_page(&folder.text("r.html"));
        shows_no_cell(&folder.text("r.html"), &table);
    }
}

#[test]
fn what_people_say_of_a_release_is_in_the_policy() {
    let folder = Folder::with(PEOPLE);
    folder.write(
        "policy.toml",
        "k = 3\n[columns]\nage = \"quasi\"\nsex = \"quasi\"\nzip = { role = \"quasi\", kind = \"category\" }\nname = \"identifier\"\n\
         diagnosis = \"sensitive\"\n[report]\npurpose = \"Study <A> & B\"\nreview_date = \"2030-01-01\"\n",
    );
    good(&folder.kinfold(&["anonymize", "table.csv", "--policy", "policy.toml", "--report", "r.html"]));
    let page = folder.text("r.html");
    is_a_page(&page);
    shows_no_cell(&page, PEOPLE);
    assert!(
        page.contains("Study &lt;A&gt; &amp; B")
            && page.contains("2030-01-01")
            && page.contains("policy.toml")
    );
}

#[test]
fn a_report_is_a_page_of_its_own() {
    let folder = Folder::with(PEOPLE);
    let roles = with(&["anonymize", "table.csv", "-k", "3", "-o", "r.csv"], &ROLES);
    folder.refuses(&with(&roles, &["--report", "r.txt"]), "a report is an HTML page", ".html", PEOPLE);
    good(&folder.careful(&with(&roles, &["--report", "r.html"])));
    std::fs::remove_file(folder.path("r.csv")).unwrap();
    let told = folder.careful(&with(&roles, &["--report", "r.html"]));
    told.ends_with_code(2).complains("r.html exists already");
}

#[test]
fn the_same_call_writes_the_same_page() {
    let folder = Folder::with(people(60));
    let args = with(
        &["anonymize", "table.csv", "-k", "3", "-o", "r.csv", "--report", "r.html", "--report-json"],
        &ROLES,
    );
    good(&folder.kinfold(&with(&args, &["--threads", "1"])));
    let first = folder.text("r.html");
    good(&folder.kinfold(&with(&args, &["--threads", "2"])));
    assert_eq!(first.replace("--threads 1", "--threads 2"), folder.text("r.html"));
}

#[test]
fn people_are_counted_in_one_unit_before_and_after() {
    let mut table = String::from("who,age,sex,diagnosis\n");
    for i in 0..90 {
        // Three rows of every person, alike.
        let person = i / 3;
        table +=
            &format!("Zephyrine{person},{},{},gout-x{}\n", 20 + person % 10, ["F", "M"][person % 2], i % 5);
    }
    let folder = Folder::with(&table);
    let roles = ["--quasi", "age,sex", "--person", "who", "--sensitive", "diagnosis", "-k", "3"];
    let files = ["anonymize", "table.csv", "-o", "r.csv", "--report", "r.html", "--report-json"];
    good(&folder.kinfold(&[&files, &roles[..]].concat()));
    let facts = |name: &str| -> serde_json::Value { serde_json::from_str(&folder.text(name)).unwrap() };
    let made = facts("r.json");
    assert_eq!((&made["before"]["people"], &made["after"]["people"]), (&30.into(), &30.into()));
    assert_eq!((&made["before"]["unit"], &made["after"]["unit"]), (&"people".into(), &"people".into()));
    assert!(folder.text("r.html").contains("People are distinct persons"));
    // The release alone does not tell persons: rows, before as after.
    let files = ["verify", "r.csv", "--original", "table.csv", "--report", "v.html", "--report-json"];
    good(&folder.kinfold(&[&files, &roles[..]].concat()));
    let checked = facts("v.json");
    assert_eq!((&checked["before"]["people"], &checked["after"]["people"]), (&90.into(), &90.into()));
    assert!(folder.text("v.html").contains("Every row counts as one person, before and after"));
    for page in ["r.html", "v.html"] {
        is_a_page(&folder.text(page));
        shows_no_cell(&folder.text(page), &table);
    }
}

/// What the attack of a reader with release and report makes of the withheld person's age: the losses say how wide
/// the domain is in which the published widths were measured.
fn age_by_the_width_of_the_domain(release: &str, facts: &serde_json::Value) -> f64 {
    let ends = |cell: &str| -> (f64, f64) {
        let cell = cell.trim_matches(['[', ']']);
        let (low, high) = cell.split_once('-').unwrap_or((cell, cell));
        (low.parse().unwrap(), high.parse().unwrap())
    };
    let ages: Vec<(f64, f64)> =
        release.lines().skip(1).map(|line| ends(line.split(',').next().unwrap())).collect();
    let widths: f64 = ages.iter().map(|(low, high)| high - low).sum();
    let made = &facts["anonymize"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let age = made["columns"].as_array().unwrap().iter().find(|column| column["column"] == "age").unwrap();
    let lowest = ages.iter().map(|(low, _)| *low).fold(f64::INFINITY, f64::min);
    lowest + widths / (number(&age["loss"]) * number(&made["rows"]) - number(&made["withheld"]))
}

/// Everything that three commands show of a table of which one person is withheld, and the release.
fn shown_of(folder: &Folder, policy: &str, withheld: &str) -> Vec<String> {
    // Five people from each town, whom no domain parts. The one who is withheld stands first, and comes last once the
    // table is in the order of its contents.
    let mut table = format!("age,sex,town,diagnosis\n{withheld}\n");
    for i in 0..60 {
        let (age, town) = (20 + i % 12 * 5 % 31 + i / 12 * 2, i % 12);
        table += &format!("{age},{},Town{town},gout-x{}\n", ["F", "M"][town % 2], i % 5);
    }
    folder.write("table.csv", &table);
    folder.write("policy.toml", policy);
    let asked = ["--policy", "policy.toml", "--report", "r.html", "--report-json"];
    let mut shown = Vec::new();
    for call in [
        &["anonymize", "table.csv", "-o", "r.csv"][..],
        &["verify", "r.csv", "--original", "table.csv"],
        &["risk", "r.csv", "--original", "table.csv"],
    ] {
        good(&folder.kinfold(&[call, &asked].concat()));
        shown.extend([folder.text("r.json"), folder.text("r.html")]);
    }
    shown.push(folder.text("r.csv"));
    let hash = kinfold::sha256(table.as_bytes()).unwrap();
    assert!(!shown.concat().contains(&hash), "whoever knows all but one cell could try its values");
    shown
}

/// People whom nobody equals.
const WITHHELD: [&str; 3] = ["999,X,Kiel,gout-x0", "1234,Y,Kiel,gout-x1", "111222,Zed,Kiel,gout-x9"];

#[test]
fn nothing_that_is_shown_depends_on_who_is_withheld() {
    let folder = Folder::with("");
    let towns = (0..12).map(|town| format!("Town{town};Region{};all\n", town % 3)).collect::<String>();
    folder.write("towns.csv", towns + "Kiel;North;all\n");
    for (settings, round, report) in [
        ("", "", "curve = true\npopulation_size = 1000\ntarget = 'diagnosis'"),
        ("", ", round = 5", ""),
        ("objective = 'stars'", "", ""),
    ] {
        let policy = format!(
            "k = 3\nwithhold = '2%'\n{settings}\n[columns]\nage = {{ role = 'quasi', kind = 'numeric'{round} }}\n\
             sex = {{ role = 'quasi', kind = 'category' }}\ntown = {{ role = 'quasi', hierarchy = 'towns.csv' }}\n\
             diagnosis = 'sensitive'\n[report]\n{report}\n"
        );
        let shown = WITHHELD.map(|person| shown_of(&folder, &policy, person));
        for (person, shown) in WITHHELD.iter().zip(&shown) {
            let facts: serde_json::Value = serde_json::from_str(&shown[0]).unwrap();
            assert_eq!(facts["anonymize"]["withheld"], 1, "{policy}");
            if settings.is_empty() && round.is_empty() {
                let age: f64 = person.split(',').next().unwrap().parse().unwrap();
                let guess = age_by_the_width_of_the_domain(&shown[6], &facts);
                assert!((guess - age).abs() > age / 2.0, "the report gives {age} away: {guess}");
            }
        }
        for other in &shown[1..] {
            shown[0].iter().zip(other).for_each(|(one, other)| assert_eq!(one, other, "{policy}"));
        }
    }
    // Which solver finds the groups of this table depends on who is withheld, and so would its name.
    let policy = "k = 3\nwithhold = '2%'\n[columns]\nage.role = 'quasi'\nsex = { role = 'quasi', kind = 'category' }\n";
    let shown = ["999,X", "1234,Y", "111222,Z"].map(|withheld| {
        let row = |i: usize| format!("{},{}\n", 20 + i % 12 * 5 % 31 + i / 12 * 2, ["F", "M"][i % 12 % 2]);
        folder.write("solvers.csv", format!("age,sex\n{withheld}\n") + &(0..60).map(row).collect::<String>());
        folder.write("solvers.toml", policy);
        let args = ["anonymize", "solvers.csv", "--policy", "solvers.toml", "-o", "s.csv"];
        good(&folder.kinfold(&[&args[..], &["--report", "s.html", "--report-json"]].concat()));
        ["s.csv", "s.html", "s.json"].map(|name| folder.text(name))
    });
    shown[1..].iter().for_each(|other| assert_eq!(*other, shown[0]));
    // A distance from a centre is measured on the domain, and cannot be measured again.
    let policy = "k = 3\nwithhold = '2%'\nobjective = 'cellular'\n[columns]\nage.role = 'quasi'\nsex = 'drop'\n\
                  town = 'drop'\ndiagnosis = 'sensitive'\n";
    let facts: serde_json::Value = serde_json::from_str(&shown_of(&folder, policy, WITHHELD[0])[0]).unwrap();
    let made = &facts["anonymize"];
    assert!(
        made["withheld"] == 1 && made["loss"].is_null() && made["bound"].is_null() && made["gap"].is_null()
    );
}

#[test]
fn a_proof_about_withheld_rows_is_not_shown() {
    let folder = Folder::with("");
    let mut shown: Vec<[String; 2]> = Vec::new();
    for withheld in ["999", "111222"] {
        let mut table = format!("age\n{withheld}\n");
        (0..59).for_each(|i| table += &format!("{}\n", 20 + i * 7 % 23));
        folder.write("table.csv", &table);
        let args = ["certify", "table.csv", "--quasi", "age", "-k", "3", "--withhold", "2%"];
        good(&folder.kinfold(&[&args[..], &["--report", "c.html", "--report-json"]].concat()));
        shown.push([folder.text("c.html"), folder.text("c.json")]);
    }
    assert_eq!(shown[0], shown[1]);
}

#[test]
fn a_report_takes_what_is_said_of_the_population() {
    let folder = Folder::with(people(120));
    let models = with(&ROLES, &["-k", "4"]);
    let risk = ["--set", "report = { sampling_fraction = '10%', threshold = [0.05, 0.3], curve = true }"];
    let facts = |name: &str| -> serde_json::Value { serde_json::from_str(&folder.text(name)).unwrap() };
    let files = ["anonymize", "table.csv", "-o", "r.csv", "--report", "r.html", "--report-json"];
    good(&folder.kinfold(&[&files[..], &models, &risk].concat()));
    let files = ["verify", "r.csv", "--original", "table.csv", "--report", "v.html", "--report-json"];
    good(
        &folder.kinfold(
            &[
                &files[..],
                &models,
                &["--set", "report.population_size = 1200", "--set", "report.threshold = [0.05, 0.3]"],
            ]
            .concat(),
        ),
    );
    for (page, figures) in [("r.html", "r.json"), ("v.html", "v.json")] {
        let facts = facts(figures);
        assert_eq!(facts["before"]["population_uniques"]["population"], 1200.0, "{page}");
        assert_eq!(facts["before"]["prosecutor"]["above"][0]["threshold"], 0.05);
        assert_eq!(facts["before"]["prosecutor"]["above"].as_array().unwrap().len(), 2);
        assert!(facts["after"]["journalist"].is_object());
        let text = folder.text(page);
        is_a_page(&text);
        assert!(text.contains("population of 1,200 people") && text.contains("above a risk of 0.05"));
    }
    assert_eq!(facts("r.json")["after"]["singled_out"], facts("v.json")["after"]["singled_out"]);
    assert!(
        folder.text("r.html").contains("Loss for other k")
            && !folder.text("v.html").contains("Loss for other k")
    );
    // Mistakes are told before any work is done.
    let roles = with(&["anonymize", "table.csv"], &models);
    let bad = with(&roles, &["--report", "x.html", "--set", "report.threshold = [2]"]);
    folder.refuses(&bad, "a threshold of 2 is no risk", "such as 0.2 and 0.09", &people(120));
    let flag = folder.kinfold(&with(&roles, &["--sampling-fraction", "10%"]));
    flag.ends_with_code(2).complains("write --set 'report.sampling_fraction = \"10%\"'");
}

#[test]
fn promised_numbers_are_rounded_to_the_safe_side() {
    let table = people(120);
    let folder = Folder::with(&table);
    let args = ["anonymize", "table.csv", "-o", "r.csv", "-k", "4", "--report", "r.html", "--report-json"];
    good(&folder.kinfold(&with(&args, &ROLES)));
    let facts: serde_json::Value = serde_json::from_str(&folder.text("r.json")).unwrap();
    let t = facts["after"]["attributes"][0]["closeness_equal"].as_f64().unwrap();
    let up = format!("{:.4}", (t * 1e4 - 1e-7).ceil() / 1e4);
    assert!(folder.text("r.html").contains(&format!(">{}<", up.trim_end_matches('0'))), "{t} as {up}");
    let verified = folder.kinfold(&with(&["verify", "r.csv", "-k", "4"], &ROLES));
    verified.ends_with_code(0).says(&format!("t = {}", up.trim_end_matches('0')));
}
