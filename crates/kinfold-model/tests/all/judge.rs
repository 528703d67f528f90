//! The judge on answers that were made by hand, what encoding refuses, and the metric behind radii.

use crate::support::{Dice, found, policy_for, read_csv, sample_of};
use kinfold_model::cost::{Cost, MIDDLE, ONE, Objective, Rule};
use kinfold_model::encode::encode;
use kinfold_model::judge::{Broken, Found, WITHHELD, judge};
use kinfold_model::metric::{Axis, Combine, Metric};
use kinfold_model::problem::{Impossible, Parts, Problem};
use kinfold_model::requirement::{Decimal, Distance, Guard, GuardedColumn, Presence, Protected, Requirement};
use kinfold_model::table::Table;

fn problem(table: &Table, toml: &str) -> Problem {
    encode(table, &policy_for(table, toml)).unwrap_or_else(|e| panic!("{e}")).problem
}

const POINTS: &str =
    "objective = \"group-size\"\n[columns]\n\"x/y\" = { role = \"quasi\", kind = \"point\" }\n";
const REGIONS: &str = "objective = \"group-size\"\n[columns]\nplace = { role = \"quasi\", regions = \"map.csv\" }\npeople = \"count\"\n";

#[test]
fn the_judge_refuses_near_misses() {
    let table = read_csv("x,y\n0,0\n9,9\n1,8\n8,1\n0,0\n5,5\n");
    let points = problem(&table, &format!("k = 2\n{POINTS}"));
    // Corner to corner twice: the diagonals cross.
    let crossing = judge(&points, found(vec![0, 0, 1, 1, 0, 1])).unwrap_err();
    assert_eq!(crossing, Broken::Overlap(0, 1));
    let parted = judge(&points, found(vec![0, 1, 0, 1, 1, 1])).unwrap_err();
    assert_eq!(parted, Broken::Parted(0, 1));

    let table = read_csv("place,people\nAach,1\nBach,2\nCalw,3\nDorn,3\nEgg,2\nFurt,1\n");
    let regions = problem(&table, &format!("k = 3\n{REGIONS}"));
    let solution = judge(&regions, found(vec![0, 0, 1, 2, 3, 3])).unwrap();
    assert_eq!(solution.cost().0, 3 * ONE);
    let apart = judge(&regions, found(vec![0, 1, 0, 1, 1, 1])).unwrap_err();
    assert_eq!(apart, Broken::Apart(0));
}

#[test]
fn a_group_that_crosses_classes_is_refused() {
    let table = read_csv("x\n1\n2\n3\n4\n5\n6\n");
    let plain =
        problem(&table, "k = 2\nwithhold = 0.2\ncolumns.x = { role = \"quasi\", kind = \"numeric\" }\n");
    let problem = plain.clone().within_classes(&[7, 7, 7, 3, 3, 3]).unwrap();
    assert_eq!(problem.class_of().unwrap(), [0, 0, 0, 1, 1, 1]);
    let judged =
        |group_of: &[u32]| judge(&problem, found(group_of.to_vec())).map(|solution| solution.groups());
    assert_eq!(judged(&[0, 0, 0, 1, 1, 1]), Ok(2));
    assert_eq!(judged(&[0, 0, 1, 1, 2, 2]), Err(Broken::Crosses(1)));
    assert_eq!(judged(&[0, 0, WITHHELD, 1, 1, 1]), Ok(2), "whoever is withheld crosses nothing");
    // Pieces keep the classes that they have rows of.
    assert_eq!(problem.piece(&[4, 1, 2, 5]).unwrap().class_of().unwrap(), [0, 1, 1, 0]);
    assert_eq!(problem.piece(&[4, 5]).unwrap().class_of(), None);
    // One row may be withheld.
    assert!(plain.clone().within_classes(&[0, 0, 0, 0, 0, 1]).is_ok());
    let refused = plain.clone().within_classes(&[0, 0, 0, 0, 1, 2]).unwrap_err();
    assert!(
        matches!(&refused, Impossible::Classes(short) if (short.classes, short.people) == (2, 2)),
        "{refused}"
    );
    assert!(refused.hint().unwrap().to_string().contains("withhold = 33.34%"), "{}", refused.hint().unwrap());
    assert!(refused.to_string().contains("leaves 2 rows in 2 classes of fewer than 2 (of 3 classes in all)"));
    // Nobody would be left.
    let refused = plain.clone().within_classes(&[0, 1, 2, 3, 4, 5]).unwrap_err();
    assert!(!refused.hint().unwrap().to_string().contains("withhold"), "{}", refused.hint().unwrap());
    assert!(matches!(plain.clone().within_classes(&[0; 5]), Err(Impossible::Malformed(_))));
    let twins = read_csv("x\n1\n1\n2\n2\n");
    let twins = self::problem(&twins, "k = 2\ncolumns.x = { role = \"quasi\", kind = \"numeric\" }\n");
    assert!(matches!(twins.clone().within_classes(&[0, 1, 0, 1]), Err(Impossible::Malformed(_))));
    // Another k, or another requirement, may be too much for a class.
    assert!(twins.within_classes(&[0, 0, 1, 1]).is_ok_and(|twins| twins.unguarded().class_of().is_some()));
}

#[test]
fn a_class_that_falls_short_of_a_model_is_withheld() {
    let table = read_csv("x,ill\n1,flu\n2,flu\n3,flu\n4,flu\n5,cold\n6,gout\n");
    let columns = "[columns]\nx = { role = \"quasi\", kind = \"numeric\" }\nill = { role = \"sensitive\", diversity = 2 }\n";
    let within = |withhold: &str| {
        problem(&table, &format!("k = 2\n{withhold}{columns}")).within_classes(&[0, 0, 0, 1, 1, 1])
    };
    let classes = within("withhold = 0.5\n").unwrap().classes().unwrap();
    assert_eq!(classes.released, [[3, 4, 5]]);
    assert!(classes.guard.is_some(), "the others are compared with each other");
    let short = classes.short;
    assert_eq!((short.classes, short.of, short.people, short.other_models), (1, 2, 3, true));
    let refused = within("").unwrap_err().to_string();
    assert!(refused.contains("3 rows in 1 class ") && refused.contains("other privacy models"), "{refused}");
    // Rows that stand for nobody cannot be released by themselves either.
    let table = read_csv("x,n\n1,2\n2,2\n3,0\n4,0\n");
    let toml = "k = 2\n[columns]\nx = { role = \"quasi\", kind = \"numeric\" }\nn = \"count\"\n";
    let refused = problem(&table, toml).within_classes(&[0, 0, 1, 1]).unwrap_err();
    assert!(matches!(refused, Impossible::Classes(short) if (short.classes, short.people) == (1, 0)));
}

#[test]
fn centres_that_are_near_misses_are_refused_for_the_right_reason() {
    let table = read_csv("x\n1\n2\n8\n9\n");
    let columns = "[columns]\nx = { role = \"quasi\", kind = \"numeric\" }\n";
    let problem = |said: &str| {
        encode(&table, &policy_for(&table, &format!("k = 2\nobjective = \"radius\"\n{said}{columns}")))
            .unwrap()
            .problem
    };
    let plain = problem("[metric]\nscale = \"given\"\n");
    let judged = |problem: &Problem, centres: &[u32]| {
        judge(problem, Found::around(vec![0, 0, 1, 1], centres.to_vec())).map(|s| s.cost())
    };
    assert_eq!(judged(&plain, &[0, 3]), Ok(Cost(ONE)));
    assert_eq!(
        judged(&plain, &[0, 1]),
        Ok(Cost(7 * ONE)),
        "the centre may be far: the judge works the radius out"
    );
    assert_eq!(judged(&plain, &[0]), Err(Broken::Centres { expected: 2, found: 1 }));
    assert_eq!(judged(&plain, &[]), Err(Broken::Centres { expected: 2, found: 0 }));
    let sealed = |problem: &Problem, found: Found| judge(problem, found).map(|s| s.cost());
    let boxed = sealed(&plain, Found::plain(vec![0, 0, 1, 1]));
    assert_eq!(boxed, Err(Broken::Centres { expected: 2, found: 0 }));
    let by_cell = encode(&table, &policy_for(&table, &format!("k = 2\n{columns}"))).unwrap().problem;
    let around = sealed(&by_cell, Found::around(vec![0, 0, 1, 1], vec![0, 3]));
    assert_eq!(around, Err(Broken::Centres { expected: 0, found: 2 }), "a centre that nobody wants");
    assert_eq!(judged(&plain, &[0, 4]), Err(Broken::NoSuchCentre(1)));
    assert_eq!(judged(&plain, &[0, MIDDLE]), Err(Broken::NoSuchCentre(1)), "middles were not allowed");
    let middles = problem("[metric]\nscale = \"given\"\ncentre = \"middle\"\n");
    assert_eq!(judged(&middles, &[MIDDLE, MIDDLE]), Ok(Cost(ONE / 2)));
    let limited = problem("max_groups = 1\n");
    assert_eq!(judged(&limited, &[0, 2]), Err(Broken::TooManyGroups { groups: 2, allowed: 1 }));
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// A table of some size with a protected column that goes with the first quasi-identifier.
fn table(rows: u32, dice: &mut Dice) -> Problem {
    let rules = vec![
        Rule::line((0..100).map(|i| i * ONE / 99).collect(), false, ONE).unwrap(),
        Rule::set(8, ONE),
        Rule::set(5, ONE),
    ];
    let codes: Vec<u32> =
        (0..rows).flat_map(|row| [row % 100, dice.below(8) as u32, dice.below(5) as u32]).collect();
    let parts = Parts::new(5, Objective::Ncp, rules, (0..rows).collect(), codes);
    Problem::new(parts).unwrap()
}

#[test]
fn the_judge_refuses_a_group_that_falls_short_and_names_the_requirement() {
    let mut dice = Dice(174);
    let plain = table(20, &mut dice);
    let codes = (0..20).map(|row| u32::from(row >= 10)).collect();
    let about = Protected { name: "diagnosis".into(), totals: vec![0; 2], ..Protected::default() };
    let list = vec![Requirement::Distinct { column: 0, l: 2 }];
    let guard = Guard::new(list, vec![GuardedColumn { about, codes }], None, 20, None, None).unwrap();
    let problem = plain.guarded(guard).unwrap();
    let group_of = |cut: u32| found((0..20).map(|row| u32::from(row >= cut)).collect());
    let broken = judge(&problem, group_of(10)).unwrap_err();
    let requirement = "distinct 2-diversity of \"diagnosis\"".to_owned();
    assert_eq!(broken, Broken::Unfulfilled { group: 0, requirement });
    // One row more makes the first group diverse, and leaves the second one uniform.
    assert!(matches!(judge(&problem, group_of(11)), Err(Broken::Unfulfilled { group: 1, .. })));
    let mixed = found((0..20).map(|row| row % 2).collect());
    assert!(judge(&problem, mixed).is_ok());
}

#[test]
fn the_judge_counts_the_population_of_every_group() {
    // Eight people of the values 0 to 7 on a line. The population has them, and eight more who lie between.
    let line = || vec![Rule::line((0..8).map(|i| i * ONE / 7).collect(), false, ONE).unwrap()];
    let codes: Vec<u32> = (0..8).collect();
    let plain = Problem::new(Parts::new(2, Objective::Ncp, line(), codes.clone(), codes.clone())).unwrap();
    let with = |max: &str, others: &[u32]| {
        let places: Vec<u32> = codes.iter().map(|code| 2 * code + 1).chain(others.iter().copied()).collect();
        let presence = Presence::new(decimal(max), line(), codes.clone(), &places, |_| 1).unwrap();
        let guard = Guard::new(Vec::new(), Vec::new(), None, 8, None, None).unwrap();
        plain.clone().guarded(guard.with_presence(presence).unwrap())
    };
    let halves = || found(vec![0, 0, 0, 0, 1, 1, 1, 1]);
    let good = with("0.5", &[2, 2, 4, 6, 10, 10, 12, 12]).unwrap();
    assert!(judge(&good, halves()).is_ok());
    // One member of the second half's population moves between the halves, and fits neither.
    let missed = with("0.5", &[2, 2, 4, 6, 10, 10, 12, 8]).unwrap();
    let requirement = "presence of at most 0.5".to_owned();
    assert_eq!(judge(&missed, halves()).unwrap_err(), Broken::Unfulfilled { group: 1, requirement });
    let together = found(vec![0; 8]);
    assert!(judge(&missed, together).is_ok());
    // Fewer of them, and nothing is possible.
    let error = with("0.5", &[2, 2, 4, 6, 10, 10, 12, 0]).unwrap_err().to_string();
    assert_eq!(error, "presence cannot be at most 0.5: 0.533333334 of the population is in the table");
    // Two groups that are published alike have one population.
    let rows = |group_of: Vec<u32>| {
        let codes = vec![0, 7, 0, 7, 0, 7, 0, 7];
        let record_of = vec![0, 1, 0, 1, 0, 1, 0, 1];
        let plain = Problem::new(Parts::new(2, Objective::Ncp, line(), record_of, vec![0, 7])).unwrap();
        let places = [1, 15, 1, 15, 1, 15, 1, 15, 2, 3, 4, 5];
        let presence = Presence::new(decimal("0.7"), line(), codes, &places, |_| 1).unwrap();
        let guard = Guard::new(Vec::new(), Vec::new(), None, 8, None, None).unwrap();
        judge(&plain.guarded(guard.with_presence(presence).unwrap()).unwrap(), found(group_of))
    };
    assert!(rows(vec![0, 0, 0, 0, 1, 1, 1, 1]).is_ok());
    assert!(rows(vec![0, 1, 0, 1, 0, 1, 0, 1]).is_err(), "nobody else has these values");
}

#[test]
fn whoever_is_withheld_changes_what_groups_are_compared_with() {
    // Ten rows: eight with value 0, two with value 1. One group of everybody is 0-close. Without the two, all
    // have value 0, and that is 0-close, too: nobody sees that there was another value.
    let mut dice = Dice(175);
    let plain = table(10, &mut dice);
    let parts = |codes: Vec<u32>| {
        let about = Protected { name: "s".into(), totals: vec![0; 2], ..Protected::default() };
        let list = vec![Requirement::Close { column: 0, t: decimal("0.1"), distance: Distance::Equal }];
        Guard::new(list, vec![GuardedColumn { about, codes }], None, 10, None, None).unwrap()
    };
    let guard = parts(vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    let rules = plain.rules().to_vec();
    let codes = (0..10).flat_map(|row| plain.codes(plain.record_of(row)).to_vec()).collect();
    let mut with = Parts::new(4, Objective::Ncp, rules, (0..10).collect(), codes);
    with.may_withhold = 2;
    with.guard = Some(guard);
    let problem = Problem::new(with).unwrap();
    let groups = |last: u32| found(vec![0, 0, 0, 0, 1, 1, 1, 1, last, last]);
    assert!(judge(&problem, groups(WITHHELD)).is_ok());
    assert!(matches!(judge(&problem, groups(1)), Err(Broken::Unfulfilled { .. })));
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

fn is_a_metric(metric: &Metric, records: &[&[u32]], recipe: &str) {
    let d = |a: usize, b: usize| metric.distance(records[a], records[b]);
    let n = records.len();
    for a in 0..n {
        assert_eq!(d(a, a), 0);
        for b in 0..n {
            assert_eq!(d(a, b), d(b, a));
            assert!((0..n).all(|c| d(a, c) <= d(a, b) + d(b, c)), "a detour is shorter\n{recipe}");
        }
    }
}

#[test]
fn no_detour_is_shorter() {
    let mut dice = Dice(333);
    let mut tables = 0;
    while tables < 300 {
        let Some(sample) = sample_of(&mut dice, "cellular", 6, 25) else { continue };
        let problem = &sample.encoded.problem;
        let records: Vec<&[u32]> = (0..problem.records() as u32).map(|r| problem.codes(r)).collect();
        is_a_metric(&problem.clusters().metric, &records, &sample.recipe);
        tables += 1;
    }
    // Points on the globe: near and far, on one great circle, at the poles, at the antipodes.
    for round in 0..100 {
        let degrees = |dice: &mut Dice, most: usize| {
            (dice.below(2 * most + 1) as f64 - most as f64) / [1.0, 1e6][round % 2]
        };
        let mut places: Vec<(f64, f64)> =
            (0..8).map(|_| (degrees(&mut dice, 90), degrees(&mut dice, 180))).collect();
        places.extend([(0.0, 0.0), (0.0, 60.0), (0.0, 120.0), (0.0, 180.0), (90.0, 0.0), (-90.0, 0.0)]);
        let (latitudes, longitudes) = places.iter().copied().unzip();
        let point = Axis::Point {
            columns: [0, 0],
            degrees: [latitudes, longitudes],
            radian: [6371.0, 6_371_000.0, 1.0][dice.below(3)] * ONE as f64,
        };
        let label = Axis::Labels { column: 1, apart: ONE };
        for &combine in Combine::ALL {
            let metric = Metric { axes: vec![point.clone(), label.clone()], combine };
            let codes: Vec<[u32; 2]> = (0..places.len() as u32).map(|i| [i, i % 2]).collect();
            let records: Vec<&[u32]> = codes.iter().map(|c| c.as_slice()).collect();
            is_a_metric(&metric, &records, "the globe");
        }
    }
}
