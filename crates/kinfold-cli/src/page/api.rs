//! What the page can ask for. Every answer is JSON, a chart or a file; `docs/page.md` lists them.

use super::jobs::{Kind, State as JobState};
use super::policy::{Change, edited, view};
use super::session::{Made, Opened, Session, Which, described};
use super::trouble::Trouble;
use super::{Desk, figures};
use crate::catalogue::solvers;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderName, StatusCode};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use http_body_util::BodyExt;
use kinfold::bounds::Strength;
use kinfold::inspect::{draft_policy, inspect};
use kinfold::model::policy::default_missing;
use kinfold::model::{Call, Phase, ReadOptions, Source};
use kinfold::report::Json as _;
use kinfold::{
    CertifyOptions, Destination, Effort, Error, FileFormat, Files, MapPlotOptions, Options, ReportFiles,
    ReportOptions, Settings, anonymize, certify,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

/// Bodies other than tables: policies, settings.
const SMALL: usize = 4 << 20;
/// How many rows are shown at once.
const MOST_ROWS: usize = 200;

/// The example that `kinfold demo` shows, too.
const EXAMPLE: (&str, &str, &str) = (
    "patients.csv",
    include_str!("../../../../examples/patients.csv"),
    include_str!("../../../../examples/patients.toml"),
);

type Answer<T = Json<Value>> = Result<T, Trouble>;
type TheDesk = State<Arc<Desk>>;

pub fn routes(desk: Arc<Desk>) -> Router {
    Router::new()
        .route("/api/start", get(start))
        .route("/api/alive", get(async || StatusCode::NO_CONTENT))
        .route("/api/sessions", post(open))
        .route("/api/uploads", post(upload))
        .route("/api/sessions/{id}", get(session).delete(end))
        .route("/api/sessions/{id}/policy", put(write_policy).post(change_policy))
        .route("/api/sessions/{id}/uploads", post(add_file))
        .route("/api/sessions/{id}/jobs", post(start_job))
        .route("/api/sessions/{id}/jobs/{kind}", get(watch_job).delete(stop_job))
        .route("/api/sessions/{id}/rows", get(rows))
        .route("/api/sessions/{id}/facts", get(facts))
        .route("/api/sessions/{id}/map", get(map))
        .route("/api/sessions/{id}/files/{name}", get(file))
        .fallback(async || Trouble::missing("there is no such page", "go back to the start"))
        .layer(DefaultBodyLimit::max(SMALL))
        .with_state(desk)
}

/// What there is to begin with.
async fn start(State(desk): TheDesk) -> Answer {
    waiting(move || {
        let folders = &desk.folders;
        Ok(Json(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "folder": folders.root(),
            "table": folders.table.as_deref().map(|path| folders.shown(path)),
            "policy": folders.policy.as_deref().map(|path| folders.shown(path)),
            "tables": folders.tables(),
        })))
    })
    .await
}

#[derive(Deserialize)]
struct Open {
    path: Option<PathBuf>,
    #[serde(default)]
    example: bool,
}

/// Opens a table of the folder, or the built-in example.
async fn open(State(desk): TheDesk, Json(what): Json<Open>) -> Answer {
    let mut file = None;
    let (name, source, policy) = match what {
        Open { example: true, .. } => {
            let bytes = EXAMPLE.1.as_bytes().to_vec();
            let source = move |reading: &ReadOptions| Source::from_bytes(bytes, reading);
            (EXAMPLE.0.to_owned(), Box::new(source) as Box<Opening>, Some(EXAMPLE.2.to_owned()))
        }
        Open { path: None, .. } => {
            return Err(Trouble::unsuitable("no table is named", "give its path, or ask for the example"));
        }
        Open { path: Some(path), .. } => {
            let full = desk.folders.open(&path)?;
            // The policy of the command line is for the table of the command line.
            let ours = desk.folders.table.as_ref().is_none_or(|table| *table == full);
            let policy = desk.folders.policy.as_ref().filter(|_| ours).map(|path| {
                std::fs::read_to_string(path).map_err(|e| {
                    Trouble::unsuitable(format!("cannot read the policy: {e}"), "check its path")
                })
            });
            let name = desk.folders.shown(&full);
            file = Some(full.clone());
            let source = move |reading: &ReadOptions| Source::open(&full, reading);
            (name, Box::new(source) as Box<Opening>, policy.transpose()?)
        }
    };
    let (id, session) = desk.sessions.start(name, file, &desk.folders, policy.clone().unwrap_or_default())?;
    read_table(&desk, &session, source, policy.is_none())?;
    Ok(Json(json!({ "session": id })))
}

type Opening = dyn FnOnce(&ReadOptions) -> Result<Source, kinfold::model::table::TableError> + Send;

/// Reads the table in the background; a policy is drafted unless there is one.
fn read_table(desk: &Desk, session: &Arc<Session>, source: Box<Opening>, draft: bool) -> Answer<u64> {
    let reading = desk.reading.clone();
    let to = session.clone();
    session.jobs.start(Kind::Read, move |call| {
        let reading = ReadOptions { call: call.clone(), ..reading };
        let work = || -> Result<Opened, Error> {
            call.phase(Phase::Reading)?;
            let table = source(&reading)?.read(|_| true)?;
            let inspection = inspect(&table, &default_missing(), call)?;
            Ok(Opened { table, inspection })
        };
        let opened = work().map_err(|e| Trouble::from(e).without(&to))?;
        if draft {
            to.set_policy(draft_policy(&opened.inspection, &default_missing()));
        }
        to.opened.get_or_init(|| opened);
        Ok(Value::Null)
    })
}

#[derive(Deserialize)]
struct Upload {
    name: String,
}

/// Opens a table that was dropped on the page.
async fn upload(State(desk): TheDesk, Query(upload): Query<Upload>, body: Body) -> Answer {
    let name = plain_name(&upload.name)?;
    let (id, session) = desk.sessions.start(name.clone(), None, &desk.folders, String::new())?;
    let path = session.dropped(&name);
    if let Err(trouble) = save(body, &path, desk.reading.limits.memory).await {
        desk.sessions.end(&id);
        return Err(trouble);
    }
    read_table(&desk, &session, Box::new(move |reading| Source::open(&path, reading)), true)?;
    Ok(Json(json!({ "session": id })))
}

/// Takes a file that the policy names, such as a hierarchy.
async fn add_file(
    State(desk): TheDesk,
    Path(id): Path<String>,
    Query(upload): Query<Upload>,
    body: Body,
) -> Answer {
    let session = desk.sessions.get(&id)?;
    let name = plain_name(&upload.name)?;
    save(body, &session.dropped(&name), desk.reading.limits.memory / 8).await?;
    policy_view(session).await
}

/// The name of a file without any folder.
fn plain_name(name: &str) -> Answer<String> {
    let bad =
        name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) || name.len() > 200;
    if bad {
        return Err(Trouble::unsuitable(
            "a file of this name cannot be taken",
            "rename the file and drop it again",
        ));
    }
    Ok(name.to_owned())
}

/// Writes a body to a file, piece by piece, up to a limit.
async fn save(mut body: Body, path: &std::path::Path, limit: usize) -> Answer<()> {
    let fault = |e: std::io::Error| Trouble::fault(format!("cannot keep the file: {e}"));
    let mut file = std::fs::File::create_new(path).map_err(fault)?;
    let mut bytes = 0usize;
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|_| Trouble::unsuitable("the file did not arrive whole", "drop it again"))?;
        let Ok(data) = frame.into_data() else { continue };
        bytes = bytes.saturating_add(data.len());
        // What is too much is read all the same: a browser hears the answer only once it has sent everything.
        if bytes <= limit {
            file.write_all(&data).map_err(fault)?;
        }
    }
    if bytes > limit {
        return Err(Trouble::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the file is larger than {} MiB", limit >> 20),
            "restart with kinfold serve --max-memory SIZE if this machine has more memory",
        ));
    }
    Ok(())
}

async fn session(State(desk): TheDesk, Path(id): Path<String>) -> Answer {
    let session = desk.sessions.get(&id)?;
    waiting(move || {
        let mut said = described(&session);
        said["policy"] = view(&session);
        Ok(Json(said))
    })
    .await
}

async fn end(State(desk): TheDesk, Path(id): Path<String>) -> StatusCode {
    desk.sessions.end(&id);
    StatusCode::NO_CONTENT
}

async fn policy_view(session: Arc<Session>) -> Answer {
    waiting(move || Ok(Json(view(&session)))).await
}

/// The policy as it was typed.
async fn write_policy(State(desk): TheDesk, Path(id): Path<String>, text: String) -> Answer {
    let session = desk.sessions.get(&id)?;
    session.set_policy(text);
    policy_view(session).await
}

/// The policy as a menu changes it.
async fn change_policy(
    State(desk): TheDesk,
    Path(id): Path<String>,
    Json(changes): Json<Vec<Change>>,
) -> Answer {
    let session = desk.sessions.get(&id)?;
    session.set_policy(edited(&session.policy_text(), &changes)?);
    policy_view(session).await
}

#[derive(Deserialize)]
struct JobRequest {
    kind: Kind,
    k: Option<u64>,
    /// How to work.
    #[serde(default)]
    how: Settings,
}

async fn start_job(State(desk): TheDesk, Path(id): Path<String>, Json(job): Json<JobRequest>) -> Answer {
    let session = desk.sessions.get(&id)?;
    let limits = desk.reading.limits;
    let worker = session.clone();
    let number = session.jobs.start(job.kind, move |call| {
        let mut options = job.how.options(&solvers(), call)?;
        options.limits = limits;
        let result = match job.kind {
            Kind::Read => {
                return Err(Trouble::unsuitable("the table is read already", "open it again in step 1"));
            }
            Kind::Answer => answer(&worker, &job, options),
            Kind::Point => point(&worker, &job, options),
            Kind::Publish => publish(&worker, &options),
            Kind::Certify => certified(&worker, options),
        };
        result.map_err(|trouble| trouble.without(&worker))
    })?;
    Ok(Json(json!({ "number": number })))
}

/// A release at quick effort, and what it costs.
fn answer(session: &Session, job: &JobRequest, mut options: Options) -> Answer<Value> {
    (options.effort, options.bound) = (Effort::Quick, Strength::None);
    let (table, mut policy) = (&session.opened()?.table, session.policy().map_err(Error::from)?);
    policy.k = job.k.unwrap_or(policy.k);
    let text = session.policy_text();
    let ready = session.prepared(&policy, &options)?;
    let done = ready.1.anonymize(policy.k, &options)?.into_batches()?;
    let figures = figures::answer(table, &done)?;
    session.keep(Which::Answer, Made { done, policy: text });
    Ok(figures)
}

/// What another k costs, for the curve.
fn point(session: &Session, job: &JobRequest, mut options: Options) -> Answer<Value> {
    (options.effort, options.bound) = (Effort::Quick, Strength::None);
    let policy = session.policy().map_err(Error::from)?;
    let ready = session.prepared(&policy, &options)?;
    Ok(ready.1.loss(job.k.unwrap_or(policy.k), &options)?.to_json())
}

/// The release that is published, the same as the command's.
fn publish(session: &Session, options: &Options) -> Answer<Value> {
    let text = session.policy_text();
    let (table, policy) = (&session.opened()?.table, session.policy().map_err(Error::from)?);
    let done = anonymize(table, &policy, options)?.into_batches()?;
    let figures = figures::answer(table, &done)?;
    *session.certificate.lock().unwrap_or_else(PoisonError::into_inner) = None;
    session.keep(Which::Published, Made { done, policy: text });
    Ok(figures)
}

/// How far the published release can be from the best.
fn certified(session: &Session, options: Options) -> Answer<Value> {
    let table = &session.opened()?.table;
    let (policy, groups) = session
        .release(Which::Published, |made| (made.done.policy().clone(), made.done.groups().to_vec()))?;
    let mut certifying = CertifyOptions::default();
    certifying.options = options;
    certifying.groups = Some(groups);
    let done = certify(table, &policy, &certifying)?;
    let report = done.report.to_json();
    *session.certificate.lock().unwrap_or_else(PoisonError::into_inner) =
        done.certificate().map(str::to_owned);
    Ok(report)
}

#[derive(Deserialize)]
struct Seen {
    number: u64,
    #[serde(default)]
    seen: u64,
}

async fn watch_job(
    State(desk): TheDesk,
    Path((id, kind)): Path<(String, Kind)>,
    Query(seen): Query<Seen>,
) -> Answer<Json<JobState>> {
    let session = desk.sessions.get(&id)?;
    Ok(Json(session.jobs.news(kind, seen.number, seen.seen).await?))
}

async fn stop_job(
    State(desk): TheDesk,
    Path((id, kind)): Path<(String, Kind)>,
    Query(which): Query<Seen>,
) -> Answer<StatusCode> {
    desk.sessions.get(&id)?.jobs.stop(kind, which.number);
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct Rows {
    of: Which,
    #[serde(default)]
    from: usize,
    #[serde(default)]
    count: usize,
}

/// Rows of the table and what is published of them.
async fn rows(State(desk): TheDesk, Path(id): Path<String>, Query(asked): Query<Rows>) -> Answer {
    let session = desk.sessions.get(&id)?;
    waiting(move || {
        let opened = session.opened()?;
        let count = asked.count.min(MOST_ROWS);
        Ok(Json(session.release(asked.of, |made| figures::rows(opened, made, asked.from, count))??))
    })
    .await
}

/// Risk before and after, and what the release is still good for.
async fn facts(State(desk): TheDesk, Path(id): Path<String>, Query(asked): Query<Rows>) -> Answer {
    let session = desk.sessions.get(&id)?;
    waiting(move || {
        let facts =
            session.release(asked.of, |made| made.done.facts(&ReportOptions::of(made.done.policy())))?;
        Ok(Json(facts?.to_json()))
    })
    .await
}

type Picture = ([(HeaderName, &'static str); 1], String);

/// A map of a release of places.
async fn map(State(desk): TheDesk, Path(id): Path<String>, Query(asked): Query<Rows>) -> Answer<Picture> {
    let session = desk.sessions.get(&id)?;
    waiting(move || {
        let drawn = session.release(asked.of, |made| made.done.map(MapPlotOptions::default()))??;
        Ok(([(CONTENT_TYPE, "image/svg+xml")], drawn.chart))
    })
    .await
}

/// The files that a release can be written to.
const RELEASES: [&str; 6] =
    ["release.csv", "release.csv.gz", "release.tsv", "release.tsv.gz", "release.parquet", "release.arrow"];

type Download = ([(HeaderName, String); 2], Vec<u8>);

/// What came of publishing: the release in any format, the report, the policy, the groups, the certificate.
async fn file(State(desk): TheDesk, Path((id, name)): Path<(String, String)>) -> Answer<Download> {
    let session = desk.sessions.get(&id)?;
    let disposition = format!("attachment; filename=\"{name}\"");
    let bytes = waiting(move || match name.as_str() {
        "policy.toml" => session.release(Which::Published, |made| made.policy.clone().into_bytes()),
        "certificate.txt" => {
            let certificate = session.certificate.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let none = || Trouble::missing("there is no certificate", "certify the release in step 5");
            certificate.map(String::into_bytes).ok_or_else(none)
        }
        "lookup.csv" => {
            let lookup = session.release(Which::Published, |made| made.done.lookup().map(str::to_owned))?;
            let none = || Trouble::missing("this release has no lookup file", "its cells say all there is");
            lookup.map(String::into_bytes).ok_or_else(none)
        }
        "groups.csv" | "report.html" | "report.json" => saved(&session, &name),
        name if RELEASES.contains(&name) => saved(&session, name),
        _ => Err(Trouble::missing("there is no such file", "use the links of step 5")),
    })
    .await?;
    let kind = "application/octet-stream".to_owned();
    Ok(([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, disposition)], bytes))
}

/// A file as the library writes it: to a private folder, verified, and read back from there.
fn saved(session: &Session, name: &str) -> Answer<Vec<u8>> {
    let path = session.made(name);
    session.release(Which::Published, |made| -> Result<Vec<u8>, Trouble> {
        let mut files = Files::default();
        if name == "groups.csv" {
            files.groups = Some(Destination::file(&path, &Call::new())?);
        } else {
            let release = if name.starts_with("report.") {
                let mut about = ReportOptions::of(made.done.policy());
                about.input = Some(session.file_facts());
                let [page, figures] = ["report.html", "report.json"]
                    .map(|name| Destination::file(&session.made(name), &Call::new()));
                files.report = Some((ReportFiles { page: page?, figures: Some(figures?) }, about));
                // The report has the hash of the release.
                session.made("release.csv")
            } else {
                path.clone()
            };
            files.release = Some((Destination::file(&release, &Call::new())?, FileFormat::of(&release)?));
            // Some releases mean nothing without it: they are written together.
            let lookup =
                made.done.lookup().map(|_| Destination::file(&session.made("lookup.csv"), &Call::new()));
            files.lookup = lookup.transpose()?;
        }
        made.done.save_all(files)?;
        let bytes =
            std::fs::read(&path).map_err(|e| Trouble::fault(format!("cannot read {name} back: {e}")))?;
        // It would only take room.
        let _ = std::fs::remove_file(&path);
        Ok(bytes)
    })?
}

/// Does what may take a while on another thread: the server goes on answering.
async fn waiting<T: Send + 'static>(work: impl FnOnce() -> Answer<T> + Send + 'static) -> Answer<T> {
    let fault = |_| Trouble::fault("an internal error stopped this: please report it as a bug");
    tokio::task::spawn_blocking(work).await.map_err(fault)?
}
