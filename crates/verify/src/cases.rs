//! Load cases of the model as forces and moments on its blocks, in closed form.
//!
//! With `d` the load on a unit of area where `w` is one, a face `A` is pushed by `∫ w d`, and about a point by `∫ w x × d`, `x` from
//! that point on. `w` is one, or the depth below a level: then `∫ w = h S0 - S1·z` and `∫ w x = h S1 - S2 z`, with the moments
//! `S0 = ∫ 1`, `S1 = ∫ x`, `S2 = ∫ x xᵀ` of the part of the face below the level. Those are sums over the triangles of a fan, in
//! which parts that lie outside of the face cancel.

use drystone_model::{BodyForce, LoadCase, Model, SurfaceLoad};
use glam::{DMat3, DVec3};

use crate::{bodies::Bodies, loads::Wrench};

/// Cosines of angles are known to about this.
const ANGLE: f64 = 1e-9;

/// Adds a load case times a factor to what acts on the blocks. Forces in proportion to mass act on free blocks alone.
pub(crate) fn add(name: &str, factor: f64, bodies: &Bodies, wrenches: &mut [Wrench]) -> Result<(), String> {
    let case: &LoadCase =
        (bodies.model.load_cases.get(name)).ok_or_else(|| format!("the model has no load case `{name}`"))?;
    for force in &case.forces {
        let block = bodies.find(&force.block)?;
        let center = bodies.all[block].center;
        wrenches[block].add(factor, force.force, force.at.unwrap_or(center), center);
    }
    for couple in &case.couples {
        wrenches[bodies.find(&couple.block)?].twist(factor * couple.moment);
    }
    for body in &case.body {
        for block in (0..bodies.all.len()).filter(|&b| !bodies.fixed[b] && is_of(body, bodies.model, b)) {
            wrenches[block].push(factor * bodies.mass[block] * body.acceleration);
        }
    }
    for surface in &case.surfaces {
        let is_one = [
            surface.pressure_pa.is_some(),
            surface.traction_pa.is_some(),
            surface.hydrostatic.is_some(),
        ];
        if is_one.iter().filter(|is| **is).count() != 1 {
            return Err(format!("load case `{name}`: not one thing acts on its faces"));
        }
        for (block, wrench) in wrenches.iter_mut().enumerate() {
            on_block(surface, factor, bodies, block, wrench);
        }
    }
    Ok(())
}

fn is_of(body: &BodyForce, model: &Model, block: usize) -> bool {
    let group = model.blocks[block].group.as_deref();
    body.groups.is_empty() || body.groups.iter().any(|g| Some(g.as_str()) == group)
}

/// What a surface load does to a block.
fn on_block(load: &SurfaceLoad, factor: f64, bodies: &Bodies, block: usize, wrench: &mut Wrench) {
    let of = &bodies.model.blocks[block];
    let in_group = (of.group.as_ref()).is_some_and(|own| load.groups.iter().any(|g| g == own));
    if !in_group && !load.blocks.contains(&of.name) {
        return;
    }
    let (solid, center) = (of.polyhedron(), bodies.all[block].center);
    for (number, corners) in (0_u32..).zip(&solid.faces) {
        if !load.faces.is_empty() && !load.faces.contains(&number) {
            continue;
        }
        let face: Vec<DVec3> = corners.iter().map(|&v| solid.vertices[v as usize] - center).collect();
        let Some(normal) = Moments::of(&face, None).normal() else {
            continue;
        };
        let looks = |way: DVec3| normal.dot(way) >= load.within_deg.to_radians().cos() - ANGLE;
        if load
            .facing
            .and_then(DVec3::try_normalize)
            .is_some_and(|way| !looks(way))
        {
            continue;
        }
        let (per_area, sum, first) = match (load.hydrostatic, load.traction_pa, load.pressure_pa) {
            (Some(h), _, _) => {
                let level = h.level - center.z;
                let wet = Moments::of(&below(&face, level), Some(normal));
                let stress = h.unit_weight * DVec3::new(h.lateral, h.lateral, 1.0);
                let depth = level * wet.zeroth - wet.first.z;
                (-stress * normal, depth, level * wet.first - wet.second.z_axis)
            }
            (_, Some(traction), _) => {
                let all = Moments::of(&face, Some(normal));
                (traction, all.zeroth, all.first)
            }
            (_, _, pressure) => {
                let all = Moments::of(&face, Some(normal));
                (-pressure.unwrap_or(0.0) * normal, all.zeroth, all.first)
            }
        };
        wrench.push(factor * sum * per_area);
        wrench.twist(factor * first.cross(per_area));
    }
}

/// The part of an outline below a level. Where it leaves and comes back, sides along the level double, and cancel in a sum.
fn below(outline: &[DVec3], level: f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(outline.len() + 2);
    for (k, &p) in outline.iter().enumerate() {
        let q = outline[(k + 1) % outline.len()];
        let (s, t) = (level - p.z, level - q.z);
        if s >= 0.0 {
            kept.push(p);
        }
        if (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0) {
            kept.push(p + s / (s - t) * (q - p));
        }
    }
    kept
}

/// Moments of the area of a plane outline.
struct Moments {
    /// Along its normal, as long as its area.
    area: DVec3,
    zeroth: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    fn of(outline: &[DVec3], normal: Option<DVec3>) -> Self {
        let mut sum = Self {
            area: DVec3::ZERO,
            zeroth: 0.0,
            first: DVec3::ZERO,
            second: DMat3::ZERO,
        };
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        for k in 2..outline.len() {
            let [a, b, c] = [outline[0], outline[k - 1], outline[k]];
            let twice = (b - a).cross(c - a);
            sum.area += 0.5 * twice;
            let Some(normal) = normal else { continue };
            let (d, s) = (twice.dot(normal), a + b + c);
            sum.zeroth += d / 2.0;
            sum.first += d / 6.0 * s;
            sum.second += d / 24.0 * (outer(a) + outer(b) + outer(c) + outer(s));
        }
        sum
    }

    fn normal(&self) -> Option<DVec3> {
        self.area.try_normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moments of a unit square, of an L, and of one half of a triangle, from calculus.
    #[test]
    fn moments_of_outlines_are_those_of_calculus() {
        let lifted = |points: &[[f64; 2]]| points.iter().map(|p| DVec3::new(p[0], 7.0, p[1])).collect::<Vec<_>>();
        let square = lifted(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let normal = Moments::of(&square, None).normal().unwrap();
        assert_eq!(normal, DVec3::NEG_Y);
        let of = Moments::of(&square, Some(normal));
        assert!((of.zeroth - 1.0).abs() < 1e-15 && (of.first - DVec3::new(0.5, 7.0, 0.5)).length() < 1e-15);
        assert!((of.second.z_axis - DVec3::new(0.25, 3.5, 1.0 / 3.0)).length() < 1e-15);
        assert!((of.second.y_axis - DVec3::new(3.5, 49.0, 3.5)).length() < 1e-13);
        // Starting at the inner corner's far side, so that a triangle of the fan lies outside.
        let l = lifted(&[[2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0], [0.0, 0.0], [2.0, 0.0]]);
        let of = Moments::of(&l, Some(normal));
        assert!((of.zeroth - 4.0).abs() < 1e-15, "{}", of.zeroth);
        assert!((of.first - DVec3::new(2.0 * 1.0 + 2.0 * 0.5, 28.0, 2.0 * 0.5 + 2.0 * 2.0)).length() < 1e-14);
        // Below half its height a triangle keeps three quarters of its area.
        let triangle = lifted(&[[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]]);
        let of = Moments::of(&below(&triangle, 1.0), Some(normal));
        assert!((of.zeroth - 1.5).abs() < 1e-15);
        assert!(below(&triangle, -1.0).is_empty() && below(&triangle, 3.0).len() == 3);
        // A fork of which the level leaves two prongs.
        let fork = lifted(&[
            [0.0, 4.0],
            [0.0, 0.0],
            [1.0, 0.0],
            [1.0, 3.0],
            [2.0, 3.0],
            [2.0, 0.0],
            [3.0, 0.0],
            [3.0, 4.0],
        ]);
        let of = Moments::of(&below(&fork, 2.0), Some(normal));
        assert!((of.zeroth - 4.0).abs() < 1e-15);
        assert!((of.first - DVec3::new(2.0 * 0.5 + 2.0 * 2.5, 28.0, 4.0)).length() < 1e-14);
    }
}
