//! Cards say what is promised on which input, and name the test that shows it. Here nothing of that can rot.

use crate::support::read_csv;
use kinfold::model::encode::encode;
use kinfold::model::policy::Draft;
use kinfold::model::{Objective, Problem};
use kinfold::solvers::ELSEWHERE;
use kinfold::{Card, Input, Kept, Promise, promise_table};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn cards() -> impl Iterator<Item = &'static Card> {
    crate::catalogue().cards().collect::<Vec<_>>().into_iter()
}

/// Whether a policy with one of these objectives can have it.
fn occurs_with(input: Input, objectives: &[Objective]) -> bool {
    match input {
        Input::Middles => objectives.iter().any(|objective| objective.centred()),
        Input::Setups => objectives.contains(&Objective::Cellular),
        Input::Limit | Input::LimitWithholding => objectives.contains(&Objective::Radius),
        _ => true,
    }
}

#[test]
fn every_promise_speaks_of_every_input_once() {
    for card in cards() {
        let mut said: Vec<Input> = card.cases.iter().flat_map(|case| case.inputs).copied().collect();
        said.sort_unstable();
        if card.promise == Promise::Heuristic {
            assert!(said.is_empty(), "{} promises nothing", card.key);
            continue;
        }
        let wanted: Vec<Input> =
            Input::ALL.iter().copied().filter(|input| occurs_with(*input, card.objectives)).collect();
        assert_eq!(said, wanted, "{}", card.key);
        for case in card.cases {
            assert_eq!(case.why.is_empty(), case.kept == Kept::Fully, "{}: say why, or nothing", card.key);
        }
    }
}

/// All Rust sources of the project.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_test_that_a_card_names_is_there() {
    let mut files = Vec::new();
    sources(&Path::new(ROOT).join("crates"), &mut files);
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    let is_test = |name: &str| {
        let head = format!("fn {name}() {{");
        lines.windows(2).any(|pair| pair[0].trim() == "#[test]" && pair[1].trim() == head)
    };
    assert!(is_test("every_test_that_a_card_names_is_there") && !is_test("is_test"));
    for card in cards() {
        for case in card.cases {
            assert!(is_test(case.test), "{} names a test that is not there: {}", card.key, case.test);
        }
    }
}

/// The section of `papers/README.md` that is made of the cards. After an intended change: `KINFOLD_BLESS=1
/// cargo test --test all promises::`.
#[test]
fn the_table_in_the_papers_is_that_of_the_cards() {
    let path = Path::new(ROOT).join("papers/README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once("<!-- promises -->\n").unwrap();
    let (told, after) = rest.split_once("<!-- end of promises -->").unwrap();
    // Solvers of other crates stay as they are, where they are not there.
    let lacking = |line: &&str| {
        let there = |key: &str| cards().any(|card| card.key == key);
        ELSEWHERE.iter().any(|(key, _)| !there(key) && line.starts_with(&format!("| `{key}` |")))
    };
    let table = promise_table(cards());
    let (title, cases) = table.split_at(table.match_indices('\n').nth(1).unwrap().0 + 1);
    let mut lines: Vec<&str> = told.lines().filter(lacking).chain(cases.lines()).collect();
    lines.sort_by_key(|line| line.split('`').nth(1));
    let wanted = format!("{title}{}\n", lines.join("\n"));
    if std::env::var_os("KINFOLD_BLESS").is_some() {
        let text = format!("{before}<!-- promises -->\n{wanted}<!-- end of promises -->{after}");
        fs::write(path, text).unwrap();
    } else {
        assert!(told == wanted, "papers/README.md is not what the cards say: KINFOLD_BLESS=1 writes it anew");
    }
}

/// Columns with values, an objective, and what is special about an input, as a problem; or why there is none.
fn problem(values: &str, card: &Card, columns: &str, input: Input) -> Result<Problem, String> {
    let (objective, recoding) = (card.objectives[0].word(), card.recoding.word());
    let mut toml = format!("k = 2\nobjective = \"{objective}\"\nrecoding = \"{recoding}\"\n");
    if matches!(input, Input::Limit | Input::LimitWithholding) {
        toml += "max_groups = 2\n";
    }
    if matches!(input, Input::Withholding | Input::LimitWithholding) {
        toml += "withhold = \"40%\"\n";
    }
    if input == Input::Middles {
        toml += "[metric]\ncentre = \"middle\"\n";
    }
    let heavy = if input == Input::Weights { ", weight = 3" } else { "" };
    toml += "[columns]\n";
    for column in columns.split(' ') {
        let (name, kind) = column.split_once(':').unwrap();
        let kind = match kind {
            "region" => "regions = \"map.csv\"".to_owned(),
            kind => format!("kind = \"{kind}\""),
        };
        toml += &format!("\"{name}\" = {{ role = \"quasi\", {kind}{heavy} }}\n");
    }
    toml += match input {
        Input::Counts => "people = \"count\"\n",
        Input::Setups => "people = \"setup\"\n",
        _ => "people = \"drop\"\n",
    };
    let (title, mut rows) = {
        let mut lines = values.split(' ').map(str::to_owned);
        (lines.next().unwrap(), lines.collect::<Vec<String>>())
    };
    if input == Input::Missing {
        let rest: Vec<&str> = rows[0].split(',').skip(1).collect();
        rows[0] = [vec![""], rest].concat().join(",");
    }
    let people = |row: &String| format!("{row},2\n");
    let table = read_csv(&format!("{title},people\n{}", rows.iter().map(people).collect::<String>()));
    let names: Vec<String> = table.columns().iter().map(|c| c.name().to_owned()).collect();
    let folder = Path::new(ROOT).join("testdata/cases/policy.toml");
    let policy = Draft::from_toml(&toml, &folder).settle_for(&names).map_err(|e| e.to_string())?;
    Ok(encode(&table, &policy).map_err(|e| e.to_string())?.problem)
}

#[test]
fn every_solver_declines_what_its_card_says() {
    let tables = [
        ("x,y 1,1 2,1 8,9 9,9 5,5 5,6", "x:numeric y:numeric"),
        ("x a a b b c d", "x:category"),
        ("x 1 2 3 4 5 6", "x:numeric"),
        ("x,y 1,1 2,1 8,9 9,9 5,5 5,6", "x/y:point"),
        ("x Aach Aach Bach Calw Dorn Egg", "x:region"),
    ];
    let mut checked = 0;
    for solver in crate::catalogue().iter().filter(|s| !s.card().cases.is_empty()) {
        let card = solver.card();
        let says = |(values, columns): (&str, &str), input: Input| {
            let problem = problem(values, card, columns, input)?;
            solver.supports(&problem).map_err(|why| why.to_string())
        };
        let table = tables.into_iter().find(|&table| says(table, Input::Plain).is_ok());
        let table = table.unwrap_or_else(|| panic!("{} declines all tables", card.key));
        for case in card.cases {
            for &input in case.inputs {
                let declined = says(table, input).err();
                assert_eq!(
                    declined.is_some(),
                    case.kept == Kept::Declined,
                    "{}, {}: {declined:?}",
                    card.key,
                    input.word()
                );
                assert!(declined.is_none_or(|why| why.len() > 20), "{}: a sentence, please", card.key);
                checked += 1;
            }
        }
    }
    // More with HiGHS.
    assert!(checked >= 87, "{checked}");
}
