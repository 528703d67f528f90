//! The page's own files, part of the program: nothing is loaded from elsewhere.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

const CSS: &str = "text/css; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

const FILES: [(&str, &str, &str); 14] = [
    ("/", HTML, include_str!("assets/index.html")),
    ("/favicon.svg", SVG, include_str!("assets/favicon.svg")),
    ("/page.css", CSS, include_str!("assets/page.css")),
    ("/api.js", JS, include_str!("assets/api.js")),
    ("/charts.js", JS, include_str!("assets/charts.js")),
    ("/columns.js", JS, include_str!("assets/columns.js")),
    ("/compare.js", JS, include_str!("assets/compare.js")),
    ("/dom.js", JS, include_str!("assets/dom.js")),
    ("/file.js", JS, include_str!("assets/file.js")),
    ("/k.js", JS, include_str!("assets/k.js")),
    ("/page.js", JS, include_str!("assets/page.js")),
    ("/panel.js", JS, include_str!("assets/panel.js")),
    ("/policy.js", JS, include_str!("assets/policy.js")),
    ("/publish.js", JS, include_str!("assets/publish.js")),
];

pub fn routes() -> Router {
    FILES.into_iter().fold(Router::new(), |routes, (path, kind, text)| {
        routes.route(path, get(move || async move { ([(CONTENT_TYPE, kind)], text) }))
    })
}
