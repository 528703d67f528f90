//! Factors of clusterings against the best of all: random tables, the best by trying, and the paper's Figure 1.

use super::{Dice, policy_for, read_csv, run_with_threads};
use kinfold::model::cost::{Cost, MIDDLE, ONE, radius};
use kinfold::model::encode::{Encoded, encode};
use kinfold::model::judge::{Found, WITHHELD, judge};
use kinfold::model::policy::Policy;
use kinfold::model::problem::Problem;
use kinfold::model::table::Table;
use kinfold::{Outcome, Run, publish, solve};

/// Places on a line or in the plane, now and then with labels, weights and missing values.
pub fn instance(dice: &mut Dice, settings: &str) -> (Table, String, Encoded) {
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
    if settings.contains("# far") {
        csv += "1000,1000,a,0\n";
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
pub fn best(problem: &Problem, sum: bool) -> u64 {
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
pub fn fault(cost: u64, bound: u64, best: u64, factor: u64) -> Option<String> {
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
pub fn with_metric(said: &str) -> String {
    if said.contains("[metric]") { said.to_owned() } else { format!("{said}\n[metric]") }
}

/// Random tables, solved where `counts` says so: never beyond the factor, never below the best, no bound
/// above it. Returns the worst factor seen.
pub fn worst_factor_if(
    solver: &str,
    factor: u64,
    settings: &[&str],
    sum: bool,
    counts: impl Fn(&Outcome) -> bool,
) -> f64 {
    let mut dice = Dice(factor);
    let choice = crate::catalogue().choice(solver).unwrap();
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

pub fn worst_factor(solver: &str, factor: u64, settings: &[&str], sum: bool) -> f64 {
    worst_factor_if(solver, factor, settings, sum, |_| true)
}

pub const OUT: [&str; 4] = [
    "objective = \"radius\"\nwithhold = \"20%\"",
    "objective = \"radius\"\nwithhold = \"20%\" # far",
    "objective = \"radius\"\nwithhold = \"40%\"",
    "objective = \"radius\"",
];
pub const FEW: [&str; 2] =
    ["max_groups = 1\nobjective = \"radius\"", "max_groups = 2\nobjective = \"radius\""];
pub const FEW_OUT: [&str; 4] = [
    "max_groups = 3\nobjective = \"radius\"\nwithhold = \"20%\" # far",
    "max_groups = 1\nobjective = \"radius\"\nwithhold = \"30%\"",
    "max_groups = 2\nobjective = \"radius\"\nwithhold = \"20%\"",
    "max_groups = 3\nobjective = \"radius\"",
];
pub const SETUP: [&str; 3] = [
    "objective = \"cellular\"\n[metric]\nsetup = 2",
    "objective = \"cellular\"\n[metric]\nsetup = 9",
    "objective = \"cellular\"\n[metric]\nsetup = 30",
];

/// The same where the middle of a group may be its centre.
pub fn worst_factor_of_middles(
    solver: &str,
    factor: u64,
    settings: &[&str],
    counts: impl Fn(&Outcome) -> bool,
) -> f64 {
    let settings: Vec<String> =
        settings.iter().map(|said| format!("{}\ncentre = \"middle\"", with_metric(said))).collect();
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    worst_factor_if(solver, factor, &settings, settings[0].contains("cellular"), counts)
}

/// Set-up costs are told by row.
pub const BY_CENTRE: [&str; 2] =
    ["objective = \"cellular\" # setups", "objective = \"cellular\" # setups\n[metric]\nsetup = 0.5"];

/// Two towns far apart. A solver that makes one group of them is wrong by more than any factor, and the check
/// of factors must say so.
pub fn faults_are_caught(promised: &[(&str, u64, &str)]) {
    for &(solver, factor, said) in promised {
        let (rows, far) = if said.contains("withhold") { (5, "5000\n") } else { (4, "") };
        let table = read_csv(&format!("x\n0\n1\n1000\n1001\n{far}"));
        let policy = format!(
            "k = 2\n{said}\nscale = \"given\"\n[columns]\nx = {{ role = \"quasi\", kind = \"numeric\" }}\n"
        );
        let problem = encode(&table, &policy_for(&table, &policy)).unwrap().problem;
        let best = best(&problem, said.contains("cellular"));
        let right = solve(&problem, &crate::catalogue().choice(solver).unwrap(), &run_with_threads(1))
            .unwrap()
            .solution;
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
pub const FIGURE_1: &str =
    "age,place,disease\n20,100,flu\n22,100,flu\n60,503,hypertension\n60,500,flu\n60,497,cold\n";

/// Figure 1 with its policy.
pub fn figure_1(objective: &str, more: &str) -> (Table, Policy) {
    let table = read_csv(FIGURE_1);
    let toml = format!(
        "k = 2\nobjective = \"{objective}\"\n{more}\n[metric]\nscale = \"given\"\ncentre = \"middle\"\n[columns]\n\
         age = {{ role = \"quasi\", kind = \"numeric\" }}\nplace = {{ role = \"quasi\", kind = \"numeric\" }}\n\
         disease = \"sensitive\"\n"
    );
    let policy = policy_for(&table, &toml);
    (table, policy)
}

/// Figure 1 costs 11, and is published as in the paper.
pub fn figure_1_costs_11(solver: &str) {
    let (table, policy) = figure_1("cellular", "per_group = true");
    let encoded = encode(&table, &policy).unwrap();
    let choice = crate::catalogue().choice(solver).unwrap();
    let outcome = solve(&encoded.problem, &choice, &run_with_threads(1)).unwrap();
    assert_eq!(outcome.solution.cost(), Cost(11 * ONE), "{solver}");
    let mut bytes = Vec::new();
    publish(&table, &policy, &encoded, &outcome.solution).write_csv(&mut bytes).unwrap();
    let published = String::from_utf8(bytes).unwrap();
    assert!(published.contains("21,100,{flu:2},2,1\n"), "{published}");
    assert!(published.contains("60,500,{cold:1|flu:1|hypertension:1},3,3\n"), "{published}");
}
