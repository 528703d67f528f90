//! Whom to look at around a record. Costs between records obey the triangle inequality in every column, so
//! who is near a record is about as far from any third one. A few records are landmarks: what lies between
//! them and everybody is known, and only those come into question whose ways to all landmarks are like the
//! record's own.

/// So many records are compared with all others first.
const LANDMARKS: usize = 6;

pub(super) struct Landmarks {
    /// For every record what lies between it and each landmark.
    ways: Vec<[u64; LANDMARKS]>,
    /// For every landmark the way to each record, and the record's place in the order, the nearest first.
    around: Vec<Vec<(u64, u32)>>,
    /// The records in question.
    order: Vec<u32>,
}

impl Landmarks {
    /// `order`: those who can be looked for, out of so many `records`; `apart`: what lies between a record
    /// and these.
    pub(super) fn new(order: &[u32], records: usize, apart: impl Fn(u32, &[u32]) -> Vec<u64>) -> Self {
        let all: Vec<u32> = (0..records as u32).collect();
        let mut ways = vec![[0; LANDMARKS]; records];
        let mut around = Vec::new();
        let mut nearest = vec![u64::MAX; records];
        // Each landmark is the record farthest from those before it.
        let mut landmark = 0;
        for number in 0..LANDMARKS {
            for ((way, nearest), apart) in ways.iter_mut().zip(&mut nearest).zip(apart(landmark, &all)) {
                way[number] = apart;
                *nearest = apart.min(*nearest);
            }
            let way = |(&record, place): (&u32, u32)| (ways[record as usize][number], place);
            let mut near: Vec<(u64, u32)> = order.iter().zip(0..).map(way).collect();
            near.sort_unstable();
            around.push(near);
            landmark =
                all.iter().copied().max_by_key(|&r| (nearest[r as usize], std::cmp::Reverse(r))).unwrap_or(0);
        }
        Self { ways, around, order: order.to_vec() }
    }

    /// The places in the order of all who can be closer to a record than this, and how many were looked at.
    /// The landmark that leaves fewest in question says whom to look at.
    pub(super) fn near(&self, record: u32, closer: u64) -> (Vec<u32>, u64) {
        let marks = &self.ways[record as usize];
        let window = |(around, &mark): (&Vec<(u64, u32)>, &u64)| {
            let from = around.partition_point(|&(way, _)| way + closer <= mark);
            from..around.partition_point(|&(way, _)| way < mark + closer)
        };
        let windows = self.around.iter().zip(marks).map(window).zip(&self.around);
        let Some((window, around)) = windows.min_by_key(|(window, _)| window.len()) else {
            return (Vec::new(), 0);
        };
        let looked_at = window.len() as u64;
        let like = |place: &u32| {
            let ways = &self.ways[self.order[*place as usize] as usize];
            marks.iter().zip(ways).all(|(a, b)| a.abs_diff(*b) < closer)
        };
        (around[window].iter().map(|&(_, place)| place).filter(like).collect(), looked_at)
    }
}
