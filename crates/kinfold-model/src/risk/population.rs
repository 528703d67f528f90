//! What a sample tells of the population it was drawn from. All of these are estimates by a model, never
//! counts. A model that has no answer says so; it never answers with a guess.
//!
//! Notation: the sample has n people in u classes, s₁ of them of one person; the population has N people;
//! π = n / N is the sampling fraction.

use super::classes::{AtRisk, Classes, highest_risk};
use super::gamma::{digamma, ln_gamma};
use serde::Serialize;

/// How population uniques are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The Ewens–Pitman sampling formula, fitted by maximum likelihood (Hoshino 2001).
    Pitman,
    /// The sample's own class sizes as those of the population (Zayatz 1991).
    Zayatz,
    /// Shifted negative binomial class sizes (Chen and Keller-McNulty 1998).
    Snb,
}

impl Method {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pitman => "Pitman",
            Self::Zayatz => "Zayatz",
            Self::Snb => "SNB",
        }
    }
}

/// An estimate of how many people are unique in the population, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The model.
    pub method: Method,
    /// People of the population whom nobody equals.
    pub uniques: Option<f64>,
    /// The same as a share of the population.
    pub share: Option<f64>,
    /// Why the model has no answer.
    pub no_answer: Option<&'static str>,
}

/// Estimates of population uniques by every model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PopulationUniques {
    /// People of the population.
    pub population: f64,
    /// People of the sample over people of the population.
    pub sampling_fraction: f64,
    /// What every model says.
    pub estimates: Vec<Estimate>,
    /// The model that the rule of Dankar et al. (2012) chooses, if one has an answer: Pitman up to a sampling
    /// fraction of 0.1, else the lower one of Zayatz and SNB.
    pub chosen: Option<Method>,
}

impl PopulationUniques {
    /// The estimate of a model.
    pub fn by(&self, method: Method) -> Option<&Estimate> {
        self.estimates.iter().find(|estimate| estimate.method == method)
    }

    /// The estimate that the decision rule chooses.
    pub fn decided(&self) -> Option<&Estimate> {
        self.by(self.chosen?)
    }
}

/// The sampling fraction up to which the rule takes Pitman's model.
const SMALL_SAMPLE: f64 = 0.1;

/// Estimates how many people of a population of this size are unique in it.
pub fn population_uniques(classes: &Classes, population: f64) -> PopulationUniques {
    let fraction = (classes.people() as f64 / population).min(1.0);
    let estimate = |method: Method| {
        let answer = match method {
            _ if classes.of_size(1) == 0 => Ok(0.0),
            Method::Pitman => pitman(classes, population),
            Method::Zayatz => Ok(zayatz(classes, population)),
            Method::Snb => snb(classes, population),
        };
        let answer = answer.and_then(|uniques| {
            let possible = uniques.is_finite() && (0.0..=population).contains(&uniques);
            if possible { Ok(uniques) } else { Err(OUT_OF_RANGE) }
        });
        let uniques = answer.ok();
        Estimate { method, uniques, share: uniques.map(|u| u / population), no_answer: answer.err() }
    };
    let estimates: Vec<Estimate> = [Method::Pitman, Method::Zayatz, Method::Snb].map(estimate).into();
    let mut found = PopulationUniques { population, sampling_fraction: fraction, estimates, chosen: None };
    let answered = |method: &Method| Some((found.by(*method)?.uniques?, *method));
    let chosen = match fraction <= SMALL_SAMPLE {
        true => [Method::Pitman, Method::Zayatz].iter().find_map(answered),
        false => {
            let both = [Method::Zayatz, Method::Snb].iter().filter_map(answered);
            both.reduce(|one, other| if other.0 < one.0 { other } else { one })
        }
    };
    found.chosen = chosen.map(|(_, method)| method);
    found
}

const ALL_UNIQUE: &str = "everybody in the sample is unique: the model has no largest likelihood";
const ONE_CLASS: &str = "the sample is one class: the model cannot be fitted";
const AT_THE_EDGE: &str = "the likelihood is largest at the edge of the model";
const NOT_EXPLAINED: &str = "no parameters of the model explain the classes of the sample";
const OUT_OF_RANGE: &str = "the model answers with an impossible number";

/// Steps of a bisection: each halves the bracket, and a double has 53 digits.
const HALVINGS: usize = 100;

/// Where a function that falls from positive to negative between two points crosses 0.
fn crossing(mut positive: f64, mut negative: f64, value: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = (positive + negative) / 2.0;
        *(if value(middle) > 0.0 { &mut positive } else { &mut negative }) = middle;
    }
    (positive + negative) / 2.0
}

/// Pitman: θ and α of largest likelihood; N^α Γ(θ + 1) / Γ(θ + α) people are unique.
///
/// The likelihood is largest where its derivatives are 0:
/// Σ_{i<u} 1/(θ + iα) = Σ_{i<n} 1/(θ + i), and Σ_{i<u} i/(θ + iα) = Σ_classes Σ_{i<size} 1/(i − α).
/// For every α one θ > −α solves the first, as its left side is larger near −α and smaller far away; the
/// second is then crossed once as α grows.
fn pitman(classes: &Classes, population: f64) -> Result<f64, &'static str> {
    let (n, u) = (classes.people() as f64, classes.count() as f64);
    if classes.count() < 2 {
        return Err(ONE_CLASS);
    }
    if classes.count() == classes.people() {
        return Err(ALL_UNIQUE);
    }
    let over_classes =
        |theta: f64, alpha: f64| (digamma(theta / alpha + u) - digamma(theta / alpha + 1.0)) / alpha;
    let theta_of = |alpha: f64| {
        let slope = |theta: f64| over_classes(theta, alpha) - (digamma(n + theta) - digamma(theta + 1.0));
        let nearest = -alpha * (1.0 - 1e-12);
        let mut far = 1.0;
        while slope(far) > 0.0 && far < 1e18 {
            far *= 2.0;
        }
        (slope(far) <= 0.0).then(|| crossing(nearest, far, slope))
    };
    let slope = |alpha: f64| -> Option<f64> {
        let theta = theta_of(alpha)?;
        let classes_part = ((u - 1.0) - theta * over_classes(theta, alpha)) / alpha;
        let start = digamma(1.0 - alpha);
        let sizes_part: f64 =
            classes.sizes().map(|c| c.classes as f64 * (digamma(c.size as f64 - alpha) - start)).sum();
        Some(classes_part - sizes_part)
    };
    let (least, most) = (1e-4, 1.0 - 1e-9);
    match (slope(least), slope(most)) {
        (Some(low), Some(high)) if low > 0.0 && high < 0.0 => {}
        _ => return Err(AT_THE_EDGE),
    }
    let alpha = crossing(least, most, |alpha| slope(alpha).unwrap_or(f64::NAN));
    let theta = theta_of(alpha).ok_or(AT_THE_EDGE)?;
    Ok((ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + alpha * population.ln()).exp())
}

/// Classes larger than this are so unlikely to show one person only that they do not count.
const LARGEST_CLASS: u64 = 10_000_000;

/// Zayatz: the chance that a sample unique is a population unique, if the population's class sizes are spread
/// as the sample's are, by Bayes' rule; then s₁ times it, over π.
fn zayatz(classes: &Classes, population: f64) -> f64 {
    let n = classes.people() as f64;
    let whole = population.round();
    // Of a class of size k, just one is sampled: k · n/N · Π_{i<k−1} (N − n − i) / (N − 1 − i).
    let (mut product, mut reached) = (1.0f64, 1u64);
    let mut one_seen = 0.0;
    for class in classes.sizes().take_while(|class| class.size <= LARGEST_CLASS) {
        while reached < class.size && product > 0.0 {
            let i = (reached - 1) as f64;
            product *= ((whole - n - i) / (whole - 1.0 - i)).max(0.0);
            reached += 1;
        }
        one_seen += class.classes as f64 * class.size as f64 * product;
    }
    let singles = classes.of_size(1) as f64;
    singles * (singles / one_seen) * population / n
}

/// SNB: a class of the population holds 1 + X people, X negative binomial with mean μ and shape α. With
/// K = N / (1 + μ) classes and Bernoulli sampling, u and s₁ have the expectations
/// K (1 − (1 − π) g) and K π g (1 + (1 − π) μ / (1 + πμ/α)), where g = (1 + πμ/α)^−α.
/// For every α one μ gives u, as u falls with μ; s₁ then falls with α. K (1 + μ/α)^−α people are unique.
fn snb(classes: &Classes, population: f64) -> Result<f64, &'static str> {
    let (n, u, singles) = (classes.people() as f64, classes.count() as f64, classes.of_size(1) as f64);
    if classes.count() == classes.people() {
        return Err(ALL_UNIQUE);
    }
    let pi = (n / population).min(1.0);
    let power = |mean: f64, alpha: f64| (-alpha * (mean / alpha).ln_1p()).exp();
    let mean_of = |alpha: f64| {
        let surplus =
            |mean: f64| population * (1.0 - (1.0 - pi) * power(pi * mean, alpha)) / (1.0 + mean) - u;
        let mut far = 1.0;
        while surplus(far) > 0.0 && far < 1e18 {
            far *= 2.0;
        }
        crossing(0.0, far, surplus)
    };
    let surplus = |alpha: f64| {
        let mean = mean_of(alpha);
        let sampled = pi * power(pi * mean, alpha) * (1.0 + (1.0 - pi) * mean / (1.0 + pi * mean / alpha));
        population / (1.0 + mean) * sampled - singles
    };
    let (least, most) = (1e-9, 1e6);
    if surplus(least) <= 0.0 || surplus(most) >= 0.0 {
        return Err(NOT_EXPLAINED);
    }
    // Both ends are of unlike magnitude: by the logarithm.
    let alpha = crossing(least.ln(), most.ln(), |x: f64| surplus(x.exp())).exp();
    let mean = mean_of(alpha);
    Ok(population / (1.0 + mean) * power(mean, alpha))
}

/// The risk against an attacker who knows who is in the population, but not who is in the sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Journalist {
    /// Whether it was counted in a population table; else it is an estimate.
    pub counted: bool,
    /// The highest risk of anybody.
    pub highest: f64,
    /// The mean risk of everybody: what a marketer finds.
    pub average: f64,
    /// People above thresholds.
    pub above: Vec<AtRisk>,
    /// The fewest people of the population that fit a class (k of a k-map), as counted or as expected.
    pub k_map: f64,
    /// People of classes that nobody in the population fits: the table is not the population's.
    pub without_match: u64,
}

/// Counted: for every class, its people in the sample and those of the population that fit it.
pub fn journalist_by_population(classes: &[(u64, u64)], thresholds: &[f64]) -> Journalist {
    let people: u64 = classes.iter().map(|&(sample, _)| sample).sum();
    // Who fits nobody counts as sure to be found: at least oneself should fit.
    let risk = |population: u64| 1.0 / population.max(1) as f64;
    let present = || classes.iter().filter(|&&(sample, _)| sample > 0);
    let above = |&threshold: &f64| {
        let highest = highest_risk(threshold);
        let risky = present().filter(|&&(_, fit)| risk(fit) > highest).map(|&(sample, _)| sample).sum();
        AtRisk { threshold, people: risky, share: risky as f64 / people.max(1) as f64 }
    };
    Journalist {
        counted: true,
        highest: present().map(|&(_, fit)| risk(fit)).fold(0.0, f64::max),
        average: present().map(|&(sample, fit)| sample as f64 * risk(fit)).sum::<f64>()
            / people.max(1) as f64,
        above: thresholds.iter().map(above).collect(),
        k_map: present().map(|&(_, fit)| fit).min().unwrap_or(0) as f64,
        without_match: present().filter(|&&(_, fit)| fit == 0).map(|&(sample, _)| sample).sum(),
    }
}

/// Estimated: the population's class of a sample class of f people has F people, of which f were sampled with
/// chance π each, so F given f is negative binomial; the risk is the expectation of 1 / F (Benedetti and
/// Franconi 1998).
pub fn journalist_by_estimate(classes: &Classes, fraction: f64, thresholds: &[f64]) -> Journalist {
    let people = classes.people().max(1) as f64;
    let risks: Vec<(u64, f64)> =
        classes.sizes().map(|class| (class.size, expected_inverse(class.size, fraction))).collect();
    let risk =
        |size: u64| risks.binary_search_by_key(&size, |&(known, _)| known).map_or(0.0, |at| risks[at].1);
    let weighed = classes.sizes().map(|class| class.classes as f64 * class.size as f64 * risk(class.size));
    Journalist {
        counted: false,
        highest: risks.first().map_or(0.0, |&(_, risk)| risk),
        average: weighed.sum::<f64>() / people,
        above: thresholds.iter().map(|&threshold| classes.above_by(threshold, risk)).collect(),
        k_map: classes.smallest() as f64 / fraction,
        without_match: 0,
    }
}

/// E[1 / F] where F − f is the number of failures before the f-th success of chance π:
/// π ∫₀¹ w^(f−1) / (π + (1 − π) w) dw.
pub(crate) fn expected_inverse(f: u64, pi: f64) -> f64 {
    let q = 1.0 - pi;
    if q <= 0.0 {
        return 1.0 / f as f64;
    }
    if q <= 0.5 {
        // Σ_j q^j B(f, j + 1), whose terms shrink by more than half each.
        let (mut term, mut sum) = (1.0 / f as f64, 0.0);
        for j in 1..200 {
            sum += term;
            term *= q * f64::from(j) / (f as f64 + f64::from(j));
        }
        return pi * sum;
    }
    if f as f64 * pi > 1e4 || f > 1_000_000 {
        return pi / f as f64;
    }
    // I₁ = −ln π / q, and q I_(f+1) = 1/f − π I_f, which dampens errors as π < q.
    let mut integral = -pi.ln() / q;
    for step in 1..f {
        integral = (1.0 / step as f64 - pi * integral) / q;
    }
    pi * integral
}

#[cfg(test)]
mod tests;
