//! Tables around a grouping in which every group holds exactly k people: no largest group is smaller.

use super::{Instance, LABEL};
use kinfold::model::Objective;
use kinfold::toolkit::Random;

/// Labels per group at most.
pub(super) const PIECES: usize = 6;

/// Labels with counts, made by cutting groups of k into up to six pieces.
pub(crate) fn labels(groups: usize, k: u64, random: &mut Random) -> Instance {
    let mut pieces: Vec<(u64, u32)> = Vec::new();
    for group in 0..groups as u32 {
        let most = PIECES.min(usize::try_from(k).unwrap_or(PIECES));
        let mut cuts: Vec<u64> =
            (0..random.below(most)).map(|_| 1 + random.below(k as usize - 1) as u64).collect();
        cuts.extend([0, k]);
        cuts.sort_unstable();
        cuts.dedup();
        pieces.extend(cuts.windows(2).map(|ends| (ends[1] - ends[0], group)));
    }
    random.shuffle(&mut pieces);
    Instance {
        title: format!("{groups} groups of exactly size {k}, cut into {} labels", pieces.len()),
        k,
        objective: Objective::GroupSize,
        columns: vec![("name".to_owned(), LABEL), ("people".to_owned(), "\"count\"")],
        rows: (0..).zip(&pieces).map(|(i, (people, _))| vec![format!("n{i}"), people.to_string()]).collect(),
        optimum: k,
        group_of: pieces.iter().map(|&(_, group)| group).collect(),
    }
}

/// Points in rectangles of exactly k people: the plane is cut by a line again and again, so that a kd-tree
/// with the right lines finds them. All points differ.
pub(crate) fn points(rectangles: usize, k: u64, random: &mut Random) -> Instance {
    let people = rectangles * k as usize;
    // Every coordinate is had once, and a line between any two neighbours parts the points.
    let mut up: Vec<usize> = (0..people).collect();
    random.shuffle(&mut up);
    let mut group_of = vec![0; people];
    let mut open = vec![((0..people).collect::<Vec<usize>>(), rectangles)];
    let mut number = 0;
    while let Some((mut inside, parts)) = open.pop() {
        if parts == 1 {
            inside.iter().for_each(|&point| group_of[point] = number);
            number += 1;
            continue;
        }
        if random.below(2) == 1 {
            inside.sort_unstable_by_key(|&point| up[point]);
        } else {
            inside.sort_unstable();
        }
        let low = 1 + random.below(parts - 1);
        let above = inside.split_off(low * k as usize);
        open.extend([(inside, low), (above, parts - low)]);
    }
    Instance {
        title: format!("{people} points in {rectangles} rectangles of exactly {k}"),
        k,
        objective: Objective::GroupSize,
        columns: vec![("x".to_owned(), ""), ("y".to_owned(), "")],
        rows: up.iter().enumerate().map(|(x, y)| vec![x.to_string(), y.to_string()]).collect(),
        optimum: k,
        group_of,
    }
}
