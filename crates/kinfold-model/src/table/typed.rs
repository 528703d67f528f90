//! The text of a typed cell. Values of 64 bits or fewer are told apart by their bits: a value is written out
//! the first time it is met, not once per row.

use super::ColumnBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowNativeTypeOp, LargeStringArray, PrimitiveArray, StringArray, StringViewArray,
    downcast_primitive_array,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use chrono::{DateTime, FixedOffset, NaiveDateTime, NaiveTime, TimeDelta};
use std::fmt::{self, LowerExp, Write};

/// Why a cell has no code.
pub(super) enum Unreadable {
    /// Longer than a field may be.
    TooLong,
    /// A date or a time that no calendar or clock has.
    Beyond,
    /// Of a type that has no texts.
    Kind,
    /// It would take more memory than there may be.
    TooLarge,
}

pub(super) struct Cells<'a> {
    array: &'a ArrayRef,
    values: Values<'a>,
    limit: usize,
}

enum Values<'a> {
    /// Nulls only.
    None,
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    TextView(&'a StringViewArray),
    Bits(Vec<u64>, Spelling),
    /// Decimals that mostly fit 64 bits, whatever their type would hold.
    Decimal128(&'a PrimitiveArray<Decimal128Type>, i8),
    Decimal256(&'a PrimitiveArray<Decimal256Type>, i8),
    Intervals(&'a PrimitiveArray<IntervalMonthDayNanoType>),
}

/// How a value is written that is known by its bits.
#[derive(Clone, Copy)]
enum Spelling {
    Signed,
    Unsigned,
    Boolean,
    Half,
    Single,
    Double,
    Decimal(i8),
    Date,
    Moment(TimeUnit, Option<FixedOffset>),
    Time(TimeUnit),
    Duration(TimeUnit),
    YearMonth,
    DayTime,
}

/// Whether values of this type are single values that have a text.
pub(super) fn has_text(kind: &DataType) -> bool {
    use DataType::*;
    match kind {
        Null | Boolean | Utf8 | LargeUtf8 | Utf8View | Date32 | Date64 => true,
        Timestamp(..) | Duration(_) | Interval(_) => true,
        Time32(unit) => matches!(unit, TimeUnit::Second | TimeUnit::Millisecond),
        Time64(unit) => matches!(unit, TimeUnit::Microsecond | TimeUnit::Nanosecond),
        number => number.is_numeric(),
    }
}

impl<'a> Cells<'a> {
    /// The cells of an array; none if its type has no texts. A cell may have `limit` bytes at most.
    pub(super) fn new(array: &'a ArrayRef, limit: usize) -> Option<Self> {
        use DataType::*;
        let values = match array.data_type() {
            Null => Values::None,
            Utf8 => Values::Text(array.as_string_opt()?),
            LargeUtf8 => Values::LargeText(array.as_string_opt()?),
            Utf8View => Values::TextView(array.as_string_view_opt()?),
            Boolean => {
                let array = array.as_boolean_opt()?;
                Values::Bits(array.values().iter().map(u64::from).collect(), Spelling::Boolean)
            }
            UInt64 => bits::<UInt64Type>(array, |v| v, Spelling::Unsigned)?,
            // One text, one code: all that is not a number is the same.
            Float16 => bits::<Float16Type>(
                array,
                |v| u64::from(if v.is_nan() { 0x7e00 } else { v.to_bits() }),
                Spelling::Half,
            )?,
            Float32 => bits::<Float32Type>(
                array,
                |v| u64::from(if v.is_nan() { f32::NAN } else { v }.to_bits()),
                Spelling::Single,
            )?,
            Float64 => bits::<Float64Type>(
                array,
                |v| if v.is_nan() { f64::NAN } else { v }.to_bits(),
                Spelling::Double,
            )?,
            &Decimal128(_, scale) => Values::Decimal128(array.as_primitive_opt()?, scale),
            &Decimal256(_, scale) => Values::Decimal256(array.as_primitive_opt()?, scale),
            Interval(IntervalUnit::DayTime) => bits::<IntervalDayTimeType>(
                array,
                |v| u64::from(v.days as u32) << 32 | u64::from(v.milliseconds as u32),
                Spelling::DayTime,
            )?,
            Interval(IntervalUnit::MonthDayNano) => Values::Intervals(array.as_primitive_opt()?),
            kind => {
                let spelling = match kind {
                    Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 => Spelling::Signed,
                    &Decimal32(_, scale) | &Decimal64(_, scale) => Spelling::Decimal(scale),
                    Date32 => Spelling::Date,
                    Date64 => Spelling::Moment(TimeUnit::Millisecond, None),
                    Time32(unit) | Time64(unit) => Spelling::Time(*unit),
                    Timestamp(unit, zone) => Spelling::Moment(*unit, zone.as_deref().map(offset_of)),
                    Duration(unit) => Spelling::Duration(*unit),
                    Interval(IntervalUnit::YearMonth) => Spelling::YearMonth,
                    _ => return None,
                };
                let array: &dyn Array = array;
                downcast_primitive_array!(
                    array => Values::Bits(signed(array.values()), spelling),
                    _ => return None
                )
            }
        };
        Some(Self { array, values, limit })
    }

    /// The code of a cell in the column.
    #[inline]
    pub(super) fn code(&self, column: &mut ColumnBuilder, at: usize) -> Result<u32, Unreadable> {
        if self.array.is_null(at) {
            return Ok(column.intern_null());
        }
        let text = match &self.values {
            Values::None => return Ok(column.intern_null()),
            Values::Text(texts) => texts.value(at),
            Values::LargeText(texts) => texts.value(at),
            Values::TextView(texts) => texts.value(at),
            Values::Bits(bits, spelling) => return by_bits(column, bits[at], *spelling),
            Values::Decimal128(values, scale) => match i64::try_from(values.value(at)) {
                Ok(narrow) => return by_bits(column, narrow as u64, Spelling::Decimal(*scale)),
                Err(_) => &Decimal128Type::format_decimal(values.value(at), u8::MAX, *scale),
            },
            Values::Decimal256(values, scale) => {
                let narrow = values.value(at).to_i128().and_then(|v| i64::try_from(v).ok());
                match narrow {
                    Some(narrow) => return by_bits(column, narrow as u64, Spelling::Decimal(*scale)),
                    None => &Decimal256Type::format_decimal(values.value(at), u8::MAX, *scale),
                }
            }
            Values::Intervals(values) => {
                let value = values.value(at);
                let clock = clock(value.nanoseconds, 1_000_000_000, 9);
                &amounts([(value.months.into(), "mons"), (value.days.into(), "days")], clock)
            }
        };
        if text.len() > self.limit { Err(Unreadable::TooLong) } else { Ok(column.interner.intern_str(text)) }
    }
}

fn bits<'a, T: ArrowPrimitiveType>(
    array: &ArrayRef,
    bits: impl Fn(T::Native) -> u64,
    spelling: Spelling,
) -> Option<Values<'a>> {
    let values = array.as_primitive_opt::<T>()?.values();
    Some(Values::Bits(values.iter().map(|&value| bits(value)).collect(), spelling))
}

/// The bits of whole numbers that fit 64 bits, whatever they count.
fn signed<N: ArrowNativeTypeOp>(values: &[N]) -> Vec<u64> {
    values.iter().map(|value| value.to_i64().unwrap_or(0) as u64).collect()
}

#[inline]
fn by_bits(column: &mut ColumnBuilder, bits: u64, spelling: Spelling) -> Result<u32, Unreadable> {
    column.interner.intern_bits(bits, |text| spelling.write(bits, text)).ok_or(Unreadable::Beyond)
}

impl Spelling {
    /// Adds the text of a value; nothing comes of a date or a time that there is not.
    fn write(self, bits: u64, text: &mut String) -> Option<()> {
        let signed = bits as i64;
        match self {
            Self::Signed => write!(text, "{signed}"),
            Self::Unsigned => write!(text, "{bits}"),
            Self::Boolean => write!(text, "{}", bits != 0),
            Self::Half => {
                write!(text, "{}", <Float16Type as ArrowPrimitiveType>::Native::from_bits(bits as u16))
            }
            Self::Single => {
                let value = f32::from_bits(bits as u32);
                write_float(&value, value.is_finite(), 13, -6, text)
            }
            Self::Double => {
                let value = f64::from_bits(bits);
                write_float(&value, value.is_finite(), 16, -5, text)
            }
            // The zeros that a negative scale adds are no number of zeros.
            Self::Decimal(..0) if signed == 0 => text.write_str("0"),
            Self::Decimal(scale) => text.write_str(&Decimal64Type::format_decimal(signed, u8::MAX, scale)),
            Self::Date => write!(text, "{:?}", moment(signed.checked_mul(86_400)?, TimeUnit::Second)?.date()),
            Self::Moment(unit, None) => write!(text, "{:?}", moment(signed, unit)?),
            Self::Moment(unit, Some(offset)) => {
                let local = moment(signed, unit)?.checked_add_offset(offset)?;
                if offset.local_minus_utc() == 0 {
                    write!(text, "{local:?}Z")
                } else {
                    write!(text, "{local:?}{offset}")
                }
            }
            Self::Time(unit) => {
                let (seconds, nanos) = split(signed, unit);
                let time = NaiveTime::from_num_seconds_from_midnight_opt(seconds.try_into().ok()?, nanos)?;
                write!(text, "{time:?}")
            }
            Self::Duration(unit) => {
                let (seconds, nanos) = split(signed, unit);
                write!(text, "{}", TimeDelta::new(seconds, nanos)?)
            }
            Self::YearMonth => {
                write!(text, "{} years {} mons", signed.div_euclid(12), signed.rem_euclid(12))
            }
            Self::DayTime => {
                let (days, milliseconds) = ((bits >> 32) as i32, bits as u32 as i32);
                text.write_str(&amounts([(days.into(), "days")], clock(milliseconds.into(), 1_000, 3)))
            }
        }
        .ok()
    }
}

/// The zone's distance from Greenwich if it is said as such. Of a zone that has a name, moments are told in
/// universal time: the name stays part of the type.
fn offset_of(zone: &str) -> FixedOffset {
    fixed_offset(zone).or(FixedOffset::east_opt(0)).unwrap_or_else(|| chrono::Offset::fix(&chrono::Utc))
}

/// Reads `+09:00`, `-09` or `+0930`.
fn fixed_offset(zone: &str) -> Option<FixedOffset> {
    let (east, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let digits: Vec<i32> = match rest.as_bytes() {
        [h, g, b':', m, n] | [h, g, m, n] => vec![*h, *g, *m, *n],
        [h, g] => vec![*h, *g, b'0', b'0'],
        _ => return None,
    }
    .into_iter()
    .map(|byte| byte.is_ascii_digit().then(|| i32::from(byte - b'0')))
    .collect::<Option<_>>()?;
    let hours = digits[0] * 10 + digits[1];
    let minutes = digits[2] * 10 + digits[3];
    FixedOffset::east_opt(east * (hours * 3600 + minutes * 60))
}

/// Whole seconds and the nanoseconds that are left.
fn split(value: i64, unit: TimeUnit) -> (i64, u32) {
    let second = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    (value.div_euclid(second), (value.rem_euclid(second) * (1_000_000_000 / second)) as u32)
}

fn moment(value: i64, unit: TimeUnit) -> Option<NaiveDateTime> {
    let (seconds, nanos) = split(value, unit);
    Some(DateTime::from_timestamp(seconds, nanos)?.naive_utc())
}

/// The shortest digits that say the number, without an exponent between the two powers of ten; always with a
/// point or an exponent.
fn write_float(value: &dyn LowerExp, finite: bool, most: i32, least: i32, text: &mut String) -> fmt::Result {
    let scientific = format!("{value:e}");
    if !finite {
        return text.write_str(&scientific);
    }
    let (sign, rest) = scientific.strip_prefix('-').map_or(("", &*scientific), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once('e').unwrap_or((rest, "0"));
    let mut digits = mantissa.replace('.', "");
    // In the middle between two such texts the even one is taken: the formatter takes the higher.
    let exactly = format!("{value:.*e}", digits.len() + 24);
    let beyond = exactly.split_once('e').and_then(|(said, _)| said.get(said.len() - 25..));
    let odd = digits.pop().filter(|last| "3579".contains(*last));
    match odd {
        Some(last) if beyond.is_some_and(|b| b.starts_with('5') && b[1..].bytes().all(|d| d == b'0')) => {
            digits.push(char::from(last as u8 - 1));
        }
        _ => digits = mantissa.replace('.', ""),
    }
    let length = digits.len() as i32;
    // How many digits stand before the point.
    let whole = exponent.parse::<i32>().unwrap_or(0) + 1;
    text.push_str(sign);
    if digits == "0" {
        text.write_str("0.0")
    } else if whole >= length && whole <= most {
        write!(text, "{digits:0<width$}.0", width = whole as usize)
    } else if 0 < whole && whole <= most {
        let (before, after) = digits.split_at(whole as usize);
        write!(text, "{before}.{after}")
    } else if least < whole && whole <= 0 {
        write!(text, "0.{digits:0>width$}", width = (length - whole) as usize)
    } else if length == 1 {
        write!(text, "{digits}e{exponent}")
    } else {
        write!(text, "{}.{}e{exponent}", &digits[..1], &digits[1..])
    }
}

/// Hours, minutes and seconds with a fraction of so many digits; what is zero is not said.
fn clock(amount: i64, second: i64, digits: usize) -> Vec<String> {
    let (seconds, fraction) = (amount / second, amount % second);
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600);
    let seconds = seconds % 60;
    let mut parts = Vec::new();
    for (amount, unit) in [(hours, "hours"), (minutes, "mins")] {
        if amount != 0 {
            parts.push(format!("{amount} {unit}"));
        }
    }
    if seconds != 0 || fraction != 0 {
        let sign = if seconds < 0 || fraction < 0 { "-" } else { "" };
        parts.push(format!("{sign}{}.{:0digits$} secs", seconds.abs(), fraction.abs()));
    }
    parts
}

fn amounts<const N: usize>(days: [(i64, &str); N], clock: Vec<String>) -> String {
    let days = days.into_iter().filter(|&(amount, _)| amount != 0);
    let parts: Vec<String> = days.map(|(amount, unit)| format!("{amount} {unit}")).chain(clock).collect();
    if parts.is_empty() { "0 secs".to_owned() } else { parts.join(" ") }
}
