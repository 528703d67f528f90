//! Texts of typed columns turned back into their values: the way back from what `kinfold-model` reads,
//! written without its code.

use arrow_array::types::*;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, LargeStringArray, NullArray, PrimitiveArray, StringArray,
    StringViewArray,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use chrono::{Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use std::str::FromStr;
use std::sync::Arc;

type Half = <Float16Type as ArrowPrimitiveType>::Native;
type Wide = <Decimal256Type as ArrowPrimitiveType>::Native;

/// An array of the values that these texts say; none if one of them says no value of this type.
pub(super) fn values(texts: &[&str], kind: &DataType) -> Option<ArrayRef> {
    use DataType::*;
    Some(match kind {
        Null if texts.is_empty() => Arc::new(NullArray::new(0)),
        Utf8 => Arc::new(texts.iter().map(Some).collect::<StringArray>()),
        LargeUtf8 => Arc::new(texts.iter().map(Some).collect::<LargeStringArray>()),
        Utf8View => Arc::new(texts.iter().map(Some).collect::<StringViewArray>()),
        Boolean => {
            let values: Option<Vec<bool>> = texts.iter().map(|text| text.parse().ok()).collect();
            Arc::new(BooleanArray::from(values?))
        }
        Int8 => parsed::<Int8Type>(texts, kind)?,
        Int16 => parsed::<Int16Type>(texts, kind)?,
        Int32 => parsed::<Int32Type>(texts, kind)?,
        Int64 => parsed::<Int64Type>(texts, kind)?,
        UInt8 => parsed::<UInt8Type>(texts, kind)?,
        UInt16 => parsed::<UInt16Type>(texts, kind)?,
        UInt32 => parsed::<UInt32Type>(texts, kind)?,
        UInt64 => parsed::<UInt64Type>(texts, kind)?,
        Float16 => array::<Float16Type>(texts, kind, |text| text.parse().ok().map(Half::from_f32))?,
        Float32 => parsed::<Float32Type>(texts, kind)?,
        Float64 => parsed::<Float64Type>(texts, kind)?,
        &Decimal32(_, scale) => array::<Decimal32Type>(texts, kind, |text| units(text, scale)?.parse().ok())?,
        &Decimal64(_, scale) => array::<Decimal64Type>(texts, kind, |text| units(text, scale)?.parse().ok())?,
        &Decimal128(_, scale) => {
            array::<Decimal128Type>(texts, kind, |text| units(text, scale)?.parse().ok())?
        }
        &Decimal256(_, scale) => {
            array::<Decimal256Type>(texts, kind, |text| Wide::from_string(&units(text, scale)?))?
        }
        Date32 => array::<Date32Type>(texts, kind, day)?,
        Date64 => array::<Date64Type>(texts, kind, |text| moment(text, TimeUnit::Millisecond, false))?,
        Time32(TimeUnit::Second) => {
            array::<Time32SecondType>(texts, kind, |text| time(text, TimeUnit::Second)?.try_into().ok())?
        }
        Time32(TimeUnit::Millisecond) => array::<Time32MillisecondType>(texts, kind, |text| {
            time(text, TimeUnit::Millisecond)?.try_into().ok()
        })?,
        Time64(TimeUnit::Microsecond) => {
            array::<Time64MicrosecondType>(texts, kind, |text| time(text, TimeUnit::Microsecond))?
        }
        Time64(TimeUnit::Nanosecond) => {
            array::<Time64NanosecondType>(texts, kind, |text| time(text, TimeUnit::Nanosecond))?
        }
        Timestamp(unit, zone) => {
            let read = |text: &str| moment(text, *unit, zone.is_some());
            match unit {
                TimeUnit::Second => array::<TimestampSecondType>(texts, kind, read)?,
                TimeUnit::Millisecond => array::<TimestampMillisecondType>(texts, kind, read)?,
                TimeUnit::Microsecond => array::<TimestampMicrosecondType>(texts, kind, read)?,
                TimeUnit::Nanosecond => array::<TimestampNanosecondType>(texts, kind, read)?,
            }
        }
        Interval(unit) => intervals(texts, kind, *unit)?,
        _ => return None,
    })
}

/// Rows that point into an array of values, by keys of this type; none if there are too many values for it.
pub(super) fn dictionary(keys: &[Option<i32>], kind: &DataType, values: &ArrayRef) -> Option<ArrayRef> {
    match kind {
        DataType::Int8 => keyed::<Int8Type>(keys, values),
        DataType::Int16 => keyed::<Int16Type>(keys, values),
        DataType::Int32 => keyed::<Int32Type>(keys, values),
        DataType::Int64 => keyed::<Int64Type>(keys, values),
        DataType::UInt8 => keyed::<UInt8Type>(keys, values),
        DataType::UInt16 => keyed::<UInt16Type>(keys, values),
        DataType::UInt32 => keyed::<UInt32Type>(keys, values),
        DataType::UInt64 => keyed::<UInt64Type>(keys, values),
        _ => None,
    }
}

fn keyed<K: ArrowDictionaryKeyType>(keys: &[Option<i32>], values: &ArrayRef) -> Option<ArrayRef>
where
    K::Native: TryFrom<i32>,
{
    let key =
        |key: &Option<i32>| key.map(|key| K::Native::try_from(key).ok()).map_or(Some(None), |k| k.map(Some));
    let keys: PrimitiveArray<K> = keys.iter().map(key).collect::<Option<_>>()?;
    Some(Arc::new(DictionaryArray::try_new(keys, values.clone()).ok()?))
}

fn array<T: ArrowPrimitiveType>(
    texts: &[&str],
    kind: &DataType,
    read: impl Fn(&str) -> Option<T::Native>,
) -> Option<ArrayRef> {
    let values: Vec<T::Native> = texts.iter().map(|text| read(text)).collect::<Option<_>>()?;
    Some(Arc::new(PrimitiveArray::<T>::new(values.into(), None).with_data_type(kind.clone())))
}

fn parsed<T: ArrowPrimitiveType>(texts: &[&str], kind: &DataType) -> Option<ArrayRef>
where
    T::Native: FromStr,
{
    array::<T>(texts, kind, |text| text.parse().ok())
}

/// A decimal in units of its last place.
fn units(text: &str, scale: i8) -> Option<String> {
    let places = usize::from(scale.unsigned_abs());
    if scale > 0 {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        return (fraction.len() <= places).then(|| format!("{whole}{fraction:0<places$}"));
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|digit| digit == b'0') {
        return Some("0".to_owned());
    }
    let (rest, zeros) = text.split_at_checked(text.len().checked_sub(places)?)?;
    zeros.bytes().all(|digit| digit == b'0').then(|| rest.to_owned())
}

fn day(text: &str) -> Option<i32> {
    let epoch = NaiveDate::default();
    text.parse::<NaiveDate>().ok()?.num_days_from_ce().checked_sub(epoch.num_days_from_ce())
}

fn time(text: &str, unit: TimeUnit) -> Option<i64> {
    let time: NaiveTime = text.parse().ok()?;
    in_units(time.num_seconds_from_midnight().into(), time.nanosecond(), unit)
}

/// Moments of a zone end in their distance from universal time, or in Z.
fn moment(text: &str, unit: TimeUnit, zoned: bool) -> Option<i64> {
    let (local, offset) = match (zoned, text.strip_suffix('Z')) {
        (false, _) => (text, FixedOffset::east_opt(0)?),
        (true, Some(local)) => (local, FixedOffset::east_opt(0)?),
        (true, None) => {
            let (local, offset) = text.split_at_checked(text.len().checked_sub("+00:00".len())?)?;
            (local, offset.parse().ok()?)
        }
    };
    let moment = local.parse::<NaiveDateTime>().ok()?.checked_sub_offset(offset)?.and_utc();
    in_units(moment.timestamp(), moment.timestamp_subsec_nanos(), unit)
}

/// Seconds and nanoseconds in a unit that holds them exactly.
fn in_units(seconds: i64, nanos: u32, unit: TimeUnit) -> Option<i64> {
    let second: u32 = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let finest = 1_000_000_000 / second;
    let exact = nanos.is_multiple_of(finest);
    let total = i128::from(seconds) * i128::from(second) + i128::from(nanos / finest);
    total.try_into().ok().filter(|_| exact)
}

fn intervals(texts: &[&str], kind: &DataType, unit: IntervalUnit) -> Option<ArrayRef> {
    match unit {
        IntervalUnit::YearMonth => array::<IntervalYearMonthType>(texts, kind, |text| {
            let [months, 0, 0] = amounts(text)? else { return None };
            months.try_into().ok()
        }),
        IntervalUnit::DayTime => array::<IntervalDayTimeType>(texts, kind, |text| {
            let [0, days, nanos] = amounts(text)? else { return None };
            let exact = nanos % 1_000_000 == 0;
            let milliseconds = (nanos / 1_000_000).try_into().ok().filter(|_| exact)?;
            Some(IntervalDayTimeType::make_value(days.try_into().ok()?, milliseconds))
        }),
        IntervalUnit::MonthDayNano => array::<IntervalMonthDayNanoType>(texts, kind, |text| {
            let [months, days, nanos] = amounts(text)?;
            let (months, days) = (months.try_into().ok()?, days.try_into().ok()?);
            Some(IntervalMonthDayNanoType::make_value(months, days, nanos.try_into().ok()?))
        }),
    }
}

/// Months, days and nanoseconds of an interval in words: `1 years 2 mons`, `3 days 1 hours -0.500 secs`.
fn amounts(text: &str) -> Option<[i128; 3]> {
    const SECOND: i128 = 1_000_000_000;
    let mut sums = [0; 3];
    let words: Vec<&str> = text.split(' ').collect();
    for pair in words.chunks(2) {
        let &[amount, unit] = pair else { return None };
        let (part, unit) = match unit {
            "years" => (0, 12),
            "mons" => (0, 1),
            "days" => (1, 1),
            "hours" => (2, 3600 * SECOND),
            "mins" => (2, 60 * SECOND),
            "secs" => {
                let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
                let nanos: i128 = format!("{whole}{fraction:0<9}").parse().ok()?;
                sums[2] += nanos;
                continue;
            }
            _ => return None,
        };
        sums[part] += i128::from(amount.parse::<i64>().ok()?) * unit;
    }
    Some(sums)
}
