//! Where a policy is written: a file, settings of a front end such as flags, or both. All are TOML and read as
//! one document; a mistake knows which of them it is in.

use super::{Mistake, Mistakes};
use crate::world::World;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A text of a policy, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    origin: Origin,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    File(PathBuf),
    /// Somebody typed the TOML itself: mistakes are shown in it.
    Typed(&'static str),
    /// The front end wrote it: mistakes name the setting.
    Setting(&'static str),
}

impl Source {
    /// The text of a file. Files that it names are beside it.
    pub fn file(path: &Path, text: impl Into<String>) -> Self {
        Self { origin: Origin::File(path.to_owned()), text: text.into() }
    }

    /// TOML that was typed as the value of this setting.
    pub fn typed(setting: &'static str, text: impl Into<String>) -> Self {
        Self { origin: Origin::Typed(setting), text: text.into() }
    }

    /// What a setting of the front end means, as TOML.
    pub fn setting(setting: &'static str, text: impl Into<String>) -> Self {
        Self { origin: Origin::Setting(setting), text: text.into() }
    }

    /// Reads a policy file of a world.
    pub fn open(world: &dyn World, path: &Path) -> Result<Self, Mistakes> {
        let alone = |what: String, hint: &'static str| Mistakes::from(Mistake::new(what, None).hint(hint));
        let not_text = || alone(format!("{} is not UTF-8 text", path.display()), "a policy is a TOML file");
        let bytes = world.read(path).map_err(|e| match e.kind() {
            ErrorKind::InvalidData => not_text(),
            _ => alone(
                format!("cannot read {}: {e}", path.display()),
                "check the path of the policy; {draft} drafts one",
            ),
        })?;
        Ok(Self::file(path, String::from_utf8(bytes).map_err(|_| not_text())?))
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            _ => None,
        }
    }
}

/// All texts of a policy, those that are overridden first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources(pub(super) Vec<Source>);

/// Where something is said: these bytes of all sources, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl From<Range<usize>> for Place {
    fn from(span: Range<usize>) -> Self {
        Self { start: span.start, end: span.end }
    }
}

/// A place as people know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot<'s> {
    /// These bytes of a file's text.
    File(&'s Path, &'s str, Range<usize>),
    /// These bytes of what was typed as the value of a setting.
    Typed(&'static str, &'s str, Range<usize>),
    /// This setting.
    Setting(&'static str),
}

impl Sources {
    /// Where each source begins.
    pub(super) fn starts(&self) -> impl Iterator<Item = (usize, &Source)> {
        self.0.iter().scan(0, |end, source| {
            let start = *end;
            // A byte between them keeps the end of one apart from the start of the next.
            *end += source.text.len() + 1;
            Some((start, source))
        })
    }

    fn at(&self, place: Place) -> Option<(usize, &Source)> {
        self.starts().take_while(|(start, _)| *start <= place.start).last()
    }

    /// What people know a place as.
    pub fn spot(&self, place: Place) -> Option<Spot<'_>> {
        let (start, source) = self.at(place)?;
        let within = |at: usize| (at - start).min(source.text.len());
        let span = within(place.start)..within(place.end.max(place.start));
        Some(match &source.origin {
            Origin::File(path) => Spot::File(path, &source.text, span),
            Origin::Typed(setting) => Spot::Typed(setting, &source.text, span),
            Origin::Setting(setting) => Spot::Setting(setting),
        })
    }

    /// The line of a place in the policy file, counted from 1.
    pub fn line(&self, place: Place) -> Option<usize> {
        match self.spot(place)? {
            Spot::File(_, text, span) => Some(1 + text[..span.start].matches('\n').count()),
            _ => None,
        }
    }

    /// The policy file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.0.iter().find_map(Source::path)
    }

    /// Whether a place is in the policy file.
    pub(super) fn in_file(&self, place: Option<Place>) -> bool {
        place.and_then(|place| self.at(place)?.1.path()).is_some()
    }

    /// A file that is named there: seen from the policy file, or from where the front end runs.
    pub(super) fn beside(&self, place: Option<Place>, file: &str) -> PathBuf {
        let folder = place.and_then(|place| self.at(place)?.1.path()?.parent());
        folder.unwrap_or(Path::new("")).join(file)
    }
}
