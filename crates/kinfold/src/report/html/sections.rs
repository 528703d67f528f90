//! The sections of the report, one after the other.

use super::{Page, escaped};
use crate::report::{CertifyVerdict, ColumnFacts, FileFacts, ModelReport, Proven, RiskReport};
use kinfold_model::Unit;
use std::fmt::Write as _;

/// A bound that is further below the loss says little.
const WEAK: f64 = 0.3;

impl<'a> Page<'a> {
    /// The report of the release if it was verified one way or the other: whether it is safe, its models.
    fn checked(&self) -> Option<(bool, &'a [ModelReport])> {
        let facts = self.facts;
        match (&facts.anonymize, &facts.verify) {
            (Some(report), _) => Some((true, &report.models)),
            (None, Some(report)) => Some((report.good(), &report.models)),
            (None, None) => None,
        }
    }

    pub(super) fn proven(&self) -> Option<&'a Proven> {
        match &self.facts.certify.as_ref()?.verdict {
            CertifyVerdict::Proven(proven) => Some(proven),
            CertifyVerdict::Refused { .. } => None,
        }
    }

    pub(super) fn quasi(&self) -> String {
        let quasi = self.facts.policy.columns.iter().filter(|column| column.role == "quasi");
        quasi.map(|column| column.column.as_str()).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn summary(&mut self) {
        let words = self.words;
        let (class, text) = match self.checked() {
            Some((true, models)) => match models.iter().filter(|model| model.fulfilled.is_none()).count() {
                0 => ("verdict", words.get("verdict.safe").to_owned()),
                n => ("verdict", words.say("verdict.safe.undecided", &[("n", &n)])),
            },
            Some((false, _)) => ("verdict bad", words.get("verdict.unsafe").to_owned()),
            None if self.facts.call == "certify" => {
                ("verdict plain", words.get("verdict.certify").to_owned())
            }
            None => ("verdict plain", words.get("verdict.risk").to_owned()),
        };
        let _ = writeln!(self.out, "<p class=\"{class}\">{}</p>", escaped(&text));
        self.heading("summary");
        let (name, guarantee) = (escaped(words.get("summary.guarantee")), escaped(&self.guarantee()));
        let _ = writeln!(self.out, "<p class=\"guarantee\"><strong>{name}:</strong> {guarantee}</p>");
        if !self.facts.policy.models.is_empty() {
            self.note("guarantee.terms");
        }
        let tiles = self.tiles();
        self.out.push_str("<ul class=\"tiles\">\n");
        for (value, key) in tiles {
            let (value, name) = (escaped(&value), escaped(words.get(key)));
            let _ = writeln!(self.out, "<li><b>{value}</b><span>{name}</span></li>");
        }
        self.out.push_str("</ul>\n");
    }

    /// What the release promises, in one sentence or two.
    fn guarantee(&self) -> String {
        let (words, policy) = (self.words, &self.facts.policy);
        let models = match self.checked() {
            None => return words.get("guarantee.none").into(),
            Some((false, _)) => return words.get("guarantee.broken").into(),
            Some((true, models)) => models,
        };
        // What was not checked is not guaranteed.
        let undecided: Vec<&str> =
            models.iter().filter(|m| m.fulfilled.is_none()).map(|m| m.model.as_str()).collect();
        let counted = undecided.is_empty() || !policy.persons;
        let key = match policy.form {
            _ if !counted => "guarantee.counted",
            "centres" => "guarantee.centres",
            _ => "guarantee.rows",
        };
        let k = policy.k;
        let mut text =
            words.say(key, &[("columns", &self.quasi()), ("k", &k), ("others", &(k.saturating_sub(1)))]);
        if policy.persons && counted {
            text = text + " " + words.get("guarantee.persons");
        }
        let decided = policy.models.iter().map(String::as_str).filter(|model| !undecided.contains(model));
        let decided: Vec<&str> = decided.collect();
        if !decided.is_empty() {
            text = text + " " + &words.say("guarantee.models", &[("models", &decided.join("; "))]);
        }
        if !undecided.is_empty() {
            text = text + " " + &words.say("guarantee.undecided", &[("models", &undecided.join("; "))]);
        }
        text
    }

    /// The loss as people read it: on average, but of the largest group the number of its people.
    pub(super) fn shown_loss(&self, whole: f64, average: f64) -> f64 {
        if self.facts.policy.objective == "group-size" { whole } else { average }
    }

    /// What the loss is called under the objective.
    pub(super) fn loss_name(&self) -> &'static str {
        match self.facts.policy.objective {
            "stars" => "loss.stars",
            "columns" => "loss.columns",
            "radius" => "loss.radius",
            "cellular" => "loss.cellular",
            "sse" => "loss.sse",
            "group-size" => "loss.group-size",
            _ => "loss.ncp",
        }
    }

    fn tiles(&self) -> Vec<(String, &'static str)> {
        let (words, facts) = (self.words, self.facts);
        let mut tiles = Vec::new();
        let sizes = facts.anonymize.as_ref().map(|report| (report.smallest_group, report.groups));
        let sizes = sizes.or(facts.verify.as_ref().map(|report| (report.smallest_group, report.groups)));
        if let Some((smallest, groups)) = sizes {
            tiles.push((words.whole(smallest), "figure.k"));
            tiles.push((words.whole(groups as u64), "figure.groups"));
        }
        match (&facts.before, &facts.after) {
            (Some(before), Some(after)) => {
                tiles.push((words.figure(before.prosecutor.highest), "figure.risk.before"));
                tiles.push((words.figure(after.prosecutor.highest), "figure.risk.after"));
                tiles.push((words.percent(before.sample_uniques_share), "figure.unique.before"));
                tiles.push((words.percent(after.sample_uniques_share), "figure.unique.after"));
            }
            (None, Some(only)) | (Some(only), None) => {
                tiles.push((words.whole(only.people), "figure.people"));
                tiles.push((words.figure(only.prosecutor.highest), "figure.risk"));
                tiles.push((words.percent(only.sample_uniques_share), "figure.unique"));
            }
            (None, None) => {}
        }
        if let Some(report) = &facts.anonymize {
            tiles.push((words.figure(self.shown_loss(report.loss, report.average_loss)), self.loss_name()));
            tiles.push((words.whole(report.withheld as u64), "figure.withheld"));
        }
        if let Some(proven) = self.proven() {
            let lost = &proven.lost;
            let shown = self.shown_loss(lost.loss, lost.average_loss);
            let scale = shown / lost.loss.max(f64::MIN_POSITIVE);
            tiles.push((words.figure(shown), self.loss_name()));
            tiles.extend(lost.bound.map(|bound| (words.figure_at_least(bound * scale), "figure.bound")));
            tiles.extend(lost.gap.map(|gap| (words.percent_at_most(gap), "figure.gap")));
        }
        tiles
    }

    pub(super) fn purpose(&mut self) {
        self.heading("purpose");
        let said = self.facts.about.clone();
        self.terms(&[
            ("purpose.purpose", said.purpose),
            ("purpose.recipient", said.recipient),
            ("purpose.controller", said.controller),
            ("purpose.legal_basis", said.legal_basis),
            ("purpose.contact", said.contact),
        ]);
        self.note("purpose.note");
    }

    fn file(&mut self, file: &FileFacts, name: &'static str, unhashed: &'static str) {
        let words = self.words;
        let sha = file.sha256.clone().unwrap_or_else(|| words.get(unhashed).to_owned());
        let mut list = vec![(name, Some(file.name.clone()))];
        list.extend(file.rows.map(|rows| ("input.rows", Some(words.whole(rows as u64)))));
        list.push(("input.sha", Some(sha)));
        self.terms(&list);
    }

    pub(super) fn input(&mut self) {
        self.heading("input");
        match &self.facts.input {
            Some(file) => self.file(file, "input.file", "input.unhashed"),
            None => self.line("input.none"),
        }
    }

    pub(super) fn columns(&mut self) {
        self.heading("columns");
        let words = self.words;
        // A report on risk says what columns are; nothing is done to them.
        let lossy = self.facts.policy.columns.iter().any(|column| column.loss.is_some());
        let (shown, caption) = match self.facts.call {
            "risk" => (2, "columns.caption.roles"),
            _ if lossy => (5, "columns.caption"),
            _ => (4, "columns.caption.plain"),
        };
        let mut rows = Vec::new();
        for column in &self.facts.policy.columns {
            let cells = [
                column.column.clone(),
                words.get(&format!("role.{}", column.role)).into(),
                column.kind.map_or("–".into(), |kind| words.get(&format!("kind.{kind}")).to_owned()),
                self.technique(column),
                column.loss.map_or("–".into(), |loss| words.figure(loss)),
            ];
            rows.push(cells[..shown].to_vec());
        }
        let heading = ["columns.name", "columns.role", "columns.kind", "columns.technique", "columns.loss"];
        self.table(words.get(caption), &heading[..shown], 4.., &rows);
        let losses = self.facts.anonymize.as_ref();
        if let Some((level, tight)) = losses.and_then(|r| r.loss_by_level.zip(r.loss_by_tight_bounds)) {
            let [level, tight] = [level, tight].map(|loss| words.figure(loss));
            self.say("columns.losses", &[("level", &level), ("tight", &tight)]);
        }
        self.loss_chart();
    }

    /// What is done to a column. One level for all rows says all of it.
    fn technique(&self, column: &ColumnFacts) -> String {
        match column.level.as_deref() {
            None => self.words.get(&format!("technique.{}", column.technique)).to_owned(),
            Some("exact") => self.words.get("technique.unchanged").to_owned(),
            Some("*") => self.words.get("technique.starred").to_owned(),
            Some(level) => self.words.say("technique.fixed", &[("level", &level)]),
        }
    }

    pub(super) fn method(&mut self) {
        self.heading("method");
        let (words, facts) = (self.words, self.facts);
        let policy = &facts.policy;
        let objective = words.get(&format!("objective.{}", policy.objective)).to_owned();
        let models = match policy.models.is_empty() {
            true => words.get("models.none").to_owned(),
            false => policy.models.join("; "),
        };
        let said = vec![
            ("method.objective", Some(objective)),
            ("method.recoding", Some(words.get(&format!("recoding.{}", policy.recoding)).to_owned())),
            ("method.form", Some(words.get(&format!("form.{}", policy.form)).to_owned())),
            ("method.k", Some(policy.k.to_string())),
            ("method.models", Some(models)),
            ("method.withhold", Some(words.percent(policy.withhold))),
        ];
        // Risk depends on none of these.
        let mut list = if facts.call == "risk" { Vec::new() } else { said };
        let solvers = facts.anonymize.iter().map(|report| Some(report.solver.clone()));
        let solvers = solvers.chain(self.proven().map(|proven| proven.solver.clone()));
        list.extend(solvers.flatten().map(|solver| ("method.solver", Some(solver))));
        list.extend(facts.seed.map(|seed| ("method.seed", Some(seed.to_string()))));
        list.extend(policy.file.clone().map(|file| ("method.policy", Some(file))));
        list.push(("method.version", Some(format!("kinfold {}", facts.version))));
        self.terms(&list);
        if let Some(command) = &facts.command {
            let (name, told) = (escaped(words.get("method.command")), escaped(command));
            let _ = writeln!(self.out, "<p>{name}:</p>\n<pre><code>{told}</code></pre>");
            if command.contains('…') {
                self.note("method.command.note");
            }
        }
    }

    pub(super) fn attackers(&mut self) {
        if self.facts.after.is_none() {
            return;
        }
        self.heading("attackers");
        let rows = self.facts.after.as_ref().is_some_and(|after| after.unit == Unit::Rows);
        self.line(match (rows, self.facts.policy.persons) {
            (true, true) => "attackers.persons.unknown",
            (true, false) => "attackers.rows",
            (false, true) => "attackers.persons",
            (false, false) => "attackers.people",
        });
        for key in [
            "attackers.prosecutor",
            "attackers.journalist",
            "attackers.marketer",
            "attackers.thresholds",
            "attackers.beyond",
        ] {
            self.line(key);
        }
    }

    pub(super) fn questions(&mut self) {
        let Some(after) = &self.facts.after else { return };
        self.heading("questions");
        self.note("questions.note");
        let (words, facts) = (self.words, self.facts);
        let smallest = after.class_sizes.first().map_or(0, |class| class.size);
        let holds = self.checked().is_some_and(|(good, _)| good);
        let none = || words.get("guarantee.none").to_owned();
        let k = facts.policy.k;
        let unique = words.percent(after.sample_uniques_share);
        let mut figure = words.say("singling.figure", &[("share", &unique), ("k", &words.whole(smallest))]);
        let kept = facts.anonymize.as_ref().map(|report| report.unique_on_unchanged);
        let kept = kept.or(facts.verify.as_ref().map(|report| report.unique_on_unchanged));
        if let Some(kept) = kept {
            figure = figure + " " + &words.say("singling.kept", &[("share", &words.percent(kept))]);
        }
        if let Some(ends) = after.singled_out {
            figure = figure + " " + &words.say("singling.ends", &[("share", &words.percent(ends))]);
        }
        let claimed = words.say("singling.claimed", &[("others", &k.saturating_sub(1))]);
        let claimed = if holds { claimed } else { none() };
        self.question("question.singling", &figure, &claimed, "singling.not");
        let figure = match &after.linkage {
            Some(linkage) => {
                let mut text = words.say(
                    if facts.policy.persons { "linkability.rows" } else { "linkability.figure" },
                    &[
                        ("people", &words.whole(linkage.people)),
                        ("fewest", &words.whole(linkage.fewest)),
                        ("average", &words.number(linkage.average, 1)),
                        ("pinned", &words.whole(linkage.pinned)),
                    ],
                );
                if linkage.sampled {
                    let people = words.whole(linkage.people);
                    text = text + " " + &words.say("linkability.sampled", &[("people", &people)]);
                }
                text
            }
            None => words.get("linkability.unknown").to_owned(),
        };
        let claimed = if holds { words.say("linkability.claimed", &[("k", &k)]) } else { none() };
        self.question("question.linkability", &figure, &claimed, "linkability.not");
        let figures = after.attributes.iter().map(|attribute| {
            words.say(
                "inference.figure",
                &[
                    ("column", &attribute.reached.column),
                    ("guess", &words.percent(attribute.best_guess)),
                    ("base", &words.percent(attribute.base_rate)),
                    ("certain", &words.percent(attribute.certain_share)),
                ],
            )
        });
        let mut figure = figures.collect::<Vec<_>>().join(" ");
        if figure.is_empty() {
            figure = words.get("inference.none").to_owned();
        }
        let claimed = match facts.policy.models.is_empty() || !holds {
            true => words.get("inference.claimed.none").to_owned(),
            false => words.say("inference.claimed", &[("models", &facts.policy.models.join("; "))]),
        };
        self.question("question.inference", &figure, &claimed, "inference.not");
    }

    fn question(&mut self, key: &str, figure: &str, claimed: &str, not: &str) {
        let words = self.words;
        self.out.push_str("<div class=\"question\">\n");
        self.subheading(key);
        self.terms(&[
            ("question.figure", Some(figure.to_owned())),
            ("question.claimed", Some(claimed.to_owned())),
            ("question.not", Some(words.get(not).to_owned())),
        ]);
        self.out.push_str("</div>\n");
    }

    pub(super) fn sensitive(&mut self) {
        let Some(after) = &self.facts.after else { return };
        self.heading("sensitive");
        let words = self.words;
        if after.attributes.is_empty() {
            return self.line("sensitive.none");
        }
        let mut rows = Vec::new();
        for attribute in &after.attributes {
            let reached = &attribute.reached;
            rows.push(vec![
                reached.column.clone(),
                reached.distinct_l.to_string(),
                words.at_least(reached.entropy_l),
                words.at_most(reached.closeness_equal),
                reached.likeness_basic.map_or("–".into(), |beta| words.at_most(beta)),
                words.percent(attribute.certain_share),
                words.percent(attribute.likely_share),
                words.percent(attribute.best_guess),
                words.percent(attribute.base_rate),
            ]);
        }
        let keys = ["column", "l", "entropy", "t", "beta", "certain", "likely", "guess", "base"];
        let keys = keys.map(|key| format!("sensitive.{key}"));
        self.table(words.get("sensitive.caption"), &keys.each_ref().map(String::as_str), 1.., &rows);
    }

    pub(super) fn bound(&mut self) {
        let (words, facts) = (self.words, self.facts);
        let lost = facts.anonymize.as_ref().map(|report| report.lost());
        let Some(lost) = lost.or_else(|| self.proven().map(|proven| proven.lost.clone())) else { return };
        self.heading("bound");
        // In the unit of the summary.
        let loss = self.shown_loss(lost.loss, lost.average_loss);
        let bound = lost.bound.map(|bound| if lost.loss > 0.0 { bound * loss / lost.loss } else { 0.0 });
        match (bound, lost.gap) {
            (_, Some(gap)) if gap > WEAK => self.line("bound.weak"),
            (Some(bound), Some(gap)) => {
                let (bound, gap) = (words.figure_at_least(bound), words.percent_at_most(gap));
                self.say("bound.proven", &[("bound", &bound), ("loss", &words.figure(loss)), ("gap", &gap)]);
                if lost.optimal {
                    self.line("bound.optimal");
                }
                self.line(if lost.checked() { "bound.kind.checked" } else { "bound.kind.claimed" });
                if lost.bound_for.is_some() {
                    self.line("bound.alone");
                }
            }
            _ => self.line("bound.none"),
        }
    }

    pub(super) fn withheld(&mut self) {
        let (words, facts) = (self.words, self.facts);
        if facts.anonymize.is_none() && facts.verify.is_none() {
            return;
        }
        self.heading("withheld");
        let counted = match (&facts.anonymize, facts.verify.as_ref().and_then(|v| v.truth.as_ref())) {
            (Some(report), _) => Some((report.withheld, report.rows)),
            (None, Some(truth)) => {
                let rows = facts.release.as_ref().and_then(|release| release.rows);
                rows.map(|rows| (truth.withheld_rows, rows + truth.withheld_rows))
            }
            (None, None) => None,
        };
        match counted {
            Some((0, _)) => self.line("withheld.none"),
            Some((withheld, rows)) => {
                let share = words.percent(withheld as f64 / rows.max(1) as f64);
                let [withheld, rows] = [withheld, rows].map(|number| words.whole(number as u64));
                self.say("withheld.rows", &[("n", &withheld), ("rows", &rows), ("share", &share)]);
            }
            None => self.line("withheld.unknown"),
        }
        if counted.is_some_and(|(withheld, _)| withheld > 0) {
            self.line("withheld.shown");
        }
        let Some(utility) = &facts.utility else { return };
        let starred = utility.columns.iter().filter(|c| c.starred > 0.0);
        let starred: Vec<String> =
            starred.map(|c| format!("{} {}", c.column, words.percent(c.starred))).collect();
        match starred.is_empty() {
            true => self.line("withheld.nostars"),
            false => self.say("withheld.stars", &[("list", &starred.join(", "))]),
        }
    }

    pub(super) fn verification(&mut self) {
        let (words, facts) = (self.words, self.facts);
        let Some((good, models)) = self.checked() else { return };
        self.heading("verification");
        self.line(if good { "verification.passed" } else { "verification.failed" });
        let mut findings: Vec<String> = Vec::new();
        if let Some(report) = &facts.verify {
            for below in &report.groups_below_k {
                let (groups, size) = (words.whole(below.groups as u64), words.whole(below.size));
                findings.push(words.say("verification.below", &[("groups", &groups), ("size", &size)]));
            }
            for forbidden in &report.forbidden_columns {
                let (column, why) = (&forbidden.column, &forbidden.why);
                findings.push(words.say("verification.column", &[("column", column), ("why", why)]));
            }
            for off in &report.off_level_columns {
                let rows = words.whole(off.rows as u64);
                findings.push(words.say("verification.level", &[("column", &off.column), ("rows", &rows)]));
            }
            for column in &report.coded_twice {
                findings.push(words.say("verification.twice", &[("column", column)]));
            }
            if report.miscounted_groups > 0 {
                findings.push(words.say("verification.miscounted", &[("n", &report.miscounted_groups)]));
            }
        }
        for model in models {
            let finding = match model.fulfilled {
                Some(true) => words.get("verification.fulfilled").to_owned(),
                Some(false) => words.say(
                    "verification.short",
                    &[("groups", &model.groups_short), ("people", &words.whole(model.people_short))],
                ),
                None => words.get("verification.undecided").to_owned(),
            };
            findings.push(words.say("verification.model", &[("model", &model.model), ("finding", &finding)]));
        }
        if !findings.is_empty() {
            self.out.push_str("<ul>\n");
            for finding in findings {
                let _ = writeln!(self.out, "<li>{}</li>", escaped(&finding));
            }
            self.out.push_str("</ul>\n");
        }
        let chosen = facts.anonymize.as_ref().is_some_and(|report| !report.levels.is_empty());
        if chosen || facts.verify.as_ref().is_some_and(|report| report.one_coding == Some(true)) {
            self.line("verification.coding");
        }
        if let Some(report) = &facts.verify {
            match &report.truth {
                Some(truth) if truth.holds => self.line("verification.true"),
                Some(truth) => {
                    let invented = words.whole(truth.invented_rows as u64);
                    let withheld = words.whole(truth.withheld_people);
                    self.say("verification.untrue", &[("invented", &invented), ("withheld", &withheld)]);
                }
                None => self.line("verification.uncompared"),
            }
        }
        let none = FileFacts { name: "–".into(), ..FileFacts::default() };
        self.file(facts.release.as_ref().unwrap_or(&none), "verification.file", "verification.unhashed");
    }

    pub(super) fn limits(&mut self) {
        self.heading("limits");
        let words = self.words;
        self.line("limits.k");
        let earlier = self.facts.about.earlier_releases.clone();
        let earlier = earlier.unwrap_or_else(|| words.get("to.fill.in").to_owned());
        self.say("limits.release", &[("earlier", &earlier)]);
        self.overlay();
        if self.facts.after.as_ref().is_some_and(|after: &RiskReport| after.population_uniques.is_some()) {
            self.line("limits.model");
        }
        self.line("limits.law");
        self.terms(&[("limits.review", self.facts.about.review_date.clone())]);
    }

    /// What is left of everybody where earlier releases are laid over this one.
    fn overlay(&mut self) {
        let words = self.words;
        let Some(report) = &self.facts.anonymize else { return };
        let Some(overlay) = &report.overlay else { return };
        let names: Vec<&str> = overlay.releases.iter().map(|earlier| earlier.name.as_str()).collect();
        let new = overlay.releases.iter().filter_map(|earlier| earlier.new).max().unwrap_or(0);
        let text = words.say(
            "limits.overlay",
            &[
                ("names", &names.join(", ")),
                ("alone", &words.whole(overlay.alone)),
                ("below", &words.whole(overlay.below_k)),
                ("people", &words.whole(overlay.people)),
                ("k", &words.whole(report.k)),
                ("smallest", &words.whole(overlay.smallest)),
                ("new", &words.whole(new)),
            ],
        );
        let kept = if overlay.refuse { words.get("limits.overlay.kept") } else { "" };
        self.paragraph(format!("{text} {kept}").trim_end());
    }

    pub(super) fn signatures(&mut self) {
        self.heading("signatures");
        let words = self.words;
        let cell = |key: &str| format!("<th scope=\"col\">{}</th>", escaped(words.get(key)));
        let heading = ["signatures.role", "signatures.name", "signatures.date"].map(cell).concat();
        let _ = write!(self.out, "<table class=\"sign\">\n<thead><tr>{heading}</tr></thead>\n<tbody>\n");
        for key in ["signatures.controller", "signatures.officer"] {
            let role = escaped(words.get(key));
            let _ =
                writeln!(self.out, "<tr><th scope=\"row\">{role}</th><td>&#160;</td><td>&#160;</td></tr>");
        }
        self.out.push_str("</tbody>\n</table>\n");
    }
}
