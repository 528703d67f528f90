//! Risk against the definitions, worked out from the cells by other code.

use crate::support::{Dice, anonymized, policy_for, read_csv};
use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::read_lookup;
use kinfold::report::RiskReport;
use kinfold::{Error, FileFormat, Options, RiskOptions, read_whole, risk};

const POLICY: &str = r#"
k = 3
[columns]
age = { role = "quasi", kind = "numeric" }
size = { role = "quasi", kind = "numeric" }
ill = { role = "sensitive" }
"#;

fn people(rows: usize, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::from("age,size,ill\n");
    for _ in 0..rows {
        let (age, size) = (20 + dice.below(15), 150 + dice.below(8));
        text += &format!("{age},{size},{}\n", dice.pick(&["gout", "itch", "itch"]));
    }
    text
}

fn of(csv: &str, policy: &Policy, options: &RiskOptions<'_>) -> Result<RiskReport, Error> {
    let source = Source::from_bytes(csv.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    risk(read_whole(source).unwrap(), policy, options)
}

fn released(table: &Table, policy: &Policy) -> String {
    let mut bytes = Vec::new();
    let mut done = anonymized(table, policy, &Options::default()).unwrap();
    done.write(&mut bytes, FileFormat::default()).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The ends of the range that a cell says.
fn ends(cell: &str) -> (i64, i64) {
    let inner = cell.trim_matches(['[', ']']);
    match inner.split_once('-') {
        Some((low, high)) => (low.parse().unwrap(), high.parse().unwrap()),
        None => (inner.parse().unwrap(), inner.parse().unwrap()),
    }
}

fn rows(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

fn covers(row: &[&str], person: &[&str]) -> bool {
    (0..2).all(|c| {
        let ((low, high), value) = (ends(row[c]), person[c].parse::<i64>().unwrap());
        low <= value && value <= high
    })
}

#[test]
fn linkage_is_as_everybody_looked_up_in_every_row() {
    for seed in 0..5 {
        let csv = people(60, seed);
        let table = read_csv(&csv);
        let policy = policy_for(&table, POLICY);
        let release = released(&table, &policy);
        let mut options = RiskOptions::default();
        options.original = Some(&table);
        let found = of(&release, &policy, &options).unwrap().linkage.unwrap();
        let (people, published) = (rows(&csv), rows(&release));
        let fitting: Vec<Vec<&Vec<&str>>> =
            people.iter().map(|p| published.iter().filter(|row| covers(row, p)).collect()).collect();
        let groups = |fit: &Vec<&Vec<&str>>| {
            let mut looks: Vec<&[&str]> = fit.iter().map(|row| &row[..2]).collect();
            looks.sort_unstable();
            looks.dedup();
            looks.len()
        };
        assert_eq!(found.people, 60);
        assert_eq!(found.fewest, fitting.iter().map(Vec::len).min().unwrap() as u64);
        assert_eq!(found.pinned, fitting.iter().filter(|fit| groups(fit) == 1).count() as u64);
        let average = fitting.iter().map(Vec::len).sum::<usize>() as f64 / 60.0;
        assert!((found.average - average).abs() < 1e-12 && !found.sampled && found.unmatched == 0);
    }
}

#[test]
fn a_journalist_counts_who_of_the_population_fits() {
    let csv = people(40, 9);
    let table = read_csv(&csv);
    let policy = policy_for(&table, POLICY);
    let everybody = csv.clone() + people(200, 10).split_once('\n').unwrap().1;
    let population = read_csv(&everybody);
    let mut options = RiskOptions::default();
    options.population = Some(&population);
    for shown in [csv.clone(), released(&table, &policy)] {
        let found = of(&shown, &policy, &options).unwrap();
        let journalist = found.journalist.unwrap();
        let fit: Vec<usize> = rows(&shown)
            .iter()
            .map(|row| rows(&everybody).iter().filter(|person| covers(row, person)).count())
            .collect();
        assert_eq!(journalist.k_map, *fit.iter().min().unwrap() as f64);
        let average = fit.iter().map(|&fit| 1.0 / fit as f64).sum::<f64>() / fit.len() as f64;
        assert!((journalist.average - average).abs() < 1e-12 && journalist.counted);
        assert_eq!((journalist.without_match, found.marketer), (0, journalist.average));
        assert_eq!(found.population_uniques.unwrap().population, 240.0);
    }
}

#[test]
fn attributes_are_guessed_by_the_commonest_of_the_class() {
    let csv = "age,size,ill\n20,150,gout\n20,150,gout\n20,150,itch\n21,150,itch\n22,151,gout\n22,151,gout\n";
    let policy = policy_for(&read_csv(csv), POLICY);
    let found = of(csv, &policy, &RiskOptions::default()).unwrap();
    let ill = &found.attributes[0];
    assert_eq!((ill.certain_people, ill.likely_people), (3, 3));
    assert_eq!((ill.best_guess, ill.base_rate), (5.0 / 6.0, 4.0 / 6.0));
    assert_eq!((found.sample_uniques, found.classes, found.people), (1, 3, 6));
    assert_eq!(found.prosecutor.highest, 1.0);
    assert_eq!(found.single_columns[0].columns, ["age"]);
    assert_eq!(found.single_columns[0].distinction, 0.5);
}

#[test]
fn persons_are_counted_where_the_table_names_them() {
    let csv = "who,age,size,ill\na,20,150,x\na,20,150,y\nb,20,150,x\nc,30,160,x\nc,30,160,y\n";
    let policy =
        policy_for(&read_csv(csv), &POLICY.replace("[columns]", "[columns]\nwho = { role = \"person\" }"));
    let found = of(csv, &policy, &RiskOptions::default()).unwrap();
    assert_eq!((found.people, found.sample_uniques, found.rows), (3, 1, 5));
    assert!(found.notes.is_empty());
    let without = "age,size,ill\n20,150,x\n20,150,y\n20,150,x\n";
    assert_eq!(of(without, &policy, &RiskOptions::default()).unwrap().notes.len(), 1);
}

#[test]
fn tables_and_releases_of_centres_are_both_read() {
    let csv = people(30, 4);
    let table = read_csv(&csv);
    for more in ["", "per_group = true\n"] {
        let text = format!("objective = \"sse\"\n{more}{}", POLICY.trim_start());
        let policy = policy_for(&table, &text);
        assert!(of(&csv, &policy, &RiskOptions::default()).unwrap().sample_uniques > 0);
        let found = of(&released(&table, &policy), &policy, &RiskOptions::default()).unwrap();
        assert_eq!((found.people, found.sample_uniques), (30, 0), "{more}");
        assert!(found.prosecutor.highest <= 1.0 / 3.0);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let csv = people(20, 1);
    let policy = policy_for(&read_csv(&csv), POLICY);
    let refused = |change: &dyn Fn(&mut RiskOptions<'_>)| {
        let mut options = RiskOptions::default();
        change(&mut options);
        of(&csv, &policy, &options).unwrap_err().to_string()
    };
    assert!(refused(&|o| o.thresholds = vec![1.5]).contains("no risk"));
    assert!(refused(&|o| o.sampling_fraction = Some(0.0)).contains("sampling fraction"));
    assert!(refused(&|o| o.population_size = Some(19)).contains("smaller than the table"));
    let both = |o: &mut RiskOptions<'_>| {
        (o.population_size, o.sampling_fraction) = (Some(100), Some(0.2));
    };
    assert!(refused(&both).contains("both given"));
}

/// Straight from the definition: of everybody whom the cells of a group fit, one alone has the value at an end.
fn singled_out(people: &[Vec<&str>], published: &[Vec<&str>]) -> usize {
    let mut alone = std::collections::BTreeSet::new();
    for row in published {
        for column in 0..2 {
            let (low, high) = ends(row[column]);
            for end in [low, high].into_iter().filter(|_| low < high) {
                let has = |p: &&Vec<&str>| covers(row, p) && p[column].parse() == Ok(end);
                let at_it: Vec<usize> = (0..people.len()).filter(|&p| has(&&people[p])).collect();
                if let [one] = at_it[..] {
                    alone.insert(one);
                }
            }
        }
    }
    alone.len()
}

#[test]
fn exact_ends_are_measured_from_the_release_as_from_the_groups() {
    let mut all = 0;
    for seed in 0..20 {
        let csv = people(80, seed);
        let table = read_csv(&csv);
        let policy = policy_for(&table, POLICY);
        let mut options = RiskOptions::default();
        let release = released(&table, &policy);
        assert_eq!(of(&release, &policy, &options).unwrap().singled_out, None, "only the original tells");
        options.original = Some(&table);
        let found = of(&release, &policy, &options).unwrap();
        let alone = singled_out(&rows(&csv), &rows(&release));
        assert_eq!(found.singled_out, Some(alone as f64 / 80.0));
        let report = anonymized(&table, &policy, &Options::default()).unwrap().report;
        assert_eq!(found.singled_out, report.singled_out);
        assert_eq!(found.values_told, report.values_told);
        all += alone;
    }
    assert!(all > 100, "the comparison must be about something");
}

#[test]
fn exact_ends_of_every_form_and_kind() {
    let mut csv = String::from("age,size,town,area,ill\n");
    let mut dice = Dice(3);
    for _ in 0..90 {
        let (age, size) = (20 + dice.below(30), 150 + dice.below(20));
        let (town, area) = (dice.pick(&["Ulm", "Bonn", "Trier", "NA"]), dice.pick(&["A1", "A2", "B1"]));
        csv += &format!("{age},{size},{town},{area},{}\n", dice.pick(&["gout", "itch"]));
    }
    let table = read_csv(&csv);
    let said = |form: &str, age: &str| {
        let columns = "size = \"quasi\"\ntown = \"quasi\"\narea = { role = \"quasi\", prefix = [1] }\nill = \"sensitive\"\n";
        policy_for(
            &table,
            &format!("k = 4\nform = \"{form}\"\n[columns]\nage = {{ role = \"quasi\"{age} }}\n{columns}"),
        )
    };
    for form in ["ranges", "bounds", "midpoint", "codes"] {
        let exact = said(form, "");
        let mut done = anonymized(&table, &exact, &Options::default()).unwrap();
        let mut options = RiskOptions::default();
        options.original = Some(&table);
        options.lookup = done.lookup().and_then(|text| read_lookup(text).unwrap()).unwrap_or_default();
        let mut bytes = Vec::new();
        done.write(&mut bytes, FileFormat::default()).unwrap();
        let release = String::from_utf8(bytes).unwrap();
        let found = of(&release, &exact, &options).unwrap();
        assert!(found.singled_out.unwrap() > 0.0, "{form}");
        assert_eq!(found.singled_out, done.report.singled_out, "{form}");
        // Rounded ends are nobody's value.
        let rounded = said(form, ", round = 5");
        let blunt = of(&released(&table, &rounded), &rounded, &options);
        if let Ok(blunt) = blunt {
            assert!(blunt.values_told.unwrap_or(0.0) < found.values_told.unwrap(), "{form}");
        }
    }
    // Centres and stars have no ends.
    let stars = policy_for(
        &table,
        "k = 4\nobjective = \"stars\"\n[columns]\nage = \"quasi\"\nsize = \"quasi\"\ntown = \"drop\"\narea = \"drop\"\nill = \"sensitive\"\n",
    );
    let mut options = RiskOptions::default();
    options.original = Some(&table);
    assert_eq!(of(&released(&table, &stars), &stars, &options).unwrap().singled_out, None);
}
