//! Clusters: factors against the best of all clusterings, bounds, the paper's figures, and the metric.

use crate::support::{Dice, policy_for, read_csv, run_with_threads, sample_of};
use kinfold::model::cost::{Cost, MIDDLE, ONE, radius};
use kinfold::model::encode::{Encoded, encode};
use kinfold::model::judge::{Broken, Found, WITHHELD, judge};
use kinfold::model::metric::{Axis, Combine, Metric};
use kinfold::model::policy::Policy;
use kinfold::model::problem::Problem;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, check_truth, verify};
use kinfold::{Choice, Outcome, Run, publish, solve};

/// Places on a line or in the plane, now and then with labels, weights and missing values.
fn instance(dice: &mut Dice, settings: &str) -> (Table, String, Encoded) {
    let rows = 4 + dice.below(4);
    let side = 3 + dice.below(10);
    let holes = dice.below(3) == 0;
    let setups = settings.contains("setups");
    let mut csv = String::from("x,y,z,f\n");
    for _ in 0..rows {
        let mut place = || match holes && dice.below(6) == 0 {
            true => "NA".to_owned(),
            false => dice.below(side).to_string(),
        };
        let (x, y) = (place(), place());
        let label = dice.pick(&["a", "a", "b"]);
        let cost = if setups { [4, 6, 9, 20, 40][dice.below(5)] } else { 0 };
        csv += &format!("{x},{y},{label},{cost}\n");
    }
    let combine = dice.pick(&["euclidean", "manhattan", "maximum"]);
    let weight = dice.pick(&["", "", ", weight = 0.5", ", weight = 3"]);
    let role = |column: bool| if column { "quasi" } else { "drop" };
    let (plane, labels) = (dice.below(3) > 0, dice.below(3) == 0);
    let policy = format!(
        "k = {}\n{settings}\nscale = \"given\"\ncombine = \"{combine}\"\n\
         [columns]\nx = {{ role = \"quasi\", kind = \"numeric\"{weight} }}\ny = \"{}\"\nz = \"{}\"\nf = \"{}\"\n",
        2 + dice.below(2),
        role(plane),
        role(labels),
        if setups { "setup" } else { "drop" }
    );
    let table = read_csv(&csv);
    let encoded = encode(&table, &policy_for(&table, &policy)).unwrap();
    (table, format!("{policy}\n{csv}"), encoded)
}

/// The least cost of any clustering with centres at records, and at middles where they may be: the best of
/// every set of rows, and of all ways to part them.
fn best(problem: &Problem, sum: bool) -> u64 {
    let rows = problem.rows();
    let all = (1usize << rows) - 1;
    let members = |set: usize| (0..rows as u32).filter(|r| set >> r & 1 == 1).collect::<Vec<u32>>();
    let of = |set: usize| {
        let group = members(set);
        if (group.len() as u64) < problem.k() {
            return None;
        }
        let middle = problem.clusters().middles.then_some(MIDDLE);
        let centres = (0..problem.records() as u32).chain(middle);
        let cost = |centre: u32| {
            let radius = radius(problem, centre, &group)?.0;
            let setup = problem.setup_of(centre).0;
            Some(if sum { radius * group.len() as u64 + setup } else { radius })
        };
        centres.filter_map(cost).min()
    };
    let costs: Vec<Option<u64>> = (0..=all).map(|set| if set == 0 { None } else { of(set) }).collect();
    let most = problem.clusters().max_groups.unwrap_or(u64::MAX).min(rows as u64) as usize;
    // By number of groups: the least cost of parting every set.
    let mut parted: Vec<Option<u64>> = vec![None; all + 1];
    parted[0] = Some(0);
    let mut least = u64::MAX;
    for _ in 0..most {
        let mut next: Vec<Option<u64>> = vec![None; all + 1];
        for set in 1..=all {
            let first = set & set.wrapping_neg();
            let mut part = set;
            while part > 0 {
                if part & first > 0
                    && let (Some(cost), Some(rest)) = (costs[part], parted[set & !part])
                {
                    let together = if sum { cost + rest } else { cost.max(rest) };
                    next[set] = Some(next[set].map_or(together, |n| n.min(together)));
                }
                part = (part - 1) & set;
            }
            let left_out = (rows - set.count_ones() as usize) as u64;
            if left_out <= problem.may_withhold() {
                least = least.min(next[set].unwrap_or(u64::MAX));
            }
        }
        parted = next;
    }
    least
}

/// What is wrong with an answer of this cost and bound, if the best costs `best` and the factor is promised.
fn fault(cost: u64, bound: u64, best: u64, factor: u64) -> Option<String> {
    if cost < best {
        return Some(format!("{cost} is below the best {best}"));
    }
    // Whole units: what is rounded up on both sides can differ by that.
    if cost > factor * best + factor {
        return Some(format!("{cost} is above {factor} × {best}"));
    }
    (bound > best).then(|| format!("the bound {bound} is above the best {best}"))
}

/// Settings whose last lines are those of the metric.
fn with_metric(said: &str) -> String {
    if said.contains("[metric]") { said.to_owned() } else { format!("{said}\n[metric]") }
}

/// Random tables, solved where `counts` says so: never beyond the factor, never below the best, no bound
/// above it. Returns the worst factor seen.
fn worst_factor_if(
    solver: &str,
    factor: u64,
    settings: &[&str],
    sum: bool,
    counts: impl Fn(&Outcome) -> bool,
) -> f64 {
    let mut dice = Dice(factor);
    let choice = Choice::parse(solver).unwrap();
    let (mut worst, mut counted): (f64, usize) = (1.0, 0);
    for _ in 0..1_000 {
        let settings = settings[dice.below(settings.len())];
        let settings = with_metric(settings);
        let (_, recipe, encoded) = instance(&mut dice, &settings);
        let outcome = solve(&encoded.problem, &choice, &Run { threads: 1, ..Run::default() }).unwrap();
        if !counts(&outcome) {
            continue;
        }
        let best = best(&encoded.problem, sum);
        let (cost, bound) =
            (outcome.solution.cost().0, outcome.solution.bound().cost().unwrap_or(Cost::ZERO).0);
        let fault = fault(cost, bound, best, factor);
        assert!(fault.is_none(), "{solver}: {}\n{recipe}", fault.unwrap());
        if best > 0 {
            worst = worst.max(cost as f64 / best as f64);
        }
        counted += 1;
    }
    assert!(counted > 100, "{solver}: {counted} tables count");
    println!("{solver}: worst factor {worst:.3} of {factor} on {counted} tables");
    worst
}

fn worst_factor(solver: &str, factor: u64, settings: &[&str], sum: bool) -> f64 {
    worst_factor_if(solver, factor, settings, sum, |_| true)
}

const OUT: [&str; 3] = [
    "objective = \"radius\"\nwithhold = \"20%\"",
    "objective = \"radius\"\nwithhold = \"40%\"",
    "objective = \"radius\"",
];
const FEW: [&str; 2] = ["max_groups = 1\nobjective = \"radius\"", "max_groups = 2\nobjective = \"radius\""];
const FEW_OUT: [&str; 3] = [
    "max_groups = 1\nobjective = \"radius\"\nwithhold = \"30%\"",
    "max_groups = 2\nobjective = \"radius\"\nwithhold = \"20%\"",
    "max_groups = 3\nobjective = \"radius\"",
];
const SETUP: [&str; 3] = [
    "objective = \"cellular\"\n[metric]\nsetup = 2",
    "objective = \"cellular\"\n[metric]\nsetup = 9",
    "objective = \"cellular\"\n[metric]\nsetup = 30",
];

#[test]
fn theorem_2_3_gather_is_within_2() {
    let worst = worst_factor("gather", 2, &["objective = \"radius\""], false);
    assert!((1.9..=2.0).contains(&worst), "{worst}");
}

#[test]
fn theorem_2_4_gather_outliers_is_within_4_and_with_records_within_3() {
    let worst = worst_factor("gather-outliers", 4, &OUT, false);
    assert!((2.5..=4.0).contains(&worst), "{worst}");
    let worst = worst_factor("gather-outliers:records", 3, &OUT, false);
    assert!((2.0..=3.0).contains(&worst), "{worst}");
}

#[test]
fn section_2_4_kr_center_is_within_2() {
    let worst = worst_factor("kr-center", 2, &FEW, false);
    assert!((1.5..=2.0).contains(&worst), "{worst}");
}

#[test]
fn theorem_2_8_kr_center_outliers_is_within_4() {
    let worst = worst_factor("kr-center-outliers", 4, &FEW_OUT, false);
    assert!((2.0..=4.0).contains(&worst), "{worst}");
}

#[test]
fn theorem_3_5_cellular_is_within_3_where_no_group_was_joined() {
    for settings in [&SETUP[..], &BY_CENTRE] {
        let worst = worst_factor_if("cellular", 3, settings, true, |outcome| outcome.remark.is_none());
        assert!(worst > 1.0 && worst <= 3.0, "{worst}");
    }
}

/// Set-up costs are told by row.
const BY_CENTRE: [&str; 2] =
    ["objective = \"cellular\" # setups", "objective = \"cellular\" # setups\n[metric]\nsetup = 0.5"];

#[test]
fn bounds_hold_with_setup_costs_by_centre() {
    for solver in ["r-cellular", "cellular"] {
        worst_factor(solver, 36, &BY_CENTRE, true);
    }
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
    let worst = worst_factor("r-cellular", 36, &["objective = \"cellular\"", SETUP[0]], true);
    assert!(worst <= 2.0, "{worst} is within the factor, but used to be far less");
}

#[test]
fn bounds_of_outlier_and_plain_cellular_hold_too() {
    worst_factor("r-cellular-outliers", 36, &["objective = \"cellular\"\nwithhold = \"20%\""], true);
    worst_factor("cellular", 36, &["objective = \"cellular\""], true);
}

/// The middle of a group can be half as far from its rows as any record: what factors are left is on the
/// cards.
#[test]
fn factors_hold_where_centres_are_middles() {
    let middles = |settings: &[&str]| -> Vec<String> {
        settings.iter().map(|said| format!("{}\ncentre = \"middle\"", with_metric(said))).collect()
    };
    let worst = |solver: &str, factor: u64, settings: &[&str]| {
        let settings = middles(settings);
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let sum = settings[0].contains("cellular");
        let unjoined = |outcome: &Outcome| solver != "cellular" || outcome.remark.is_none();
        worst_factor_if(solver, factor, &settings, sum, unjoined)
    };
    let gather = worst("gather", 2, &["objective = \"radius\""]);
    assert!(gather > 1.9, "{gather}");
    worst("kr-center", 2, &FEW);
    worst("kr-center-outliers", 4, &FEW_OUT);
    worst("gather-outliers", 4, &OUT);
    let records = worst("gather-outliers:records", 4, &OUT);
    assert!(records > 2.0, "{records}");
    worst("cellular", 6, &SETUP);
    worst("r-cellular", 72, &["objective = \"cellular\"", SETUP[0]]);
    // Six rows of which one may go: 3.39 times the best, where a factor of 3 was once promised.
    let table = read_csv("x\n14\n20\n25\n25\n28\n33\n");
    let policy = "k = 2\nobjective = \"radius\"\nwithhold = \"20%\"\n[metric]\nscale = \"given\"\ncentre = \"middle\"\n\
                  [columns]\nx = { role = \"quasi\", kind = \"numeric\" }\n";
    let problem = encode(&table, &policy_for(&table, policy)).unwrap().problem;
    let choice = Choice::parse("gather-outliers:records").unwrap();
    let cost = solve(&problem, &choice, &run_with_threads(1)).unwrap().solution.cost();
    assert_eq!(fault(cost.0, 0, best(&problem, false), 4), None);
}

/// Two towns far apart. A solver that makes one group of them is wrong by more than any factor, and the check
/// of factors must say so.
#[test]
fn planted_faults_are_caught_by_the_check_of_factors() {
    let promised = [
        ("gather", 2, "objective = \"radius\"\n[metric]"),
        ("kr-center", 2, "objective = \"radius\"\nmax_groups = 2\n[metric]"),
        ("gather-outliers", 4, "objective = \"radius\"\nwithhold = \"20%\"\n[metric]"),
        ("gather-outliers:records", 3, "objective = \"radius\"\nwithhold = \"20%\"\n[metric]"),
        ("kr-center-outliers", 4, "objective = \"radius\"\nwithhold = \"20%\"\nmax_groups = 2\n[metric]"),
        ("cellular", 3, "objective = \"cellular\"\n[metric]"),
        ("r-cellular", 36, "objective = \"cellular\"\n[metric]"),
        ("r-cellular", 72, "objective = \"cellular\"\n[metric]\ncentre = \"middle\""),
    ];
    for (solver, factor, said) in promised {
        let (rows, far) = if said.contains("withhold") { (5, "5000\n") } else { (4, "") };
        let table = read_csv(&format!("x\n0\n1\n1000\n1001\n{far}"));
        let policy = format!(
            "k = 2\n{said}\nscale = \"given\"\n[columns]\nx = {{ role = \"quasi\", kind = \"numeric\" }}\n"
        );
        let problem = encode(&table, &policy_for(&table, &policy)).unwrap().problem;
        let best = best(&problem, said.contains("cellular"));
        let right = solve(&problem, &Choice::parse(solver).unwrap(), &run_with_threads(1)).unwrap().solution;
        let bound = right.bound().cost().unwrap().0;
        assert_eq!(fault(right.cost().0, bound, best, factor), None, "{solver}");
        // Everybody in one group; a bound a unit too high; a cost that cannot be.
        let mut group_of = vec![0; rows];
        if rows == 5 {
            group_of[4] = WITHHELD;
        }
        let one = judge(&problem, Found::around(group_of, vec![0])).unwrap().cost().0;
        for (cost, bound) in [(one, 0), (best, best + 1), (best - 1, 0)] {
            assert!(
                fault(cost, bound, best, factor).is_some(),
                "{solver}: {cost} and {bound} pass for {best}"
            );
        }
    }
}

/// Figure 1: ages α and δ, places β and γ, far from each other. The first group's centre lies between its two
/// rows.
const FIGURE_1: &str =
    "age,place,disease\n20,100,flu\n22,100,flu\n60,503,hypertension\n60,500,flu\n60,497,cold\n";

#[test]
fn figure_1_costs_11_and_is_published_as_the_paper_does() {
    let table = read_csv(FIGURE_1);
    let toml = |objective: &str, more: &str| {
        format!(
            "k = 2\nobjective = \"{objective}\"\n{more}\n[metric]\nscale = \"given\"\ncentre = \"middle\"\n[columns]\n\
             age = {{ role = \"quasi\", kind = \"numeric\" }}\nplace = {{ role = \"quasi\", kind = \"numeric\" }}\n\
             disease = \"sensitive\"\n"
        )
    };
    for solver in ["cellular", "r-cellular", "r-cellular-outliers", "auto"] {
        let policy = policy_for(&table, &toml("cellular", "per_group = true"));
        let encoded = encode(&table, &policy).unwrap();
        let outcome = solve(&encoded.problem, &Choice::parse(solver).unwrap(), &run_with_threads(1)).unwrap();
        assert_eq!(outcome.solution.cost(), Cost(11 * ONE), "{solver}");
        let mut bytes = Vec::new();
        publish(&table, &policy, &encoded, &outcome.solution).write_csv(&mut bytes).unwrap();
        let published = String::from_utf8(bytes).unwrap();
        assert!(published.contains("21,100,{flu:2},2,1\n"), "{published}");
        assert!(published.contains("60,500,{cold:1|flu:1|hypertension:1},3,3\n"), "{published}");
    }
    let encoded = encode(&table, &policy_for(&table, &toml("radius", ""))).unwrap();
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

#[test]
fn near_misses_are_refused_for_the_right_reason() {
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
    assert_eq!(judged(&plain, &[0, 4]), Err(Broken::NoSuchCentre { group: 1 }));
    assert_eq!(
        judged(&plain, &[0, MIDDLE]),
        Err(Broken::NoSuchCentre { group: 1 }),
        "middles were not allowed"
    );
    let middles = problem("[metric]\nscale = \"given\"\ncentre = \"middle\"\n");
    assert_eq!(judged(&middles, &[MIDDLE, MIDDLE]), Ok(Cost(ONE / 2)));
    let limited = problem("max_groups = 1\n");
    assert_eq!(judged(&limited, &[0, 2]), Err(Broken::TooManyGroups { groups: 2, allowed: 1 }));
}

#[test]
fn faults_in_releases_of_centres_are_found() {
    let table = read_csv(FIGURE_1);
    let policy = |more: &str| {
        let columns = "[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\n\
                       place = { role = \"quasi\", kind = \"numeric\" }\ndisease = \"sensitive\"\n";
        policy_for(
            &table,
            &format!("k = 2\nobjective = \"cellular\"\n{more}[metric]\nscale = \"given\"\n{columns}"),
        )
    };
    let read = |csv: &str, more: &str| {
        let policy = policy(more);
        let source = Source::from_bytes(csv.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        Published::read(source, &policy, true).unwrap()
    };
    let title = "age,place,disease,group_size,group_radius\n";
    let rows = |body: &str| {
        let (published, policy) = (read(&format!("{title}{body}"), ""), policy(""));
        (verify(&published, &policy).unwrap(), check_truth(&published, &table, &policy).unwrap())
    };
    let first = "20,100,flu,2,2\n20,100,flu,2,2\n";
    let second = "60,500,hypertension,3,3\n60,500,flu,3,3\n60,500,cold,3,3\n";
    let (verdict, truth) = rows(&format!("{first}{second}"));
    assert!(verdict.safe() && truth.holds(), "{verdict:?} {truth:?}");
    assert_eq!((verdict.groups, verdict.smallest, verdict.largest), (2, 2, 3));
    // A row less: the size that is told is wrong, and so is the truth.
    let (verdict, truth) = rows(&format!("{first}60,500,hypertension,3,3\n60,500,flu,3,3\n"));
    assert!(!verdict.safe() && verdict.miscounted == 1 && truth.lost());
    // A group of one that tells two.
    let (verdict, _) = rows(&format!("20,100,flu,2,2\n22,100,flu,2,2\n{second}"));
    assert_eq!((verdict.miscounted, verdict.below_k.len()), (2, 1));
    // Rows of one look that tell different sizes are two groups.
    let (verdict, _) = rows(&format!("20,100,flu,1,2\n20,100,flu,2,2\n{second}"));
    assert!(!verdict.safe());
    // A radius that is too small, and a centre that is nobody: safe, but not true.
    for wrong in ["20,100,flu,2,1\n20,100,flu,2,1\n", "21,100,flu,2,2\n21,100,flu,2,2\n"] {
        let (verdict, truth) = rows(&format!("{wrong}{second}"));
        assert!(verdict.safe() && !truth.holds(), "{wrong}");
    }
    let lines = |body: &str| {
        let more = "per_group = true\n";
        verify(&read(&format!("{title}{body}"), more), &policy(more)).unwrap()
    };
    assert!(lines("20,100,{flu:2},2,2\n60,500,{cold:1|flu:1|hypertension:1},3,3\n").safe());
    assert_eq!(lines("20,100,{flu:2},3,2\n").miscounted, 1, "two values, three people");
    assert_eq!(lines("20,100,flu,2,2\n").miscounted, 1, "no multiset");
    assert_eq!(lines("20,100,{flu:1},1,2\n").below_k.len(), 1);
    assert_eq!(lines("20,100,{flu:2},two,2\n").miscounted, 1);
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
