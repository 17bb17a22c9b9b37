//! How the blocks move, and what that does to joints and ties.

use drystone_model::{
    Tie,
    certificate::{BlockMotion, TieForce},
};
use glam::DVec3;

use crate::{bodies::Bodies, wide::WideVector};

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
            if bodies.fixed[block] && moves {
                return Err(format!("block `{}` is a support and moves", motion.block));
            }
            by_block[block] = [motion.linear, motion.angular];
        }
        Ok(Self { by_block })
    }

    /// The same motions, faster by a power of two: no digit changes.
    pub(crate) fn faster(mut self, by: f64) -> Self {
        self.by_block.iter_mut().flatten().for_each(|v| *v *= by);
        self
    }

    /// Whether a block moves.
    pub(crate) fn moves(&self, block: usize) -> bool {
        self.by_block[block] != [DVec3::ZERO; 2]
    }

    /// Velocity of the second block against the first, each at a point of its own.
    pub(crate) fn apart(&self, bodies: &Bodies, [a, b]: [usize; 2], points: [DVec3; 2]) -> DVec3 {
        let mut sum = WideVector::default();
        for (block, point, sign) in [(b, points[1], 1.0), (a, points[0], -1.0)] {
            let [linear, angular] = self.by_block[block];
            sum.add(sign * linear);
            // w x (p - c) = -(p - c) x w
            sum.add_cross(-sign, point, bodies.all[block].center, angular);
        }
        sum.value()
    }

    /// Velocity of the second block against the first at a point.
    pub(crate) fn between(&self, bodies: &Bodies, blocks: [usize; 2], point: DVec3) -> DVec3 {
        self.apart(bodies, blocks, [point; 2])
    }

    /// Rotation of the second block against the first.
    pub(crate) fn turning(&self, [a, b]: [usize; 2]) -> f64 {
        (self.by_block[b][1] - self.by_block[a][1]).length()
    }

    /// The largest speed of any corner of a block.
    pub(crate) fn speed(&self, bodies: &Bodies, block: usize) -> f64 {
        if !self.moves(block) {
            return 0.0;
        }
        let [linear, angular] = self.by_block[block];
        let body = &bodies.all[block];
        let at = |&c: &DVec3| (linear + angular.cross(c - body.center)).length();
        body.corners.iter().map(at).fold(0.0, larger)
    }

    /// The largest speed of any corner.
    pub(crate) fn largest_speed(&self, bodies: &Bodies) -> f64 {
        (0..bodies.all.len()).map(|k| self.speed(bodies, k)).fold(0.0, larger)
    }

    /// The largest speed of a centre of mass.
    pub(crate) fn largest_center_speed(&self) -> f64 {
        self.by_block.iter().map(|m| m[0].length()).fold(0.0, larger)
    }

    /// Power of a force and a moment on a block.
    pub(crate) fn power(&self, block: usize, wrench: &crate::loads::Wrench) -> f64 {
        let [linear, angular] = self.by_block[block];
        wrench.force().dot(linear) + wrench.moment().dot(angular)
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

/// The tie of each force that a certificate lists: named once in the model and once in the certificate.
pub(crate) fn links_of<'a, 'b>(links: &'b [Link<'a>], forces: &[TieForce]) -> Result<Vec<&'b Link<'a>>, String> {
    if forces.is_empty() {
        return Ok(Vec::new());
    }
    let mut by_name: std::collections::HashMap<&str, (&Link, bool)> = std::collections::HashMap::new();
    for link in links {
        if by_name.insert(&link.tie.name, (link, false)).is_some() {
            return Err(format!("the model has several ties `{}`", link.tie.name));
        }
    }
    let mut found = Vec::with_capacity(forces.len());
    for force in forces {
        match by_name.get_mut(force.tie.as_str()) {
            None => return Err(format!("the model has no tie `{}`", force.tie)),
            Some((_, true)) => return Err(format!("tie `{}` is listed twice", force.tie)),
            Some((link, listed)) => {
                *listed = true;
                found.push(*link);
            }
        }
    }
    Ok(found)
}
