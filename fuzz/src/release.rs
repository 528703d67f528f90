//! Bytes → table and policy → release → verifier and judge. Both must pass it; of a spoiled release they must say the same.

use crate::judge::{Case, Kind, Model, is_safe, is_true};
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::{Effort, Error, FileFormat, Options, Policy, VerifyOptions, anonymize, read_release, verify};

/// Choices that the bytes make, one after the other; 0 once they are used up.
struct Dice<'a>(&'a [u8]);

impl Dice<'_> {
    fn below(&mut self, end: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first) % end
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// The release as text; nothing if the policy cannot be fulfilled.
pub fn anonymized(table: &Table, policy: &Policy, seed: u64) -> Option<String> {
    let mut options = Options::default();
    (options.effort, options.seed, options.threads) = (Effort::Quick, seed, Some(1));
    let mut bytes = Vec::new();
    let made = anonymize(table, policy, &options).and_then(|grouped| grouped.into_batches());
    match made.and_then(|mut done| done.write(&mut bytes, FileFormat::default())) {
        Ok(()) => String::from_utf8(bytes).ok(),
        Err(Error::Refused(why)) => panic!("our own release is refused: {why}"),
        Err(_) => None,
    }
}

fn source(text: &str) -> Source {
    Source::from_bytes(text.into(), &ReadOptions::default()).expect("a table")
}

pub fn run(bytes: &[u8]) {
    let mut dice = Dice(bytes);
    let case = case(&mut dice);
    if case.rows.is_empty() {
        return;
    }
    let table = source(&case.table()).read(|_| true).expect("a table");
    let Ok(policy) = Policy::parse(&case.policy()).for_table(&table) else { panic!("{}", case.policy()) };
    let Some(text) = anonymized(&table, &policy, dice.below(256) as u64) else { return };
    let lines: Vec<Vec<String>> =
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    assert_eq!(is_safe(&case, &lines), Ok(()), "{text}");
    assert_eq!(is_true(&case, &lines), Ok(()), "{text}");
    // One cell takes the place of another of its column: perhaps it is safe and true still.
    let mut spoiled = lines;
    let (row, other) = (1 + dice.below(spoiled.len() - 1), 1 + dice.below(spoiled.len() - 1));
    let column = dice.below(spoiled[0].len());
    spoiled[row][column] = spoiled[other][column].clone();
    let text: String = spoiled.iter().map(|cells| cells.join(",") + "\n").collect();
    let published = read_release(source(&text), &policy, true).expect("a release");
    let mut options = VerifyOptions::default();
    options.original = Some(&table);
    let verdict = verify(published, &policy, options).expect("a verdict");
    assert_eq!(verdict.safe, is_safe(&case, &spoiled).is_ok(), "{:?}\n{text}", is_safe(&case, &spoiled));
    // What is true to the letter is true to the verifier. The reverse is not compared yet.
    let holds = verdict.truth.expect("the original is given").holds;
    assert!(holds || is_true(&case, &spoiled).is_err(), "{text}");
}

fn case(dice: &mut Dice<'_>) -> Case {
    let k = 2 + dice.below(3);
    let kinds = [Kind::Number, Kind::Label, Kind::Level, Kind::Code];
    let kinds: Vec<Kind> = (0..=dice.below(3)).map(|_| kinds[dice.below(4)]).collect();
    let model =
        [Model::None, Model::Distinct(2), Model::Close(30), Model::Close(60), Model::Like(1), Model::Like(3)]
            [dice.below(6)];
    let withhold = [0, 0, 10, 30][dice.below(4)];
    let mut rows = Vec::new();
    while !dice.0.is_empty() && rows.len() < 40 {
        let mut cells: Vec<&str> = kinds.iter().map(|&kind| dice.of(Case::cells(kind))).collect();
        cells.push(dice.of(&["flu", "cold", "burn", "none"]));
        rows.push(cells);
    }
    Case { k, kinds, model, withhold, rows }
}
