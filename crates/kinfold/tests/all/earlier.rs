//! Earlier releases laid over a new one: measured as plain counting measures it, and groups that leave k people in
//! every intersection.

use crate::support::{Dice, anonymized, enough, policy_for, read_csv, rounds};
use kinfold::model::judge::WITHHELD;
use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::{Anonymized, Earlier, Effort, Error, FileFormat, GroupsFile, Options};
use std::collections::{BTreeMap, BTreeSet};

/// A table of people. A tag of their own tells which rows of two releases are the same person's.
struct People {
    lines: Vec<String>,
    header: String,
    counted: bool,
    persons: bool,
}

impl People {
    fn new(dice: &mut Dice, rows: usize, counted: bool, persons: bool) -> Self {
        let mut header = "tag,age,town,tree,ill".to_owned();
        header += if counted { ",n" } else { "" };
        header += if persons { ",who" } else { "" };
        let mut lines = Vec::new();
        for tag in 0..rows {
            let age = if dice.below(10) == 0 { String::new() } else { (20 + dice.below(30)).to_string() };
            let town = dice.pick(&["Bonn", "Mainz", "Trier", "Ulm", "NA"]);
            let tree = dice.pick(&["ash", "birch", "cedar", "fir", "oak"]);
            let mut line = format!("t{tag},{age},{town},{tree},{}", dice.pick(&["flu", "gout", "itch"]));
            line += &if counted { format!(",{}", dice.below(4)) } else { String::new() };
            line += &if persons { format!(",p{}", dice.below(rows * 2 / 3)) } else { String::new() };
            lines.push(line);
        }
        Self { lines, header, counted, persons }
    }

    /// The table of those for whom this holds, by their place.
    fn table(&self, holds: impl Fn(usize) -> bool) -> Table {
        let lines = self.lines.iter().enumerate().filter(|(at, _)| holds(*at));
        let text = lines.fold(self.header.clone(), |text, (_, line)| format!("{text}\n{line}"));
        read_csv(&(text + "\n"))
    }

    fn policy(&self, k: usize, more: &str, tag: &str, ill: &str) -> String {
        let mut text = format!(
            "k = {k}\n{more}\n[columns]\ntag = {tag}\nage = {{ role = \"quasi\", kind = \"numeric\" }}\n\
             town = {{ role = \"quasi\", kind = \"category\" }}\n\
             tree = {{ role = \"quasi\", hierarchy = \"trees.csv\" }}\nill = {ill}\n"
        );
        text += if self.counted { "n = \"count\"\n" } else { "" };
        text + if self.persons { "who = \"person\"\n" } else { "" }
    }
}

const TAG: &str = "{ role = \"keep\", acknowledge = true }";
const ILL: &str = "\"sensitive\"";
const DIVERSE: &str = "{ role = \"sensitive\", diversity = 2 }";

fn quick(seed: u64) -> Options {
    let mut options = Options::default();
    (options.seed, options.effort) = (seed, Effort::Quick);
    options
}

fn bytes(done: &mut Anonymized) -> Vec<u8> {
    let mut bytes = Vec::new();
    done.write(&mut bytes, FileFormat::default()).unwrap();
    bytes
}

fn earlier(bytes: &[u8], policy: &Policy) -> Result<Earlier, Error> {
    Earlier::read(Source::from_bytes(bytes.to_vec(), &ReadOptions::default())?, "old.csv", policy)
}

fn after(releases: &[&[u8]], policy: &Policy, seed: u64, refuse: bool) -> Options {
    let mut options = quick(seed);
    options.after = releases.iter().map(|bytes| earlier(bytes, policy).unwrap()).collect();
    (options.refuse, options.new_people) = (refuse, refuse.then_some(u64::MAX));
    options
}

/// The cell of a row of a table.
fn cell<'a>(table: &'a Table, column: &str, row: usize) -> &'a str {
    let column = table.column(column).unwrap();
    column.text(column.codes()[row])
}

/// The group of every tag that is released.
fn groups(table: &Table, done: &Anonymized) -> BTreeMap<String, u32> {
    let rows = done.groups().iter().enumerate().filter(|(_, group)| **group != WITHHELD);
    rows.map(|(row, &group)| (cell(table, "tag", row).to_owned(), group)).collect()
}

/// People by the groups that they are in, counted one by one. Those of no people do not count.
fn classes(
    people: &People,
    table: &Table,
    old: &[BTreeMap<String, u32>],
    new: Option<&Anonymized>,
) -> Vec<u64> {
    let mut members: BTreeMap<Vec<Option<u32>>, Vec<usize>> = BTreeMap::new();
    for row in 0..table.rows() {
        let own = new.map_or(0, |done| done.groups()[row]);
        if own != WITHHELD {
            let before = old.iter().map(|groups| groups.get(cell(table, "tag", row)).copied());
            members.entry(before.chain([Some(own)]).collect()).or_default().push(row);
        }
    }
    let size = |rows: &Vec<usize>| match (people.counted, people.persons) {
        (true, _) => rows.iter().map(|&row| cell(table, "n", row).parse::<u64>().unwrap()).sum(),
        (_, true) => rows.iter().map(|&row| cell(table, "who", row)).collect::<BTreeSet<_>>().len() as u64,
        _ => rows.len() as u64,
    };
    let mut sizes: Vec<u64> = members.values().map(size).filter(|&n| n > 0).collect();
    sizes.sort_unstable();
    sizes
}

fn below(sizes: &[u64], most: u64) -> u64 {
    sizes.iter().filter(|&&n| n < most).sum()
}

/// Two earlier releases and a table that shares most people with them, in one random setting.
struct Story {
    people: People,
    table: Table,
    policy: Policy,
    releases: Vec<Vec<u8>>,
    old: Vec<BTreeMap<String, u32>>,
    recipe: String,
}

fn story(dice: &mut Dice, everybody: bool) -> Option<Story> {
    let (counted, persons) = (dice.below(4) == 0, dice.below(5) == 0);
    let rows = 12 + dice.below(40);
    let people = People::new(dice, rows, counted, persons && !counted);
    let k = 2 + dice.below(2);
    let objective = dice.pick(&["ncp", "ncp", "stars"]);
    let withhold = dice.pick(&["0%", "10%", "30%"]);
    let more = format!("objective = \"{objective}\"\nwithhold = \"{withhold}\"");
    let ill = dice.pick(&[ILL, DIVERSE]);
    let left: Vec<usize> = (0..4).map(|_| dice.below(people.lines.len())).collect();
    // Some were in one of the releases alone, some in none, and one has gone since.
    let was_there = |at: usize, release: usize| everybody || left[release] != at && left[3] != at;
    let table = people.table(|at| everybody || left[2] != at);
    let policy = policy_for(&table, &people.policy(k, &more, TAG, ill));
    let (mut releases, mut old) = (Vec::new(), Vec::new());
    for which in 0..1 + dice.below(2) {
        let before = people.table(|at| was_there(at, which));
        let old_k = k * (1 + dice.below(4));
        let older = policy_for(&before, &people.policy(old_k, &more, TAG, ILL));
        let mut done = anonymized(&before, &older, &quick(dice.roll() % 100)).ok()?;
        releases.push(bytes(&mut done));
        old.push(groups(&before, &done));
    }
    let recipe = format!("{more} k {k} {ill}\n{}\n{:?}\n{old:?}", people.header, people.lines);
    Some(Story { people, table, policy, releases, old, recipe })
}

impl Story {
    fn run(&self, seed: u64, refuse: bool) -> Result<Anonymized, Error> {
        let releases: Vec<&[u8]> = self.releases.iter().map(Vec::as_slice).collect();
        anonymized(&self.table, &self.policy, &after(&releases, &self.policy, seed, refuse))
    }
}

#[test]
fn what_is_left_is_what_counting_says() {
    let mut dice = Dice(71);
    let (mut alone, mut new, mut gone) = (0, 0, 0);
    for round in 0..rounds(150) {
        let Some(story) = story(&mut dice, round % 3 == 0) else { continue };
        let Ok(done) = story.run(round as u64, false) else { continue };
        let overlay = done.report.overlay.as_ref().unwrap();
        let sizes = classes(&story.people, &story.table, &story.old, Some(&done));
        let recipe = &story.recipe;
        assert_eq!(overlay.people, sizes.iter().sum::<u64>(), "{recipe}");
        assert_eq!(overlay.alone, below(&sizes, 2), "{recipe}");
        assert_eq!(overlay.below_k, below(&sizes, story.policy.k), "{recipe}");
        assert_eq!(overlay.smallest, sizes[0], "{recipe}");
        let warned = done.report.notes.iter().any(|note| note.to_string().contains("earlier releases"));
        assert_eq!(warned, overlay.below_k > 0, "{recipe}");
        for (release, old) in overlay.releases.iter().zip(&story.old) {
            assert_eq!(release.rows, old.len(), "{recipe}");
            let known = |row: usize| old.contains_key(cell(&story.table, "tag", row));
            let size = |row: usize| match story.people.counted {
                true => cell(&story.table, "n", row).parse::<u64>().unwrap(),
                false => 1,
            };
            let unknown = (0..story.table.rows()).filter(|&row| !known(row));
            assert_eq!(release.new, Some(unknown.map(size).sum::<u64>()), "{recipe}");
            let fitted = (0..story.table.rows()).filter(|&row| known(row)).count();
            assert_eq!(release.gone, Some(old.len() - fitted));
            (new, gone) = (new + release.new.unwrap(), gone + release.gone.unwrap());
        }
        alone += overlay.alone;
    }
    assert!(
        alone as usize >= enough(50) && new as usize >= enough(50) && gone >= enough(20),
        "{alone} {new} {gone}"
    );
}

#[test]
fn no_intersection_falls_below_k_or_nothing_is_published() {
    let mut dice = Dice(72);
    let (mut kept, mut parted, mut refused, mut left_out) = (0, 0, 0, 0);
    for round in 0..rounds(300) {
        let everybody = round % 3 == 0;
        let Some(story) = story(&mut dice, everybody) else { continue };
        let (k, recipe) = (story.policy.k, &story.recipe);
        let before = classes(&story.people, &story.table, &story.old, None);
        match story.run(round as u64, true) {
            Ok(done) => {
                let sizes = classes(&story.people, &story.table, &story.old, Some(&done));
                assert!(sizes[0] >= k, "{sizes:?}\n{recipe}");
                assert_eq!(done.report.overlay.as_ref().unwrap().below_k, 0, "{recipe}");
                assert!(done.report.overlay.as_ref().unwrap().refuse);
                kept += 1;
                parted += usize::from(sizes.len() > before.iter().filter(|&&n| n >= k).count());
                left_out += usize::from(done.report.withheld > 0);
            }
            Err(Error::Overlaid(short)) => {
                let few: Vec<u64> = before.iter().copied().filter(|&n| n < k).collect();
                assert_eq!(short.classes, few.len(), "{recipe}");
                assert_eq!(short.smallest, few[0], "{recipe}");
                if !story.people.persons {
                    assert_eq!(short.people, below(&before, k), "{recipe}");
                }
                assert!(short.people > short.may_withhold || before.iter().all(|&n| n < k), "{recipe}");
                refused += 1;
            }
            // Without those who must be withheld, or at all.
            Err(Error::Unsuitable { what, .. }) => assert!(what.contains("other privacy models"), "{what}"),
            Err(Error::Impossible(_)) => {}
            Err(e) => panic!("{e}\n{recipe}"),
        }
    }
    let seen = (kept, parted, refused, left_out);
    assert!(kept >= enough(80) && parted >= enough(30), "{seen:?}");
    assert!(refused >= enough(30) && left_out >= enough(10), "{seen:?}");
}

/// Where rows of a table have no tag, an old release of the same table with at least the same k can always be
/// kept: its groups are k people, whoever they are paired with.
#[test]
fn the_same_people_can_always_be_kept_together() {
    let mut dice = Dice(73);
    for round in 0..rounds(60) {
        let counted = round % 4 == 0;
        let rows = 20 + dice.below(60);
        let people = People::new(&mut dice, rows, counted, false);
        let table = people.table(|_| true);
        let k = 2 + dice.below(3);
        let policy = |k| policy_for(&table, &people.policy(k, "", "\"drop\"", ILL));
        let first = anonymized(&table, &policy(k * (1 + dice.below(3))), &quick(1));
        let Ok(mut first) = first else { continue };
        let old = bytes(&mut first);
        let second = anonymized(&table, &policy(k), &after(&[&old], &policy(k), 2, true)).unwrap();
        let overlay = second.report.overlay.as_ref().unwrap();
        assert_eq!(
            (overlay.below_k, overlay.releases[0].new, overlay.releases[0].gone),
            (0, Some(0), Some(0))
        );
        assert!(overlay.smallest >= k as u64);
        // A third release has to heed both.
        let mut second = second;
        let new = bytes(&mut second);
        let third = anonymized(&table, &policy(k), &after(&[&old, &new], &policy(k), 3, true)).unwrap();
        assert_eq!(third.report.overlay.as_ref().unwrap().releases.len(), 2);
    }
}

/// Six people in two old groups of three, for k = 3.
const OLD: &str = "age\n[20-22]\n[20-22]\n[20-22]\n[40-42]\n[40-42]\n[40-42]\n";

fn plain(table: &str, policy: &str, releases: &[&str], refuse: bool) -> Result<Anonymized, Error> {
    let table = read_csv(table);
    let policy = policy_for(&table, policy);
    let releases: Vec<&[u8]> = releases.iter().map(|text| text.as_bytes()).collect();
    anonymized(&table, &policy, &after(&releases, &policy, 0, refuse))
}

const AGES: &str = "k = 3\n[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\n";

#[test]
fn near_misses_are_refused_for_the_right_reason() {
    let whole = "age\n20\n21\n22\n40\n41\n42\n";
    assert!(plain(whole, AGES, &[OLD], true).is_ok());
    let said = |table: &str, policy: &str| match plain(table, policy, &[OLD], true) {
        Ok(done) => panic!("{:?}", done.groups()),
        Err(e) => format!("{e}; {}", e.hint().map(|hint| hint.to_string()).unwrap_or_default()),
    };
    // One has gone: two are left of a group of three. A new one does not replace them.
    let fewer = "age\n20\n21\n22\n40\n41\n";
    let what = "no release keeps 3 together in every intersection: the earlier releases by themselves leave 2 rows in 1 \
                intersection of fewer than 3, and 0 may be withheld; allow to leave them out: withhold = 40.00%; use \
                k = 2; without refuse, intersections are only measured";
    assert_eq!(said(fewer, AGES), what);
    let joined = "age\n20\n21\n22\n40\n41\n60\n";
    assert!(said(joined, AGES).contains("leave 3 rows in 2 intersections of fewer than 3"));
    let allowed = |share: &str| format!("withhold = \"{share}\"\n{AGES}");
    assert!(said(fewer, &allowed("39%")).contains("1 may be withheld"));
    let done = plain(fewer, &allowed("40%"), &[OLD], true).unwrap();
    assert_eq!(done.groups(), [0, 0, 0, WITHHELD, WITHHELD]);
    assert!(said("age\n20\n40\n60\n", &allowed("99%")).contains("leave 3 rows in 3 intersections"));
    // Measured alone, all of that is published.
    let done = plain(joined, AGES, &[OLD], false).unwrap();
    let overlay = done.report.overlay.unwrap();
    assert_eq!((overlay.alone, overlay.below_k, overlay.smallest, overlay.people), (1, 3, 1, 6));
    assert_eq!((overlay.releases[0].new, overlay.releases[0].gone), (Some(1), Some(1)));
}

#[test]
fn what_cannot_be_laid_over_is_declined() {
    let said = |policy: &str, old: &str, refuse: bool| {
        let table = read_csv("age,x\n20,a\n21,b\n22,a\n40,b\n41,a\n42,b\n");
        let policy = policy_for(&table, policy);
        let release = earlier(old.as_bytes(), &policy);
        let done = release.and_then(|release| {
            let mut options = quick(0);
            (options.after, options.refuse) = (vec![release], refuse);
            options.new_people = refuse.then_some(9);
            anonymized(&table, &policy, &options)
        });
        done.map(drop).map_err(|e| e.to_string())
    };
    let with = |more: &str| {
        format!("k = 3\n{more}\n[columns]\nage = {{ role = \"quasi\", kind = \"numeric\" }}\nx = \"keep\"\n")
    };
    let old = "age,x\n[20-22],a\n[20-22],a\n[20-22],b\n[40-42],a\n[40-42],b\n[40-42],b\n";
    assert_eq!(said(&with(""), old, true), Ok(()));
    let centres = with("objective = \"radius\"");
    assert!(said(&centres, old, false).unwrap_err().contains("form centres"));
    assert!(said(&with("form = \"codes\""), old, false).unwrap_err().contains("form codes"));
    let columns = with("objective = \"columns\"");
    let stars = old.replace("[20-22]", "*").replace("[40-42]", "*");
    assert_eq!(said(&columns, &stars, false), Ok(()));
    assert!(said(&columns, &stars, true).unwrap_err().contains("objective columns"));
    assert!(said(&with(""), "x\na\n", false).unwrap_err().contains("earlier release old.csv"));
    let others = "age,x\n[60-62],a\n[60-62],a\n[60-62],b\n";
    assert!(said(&with(""), others, false).unwrap_err().contains("no row of earlier release old.csv"));
    // A column that only one of the two has does not matter; one that both have does.
    assert_eq!(said(&with(""), &old.replace(",x", ",y"), true), Ok(()));
    let error = said(&with(""), &old.replace(",b", ",c"), true).unwrap_err();
    assert!(error.contains("leave 3 rows in 2 intersections"), "{error}");
    let mut options = quick(0);
    options.refuse = true;
    let table = read_csv("age\n20\n21\n22\n");
    let error = anonymized(&table, &policy_for(&table, AGES), &options).unwrap_err();
    assert!(error.to_string().contains("no earlier release"));
}

/// Rows that fit several groups are paired by their order, where the old release has that of the table.
#[test]
fn an_order_that_was_kept_is_heeded() {
    let table = "age\n20\n30\n20\n30\n20\n30\n";
    let old = "age\n*\n*\n[20-30]\n[20-30]\n[20-30]\n[20-30]\n";
    let policy = AGES.replace("k = 3", "k = 2");
    let left = |old: &str| {
        let done = plain(table, &policy, &[old], false).unwrap();
        assert_eq!(done.groups(), [0, 1, 0, 1, 0, 1]);
        let overlay = done.report.overlay.as_ref().unwrap();
        assert_eq!((overlay.releases[0].new, overlay.releases[0].gone), (Some(0), Some(0)));
        overlay.alone
    };
    // The first row and the second had a star: one is 20, the other 30.
    assert_eq!(left(old), 2);
}

#[test]
fn threads_and_pieces_change_nothing() {
    let mut dice = Dice(74);
    let people = People::new(&mut dice, 600, false, false);
    let table = people.table(|_| true);
    let old = {
        let policy = policy_for(&table, &people.policy(40, "", "\"drop\"", ILL));
        bytes(&mut anonymized(&table, &policy, &quick(1)).unwrap())
    };
    let policy = policy_for(&table, &people.policy(5, "", "\"drop\"", DIVERSE));
    let made = |threads: usize| {
        let mut options = after(&[&old], &policy, 2, true);
        options.threads = Some(threads);
        let mut done = anonymized(&table, &policy, &options).unwrap();
        assert!(done.report.remark.as_ref().unwrap().contains("intersections of earlier groups"));
        bytes(&mut done)
    };
    let one = made(1);
    assert_eq!(one, made(3));
    assert_eq!(one, made(1));
}

/// A bound for k alone is a bound for what heeds earlier releases, too.
#[test]
fn the_bound_is_for_k_alone() {
    let table = "age,x\n20,a\n21,a\n22,b\n40,a\n41,b\n42,b\n";
    let policy = format!("{AGES}x = \"keep\"\n");
    let old = "age,x\n[20-40],a\n[20-40],a\n[20-40],a\n[22-42],b\n[22-42],b\n[22-42],b\n";
    let free = plain(table, &policy, &[old], false).unwrap().report;
    let kept = plain(table, &policy, &[old], true).unwrap().report;
    assert_eq!((free.bound_for, kept.bound_for), (None, Some("k alone")));
    assert!(free.loss < kept.loss && kept.loss >= kept.bound.unwrap());
}

#[test]
fn people_who_count_as_new_are_refused_unless_allowed() {
    let table = "age\n20\n21\n22\n40\n41\n42\n60\n61\n62\n";
    let said = |refuse: bool, allowed: Option<u64>| {
        let table = read_csv(table);
        let policy = policy_for(&table, AGES);
        let mut options = after(&[OLD.as_bytes()], &policy, 0, refuse);
        options.new_people = allowed;
        let done = anonymized(&table, &policy, &options);
        done.map(|done| done.report.overlay.unwrap().releases[0].new.unwrap())
            .map_err(|e| format!("{e}; {}", e.hint().unwrap()))
    };
    let what = "3 rows of the table fit no row of earlier release old.csv that is left for them, and 2 may count as \
                new: whoever was in it nevertheless could be left among fewer than k; if they were not in it, say so: \
                new_people = 3; or name its groups file: after_groups = FILE";
    assert_eq!(said(true, Some(2)), Err(what.to_owned()));
    assert!(said(true, None).unwrap_err().contains("and 0 may count as new"));
    assert_eq!(said(true, Some(3)), Ok(3));
    // Measured alone, they are counted.
    assert_eq!(said(false, None), Ok(3));
    assert!(said(false, Some(3)).unwrap_err().contains("only where intersections are refused; add refuse"));
}

/// The groups by which everybody is in an earlier release, in the order of a table, with those of a new one.
fn by_true_groups(one: &[u32], two: &[u32]) -> Vec<u64> {
    let mut members: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let both = one.iter().zip(two).filter(|(_, new)| **new != WITHHELD);
    both.for_each(|(&old, &new)| *members.entry((old, new)).or_default() += 1);
    let mut sizes: Vec<u64> = members.into_values().collect();
    sizes.sort_unstable();
    sizes
}

/// Where nothing but quasi-identifiers is published, the cells do not tell which of several pairings is the true one.
#[test]
fn groups_files_give_the_true_links() {
    let mut dice = Dice(75);
    let (mut missed, mut kept, mut refused) = (0, 0, 0);
    for round in 0..rounds(120) {
        let rows = 20 + dice.below(60);
        let people = People::new(&mut dice, rows, false, false);
        let table = people.table(|_| true);
        let k = 2 + dice.below(2);
        let withhold = dice.pick(&["0%", "20%"]);
        let policy = |k: usize, ill: &str| {
            let more = format!("withhold = \"{withhold}\"");
            policy_for(&table, &people.policy(k, &more, "\"drop\"", ill))
        };
        let ill = dice.pick(&[ILL, "\"drop\""]);
        let files: Vec<(Vec<u8>, Vec<u32>)> = (0..1 + dice.below(2) as u64)
            .map(|seed| {
                let mut done = anonymized(&table, &policy(k * 3, ill), &quick(seed + 1)).unwrap();
                (bytes(&mut done), done.groups().to_vec())
            })
            .collect();
        let policy = policy(k, ill);
        let releases: Vec<&[u8]> = files.iter().map(|file| file.0.as_slice()).collect();
        let run = |refuse: bool, linked: bool| {
            let mut options = after(&releases, &policy, round as u64 + 9, refuse);
            if linked {
                options.new_people = None;
                let linked = options.after.drain(..).zip(&files);
                options.after =
                    linked.map(|(old, file)| old.with_groups(GroupsFile::of(file.1.clone()))).collect();
            }
            anonymized(&table, &policy, &options)
        };
        let of_all = |done: &Anonymized| {
            let together: Vec<Vec<u32>> =
                (0..rows).map(|row| files.iter().map(|file| file.1[row]).collect()).collect();
            let number: Vec<u32> = together
                .iter()
                .map(|own| together.iter().position(|other| other == own).unwrap() as u32)
                .collect();
            by_true_groups(&number, done.groups())
        };
        let measured = run(false, true).unwrap();
        let (overlay, sizes) = (measured.report.overlay.as_ref().unwrap(), of_all(&measured));
        assert_eq!((overlay.alone, overlay.below_k), (below(&sizes, 2), below(&sizes, policy.k)));
        assert!(overlay.releases.iter().all(|release| release.by_groups_file));
        for (release, file) in overlay.releases.iter().zip(&files) {
            let withheld = file.1.iter().filter(|group| **group == WITHHELD).count();
            assert_eq!((release.new, release.gone), (Some(withheld as u64), Some(0)));
        }
        if let Ok(done) = run(true, false) {
            missed += usize::from(of_all(&done)[0] < policy.k);
        }
        match run(true, true) {
            Ok(done) => {
                assert!(of_all(&done)[0] >= policy.k);
                kept += 1;
            }
            Err(Error::Overlaid(short)) => {
                assert!(short.people > short.may_withhold, "{short}");
                refused += 1;
            }
            Err(e) => panic!("{e}"),
        }
    }
    assert!(missed >= enough(20) && kept >= enough(50) && refused >= enough(10), "{missed} {kept} {refused}");
}

#[test]
fn groups_files_that_do_not_belong_or_cannot_link_are_refused() {
    let table = "id,age\np,20\nq,21\nr,22\ns,40\nt,41\nu,42\n";
    let policy = format!("{AGES}id = \"identifier\"\n");
    let said = |table: &str, file: &str| {
        let table = read_csv(table);
        let policy = policy_for(&table, &policy);
        let mut options = after(&[OLD.as_bytes()], &policy, 0, true);
        options.new_people = None;
        let groups = GroupsFile::parse(file).map_err(|e| e.to_string())?;
        options.after = options.after.into_iter().map(|old| old.with_groups(groups.clone())).collect();
        let done = anonymized(&table, &policy, &options).map_err(|e| e.to_string())?;
        let overlay = done.report.overlay.unwrap();
        let release = &overlay.releases[0];
        Ok::<_, String>((release.new.unwrap(), release.gone.unwrap(), overlay.below_k))
    };
    let right = "group\n5\n5\n5\n2\n2\n2\n";
    assert_eq!(said(table, right), Ok((0, 0, 0)));
    let wrong = |file: &str, why: &str| {
        let told = said(table, file).unwrap_err();
        assert!(
            told.contains(&format!("the groups file does not belong to the earlier release: {why}")),
            "{told}"
        );
    };
    wrong("group\n5\n5\n5\n2\n2\n\"\"\n", "it has another number of rows");
    wrong("group\n5\n5\n2\n2\n2\n2\n", "its groups have other sizes");
    wrong("group\n5\n5\n2\n5\n2\n2\n", "its groups are not published as those of the release");
    assert!(said(table, "group\n5\n5\n5\n2\n2\n").unwrap_err().contains("has 5 rows and the table 6 rows"));
    assert!(
        said(table, "group\nx\n").unwrap_err().contains("line 2 of the groups file is not a group number")
    );
    // Rows found by a column: in any order, with people who are new or have gone, and with other values since.
    let keyed = "id,group\nu,2\nt,2\ns,2\np,5\nq,5\nr,5\n";
    assert_eq!(said(table, keyed), Ok((0, 0, 0)));
    assert_eq!(said("id,age\nu,52\ns,50\nt,51\n", keyed), Ok((0, 3, 0)));
    let more = "id,age\na,20\nb,21\nc,22\ns,40\nt,41\nu,42\n";
    assert_eq!(said(more, keyed), Ok((3, 3, 0)));
    let fewer = said(&table.replace("u,42\n", ""), keyed).unwrap_err();
    assert!(fewer.contains("leave 2 rows in 1 intersection of fewer than 3"), "{fewer}");
    let why = |file: &str, what: &str| {
        let told = said(table, file).unwrap_err();
        assert!(told.contains(what), "{told}");
    };
    why(
        &keyed.replace("q,", "p,"),
        "\"id\" does not tell the rows of its groups file apart: 1 value is missing or",
    );
    why(&keyed.replace("id,", "name,"), "finds rows by \"name\", and the table has no such column");
    why(&keyed.replace(",group", ",size"), "this is not a groups file");
    why("id,x,group\np,1,5\n", "this is not a groups file");
    why(&keyed.replace("u,2\n", ""), "it has another number of rows");
    let twice = said(&table.replace("q,", "p,"), keyed).unwrap_err();
    assert!(twice.contains("\"id\" does not tell the rows of the table apart"), "{twice}");
    let nobody = said("id,age\na,20\nb,21\nc,22\n", keyed).unwrap_err();
    assert!(nobody.contains("no row of earlier release old.csv"), "{nobody}");
}

#[test]
fn a_secret_seed_is_told_in_the_run_record_alone() {
    let mut dice = Dice(76);
    let people = People::new(&mut dice, 200, false, false);
    let table = people.table(|_| true);
    let policy = policy_for(&table, &people.policy(3, "", "\"drop\"", ILL));
    let mut options = quick(0);
    (options.effort, options.lookup, options.keep_frame) = (Effort::Normal, true, true);
    options.draw_seed().unwrap();
    let mut done = anonymized(&table, &policy, &options).unwrap();
    let seed = done.seed();
    let record: serde_json::Value = serde_json::from_str(&done.record()).unwrap();
    assert_eq!((record["seed"].as_u64(), record["secret_seed"].as_bool()), (Some(seed), Some(true)));
    let facts = done.facts(&kinfold::ReportOptions::default()).unwrap();
    assert_eq!(facts.seed, None);
    use kinfold::report::Json;
    let told = [
        facts.to_json().to_string(),
        kinfold::report::to_html(&facts, Default::default()),
        done.report.to_json().to_string(),
        String::from_utf8(bytes(&mut done)).unwrap(),
        done.lookup().unwrap_or_default().to_owned(),
        done.frame().unwrap().to_json(),
    ];
    assert!(told.iter().all(|text| !text.contains(&seed.to_string())));
    // With it, the release is made again.
    (options.seed, options.secret_seed) = (seed, false);
    let mut again = anonymized(&table, &policy, &options).unwrap();
    assert_eq!(bytes(&mut again), bytes(&mut done));
    assert_eq!(again.facts(&kinfold::ReportOptions::default()).unwrap().seed, Some(seed));
}
