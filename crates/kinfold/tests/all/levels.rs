//! Global recoding: solver `levels` against trying every choice of levels, with code that shares nothing with it.

use crate::support::anonymized;
use kinfold::model::cost::{ONE, Objective, Rule};
use kinfold::model::hierarchy::Hierarchy;
use kinfold::model::judge::WITHHELD;
use kinfold::model::policy::Policy;
use kinfold::model::problem::{Parts, Problem};
use kinfold::model::recoding::Recoding;
use kinfold::model::requirement::{Decimal, Distance, Guard, GuardedColumn, Protected, Requirement};
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, verify};
use kinfold::{Options, Run, Solvers, solve};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A column as a list of lines `value;wider;…`, with a weight; without levels it has values and a star.
struct Column {
    lines: Vec<Vec<String>>,
    weight: f64,
    missing: bool,
}

impl Column {
    fn random(dice: &mut Dice) -> Self {
        let (values, levels) = (2 + dice.below(6), dice.below(4) as usize);
        let mut lines: Vec<Vec<String>> = (0..values).map(|value| vec![format!("v{value}")]).collect();
        for _ in 0..levels {
            // Names that differ on one level may be joined on the next, and may stay the same.
            let names: Vec<String> = lines.iter().map(|line| line[line.len() - 1].clone()).collect();
            let distinct: Vec<&String> = names.iter().collect::<BTreeSet<_>>().into_iter().collect();
            let wider: BTreeMap<&String, String> = distinct
                .iter()
                .map(|&name| {
                    (name, if dice.below(3) == 0 { name.clone() } else { format!("n{}", dice.below(4)) })
                })
                .collect();
            for (line, name) in lines.iter_mut().zip(&names) {
                line.push(wider[name].clone());
            }
        }
        // A name may stand on two branches; nodes are told apart by the whole way up.
        lines.iter_mut().for_each(|line| line.push("*".into()));
        Self { lines, weight: [0.5, 1.0, 2.0][dice.below(3) as usize], missing: dice.below(3) == 0 }
    }

    fn hierarchy(&self) -> Hierarchy {
        let text: String = self.lines.iter().map(|line| line.join(";") + "\n").collect();
        let hierarchy = Hierarchy::parse(&text).unwrap();
        if self.missing { hierarchy.with_missing() } else { hierarchy }
    }

    fn levels(&self) -> usize {
        self.lines[0].len()
    }

    /// What a value (by its line; one more is missing) is on a level, and the share of the column that this covers.
    fn node(&self, value: usize, level: usize) -> (Vec<String>, f64) {
        let all = self.lines.len() + usize::from(self.missing);
        let share = |leaves: usize| (leaves - 1) as f64 / (all - 1).max(1) as f64 * self.weight;
        if level + 1 == self.levels() {
            return (Vec::new(), share(all));
        }
        let Some(line) = self.lines.get(value) else { return (vec!["missing".into()], share(1)) };
        if level == 0 {
            return (vec!["value".into(), line[0].clone()], share(1));
        }
        // Equal names on neighbouring levels are one node, which stands on both.
        let up = |line: &[String], level: usize| {
            let mut up = line[level..].to_vec();
            up.dedup();
            up
        };
        let own = up(line, level);
        let under = |other: &&Vec<String>| (1..other.len()).any(|level| up(other, level) == own);
        let leaves = self.lines.iter().filter(under).count();
        (own, share(leaves))
    }
}

/// What is asked of classes, in words of its own.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Nothing,
    Distinct(usize),
    Entropy(f64),
    Close(f64),
}

struct Case {
    columns: Vec<Column>,
    rows: Vec<Vec<usize>>,
    sizes: Vec<u64>,
    sensitive: Vec<u32>,
    k: u64,
    limit: u64,
    asked: Asked,
}

impl Case {
    fn random(dice: &mut Dice) -> Self {
        let columns: Vec<Column> = (0..2 + dice.below(3)).map(|_| Column::random(dice)).collect();
        let number = 12 + dice.below(60) as usize;
        let skew = 1 + dice.below(3);
        let mut row = |_| -> Vec<usize> {
            let value = |column: &Column| {
                let all = column.lines.len() as u64 + u64::from(column.missing);
                (0..skew).map(|_| dice.below(all)).min().unwrap() as usize
            };
            columns.iter().map(value).collect()
        };
        let rows: Vec<Vec<usize>> = (0..number).map(&mut row).collect();
        let counted = dice.below(3) == 0;
        let sizes: Vec<u64> = rows.iter().map(|_| if counted { 1 + dice.below(3) } else { 1 }).collect();
        let sensitive: Vec<u32> = rows.iter().map(|_| dice.below(4) as u32).collect();
        let people: u64 = sizes.iter().sum();
        let limit = [0, people / 20, people / 8, people / 3][dice.below(4) as usize];
        let asked = match dice.below(4) {
            0 => Asked::Nothing,
            1 => Asked::Distinct(2 + dice.below(2) as usize),
            2 => Asked::Entropy(1.5 + dice.below(3) as f64 / 2.0),
            _ => Asked::Close(0.2 + dice.below(3) as f64 / 10.0),
        };
        Self { columns, rows, sizes, sensitive, k: 2 + dice.below(4), limit, asked }
    }

    fn problem(&self) -> Option<Problem> {
        let hierarchies: Vec<Hierarchy> = self.columns.iter().map(Column::hierarchy).collect();
        let rule = |(h, column): (&Hierarchy, &Column)| {
            Rule::tree(Arc::new(h.tree().clone()), Rule::full_of(column.weight))
        };
        let rules: Vec<Rule> = hierarchies.iter().zip(&self.columns).map(rule).collect();
        let code = |column: usize, value: usize| {
            let (h, own) = (&hierarchies[column], &self.columns[column]);
            let name = own.lines.get(value).map(|line| &line[0]);
            let leaf =
                |leaf: &u32| name.map_or(*leaf + 1 == h.tree().leaves(), |name| h.label(*leaf) == name);
            (0..h.tree().leaves()).find(leaf).unwrap()
        };
        let distinct: Vec<&Vec<usize>> = self.rows.iter().collect::<BTreeSet<_>>().into_iter().collect();
        let record_of = self.rows.iter().map(|row| distinct.binary_search(&row).unwrap() as u32).collect();
        let codes =
            distinct.iter().flat_map(|row| row.iter().enumerate().map(|(c, &v)| code(c, v))).collect();
        let mut parts = Parts::new(self.k, Objective::Ncp, rules, record_of, codes);
        let sizes: Vec<u32> = self.sizes.iter().map(|&size| size as u32).collect();
        parts.row_sizes = Some(sizes.clone());
        (parts.may_withhold, parts.recoding) = (self.limit, Recoding::Global);
        let decimal = |value: f64| Decimal::parse(&format!("{value:.2}")).unwrap();
        let list = match self.asked {
            Asked::Nothing => Vec::new(),
            Asked::Distinct(l) => vec![Requirement::Distinct { column: 0, l: l as u32 }],
            Asked::Entropy(l) => vec![Requirement::Entropy { column: 0, l: decimal(l) }],
            Asked::Close(t) => {
                vec![Requirement::Close { column: 0, t: decimal(t), distance: Distance::Equal }]
            }
        };
        if !list.is_empty() {
            let about = Protected { name: "s".into(), ..Protected::default() };
            let column = GuardedColumn { about, codes: self.sensitive.clone() };
            let rows = self.rows.len();
            parts.guard = Some(Guard::new(list, vec![column], None, rows, Some(&sizes), None).unwrap());
        }
        Problem::new(parts).ok()
    }

    fn people(&self, rows: &[usize]) -> u64 {
        rows.iter().map(|&row| self.sizes[row]).sum()
    }

    /// The share of every sensitive value.
    fn shares(&self, rows: &[usize]) -> [f64; 4] {
        let mut shares = [0.0; 4];
        let people = self.people(rows) as f64;
        rows.iter().for_each(|&row| shares[self.sensitive[row] as usize] += self.sizes[row] as f64 / people);
        shares
    }

    fn good(&self, class: &[usize], released: &[usize]) -> bool {
        let own = self.shares(class);
        self.people(class) >= self.k
            && match self.asked {
                Asked::Nothing => true,
                Asked::Distinct(l) => own.iter().filter(|&&share| share > 0.0).count() >= l,
                Asked::Entropy(l) => {
                    let sum: f64 = own.iter().filter(|&&share| share > 0.0).map(|q| -q * q.ln()).sum();
                    sum >= l.ln() - 1e-12
                }
                Asked::Close(t) => {
                    let all = self.shares(released);
                    own.iter().zip(all).map(|(q, p)| (q - p).abs()).sum::<f64>() / 2.0 <= t + 1e-12
                }
            }
    }

    /// What some levels lose, and the rows that are withheld; `None` if they are too many.
    fn loss(&self, levels: &[usize]) -> Option<(f64, Vec<usize>, Vec<u64>)> {
        let mut classes: BTreeMap<Vec<Vec<String>>, Vec<usize>> = BTreeMap::new();
        for (number, row) in self.rows.iter().enumerate() {
            let look = row
                .iter()
                .zip(levels)
                .zip(&self.columns)
                .map(|((&v, &l), column)| column.node(v, l).0)
                .collect();
            classes.entry(look).or_default().push(number);
        }
        let mut kept: Vec<Vec<usize>> = classes.into_values().collect();
        kept.retain(|class| self.people(class) >= self.k);
        loop {
            let (before, released) = (kept.len(), kept.concat());
            kept.retain(|class| self.good(class, &released));
            if kept.len() == before {
                break;
            }
        }
        let released: BTreeSet<usize> = kept.concat().into_iter().collect();
        let withheld: Vec<usize> = (0..self.rows.len()).filter(|row| !released.contains(row)).collect();
        if self.people(&withheld) > self.limit || released.is_empty() {
            return None;
        }
        let full: f64 = self.columns.iter().map(|column| column.weight).sum();
        let cells = |row: usize| -> f64 {
            let shares = self.columns.iter().zip(levels).zip(&self.rows[row]);
            shares.map(|((column, &level), &value)| column.node(value, level).1).sum()
        };
        let lost = |row: usize| if released.contains(&row) { cells(row) } else { full };
        let loss = (0..self.rows.len()).map(|row| lost(row) * self.sizes[row] as f64).sum();
        Some((loss, withheld, kept.iter().map(|class| self.people(class)).collect()))
    }

    fn lattice(&self) -> Vec<Vec<usize>> {
        self.columns.iter().fold(vec![Vec::new()], |all, column| {
            let with = |levels: &Vec<usize>| {
                let levels = levels.clone();
                (0..column.levels()).map(move |level| [&levels[..], &[level]].concat())
            };
            all.iter().flat_map(with).collect()
        })
    }
}

#[test]
fn levels_equal_brute_force() {
    let mut dice = Dice(11);
    let levels = Solvers::standard().choice("levels").unwrap();
    let (mut solved, mut withheld, mut compared, mut numbered) = (0, 0, 0, 0);
    for round in 0..400 {
        let case = Case::random(&mut dice);
        let Some(problem) = case.problem() else { continue };
        let tried = case.lattice();
        let tried = tried.iter().filter_map(|levels| case.loss(levels)).map(|found| found.0);
        let best = tried.fold(f64::INFINITY, f64::min);
        let outcome = solve(&problem, &levels, &Run::default()).unwrap();
        let solution = &outcome.solution;
        let found = solution.loss(&problem).cells();
        // Each cell's cost is rounded down to 1/ONE.
        let close = (case.sizes.iter().sum::<u64>() as usize * case.columns.len()) as f64 / ONE as f64;
        assert!((found - best).abs() <= close + 1e-9, "round {round}: {found} instead of {best}");
        let chosen: Vec<usize> = solution.levels().unwrap().iter().map(|&level| level as usize).collect();
        let out: Vec<usize> =
            (0..case.rows.len()).filter(|&row| solution.group_of()[row] == WITHHELD).collect();
        // Which classes are far from what is released depends on the order in which they are withheld.
        let judged = case.loss(&chosen).map(|found| found.1);
        let told = format!("round {round}, {:?}, {chosen:?}", case.asked);
        let close = matches!(case.asked, Asked::Close(_));
        assert!(close || judged.as_ref().is_none_or(|judged| *judged == out), "{told}: {judged:?}, {out:?}");
        numbered += usize::from(judged.is_some());
        let bound = solution.bound().cost().unwrap();
        assert!(bound <= solution.cost());
        // Where groups are compared with what is released, withholding others might release more.
        let sure = !matches!(case.asked, Asked::Close(_)) || case.limit == 0;
        assert!(bound == solution.cost() || !sure, "round {round}");
        let local = problem.clone().recoded(Recoding::Local).unwrap();
        assert!(solution.average_loss_under(&local) <= solution.average_loss(&problem) + 1e-12);
        solved += 1;
        withheld += usize::from(!out.is_empty());
        compared += usize::from(matches!(case.asked, Asked::Close(_)));
    }
    assert!(numbered * 100 > solved * 98, "levels are numbered as in the file");
    assert!(solved > 200 && withheld > 60 && compared > 50, "{solved} {withheld} {compared}");
}

#[test]
fn other_aims_equal_brute_force() {
    let mut dice = Dice(5);
    for by in ["steps", "precision", "discernibility", "class-size"] {
        let choice = Solvers::standard().choice(&format!("levels:by={by}")).unwrap();
        for round in 0..40 {
            let case = Case::random(&mut dice);
            let Some(problem) = case.problem() else { continue };
            let price = |levels: &[usize], withheld: &[usize], sizes: &[u64]| -> f64 {
                let steps = levels.iter().zip(&case.columns);
                let out = case.people(withheld) as f64;
                let all = case.sizes.iter().sum::<u64>() as f64;
                match by {
                    "steps" => levels.iter().sum::<usize>() as f64,
                    "discernibility" => {
                        sizes.iter().map(|&size| (size * size) as f64).sum::<f64>() + out * all
                    }
                    "class-size" => (all - out) / sizes.len() as f64,
                    _ => steps
                        .map(|(&level, column)| {
                            let share = level as f64 / (column.levels() - 1) as f64;
                            column.weight * (out + (all - out) * share)
                        })
                        .sum(),
                }
            };
            let tried = case.lattice();
            let price_of = |levels: &Vec<usize>| {
                let (_, withheld, sizes) = case.loss(levels)?;
                Some(price(levels, &withheld, &sizes))
            };
            let tried = tried.iter().filter_map(price_of);
            let best = tried.fold(f64::INFINITY, f64::min);
            let solution = solve(&problem, &choice, &Run::default()).unwrap().solution;
            let levels: Vec<usize> = solution.levels().unwrap().iter().map(|&level| level as usize).collect();
            let found = price_of(&levels).unwrap();
            assert!((found - best).abs() < 1e-6, "{by}, round {round}: {found} instead of {best}");
        }
    }
}

/// A table of codes and ages under global recoding.
fn codes(more: &str) -> (Table, Policy) {
    let rows: Vec<Vec<&str>> =
        [["E11.9", "31"], ["E11.1", "31"], ["E10.0", "31"], ["E10.2", "31"], ["F20", "31"], ["F20", "47"]]
            .map(|row| row.to_vec())
            .to_vec();
    let table = Table::from_cells(&["code", "age"], &rows).unwrap();
    let text = format!(
        "k = 2\nrecoding = 'global'\n{more}\n[columns]\ncode = {{ role = 'quasi', kind = 'prefix', prefix = [3, 1] }}\n\
         age = {{ role = 'quasi', kind = 'numeric' }}\n"
    );
    let policy = Policy::parse(&text).for_table(&table).unwrap();
    (table, policy)
}

#[test]
fn a_release_has_one_coding_per_column() {
    let (table, policy) = codes("withhold = '20%'");
    let done = anonymized(&table, &policy, &Options::default()).unwrap();
    let report = &done.report;
    // Both ways lose the same.
    assert!(report.withheld <= 1);
    let levels: Vec<(&str, u32)> = report.levels.iter().map(|l| (l.column.as_str(), l.level)).collect();
    assert!(levels.contains(&("age", 1)) || levels.contains(&("code", 2)), "{levels:?}");
    assert!(report.loss_by_tight_bounds.unwrap() <= report.loss_by_level.unwrap());
}

#[test]
fn the_verifier_sees_several_codings() {
    let (_, policy) = codes("");
    let verdict = |rows: &[[&str; 2]]| {
        let rows: Vec<Vec<&str>> = rows.iter().flat_map(|row| [row.to_vec(), row.to_vec()]).collect();
        let table = Table::from_cells(&["code", "age"], &rows).unwrap();
        let csv: String = std::iter::once("code,age\n".to_owned())
            .chain((0..table.rows()).map(|row| {
                let cell = |name: &str| {
                    let column = table.column(name).unwrap();
                    column.text(column.codes()[row]).to_owned()
                };
                format!("{},{}\n", cell("code"), cell("age"))
            }))
            .collect();
        let source = Source::from_bytes(csv.into_bytes(), &ReadOptions::default()).unwrap();
        let published = Published::read(source, &policy, false).unwrap();
        let verdict = verify(&published, &policy).unwrap();
        (verdict.safe(), verdict.coded_twice().map(str::to_owned))
    };
    let good: [&[[&str; 2]]; 6] = [
        &[["E11*", "*"], ["F20*", "*"]],
        &[["E11*", "31"], ["F20*", "47"]],
        &[["E11*", "31"], ["F2", "47"]],
        &[["*", "31"], ["*", "47"]],
        &[["E*", "31"], ["", "47"]],
        &[["E11.9", ""], ["F20", "47"]],
    ];
    for rows in good {
        assert_eq!(verdict(rows), (true, None), "{rows:?}");
    }
    let bad: [(&[[&str; 2]], &str); 6] = [
        (&[["E11*", "*"], ["F*", "*"]], "code"),
        (&[["E11*", "31"], ["*", "47"]], "code"),
        (&[["E11.9", "31"], ["F20*", "47"]], "code"),
        (&[["E*", "31"], ["F*", "*"]], "age"),
        (&[["E*", "[31-40]"], ["F*", "47"]], "age"),
        (&[["E*", "[31-40]"], ["F*", "[35-47]"]], "age"),
    ];
    for (rows, column) in bad {
        assert_eq!(verdict(rows), (false, Some(column.to_owned())), "{rows:?}");
    }
}
