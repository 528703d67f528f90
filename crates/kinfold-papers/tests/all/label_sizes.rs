//! The largest groups for many k are those that the solvers report one by one.

use crate::support::{Dice, policy_for, read_csv};
use kinfold::model::cost::ONE;
use kinfold::model::encode::encode;
use kinfold::{LabelSizes, Run, Stopped, label_sizes, people_per_label, solve};

const LABELS: &str = "objective = \"group-size\"\n[columns]\nname = { role = \"quasi\", kind = \"category\" }\npeople = \"count\"\n";

#[test]
fn every_number_is_that_of_the_solver_of_its_name() {
    let mut dice = Dice(5);
    let mut apart = 0;
    for seed in 0..40 {
        let labels = 2 + dice.below(24);
        let mut text = String::from("name,people\n");
        for _ in 0..labels {
            // Some labels in two rows, some with nobody.
            text += &format!("n{},{}\n", dice.below(labels), dice.below(14));
        }
        let table = read_csv(&text);
        let Ok(any) = encode(&table, &policy_for(&table, &format!("k = 2\n{LABELS}"))) else { continue };
        let people = people_per_label(&any.problem);
        let all: u64 = people.iter().sum();
        let ks: Vec<u64> = (0..=all + 1).collect();
        let run = |threads| Run { seed, threads, ..Run::default() };
        let sizes = label_sizes(&people, &ks, &run(1)).unwrap();
        assert_eq!(sizes, label_sizes(&people, &ks, &run(3)).unwrap(), "whatever the number of threads");
        assert_eq!(sizes.len() as u64, all, "for every k with a grouping");
        for size in sizes.iter().filter(|size| size.k >= 2) {
            let LabelSizes {
                k,
                random_fold,
                random_spread,
                sorted_fold,
                sorted_spread,
                ascending_fold,
                ascending_spread,
                best,
                bound,
                most_groups,
            } = *size;
            let one = encode(&table, &policy_for(&table, &format!("k = {k}\n{LABELS}"))).unwrap();
            for (name, expected) in [
                ("label-fold:order=random", random_fold),
                ("label-spread:order=random", random_spread),
                ("label-fold", sorted_fold),
                ("label-spread", sorted_spread),
                ("label-fold:order=ascending", ascending_fold),
                ("label-spread:order=ascending", ascending_spread),
                ("labels", best),
            ] {
                let solution =
                    solve(&one.problem, &crate::catalogue().choice(name).unwrap(), &run(1)).unwrap().solution;
                assert_eq!(solution.largest(), expected, "{name}, k = {k}, seed {seed}: {text}");
                assert_eq!(solution.bound().cost().unwrap().0, bound * ONE, "{name}, k = {k}: {text}");
                assert!(solution.groups() as u64 <= most_groups, "{name}, k = {k}: {text}");
            }
            assert!(random_spread <= random_fold && sorted_spread <= sorted_fold, "k = {k}: {text}");
            assert!(ascending_spread <= ascending_fold, "k = {k}: {text}");
            assert!(bound <= best && best <= sorted_spread, "k = {k}: {text}");
            apart += usize::from(random_fold != sorted_fold && random_spread != random_fold);
        }
    }
    assert!(apart > 200, "the tables are too easy: {apart}");
}

#[test]
fn who_is_told_to_stop_stops() {
    let run = Run::default();
    run.call.stop();
    assert_eq!(label_sizes(&[3, 4, 5], &[4, 5], &run), Err(Stopped));
}
