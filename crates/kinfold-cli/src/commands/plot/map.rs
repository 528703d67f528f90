//! A map of a release, drawn from its bytes: whoever has the release could draw it, unless the table's points are put on top.

use super::Voice;
use crate::args::PlotMapArgs;
use crate::chart::map;
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, open_chart};
use crate::progress;
use crate::screen::{FAINT, count, span, thousands};
use kinfold::model::policy::Policy;
use kinfold::model::table::Source;
use kinfold::model::value::{Number, parse_number};
use kinfold::model::verify::{Places, Published, Shape, VerifyError, places, verify};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;

pub fn run(args: &PlotMapArgs, voice: Voice) -> Result<(), Failure> {
    let to_stdout = alone_on_stdout(Some(&args.output), "the map", voice.json)?;
    let draft = input::draft(&args.policy, args.k)?;
    let inputs = [&args.release].into_iter().chain(&args.policy.policy).chain(draft.files());
    let mut chart = open_chart(&args.output, inputs.chain(&args.lookup).chain(&args.original))?;
    let file = draft.file();
    let policy = draft.settle()?;
    progress::phase("reading");
    let shown = |e: VerifyError| Failure::from(e).in_file(&file);
    let source = Source::open(&args.release, &input::read_options(&args.read))?;
    let mut published = Published::read(source, &policy, false).map_err(shown)?;
    if let Some(path) = &args.lookup {
        published = published.with_lookup(input::lookup(path)?);
    }
    let places = places(&published, &policy).map_err(shown)?;
    // A picture of a table that is not safe shows what must not be seen.
    if !verify(&published, &policy).map_err(shown)?.safe() {
        return Err(Failure::Unsafe);
    }
    let unread: u64 = places.list.iter().filter(|p| p.shape == Shape::Unread).map(|p| p.people).sum();
    if unread > 0 {
        let hint = match places.regions {
            Some(_) => {
                "names of sets are explained by --lookup FILE; is this the map that the release was made with?"
            }
            None => "was it published with another --form, or with another policy?",
        };
        return Err(Failure::usage(
            format!("cells of {} people cannot be read as places", thousands(unread)),
            hint,
        ));
    }
    let points = match &args.original {
        Some(_) if places.regions.is_some() => {
            return Err(Failure::usage(
                "--original puts points on the map, and this release has areas",
                "leave it out: regions lie where the map says",
            ));
        }
        Some(path) => {
            voice.note("the map will show where people of the table are: keep it to yourself");
            points(path, &policy, args)?
        }
        None => Vec::new(),
    };
    progress::phase("drawing");
    let told = Told { k: policy.k, places: &places, output: &args.output };
    let (picture, outside) = match &places.regions {
        Some(regions) => (map::areas(&told.about(), &places.list, regions), 0),
        None => map::rectangles(&told.about(), &places.list, &points),
    };
    chart.write(|file| Ok(file.write_all(picture.as_bytes())?))?;
    chart.commit()?;
    progress::finish();
    let voice = Voice { quiet: voice.quiet || to_stdout, ..voice };
    voice.result(|| told.json(outside), || told.text(outside))
}

/// The points of the table, latitude or y first; rows without one are left out.
fn points(path: &Path, policy: &Policy, args: &PlotMapArgs) -> Result<Vec<(f64, f64)>, Failure> {
    let source = Source::open(path, &input::read_options(&args.read))?;
    let pair = policy.quasi().find_map(|(column, _)| policy.point_of(&column.name)).unwrap_or_default();
    let table = source.read(|name| pair.iter().any(|n| n == name))?;
    let [Some(up), Some(across)] = pair.each_ref().map(|name| table.column(name)) else {
        return Err(Failure::usage(
            format!("the original has no columns {:?} and {:?}", pair[0], pair[1]),
            "is this the table that the release was made from?",
        ));
    };
    let number = |text: &str| parse_number(text).map(Number::to_f64);
    let rows = up.codes().iter().zip(across.codes());
    Ok(rows.filter_map(|(&u, &a)| Some((number(up.text(u))?, number(across.text(a))?))).collect())
}

/// What is drawn, for people and machines.
struct Told<'a> {
    k: u64,
    places: &'a Places,
    output: &'a Path,
}

impl Told<'_> {
    /// The people of every place that is on the map.
    fn people(&self) -> impl Iterator<Item = u64> {
        self.places.list.iter().filter(|p| p.shape != Shape::Anywhere).map(|p| p.people)
    }

    fn nowhere(&self) -> u64 {
        self.places.list.iter().filter(|p| p.shape == Shape::Anywhere).map(|p| p.people).sum()
    }

    fn about(&self) -> String {
        let noun = match self.places.regions {
            Some(_) => ["area", "areas"],
            None => ["rectangle", "rectangles"],
        };
        let (least, most) = (self.people().min().unwrap_or(0), self.people().max().unwrap_or(0));
        let mut text = format!(
            "{} of {} people (k = {})",
            count(self.people().count(), noun[0], noun[1]),
            span(least, most),
            thousands(self.k)
        );
        if self.nowhere() > 0 {
            text += &format!("; of {} people no place is told", thousands(self.nowhere()));
        }
        text
    }

    fn json(&self, outside: u64) -> Value {
        json!({
            "k": self.k, "places": self.people().count(), "people": self.people().sum::<u64>(),
            "smallest": self.people().min(), "largest": self.people().max(), "people_nowhere": self.nowhere(),
            "people_outside": outside,
            "output": self.output.display().to_string(),
        })
    }

    fn text(&self, outside: u64) -> String {
        let beyond = match outside {
            0 => String::new(),
            people => format!("; {} people lie outside the picture", thousands(people)),
        };
        format!("{}{beyond}\n\n  {FAINT}drawn in {}{FAINT:#}\n", self.about(), self.output.display())
    }
}
