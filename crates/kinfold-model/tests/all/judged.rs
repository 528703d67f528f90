//! The judge against plain definitions: random answers, good and bad, and every figure of those that pass.

use crate::support::{Dice, policy_for, read_csv, rounds, sample_of};
use kinfold_model::cost::{Cost, ONE, Objective, columns_cost, group_cost, radius, sse};
use kinfold_model::encode::encode;
use kinfold_model::judge::{Bound, Broken, Found, Solution, WITHHELD, judge};
use kinfold_model::problem::Problem;

fn people(problem: &Problem, rows: &[u32]) -> u64 {
    rows.iter().map(|&row| problem.row_size(row)).sum()
}

fn groups_of(group_of: &[u32]) -> Vec<Vec<u32>> {
    let groups = group_of.iter().filter(|&&group| group != WITHHELD).max().map_or(0, |most| most + 1);
    let rows = 0..group_of.len() as u32;
    (0..groups).map(|group| rows.clone().filter(|&row| group_of[row as usize] == group).collect()).collect()
}

/// Why these groups are no answer, by what the judge promises to look at, in this order; but for what it says of
/// places.
fn broken(problem: &Problem, group_of: &[u32]) -> Option<Broken> {
    if group_of.iter().all(|&group| group == WITHHELD) {
        return Some(Broken::NothingReleased);
    }
    let most = group_of.iter().filter(|&&group| group != WITHHELD).max().copied().unwrap_or(0);
    if most as usize >= group_of.len() {
        return (0..).find(|number| !group_of.contains(number)).map(Broken::EmptyGroup);
    }
    let out: Vec<u32> =
        (0..group_of.len() as u32).filter(|&row| group_of[row as usize] == WITHHELD).collect();
    let (withheld, allowed) = (people(problem, &out), problem.may_withhold());
    if withheld > allowed || allowed == 0 && !out.is_empty() {
        return Some(Broken::TooManyWithheld { withheld, allowed });
    }
    let groups = groups_of(group_of);
    for (group, rows) in (0u32..).zip(&groups) {
        let (size, k) = (people(problem, rows), problem.k());
        if rows.is_empty() {
            return Some(Broken::EmptyGroup(group));
        }
        if size < k {
            return Some(Broken::TooSmall { group, size, k });
        }
    }
    let allowed = problem.clusters().max_groups.filter(|&most| groups.len() as u64 > most)?;
    Some(Broken::TooManyGroups { groups: groups.len(), allowed })
}

fn answer(problem: &Problem, dice: &mut Dice) -> (Vec<u32>, Vec<u32>) {
    let rows = problem.rows();
    // Most answers are nearly right: groups of k to 2k rows, and now and then a fault.
    let groups = (rows / (problem.k() as usize + dice.below(3))).max(1);
    let mut group_of: Vec<u32> = (0..rows).map(|row| (row % groups) as u32).collect();
    for at in (1..rows).rev() {
        group_of.swap(at, dice.below(at + 1));
    }
    if problem.may_withhold() > 0 || dice.below(8) == 0 {
        (0..dice.below(3)).for_each(|_| group_of[dice.below(rows)] = WITHHELD);
    }
    match dice.below(16) {
        0 => group_of.fill(WITHHELD),
        1 => group_of[dice.below(rows)] = (rows + dice.below(3)) as u32,
        2 => group_of[dice.below(rows)] = dice.below(rows) as u32,
        _ => {}
    }
    let centres = match problem.objective().centred() {
        true => groups_of(&group_of).iter().map(|_| dice.below(problem.records()) as u32).collect(),
        false => Vec::new(),
    };
    (group_of, centres)
}

/// What the groups cost by the definitions of the costs.
fn cost(problem: &Problem, groups: &[Vec<u32>], centres: &[u32], withheld: u64) -> Cost {
    let reach = || groups.iter().zip(centres).map(|(rows, &centre)| radius(problem, centre, rows).unwrap());
    match problem.objective() {
        Objective::Ncp | Objective::Stars => {
            let full: u64 = problem.rules().iter().map(|rule| rule.full()).sum();
            let cells: Cost = groups.iter().map(|rows| group_cost(problem, rows)).sum();
            Cost(cells.0 + withheld * full)
        }
        Objective::Columns => columns_cost(problem, groups.iter().map(Vec::as_slice)),
        Objective::Radius => reach().max().unwrap(),
        Objective::Cellular => {
            let each = reach().zip(groups).zip(centres);
            each.map(|((far, rows), &centre)| Cost(far.0 * rows.len() as u64) + problem.setup_of(centre))
                .sum()
        }
        Objective::Sse => groups.iter().map(|rows| sse(problem, rows)).sum(),
        Objective::GroupSize => Cost(groups.iter().map(|rows| people(problem, rows)).max().unwrap() * ONE),
    }
}

/// All that a solution says of itself.
fn says_what_the_definitions_say(problem: &Problem, solution: &Solution, centres: &[u32], place: &str) {
    let groups = groups_of(solution.group_of());
    let sizes: Vec<u64> = groups.iter().map(|rows| people(problem, rows)).collect();
    let all = people(problem, &(0..problem.rows() as u32).collect::<Vec<_>>());
    let released: u64 = sizes.iter().sum();
    let (withheld, out) = (all - released, solution.group_of().iter().filter(|&&g| g == WITHHELD).count());
    assert_eq!(solution.groups(), groups.len(), "{place}");
    assert!((0..groups.len()).all(|group| solution.rows(group) == groups[group]), "{place}");
    assert_eq!(
        [solution.smallest(), solution.largest()],
        [*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap()],
        "{place}"
    );
    assert_eq!((solution.withheld(), solution.withheld_people(problem)), (out, withheld), "{place}");
    let average = released as f64 / groups.len() as f64 / problem.k() as f64;
    assert!((solution.average_class_size(problem) - average).abs() < 1e-9, "{place}");
    let alike: u128 = sizes.iter().map(|&size| u128::from(size) * u128::from(size)).sum();
    let of_withheld = u128::from(withheld) * u128::from(all);
    assert_eq!(solution.discernibility_of_withheld(problem), of_withheld, "{place}");
    assert_eq!(solution.discernibility(problem), alike + of_withheld, "{place}");
    for (group, rows) in groups.iter().enumerate() {
        assert_eq!(solution.centre(group), centres.get(group).copied(), "{place}");
        let far = centres.get(group).and_then(|&centre| radius(problem, centre, rows));
        assert_eq!(solution.radius(problem, group), far, "{place}");
    }
    for (column, rule) in problem.rules().iter().enumerate() {
        let mut lost = 0;
        for (group, rows) in groups.iter().enumerate() {
            let codes = rows.iter().map(|&row| problem.codes(problem.record_of(row))[column]);
            let cover = rule.cover(codes);
            assert_eq!(solution.cover(problem, group, column), cover, "{place}");
            lost += u128::from(sizes[group]) * u128::from(rule.cost(&cover).0 + rule.floor());
        }
        assert_eq!(solution.lost_by_column(problem)[column], lost, "{place}");
        let full = (rule.full() + rule.floor()).max(1) as f64;
        let share = (lost as f64 / full + withheld as f64) / all as f64;
        assert!((solution.loss_by_column(problem)[column] - share).abs() < 1e-9, "{place}");
    }
    let floor = match problem.objective() {
        Objective::Ncp => all * problem.rules().iter().map(|rule| rule.floor()).sum::<u64>(),
        _ => 0,
    };
    let own = cost(problem, &groups, centres, withheld);
    assert_eq!((solution.cost(), solution.loss(problem)), (own, Cost(own.0 + floor)), "{place}");
    let full: u64 = problem.rules().iter().map(|rule| rule.full()).sum();
    let whole = match problem.objective() {
        Objective::Ncp | Objective::Stars => all * full + floor,
        Objective::Columns => full,
        Objective::Radius => ONE,
        Objective::Cellular => ONE * groups.iter().map(|rows| rows.len() as u64).sum::<u64>(),
        Objective::Sse => sse(problem, &(0..problem.rows() as u32).collect::<Vec<_>>()).0.max(1),
        Objective::GroupSize => ONE * all,
    };
    assert_eq!(solution.whole(problem), u128::from(whole), "{place}");
    let loss = (own.0 + floor) as f64 / whole as f64;
    assert!((solution.average_loss(problem) - loss).abs() < 1e-9, "{place}");
    bounds_are_believed_as_far_as_they_go(problem, solution.clone(), place);
}

/// A bound above the cost is not believed, and only a better one replaces one that there is.
fn bounds_are_believed_as_far_as_they_go(problem: &Problem, mut solution: Solution, place: &str) {
    let (cost, floor) = (solution.cost(), Cost(solution.loss(problem).0 - solution.cost().0));
    let known = solution.bound();
    match problem.objective() {
        Objective::GroupSize => assert!(matches!(known, Bound::Checked(least) if least <= cost), "{place}"),
        _ => assert_eq!((known, known.cost(), known.word()), (Bound::None, None, "none"), "{place}"),
    }
    let told = |solution: &Solution| (solution.least_loss(problem), solution.gap(problem));
    if known == Bound::None {
        assert_eq!(told(&solution), (None, None), "{place}");
    }
    solution.claim(problem, Cost(cost.0 + 1));
    assert_eq!(solution.bound(), known, "more than the cost is not believed: {place}");
    if known.cost().is_some_and(|known| known >= cost) {
        return;
    }
    let half = problem.round_up(Cost(cost.0 / 2));
    solution.claim(problem, half);
    if known == Bound::None {
        assert_eq!(solution.bound(), Bound::Claimed(half), "{place}");
        assert_eq!(solution.bound().word(), "claimed");
        let gap = match cost.0 + floor.0 {
            0 => 0.0,
            loss => (cost.0 - half.0) as f64 / loss as f64,
        };
        let (least, found) = told(&solution);
        assert_eq!(least, Some(half + floor), "{place}");
        assert!((found.unwrap() - gap).abs() < 1e-9, "{place}");
    }
    solution.claim(problem, cost);
    let best = solution.bound();
    assert_eq!(best.cost(), Some(cost), "{place}");
    solution.claim(problem, Cost::ZERO);
    assert_eq!(solution.bound(), best, "a worse bound replaces none: {place}");
}

#[test]
fn the_judge_says_what_the_definitions_say() {
    let mut dice = Dice(3309);
    for objective in ["ncp", "stars", "columns", "radius", "cellular", "sse"] {
        let (mut good, mut bad) = (0, 0);
        for _ in 0..rounds(600) {
            let Some(sample) = sample_of(&mut dice, objective, 4, 20) else { continue };
            let problem = &sample.encoded.problem;
            let (group_of, centres) = answer(problem, &mut dice);
            let place = format!("{}\n{group_of:?}", sample.recipe);
            let found = match problem.objective().centred() {
                true => Found::around(group_of.clone(), centres.clone()),
                false => Found::plain(group_of.clone()),
            };
            match (judge(problem, found), broken(problem, &group_of)) {
                (Ok(solution), None) => {
                    good += 1;
                    says_what_the_definitions_say(problem, &solution, &centres, &place);
                }
                (Err(why), Some(expected)) => {
                    bad += 1;
                    assert_eq!(why, expected, "{place}");
                }
                (judged, expected) => panic!("{judged:?}, not {expected:?}: {place}"),
            }
        }
        assert!(good > 0 && bad > 0, "{objective}: {good} and {bad}");
    }
}

#[test]
fn runs_of_a_column_are_as_large_as_they_are() {
    let mut dice = Dice(3310);
    for _ in 0..rounds(200) {
        let values: Vec<usize> = (0..12).map(|_| dice.below(10)).collect();
        let lines: String = values.iter().map(|value| format!("{value},{}\n", 1 + value % 3)).collect();
        let table = read_csv(&format!("x,n\n{lines}"));
        let toml = "k = 2\nobjective = \"group-size\"\n[columns]\nn = \"count\"\n\
                    x = { role = \"quasi\", kind = \"numeric\" }\n";
        let problem = encode(&table, &policy_for(&table, toml)).unwrap().problem;
        let cut = 1 + dice.below(9);
        let mut group_of: Vec<u32> = values.iter().map(|&value| u32::from(value >= cut)).collect();
        if !group_of.contains(&0) {
            group_of.fill(0);
        }
        let place = format!("{values:?} {group_of:?}");
        match (judge(&problem, Found::plain(group_of.clone())), broken(&problem, &group_of)) {
            (Ok(solution), None) => says_what_the_definitions_say(&problem, &solution, &[], &place),
            (judged, expected) => assert_eq!(judged.err(), expected, "{place}"),
        }
        // The group that a value is in is another for one of its rows.
        let Some(twin) = (1..12).find(|&row| values[..row].contains(&values[row])) else { continue };
        group_of[twin] = 1 - group_of[twin];
        if broken(&problem, &group_of).is_none() {
            assert!(matches!(judge(&problem, Found::plain(group_of)), Err(Broken::Parted(..))), "{place}");
        }
    }
}

#[test]
fn the_largest_group_is_bounded_in_people() {
    let table = read_csv("x\n1\n2\n3\n4\n5\n");
    let toml = "k = 2\nobjective = \"group-size\"\n[columns]\nx = { role = \"quasi\", kind = \"numeric\" }\n";
    let problem = encode(&table, &policy_for(&table, toml)).unwrap().problem;
    let solution = judge(&problem, Found::plain(vec![0, 0, 1, 1, 1])).unwrap();
    // Of five people, two groups are the most, and one has three.
    assert_eq!(solution.bound(), Bound::Checked(Cost(3 * ONE)));
    assert_eq!(solution.gap(&problem), Some(0.0));
}

#[test]
fn the_judge_refuses_what_has_another_length_and_takes_what_is_just_allowed() {
    let table = read_csv("x,n\n1,1\n2,1\n8,0\n9,2\n");
    let problem = |said: &str| {
        let toml = format!(
            "k = 2\n{said}\n[columns]\nn = \"count\"\nx = {{ role = \"quasi\", kind = \"numeric\" }}\n"
        );
        encode(&table, &policy_for(&table, &toml)).unwrap().problem
    };
    let judged = |problem: &Problem, group_of: &[u32]| {
        judge(problem, Found::plain(group_of.to_vec())).map(|solution| solution.groups())
    };
    let strict = problem("");
    assert_eq!(judged(&strict, &[0, 0, 1, 1]), Ok(2));
    assert_eq!(judged(&strict, &[0, 0, 1]), Err(Broken::WrongLength { expected: 4, found: 3 }));
    assert_eq!(judged(&strict, &[0, 0, 1, 1, 1]), Err(Broken::WrongLength { expected: 4, found: 5 }));
    // A row that stands for nobody is withheld like any other.
    let nobody = Err(Broken::TooManyWithheld { withheld: 0, allowed: 0 });
    assert_eq!(judged(&strict, &[0, 0, WITHHELD, 1]), nobody);
    let lenient = problem("withhold = \"50%\"");
    assert_eq!(judged(&lenient, &[0, 0, WITHHELD, 1]), Ok(2));
    assert_eq!(judged(&lenient, &[0, 0, WITHHELD, WITHHELD]), Ok(1));
    assert_eq!(
        judged(&lenient, &[WITHHELD, 0, 0, 0]).and(judged(&lenient, &[WITHHELD, 0, WITHHELD, 0])),
        Ok(1)
    );
    let four = Err(Broken::TooManyWithheld { withheld: 3, allowed: 2 });
    assert_eq!(judged(&lenient, &[WITHHELD, 0, 0, WITHHELD]), four);
}
