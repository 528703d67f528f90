//! What a policy says of levels: ladders, named groups, which levels may be published, top and bottom coding.

use super::keys::Shape;
use super::toml::{AllSaid, Said};
use super::{ColumnPolicy, Draft, Form, Mistake, Place, Policy, Quasi, Role, Rounding};
use crate::cost::Objective;
use crate::grid::Step;
use crate::hierarchy::{Branch, Hierarchy};
use crate::kind::{Kind, Prefixes, value_of};
use crate::ladder::{Bands, Ladder, nests};
use crate::recoding::Recoding;
use crate::value::{Number, parse_date, parse_number};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Which levels of a column may be published. Level 0 are the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Nothing finer is published.
    pub finest: usize,
    /// Nothing coarser is published, if it says.
    pub coarsest: Option<usize>,
    /// Whether all cells are on one level, which the solver chooses between the two.
    pub auto: bool,
}

impl Range {
    /// Every level.
    pub const ALL: Self = Self { finest: 0, coarsest: None, auto: false };

    /// This level alone.
    pub fn only(level: usize) -> Self {
        Self { finest: level, coarsest: Some(level), auto: false }
    }

    /// The level that all cells have, if it is known.
    pub fn fixed(&self) -> Option<usize> {
        self.coarsest.filter(|&level| level == self.finest)
    }

    /// Whether the solver has yet to choose a level.
    pub fn open(&self) -> bool {
        self.auto && self.fixed().is_none()
    }

    /// Whether a level is between its ends.
    pub fn has(&self, level: usize) -> bool {
        level >= self.finest && self.coarsest.is_none_or(|most| level <= most)
    }
}

impl Default for Range {
    fn default() -> Self {
        Self::ALL
    }
}

impl Quasi {
    /// Whether all its cells are on one level, whatever the recoding.
    pub fn on_one_level(&self) -> bool {
        self.range.auto || self.range.fixed().is_some()
    }

    /// Codes are written without a star where the policy says that all have one length.
    fn write_bare(&mut self) {
        if self.range.auto {
            return;
        }
        if let (Some(Kind::Prefix(prefixes)), Some(level)) = (&mut self.kind, self.range.fixed()) {
            prefixes.bare = level.checked_sub(1).and_then(|at| prefixes.lengths.get(at).copied());
        }
    }
}

/// What the cells of a sensitive or kept column are replaced with.
#[derive(Debug, Clone, PartialEq)]
pub struct Recoded {
    /// What the values are.
    pub kind: Kind,
    /// The level that is published.
    pub level: usize,
    /// Whether values that the hierarchy lacks are published at the root.
    pub unknown: bool,
}

impl Recoded {
    /// What the recoded cells are, for models that look at more than their texts.
    pub(super) fn kind_of_cells(&self) -> Option<Kind> {
        match &self.kind {
            Kind::Hierarchy(hierarchy) if self.unknown => {
                Some(Kind::Hierarchy(Arc::new(hierarchy.with_unknown().of_names(self.level))))
            }
            Kind::Hierarchy(hierarchy) => Some(Kind::Hierarchy(Arc::new(hierarchy.of_names(self.level)))),
            Kind::Ladder(_) => Some(self.kind.clone()),
            _ => None,
        }
    }
}

/// Named groups of labels, as deep as a policy writes them.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    groups: Vec<(String, Group)>,
    /// Entries that are neither lists nor tables.
    odd: usize,
}

#[derive(Debug, Clone)]
enum Group {
    Labels(Vec<String>),
    Groups(Groups),
}

impl Groups {
    /// The groups in a table under a key of ladders.
    pub(super) fn read(shape: Shape, value: &Spanned<DeValue<'_>>) -> Option<Self> {
        matches!(shape, Shape::Rungs).then(|| value.get_ref().as_table().map(Self::of)).flatten()
    }

    fn of(table: &DeTable<'_>) -> Self {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut all = Self { groups: Vec::new(), odd: 0 };
        for (name, value) in entries {
            let group = match value.get_ref() {
                DeValue::Table(inner) => Some(Group::Groups(Self::of(inner))),
                DeValue::Array(labels) => {
                    labels.iter().map(|label| text(label.get_ref())).collect::<Option<_>>().map(Group::Labels)
                }
                _ => None,
            };
            match group {
                Some(group) => all.groups.push((name.get_ref().to_string(), group)),
                None => all.odd += 1,
            }
        }
        all
    }

    /// Adds the groups below a branch, and their labels.
    fn hang(&self, on: usize, branches: &mut Vec<Branch>, values: &mut Vec<String>) -> usize {
        let mut odd = self.odd;
        for (name, group) in &self.groups {
            let own = branches.len();
            branches.push(Branch::new(name.clone()));
            branches[on].branches.push(own);
            match group {
                Group::Labels(labels) => {
                    odd += usize::from(labels.is_empty());
                    branches[own].leaves.extend(values.len()..values.len() + labels.len());
                    values.extend(labels.iter().cloned());
                }
                Group::Groups(groups) => {
                    odd += usize::from(groups.groups.is_empty()) + groups.hang(own, branches, values);
                }
            }
        }
        odd
    }
}

fn text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// The kind that a ladder, or an end of the line, tells.
pub(super) fn told_by_levels(said: &AllSaid) -> Option<&'static str> {
    let kind = |texts: &[String]| {
        if texts.iter().all(|text| parse_number(text).is_some()) { "numeric" } else { "date" }
    };
    match said.get("levels") {
        Some(levels) if levels.groups.is_some() => Some("category"),
        Some(levels) => Some(kind(&levels.texts)),
        None => {
            let end = said.get("top").or(said.get("bottom"))?;
            let known = parse_number(&end.text()).is_some() || parse_date(&end.text()).is_some();
            known.then(|| kind(&end.texts))
        }
    }
}

const WIDTHS: &str = "write widths such as [5, 10, 20]; of dates day, week, month, quarter, year or decade";

impl Draft {
    /// The kind with the ladder that is said of it.
    pub(super) fn with_ladder(&mut self, name: &str, kind: Kind, said: &AllSaid) -> Option<Kind> {
        let Some(levels) = said.get("levels") else {
            if let Some(origin) = said.get("origin") {
                let what = "origin goes with levels only";
                self.wrong_in(name, what, origin.place, "levels = [5, 10], or leave it out");
            }
            return Some(kind);
        };
        if let Some(groups) = &levels.groups {
            return match &kind {
                Kind::Category | Kind::Ordinal(_) => self.named_groups(name, &kind, groups, levels.place),
                _ => {
                    let what = format!("named groups do not go with kind {}", kind.word());
                    self.wrong_in(name, what, levels.place, "named groups are of kind category or ordinal");
                    None
                }
            };
        }
        if !matches!(kind, Kind::Numeric | Kind::Date | Kind::Spelled(_)) {
            let what = format!("a list of levels does not go with kind {}", kind.word());
            let hint = "numbers and dates have widths; codes have prefix = [3, 1]; labels have named groups, \
                        [columns.NAME.levels] with group = [\"label\", \"label\"]";
            self.wrong_in(name, what, levels.place, hint);
            return None;
        }
        let steps: Vec<Option<Step>> = levels.texts.iter().map(|text| Step::parse(text)).collect();
        let fits = |step: &Option<Step>| {
            step.is_some_and(|step| step.fits(&kind) && (kind.numeric() || CALENDAR.contains(&step)))
        };
        if let Some(at) = steps.iter().position(|step| !fits(step)) {
            let what = format!("{:?} is no level of kind {}", levels.texts[at], kind.word());
            self.wrong_in(name, what, levels.place, WIDTHS);
            return None;
        }
        let steps: Vec<Step> = steps.into_iter().flatten().collect();
        if let Some(at) = steps.windows(2).position(|pair| !nests(pair[0], pair[1])) {
            let [inner, outer] = [&levels.texts[at], &levels.texts[at + 1]];
            let hint =
                "each level must be made of whole ones of the level before it, narrowest first: [5, 10, 20]";
            self.wrong_in(name, format!("levels {inner} and {outer} do not nest"), levels.place, hint);
            return None;
        }
        let origin = match said.get("origin") {
            None => Number::whole(0),
            Some(origin) => match value_of(&kind, &origin.text()).filter(|_| kind.numeric()) {
                Some(number) => number,
                None => {
                    let hint = "only intervals of numbers have an origin, such as 0";
                    self.wrong_in(name, "the origin is not a number of the column", origin.place, hint);
                    return None;
                }
            },
        };
        let bands = self.bands(name, &kind, said);
        Some(Kind::Ladder(Arc::new(Ladder { base: kind, steps, origin, bands })))
    }

    /// A hierarchy of named groups, or a mistake.
    fn named_groups(
        &mut self,
        name: &str,
        kind: &Kind,
        groups: &Groups,
        place: Option<Place>,
    ) -> Option<Kind> {
        let (mut branches, mut values) = (vec![Branch::new("*".to_owned())], Vec::new());
        let odd = groups.hang(0, &mut branches, &mut values);
        let mut wrong = |what: String, hint: &'static str| {
            self.wrong_in(name, what, place, hint);
            None
        };
        let hint = "write group = [\"label\", \"label\"], or a table of such groups; none is empty";
        if odd > 0 || values.is_empty() {
            return wrong("some groups are neither lists of labels nor tables of groups".into(), hint);
        }
        let mut labels = BTreeSet::new();
        let twice = values.iter().filter(|value| !labels.insert(value.as_str())).count();
        if twice > 0 {
            let is = if twice == 1 { "label is" } else { "labels are" };
            return wrong(format!("{twice} {is} in two groups"), "a label is in one group only");
        }
        let own = |branch: &Branch| matches!(branch.leaves[..], [only] if values[only] == branch.name());
        if branches.iter().any(|branch| labels.contains(branch.name()) && !own(branch)) {
            let hint = "give the group another name: a cell could mean the label or the group";
            return wrong("a group has the name of a label".into(), hint);
        }
        let mut names = BTreeSet::new();
        if branches.iter().any(|branch| !names.insert(branch.name())) {
            return wrong("two groups have one name".into(), "give every group a name of its own");
        }
        if let Kind::Ordinal(order) = kind {
            let rank = |value: &String| order.iter().position(|level| level == value);
            let Some(ranks) = values.iter().map(rank).collect::<Option<Vec<usize>>>() else {
                let what = "a group holds a label that is no level".into();
                return wrong(what, "name every level in the order");
            };
            if order.len() != values.len() || !ranks.is_sorted() {
                let hint =
                    "write groups and their labels in the order of the levels, and put every level into one";
                return wrong("groups do not follow the order".into(), hint);
            }
        }
        Some(Kind::Hierarchy(Arc::new(Hierarchy::from_branches(values, branches, 0))))
    }

    /// Where the line is cut off, as the policy says.
    fn bands(&mut self, name: &str, kind: &Kind, said: &AllSaid) -> Bands {
        let mut end = |key: &str| {
            let said = said.get(key)?;
            let value = value_of(kind, &said.text());
            if value.is_none() {
                let what = format!("{key} is not a value of kind {}", kind.word());
                let hint = "write it as the column writes its values: 90, or \"2000-01-01\"";
                self.wrong_in(name, what, said.place, hint);
            }
            value
        };
        let bands = Bands { top: end("top"), bottom: end("bottom") };
        if let (Some(top), Some(bottom)) = (bands.top, bands.bottom)
            && top <= bottom
        {
            let place = said.get("top").and_then(|said| said.place);
            self.wrong_in(name, "top is not above bottom", place, "bottom = 18 and top = 90");
        }
        bands
    }

    /// What is said of the levels of a quasi-identifier.
    pub(super) fn levels(&mut self, name: &str, mut quasi: Quasi, said: &AllSaid) -> Quasi {
        quasi.unknown = said.contains_key("unknown");
        if let Some(unknown) = said.get("unknown")
            && !matches!(quasi.kind, Some(Kind::Hierarchy(_)) | None)
        {
            let what = "unknown goes with hierarchies and named groups only";
            self.wrong_in(name, what, unknown.place, "leave it out");
        }
        let ends = said.get("top").or(said.get("bottom"));
        match (&quasi.kind, ends) {
            (_, None) | (Some(Kind::Ladder(_)), _) => {}
            (Some(kind @ (Kind::Numeric | Kind::Date | Kind::Spelled(_))), Some(ends)) => {
                quasi.bands = self.bands(name, &kind.clone(), said);
                if quasi.round.is_some() || said.contains_key("finest") {
                    let hint = "give levels = [5, 10], with finest = 5 if need be";
                    self.wrong_in(name, "top and bottom do not go with rounded ends", ends.place, hint);
                }
            }
            (kind, Some(ends)) => {
                let word = kind.as_ref().map_or("that is not said", Kind::word);
                let hint = "only numbers and dates have ends: set kind = \"numeric\" or \"date\"";
                self.wrong_in(name, format!("top and bottom do not go with kind {word}"), ends.place, hint);
            }
        }
        if quasi.round.is_some() && matches!(quasi.kind, Some(Kind::Ladder(_))) {
            let place = said.get("round").and_then(|said| said.place);
            let what = "round does not go with levels";
            self.wrong_in(name, what, place, "finest says the narrowest interval that is published");
        }
        self.range(name, &mut quasi, said);
        quasi.write_bare();
        quasi
    }

    /// Which levels may be published.
    fn range(&mut self, name: &str, quasi: &mut Quasi, said: &AllSaid) {
        let Some((key, first)) =
            ["finest", "coarsest", "level"].iter().find_map(|key| Some((key, said.get(key)?)))
        else {
            return;
        };
        let laddered = matches!(quasi.kind, Some(Kind::Ladder(_) | Kind::Prefix(_) | Kind::Hierarchy(_)));
        if !laddered {
            // On a line, the finest width is what ends are rounded to.
            if *key == "finest" && !said.contains_key("coarsest") && !said.contains_key("level") {
                match (quasi.round, Step::parse(&first.text())) {
                    (None, Some(step)) => quasi.round = Some(Rounding::To(step)),
                    (Some(_), _) => {
                        let what = "finest and round say the same of a line";
                        self.wrong_in(name, what, first.place, "keep one of them");
                    }
                    _ => {
                        let what = format!("{:?} is not a width", first.text());
                        self.wrong_in(name, what, first.place, WIDTHS);
                    }
                }
                return;
            }
            let hint = "levels = [5, 10, 20] for numbers, [\"month\", \"year\"] for dates, prefix = [3, 1] for codes, \
                        named groups or a hierarchy for labels";
            return self.wrong_in(name, format!("{key} needs levels"), first.place, hint);
        }
        let Some(kind) = quasi.kind.clone() else { return };
        let mut rung = |key: &str| self.rung(name, &kind, said.get(key)?);
        let (finest, coarsest) = (rung("finest"), rung("coarsest"));
        if said.get("level").is_some_and(|said| said.text() == AUTO) {
            quasi.range = Range { finest: finest.unwrap_or(0), coarsest, auto: true };
            return self.check_ends(name, quasi.range, said);
        }
        let level = rung("level");
        if let (Some(_), Some(said)) = (level, said.get("level"))
            && (finest.is_some() || coarsest.is_some())
        {
            let what = "level says both finest and coarsest";
            self.wrong_in(name, what, said.place, "keep level, or finest and coarsest");
        }
        let finest = level.or(finest).unwrap_or(0);
        quasi.range = Range { finest, coarsest: level.or(coarsest), auto: false };
        self.check_ends(name, quasi.range, said);
    }

    /// The number of a level that is named.
    fn rung(&mut self, name: &str, kind: &Kind, said: &Said) -> Option<usize> {
        let level = level_of(kind, &said.text());
        if level.is_none() {
            let what = format!("{:?} is no level of the column", said.text());
            self.wrong_in(name, what, said.place, known_levels(kind));
        }
        level
    }

    fn check_ends(&mut self, name: &str, range: Range, said: &AllSaid) {
        if range.coarsest.is_some_and(|coarsest| range.finest > coarsest) {
            let place = said.get("finest").and_then(|said| said.place);
            self.wrong_in(name, "finest is coarser than coarsest", place, "finest = 5 and coarsest = 20");
        }
    }

    /// What is said of levels must go with the objective, the form and the rest.
    pub(super) fn check_levels(&mut self, objective: Objective, form: Form) {
        let mut found = Vec::new();
        for column in &self.columns {
            let Role::Quasi(quasi) = &column.role else { continue };
            let ladder = matches!(quasi.kind, Some(Kind::Ladder(_)));
            let line = !quasi.bands.is_empty();
            let ranged = quasi.range != Range::ALL || quasi.unknown;
            let mut wrong = |what: String, hint: &'static str| {
                let what = format!("column {:?}: {what}", column.name);
                found.push(Mistake::new(what, column.place).hint(hint));
            };
            if (ladder || line || ranged) && (objective.clusters() || objective == Objective::GroupSize) {
                let what = format!("objective {} takes no levels, top or bottom", objective.word());
                wrong(what, "use objective ncp, or leave them out");
            }
            if line && matches!(form, Form::Bounds | Form::Midpoint | Form::Wkt) {
                let what = format!("in form {} a band such as 90+ has no number for its end", form.word());
                wrong(what, "use form ranges, or give levels = [5, 10]");
            }
            if line && self.blunt {
                wrong("top and bottom do not go with blunt".into(), "give levels = [5, 10], with finest = 5");
            }
            if (ladder || line) && self.presence.is_some() {
                wrong("[presence] takes no levels, top or bottom".into(), "leave them out");
            }
        }
        if let Some(column) = self.columns.iter().find(|column| column.recoded.is_some() && self.per_group) {
            let what = format!("column {:?}: a level does not go with per_group", column.name);
            found.push(Mistake::new(what, column.place).hint("leave one of them out"));
        }
        self.mistakes.list.extend(found);
    }

    /// What a sensitive or kept column is published as, if it has a ladder with a level.
    pub(super) fn read_recoded(
        &mut self,
        name: &str,
        kind: Option<&Kind>,
        said: &AllSaid,
    ) -> Option<Recoded> {
        let unknown = said.contains_key("unknown");
        let ends = said.get("top").or(said.get("bottom"));
        let Some(level) = said.get("level") else {
            let needs = |key: &str| said.contains_key(key);
            match (kind, ends) {
                (Some(kind @ (Kind::Numeric | Kind::Date | Kind::Spelled(_))), Some(_)) => {
                    let bands = self.bands(name, kind, said);
                    let (base, origin) = (kind.clone(), Number::whole(0));
                    let ladder = Ladder { base, steps: Vec::new(), origin, bands };
                    return Some(Recoded { kind: Kind::Ladder(Arc::new(ladder)), level: 0, unknown });
                }
                (Some(kind @ Kind::Ladder(ladder)), Some(_))
                    if !ladder.bands.is_empty() && !needs("levels") =>
                {
                    return Some(Recoded { kind: kind.clone(), level: 0, unknown });
                }
                _ => {}
            }
            if let Some(key) = ["levels", "prefix"].into_iter().find(|key| needs(key)) {
                let what = format!("{key} of a column that is published as it is needs a level");
                let place = said.get(key).and_then(|said| said.place);
                self.wrong_in(name, what, place, "level = 10, one of the levels: the column is published so");
            }
            return None;
        };
        match kind {
            Some(kind @ (Kind::Ladder(_) | Kind::Prefix(_) | Kind::Hierarchy(_))) => {
                let number = self.rung(name, kind, level)?;
                let mut kind = kind.clone();
                if let Kind::Prefix(Prefixes { lengths, bare }) = &mut kind {
                    *bare = number.checked_sub(1).and_then(|at| lengths.get(at).copied());
                }
                Some(Recoded { kind, level: number, unknown })
            }
            _ => {
                let what = "level needs levels";
                let hint = "levels = [5, 10] for numbers, prefix = [3] for codes, named groups or a hierarchy for labels; \
                            or values = \"FILE.csv\" to compare other names than are published";
                self.wrong_in(name, what, level.place, hint);
                None
            }
        }
    }
}

impl Policy {
    /// The columns whose level the solver has yet to choose, with the levels to choose from.
    pub fn open_levels(&self) -> Vec<(String, Vec<usize>)> {
        let open = |(said, quasi): (&ColumnPolicy, &Quasi)| {
            // A column of nothing but stars is better dropped.
            let root = matches!(quasi.kind, Some(Kind::Hierarchy(_)));
            let levels = quasi.kind.as_ref().map_or(0, Kind::levels) - usize::from(root);
            let mut levels: Vec<usize> = (0..levels).filter(|&level| quasi.range.has(level)).collect();
            if levels.is_empty() {
                levels.push(quasi.range.finest);
            }
            quasi.range.open().then(|| (said.name.clone(), levels))
        };
        // Global recoding chooses the level of every column.
        if self.recoding == Recoding::Global { Vec::new() } else { self.quasi().filter_map(open).collect() }
    }

    /// The same policy with these levels chosen.
    #[must_use]
    pub fn with_levels<'a>(&self, chosen: impl IntoIterator<Item = (&'a str, usize)>) -> Self {
        let mut policy = self.clone();
        for (name, level) in chosen {
            let column = policy.columns.iter_mut().find(|column| column.name == name);
            if let Some(Role::Quasi(quasi)) = column.map(|column| &mut column.role) {
                quasi.range = Range { auto: true, ..Range::only(level) };
            }
        }
        policy
    }

    /// The policy that groups are measured by, whatever hierarchies say: ranges of numbers and dates, sets of labels.
    #[must_use]
    pub fn by_values(&self) -> Self {
        let mut policy = Self { recoding: Recoding::Local, ..self.clone() };
        for column in &mut policy.columns {
            match &mut column.role {
                Role::Quasi(quasi) => {
                    quasi.kind = match quasi.kind.take() {
                        Some(Kind::Ladder(ladder)) => Some(ladder.base.clone()),
                        Some(Kind::Prefix(_)) => Some(Kind::Category),
                        Some(Kind::Hierarchy(_)) => None,
                        kind => kind,
                    };
                    (quasi.range, quasi.bands, quasi.unknown) = (Range::ALL, Bands::default(), false);
                }
                Role::Sensitive(_) | Role::Person => column.role = Role::Drop,
                _ => {}
            }
        }
        policy.presence = None;
        policy
    }

    /// The same policy with the finest level of a column, or the one that it is fixed on, one level
    /// coarser or finer; `None` if there is no such level below the root.
    pub fn with_next_level(&self, name: &str, coarser: bool) -> Option<Self> {
        let mut policy = self.clone();
        let column = policy.columns.iter_mut().find(|column| column.name == name)?;
        let Role::Quasi(quasi) = &mut column.role else { return None };
        let finest = if coarser { quasi.range.finest + 1 } else { quasi.range.finest.checked_sub(1)? };
        let root = match quasi.kind.as_ref()? {
            Kind::Hierarchy(hierarchy) => hierarchy.tree().levels() - 1,
            kind => kind.levels(),
        };
        quasi.range = match quasi.range.fixed() {
            Some(_) => Range { auto: quasi.range.auto, ..Range::only(finest) },
            None => Range { finest, ..quasi.range },
        };
        quasi.write_bare();
        (finest < root && quasi.range.has(finest)).then_some(policy)
    }

    /// The same policy with every column coded group by group: nothing is said of levels but the finest.
    #[must_use]
    pub fn without_coarsest(&self) -> Self {
        let mut policy = self.clone();
        for column in &mut policy.columns {
            if let Role::Quasi(quasi) = &mut column.role {
                (quasi.range.coarsest, quasi.range.auto) = (None, false);
            }
        }
        policy
    }

    /// The policy for a table that is not recoded: what is published on a level is kept, and nothing is asked of it.
    pub(crate) fn as_given(&self) -> Cow<'_, Self> {
        if self.columns.iter().all(|column| column.recoded.is_none()) {
            return Cow::Borrowed(self);
        }
        let mut given = self.clone();
        for column in given.columns.iter_mut().filter(|column| column.recoded.is_some()) {
            (column.role, column.recoded) = (Role::Keep, None);
        }
        Cow::Owned(given)
    }
}

/// The level that the solver chooses.
const AUTO: &str = "auto";

/// Steps of the calendar that have names.
const CALENDAR: [Step; 6] =
    [Step::Days(1), Step::Days(7), Step::Months(1), Step::Months(3), Step::Months(12), Step::Months(120)];

/// The number of a level: by its width, its word, its length or its number.
fn level_of(kind: &Kind, text: &str) -> Option<usize> {
    match kind {
        Kind::Ladder(ladder) => {
            let step = Step::parse(text)?;
            Some(1 + ladder.steps.iter().position(|own| *own == step)?)
        }
        Kind::Prefix(Prefixes { lengths, .. }) => {
            let length: usize = text.trim().parse().ok()?;
            Some(1 + lengths.iter().position(|own| *own == length)?)
        }
        Kind::Hierarchy(hierarchy) => {
            let level: usize = text.trim().parse().ok()?;
            (level < hierarchy.tree().levels()).then_some(level)
        }
        _ => None,
    }
}

/// What to write for a level.
fn known_levels(kind: &Kind) -> String {
    match kind {
        Kind::Ladder(ladder) => {
            let steps: Vec<String> = ladder.steps.iter().map(ToString::to_string).collect();
            format!("one of {}", steps.join(", "))
        }
        Kind::Prefix(Prefixes { lengths, .. }) => {
            let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
            format!("one of {}", lengths.join(", "))
        }
        Kind::Hierarchy(hierarchy) => {
            format!("a number from 0, the values, to {}, the root", hierarchy.tree().levels() - 1)
        }
        _ => WIDTHS.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_goes_one_level_up_or_down() {
        let range = |said: &str, coarser: bool| {
            let policy =
                Policy::parse(&format!("k = 2\n[columns.x]\nrole = \"quasi\"\n{said}\n")).settle().unwrap();
            let quasi =
                policy.with_next_level("x", coarser)?.quasi().map(|(_, quasi)| quasi.clone()).next()?;
            Some((quasi.range.finest, quasi.range.coarsest))
        };
        let steps = "levels = [5, 10, 20]";
        assert_eq!((range(steps, true), range(steps, false)), (Some((1, None)), None));
        let fixed = format!("{steps}\nlevel = 10");
        assert_eq!((range(&fixed, true), range(&fixed, false)), (Some((3, Some(3))), Some((1, Some(1)))));
        assert_eq!(range(&format!("{steps}\nlevel = 20"), true), None, "only the root is coarser");
        let between = format!("{steps}\nfinest = 10\ncoarsest = 10");
        assert_eq!(range(&between, true), Some((3, Some(3))));
        assert_eq!(range(&format!("{steps}\nfinest = 5\ncoarsest = 10"), true), Some((2, Some(2))));
        assert_eq!(
            (range("kind = \"numeric\"", true), range("prefix = [3, 1]", true)),
            (None, Some((1, None)))
        );
    }
}
