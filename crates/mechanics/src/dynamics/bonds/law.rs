//! The law of one bonded point: what it bears, and how it is damaged.
//!
//! Of the area of a point, a fraction D is damaged. What is intact is elastic both ways, what is damaged is a dry joint with
//! Coulomb friction (Alfano and Sacco, 2006), so that over an opening u_n and a slip u_t under a compression p
//!
//! ```text
//! tension   (1 - D) k_n u_n            shear   (1 - D) k_t u_t + friction of at most D mu p
//! ```
//!
//! What is intact bears tension T and shear c + mu p (in tension p < 0: Mohr and Coulomb with a cut-off). Damage begins
//! there. It is complete at once, or follows from opening and slip: D = 1 - (1 - D_I) (1 - D_II), where with D_I alone tension falls in
//! a straight line to zero at `2 G_I / T`, and with D_II alone shear in a straight line to mu p. Damage by stored energy is that
//! of paper 002, section 2.2.4. Damage never decreases, and at given opening and slip each increase of D releases energy:
//! dissipation is never negative.

use drystone_model::JointLaw;
use serde::{Deserialize, Serialize};

/// Damage of a bonded point: by opening (or stored energy), and by slip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Damage(pub(crate) [f64; 2]);

impl Damage {
    pub(crate) const BROKEN: Self = Self([1.0; 2]);

    /// The fraction that is intact.
    pub(crate) fn intact(&self) -> f64 {
        (1.0 - self.0[0]) * (1.0 - self.0[1])
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.intact() <= NOTHING
    }
}

/// A fraction of a bond that is none.
const NOTHING: f64 = 1e-9;

/// How a point is strained.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strained {
    /// Opening, negative where it is compressed (m).
    pub(crate) opening: f64,
    /// Size of the slip (m).
    pub(crate) slip: f64,
    /// Compression by the blocks that touch (N).
    pub(crate) compression: f64,
}

#[derive(Clone, Copy, Debug)]
enum Softening {
    Brittle,
    /// Opening at which tension is zero, and slip from its peak to where shear is that of friction (m).
    Linear {
        opening: f64,
        slip: f64,
    },
    /// Threshold (J) and viscosity (J s).
    Adhesion {
        threshold: f64,
        viscosity: f64,
    },
}

/// The law of one point, with its area in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cohesive {
    tension: f64,
    cohesion: f64,
    friction: f64,
    /// Along the normal and across it, when intact (N/m).
    pub(crate) stiffness: [f64; 2],
    softening: Softening,
}

impl Cohesive {
    /// The law of a point of an area (m²); nothing where it is dry or has no stiffness.
    pub(crate) fn new(law: &JointLaw, area: f64) -> Option<Self> {
        let (bond, stiffness) = (law.bond.filter(|b| !b.is_nothing())?.resolved(), law.stiffness?);
        let friction = law.sticking_friction();
        let strength = bond.strength(area, friction);
        let stiffness = [stiffness.normal, stiffness.tangential].map(|k| k * area);
        let softening = match (bond.adhesion, bond.fracture_energy_j_m2) {
            (Some(adhesion), _) => Softening::Adhesion {
                threshold: adhesion.energy_j_m2 * area,
                viscosity: adhesion.viscosity_j_s_m2 * area,
            },
            (None, Some([first, second])) => {
                // From where the strength is reached to where nothing is left of it. Below zero it would spring back.
                let last = |energy: f64, strength: f64| 2.0 * energy * area / strength;
                let opening = last(first, strength.tension);
                let slip = last(second, strength.cohesion) - strength.cohesion / stiffness[1];
                Softening::Linear {
                    opening: opening.max(strength.tension / stiffness[0]),
                    slip: slip.max(0.0),
                }
            }
            (None, None) => Softening::Brittle,
        };
        Some(Self {
            tension: strength.tension,
            cohesion: strength.cohesion,
            friction,
            stiffness,
            softening,
        })
    }

    /// Force of the intact part over what it bears: from 1 on it is damaged, if it breaks at once.
    pub(crate) fn use_of_strength(&self, at: &Strained) -> f64 {
        if matches!(self.softening, Softening::Adhesion { .. }) {
            return 0.0;
        }
        let pull = self.stiffness[0] * at.opening.max(0.0);
        let shear = self.stiffness[1] * at.slip;
        let bears = (self.cohesion + self.friction * (at.compression - pull)).max(0.0);
        let over = |force: f64, strength: f64| match force > 1e-9 * (self.tension + self.cohesion) {
            true => force / strength,
            false => 0.0,
        };
        over(pull, self.tension).max(over(shear, bears))
    }

    pub(crate) fn is_brittle(&self) -> bool {
        matches!(self.softening, Softening::Brittle)
    }

    /// The damage after a strain that lasts `dt`, which is never less than before.
    pub(crate) fn damaged(&self, before: Damage, at: &Strained, dt: f64) -> Damage {
        let Damage([first, second]) = before;
        let opening = at.opening.max(0.0);
        match self.softening {
            Softening::Brittle if self.use_of_strength(at) >= 1.0 => Damage::BROKEN,
            Softening::Brittle => before,
            Softening::Linear { opening: last, slip } => {
                let begins = self.tension / self.stiffness[0];
                let by_opening = match opening {
                    u if u <= begins => 0.0,
                    u if u >= last => 1.0,
                    u => last * (u - begins) / (u * (last - begins)),
                };
                let pull = before.intact() * self.stiffness[0] * opening;
                let pressed = at.compression - pull;
                let by_slip = self.damage_by_slip(at.slip, pressed, slip);
                Damage([first.max(by_opening), second.max(by_slip)])
            }
            Softening::Adhesion { threshold, viscosity } => {
                let stored = self.stiffness[0] * opening * opening + self.stiffness[1] * at.slip * at.slip;
                let intensity = (1.0 - first).max(0.0).sqrt();
                if intensity * stored <= threshold {
                    return before;
                }
                // Backward Euler; at once where there is no viscosity.
                let left = match viscosity > 0.0 {
                    true => (intensity + dt * threshold / viscosity) / (1.0 + dt * stored / viscosity),
                    false => threshold / stored,
                };
                Damage([first.max(1.0 - left * left), second])
            }
        }
    }

    fn damage_by_slip(&self, slip: f64, pressed: f64, softens: f64) -> f64 {
        let residual = self.friction * pressed.max(0.0);
        let cohesive = (self.cohesion + self.friction * pressed.min(0.0)).max(0.0);
        let elastic = self.stiffness[1] * slip;
        let past = slip - (residual + cohesive) / self.stiffness[1];
        if past <= 0.0 {
            return 0.0;
        }
        if past >= softens {
            return 1.0;
        }
        let bears = residual + cohesive * (1.0 - past / softens);
        (elastic - bears) / (elastic - residual)
    }
}

#[cfg(test)]
mod tests {
    use drystone_model::{Adhesion, Bond, JointStiffness};
    use glam::DVec2;

    use super::*;

    const AREA: f64 = 0.25;

    fn law(bond: Bond) -> JointLaw {
        JointLaw {
            stiffness: Some(JointStiffness {
                normal: 2e9,
                tangential: 1e9,
            }),
            bond: Some(bond),
            ..JointLaw::dry(0.5)
        }
    }

    fn strengths() -> Bond {
        Bond {
            tension_pa: Some(1e5),
            cohesion_pa: Some(2e5),
            ..Bond::default()
        }
    }

    fn laws() -> [Cohesive; 4] {
        let softening = Bond {
            fracture_energy_j_m2: Some([20.0, 80.0]),
            ..strengths()
        };
        let adhesion = |viscosity_j_s_m2: f64| Bond {
            adhesion: Some(Adhesion {
                energy_j_m2: 5.0,
                viscosity_j_s_m2,
            }),
            ..Bond::default()
        };
        [strengths(), softening, adhesion(0.0), adhesion(2.0)].map(|bond| Cohesive::new(&law(bond), AREA).unwrap())
    }

    fn pulled(opening: f64) -> Strained {
        Strained {
            opening,
            ..Strained::default()
        }
    }

    #[test]
    fn a_brittle_bond_bears_its_strengths_and_then_nothing() {
        let [brittle, ..] = laws();
        let at = |share: f64| share * 1e5 / 2e9;
        assert_eq!(
            brittle.damaged(Damage::default(), &pulled(at(0.999)), 1.0),
            Damage::default()
        );
        assert!(brittle.damaged(Damage::default(), &pulled(at(1.001)), 1.0).is_broken());
        for compression in [0.0, 3e5 * AREA] {
            let peak = (2e5 * AREA + 0.5 * compression) / (1e9 * AREA);
            let sheared = |share: f64| Strained {
                opening: -1e-6,
                slip: share * peak,
                compression,
            };
            assert!(!brittle.damaged(Damage::default(), &sheared(0.999), 1.0).is_broken());
            assert!(brittle.damaged(Damage::default(), &sheared(1.001), 1.0).is_broken());
        }
    }

    /// Work up to where nothing is left, by the trapezoidal rule.
    #[test]
    fn softening_takes_its_fracture_energies() {
        let [_, softening, ..] = laws();
        let work = |strained: &dyn Fn(f64) -> Strained, last: f64, mode: usize, friction: f64| {
            let (mut damage, mut work, mut before) = (Damage::default(), 0.0, 0.0);
            let steps = 200_000;
            for k in 1..=steps {
                let x = 1.01 * last * f64::from(k) / f64::from(steps);
                damage = softening.damaged(damage, &strained(x), 1.0);
                let intact = damage.intact();
                let force = intact * softening.stiffness[mode] * x + (1.0 - intact) * friction;
                work += 0.5 * (force + before) * 1.01 * last / f64::from(steps);
                before = force;
            }
            assert!(damage.is_broken());
            work
        };
        let tension = work(&pulled, 2.0 * 20.0 / 1e5, 0, 0.0);
        assert!((tension / (20.0 * AREA) - 1.0).abs() < 1e-4, "{tension}");
        for compression in [0.0, 1e5 * AREA] {
            let friction = 0.5 * compression;
            let sheared = |slip: f64| Strained {
                opening: 0.0,
                slip,
                compression,
            };
            let last = 2.0 * 80.0 / 2e5 + friction / (1e9 * AREA);
            let shear = work(&sheared, last, 1, friction);
            // Beside the fracture energy: friction all the way, and what is stored as it begins.
            let exact = 80.0 * AREA + friction * 1.01 * last - 0.5 * friction * friction / (1e9 * AREA);
            assert!((shear / exact - 1.0).abs() < 1e-3, "{shear} {exact}");
        }
    }

    /// A point that is strained along a path: what is intact is elastic, what is dry is elastic up to Coulomb friction, and a
    /// part that becomes dry brings its elastic slip with it.
    struct Point {
        law: Cohesive,
        damage: Damage,
        opening: f64,
        slip: DVec2,
        /// Elastic slip of what is dry.
        dry_slip: DVec2,
    }

    impl Point {
        fn compression(&self) -> f64 {
            self.law.stiffness[0] * (-self.opening).max(0.0)
        }

        /// Force along the normal, positive in tension, and across it (N).
        fn force(&self) -> (f64, DVec2) {
            let [normal, across] = self.law.stiffness;
            let intact = self.damage.intact();
            let pull = intact * normal * self.opening.max(0.0) - self.compression();
            (pull, across * (intact * self.slip + (1.0 - intact) * self.dry_slip))
        }

        fn stored(&self) -> f64 {
            let [normal, across] = self.law.stiffness;
            let intact = self.damage.intact();
            let opened = intact * self.opening.max(0.0).powi(2) + self.opening.min(0.0).powi(2);
            let slipped = intact * self.slip.length_squared() + (1.0 - intact) * self.dry_slip.length_squared();
            0.5 * (normal * opened + across * slipped)
        }

        /// Goes on to another strain, and tells the work that is done on it, by the trapezoidal rule.
        fn go_to(&mut self, opening: f64, slip: DVec2, dt: f64) -> f64 {
            let (pull, shear) = self.force();
            let moved = (opening - self.opening, slip - self.slip);
            (self.opening, self.slip) = (opening, slip);
            let compression = self.compression();
            let at = Strained {
                opening,
                slip: slip.length(),
                compression,
            };
            let (was, bears) = (
                1.0 - self.damage.intact(),
                self.law.friction * compression / self.law.stiffness[1],
            );
            self.damage = self.law.damaged(self.damage, &at, dt);
            let is = 1.0 - self.damage.intact();
            let joined = was * (self.dry_slip + moved.1) + (is - was) * slip;
            self.dry_slip = (joined / is.max(f64::MIN_POSITIVE)).clamp_length_max(bears);
            let (pull_after, shear_after) = self.force();
            0.5 * (moved.0 * (pull + pull_after) + moved.1.dot(shear + shear_after))
        }
    }

    /// Opened, closed and sheared both ways from one random strain to the next: damage never heals, and no step gives back more
    /// than the point stored, but for what is of second order in its length.
    #[test]
    fn dissipation_is_never_negative_on_any_path() {
        const STEPS: u32 = 2000;
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for law in laws() {
            let mut broken = 0;
            for _ in 0..20 {
                let mut point = Point {
                    law,
                    damage: Damage::default(),
                    opening: 0.0,
                    slip: DVec2::ZERO,
                    dry_slip: DVec2::ZERO,
                };
                let (mut taken, mut given_back) = (0.0, 0.0_f64);
                for k in 1..=20 {
                    // Farther and farther, to several times what it bears.
                    let far = f64::from(k) / 20.0;
                    let from = (point.opening, point.slip);
                    let to = (far * 6e-4 * random(), far * 2.4e-3 * DVec2::new(random(), random()));
                    for n in 1..=STEPS {
                        let done = f64::from(n) / f64::from(STEPS);
                        let (before, stored) = (point.damage, point.stored());
                        let (opening, slip) = (from.0 + done * (to.0 - from.0), from.1 + done * (to.1 - from.1));
                        let work = point.go_to(opening, slip, 1e-4);
                        assert!((0..2).all(|mode| point.damage.0[mode] >= before.0[mode]));
                        let dissipated = work - (point.stored() - stored);
                        taken += dissipated.max(0.0);
                        given_back -= dissipated.min(0.0);
                    }
                }
                assert!(
                    given_back <= 1e-6 * taken,
                    "{:?}: {given_back} of {taken} J",
                    law.softening
                );
                broken += usize::from(point.damage.is_broken());
            }
            // Adhesion fades and is never gone.
            let is_adhesion = matches!(law.softening, Softening::Adhesion { .. });
            assert!(is_adhesion || broken >= 15, "{:?}: {broken}", law.softening);
        }
    }

    #[test]
    fn damage_by_stored_energy_follows_its_equation() {
        let [.., adhesion] = laws();
        // At a constant strain: exp(-e t / b) towards w / e.
        let at = pulled(2e-4);
        let stored = 2e9 * 2e-4_f64.powi(2);
        let mut damage = Damage::default();
        let (dt, steps) = (1e-5, 2000);
        for _ in 0..steps {
            damage = adhesion.damaged(damage, &at, dt);
        }
        let last = 5.0 / stored;
        let exact = last + (1.0 - last) * (-stored / 2.0 * dt * f64::from(steps)).exp();
        let found = damage.intact().sqrt();
        assert!((found - exact).abs() < 1e-3, "{found} {exact}");
    }
}
