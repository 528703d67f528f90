//! What every test of the command needs: a folder of its own, the command run in it, and what it told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// Twelve people; no cell of four letters or more is a word that a message could hold by chance.
pub const PEOPLE: &str = "\
name,age,sex,zip,diagnosis
Zephyrine,20,F,90717,gout-xa
Yolandine,21,F,90717,gout-xb
Xanthippe,22,F,90718,gout-xc
Wilhelmin,40,M,80621,itch-ya
Vespasian,41,M,80622,itch-yb
Ulfilas-o,42,M,80622,itch-yc
Theodolin,60,F,70533,ague-za
Sigismund,61,F,70533,ague-zb
Roswitha-,62,F,70534,ague-zc
Quirinus-,80,M,60449,boil-wa
Perpetua-,81,M,60448,boil-wb
Ottokar-o,82,M,60448,boil-wc
";

/// Roles for [`PEOPLE`].
pub const ROLES: [&str; 6] =
    ["--quasi", "age,sex,zip:category", "--identifier", "name", "--sensitive", "diagnosis"];

/// A folder that the command runs in, and another for its temporary files.
pub struct Folder {
    place: TempDir,
    spool: TempDir,
}

impl Folder {
    pub fn new() -> Self {
        Self { place: TempDir::new().unwrap(), spool: TempDir::new().unwrap() }
    }

    /// A folder that holds `table.csv`.
    pub fn with(table: impl AsRef<[u8]>) -> Self {
        let folder = Self::new();
        folder.write("table.csv", table);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Where the command puts what has no folder of its own.
    pub fn spool(&self) -> PathBuf {
        self.spool.path().to_owned()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// Every name in the folder, hidden ones too, with what a file holds.
    pub fn contents(&self) -> BTreeMap<String, Option<Vec<u8>>> {
        std::fs::read_dir(self.place.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                let bytes = entry.path().is_file().then(|| std::fs::read(entry.path()).unwrap());
                (entry.file_name().to_string_lossy().into_owned(), bytes)
            })
            .collect()
    }

    /// The folder holds these names and no others; no temporary file is left anywhere.
    #[track_caller]
    pub fn holds(&self, names: &[&str]) {
        let mut names = names.to_vec();
        names.sort_unstable();
        assert_eq!(self.contents().into_keys().collect::<Vec<_>>(), names, "what the folder holds");
        assert_eq!(std::fs::read_dir(self.spool.path()).unwrap().count(), 0, "temporary files are left");
    }

    /// The command, ready to run in this folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kinfold"));
        command.args(args);
        // Tests write the same file again and again.
        if args.first() == Some(&"anonymize") {
            command.arg("--force");
        }
        command.current_dir(self.place.path()).env("TMPDIR", self.spool.path());
        command.env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE").env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The command as it is typed, which replaces no file.
    pub fn careful(&self, args: &[&str]) -> Told {
        let command = self.command(&[]);
        let mut careful = Command::new(command.get_program());
        careful.args(args).current_dir(self.place.path()).env("NO_COLOR", "1");
        Told::of(careful.output().unwrap())
    }

    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdin(Stdio::piped()).spawn().unwrap()
    }

    /// Runs the command with so many MiB of addresses and ten seconds of work: beyond, it is killed.
    pub fn kinfold_within(&self, mebibytes: usize, args: &[&str]) -> Told {
        let command = self.command(args);
        let mut limited = Command::new("sh");
        let limits = format!("ulimit -v {}; ulimit -t 10; exec \"$0\" \"$@\"", mebibytes << 10);
        limited.args(["-c", &limits]).arg(command.get_program()).args(command.get_args());
        limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // A heap for each thread would take addresses that nobody uses.
        limited.env("MALLOC_ARENA_MAX", "1").current_dir(self.place.path()).stdin(Stdio::null());
        Told::of(limited.output().unwrap())
    }

    /// Runs the command.
    pub fn kinfold(&self, args: &[&str]) -> Told {
        Told::of(self.command(args).output().unwrap())
    }

    /// Runs the command with these bytes on its standard input; it need not read them all.
    pub fn kinfold_fed(&self, args: &[&str], input: &[u8]) -> Told {
        let mut child = self.start(args);
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || {
            let _ = std::io::Write::write_all(&mut stdin, &input);
        });
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Told::of(output)
    }

    /// Anonymizes `table.csv` with [`ROLES`] and these flags.
    pub fn anonymize(&self, flags: &[&str]) -> Told {
        self.kinfold(&[&["anonymize", "table.csv"], &ROLES[..], flags].concat())
    }

    /// The release of `table.csv` as a file in the folder; it must succeed.
    #[track_caller]
    pub fn release(&self, flags: &[&str]) {
        self.anonymize(flags).ends_with_code(0);
    }

    /// The command refuses: code 2, this message, a hint; the folder is as before, and no cell of `table` is
    /// told.
    #[track_caller]
    pub fn refuses(&self, args: &[&str], message: &str, hint: &str, table: &str) -> Told {
        let before = self.contents();
        let told = self.kinfold(args);
        told.ends_with_code(2).complains(message).hints(hint).leaks_nothing_of(table);
        assert!(told.out.is_empty(), "{}", told.out);
        assert!(before == self.contents(), "the folder changed: {:?}", self.contents().keys());
        self.holds(&before.keys().map(String::as_str).collect::<Vec<_>>());
        told
    }
}

/// What a run of the command told.
#[derive(Debug)]
pub struct Told {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Told {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub fn ends_with_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "out: {}\nerr: {}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    #[track_caller]
    pub fn says(&self, text: &str) -> &Self {
        assert!(self.out.contains(text), "{text:?} is not said in: {}\nerr: {}", self.out, self.err);
        self
    }

    #[track_caller]
    pub fn complains(&self, text: &str) -> &Self {
        assert!(self.err.starts_with("error: "), "{}", self.err);
        assert!(self.err.contains(text), "{text:?} is not said in: {}", self.err);
        self
    }

    #[track_caller]
    pub fn hints(&self, text: &str) -> &Self {
        assert!(self.err.contains("= help: "), "no hint in: {}", self.err);
        assert!(self.err.contains(text), "{text:?} is not said in: {}", self.err);
        self
    }

    /// No cell (of four letters or more) of a table is repeated.
    #[track_caller]
    pub fn leaks_nothing_of(&self, table: &str) -> &Self {
        for cell in table.lines().skip(1).flat_map(|line| line.split(',')).map(|c| c.trim_matches('"')) {
            assert!(cell.len() < 4 || !self.err.contains(cell), "{cell:?} leaks: {}", self.err);
        }
        self
    }
}

/// How many rounds a long test goes: all, or the per cent of them that `KINFOLD_ROUNDS` says.
pub fn rounds(all: usize) -> usize {
    let per_cent = std::env::var("KINFOLD_ROUNDS").map_or(100, |said| said.parse().unwrap());
    (all * per_cent).div_ceil(100)
}

/// Two lists of arguments as one.
pub fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

/// An SVG picture in which every element ends, in order, and nothing stands outside.
pub fn well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let (text, tag) = (&rest[..start], &rest[start + 1..end]);
        assert!(text.trim().is_empty() || !open.is_empty(), "{text:?} stands outside");
        assert!(!text.contains(['>', '&']), "{text:?} is not escaped");
        assert!(tag.matches('"').count().is_multiple_of(2) && !tag.contains('<'), "<{tag}>");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.extend(tag.split(' ').next()),
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest:?}");
}
