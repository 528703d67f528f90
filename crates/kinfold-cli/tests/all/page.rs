//! `kinfold serve` over raw HTTP: who is let in, what may be read, and what is left behind.

#![cfg(unix)]
use crate::support::{Folder, PEOPLE};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A server that runs in a folder.
struct Server<'f> {
    folder: &'f Folder,
    child: Child,
    host: String,
    token: String,
}

/// What the server answered.
struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// What it says is wrong and what to try.
    #[track_caller]
    fn refuses(&self, status: u16, what: &str) {
        assert_eq!(self.status, status, "{}", self.text());
        let error = &self.json()["error"];
        assert!(error["what"].as_str().unwrap().contains(what), "{error}");
        assert!(!error["hint"].as_str().unwrap().is_empty(), "{error}");
    }
}

impl<'f> Server<'f> {
    fn start(folder: &'f Folder, args: &[&str]) -> Self {
        let mut child = folder.start(&[&["serve", "--json", "--no-open"], args].concat());
        let mut told = BufReader::new(child.stdout.as_mut().unwrap());
        let mut text = String::new();
        while !text.contains('}') {
            assert!(told.read_line(&mut text).unwrap() > 0, "it ended: {text}");
        }
        let address = serde_json::from_str::<Value>(&text).unwrap()["address"].as_str().unwrap().to_owned();
        let (host, token) = address.strip_prefix("http://").unwrap().split_once("/#").unwrap();
        Self { folder, child, host: host.to_owned(), token: token.to_owned() }
    }

    fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        // A server that refuses need not read all of it.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head ends");
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head, body: bytes[end + 4..].to_vec() }
    }

    /// A request with these headers and no others.
    fn with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.raw(format!("GET {path} HTTP/1.0\r\n{lines}\r\n").as_bytes())
    }

    /// A request as the page makes it.
    fn ask(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Reply {
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\nOrigin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n\
             Authorization: Bearer {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            self.token,
            body.len(),
            host = self.host
        );
        self.raw(&[head.as_bytes(), body].concat())
    }

    fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, "text/plain", b"")
    }

    fn post(&self, path: &str, body: Value) -> Reply {
        self.ask("POST", path, "application/json", body.to_string().as_bytes())
    }

    /// Waits for a job: its result, or what went wrong.
    fn finish(&self, session: &str, kind: &str, number: u64) -> Result<Value, Value> {
        let mut seen = 0;
        loop {
            let path = format!("/api/sessions/{session}/jobs/{kind}?number={number}&seen={seen}");
            let mut state = self.get(&path).json();
            seen = state["revision"].as_u64().unwrap_or_else(|| panic!("{state}"));
            match state["stage"].as_str().unwrap() {
                "done" => return Ok(state["result"].take()),
                "failed" => return Err(state["error"].take()),
                _ => {}
            }
        }
    }

    /// Opens a table and waits until it is read.
    fn open(&self, what: Value) -> Result<String, Value> {
        let session = self.post("/api/sessions", what).json()["session"].as_str().unwrap().to_owned();
        self.finish(&session, "read", 1).map(|_| session)
    }

    fn job(&self, session: &str, job: Value) -> Result<Value, Value> {
        let number =
            self.post(&format!("/api/sessions/{session}/jobs"), job.clone()).json()["number"].clone();
        self.finish(session, job["kind"].as_str().unwrap(), number.as_u64().unwrap())
    }

    /// Ends it as Ctrl-C does: what it told, and whether the private folder is gone.
    fn stop(mut self, signal: &str) -> String {
        let kill = format!("kill -{signal} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        let mut told = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(code, Some(0), "{told}");
        assert_eq!(std::fs::read_dir(self.folder.spool()).unwrap().count(), 0, "temporary files are left");
        told
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn strangers_are_not_let_in() {
    let folder = Folder::with(PEOPLE);
    let server = Server::start(&folder, &[]);
    let (host, bearer) = (server.host.as_str(), format!("Bearer {}", server.token));
    let auth = ("Authorization", bearer.as_str());
    let port = host.split_once(':').unwrap().1;
    let local = format!("localhost:{port}");
    assert_eq!(server.with("/api/start", &[("Host", host), auth]).status, 200);
    assert_eq!(server.with("/api/start", &[("Host", &local), auth]).status, 200);
    // A name that leads here, as after DNS rebinding.
    server.with("/api/start", &[("Host", "evil.example"), auth]).refuses(421, "own name");
    server.with("/", &[("Host", &format!("evil.example:{port}"))]).refuses(421, "own name");
    server.with("/api/start", &[auth]).refuses(421, "own name");
    for origin in ["http://evil.example", "null", "https://127.0.0.1", &format!("http://localhost:{port}")] {
        server.with("/api/start", &[("Host", host), auth, ("Origin", origin)]).refuses(403, "another site");
    }
    for site in ["cross-site", "same-site"] {
        let headers = [("Host", host), auth, ("Sec-Fetch-Site", site)];
        server.with("/api/start", &headers).refuses(403, "another site");
        server.with("/page.js", &headers).refuses(403, "another site");
    }
    server.with("/api/start", &[("Host", host)]).refuses(401, "token");
    for wrong in ["Bearer ", "Basic x", &format!("Bearer {}", "0".repeat(32)), &bearer[..30]] {
        server.with("/api/start", &[("Host", host), ("Authorization", wrong)]).refuses(401, "token");
    }
    server.with("/api/nothing", &[("Host", host), auth]).refuses(404, "no such page");
    server.stop("INT");
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let folder = Folder::with(PEOPLE);
    let server = Server::start(&folder, &[]);
    let page = server.with("/", &[("Host", &server.host)]);
    assert_eq!(page.status, 200);
    for part in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
        "frame-ancestors 'none'",
        "cache-control: no-store",
        "referrer-policy: no-referrer",
        "x-content-type-options: nosniff",
    ] {
        assert!(page.head.contains(part), "{part} is missing: {}", page.head);
    }
    assert!(!page.text().contains("http") && !page.text().contains(&server.token));
    for path in ["/page.js", "/page.css", "/favicon.svg"] {
        assert_eq!(server.with(path, &[("Host", &server.host)]).status, 200, "{path}");
    }
    // A refusal has the headers, too.
    assert!(server.with("/", &[]).head.contains("default-src 'none'"));
    server.stop("TERM");
}

#[test]
fn only_files_below_the_folder_are_read() {
    let outside = Folder::with(PEOPLE);
    let folder = Folder::with(PEOPLE);
    std::os::unix::fs::symlink(outside.path("table.csv"), folder.path("link.csv")).unwrap();
    std::os::unix::fs::symlink(outside.path("."), folder.path("way")).unwrap();
    let server = Server::start(&folder, &[]);
    let open = |path: &str| server.post("/api/sessions", json!({ "path": path }));
    for path in
        ["/etc/passwd", "../..", "link.csv", "way/table.csv", outside.path("table.csv").to_str().unwrap()]
    {
        open(path).refuses(403, "outside the folder");
    }
    open(".").refuses(422, "not a file");
    open("nowhere.csv").refuses(404, "nowhere.csv");
    let listed = server.get("/api/start").json()["tables"].clone();
    assert_eq!(listed, json!([{ "path": "table.csv", "bytes": PEOPLE.len() }]));
    // What a policy names is held to the same.
    let session = server.open(json!({ "path": "table.csv" })).unwrap();
    for file in [outside.path("table.csv").to_str().unwrap(), "link.csv", "way/table.csv"] {
        let policy = format!("k = 3\n[columns]\nzip = {{role = \"quasi\", hierarchy = {file:?}}}\n");
        let path = format!("/api/sessions/{session}/policy");
        let view = server.ask("PUT", &path, "text/plain", policy.as_bytes()).json();
        let told = view["mistakes"].to_string();
        assert!(told.contains("outside the folder"), "{told}");
    }
    server.stop("INT");
    // What the command line names may be anywhere.
    let table = outside.path("table.csv");
    let server = Server::start(&folder, &[table.to_str().unwrap()]);
    server.open(json!({ "path": table })).unwrap();
    server.stop("INT");
}

#[test]
fn the_whole_way_and_nothing_is_left_behind() {
    let folder = Folder::with(PEOPLE);
    let server = Server::start(&folder, &[]);
    let private = std::fs::read_dir(folder.spool()).unwrap().next().unwrap().unwrap();
    assert_eq!(private.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    // A table that was dropped on the page: its bytes go to the private folder.
    let upload = server.ask("POST", "/api/uploads?name=people.csv", "text/csv", PEOPLE.as_bytes());
    let session = upload.json()["session"].as_str().unwrap().to_owned();
    server.finish(&session, "read", 1).unwrap();
    let at = |path: &str| format!("/api/sessions/{session}{path}");
    let known = server.get(&at("")).json();
    assert_eq!(
        (known["name"].as_str(), known["inspection"]["rows"].as_u64()),
        (Some("people.csv"), Some(12))
    );
    let policy = "k = 3\n[columns]\nname = \"identifier\"\nage = \"quasi\"\nsex = \"quasi\"\n\
        diagnosis = \"sensitive\"\n[columns.zip]\nrole = \"quasi\"\nkind = \"category\"\n";
    let view = server.ask("PUT", &at("/policy"), "text/plain", policy.as_bytes()).json();
    assert_eq!((&view["mistakes"], &view["said"]["columns"]["age"]["role"]), (&json!([]), &json!("quasi")));

    let answer = server.job(&session, json!({ "kind": "answer" })).unwrap();
    assert_eq!(
        (answer["report"]["k"].as_u64(), answer["report"]["smallest_group"].as_u64()),
        (Some(3), Some(3))
    );
    assert_eq!(
        (answer["before"]["unique"].as_f64(), answer["after"]["unique"].as_f64()),
        (Some(1.0), Some(0.0))
    );
    let point = server.job(&session, json!({ "kind": "point", "k": 4 })).unwrap();
    assert_eq!((point["k"].as_u64(), point["smallest_group"].as_u64()), (Some(4), Some(4)));
    let rows = server.get(&at("/rows?of=answer&from=10&count=5")).json();
    assert_eq!(
        (&rows["list"][1]["before"][0], &rows["list"][1]["alike_after"]),
        (&json!("Ottokar-o"), &json!(3))
    );

    server.get(&at("/files/release.csv")).refuses(404, "no release yet");
    server.job(&session, json!({ "kind": "publish" })).unwrap();
    folder.release(&["-k", "3", "-o", "release.csv", "--groups", "groups.csv"]);
    for name in ["release.csv", "groups.csv"] {
        assert_eq!(server.get(&at(&format!("/files/{name}"))).body, folder.bytes(name), "{name}");
    }
    assert_eq!(server.get(&at("/files/policy.toml")).text(), policy);
    assert!(server.get(&at("/files/report.html")).text().contains("</html>"));
    let facts = server.get(&at("/facts?of=published")).json();
    assert_eq!(facts["utility"]["columns"].as_array().map(Vec::len), Some(3), "{facts}");
    for outside in ["..%2f..%2fpeople.csv", "release.%2f..%2fx.csv", "release.exe"] {
        server.get(&at(&format!("/files/{outside}"))).refuses(404, "no such file");
    }
    let proven = server.job(&session, json!({ "kind": "certify", "how": { "time_limit": 5 } })).unwrap();
    assert_eq!(proven["checked"], true);
    assert!(!server.get(&at("/files/certificate.txt")).body.is_empty());

    // What cannot be done says so.
    let impossible = server.job(&session, json!({ "kind": "point", "k": 50 })).unwrap_err();
    assert!(impossible["hint"].is_string(), "{impossible}");
    server.ask("PUT", &at("/policy"), "text/plain", b"k = 3\n[columns]\nage = \"quasy\"\n");
    let mistakes = server.job(&session, json!({ "kind": "answer" })).unwrap_err()["mistakes"].to_string();
    assert!(mistakes.contains("quasy") && mistakes.contains("\"line\":3"), "{mistakes}");

    assert_eq!(server.ask("DELETE", &at(""), "text/plain", b"").status, 204);
    server.get(&at("")).refuses(410, "session has ended");
    let told = server.stop("INT");
    assert!(told.is_empty(), "{told}");
    folder.holds(&["groups.csv", "release.csv", "table.csv"]);
}

#[test]
fn a_newer_job_stops_the_one_before_it() {
    let folder = Folder::with(PEOPLE);
    let server = Server::start(&folder, &[]);
    let session = server.open(json!({ "example": true })).unwrap();
    let jobs = format!("/api/sessions/{session}/jobs");
    for k in 2..6 {
        server.post(&jobs, json!({ "kind": "answer", "k": k }));
    }
    let answer = server.job(&session, json!({ "kind": "answer", "k": 6 })).unwrap();
    assert_eq!(answer["k"], 6);
    // Whoever still waits for an older one is told that it was replaced.
    let state = server.get(&format!("{jobs}/answer?number=2&seen=0")).json();
    assert_ne!(state["number"], 2);
    server.stop("INT");
}

#[test]
fn large_bodies_and_idle_sessions_end() {
    let folder = Folder::with(PEOPLE);
    let server = Server::start(&folder, &["--max-memory", "1MiB", "--idle", "1s"]);
    let big = vec![b'x'; 3 << 20];
    server.ask("POST", "/api/uploads?name=big.csv", "text/csv", &big).refuses(413, "larger than 1 MiB");
    for name in ["..", "a%2Fb", ".hidden", ""] {
        let reply = server.ask("POST", &format!("/api/uploads?name={name}"), "text/csv", b"a\n1\n");
        reply.refuses(422, "cannot be taken");
    }
    let session = server.open(json!({ "path": "table.csv" })).unwrap();
    let started = Instant::now();
    while server.folders_of_sessions() > 0 {
        assert!(started.elapsed() < Duration::from_secs(60), "the session goes on");
        sleep(Duration::from_millis(50));
    }
    server.get(&format!("/api/sessions/{session}")).refuses(410, "session has ended");
    server.stop("INT");
}

impl Server<'_> {
    fn folders_of_sessions(&self) -> usize {
        let private = std::fs::read_dir(self.folder.spool()).unwrap().next().unwrap().unwrap().path();
        std::fs::read_dir(private).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count()
    }
}

#[test]
fn tables_that_cannot_be_read_say_why() {
    let folder = Folder::with(PEOPLE);
    folder.write("broken.parquet", format!("PAR1{}", "x".repeat(300)));
    folder.write("ragged.csv", "a,b\n1,2\n3\n");
    let server = Server::start(&folder, &[]);
    for name in ["broken.parquet", "ragged.csv"] {
        let error = server.open(json!({ "path": name })).unwrap_err();
        assert!(error["what"].is_string(), "{error}");
    }
    let reply = server.ask("POST", "/api/uploads?name=ragged.csv", "text/csv", b"a,b\n1,2\n3\n");
    let session = reply.json()["session"].as_str().unwrap().to_owned();
    let error = server.finish(&session, "read", 1).unwrap_err();
    assert!(!error["what"].as_str().unwrap().contains("session."), "{error}");
    server.stop("INT");
    let told = folder.kinfold(&["serve", "nowhere.csv"]);
    told.ends_with_code(2).complains("nowhere.csv").hints("check the path");
}

#[test]
fn a_killed_server_leaves_nothing_to_the_next_one() {
    let folder = Folder::with(PEOPLE);
    let mut killed = Server::start(&folder, &[]);
    let living = Server::start(&folder, &[]);
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    let private = || std::fs::read_dir(folder.spool()).unwrap().count();
    assert_eq!(private(), 2);
    let next = Server::start(&folder, &[]);
    assert_eq!(private(), 2, "of the one that was killed nothing is left, of the other all");
    assert_eq!(living.get("/api/start").status, 200);
    drop((living, next));
    Server::start(&folder, &[]).stop("INT");
}

#[test]
fn who_says_nothing_is_not_listened_to_for_ever() {
    let folder = Folder::with(PEOPLE);
    let server = Server::start(&folder, &[]);
    let mut slow: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&server.host).unwrap()).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(b"GET / HTTP/1.1\r\nHost:").unwrap());
    // Others have to wait, and are heard.
    let started = Instant::now();
    assert_eq!(server.get("/api/start").status, 200);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    for stream in &mut slow {
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut told = Vec::new();
        let ended = stream.read_to_end(&mut told);
        assert!(!ended.is_err_and(|e| e.kind() == std::io::ErrorKind::WouldBlock), "it is still open");
    }
}
