//! Clusters: factors against the best of all clusterings, bounds, the paper's figures, and the metric.

use crate::support::factors::{
    BY_CENTRE, FEW, FEW_OUT, FIGURE_1, OUT, SETUP, best, fault, faults_are_caught, figure_1,
    figure_1_costs_11, worst_factor, worst_factor_of_middles,
};
use crate::support::{Dice, policy_for, read_csv, run_with_threads};
use kinfold::model::cost::{Cost, ONE};
use kinfold::model::encode::encode;
use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source};
use kinfold::model::verify::{Published, check_truth, verify};
use kinfold::{Choice, publish, solve};

#[test]
fn theorem_2_3_gather_is_within_2() {
    let worst = worst_factor("gather", 2, &["objective = \"radius\""], false);
    assert!((1.9..=2.0).contains(&worst), "{worst}");
}

#[test]
fn theorem_2_4_gather_outliers_is_within_4_and_with_records_within_3() {
    let worst = worst_factor("gather", 4, &OUT, false);
    assert!((2.5..=4.0).contains(&worst), "{worst}");
    let worst = worst_factor("gather:records", 3, &OUT, false);
    assert!((2.0..=3.0).contains(&worst), "{worst}");
}

#[test]
fn section_2_4_kr_center_is_within_2() {
    let worst = worst_factor("gather", 2, &FEW, false);
    assert!((1.5..=2.0).contains(&worst), "{worst}");
}

#[test]
fn theorem_2_8_kr_center_outliers_is_within_4() {
    let worst = worst_factor("gather", 4, &FEW_OUT, false);
    assert!((2.0..=4.0).contains(&worst), "{worst}");
}

#[test]
fn bounds_hold_with_setup_costs_by_centre() {
    worst_factor("cellular", 36, &BY_CENTRE, true);
}

#[test]
fn a_group_is_set_up_where_it_is_cheap() {
    // Around 5 the radius is least, but that costs 9 more than around 4.
    let table = read_csv("x,f\n4,0\n5,9\n6,9\n");
    let costs = |f: &str| {
        let toml = format!(
            "k = 3\nobjective = \"cellular\"\n[metric]\nscale = \"given\"\n[columns]\n\
             x = {{ role = \"quasi\", kind = \"numeric\" }}\nf = \"{f}\"\n"
        );
        let policy = policy_for(&table, &toml);
        let encoded = encode(&table, &policy).unwrap();
        let solution = solve(&encoded.problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
        let mut bytes = Vec::new();
        publish(&table, &policy, &encoded, &solution).write_csv(&mut bytes).unwrap();
        (solution.cost(), String::from_utf8(bytes).unwrap())
    };
    assert_eq!(costs("drop"), (Cost(3 * ONE), "x,group_size,group_radius\n5,3,1\n5,3,1\n5,3,1\n".to_owned()));
    assert_eq!(
        costs("setup"),
        (Cost(6 * ONE), "x,group_size,group_radius\n4,3,2\n4,3,2\n4,3,2\n".to_owned())
    );
}

#[test]
fn theorem_3_8_r_cellular_is_within_36() {
    let worst = worst_factor("cellular", 36, &["objective = \"cellular\"", SETUP[0]], true);
    assert!(worst <= 2.0, "{worst} is within the factor, but used to be far less");
}

#[test]
fn bounds_of_cellular_hold_with_outliers() {
    worst_factor("cellular", 36, &["objective = \"cellular\"\nwithhold = \"20%\""], true);
}

/// The middle of a group can be half as far from its rows as any record: what factors are left is on the
/// cards.
#[test]
fn factors_hold_where_centres_are_middles() {
    let worst = |solver, factor, settings| worst_factor_of_middles(solver, factor, settings, |_| true);
    let gather = worst("gather", 2, &["objective = \"radius\""]);
    assert!(gather > 1.9, "{gather}");
    worst("gather", 2, &FEW);
    worst("gather", 4, &FEW_OUT);
    worst("gather", 4, &OUT);
    let records = worst("gather:records", 4, &OUT);
    assert!(records > 2.0, "{records}");
    worst("cellular", 72, &["objective = \"cellular\"", SETUP[0]]);
    // Six rows of which one may go: 3.39 times the best, where a factor of 3 was once promised.
    let table = read_csv("x\n14\n20\n25\n25\n28\n33\n");
    let policy = "k = 2\nobjective = \"radius\"\nwithhold = \"20%\"\n[metric]\nscale = \"given\"\ncentre = \"middle\"\n\
                  [columns]\nx = { role = \"quasi\", kind = \"numeric\" }\n";
    let problem = encode(&table, &policy_for(&table, policy)).unwrap().problem;
    let choice = Choice::parse("gather:records").unwrap();
    let cost = solve(&problem, &choice, &run_with_threads(1)).unwrap().solution.cost();
    assert_eq!(fault(cost.0, 0, best(&problem, false), 4), None);
}

#[test]
fn planted_faults_are_caught_by_the_check_of_factors() {
    let promised = [
        ("gather", 2, "objective = \"radius\"\n[metric]"),
        ("gather", 2, "objective = \"radius\"\nmax_groups = 2\n[metric]"),
        ("gather", 4, "objective = \"radius\"\nwithhold = \"20%\"\n[metric]"),
        ("gather:records", 3, "objective = \"radius\"\nwithhold = \"20%\"\n[metric]"),
        ("gather", 4, "objective = \"radius\"\nwithhold = \"20%\"\nmax_groups = 2\n[metric]"),
        ("cellular", 36, "objective = \"cellular\"\n[metric]"),
        ("cellular", 72, "objective = \"cellular\"\n[metric]\ncentre = \"middle\""),
    ];
    faults_are_caught(&promised);
}

#[test]
fn figure_1_costs_11_and_is_published_as_the_paper_does() {
    for solver in ["cellular", "auto"] {
        figure_1_costs_11(solver);
    }
    let (table, policy) = figure_1("radius", "");
    let encoded = encode(&table, &policy).unwrap();
    let outcome = solve(&encoded.problem, &Choice::Auto, &run_with_threads(1)).unwrap();
    assert_eq!(outcome.solution.cost(), Cost(3 * ONE), "the maximum radius over all clusters is 3");
}

#[test]
fn one_radius_is_told_for_all_groups_where_the_policy_says_so() {
    let table = read_csv(FIGURE_1);
    let policy = |more: &str| {
        policy_for(
            &table,
            &format!(
                "k = 2\nobjective = \"cellular\"\n{more}[metric]\nscale = \"given\"\n[columns]\n\
                 age = {{ role = \"quasi\", kind = \"numeric\" }}\nplace = {{ role = \"quasi\", kind = \"numeric\" }}\n\
                 disease = \"sensitive\"\n"
            ),
        )
    };
    let (one, own) = (policy("one_radius = true\n"), policy(""));
    let encoded = encode(&table, &one).unwrap();
    let solution = solve(&encoded.problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
    let published = |policy: &Policy| {
        let mut bytes = Vec::new();
        publish(&table, policy, &encoded, &solution).write_csv(&mut bytes).unwrap();
        bytes
    };
    let read = |bytes: Vec<u8>| {
        Published::read(Source::from_bytes(bytes, &ReadOptions::default()).unwrap(), &one, true).unwrap()
    };
    let text = String::from_utf8(published(&one)).unwrap();
    assert!(text.contains("20,100,flu,2,3\n") && text.contains("60,500,cold,3,3\n"), "{text}");
    let release = read(published(&one));
    assert!(verify(&release, &one).unwrap().safe() && check_truth(&release, &table, &one).unwrap().holds());
    // The same release with each group's own radius tells what the policy keeps back.
    assert!(!verify(&read(published(&own)), &one).unwrap().safe());
}

#[test]
fn figure_3_costs_20_stars_or_5_as_one_cluster() {
    let table = read_csv("a,b,c,d\n1,1,1,1\n0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n");
    let columns =
        ["a", "b", "c", "d"].map(|c| format!("{c} = {{ role = \"quasi\", kind = \"category\" }}\n")).concat();
    for (objective, metric, cost) in
        [("stars", "", 20), ("cellular", "[metric]\ncombine = \"manhattan\"\n", 5)]
    {
        let toml = format!("k = 5\nobjective = \"{objective}\"\n{metric}[columns]\n{columns}");
        let encoded = encode(&table, &policy_for(&table, &toml)).unwrap();
        let outcome = solve(&encoded.problem, &Choice::Auto, &run_with_threads(1)).unwrap();
        assert_eq!(outcome.solution.cost(), Cost(cost * ONE), "{objective}");
    }
}

#[test]
fn more_than_the_exact_limit_is_gathered_within_the_wider_factor() {
    let mut dice = Dice(50);
    let mut csv = String::from("x,y\n");
    for _ in 0..60_000 {
        csv += &format!("{},{}\n", dice.below(100_000), dice.below(100_000));
    }
    let table = read_csv(&csv);
    let columns = "[columns]\nx = { role = \"quasi\", kind = \"numeric\" }\ny = { role = \"quasi\", kind = \"numeric\" }\n";
    let encoded =
        encode(&table, &policy_for(&table, &format!("k = 6\nobjective = \"radius\"\n{columns}"))).unwrap();
    assert!(encoded.problem.records() > 50_000);
    let choice = Choice::parse("gather").unwrap();
    let [one, two] =
        [1, 2].map(|threads| solve(&encoded.problem, &choice, &run_with_threads(threads)).unwrap().solution);
    assert_eq!(one.group_of(), two.group_of());
    let bound = one.bound().cost().unwrap();
    assert!(one.cost().0 as f64 <= 2.02 * bound.0 as f64 + 2.0, "{} and {bound}", one.cost());
}
