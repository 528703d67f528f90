//! From what was typed to tables, policies and runs.

use crate::args::{PolicyArgs, ReadArgs, SolveArgs};
use crate::failure::Failure;
use crate::flags;
use kinfold::model::policy::{Draft, Source};
use kinfold::model::table::{self, Header};
use kinfold::model::verify::read_lookup;
use kinfold::model::world::Disk;
use kinfold::model::{Call, Frame, Limits, Lookup, Policy, ReadOptions, TableError};
use kinfold::report::count;
use kinfold::{Earlier, GroupsFile, Options};
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
    let file = args.policy.as_deref().map(|path| Source::open(&*world, path)).transpose()?;
    Ok(Draft::read(world, file.into_iter().chain(flags::sources(args, k)).collect()))
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

/// Releases that were published before, and who was in which of their groups, if that is named for every one; each may
/// take as much memory as the table.
pub fn earlier(
    paths: &[PathBuf],
    groups: &[PathBuf],
    policy: &Policy,
    read: &ReadArgs,
    call: &Call,
) -> Result<Vec<Earlier>, Failure> {
    if !groups.is_empty() && groups.len() != paths.len() {
        return Err(Failure::usage(
            format!(
                "--after is given {}, --after-groups {}",
                count(paths.len(), "time", "times"),
                count(groups.len(), "time", "times")
            ),
            "name a groups file for every earlier release, in their order",
        ));
    }
    let options = ReadOptions { header: Header::Yes, ..read_options(read, call) };
    let mut groups = groups.iter();
    let open = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let release = Earlier::read(table::Source::open(path, &options)?, name, policy)?;
        Ok(match groups.next() {
            Some(path) => release.with_groups(GroupsFile::parse(&text(path, "the groups file", read)?)?),
            None => release,
        })
    };
    paths.iter().map(open).collect()
}

/// The text of a file.
pub fn text(path: &Path, what: &str, read: &ReadArgs) -> Result<String, Failure> {
    disk(read)
        .text(path)
        .map_err(|e| Failure::usage(format!("cannot read {what} {}: {e}", path.display()), "check the path"))
}

/// How the library is to work.
pub fn options(args: &SolveArgs, read: &ReadArgs, call: &Call) -> Result<Options, Failure> {
    let mut options = Options::default();
    args.seed.set(&mut options)?;
    options.effort = args.effort;
    options.threads = args.threads.map(usize::from);
    options.time_limit = args.time_limit;
    options.limits = read_options(read, call).limits;
    options.call = call.clone();
    Ok(options)
}
