//! Who may ask. The page listens on loopback, but every program and every web site that a browser on this
//! machine shows can send requests there. So a request must name this server (Host), must not come from
//! another site (Origin, Sec-Fetch-Site), and needs the token for anything but the page's own files.

use super::trouble::Trouble;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, HeaderName, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::io;
use std::sync::Arc;

/// Sent with every answer. Nothing is loaded from elsewhere, nothing is kept, nobody frames the page.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

/// The token, and the names of this server.
pub struct Guard {
    token: String,
    hosts: [String; 2],
}

impl Guard {
    pub fn new(port: u16) -> io::Result<Self> {
        Ok(Self { token: random_name()?, hosts: ["127.0.0.1", "localhost"].map(|h| format!("{h}:{port}")) })
    }

    /// Where the page is. The token is in the fragment, which browsers do not send: it is in no log and no
    /// referrer.
    pub fn address(&self) -> String {
        format!("http://{}/#{}", self.hosts[0], self.token)
    }

    fn refuse(&self, path: &str, headers: &HeaderMap) -> Option<Trouble> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or(""));
        let host = text(HOST).unwrap_or("");
        if !self.hosts.iter().any(|known| known == host) {
            return Some(Trouble::new(
                StatusCode::MISDIRECTED_REQUEST,
                "this server answers to its own name only",
                "use the address that kinfold serve printed",
            ));
        }
        let foreign = |name: &str| {
            Trouble::new(
                StatusCode::FORBIDDEN,
                format!("the request comes from another site ({name})"),
                "use the address that kinfold serve printed",
            )
        };
        if text(ORIGIN).is_some_and(|origin| origin != format!("http://{host}")) {
            return Some(foreign("Origin"));
        }
        // The page itself may be reached by a link; it tells nothing.
        let site = text(HeaderName::from_static("sec-fetch-site"));
        if path != "/" && site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Some(foreign("Sec-Fetch-Site"));
        }
        let token = text(AUTHORIZATION).and_then(|said| said.strip_prefix("Bearer ")).unwrap_or("");
        if path.starts_with("/api/") && !same(token, &self.token) {
            return Some(Trouble::new(
                StatusCode::UNAUTHORIZED,
                "the token is missing or wrong",
                "open the address that kinfold serve printed, with everything after the #",
            ));
        }
        None
    }
}

/// Answers, or lets the request through; every answer gets the headers.
pub async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.refuse(request.uri().path(), request.headers()) {
        Some(trouble) => trouble.into_response(),
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

/// 128 random bits as text: nobody guesses it.
pub fn random_name() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares without telling by the time it takes where two texts differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
