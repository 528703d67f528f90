//! A ladder of levels made from the values of a column, for somebody to review: a proposal, with a preview.
//!
//! What a policy can say itself (widths, steps of the calendar, lengths of beginnings) is read by the policy's own
//! reader, so the preview shows exactly what a release would. The other ladders are lines of a hierarchy file.

use super::column::{ColumnInspection, inspect_column};
use super::draft::{bare_or_quoted, quoted};
use crate::error::Error;
use crate::publish::bands::joined as joined_band;
use crate::settings::Word;
use kinfold_model::bands::in_order;
use kinfold_model::encode::encode;
use kinfold_model::kind::{Kind, infer, is_missing, value_of};
use kinfold_model::policy::{Mistake, Mistakes, Policy};
use kinfold_model::spelling::guess;
use kinfold_model::table::{Column, Table};
use kinfold_model::value::Number;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How a ladder is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Their meanings are in `Word::WORDS`.
pub enum Making {
    Round,
    Even,
    Calendar,
    Prefix,
    Bands,
    Frequent,
}

impl Word for Making {
    const WHAT: &'static str = "way to make levels";
    const WORDS: &'static [(&'static str, Self, &'static str)] = &[
        ("round", Self::Round, "Numbers by round widths, such as 5, 10 and 20"),
        ("even", Self::Even, "Numbers by intervals that hold about as many rows each"),
        ("calendar", Self::Calendar, "Dates by week, or by month, quarter, year and decade"),
        ("prefix", Self::Prefix, "Codes by their beginnings"),
        ("bands", Self::Bands, "Bands such as 20-24 by wider bands"),
        ("frequent", Self::Frequent, "Labels: frequent ones stay, the others are joined"),
    ];
}

impl Making {
    /// The kinds of columns that it goes with.
    fn fits(self, kind: &str) -> bool {
        match self {
            Self::Round | Self::Even => kind == "numeric",
            Self::Calendar => kind == "date",
            Self::Bands => kind == "ordinal",
            Self::Prefix | Self::Frequent => matches!(kind, "category" | "prefix" | "ordinal"),
        }
    }

    /// The usual one for a kind.
    fn usual(kind: &str) -> Self {
        match kind {
            "numeric" => Self::Round,
            "date" => Self::Calendar,
            "prefix" => Self::Prefix,
            "ordinal" => Self::Bands,
            _ => Self::Frequent,
        }
    }
}

/// A ladder that is proposed for a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Proposal {
    /// The column.
    pub column: String,
    /// How it was made.
    pub by: &'static str,
    /// Every level, the values first.
    pub levels: Vec<LevelPreview>,
    /// What a policy says of the column; without `hierarchy`, which names the file of [`Proposal::to_file`].
    pub policy: String,
    /// Whether the policy needs that file.
    pub needs_file: bool,
    /// Every value, and what it is called on each level above.
    #[serde(skip)]
    lines: Vec<Vec<String>>,
}

/// One level of a ladder.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LevelPreview {
    /// Its number; 0 are the values.
    pub level: usize,
    /// How many different names it has.
    pub names: usize,
    /// Rows with the rarest of them.
    pub smallest: usize,
    /// The most frequent name; of values none is shown.
    pub example: Option<String>,
}

/// A value of the column that is not missing, and its rows.
struct Present<'a> {
    text: &'a str,
    rows: usize,
}

/// Proposes a ladder for a column. `missing`: texts that stand for a missing value.
pub fn propose_levels(
    table: &Table,
    name: &str,
    by: Option<Making>,
    missing: &[String],
) -> Result<Proposal, Error> {
    let refuse =
        |what: String, hint: String| Error::from(Mistakes::from(vec![Mistake::new(what, None).hint(hint)]));
    let Some(column) = table.column(name) else {
        let known: Vec<&str> = table.columns().iter().map(|column| column.name()).collect();
        let hint = format!("its columns are {}", known.join(", "));
        return Err(refuse(format!("the table has no column {name:?}"), hint));
    };
    let found = inspect_column(column, table.rows(), missing);
    let mut kind = found.kind;
    // What is read as codes by its name, but holds numbers, can be cut like numbers if that is asked for.
    if by.is_some_and(|by| matches!(by, Making::Round | Making::Even))
        && infer(column, missing).kind == Kind::Numeric
    {
        kind = "numeric";
    }
    let by = by.unwrap_or_else(|| Making::usual(kind));
    if !by.fits(kind) {
        let fitting = Making::WORDS.iter().filter(|(_, making, _)| making.fits(kind)).map(|(word, ..)| *word);
        let hint = format!("choose one of {}", fitting.collect::<Vec<_>>().join(", "));
        let what = format!("column {name:?} is of kind {kind}: no ladder is made by {}", by.word());
        return Err(refuse(what, hint));
    }
    let present = present(column, missing);
    if present.len() < 3 {
        let hint = "a column of one or two values needs no levels".to_owned();
        return Err(refuse(format!("column {name:?} has {} distinct values", present.len()), hint));
    }
    let Made { keys, lines } = made(&found, by, &present)?;
    if lines.first().is_none_or(|line| line.len() < 3) {
        let hint = "choose another way with by, or name groups in the policy".to_owned();
        let what = format!("column {name:?}: no level by {} joins some values only", by.word());
        return Err(refuse(what, hint));
    }
    let (levels, needs_file) = (preview(&lines, &present), keys.is_none());
    let keys = keys.unwrap_or_else(|| "kind = \"hierarchy\"\n".to_owned());
    let policy = format!("[columns.{}]\nrole = \"quasi\"\n{keys}", bare_or_quoted(name));
    Ok(Proposal { column: name.to_owned(), by: by.word(), levels, policy, needs_file, lines })
}

/// So many values are enough to see which steps suit a column.
const ENOUGH: usize = 5_000;

/// The key `levels` that suits a column of numbers or dates, if one does.
pub(super) fn drafted(column: &Column, found: &ColumnInspection, missing: &[String]) -> Option<String> {
    let by = match found.kind {
        "numeric" => Making::Round,
        "date" => Making::Calendar,
        _ => return None,
    };
    let present = present(column, missing);
    let every = present.len().div_ceil(ENOUGH).max(1);
    let present: Vec<Present<'_>> = present.into_iter().step_by(every).collect();
    let keys = made(found, by, &present).ok()?.keys?;
    keys.lines().find(|line| line.starts_with("levels = ") && !line.ends_with("[]")).map(str::to_owned)
}

/// A ladder, without levels that join nothing or everything.
struct Made {
    /// What a policy says of it, if it can say it without a file.
    keys: Option<String>,
    lines: Vec<Vec<String>>,
}

fn made(found: &ColumnInspection, by: Making, present: &[Present<'_>]) -> Result<Made, Error> {
    let of_file = |lines: Vec<Vec<String>>| {
        let useful = useful(&lines);
        Ok(Made { keys: None, lines: only(&lines, &useful) })
    };
    let (kind, key, choices) = match by {
        Making::Round => ("numeric", "levels", round(&numbers(found, present))),
        Making::Calendar => {
            let words = |words: &[&str]| words.iter().map(|word| quoted(word)).collect();
            ("date", "levels", vec![words(&["month", "quarter", "year", "decade"]), words(&["week"])])
        }
        Making::Prefix => ("prefix", "prefix", beginnings(found, present)),
        Making::Even => return of_file(even(&numbers(found, present))),
        Making::Bands => return of_file(wider_bands(present)),
        Making::Frequent => return of_file(frequent(present)),
    };
    let spelled = found.keys.iter().filter(|(key, _)| *key != "prefix");
    let spelled: String = spelled.map(|(key, said)| format!("{key} = {said}\n")).collect();
    let keys = |steps: &[String]| format!("kind = \"{kind}\"\n{spelled}{key} = [{}]\n", steps.join(", "));
    let mut best = Made { keys: Some(keys(&[])), lines: Vec::new() };
    for steps in choices {
        let lines = as_published(&keys(&steps), present)?;
        let useful = useful(&lines);
        if !useful.is_empty() {
            let kept: Vec<String> =
                useful.iter().filter_map(|&level| steps.get(level - 1).cloned()).collect();
            best = Made { keys: Some(keys(&kept)), lines: only(&lines, &useful) };
            break;
        }
    }
    Ok(best)
}

/// The levels that join some names of the level below, and not all of them.
fn useful(lines: &[Vec<String>]) -> Vec<usize> {
    let names = |level: usize| lines.iter().map(|line| line[level].as_str()).collect::<BTreeSet<_>>().len();
    let depth = lines.first().map_or(0, Vec::len);
    let mut below = lines.len();
    let joins = |&level: &usize| {
        let own = names(level);
        let joins = 1 < own && own < below;
        below = if joins { own } else { below };
        joins
    };
    (1..depth.saturating_sub(1)).filter(joins).collect()
}

/// The values, these levels and the root.
fn only(lines: &[Vec<String>], levels: &[usize]) -> Vec<Vec<String>> {
    let root = lines.first().map_or(0, Vec::len).saturating_sub(1);
    let kept =
        |line: &Vec<String>| [&[0], levels, &[root]].concat().iter().map(|&at| line[at].clone()).collect();
    lines.iter().map(kept).collect()
}

impl Proposal {
    /// The ladder as a hierarchy file in ARX's format: a line per value, `;` between levels. It holds every value of
    /// the column.
    pub fn to_file(&self) -> String {
        let field = |text: &String| match text.contains([';', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        };
        let line = |line: &Vec<String>| line.iter().map(field).collect::<Vec<_>>().join(";") + "\n";
        self.lines.iter().map(line).collect()
    }
}

/// The values that are not missing, in the order of their texts.
fn present<'a>(column: &'a Column, missing: &[String]) -> Vec<Present<'a>> {
    let mut rows = vec![0usize; column.distinct()];
    column.codes().iter().for_each(|&code| rows[code as usize] += 1);
    let mut of_text: BTreeMap<&str, usize> = BTreeMap::new();
    for code in (0..column.distinct() as u32).filter(|&code| !is_missing(column, code, missing)) {
        *of_text.entry(column.text(code).trim()).or_default() += rows[code as usize];
    }
    of_text.into_iter().map(|(text, rows)| Present { text, rows }).collect()
}

/// The numbers of a column in their order, each with its value.
fn numbers<'p, 'a>(found: &ColumnInspection, present: &'p [Present<'a>]) -> Vec<(Number, &'p Present<'a>)> {
    let texts: Vec<&str> = present.iter().map(|value| value.text).collect();
    let spelled = found.keys.iter().any(|(key, _)| *key == "decimal").then(|| guess(&texts)).flatten();
    let kind = spelled.map_or(Kind::Numeric, |guess| Kind::Spelled(guess.spelling.into()));
    let mut values: Vec<_> =
        present.iter().filter_map(|value| Some((value_of(&kind, value.text)?, value))).collect();
    values.sort_by_key(|(number, _)| *number);
    values
}

/// How far apart numbers lie, without the outermost hundredth of the rows on each side: one that is far
/// out makes no interval wider.
fn spread(values: &[(Number, &Present<'_>)]) -> f64 {
    let cut = values.iter().map(|(_, value)| value.rows).sum::<usize>().div_ceil(100);
    let inner = |from_above: bool| {
        let mut passed = 0;
        let place = |at: usize| if from_above { values.len() - 1 - at } else { at };
        let past = |at: &usize| {
            passed += values[*at].1.rows;
            passed > cut
        };
        (0..values.len()).map(place).find(past).map_or(0.0, |at| values[at].0.to_f64())
    };
    let width = inner(true) - inner(false);
    let ends = || Some(values.last()?.0.to_f64() - values.first()?.0.to_f64());
    if width > 0.0 { width } else { ends().unwrap_or(0.0).max(f64::MIN_POSITIVE) }
}

/// Round widths that nest: about fifteen intervals first, two at least last; and wider ones, in case
/// these join nothing.
fn round(values: &[(Number, &Present<'_>)]) -> Vec<Vec<String>> {
    let whole = values.iter().all(|(number, _)| number.is_whole());
    let width = spread(values);
    let target = if whole { (width / 15.0).max(2.0) } else { width / 15.0 };
    let exponent = target.log10().floor() as i32;
    let round = [1, 2, 5, 10].into_iter().find(|&m| f64::from(m) * 10f64.powi(exponent) >= target * 0.9);
    let (mut mantissa, mut exponent) = match round {
        Some(10) | None => (1, exponent + 1),
        Some(mantissa) => (mantissa, exponent),
    };
    let (mut few, mut wide): (Vec<String>, Vec<String>) = Default::default();
    while few.len() + wide.len() < 7 {
        // Written as a decimal, the value is the nearest: it is printed without digits of rounding.
        let step: f64 = format!("{mantissa}e{exponent}").parse().unwrap_or(1.0);
        let fits = few.is_empty() || step < width && few.len() < 5;
        // 1 and 5 are doubled, 2 becomes 10; a first 1 becomes 5, as 2 leads to 10 only.
        (mantissa, exponent) = match mantissa {
            1 if few.is_empty() => (5, exponent),
            1 => (2, exponent),
            _ => (1, exponent + 1),
        };
        if fits { &mut few } else { &mut wide }.push(step.to_string());
    }
    vec![few, wide]
}

/// The lengths that a draft proposes, or three, two and one; and the shortest that tell some codes apart,
/// in case all begin alike.
fn beginnings(found: &ColumnInspection, present: &[Present<'_>]) -> Vec<Vec<String>> {
    let longest = present.iter().map(|value| value.text.chars().count()).max().unwrap_or(1);
    let listed =
        |lengths: &mut dyn Iterator<Item = usize>| lengths.map(|length| length.to_string()).collect();
    let drafted = found.keys.iter().find(|(key, _)| *key == "prefix");
    let drafted =
        drafted.map(|(_, said)| said.trim_matches(['[', ']']).split(", ").map(str::to_owned).collect());
    let usual = || listed(&mut [3, 2, 1].into_iter().filter(|&length| length < longest || longest == 1));
    let same = |length: usize| {
        let start = |value: &Present<'_>| value.text.chars().take(length).collect::<String>();
        present.windows(2).all(|pair| start(&pair[0]) == start(&pair[1]))
    };
    let shared = (0..longest).take_while(|&length| same(length)).last().unwrap_or(0);
    let longer = listed(&mut (shared + 1..longest).take(3).rev());
    vec![drafted.unwrap_or_else(usual), longer]
}

/// What the values are called on every level, as the policy's own reader has it.
fn as_published(keys: &str, present: &[Present<'_>]) -> Result<Vec<Vec<String>>, Error> {
    let rows: Vec<Vec<&str>> = present.iter().map(|value| vec![value.text]).collect();
    let table = Table::from_cells(&["x"], &rows)?;
    // Each value is a row here, and none is missing.
    let text = format!("k = 2\nmissing = []\n[columns.x]\nrole = \"quasi\"\n{keys}");
    let policy = Policy::parse(&text).for_table(&table)?;
    let encoded = encode(&table, &policy)?;
    let Some(Kind::Hierarchy(hierarchy)) = encoded.codings.first().map(|coding| &coding.kind) else {
        return Ok(Vec::new());
    };
    let tree = hierarchy.tree();
    let mut lines: BTreeMap<(u32, &str), Vec<String>> = BTreeMap::new();
    for (row, value) in (0u32..).zip(present) {
        let leaf = encoded.problem.codes(encoded.problem.record_of(row))[0];
        let wider = (1..tree.levels()).map(|level| hierarchy.label(tree.at_level(level, leaf)).to_owned());
        lines.insert((leaf, value.text), [value.text.to_owned()].into_iter().chain(wider).collect());
    }
    Ok(lines.into_values().collect())
}

/// Sixteen intervals that hold about as many rows each, then eight, four and two of them.
fn even(values: &[(Number, &Present<'_>)]) -> Vec<Vec<String>> {
    let rows: usize = values.iter().map(|(_, value)| value.rows).sum();
    let whole = values.iter().all(|(number, _)| number.is_whole());
    let (mut before, mut part_of) = (0, Vec::new());
    for (_, value) in values {
        part_of.push((before + value.rows / 2) * 16 / rows.max(1));
        before += value.rows;
    }
    let name = |at: usize, parts: usize| {
        let part = |at: usize| part_of[at] / parts;
        let first = (0..=at).rev().take_while(|&other| part(other) == part(at)).last().unwrap_or(at);
        let last = (at..values.len()).take_while(|&other| part(other) == part(at)).last().unwrap_or(at);
        match (first == last, values.get(last + 1)) {
            (true, _) if whole => values[first].0.to_string(),
            (_, Some((next, _))) if !whole => format!("[{}-{next})", values[first].0),
            _ => format!("{}-{}", values[first].0, values[last].0),
        }
    };
    let levels = [1, 2, 4, 8];
    let line = |(at, (_, value)): (usize, &(_, &Present<'_>))| {
        let wider = levels.iter().map(|&parts| name(at, parts));
        [value.text.to_owned()].into_iter().chain(wider).chain(["*".to_owned()]).collect()
    };
    values.iter().enumerate().map(line).collect()
}

/// Two bands become one, and so on until two are left.
fn wider_bands(present: &[Present<'_>]) -> Vec<Vec<String>> {
    let bands = in_order(present.iter().map(|value| value.text)).unwrap_or_default();
    let spans: Vec<usize> = (1..)
        .map(|power| 1 << power)
        .take_while(|span| span * 2 <= bands.len().next_multiple_of(2))
        .collect();
    let name = |at: usize, span: usize| {
        let (first, last) = (at / span * span, (at / span * span + span - 1).min(bands.len() - 1));
        match first == last {
            true => bands[first].to_owned(),
            false => joined_band(bands[first], bands[last])
                .unwrap_or_else(|| format!("{} … {}", bands[first], bands[last])),
        }
    };
    let line = |(at, band): (usize, &&str)| {
        let wider = spans.iter().map(|&span| name(at, span));
        [(*band).to_owned()].into_iter().chain(wider).chain(["*".to_owned()]).collect()
    };
    bands.iter().enumerate().map(line).collect()
}

/// Shares of rows below which labels are joined, level by level. The names differ, so that no level swallows another.
const RARE: [f64; 3] = [0.01, 0.05, 0.2];

/// Labels that are frequent enough stay; the others are joined. Where no share parts them, one half of
/// the labels stays, and then one half of that.
fn frequent(present: &[Present<'_>]) -> Vec<Vec<String>> {
    let rows: usize = present.iter().map(|value| value.rows).sum();
    let mut order: Vec<usize> = (0..present.len()).collect();
    order.sort_by_key(|&at| (Reverse(present[at].rows), at));
    let below = |limit: f64| {
        let rare = |&&at: &&usize| (present[at].rows as f64) < limit * rows as f64;
        order.iter().filter(rare).count()
    };
    let all = present.len();
    let mut levels: Vec<(usize, String)> = RARE
        .iter()
        .map(|&limit| (below(limit), format!("other (each below {:.0} %)", 100.0 * limit)))
        .filter(|&(rare, _)| 1 < rare && rare < all)
        .collect();
    if levels.is_empty() {
        let others = [all - all / 2, all - all / 4].into_iter().filter(|&others| 1 < others && others < all);
        levels = others.map(|others| (others, format!("other ({others} labels)"))).collect();
    }
    let mut lines = vec![Vec::new(); all];
    for (rank, &at) in order.iter().enumerate() {
        let text = present[at].text;
        let wider =
            levels.iter().map(|(others, name)| if all - rank <= *others { name.as_str() } else { text });
        lines[at] = [text].into_iter().chain(wider).chain(["*"]).map(str::to_owned).collect();
    }
    lines
}

/// How many names every level has, and how rare the rarest is.
fn preview(lines: &[Vec<String>], present: &[Present<'_>]) -> Vec<LevelPreview> {
    let rows: BTreeMap<&str, usize> = present.iter().map(|value| (value.text, value.rows)).collect();
    let depth = lines.first().map_or(0, Vec::len);
    let of_level = |level: usize| {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for line in lines {
            let own = rows.get(line[0].as_str()).copied().unwrap_or(0);
            *names.entry(line[level].as_str()).or_default() += own;
        }
        let most = names.iter().max_by_key(|(name, rows)| (**rows, Reverse(**name)));
        let example = most.filter(|_| level > 0).map(|(name, _)| (*name).to_owned());
        LevelPreview {
            level,
            names: names.len(),
            smallest: names.values().min().copied().unwrap_or(0),
            example,
        }
    };
    (0..depth).map(of_level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(values: &[&str], by: Option<Making>) -> Proposal {
        let rows: Vec<Vec<&str>> = values.iter().map(|value| vec![*value]).collect();
        let table = Table::from_cells(&["x"], &rows).unwrap();
        propose_levels(&table, "x", by, &["".to_owned()]).unwrap()
    }

    /// The line of one value.
    fn line(proposal: &Proposal, value: &str) -> Vec<String> {
        proposal.lines.iter().find(|line| line[0] == value).unwrap().clone()
    }

    #[test]
    fn numbers_are_cut_at_round_widths_or_into_even_parts() {
        let ages: Vec<String> = (17..=90).map(|age| age.to_string()).collect();
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        let round = proposed(&ages, None);
        assert!(round.policy.contains("levels = [5, 10, 20]"), "{}", round.policy);
        assert_eq!(line(&round, "37"), ["37", "35-39", "30-39", "20-39", "*"]);
        assert_eq!(round.levels.iter().map(|level| level.names).collect::<Vec<_>>(), [74, 16, 9, 5, 1]);
        let even = proposed(&ages, Some(Making::Even));
        assert!(even.needs_file && even.levels[1].names == 16 && even.levels[4].names == 2);
        assert!(even.levels[1].smallest >= 3, "{:?}", even.levels);
    }

    #[test]
    fn labels_that_are_rare_are_joined_under_names_that_differ() {
        let many: Vec<&str> = ["a"; 60]
            .into_iter()
            .chain(["b"; 30])
            .chain(["c"; 4])
            .chain(["d"; 4])
            .chain(["e", "f"])
            .collect();
        let made = proposed(&many, None);
        assert_eq!((made.by, made.needs_file), ("frequent", true));
        assert_eq!(line(&made, "a"), ["a", "a", "*"]);
        assert_eq!(line(&made, "c")[1..], ["other (each below 5 %)", "*"]);
        assert_eq!(made.to_file().lines().count(), 6);
    }

    #[test]
    fn labels_of_about_the_same_frequency_are_halved() {
        let labels: Vec<String> = (0..12).map(|label| format!("label {label:02}")).collect();
        let many: Vec<&str> = (0..26).map(|row| labels[row % 12].as_str()).collect();
        let made = proposed(&many, None);
        assert_eq!(made.levels.iter().map(|level| level.names).collect::<Vec<_>>(), [12, 7, 4, 1]);
        assert_eq!(line(&made, "label 05")[1..], ["label 05", "other (9 labels)", "*"]);
    }

    #[test]
    fn no_level_joins_nothing_or_everything() {
        let codes: Vec<String> = (0..80).map(|code| format!("Z23{:02}", code % 40 * 2)).collect();
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        let made = proposed(&codes, None);
        assert!(made.policy.contains("prefix = [4]"), "{}", made.policy);
        let sparse = proposed(&["0", "5", "10"], None);
        assert!(sparse.policy.contains("levels = [10]"), "{}", sparse.policy);
        let days: Vec<String> = (1..=28).map(|day| format!("2024-02-{day:02}")).collect();
        let weeks = proposed(&days.iter().map(String::as_str).collect::<Vec<_>>(), None);
        assert!(weeks.policy.contains("levels = [\"week\"]"), "{}", weeks.policy);
        let one = Table::from_cells(&["x"], &[vec!["2024-02-05"], vec!["2024-02-06"], vec!["2024-02-07"]]);
        assert!(propose_levels(&one.unwrap(), "x", None, &[]).unwrap_err().to_string().contains("no level"));
        for made in [made, sparse, weeks] {
            assert!(made.levels.windows(2).all(|pair| pair[1].names < pair[0].names), "{:?}", made.levels);
        }
    }

    #[test]
    fn one_number_far_out_makes_no_interval_wider() {
        let mut ages: Vec<String> = (17..=90).map(|age| age.to_string()).collect();
        ages.push("-765432".into());
        let round = proposed(&ages.iter().map(String::as_str).collect::<Vec<_>>(), None);
        assert!(round.policy.contains("levels = [5, 10, 20]"), "{}", round.policy);
        let fees: Vec<String> = (1..60).map(|fee| format!("{fee}.000,50")).collect();
        let fees = proposed(&fees.iter().map(String::as_str).collect::<Vec<_>>(), None);
        assert!(fees.policy.contains("levels = [5000, 10000, 20000]"), "{}", fees.policy);
    }

    #[test]
    fn bands_become_wider_bands_and_codes_their_beginnings() {
        let made = proposed(&["0-9", "10-19", "20-29", "30-39", "40+"], None);
        assert_eq!(made.by, "bands");
        assert_eq!(line(&made, "20-29"), ["20-29", "20-39", "*"]);
        let codes = proposed(&["E11.9", "E11.0", "E10.1", "J18.0"], Some(Making::Prefix));
        assert!(codes.policy.contains("prefix = [3"), "{}", codes.policy);
        assert_eq!(line(&codes, "E11.9")[1], "E11*");
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_what_does() {
        let table = Table::from_cells(&["x"], &[vec!["1"], vec!["2"], vec!["3"]]).unwrap();
        let refused = |name: &str, by| propose_levels(&table, name, Some(by), &[]).unwrap_err().to_string();
        assert!(refused("x", Making::Calendar).contains("kind numeric"));
        assert!(refused("y", Making::Round).contains("no column"));
    }
}
