//! Numbers and dates as exact values: ordering and equality never depend on floating point.

use chrono::{Datelike, NaiveDate};
use std::cmp::Ordering;
use std::fmt;

/// A decimal number, exactly: `mantissa × 10^exponent`, without trailing zeros in the mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    mantissa: i128,
    exponent: i32,
}

/// Significant digits that are kept exactly; longer numbers are refused rather than rounded.
const DIGITS: u32 = 30;
const EXPONENT: i32 = 400;

impl Number {
    /// A whole number.
    pub fn whole(value: i64) -> Self {
        Self::normal(i128::from(value), 0)
    }

    fn normal(mut mantissa: i128, mut exponent: i32) -> Self {
        if mantissa == 0 {
            return Self { mantissa, exponent: 0 };
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        Self { mantissa, exponent }
    }

    /// The number nearest to it that a float can hold.
    pub fn to_f64(self) -> f64 {
        // Through text: the standard parser rounds correctly, a product of powers would not.
        format!("{}e{}", self.mantissa, self.exponent).parse().unwrap_or(f64::NAN)
    }

    /// The number `mantissa × 10^exponent`.
    pub(crate) fn scaled(mantissa: i128, exponent: i32) -> Self {
        Self::normal(mantissa, exponent)
    }

    /// Whether it has no fraction.
    pub fn is_whole(self) -> bool {
        self.exponent >= 0
    }

    /// How many steps lead up to it from zero, rounded down; `None` if that takes too many digits.
    pub fn steps(self, step: Self) -> Option<i64> {
        let unit = self.exponent.min(step.exponent);
        let step = step.in_units(unit).filter(|&step| step > 0)?;
        i64::try_from(self.in_units(unit)?.div_euclid(step)).ok()
    }

    /// So many times the number.
    pub fn times(self, count: i64) -> Option<Self> {
        Some(Self::normal(self.mantissa.checked_mul(i128::from(count))?, self.exponent))
    }

    /// The sum of two numbers; `None` if it takes too many digits.
    pub fn plus(self, other: Self) -> Option<Self> {
        let unit = self.exponent.min(other.exponent);
        Some(Self::normal(self.in_units(unit)?.checked_add(other.in_units(unit)?)?, unit))
    }

    /// `mantissa` in units of `10^exponent`, if it has that form and stays small enough to multiply.
    fn in_units(self, exponent: i32) -> Option<i128> {
        let shift = u32::try_from(self.exponent - exponent).ok()?;
        let scaled = self.mantissa.checked_mul(10i128.checked_pow(shift)?)?;
        (scaled.unsigned_abs() < 1 << 80).then_some(scaled)
    }

    /// The same, with everything finer than the unit cut off.
    fn floor_in_units(self, exponent: i32) -> Option<i128> {
        match u32::try_from(exponent - self.exponent) {
            Ok(0) | Err(_) => self.in_units(exponent),
            // A unit that is too large to write down is larger than any number.
            Ok(finer) => Some(match 10i128.checked_pow(finer) {
                Some(unit) => self.mantissa.div_euclid(unit),
                None => i128::from(self.mantissa.signum().min(0) as i8),
            }),
        }
    }
}

/// In decimal digits; very large and very small numbers with an exponent.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, digits) =
            (if self.mantissa < 0 { "-" } else { "" }, self.mantissa.unsigned_abs().to_string());
        match self.exponent {
            exponent @ 0..=20 => write!(f, "{sign}{digits}{}", "0".repeat(exponent as usize)),
            exponent @ -20..0 => {
                let places = exponent.unsigned_abs() as usize;
                let padded = format!("{digits:0>width$}", width = places + 1);
                let (whole, fraction) = padded.split_at(padded.len() - places);
                write!(f, "{sign}{whole}.{fraction}")
            }
            exponent => write!(f, "{sign}{digits}e{exponent}"),
        }
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = self.mantissa.signum().cmp(&other.mantissa.signum());
        if sign != Ordering::Equal || self.mantissa == 0 {
            return sign;
        }
        // Same sign: the longer number is further from zero; of equal length, align and compare.
        let length = |n: &Self| n.mantissa.unsigned_abs().ilog10() as i32 + n.exponent;
        let by_size = length(self).cmp(&length(other)).then_with(|| {
            let low = self.exponent.min(other.exponent);
            let align = |n: &Self| n.mantissa.unsigned_abs() * 10u128.pow((n.exponent - low) as u32);
            align(self).cmp(&align(other))
        });
        if self.mantissa > 0 { by_size } else { by_size.reverse() }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Reads a decimal number: sign, digits, fraction, exponent. Not: infinities, NaN, hexadecimal, thousands
/// separators.
pub fn parse_number(text: &str) -> Option<Number> {
    let text = text.trim_ascii();
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (digits, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], rest[at + 1..].parse::<i32>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut mantissa = 0i128;
    for byte in whole.bytes().chain(fraction.bytes()) {
        if !byte.is_ascii_digit() || mantissa >= 10i128.pow(DIGITS) {
            return None;
        }
        mantissa = mantissa * 10 + i128::from(byte - b'0');
    }
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if exponent.abs() > EXPONENT {
        return None;
    }
    Some(Number::normal(if negative { -mantissa } else { mantissa }, exponent))
}

/// Whether a text is written as people write quantities: `00501` is a code, not a number.
pub fn looks_numeric(text: &str) -> bool {
    let digits = text.trim_ascii().trim_start_matches('-').as_bytes();
    let padded = digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
    !padded && !text.trim_ascii().starts_with('+') && parse_number(text).is_some()
}

/// Reads `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm[:ss[.fraction]][Z]` (a blank may stand for the T), as
/// nanoseconds.
pub fn parse_date(text: &str) -> Option<Number> {
    let text = text.trim_ascii();
    let (date, time) = match text.as_bytes().get(10) {
        None => (text, None),
        Some(b'T' | b' ') if text.is_char_boundary(10) => (&text[..10], Some(&text[11..])),
        Some(_) => return None,
    };
    let bytes = date.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let day = NaiveDate::from_ymd_opt(
        fixed_digits(&date[..4])? as i32,
        fixed_digits(&date[5..7])?,
        fixed_digits(&date[8..])?,
    )?;
    let nanoseconds = match time {
        Some(time) => parse_time(time)?,
        None => 0,
    };
    let days = i128::from(day.num_days_from_ce());
    Some(Number::normal(days * DAY + nanoseconds, 0))
}

/// Nanoseconds in a day.
const DAY: i128 = 86_400_000_000_000;

/// The day that a date value lies in.
pub fn day_of(value: Number) -> Option<NaiveDate> {
    let days = value.in_units(0)?.div_euclid(DAY);
    NaiveDate::from_num_days_from_ce_opt(i32::try_from(days).ok()?)
}

/// The value of the start of a day.
pub fn start_of(day: NaiveDate) -> Number {
    Number::normal(i128::from(day.num_days_from_ce()) * DAY, 0)
}

/// Whether a date value is the start of a day.
pub fn is_midnight(value: Number) -> bool {
    value.in_units(0).is_some_and(|nanoseconds| nanoseconds % DAY == 0)
}

fn parse_time(time: &str) -> Option<i128> {
    let time = time.strip_suffix('Z').unwrap_or(time);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let parts: Vec<u32> =
        clock.split(':').map(|p| (p.len() == 2).then(|| fixed_digits(p))?).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match parts[..] {
        [h, m] if fraction.is_empty() => (h, m, 0),
        [h, m, s] => (h, m, s),
        _ => return None,
    };
    if hours > 23 || minutes > 59 || seconds > 59 || fraction.len() > 9 {
        return None;
    }
    let nanos =
        if fraction.is_empty() { 0 } else { fixed_digits(fraction)? * 10u32.pow(9 - fraction.len() as u32) };
    Some(i128::from(hours * 3600 + minutes * 60 + seconds) * 1_000_000_000 + i128::from(nanos))
}

fn fixed_digits(text: &str) -> Option<u32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Whether all values between these ends fit a common decimal scale, so that [`positions`] needs no
/// floating point.
pub fn fit_exactly(values: impl Iterator<Item = Number> + Clone, low: Number, high: Number) -> bool {
    let mut all = values.chain([low, high]);
    let scale = all.clone().map(|n| n.exponent).min().unwrap_or(0);
    all.all(|n| n.in_units(scale).is_some())
}

/// Where each value lies between `low` and `high`, in units of which the whole way has `full`.
///
/// Where that is asked for, exact to half a unit; otherwise by floats, which still keep the order. A
/// value's place never depends on the other values.
pub fn positions(values: &[Number], low: Number, high: Number, full: u64, exact: bool) -> Vec<u64> {
    if low >= high {
        return vec![0; values.len()];
    }
    if let Some(places) = exact.then(|| exact_positions(values, low, high, full)).flatten() {
        return places;
    }
    let (low, high) = (low.to_f64(), high.to_f64());
    let range = high - low;
    values
        .iter()
        .map(|v| (((v.to_f64() - low) / range).clamp(0.0, 1.0) * full as f64).round() as u64)
        .collect()
}

/// In whole units of the finest decimal scale that is needed and that the ends allow; what is finer is cut
/// off.
fn exact_positions(values: &[Number], low: Number, high: Number, full: u64) -> Option<Vec<u64>> {
    let full = i128::from(full);
    let ends = |scale: i32| {
        let (low, high) = (low.in_units(scale)?, high.in_units(scale)?);
        (high - low).checked_mul(full.max(1)).map(|_| (low, high - low))
    };
    let wanted = values.iter().map(|n| n.exponent).min().unwrap_or(0);
    let mut scale = low.exponent.min(high.exponent);
    let (mut start, mut range) = ends(scale)?;
    while let Some(finer) = (scale > wanted).then(|| ends(scale - 1)).flatten() {
        ((start, range), scale) = (finer, scale - 1);
    }
    let place = |value: &Number| {
        let units = value.floor_in_units(scale)?.saturating_sub(start).clamp(0, range);
        Some((((units * full) + range / 2) / range).clamp(0, full) as u64)
    };
    values.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        parse_number(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn numbers_compare_exactly() {
        let ascending = [
            "-1e3",
            "-12.5",
            "-0.5",
            "0",
            "1e-300",
            ".5",
            "1",
            "9007199254740992",
            "9007199254740993",
            "1e300",
        ];
        for pair in ascending.windows(2) {
            assert!(number(pair[0]) < number(pair[1]), "{pair:?}");
        }
        for (a, b) in [("1", "1.0"), ("1e3", "1000"), ("-0", "0"), ("0.10", ".1")] {
            assert_eq!(number(a), number(b));
        }
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for text in ["0", "7", "-12.5", "0.05", "-0.005", "1200", "1e-25", "-3e40", "20000000000000000000000"]
        {
            assert_eq!(number(&number(text).to_string()), number(text), "{text}");
        }
        assert_eq!(
            ["1.50", "20", "-0.5", "1e3"].map(|t| number(t).to_string()),
            ["1.5", "20", "-0.5", "1000"]
        );
    }

    #[test]
    fn steps_round_down() {
        let steps = |value: &str, step: &str| number(value).steps(number(step));
        assert_eq!([steps("24.9", "5"), steps("25", "5"), steps("-1", "5")], [Some(4), Some(5), Some(-1)]);
        assert_eq!([steps("0.35", "0.1"), steps("1e30", "0.1"), steps("1", "0")], [Some(3), None, None]);
        assert_eq!(number("0.1").times(7).and_then(|n| n.plus(number("-1"))), Some(number("-0.3")));
        let noon = parse_date("2024-02-29T12:00").unwrap();
        assert!(!is_midnight(noon) && is_midnight(start_of(day_of(noon).unwrap())));
        assert_eq!(day_of(noon).unwrap().to_string(), "2024-02-29");
    }

    #[test]
    fn what_is_no_number() {
        for text in
            ["", "-", ".", "e5", "1e", "inf", "-Infinity", "NaN", "0x10", "1,000", "1 000", "١", "1e9999"]
        {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }

    #[test]
    fn codes_are_not_quantities() {
        for text in ["00501", "-01", "+5", "007.5", "abc", ""] {
            assert!(!looks_numeric(text), "{text}");
        }
        for text in ["0", "-0.5", "1e3", "501", "0.05", ".5", " 39"] {
            assert!(looks_numeric(text), "{text}");
        }
    }

    #[test]
    fn dates_are_checked_against_the_calendar() {
        for text in [
            "2023-02-29",
            "2023-13-01",
            "23-01-01",
            "2023-1-1",
            "2023/01/01",
            "2023-01-01T25:00",
            "2023-01-01x",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
        let ascending = [
            "0001-01-01",
            "1999-12-31",
            "2024-02-29",
            "2024-02-29T00:01",
            "2024-02-29 00:01:02.5Z",
            "2024-03-01",
        ];
        for pair in ascending.windows(2) {
            assert!(parse_date(pair[0]).unwrap() < parse_date(pair[1]).unwrap(), "{pair:?}");
        }
    }

    #[test]
    fn positions_are_exact_and_monotone() {
        let values: Vec<Number> = ["17", "36", "90"].iter().map(|t| number(t)).collect();
        assert_eq!(positions(&values, number("17"), number("90"), 73_000, true), [0, 19_000, 73_000]);
        let wide: Vec<Number> = ["1e-200", "1", "1e200"].iter().map(|t| number(t)).collect();
        assert!(!fit_exactly(wide.iter().copied(), wide[0], wide[2]));
        for exact in [false, true] {
            assert_eq!(positions(&wide, wide[0], wide[2], 100, exact), [0, 0, 100]);
            assert_eq!(positions(&values[..1], values[0], values[0], 100, exact), [0]);
        }
    }

    #[test]
    fn a_place_does_not_depend_on_the_other_values() {
        let texts = ["17", "17.25", "36", "36.000000000000000000000000001", "41.5", "89.9999", "90"];
        let values: Vec<Number> = texts.iter().map(|t| number(t)).collect();
        assert!(!fit_exactly(values.iter().copied(), values[0], values[6]));
        for full in [73_000, 1 << 52] {
            let together = positions(&values, values[0], values[6], full, true);
            assert!(together.is_sorted());
            for (value, &place) in values.iter().zip(&together) {
                assert_eq!(positions(&[*value], values[0], values[6], full, true), [place]);
            }
        }
        let negative: Vec<Number> = ["-2", "-1e-40", "0"].iter().map(|t| number(t)).collect();
        assert_eq!(positions(&negative, negative[0], negative[2], 100, true), [0, 100, 100]);
    }
}
