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
const EXPONENT: u32 = 400;
/// Numbers have fewer digits than this before the point: they and their differences are finite as floats.
const WHOLE_DIGITS: i32 = 307;

impl Number {
    pub(crate) fn whole(value: i64) -> Self {
        Self::normal(i128::from(value), 0)
    }

    /// The number `mantissa × 10^exponent`.
    pub(crate) fn normal(mut mantissa: i128, mut exponent: i32) -> Self {
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

    /// Whether it has no fraction.
    pub fn is_whole(self) -> bool {
        self.exponent >= 0
    }

    /// How many steps lead up to it from zero, rounded down; `None` if that takes too many digits.
    pub(crate) fn steps(self, step: Self) -> Option<i64> {
        let unit = self.exponent.min(step.exponent);
        let step = step.in_units(unit).filter(|&step| step > 0)?;
        i64::try_from(self.in_units(unit)?.div_euclid(step)).ok()
    }

    /// Both in units of the finer of their last places; `None` if that takes more digits than are kept.
    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        let units = |n: Self| n.mantissa.checked_mul(10i128.checked_pow((n.exponent - exponent) as u32)?);
        Some((units(self)?, units(other)?, exponent))
    }

    /// The sum, exactly.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (a, b, exponent) = self.aligned(other)?;
        Some(Self::normal(a.checked_add(b)?, exponent))
    }

    /// The difference, exactly.
    pub fn minus(self, other: Self) -> Option<Self> {
        other.mantissa.checked_neg().and_then(|mantissa| self.plus(Self { mantissa, ..other }))
    }

    /// The product with a whole number, exactly.
    pub fn times(self, whole: i64) -> Option<Self> {
        Some(Self::normal(self.mantissa.checked_mul(whole.into())?, self.exponent))
    }

    /// The days before a date, and the nanoseconds of its own day.
    pub(crate) fn days_and_nanoseconds(self) -> Option<(i32, i64)> {
        let (nanoseconds, day) = (self.in_units(0)?, i128::from(DAY));
        Some((nanoseconds.div_euclid(day).try_into().ok()?, nanoseconds.rem_euclid(day) as i64))
    }

    /// A thousand-millionth of it: nanoseconds in seconds.
    pub fn billionth(self) -> Self {
        Self::normal(self.mantissa, self.exponent - 9)
    }

    /// The number divided by a whole number, if the answer is whole.
    pub fn whole_part_of(self, whole: i64) -> Option<Self> {
        let units = self.mantissa.checked_mul(10i128.checked_pow(self.exponent.try_into().ok()?)?)?;
        (units % i128::from(whole) == 0).then(|| Self::normal(units / i128::from(whole), 0))
    }

    pub fn half(self) -> Option<Self> {
        Some(Self::normal(self.mantissa.checked_mul(5)?, self.exponent - 1))
    }

    /// Half of it, rounded down to its own last place: to a whole number if it is one.
    pub fn half_down(self) -> Option<Self> {
        if self.exponent > 0 { self.half() } else { Some(Self::normal(self.mantissa >> 1, self.exponent)) }
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

/// In plain digits: `-0.05`, `1200`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        let Ok(places) = usize::try_from(-self.exponent) else {
            return write!(f, "{sign}{digits}{:0<1$}", "", self.exponent as usize);
        };
        let digits = format!("{digits:0>0$}", places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let point = if places > 0 { "." } else { "" };
        write!(f, "{sign}{whole}{point}{fraction}")
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
/// separators, nor what is as large as 1e307.
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
    let length = mantissa.checked_ilog10().map_or(0, |log| log as i32);
    if exponent.unsigned_abs() > EXPONENT || exponent + length >= WHOLE_DIGITS {
        return None;
    }
    Some(Number::normal(if negative { -mantissa } else { mantissa }, exponent))
}

/// Whether a text is written as people write quantities: `00501` is a code, not a number.
pub(crate) fn looks_numeric(text: &str) -> bool {
    let digits = text.trim_ascii().trim_start_matches('-').as_bytes();
    let padded = digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
    !padded && !text.trim_ascii().starts_with('+') && parse_number(text).is_some()
}

/// Reads `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm[:ss[.fraction]][Z]` (a blank may stand for the T), as
/// nanoseconds.
pub(crate) fn parse_date(text: &str) -> Option<Number> {
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
    Some(Number::normal(days * i128::from(DAY) + nanoseconds, 0))
}

/// Units of the values of dates, in nanoseconds.
pub const SECOND: i64 = 1_000_000_000;
/// See [`SECOND`].
pub(crate) const DAY: i64 = 24 * 3600 * SECOND;

/// Whether a date is written with the time of day.
pub fn has_time(date: &str) -> bool {
    date.trim_ascii().len() > "2024-02-29".len()
}

/// A date as [`parse_date`] reads it. With the time of day if `like` has one, which is then written as there: with
/// a T or a blank, with a Z or without.
pub(crate) fn date_text(value: Number, like: &str) -> Option<String> {
    let (date, (_, within)) = (day_of(value)?, value.days_and_nanoseconds()?);
    let day = format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day());
    let like = like.trim_ascii();
    if !has_time(like) {
        return (within == 0).then_some(day);
    }
    let (seconds, fraction) = (within / SECOND, within % SECOND);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let blank = if like.as_bytes().get(10) == Some(&b' ') { ' ' } else { 'T' };
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:09}") };
    let fraction = fraction.trim_end_matches('0');
    let zone = if like.ends_with('Z') { "Z" } else { "" };
    Some(format!("{day}{blank}{hours:02}:{minutes:02}:{seconds:02}{fraction}{zone}"))
}

/// The day that a date value lies in.
pub(crate) fn day_of(value: Number) -> Option<NaiveDate> {
    NaiveDate::from_num_days_from_ce_opt(value.days_and_nanoseconds()?.0)
}

pub(crate) fn start_of(day: NaiveDate) -> Number {
    Number::normal(i128::from(day.num_days_from_ce()) * i128::from(DAY), 0)
}

pub(crate) fn is_midnight(value: Number) -> bool {
    value.in_units(0).is_some_and(|nanoseconds| nanoseconds % i128::from(DAY) == 0)
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

/// Whole numbers beyond 64 bits, which JSON does not have, as text.
pub mod decimal_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&number.to_string())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Whether all values between these ends fit a common decimal scale, so that [`positions`] needs no
/// floating point.
pub(crate) fn fit_exactly(values: impl Iterator<Item = Number> + Clone, low: Number, high: Number) -> bool {
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
    fn arithmetic_is_exact() {
        let text = |n: Option<Number>| n.map(|n| n.to_string()).unwrap_or_default();
        assert_eq!(text(number("0.1").plus(number("0.2"))), "0.3");
        assert_eq!(text(number("1e3").minus(number("0.05"))), "999.95");
        assert_eq!(text(number("-3").half()), "-1.5");
        assert_eq!(text(number("0.07").times(100)), "7");
        assert_eq!(text(number("1e40").plus(number("1e-3"))), "", "too many digits");
        // Rounded down to the last place that there is; whole numbers stay whole.
        for (from, to) in [("7", "3"), ("70", "35"), ("0.7", "0.3"), ("1.5", "0.7"), ("0", "0"), ("8", "4")] {
            assert_eq!(text(number(from).half_down()), to, "{from}");
        }
        assert_eq!(text(number("1.4e3").whole_part_of(7)), "200");
        assert_eq!(text(number("1.5").whole_part_of(1)) + &text(number("15").whole_part_of(7)), "");
        for plain in ["0", "-0.05", "1200", "1.5", "0.000001", "-17"] {
            assert_eq!(number(plain).to_string(), plain);
        }
        assert_eq!(number("1.50e2").to_string(), "150");
    }

    #[test]
    fn dates_are_written_as_they_are_read() {
        for text in ["2024-02-29", "0001-01-01", "2024-02-29T12:30:00", "2024-02-29 00:00:00.05Z"] {
            assert_eq!(date_text(parse_date(text).unwrap(), text).as_deref(), Some(text));
        }
        let noon = parse_date("2024-02-29T12:00").unwrap();
        assert_eq!(date_text(noon, "2024-01-01"), None, "noon is no day");
        assert_eq!(date_text(noon, "2024-01-01 00:00").as_deref(), Some("2024-02-29 12:00:00"));
    }

    #[test]
    fn what_is_no_number() {
        for text in
            ["", "-", ".", "e5", "1e", "inf", "-Infinity", "NaN", "0x10", "1,000", "1 000", "١", "1e9999"]
                .into_iter()
                .chain(["1e400", "-1e307", "10e306", "1e2147483647", "1e-2147483648", "0.1e-2147483648"])
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
