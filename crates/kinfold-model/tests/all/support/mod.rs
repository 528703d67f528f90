//! What tests of several crates need: random tables of every kind, and the best grouping by trying them all. The
//! engine's tests have it too, and what needs the engine besides.

pub mod case;

use kinfold_model::cost::{Cost, MIDDLE, Objective, columns_cost, group_cost, radius, sse};
use kinfold_model::encode::{Encoded, encode};
use kinfold_model::judge::{Found, WITHHELD, judge};
use kinfold_model::policy::{Draft, Policy};
use kinfold_model::problem::Problem;
use kinfold_model::table::{ReadOptions, Source, Table};
use std::path::Path;

/// SplitMix64 written out once more: tests must not share the engine's generator.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((self.roll() as u128 * bound as u128) >> 64) as usize
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

pub fn read_csv(text: &str) -> Table {
    Source::from_bytes(text.as_bytes().to_vec(), &ReadOptions::default()).unwrap().read(|_| true).unwrap()
}

pub fn policy_for(table: &Table, toml: &str) -> Policy {
    let names: Vec<String> = table.columns().iter().map(|c| c.name().to_owned()).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases/policy.toml");
    Draft::from_toml(toml, &folder).settle_for(&names).unwrap_or_else(|e| panic!("{e}"))
}

/// A random table with its policy: every objective and kind, missing values, ties, weights, counts,
/// withholding.
pub struct Sample {
    pub table: Table,
    pub policy: Policy,
    pub encoded: Encoded,
    /// The policy as it is written.
    pub toml: String,
    pub recipe: String,
}

const LEVELS: [&str; 4] = ["low", "middle", "high", "top"];
const LABELS: [&str; 5] = ["ash", "birch", "cedar", "fir", "oak"];

/// Rows between `least` and `most`; `None` when the draw is impossible (too few people for k).
pub fn sample(dice: &mut Dice, least: usize, most: usize) -> Option<Sample> {
    let objective = dice.pick(&["ncp", "ncp", "stars"]);
    sample_of(dice, objective, least, most)
}

/// The same with a given objective.
pub fn sample_of(dice: &mut Dice, objective: &str, least: usize, most: usize) -> Option<Sample> {
    let rows = least + dice.below(most - least + 1);
    let columns = 1 + dice.below(4);
    let k = 2 + dice.below(3);
    let mut names: Vec<String> = Vec::new();
    let mut toml = format!("k = {k}\nobjective = \"{objective}\"\n");
    if dice.below(3) == 0 {
        toml += "withhold = \"20%\"\n";
    }
    let clusters = ["radius", "cellular", "sse"].contains(&objective);
    let counted = dice.below(4) == 0 && !clusters;
    if objective == "radius" && dice.below(3) == 0 {
        toml += &format!("max_groups = {}\n", 1 + dice.below(3));
    }
    if clusters {
        toml += &format!("[metric]\ncombine = \"{}\"\n", dice.pick(&["euclidean", "manhattan", "maximum"]));
        toml += &format!("scale = \"{}\"\n", dice.pick(&["range", "sd", "given"]));
    }
    if clusters && objective != "sse" && dice.below(4) == 0 {
        toml += "centre = \"middle\"\n";
    }
    if objective == "cellular" && dice.below(3) == 0 {
        toml += "setup = 0.75\n";
    }
    let mut kinds = Vec::new();
    for c in 0..columns {
        let name = format!("c{c}");
        let kind = dice.below(if objective == "sse" { 3 } else { 5 });
        toml += &format!("[columns.{name}]\nrole = \"quasi\"\n");
        if dice.below(3) == 0 {
            toml += &format!("weight = {}\n", dice.pick(&["0.5", "2", "1.25"]));
        }
        toml += match kind {
            0 => "kind = \"numeric\"\n",
            1 => "kind = \"date\"\n",
            2 => "kind = \"ordinal\"\norder = [\"low\", \"middle\", \"high\", \"top\"]\n",
            3 => "kind = \"category\"\n",
            _ => "kind = \"hierarchy\"\nhierarchy = \"trees.csv\"\n",
        };
        if kind == 0 && dice.below(3) == 0 {
            toml += "domain = [-20, 40.5]\n";
        }
        if objective == "ncp" && kind < 3 && dice.below(5) == 0 {
            let steps: [&[&str]; 3] = [&["5", "0.5", "1"], &["\"month\"", "\"week\""], &["2"]];
            toml += &format!("round = {}\n", dice.pick(steps[kind]));
        }
        kinds.push((kind, dice.below(4) == 0 && objective != "sse"));
        names.push(name);
    }
    if counted {
        toml += "[columns]\npeople = \"count\"\n";
        names.push("people".into());
    }
    let mut cells: Vec<Vec<String>> = Vec::new();
    for _ in 0..rows {
        let mut row: Vec<String> = kinds
            .iter()
            .map(|&(kind, holes)| match kind {
                _ if holes && dice.below(4) == 0 => dice.pick(&["", "NA"]).to_owned(),
                0 => dice.pick(&["-3", "0", "0.0", "1", "1.50", "7", "12", "1e1"]).to_owned(),
                1 => format!("2024-0{}-1{}", 1 + dice.below(3), dice.below(3)),
                2 => dice.pick(&LEVELS).to_owned(),
                _ => dice.pick(&LABELS).to_owned(),
            })
            .collect();
        if counted {
            row.push(dice.below(4).to_string());
        }
        cells.push(row);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows: Vec<Vec<&str>> = cells.iter().map(|r| r.iter().map(String::as_str).collect()).collect();
    let table = Table::from_cells(&names, &rows).ok()?;
    let policy = policy_for(&table, &toml);
    let recipe = format!("{toml}\n{}\n{cells:?}", names.join(","));
    let encoded = encode(&table, &policy).ok()?;
    Some(Sample { table, policy, encoded, toml, recipe })
}

/// The least cost of any grouping: all of them are tried.
pub fn brute_force(problem: &Problem) -> Option<Cost> {
    brute_force_counting(problem).0
}

/// The same, and how many ways to part the rows were tried.
pub fn brute_force_counting(problem: &Problem) -> (Option<Cost>, usize) {
    let mut search = Brute { problem, groups: Vec::new(), withheld: 0, best: None, tried: 0 };
    search.place(0);
    (search.best, search.tried)
}

struct Brute<'p> {
    problem: &'p Problem,
    groups: Vec<Vec<u32>>,
    withheld: u64,
    best: Option<Cost>,
    tried: usize,
}

impl Brute<'_> {
    fn group_of(&self) -> Vec<u32> {
        let mut group_of = vec![WITHHELD; self.problem.rows()];
        for (group, rows) in (0u32..).zip(&self.groups) {
            rows.iter().for_each(|&row| group_of[row as usize] = group);
        }
        group_of
    }

    fn place(&mut self, row: u32) {
        let problem = self.problem;
        if row as usize == problem.rows() {
            self.tried += 1;
            let people = |g: &Vec<u32>| g.iter().map(|&r| problem.row_size(r)).sum::<u64>();
            let few = problem.clusters().max_groups.is_none_or(|most| self.groups.len() as u64 <= most);
            if few && !self.groups.is_empty() && self.groups.iter().all(|g| people(g) >= problem.k()) {
                let around = |rows: &Vec<u32>| {
                    let middle = problem.clusters().middles.then_some(MIDDLE);
                    let centres = (0..problem.records() as u32).chain(middle);
                    centres.filter_map(|centre| radius(problem, centre, rows)).min().unwrap()
                };
                let cost: Cost = match problem.objective() {
                    Objective::Radius => self.groups.iter().map(around).max().unwrap(),
                    Objective::Cellular => {
                        let each = self
                            .groups
                            .iter()
                            .map(|g| Cost(around(g).0 * g.len() as u64) + problem.setup_of(0));
                        each.sum()
                    }
                    Objective::Sse => self.groups.iter().map(|g| sse(problem, g)).sum(),
                    // Here the judge also says what may be grouped at all.
                    Objective::GroupSize => match judge(problem, Found::plain(self.group_of())) {
                        Ok(solution) => solution.cost(),
                        Err(_) => return,
                    },
                    Objective::Columns => columns_cost(problem, self.groups.iter().map(Vec::as_slice)),
                    _ => {
                        let cost: Cost = self.groups.iter().map(|g| group_cost(problem, g)).sum();
                        cost + Cost(self.withheld * problem.withheld_cost())
                    }
                };
                self.best = Some(self.best.map_or(cost, |b| b.min(cost)));
            }
            return;
        }
        for i in 0..self.groups.len() {
            if problem.class_of().is_some_and(|of| of[row as usize] != of[self.groups[i][0] as usize]) {
                continue;
            }
            self.groups[i].push(row);
            self.place(row + 1);
            self.groups[i].pop();
        }
        self.groups.push(vec![row]);
        self.place(row + 1);
        self.groups.pop();
        let size = problem.row_size(row);
        // A row that stands for nobody, too, is left out only where the policy allows leaving out.
        if problem.may_withhold() > 0 && self.withheld + size <= problem.may_withhold() {
            self.withheld += size;
            self.place(row + 1);
            self.withheld -= size;
        }
    }
}

/// Groups as sets of rows, whatever their numbers.
pub fn as_sets(group_of: &[u32]) -> Vec<Vec<u32>> {
    let mut sets: std::collections::BTreeMap<u32, Vec<u32>> = Default::default();
    for (row, &group) in (0u32..).zip(group_of) {
        sets.entry(group).or_default().push(row);
    }
    let mut sets: Vec<Vec<u32>> = sets.into_values().collect();
    sets.sort();
    sets
}

pub fn found(group_of: Vec<u32>) -> Found {
    Found::plain(group_of)
}

pub const OUT: u32 = WITHHELD;

/// How many rounds a long test goes: all, or the per cent of them that `KINFOLD_ROUNDS` says (`./test
/// quick`).
pub fn rounds(all: usize) -> usize {
    let per_cent = std::env::var("KINFOLD_ROUNDS").map_or(100, |said| said.parse().unwrap());
    (all * per_cent).div_ceil(100)
}

/// What must be seen so often in all rounds may be missed in a few of them.
pub fn enough(of_all: usize) -> usize {
    if rounds(100) == 100 { of_all } else { 0 }
}

/// The same, with rows that stand for one person each, and nobody withheld.
pub fn sample_of_whole_rows(dice: &mut Dice, least: usize, most: usize) -> Sample {
    let objective = dice.pick(&["ncp", "ncp", "stars"]);
    sample_of_whole_rows_of(dice, objective, least, most)
}

/// The same with a given objective.
pub fn sample_of_whole_rows_of(dice: &mut Dice, objective: &str, least: usize, most: usize) -> Sample {
    loop {
        let drawn = sample_of(dice, objective, least, most);
        if let Some(s) = drawn.filter(|s| {
            let p = &s.encoded.problem;
            p.may_withhold() == 0 && (0..p.rows() as u32).all(|row| p.row_size(row) == 1)
        }) {
            return s;
        }
    }
}
