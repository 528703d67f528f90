//! What comes of some levels: which classes fall short, and who is withheld.

use super::numbering::Numbering;
use super::space::{Base, Space};
use kinfold_model::judge::{Found, WITHHELD};
use kinfold_model::members::Members;
use kinfold_model::problem::Problem;
use kinfold_model::recoding::classes;
use kinfold_model::requirement::{Distance, Guard, Requirement, Tally};

/// Records in classes, on some levels.
pub(super) struct Look {
    /// Parts of the base in classes that no class below could be released in either.
    pub lost: Vec<u32>,
    /// People in them.
    pub lost_people: u64,
    /// Parts in other classes that fall short; none where too many would have to go.
    pub short: Option<Vec<u32>>,
    /// Those of them that fall short whoever else is withheld; none where they are too many.
    pub sure: Option<Vec<u32>>,
}

/// What is asked of classes.
pub(super) struct Judge<'a> {
    problem: &'a Problem,
    guard: Option<&'a Guard>,
    /// What holds whoever is withheld; none where that is the guard itself.
    loose: Option<Guard>,
    /// People by value, and how far groups may be from that at most, where closeness by equal distance is asked.
    close: Option<Close>,
    /// Whether a part of a class that falls short falls short, too: fewer people, persons or values.
    inherited: bool,
    /// Whether groups are compared with what is released.
    pub compared: bool,
}

impl<'a> Judge<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let guard = problem.guard();
        let asked = guard.map_or(&[][..], |guard| guard.requirements().list());
        let inherited = |r: &Requirement| {
            matches!(r, Requirement::People(_) | Requirement::Persons(_) | Requirement::Distinct { .. })
        };
        let compared = |r: &Requirement| {
            matches!(
                r,
                Requirement::Close { .. } | Requirement::Likeness { .. } | Requirement::Disclosure { .. }
            )
        };
        let guard = guard.filter(|_| !asked.is_empty());
        let (inherited, compared) = (asked.iter().all(inherited), asked.iter().any(compared));
        let limit = problem.may_withhold();
        let loose = guard.filter(|_| compared && limit > 0);
        let loose = loose.and_then(|guard| guard.whoever_is_left_out(limit).ok());
        let close = loose.as_ref().or(guard).and_then(|guard| Close::of(problem, guard));
        Self { problem, guard, loose, close, inherited, compared }
    }

    fn too_many(&self, people: u64, parts: usize) -> bool {
        let limit = self.problem.may_withhold();
        people > limit || parts > 0 && limit == 0
    }

    /// The classes on some levels; `None` if neither they nor any below can be released. `part_of`: the part of the
    /// base that each record is in.
    pub fn look(
        &self,
        space: &Space,
        (base, part_of): (&Base, &[u32]),
        at: &[u8],
        by: &mut Numbering,
    ) -> Option<Look> {
        let classes = base.classes(space, at, by);
        let mut sizes = vec![0u64; classes];
        by.of.iter().zip(&base.people).for_each(|(&class, people)| sizes[class as usize] += people);
        let mut out: Vec<bool> = sizes.iter().map(|&size| size < self.problem.k()).collect();
        let parts_of = |out: &[bool]| -> Vec<u32> {
            (0u32..).zip(&by.of).filter(|&(_, &class)| out[class as usize]).map(|(part, _)| part).collect()
        };
        let people = |out: &[bool]| -> u64 {
            sizes.iter().zip(out).filter(|&(_, &out)| out).map(|(size, _)| size).sum()
        };
        let infeasible = |out: &[bool]| self.too_many(people(out), out.iter().filter(|&&out| out).count());
        if infeasible(&out) {
            return None;
        }
        let all_out = |out: &[bool]| !out.contains(&false);
        let Some(guard) = self.guard else {
            let (lost, lost_people) = (parts_of(&out), people(&out));
            let (short, sure) = ((!all_out(&out)).then(Vec::new), Some(Vec::new()));
            return Some(Look { lost, lost_people, short, sure });
        };
        let small = out.clone();
        by.work += 8 * self.problem.rows() as u64;
        let class = |row: u32| by.of[part_of[self.problem.record_of(row) as usize] as usize];
        let rows_of = Members::new(classes, (0..self.problem.rows() as u32).map(|row| (row, class(row))));
        let sure = self.falling_short(self.loose.as_ref().unwrap_or(guard), &rows_of, &out, false);
        // Were every part of a class released, so could be the class: so some part must go, on levels below, too.
        let must_go = |&class: &u32| match (&self.close, self.inherited) {
            (_, true) => sizes[class as usize],
            (Some(close), _) => close.must_go(rows_of.of(class), self.problem, guard),
            _ => 1,
        };
        let going = people(&small) + sure.iter().map(must_go).sum::<u64>();
        if self.too_many(going, sure.len()) {
            return None;
        }
        sure.iter().for_each(|&class| out[class as usize] = true);
        let sure = if self.inherited { Vec::new() } else { parts_of(&without(&out, &small)) };
        let sure = (!infeasible(&out)).then_some(sure);
        while self.compared && !infeasible(&out) {
            let found = self.falling_short(guard, &rows_of, &out, true);
            if found.is_empty() {
                break;
            }
            found.iter().for_each(|&class| out[class as usize] = true);
        }
        if infeasible(&out) {
            return Some(Look { lost: parts_of(&small), lost_people: people(&small), short: None, sure });
        }
        let short = (!all_out(&out))
            .then(|| if self.inherited { Vec::new() } else { parts_of(&without(&out, &small)) });
        let lost = if self.inherited { &out } else { &small };
        Some(Look { lost: parts_of(lost), lost_people: people(lost), short, sure })
    }

    /// The classes that fall short besides those that are out; `compared`: with what is released.
    fn falling_short(&self, guard: &Guard, rows_of: &Members, out: &[bool], compared: bool) -> Vec<u32> {
        let size = |row: u32| self.problem.row_size(row);
        let of_release = (compared && out.contains(&true)).then(|| {
            let mut released = vec![false; self.problem.rows()];
            let kept = rows_of.each().zip(out).filter(|&(_, &out)| !out);
            kept.flat_map(|(rows, _)| rows).for_each(|&row| released[row as usize] = true);
            guard.of_release(|row| if released[row as usize] { size(row) } else { 0 }).ok()
        });
        let guard = of_release.as_ref().and_then(Option::as_ref).unwrap_or(guard);
        let fulfils = |rows: &[u32]| {
            let rows = rows.iter().map(|&row| guard.row(row, size(row)));
            Tally::of(guard.requirements(), rows).fulfils(guard.requirements())
        };
        let kept = (0u32..).zip(rows_of.each()).filter(|&(class, _)| !out[class as usize]);
        kept.filter(|(_, rows)| !fulfils(rows)).map(|(class, _)| class).collect()
    }
}

/// Those of the first that are not in the second.
fn without(all: &[bool], others: &[bool]) -> Vec<bool> {
    all.iter().zip(others).map(|(&own, &other)| own && !other).collect()
}

/// Closeness by equal distance: how many of a class must go, so that the others are close enough.
struct Close {
    column: usize,
    /// The share of every value in the table.
    shares: Vec<f64>,
    t: f64,
}

impl Close {
    fn of(problem: &Problem, guard: &Guard) -> Option<Self> {
        let asked = guard.requirements().list().iter().find_map(|requirement| match *requirement {
            Requirement::Close { column, t, distance: Distance::Equal } => Some((column, t.to_f64())),
            _ => None,
        });
        let (column, t) = asked?;
        let rows: Vec<u32> = (0..problem.rows() as u32).collect();
        let mut shares = counts(problem, guard, column, &rows);
        let people: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= people.max(1.0));
        Some(Self { column, shares, t })
    }

    /// Of n people at most `count` have a value, so n · share − count of them are missing; together these may be t · n.
    /// The more people stay, the larger a share is missing.
    fn must_go(&self, rows: &[u32], problem: &Problem, guard: &Guard) -> u64 {
        let counts = counts(problem, guard, self.column, rows);
        let count = |value: usize| counts.get(value).copied().unwrap_or(0.0);
        let people: f64 = counts.iter().sum();
        let missing = |stay: f64| -> f64 {
            let shares = self.shares.iter().enumerate();
            shares.map(|(value, share)| (stay * share - count(value)).max(0.0)).sum()
        };
        let (mut low, mut high) = (0.0, people);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if missing(middle) <= self.t * middle { low = middle } else { high = middle }
        }
        // Whole people, and some room for rounding: fewer is always sure.
        ((people - high - 1e-6 * people).ceil().max(1.0)) as u64
    }
}

/// People by value.
fn counts(problem: &Problem, guard: &Guard, column: usize, rows: &[u32]) -> Vec<f64> {
    let mut counts = Vec::new();
    for &row in rows {
        let value = guard.values(row)[column] as usize;
        if counts.len() <= value {
            counts.resize(value + 1, 0.0);
        }
        counts[value] += problem.row_size(row) as f64;
    }
    counts
}

/// The groups that some levels induce, and who is withheld.
pub(super) fn found(problem: &Problem, levels: Vec<u32>) -> Found {
    let classes = classes(problem, &levels);
    let sizes = classes.sums((0..problem.records() as u32).map(|record| problem.record_size(record)));
    let mut out: Vec<bool> = sizes.iter().map(|&size| size < problem.k()).collect();
    let class = |row: u32| classes.of_row[problem.record_of(row) as usize];
    let judge = Judge::new(problem);
    if let Some(guard) = judge.guard {
        let rows = 0..problem.rows() as u32;
        let rows_of = Members::new(sizes.len(), rows.map(|row| (row, class(row))));
        // In the order of [`Judge::look`]: which classes are left depends on it.
        let sure = judge.falling_short(judge.loose.as_ref().unwrap_or(guard), &rows_of, &out, false);
        sure.iter().for_each(|&class| out[class as usize] = true);
        let mut more = judge.compared;
        while more {
            let found = judge.falling_short(guard, &rows_of, &out, true);
            found.iter().for_each(|&class| out[class as usize] = true);
            more = !found.is_empty();
        }
    }
    // Groups are numbered as their classes first appear in the table.
    let (mut number_of, mut next) = (vec![WITHHELD; sizes.len()], 0);
    let mut group = |row: u32| {
        let class = class(row) as usize;
        if !out[class] && number_of[class] == WITHHELD {
            number_of[class] = next;
            next += 1;
        }
        number_of[class]
    };
    let group_of = (0..problem.rows() as u32).map(&mut group).collect();
    Found::on_levels(group_of, levels)
}
