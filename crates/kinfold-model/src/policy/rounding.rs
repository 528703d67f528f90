//! What a policy says of rounded ends.

use super::mistake::one_of;
use super::toml::Said;
use super::{ColumnPolicy, Draft, Form, Place, Quasi, Role, Rounding};
use crate::cost::Objective;
use crate::encode::step_mistake;
use crate::grid::Step;

/// What to write.
const HINT: &str =
    "write a number such as 5, or day, week, month, quarter, year or decade; none leaves ends as they are";

impl Draft {
    /// How a column's ends are rounded, or none in place of words that make no sense.
    pub(super) fn rounding(&mut self, name: &str, said: &Said) -> Option<Rounding> {
        let text = said.text();
        let found = match text.trim_ascii() {
            "none" => Some(Rounding::Exact),
            text => Step::parse(text).map(Rounding::To),
        };
        if found.is_none() {
            self.wrong_in(name, format!("{text:?} is not a width to round to"), said.place, HINT);
        }
        found
    }

    /// The width must go with the kind, where that is known.
    pub(super) fn check_round(&mut self, name: &str, quasi: &Quasi, place: Option<Place>) {
        if let (Some(Rounding::To(step)), Some(kind)) = (quasi.round, &quasi.kind)
            && !step.fits(kind)
        {
            self.mistakes.list.push(step_mistake(name, place, step, kind));
        }
    }

    /// Only objectives that publish ranges have ends to round.
    pub(super) fn check_rounding(&mut self, objective: Objective) {
        if Form::of(objective).contains(&Form::Ranges) {
            return;
        }
        let rounds =
            |c: &&ColumnPolicy| matches!(&c.role, Role::Quasi(q) if matches!(q.round, Some(Rounding::To(_))));
        let column = self.columns.iter().find(rounds).map(|c| c.place);
        if let Some(place) = column.or(self.blunt.then_some(self.blunt_place)) {
            let what =
                format!("objective {} publishes no ranges whose ends could be rounded", objective.word());
            self.wrong(what, place, one_of(&["ncp", "group-size"]));
        }
    }
}
