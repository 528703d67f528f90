//! Where annealing starts if no value may be much more frequent in a group than in the table (likeness).
//!
//! A row with a rare value needs a group of many rows, its **host**. However such rows are shared out, the
//! hosts of one value together hold at least 1/(1 + β) of the table. So hosts are made for the rarest values
//! first, each from the rows that are nearest to a rare one, as many as it needs. They take in as many rows
//! with other rare values as they may, and those need no hosts of their own.

use crate::parts::growing::Growing;
use crate::parts::near::{Alive, Near};
use crate::{Run, Stopped};
use kinfold_model::{Guard, Problem};

/// What rows need.
pub(super) struct Needs {
    /// The least number of rows in a group with each row.
    of_row: Vec<f64>,
    /// Likeness requirements: their column, and the largest share of each value.
    shares: Vec<(usize, Vec<f64>)>,
}

impl Needs {
    /// Nothing if no requirement is about that.
    pub(super) fn new(problem: &Problem, guard: &Guard) -> Option<Self> {
        let shares = guard.requirements().largest_shares();
        if shares.is_empty() {
            return None;
        }
        let need = |row: u32| {
            let share = |(column, shares): &(usize, Vec<f64>)| shares[guard.values(row)[*column] as usize];
            1.0 / shares.iter().map(share).fold(1.0, f64::min)
        };
        Some(Self { of_row: (0..problem.rows() as u32).map(need).collect(), shares })
    }

    /// All needs above a number, the largest first.
    pub(super) fn above(&self, least: f64) -> Vec<f64> {
        let mut all: Vec<f64> = self.of_row.iter().copied().filter(|&need| need > least).collect();
        all.sort_by(|a, b| b.total_cmp(a));
        all.dedup();
        all
    }
}

/// Hosts that are made one after the other of rows that are still free.
pub(super) struct Hosting<'a, const L: usize, const W: usize> {
    guard: &'a Guard,
    near: &'a Near<L, W>,
    needs: &'a Needs,
    /// The free rows of every place.
    free: Vec<Vec<u32>>,
    left: usize,
    pub(super) hosts: Vec<Vec<u32>>,
}

impl<'a, const L: usize, const W: usize> Hosting<'a, L, W> {
    /// With these places and rows.
    pub(super) fn new(guard: &'a Guard, near: &'a Near<L, W>, needs: &'a Needs, rows: &[(u32, u32)]) -> Self {
        let mut free = vec![Vec::new(); near.records.len()];
        rows.iter().for_each(|&(place, row)| free[place as usize].push(row));
        Self { guard, near, needs, free, left: rows.len(), hosts: Vec::new() }
    }

    /// Makes hosts for all free rows with this need, as long as there are rows to make them of.
    pub(super) fn host(&mut self, need: f64, run: &Run) -> Result<(), Stopped> {
        // A whole number may be allowed that floats put just below.
        let size = (need - 1e-6).ceil() as usize;
        let mut alive: Option<Alive> = self.near.parts(&|_| true).into_iter().next();
        let Some(alive) = alive.as_mut() else { return Ok(()) };
        let places = alive.places();
        for place in places.clone().filter(|&place| self.free[place as usize].is_empty()) {
            self.near.kill(alive, place);
        }
        for place in places {
            let wanting = |row: &u32| self.needs.of_row[*row as usize] == need;
            while let Some(at) = self.free[place as usize].iter().position(wanting) {
                run.check()?;
                if self.left < 2 * size {
                    return Ok(());
                }
                let guest = self.free[place as usize].remove(at);
                let host = self.cheapest(alive, place, guest, size);
                self.left -= host.len();
                self.hosts.push(host);
            }
        }
        Ok(())
    }

    /// A host around its guest; or, if it is large and that costs less, around the place with the most rows.
    fn cheapest(&mut self, alive: &mut Alive, place: u32, guest: u32, size: usize) -> Vec<u32> {
        let own = self.grow(alive, place, (place, guest), size);
        if size < LARGE {
            return own.rows;
        }
        self.undo(alive, &own);
        let dense = |&place: &u32| (self.free[place as usize].len(), std::cmp::Reverse(place));
        let dense = alive.places().max_by_key(dense).unwrap_or(place);
        let other = self.grow(alive, dense, (place, guest), size);
        if (other.rows.len(), other.cells) >= (own.rows.len(), own.cells) {
            self.undo(alive, &other);
            return self.grow(alive, place, (place, guest), size).rows;
        }
        other.rows
    }

    /// Makes a host of a guest and the rows that are nearest to a place, as far as it may take them.
    fn grow(&mut self, alive: &mut Alive, seed: u32, guest: (u32, u32), size: usize) -> Grown {
        let mut room = Room::new(self.needs, size);
        room.enter(self.guard.values(guest.1));
        let mut grown = Grown { rows: vec![guest.1], from: Vec::new(), cells: 0 };
        let mut covers = Growing::new(&self.near.digests, seed);
        let (mut next, mut passed) = (Some(seed), Vec::new());
        while let Some(place) = next.filter(|_| grown.rows.len() < size) {
            let before = grown.rows.len();
            self.free[place as usize].retain(|&row| {
                let enters = grown.rows.len() < size && room.has_room(self.guard.values(row));
                if enters {
                    room.enter(self.guard.values(row));
                    grown.rows.push(row);
                }
                !enters
            });
            if grown.rows.len() > before {
                covers.join(&self.near.digests, place);
                grown.from.push((place, grown.rows.len() - before));
            }
            // Whoever is left here may not be taken by this host.
            if !self.free[place as usize].is_empty() {
                passed.push(place);
            }
            self.near.kill(alive, place);
            next = self.near.nearest(alive, &covers).map(|(_, place)| place);
        }
        passed.into_iter().for_each(|place| self.near.revive(alive, place));
        covers.join(&self.near.digests, guest.0);
        grown.cells = covers.cells;
        grown
    }

    /// Gives back what a host took, all but its guest.
    fn undo(&mut self, alive: &mut Alive, grown: &Grown) {
        let mut rows = &grown.rows[1..];
        for &(place, count) in &grown.from {
            let (own, rest) = rows.split_at(count);
            rows = rest;
            self.free[place as usize].extend(own);
            self.free[place as usize].sort_unstable();
            if alive.is_dead(place) {
                self.near.revive(alive, place);
            }
        }
    }
}

/// From this size on, hosts are made in two ways.
const LARGE: usize = 64;

/// A host: its rows, the guest first; the places that they are from and how many from each; what they cost.
struct Grown {
    rows: Vec<u32>,
    from: Vec<(u32, usize)>,
    cells: i32,
}

/// How many rows with each value a host can still take.
struct Room<'a> {
    columns: Vec<(usize, &'a [f64], Vec<u32>)>,
    size: f64,
}

impl<'a> Room<'a> {
    fn new(needs: &'a Needs, size: usize) -> Self {
        let column =
            |(column, shares): &'a (usize, Vec<f64>)| (*column, shares.as_slice(), vec![0; shares.len()]);
        Self { columns: needs.shares.iter().map(column).collect(), size: size as f64 + 1e-6 }
    }

    fn has_room(&self, values: &[u32]) -> bool {
        self.columns.iter().all(|(column, shares, taken)| {
            let value = values[*column] as usize;
            f64::from(taken[value] + 1) <= shares[value] * self.size
        })
    }

    fn enter(&mut self, values: &[u32]) {
        self.columns.iter_mut().for_each(|(column, _, taken)| taken[values[*column] as usize] += 1);
    }
}
