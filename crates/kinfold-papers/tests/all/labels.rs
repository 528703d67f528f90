//! What the solvers of objective `group-size` promise, those of the engine and those of paper *geo*.

use crate::all_choices_for;
use crate::support::{Dice, brute_force, policy_for, read_csv, run_with_threads};
use kinfold::model::cost::ONE;
use kinfold::model::encode::{Encoded, encode};
use kinfold::model::table::Table;
use kinfold::solve;

fn encoded(table: &Table, toml: &str) -> Encoded {
    encode(table, &policy_for(table, toml)).unwrap_or_else(|e| panic!("{e}"))
}

const LABELS: &str = "objective = \"group-size\"\n[columns]\nname = { role = \"quasi\", kind = \"category\" }\npeople = \"count\"\n";
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
        for choice in all_choices_for(&encoded.problem) {
            let solution = solve(&encoded.problem, &choice, &run_with_threads(1)).unwrap().solution;
            let name = choice.to_string();
            let bound = solution.bound().cost().unwrap();
            assert!(bound <= optimum && optimum <= solution.cost(), "{name}: {text}");
            match name.as_str() {
                "labels:prove" => assert_eq!((solution.cost(), bound), (optimum, optimum), "{text}"),
                "label-five-halves" => assert!(2 * solution.cost().0 <= 5 * optimum.0, "{text}"),
                _ if name.starts_with("label-relaxed") => {}
                _ => assert!(solution.cost().0 <= 3 * optimum.0, "{name}: {text}"),
            }
            exact_beats += usize::from(solution.cost() > optimum);
        }
    }
    assert!(exact_beats > 100, "the tables are too easy: {exact_beats}");
}

/// Whether a largest group keeps the promise of a solver's card: against the best release, that withholds
/// whom it likes.
fn keeps(solver: &str, largest: u64, optimum: u64, [degree, axes]: [u64; 2], withholding: bool) -> bool {
    let [times, parts] = match solver {
        "labels:prove" | "intervals" => [1, 1],
        "label-five-halves" if !withholding => [5, 2],
        "region-tree" => [degree + 1, 1],
        "boxes" => [2 * axes + 1, 1],
        _ => [3, 1],
    };
    parts * largest <= times * optimum
}

/// A random table for one kind of solver, with counts, weights, missing values and withholding, or without.
fn random_places(dice: &mut Dice, kind: usize) -> (String, String) {
    let counted = dice.below(3) > 0;
    let weight = dice.pick(&["", ", weight = 2.5", ", weight = 0.000001"]);
    let (names, column) = match kind {
        0 => ("name", format!("name = {{ role = \"quasi\", kind = \"category\"{weight} }}\n")),
        1 => ("v", format!("v = {{ role = \"quasi\", kind = \"numeric\"{weight} }}\n")),
        2 => ("place", format!("place = {{ role = \"quasi\", regions = \"map.csv\"{weight} }}\n")),
        3 => ("x,y", format!("\"x/y\" = {{ role = \"quasi\", kind = \"point\"{weight} }}\n")),
        _ => (
            "a,b,c",
            format!(
                "a = {{ role = \"quasi\", kind = \"numeric\"{weight} }}\nb = {{ role = \"quasi\", kind = \"date\" }}\n\
                 c = {{ role = \"quasi\", kind = \"ordinal\", order = [\"low\", \"high\"] }}\n"
            ),
        ),
    };
    let k = 2 + dice.below(4);
    let mut text = format!("{names}{}\n", if counted { ",people" } else { "" });
    let holes = dice.below(2) == 0 && kind < 2;
    for row in 0..3 + dice.below(5) {
        let cell = match kind {
            _ if holes && dice.below(5) == 0 => String::new(),
            0 => format!("n{}", dice.below(8)),
            1 => dice.below(7).to_string(),
            2 => ["Aach", "Bach", "Calw", "Dorn", "Egg", "Furt", "Insel"][row].to_owned(),
            3 => format!("{},{}", dice.below(3), dice.below(3)),
            _ => {
                let (day, level) = (1 + dice.below(2), dice.pick(&["low", "high", ""]));
                format!("{},2024-01-0{day},{level}", dice.pick(&["1", "2", "3", ""]))
            }
        };
        // Some values are far heavier than others.
        let people =
            [dice.below(k + 3), 1 + dice.below(3), 10 * k][dice.below(12).saturating_sub(9).max(row % 2)];
        text += &if counted { format!("{cell},{people}\n") } else { format!("{cell}\n") };
    }
    let withhold = ["0%", "20%", "40%", "60%", "90%"][dice.below(5)];
    let count = if counted { "people = \"count\"\n" } else { "" };
    let toml =
        format!("k = {k}\nobjective = \"group-size\"\nwithhold = \"{withhold}\"\n[columns]\n{column}{count}");
    (text, toml)
}

#[test]
fn promises_hold_with_counts_withholding_missing_values_and_weights() {
    let mut dice = Dice(9);
    let (mut checked, mut tight, mut loose) = ([0; 5], 0, [0; 5]);
    // Planted faults: nobody withheld though that would help, and everybody in one group.
    let (mut nobody, mut everybody) = ([0; 5], [0; 5]);
    for round in 0..1_250 {
        let kind = round % 5;
        let (text, toml) = random_places(&mut dice, kind);
        let table = read_csv(&text);
        let Ok(encoded) = encode(&table, &policy_for(&table, &toml)) else { continue };
        let problem = &encoded.problem;
        let Some(optimum) = brute_force(problem) else { continue };
        let withholding = problem.may_withhold() > 0;
        let without = toml.replace("withhold", "# withhold");
        let all = encode(&table, &policy_for(&table, &without)).ok().map(|all| all.problem);
        let all = all.filter(|_| withholding);
        for choice in all_choices_for(problem) {
            let name = choice.to_string();
            let outcome = solve(problem, &choice, &run_with_threads(1)).unwrap();
            let solution = outcome.solution;
            let bound = solution.bound().cost().unwrap();
            assert!(bound <= optimum && optimum <= solution.cost(), "{name}: {toml}\n{text}");
            let degree = outcome.remark.as_deref().and_then(|r| r.split("degree ").nth(1));
            let shape = [degree.map_or(0, |d| d.parse().unwrap()), problem.rules().len() as u64];
            let solver = if name == "auto" { &outcome.solver } else { &name };
            if !solver.starts_with("label-relaxed") {
                let kept = keeps(solver, solution.cost().0, optimum.0, shape, withholding);
                assert!(kept, "{name}: {} for {optimum}: {toml}\n{text}", solution.cost());
            }
            if ["labels:prove", "intervals"].contains(&solver.as_str()) {
                assert_eq!(bound, optimum, "{name}: {toml}\n{text}");
            }
            checked[kind] += 1;
            tight += usize::from(bound == optimum);
            loose[kind] += usize::from(solution.cost() > optimum);
            // What a solver that withholds nobody, or makes one group, would have to answer for.
            if let Some(all) = all.as_ref().filter(|_| name != "auto") {
                let solution = solve(all, &choice, &run_with_threads(1)).unwrap().solution;
                nobody[kind] += usize::from(!keeps(solver, solution.cost().0, optimum.0, shape, true));
            }
            let whole = problem.people() * ONE;
            everybody[kind] += usize::from(!keeps(solver, whole, optimum.0, shape, withholding));
        }
    }
    let told = format!(
        "{checked:?} checked, {tight} tight, {loose:?} not best, {nobody:?} and {everybody:?} caught"
    );
    assert!(checked.iter().all(|&n| n > 150), "{told}");
    assert!(tight * 2 > checked.iter().sum::<usize>(), "{told}");
    assert!(loose[0] > 50 && loose[2] > 0 && loose[3] > 5, "{told}");
    assert!(nobody.iter().all(|&n| n > 0) && everybody.iter().all(|&n| n > 0), "{told}");
}

#[test]
fn whoever_makes_the_largest_group_smaller_is_withheld() {
    // Without A, all groups hold exactly ten.
    let mut text = String::from("name,people\nA,100\n");
    (0..10).for_each(|label| text += &format!("b{label},10\n"));
    let table = read_csv(&text);
    let labels = encoded(&table, &format!("k = 10\nwithhold = \"50%\"\n{LABELS}"));
    for choice in all_choices_for(&labels.problem) {
        let solution = solve(&labels.problem, &choice, &run_with_threads(1)).unwrap().solution;
        assert_eq!((solution.largest(), solution.withheld()), (10, 1), "{choice}");
        assert_eq!(solution.bound().cost().unwrap().0, 10 * ONE, "{choice}");
    }
    let relaxed = crate::catalogue().choice("label-relaxed").unwrap().supports(&labels.problem).unwrap_err();
    assert!(relaxed.0.contains("withholding") && relaxed.0.contains("labels:prove"), "{relaxed}");
}

#[test]
fn only_the_epsilon_that_is_chosen_decides() {
    // With 0.3 no label is large, with 0.1 all forty are.
    let mut text = String::from("name,people\n");
    (0..40).for_each(|i| text += &format!("a{i},{}\n", 13 + i % 12));
    let table = read_csv(&text);
    let labels = encoded(&table, &format!("k = 100\n{LABELS}"));
    let named =
        |epsilon: &str| crate::catalogue().choice(&format!("label-relaxed:epsilon={epsilon}")).unwrap();
    let declined = named("0.1").supports(&labels.problem).unwrap_err();
    assert!(declined.0.contains("too many ways"), "{declined}");
    let solution = solve(&labels.problem, &named("0.3"), &run_with_threads(1)).unwrap().solution;
    assert!(solution.largest() >= 100);
}
