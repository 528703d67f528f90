//! Bands of numbers that a group spans, written as one wider band: `[0-10)` and `[10-20)` are `[0-20)`.

/// A label taken apart: what stands before, between and behind its numbers.
struct Label<'a> {
    before: &'a str,
    low: &'a str,
    between: &'a str,
    high: &'a str,
    behind: &'a str,
}

impl<'a> Label<'a> {
    fn of(label: &'a str) -> Self {
        let (before, low, rest) = next_number(label.trim());
        let (between, high, behind) = next_number(rest);
        Self { before, low, between, high, behind }
    }
}

/// What stands before the first number, that number, and what follows.
fn next_number(text: &str) -> (&str, &str, &str) {
    let digit = |c: char| c.is_ascii_digit();
    let Some(start) = text.find(digit) else { return (text, "", "") };
    let length = text[start..].find(|c: char| !digit(c) && c != '.').unwrap_or(text.len() - start);
    (&text[..start], &text[start..start + length], &text[start + length..])
}

/// The band from the first to the last of two bands; `None` if it cannot be written in their way.
pub(crate) fn joined(first: &str, last: &str) -> Option<String> {
    let (a, b) = (Label::of(first), Label::of(last));
    match (a.high.is_empty(), b.high.is_empty()) {
        (false, false) if (a.before, a.between, a.behind) == (b.before, b.between, b.behind) => {
            Some([a.before, a.low, a.between, b.high, a.behind].concat())
        }
        // `65+` after bands with two ends: from the first low end on.
        (false, true) if b.before.is_empty() && b.between.starts_with('+') => Some(format!("{}+", a.low)),
        (false, true) if [">=", "≥"].contains(&b.before.trim_end()) => {
            Some(format!("{}{}", b.before, a.low))
        }
        // `<5` before bands with two ends: up to the last high end, which may be outside itself.
        (true, false) if a.before.starts_with('<') => {
            let sign = if b.behind.starts_with(')') { "<" } else { "<=" };
            Some(format!("{sign}{}", b.high))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn bands_join_in_their_own_way() {
        let join = |first, last| joined(first, last).unwrap_or_default();
        assert_eq!(join("[0-10)", "[10-20)"), "[0-20)");
        assert_eq!(join("20-29", "40-49"), "20-49");
        assert_eq!(join("18 to 24", "25 to 34"), "18 to 34");
        assert_eq!(join("0.5-1.5", "1.5-2.25"), "0.5-2.25");
        assert_eq!(join("50-64", "65+"), "50+");
        assert_eq!(join("50-64", ">=65"), ">=50");
        assert_eq!(join("<5", "5-9"), "<=9");
        assert_eq!(join("<5", "[5-10)"), "<10");
        // Everything, and bands in two ways, have no such form.
        assert_eq!(joined("<5", "65+"), None);
        assert_eq!(joined("[0-10)", "10-20"), None);
    }
}
