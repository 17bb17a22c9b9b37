use std::collections::{HashMap, HashSet};

use glam::{DVec2, DVec3};

use super::{
    Bounds, Plane, Polyhedron,
    hull::weld,
    polygon::{Side, cross_properly, side_of},
    shells,
};

/// What keeps a mesh from being a solid. Faces and vertices are numbered from 0, as in the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant and its fields mean")]
pub enum Defect {
    #[error("vertex {vertex} is ({x}, {y}, {z}); coordinates must be finite numbers", x = at.x, y = at.y, z = at.z)]
    NotFinite { vertex: usize, at: DVec3 },
    #[error("{faces} faces do not enclose a volume; at least 4 are needed")]
    TooFewFaces { faces: usize },
    #[error("face {face} has {corners} corners; at least 3 are needed")]
    TooFewCorners { face: usize, corners: usize },
    #[error("face {face} names vertex {vertex}, but there are only {vertices} vertices (0 to {})", vertices.saturating_sub(1))]
    NoSuchVertex { face: usize, vertex: u32, vertices: usize },
    #[error("face {face} names vertex {vertex} twice; name each corner once")]
    RepeatedCorner { face: usize, vertex: u32 },
    #[error("faces {first} and {second} have the same corners; remove one")]
    DuplicateFace { first: usize, second: usize },
    #[error("face {face} is degenerate: its area is {area:.3e} m2; remove it or move its corners apart")]
    ZeroArea { face: usize, area: f64 },
    #[error(
        "face {face} is not planar: a corner is {off:.3e} m off its plane; allowed {allowed:.3e} m. \
         Raise `tolerances.planarity`, or cut the face into triangles"
    )]
    NotPlanar { face: usize, off: f64, allowed: f64 },
    #[error("the outline of face {face} crosses itself; list its corners in order around the face")]
    OutlineCrosses { face: usize },
    #[error(
        "the surface is not closed: the edge from vertex {from} to vertex {to} belongs to one face only{}",
        others(*more)
    )]
    Open { from: u32, to: u32, more: usize },
    #[error("the surface is not closed: vertices {first} and {second} are at the same place; make them one vertex")]
    SplitVertex { first: u32, second: u32 },
    #[error(
        "faces {first} and {second} both run from vertex {from} to vertex {to}: one of them is turned the wrong way, \
         or the edge belongs to more than two faces"
    )]
    Orientation {
        first: usize,
        second: usize,
        from: u32,
        to: u32,
    },
    #[error("face {face} is turned the wrong way; list its corners in the opposite order")]
    Turned { face: usize },
    #[error("the surface cuts itself: the edge from vertex {from} to vertex {to} passes through face {face}{}", others(*more))]
    SelfIntersection {
        from: u32,
        to: u32,
        face: usize,
        more: usize,
    },
    #[error(
        "the mesh is inside-out (volume {volume:.6e} m3): list the corners of each face counter-clockwise as seen from outside"
    )]
    InsideOut { volume: f64 },
    #[error("{shells} closed surfaces lie on each other, so that the volume counts {shells} times; keep one")]
    Doubled { shells: usize },
    #[error("the mesh encloses no volume ({volume:.3e} m3)")]
    Flat { volume: f64 },
}

fn others(more: usize) -> String {
    if more == 0 {
        String::new()
    } else {
        format!(" (and {more} more)")
    }
}

/// Everything that keeps a mesh from being a closed, orientable solid with planar faces that does not cut itself.
///
/// A corner may be off the plane of its face by `planarity` (m). Combinatorial faults hide geometric ones: if the
/// faces do not fit together, planes and crossings are not looked at.
pub fn defects(solid: &Polyhedron, planarity: f64) -> Vec<Defect> {
    let mut found = numbers(solid);
    if !found.is_empty() {
        return found;
    }
    let size = solid.bounds().diagonal();
    found.extend(faces(solid, planarity, size));
    if !found.iter().any(|d| matches!(d, Defect::DuplicateFace { .. })) {
        found.extend(surface(solid, size));
    }
    if !found.is_empty() {
        return found;
    }
    found.extend(self_intersection(solid, planarity.max(1e-9 * size)));
    let volume = solid.volume();
    let area: f64 = (0..solid.faces.len()).map(|f| solid.face_area(f)).sum();
    if volume.abs() <= 1e-13 * area * size {
        found.push(Defect::Flat { volume });
    } else if volume < 0.0 {
        found.push(Defect::InsideOut { volume });
    } else if solid.is_convex(1e-9 * size) {
        // No corner rises above any face, so each closed surface is the whole boundary.
        let shells = shells(solid).len();
        if shells > 1 {
            found.push(Defect::Doubled { shells });
        }
    }
    found
}

/// Faults of the lists themselves, which make any geometry meaningless.
fn numbers(solid: &Polyhedron) -> Vec<Defect> {
    let mut found = Vec::new();
    let vertices = solid.vertices.len();
    for (vertex, &at) in solid.vertices.iter().enumerate().filter(|(_, v)| !v.is_finite()) {
        found.push(Defect::NotFinite { vertex, at });
    }
    if solid.faces.len() < 4 {
        found.push(Defect::TooFewFaces {
            faces: solid.faces.len(),
        });
    }
    for (face, corners) in solid.faces.iter().enumerate() {
        if corners.len() < 3 {
            found.push(Defect::TooFewCorners {
                face,
                corners: corners.len(),
            });
        }
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
            found.push(Defect::NoSuchVertex { face, vertex, vertices });
        }
        let mut seen = HashSet::new();
        if let Some(&vertex) = corners.iter().find(|&&v| !seen.insert(v)) {
            found.push(Defect::RepeatedCorner { face, vertex });
        }
    }
    found
}

/// Faults of single faces.
fn faces(solid: &Polyhedron, planarity: f64, size: f64) -> Vec<Defect> {
    let mut found = Vec::new();
    let mut seen: HashMap<Vec<u32>, usize> = HashMap::new();
    for face in 0..solid.faces.len() {
        let mut key = solid.faces[face].clone();
        key.sort_unstable();
        if let Some(&first) = seen.get(&key) {
            found.push(Defect::DuplicateFace { first, second: face });
        }
        seen.entry(key).or_insert(face);
        let area = solid.face_area(face);
        // Measured by the face's own outline, so that long thin blocks keep their small end faces.
        let perimeter = perimeter(solid, face);
        if area <= 1e-12 * perimeter * perimeter || perimeter <= 1e-12 * size {
            found.push(Defect::ZeroArea { face, area });
            continue;
        }
        let plane = solid.face_plane(face);
        let off = solid.corners(face).map(|p| plane.distance(p).abs()).fold(0.0, f64::max);
        if off > planarity {
            found.push(Defect::NotPlanar {
                face,
                off,
                allowed: planarity,
            });
        } else if outline_crosses(&solid.face_outline(face), 1e-12 * size) {
            found.push(Defect::OutlineCrosses { face });
        }
    }
    found
}

fn perimeter(solid: &Polyhedron, face: usize) -> f64 {
    solid
        .face_edges(face)
        .map(|(a, b)| solid.vertices[a as usize].distance(solid.vertices[b as usize]))
        .sum()
}

fn outline_crosses(outline: &[DVec2], tolerance: f64) -> bool {
    let n = outline.len();
    let edge = |k: usize| (outline[k], outline[(k + 1) % n]);
    (0..n).any(|i| {
        let (a, b) = edge(i);
        (i + 2..n).any(|j| {
            let (c, d) = edge(j);
            cross_properly(a, b, c, d, tolerance)
        })
    })
}

/// Faults of how faces fit together: every edge must be used once in each direction.
fn surface(solid: &Polyhedron, size: f64) -> Vec<Defect> {
    let mut clashes = Vec::new();
    let mut left_of: HashMap<(u32, u32), usize> = HashMap::new();
    for face in 0..solid.faces.len() {
        for (from, to) in solid.face_edges(face) {
            if let Some(&first) = left_of.get(&(from, to)) {
                clashes.push((first, face, from, to));
            }
            left_of.entry((from, to)).or_insert(face);
        }
    }
    // An edge run twice in one direction leaves its neighbours' edges open too; saying so would only confuse.
    if !clashes.is_empty() {
        return clash(solid, &clashes);
    }
    let mut open: Vec<(u32, u32)> = left_of
        .keys()
        .filter(|&&(a, b)| !left_of.contains_key(&(b, a)))
        .copied()
        .collect();
    open.sort_unstable();
    let Some(&(from, to)) = open.first() else {
        return Vec::new();
    };
    let first = weld(&solid.vertices, 1e-9 * size);
    let twin = open.iter().flat_map(|&(a, b)| [a, b]).find(|&v| first[v as usize] != v);
    vec![match twin {
        Some(second) => Defect::SplitVertex {
            first: first[second as usize],
            second,
        },
        None => Defect::Open {
            from,
            to,
            more: open.len() - 1,
        },
    }]
}

/// A face that clashes along every edge is turned over; other clashes are named edge by edge.
fn clash(solid: &Polyhedron, clashes: &[(usize, usize, u32, u32)]) -> Vec<Defect> {
    let mut count = vec![0usize; solid.faces.len()];
    for &(first, second, ..) in clashes {
        count[first] += 1;
        count[second] += 1;
    }
    let turned = |face: usize| count[face] == solid.faces[face].len();
    let mut found: Vec<Defect> = (0..solid.faces.len())
        .filter(|&face| turned(face))
        .map(|face| Defect::Turned { face })
        .collect();
    let others = clashes
        .iter()
        .filter(|&&(first, second, ..)| !turned(first) && !turned(second));
    found.extend(others.map(|&(first, second, from, to)| Defect::Orientation {
        first,
        second,
        from,
        to,
    }));
    found
}

/// A surface that cuts itself has an edge that passes through a face, or lies in a face that does not contain it.
fn self_intersection(solid: &Polyhedron, tolerance: f64) -> Option<Defect> {
    let faces: Vec<(Plane, Vec<DVec2>, Bounds, DVec3, DVec3)> = (0..solid.faces.len())
        .map(|f| {
            let plane = solid.face_plane(f);
            let (u, v) = plane.axes();
            (plane, solid.face_outline(f), Bounds::around(solid.corners(f)), u, v)
        })
        .collect();
    let mut first = None;
    let mut count = 0usize;
    for (from, to) in solid.edges() {
        let (a, b) = (solid.vertices[from as usize], solid.vertices[to as usize]);
        let edge_box = Bounds::around([a, b]);
        for (face, (plane, outline, bounds, u, v)) in faces.iter().enumerate() {
            if !edge_box.is_near(bounds, 0.0) || solid.faces[face].iter().any(|&k| k == from || k == to) {
                continue;
            }
            let (da, db) = (plane.distance(a), plane.distance(b));
            let crosses = (da > tolerance && db < -tolerance) || (da < -tolerance && db > tolerance);
            if !crosses {
                continue;
            }
            let p = a + (b - a) * (da / (da - db)) - plane.normal * plane.offset;
            if side_of(outline, DVec2::new(p.dot(*u), p.dot(*v)), tolerance) == Side::Inside {
                first.get_or_insert((from, to, face));
                count += 1;
            }
        }
    }
    first.map(|(from, to, face)| Defect::SelfIntersection {
        from,
        to,
        face,
        more: count - 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Polyhedron {
        Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE)
    }

    #[test]
    fn sound_solids_have_no_defects_at_any_scale() {
        let l = [(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)].map(DVec2::from);
        for scale in [1e-3, 1.0, 1e3] {
            let l: Vec<_> = l.iter().map(|p| *p * scale).collect();
            assert_eq!(defects(&Polyhedron::from_elevation(&l, 0.0, scale), 1e-6 * scale), []);
            assert_eq!(
                defects(&Polyhedron::cuboid(DVec3::ZERO, DVec3::splat(scale)), 1e-6 * scale),
                []
            );
        }
    }

    #[test]
    fn each_fault_is_named() {
        let mut open = cube();
        open.faces.pop();
        assert!(matches!(defects(&open, 1e-6)[..], [Defect::Open { more: 3, .. }]));

        assert!(matches!(
            defects(&cube().flipped(), 1e-6)[..],
            [Defect::InsideOut { .. }]
        ));

        let mut turned = cube();
        turned.faces[2].reverse();
        assert_eq!(defects(&turned, 1e-6), [Defect::Turned { face: 2 }]);

        let mut twice = cube();
        twice.faces.push(twice.faces[0].clone());
        assert!(matches!(
            defects(&twice, 1e-6)[0],
            Defect::DuplicateFace { first: 0, second: 6 }
        ));

        let mut nan = cube();
        nan.vertices[3].y = f64::NAN;
        assert!(matches!(defects(&nan, 1e-6)[..], [Defect::NotFinite { vertex: 3, .. }]));

        let mut outside = cube();
        outside.faces[1][2] = 77;
        assert!(matches!(
            defects(&outside, 1e-6)[0],
            Defect::NoSuchVertex {
                face: 1,
                vertex: 77,
                vertices: 8
            }
        ));

        let mut warped = cube();
        warped.vertices[6].z += 0.01;
        let found = defects(&warped, 1e-6);
        assert!(found.iter().all(|d| matches!(d, Defect::NotPlanar { .. })), "{found:?}");
        assert_eq!(found.len(), 1, "the sides stay planar, the top does not");

        let mut split = cube();
        split.vertices.push(split.vertices[0]);
        split.faces[0].iter_mut().filter(|v| **v == 0).for_each(|v| *v = 8);
        assert!(matches!(
            defects(&split, 1e-6)[..],
            [Defect::SplitVertex { first: 0, second: 8 }]
        ));

        let flat = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0));
        assert!(
            defects(&flat, 1e-6)
                .iter()
                .any(|d| matches!(d, Defect::ZeroArea { .. }))
        );
    }

    #[test]
    fn a_spike_pushed_through_the_opposite_face_is_found() {
        // A pyramid on the top face of a cube whose tip is pulled down through the bottom.
        let mut solid = cube();
        let top = solid
            .faces
            .iter()
            .position(|f| f.iter().all(|&v| solid.vertices[v as usize].z == 1.0))
            .unwrap();
        let corners = solid.faces.remove(top);
        solid.vertices.push(DVec3::new(0.5, 0.5, -0.5));
        solid
            .faces
            .extend((0..4).map(|k| vec![corners[k], corners[(k + 1) % 4], 8]));
        assert!(
            defects(&solid, 1e-6)
                .iter()
                .any(|d| matches!(d, Defect::SelfIntersection { .. }))
        );
        // With the tip inside, the solid is a sound, concave one.
        solid.vertices[8].z = 0.5;
        assert_eq!(defects(&solid, 1e-6), []);
    }

    #[test]
    fn a_bow_tie_face_is_found() {
        let bow = [(0., 0.), (1., 1.), (1., 0.), (0., 1.5)].map(DVec2::from);
        let found = defects(&Polyhedron::from_elevation(&bow, 0.0, 1.0), 1e-6);
        assert!(
            found.iter().any(|d| matches!(d, Defect::OutlineCrosses { .. })),
            "{found:?}"
        );
    }

    /// Broke: a cube listed twice in one mesh passed as one convex block of twice the volume, because no edge passes
    /// through a face and no corner rises above one.
    #[test]
    fn a_surface_listed_twice_is_found() {
        let mut twice = cube();
        twice.vertices.extend(cube().vertices);
        let again = cube().faces.into_iter().map(|f| f.iter().map(|v| v + 8).collect());
        twice.faces.extend(again);
        assert_eq!(defects(&twice, 1e-6), [Defect::Doubled { shells: 2 }]);
    }
}
