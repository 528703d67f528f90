//! The page: prints where it is, opens the browser, and serves until the program is stopped.

use super::Voice;
use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::input;
use crate::page::{Folders, Settings, serve};
use kinfold::model::Call;
use kinfold::report::text::{FAINT, STRONG};
use serde::Serialize;
use std::fs::File;
use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};

#[derive(Serialize)]
struct ServeReport<'a> {
    address: &'a str,
}

pub fn run(args: &ServeArgs, voice: &Voice) -> Result<(), Failure> {
    let root = std::env::current_dir().map_err(|e| unreadable(Path::new("."), &e))?;
    for path in [&args.table, &args.policy].into_iter().flatten() {
        File::open(path).map_err(|e| unreadable(path, &e))?;
    }
    let folders = Folders::new(&root, args.table.as_deref(), args.policy.as_deref())
        .map_err(|e| unreadable(&root, &e))?;
    remove_stale();
    let (private, _in_use) = private_folder().map_err(|e| {
        Failure::usage(
            format!("cannot make a private folder: {e}"),
            "set TMPDIR to a folder that can be written",
        )
    })?;
    let folder = private.keep();
    let gone = folder.clone();
    voice.when_stopped(move || remove(&gone));
    // Every job is a call of its own.
    let reading = input::read_options(&args.read, &Call::new());
    let settings = Settings { folders, reading, port: args.port, idle: args.idle };
    let served = serve(settings, &folder, |address| {
        // Without its address the page is of no use, however quiet.
        Voice { quiet: false, ..voice.clone() }.result(&ServeReport { address }, || {
            format!(
                "{STRONG}{address}{STRONG:#}\n\n\
                 {FAINT}Tables below {} can be opened. Only this machine can reach the page, and only with\n\
                 this address. Ctrl-C ends it and deletes its temporary files.{FAINT:#}\n",
                root.display()
            )
        })?;
        if !args.no_open && std::io::stdout().is_terminal() {
            open_browser(address, &folder);
        }
        Ok(())
    });
    remove(&folder);
    served
}

/// Removes the private folder. A job may be writing to it: once more, then.
fn remove(folder: &Path) {
    for _ in 0..10 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
    }
}

fn unreadable(path: &Path, e: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot read {}: {e}", path.display()), "check the path")
}

/// Opens the page if there is a browser. The token must not be seen in the list of processes: what is opened
/// is a private file that leads there.
fn open_browser(address: &str, folder: &Path) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else if ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some()) {
        "xdg-open"
    } else {
        return;
    };
    let file = folder.join("open.html");
    let text = format!(
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={address}\"><title>Kinfold</title>\n"
    );
    if std::fs::write(&file, text).is_ok() {
        // Without a browser the printed address is enough.
        let quiet = || Stdio::null();
        let _ = Command::new(program).arg(file).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    }
}

/// A folder that only this user can read, for what the page keeps.
/// A file in it is locked while it is in use.
fn private_folder() -> std::io::Result<(tempfile::TempDir, File)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir()?;
    // It gets its name once it is locked: nobody takes the folder for a stale one before.
    let (new, in_use) = (folder.path().join("new"), folder.path().join(IN_USE));
    let lock = File::create(&new)?;
    lock.lock()?;
    std::fs::rename(new, in_use)?;
    Ok((folder, lock))
}

const PREFIX: &str = "kinfold.";
const IN_USE: &str = "in-use";

/// Removes the folders of servers that were killed and could not do it.
fn remove_stale() {
    let Ok(entries) = std::env::temp_dir().read_dir() else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // Links are not followed.
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let lock = entry.path().join(IN_USE);
        let file = lock.symlink_metadata().is_ok_and(|meta| meta.is_file());
        if ours && folder && file && File::open(lock).is_ok_and(|lock| lock.try_lock().is_ok()) {
            remove(&entry.path());
        }
    }
}
