//! A release that the verifier has passed, and the step to it: nothing else makes one.

use crate::destination::Destination;
use crate::document::release_facts;
use crate::error::Error;
use crate::groups_file::groups_file;
use crate::options::Options;
use crate::publish::Release;
use crate::record::record;
use crate::report::{AnonymizeReport, OverlayReport, Seconds};
use crate::save::{FileFormat, Files, Staged};
use crate::scale::Figures;
use crate::stopwatch::Clock;
use crate::warning::warnings;
use kinfold_model::call::Phase;
use kinfold_model::frame::Frame;
use kinfold_model::hint::Hint;
use kinfold_model::judge::WITHHELD;
use kinfold_model::kind::Kind;
use kinfold_model::policy::Policy;
use kinfold_model::table::{ReadOptions, Source, Table};
use kinfold_model::verify::{Finding, Lookup, Published, Verdict, Witnessed, read_lookup, verify};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Whoever uses the frame of an earlier table has most likely released that table.
const OVERLAID: &str = "if an earlier release is about the same people, a reader can combine the two: the rows that \
                        fit a person in both may be fewer than k";

/// A release in memory: Arrow batches, or text where there are none.
#[cfg(feature = "columnar")]
pub(crate) type Held = (arrow_schema::SchemaRef, Vec<arrow_array::RecordBatch>);
#[cfg(not(feature = "columnar"))]
pub(crate) type Held = Vec<u8>;

/// What a release says, and what it was made from.
#[derive(Debug, Clone)]
pub(crate) struct Contents {
    /// The table that was given.
    pub table: Table,
    pub policy: Policy,
    pub release: Release,
    /// For every row that was grouped, its place in the table that was given.
    pub rows: Arc<[u32]>,
    /// Rows of the table that are left out.
    pub withheld: usize,
    /// What the values of each quasi-identifier are.
    pub kinds: Vec<(String, Kind)>,
    pub lookup: Option<String>,
    pub frame: Option<Frame>,
    pub options: Options,
}

impl Contents {
    /// Writes the release and reads it back as a stranger does: delimiter and encoding are those of the release.
    pub fn write(
        &self,
        file: &mut Destination,
        format: FileFormat,
        whole: bool,
        seconds: &mut Seconds,
        clock: &mut Clock,
    ) -> Result<Published, Error> {
        let call = &self.options.call;
        call.phase(Phase::Publishing)?;
        file.write_with(|out| format.write(&self.release, out))?;
        seconds.publish += clock.lap();
        call.phase(Phase::Verifying)?;
        let delimiter = format.delimiter(self.release.delimiter());
        let reading = ReadOptions { delimiter: Some(delimiter), ..self.options.reading() };
        let source = Source::from_file(file.reopened()?, file.name(), &reading)?;
        Ok(Published::read(source, &self.policy, whole)?.with_lookup(self.names()?))
    }

    /// The release in memory.
    pub fn hold(&self) -> Result<Held, Error> {
        #[cfg(feature = "columnar")]
        let held = self.release.batches();
        #[cfg(not(feature = "columnar"))]
        let held = {
            let mut bytes = Vec::new();
            self.release.write_csv(&mut bytes).map(|()| bytes)
        };
        held.map_err(|e| Error::write(Path::new("the release"), e))
    }

    /// What is held in memory, as a stranger reads it; `whole` with the columns that are published unchanged.
    pub fn read(&self, held: &Held, whole: bool) -> Result<Published, Error> {
        let reading = self.options.reading();
        #[cfg(feature = "columnar")]
        let published = Published::from_batches(&held.0, &held.1, &self.policy, whole, &reading)?;
        #[cfg(not(feature = "columnar"))]
        let published = {
            let reading = ReadOptions { delimiter: Some(self.release.delimiter()), ..reading };
            Published::read(Source::from_bytes(held.clone(), &reading)?, &self.policy, whole)?
        };
        Ok(published.with_lookup(self.names()?))
    }

    /// What names in the release stand for.
    pub fn names(&self) -> Result<Lookup, Error> {
        Ok(self.lookup.as_deref().map(read_lookup).transpose()?.flatten().unwrap_or_default())
    }

    /// What the verifier says of the release, if it is safe, whole and true.
    fn verified(&self, published: &Published) -> Result<Verdict, Error> {
        let verdict = verify(published, &self.policy)?;
        refuse_unsafe(&verdict, self.release.rows())?;
        self.refuse_untrue(published)?;
        Ok(verdict)
    }

    /// Refuses a release unless the verifier sees that it is true of the table.
    pub fn refuse_untrue(&self, published: &Published) -> Result<(), Error> {
        let mut truth = self.witnessed();
        truth.check(published, 0..self.release.rows(), &self.witness())?;
        Ok(truth.finish(self.withheld)?)
    }

    /// The table, as what the verifier compares a release with.
    pub fn witnessed(&self) -> Witnessed<'_> {
        Witnessed::new(&self.table, &self.policy, &self.kinds, self.options.using.as_ref())
    }

    /// The row of the table that every row of the release stands for. With a line per group, the rows of each line.
    pub fn witness(&self) -> Vec<u32> {
        let place = |&row: &u32| self.rows[row as usize];
        if !self.policy.per_group {
            return self.release.table_rows().iter().map(place).collect();
        }
        let group_of = self.release.group_of();
        let mut rows_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        (0u32..).zip(group_of).for_each(|(row, &group)| rows_of.entry(group).or_default().push(place(&row)));
        let line = |&row: &u32| rows_of.remove(&group_of[row as usize]).unwrap_or_default();
        self.release.table_rows().iter().flat_map(line).collect()
    }
}

/// Refuses a release of so many rows unless the verifier says that it is safe and whole.
pub(crate) fn refuse_unsafe(verdict: &Verdict, rows: usize) -> Result<(), Error> {
    if verdict.safe() && verdict.rows == rows {
        return Ok(());
    }
    let short = verdict.models.iter().find(|model| matches!(model.finding, Finding::Short { .. }));
    Err(Error::Refused(match verdict.forbidden.first() {
        _ if verdict.rows != rows => format!("{rows} rows were written, {} read back", verdict.rows),
        Some((column, why)) => format!("column {column:?} {}", why.sentence()),
        None if !verdict.unrounded.is_empty() => {
            format!("column {:?} has ends that are not rounded", verdict.unrounded[0].0)
        }
        None if !verdict.off_level.is_empty() => {
            format!("column {:?} has cells outside the levels of the policy", verdict.off_level[0].0)
        }
        None if verdict.coded_twice().is_some() => {
            format!("column {:?} is not on one level for all rows", verdict.coded_twice().unwrap_or_default())
        }
        None if !verdict.hidden.is_empty() => {
            let hidden = &verdict.hidden[0];
            format!("the file {}", hidden.place.sentence(hidden.values))
        }
        None if verdict.miscounted > 0 => "a group states a wrong size".to_owned(),
        None => match short {
            Some(short) => format!("a group lacks {}", short.model),
            None => format!("the smallest group has size {}, k is {}", verdict.smallest, verdict.k),
        },
    }))
}

/// A release that the verifier has not seen yet.
pub(crate) struct Unverified {
    pub contents: Contents,
    pub figures: Figures,
    pub notes: Vec<Hint>,
    pub overlay: Option<OverlayReport>,
    pub seconds: Seconds,
    pub clock: Clock,
}

impl Unverified {
    /// The release as Arrow batches, if the verifier passes them.
    #[cfg(feature = "columnar")]
    pub fn into_batches(mut self) -> Result<Anonymized, Error> {
        let held = self.hold()?;
        let published = self.contents.read(&held, false)?;
        self.passed(&published, Some(held))
    }

    /// Files that lack only their names, if the verifier passes the release.
    pub fn stage(mut self, mut files: Files) -> Result<(Anonymized, Staged), Error> {
        let whole = files.report.is_some();
        let (published, held) = match &mut files.release {
            Some((file, format)) => {
                let Self { contents, seconds, clock, .. } = &mut self;
                (contents.write(file, *format, whole, seconds, clock)?, None)
            }
            // The verdict is about what would be written.
            None => {
                let held = self.hold()?;
                (self.contents.read(&held, whole)?, Some(held))
            }
        };
        let mut done = self.passed(&published, held)?;
        let staged = done.complete(files, whole.then_some(published), Clock::start())?;
        Ok((done, staged))
    }

    /// The release in memory, to be verified.
    fn hold(&mut self) -> Result<Held, Error> {
        let held = self.contents.hold()?;
        self.seconds.publish += self.clock.lap();
        self.contents.options.call.phase(Phase::Verifying)?;
        Ok(held)
    }

    /// The release, if the verifier passes what was read of it.
    fn passed(self, published: &Published, held: Option<Held>) -> Result<Anonymized, Error> {
        let Self { contents, figures, mut notes, overlay, mut seconds, mut clock } = self;
        let (policy, options) = (&contents.policy, &contents.options);
        let mut verdict = contents.verified(published)?;
        seconds.verify += clock.lap();
        // The judge has counted the persons of every group. Groups that are published alike only merge, which
        // leaves no fewer.
        verdict.decide_persons(Finding::Fulfilled);
        verdict.decide_presence(Finding::Fulfilled);
        let groups = contents.release.groups_at(&contents.rows);
        notes.extend(warnings(&contents.table, policy, &verdict, &groups));
        match &overlay {
            Some(overlay) => notes.extend(overlay.warning(policy.k)),
            None => notes.extend(options.using.as_ref().map(|_| OVERLAID.into())),
        }
        let mut report = figures.report(policy, &verdict);
        (report.overlay, report.notes) = (overlay, notes);
        seconds.report += clock.lap();
        seconds.add_up();
        report.seconds = seconds;
        Ok(Anonymized { report, contents, groups, held })
    }
}

/// A release that the verifier has passed, and what is to be said of it.
#[derive(Debug, Clone)]
pub struct Anonymized {
    /// What came of it.
    pub report: AnonymizeReport,
    pub(crate) contents: Contents,
    groups: Vec<u32>,
    held: Option<Held>,
}

impl Anonymized {
    /// The policy that the release fulfils.
    pub fn policy(&self) -> &Policy {
        &self.contents.policy
    }

    /// Where its random choices started from. Confidential if it was drawn.
    pub fn seed(&self) -> u64 {
        self.contents.options.seed
    }

    /// How it was made, as JSON, with the seed. Confidential.
    pub fn record(&self) -> String {
        record(&self.contents.options, &self.report.solver, &self.contents.policy, None)
    }

    /// The release as a stranger reads it, whole.
    pub(crate) fn read_whole(&self) -> Result<Published, Error> {
        match &self.held {
            Some(held) => self.contents.read(held, true),
            None => self.contents.read(&self.contents.hold()?, true),
        }
    }

    /// The release as Arrow batches, where the verifier has read them.
    #[cfg(feature = "columnar")]
    pub fn batches(&self) -> Option<(&arrow_schema::SchemaRef, &[arrow_array::RecordBatch])> {
        self.held.as_ref().map(|(schema, batches)| (schema, batches.as_slice()))
    }

    /// The group of every row of the table, as the release shows them; [`WITHHELD`](kinfold_model::judge::WITHHELD) for rows that are left out.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// The names of the columns of the release.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.contents.release.names()
    }

    /// What is published of a row of the table that was anonymized, a cell for every column (none: a null); none
    /// if the row is withheld.
    pub fn published(&self, row: usize) -> Option<Vec<Option<&str>>> {
        let group = self.groups.get(row).copied().filter(|&group| group != WITHHELD)?;
        let own = |name: &str| {
            let column = self.contents.table.column(name)?;
            let code = column.codes()[row];
            (!column.is_null(code)).then(|| column.text(code))
        };
        Some(self.contents.release.row(group, own))
    }

    /// What names in the release stand for, as CSV: column, name, set. None unless [`Options::lookup`] asked
    /// for names. In form `codes` there always is one: the label of every group and its cells.
    pub fn lookup(&self) -> Option<&str> {
        self.contents.lookup.as_deref()
    }

    /// What every value is published as in the columns that are coded once for all rows, as CSV: column, value,
    /// published. Confidential: it has values of the table, though none that only withheld rows have.
    pub fn mapping(&self) -> Result<String, Error> {
        let Contents { release, policy, table, rows, .. } = &self.contents;
        release.mapping(policy, table, rows)
    }

    /// What was learned from the table, if [`Options::keep_frame`] asked for it.
    pub fn frame(&self) -> Option<&Frame> {
        self.contents.frame.as_ref()
    }

    /// Writes the release to another file, in the format that its name tells. It appears whole and verified, or not
    /// at all.
    pub fn save(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let release = Some((Destination::file(path, &self.contents.options.call)?, FileFormat::of(path)?));
        self.save_all(Files { release, ..Files::default() })
    }

    /// Writes several files. They get their names only after all are written and the release is verified as those
    /// bytes.
    pub fn save_all(&mut self, mut files: Files) -> Result<(), Error> {
        files.refuse_without_lookup(&self.contents.policy)?;
        let mut clock = Clock::start();
        let whole = files.report.is_some();
        let written = match &mut files.release {
            Some((file, format)) => Some(self.write_verified(file, *format, whole, &mut clock)?),
            None => None,
        };
        self.complete(files, written.filter(|_| whole), clock)?.commit()
    }

    /// Writes the release in a format. Nothing is written unless the verifier passed those bytes.
    pub fn write(&mut self, out: &mut dyn Write, format: FileFormat) -> Result<(), Error> {
        let mut file = Destination::nowhere(&self.contents.options.call)?;
        self.write_verified(&mut file, format, false, &mut Clock::start())?;
        self.report.seconds.add_up();
        file.copy_to(out)
    }

    fn write_verified(
        &mut self,
        file: &mut Destination,
        format: FileFormat,
        whole: bool,
        clock: &mut Clock,
    ) -> Result<Published, Error> {
        let seconds = &mut self.report.seconds;
        let published = self.contents.write(file, format, whole, seconds, clock)?;
        self.contents.verified(&published)?;
        seconds.verify += clock.lap();
        Ok(published)
    }

    /// Writes what goes with a release that is written. The report is about `published`, if that was read whole.
    pub(crate) fn complete(
        &mut self,
        mut files: Files,
        published: Option<Published>,
        mut clock: Clock,
    ) -> Result<Staged, Error> {
        if let Some(file) = &mut files.groups {
            file.write(groups_file(self.groups()).as_bytes())?;
        }
        if let (Some(file), Some(lookup)) = (&mut files.lookup, self.lookup()) {
            file.write(lookup.as_bytes())?;
        }
        if let Some(file) = &mut files.mapping {
            file.write(self.mapping()?.as_bytes())?;
        }
        if let (Some(file), Some(frame)) = (&mut files.frame, self.frame()) {
            file.write(frame.to_json().as_bytes())?;
        }
        if let Some((file, command)) = &mut files.record {
            let (options, policy) = (&self.contents.options, &self.contents.policy);
            file.write(record(options, &self.report.solver, policy, Some(command)).as_bytes())?;
        }
        if let Some((report, about)) = &mut files.report {
            let published = published.map_or_else(|| self.read_whole(), Ok)?;
            let mut facts = self.facts_of(published, about)?;
            if let Some((file, _)) = &files.release {
                facts.release = Some(release_facts(file, self.contents.release.rows())?);
            }
            report.write(&facts)?;
        }
        let staged = files.stage()?;
        self.report.seconds.report += clock.lap();
        self.report.seconds.add_up();
        Ok(staged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymize;
    use kinfold_model::told;

    const NAMES: [&str; 3] = ["age", "town", "ill"];
    const POLICY: &str = "k = 2\n[columns]\nage = { role = 'quasi', kind = 'numeric' }\n\
                          town = { role = 'quasi', kind = 'category' }\nill = 'sensitive'\n";

    /// A release of two groups that is about to be verified.
    fn made(policy: &str) -> Unverified {
        let rows = [
            ["35", "Ulm", "flu"],
            ["36", "Ulm", "cold"],
            ["37", "Bonn", "gout"],
            ["61", "Kiel", "flu"],
            ["63", "Kiel", "mumps"],
        ];
        let table = Table::from_cells(&NAMES, &rows.map(Vec::from)).unwrap();
        let policy = Policy::parse(policy).for_table(&table).unwrap();
        anonymize(&table, &policy, &Options::default()).unwrap().publish(told::GROUPS).unwrap()
    }

    /// One place of the pairing and another.
    fn mispaired(made: &mut Unverified) {
        let mut rows = made.contents.rows.to_vec();
        let last = rows.len() - 1;
        rows.swap(0, last);
        made.contents.rows = rows.into();
    }

    fn falsified(made: &mut Unverified) {
        made.contents.release.falsify("age", "[70-71]");
    }

    type Fault = (fn(&mut Unverified), &'static str);
    const FAULTS: [Fault; 3] = [
        (mispaired, "a cell of column \"age\" is not true of its row"),
        (falsified, "a cell of column \"age\" is not true of its row"),
        (|made| made.contents.withheld += 1, "0 rows are withheld, 1 were said to be"),
    ];

    fn refused<T>(outcome: Result<T, Error>, why: &str) {
        match outcome {
            Err(Error::Refused(told)) => assert_eq!(told, why),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("it was published"),
        }
    }

    #[test]
    fn nothing_untrue_gets_its_name_in_any_format() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["r.csv", "r.tsv", "r.csv.gz", "r.parquet", "r.arrow"] {
            let path = folder.path().join(name);
            let files = |made: &Unverified| {
                let file = Destination::file(&path, &made.contents.options.call).unwrap();
                Files { release: Some((file, FileFormat::of(&path).unwrap())), ..Files::default() }
            };
            for (fault, why) in FAULTS {
                let mut made = made(POLICY);
                fault(&mut made);
                let files = files(&made);
                refused(made.stage(files).and_then(|(_, staged)| staged.commit()), why);
                assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{name}");
            }
            let made = made(POLICY);
            let files = files(&made);
            made.stage(files).unwrap().1.commit().unwrap();
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    #[cfg(feature = "columnar")]
    fn nothing_untrue_is_handed_over_in_memory_or_saved_later() {
        for (fault, why) in FAULTS {
            let mut made = made(POLICY);
            fault(&mut made);
            refused(made.into_batches(), why);
        }
        let folder = tempfile::tempdir().unwrap();
        for (fault, why) in FAULTS {
            let mut done = made(POLICY).into_batches().unwrap();
            let mut later = made(POLICY);
            fault(&mut later);
            done.contents = later.contents;
            refused(done.save(folder.path().join("r.csv")), why);
            refused(done.write(&mut Vec::new(), FileFormat::default()), why);
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        }
    }

    #[test]
    fn centres_and_lines_are_compared_with_their_rows_too() {
        for per_group in [false, true] {
            let policy = format!("objective = 'radius'\nper_group = {per_group}\n{POLICY}");
            assert!(made(&policy).judged().is_ok(), "{per_group}");
            let mut wrong = made(&policy);
            mispaired(&mut wrong);
            refused(wrong.judged(), "a cell of column \"the centre\" is not true of its row");
        }
    }

    impl Unverified {
        fn judged(self) -> Result<(), Error> {
            self.stage(Files::default()).map(|_| ())
        }
    }
}
