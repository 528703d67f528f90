//! The report that a data protection officer signs: one HTML file, pictures and style in it, no script. It prints
//! to A4 pages, and follows the reader's light or dark mode. All sentences are in `words/`, a file per language.
//! It shows no cell of the table: bins are numbered, and only names of columns are told.

mod figures;
mod sections;
mod words;

use super::Facts;
use super::chart::{PAGE_COLOURS, PAGE_STYLE};
use std::fmt::Write as _;
pub use words::Language;
use words::Words;

/// A report as a page.
pub fn to_html(facts: &Facts, language: Language) -> String {
    let words = Words::of(language);
    let mut page = Page { words: &words, facts, out: String::new() };
    page.head();
    page.summary();
    page.purpose();
    page.input();
    page.columns();
    page.method();
    page.attackers();
    page.risk();
    page.questions();
    page.sensitive();
    page.utility();
    page.curve();
    page.bound();
    page.withheld();
    page.verification();
    page.limits();
    page.signatures();
    page.out.push_str("</main>\n</body>\n</html>\n");
    page.out
}

struct Page<'a> {
    words: &'a Words,
    facts: &'a Facts,
    out: String,
}

/// Where a cell of a table stands.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

impl Page<'_> {
    fn head(&mut self) {
        let title = escaped(self.words.get(&format!("title.{}", self.facts.call)));
        let [light, dark] = PAGE_COLOURS;
        let language = self.words.get("language");
        let made = escaped(&self.words.say("made.by", &[("version", &self.facts.version)]));
        let _ = write!(
            self.out,
            "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n\
             :root{{color-scheme:light dark;{light}--good:#0a6b2f;--bad:#a8071a}}\n\
             @media (prefers-color-scheme:dark){{:root{{{dark}--good:#74d494;--bad:#ff9c94}}}}\n{PAGE_STYLE}\n{STYLE}\n\
             @media print{{:root{{color-scheme:light;{light}--good:#0a6b2f;--bad:#a8071a}}{PRINT}}}\n\
             </style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"made\">{made}</p>\n"
        );
    }

    /// Opens a section.
    fn heading(&mut self, key: &str) {
        let _ = writeln!(self.out, "<h2>{}</h2>", escaped(self.words.get(key)));
    }

    fn subheading(&mut self, text: &str) {
        let _ = writeln!(self.out, "<h3>{}</h3>", escaped(text));
    }

    fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.out, "<p>{}</p>", escaped(text));
    }

    /// A sentence without gaps.
    fn line(&mut self, key: &str) {
        self.paragraph(self.words.get(key));
    }

    fn note(&mut self, key: &str) {
        let _ = writeln!(self.out, "<p class=\"note\">{}</p>", escaped(self.words.get(key)));
    }

    /// Terms and what is said of them; what is missing is a line to fill in.
    fn terms(&mut self, list: &[(&str, Option<String>)]) {
        self.out.push_str("<dl>\n");
        for (term, said) in list {
            let said = match said {
                Some(said) => escaped(said),
                None => format!("<span class=\"blank\">{}</span>", escaped(self.words.get("to.fill.in"))),
            };
            let _ = writeln!(self.out, "<dt>{}</dt><dd>{said}</dd>", escaped(term));
        }
        self.out.push_str("</dl>\n");
    }

    /// A table with its caption; the first row is the heading.
    fn table(&mut self, caption: &str, sides: &[Side], rows: &[Vec<String>]) {
        let Some((heading, body)) = rows.split_first() else { return };
        let class = |side: Side| if side == Side::Right { " class=\"number\"" } else { "" };
        let caption = escaped(caption);
        let _ = write!(
            self.out,
            "<section class=\"scroll\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n<caption><span>{caption}</span></caption>\n<thead><tr>"
        );
        for (cell, &side) in heading.iter().zip(sides) {
            let _ = write!(self.out, "<th scope=\"col\"{}>{}</th>", class(side), escaped(cell));
        }
        self.out.push_str("</tr></thead>\n<tbody>\n");
        for row in body {
            self.out.push_str("<tr>");
            for (i, (cell, &side)) in row.iter().zip(sides).enumerate() {
                let _ = match i {
                    0 => write!(self.out, "<th scope=\"row\">{}</th>", escaped(cell)),
                    _ => write!(self.out, "<td{}>{}</td>", class(side), escaped(cell)),
                };
            }
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</tbody>\n</table>\n</section>\n");
    }

    fn figure(&mut self, svg: &str, caption: &str) {
        let _ = writeln!(self.out, "<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>", escaped(caption));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "\
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
main{max-width:52rem;margin:0 auto;padding:1.5rem 1rem 4rem;counter-reset:section}
h1{font-size:1.8rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.3rem;line-height:1.3;margin:2.4rem 0 .6rem;padding-top:1rem;border-top:1px solid var(--line);counter-increment:section}
h2::before{content:counter(section) '. '}
h3{font-size:1.05rem;margin:1.4rem 0 .3rem}
p,dl,ul{margin:.5rem 0}
.made,.note,figcaption,caption{color:var(--soft);font-size:.9rem}
.verdict{margin:1rem 0;padding:.6rem 1rem;border-left:.4rem solid var(--good);font-weight:600}
.verdict.bad{border-color:var(--bad);color:var(--bad)}.verdict.plain{border-color:var(--soft)}
.guarantee{font-size:1.1rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.7rem;margin:1rem 0;padding:0;list-style:none}
.tiles li{border:1px solid var(--line);border-radius:.4rem;padding:.5rem .8rem}
.tiles b{display:block;font-size:1.35rem;overflow-wrap:anywhere}.tiles span{color:var(--soft);font-size:.9rem}
dl{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:.3rem 1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.blank{display:block;border-bottom:1px dotted var(--soft);color:var(--soft);font-size:.85rem}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;width:100%;font-size:.93rem}
caption{text-align:left;padding-bottom:.4rem}caption span{display:block;position:sticky;left:0;max-width:calc(100vw - 2rem)}
th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600}tbody th{font-weight:400}
.number{text-align:right;font-variant-numeric:tabular-nums}td.number{white-space:nowrap}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
figure{margin:1.2rem 0}figcaption{max-width:640px;margin-top:.2rem}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:0 1.2rem}
.pictures .chart text,.pictures .chart .small{font-size:16px}
.sign{table-layout:fixed}.sign th{hyphens:auto;overflow-wrap:anywhere}.sign td{height:3.2rem}
@media (max-width:34rem){.chart text{font-size:14px}.chart .small{font-size:16px}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}";

const PRINT: &str = "\
@page{size:A4;margin:18mm 16mm}
body{font-size:10.5pt}main{max-width:none;padding:0}
h2,h3,caption{break-after:avoid}h2{margin-top:1.4rem}
figure,tr,.scroll,.sign,.tiles,.question,.verdict,dl{break-inside:avoid}
.scroll{overflow:visible}caption span{max-width:none}thead{display:table-header-group}
.chart{max-width:150mm}.pictures{grid-template-columns:1fr 1fr}.pictures .chart{max-width:100%}";
