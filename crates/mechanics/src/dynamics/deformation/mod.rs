//! Deformation of blocks in a time step (paper 002, sections 2 and 3).
//!
//! A block that deforms is a rigid one, moved as all blocks are, and displacements u of the nodes of its finite elements in axes
//! that move with it. These hold no rigid motion, `R' M u = 0`, so that mass and momentum fall apart into the two; strains are
//! small, rotations of any size. A step of length h finds the velocities v at its end by the theta method:
//!
//! ```text
//! A v+ = (M - h (1-theta) (C + h theta K)) v - h K u + h f + H r,    A = M + h theta C + h² theta² K
//! u+ = u + h (theta v+ + (1-theta) v)
//! ```
//!
//! with Rayleigh's damping C = alpha M + beta K, forces f beside gravity, impulses r of contacts and links, and the interpolation H from
//! the nodes of the block's surface to where these act. The contact problem is told the free velocities there and the compliance
//! `H' A^-1 H` between them; gaps are those of the deformed faces. A does not change while the axes of the block move, so that it is
//! factorised once for all blocks of a shape.
//!
//! What is left out: that inertias change with the strain, and that forces turn faces by it. Both are of the size of the strain.

mod places;

use std::collections::BTreeMap;

use drystone_cone::{Deformation as Stated, Problem, Solution};
use drystone_contact::{BlockMesh, Meshed, Placement};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::places::{Places, Side};
use super::SimulationError;
use crate::{
    Structure,
    deformable::{Elastic, ElasticBlocks, ElasticShape, Elements, Facet, FacetNodes, Response},
};

/// In place of the row of a node that is not on the surface.
const INSIDE: u32 = u32::MAX;
/// Steps of so many lengths are kept factorised.
const LENGTHS: usize = 6;

/// How a block is deformed, in its own axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deformed {
    /// Displacement of each node (unit: m).
    pub displacement: Vec<DVec3>,
    /// Velocity of each node beside the rigid motion (unit: m/s).
    pub velocity: Vec<DVec3>,
}

/// Energy of deformation, and what became of it in a step (unit: J).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeformationWork {
    /// Strain energy and kinetic energy beside the rigid motion, at the end.
    pub(super) energy: f64,
    /// Taken by Rayleigh's damping and by that of the step.
    pub(super) damped: f64,
    /// Given by loads.
    pub(super) input: f64,
}

/// A shape as it answers in a step of one length.
#[derive(Debug)]
struct Stepped {
    response: Response,
    flexibility: Vec<f64>,
}

/// Memory of a step.
#[derive(Debug, Default)]
pub(super) struct Deformation {
    blocks: ElasticBlocks,
    /// Row of each node of each shape in its flexibility, or [`INSIDE`], and how many rows there are.
    rows: Vec<(Vec<u32>, usize)>,
    /// By the length of the step and theta, as bits: each shape.
    stepped: BTreeMap<(u64, u64), Vec<Stepped>>,
    places: Places,
    /// By block that deforms: loads beside inertia (N s), right side of the equation, velocities without contacts.
    loads: Vec<Vec<DVec3>>,
    right: Vec<Vec<DVec3>>,
    free: Vec<Vec<DVec3>>,
    scratch: Vec<DVec3>,
    product: Vec<DVec3>,
}

impl Deformation {
    /// That of a structure; with explicit steps all blocks are rigid.
    pub(super) fn new(structure: &Structure, is_explicit: bool) -> Self {
        let blocks = match is_explicit {
            true => ElasticBlocks::default(),
            false => structure.elastic.clone(),
        };
        let rows = blocks.shapes.iter().map(|shape| {
            let nodes = shape.elastic.mesh().surface_nodes();
            let mut rows = vec![INSIDE; shape.elastic.node_count()];
            for (row, node) in (0..).zip(&nodes) {
                rows[*node as usize] = row;
            }
            (rows, nodes.len())
        });
        let zeros: Vec<Vec<DVec3>> = (0..blocks.blocks.len())
            .map(|k| vec![DVec3::ZERO; blocks.shape(k).elastic.node_count()])
            .collect();
        Self {
            rows: rows.collect(),
            loads: zeros.clone(),
            right: zeros.clone(),
            free: zeros,
            blocks,
            ..Self::default()
        }
    }

    /// Whether all blocks are rigid.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Elements of each block, for the search of contacts.
    pub(super) fn meshed(&self, blocks: usize) -> Meshed {
        // Nodes of hexahedra lie on a grid.
        let of_shape = |(shape, (rows, _)): (&std::sync::Arc<ElasticShape>, &(Vec<u32>, usize))| {
            let mesh = shape.elastic.mesh();
            let edges = shape.edges;
            if matches!(mesh.elements, Elements::H8(_)) {
                return BlockMesh {
                    edges,
                    ..BlockMesh::default()
                };
            }
            let triangle = |facet: &Facet| match facet.nodes {
                FacetNodes::Triangle(nodes) => Some(nodes.map(|n| rows[n as usize])),
                FacetNodes::Quad(_) => None,
            };
            BlockMesh {
                edges,
                nodes: mesh.surface_nodes().iter().map(|&n| mesh.nodes[n as usize]).collect(),
                triangles: mesh.surface.iter().filter_map(triangle).collect(),
            }
        };
        let meshes: Vec<BlockMesh> = self.blocks.shapes.iter().zip(&self.rows).map(of_shape).collect();
        let mesh = |b: usize| {
            let (_, shape) = self.blocks.blocks[self.blocks.place(b as u32)?];
            Some(meshes[shape as usize].clone())
        };
        match self.is_empty() {
            true => Meshed::default(),
            false => Meshed((0..blocks).map(mesh).collect()),
        }
    }

    /// Whether a block deforms.
    pub(super) fn has(&self, block: usize) -> bool {
        self.blocks.place(block as u32).is_some()
    }

    /// Blocks as they are drawn.
    pub(super) fn undeformed(&self) -> Vec<Deformed> {
        let zero = |k: usize| vec![DVec3::ZERO; self.blocks.shape(k).elastic.node_count()];
        let one = |k: usize| Deformed {
            displacement: zero(k),
            velocity: zero(k),
        };
        (0..self.blocks.blocks.len()).map(one).collect()
    }

    /// From here on nothing depends on what came before.
    pub(super) fn forget(&mut self) {
        self.places.forget();
    }

    /// Deforms a block as it is told, but for the rigid motion. Whether it can be.
    pub(super) fn set(&self, block: usize, deformed: &Deformed, state: &mut [Deformed]) -> bool {
        let Some(place) = self.blocks.place(block as u32) else {
            return false;
        };
        let elastic = &self.blocks.shape(place).elastic;
        let count = elastic.node_count();
        if [deformed.displacement.len(), deformed.velocity.len()] != [count; 2] {
            return false;
        }
        state[place].clone_from(deformed);
        elastic.remove_rigid(&mut state[place].displacement);
        elastic.remove_rigid(&mut state[place].velocity);
        true
    }

    /// The largest displacement of a node and the largest velocity, of all blocks that deform.
    pub(super) fn largest(&self, state: &[Deformed]) -> [f64; 2] {
        let most = |x: &[DVec3]| x.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        state.iter().fold([0.0; 2], |[u, v], d| {
            [u.max(most(&d.displacement)), v.max(most(&d.velocity))]
        })
    }

    /// Finds where contacts act on their blocks, and how the two sides have moved against each other there.
    pub(super) fn locate_contacts(
        &mut self,
        contacts: impl Iterator<Item = ([u32; 2], [DVec3; 2])>,
        placements: &[Placement],
        state: &[Deformed],
    ) {
        self.places.begin();
        for (blocks, arms) in contacts {
            self.places.locate(&self.blocks, blocks, arms, placements, state);
        }
    }

    /// The same for a link, after the contacts, by the places where it acts on its two blocks. Gives their displacement and
    /// velocity against each other.
    pub(super) fn locate_link(
        &mut self,
        blocks: [u32; 2],
        points: [DVec3; 2],
        placements: &[Placement],
        state: &[Deformed],
    ) -> [DVec3; 2] {
        let arms = [0, 1].map(|side| points[side] - placements[blocks[side] as usize].center);
        self.places.locate(&self.blocks, blocks, arms, placements, state)
    }

    /// Displacement and velocity of the second block against the first at contacts and links, by deformation, at the start of
    /// the step.
    pub(super) fn jumps(&self) -> &[[DVec3; 2]] {
        &self.places.jumps
    }

    /// Clears the loads of the step.
    pub(super) fn clear_loads(&mut self) {
        for loads in &mut self.loads {
            loads.fill(DVec3::ZERO);
        }
    }

    /// Adds the impulse of a load at a point of a block (N s), in the axes of the block. Where a load has no place, it acts on the
    /// whole block alike and deforms nothing.
    pub(super) fn add_load(&mut self, block: usize, at: DVec3, impulse: DVec3) {
        let Some(place) = self.blocks.place(block as u32) else {
            return;
        };
        let loads = &mut self.loads[place];
        for &(node, w) in self.places.interpolated(&self.blocks.shape(place).elastic, at) {
            loads[node as usize] += w * impulse;
        }
    }

    /// States how blocks answer in a step: free velocities and compliance. `spins` are the angular velocities at its start.
    pub(super) fn state(
        &mut self,
        problem: &mut Problem,
        theta: f64,
        state: &[Deformed],
        placements: &[Placement],
        spins: impl Fn(usize) -> DVec3,
    ) -> Result<(), SimulationError> {
        let h = problem.dt;
        let key = (h.to_bits(), theta.to_bits());
        if !self.stepped.contains_key(&key) {
            if self.stepped.len() >= LENGTHS {
                self.stepped.clear();
            }
            let made = self.step_shapes(h, theta)?;
            self.stepped.insert(key, made);
        }
        for (k, &(block, _)) in self.blocks.blocks.iter().enumerate() {
            let shape = self.blocks.shape(k);
            let [alpha, beta] = shape.rayleigh;
            let (elastic, right, deformed) = (&shape.elastic, &mut self.right[k], &state[k]);
            let rest = 1.0 - theta;
            let scratch = &mut self.scratch;
            scratch.clear();
            let moved = deformed.displacement.iter().zip(&deformed.velocity);
            scratch.extend(moved.map(|(u, v)| h * *u + h * rest * (beta + h * theta) * *v));
            elastic.stiffness_times(scratch, right);
            right.iter_mut().for_each(|f| *f = -*f);
            // What spins is pulled outwards.
            let spin = placements[block as usize].rotation.conjugate() * spins(block as usize);
            let kept = 1.0 - h * rest * alpha;
            for ((x, v), node) in scratch.iter_mut().zip(&deformed.velocity).zip(&elastic.mesh().nodes) {
                *x = kept * *v - h * spin.cross(spin.cross(*node));
            }
            let free = &mut self.free[k];
            elastic.mass_times(scratch, free);
            for ((f, m), load) in right.iter_mut().zip(free.iter()).zip(&self.loads[k]) {
                *f += *m + *load;
            }
            free.copy_from_slice(right);
        }
        let Some(stepped) = self.stepped.get_mut(&key) else {
            return Ok(());
        };
        for (k, &(_, shape)) in self.blocks.blocks.iter().enumerate() {
            let elastic = &self.blocks.shapes[shape as usize].elastic;
            stepped[shape as usize].response.solve(elastic, &mut self.free[k]);
        }
        self.state_velocities(problem, placements);
        self.state_compliance(problem, key, placements);
        Ok(())
    }

    /// Factorises every shape for a length of the step.
    fn step_shapes(&self, h: f64, theta: f64) -> Result<Vec<Stepped>, SimulationError> {
        let one = |shape: &std::sync::Arc<ElasticShape>| {
            let [alpha, beta] = shape.rayleigh;
            let (mass, stiffness) = (1.0 + h * theta * alpha, h * theta * beta + h * h * theta * theta);
            let mut response = Response::new(&shape.elastic, mass, stiffness)?;
            let nodes = shape.elastic.mesh().surface_nodes();
            let flexibility = response.flexibility(&shape.elastic, &nodes);
            Ok(Stepped { response, flexibility })
        };
        let made: Result<Vec<Stepped>, crate::deformable::ElasticError> =
            self.blocks.shapes.par_iter().map(one).collect();
        made.map_err(|source| SimulationError::Elastic(source.to_string()))
    }

    /// What deformation moves contacts and links by if nothing touches the blocks.
    fn state_velocities(&self, problem: &mut Problem, placements: &[Placement]) {
        let jump = |sides: &[Side; 2]| {
            let moved = [0, 1].map(|side| self.places.at(&self.blocks, &sides[side], placements, &self.free));
            moved[1] - moved[0]
        };
        let count = problem.contacts.len();
        for (contact, sides) in problem.contacts.iter_mut().zip(&self.places.sides) {
            contact.free_deformation = jump(sides);
        }
        for (link, sides) in problem.links.iter_mut().zip(&self.places.sides[count..]) {
            link.free_deformation = link.force.dot(jump(sides));
        }
    }

    fn state_compliance(&self, problem: &mut Problem, key: (u64, u64), placements: &[Placement]) {
        let all = &mut problem.deformations;
        all.resize_with(self.blocks.blocks.len(), Stated::default);
        for (stated, &(block, _)) in all.iter_mut().zip(&self.blocks.blocks) {
            stated.body = block;
            stated.contacts.clear();
        }
        for (i, sides) in (0..).zip(&self.places.sides) {
            for side in sides {
                if let Some(place) = side.place.checked_sub(1) {
                    all[place as usize].contacts.push(i);
                }
            }
        }
        let stepped = &self.stepped[&key];
        all.par_iter_mut().enumerate().for_each(|(k, stated)| {
            let (block, shape) = self.blocks.blocks[k];
            let (rows, count) = &self.rows[shape as usize];
            let flexibility = &stepped[shape as usize].flexibility;
            let turn = DMat3::from_quat(placements[block as usize].rotation);
            let side = 3 * stated.contacts.len();
            stated.compliance.resize(side * side, 0.0);
            let own = |place: u32| {
                let sides = &self.places.sides[place as usize];
                let side = if sides[0].place == k as u32 + 1 {
                    &sides[0]
                } else {
                    &sides[1]
                };
                self.places.weights(side)
            };
            for (i, &here) in stated.contacts.iter().enumerate() {
                for (j, &there) in stated.contacts.iter().enumerate().take(i + 1) {
                    let mut sum = DMat3::ZERO;
                    for &(a, wa) in own(here) {
                        for &(b, wb) in own(there) {
                            let (row, column) = (rows[a as usize] as usize, rows[b as usize] as usize);
                            let w = wa * wb;
                            for r in 0..3 {
                                let from = (3 * row + r) * 3 * count + 3 * column;
                                for c in 0..3 {
                                    sum.col_mut(c)[r] += w * flexibility[from + c];
                                }
                            }
                        }
                    }
                    let block = turn * sum * turn.transpose();
                    for r in 0..3 {
                        for c in 0..3 {
                            let value = if i == j {
                                0.5 * (block.col(c)[r] + block.col(r)[c])
                            } else {
                                block.col(c)[r]
                            };
                            stated.compliance[(3 * i + r) * side + 3 * j + c] = value;
                            stated.compliance[(3 * j + c) * side + 3 * i + r] = value;
                        }
                    }
                }
            }
        });
    }

    /// Moves the nodes by the impulses of a step that was solved.
    pub(super) fn integrate(
        &mut self,
        problem: &Problem,
        solution: &Solution,
        theta: f64,
        placements: &[Placement],
        state: &mut [Deformed],
    ) -> DeformationWork {
        let h = problem.dt;
        let key = (h.to_bits(), theta.to_bits());
        let Some(mut stepped) = self.stepped.remove(&key) else {
            return DeformationWork::default();
        };
        for (free, right) in self.free.iter_mut().zip(&self.right) {
            free.copy_from_slice(right);
        }
        let count = problem.contacts.len();
        for (i, sides) in self.places.sides.iter().enumerate() {
            let impulse = match i.checked_sub(count) {
                None => solution.impulses[i],
                Some(link) => solution.link_impulses[link] * problem.links[link].force,
            };
            for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
                let Some(place) = side.place.checked_sub(1) else {
                    continue;
                };
                let block = self.blocks.blocks[place as usize].0;
                let own = placements[block as usize].rotation.conjugate() * (sign * impulse);
                for &(node, w) in self.places.weights(side) {
                    self.free[place as usize][node as usize] += w * own;
                }
            }
        }
        let mut work = DeformationWork::default();
        let (scratch, product) = (&mut self.scratch, &mut self.product);
        for (k, &(_, shape)) in self.blocks.blocks.iter().enumerate() {
            let own = self.blocks.shape(k);
            let elastic = &own.elastic;
            let after = &mut self.free[k];
            stepped[shape as usize].response.solve(elastic, after);
            let deformed = &mut state[k];
            work.damped += damped(elastic, own.rayleigh, deformed, after, (h, theta), [scratch, product]);
            let mean = deformed.velocity.iter().zip(after.iter()).map(|(a, b)| 0.5 * (*a + *b));
            work.input += mean.zip(&self.loads[k]).map(|(v, f)| v.dot(*f)).sum::<f64>();
            let moved = deformed
                .displacement
                .iter_mut()
                .zip(&deformed.velocity)
                .zip(after.iter());
            for ((u, v), w) in moved {
                *u += h * (theta * *w + (1.0 - theta) * *v);
            }
            elastic.remove_rigid(&mut deformed.displacement);
            deformed.velocity.copy_from_slice(after);
            work.energy += elastic.strain_energy(&deformed.displacement) + elastic.kinetic_energy(after);
        }
        self.stepped.insert(key, stepped);
        work
    }

    /// Energy of the deformation (J).
    pub(super) fn energy(&self, state: &[Deformed]) -> f64 {
        let one = |(k, d): (usize, &Deformed)| {
            let elastic = &self.blocks.shape(k).elastic;
            elastic.strain_energy(&d.displacement) + elastic.kinetic_energy(&d.velocity)
        };
        state.iter().enumerate().map(one).sum()
    }
}

/// What damping takes in a step: Rayleigh's `h v_mean . C v_theta`, and that of the method,
/// `(theta - 1/2) (du . K du - h dv . K u_theta)`.
fn damped(
    elastic: &Elastic,
    [alpha, beta]: [f64; 2],
    from: &Deformed,
    to: &[DVec3],
    (h, theta): (f64, f64),
    [x, product]: [&mut Vec<DVec3>; 2],
) -> f64 {
    if theta == 0.5 && alpha == 0.0 && beta == 0.0 {
        return 0.0;
    }
    let count = to.len();
    product.resize(count, DVec3::ZERO);
    let dot = |a: &dyn Fn(usize) -> DVec3, b: &[DVec3]| (0..count).map(|i| a(i).dot(b[i])).sum::<f64>();
    let v = |i: usize| theta * to[i] + (1.0 - theta) * from.velocity[i];
    let mean = |i: usize| 0.5 * (to[i] + from.velocity[i]);
    let fill = |x: &mut Vec<DVec3>, of: &dyn Fn(usize) -> DVec3| {
        x.clear();
        x.extend((0..count).map(of));
    };
    let mut sum = 0.0;
    fill(x, &v);
    elastic.stiffness_times(x, product);
    // h K v is K du.
    sum += h * beta * dot(&mean, product) + (theta - 0.5) * h * h * dot(&v, product);
    if alpha > 0.0 {
        elastic.mass_times(x, product);
        sum += h * alpha * dot(&mean, product);
    }
    fill(x, &|i| from.displacement[i] + h * theta * v(i));
    elastic.stiffness_times(x, product);
    sum - (theta - 0.5) * h * dot(&|i| to[i] - from.velocity[i], product)
}

/// Velocity of the second block against the first at a contact, rigid motion and deformation together.
pub(super) fn relative_after(problem: &Problem, solution: &Solution, k: usize, rigid: DVec3) -> DVec3 {
    match problem.deformations.is_empty() {
        true => rigid,
        false => solution.relative_velocities[k],
    }
}

/// The same along a link.
pub(super) fn link_after(problem: &Problem, solution: &Solution, k: usize, rigid: f64) -> f64 {
    match problem.deformations.is_empty() {
        true => rigid,
        false => solution.link_velocities[k],
    }
}
