//! Makes forces and the motion that mobilises them exact.
//!
//! An interior-point method ends with small forces at open joints and with friction that is not quite opposite to the
//! sliding: its measure falls with the square of that angle. What it tells reliably is which joints press, and which of
//! them slide. With that known, eq. 11 is a system of smooth equations,
//!
//! ```text
//! balance of every block,    d_n = -1 where a joint presses,
//! f_t = -mu f_n d_t / |d_t| where it slides,    d_t + c f_t = 0 where it does not
//! ```
//!
//! which Newton's method solves, each step the shortest that does: joints that touch at more points than they need leave
//! the forces undetermined.

use drystone_cone::Twist;
use faer::{
    Mat,
    linalg::solvers::{PartialPivLu, Solve},
};
use glam::DVec3;

use super::super::{Loads, StageOutcome, Structure, equilibrium::Forces};

const TUNING: crate::statics::tuning::Polish = crate::statics::Tuning::DEFAULT.polish;

/// A point that presses.
struct Pressing {
    point: usize,
    slides: bool,
    /// Sliding for a unit of friction, where it does not reach the limit.
    compliance: f64,
    /// Normal and two directions across it.
    frame: [DVec3; 3],
    /// In units of the load of a block.
    force: [f64; 3],
    /// First unknown, and first equation after the balance.
    unknown: usize,
    equation: usize,
}

/// Corrects forces and motions, which come in openings; why not, where that is not possible.
pub(super) fn polish(
    structure: &Structure,
    loads: &Loads,
    forces: &Forces,
    motions: &[Twist],
    compliance: Option<f64>,
) -> Result<(Forces, Vec<Twist>), StageOutcome> {
    if !structure.ties.is_empty() {
        return Err(StageOutcome::HasTies);
    }
    let free: Vec<usize> = structure.free().collect();
    let unit = loads.mean(structure);
    let mut newton = Newton::new(structure, loads, &free, unit, motions);
    newton.choose(structure, forces, unit, compliance);
    if newton.equations > TUNING.most_equations {
        return Err(StageOutcome::TooLarge);
    }
    for _ in 0..TUNING.steps {
        newton.step(structure).ok_or(StageOutcome::NotFound)?;
    }
    let mut polished = Forces {
        contact: vec![DVec3::ZERO; structure.points.len()],
        ..forces.clone()
    };
    for p in &newton.pressing {
        let [n, a, b] = p.frame;
        polished.contact[p.point] = (p.force[0] * n + p.force[1] * a + p.force[2] * b) * unit;
    }
    Ok((polished, newton.motions))
}

struct Newton<'a> {
    free: &'a [usize],
    /// Place of each block among the free ones.
    place: Vec<Option<usize>>,
    loads: Vec<[f64; 6]>,
    motions: Vec<Twist>,
    pressing: Vec<Pressing>,
    unknowns: usize,
    equations: usize,
}

impl<'a> Newton<'a> {
    fn new(structure: &Structure, loads: &Loads, free: &'a [usize], unit: f64, motions: &[Twist]) -> Self {
        let mut place = vec![None; structure.len()];
        free.iter().enumerate().for_each(|(k, &b)| place[b] = Some(k));
        let load = |&b: &usize| {
            let w = &loads.wrenches[b];
            let (f, m) = (w.force / unit, w.moment / (unit * structure.length));
            [f.x, f.y, f.z, m.x, m.y, m.z]
        };
        Self {
            free,
            place,
            loads: free.iter().map(load).collect(),
            motions: motions.to_vec(),
            pressing: Vec::new(),
            unknowns: 6 * free.len(),
            equations: 6 * free.len(),
        }
    }

    /// Tells which points press, and which of them slide.
    fn choose(&mut self, structure: &Structure, forces: &Forces, unit: f64, compliance: Option<f64>) {
        for (point, contact) in structure.points.iter().enumerate() {
            let n = contact.normal;
            let d = structure.relative(&self.motions, contact);
            let f = forces.contact[point] / unit;
            // A contact presses, or it is open: whichever is more.
            if f.dot(n) <= (d.dot(n) + 1.0).max(1e-9) {
                continue;
            }
            let a = n.any_orthonormal_vector();
            let frame = [n, a, n.cross(a)];
            let force = frame.map(|axis| f.dot(axis));
            let across = force[1].hypot(force[2]);
            let mu = structure.friction(contact);
            let slides = mu == 0.0 || across >= TUNING.sliding * mu * force[0];
            // Of friction below the limit eq. 11 asks no more than its direction: what it is over the sliding may stay.
            let slid = |axis: DVec3| d.dot(axis);
            let ratio = -(slid(frame[1]) * force[1] + slid(frame[2]) * force[2]) / (across * across).max(1e-24);
            self.pressing.push(Pressing {
                point,
                slides,
                compliance: compliance.unwrap_or(ratio.clamp(0.0, 1e9)),
                frame,
                force,
                unknown: self.unknowns,
                equation: self.equations,
            });
            let more = if slides { 1 } else { 3 };
            self.unknowns += more;
            self.equations += more;
        }
    }

    /// The shortest step that solves the equations to first order.
    fn step(&mut self, structure: &Structure) -> Option<()> {
        let mut matrix = Mat::<f64>::zeros(self.equations, self.unknowns);
        let mut left = Mat::<f64>::zeros(self.equations, 1);
        for (k, load) in self.loads.iter().enumerate() {
            for c in 0..6 {
                left[(6 * k + c, 0)] = load[c];
            }
        }
        for p in &mut self.pressing {
            p.fill(structure, &self.place, &self.motions, &mut matrix, &mut left);
        }
        let mut normal = &matrix * matrix.transpose();
        let largest = (0..self.equations).map(|k| normal[(k, k)]).fold(0.0, f64::max);
        for k in 0..self.equations {
            normal[(k, k)] += 1e-13 * largest;
        }
        // The same bits for any number of threads.
        faer::set_global_parallelism(faer::Par::Seq);
        let step = matrix.transpose() * PartialPivLu::new(normal.as_ref()).solve(&left);
        if !(0..self.unknowns).all(|k| step[(k, 0)].is_finite()) {
            return None;
        }
        for (k, &b) in self.free.iter().enumerate() {
            let at = |c: usize| step[(6 * k + c, 0)];
            self.motions[b].linear -= DVec3::new(at(0), at(1), at(2));
            self.motions[b].angular -= DVec3::new(at(3), at(4), at(5)) / structure.length;
        }
        for p in &mut self.pressing {
            let unknowns = if p.slides { 1 } else { 3 };
            for c in 0..unknowns {
                p.force[c] -= step[(p.unknown + c, 0)];
            }
        }
        // Friction of what slides follows from the motion.
        for p in &mut self.pressing {
            p.slide(structure, &self.motions);
        }
        Some(())
    }
}

impl Pressing {
    fn across(&self, structure: &Structure, motions: &[Twist]) -> (f64, [f64; 2]) {
        let d = structure.relative(motions, &structure.points[self.point]);
        (d.dot(self.frame[0]), [d.dot(self.frame[1]), d.dot(self.frame[2])])
    }

    fn slide(&mut self, structure: &Structure, motions: &[Twist]) {
        if !self.slides {
            return;
        }
        let (_, t) = self.across(structure, motions);
        let (length, mu) = (t[0].hypot(t[1]), structure.friction(&structure.points[self.point]));
        for (k, t) in t.into_iter().enumerate() {
            self.force[1 + k] = if length > 0.0 {
                -mu * self.force[0] * t / length
            } else {
                0.0
            };
        }
    }

    /// Writes the columns and rows of this point, and the residual of its equations.
    fn fill(
        &mut self,
        structure: &Structure,
        place: &[Option<usize>],
        motions: &[Twist],
        matrix: &mut Mat<f64>,
        left: &mut Mat<f64>,
    ) {
        self.slide(structure, motions);
        let point = &structure.points[self.point];
        let (normal, t) = self.across(structure, motions);
        let length = t[0].hypot(t[1]);
        let way = if length > 0.0 {
            [t[0] / length, t[1] / length]
        } else {
            [0.0; 2]
        };
        // Change of the force with each unknown of the force, and with sliding along each axis.
        let mu = structure.friction(point);
        let by_force: Vec<[f64; 3]> = if self.slides {
            vec![[1.0, -mu * way[0], -mu * way[1]]]
        } else {
            vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        };
        let mut by_slide = [[0.0; 2]; 2];
        if self.slides && length > 0.0 {
            for i in 0..2 {
                for j in 0..2 {
                    let identity = if i == j { 1.0 } else { 0.0 };
                    by_slide[i][j] = -mu * self.force[0] * (identity - way[i] * way[j]) / length;
                }
            }
        }
        let rows = |side: usize, axis: usize| -> [f64; 6] {
            let sign = if side == 1 { 1.0 } else { -1.0 };
            let arm = (point.position - structure.center[point.blocks[side] as usize]) / structure.length;
            let (f, m) = (sign * self.frame[axis], sign * arm.cross(self.frame[axis]));
            [f.x, f.y, f.z, m.x, m.y, m.z]
        };
        let sides: Vec<(usize, [[f64; 6]; 3])> = (0..2)
            .filter_map(|side| {
                Some((
                    place[point.blocks[side] as usize]?,
                    [0, 1, 2].map(|axis| rows(side, axis)),
                ))
            })
            .collect();
        for (body, jacobian) in &sides {
            for c in 0..6 {
                let row = 6 * body + c;
                for (axis, along) in jacobian.iter().enumerate() {
                    left[(row, 0)] += along[c] * self.force[axis];
                    for (k, change) in by_force.iter().enumerate() {
                        matrix[(row, self.unknown + k)] += along[c] * change[axis];
                    }
                }
                if self.slides {
                    for (other, motion) in &sides {
                        for d in 0..6 {
                            let mut sum = 0.0;
                            for i in 0..2 {
                                for j in 0..2 {
                                    sum += jacobian[1 + i][c] * by_slide[i][j] * motion[1 + j][d];
                                }
                            }
                            matrix[(row, 6 * other + d)] += sum;
                        }
                    }
                }
            }
            for c in 0..6 {
                matrix[(self.equation, 6 * body + c)] += jacobian[0][c];
                if !self.slides {
                    let by = 1.0 / (1.0 + self.compliance);
                    matrix[(self.equation + 1, 6 * body + c)] += by * jacobian[1][c];
                    matrix[(self.equation + 2, 6 * body + c)] += by * jacobian[2][c];
                }
            }
        }
        left[(self.equation, 0)] = normal + 1.0;
        if !self.slides {
            let by = 1.0 / (1.0 + self.compliance);
            for k in 0..2 {
                left[(self.equation + 1 + k, 0)] = by * (t[k] + self.compliance * self.force[1 + k]);
                matrix[(self.equation + 1 + k, self.unknown + 1 + k)] = by * self.compliance;
            }
        }
    }
}
