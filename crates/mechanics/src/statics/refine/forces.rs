//! Takes back what forces leave of the loads.
//!
//! The change of the forces is the smallest that restores the balance, measured at each point by its distance to the
//! boundary of the friction cone (the local norm of the cone's barrier): what is far inside may change much, what is on the
//! boundary only along it, and what is zero stays zero. A change below one in that norm cannot leave the cone.

use drystone_cone::Twist;
use glam::DVec3;

use super::{
    super::{ContactPoint, Loads, Structure, equilibrium::Forces},
    system::{Row, System},
    wide::Wide,
};

const TUNING: crate::statics::tuning::CorrectForces = crate::statics::Tuning::DEFAULT.correct_forces;

/// Which way forces may go.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Directions<'a> {
    /// Anywhere in their friction cones.
    Cones,
    /// Along the normal and against the sliding of a motion, where the motion has closed an opening.
    Against {
        /// The motion.
        motions: &'a [Twist],
        /// What it closes (unit: m).
        opening: f64,
    },
}

/// Improves forces as far as the arithmetic goes. Gives what is left over then, over the own load of the worst block.
pub(in super::super) fn forces(
    structure: &Structure,
    loads: &Loads,
    own: &[f64],
    directions: Directions<'_>,
    forces: &mut Forces,
) -> f64 {
    for (point, force) in structure.points.iter().zip(&mut forces.contact) {
        *force = within(structure, point, *force, directions);
    }
    for (tie, force) in structure.ties.iter().zip(&mut forces.ties) {
        *force = if tie.pushes() { *force } else { force.max(0.0) };
    }
    let mut left = residual(structure, loads, forces);
    let mut least = worst(structure, own, &left);
    if least <= TUNING.enough {
        return least;
    }
    let mut system = System::new(structure, |_| true);
    let mut best = forces.clone();
    let mut stalled = 0;
    for _ in 0..TUNING.rounds {
        let Some(next) = round(structure, own, directions, &mut system, &best, &left) else {
            break;
        };
        let next_left = residual(structure, loads, &next);
        let found = worst(structure, own, &next_left);
        stalled = if found < 0.3 * least { 0 } else { stalled + 1 };
        if found < least {
            (best, left, least) = (next, next_left, found);
        }
        if least <= TUNING.enough || stalled > 1 {
            break;
        }
    }
    *forces = best;
    least
}

/// Force and moment that are left on each block.
fn residual(structure: &Structure, loads: &Loads, forces: &Forces) -> Vec<[DVec3; 2]> {
    let mut left = vec![[Wide::default(); 2]; structure.len()];
    for (left, load) in left.iter_mut().zip(&loads.wrenches) {
        left[0].add(load.force);
        left[1].add(load.moment);
    }
    let mut act = |b: u32, force: DVec3, at: DVec3| {
        let [f, m] = &mut left[b as usize];
        f.add(force);
        m.add_cross(at, structure.center[b as usize], force);
    };
    for (point, &force) in structure.points.iter().zip(&forces.contact) {
        act(point.blocks[1], force, point.position);
        act(point.blocks[0], -force, point.position);
    }
    for (tie, &tension) in structure.ties.iter().zip(&forces.ties) {
        let pull = (tie.ends[1] - tie.ends[0]).normalize_or_zero() * tension;
        act(tie.blocks[0], pull, tie.ends[0]);
        act(tie.blocks[1], -pull, tie.ends[1]);
    }
    left.into_iter().map(|wrench| wrench.map(Wide::value)).collect()
}

fn worst(structure: &Structure, own: &[f64], left: &[[DVec3; 2]]) -> f64 {
    // The diagonal of a block is no less than the distance of its centre to any corner.
    let one = |b: usize| left[b][0].length().max(left[b][1].length() / structure.radius[b]) / own[b];
    let larger = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
    structure.free().map(one).fold(0.0, larger)
}

/// Where friction may act at a point: against the sliding.
fn against(structure: &Structure, point: &ContactPoint, motions: &[Twist], opening: f64) -> Option<DVec3> {
    let d = structure.relative(motions, point);
    let across = d - d.dot(point.normal) * point.normal;
    let length = across.length();
    (length > TUNING.slides * opening).then(|| -across / length)
}

/// The force nearby that a point can carry.
fn within(structure: &Structure, point: &ContactPoint, force: DVec3, directions: Directions<'_>) -> DVec3 {
    let press = force.dot(point.normal);
    if !(press > 0.0) {
        return DVec3::ZERO;
    }
    let mut across = force - press * point.normal;
    if let Directions::Against { motions, opening } = directions {
        let open = structure.relative(motions, point).dot(point.normal) + opening;
        if open.abs() > TUNING.closed * opening {
            return DVec3::ZERO;
        }
        across = against(structure, point, motions, opening).map_or(DVec3::ZERO, |way| way * across.dot(way).max(0.0));
    }
    let (most, length) = (structure.friction(point) * press, across.length());
    // Rounding alone is left as it is: to take it back would only round anew.
    if length > most * (1.0 + 1e-12) {
        across *= most / length;
    }
    press * point.normal + across
}

/// A variable: a direction in which a force may change, by how much, and where.
struct Variable {
    /// Point, or tie after the points.
    at: usize,
    change: DVec3,
    row: Row,
}

/// Directions of a contact force, each as long as its distance to the boundary of the cone.
fn variables_of(
    structure: &Structure,
    point: &ContactPoint,
    force: DVec3,
    directions: Directions<'_>,
) -> [Option<DVec3>; 3] {
    let (n, mu) = (point.normal, structure.friction(point));
    let press = force.dot(n);
    if !(press > 0.0) {
        return [None; 3];
    }
    if mu < TUNING.smooth {
        return [Some(press * n), None, None];
    }
    let across = force - press * n;
    let length = across.length();
    match directions {
        Directions::Cones => {
            let way = if length > 0.0 {
                across / length
            } else {
                n.any_orthonormal_vector()
            };
            // Eigenvectors of the inverse Hessian of the cone's barrier.
            let (far, near) = (mu * press + length, (mu * press - length).max(0.0));
            let half = std::f64::consts::FRAC_1_SQRT_2;
            [
                Some(half * far * (n / mu + way)),
                Some(half * near * (n / mu - way)),
                Some((far * near).sqrt() * n.cross(way)),
            ]
        }
        // A sum of two forces, each zero or above: along the normal, and on the boundary of the cone.
        Directions::Against { motions, opening } => match against(structure, point, motions, opening) {
            None => [Some(press * n), None, None],
            Some(way) => {
                let sliding = (across.dot(way).max(0.0) / mu).min(press);
                [Some((press - sliding) * n), Some(sliding * (n + mu * way)), None]
            }
        },
    }
}

fn round(
    structure: &Structure,
    own: &[f64],
    directions: Directions<'_>,
    system: &mut System,
    forces: &Forces,
    left: &[[DVec3; 2]],
) -> Option<Forces> {
    let contacts = structure.points.iter().zip(&forces.contact).enumerate();
    let of_contacts = contacts.flat_map(|(at, (point, force))| {
        let found = variables_of(structure, point, *force, directions).into_iter().flatten();
        found.map(move |change| (at, point.blocks, [point.position; 2], change))
    });
    let pressed = forces.contact.iter().map(|f| f.length()).fold(0.0, f64::max);
    let of_ties = structure
        .ties
        .iter()
        .zip(&forces.ties)
        .enumerate()
        .map(|(k, (tie, tension))| {
            let way = (tie.ends[1] - tie.ends[0]).normalize_or_zero();
            let free = if tie.pushes() {
                tension.abs().max(pressed)
            } else {
                *tension
            };
            (structure.points.len() + k, tie.blocks, tie.ends, -way * free)
        });
    let all: Vec<_> = of_contacts.chain(of_ties).collect();
    let variables: Vec<Variable> = all
        .into_iter()
        .map(|(at, blocks, points, change)| {
            let mut row = system.row(structure, blocks, points, change);
            for side in 0..2 {
                row.by[side].iter_mut().for_each(|g| *g /= own[blocks[side] as usize]);
            }
            Variable { at, change, row }
        })
        .collect();
    system.factor(variables.iter().map(|v| &v.row)).ok()?;
    let mut x: Vec<f64> = system
        .blocks
        .iter()
        .flat_map(|&b| {
            let (f, m) = (left[b][0] / own[b], left[b][1] / (own[b] * structure.radius[b]));
            [f.x, f.y, f.z, m.x, m.y, m.z].map(|r| -r)
        })
        .collect();
    system.solve(&mut x);
    let steps: Vec<f64> = variables.iter().map(|v| v.row.dot(&x)).collect();
    // How far the change of each point goes in the norm of its cone.
    let mut squares = vec![0.0; structure.points.len() + structure.ties.len()];
    for (variable, step) in variables.iter().zip(&steps) {
        squares[variable.at] += step * step;
    }
    let longest = squares.iter().copied().fold(0.0, f64::max).sqrt();
    if !longest.is_finite() {
        return None;
    }
    let shortened = if longest > TUNING.longest {
        TUNING.longest / longest
    } else {
        1.0
    };
    let mut next = forces.clone();
    for (variable, step) in variables.iter().zip(&steps) {
        let change = variable.change * (step * shortened);
        match next.contact.get_mut(variable.at) {
            Some(force) => *force += change,
            None => {
                let k = variable.at - structure.points.len();
                let way = (structure.ties[k].ends[1] - structure.ties[k].ends[0]).normalize_or_zero();
                next.ties[k] -= change.dot(way);
            }
        }
    }
    for (point, force) in structure.points.iter().zip(&mut next.contact) {
        *force = within(structure, point, *force, directions);
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use drystone_model::{Block, Joints, Model, Shape};
    use glam::{DQuat, dvec3};

    use super::*;

    /// A boulder of a thousand tonnes on three pebbles of a gram each: forces are half a billion times what a pebble weighs.
    fn on_pebbles(turn: DQuat) -> Model {
        let mut model = Model::named("pebbles");
        model.joints = Joints::uniform(0.6);
        let mut add = |name: &str, low: DVec3, size: DVec3, mass: f64| {
            let mut solid = drystone_model::geometry::Polyhedron::cuboid(low, low + size);
            solid.vertices.iter_mut().for_each(|v| *v = turn * *v);
            let mut block = Block::new(name, Shape::from(solid));
            block.mass = Some(mass);
            model.blocks.push(block);
        };
        add("floor", dvec3(-9.0, -9.0, -1.0), dvec3(18.0, 18.0, 1.0), 1.0);
        for (k, (x, y)) in [(-2.0, -2.0), (2.0, -2.0), (0.3, 2.5)].into_iter().enumerate() {
            add(
                &format!("pebble-{k}"),
                dvec3(x, y, 0.0),
                dvec3(0.01, 0.012, 0.008),
                1e-3,
            );
        }
        add("boulder", dvec3(-3.0, -3.0, 0.008), dvec3(6.0, 6.0, 12.0), 1e6);
        model.blocks[0].fixed = true;
        model.gravity = turn * model.gravity;
        model
    }

    #[test]
    fn a_pebble_under_a_boulder_is_balanced_to_a_millionth_of_its_own_weight() {
        for turn in [
            DQuat::IDENTITY,
            DQuat::from_axis_angle(dvec3(1.0, -2.0, 0.7).normalize(), 0.9),
        ] {
            let model = on_pebbles(turn);
            let structure = Structure::new(&model).unwrap();
            let loads = Loads::body_force(&structure, model.gravity);
            let own: Vec<f64> = structure.mass.iter().map(|m| m * model.gravity.length()).collect();
            // An equal share for each point, and each off by as much as a solver may leave: a billion times the pebble's load.
            let mut found = Forces::default();
            for (k, point) in structure.points.iter().enumerate() {
                let share = 1e6 * 9.81 / 12.0 * (1.0 + 1e-8 * ((k * 7) % 5) as f64);
                found.contact.push(share * point.normal);
            }
            let before = worst(&structure, &own, &residual(&structure, &loads, &found));
            let after = forces(&structure, &loads, &own, Directions::Cones, &mut found);
            assert!(before > 1.0 && after < 5e-7, "{before} {after}");
            for (point, force) in structure.points.iter().zip(&found.contact) {
                let press = force.dot(point.normal);
                let across = (*force - press * point.normal).length();
                assert!(press >= 0.0 && across <= structure.friction(point) * press * (1.0 + 1e-9));
            }
        }
    }
}
