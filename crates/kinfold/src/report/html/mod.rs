//! The report that a data protection officer signs: one HTML file, pictures and style in it, no script. It prints
//! to A4 pages, and follows the reader's light or dark mode. All sentences are in `words/`, a file per language.
//! It shows no cell of the table: bins are numbered, and only names of columns are told.

mod figures;
mod sections;
mod words;

use super::Facts;
use super::chart::{PAGE_COLOURS, PAGE_STYLE};
use std::fmt::{Display, Write as _};
use std::ops::RangeBounds;
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

impl Page<'_> {
    fn head(&mut self) {
        let title = escaped(self.words.get(&format!("title.{}", self.facts.call)));
        let [light, dark] = PAGE_COLOURS;
        let language = self.words.get("language");
        let made = escaped(&self.words.say("made.by", &[("version", &self.facts.version)]));
        let (style, print) = (include_str!("style.css").trim_end(), include_str!("print.css").trim_end());
        let _ = write!(
            self.out,
            "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n\
             :root{{color-scheme:light dark;{light}--good:#0a6b2f;--bad:#a8071a}}\n\
             @media (prefers-color-scheme:dark){{:root{{{dark}--good:#74d494;--bad:#ff9c94}}}}\n{PAGE_STYLE}\n{style}\n\
             @media print{{:root{{color-scheme:light;{light}--good:#0a6b2f;--bad:#a8071a}}{print}}}\n\
             </style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"made\">{made}</p>\n"
        );
    }

    /// Opens a section.
    fn heading(&mut self, key: &str) {
        let _ = writeln!(self.out, "<h2>{}</h2>", escaped(self.words.get(key)));
    }

    fn subheading(&mut self, key: &str) {
        let _ = writeln!(self.out, "<h3>{}</h3>", escaped(self.words.get(key)));
    }

    fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.out, "<p>{}</p>", escaped(text));
    }

    /// A sentence without gaps.
    fn line(&mut self, key: &str) {
        self.say(key, &[]);
    }

    /// A sentence with its gaps filled in.
    fn say(&mut self, key: &str, gaps: &[(&str, &dyn Display)]) {
        self.paragraph(&self.words.say(key, gaps));
    }

    fn note(&mut self, key: &str) {
        let _ = writeln!(self.out, "<p class=\"note\">{}</p>", escaped(self.words.get(key)));
    }

    /// Terms by their keys, and what is said of them; what is missing is a line to fill in.
    fn terms(&mut self, list: &[(&str, Option<String>)]) {
        self.out.push_str("<dl>\n");
        for (term, said) in list {
            let said = match said {
                Some(said) => escaped(said),
                None => format!("<span class=\"blank\">{}</span>", escaped(self.words.get("to.fill.in"))),
            };
            let _ = writeln!(self.out, "<dt>{}</dt><dd>{said}</dd>", escaped(self.words.get(term)));
        }
        self.out.push_str("</dl>\n");
    }

    /// A table with its caption. Its heading is told by keys; columns of numbers stand at the right.
    fn table(
        &mut self,
        caption: &str,
        heading: &[&str],
        numbers: impl RangeBounds<usize>,
        rows: &[Vec<String>],
    ) {
        let class = |column: usize| if numbers.contains(&column) { " class=\"number\"" } else { "" };
        let caption = escaped(caption);
        let _ = write!(
            self.out,
            "<section class=\"scroll\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n<caption><span>{caption}</span></caption>\n<thead><tr>"
        );
        for (i, key) in heading.iter().enumerate() {
            let name = escaped(self.words.get(key));
            let _ = write!(self.out, "<th scope=\"col\"{}>{name}</th>", class(i));
        }
        self.out.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.out.push_str("<tr>");
            for (i, cell) in row.iter().enumerate() {
                let _ = match i {
                    0 => write!(self.out, "<th scope=\"row\">{}</th>", escaped(cell)),
                    _ => write!(self.out, "<td{}>{}</td>", class(i), escaped(cell)),
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
