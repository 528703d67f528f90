//! From what was typed to tables, policies and runs.

use crate::args::{PolicyArgs, ReadArgs, SolveArgs};
use crate::failure::Failure;
use kinfold::Run;
use kinfold::model::encode::EncodeError;
use kinfold::model::policy::{Draft, Mistakes, Place, Role};
use kinfold::model::table::{Limits, ReadOptions, TableError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

/// Raised by Ctrl-C or a polite kill; every long loop looks at it.
pub static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(false)));

/// From now on, Ctrl-C stops the work cleanly; pressed again, at once.
pub fn watch_for_stop() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|e| Failure::Usage { what: format!("cannot watch for Ctrl-C: {e}"), hint: None })
}

/// Fails once the user stopped the work.
pub fn check_stop() -> Result<(), Failure> {
    if STOP.load(Ordering::Relaxed) { Err(Failure::Stopped) } else { Ok(()) }
}

pub fn read_options(args: &ReadArgs) -> ReadOptions {
    ReadOptions {
        delimiter: args.delimiter,
        encoding: args.encoding.clone(),
        limits: Limits { memory: args.max_memory, ..Limits::default() },
        stop: Some(STOP.clone()),
        progress: Some(crate::progress::rows_read),
    }
}

/// What the policy file and the flags say, flags last.
pub fn draft(args: &PolicyArgs, k: Option<i64>) -> Result<Draft, Failure> {
    let mut draft = match &args.policy {
        Some(path) => {
            let bytes =
                std::fs::read(path).map_err(|source| TableError::Io { path: path.clone(), source })?;
            let text = String::from_utf8(bytes).map_err(|_| {
                Failure::usage(format!("{} is not UTF-8 text", path.display()), "a policy is a TOML file")
            })?;
            Draft::from_toml(&text, path)
        }
        None => Draft::new(),
    };
    let flag = |name| Some(Place::Flag(name));
    if let Some(k) = k {
        draft.k(k, flag("-k"));
    }
    args.quasi.iter().for_each(|spec| draft.quasi_flag(spec));
    let roles = [
        ("--identifier", &args.identifier, Role::Identifier),
        ("--sensitive", &args.sensitive, Role::Sensitive),
        ("--keep", &args.keep, Role::Keep),
        ("--drop", &args.drop, Role::Drop),
    ];
    for (name, columns, role) in roles {
        columns.iter().for_each(|column| draft.column(column, role.clone(), flag(name)));
    }
    if let Some(column) = &args.count {
        draft.column(column, Role::Count, flag("--count"));
    }
    args.domain.iter().for_each(|spec| draft.domain_flag(spec));
    if let Some(tokens) = &args.missing {
        draft.missing(tokens.clone());
    }
    if let Some(word) = &args.objective {
        draft.objective(word, flag("--objective"));
    }
    if let Some(share) = &args.withhold {
        draft.withhold(share, flag("--withhold"));
    }
    if let Some(word) = &args.form {
        draft.form(word, flag("--form"));
    }
    Ok(draft)
}

pub fn run(args: &SolveArgs) -> Run {
    let mut run = Run { seed: args.seed, stop: STOP.clone(), ..Run::default() };
    if let Some(threads) = args.threads {
        run.threads = usize::from(threads);
    }
    run.deadline = args.time_limit.map(|limit| Instant::now() + limit);
    run
}

/// Mistakes found in the table point into the policy file as well.
pub fn with_file(error: EncodeError, file: &Option<(String, String)>) -> EncodeError {
    match error {
        EncodeError::Policy(Mistakes { list, .. }) => {
            EncodeError::Policy(Mistakes { list, file: file.clone() })
        }
        other => other,
    }
}
