//! Cutting a solid into convex parts that fill it exactly.
//!
//! The convex hull of the solid is cut along planes of the solid's own faces until no piece of the surface is left
//! inside a cell; each cell then lies wholly inside or wholly outside the solid, and those inside are the parts.
//! Planes of faces at reflex edges are taken first, because no convex decomposition can do without them, and among
//! those the plane that cuts the fewest other faces. Working with convex cells only keeps each cut a simple and
//! robust clipping; the price, cells cut more finely than needed, is paid back by joining neighbours whose union is
//! convex. The volumes of the parts must add up to that of the solid, or the result is refused.

use glam::DVec3;

use super::{Bounds, HullError, Plane, Polyhedron, clip, convex_hull, near_pairs, triangulate_face};

/// Why a solid could not be cut into convex parts.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DecomposeError {
    /// The solid has no convex hull to start from.
    #[error("no convex hull: {0}")]
    Hull(#[from] HullError),
    /// The surface is so intricate that cutting it would take more cells than allowed.
    #[error("the shape needs more than {limit} convex cells; give its convex `parts` in the file")]
    TooManyCells {
        /// Largest number of cells tried.
        limit: usize,
    },
    /// Cutting the shape would take too long.
    #[error(
        "its {faces} faces take too long to cut into convex parts; leave out detail that matters little, or give its \
         convex `parts` in the file"
    )]
    TooLong {
        /// Number of faces of the shape.
        faces: usize,
    },
    /// The parts do not fill the solid.
    #[error(
        "they would add up to {parts:.9e} m3, but the mesh encloses {solid:.9e} m3. Closed surfaces that overlap belong \
         to blocks of their own, one inside another looks inwards, and no surface may touch or pass through itself"
    )]
    VolumeMismatch {
        /// Sum of the volumes of the parts (m³).
        parts: f64,
        /// Volume enclosed by the mesh (m³).
        solid: f64,
    },
}

/// Relative error allowed between the volume of the parts and that of the solid.
const VOLUME_TOLERANCE: f64 = 1e-9;
const CELL_LIMIT: usize = 20_000;
/// Pieces of surface looked at for all cells together, each for every face of its cell: some ten seconds of work.
const WORK_LIMIT: usize = 2_000_000_000;

/// Convex parts of a solid: the solid itself if it is convex, else an exact decomposition.
///
/// `tolerance` (m) is the distance below which points count as lying on a plane. Where corners are off the planes of
/// their own faces by more, as in rounded files, that distance takes its place: what is finer than the faces themselves
/// would be cut without end.
pub fn convex_parts(solid: &Polyhedron, tolerance: f64) -> Result<Vec<Polyhedron>, DecomposeError> {
    let off = solid.off_planes();
    let tolerance = tolerance.max(2.0 * off);
    if solid.is_convex(tolerance) {
        return Ok(vec![solid.clone()]);
    }
    let surface = Surface::new(solid);
    let hull = convex_hull(&solid.vertices, tolerance)?;
    let mut open = vec![(hull, surface.fragments(tolerance))];
    let mut parts = Vec::new();
    let (mut cells, mut work) = (1, 0usize);
    while let Some((cell, fragments)) = open.pop() {
        work = work.saturating_add(fragments.len().saturating_mul(cell.faces.len() + CANDIDATES));
        if work > WORK_LIMIT {
            return Err(DecomposeError::TooLong {
                faces: solid.faces.len(),
            });
        }
        let fragments: Vec<Fragment> = fragments
            .into_iter()
            .filter(|f| f.is_inside(&cell, tolerance))
            .collect();
        let Some(plane) = best_plane(&fragments, tolerance) else {
            if surface.contains(cell.mass_properties().centroid) {
                parts.push(cell);
            }
            continue;
        };
        cells += 1;
        if cells > CELL_LIMIT {
            return Err(DecomposeError::TooManyCells { limit: CELL_LIMIT });
        }
        for plane in [plane, plane.flipped()] {
            if let Some(piece) = clip(&cell, &plane, tolerance) {
                let inside = fragments.iter().filter_map(|f| f.behind(&plane, tolerance)).collect();
                open.push((piece, inside));
            }
        }
    }
    join_neighbours(&mut parts, tolerance);
    let (sum, volume) = (parts.iter().map(Polyhedron::volume).sum::<f64>(), solid.volume());
    let area: f64 = (0..solid.faces.len()).map(|f| solid.face_area(f)).sum();
    if (sum - volume).abs() > VOLUME_TOLERANCE * volume.abs() + 2.0 * off * area {
        return Err(DecomposeError::VolumeMismatch {
            parts: sum,
            solid: volume,
        });
    }
    Ok(parts)
}

/// A convex piece of a face that still lies inside the cell being cut.
#[derive(Clone)]
struct Fragment {
    plane: Plane,
    corners: Vec<DVec3>,
    at_reflex_edge: bool,
}

impl Fragment {
    /// The piece of the fragment strictly behind a plane; nothing for one that lies in the plane.
    fn behind(&self, plane: &Plane, tolerance: f64) -> Option<Self> {
        let d: Vec<f64> = self.corners.iter().map(|&p| plane.distance(p)).collect();
        if d.iter().all(|&d| d >= -tolerance) {
            return None;
        }
        if d.iter().all(|&d| d <= tolerance) {
            return Some(self.clone());
        }
        let n = self.corners.len();
        let mut corners = Vec::with_capacity(n + 1);
        for i in 0..n {
            let j = (i + 1) % n;
            if d[i] <= 0.0 {
                corners.push(self.corners[i]);
            }
            if (d[i] < 0.0) != (d[j] < 0.0) && d[i] != 0.0 && d[j] != 0.0 {
                corners.push(self.corners[i] + (self.corners[j] - self.corners[i]) * (d[i] / (d[i] - d[j])));
            }
        }
        (corners.len() >= 3).then_some(Self { corners, ..*self })
    }

    /// Whether the fragment still reaches into the cell, rather than lying on its boundary.
    fn is_inside(&self, cell: &Polyhedron, tolerance: f64) -> bool {
        (0..cell.faces.len()).all(|f| {
            let plane = cell.face_plane(f);
            self.corners.iter().any(|&p| plane.distance(p) < -tolerance)
        })
    }
}

/// Judging a few dozen candidates is enough; judging all would be quadratic in finely curved surfaces.
const CANDIDATES: usize = 48;

/// The plane to cut along next: at a reflex edge if there is one, then cutting the fewest fragments, then holding the
/// most, then balanced.
fn best_plane(fragments: &[Fragment], tolerance: f64) -> Option<Plane> {
    let reflex: Vec<&Fragment> = fragments.iter().filter(|f| f.at_reflex_edge).collect();
    let pool: Vec<&Fragment> = if reflex.is_empty() {
        fragments.iter().collect()
    } else {
        reflex
    };
    let step = pool.len().div_ceil(CANDIDATES).max(1);
    let cost = |plane: &Plane| {
        let (mut cut, mut front, mut behind, mut settled) = (0usize, 0usize, 0usize, 0usize);
        for fragment in fragments {
            let before = fragment.corners.iter().any(|&p| plane.distance(p) > tolerance);
            let after = fragment.corners.iter().any(|&p| plane.distance(p) < -tolerance);
            match (before, after) {
                (true, true) => cut += 1,
                (true, false) => front += 1,
                (false, true) => behind += 1,
                (false, false) => settled += 1,
            }
        }
        (cut, std::cmp::Reverse(settled), front.abs_diff(behind))
    };
    pool.into_iter().step_by(step).map(|f| f.plane).min_by_key(cost)
}

/// Joins parts two by two while the union of two neighbours is convex.
fn join_neighbours(parts: &mut Vec<Polyhedron>, tolerance: f64) {
    // Trying every pair is cubic; beyond this many parts a finer decomposition is the lesser evil.
    const MOST: usize = 400;
    if parts.len() > MOST {
        return;
    }
    loop {
        let bounds: Vec<Bounds> = parts.iter().map(Polyhedron::bounds).collect();
        let joined = near_pairs(&bounds, tolerance).into_iter().find_map(|(i, j)| {
            let points: Vec<DVec3> = parts[i].vertices.iter().chain(&parts[j].vertices).copied().collect();
            let hull = convex_hull(&points, tolerance).ok()?;
            let sum = parts[i].volume() + parts[j].volume();
            ((hull.volume() - sum).abs() <= 1e-12 * sum.abs()).then_some((i, j, hull))
        });
        let Some((i, j, hull)) = joined else { return };
        parts[i] = hull;
        parts.remove(j);
    }
}

/// The triangulated surface of the solid, for telling inside from outside.
struct Surface<'a> {
    solid: &'a Polyhedron,
    triangles: Vec<(usize, [DVec3; 3])>,
}

impl<'a> Surface<'a> {
    fn new(solid: &'a Polyhedron) -> Self {
        let triangles = (0..solid.faces.len())
            .flat_map(|f| {
                let triangles = triangulate_face(solid, f).into_iter();
                triangles.map(move |t| (f, t.map(|v| solid.vertices[v as usize])))
            })
            .collect();
        Self { solid, triangles }
    }

    fn fragments(&self, tolerance: f64) -> Vec<Fragment> {
        let reflex = self.faces_at_reflex_edges(tolerance);
        let fragment = |&(face, corners): &(usize, [DVec3; 3])| Fragment {
            plane: self.solid.face_plane(face),
            corners: corners.to_vec(),
            at_reflex_edge: reflex[face],
        };
        self.triangles.iter().map(fragment).collect()
    }

    fn faces_at_reflex_edges(&self, tolerance: f64) -> Vec<bool> {
        let solid = self.solid;
        let mut left_of = std::collections::HashMap::new();
        for face in 0..solid.faces.len() {
            for edge in solid.face_edges(face) {
                left_of.insert(edge, face);
            }
        }
        let mut reflex = vec![false; solid.faces.len()];
        for face in 0..solid.faces.len() {
            let plane = solid.face_plane(face);
            for (a, b) in solid.face_edges(face) {
                let Some(&other) = left_of.get(&(b, a)) else { continue };
                // At a reflex edge the neighbour rises in front of this face's plane, next to the edge.
                let (p, q) = (solid.vertices[a as usize], solid.vertices[b as usize]);
                let across = solid.face_plane(other).normal.cross(p - q).normalize_or_zero();
                let reach = solid.corners(other).map(|c| (c - p).dot(across)).fold(0.0, f64::max);
                if plane.normal.dot(across) * reach > tolerance {
                    reflex[face] = true;
                    reflex[other] = true;
                }
            }
        }
        reflex
    }

    /// Whether a point lies inside: the solid angle of the surface seen from it is 4π rather than 0.
    fn contains(&self, p: DVec3) -> bool {
        let angle: f64 = self
            .triangles
            .iter()
            .map(|(_, t)| {
                let [a, b, c] = t.map(|v| v - p);
                let (la, lb, lc) = (a.length(), b.length(), c.length());
                let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
                2.0 * a.dot(b.cross(c)).atan2(denominator)
            })
            .sum();
        angle > 2.0 * std::f64::consts::PI
    }
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat, DVec2};

    use super::*;
    use crate::geometry::separation;

    fn outline(points: &[(f64, f64)]) -> Vec<DVec2> {
        points.iter().copied().map(DVec2::from).collect()
    }

    /// Convex, without overlap, and filling the solid.
    fn assert_sound(parts: &[Polyhedron], solid: &Polyhedron) {
        let size = solid.bounds().diagonal();
        let sum: f64 = parts.iter().map(Polyhedron::volume).sum();
        assert!((sum - solid.volume()).abs() <= 1e-9 * solid.volume());
        for (i, part) in parts.iter().enumerate() {
            assert!(part.is_convex(1e-9 * size), "part {i} is not convex");
            for other in &parts[..i] {
                assert!(separation(part, other, 0.0) > -1e-9 * size, "parts overlap");
            }
        }
    }

    #[test]
    fn an_l_is_two_parts_and_a_u_three_however_turned_and_scaled() {
        let l = outline(&[(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)]);
        let u = outline(&[
            (0., 0.),
            (3., 0.),
            (3., 2.),
            (2., 2.),
            (2., 1.),
            (1., 1.),
            (1., 2.),
            (0., 2.),
        ]);
        for (shape, count) in [(l, 2), (u, 3)] {
            for (scale, angle) in [(1.0, 0.0), (1e-3, 0.4), (100.0, 2.0)] {
                let map = DAffine3::from_scale_rotation_translation(
                    DVec3::splat(scale),
                    DQuat::from_axis_angle(DVec3::new(0.3, -1.0, 0.5).normalize(), angle),
                    DVec3::new(1.0, 2.0, 3.0),
                );
                let solid = Polyhedron::from_elevation(&shape, 0.0, 0.7).transformed(&map);
                let parts = convex_parts(&solid, 1e-9 * scale).unwrap();
                assert_eq!(parts.len(), count);
                assert_sound(&parts, &solid);
            }
        }
    }

    #[test]
    fn towers_of_different_height_are_not_sliced_by_each_others_tops() {
        let towers = outline(&[
            (0., 0.),
            (5., 0.),
            (5., 4.),
            (4., 4.),
            (4., 1.),
            (3., 1.),
            (3., 2.),
            (2., 2.),
            (2., 1.),
            (1., 1.),
            (1., 3.),
            (0., 3.),
        ]);
        let solid = Polyhedron::from_elevation(&towers, 0.0, 1.0);
        let parts = convex_parts(&solid, 1e-9).unwrap();
        assert_eq!(parts.len(), 4, "the base and three towers");
        assert_sound(&parts, &solid);
    }

    #[test]
    fn a_curved_recess_is_cut_into_as_many_parts_as_it_has_strips() {
        let n = 24;
        let mut shape = outline(&[(-2., 0.), (2., 0.), (2., 2.)]);
        shape.extend((0..=n).map(|k| {
            let (s, c) = (std::f64::consts::PI * k as f64 / n as f64).sin_cos();
            DVec2::new(1.5 * c, 2.0 - 1.5 * s)
        }));
        shape.push(DVec2::new(-2.0, 2.0));
        let solid = Polyhedron::from_elevation(&shape, 0.0, 1.0);
        let parts = convex_parts(&solid, 1e-9).unwrap();
        assert_sound(&parts, &solid);
        assert!(parts.len() <= 2 * n, "{} parts", parts.len());
    }

    #[test]
    fn a_pyramid_pressed_into_a_cube_leaves_a_sound_decomposition() {
        let mut solid = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
        let top = solid
            .faces
            .iter()
            .position(|f| f.iter().all(|&v| solid.vertices[v as usize].z == 1.0))
            .unwrap();
        let corners = solid.faces.remove(top);
        solid.vertices.push(DVec3::new(0.5, 0.5, 0.4));
        solid
            .faces
            .extend((0..4).map(|k| vec![corners[k], corners[(k + 1) % 4], 8]));
        let parts = convex_parts(&solid, 1e-9).unwrap();
        assert_sound(&parts, &solid);
        assert!((solid.volume() - (1.0 - 0.2)).abs() < 1e-12);
    }

    /// Broke: files with rounded coordinates, in which corners are off the planes of their faces by more than the
    /// tolerance, were cut into slivers without end; a rounded convex block counted as not convex.
    #[test]
    fn rounded_coordinates_do_not_change_the_number_of_parts() {
        let l = outline(&[(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)]);
        let drum: Vec<DVec2> = (0..12)
            .map(|k| DVec2::from_angle(f64::from(k) * std::f64::consts::TAU / 12.0))
            .collect();
        for (shape, count) in [(l, 2), (drum, 1)] {
            for angle in [0.3, 1.0, 2.2] {
                let axis = DVec3::new(0.3, -1.0, 0.5).normalize();
                let mut solid = Polyhedron::from_elevation(&shape, 0.0, 0.7)
                    .transformed(&DAffine3::from_quat(DQuat::from_axis_angle(axis, angle)));
                for v in &mut solid.vertices {
                    *v = (*v * 1e5).round() / 1e5;
                }
                let parts = convex_parts(&solid, 1e-9).unwrap();
                assert_eq!(parts.len(), count);
                let sum: f64 = parts.iter().map(Polyhedron::volume).sum();
                assert!((sum - solid.volume()).abs() < 1e-4 * solid.volume());
            }
        }
    }

    #[test]
    fn a_shell_that_overlaps_itself_is_refused() {
        let cube = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
        let mut both = cube.clone();
        both.vertices.extend(cube.translated(DVec3::splat(0.5)).vertices);
        both.faces
            .extend(cube.faces.iter().map(|f| f.iter().map(|v| v + 8).collect()));
        assert!(matches!(
            convex_parts(&both, 1e-9),
            Err(DecomposeError::VolumeMismatch { .. })
        ));
    }
}
