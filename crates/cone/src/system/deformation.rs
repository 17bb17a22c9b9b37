//! Bodies that deform. Contacts of one such body share a compliance, so that the impulse of each moves all others:
//! N of the rigid motions is multiplied out, what deformation adds stands beside it, and methods see an explicit matrix.
//!
//! A matrix of contacts is the smaller one: a block of eight elements has 78 degrees of freedom on its surface, and four to
//! nine contacts on a face, each of which serves two blocks.

use glam::DVec3;
use rayon::prelude::*;

use super::{Bodies, Matrix, NONE, Operator, System, V6, dot6, spread, times6};
use crate::{
    cone::M3,
    parallel,
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
    /// Contacts and links of each deformation after the other in the solver's order: their places, and where they stand in its
    /// list; and where those of each begin.
    own: Vec<(u32, u32)>,
    begins: Vec<u32>,
    /// For each constraint, the deformations that it takes part in plus one, and where it stands in their lists.
    part: Vec<[(u32, u32); 2]>,
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

fn wrong(body: u32, what: &str) -> Result<(), ProblemError> {
    Err(ProblemError::Shape(format!("the deformation of body {body} {what}")))
}

pub(super) fn validate(problem: &Problem) -> Result<(), ProblemError> {
    let checked = problem.deformations.par_iter().map(|d| validate_one(problem, d));
    if let Some(error) = checked.find_first(Result::is_err) {
        return error;
    }
    let mut bodies: Vec<u32> = problem.deformations.iter().map(|d| d.body).collect();
    bodies.sort_unstable();
    match bodies.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => wrong(pair[0], "is given twice"),
        None => Ok(()),
    }
}

fn validate_one(problem: &Problem, deformation: &Deformation) -> Result<(), ProblemError> {
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
    Ok(())
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
    product.rigid(bodies);
    product.shape(bodies, &mut matrix);
    product.frames(problem, &system.order);
    product.parts(problem);
    let scale = |i: usize, j: usize| system.units.mass / (system.weight[i] * system.weight[j]);
    let Matrix {
        start, column, block, ..
    } = &mut matrix;
    parallel::for_each_row(start, block, |i, blocks| {
        let columns = &column[start[i] as usize..start[i + 1] as usize];
        let own = bodies.pair(i).bodies;
        for (block, &j) in blocks.iter_mut().zip(columns) {
            let j = j as usize;
            *block = product.coupling([i, j], [own, bodies.pair(j).bodies]);
        }
        product.add(i, problem, scale, columns, blocks);
    });
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

    /// What unit impulses do to bodies that are rigid.
    fn rigid(&mut self, bodies: &Bodies) {
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
    }

    /// Which blocks there are, a row after the other.
    fn shape(&mut self, bodies: &Bodies, matrix: &mut Matrix) {
        matrix.start.clear();
        matrix.column.clear();
        matrix.diagonal.clear();
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
                for j in self.near.iter().flat_map(|&q| bodies.constraints(q as usize)) {
                    if i == j {
                        matrix.diagonal.push(matrix.column.len() as u32);
                    }
                    matrix.column.push(j as u32);
                }
            }
        }
        matrix.start.push(matrix.column.len() as u32);
        matrix.block.resize(matrix.column.len(), [[0.0; 3]; 3]);
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

    /// Contacts and links of all deformations in the solver's order.
    fn parts(&mut self, problem: &Problem) {
        self.own.clear();
        self.begins.clear();
        self.part.clear();
        self.part.resize(self.place.len(), [(0, 0); 2]);
        for (d, deformation) in (1..).zip(&problem.deformations) {
            let first = self.own.len();
            self.begins.push(first as u32);
            let places = deformation.contacts.iter().map(|&c| self.place[c as usize]);
            self.own.extend(places.zip(0..));
            self.own[first..].sort_unstable();
            for &(i, k) in &self.own[first..] {
                let part = &mut self.part[i as usize];
                part[usize::from(part[0].0 > 0)] = (d, k);
            }
        }
        self.begins.push(self.own.len() as u32);
    }

    /// Adds to a row what the deformations of its two bodies do.
    fn add(
        &self,
        i: usize,
        problem: &Problem,
        scale: impl Fn(usize, usize) -> f64,
        columns: &[u32],
        blocks: &mut [M3],
    ) {
        for (d, here) in self.part[i] {
            let Some(d) = (d as usize).checked_sub(1) else {
                continue;
            };
            let deformation = &problem.deformations[d];
            let signed = |k: u32| {
                let contact = deformation.contacts[k as usize];
                let sign = deformation.sign(problem, contact);
                self.frame[contact as usize].map(|axis| sign * axis)
            };
            let rows = signed(here);
            let mut at = 0;
            for &(j, there) in &self.own[self.begins[d] as usize..self.begins[d + 1] as usize] {
                // Both lists rise, and the row has all constraints of the body.
                while columns[at] < j {
                    at += 1;
                }
                let c = deformation.block(here as usize, there as usize);
                let factor = scale(i, j as usize);
                for (l, column) in signed(there).iter().enumerate() {
                    let moved = DVec3::from_array(c.map(|row| DVec3::from_array(row).dot(*column)));
                    for (k, row) in rows.iter().enumerate() {
                        blocks[at][k][l] += factor * row.dot(moved);
                    }
                }
            }
        }
    }
}
