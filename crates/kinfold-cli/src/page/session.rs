//! A session: one table in one tab, with its policy, its jobs and what came of them. It ends when it is
//! closed, when nobody has used it for a while, or with the program.

use super::folders::Reachable;
use super::guard::random_name;
use super::jobs::Jobs;
use super::trouble::Trouble;
use axum::http::StatusCode;
use kinfold::inspect::Inspection;
use kinfold::model::policy::Draft;
use kinfold::model::world::Disk;
use kinfold::model::{Mistakes, Policy, Table};
use kinfold::report::FileFacts;
use kinfold::{Anonymized, Options, Prepared, ks, named, prepare};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Each holds a table in memory.
const MOST_SESSIONS: usize = 16;

/// A release, and under which policy it came to be.
pub struct Made {
    pub done: Anonymized,
    pub policy: String,
}

/// A table that was read.
pub struct Opened {
    pub table: Table,
    pub inspection: Inspection,
}

pub struct Session {
    /// What the table is called.
    pub name: String,
    /// The file of the folder that it came from, if it did.
    source: Option<PathBuf>,
    folder: TempDir,
    /// Where its policy's files come from.
    pub world: Arc<Reachable>,
    /// The path that the policy has in messages, beside which its files are.
    pub policy_path: PathBuf,
    pub opened: OnceLock<Opened>,
    policy: Mutex<String>,
    pub jobs: Jobs,
    /// The table as it is ready for grouping, under the policy that was asked last.
    prepared: Mutex<Option<Arc<(Policy, Prepared)>>>,
    answer: Mutex<Option<Arc<Mutex<Made>>>>,
    published: Mutex<Option<Arc<Mutex<Made>>>>,
    pub certificate: Mutex<Option<String>>,
    used: Mutex<Instant>,
}

/// Which release is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    Answer,
    Published,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// The table and what is known of it.
    pub fn opened(&self) -> Result<&Opened, Trouble> {
        self.opened.get().ok_or_else(|| Trouble::unsuitable("the table is not read yet", "wait until it is"))
    }

    /// A file of its own, which the policy cannot name.
    pub fn made(&self, name: &str) -> PathBuf {
        self.folder.path().join("made").join(name)
    }

    /// Where files are put that were dropped on the page.
    pub fn dropped(&self, name: &str) -> PathBuf {
        self.world.own.join(name)
    }

    /// A message without the folders of the session and of the policy, which nobody typed.
    pub fn short(&self, message: &str) -> String {
        let beside = self.policy_path.parent().unwrap_or(Path::new("/"));
        let folders = [self.world.own.as_path(), self.folder.path(), beside];
        let without = |text: String, folder: &Path| text.replace(&format!("{}/", folder.display()), "");
        folders.into_iter().fold(message.to_owned(), without)
    }

    /// What a report says of the table's file.
    pub fn file_facts(&self) -> FileFacts {
        match &self.source {
            Some(path) => named(path),
            // Dropped on the page, or the built-in example.
            None => FileFacts { name: self.name.clone(), ..FileFacts::default() },
        }
    }

    pub fn policy_text(&self) -> String {
        locked(&self.policy).clone()
    }

    pub fn set_policy(&self, text: String) {
        *locked(&self.policy) = text;
    }

    /// The policy of the session, if nothing is wrong with it.
    pub fn policy(&self) -> Result<Policy, Mistakes> {
        let draft = Draft::from_toml_in(self.world.clone(), &self.policy_text(), &self.policy_path);
        match self.opened.get() {
            Some(opened) => draft.for_table(&opened.table),
            None => draft.settle(),
        }
    }

    /// The table, ready for grouping under a policy. Policies that differ in k alone share it, so that a move of the
    /// slider does not begin anew.
    pub fn prepared(&self, policy: &Policy, options: &Options) -> Result<Arc<(Policy, Prepared)>, Trouble> {
        let known = locked(&self.prepared).clone();
        let same = |known: &Policy| Policy { k: known.k, ..policy.clone() } == *known;
        if let Some(known) = known.filter(|known| same(&known.0)) {
            return Ok(known);
        }
        let prepared = prepare(&self.opened()?.table, policy, options)?;
        let ready = Arc::new((policy.clone(), prepared));
        *locked(&self.prepared) = Some(ready.clone());
        Ok(ready)
    }

    fn place(&self, which: Which) -> &Mutex<Option<Arc<Mutex<Made>>>> {
        match which {
            Which::Answer => &self.answer,
            Which::Published => &self.published,
        }
    }

    /// Keeps a release; the one before it is forgotten.
    pub fn keep(&self, which: Which, made: Made) {
        *locked(self.place(which)) = Some(Arc::new(Mutex::new(made)));
    }

    /// The release, if there is one. Looking at it takes a lock, so do it on a thread that may wait.
    pub fn release<T>(&self, which: Which, look: impl FnOnce(&mut Made) -> T) -> Result<T, Trouble> {
        let made = locked(self.place(which)).clone();
        let made = made.ok_or_else(|| Trouble::missing("there is no release yet", "go to step 3 first"))?;
        let mut made = locked(&made);
        Ok(look(&mut made))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.jobs.stop_all();
    }
}

/// All sessions.
pub struct Sessions {
    private: PathBuf,
    /// How the files that policies name are read.
    disk: Disk,
    list: Mutex<BTreeMap<String, Arc<Session>>>,
}

impl Sessions {
    pub fn new(private: PathBuf, disk: Disk) -> Self {
        Self { private, disk, list: Mutex::default() }
    }

    /// A new session for a table of this name.
    pub fn start(
        &self,
        name: String,
        source: Option<PathBuf>,
        folders: &super::Folders,
        policy: String,
    ) -> Result<(String, Arc<Session>), Trouble> {
        let fault = |e: std::io::Error| Trouble::fault(format!("cannot make a private folder: {e}"));
        let mut list = locked(&self.list);
        if list.len() >= MOST_SESSIONS {
            return Err(Trouble::new(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("{MOST_SESSIONS} tables are open already"),
                "close one in another tab (step 1), or wait until it ends",
            ));
        }
        let folder = tempfile::Builder::new().prefix("session.").tempdir_in(&self.private).map_err(fault)?;
        let own = folder.path().join("dropped");
        for path in [&own, &folder.path().join("made")] {
            std::fs::create_dir(path).map_err(fault)?;
        }
        let world = Arc::new(Reachable { folders: folders.clone(), own, disk: self.disk });
        let policy_path = folders.policy.clone().unwrap_or_else(|| folders.root().join("policy.toml"));
        let session = Arc::new(Session {
            name,
            source,
            folder,
            world,
            policy_path,
            opened: OnceLock::new(),
            policy: Mutex::new(policy),
            jobs: Jobs::default(),
            prepared: Mutex::default(),
            answer: Mutex::default(),
            published: Mutex::default(),
            certificate: Mutex::default(),
            used: Mutex::new(Instant::now()),
        });
        let id = random_name().map_err(fault)?;
        list.insert(id.clone(), session.clone());
        Ok((id, session))
    }

    /// The session of this name, which is thereby used.
    pub fn get(&self, id: &str) -> Result<Arc<Session>, Trouble> {
        let session = locked(&self.list).get(id).cloned().ok_or_else(|| {
            Trouble::new(
                StatusCode::GONE,
                "this session has ended: nobody used it for a while, or it was closed",
                "open the table again in step 1",
            )
        })?;
        *locked(&session.used) = Instant::now();
        Ok(session)
    }

    pub fn end(&self, id: &str) {
        if let Some(session) = locked(&self.list).remove(id) {
            session.jobs.stop_all();
        }
    }

    /// Ends the sessions that nobody has used for so long. Their folders go with them.
    pub fn end_idle(&self, idle: Duration) {
        locked(&self.list).retain(|_, session| {
            let keep = locked(&session.used).elapsed() < idle;
            if !keep {
                session.jobs.stop_all();
            }
            keep
        });
    }
}

/// What is known of a session's table.
pub fn described(session: &Session) -> Value {
    let inspection = session.opened.get().map(|opened| &opened.inspection);
    let ks = inspection.map(|table| (ks::choices(table.rows), ks::curve(table.rows)));
    let ks = ks.map(|(choices, curve)| json!({ "choices": choices, "curve": curve }));
    json!({ "name": session.name, "inspection": inspection, "ks": ks })
}
