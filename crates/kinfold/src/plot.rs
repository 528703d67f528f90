//! Pictures of groups, with the numbers that are drawn.

use crate::report::{LabelPlot, MapPlot, sized, thousands};
use crate::{Anonymized, Error, Options, Outline, Prepared, label_sizes, people_per_label};
use kinfold_model::value::{Number, parse_number};
use kinfold_model::verify::{Places, Shape, places, verify};
use kinfold_model::{Column, Hint, Kind, Objective, Phase, Policy, Published, Table, Unit};

/// Which ks to draw.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct LabelPlotOptions {
    /// The lowest; none: the people of the commonest label.
    pub from: Option<u64>,
    /// The highest; none: half of all people.
    pub to: Option<u64>,
    /// How many, evenly spaced.
    pub steps: u32,
}

/// How large the largest group of labels is for every k (paper *geo*, Figure 7): seven ways to group them,
/// and the bound. Whatever else the policy is for, labels are grouped whole, and nobody is withheld.
pub fn plot_labels(
    table: &Table,
    policy: &Policy,
    plot: LabelPlotOptions,
    options: &Options,
) -> Result<LabelPlot, Error> {
    let mut notes: Vec<Hint> = Vec::new();
    let quasi: Vec<_> = policy.quasi().collect();
    if let [(column, quasi)] = quasi[..] {
        quasi.kind.as_ref().map_or(Ok(()), |kind| must_be_labels(&column.name, kind))?;
    } else {
        return Err(Error::unsuitable(
            format!("{} quasi-identifiers, but the sizes of groups of labels are about one", quasi.len()),
            "name one column of labels with {quasi=NAME:category}, and {drop} the others",
        ));
    }
    if policy.withhold > 0.0 {
        notes.push("withholding is ignored here: sizes are those without withheld rows".into());
    }
    let policy = Policy { objective: Objective::GroupSize, withhold: 0.0, ..policy.clone() };
    let Prepared { table, encoded, .. } = Prepared::new(table, &policy, options)?;
    notes.extend(encoded.notes.iter().cloned());
    for coding in &encoded.codings {
        must_be_labels(table.columns()[coding.column].name(), &coding.kind)?;
    }
    let people = people_per_label(&encoded.problem);
    let unit = policy.unit();
    let ks = plot.ks(&people, unit)?;
    options.call.phase(Phase::Grouping)?;
    let sizes = label_sizes(&people, &ks, &options.run())?;
    Ok(LabelPlot { notes, ..LabelPlot::new(&people, unit, sizes, options.seed) })
}

fn must_be_labels(name: &str, kind: &Kind) -> Result<(), Error> {
    if *kind == Kind::Category {
        return Ok(());
    }
    let hint = Hint::from("use ").setting("quasi", format!("{name}:category"));
    Err(Error::unsuitable(
        format!("column {name:?} is of kind {}, but labels have no order and no map", kind.word()),
        hint.text(" if its values are labels without order"),
    ))
}

impl LabelPlotOptions {
    /// The ks to draw, evenly spaced.
    fn ks(&self, people: &[u64], unit: Unit) -> Result<Vec<u64>, Error> {
        let all: u64 = people.iter().sum();
        let commonest = people.iter().copied().max().unwrap_or(0);
        let (from, to) = (self.from.unwrap_or(commonest.max(2)), self.to.unwrap_or(all / 2));
        let held =
            format!("the highest k is {}, but the table holds only {}", thousands(to), sized(all, unit));
        let none = format!("no k to draw from {} to {}", thousands(from), thousands(to));
        let usual = "by default k goes from the count of the most frequent label to half the size of the table; see \
                     {from} and {to}";
        Error::refuse([
            (to > all, held, "a group cannot be larger than the table"),
            (from > to, none, usual),
        ])?;
        let (range, steps) = (to - from, u64::from(self.steps.max(2)) - 1);
        if range <= steps {
            return Ok((from..=to).collect());
        }
        let nth = |n: u64| (u128::from(range) * u128::from(n) / u128::from(steps)) as u64;
        Ok((0..=steps).map(|n| from + nth(n)).collect())
    }
}

/// What else is drawn on a map.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct MapPlotOptions<'a> {
    /// The table that the release was made from, whose points are put on top.
    pub original: Option<&'a Table>,
    /// Lines to draw the map on.
    pub outline: Option<Outline>,
}

/// A map of a release, drawn from what was published: whoever has the release could draw it, unless the
/// original's points are put on top.
pub fn plot_map(
    published: &Published,
    policy: &Policy,
    options: MapPlotOptions<'_>,
) -> Result<MapPlot, Error> {
    let in_policy = |e: Error| e.in_policy(policy);
    let places = places(published, policy).map_err(|e| in_policy(e.into()))?;
    // A picture of a table that is not safe shows what must not be seen.
    if !verify(published, policy).map_err(|e| in_policy(e.into()))?.safe() {
        return Err(Error::Unsafe);
    }
    draw(&places, policy, options)
}

impl Anonymized {
    /// A map of the release as it is held: the verifier has passed it.
    pub fn map(&self, options: MapPlotOptions<'_>) -> Result<MapPlot, Error> {
        let published = self.read_whole()?;
        let places =
            places(&published, self.policy()).map_err(|e| Error::from(e).in_policy(self.policy()))?;
        draw(&places, self.policy(), options)
    }
}

fn draw(places: &Places, policy: &Policy, options: MapPlotOptions<'_>) -> Result<MapPlot, Error> {
    let unread: u64 = places.list.iter().filter(|p| p.shape == Shape::Unread).map(|p| p.people).sum();
    if unread > 0 {
        let hint = match places.regions {
            Some(_) => {
                "names of sets are explained by {lookup=FILE}; is this the map that the release was made with?"
            }
            None => "was it published with another {form}, or with another policy?",
        };
        let what = format!("cells of {} cannot be read as places", sized(unread, policy.unit()));
        return Err(Error::unsuitable(what, hint));
    }
    let mut notes: Vec<Hint> = Vec::new();
    let points = match options.original {
        Some(_) if places.regions.is_some() => {
            return Err(Error::unsuitable(
                "the original has points to draw, but this release has areas",
                "remove the original: regions are drawn where the map puts them",
            ));
        }
        Some(table) => {
            notes.push("confidential: the map shows the points of the table".into());
            points(table, policy)?
        }
        None => Vec::new(),
    };
    let outline = options.outline.map(|outline| outline.lines).unwrap_or_default();
    if !outline.is_empty() && places.regions.as_ref().is_some_and(|r| r.centroids().is_none()) {
        notes.push("the outline is not drawn: the map has no positions for its regions".into());
    }
    Ok(MapPlot::new(policy, places, &points, &outline, notes))
}

/// The columns of the original that are drawn as points: latitude or y first.
pub fn point_columns(policy: &Policy) -> Option<[String; 2]> {
    policy.quasi().find_map(|(column, _)| policy.point_of(&column.name))
}

/// The points of the table; rows without one are left out.
fn points(table: &Table, policy: &Policy) -> Result<Vec<(f64, f64)>, Error> {
    let pair = point_columns(policy).unwrap_or_default();
    let [Some(up), Some(across)] = pair.each_ref().map(|name| table.column(name)) else {
        return Err(Error::unsuitable(
            format!("the original has no columns {:?} and {:?}", pair[0], pair[1]),
            "is this the table that the release was made from?",
        ));
    };
    let number = |column: &Column, code: u32| parse_number(column.text(code)).map(Number::to_f64);
    let rows = up.codes().iter().zip(across.codes());
    Ok(rows.filter_map(|(&u, &a)| Some((number(up, u)?, number(across, a)?))).collect())
}
