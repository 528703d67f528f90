//! Changed copies of a file.

/// Random numbers, the same for the same seed.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Numbers of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        match self.below(3) {
            0 => [0x00, 0x01, 0x7f, 0x80, 0xff, b'"', b'\n', b',', b';', b'-', b'9'][self.below(11)],
            _ => self.below(256) as u8,
        }
    }
}

/// What text readers stumble on.
const WORDS: [&str; 10] =
    ["1e400", "-1e-2147483648", "99999999999999999999", "\"", "\u{feff}", "[[", "= {", "NaN", "\\u{0}", "-0"];

/// A copy with bytes changed, cut out or put in.
pub fn mutant(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    // Half of them have one change only, which is noticed late.
    for _ in 0..1 + random.below(2) * random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, WORDS[random.below(WORDS.len())].bytes())),
            3 => drop(bytes.splice(at..at, bytes[at..end].repeat(1 + random.below(50)))),
            4 => (at..end).for_each(|i| bytes[i] = random.byte()),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = if random.below(2) == 0 { *byte ^ (1 << random.below(8)) } else { random.byte() };
                }
            }
        }
    }
    bytes
}

/// Copies in which one byte has another value, and copies that end early: every `step`th byte in turn.
pub fn single_faults(whole: &[u8], step: usize) -> impl Iterator<Item = Vec<u8>> {
    let changed = (0..whole.len()).step_by(step).flat_map(move |at| {
        [0x00, 0x01, 0x7f, 0x80, 0xff, whole[at] ^ 0x10].map(|value| {
            let mut bytes = whole.to_vec();
            bytes[at] = value;
            bytes
        })
    });
    changed.chain((0..whole.len()).step_by(step * 5).map(|length| whole[..length].to_vec()))
}
