//! What to try after an error. The names of settings are kept apart from the words around them: the command
//! writes `--missing`, Python `missing=`.

use std::borrow::Cow;
use std::fmt;

/// A sentence about what to try.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hint(Vec<Part>);

/// A piece of a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(Cow<'static, str>),
    /// A setting, or an action of the front end, and a value to give it.
    Setting(&'static str, Option<Cow<'static, str>>),
}

/// The settings that hints may name.
const SETTINGS: &str = "acknowledge after after_groups blunt bound count delimiter diversity drop drop_rest effort encoding form \
    frame from groups header identifier k keep lookup max_memory missing new_people person quasi refuse \
    sensitive solver time_limit to using withhold";

/// What a front end can do that hints may name: look at a table, draft a policy, list the solvers, prove a
/// bound, verify a release.
const ACTIONS: &str = "inspect draft solvers certify verify";

impl Hint {
    /// No words yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With these words next.
    pub fn text(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Part::Text(text.into()));
        self
    }

    /// With a setting next, and what to set it to.
    pub fn setting(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Part::Setting(name, Some(value.into())));
        self
    }

    /// With the name of a setting next.
    pub fn named(mut self, name: &'static str) -> Self {
        self.0.push(Part::Setting(name, None));
        self
    }

    /// To allow so many people of all to be withheld.
    pub fn withhold(people: u64, all: u64) -> Self {
        // In hundredths of a per cent, rounded up.
        let share = (u128::from(people) * 10_000).div_ceil(u128::from(all));
        let share = format!("{}.{:02}%", share / 100, share % 100);
        Self::new().text("allow to leave them out: ").setting("withhold", share)
    }

    /// The hint in a front end's words: `setting` writes the name of a setting or an action, with its value
    /// if there is one.
    pub fn say(&self, setting: impl Fn(&str, Option<&str>) -> String) -> String {
        let said = |part: &Part| match part {
            Part::Text(text) => text.to_string(),
            Part::Setting(name, value) => setting(name, value.as_deref()),
        };
        self.0.iter().map(said).collect()
    }
}

/// In neutral words: a setting is its name.
impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |name: &str, value: Option<&str>| match value {
            Some(value) => format!("{name} = {value}"),
            None => name.to_owned(),
        };
        f.write_str(&self.say(plain))
    }
}

/// Words written in the program: `{missing}` and `{k=5}` are settings.
impl From<&'static str> for Hint {
    fn from(words: &'static str) -> Self {
        let mut hint = Self::new();
        let mut rest = words;
        while let Some((before, name, value, after)) = next_setting(rest) {
            if !before.is_empty() {
                hint = hint.text(before);
            }
            hint.0.push(Part::Setting(name, value.map(Cow::Borrowed)));
            rest = after;
        }
        if rest.is_empty() { hint } else { hint.text(rest) }
    }
}

/// Words made at run time are taken as they are: they may hold names from a table.
impl From<String> for Hint {
    fn from(words: String) -> Self {
        Self::new().text(words)
    }
}

type Found = (&'static str, &'static str, Option<&'static str>, &'static str);

/// The words before the first setting, its name, its value, and the words after it.
fn next_setting(words: &'static str) -> Option<Found> {
    for (open, _) in words.match_indices('{') {
        let Some(length) = words[open..].find('}') else { continue };
        let inside = &words[open + 1..open + length];
        let (name, value) = inside.split_once('=').map_or((inside, None), |(n, v)| (n, Some(v)));
        if SETTINGS.split(' ').chain(ACTIONS.split(' ')).any(|known| known == name) {
            return Some((&words[..open], name, value, &words[open + length + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_worded_by_the_front_end() {
        let hint = Hint::from("say {k=5}, {lo} or {form}; {withhold=2%}");
        let flags = hint.say(|name, value| format!("--{name} {}", value.unwrap_or("…")));
        assert_eq!(flags, "say --k 5, {lo} or --form …; --withhold 2%");
        assert_eq!(hint.to_string(), "say k = 5, {lo} or form; withhold = 2%");
    }

    #[test]
    fn words_made_at_run_time_are_not_read_as_settings() {
        let hint = Hint::from("did you mean \"{k}\"?".to_owned());
        assert_eq!(hint.say(|_, _| unreachable!()), "did you mean \"{k}\"?");
    }
}
