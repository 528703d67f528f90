//! `kinfold serve`: a page in the browser, on this machine only. The server is a thin front end like the
//! command: it reads a table, calls the library on threads of their own, and hands its typed reports to the
//! page as JSON. `docs/page.md` describes the API.

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
use kinfold::model::table::ReadOptions;
use kinfold::model::world::Disk;
use session::Sessions;
use std::io;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

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
        axum::serve(listener, app).await.map_err(fail)
    })
}

async fn end_idle_sessions(desk: Arc<Desk>, idle: Duration) {
    let often = (idle / 10).clamp(Duration::from_millis(50), Duration::from_secs(60));
    loop {
        tokio::time::sleep(often).await;
        desk.sessions.end_idle(idle);
    }
}
