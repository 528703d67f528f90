//! Numbers as people read them.

use kinfold_model::Unit;

/// 1234567 → 1,234,567.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share of the whole.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p == 0.0 || p == 100.0 => format!("{p:.0} %"),
        p if p < 0.1 => "< 0.1 %".into(),
        p => format!("{p:.1} %"),
    }
}

/// A share that is promised not to be exceeded: never rounded down.
pub fn percent_at_most(share: f64) -> String {
    let digits = if share < 0.001 { 3 } else { 1 };
    let scale = 10f64.powi(digits);
    // A share such as 0.058 is not exact in binary: what it exceeds itself by is not rounded up.
    format!("{:.*} %", digits as usize, (share * 100.0 * scale - 1e-9).ceil() / scale)
}

/// A number that is promised not to be exceeded: four places, never rounded down.
pub(crate) fn at_most(number: f64) -> String {
    if number >= 100.0 {
        // Four places of a number this large say nothing.
        let unit = 10f64.powi(number.log10().floor() as i32 - 2);
        return trimmed(format!("{:.1}", (number / unit - 1e-9).ceil() * unit));
    }
    // A number such as 0.058 is not exact in binary: what it exceeds itself by is not rounded up.
    four_places((number * 1e4 - 1e-7).ceil())
}

/// A number that is promised to be reached: four places, never rounded up.
pub(crate) fn at_least(number: f64) -> String {
    four_places((number * 1e4 + 1e-7).floor())
}

fn four_places(ten_thousandths: f64) -> String {
    // Adding 0 makes a positive zero of a negative one.
    trimmed(format!("{:.4}", ten_thousandths / 1e4 + 0.0))
}

/// A number with so many digits that mean something, and no more than twice as many places.
pub(crate) fn significant(number: f64, digits: i32) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let places = (digits - 1 - number.abs().log10().floor() as i32).clamp(0, 2 * digits) as usize;
    trimmed(format!("{number:.places$}"))
}

/// The number without zeros at its end.
pub(crate) fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// "4", "4 to 7".
pub fn span(low: u64, high: u64) -> String {
    if low == high { thousands(low) } else { format!("{} to {}", thousands(low), thousands(high)) }
}

/// A time, in the unit that suits it.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.9995 => format!("{:.0} ms", s * 1000.0),
        s if s < 60.0 => format!("{s:.1} s"),
        s => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), s % 60.0),
    }
}

/// A number of what k counts: "1 row", "2 people".
pub fn sized(number: u64, unit: Unit) -> String {
    format!("{} {}", thousands(number), unit.noun(number))
}

/// "1 row", "2 rows".
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number as u64), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::{percent, percent_at_most};

    #[test]
    fn percentages_are_rounded_to_the_nearest_and_promises_up() {
        let shown = [0.0, 1e-9, 0.0581, 1.0 / 3.0, 0.5, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "< 0.1 %", "5.8 %", "33.3 %", "50.0 %", "100 %"]);
        let most = [1e-9, 0.0004, 0.058, 0.0581, 1.0 / 3.0].map(percent_at_most);
        assert_eq!(most, ["0.001 %", "0.040 %", "5.8 %", "5.9 %", "33.4 %"]);
    }
}
