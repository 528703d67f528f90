//! Every target on its corpus, on single faults in it, and on seconds of mutants that are new every time.

use kinfold::model::table::keep_still_about_damaged_files;
use kinfold_fuzz::{Random, TARGETS, Target, mutant, single_faults};
use std::hash::{BuildHasher, RandomState};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// New mutants of a target, at 100 per cent of `KINFOLD_ROUNDS`.
const SECONDS: f64 = 2.0;
/// Single faults in a file of the corpus.
const FAULTS: usize = 6000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// Runs it; what fails is kept.
#[track_caller]
fn survives(target: Target, bytes: &[u8]) {
    let started = Instant::now();
    let failed = catch_unwind(|| (target.run)(bytes)).is_err();
    if failed || started.elapsed() > Duration::from_secs(10) {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-failed", target.name));
        std::fs::write(&kept, bytes).unwrap();
        panic!("{} fails or takes ten seconds: {}", target.name, kept.display());
    }
}

fn replay(target: Target) {
    let per_cent: f64 = std::env::var("KINFOLD_ROUNDS").map_or(100.0, |said| said.parse().unwrap());
    let entries = std::fs::read_dir(folder().join(target.name)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let corpus: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(!corpus.is_empty(), "{} has no corpus", target.name);
    let most = (FAULTS as f64 * per_cent / 100.0) as usize / corpus.len() + 1;
    for bytes in &corpus {
        survives(target, bytes);
        let step = (bytes.len() * 6).div_ceil(most).max(1);
        single_faults(bytes, step).for_each(|fault| survives(target, &fault));
    }
    let mut random = Random::new(RandomState::new().hash_one(target.name));
    let end = Instant::now() + Duration::from_secs_f64(SECONDS * per_cent / 100.0);
    let mut tried = 0;
    while Instant::now() < end {
        survives(target, &mutant(&corpus[random.below(corpus.len())], &mut random));
        tried += 1;
    }
    println!("{}: {} files, {tried} mutants", target.name, corpus.len());
    assert!(tried > 0);
}

#[test]
fn every_target_survives() {
    keep_still_about_damaged_files();
    TARGETS.into_iter().for_each(replay);
}

#[test]
fn every_corpus_has_a_target() {
    let mut folders: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let mut names = TARGETS.map(|target| target.name.to_owned());
    names.sort();
    assert_eq!(folders, names);
}
