//! The names of columns that a release has and the table has not.

use super::{
    ColumnPolicy, Draft, Form, LABEL_COLUMN, Mistake, Role, bound_names, midpoint_names, point_name,
};
use crate::kind::Kind;

impl Draft {
    /// The columns that a quasi-identifier is published as must not take the name of another.
    pub(super) fn check_new_names(&mut self, names: &[String]) {
        let new_names = |c: &ColumnPolicy| -> Vec<String> {
            let Role::Quasi(quasi) = &c.role else { return Vec::new() };
            match (self.form, &quasi.point_with) {
                (Some(Form::Bounds), _) if quasi.kind.as_ref().is_none_or(Kind::ordered) => {
                    bound_names(&c.name).to_vec()
                }
                (Some(Form::Midpoint), _) if quasi.kind.as_ref().is_none_or(Kind::ordered) => {
                    midpoint_names(&c.name)[1..].to_vec()
                }
                (Some(Form::Wkt), Some(_)) => {
                    self.metric.points.iter().filter(|pair| pair[0] == c.name).map(point_name).collect()
                }
                _ => Vec::new(),
            }
        };
        let published = |name: &String| {
            names.contains(name) && self.columns.iter().any(|c| c.name == *name && c.role.published())
        };
        let taken: Vec<Mistake> = self
            .columns
            .iter()
            .flat_map(|c| new_names(c).into_iter().map(move |new| (c, new)))
            .filter(|(_, new)| published(new))
            .map(|(c, new)| {
                let whose = match self.form {
                    Some(Form::Wkt) => "point with",
                    Some(Form::Midpoint) => "width of",
                    _ => "bounds of",
                };
                let what =
                    format!("the {whose} column {:?} would be named {new:?}, as another column is", c.name);
                Mistake::new(what, c.place).hint("use form ranges, or rename or drop the other column")
            })
            .collect();
        self.mistakes.list.extend(taken);
        let label = LABEL_COLUMN.to_owned();
        let untouched = |c: &ColumnPolicy| c.name == label && !matches!(c.role, Role::Quasi(_));
        if self.form == Some(Form::Codes)
            && published(&label)
            && let Some(column) = self.columns.iter().find(|c| untouched(c))
        {
            let what =
                format!("the labels of groups would be in column {label:?}, as another column is named");
            self.wrong(what, column.place, "use another form, or rename or drop the other column");
        }
    }
}
