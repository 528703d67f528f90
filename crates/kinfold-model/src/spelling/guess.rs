//! Which spelling the texts of a column seem to have.

use super::{DateFormat, Decimal, Spelling};
use crate::value::parse_number;

/// What the texts of a column look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// The spelling that fits.
    pub spelling: Spelling,
    /// Another one that fits as well: day and month, or groups and fractions, cannot be told apart.
    pub or: Option<Spelling>,
    /// Texts that it does not fit.
    pub spoilers: usize,
}

/// Of a hundred texts at least so many fit.
const MOST: usize = 95;

/// Guesses the spelling of texts that are neither numbers nor dates as they stand; `None` if they seem to be no such
/// thing.
pub fn guess(texts: &[&str]) -> Option<Guess> {
    texts.iter().take(TRIED).find_map(|like| guess_like(like, texts))
}

/// So many texts are tried as an example of the others.
const TRIED: usize = 5;

fn guess_like(like: &str, texts: &[&str]) -> Option<Guess> {
    let fits = |spelling: &Spelling, text: &str| match spelling {
        // Eight digits are no date of the first centuries.
        Spelling::Date(format) if format.pattern() == COMPACT && !text.starts_with(['1', '2']) => false,
        spelling => spelling.value(text).is_some(),
    };
    let spoilers = |spelling: &Spelling| texts.iter().filter(|text| !fits(spelling, text)).count();
    // Most columns are told apart by a few of their values.
    let first = &texts[..texts.len().min(FIRST)];
    let promising = |spelling: &Spelling| {
        first.iter().filter(|text| fits(spelling, text)).count() * 10 >= first.len() * 9
    };
    // Codes such as 00501 are plain digits.
    let plain = || texts.iter().all(|text| parse_number(text).is_some());
    let mut fitting: Vec<(usize, Spelling)> = candidates(like)
        .into_iter()
        .filter(promising)
        .filter(|spelling| matches!(spelling, Spelling::Date(_)) || !plain())
        .map(|spelling| (spoilers(&spelling), spelling))
        .filter(|(spoilers, _)| (texts.len() - spoilers) * 100 >= texts.len() * MOST)
        .collect();
    fitting.sort_by_key(|(spoilers, _)| *spoilers);
    let mut fitting = fitting.into_iter();
    let (spoilers, spelling) = fitting.next().filter(|_| texts.len() > 1)?;
    let or =
        fitting.next().filter(|(more, _)| *more == spoilers).map(|(_, spelling)| as_written(spelling, texts));
    Some(Guess { spelling: as_written(spelling, texts), or, spoilers })
}

/// So many values are looked at before all are.
const FIRST: usize = 200;

/// Dates without marks.
const COMPACT: &str = "%Y%m%d";

/// Spellings of which one fits if any does, the likelier of two before the other.
fn candidates(like: &str) -> Vec<Spelling> {
    let time = match like.matches(':').count() {
        0 => "",
        1 => " %H:%M",
        _ => " %H:%M:%S",
    };
    let named = like.chars().any(|c| c.is_ascii_alphabetic());
    let dates = |patterns: &[String]| -> Vec<Spelling> {
        let formats = patterns.iter().filter_map(|pattern| DateFormat::new(&format!("{pattern}{time}")).ok());
        formats.map(Spelling::Date).collect()
    };
    let numbers = || -> Vec<Spelling> {
        // With three digits after every comma, commas rather part thousands.
        [Decimal::Point, Decimal::Comma].map(Spelling::Number).to_vec()
    };
    let parted = |mark: char| -> Vec<String> {
        let orders =
            if named { ["%d_%b_%Y", "%b_%d_%Y", "%Y_%b_%d"] } else { ["%d_%m_%Y", "%m_%d_%Y", "%Y_%m_%d"] };
        orders.map(|order| order.replace('_', &mark.to_string())).to_vec()
    };
    let mark = like.trim().chars().find(|c| !c.is_alphanumeric());
    match mark {
        Some(mark) if like.trim().split(mark).count() >= 3 => {
            let mut found = dates(&parted(mark));
            found.extend(dates(&["%b %d, %Y".to_owned()]));
            found.extend(numbers());
            found
        }
        Some(_) => numbers(),
        None if like.trim().len() == 8 => dates(&[COMPACT.to_owned()]),
        None => numbers(),
    }
}

/// The format with the zeros and the names of months that the texts have.
fn as_written(spelling: Spelling, texts: &[&str]) -> Spelling {
    let Spelling::Date(format) = &spelling else { return spelling };
    let same = |format: &DateFormat| {
        let again = |text: &str| format.parse(text).and_then(|value| format.text(value));
        texts.iter().filter(|text| again(text).is_some_and(|again| again == text.trim())).count()
    };
    let bare = format.pattern().replace("%d", "%-d").replace("%m", "%-m");
    let long = format.pattern().replace("%b", "%B");
    let both = bare.replace("%b", "%B");
    let others = [bare, long, both].into_iter().filter_map(|pattern| DateFormat::new(&pattern).ok());
    let best = [format.clone()].into_iter().chain(others).rev().max_by_key(same);
    best.map_or(spelling, Spelling::Date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(texts: &[&str]) -> (String, String) {
        let guess = guess(texts);
        let pattern = |spelling: &Spelling| spelling.pattern();
        let or = guess.as_ref().and_then(|g| g.or.as_ref()).map(pattern).unwrap_or_default();
        (guess.map(|g| pattern(&g.spelling)).unwrap_or_default(), or)
    }

    #[test]
    fn formats_are_known_by_their_texts() {
        for (texts, spelling, or) in [
            (["31/01/1980", "02/02/1980"], "%d/%m/%Y", ""),
            (["01/31/1980", "02/02/1980"], "%m/%d/%Y", ""),
            (["01/02/1980", "03/04/1980"], "%d/%m/%Y", "%m/%d/%Y"),
            (["2.1.1980", "31.12.1979"], "%-d.%-m.%Y", ""),
            (["02.01.1980", "31.12.1979"], "%d.%m.%Y", ""),
            (["1980/01/02", "1980/12/31"], "%Y/%m/%d", ""),
            (["1980-1-2", "1980-12-31"], "%Y-%-m-%-d", ""),
            (["02-Jan-1980", "31-Dec-1979"], "%d-%b-%Y", ""),
            (["02 January 1980", "31 December 1979"], "%d %B %Y", ""),
            (["Jan 02, 1980", "Dec 31, 1979"], "%b %d, %Y", ""),
            (["31.01.1980 07:05", "02.02.1980 12:00"], "%d.%m.%Y %H:%M", ""),
            (["19800131", "19800202"], "%Y%m%d", ""),
            (["1,5", "2"], ",", ""),
            (["1.234,5", "7"], ",", ""),
            (["1,234.5", "7"], ".", ""),
            (["1,234", "7,001"], ".", ","),
            (["00501", "10001"], "", ""),
            (["00501234", "00501235"], "", ""),
            (["030 123 456", "040 555 123"], "", ""),
            (["ash", "oak"], "", ""),
            (["a/b/c", "d/e/f"], "", ""),
        ] {
            assert_eq!(told(&texts), (spelling.to_owned(), or.to_owned()), "{texts:?}");
        }
        let mut texts = vec!["31/01/1980"; 39];
        texts.push("unknown");
        assert_eq!(guess(&texts).map(|g| g.spoilers), Some(1));
        texts.extend(["unknown"; 4]);
        assert_eq!(guess(&texts), None);
    }
}
