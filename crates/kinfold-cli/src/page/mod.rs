//! `kinfold serve`: a page in the browser, on this machine only. The server is a thin front end like the
//! command: it reads a table, calls the library on threads of their own, and hands its typed reports to the
//! page as JSON. `docs/page.md` describes the API.
//!
//! `guard.rs` lets requests in, `api.rs` answers, `jobs.rs` runs calls on threads: a newer job of a kind stops the one
//! before it, which makes the slider live. A session holds a table, the text of its policy and the last two
//! releases. The text is what counts: a menu edits one line of it (`policy.rs`), and comments stay.

mod api;
mod assets;
mod figures;
mod folders;
mod guard;
mod jobs;
mod policy;
mod session;
mod trouble;

use crate::failure::Failure;
use axum::Router;
use axum::middleware::from_fn_with_state;
pub use folders::Folders;
use guard::Guard;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use kinfold::model::ReadOptions;
use kinfold::model::world::Disk;
use session::Sessions;
use std::io;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// What the page is told to work with.
pub struct Settings {
    /// Where tables may be.
    pub folders: Folders,
    /// How tables are read, and how much memory one may take.
    pub reading: ReadOptions,
    /// The port; 0: any that is free.
    pub port: u16,
    /// How long a session lives without being used.
    pub idle: Duration,
}

/// The state that all requests share.
pub struct Desk {
    pub folders: Folders,
    pub reading: ReadOptions,
    pub sessions: Sessions,
}

/// Serves the page until the program ends. `ready` is told the address; `private` is a folder that nobody
/// else may read and that the caller removes.
pub fn serve(
    settings: Settings,
    private: &Path,
    ready: impl FnOnce(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let port = settings.port;
    let fail = |e: io::Error| {
        Failure::usage(
            format!("cannot serve on 127.0.0.1, port {port}: {e}"),
            "use --port 0, which takes any free port",
        )
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(fail)?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        let guard = Guard::new(port).map_err(fail)?;
        let address = guard.address();
        let Settings { folders, reading, idle, .. } = settings;
        let sessions = Sessions::new(private.to_owned(), Disk::within(reading.limits.memory));
        let desk = Arc::new(Desk { folders, reading, sessions });
        tokio::spawn(end_idle_sessions(desk.clone(), idle));
        let app: Router = assets::routes().merge(api::routes(desk));
        let app = app.layer(from_fn_with_state(Arc::new(guard), guard::check));
        ready(&address)?;
        accept(listener, app).await;
        Ok(())
    })
}

/// Requests have so long to say what they want. Who says nothing does not keep others from being heard.
const HEADERS: Duration = Duration::from_secs(5);
/// So many connections are open at a time; more of them wait.
const CONNECTIONS: usize = 64;

/// Answers for ever.
async fn accept(listener: TcpListener, app: Router) {
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = free.clone().acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            // There may be no room for a further connection: that passes.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let app = TowerToHyperService::new(app.clone());
        tokio::spawn(async move {
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEADERS);
            // What goes wrong with one connection is its own affair.
            let _ = server.serve_connection(TokioIo::new(stream), app).await;
            drop(place);
        });
    }
}

async fn end_idle_sessions(desk: Arc<Desk>, idle: Duration) {
    let often = (idle / 10).clamp(Duration::from_millis(50), Duration::from_secs(60));
    loop {
        tokio::time::sleep(often).await;
        desk.sessions.end_idle(idle);
    }
}
