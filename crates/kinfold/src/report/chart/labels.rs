//! Where the names of dots go: beside them, and up or down until none hides another.

/// A place in the picture, in pixels from its upper left corner.
pub type Spot = (f64, f64);

/// Upper left and lower right corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area(pub Spot, pub Spot);

impl Area {
    fn meets(self, other: Self) -> bool {
        self.0.0 < other.1.0 && other.0.0 < self.1.0 && self.0.1 < other.1.1 && other.0.1 < self.1.1
    }

    fn holds(self, other: Self) -> bool {
        self.0.0 <= other.0.0 && self.0.1 <= other.0.1 && self.1.0 >= other.1.0 && self.1.1 >= other.1.1
    }
}

/// A name's place: half its height above and below this spot, and to the side that is said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Label {
    pub at: Spot,
    pub side: Side,
}

/// Where a name stands, seen from its dot. Earlier ones are preferred.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    Right,
    Left,
    /// Above or below, in the middle.
    Over,
}

/// A letter's width, generously: the font is the reader's.
const LETTER: f64 = 7.2;
const HEIGHT: f64 = 15.0;
/// From the middle of a dot to its edge, and to its name.
const DOT: f64 = 5.0;
const GAP: f64 = 9.0;
const STEP: f64 = 5.0;
const STEPS: i32 = 30;

impl Label {
    fn beside((x, y): Spot, side: Side, nudge: f64) -> Self {
        let x = match side {
            Side::Right => x + GAP,
            Side::Left => x - GAP,
            Side::Over => x,
        };
        Self { at: (x, y + nudge), side }
    }

    fn area(self, letters: usize) -> Area {
        let ((x, y), width) = (self.at, letters as f64 * LETTER);
        let left = match self.side {
            Side::Right => x,
            Side::Left => x - width,
            Side::Over => x - width / 2.0,
        };
        Area((left, y - HEIGHT / 2.0), (left + width, y + HEIGHT / 2.0))
    }
}

/// Places names one after the other, the first ones best. `line` is a stepped line that they should not lie
/// on.
pub fn place<N: AsRef<str>>(dots: &[(Spot, N)], frame: Area, line: &[Spot]) -> Vec<Label> {
    let mut taken: Vec<Area> = Vec::new();
    let mut labels = Vec::new();
    for (dot, name) in dots {
        let (dot, letters) = (*dot, name.as_ref().chars().count());
        let trouble = |label: &Label| {
            let area = label.area(letters);
            let hidden = taken.iter().filter(|a| a.meets(area)).count() + usize::from(!frame.holds(area));
            let hit = dots.iter().filter(|(d, _)| around(*d, DOT).meets(area)).count();
            // Close to another dot, a name is taken for that one's.
            let astray = dots.iter().filter(|(d, _)| *d != dot && around(*d, GAP).meets(area)).count();
            let crossed = line.windows(2).filter(|ends| stroke(ends[0], ends[1]).meets(area)).count();
            let far = (label.at.1 - dot.1).abs() + f64::from(label.side as u8);
            hidden as f64 * 1e4 + hit as f64 * 1e3 + crossed as f64 * 60.0 + astray as f64 * 20.0 + far
        };
        let nudges = (0..=STEPS).flat_map(|n| [f64::from(n) * STEP, f64::from(-n) * STEP]);
        let sides = |nudge| [Side::Right, Side::Left, Side::Over].map(|s| Label::beside(dot, s, nudge));
        let best = nudges.flat_map(sides).min_by(|a, b| trouble(a).total_cmp(&trouble(b)));
        let best = best.unwrap_or(Label::beside(dot, Side::Right, 0.0));
        taken.push(best.area(letters));
        labels.push(best);
    }
    labels
}

fn around((x, y): Spot, reach: f64) -> Area {
    Area((x - reach, y - reach), (x + reach, y + reach))
}

fn stroke(a: Spot, b: Spot) -> Area {
    Area((a.0.min(b.0) - 1.0, a.1.min(b.1) - 1.0), (a.0.max(b.0) + 1.0, a.1.max(b.1) + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Area = Area((0.0, 0.0), (400.0, 300.0));

    #[test]
    fn a_name_stands_beside_its_dot() {
        let labels = place(&[((100.0, 100.0), "one"), ((390.0, 200.0), "other")], FRAME, &[]);
        assert_eq!(labels[0], Label { at: (109.0, 100.0), side: Side::Right });
        assert_eq!(
            labels[1],
            Label { at: (381.0, 200.0), side: Side::Left },
            "there is no room on the right"
        );
    }

    #[test]
    fn no_name_hides_another_or_a_dot() {
        let spots = (0..12).map(|i| (150.0 + f64::from(i % 4), 150.0 + f64::from(i)));
        let dots: Vec<(Spot, &str)> = spots.map(|spot| (spot, "greedy-search")).collect();
        let areas: Vec<Area> = place(&dots, FRAME, &[]).iter().map(|l| l.area(13)).collect();
        for (i, &area) in areas.iter().enumerate() {
            assert!(FRAME.holds(area), "{area:?}");
            assert!(areas[..i].iter().all(|a| !a.meets(area)), "{area:?}");
        }
    }

    #[test]
    fn a_name_keeps_off_the_line() {
        let line = [(100.0, 100.0), (300.0, 100.0)];
        let label = place(&[((100.0, 100.0), "one")], FRAME, &line)[0];
        assert_eq!(label.side, Side::Left);
    }
}
