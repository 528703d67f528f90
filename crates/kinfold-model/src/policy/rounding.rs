//! What a policy says of rounded ends.

use super::mistake::one_of;
use super::{ColumnPolicy, Draft, Form, Mistake, Place, Quasi, Role, Rounding};
use crate::cost::Objective;
use crate::encode::step_mistake;
use crate::grid::Step;

/// What to write.
const HINT: &str =
    "write a number such as 5, or day, week, month, quarter, year or decade; none leaves ends as they are";

impl Draft {
    /// Rounds the ends of all ranges, to steps that the data suggest where a column names none.
    pub fn blunt(&mut self, on: bool, place: Option<Place>) {
        (self.blunt, self.blunt_place) = (on, place);
    }

    /// How a column's ends are rounded, or none in place of words that make no sense.
    pub(super) fn rounding(&mut self, name: &str, text: &str, place: &Option<Place>) -> Option<Rounding> {
        let found = match text.trim_ascii() {
            "none" => Some(Rounding::Exact),
            text => Step::parse(text).map(Rounding::To),
        };
        if found.is_none() {
            let what = format!("column {name:?}: {text:?} is not a width to round to");
            self.mistake(Mistake::new(what, place.clone()).hint(HINT));
        }
        found
    }

    /// A width as the flag writes it: `NAME=5` or `NAME=month`.
    pub fn round_flag(&mut self, spec: &str) {
        let place = Some(Place::Setting("round"));
        let Some((name, text)) = spec.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
            let mistake = Mistake::new(format!("{spec:?} is not a valid width"), place);
            return self.mistake(mistake.hint("write NAME=WIDTH, such as age=5 or admitted=month"));
        };
        self.round(name.trim(), text, &place);
    }

    /// Rounds the ends of a quasi-identifier; of a point, those of both coordinates.
    pub(super) fn round(&mut self, name: &str, text: &str, place: &Option<Place>) {
        let round = self.rounding(name, text, place);
        match name.split_once('/').filter(|_| self.columns.iter().all(|c| c.name != name)) {
            Some((up, across)) => [up, across].into_iter().for_each(|name| self.round_to(name, round, place)),
            None => self.round_to(name, round, place),
        }
    }

    fn round_to(&mut self, name: &str, round: Option<Rounding>, place: &Option<Place>) {
        let quasi = match self.columns.iter_mut().find(|c| c.name == name).map(|c| &mut c.role) {
            Some(Role::Quasi(quasi)) => {
                quasi.round = round;
                quasi.clone()
            }
            _ => {
                let mistake =
                    Mistake::new(format!("{name:?} is rounded but is not a quasi-identifier"), place.clone());
                return self.mistake(mistake.hint("name it in {quasi}"));
            }
        };
        self.check_round(name, &quasi, place);
    }

    /// The width must go with the kind, where that is known.
    pub(super) fn check_round(&mut self, name: &str, quasi: &Quasi, place: &Option<Place>) {
        if let (Some(Rounding::To(step)), Some(kind)) = (quasi.round, &quasi.kind)
            && !step.fits(kind)
        {
            let role = Role::Quasi(quasi.clone());
            let said = ColumnPolicy { name: name.into(), role, place: place.clone(), acknowledged: false };
            self.mistake(step_mistake(&said, step, kind));
        }
    }

    /// Only objectives that publish ranges have ends to round.
    pub(super) fn check_rounding(&mut self, objective: Objective) {
        if Form::of(objective).contains(&Form::Ranges) {
            return;
        }
        let rounds =
            |c: &&ColumnPolicy| matches!(&c.role, Role::Quasi(q) if matches!(q.round, Some(Rounding::To(_))));
        let column = self.columns.iter().find(rounds).map(|c| c.place.clone());
        if let Some(place) = column.or(self.blunt.then(|| self.blunt_place.clone())) {
            let what =
                format!("objective {} publishes no ranges whose ends could be rounded", objective.word());
            self.mistake(Mistake::new(what, place).hint(one_of(&["ncp", "group-size"])));
        }
    }
}
