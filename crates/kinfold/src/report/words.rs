//! Numbers as people read them.

use kinfold_model::unit::Unit;

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
