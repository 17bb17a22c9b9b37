//! The dome of Acary and Jean, section 5.2: courses of blocks between two spheres.
//!
//! Each course is a ring between two cones with their tips at the centre of the spheres. Between neighbouring
//! meridians the curved surfaces are replaced by flat facets with corners on the spheres. A facet's four corners lie on
//! planes through the centre, so that bed joints, head joints, intrados and extrados are planar, and the blocks meet
//! without gaps. In running bond a block covers two facets, so that half a block is a whole facet: it is bent along
//! its middle and consists of two convex parts.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::DVec3;

use super::{Recipe, RecipeError, block_count::within_limit, choices, parameters};
use crate::{Block, Joints, MeshShape, Model, Shape, geometry::Polyhedron};

pub(super) const RECIPE: Recipe = Recipe {
    name: "dome",
    summary: "A dome of courses of blocks on a fixed ring, open at the top or closed by a keystone",
    notes: "Acary and Jean, section 5.2: 12 by 24 blocks, taken as 12 courses of 24, with the density and friction of \
            their section 5.1. Sizes and opening are not given there; these are ours. Their blocks are meshed by \
            hexahedra, so the top course ends at an oculus rather than in wedges that meet at the axis. Corners of \
            the facets lie on the inner and the outer sphere, whose centre is the origin. An oculus of 0 lets the top \
            course meet at the axis. The ring of supports is fixed, one for each facet.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

choices! { pub(super) enum Bond { Running = "running", Stacked = "stacked" } }
choices! { pub(super) enum Crown { Open = "open", Keystone = "keystone" } }

parameters! {
    struct Params {
        radius: f64 = 5.0, in 1e-3..=1e4, "m", "Radius of the inner sphere";
        thickness: f64 = 0.5, in 1e-4..=1e4, "m", "Distance between the inner and the outer sphere";
        courses: usize = 12, in 1..=10_000, "", "Number of courses from the springing to the oculus";
        meridians: usize = 24, in 3..=10_000, "", "Number of blocks in a course";
        embrace_deg: f64 = 180.0, in 20.0..=180.0, "deg", "Angle of embrace: what the dome covers seen from its centre (180: hemisphere)";
        oculus_deg: f64 = 10.0, in 0.0..=89.0, "deg", "Angle between the axis and the edge of the oculus (0: no oculus)";
        crown: Crown = Crown::Open, in Crown::WORDS, "", "Whether the oculus is open or closed by a keystone";
        bond: Bond = Bond::Running, in Bond::WORDS, "", "Whether the head joints of alternate courses are staggered by half a block";
        density: f64 = 2700.0, in 1e-6..=1e6, "kg/m3", "Density of the blocks";
        friction: f64 = 0.5, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let shell = Shell::new(p)?;
    let mut model = Model::named("dome");
    model.density = p.density;
    model.joints = Joints::uniform(p.friction);
    for facet in 0..shell.facets {
        let block = Block::new(format!("ground-{}", facet + 1), shell.support(facet));
        model.blocks.push(block.fixed().in_group("ground"));
    }
    for course in 0..p.courses {
        let shift = match p.bond {
            Bond::Running => course % 2,
            Bond::Stacked => 0,
        };
        for m in 0..p.meridians {
            let shape = shell.block(course, m * shell.facets_of_a_block + shift);
            let name = format!("course-{}-block-{}", course + 1, m + 1);
            model.blocks.push(Block::new(name, shape).in_group("dome"));
        }
    }
    if p.crown == Crown::Keystone {
        model
            .blocks
            .push(Block::new("keystone", shell.keystone()).in_group("keystone"));
    }
    Ok(model)
}

/// The faceted shell and how it is divided.
struct Shell {
    inner: f64,
    outer: f64,
    /// Elevations of the bed joints above the horizontal through the centre, from the springing to the oculus (rad).
    beds: Vec<f64>,
    facets: usize,
    facets_of_a_block: usize,
    /// Whether the last bed is the axis itself.
    ends_at_axis: bool,
}

impl Shell {
    fn new(p: &Params) -> Result<Self, RecipeError> {
        let facets_of_a_block = match p.bond {
            Bond::Running => 2,
            Bond::Stacked => 1,
        };
        let facets = facets_of_a_block * p.meridians;
        let blocks = p.courses as f64 * p.meridians as f64 + facets as f64 + 1.0;
        within_limit(blocks, "Lower --courses or --meridians.")?;
        let springing = (90.0 - 0.5 * p.embrace_deg).to_radians();
        let oculus = (90.0 - p.oculus_deg).to_radians();
        if oculus <= springing + 1e-6 {
            return Err(RecipeError::conflict(format!(
                "--oculus-deg {}: the oculus is as wide as the dome; give less than half of --embrace-deg {}",
                p.oculus_deg, p.embrace_deg
            )));
        }
        let ends_at_axis = p.oculus_deg < 1e-6;
        if ends_at_axis && p.crown == Crown::Keystone {
            return Err(RecipeError::conflict(format!(
                "--crown keystone: an oculus of {} leaves no room for a keystone; raise --oculus-deg",
                p.oculus_deg
            )));
        }
        let rise = (oculus - springing) / p.courses as f64;
        Ok(Self {
            inner: p.radius,
            outer: p.radius + p.thickness,
            beds: (0..=p.courses).map(|k| springing + k as f64 * rise).collect(),
            facets,
            facets_of_a_block,
            ends_at_axis,
        })
    }

    /// The corner of the facets on a sphere at a bed joint and a meridian.
    fn corner(&self, radius: f64, bed: usize, meridian: usize) -> DVec3 {
        let (up, level) = self.beds[bed].sin_cos();
        let (y, x) = (TAU * (meridian % self.facets) as f64 / self.facets as f64).sin_cos();
        DVec3::new(radius * level * x, radius * level * y, radius * up)
    }

    /// Inner and outer corner on the lower bed, then on the upper bed, of a course at a meridian.
    fn section(&self, course: usize, meridian: usize) -> [DVec3; 4] {
        let pair = |bed| [self.inner, self.outer].map(|r| self.corner(r, bed, meridian));
        let [a, b] = pair(course);
        let [c, d] = if self.reaches_axis(course) {
            [self.inner, self.outer].map(|r| DVec3::new(0.0, 0.0, r))
        } else {
            pair(course + 1)
        };
        [a, b, c, d]
    }

    fn reaches_axis(&self, course: usize) -> bool {
        self.ends_at_axis && course + 2 == self.beds.len()
    }

    /// The block of a course that begins at a meridian.
    fn block(&self, course: usize, first: usize) -> Shape {
        let n = self.facets_of_a_block;
        let sections: Vec<[DVec3; 4]> = (0..=n).map(|j| self.section(course, first + j)).collect();
        let reaches_axis = self.reaches_axis(course);
        let mut vertices = Vec::with_capacity(4 * sections.len());
        if reaches_axis {
            // All sections share the two points on the axis; they come last.
            vertices.extend(sections.iter().flat_map(|s| [s[0], s[1]]));
            vertices.extend([sections[0][2], sections[0][3]]);
        } else {
            vertices.extend(sections.iter().flatten());
        }
        let of = |j: usize| -> [u32; 4] {
            let (j, n) = (j as u32, n as u32);
            if reaches_axis {
                [2 * j, 2 * j + 1, 2 * n + 2, 2 * n + 3]
            } else {
                [0, 1, 2, 3].map(|k| 4 * j + k)
            }
        };
        let mut faces = Vec::with_capacity(4 * n + 2);
        for j in 0..n {
            let ([a, b, c, d], [e, f, g, h]) = (of(j), of(j + 1));
            faces.push(vec![b, a, e, f]);
            if reaches_axis {
                faces.extend([vec![b, f, d], vec![e, a, c]]);
            } else {
                faces.extend([vec![c, d, h, g], vec![b, f, h, d], vec![e, a, c, g]]);
            }
        }
        let ([a, b, c, d], [e, f, g, h]) = (of(0), of(n));
        faces.extend([vec![a, b, d, c], vec![f, e, g, h]]);
        let parts = match n {
            1 => Vec::new(),
            _ => sections.windows(2).map(|pair| pair.concat()).collect(),
        };
        Shape::Mesh(MeshShape { vertices, faces, parts })
    }

    /// The fixed block under a facet of the springing: level below, upright inside and outside.
    fn support(&self, facet: usize) -> Polyhedron {
        let bed = [
            self.corner(self.inner, 0, facet),
            self.corner(self.outer, 0, facet),
            self.corner(self.outer, 0, facet + 1),
            self.corner(self.inner, 0, facet + 1),
        ];
        let level = bed[0].z - (self.outer - self.inner);
        Polyhedron::lofted(&bed.map(|c| c.with_z(level)), &bed)
    }

    fn keystone(&self) -> Polyhedron {
        let last = self.beds.len() - 1;
        let loop_on = |radius: f64| -> Vec<DVec3> { (0..self.facets).map(|m| self.corner(radius, last, m)).collect() };
        let (inside, outside) = (loop_on(self.inner), loop_on(self.outer));
        debug_assert!(self.beds[last] < FRAC_PI_2, "a keystone needs an oculus");
        Polyhedron::lofted(&inside, &outside)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::super::soundness::{assert_sound, built, free_volume};
    use crate::recipes::find;

    #[test]
    fn blocks_are_sound_and_do_not_overlap() {
        for arguments in [
            "",
            "--bond stacked",
            "--oculus-deg 0 --courses 4 --meridians 8",
            "--oculus-deg 0 --courses 3 --meridians 5 --bond stacked",
            "--embrace-deg 100 --crown keystone --courses 5 --meridians 9 --thickness 2",
            "--radius 0.05 --thickness 0.003 --courses 1 --meridians 3",
        ] {
            assert_sound(&built("dome", arguments));
        }
    }

    #[test]
    fn the_default_is_twelve_courses_of_twenty_four_blocks() {
        let model = built("dome", "");
        assert_eq!(model.free_blocks().count(), 12 * 24);
        assert_eq!((model.density, model.joints.friction), (2700.0, 0.5));
    }

    /// The unit shell between two elevations is a frustum over a regular polygon, with the pyramid from the centre to
    /// its lower face added and the one to its upper face taken away.
    fn unit_volume(facets: f64, low: f64, high: f64) -> f64 {
        let area = |elevation: f64| 0.5 * facets * (TAU / facets).sin() * elevation.cos().powi(2);
        let (a, b) = (area(low), area(high));
        let (y, z) = (low.sin(), high.sin());
        (z - y) * (a + b + (a * b).sqrt()) / 3.0 + a * y / 3.0 - b * z / 3.0
    }

    #[test]
    fn the_volume_is_that_of_polygonal_frusta() {
        for (arguments, facets, courses, low, high) in [
            ("", 48.0, 12, 0.0, 80.0),
            ("--bond stacked --meridians 7 --courses 3", 7.0, 3, 0.0, 80.0),
            ("--embrace-deg 120 --oculus-deg 0 --courses 6", 48.0, 6, 30.0, 90.0),
        ] {
            let elevation = |k: usize| f64::to_radians(low + (high - low) * k as f64 / courses as f64);
            let unit: f64 = (0..courses)
                .map(|k| unit_volume(facets, elevation(k), elevation(k + 1)))
                .sum();
            let expected = unit * (5.5f64.powi(3) - 5f64.powi(3));
            let volume = free_volume(&built("dome", arguments));
            assert!(
                (volume / expected - 1.0).abs() < 1e-12,
                "{arguments}: {volume}, expected {expected}"
            );
        }
    }

    #[test]
    fn a_keystone_is_the_pyramid_that_the_oculus_leaves_open() {
        let open = free_volume(&built("dome", "--oculus-deg 20"));
        let closed = free_volume(&built("dome", "--oculus-deg 20 --crown keystone"));
        let edge = 70f64.to_radians();
        let area = 24.0 * (TAU / 48.0).sin() * edge.cos().powi(2);
        let expected = area * edge.sin() / 3.0 * (5.5f64.powi(3) - 5f64.powi(3));
        assert!(((closed - open) / expected - 1.0).abs() < 1e-10);
    }

    #[test]
    fn a_block_in_running_bond_touches_two_beneath_two_above_and_one_on_either_side() {
        let model = built("dome", "--courses 3 --meridians 6");
        let index = |name: &str| model.blocks.iter().position(|b| b.name == name).unwrap();
        let touching = crate::check::neighbours(&model).unwrap();
        let block = index("course-2-block-1");
        for other in [
            "course-1-block-1",
            "course-1-block-2",
            "course-3-block-1",
            "course-3-block-2",
            "course-2-block-2",
            "course-2-block-6",
        ] {
            let pair = [block.min(index(other)), block.max(index(other))];
            let found = touching.iter().find(|n| n.blocks == pair);
            assert!(found.is_some_and(|n| n.separation.abs() < 1e-12), "{other}: {found:?}");
        }
    }

    #[test]
    fn an_oculus_as_wide_as_the_dome_is_refused() {
        let values = [("embrace-deg", "60"), ("oculus-deg", "30")].map(|(k, v)| (k.to_string(), v.to_string()));
        let message = find("dome").unwrap().build(&values).unwrap_err().to_string();
        assert!(message.contains("as wide as the dome"), "{message}");
    }
}
