//! Places and labels: what the solvers of objective `group-size` make, and what the judge refuses.

use crate::support::{brute_force, choices_for, found, policy_for, read_csv, run_with_threads};
use kinfold::model::cost::ONE;
use kinfold::model::encode::{Encoded, encode};
use kinfold::model::judge::{Broken, judge};
use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, check_truth, read_lookup, verify};
use kinfold::{Choice, publish, solve};

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
    assert_eq!((outcome.solver.as_str(), outcome.solution.groups()), ("boxes", 2));
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
    let lookup = release.lookup(true).unwrap();
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
fn whoever_makes_the_largest_group_smaller_is_withheld() {
    // Without A, all groups hold exactly ten.
    let mut text = String::from("name,people\nA,100\n");
    (0..10).for_each(|label| text += &format!("b{label},10\n"));
    let table = read_csv(&text);
    let (_, labels) = encoded(&table, &format!("k = 10\nwithhold = \"50%\"\n{LABELS}"));
    for choice in choices_for(&labels.problem) {
        let solution = solve(&labels.problem, &choice, &run_with_threads(1)).unwrap().solution;
        assert_eq!((solution.largest(), solution.withheld()), (10, 1), "{choice}");
        assert_eq!(solution.bound().cost().unwrap().0, 10 * ONE, "{choice}");
    }
    // A heavy region in the middle of the map can go only together with what it cuts off.
    let table = read_csv("place,people\nAach,1\nBach,60\nCalw,3\nDorn,3\nEgg,9\nFurt,4\nInsel,2\n");
    let (_, map) = encoded(&table, &format!("k = 3\nwithhold = \"80%\"\n{REGIONS}"));
    let solution = solve(&map.problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
    assert_eq!(solution.cost(), brute_force(&map.problem).unwrap());
}

#[test]
fn values_far_closer_than_the_domain_is_wide_are_still_cut() {
    // On the scale of the far one all others are at one place.
    let mut text = String::from("x,y\n1000000000000000,7\n1000000000000001,7\n");
    (0..40).for_each(|x| text += &format!("{x},{}\n", x % 3));
    let table = read_csv(&text);
    for toml in [
        POINTS,
        "objective = \"group-size\"\n[columns]\nx = { role = \"quasi\", weight = 0.000001 }\ny = { role = \"quasi\" }\n",
    ] {
        let (_, far) = encoded(&table, &format!("k = 2\n{toml}"));
        for choice in choices_for(&far.problem) {
            let solution = solve(&far.problem, &choice, &run_with_threads(1)).unwrap().solution;
            // 4(k − 1) people, and the one of a point.
            assert!(solution.largest() <= 5, "{choice}: {}", solution.largest());
        }
    }
}

#[test]
fn missing_values_come_last_in_runs() {
    // The missing one could be put with 0 and 1 only if it did not come after 5.
    let table = read_csv("v,people\n0,1\n1,1\n5,3\nNA,1\n");
    let toml = "k = 3\nobjective = \"group-size\"\n[columns]\nv = { role = \"quasi\", kind = \"numeric\" }\npeople = \"count\"\n";
    let (_, runs) = encoded(&table, toml);
    let overlap = judge(&runs.problem, found(vec![0, 0, 1, 0])).unwrap_err();
    assert_eq!(overlap, Broken::Overlap(0, 1));
    let solution = solve(&runs.problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
    assert_eq!((solution.largest(), solution.bound().cost()), (6, brute_force(&runs.problem)));
}
