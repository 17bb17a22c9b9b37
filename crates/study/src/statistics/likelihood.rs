//! Maximum likelihood of a normal distribution of y = ln(capacity) from exact and censored observations.
//!
//! With τ = 1/σ and γ = μ/σ an observation contributes
//!
//! ```text
//! capacity y exactly           ln τ + ln φ(τy - γ)
//! capacity at most y           ln Φ(τy - γ)
//! capacity more than y         ln Φ(γ - τy)
//! capacity from y₁ to y₂       ln [Φ(τy₂ - γ) - Φ(τy₁ - γ)]
//! ```
//!
//! all concave in (γ, τ) (Burridge 1981, Pratt 1981): Newton's method with step control finds the one maximum. A run that
//! collapses at an intensity says "capacity at most y", one that stands says "more than y": the probit regression of a
//! multiple stripe analysis is the case with only those two.

use super::normal::{log_cdf, log_cdf_slope, log_pdf};

/// What is known of the capacity of `weight` records or runs, in terms of intensity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    pub(super) weight: f64,
    pub(super) capacity: Known,
}

/// What is known of a capacity.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    Exactly(f64),
    AtMost(f64),
    MoreThan(f64),
    Between(f64, f64),
}

impl Known {
    /// The same with `map` applied to its numbers.
    pub(super) fn map(self, map: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Exactly(y) => Self::Exactly(map(y)),
            Self::AtMost(y) => Self::AtMost(map(y)),
            Self::MoreThan(y) => Self::MoreThan(map(y)),
            Self::Between(low, high) => Self::Between(map(low), map(high)),
        }
    }
}

/// Value, gradient and negative second derivatives of the log-likelihood with respect to γ and τ.
#[derive(Clone, Copy, Debug, Default)]
struct Local {
    value: f64,
    gradient: [f64; 2],
    /// Entries γγ, γτ, ττ of a positive semidefinite matrix.
    information: [f64; 3],
}

impl Local {
    /// Adds `weight` f(z) with z = τy - γ, given f, f' and f''.
    fn add(&mut self, weight: f64, y: f64, [value, slope, curvature]: [f64; 3]) {
        self.value += weight * value;
        self.gradient[0] -= weight * slope;
        self.gradient[1] += weight * slope * y;
        self.information[0] -= weight * curvature;
        self.information[1] += weight * curvature * y;
        self.information[2] -= weight * curvature * y * y;
    }
}

/// The maximum of the log-likelihood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Maximum {
    pub(super) gamma: f64,
    pub(super) tau: f64,
    pub(super) value: f64,
    /// Derivatives with respect to γ and τ.
    pub(super) gradient: [f64; 2],
    /// Negative second derivatives γγ, γτ, ττ.
    information: [f64; 3],
    /// Newton decrement: the distance to the maximum in standard errors, which no change of variables changes.
    pub(super) residual: f64,
    pub(super) iterations: usize,
}

/// Newton decrement up to which a maximum counts as found; rounding leaves about 1e-15.
const TOLERANCE: f64 = 1e-9;
/// Newton decrement from which full steps converge quadratically, and differences of values drown in rounding.
const QUADRATIC: f64 = 1e-4;
const MAX_ITERATIONS: usize = 200;

/// Maximises the log-likelihood of observations of y, which should be centred and scaled to about one. Nothing if the
/// iteration did not converge; the caller has made sure that a finite maximum exists.
pub(super) fn maximise(observations: &[Observation]) -> Option<Maximum> {
    let mut point = [0.0, 1.0];
    let mut local = evaluate(observations, point)?;
    let mut best: Option<Maximum> = None;
    for iterations in 0..MAX_ITERATIONS {
        let step = newton_step(&local)?;
        let rise = local.gradient[0] * step[0] + local.gradient[1] * step[1];
        let residual = libm::sqrt(rise.max(0.0));
        // Each full step squares the distance; once it no longer falls, rounding is all that is left.
        if best.is_some_and(|best| best.residual <= TOLERANCE && residual >= 0.25 * best.residual) {
            break;
        }
        best = Some(Maximum {
            gamma: point[0],
            tau: point[1],
            value: local.value,
            gradient: local.gradient,
            information: local.information,
            residual,
            iterations,
        });
        if residual == 0.0 {
            break;
        }
        let mut length = 1.0;
        loop {
            let next = [point[0] + length * step[0], point[1] + length * step[1]];
            let found = evaluate(observations, next)
                .filter(|found| residual < QUADRATIC || found.value >= local.value + 1e-4 * length * rise);
            if let Some(found) = found {
                (point, local) = (next, found);
                break;
            }
            length *= 0.5;
            if length < 1e-15 {
                return None;
            }
        }
    }
    best.filter(|best| best.residual <= TOLERANCE)
}

/// The Newton step; where the information is singular to rounding, with a multiple of its diagonal added.
fn newton_step(local: &Local) -> Option<[f64; 2]> {
    let [g0, g1] = local.gradient;
    let [aa, ab, bb] = local.information;
    let mut ridge = 0.0;
    while ridge < 1.0 {
        let (a, b) = (aa * (1.0 + ridge), bb * (1.0 + ridge));
        let determinant = a * b - ab * ab;
        if determinant > 1e-14 * a * b {
            let step = [(b * g0 - ab * g1) / determinant, (a * g1 - ab * g0) / determinant];
            if step.iter().all(|s| s.is_finite()) {
                return Some(step);
            }
        }
        ridge = if ridge == 0.0 { 1e-12 } else { ridge * 10.0 };
    }
    None
}

fn evaluate(observations: &[Observation], [gamma, tau]: [f64; 2]) -> Option<Local> {
    let mut local = Local::default();
    for &Observation { weight, capacity } in observations {
        match capacity {
            Known::AtMost(y) => local.add(weight, y, at_most(tau * y - gamma)),
            Known::MoreThan(y) => {
                let [value, slope, curvature] = at_most(gamma - tau * y);
                local.add(weight, y, [value, -slope, curvature]);
            }
            Known::Exactly(y) => {
                let z = tau * y - gamma;
                local.add(weight, y, [log_pdf(z), -z, -1.0]);
                local.value += weight * libm::log(tau);
                local.gradient[1] += weight / tau;
                local.information[2] += weight / (tau * tau);
            }
            Known::Between(low, high) => add_between(&mut local, weight, [low, high], [gamma, tau]),
        }
    }
    let numbers = [local.value, local.gradient[0], local.gradient[1]];
    let finite = numbers
        .iter()
        .chain(&local.information)
        .all(|number| number.is_finite());
    // ln τ of a negative τ is NaN and refused here; τ = 0 is infinite.
    finite.then_some(local)
}

/// ln Φ(z) and its two derivatives.
fn at_most(z: f64) -> [f64; 3] {
    let slope = log_cdf_slope(z);
    [log_cdf(z), slope, -slope * (z + slope)]
}

/// Adds ln[Φ(v) - Φ(u)] with u = τ·low - γ and v = τ·high - γ.
fn add_between(local: &mut Local, weight: f64, [low, high]: [f64; 2], [gamma, tau]: [f64; 2]) {
    let (u, v) = (tau * low - gamma, tau * high - gamma);
    let (middle, width) = (0.5 * (low + high), high - low);
    let (m, h) = (tau * middle - gamma, tau * width);
    if h * m.abs().max(1.0) < 0.02 {
        // Φ(v) - Φ(u) = h φ(m) s(m, h): the difference itself would cancel. The next term is below 1e-15.
        let (m2, h2) = (m * m, h * h);
        let (c2, c4) = (h2 / 24.0, h2 * h2 / 1920.0);
        let (p2, p4) = (m2 - 1.0, (m2 - 6.0) * m2 + 3.0);
        let s = 1.0 + c2 * p2 + c4 * p4;
        let s_m = (c2 * 2.0 * m + c4 * (4.0 * m2 - 12.0) * m) / s;
        let s_h = h * (p2 / 12.0 + h2 * p4 / 480.0) / s;
        let s_mm = (c2 * 2.0 + c4 * (12.0 * m2 - 12.0)) / s - s_m * s_m;
        let s_hh = (p2 / 12.0 + h2 * p4 / 160.0) / s - s_h * s_h;
        let s_mh = h * (m / 6.0 + h2 * (4.0 * m2 - 12.0) * m / 480.0) / s - s_m * s_h;
        local.add(weight, middle, [log_pdf(m) + libm::log(h * s), -m + s_m, -1.0 + s_mm]);
        // What remains depends on h = τ·width.
        local.gradient[1] += weight * (1.0 / tau + width * s_h);
        local.information[1] += weight * width * s_mh;
        local.information[2] -= weight * (width * width * s_hh + 2.0 * middle * width * s_mh - 1.0 / (tau * tau));
        return;
    }
    // Differences are taken in the tail that both ends share.
    let (near, far) = if m > 0.0 { (-u, -v) } else { (v, u) };
    let log_near = log_cdf(near);
    let log_difference = log_near + libm::log1p(-libm::exp(log_cdf(far) - log_near));
    let slope_u = libm::exp(log_pdf(u) - log_difference);
    let slope_v = libm::exp(log_pdf(v) - log_difference);
    let (uu, vv, uv) = (slope_u * (u - slope_u), -slope_v * (v + slope_v), slope_u * slope_v);
    local.value += weight * log_difference;
    local.gradient[0] += weight * (slope_u - slope_v);
    local.gradient[1] += weight * (high * slope_v - low * slope_u);
    local.information[0] -= weight * (uu + vv + 2.0 * uv);
    local.information[1] += weight * (low * uu + high * vv + (low + high) * uv);
    local.information[2] -= weight * (low * low * uu + high * high * vv + 2.0 * low * high * uv);
}

/// Information on γ and τ: with centre ȳ, that on γ - τȳ and τ is diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Information {
    pub(super) centre: f64,
    /// On γ - τȳ.
    pub(super) location: f64,
    /// On τ.
    pub(super) slope: f64,
}

impl Maximum {
    /// The information that the observations give: the negative second derivatives.
    pub(super) fn observed_information(&self) -> Information {
        let [location, mixed, slope] = self.information;
        let centre = -mixed / location;
        Information {
            centre,
            location,
            slope: slope - location * centre * centre,
        }
    }

    /// The information that runs are expected to give (Fisher's): each run at y counts φ(z)²/(Φ(z)Φ(-z)), however it
    /// ended. Only for runs, of which it is known in advance at which y they tell at most from more than.
    pub(super) fn expected_information(&self, observations: &[Observation]) -> Information {
        let mut weights = Vec::with_capacity(observations.len());
        for observation in observations {
            if let Known::AtMost(y) | Known::MoreThan(y) = observation.capacity {
                let z = self.tau * y - self.gamma;
                weights.push((observation.weight * log_cdf_slope(z) * log_cdf_slope(-z), y));
            }
        }
        let location: f64 = weights.iter().map(|(weight, _)| weight).sum();
        let centre = weights.iter().map(|(weight, y)| weight * y).sum::<f64>() / location;
        // About the centre: rare collapses put nearly all weight on one intensity, and moments about 0 would cancel.
        let slope = weights
            .iter()
            .map(|(weight, y)| weight * (y - centre) * (y - centre))
            .sum();
        Information {
            centre,
            location,
            slope,
        }
    }
}

/// ln of the number of ways to choose `chosen` of `count`.
pub(super) fn log_binomial(count: usize, chosen: usize) -> f64 {
    let few = chosen.min(count - chosen);
    if few <= 64 {
        // Factorials of large numbers would cancel.
        return (1..=few).map(|k| libm::log((count - few + k) as f64 / k as f64)).sum();
    }
    let log_factorial = |n: usize| libm::lgamma(n as f64 + 1.0);
    log_factorial(count) - log_factorial(chosen) - log_factorial(count - chosen)
}
