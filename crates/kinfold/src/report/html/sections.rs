//! The sections of the report, one after the other.

use super::{Page, Side, escaped};
use crate::report::{CertifyVerdict, FileFacts, ModelReport, Proven, RiskReport};
use kinfold_model::unit::Unit;
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
        let guarantee = self.guarantee();
        let _ = writeln!(
            self.out,
            "<p class=\"guarantee\"><strong>{}:</strong> {}</p>",
            escaped(words.get("summary.guarantee")),
            escaped(&guarantee)
        );
        if !self.facts.policy.models.is_empty() {
            self.note("guarantee.terms");
        }
        let tiles = self.tiles();
        self.out.push_str("<ul class=\"tiles\">\n");
        for (value, key) in tiles {
            let _ = writeln!(
                self.out,
                "<li><b>{}</b><span>{}</span></li>",
                escaped(&value),
                escaped(words.get(key))
            );
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
        if let Some(report) = &facts.anonymize {
            tiles.push((words.whole(report.smallest_group), "figure.k"));
            tiles.push((words.whole(report.groups as u64), "figure.groups"));
        } else if let Some(report) = &facts.verify {
            tiles.push((words.whole(report.smallest_group), "figure.k"));
            tiles.push((words.whole(report.groups as u64), "figure.groups"));
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
            tiles.push((words.figure(self.shown_loss(proven.loss, proven.average_loss)), self.loss_name()));
            let scale =
                self.shown_loss(proven.loss, proven.average_loss) / proven.loss.max(f64::MIN_POSITIVE);
            tiles.extend(proven.bound.map(|bound| (words.figure_at_least(bound * scale), "figure.bound")));
            tiles.extend(proven.gap.map(|gap| (words.percent_at_most(gap), "figure.gap")));
        }
        tiles
    }

    pub(super) fn purpose(&mut self) {
        self.heading("purpose");
        let about = &self.facts.about;
        let (words, said) = (self.words, about.clone());
        self.terms(&[
            (words.get("purpose.purpose"), said.purpose),
            (words.get("purpose.recipient"), said.recipient),
            (words.get("purpose.controller"), said.controller),
            (words.get("purpose.legal_basis"), said.legal_basis),
            (words.get("purpose.contact"), said.contact),
        ]);
        self.note("purpose.note");
    }

    fn file(&mut self, file: &FileFacts, name: &'static str, unhashed: &'static str) {
        let words = self.words;
        let sha = file.sha256.clone().unwrap_or_else(|| words.get(unhashed).to_owned());
        let mut list = vec![(words.get(name), Some(file.name.clone()))];
        list.extend(file.rows.map(|rows| (words.get("input.rows"), Some(words.whole(rows as u64)))));
        list.push((words.get("input.sha"), Some(sha)));
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
        let heading = ["columns.name", "columns.role", "columns.kind", "columns.technique", "columns.loss"];
        let mut rows = vec![heading.map(|key| words.get(key).to_owned())[..shown].to_vec()];
        for column in &self.facts.policy.columns {
            let cells = [
                column.column.clone(),
                words.get(&format!("role.{}", column.role)).into(),
                column.kind.map_or("–".into(), |kind| words.get(&format!("kind.{kind}")).to_owned()),
                words.get(&format!("technique.{}", column.technique)).into(),
                column.loss.map_or("–".into(), |loss| words.figure(loss)),
            ];
            rows.push(cells[..shown].to_vec());
        }
        use Side::{Left, Right};
        self.table(words.get(caption), &[Left, Left, Left, Left, Right][..shown], &rows);
        self.loss_chart();
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
            (words.get("method.objective"), Some(objective)),
            (words.get("method.form"), Some(words.get(&format!("form.{}", policy.form)).to_owned())),
            (words.get("method.k"), Some(policy.k.to_string())),
            (words.get("method.models"), Some(models)),
            (words.get("method.withhold"), Some(words.percent(policy.withhold))),
        ];
        // Risk depends on none of these.
        let mut list = if facts.call == "risk" { Vec::new() } else { said };
        if let Some(report) = &facts.anonymize {
            list.push((words.get("method.solver"), Some(report.solver.clone())));
        }
        if let Some(solver) = self.proven().and_then(|proven| proven.solver.clone()) {
            list.push((words.get("method.solver"), Some(solver)));
        }
        list.extend(facts.seed.map(|seed| (words.get("method.seed"), Some(seed.to_string()))));
        list.extend(policy.file.clone().map(|file| (words.get("method.policy"), Some(file))));
        list.push((words.get("method.version"), Some(format!("kinfold {}", facts.version))));
        self.terms(&list);
        if let Some(command) = &facts.command {
            let _ = writeln!(
                self.out,
                "<p>{}:</p>\n<pre><code>{}</code></pre>",
                escaped(words.get("method.command")),
                escaped(command)
            );
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
            self.paragraph(self.words.get(key));
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
        let kept = match (&facts.anonymize, &facts.verify) {
            (Some(report), _) => Some(report.unique_on_unchanged),
            (None, Some(report)) => Some(report.unique_on_unchanged),
            (None, None) => None,
        };
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
            let gaps: [(&str, &dyn std::fmt::Display); 4] = [
                ("column", &attribute.reached.column),
                ("guess", &words.percent(attribute.best_guess)),
                ("base", &words.percent(attribute.base_rate)),
                ("certain", &words.percent(attribute.certain_share)),
            ];
            words.say("inference.figure", &gaps)
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
        self.subheading(words.get(key));
        self.terms(&[
            (words.get("question.figure"), Some(figure.to_owned())),
            (words.get("question.claimed"), Some(claimed.to_owned())),
            (words.get("question.not"), Some(words.get(not).to_owned())),
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
        let keys = ["column", "l", "entropy", "t", "beta", "certain", "likely", "guess", "base"];
        let mut rows = vec![keys.map(|key| words.get(&format!("sensitive.{key}")).to_owned()).to_vec()];
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
        let mut sides = [Side::Right; 9];
        sides[0] = Side::Left;
        self.table(words.get("sensitive.caption"), &sides, &rows);
    }

    pub(super) fn bound(&mut self) {
        let (words, facts) = (self.words, self.facts);
        let ([loss, average], bound, gap, kind, alone, optimal) = match (&facts.anonymize, self.proven()) {
            (Some(r), _) => ([r.loss, r.average_loss], r.bound, r.gap, r.bound_kind, r.bound_for, r.optimal),
            (None, Some(p)) => {
                ([p.loss, p.average_loss], p.bound, p.gap, p.bound_kind, p.bound_for, p.optimal)
            }
            (None, None) => return,
        };
        self.heading("bound");
        // In the unit of the summary.
        let shown = self.shown_loss(loss, average);
        let bound = bound.map(|bound| if loss > 0.0 { bound * shown / loss } else { 0.0 });
        let loss = shown;
        match (bound, gap) {
            (_, Some(gap)) if gap > WEAK => self.line("bound.weak"),
            (Some(bound), Some(gap)) => {
                let gaps: [(&str, &dyn std::fmt::Display); 3] = [
                    ("bound", &words.figure_at_least(bound)),
                    ("loss", &words.figure(loss)),
                    ("gap", &words.percent_at_most(gap)),
                ];
                self.paragraph(&words.say("bound.proven", &gaps));
                if optimal {
                    self.line("bound.optimal");
                }
                let checked = if kind == "checked" { "bound.kind.checked" } else { "bound.kind.claimed" };
                self.paragraph(words.get(checked));
                if alone.is_some() {
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
            (None, Some(truth)) => facts.before.as_ref().map(|before| (truth.withheld_rows, before.rows)),
            (None, None) => None,
        };
        match counted {
            Some((0, _)) => self.line("withheld.none"),
            Some((withheld, rows)) => {
                let share = words.percent(withheld as f64 / rows.max(1) as f64);
                let gaps: [(&str, &dyn std::fmt::Display); 3] = [
                    ("n", &words.whole(withheld as u64)),
                    ("rows", &words.whole(rows as u64)),
                    ("share", &share),
                ];
                self.paragraph(&words.say("withheld.rows", &gaps));
            }
            None => self.line("withheld.unknown"),
        }
        let Some(utility) = &facts.utility else { return };
        if !utility.withheld.is_empty() {
            let list: Vec<String> = utility
                .withheld
                .iter()
                .map(|c| format!("{} {}", c.column, words.figure(c.distance)))
                .collect();
            self.paragraph(&words.say("withheld.differ", &[("list", &list.join(", "))]));
        }
        let starred: Vec<String> = utility
            .columns
            .iter()
            .filter(|column| column.starred > 0.0)
            .map(|column| format!("{} {}", column.column, words.percent(column.starred)))
            .collect();
        match starred.is_empty() {
            true => self.line("withheld.nostars"),
            false => self.paragraph(&words.say("withheld.stars", &[("list", &starred.join(", "))])),
        }
    }

    pub(super) fn verification(&mut self) {
        let (words, facts) = (self.words, self.facts);
        let Some((good, models)) = self.checked() else { return };
        self.heading("verification");
        self.paragraph(words.get(if good { "verification.passed" } else { "verification.failed" }));
        let mut findings: Vec<String> = Vec::new();
        if let Some(report) = &facts.verify {
            for below in &report.groups_below_k {
                let gaps: [(&str, &dyn std::fmt::Display); 2] =
                    [("groups", &words.whole(below.groups as u64)), ("size", &words.whole(below.size))];
                findings.push(words.say("verification.below", &gaps));
            }
            for forbidden in &report.forbidden_columns {
                let gaps: [(&str, &dyn std::fmt::Display); 2] =
                    [("column", &forbidden.column), ("why", &forbidden.why)];
                findings.push(words.say("verification.column", &gaps));
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
        if let Some(report) = &facts.verify {
            let text = match &report.truth {
                Some(truth) if truth.holds => words.get("verification.true").to_owned(),
                Some(truth) => words.say(
                    "verification.untrue",
                    &[
                        ("invented", &words.whole(truth.invented_rows as u64)),
                        ("withheld", &words.whole(truth.withheld_people)),
                    ],
                ),
                None => words.get("verification.uncompared").to_owned(),
            };
            self.paragraph(&text);
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
        self.paragraph(&words.say("limits.release", &[("earlier", &earlier)]));
        if self.facts.after.as_ref().is_some_and(|after: &RiskReport| after.population_uniques.is_some()) {
            self.line("limits.model");
        }
        self.line("limits.law");
        self.terms(&[(words.get("limits.review"), self.facts.about.review_date.clone())]);
    }

    pub(super) fn signatures(&mut self) {
        self.heading("signatures");
        let words = self.words;
        let cell = |key: &str| format!("<th scope=\"col\">{}</th>", escaped(words.get(key)));
        let _ = write!(
            self.out,
            "<table class=\"sign\">\n<thead><tr>{}{}{}</tr></thead>\n<tbody>\n",
            cell("signatures.role"),
            cell("signatures.name"),
            cell("signatures.date")
        );
        for key in ["signatures.controller", "signatures.officer"] {
            let role = escaped(words.get(key));
            let _ =
                writeln!(self.out, "<tr><th scope=\"row\">{role}</th><td>&#160;</td><td>&#160;</td></tr>");
        }
        self.out.push_str("</tbody>\n</table>\n");
    }
}
