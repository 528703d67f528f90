//! Places and labels: what the solvers of objective `group-size` promise, and what the judge refuses.

mod support;

use kinfold::model::cost::ONE;
use kinfold::model::encode::{Encoded, encode};
use kinfold::model::judge::{Broken, judge};
use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, check_truth, read_lookup, verify};
use kinfold::{Choice, publish, solve};
use support::{Dice, brute_force, choices_for, found, policy_for, read_csv, run_with_threads};

fn encoded(table: &Table, toml: &str) -> (Policy, Encoded) {
    let policy = policy_for(table, toml);
    let encoded = encode(table, &policy).unwrap_or_else(|e| panic!("{e}"));
    (policy, encoded)
}

const LABELS: &str = "objective = \"group-size\"\n[columns]\nname = { role = \"quasi\", kind = \"category\" }\npeople = \"count\"\n";
const POINTS: &str =
    "objective = \"group-size\"\n[columns]\n\"x/y\" = { role = \"quasi\", kind = \"point\" }\n";
const REGIONS: &str = "objective = \"group-size\"\n[columns]\nplace = { role = \"quasi\", regions = \"map.csv\" }\npeople = \"count\"\n";

#[test]
fn label_solvers_keep_their_promises_and_exact_is_best() {
    let mut dice = Dice(1);
    let mut exact_beats = 0;
    for _ in 0..200 {
        let labels = 2 + dice.below(6);
        let k = 2 + dice.below(9);
        let mut text = String::from("name,people\n");
        for label in 0..labels {
            text += &format!("n{label},{}\n", 1 + dice.below(k + 2));
        }
        let table = read_csv(&text);
        let Ok(encoded) = encode(&table, &policy_for(&table, &format!("k = {k}\n{LABELS}"))) else {
            continue;
        };
        let optimum = brute_force(&encoded.problem).unwrap();
        for choice in choices_for(&encoded.problem) {
            let solution = solve(&encoded.problem, &choice, &run_with_threads(1)).unwrap().solution;
            let name = choice.to_string();
            let bound = solution.bound().cost().unwrap();
            assert!(bound <= optimum && optimum <= solution.cost(), "{name}: {text}");
            match name.as_str() {
                "label-exact" => assert_eq!((solution.cost(), bound), (optimum, optimum), "{text}"),
                "label-five-halves" => assert!(2 * solution.cost().0 <= 5 * optimum.0, "{text}"),
                _ if name.starts_with("label-relaxed") => {}
                _ => assert!(solution.cost().0 <= 3 * optimum.0, "{name}: {text}"),
            }
            exact_beats += usize::from(solution.cost() > optimum);
        }
    }
    assert!(exact_beats > 100, "the tables are too easy: {exact_beats}");
}

#[test]
fn the_judge_refuses_near_misses() {
    let table = read_csv("x,y\n0,0\n9,9\n1,8\n8,1\n0,0\n5,5\n");
    let (_, points) = encoded(&table, &format!("k = 2\n{POINTS}"));
    // Corner to corner twice: the diagonals cross.
    let crossing = judge(&points.problem, found(vec![0, 0, 1, 1, 0, 1])).unwrap_err();
    assert_eq!(crossing, Broken::Overlap(0, 1));
    let parted = judge(&points.problem, found(vec![0, 1, 0, 1, 1, 1])).unwrap_err();
    assert_eq!(parted, Broken::Parted(0, 1));

    let table = read_csv("place,people\nAach,1\nBach,2\nCalw,3\nDorn,3\nEgg,2\nFurt,1\n");
    let (_, regions) = encoded(&table, &format!("k = 3\n{REGIONS}"));
    let solution = judge(&regions.problem, found(vec![0, 0, 1, 2, 3, 3])).unwrap();
    assert_eq!(solution.cost().0, 3 * ONE);
    let apart = judge(&regions.problem, found(vec![0, 1, 0, 1, 1, 1])).unwrap_err();
    assert_eq!(apart, Broken::Apart { group: 0 });
}

#[test]
fn groups_may_reach_through_regions_where_nobody_lives() {
    // Bach and Dorn, which Aach touches, have no row.
    let table = read_csv("place,people\nAach,2\nCalw,2\n");
    let (_, regions) = encoded(&table, &format!("k = 4\n{REGIONS}"));
    let outcome = solve(&regions.problem, &Choice::Auto, &run_with_threads(1)).unwrap();
    assert_eq!((outcome.solver.as_str(), outcome.solution.groups()), ("region-tree", 1));
}

#[test]
fn parts_of_the_map_with_too_few_people_are_named_or_withheld() {
    let table = read_csv("place,people\nAach,9\nBach,9\nInsel,1\n");
    let policy = policy_for(&table, &format!("k = 5\n{REGIONS}"));
    let error = encode(&table, &policy).unwrap_err().to_string();
    assert!(error.contains("Insel") && error.contains("1 part"), "{error}");
    let (_, allowed) = encoded(&table, &format!("k = 5\nwithhold = \"10%\"\n{REGIONS}"));
    let solution = solve(&allowed.problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
    assert_eq!((solution.withheld(), solution.groups()), (1, 2));
    let unknown = read_csv("place,people\nAach,9\nNowhere,9\n");
    let error =
        encode(&unknown, &policy_for(&unknown, &format!("k = 5\n{REGIONS}"))).unwrap_err().to_string();
    assert!(error.contains("row 2") && !error.contains("Nowhere"), "{error}");
}

#[test]
fn points_are_drawn_to_one_scale_whatever_the_objective() {
    // Ten times as wide as high: width counts ten times as much.
    let table = read_csv("x,y\n0,0\n100,10\n50,0\n50,10\n");
    let toml = "k = 2\n[columns]\n\"x/y\" = { role = \"quasi\", kind = \"point\", weight = 2 }\n";
    let (_, by_cell) = encoded(&table, toml);
    let full: Vec<u64> = by_cell.problem.rules().iter().map(|rule| rule.full()).collect();
    assert_eq!(full[0] + full[1], 2 * ONE);
    assert_eq!((full[0] as f64 / full[1] as f64).round(), 10.0);
    let (policy, sized) = encoded(&table, &format!("k = 2\n{POINTS}"));
    let outcome = solve(&sized.problem, &Choice::Auto, &run_with_threads(1)).unwrap();
    assert_eq!((outcome.solver.as_str(), outcome.solution.groups()), ("gps-rectangles", 2));
    let mut bytes = Vec::new();
    publish(&table, &policy, &sized, &outcome.solution).write_csv(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("[0-50],0") && text.contains("[50-100],10"), "{text}");
}

#[test]
fn long_sets_have_names_that_a_lookup_explains() {
    let mut text = String::from("name,people\n");
    (0..30).for_each(|label| text += &format!("n{label},1\n"));
    let table = read_csv(&text);
    let (policy, labels) = encoded(&table, &format!("k = 10\n{LABELS}"));
    let solution = solve(&labels.problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
    let mut release = publish(&table, &policy, &labels, &solution);
    let lookup = release.name_sets();
    let mut bytes = Vec::new();
    release.write_csv(&mut bytes).unwrap();
    assert!(String::from_utf8(bytes.clone()).unwrap().starts_with("name,people\nname set "));
    let read = || {
        Published::read(Source::from_bytes(bytes.clone(), &ReadOptions::default()).unwrap(), &policy, true)
            .unwrap()
    };
    assert!(verify(&read(), &policy).unwrap().safe());
    assert!(!check_truth(&read(), &table, &policy).unwrap().holds(), "a name alone proves nothing");
    let explained = read().with_lookup(read_lookup(&lookup).unwrap().unwrap());
    assert!(check_truth(&explained, &table, &policy).unwrap().holds());
    let lied = lookup.replace("n7|", "");
    let lied = read().with_lookup(read_lookup(&lied).unwrap().unwrap());
    assert!(
        !check_truth(&lied, &table, &policy).unwrap().holds(),
        "a set that leaves somebody out is not true"
    );
}

#[test]
fn bounds_hold_where_people_may_be_withheld() {
    let mut dice = Dice(9);
    let (mut tight, mut checked) = (0, 0);
    for round in 0..240 {
        let (kind, names) = match round % 3 {
            0 => (LABELS, vec!["name", "people"]),
            1 => (REGIONS, vec!["place", "people"]),
            _ => (POINTS, vec!["x", "y"]),
        };
        let places = ["Aach", "Bach", "Calw", "Dorn", "Egg", "Furt", "Insel"];
        let mut text = names.join(",") + "\n";
        for place in places.iter().take(3 + dice.below(5)) {
            text += &match round % 3 {
                2 => format!("{},{}\n", dice.below(3), dice.below(3)),
                _ => format!("{place},{}\n", 1 + dice.below(9)),
            };
        }
        let k = 2 + dice.below(4);
        let table = read_csv(&text);
        let toml = format!("k = {k}\nwithhold = \"{}%\"\n{kind}", [20, 40][dice.below(2)]);
        let Ok(encoded) = encode(&table, &policy_for(&table, &toml)) else { continue };
        let Some(optimum) = brute_force(&encoded.problem) else { continue };
        for choice in choices_for(&encoded.problem) {
            let solution = solve(&encoded.problem, &choice, &run_with_threads(1)).unwrap().solution;
            let bound = solution.bound().cost().unwrap();
            assert!(bound <= optimum && optimum <= solution.cost(), "{choice}: {toml}\n{text}");
            tight += usize::from(bound == optimum);
            checked += 1;
        }
    }
    assert!(tight > checked / 10 && checked > 200, "the bounds say little: {tight} of {checked}");
}

#[test]
fn missing_values_may_join_any_run() {
    // The missing one with 0 and 1 makes two groups of 3; runs that end with it make one of 6.
    let table = read_csv("v,people\n0,1\n1,1\n5,3\nNA,1\n");
    let toml = "k = 3\nobjective = \"group-size\"\n[columns]\nv = { role = \"quasi\", kind = \"numeric\" }\npeople = \"count\"\n";
    let (_, runs) = encoded(&table, toml);
    let solution = solve(&runs.problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
    assert!(solution.bound().cost().unwrap() <= brute_force(&runs.problem).unwrap());
}

#[test]
fn what_has_no_place_is_refused_with_the_reason() {
    let refused = |csv: &str, toml: &str| {
        let table = read_csv(csv);
        encode(&table, &policy_for(&table, toml)).unwrap_err().to_string()
    };
    let nobody = refused("place,people\nAach,9\nInsel,0\n", &format!("k = 2\n{REGIONS}"));
    assert!(nobody.contains("1 part of the map holds") && nobody.contains("Insel"), "{nobody}");
    let missing = refused("place,people\nAach,9\n,2\n", &format!("k = 2\n{REGIONS}"));
    assert!(missing.contains("the region is missing in 1 row (row 2)"), "{missing}");
    let half = refused("x,y\n1,2\n,3\n4,4\n", &format!("k = 2\n{POINTS}"));
    assert!(half.contains("a coordinate is missing in 1 row (row 2)"), "{half}");
    let point = "k = 2\nform = \"wkt\"\n[columns]\n\"x/y\" = { role = \"quasi\", kind = \"point\" }\n";
    assert!(refused("x,y\n1,2\n,3\n4,4\n", point).contains("a coordinate is missing"));
}
