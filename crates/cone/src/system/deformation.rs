//! Bodies that deform. Contacts of one such body share a compliance, so that the impulse of each moves all others:
//! N of the rigid motions is multiplied out, what deformation adds stands beside it, and methods see an explicit matrix.
//!
//! A matrix of contacts is the smaller one: a block of eight elements has 78 degrees of freedom on its surface, and four to
//! nine contacts on a face, each of which serves two blocks.

use glam::DVec3;

use super::{Bodies, Matrix, NONE, Operator, System, V6, dot6, spread, times6};
use crate::{
    cone::M3,
    problem::{Deformation, Problem, ProblemError},
};

/// Asymmetry of a compliance that is rounding, over its largest diagonal entry.
const ASYMMETRY: f64 = 1e-9;

/// Memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Product {
    /// The matrix, while problems have none.
    spare: Matrix,
    /// Wrenches of unit impulses of each constraint on its two bodies, about their centres, and the twists that they cause.
    wrench: Vec<[[V6; 3]; 2]>,
    twist: Vec<[[V6; 3]; 2]>,
    near: Vec<u32>,
    /// Place of each contact and link in the solver's order, and its frame.
    place: Vec<u32>,
    frame: Vec<[DVec3; 3]>,
    /// Contacts and links of one body in the solver's order: their places, and where they stand in its list.
    own: Vec<(u32, u32)>,
}

impl Deformation {
    /// The compliance between two of its contacts, by their places in its list: what an impulse there moves here.
    pub(crate) fn block(&self, here: usize, there: usize) -> M3 {
        let rows = 3 * self.contacts.len();
        std::array::from_fn(|r| {
            let first = (3 * here + r) * rows + 3 * there;
            std::array::from_fn(|c| self.compliance[first + c])
        })
    }

    /// Whether an impulse of a contact or link acts on the body as it is, or reversed.
    pub(crate) fn sign(&self, problem: &Problem, place: u32) -> f64 {
        match problem.joins(place)[1] == self.body {
            true => 1.0,
            false => -1.0,
        }
    }

    /// Adds to each of its contacts and links what impulses on the second bodies make of the relative velocity there, by
    /// deformation.
    pub(crate) fn respond(
        &self,
        problem: &Problem,
        [impulses, link_impulses]: [&dyn Fn(usize) -> DVec3; 2],
        mut add: impl FnMut(u32, DVec3),
    ) {
        let count = problem.contacts.len();
        let impulse = |place: u32| match (place as usize).checked_sub(count) {
            None => impulses(place as usize),
            Some(link) => link_impulses(link),
        };
        for (here, &place) in self.contacts.iter().enumerate() {
            let mut moved = DVec3::ZERO;
            for (there, &other) in self.contacts.iter().enumerate() {
                let on_body = self.sign(problem, other) * impulse(other);
                moved += DVec3::from_array(self.block(here, there).map(|row| DVec3::from_array(row).dot(on_body)));
            }
            add(place, self.sign(problem, place) * moved);
        }
    }

    /// The mean of what a unit impulse of one of its contacts or links moves there.
    pub(crate) fn own(&self, problem: &Problem, k: usize) -> f64 {
        let own = self.block(k, k);
        let along = |d: DVec3| d.dot(DVec3::from_array(own.map(|row| DVec3::from_array(row).dot(d))));
        match (self.contacts[k] as usize).checked_sub(problem.contacts.len()) {
            None => (own[0][0] + own[1][1] + own[2][2]) / 3.0,
            Some(link) => along(problem.links[link].force),
        }
    }
}

impl Problem {
    /// The bodies of a contact, or of a link, which count on from the contacts.
    pub(crate) fn joins(&self, place: u32) -> [u32; 2] {
        match (place as usize).checked_sub(self.contacts.len()) {
            None => self.contacts[place as usize].bodies,
            Some(link) => self.links[link].bodies,
        }
    }

    /// Directions of the components of its impulse.
    pub(crate) fn axes(&self, place: u32) -> [DVec3; 3] {
        match (place as usize).checked_sub(self.contacts.len()) {
            None => {
                let contact = &self.contacts[place as usize];
                let [a, b] = contact.tangents();
                [contact.normal, a, b]
            }
            Some(link) => [self.links[link].force, DVec3::ZERO, DVec3::ZERO],
        }
    }
}

pub(super) fn validate(problem: &Problem) -> Result<(), ProblemError> {
    let wrong = |body: u32, what: &str| Err(ProblemError::Shape(format!("the deformation of body {body} {what}")));
    for deformation in &problem.deformations {
        let Deformation {
            body,
            contacts,
            compliance,
        } = deformation;
        let count = problem.contacts.len() + problem.links.len();
        let acts = |&place: &u32| (place as usize) < count && problem.joins(place).contains(body);
        if !contacts.iter().all(acts) {
            return wrong(*body, "names a contact or link that does not act on it");
        }
        if !contacts.is_sorted_by(|a, b| a < b) {
            return wrong(*body, "names contacts or links that are not in rising order");
        }
        let rows = 3 * contacts.len();
        if compliance.len() != rows * rows {
            let (have, count) = (compliance.len(), contacts.len());
            return wrong(*body, &format!("has {have} numbers for {count} contacts"));
        }
        let most = (0..rows).map(|k| compliance[k * rows + k]).fold(0.0, f64::max);
        for r in 0..rows {
            if !(compliance[r * rows + r] >= 0.0) {
                return wrong(*body, "has a diagonal that is negative or no number");
            }
            for c in 0..r {
                let [a, b] = [compliance[r * rows + c], compliance[c * rows + r]];
                if !((a - b).abs() <= ASYMMETRY * most && a.is_finite()) {
                    return wrong(*body, "is not symmetric, or not finite");
                }
            }
        }
    }
    let mut bodies: Vec<u32> = problem.deformations.iter().map(|d| d.body).collect();
    bodies.sort_unstable();
    match bodies.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => wrong(pair[0], "is given twice"),
        None => Ok(()),
    }
}

/// What deformation adds to the mean diagonal of each contact and link, in the order of the problem.
pub(super) fn mean_diagonals(problem: &Problem, means: &mut Vec<f64>) {
    means.clear();
    if problem.deformations.is_empty() {
        return;
    }
    means.resize(problem.contacts.len() + problem.links.len(), 0.0);
    for deformation in &problem.deformations {
        for (k, &place) in deformation.contacts.iter().enumerate() {
            means[place as usize] += deformation.own(problem, k);
        }
    }
}

/// Replaces the bodies of a system by a matrix, with what deformation adds. The bodies stay behind it.
pub(super) fn multiply_out(system: &mut System, problem: &Problem) {
    let Operator::Bodies(bodies) = &system.operator else {
        return;
    };
    let product = &mut system.product;
    let mut matrix = std::mem::take(&mut product.spare);
    product.rigid(bodies, &mut matrix);
    product.frames(problem, &system.order);
    let scale = |i: usize, j: usize| system.units.mass / (system.weight[i] * system.weight[j]);
    for deformation in &problem.deformations {
        product.add(deformation, problem, scale, &mut matrix);
    }
    let bodies = std::mem::replace(&mut system.operator, Operator::Matrix(matrix));
    if let Operator::Bodies(bodies) = bodies {
        system.behind = Some(bodies);
    }
}

impl Product {
    /// Takes back the memory of a matrix.
    pub(super) fn keep(&mut self, matrix: Matrix) {
        self.spare = matrix;
    }

    /// N of the rigid motions, a row of blocks after the other.
    fn rigid(&mut self, bodies: &Bodies, matrix: &mut Matrix) {
        let count = bodies.jacobian.len();
        let rows = |i: usize| {
            let pair = bodies.pair(i);
            [0, 1].map(|side| bodies.jacobian[i].map(|row| spread(&row, &pair.arms[side])))
        };
        self.wrench.clear();
        self.wrench.extend((0..count).map(rows));
        self.twist.clear();
        self.twist.extend(self.wrench.iter().enumerate().map(|(i, wrench)| {
            let pair = bodies.pair(i);
            [0, 1].map(|side| match pair.bodies[side] {
                NONE => [[0.0; 6]; 3],
                body => wrench[side].map(|row| times6(&bodies.inverse[body as usize], &row)),
            })
        }));
        matrix.start.clear();
        matrix.column.clear();
        matrix.diagonal.clear();
        matrix.block.clear();
        for p in 0..bodies.len() {
            let pair = &bodies.pairs[p];
            self.near.clear();
            self.near.push(p as u32);
            for body in pair.bodies.into_iter().filter(|&b| b != NONE) {
                self.near
                    .extend(bodies.incident(body as usize).map(|(pair, _)| pair as u32));
            }
            self.near.sort_unstable();
            self.near.dedup();
            for i in bodies.constraints(p) {
                matrix.start.push(matrix.column.len() as u32);
                for &q in &self.near {
                    let other = bodies.pairs[q as usize].bodies;
                    for j in bodies.constraints(q as usize) {
                        if i == j {
                            matrix.diagonal.push(matrix.column.len() as u32);
                        }
                        matrix.column.push(j as u32);
                        matrix.block.push(self.coupling([i, j], [pair.bodies, other]));
                    }
                }
            }
        }
        matrix.start.push(matrix.column.len() as u32);
    }

    /// The block of N between two constraints, by the bodies that they share.
    fn coupling(&self, [i, j]: [usize; 2], [own, other]: [[u32; 2]; 2]) -> M3 {
        let mut block = [[0.0; 3]; 3];
        for here in 0..2 {
            for there in 0..2 {
                if own[here] == NONE || own[here] != other[there] {
                    continue;
                }
                let sign = if here == there { 1.0 } else { -1.0 };
                for r in 0..3 {
                    for c in 0..3 {
                        block[r][c] += sign * dot6(&self.wrench[i][here][r], &self.twist[j][there][c]);
                    }
                }
            }
        }
        block
    }

    fn frames(&mut self, problem: &Problem, order: &[u32]) {
        self.place.resize(order.len(), 0);
        for (i, &place) in (0..).zip(order) {
            self.place[place as usize] = i;
        }
        self.frame.clear();
        self.frame
            .extend((0..order.len() as u32).map(|place| problem.axes(place)));
    }

    /// Adds what a body's deformation does between its contacts.
    fn add(
        &mut self,
        deformation: &Deformation,
        problem: &Problem,
        scale: impl Fn(usize, usize) -> f64,
        matrix: &mut Matrix,
    ) {
        let Self { place, frame, own, .. } = self;
        own.clear();
        own.extend((0..).zip(&deformation.contacts).map(|(k, &c)| (place[c as usize], k)));
        own.sort_unstable();
        let signed = |k: u32| {
            let contact = deformation.contacts[k as usize];
            let sign = deformation.sign(problem, contact);
            frame[contact as usize].map(|axis| sign * axis)
        };
        for &(i, here) in own.iter() {
            let (i, rows) = (i as usize, signed(here));
            let mut at = matrix.start[i] as usize;
            for &(j, there) in own.iter() {
                // Both lists rise, and the row has all constraints of the body.
                while matrix.column[at] < j {
                    at += 1;
                }
                let columns = signed(there);
                let c = deformation.block(here as usize, there as usize);
                let factor = scale(i, j as usize);
                for (l, column) in columns.iter().enumerate() {
                    let moved = DVec3::from_array(c.map(|row| DVec3::from_array(row).dot(*column)));
                    for (k, row) in rows.iter().enumerate() {
                        matrix.block[at][k][l] += factor * row.dot(moved);
                    }
                }
            }
        }
    }
}
