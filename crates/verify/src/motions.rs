//! How the blocks move, and what that does to joints and ties.

use drystone_model::{
    Tie,
    certificate::{BlockMotion, TieForce},
};
use glam::DVec3;

use crate::bodies::Bodies;

/// Velocities, or small displacements, of all blocks.
pub(crate) struct Motions {
    /// Of the centre of mass, and rotation; by block.
    by_block: Vec<[DVec3; 2]>,
}

impl Motions {
    /// Motions as a certificate lists them. Blocks that are not listed rest; supports may be listed at rest.
    pub(crate) fn of(listed: &[BlockMotion], bodies: &Bodies) -> Result<Self, String> {
        let mut by_block = vec![[DVec3::ZERO; 2]; bodies.all.len()];
        let mut is_listed = vec![false; bodies.all.len()];
        for motion in listed {
            let block = bodies.find(&motion.block)?;
            if std::mem::replace(&mut is_listed[block], true) {
                return Err(format!("block `{}` is listed twice", motion.block));
            }
            let moves = motion.linear != DVec3::ZERO || motion.angular != DVec3::ZERO;
            if bodies.all[block].fixed && moves {
                return Err(format!("block `{}` is a support and moves", motion.block));
            }
            by_block[block] = [motion.linear, motion.angular];
        }
        Ok(Self { by_block })
    }

    /// Velocity of a point of a block.
    pub(crate) fn at(&self, bodies: &Bodies, block: usize, point: DVec3) -> DVec3 {
        let [linear, angular] = self.by_block[block];
        linear + angular.cross(point - bodies.all[block].center)
    }

    /// Velocity of the second block against the first at a point.
    pub(crate) fn between(&self, bodies: &Bodies, [a, b]: [usize; 2], point: DVec3) -> DVec3 {
        self.at(bodies, b, point) - self.at(bodies, a, point)
    }

    /// The largest speed of any corner.
    pub(crate) fn largest_speed(&self, bodies: &Bodies) -> f64 {
        let of_block = |k: usize| {
            bodies.all[k]
                .corners
                .iter()
                .map(move |&c| self.at(bodies, k, c).length())
        };
        (0..bodies.all.len()).flat_map(of_block).fold(0.0, larger)
    }

    /// The largest speed of a centre of mass.
    pub(crate) fn largest_center_speed(&self) -> f64 {
        self.by_block.iter().map(|m| m[0].length()).fold(0.0, larger)
    }

    /// Power of a force and a moment on a block.
    pub(crate) fn power(&self, block: usize, wrench: &crate::loads::Wrench) -> f64 {
        let [linear, angular] = self.by_block[block];
        wrench.force.dot(linear) + wrench.moment.dot(angular)
    }
}

/// The larger of two, and no number if one is none.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// A tie as the checks need it.
pub(crate) struct Link<'a> {
    pub(crate) tie: &'a Tie,
    pub(crate) blocks: [usize; 2],
    /// Unit vector from the first end to the second.
    pub(crate) along: DVec3,
}

/// All ties of a model, or what is wrong with one.
pub(crate) fn links<'a>(bodies: &Bodies<'a>) -> Result<Vec<Link<'a>>, String> {
    let link = |tie: &'a Tie| -> Result<Link<'a>, String> {
        let along = (tie.to.at - tie.from.at).try_normalize().ok_or("it has no length")?;
        let blocks = [bodies.find(&tie.from.block)?, bodies.find(&tie.to.block)?];
        Ok(Link { tie, blocks, along })
    };
    let ties = bodies.model.ties.iter();
    ties.map(|tie| link(tie).map_err(|why| format!("tie `{}`: {why}", tie.name)))
        .collect()
}

/// The one tie that a force names.
pub(crate) fn link_of<'a, 'b>(links: &'b [Link<'a>], force: &TieForce) -> Result<&'b Link<'a>, String> {
    let mut named = links.iter().filter(|l| l.tie.name == force.tie);
    match (named.next(), named.next()) {
        (Some(link), None) => Ok(link),
        (Some(_), Some(_)) => Err(format!("the model has several ties `{}`", force.tie)),
        (None, _) => Err(format!("the model has no tie `{}`", force.tie)),
    }
}
