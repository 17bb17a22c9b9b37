//! Motions of single blocks that are known without time stepping: what the step is measured by.
//!
//! - [`rocking`] integrates Housner's equation of the free rocking of a block on a plane (paper 003, eq. 23),
//!
//! ```text
//! theta'' = -p^2 sin(alpha sgn(theta) - theta),    alpha = atan(b / h),    p^2 = 3 g / (4 R),    R^2 = b^2 + h^2
//! ```
//!
//!   from impact to impact. At an impact the angle passes zero and the angular velocity is multiplied by
//!   `r = (1 + 3 cos 2 alpha) / 4`, by which the angular momentum about the new edge is that before the impact.
//! - [`sliding`] follows a block that slides on a ground with a known velocity, from one change between sliding and sticking
//!   to the next.

/// A block of width 2 b and height 2 h that rocks on a plane without sliding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RockingBlock {
    /// Half of its width (m).
    pub half_width: f64,
    /// Half of its height (m).
    pub half_height: f64,
    /// Gravity (m/s²).
    pub gravity: f64,
}

impl RockingBlock {
    /// Distance of its centre from an edge of its base, R (m).
    pub fn radius(&self) -> f64 {
        self.half_width.hypot(self.half_height)
    }

    /// Its slenderness, alpha (rad): the angle at which it is in balance on an edge.
    pub fn slenderness(&self) -> f64 {
        self.half_width.atan2(self.half_height)
    }

    /// Its frequency parameter, p (1/s).
    pub fn frequency(&self) -> f64 {
        (3.0 * self.gravity / (4.0 * self.radius())).sqrt()
    }

    /// Angular velocity after an impact over that before, by Housner.
    pub fn restitution(&self) -> f64 {
        (1.0 + 3.0 * (2.0 * self.slenderness()).cos()) / 4.0
    }

    /// Potential energy at an angle, over the weight (m).
    pub fn potential(&self, angle: f64) -> f64 {
        let alpha = self.slenderness();
        self.radius() * ((alpha - angle.abs()).cos() - alpha.cos())
    }

    /// Kinetic energy at an angular velocity, over the weight (m).
    pub fn kinetic(&self, angular_velocity: f64) -> f64 {
        2.0 / 3.0 * self.radius().powi(2) * angular_velocity.powi(2) / self.gravity
    }

    fn acceleration(&self, side: f64, angle: f64) -> f64 {
        -self.frequency().powi(2) * (self.slenderness() * side - angle).sin()
    }

    /// One step of the classical Runge-Kutta method on one side of the vertical.
    fn runge_kutta(&self, side: f64, [angle, speed]: [f64; 2], dt: f64) -> [f64; 2] {
        let slope = |[a, w]: [f64; 2]| [w, self.acceleration(side, a)];
        let along = |k: [f64; 2], part: f64| [angle + part * dt * k[0], speed + part * dt * k[1]];
        let k1 = slope([angle, speed]);
        let k2 = slope(along(k1, 0.5));
        let k3 = slope(along(k2, 0.5));
        let k4 = slope(along(k3, 1.0));
        let mean = |i: usize| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
        [angle + dt * mean(0), speed + dt * mean(1)]
    }
}

/// One impact of a rocking block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When (s).
    pub time: f64,
    /// Angular velocity before it (rad/s).
    pub before: f64,
    /// Angular velocity after it (rad/s).
    pub after: f64,
}

/// A rocking motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rocking {
    /// Time (s), angle (rad) and angular velocity (rad/s), at equal intervals.
    pub samples: Vec<[f64; 3]>,
    /// The impacts.
    pub impacts: Vec<Impact>,
}

/// The free rocking of a block from rest at an angle, sampled at `interval` (s) for some duration (s). It ends before that
/// where two impacts fall within one interval: infinitely many follow in a finite time.
pub fn rocking(block: &RockingBlock, angle: f64, duration: f64, interval: f64) -> Rocking {
    let mut motion = Rocking::default();
    let (mut side, mut state) = (angle.signum(), [angle, 0.0]);
    let count = (duration / interval).round() as usize;
    motion.samples.push([0.0, angle, 0.0]);
    for k in 0..count {
        let (mut time, end) = (k as f64 * interval, (k + 1) as f64 * interval);
        let mut impacts_within = 0;
        while time < end {
            let dt = end - time;
            let next = block.runge_kutta(side, state, dt);
            if next[0] * side > 0.0 || state == [0.0, 0.0] {
                state = next;
                break;
            }
            // The step of the length at which the angle passes zero.
            let passes = |s: f64| block.runge_kutta(side, state, s)[0] * side <= 0.0;
            let high = first(dt, passes);
            let [_, before] = block.runge_kutta(side, state, high);
            let after = block.restitution() * before;
            time += high;
            motion.impacts.push(Impact { time, before, after });
            side = after.signum();
            state = [0.0, after];
            impacts_within += 1;
            if impacts_within > 1 {
                return motion;
            }
        }
        motion.samples.push([end, state[0], state[1]]);
    }
    motion
}

/// A block that slides along a line on a moving ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlidingBlock {
    /// Largest acceleration by friction: the coefficient times gravity (m/s²).
    pub friction: f64,
    /// Acceleration along the ground by its slope (m/s²).
    pub slope: f64,
}

/// Positions (m) of a sliding block at equal intervals (s), from rest with the ground. `ground` gives the velocity and the
/// acceleration of the ground at a time. The friction must exceed the acceleration of the slope, for the block to stick at
/// times, or the ground must rest.
pub fn sliding(block: &SlidingBlock, ground: impl Fn(f64) -> [f64; 2], duration: f64, interval: f64) -> Vec<[f64; 2]> {
    // Within a piece of sliding the acceleration is constant: positions are exact between the times at which it begins and
    // ends, which are found by halving. Pieces of sticking follow the ground by Simpson's rule.
    const PARTS: usize = 64;
    let needed = |t: f64| ground(t)[1] - block.slope;
    let [start, _] = ground(0.0);
    let (mut position, mut speed) = (0.0, start);
    let mut slides: Option<f64> = (needed(0.0).abs() > block.friction).then(|| needed(0.0).signum());
    let mut samples = vec![[0.0, 0.0]];
    let dt = interval / PARTS as f64;
    let count = (duration / interval).round() as usize;
    for k in 0..count {
        for j in 0..PARTS {
            let from = k as f64 * interval + j as f64 * dt;
            let mut left = dt;
            while left > 0.0 {
                let now = from + dt - left;
                // Changes between sliding and sticking are rare; the shortest piece bounds their number within a part.
                let piece = match slides {
                    None => first(left, |s| needed(now + s).abs() > block.friction),
                    Some(sign) => {
                        let a = block.slope + sign * block.friction;
                        first(left, |s| sign * (ground(now + s)[0] - speed - a * s) < 0.0)
                    }
                };
                let at = now + piece;
                match slides {
                    None => {
                        let v = |s: f64| ground(now + s)[0];
                        position += piece / 6.0 * (v(0.0) + 4.0 * v(0.5 * piece) + v(piece));
                        speed = v(piece);
                    }
                    Some(sign) => {
                        let a = block.slope + sign * block.friction;
                        position += piece * (speed + 0.5 * a * piece);
                        speed += a * piece;
                    }
                }
                left -= piece.max(1e-12 * dt);
                if left > 0.0 {
                    let ahead = needed(at);
                    slides = match slides {
                        None => Some(ahead.signum()),
                        Some(_) if ahead.abs() <= block.friction => None,
                        Some(sign) => Some(-sign),
                    };
                }
            }
        }
        samples.push([(k + 1) as f64 * interval, position]);
    }
    samples
}

/// The length within which something first becomes true, or the whole if it does not.
fn first(whole: f64, is_so: impl Fn(f64) -> bool) -> f64 {
    if !is_so(whole) {
        return whole;
    }
    let (mut low, mut high) = (0.0, whole);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if is_so(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: RockingBlock = RockingBlock {
        half_width: 0.3,
        half_height: 1.0,
        gravity: 9.81,
    };

    #[test]
    fn impacts_take_the_energy_that_housner_says_and_nothing_else_takes_any() {
        let angle = 15f64.to_radians();
        let motion = rocking(&BLOCK, angle, 3.0, 1e-3);
        assert!((BLOCK.restitution() - 0.8761).abs() < 1e-4, "{}", BLOCK.restitution());
        let first = motion.impacts[0];
        // By energy: the speed at which the angle passes zero.
        let speed = BLOCK.potential(angle) / BLOCK.kinetic(1.0);
        assert!((first.before + speed.sqrt()).abs() < 1e-10, "{first:?}");
        assert!((first.time - 1.1217).abs() < 1e-4, "{first:?}");
        let mut energy = BLOCK.potential(angle);
        let mut impacts = motion.impacts.iter().peekable();
        for [time, angle, speed] in motion.samples {
            while impacts.next_if(|i| i.time <= time).is_some() {
                energy *= BLOCK.restitution().powi(2);
            }
            let now = BLOCK.potential(angle) + BLOCK.kinetic(speed);
            assert!((now - energy).abs() < 1e-11, "at {time}: {now}, {energy}");
        }
    }

    #[test]
    fn the_first_impact_does_not_depend_on_the_interval() {
        let at = |interval: f64| rocking(&BLOCK, 0.2, 2.0, interval).impacts[0].time;
        assert!((at(1e-3) - at(1e-4)).abs() < 1e-10);
        assert!((at(1e-2) - at(1e-4)).abs() < 1e-7);
    }

    #[test]
    fn impacts_that_crowd_end_the_motion() {
        let motion = rocking(&BLOCK, 0.01, 60.0, 1e-3);
        assert!(motion.samples.len() < 60_000);
        assert!(motion.samples.iter().flatten().all(|x| x.is_finite()));
    }

    #[test]
    fn a_block_on_a_slope_has_a_constant_acceleration() {
        let block = SlidingBlock {
            friction: 2.0,
            slope: 3.0,
        };
        for [t, x] in sliding(&block, |_| [0.0, 0.0], 2.0, 0.01) {
            assert!((x - 0.5 * t * t).abs() < 1e-12, "at {t}: {x}");
        }
    }

    #[test]
    fn a_block_on_a_ground_that_jerks_slides_for_the_time_that_friction_takes_to_stop_it() {
        // The ground starts at 1 m/s at once and goes on: friction of 2 m/s^2 needs half a second, 0.25 m behind.
        let block = SlidingBlock {
            friction: 2.0,
            slope: 0.0,
        };
        let ground = |t: f64| if t < 0.1 { [10.0 * t, 10.0] } else { [1.0, 0.0] };
        let samples = sliding(&block, ground, 1.0, 0.01);
        // Ground: 0.05 + 0.9; block: 0.5 s at 2 m/s^2, then 0.5 s at 1 m/s.
        assert!((samples[100][1] - 0.75).abs() < 1e-9, "{:?}", samples[100]);
    }

    #[test]
    fn a_ground_that_shakes_gently_takes_the_block_along() {
        let block = SlidingBlock {
            friction: 3.0,
            slope: 0.0,
        };
        let ground = |t: f64| [2.0 * (1.0 - t.cos()), 2.0 * t.sin()];
        for [t, x] in sliding(&block, ground, 6.0, 0.1) {
            assert!((x - 2.0 * (t - t.sin())).abs() < 1e-9, "at {t}: {x}");
        }
    }
}
