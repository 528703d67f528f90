//! When two texts say the same to a reader: `HIV` and `hiv`, one letter in two Unicode forms, blanks that
//! cannot be seen. Privacy models compare sensitive values so: a group of `HIV` and `hiv` has one value.

use std::borrow::Cow;
use std::collections::HashSet;
use unicode_normalization::UnicodeNormalization;

/// The text in compatibility form (NFKC) and without letter case; blanks are single and not at its ends, and
/// characters that are not shown are left out.
pub fn folded(text: &str) -> Cow<'_, str> {
    let text = text.trim_ascii();
    let plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    if text.bytes().all(plain) {
        return text.into();
    }
    let shown = text.nfkc().filter(|&letter| !unseen(letter));
    // Capitals first: ß is SS then, and both forms of the small sigma are one.
    let small = shown.flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let composed: String = small.nfkc().collect();
    composed.split_whitespace().collect::<Vec<_>>().join(" ").into()
}

/// Characters that take no room: joiners, marks of direction, soft hyphens, selectors of variants, controls.
fn unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
        || letter.is_control() && !letter.is_whitespace()
}

/// How many of these different texts say the same as another one before them.
pub fn respelled<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    let mut seen = HashSet::new();
    texts.filter(|text| !seen.insert(folded(text))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_alike_is_alike() {
        let same = [
            ["HIV", "hiv"],
            [" flu ", "flu"],
            ["flu\u{a0}", "flu"],
            ["f\u{200b}lu", "\u{feff}flu"],
            ["caf\u{e9}", "cafe\u{301}"],
            ["CAFE\u{301}", "caf\u{e9}"],
            ["Stra\u{df}e", "STRASSE"],
            ["\u{3bf}\u{3b4}\u{3cc}\u{3c2}", "\u{39f}\u{394}\u{38c}\u{3a3}"],
            ["\u{ff26}\u{ff4c}\u{ff55}", "flu"],
            ["type  2\u{2009}diabetes", "Type 2 diabetes"],
            ["\u{a0}\u{200b}", ""],
        ];
        for [one, other] in same {
            assert_eq!(folded(one), folded(other), "{one:?} {other:?}");
        }
        for [one, other] in [["flu", "flux"], ["type 1", "type 2"], ["a b", "ab"], ["1", "1.0"]] {
            assert_ne!(folded(one), folded(other));
        }
        assert!(matches!(folded(" e11.9 "), Cow::Borrowed("e11.9")), "nothing is copied in vain");
        assert_eq!(respelled(["HIV", "flu", "hiv", "Hiv", "Flu"].into_iter()), 3);
    }
}
