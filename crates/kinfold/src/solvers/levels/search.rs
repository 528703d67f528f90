//! Best first through boxes of levels.
//!
//! A box holds all choices of levels between a lowest and a highest one. Whoever is in too small a class on the
//! highest levels is in one on all levels of the box, and is withheld; everybody else pays for the lowest levels at
//! least. If too many would be withheld, the box is empty. The box with the least bound is halved along the column
//! that could cost most; what is found on its highest levels is an answer.

use super::look::{Judge, Look};
use super::numbering::Numbering;
use super::space::{Aim, Base, Space};
use crate::run::{Run, Stopped};
use kinfold_model::problem::Problem;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The best levels that were found, and what is known of all others.
pub(super) struct Best {
    pub at: Vec<u8>,
    pub price: u64,
    /// No levels cost less than this.
    pub bound: u64,
    /// How many were looked at.
    pub looked_at: usize,
}

/// All levels from `low` to `high`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Region {
    bound: u64,
    low: Vec<u8>,
    high: Vec<u8>,
    lost_people: u64,
    /// What those who are withheld throughout would pay in every column on every level.
    lost: Vec<Vec<u64>>,
}

pub(super) struct Search<'a> {
    problem: &'a Problem,
    space: &'a Space,
    judge: Judge<'a>,
    base: Base,
    part_of: Vec<u32>,
    /// What everybody would pay in every column on every level.
    all: Vec<Vec<u64>>,
    by: Numbering,
    best: Option<(u64, Vec<u8>)>,
    /// What levels might cost that were looked at, where withholding others might release more.
    loose: u64,
    looked_at: usize,
    most_work: u64,
    run: &'a Run,
}

/// Binary digits after the point of people per class.
const RATIO: u32 = 24;

/// Lattices of so many levels are searched at once; larger ones from a good answer on.
const SMALL: f64 = 1e5;

impl<'a> Search<'a> {
    pub fn new(problem: &'a Problem, space: &'a Space, most_work: u64, run: &'a Run) -> Self {
        let base = Base::new(problem, space);
        let part_of = (0..problem.records() as u32).collect();
        let all = base.prices(space, 0..base.len());
        Self {
            problem,
            space,
            judge: Judge::new(problem),
            base,
            part_of,
            all,
            by: Numbering::default(),
            best: None,
            loose: u64::MAX,
            looked_at: 0,
            most_work,
            run,
        }
    }

    fn over(&self) -> Result<bool, Stopped> {
        Ok(self.run.is_over()? || self.by.work > self.most_work)
    }

    /// Looks at some levels, and keeps them if they are the best so far. `None` if nothing there or below can be
    /// released; else who is withheld on all levels below, and what these levels cost, if they can be had.
    fn look(&mut self, at: &[u8]) -> Option<(Look, Vec<Vec<u64>>, Option<u64>)> {
        self.looked_at += 1;
        let look = self.judge.look(self.space, (&self.base, &self.part_of), at, &mut self.by)?;
        let lost = self.base.prices(self.space, look.lost.iter().map(|&part| part as usize));
        let price = look.short.as_ref().map(|short| self.price(at, &look, &lost, short));
        if self.judge.compared
            && let Some(sure) = look.sure.as_ref().map(|sure| self.price(at, &look, &lost, sure))
            && price.is_none_or(|price| price > sure)
        {
            self.loose = self.loose.min(sure);
        }
        if let Some(price) = price
            && self.best.as_ref().is_none_or(|(best, levels)| (price, at) < (*best, levels))
        {
            self.best = Some((price, at.to_vec()));
        }
        Some((look, lost, price))
    }

    /// What these levels cost, if these parts are withheld besides those that are lost. Their classes have just been
    /// numbered.
    fn price(&self, at: &[u8], look: &Look, lost: &[Vec<u64>], parts: &[u32]) -> u64 {
        if !matches!(self.space.aim, Aim::Discernibility | Aim::ClassSize) {
            let price = self.by_column(at, lost, look.lost_people);
            return if self.space.aim == Aim::Steps { price } else { self.dearer(at, price, parts) };
        }
        let mut sizes: Vec<u64> = Vec::new();
        for (&class, people) in self.by.of.iter().zip(&self.base.people) {
            let class = class as usize;
            sizes.resize(sizes.len().max(class + 1), 0);
            sizes[class] += people;
        }
        look.lost.iter().chain(parts).for_each(|&part| sizes[self.by.of[part as usize] as usize] = 0);
        let released: u64 = sizes.iter().sum();
        match self.space.aim {
            Aim::Discernibility => {
                let people = self.problem.people();
                sizes.iter().map(|size| size * size).sum::<u64>() + (people - released) * people
            }
            _ => (released << RATIO) / (sizes.iter().filter(|&&size| size > 0).count() as u64).max(1),
        }
    }

    /// The same without these parts, for prices by column.
    fn dearer(&self, at: &[u8], price: u64, parts: &[u32]) -> u64 {
        let own = |&part: &u32| {
            let part = part as usize;
            let cells = (0..at.len()).map(|c| self.base.price(self.space, c, at[c], part));
            self.base.people[part] as i128 * (i128::from(self.space.withheld) - cells.sum::<u64>() as i128)
        };
        (i128::from(price) + parts.iter().map(own).sum::<i128>()) as u64
    }

    /// What everybody pays on these levels, if those who are lost pay for all cells. Steps are the same for all.
    fn by_column(&self, at: &[u8], lost: &[Vec<u64>], lost_people: u64) -> u64 {
        let all = |column: usize| self.all[column][at[column] as usize];
        if self.space.aim == Aim::Steps {
            return (0..at.len()).map(all).sum();
        }
        let own = |column: usize| all(column) - lost[column][at[column] as usize];
        (0..at.len()).map(own).sum::<u64>() + lost_people * self.space.withheld
    }

    /// What no levels from these on up cost less than, if these people are lost on all of them.
    fn bound(&mut self, low: &[u8], lost: &[Vec<u64>], lost_people: u64) -> u64 {
        if !matches!(self.space.aim, Aim::Discernibility | Aim::ClassSize) {
            return self.by_column(low, lost, lost_people);
        }
        let mut sizes = vec![0u64; self.base.classes(self.space, low, &mut self.by)];
        self.by.of.iter().zip(&self.base.people).for_each(|(&class, people)| sizes[class as usize] += people);
        let (k, people) = (self.problem.k(), self.problem.people());
        if self.space.aim == Aim::Discernibility {
            // Nobody is in a smaller class than here, nor in one below k; whoever is lost for being too few counts all.
            let too_few = if self.problem.guard().is_none() { lost_people } else { 0 };
            return sizes.iter().map(|&size| size * size.max(k)).sum::<u64>() + too_few * (people - k);
        }
        let classes = (sizes.len() as u64).min(people / k).max(1);
        ((people - self.problem.may_withhold()) << RATIO) / classes
    }

    /// Searches all levels.
    pub fn run(mut self) -> Result<Best, Stopped> {
        let (mut low, top) = (vec![0u8; self.space.axes.len()], self.space.top());
        // Levels that are too low for a column even if all others are dropped.
        for column in 0..low.len() {
            let mut at = top.clone();
            for level in 0..top[column] {
                at[column] = level;
                self.run.check()?;
                if self.look(&at).is_some() {
                    break;
                }
                low[column] = level + 1;
            }
        }
        let (base, into) = self.base.rolled_up(self.problem, self.space, &low, &mut self.by);
        (self.base, self.part_of) = (base, into);
        self.all = self.base.prices(self.space, 0..self.base.len());
        self.descend(top.clone(), &low)?;
        let levels: f64 = low.iter().zip(&top).map(|(low, top)| f64::from(top - low) + 1.0).product();
        if levels > SMALL {
            self.polish(&low, &top)?;
        }
        let bound = self.branch(low, top.clone())?;
        // The highest levels can be had, but for withholding that a guard refuses.
        let (price, at) = self.best.unwrap_or((u64::MAX, top));
        let bound = bound.min(self.loose).min(price);
        Ok(Best { at, price, bound, looked_at: self.looked_at })
    }

    /// Halves boxes until none can hold anything better, or time is over. What is not better costs at least what is
    /// answered.
    fn branch(&mut self, low: Vec<u8>, high: Vec<u8>) -> Result<u64, Stopped> {
        let mut open = BinaryHeap::new();
        if let Some((look, lost, _)) = self.look(&high) {
            let (bound, lost_people) = (self.bound(&low, &lost, look.lost_people), look.lost_people);
            open.push(Reverse(Region { bound, low, high, lost_people, lost }));
        }
        while let Some(Reverse(region)) = open.pop() {
            let best = self.best.as_ref().map_or(u64::MAX, |best| best.0);
            if region.bound >= best {
                return Ok(best);
            }
            if self.over()? {
                return Ok(region.bound);
            }
            let at_stake = |column: usize| {
                let own = |level: u8| self.all[column][level as usize] - region.lost[column][level as usize];
                own(region.high[column]) - own(region.low[column])
            };
            let open_columns = (0..region.low.len()).filter(|&c| region.low[c] < region.high[c]);
            let Some(column) = open_columns.max_by_key(|&c| (at_stake(c), Reverse(c))) else { continue };
            let middle = region.low[column] + (region.high[column] - region.low[column] - 1) / 2;
            let mut high = region.high.clone();
            high[column] = middle;
            if let Some((look, lost, _)) = self.look(&high) {
                let bound = self.bound(&region.low, &lost, look.lost_people);
                if self.best.as_ref().is_none_or(|best| bound < best.0) {
                    let (low, lost_people) = (region.low.clone(), look.lost_people);
                    open.push(Reverse(Region { bound, low, high, lost_people, lost }));
                }
            }
            let Region { mut low, high, lost_people, lost, .. } = region;
            low[column] = middle + 1;
            let bound = self.bound(&low, &lost, lost_people);
            open.push(Reverse(Region { bound, low, high, lost_people, lost }));
        }
        Ok(self.best.as_ref().map_or(u64::MAX, |best| best.0))
    }

    /// From some levels, always the one step down that saves most.
    fn descend(&mut self, mut at: Vec<u8>, low: &[u8]) -> Result<(), Stopped> {
        let mut low = low.to_vec();
        let mut now = self.look(&at).and_then(|(_, _, price)| price).unwrap_or(u64::MAX);
        while !self.over()? {
            let mut steps: Vec<(u64, usize, u8)> = (0..at.len())
                .flat_map(|column| (low[column]..at[column]).map(move |level| (column, level)))
                .map(|(c, l)| match self.space.aim {
                    Aim::Discernibility | Aim::ClassSize => (u64::MAX, c, l),
                    _ => (self.all[c][at[c] as usize].saturating_sub(self.all[c][l as usize]), c, l),
                })
                .collect();
            steps.sort_unstable_by_key(|&(saved, column, level)| (Reverse(saved), column, level));
            let mut best: Option<(u64, usize, u8)> = None;
            for (saved, column, level) in steps {
                if best.is_some_and(|(price, ..)| now - price >= saved) {
                    break;
                }
                if level < low[column] {
                    continue;
                }
                let mut below = at.clone();
                below[column] = level;
                match self.look(&below) {
                    None => low[column] = level + 1,
                    Some((_, _, price)) => {
                        let better = |price: &u64| *price < best.map_or(now, |(price, ..)| price);
                        best = price.filter(better).map(|price| (price, column, level)).or(best);
                    }
                }
                if self.over()? {
                    break;
                }
            }
            let Some((price, column, level)) = best else { break };
            (now, at[column]) = (price, level);
        }
        Ok(())
    }

    /// Descends anew from the best levels with one column raised, as long as that helps.
    fn polish(&mut self, low: &[u8], top: &[u8]) -> Result<(), Stopped> {
        let part = self.most_work / 4;
        while let Some((price, best)) = self.best.clone() {
            for column in 0..best.len() {
                for level in best[column] + 1..=top[column] {
                    if self.by.work > part {
                        return Ok(());
                    }
                    let mut at = best.clone();
                    at[column] = level;
                    self.descend(at, low)?;
                }
            }
            if self.best.as_ref().is_none_or(|now| now.0 >= price) {
                break;
            }
        }
        Ok(())
    }
}
