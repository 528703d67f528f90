//! Cases as data, as `testdata/cases/README.md` describes them.

use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// All keys that a case may have: a misspelled one would be a check that is not made.
const KEYS: [&str; 18] = [
    "about",
    "table",
    "policy",
    "files",
    "args",
    "command",
    "optimum",
    "release",
    "lookup",
    "published",
    "plant",
    "verdict",
    "reason",
    "error",
    "hint",
    "mistakes",
    "absent",
    "most_bytes",
];

/// A case: its own keys, and those that the file gives to all of its cases.
pub struct Case {
    /// The file, and what the case is about.
    pub name: String,
    own: &'static DeTable<'static>,
    file: &'static DeTable<'static>,
}

/// Where the cases are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases")
}

/// Every case of every file.
pub fn cases() -> Vec<Case> {
    let mut paths: Vec<_> = std::fs::read_dir(folder()).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    paths.iter().flat_map(|path| cases_in(path)).collect()
}

fn cases_in(path: &Path) -> Vec<Case> {
    let text: &'static str = Box::leak(std::fs::read_to_string(path).unwrap().into_boxed_str());
    let parsed = DeTable::parse(text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file: &'static DeTable<'static> = Box::leak(Box::new(parsed.into_inner()));
    let own: Vec<&'static DeTable<'static>> = match file.get("case").map(|list| list.get_ref()) {
        Some(list) => {
            let cases = list.as_array().expect("[[case]]").iter();
            cases.map(|case| case.get_ref().as_table().expect("[[case]]")).collect()
        }
        None => vec![file],
    };
    let file_name = path.file_name().unwrap().to_string_lossy();
    own.into_iter()
        .map(|own| {
            let case = Case { name: String::new(), own, file };
            let name = format!("{file_name}: {}", case.text("about").expect("every case has an about"));
            let known = |key: &str| KEYS.contains(&key) || key == "case";
            let unknown = own.iter().chain(file.iter()).find(|(key, _)| !known(key.get_ref()));
            assert!(unknown.is_none(), "{name}: {unknown:?}");
            Case { name, ..case }
        })
        .collect()
}

impl Case {
    fn get(&self, key: &str) -> Option<&'static DeValue<'static>> {
        self.own.get(key).or_else(|| self.file.get(key)).map(|value| value.get_ref())
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn text(&self, key: &str) -> Option<&'static str> {
        self.get(key).map(|value| value.as_str().unwrap_or_else(|| panic!("{}: {key} is no text", self.name)))
    }

    /// A text, or several.
    pub fn texts(&self, key: &str) -> Vec<&'static str> {
        match self.get(key) {
            None => Vec::new(),
            Some(DeValue::Array(list)) => list.iter().map(|t| t.get_ref().as_str().unwrap()).collect(),
            Some(_) => self.text(key).into_iter().collect(),
        }
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key).map(|value| match value {
            DeValue::Integer(number) => number.as_str().parse().unwrap(),
            DeValue::Float(number) => number.as_str().parse().unwrap(),
            other => panic!("{}: {key} is no number: {other:?}", self.name),
        })
    }

    /// Files that stand beside the table: names and texts. Only the command sees them.
    pub fn files(&self) -> Vec<(&'static str, &'static str)> {
        let Some(files) = self.get("files") else { return Vec::new() };
        let files = files.as_table().unwrap().iter();
        files.map(|(name, text)| (&**name.get_ref(), text.get_ref().as_str().unwrap())).collect()
    }

    /// Every mistake that must be told, by its keys.
    pub fn mistakes(&self) -> Vec<impl Fn(&str) -> &'static str + use<>> {
        let list = self.get("mistakes").map(|list| list.as_array().unwrap().iter());
        let told = |mistake: &'static DeValue<'static>| {
            move |key: &str| {
                mistake.as_table().unwrap().get(key).map_or("", |text| text.get_ref().as_str().unwrap())
            }
        };
        list.into_iter().flatten().map(|mistake| told(mistake.get_ref())).collect()
    }

    /// The release to be judged, with the faults that are planted in it.
    pub fn published(&self) -> String {
        let mut text = self.text("published").expect("published").to_owned();
        let plant = self.get("plant").map(|list| list.as_array().unwrap().iter());
        for fault in plant.into_iter().flatten() {
            let pair: Vec<&str> =
                fault.get_ref().as_array().unwrap().iter().map(|t| t.get_ref().as_str().unwrap()).collect();
            assert!(text.contains(pair[0]), "{}: nothing is planted by {pair:?}", self.name);
            text = text.replace(pair[0], pair[1]);
        }
        text
    }
}
