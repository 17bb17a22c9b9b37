//! How long a step may be.
//!
//! A spring k and a dashpot c on a mass m are stable under steps dt with `k dt^2 + 2 c dt <= 4 m`. Of a block among others, k is at most the
//! largest eigenvalue of what holds it (six by six, over mass and inertia), the springs to blocks that may move against it counted
//! twice: the stiffest and lightest block rules all of them. The largest eigenvalue of the whole structure is less than that by a
//! part that depends on how blocks are arranged; some steps of the power method tell it.
//!
//! Dashpots have the room that springs leave, whichever points are closed: that of the whole, although fewer points would leave
//! more, because an edge that a block rocks about is as stiff for its turning as all of its base.

use drystone_model::TieLaw;
use glam::{DMat3, DVec3};

use super::Loaded;

/// Steps are this part of the longest that is stable: contacts change while blocks move, and the power method leaves a little.
const SAFETY: f64 = 0.9;
/// Steps of the power method, which gains a digit or two in them: enough for what [`SAFETY`] leaves.
const POWERS: usize = 12;
/// The same for a whole structure: from nothing, and from the motion that was found last.
const FIRST: usize = 40;
const LATER: usize = 15;
/// What every part of the structure gets of a fresh start, against the motion that was found last: that may know nothing of parts which rule from
/// now on.
const FRESH: f64 = 0.1;
/// Times that contacts may be found before all is looked at again, and by how much more blocks may be held then.
const USES: u32 = 60;
const MORE: f64 = 1.1;
/// Part of their room that dashpots use.
const ROOM: f64 = 0.8;

/// The step of a structure, and where it comes from.
#[derive(Clone, Debug, Default)]
pub struct StableStep {
    /// The longest step that is taken (s), by default.
    pub dt: f64,
    /// The longest that may be asked for (s).
    pub limit: f64,
    /// The block that rules it.
    pub block: usize,
    /// The step that half of the free blocks could do with, at least (s).
    pub median: f64,
    /// Blocks whose inertia is scaled up, and by how much at most.
    pub scaled_blocks: usize,
    /// See [`Self::scaled_blocks`].
    pub largest_scale: f64,
    /// Dashpots over stiffness (s) by pairs of blocks, in order.
    dashpots: Vec<([u32; 2], f64)>,
    scales: Vec<f64>,
    /// Stiffness of ties that are stated as rigid (N/m).
    rod: f64,
    rooms: Vec<Room>,
    uses: u32,
}

/// Stiffness and dashpots that hold a block, by its six motions: three of its centre, three turns about it.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    stiffness: [[f64; 6]; 6],
    dashpots: [[f64; 6]; 6],
}

impl Held {
    /// Adds a spring and a dashpot along a direction, at an arm from the centre.
    fn add(&mut self, [stiffness, dashpot]: [f64; 2], along: DVec3, arm: DVec3) {
        let moment = arm.cross(along);
        let row = [along.x, along.y, along.z, moment.x, moment.y, moment.z];
        for i in 0..6 {
            let of = [stiffness * row[i], dashpot * row[i]];
            for j in i..6 {
                self.stiffness[i][j] += of[0] * row[j];
                self.dashpots[i][j] += of[1] * row[j];
            }
        }
    }

    /// Sets what is below the diagonal to what is above it.
    fn close(&mut self) {
        for matrix in [&mut self.stiffness, &mut self.dashpots] {
            for i in 1..6 {
                for j in 0..i {
                    matrix[i][j] = matrix[j][i];
                }
            }
        }
    }

    /// Largest eigenvalues over mass and inertia (1/s², 1/s).
    fn largest(&self, mass: f64, inertia: DMat3) -> [f64; 2] {
        let inverse = inertia.inverse();
        [&self.stiffness, &self.dashpots].map(|m| largest(m, mass, inertia, inverse))
    }
}

/// What part of their dashpots blocks have room for, by bounds of springs and dashpots (1/s², 1/s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    bounds: [f64; 2],
    /// Stiffness that they are for (N/m).
    all: f64,
}

impl Room {
    /// That part in steps of `dt`. Local damping adds to forces that slow a block down.
    pub(super) fn of(&self, dt: f64, damping: f64) -> f64 {
        let [springs, dashpots] = self.bounds.map(|b| (1.0 + damping) * b);
        let room = ROOM * (4.0 - springs * dt * dt);
        match room < 2.0 * dashpots * dt {
            true => room.max(0.0) / (2.0 * dashpots * dt),
            false => 1.0,
        }
    }
}

/// The largest eigenvalue of a matrix over mass and inertia, by the power method.
fn largest(matrix: &[[f64; 6]; 6], mass: f64, inertia: DMat3, inverse: DMat3) -> f64 {
    let times = |x: &[f64; 6]| [0, 1, 2, 3, 4, 5].map(|i| (0..6).map(|j| matrix[i][j] * x[j]).sum::<f64>());
    let turns = |x: &[f64; 6]| DVec3::new(x[3], x[4], x[5]);
    let product = |x: &[f64; 6], y: &[f64; 6]| (0..6).map(|i| x[i] * y[i]).sum::<f64>();
    // Beside every axis of symmetry.
    let length = (inertia.x_axis.x / mass).sqrt();
    let mut x = [0.31, 0.57, 0.83, 0.71 / length, 0.43 / length, 0.97 / length];
    let mut value = 0.0;
    for _ in 0..POWERS {
        let force = times(&x);
        let spin = inertia * turns(&x);
        let weight = mass * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) + spin.dot(turns(&x));
        value = product(&x, &force) / weight;
        if value.is_nan() || value <= 0.0 {
            return 0.0;
        }
        let turned = inverse * turns(&force);
        x = [
            force[0] / mass,
            force[1] / mass,
            force[2] / mass,
            turned.x,
            turned.y,
            turned.z,
        ]
        .map(|v| v / value);
    }
    value
}

/// The fastest motion of a structure, by blocks: of the centre and about it.
pub(in crate::dynamics) type Shape = Vec<[DVec3; 2]>;

/// What holds two blocks at a point, or at two that a tie connects.
struct Spring {
    bodies: [usize; 2],
    /// From the centres of the blocks.
    arms: [DVec3; 2],
    normal: DVec3,
    /// Stiffness along the normal and across it (N/m), and dashpots (N s/m).
    stiffness: [f64; 2],
    dashpots: [f64; 2],
}

/// Longest stable step of springs and dashpots over mass (1/s², 1/s): the positive root of s dt² + 2 c dt = 4, written so that it does not cancel.
fn limit_of([s, c]: [f64; 2]) -> f64 {
    match s > 0.0 || c > 0.0 {
        true => 4.0 / (c + (c * c + 4.0 * s).sqrt()),
        false => f64::INFINITY,
    }
}

impl StableStep {
    /// That of the last time where little has changed since: no block is held by more than [`MORE`] of what held it then, and no two
    /// blocks have come to touch. Dashpots keep their size.
    pub(super) fn again(mut self, loaded: &Loaded<'_>) -> Option<Self> {
        if self.rooms.len() != loaded.structure.len() || self.uses >= USES {
            return None;
        }
        self.uses += 1;
        let mut all = vec![0.0; self.rooms.len()];
        for (contact, spring) in loaded.contacts.iter().zip(loaded.springs) {
            let k = loaded.structure.law(contact.bodies).stiffness?;
            self.dashpots.binary_search_by_key(&contact.bodies, |(b, _)| *b).ok()?;
            let stiffness = k.normal * spring.area;
            contact.bodies.iter().for_each(|&b| all[b as usize] += stiffness);
        }
        let is_little = |b: usize| all[b] <= MORE * self.rooms[b].all;
        loaded.structure.free().all(is_little).then_some(self)
    }

    /// `shape` is the fastest motion that was found last; it is followed from there.
    pub(super) fn new(loaded: &Loaded<'_>, shape: &mut Shape) -> Self {
        let structure = loaded.structure;
        let mut step = Self {
            scales: vec![1.0; structure.len()],
            rooms: vec![Room::default(); structure.len()],
            largest_scale: 1.0,
            ..Self::default()
        };
        step.set_dashpots(loaded);
        let mut held = vec![Held::default(); structure.len()];
        for (contact, spring) in loaded.contacts.iter().zip(loaded.springs) {
            let Some(k) = structure.law(contact.bodies).stiffness else {
                continue;
            };
            let (dashpot, normal) = (step.dashpot(contact.bodies), k.normal);
            let across = contact.normal.any_orthonormal_vector();
            let directions = [contact.normal, across, contact.normal.cross(across)];
            for (side, b) in contact.bodies.map(|b| b as usize).into_iter().enumerate() {
                step.rooms[b].all += normal * spring.area;
                // Where both may move, they may do so against each other.
                let other = contact.bodies[1 - side] as usize;
                let both = if structure.fixed[other] { 1.0 } else { 2.0 };
                let arm = contact.point - loaded.placements[b].center;
                for (along, k) in directions.into_iter().zip([k.normal, k.tangential, k.tangential]) {
                    let stiffness = both * k * spring.area;
                    let damped = dashpot * (normal * k).sqrt() * both * spring.area;
                    held[b].add([stiffness, damped], along, arm);
                }
            }
        }
        // A rigid rod is as stiff as the joints of the block that has most of them; without joints, stiff for its weight.
        let weight = structure.free_mass() * structure.gravity.length().max(1.0);
        step.rod = held
            .iter()
            .map(|h| h.stiffness[0][0].max(h.stiffness[2][2]))
            .fold(1e5 * weight / structure.length, f64::max);
        for tie in &structure.ties {
            let along = (tie.ends[1] - tie.ends[0]).normalize_or_zero();
            for side in 0..2 {
                let b = tie.blocks[side] as usize;
                let stiffness = 2.0 * step.tie_law(&tie.law).stiffness;
                held[b].add([stiffness, 0.0], along, tie.ends[side] - structure.center[b]);
            }
        }
        held.iter_mut().for_each(Held::close);
        let inertia = |b: usize| structure.inertia_at(b, &loaded.placements[b]);
        let mut limits = Vec::with_capacity(structure.len());
        for b in structure.free().filter(|&b| !loaded.absent[b]) {
            let mut bounds = held[b].largest(structure.mass[b], inertia(b));
            let wanted = loaded.settings.mass_scaling.unwrap_or(0.0) / SAFETY;
            if limit_of(bounds) < wanted {
                // A mass four times as large allows a step twice as long; with dashpots, even longer.
                let scale = (wanted / limit_of(bounds)).powi(2);
                bounds = bounds.map(|x| x / scale);
                step.scales[b] = scale;
                step.scaled_blocks += 1;
                step.largest_scale = step.largest_scale.max(scale);
            }
            step.rooms[b].bounds = bounds;
            limits.push((limit_of(bounds), b));
        }
        limits.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        // Where nothing holds anything, steps are as long as gravity moves a block by a small part of its size.
        let fall = 1e-2 * (structure.length / structure.gravity.length().max(f64::MIN_POSITIVE)).sqrt();
        let (bound, block) = limits.first().copied().unwrap_or((f64::INFINITY, 0));
        step.block = block;
        // The whole structure has less of both than the bounds of its blocks, never more.
        let limit = bound.max(step.limit_of_all(loaded, bound, shape));
        // Nor less than half of them: that much holds a block while no other moves.
        let alone = limits
            .iter()
            .map(|&(_, b)| limit_of(step.rooms[b].bounds.map(|x| 0.5 * x)));
        let limit = alone.fold(limit, f64::min);
        if limit.is_finite() {
            let taken = |r: &Room| r.bounds[0] * limit * limit + 2.0 * r.bounds[1] * limit;
            let most = step.rooms.iter().map(taken).fold(0.0, f64::max);
            let share = if most > 0.0 { (4.0 / most).min(1.0) } else { 1.0 };
            step.rooms
                .iter_mut()
                .for_each(|r| r.bounds = r.bounds.map(|x| share * x));
        }
        step.limit = limit.min(fall.min(1.0) / SAFETY) / (1.0 + loaded.settings.local_damping);
        step.dt = SAFETY * step.limit;
        step.median = SAFETY * limits.get(limits.len() / 2).map_or(step.limit, |l| l.0);
        step
    }

    /// The longest stable step of the whole structure (s): where the largest eigenvalue of `dt² K + 2 dt C` over the masses is four, by
    /// the power method. Each step of it tells a better motion, and that motion a better step. It comes from above.
    fn limit_of_all(&self, loaded: &Loaded<'_>, bound: f64, shape: &mut Shape) -> f64 {
        let structure = loaded.structure;
        if !bound.is_finite() {
            return bound;
        }
        let is_known = shape.len() == structure.len();
        let steps = if is_known { LATER } else { FIRST };
        // Beside every symmetry, and as large for every block.
        let at = |b: usize, k: usize| ((b * 6 + k) as f64 * 0.618_033_988_75).fract() - 0.5;
        let three = |b: usize, k: usize| DVec3::new(at(b, k), at(b, k + 1), at(b, k + 2));
        let fresh = |b: usize| [three(b, 0), three(b, 3) / structure.radius[b]];
        if is_known {
            let size = |b: usize| shape[b][0].length().max(structure.radius[b] * shape[b][1].length());
            let largest = (0..structure.len()).map(size).fold(0.0, f64::max);
            let scale = if largest > 0.0 && largest.is_finite() {
                1.0 / largest
            } else {
                0.0
            };
            for (b, motion) in shape.iter_mut().enumerate() {
                let new = fresh(b);
                *motion = [0, 1].map(|k| scale * motion[k] + FRESH * new[k]);
            }
        } else {
            *shape = (0..structure.len()).map(fresh).collect();
        }
        let is_free: Vec<bool> = (0..structure.len())
            .map(|b| !(structure.fixed[b] || loaded.absent[b]))
            .collect();
        (0..structure.len())
            .filter(|&b| !is_free[b])
            .for_each(|b| shape[b] = [DVec3::ZERO; 2]);
        let springs = self.springs(loaded);
        let inertia = |b: usize| self.scales[b] * structure.inertia_at(b, &loaded.placements[b]);
        let inertias: Vec<DMat3> = (0..structure.len()).map(inertia).collect();
        let inverses: Vec<DMat3> = inertias.iter().map(DMat3::inverse).collect();
        let mut forces = vec![[DVec3::ZERO; 2]; structure.len()];
        let mut dt = bound;
        for _ in 0..steps {
            forces.fill([DVec3::ZERO; 2]);
            let mut work = [0.0; 2];
            for spring in &springs {
                let ([a, b], arms) = (spring.bodies, &spring.arms);
                let moves = shape[b][0] + shape[b][1].cross(arms[1]) - shape[a][0] - shape[a][1].cross(arms[0]);
                let along = spring.normal.dot(moves);
                let across = moves - along * spring.normal;
                let squares = [along * along, across.length_squared()];
                let of = [0, 1].map(|k| dt * (dt * spring.stiffness[k] + 2.0 * spring.dashpots[k]));
                let force = of[0] * along * spring.normal + of[1] * across;
                for k in 0..2 {
                    work[0] += spring.stiffness[k] * squares[k];
                    work[1] += spring.dashpots[k] * squares[k];
                }
                forces[a] = [forces[a][0] - force, forces[a][1] - arms[0].cross(force)];
                forces[b] = [forces[b][0] + force, forces[b][1] + arms[1].cross(force)];
            }
            let mut weight = 0.0;
            let mass = |b: usize| self.scales[b] * structure.mass[b];
            for b in (0..structure.len()).filter(|&b| is_free[b]) {
                let [moves, turns] = shape[b];
                weight += mass(b) * moves.length_squared() + turns.dot(inertias[b] * turns);
            }
            if weight.is_nan() || weight <= 0.0 || work.iter().sum::<f64>().is_nan() {
                return bound;
            }
            let [s, c] = work.map(|w| w / weight);
            let taken = (dt * dt * s + 2.0 * dt * c).max(f64::MIN_POSITIVE);
            for b in (0..structure.len()).filter(|&b| is_free[b]) {
                let [force, moment] = forces[b];
                shape[b] = [force / (taken * mass(b)), inverses[b] * moment / taken];
            }
            // A motion that is not the fastest yet allows too long a step.
            dt = limit_of([s, c]).max(bound);
        }
        dt
    }

    fn springs(&self, loaded: &Loaded<'_>) -> Vec<Spring> {
        let (structure, placements) = (loaded.structure, loaded.placements);
        let arm = |b: u32, point: DVec3| point - placements[b as usize].center;
        let mut springs = Vec::with_capacity(loaded.contacts.len() + structure.ties.len());
        for (contact, spring) in loaded.contacts.iter().zip(loaded.springs) {
            let Some(k) = structure.law(contact.bodies).stiffness else {
                continue;
            };
            let (dashpot, both) = (self.dashpot(contact.bodies) * spring.area, [k.normal, k.tangential]);
            springs.push(Spring {
                bodies: contact.bodies.map(|b| b as usize),
                arms: contact.bodies.map(|b| arm(b, contact.point)),
                normal: contact.normal,
                stiffness: both.map(|stiffness| stiffness * spring.area),
                dashpots: both.map(|stiffness| dashpot * (k.normal * stiffness).sqrt()),
            });
        }
        springs.extend(structure.ties.iter().map(|tie| Spring {
            bodies: tie.blocks.map(|b| b as usize),
            arms: [0, 1].map(|side| arm(tie.blocks[side], tie.ends[side])),
            normal: (tie.ends[1] - tie.ends[0]).normalize_or_zero(),
            stiffness: [self.tie_law(&tie.law).stiffness, 0.0],
            dashpots: [0.0; 2],
        }));
        springs
    }

    /// What part of their dashpots a block has room for.
    pub(super) fn room(&self, block: usize) -> Room {
        self.rooms[block]
    }

    /// Dashpots by pairs: a fraction of what is critical for the two blocks on their joint, or, where other joints hold one of them,
    /// too, for that block on all of them.
    fn set_dashpots(&mut self, loaded: &Loaded<'_>) {
        let structure = loaded.structure;
        for (contact, spring) in loaded.contacts.iter().zip(loaded.springs) {
            let Some(k) = structure.law(contact.bodies).stiffness else {
                continue;
            };
            match self.dashpots.last_mut() {
                Some((bodies, sum)) if *bodies == contact.bodies => *sum += k.normal * spring.area,
                _ => self.dashpots.push((contact.bodies, k.normal * spring.area)),
            }
        }
        // Stiffness over reduced mass (1/s²): of a joint, and of all that hold a block.
        let mut all = vec![0.0; structure.len()];
        let inverse = |b: u32| match structure.fixed[b as usize] {
            true => 0.0,
            false => 1.0 / structure.mass[b as usize],
        };
        for (bodies, value) in &mut self.dashpots {
            *value *= inverse(bodies[0]) + inverse(bodies[1]);
            bodies.iter().for_each(|&b| all[b as usize] += *value);
        }
        for (bodies, value) in &mut self.dashpots {
            let free = bodies.iter().filter(|&&b| !structure.fixed[b as usize]);
            let most = free.map(|&b| all[b as usize]).fold(0.0, f64::max);
            let damping = loaded.settings.damping_of(structure.law(*bodies).restitution);
            *value = if most > 0.0 { 2.0 * damping / most.sqrt() } else { 0.0 };
        }
    }

    /// Dashpots of the joint of two blocks over its stiffness (s).
    pub(super) fn dashpot(&self, blocks: [u32; 2]) -> f64 {
        let found = self.dashpots.binary_search_by_key(&blocks, |(b, _)| *b);
        found.map_or(0.0, |k| self.dashpots[k].1)
    }

    /// By how much the inertia of a block is scaled up.
    pub(super) fn scaled(&self, block: usize) -> f64 {
        self.scales[block]
    }

    /// The law of a tie, with a stiffness in any case.
    pub(super) fn tie_law(&self, law: &TieLaw) -> TieLaw {
        TieLaw {
            stiffness: if law.stiffness.is_finite() {
                law.stiffness
            } else {
                self.rod
            },
            ..*law
        }
    }
}
