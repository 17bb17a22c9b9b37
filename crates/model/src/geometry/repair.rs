//! Making a solid of a mesh that is none, as scanners leave them: doubled and degenerate faces, fins, holes, faces that
//! look different ways.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::{
    HullError, Polyhedron, clip::drop_unused, convex_hull, orient, shells, triangulate_warped_face, weld_vertices,
};

/// Share of the whole surface that the patch over a hole may have. A box without one of its faces is closed; a stone of
/// which one side was scanned is not.
const LARGEST_PATCH: f64 = 0.25;
/// Corners of a hole that is closed; the time to cut the patch into triangles grows with their square.
const MOST_CORNERS: usize = 1024;
/// Share of the whole surface below which an open scrap beside the main surface is dropped.
const SCRAP: f64 = 0.01;

/// A mesh made into a closed surface, and what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repaired {
    /// The mesh. Whether it is a sound solid is for [`super::defects`] to say.
    pub(crate) solid: Polyhedron,
    /// What was done, in words: `3 duplicate faces removed`.
    pub(crate) done: Vec<String>,
}

/// Merges vertices within `weld` (m), removes duplicate and degenerate faces, fins and scraps, turns faces to look the
/// same way, and closes holes that are small beside the surface. All indices must be within range and all coordinates
/// finite.
pub(crate) fn repair(mesh: &Polyhedron, weld: f64) -> Repaired {
    let mut done = Vec::new();
    let mut say = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => done.push(format!("1 {one}")),
        n => done.push(format!("{n} {many}")),
    };
    let mut solid = weld_vertices(mesh, weld);
    let used = |solid: &Polyhedron| solid.faces.iter().flatten().collect::<HashSet<_>>().len();
    let merged = used(mesh).saturating_sub(used(&solid));
    say(merged, "duplicate vertex merged", "duplicate vertices merged");
    let degenerate = mesh.faces.len() - solid.faces.len() + drop_degenerate(&mut solid);
    say(degenerate, "degenerate face removed", "degenerate faces removed");
    let duplicates = drop_duplicates(&mut solid);
    say(duplicates, "duplicate face removed", "duplicate faces removed");
    let fins = drop_fins(&mut solid);
    say(
        fins,
        "fin removed (a face on an edge that two others close)",
        "fins removed (faces on edges that others close)",
    );
    let scraps = drop_scraps(&mut solid);
    say(scraps, "face of loose scraps removed", "faces of loose scraps removed");
    let oriented = orient(&solid);
    say(oriented.turned, "face turned", "faces turned");
    solid = oriented.solid;
    let holes = close_holes(&mut solid);
    say(holes, "hole closed", "holes closed");
    if solid.volume() < 0.0 {
        solid = solid.flipped();
        done.push("turned inside-out surface".to_owned());
    }
    let (vertices, faces) = drop_unused(solid.vertices, solid.faces);
    Repaired {
        solid: Polyhedron { vertices, faces },
        done,
    }
}

/// The convex hull of the vertices that a mesh uses: what is left where nothing else makes it a solid.
pub(crate) fn hull_of(mesh: &Polyhedron, tolerance: f64) -> Result<Polyhedron, HullError> {
    let used: HashSet<u32> = mesh.faces.iter().flatten().copied().collect();
    let mut used: Vec<u32> = used.into_iter().collect();
    used.sort_unstable();
    let points: Vec<DVec3> = used.iter().map(|&v| mesh.vertices[v as usize]).collect();
    convex_hull(&points, tolerance)
}

fn drop_degenerate(solid: &mut Polyhedron) -> usize {
    let before = solid.faces.len();
    let keep: Vec<bool> = (0..before)
        .map(|f| {
            let distinct: HashSet<u32> = solid.faces[f].iter().copied().collect();
            let perimeter: f64 = solid
                .face_edges(f)
                .map(|(a, b)| solid.vertices[a as usize].distance(solid.vertices[b as usize]))
                .sum();
            distinct.len() == solid.faces[f].len() && solid.face_area(f) > 1e-12 * perimeter * perimeter
        })
        .collect();
    retain_faces(solid, |f| keep[f]);
    before - solid.faces.len()
}

/// Keeps one of each set of faces with the same corners.
fn drop_duplicates(solid: &mut Polyhedron) -> usize {
    let before = solid.faces.len();
    let mut seen = HashSet::new();
    solid.faces.retain(|face| {
        let mut key = face.clone();
        key.sort_unstable();
        seen.insert(key)
    });
    before - solid.faces.len()
}

/// Removes faces that hang on an edge of more than two faces and have an open edge themselves, until none is left.
fn drop_fins(solid: &mut Polyhedron) -> usize {
    let before = solid.faces.len();
    loop {
        let uses = edge_uses(solid);
        let count = |edge: (u32, u32)| uses.get(&key(edge)).copied().unwrap_or(0);
        let is_fin: Vec<bool> = (0..solid.faces.len())
            .map(|f| {
                let counts: Vec<u32> = solid.face_edges(f).map(count).collect();
                counts.iter().any(|&c| c > 2) && counts.contains(&1)
            })
            .collect();
        if !is_fin.contains(&true) {
            return before - solid.faces.len();
        }
        retain_faces(solid, |f| !is_fin[f]);
    }
}

/// Removes pieces with open edges that are tiny beside the whole.
fn drop_scraps(solid: &mut Polyhedron) -> usize {
    let pieces = shells(solid);
    if pieces.len() < 2 {
        return 0;
    }
    let area = |p: &Polyhedron| (0..p.faces.len()).map(|f| p.face_area(f)).sum::<f64>();
    let whole: f64 = pieces.iter().map(area).sum();
    let is_open = |p: &Polyhedron| edge_uses(p).values().any(|&n| n == 1);
    let before = solid.faces.len();
    let mut kept = Polyhedron::default();
    for piece in pieces.iter().filter(|p| area(p) > SCRAP * whole || !is_open(p)) {
        let first = kept.vertices.len() as u32;
        kept.vertices.extend(&piece.vertices);
        let shifted = |f: &Vec<u32>| f.iter().map(|v| v + first).collect();
        kept.faces.extend(piece.faces.iter().map(shifted));
    }
    *solid = kept;
    before - solid.faces.len()
}

/// Closes the loops of open edges whose patch is small beside the surface; returns how many.
fn close_holes(solid: &mut Polyhedron) -> usize {
    let area: f64 = (0..solid.faces.len()).map(|f| solid.face_area(f)).sum();
    let mut closed = 0;
    for hole in holes(solid) {
        if hole.len() < 3 || hole.len() > MOST_CORNERS {
            continue;
        }
        let points: Vec<DVec3> = hole.iter().map(|&v| solid.vertices[v as usize]).collect();
        let triangles = triangulate_warped_face(&points);
        let of = |t: &[usize; 3]| {
            0.5 * (points[t[1]] - points[t[0]])
                .cross(points[t[2]] - points[t[0]])
                .length()
        };
        let patch: f64 = triangles.iter().map(of).sum();
        if patch <= LARGEST_PATCH * (area + patch) {
            solid
                .faces
                .extend(triangles.iter().map(|t| t.map(|k| hole[k]).to_vec()));
            closed += 1;
        }
    }
    closed
}

/// Loops of edges that have a face on one side only, running so that a face along them closes the surface.
fn holes(solid: &Polyhedron) -> Vec<Vec<u32>> {
    let mut directed = HashSet::new();
    for f in 0..solid.faces.len() {
        directed.extend(solid.face_edges(f));
    }
    let mut open: Vec<(u32, u32)> = directed
        .iter()
        .filter(|&&(a, b)| !directed.contains(&(b, a)))
        .map(|&(a, b)| (b, a))
        .collect();
    open.sort_unstable_by(|x, y| y.cmp(x));
    let mut from: HashMap<u32, Vec<u32>> = HashMap::new();
    for &(a, b) in &open {
        from.entry(a).or_default().push(b);
    }
    let mut loops = Vec::new();
    while let Some((start, _)) = open.pop() {
        // Follow open edges; where the path meets itself, a loop is complete and is taken off it.
        let mut path = vec![start];
        let mut place: HashMap<u32, usize> = HashMap::from([(start, 0)]);
        while let Some(next) = path.last().and_then(|at| from.get_mut(at)?.pop()) {
            if let Some(&first) = place.get(&next) {
                let one: Vec<u32> = path.drain(first..).collect();
                for vertex in &one {
                    place.remove(vertex);
                }
                loops.push(one);
                if path.is_empty() && from.get(&next).is_none_or(Vec::is_empty) {
                    break;
                }
            }
            place.insert(next, path.len());
            path.push(next);
        }
    }
    loops
}

fn key((a, b): (u32, u32)) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// How many faces each edge has.
fn edge_uses(solid: &Polyhedron) -> HashMap<(u32, u32), u32> {
    let mut uses = HashMap::new();
    for f in 0..solid.faces.len() {
        for edge in solid.face_edges(f) {
            *uses.entry(key(edge)).or_default() += 1;
        }
    }
    uses
}

fn retain_faces(solid: &mut Polyhedron, keep: impl Fn(usize) -> bool) {
    let mut index = 0;
    solid.faces.retain(|_| {
        index += 1;
        keep(index - 1)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{defects, triangulate_face};

    fn triangulated(solid: &Polyhedron) -> Polyhedron {
        Polyhedron {
            vertices: solid.vertices.clone(),
            faces: (0..solid.faces.len())
                .flat_map(|f| triangulate_face(solid, f))
                .map(|t| t.to_vec())
                .collect(),
        }
    }

    /// A ball of triangles: no two coplanar, so that every fault must be repaired exactly.
    fn ball(scale: f64) -> Polyhedron {
        let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let n = 60;
        let points: Vec<DVec3> = (0..n)
            .map(|i| {
                let z = 1.0 - 2.0 * (i as f64 + 0.5) / n as f64;
                let (s, c) = (golden * i as f64).sin_cos();
                let r = (1.0 - z * z).sqrt();
                scale * DVec3::new(r * c, r * s, z) + DVec3::new(3.0, -2.0, 5.0) * scale
            })
            .collect();
        triangulated(&convex_hull(&points, 1e-9 * scale).unwrap())
    }

    fn assert_sound(solid: &Polyhedron) {
        let size = solid.bounds().diagonal();
        assert_eq!(defects(solid, 1e-6 * size), []);
    }

    #[test]
    fn a_missing_triangle_is_put_back_and_the_volume_is_exactly_the_old() {
        for scale in [1e-3, 1.0, 100.0] {
            let whole = ball(scale);
            for missing in [0, 7, 50] {
                let mut holed = whole.clone();
                holed.faces.remove(missing);
                let repaired = repair(&holed, 1e-9 * scale);
                assert_sound(&repaired.solid);
                assert_eq!(repaired.done, ["1 hole closed"]);
                assert!((repaired.solid.volume() / whole.volume() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_box_without_its_top_gets_it_back() {
        let mut open = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        open.faces.remove(1);
        let repaired = repair(&open, 1e-9);
        assert_sound(&repaired.solid);
        assert!((repaired.solid.volume() - 6.0).abs() < 1e-12);
    }

    #[test]
    fn doubled_and_turned_faces_split_vertices_and_fins_are_told_and_gone() {
        let whole = ball(1.0);
        let mut bad = whole.clone();
        bad.faces.push(bad.faces[3].clone());
        bad.faces[5].reverse();
        bad.faces[9].reverse();
        // A vertex of its own for one corner, and a triangle that stands out from an edge.
        let corner = bad.faces[20][0] as usize;
        bad.vertices.push(bad.vertices[corner]);
        bad.faces[20][0] = bad.vertices.len() as u32 - 1;
        let [a, b] = [bad.faces[30][0], bad.faces[30][1]];
        bad.vertices.push(DVec3::new(9.0, 9.0, 9.0));
        bad.faces.push(vec![a, b, bad.vertices.len() as u32 - 1]);
        bad.faces.push(vec![a, b, a]);
        let repaired = repair(&bad, 1e-9);
        assert_sound(&repaired.solid);
        assert!((repaired.solid.volume() / whole.volume() - 1.0).abs() < 1e-12);
        let said = repaired.done.join(", ");
        for expected in [
            "1 duplicate vertex merged",
            "1 degenerate face removed",
            "1 duplicate face removed",
            "1 fin removed",
            "2 faces turned",
        ] {
            assert!(said.contains(expected), "{expected} is not in {said}");
        }
    }

    #[test]
    fn two_holes_that_meet_in_a_corner_are_two_loops() {
        let mut solid = ball(1.0);
        // Two triangles that share a vertex but no edge.
        let first = solid.faces[10].clone();
        let v = first[0];
        let shares = |f: &Vec<u32>| f.iter().filter(|u| first.contains(u)).count();
        let second = (0..solid.faces.len())
            .find(|&f| solid.faces[f].contains(&v) && shares(&solid.faces[f]) == 1)
            .unwrap();
        let volume = solid.volume();
        for f in [second.max(10), second.min(10)] {
            solid.faces.remove(f);
        }
        let repaired = repair(&solid, 1e-9);
        assert_eq!(repaired.done, ["2 holes closed"]);
        assert_sound(&repaired.solid);
        assert!((repaired.solid.volume() / volume - 1.0).abs() < 1e-12);
    }

    #[test]
    fn half_a_ball_is_not_closed_over_but_has_a_hull() {
        let mut half = ball(1.0);
        let middle = 5.0;
        let high: Vec<bool> = (0..half.faces.len())
            .map(|f| half.corners(f).all(|p| p.z > middle))
            .collect();
        retain_faces(&mut half, |f| high[f]);
        // The patch over the equator is a third of the surface of half a ball.
        assert!(!repair(&half, 1e-9).done.iter().any(|d| d.contains("closed")));
        assert_sound(&hull_of(&half, 1e-9).unwrap());
    }
}
