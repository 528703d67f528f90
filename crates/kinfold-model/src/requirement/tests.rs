//! The definitions against the naive ones, near misses, union, and the running tally against the plain
//! definition.

pub(super) mod naive;
pub(super) mod reached;

use super::*;
use naive::{Measures, Random, Sample};
use reached::Reached;
use std::collections::BTreeMap;

const DISTANCES: [Distance; 3] = [Distance::Equal, Distance::Ordered, Distance::Tree];
/// More than floats and the safe side of logarithms make a difference, less than one row does.
const NEAR: f64 = 2e-9;

fn d(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// Tiny tables, and some with more values than are counted densely.
fn sample(random: &mut Random, round: u64) -> Sample {
    let many = round % 20 == 19;
    let (rows, codes) =
        if many { (80, 36 + random.below(10)) } else { (2 + random.below(20), 2 + random.below(6)) };
    Sample::random(random, rows, codes)
}

fn some_rows(random: &mut Random, among: &[usize]) -> Vec<usize> {
    let end = 2 + random.below(4);
    let rows: Vec<usize> = among.iter().copied().filter(|_| random.below(end) == 0).collect();
    if rows.is_empty() { among[..1].to_vec() } else { rows }
}

fn all_rows(sample: &Sample) -> Vec<usize> {
    (0..sample.codes.len()).collect()
}

/// How often each requirement was met and missed: a comparison that always gives one answer shows nothing.
#[derive(Default)]
struct Answers(BTreeMap<String, [u32; 2]>);

impl Answers {
    fn note(&mut self, requirement: &Requirement, answer: bool) {
        let text = format!("{requirement:?}");
        let kind = text.split([' ', '(']).next().unwrap().to_owned();
        let distance = DISTANCES.into_iter().find(|d| text.contains(&format!("{d:?}")));
        let key = format!("{kind} {distance:?} {}", text.contains("enhanced: true"));
        self.0.entry(key).or_default()[usize::from(answer)] += 1;
    }

    fn assert_both(&self, kinds: usize, times: u32) {
        assert!(self.0.len() == kinds && self.0.values().flatten().all(|&n| n >= times), "{:?}", self.0);
    }
}

/// The parameters with which a requirement holds.
enum Turn {
    Never,
    Above(f64),
    Below(f64),
}

type Make = Box<dyn Fn(Decimal) -> Requirement>;

/// Where the requirements with a decimal parameter turn, by the naive measures.
fn turns(measures: &Measures) -> Vec<(Turn, Make)> {
    let column = 0;
    let known = measures.distinct > 0;
    let entropy = if known { Turn::Below(measures.entropy) } else { Turn::Never };
    let mut turns: Vec<(Turn, Make)> = vec![(entropy, Box::new(move |l| Requirement::Entropy { column, l }))];
    for l in 1..=measures.distinct + 1 {
        let turn = measures.recursive.get(l as usize - 1).map_or(Turn::Never, |&c| Turn::Above(c));
        turns.push((turn, Box::new(move |c| Requirement::Recursive { column, c, l })));
    }
    for (distance, t) in DISTANCES.into_iter().zip(measures.close) {
        turns.push((Turn::Above(t), Box::new(move |t| Requirement::Close { column, t, distance })));
    }
    let likeness =
        |enhanced| -> Make { Box::new(move |beta| Requirement::Likeness { column, beta, enhanced }) };
    turns.push((Turn::Above(measures.likeness), likeness(false)));
    if measures.beyond_log.abs() > 1e-8 {
        let enhanced = measures.beyond_log < 0.0;
        turns.push((if enhanced { Turn::Above(measures.likeness) } else { Turn::Never }, likeness(true)));
    }
    let finite = measures.disclosure.is_finite();
    let disclosure = if finite { Turn::Above(measures.disclosure) } else { Turn::Never };
    turns.push((disclosure, Box::new(move |delta| Requirement::Disclosure { column, delta })));
    turns
}

impl Requirement {
    /// Whether the union of two groups that fulfil it always fulfils it.
    fn closed_under_union(&self) -> bool {
        !matches!(self, Self::Presence { min, .. } if *min > Decimal::default())
    }
}

impl Tally {
    /// Whether the union of both would fulfil everything.
    fn would_fulfil_with(&self, requirements: &Requirements, other: &Self) -> bool {
        let mut union = self.clone();
        union.absorb(requirements, other);
        union.fulfils(requirements)
    }
}

#[test]
fn definitions_turn_where_the_papers_say() {
    let random = &mut Random(1);
    let mut answers = Answers::default();
    for round in 0..1500 {
        let mut sample = sample(random, round);
        let requirements = sample.require(vec![]);
        let rows = some_rows(random, &all_rows(&sample));
        let group = Group::of(&requirements, sample.rows(&rows));
        let measures = sample.measure(&rows);
        for l in 1..=measures.distinct + 1 {
            let distinct = Requirement::Distinct { column: 0, l };
            let answer = requirements.holds(&distinct, &group);
            assert_eq!(answer, l <= measures.distinct);
            answers.note(&distinct, answer);
        }
        for (turn, make) in turns(&measures) {
            let at = if let Turn::Above(at) | Turn::Below(at) = turn { at } else { 1.0 };
            // Just beside the turn on both sides, and somewhere.
            let somewhere = 0.001 + random.below(4000) as f64 / 1000.0;
            for value in [at - NEAR, at + NEAR, somewhere] {
                if value < NEAR || (value - at).abs() < NEAR / 2.0 {
                    continue;
                }
                let requirement = make(Decimal::of_units((value * 1e9).round() as u64).unwrap());
                let answer = requirements.holds(&requirement, &group);
                let expected = match turn {
                    Turn::Never => false,
                    Turn::Above(_) => value > at,
                    Turn::Below(_) => value < at,
                };
                assert_eq!(answer, expected, "round {round}: {requirement:?} turns at {at}");
                answers.note(&requirement, answer);
            }
        }
    }
    answers.assert_both(9, 100);
}

#[test]
fn what_is_reached_holds_and_nothing_stricter() {
    let random = &mut Random(2);
    for round in 0..300 {
        let mut sample = sample(random, round);
        let requirements = sample.require(vec![]);
        let lists: Vec<Vec<usize>> = (0..3).map(|_| some_rows(random, &all_rows(&sample))).collect();
        let groups: Vec<Group> =
            lists.iter().map(|rows| Group::of(&requirements, sample.rows(rows))).collect();
        let measures: Vec<Measures> = lists.iter().map(|rows| sample.measure(rows)).collect();
        let reached = Reached::by(&requirements, &groups);
        assert_eq!(reached.people, groups.iter().map(|g| g.people).min().unwrap());
        assert_eq!(reached.persons, groups.iter().map(|g| g.persons).min().unwrap());
        let of = &reached.columns[0];
        assert_eq!(of.distinct, measures.iter().map(|m| m.distinct).min().unwrap());

        let worst = |measure: &dyn Fn(&Measures) -> f64| measures.iter().map(measure).fold(0.0, f64::max);
        let near = |reached: Option<Decimal>, worst: f64| match reached {
            Some(reached) => {
                assert!((reached.to_f64() - worst).abs() < NEAR, "round {round}: {reached} {worst}")
            }
            None => assert!(worst > 15.0, "round {round}: {worst}"),
        };
        let least = measures.iter().map(|m| if m.distinct == 0 { 0.0 } else { m.entropy });
        near(Some(of.entropy), least.fold(f64::INFINITY, f64::min));
        for (i, reached) in [Some(of.equal), of.ordered, of.tree].into_iter().enumerate() {
            assert!(reached.is_some());
            near(reached, worst(&|m| m.close[i]));
        }
        near(of.likeness, worst(&|m| m.likeness));
        near(of.disclosure, worst(&|m| m.disclosure));
        assert!((of.disclosure_of_present - worst(&|m| m.disclosure_of_present)).abs() < 1e-12);
        if of.distinct > 0 {
            near(of.recursive, worst(&|m| m.recursive[of.distinct as usize - 1]));
        } else {
            assert_eq!(of.recursive, None);
        }

        for (reached, make) in parameters(of) {
            let all = |r: &Requirement| groups.iter().all(|group| requirements.holds(r, group));
            let stricter = match make(reached) {
                Requirement::Entropy { .. } => reached.units().checked_add(1),
                _ => reached.units().checked_sub(1).filter(|&units| units > 0),
            };
            assert!(all(&make(reached)), "{:?}", make(reached));
            if let Some(stricter) = stricter.and_then(Decimal::of_units) {
                assert!(!all(&make(stricter)), "{:?}", make(stricter));
            }
        }
    }
}

/// Every kind of requirement on the column, with what was reached.
fn parameters(reached: &ReachedColumn) -> Vec<(Decimal, Make)> {
    let column = 0;
    let l = reached.distinct;
    let mut parameters: Vec<(Option<Decimal>, Make)> = vec![
        (Some(reached.entropy).filter(|_| l > 0), Box::new(move |l| Requirement::Entropy { column, l })),
        (reached.recursive, Box::new(move |c| Requirement::Recursive { column, c, l })),
        (reached.disclosure, Box::new(move |delta| Requirement::Disclosure { column, delta })),
    ];
    for (distance, t) in DISTANCES.into_iter().zip([Some(reached.equal), reached.ordered, reached.tree]) {
        parameters.push((t, Box::new(move |t| Requirement::Close { column, t, distance })));
    }
    for (enhanced, beta) in [(false, reached.likeness), (true, reached.enhanced)] {
        parameters.push((beta, Box::new(move |beta| Requirement::Likeness { column, beta, enhanced })));
    }
    parameters.into_iter().filter_map(|(reached, make)| Some((reached?, make))).collect()
}

#[test]
fn unions_fulfil_what_both_parts_fulfil_at_most() {
    let random = &mut Random(3);
    let mut seen = BTreeMap::<String, u32>::new();
    for round in 0..1500 {
        let mut sample = sample(random, round);
        let requirements = sample.require(vec![]);
        let one = some_rows(random, &all_rows(&sample));
        let rest: Vec<usize> = all_rows(&sample).into_iter().filter(|row| !one.contains(row)).collect();
        if rest.is_empty() {
            continue;
        }
        let other = some_rows(random, &rest);
        let group = |rows: &[usize]| Group::of(&requirements, sample.rows(rows));
        let parts = [group(&one), group(&other)];
        let union = group(&[one, other].concat());
        let reached = Reached::by(&requirements, &parts);
        let of = &reached.columns[0];
        let mut must_hold = vec![Requirement::People(reached.people), Requirement::Persons(reached.persons)];
        must_hold.extend((of.distinct > 0).then_some(Requirement::Distinct { column: 0, l: of.distinct }));
        must_hold.extend(parameters(of).into_iter().map(|(reached, make)| make(reached)));
        // Recursive diversity with every l, not only the largest.
        for l in 1..of.distinct {
            let c = (1..40).map(Decimal::whole).find(|&c| {
                let recursive = Requirement::Recursive { column: 0, c, l };
                parts.iter().all(|part| requirements.holds(&recursive, part))
            });
            must_hold.extend(c.map(|c| Requirement::Recursive { column: 0, c, l }));
        }
        for requirement in &must_hold {
            assert!(requirement.closed_under_union());
            assert!(requirements.holds(requirement, &union), "round {round}: {requirement:?}");
            let kind = format!("{requirement:?}").split([' ', '(']).next().unwrap().to_owned();
            *seen.entry(kind).or_default() += 1;
        }
    }
    assert!(seen.len() == 8 && seen.values().all(|&times| times > 100), "{seen:?}");
}

/// A table of one protected column with these totals, in order, and rows of one person each.
fn counted(totals: &[u64], list: Vec<Requirement>) -> Result<Requirements, RequirementError> {
    let people = totals.iter().sum();
    let order = Some((0..totals.len() as u32).collect());
    let protected =
        Protected { name: "illness".into(), totals: totals.to_vec(), order, ..Protected::default() };
    let whole = Whole { people, persons: None, population: Some(2 * people) };
    Requirements::new(list, vec![protected], whole)
}

fn group(counts: &[u64]) -> Group {
    let people = counts.iter().sum();
    let histogram = (0..).zip(counts.iter().copied()).collect();
    Group { people, persons: people, population: None, histograms: vec![histogram] }
}

#[test]
fn thresholds_that_are_reached_exactly() {
    let requirements = counted(&[50, 50], vec![]).unwrap();
    let holds = |requirement, counts: &[u64]| requirements.holds(&requirement, &group(counts));
    let column = 0;
    for distance in [Distance::Equal, Distance::Ordered] {
        let close = |t| Requirement::Close { column, t, distance };
        assert!(holds(close(d("0.2")), &[7, 3]) && !holds(close(d("0.199999999")), &[7, 3]));
        assert!(holds(close(d("0")), &[4, 4]) && !holds(close(d("0")), &[4, 5]));
        assert!(holds(close(d("0.5")), &[1, 0]));
    }
    let likeness = |beta, enhanced| Requirement::Likeness { column, beta, enhanced };
    assert!(holds(likeness(d("0.4"), false), &[7, 3]) && !holds(likeness(d("0.399999999"), false), &[7, 3]));
    // −ln ½ is 0.693…: a gain of 0.69 is within it, one of 0.7 is not, whatever β.
    assert!(holds(likeness(d("2"), false), &[17, 3]) && !holds(likeness(d("2"), true), &[17, 3]));
    assert!(holds(likeness(d("2"), true), &[42, 8]) && !holds(likeness(d("0.6"), true), &[42, 8]));
    // 3 < 1 · 3 does not hold.
    let recursive = |c, l| Requirement::Recursive { column, c, l };
    assert!(!holds(recursive(d("1"), 2), &[3, 3]) && holds(recursive(d("1.000000001"), 2), &[3, 3]));
    assert!(!holds(recursive(d("2"), 2), &[6, 3]) && holds(recursive(d("2"), 2), &[5, 3]));
    assert!(!holds(recursive(d("1000000"), 3), &[3, 3]) && holds(recursive(d("0.51"), 1), &[3, 3]));
    let entropy = |l| Requirement::Entropy { column, l };
    assert!(holds(entropy(d("2")), &[3, 3]) && !holds(entropy(d("2.000000001")), &[3, 3]));
    assert!(!holds(entropy(d("2")), &[20, 21]));
    // ln(1.4) and ln(0.6): both ends matter, and a value that is absent is infinitely far.
    let disclosure = |delta| Requirement::Disclosure { column, delta };
    assert!(holds(disclosure(d("0.51083")), &[7, 3]) && !holds(disclosure(d("0.51082")), &[7, 3]));
    assert!(holds(disclosure(d("0.000000001")), &[5, 5]));
    assert!(!holds(disclosure(d("15")), &[5, 0]));
    // Of a table with one value, every group is like the table.
    let one = counted(&[9], vec![]).unwrap();
    for requirement in [disclosure(d("0.1")), likeness(d("0"), true), likeness(d("0"), false)] {
        assert!(one.holds(&requirement, &group(&[4])));
    }
    assert!(one.holds(&Requirement::Close { column, t: d("0"), distance: Distance::Ordered }, &group(&[4])));
}

#[test]
fn presence_holds_at_both_ends_and_only_its_lower_end_breaks_in_unions() {
    let requirements = counted(&[50, 50], vec![]).unwrap();
    let presence = |min, max| Requirement::Presence { min: d(min), max: d(max) };
    let of = |people, population| Group { population: Some(population), ..group(&[people, 0]) };
    assert!(requirements.holds(&presence("0.2", "0.5"), &of(1, 5)));
    assert!(requirements.holds(&presence("0.2", "0.5"), &of(5, 10)));
    assert!(!requirements.holds(&presence("0.2", "0.499999999"), &of(5, 10)));
    assert!(!requirements.holds(&presence("0.200000001", "0.5"), &of(1, 5)));
    assert!(!requirements.holds(&presence("0", "1"), &group(&[1, 0])), "the population is not known");
    assert!(presence("0", "0.5").closed_under_union() && !presence("0.1", "0.5").closed_under_union());
    // A wider box takes in others of the population: the share can only fall.
    assert!([of(1, 4), of(1, 4)].iter().all(|group| requirements.holds(&presence("0.25", "0.5"), group)));
    assert!(!requirements.holds(&presence("0.25", "0.5"), &of(2, 9)));
    assert!(requirements.holds(&presence("0", "0.5"), &of(2, 9)));
}

#[test]
fn disclosure_of_present_values_alone_would_break_in_unions() {
    // The first group lacks value 1, the second has it as often as the table. In their union it is rare.
    let requirements = counted(&[50, 50], vec![]).unwrap();
    let of_present =
        |counts: &[u64]| Reached::by(&requirements, &[group(counts)]).columns[0].disclosure_of_present;
    assert!(of_present(&[18, 0]).max(of_present(&[2, 2])) < of_present(&[20, 2]));
}

#[test]
fn missing_values_are_no_diversity_but_a_value_of_their_own() {
    let people = 40;
    let protected = Protected {
        name: "illness".into(),
        totals: vec![10, 10, 20],
        missing: Some(2),
        ..Protected::default()
    };
    let whole = Whole { people, ..Whole::default() };
    let requirements = Requirements::new(vec![], vec![protected], whole).unwrap();
    let holds = |requirement, counts: &[u64]| requirements.holds(&requirement, &group(counts));
    let column = 0;
    assert!(!holds(Requirement::Distinct { column, l: 2 }, &[3, 0, 3]));
    assert!(holds(Requirement::Distinct { column, l: 2 }, &[1, 1, 20]));
    assert!(!holds(Requirement::Distinct { column, l: 1 }, &[0, 0, 3]));
    assert!(!holds(Requirement::Entropy { column, l: d("2") }, &[3, 0, 3]));
    assert!(holds(Requirement::Entropy { column, l: d("2") }, &[3, 3, 20]));
    assert!(!holds(Requirement::Entropy { column, l: d("1") }, &[0, 0, 3]));
    assert!(!holds(Requirement::Recursive { column, c: d("3"), l: 2 }, &[3, 0, 3]));
    assert!(holds(Requirement::Recursive { column, c: d("3"), l: 2 }, &[3, 2, 20]));
    let close = Requirement::Close { column, t: d("0.25"), distance: Distance::Equal };
    assert!(holds(close, &[1, 1, 2]) && holds(close, &[0, 1, 3]) && !holds(close, &[0, 0, 4]));
    assert!(!holds(Requirement::Likeness { column, beta: d("0.5"), enhanced: false }, &[1, 1, 8]));
    assert!(!holds(Requirement::Disclosure { column, delta: d("9") }, &[2, 2, 0]));
}

#[test]
fn groups_that_are_no_part_of_the_table_fulfil_nothing() {
    let requirements = counted(&[5, 5], vec![]).unwrap();
    let people = Requirement::People(1);
    assert!(requirements.holds(&people, &group(&[5, 5])));
    assert!(!requirements.holds(&people, &group(&[6, 0])));
    assert!(!requirements.holds(&people, &group(&[1, 1, 1])));
    assert!(!requirements.holds(&people, &group(&[0, 0])));
    assert!(!requirements.holds(&people, &Group { people: 9, ..group(&[1, 1]) }));
    assert!(
        !Tally::new(&counted(&[5, 5], vec![people]).unwrap())
            .fulfils(&counted(&[5, 5], vec![people]).unwrap())
    );
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    let column = 0;
    let refused = [
        (Requirement::People(0), "k is 0, but it must be at least 1"),
        (Requirement::Distinct { column, l: 0 }, "l is 0, but it must be at least 1"),
        (Requirement::Entropy { column, l: d("0.5") }, "l is 0.5, but it must be at least 1"),
        (Requirement::Recursive { column, c: d("0"), l: 2 }, "c is 0, but it must be above 0"),
        (Requirement::Recursive { column, c: d("1"), l: 0 }, "l is 0, but it must be at least 1"),
        (
            Requirement::Close { column, t: d("1.1"), distance: Distance::Equal },
            "t is 1.1, but it must be between 0 and 1",
        ),
        (
            Requirement::Disclosure { column, delta: d("0") },
            "delta is 0, but it must be above 0, and at most 15",
        ),
        (
            Requirement::Disclosure { column, delta: d("15.5") },
            "delta is 15.5, but it must be above 0, and at most 15",
        ),
        (
            Requirement::Presence { min: d("0.3"), max: d("0.2") },
            "min is 0.3, but it must be between 0 and max",
        ),
        (Requirement::Presence { min: d("0"), max: d("1.2") }, "max is 1.2, but it must be between 0 and 1"),
        (
            Requirement::Close { column, t: d("1"), distance: Distance::Tree },
            "closeness of \"illness\" by hierarchy needs a hierarchy over its values",
        ),
        (Requirement::Persons(2), "distinct persons can only be counted with a column of role person"),
        (Requirement::Distinct { column: 1, l: 2 }, "there is no protected column 1"),
    ];
    for (requirement, message) in refused {
        assert_eq!(counted(&[5, 5], vec![requirement]).unwrap_err().to_string(), message);
    }
    let people = 1 << 37;
    let error = counted(&[people], vec![]).unwrap_err();
    assert_eq!(error, RequirementError::TooMany { people: 2 * people, most: Requirements::MOST_PEOPLE });
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let whole = Whole { people: 10, ..Whole::default() };
    let good = Protected { totals: vec![4, 6], ..Protected::default() };
    let t = d("0.2");
    let ordered = Requirement::Close { column: 0, t, distance: Distance::Ordered };
    let new = |list, protected: &Protected| Requirements::new(list, vec![protected.clone()], whole);
    assert!(new(vec![], &good).is_ok());
    assert!(matches!(new(vec![ordered], &good), Err(RequirementError::NoOrder(_))));
    let presence = Requirement::Presence { min: d("0"), max: t };
    assert_eq!(new(vec![presence], &good).unwrap_err(), RequirementError::NoPopulation);
    for bad in [
        Protected { totals: vec![4, 5], ..good.clone() },
        Protected { totals: vec![u64::MAX, 11], order: Some(vec![0, 1]), ..good.clone() },
        Protected { classes: Some(vec![0]), ..good.clone() },
        Protected { missing: Some(2), ..good.clone() },
        Protected { order: Some(vec![0, 0]), ..good.clone() },
        Protected { order: Some(vec![0, 1, 2]), ..good.clone() },
    ] {
        assert!(matches!(new(vec![], &bad), Err(RequirementError::Malformed { .. })), "{bad:?}");
    }
    assert!(new(vec![], &good).unwrap().value(0, 2).is_err());
}

#[test]
fn what_no_grouping_can_fulfil_is_told_with_what_can_be() {
    let column = 0;
    let impossible = |requirement| counted(&[60, 30, 10], vec![requirement]).unwrap().check_possible();
    let told = |requirement| impossible(requirement).unwrap_err()[0].to_string();
    assert_eq!(told(Requirement::People(101)), "no group can have size 101: the table has 100");
    assert_eq!(
        told(Requirement::Distinct { column, l: 4 }),
        "no group can have 4 distinct values of \"illness\": the table has 3"
    );
    // exp(−0.6 ln 0.6 − 0.3 ln 0.3 − 0.1 ln 0.1)
    assert_eq!(
        told(Requirement::Entropy { column, l: d("2.5") }),
        "\"illness\" cannot be entropy 2.5-diverse: at most l = 2.454555595 is possible with its values"
    );
    // 60 < c · 10 with l = 3, and 60 < 1.6 · 40 with l = 2.
    assert_eq!(
        told(Requirement::Recursive { column, c: d("1.6"), l: 3 }),
        "\"illness\" cannot be recursive (1.6, 3)-diverse: with l = 3, c must be at least 6.000000001; \
         with c = 1.6, l can be at most 2"
    );
    assert_eq!(
        told(Requirement::Recursive { column, c: d("0.5"), l: 4 }),
        "\"illness\" cannot be recursive (0.5, 4)-diverse: its values are too few"
    );
    assert_eq!(
        told(Requirement::Presence { min: d("0"), max: d("0.4") }),
        "presence cannot be at most 0.4: 0.5 of the population is in the table"
    );
    for possible in [
        Requirement::People(100),
        Requirement::Distinct { column, l: 3 },
        Requirement::Entropy { column, l: d("2.454555595") },
        Requirement::Recursive { column, c: d("6.000000001"), l: 3 },
        Requirement::Close { column, t: d("0"), distance: Distance::Ordered },
        Requirement::Likeness { column, beta: d("0"), enhanced: true },
        Requirement::Disclosure { column, delta: d("0.000000001") },
        Requirement::Presence { min: d("0.5"), max: d("0.5") },
    ] {
        assert_eq!(impossible(possible), Ok(()), "{possible:?}");
    }
    // All that is wrong is told at once.
    let both = vec![Requirement::People(101), Requirement::Distinct { column, l: 4 }];
    assert_eq!(counted(&[60, 30, 10], both).unwrap().check_possible().unwrap_err().len(), 2);
}

/// Requirements of every kind that small groups of the sample meet about as often as not.
fn every_kind(random: &mut Random, sample: &mut Sample) -> Vec<Requirement> {
    let rows = all_rows(sample);
    let requirements = sample.require(vec![]);
    let example = Group::of(&requirements, sample.rows(&some_rows(random, &rows)));
    let reached = Reached::by(&requirements, &[example]);
    let column = 0;
    let l = 1 + random.below(4) as u32;
    let mut list = vec![
        Requirement::People(1 + random.below(8)),
        Requirement::Persons(1 + random.below(6)),
        Requirement::Distinct { column, l },
        Requirement::Entropy { column, l: Decimal::whole(l) },
        Requirement::Recursive { column, c: Decimal::of_units(1 + random.below(3_000_000_000)).unwrap(), l },
        Requirement::Recursive { column, c: d("1"), l },
        Requirement::Presence { min: d("0.1"), max: d("0.4") },
        Requirement::Disclosure { column, delta: d("0.7") },
    ];
    // At the very threshold of a group that can occur again.
    list.extend(parameters(&reached.columns[0]).into_iter().map(|(at, make)| make(at)));
    list.retain(|r| !matches!(r, Requirement::Entropy { l, .. } if *l < Decimal::whole(1)));
    list
}

#[test]
fn a_tally_says_what_the_definition_says() {
    let random = &mut Random(4);
    let mut answers = Answers::default();
    for round in 0..250 {
        let mut sample = sample(random, round);
        let list = every_kind(random, &mut sample);
        let requirements = sample.require(list);
        let agree = |tally: &Tally, rows: &[usize], population: u64, answers: &mut Answers| {
            let group = Group { population: Some(population), ..Group::of(&requirements, sample.rows(rows)) };
            assert_eq!((tally.people(), tally.persons(&requirements)), (group.people, group.persons));
            for (at, requirement) in requirements.list().iter().enumerate() {
                let answer = tally.fulfils_one(&requirements, at);
                assert_eq!(answer, requirements.holds(requirement, &group), "{requirement:?} {group:?}");
                answers.note(requirement, answer);
            }
            assert_eq!(tally.fulfils(&requirements), requirements.fulfilled_by(&group));
        };
        // Two groups between which rows move; the others are free.
        let mut tallies = [Tally::new(&requirements), Tally::new(&requirements)];
        let mut members = [Vec::new(), Vec::new()];
        let mut free = all_rows(&sample);
        for _ in 0..60 {
            let g = random.below(2) as usize;
            let population = 1 + random.below(40);
            tallies[g].population = Some(population);
            let pick = |random: &mut Random, from: &Vec<usize>| {
                (!from.is_empty()).then(|| random.below(from.len() as u64) as usize)
            };
            let (inside, outside) = (pick(random, &members[g]), pick(random, &free));
            let out = inside.filter(|_| random.below(3) > 0).map(|i| members[g][i]);
            let new = outside.filter(|_| random.below(3) > 0).map(|i| free[i]);
            let mut after: Vec<usize> = members[g].iter().copied().filter(|&row| Some(row) != out).collect();
            after.extend(new);
            let before = tallies[g].clone();
            let (old_row, new_row) = (out.map(|row| sample.row(row)), new.map(|row| sample.row(row)));
            let would = tallies[g].would_fulfil(&requirements, old_row, new_row);
            assert_eq!(tallies[g], before, "asking changes nothing");
            let group =
                Group { population: Some(population), ..Group::of(&requirements, sample.rows(&after)) };
            assert_eq!(would, requirements.fulfilled_by(&group));
            match (old_row, new_row) {
                (Some(old), Some(new)) => tallies[g].exchange(&requirements, old, new),
                (Some(old), None) => tallies[g].remove(&requirements, old),
                (None, Some(new)) => tallies[g].add(&requirements, new),
                (None, None) => {}
            }
            free.retain(|&row| Some(row) != new);
            free.extend(out);
            members[g] = after;
            agree(&tallies[g], &members[g], population, &mut answers);
            let mut anew = Tally::of(&requirements, sample.rows(&members[g]));
            anew.population = Some(population);
            assert_eq!(tallies[g], anew, "the way to a group leaves no trace");
        }
        let [one, other] = &mut tallies;
        one.population = Some(20);
        other.population = Some(20);
        let would = one.would_fulfil_with(&requirements, other);
        one.absorb(&requirements, other);
        assert_eq!(one.fulfils(&requirements), would);
        agree(one, &members.concat(), 40, &mut answers);
    }
    answers.assert_both(12, 300);
}

#[test]
fn several_protected_columns_are_kept_apart() {
    let protected = |name: &str, totals: &[u64]| Protected {
        name: name.into(),
        totals: totals.to_vec(),
        ..Protected::default()
    };
    let list = vec![
        Requirement::Distinct { column: 0, l: 2 },
        Requirement::Close { column: 1, t: d("0.2"), distance: Distance::Equal },
    ];
    let whole = Whole { people: 8, ..Whole::default() };
    let columns = vec![protected("illness", &[4, 4]), protected("income", &[0, 2, 2, 4])];
    let requirements = Requirements::new(list, columns, whole).unwrap();
    let incomes = [1, 2, 3].map(|code| requirements.value(1, code).unwrap());
    let rows = [[0, incomes[0]], [0, incomes[1]], [0, incomes[2]], [1, incomes[2]]];
    let row = |i: usize| Row { size: 1, person: 0, values: &rows[i] };
    let mut tally = Tally::of(&requirements, [0, 1, 2].map(row));
    assert_eq!([0, 1].map(|at| tally.fulfils_one(&requirements, at)), [false, true]);
    assert!(tally.would_fulfil(&requirements, Some(row(2)), Some(row(3))));
    assert!(tally.would_fulfil(&requirements, None, Some(row(3))));
    tally.exchange(&requirements, row(0), row(3));
    assert_eq!([0, 1].map(|at| tally.fulfils_one(&requirements, at)), [true, false]);
    let group = Group::of(&requirements, [1, 2, 3].map(row));
    assert_eq!(requirements.first_unfulfilled(&group), Some(&requirements.list()[1]));
}

#[test]
fn the_largest_tables_and_parameters_do_not_overflow() {
    let people = Requirements::MOST_PEOPLE;
    let totals = vec![people - 3, 2, 1];
    let order = Some(vec![0, 1, 2]);
    let protected =
        Protected { name: "illness".into(), totals: totals.clone(), order, ..Protected::default() };
    let whole = Whole { people, persons: None, population: Some(people) };
    let column = 0;
    let list = vec![
        Requirement::Presence { min: d("1"), max: d("1") },
        Requirement::Entropy { column, l: d("1") },
        Requirement::Recursive { column, c: Decimal::MAX, l: 1 },
        Requirement::Close { column, t: d("0.999999999"), distance: Distance::Equal },
        Requirement::Close { column, t: d("0.999999999"), distance: Distance::Ordered },
        Requirement::Likeness { column, beta: Decimal::MAX, enhanced: false },
        Requirement::Likeness { column, beta: Decimal::MAX, enhanced: true },
        Requirement::Disclosure { column, delta: Requirements::MOST_DELTA },
    ];
    let requirements = Requirements::new(list, vec![protected], whole).unwrap();
    assert_eq!(requirements.check_possible(), Ok(()));
    let row = |value: &'static [u32; 1]| Row { size: totals[value[0] as usize], person: 0, values: value };
    let mut tally = Tally::of(&requirements, [row(&[0]), row(&[1]), row(&[2])]);
    tally.population = Some(people);
    assert!(tally.fulfils(&requirements));
    // The rare values alone: a million times as frequent as in the table and more. By order, the way from the
    // first rank to the others is only two thirds of the longest.
    tally.remove(&requirements, row(&[0]));
    tally.population = Some(3);
    let rare = Group { population: Some(3), ..Group::of(&requirements, [row(&[1]), row(&[2])]) };
    for (at, requirement) in requirements.list().iter().enumerate() {
        let expected = at < 3 || at == 4;
        assert_eq!(tally.fulfils_one(&requirements, at), expected, "{requirement:?}");
        assert_eq!(requirements.holds(requirement, &rare), expected, "{requirement:?}");
    }
}
