//! Files appear under their final name whole, or not at all; several of them together, or none.
//!
//! What is written goes to a temporary file beside the final one. Where the system has such files it has no
//! name, so that nothing is left even of a process that is killed; elsewhere it can be read by its owner alone,
//! and is deleted. At the end it gets its name. A device, a pipe or standard output gets a copy instead.

use crate::error::Error;
use crate::faults::{Handle, step};
use crate::publish::WriteError;
use kinfold_model::call::Call;
use std::fs::{File, Permissions};
use std::io::{self, BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file in the making.
#[derive(Debug)]
pub struct Destination {
    bytes: Temporary,
    target: Target,
    /// What messages call it.
    name: PathBuf,
    private: bool,
    call: Call,
}

/// Where the bytes are until then.
#[derive(Debug)]
enum Temporary {
    Unnamed(File),
    Named(NamedTempFile),
}

impl Temporary {
    fn file(&self) -> &File {
        match self {
            Self::Unnamed(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }
}

#[derive(Debug)]
enum Target {
    /// Renamed to this.
    File(PathBuf),
    /// Copied into this.
    Device(PathBuf),
    Stdout,
    /// Only looked at; see [`Destination::copy_to`].
    Nowhere,
}

impl Destination {
    /// Makes sure that the file can be written, before any work is done. If the call is abandoned, nothing is
    /// left behind.
    pub fn file(path: &Path, call: &Call) -> Result<Self, Error> {
        let fail = |e: io::Error| Error::write(path, e);
        let (bytes, target) = match path.metadata() {
            Ok(meta) if meta.is_dir() => {
                return Err(fail(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")));
            }
            Ok(meta) if !meta.is_file() => (elsewhere().map_err(fail)?, Target::Device(path.to_owned())),
            _ => beside(path, call).map_err(fail)?,
        };
        Ok(Self { bytes, target, name: path.to_owned(), private: false, call: call.clone() })
    }

    /// Standard output.
    pub fn stdout(call: &Call) -> Result<Self, Error> {
        Self::spool(Target::Stdout, "standard output", call)
    }

    /// A file without a final name, to be copied elsewhere.
    pub(crate) fn nowhere(call: &Call) -> Result<Self, Error> {
        Self::spool(Target::Nowhere, "the release", call)
    }

    fn spool(target: Target, name: &str, call: &Call) -> Result<Self, Error> {
        // Where there is no room for it, the fault is the temporary folder's.
        let bytes = elsewhere().map_err(|e| Error::write(&std::env::temp_dir(), e))?;
        Ok(Self { bytes, target, name: PathBuf::from(name), private: false, call: call.clone() })
    }

    /// A new file can be read by its owner alone: it tells of people. One that is replaced keeps its
    /// permissions.
    pub fn private(self) -> Self {
        Self { private: true, ..self }
    }

    /// The bytes that were written so far, to be read from the start.
    pub(crate) fn reopened(&self) -> Result<File, Error> {
        let file = step("reopen").and_then(|()| self.bytes.file().try_clone());
        file.and_then(|mut file| file.rewind().map(|()| file)).map_err(|e| Error::write(&self.name, e))
    }

    /// A further temporary file without a name, in the folder of this one: where there is room for what is
    /// written, there is for what it is made of.
    pub(crate) fn scratch(&self) -> Result<Handle, Error> {
        let folder = match &self.target {
            Target::File(path) => folder_of(path).to_owned(),
            _ => std::env::temp_dir(),
        };
        let other = || step("create").and_then(|()| tempfile::tempfile_in(&folder));
        let file = unnamed(&folder, 0o600).map_or_else(other, Ok);
        file.map(Handle).map_err(|e| Error::write(&folder, e))
    }

    /// What messages call it.
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Writes to the temporary file.
    pub(crate) fn write_with(
        &mut self,
        work: impl FnOnce(&mut Handle<&File>) -> Result<(), WriteError>,
    ) -> Result<(), Error> {
        let written = work(&mut Handle(self.bytes.file()));
        // What has no folder of its own is written to the temporary one first.
        let folder = if matches!(self.target, Target::File(_)) { None } else { Some(std::env::temp_dir()) };
        written.map_err(|e| Error::write(folder.as_deref().unwrap_or(&self.name), e))
    }

    /// Writes these bytes to the temporary file.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.write_with(|file| Ok(file.write_all(bytes)?))
    }

    /// Copies what was written to this writer.
    pub(crate) fn copy_to(self, out: &mut dyn Write) -> Result<(), Error> {
        copy_out(self.bytes.file(), out).map_err(|e| Error::write(&self.name, e))
    }

    /// Gives the file its final name.
    pub fn commit(self) -> Result<(), Error> {
        Self::commit_all(vec![self])
    }

    /// Gives all files their final names, or none. What cannot be undone is done first: devices, pipes and
    /// standard output get their copies before any file gets its name.
    pub fn commit_all(mut files: Vec<Self>) -> Result<(), Error> {
        Self::send_all(&mut files)?;
        files.retain(|file| matches!(file.target, Target::File(_)));
        let Some(call) = files.first().map(|file| file.call.clone()) else { return Ok(()) };
        // Until all is done nobody can stop it.
        let mut unfinished = call.unfinished();
        call.check()?;
        let ready: Vec<Ready> = files.into_iter().map(Self::ready).collect::<Result<_, _>>()?;
        let mut done: Vec<(&Ready, Before)> = Vec::new();
        for (at, file) in ready.iter().enumerate() {
            // The last one needs no way back.
            let before = if at + 1 < ready.len() { file.keep_old() } else { Before::Unknown };
            let renamed = step("rename").and_then(|()| std::fs::rename(&file.temporary, &file.path));
            if let Err(error) = renamed {
                let kept = done.into_iter().rev().filter_map(|(file, before)| before.restore(file)).collect();
                return Err(Error::unfinished(&file.name, error, kept));
            }
            done.push((file, before));
        }
        drop(done);
        unfinished.retain(|path| ready.iter().all(|file| file.temporary.to_path_buf() != *path));
        Ok(())
    }

    /// Sees to it that the bytes of all files are on the disk, then sends their copies to devices, pipes and
    /// standard output, once.
    pub(crate) fn send_all(files: &mut [Self]) -> Result<(), Error> {
        for file in files.iter().filter(|file| matches!(file.target, Target::File(_))) {
            step("sync")
                .and_then(|()| file.bytes.file().sync_all())
                .map_err(|e| Error::write(&file.name, e))?;
        }
        for file in files.iter_mut().filter(|file| !matches!(file.target, Target::File(_))) {
            file.copy_over()?;
            file.target = Target::Nowhere;
        }
        Ok(())
    }

    /// Copies it to what is no file.
    fn copy_over(&self) -> Result<(), Error> {
        let fail = |e: io::Error| Error::write(&self.name, e);
        match &self.target {
            Target::File(_) | Target::Nowhere => Ok(()),
            Target::Device(path) => {
                let mut device = Handle(File::options().write(true).open(path).map_err(fail)?);
                copy_out(self.bytes.file(), &mut device).map_err(fail)
            }
            Target::Stdout => match copy_out(self.bytes.file(), &mut io::stdout().lock()) {
                // A reader that has seen enough (`| head`) is no failure.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => other.map_err(fail),
            },
        }
    }

    /// Gives the temporary file a name and its final permissions: all is there but the name.
    fn ready(self) -> Result<Ready, Error> {
        let Target::File(path) = self.target else {
            return Err(Error::write(&self.name, io::Error::from(io::ErrorKind::InvalidInput)));
        };
        let fail = |e: io::Error| Error::write(&self.name, e);
        let folder = folder_of(&path);
        let permissions = match path.metadata() {
            Ok(old) => Some(old.permissions()),
            Err(_) if self.private => None,
            Err(_) => Some(usual_permissions(folder).map_err(fail)?),
        };
        if let Some(permissions) = permissions {
            step("permit").and_then(|()| self.bytes.file().set_permissions(permissions)).map_err(fail)?;
        }
        let temporary = match self.bytes {
            Temporary::Named(file) => file.into_temp_path(),
            Temporary::Unnamed(file) => named(&file, folder, &stem_of(&path)).map_err(fail)?,
        };
        Ok(Ready { temporary, path, name: self.name })
    }
}

/// A file that only needs its final name; it is deleted if it does not get it.
struct Ready {
    temporary: tempfile::TempPath,
    path: PathBuf,
    name: PathBuf,
}

impl Ready {
    /// Gives the file that it will replace a second name.
    fn keep_old(&self) -> Before {
        let kept = hidden(folder_of(&self.path), &stem_of(&self.path), |second| {
            step("keep").and_then(|()| std::fs::hard_link(&self.path, second))
        });
        match kept {
            Ok(kept) => Before::Kept(kept.into_temp_path()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Before::Nothing,
            Err(_) => Before::Unknown,
        }
    }
}

/// What had the name before.
enum Before {
    Nothing,
    /// A file, which has this name as well.
    Kept(tempfile::TempPath),
    /// Perhaps a file, which is lost.
    Unknown,
}

impl Before {
    /// Gives the name of a file back; if that cannot be, the file that stays.
    fn restore(self, file: &Ready) -> Option<PathBuf> {
        let restored = match self {
            Self::Nothing => step("remove").and_then(|()| std::fs::remove_file(&file.path)).is_ok(),
            Self::Kept(before) => step("restore").is_ok() && before.persist(&file.path).is_ok(),
            Self::Unknown => false,
        };
        (!restored).then(|| file.name.clone())
    }
}

fn elsewhere() -> io::Result<Temporary> {
    step("create").and_then(|()| tempfile::tempfile()).map(Temporary::Unnamed)
}

/// A temporary file in the folder of the final one, so that renaming is one step.
fn beside(path: &Path, call: &Call) -> io::Result<(Temporary, Target)> {
    // A link is written through: its target is replaced, not the link.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| followed(path));
    // A file that may not be written is not replaced either.
    match step("open").and_then(|()| File::options().append(true).open(&path)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let folder = folder_of(&path);
    // A missing folder is named as such, not by a temporary file in it.
    folder.metadata()?;
    let bytes = match unnamed(folder, 0o600) {
        Some(file) => Temporary::Unnamed(file),
        None => {
            let mut unfinished = call.unfinished();
            let file = hidden_file(folder, &stem_of(&path))?;
            unfinished.push(file.path().to_owned());
            Temporary::Named(file)
        }
    };
    Ok((bytes, Target::File(path)))
}

/// Where links lead, though there is nothing yet.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => break,
        }
    }
    path
}

/// Links that lead to each other have no end.
const MOST_LINKS: usize = 40;

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn stem_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A hidden name in a folder, given by `make`; it is deleted in the end.
fn hidden<R>(
    folder: &Path,
    stem: &str,
    make: impl FnMut(&Path) -> io::Result<R>,
) -> io::Result<NamedTempFile<R>> {
    step("name")?;
    tempfile::Builder::new().prefix(&format!(".{stem}.")).suffix(".tmp").make_in(folder, make)
}

/// A hidden file that its owner alone can read.
fn hidden_file(folder: &Path, stem: &str) -> io::Result<NamedTempFile> {
    step("create")?;
    tempfile::Builder::new().prefix(&format!(".{stem}.")).suffix(".tmp").tempfile_in(folder)
}

/// A file without a name, where the system has such files and can name them later.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    step("create without a name").ok()?;
    rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path, _: u32) -> Option<File> {
    None
}

/// Gives a file without a name a hidden one. Where that cannot be, a copy gets it.
fn named(file: &File, folder: &Path, stem: &str) -> io::Result<tempfile::TempPath> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{AtFlags, CWD, linkat};
        use std::os::fd::AsRawFd;
        let open = format!("/proc/self/fd/{}", file.as_raw_fd());
        let link = |path: &Path| Ok(linkat(CWD, &open, CWD, path, AtFlags::SYMLINK_FOLLOW)?);
        if let Ok(linked) = hidden(folder, stem, link) {
            return Ok(linked.into_temp_path());
        }
    }
    let copy = hidden_file(folder, stem)?;
    copy_out(file, &mut Handle(copy.as_file()))?;
    copy.as_file().set_permissions(file.metadata()?.permissions())?;
    step("sync").and_then(|()| copy.as_file().sync_all())?;
    Ok(copy.into_temp_path())
}

/// The permissions that a new file in this folder has.
fn usual_permissions(folder: &Path) -> io::Result<Permissions> {
    if let Some(probe) = unnamed(folder, 0o666) {
        return Ok(probe.metadata()?.permissions());
    }
    let probe = hidden(folder, "probe", |path| File::create_new(path))?;
    Ok(probe.as_file().metadata()?.permissions())
}

fn copy_out(mut from: &File, to: &mut dyn Write) -> io::Result<()> {
    step("rewind").and_then(|()| from.rewind())?;
    io::copy(&mut BufReader::with_capacity(1 << 16, from), to)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(path: &Path, call: &Call, text: &str) -> Destination {
        let mut file = Destination::file(path, call).unwrap();
        file.write(text.as_bytes()).unwrap();
        file
    }

    /// What the folder holds, by name.
    fn contents(folder: &Path) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let text = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
        let mut all: Vec<_> =
            entries.map(|e| (e.file_name().to_string_lossy().into_owned(), text(e.path()))).collect();
        all.sort();
        all
    }

    #[test]
    fn all_files_get_their_names_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("old"), "as before").unwrap();
        let call = Call::new();
        let files = ["new", "old", "last"].map(|name| written(&at(name), &call, "new"));
        std::fs::create_dir(at("last")).unwrap();
        let error = Destination::commit_all(files.into()).unwrap_err().to_string();
        assert!(error.contains("last") && !error.contains("in place"), "{error}");
        let unchanged = [("last", ""), ("old", "as before")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        assert_eq!(contents(folder.path()), unchanged);
        std::fs::remove_dir(at("last")).unwrap();
        let files = ["new", "old", "last"].map(|name| written(&at(name), &call, "new"));
        Destination::commit_all(files.into()).unwrap();
        let together = ["last", "new", "old"].map(|name| (name.to_owned(), "new".to_owned()));
        assert_eq!(contents(folder.path()), together);
        assert!(call.unfinished().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_the_old_file_or_of_any_new_one() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        std::fs::write(at("usual"), "").unwrap();
        let call = Call::new();
        written(&at("release"), &call, "x").commit().unwrap();
        assert_eq!(mode(&at("release")), mode(&at("usual")));
        written(&at("groups"), &call, "x").private().commit().unwrap();
        assert_eq!(mode(&at("groups")), 0o600);
        for name in ["release", "groups"] {
            std::fs::set_permissions(at(name), Permissions::from_mode(0o640)).unwrap();
            written(&at(name), &call, "y").private().commit().unwrap();
            assert_eq!(mode(&at(name)), 0o640, "it is kept");
        }
    }

    #[test]
    fn what_cannot_be_linked_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        // A file of another folder, deleted: no link leads to it.
        let mut file = tempfile::NamedTempFile::new().unwrap().into_file();
        file.write_all(b"bytes").unwrap();
        let path = named(&file, folder.path(), "release.csv").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"bytes");
        drop(path);
        assert_eq!(contents(folder.path()), []);
    }

    #[test]
    fn an_abandoned_call_gives_no_names() {
        let folder = tempfile::tempdir().unwrap();
        let call = Call::new();
        let file = written(&folder.path().join("release"), &call, "x");
        call.stop();
        assert!(matches!(file.commit(), Err(Error::Stopped)));
        assert_eq!(contents(folder.path()), []);
    }
}
