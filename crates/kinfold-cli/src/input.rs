//! From what was typed to tables, policies and runs.

use crate::args::{Effort, PolicyArgs, ReadArgs, SolveArgs, Strength};
use crate::failure::Failure;
use kinfold::model::call::Call;
use kinfold::model::frame::Frame;
use kinfold::model::policy::{Draft, Place, Policy, Protection, Role};
use kinfold::model::table::{Header, Limits, ReadOptions, Source, TableError};
use kinfold::model::verify::{Lookup, read_lookup};
use kinfold::model::world::Disk;
use kinfold::{Earlier, Options};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn read_options(args: &ReadArgs, call: &Call) -> ReadOptions {
    ReadOptions {
        delimiter: args.delimiter,
        encoding: args.encoding.clone(),
        header: args.header.unwrap_or_default(),
        limits: Limits { memory: args.max_memory, ..Limits::default() },
        call: call.clone(),
    }
}

/// The files beside the table, within the memory that may be used.
pub fn disk(args: &ReadArgs) -> Disk {
    Disk::within(args.max_memory)
}

/// What the policy file and the flags say, flags last.
pub fn draft(args: &PolicyArgs, k: Option<i64>, read: &ReadArgs) -> Result<Draft, Failure> {
    let world = Arc::new(disk(read));
    let mut draft = match &args.policy {
        Some(path) => Draft::open_in(world, path)?,
        None => Draft::within(world),
    };
    let flag = |name| Some(Place::Setting(name));
    if let Some(k) = k {
        draft.k(k, flag("k"));
    }
    args.quasi.iter().for_each(|spec| draft.quasi_flag(spec));
    let roles = [
        ("identifier", &args.identifier, Role::Identifier),
        ("person", &args.person, Role::Person),
        ("sensitive", &args.sensitive, Role::Sensitive(Protection::default())),
        ("keep", &args.keep, Role::Keep),
        ("drop", &args.drop, Role::Drop),
    ];
    for (name, columns, role) in roles {
        columns.iter().for_each(|column| draft.column(column, role.clone(), flag(name)));
    }
    if let Some(column) = &args.count {
        draft.column(column, Role::Count, flag("count"));
    }
    if let Some(column) = &args.setup_column {
        draft.column(column, Role::Setup, flag("setup_column"));
    }
    let models = [
        ("diversity", &args.diversity),
        ("closeness", &args.closeness),
        ("likeness", &args.likeness),
        ("disclosure", &args.disclosure),
    ];
    for (flag, specs) in models {
        specs.iter().for_each(|spec| draft.model_flag(flag, spec));
    }
    args.acknowledge.iter().for_each(|column| draft.acknowledge(column, flag("acknowledge")));
    if args.drop_rest {
        draft.drop_rest();
    }
    args.domain.iter().for_each(|spec| draft.domain_flag(spec));
    if args.blunt {
        draft.blunt(true, flag("blunt"));
    }
    args.round.iter().for_each(|spec| draft.round_flag(spec));
    if let Some(tokens) = &args.missing {
        draft.missing(tokens.clone());
    }
    if let Some(word) = &args.objective {
        draft.objective(word, flag("objective"));
    }
    if let Some(share) = &args.withhold {
        draft.withhold(share, flag("withhold"));
    }
    if let Some(word) = &args.form {
        draft.form(word, flag("form"));
    }
    if args.one_radius {
        draft.one_radius(true, flag("one_radius"));
    }
    if args.per_group {
        draft.per_group(true, flag("per_group"));
    }
    if let Some(groups) = args.max_groups {
        draft.max_groups(groups, flag("max_groups"));
    }
    if let Some(word) = &args.metric {
        draft.combine(word, flag("metric"));
    }
    if let Some(word) = &args.scale {
        draft.scale(word, flag("scale"));
    }
    args.unit.iter().for_each(|spec| draft.unit_flag(spec));
    args.points.iter().for_each(|pair| draft.point(pair, flag("points")));
    if let Some(word) = &args.centre {
        draft.centre(word, flag("centre"));
    }
    if let Some(cost) = args.setup {
        draft.setup(cost, flag("setup"));
    }
    Ok(draft)
}

/// What names in a release stand for.
pub fn lookup(path: &Path, read: &ReadArgs) -> Result<Lookup, Failure> {
    let text = disk(read).text(path).map_err(|source| TableError::Io { path: path.to_owned(), source })?;
    read_lookup(&text)?.ok_or_else(|| {
        Failure::usage(
            format!("{} is not a lookup file", path.display()),
            "anonymize --lookup FILE writes one: column,name,set",
        )
    })
}

/// What was learned from an earlier table.
pub fn frame(path: &Path, read: &ReadArgs) -> Result<Frame, Failure> {
    let text = disk(read).text(path).map_err(|e| {
        Failure::usage(format!("cannot read {}: {e}", path.display()), "check the path of the frame")
    })?;
    Frame::from_json(&text)
        .map_err(|e| Failure::usage(format!("{}: {e}", path.display()), "anonymize --frame FILE writes one"))
}

/// Releases that were published before; each may take as much memory as the table.
pub fn earlier(
    paths: &[PathBuf],
    policy: &Policy,
    read: &ReadArgs,
    call: &Call,
) -> Result<Vec<Earlier>, Failure> {
    let options = ReadOptions { header: Header::Yes, ..read_options(read, call) };
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Earlier::read(Source::open(path, &options)?, name, policy)?)
    };
    paths.iter().map(read).collect()
}

/// How the library is to work.
pub fn options(args: &SolveArgs, read: &ReadArgs, call: &Call) -> Options {
    let mut options = Options::default();
    options.seed = args.seed;
    options.effort = args.effort.into();
    options.threads = args.threads.map(usize::from);
    options.time_limit = args.time_limit;
    options.limits = read_options(read, call).limits;
    options.call = call.clone();
    options
}

impl From<Effort> for kinfold::Effort {
    fn from(typed: Effort) -> Self {
        match typed {
            Effort::Quick => Self::Quick,
            Effort::Normal => Self::Normal,
            Effort::Deep => Self::Deep,
        }
    }
}

impl From<Strength> for kinfold::bounds::Strength {
    fn from(typed: Strength) -> Self {
        match typed {
            Strength::None => Self::None,
            Strength::Quick => Self::Quick,
            Strength::Lp => Self::Lp,
        }
    }
}
