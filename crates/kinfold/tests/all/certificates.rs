//! Certificates of what the engine proves; those made by hand are in the model's tests.

use crate::support::{Dice, run_with_threads, sample};
use kinfold::bounds::{Strength, prove};
use kinfold::model::certificate::{Certificate, Cut, Refused};
use kinfold::model::encode::Encoded;
use kinfold::model::judge::Bound;
use kinfold::{Choice, solve};

const WORK: u64 = 1 << 40;

fn certified(encoded: &Encoded) -> Certificate {
    let run = run_with_threads(1);
    let mut solution = solve(&encoded.problem, &Choice::Auto, &run).unwrap().solution;
    let prices = prove(&encoded.problem, &mut solution, Strength::Lp, &run).unwrap().unwrap();
    assert!(matches!(solution.bound(), Bound::Checked(_)));
    Certificate::new(&encoded.problem, &solution, prices)
}

#[test]
fn prices_of_pairs_are_part_of_the_proof() {
    let mut dice = Dice(42);
    let mut tables = 0;
    while tables < 20 {
        let Some(sample) = sample(&mut dice, 12, 40) else { continue };
        let problem = &sample.encoded.problem;
        let certificate = certified(&sample.encoded);
        let pairs = |cut: &Cut| cut.records.iter().map(|&r| problem.record_size(r)).sum::<u64>() / 2;
        let Some(at) = certificate.prices.cuts.iter().position(|cut| pairs(cut) > 0) else { continue };
        tables += 1;
        // Without its price a cut costs nothing, so that the sum is larger; but a group it was for is too
        // dear now.
        let mut free = certificate.clone();
        free.prices.cuts[at].price = 0;
        let is = free.prices.bound(problem);
        assert!(is > certificate.bound);
        assert_eq!(free.check(problem, WORK).unwrap_err(), Refused::Bound { said: certificate.bound, is });
        free.bound = is;
        assert!(matches!(free.check(problem, WORK), Err(Refused::Dearer(_))), "{}", sample.recipe);

        let mut strange = certificate.clone();
        strange.prices.cuts[at].records.push(problem.records() as u32);
        assert_eq!(strange.check(problem, WORK).unwrap_err(), Refused::Pairs);
        let mut twice = certificate.clone();
        let first = twice.prices.cuts[at].records[0];
        twice.prices.cuts[at].records.push(first);
        assert_eq!(twice.check(problem, WORK).unwrap_err(), Refused::Pairs);
    }
}

#[test]
fn certificates_survive_writing_and_reading() {
    let mut dice = Dice(41);
    let mut tables = 0;
    while tables < 60 {
        let Some(sample) = sample(&mut dice, 4, 30) else { continue };
        let certificate = certified(&sample.encoded);
        let text = certificate.write();
        assert_eq!(Certificate::read(&text), Ok(certificate.clone()));
        let solution = certificate.check(&sample.encoded.problem, WORK).unwrap();
        let least = sample.encoded.problem.round_up(certificate.bound);
        assert_eq!(solution.bound(), Bound::Checked(least), "{}", sample.recipe);
        assert!(certificate.bound <= certificate.loss);
        tables += 1;
    }
}
