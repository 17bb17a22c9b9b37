use std::collections::HashMap;

use super::Polyhedron;

/// A mesh whose faces have been made to look the same way, and what was found on the way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Oriented {
    /// The mesh.
    pub(crate) solid: Polyhedron,
    /// How many faces were turned over.
    pub(crate) turned: usize,
    /// How many edges belong to one face only: zero for a closed surface.
    pub(crate) open_edges: usize,
    /// How many edges belong to more than two faces.
    pub(crate) tangled_edges: usize,
}

/// Makes neighbouring faces run along their common edge in opposite directions.
///
/// The faces are flooded across edges that belong to exactly two of them. A piece whose faces already agree is left
/// as it is, even if it looks inwards: it may be the wall of a cavity. A piece whose faces disagree is turned so that
/// it encloses a positive volume. A piece that has only one side, like a Möbius strip, is left as it is.
pub(crate) fn orient(solid: &Polyhedron) -> Oriented {
    // For each edge, the faces beside it and whether they run from its smaller to its larger vertex.
    let mut beside: HashMap<(u32, u32), Vec<(usize, bool)>> = HashMap::new();
    for face in 0..solid.faces.len() {
        for (a, b) in solid.face_edges(face) {
            beside.entry((a.min(b), a.max(b))).or_default().push((face, a < b));
        }
    }
    let mut result = Oriented {
        solid: solid.clone(),
        turned: 0,
        open_edges: beside.values().filter(|faces| faces.len() == 1).count(),
        tangled_edges: beside.values().filter(|faces| faces.len() > 2).count(),
    };
    let mut turn: Vec<Option<bool>> = vec![None; solid.faces.len()];
    for seed in 0..solid.faces.len() {
        if turn[seed].is_some() {
            continue;
        }
        turn[seed] = Some(false);
        let (mut piece, mut next, mut two_sided) = (vec![(seed, false)], 0, true);
        while let Some(&(face, turned)) = piece.get(next) {
            next += 1;
            for (a, b) in solid.face_edges(face) {
                let Some(&[one, two]) = beside.get(&(a.min(b), a.max(b))).map(Vec::as_slice) else {
                    continue;
                };
                let other = if one.0 == face { two } else { one };
                let should_turn = turned ^ (one.1 == two.1);
                match turn[other.0] {
                    None => {
                        turn[other.0] = Some(should_turn);
                        piece.push((other.0, should_turn));
                    }
                    Some(is) => two_sided &= is == should_turn,
                }
            }
        }
        if two_sided && piece.iter().any(|&(_, turned)| turned) {
            result.turned += turn_piece(&mut result.solid, &piece);
        }
    }
    result
}

/// Turns the marked faces of a piece, or else the others, whichever leaves it with a positive volume.
fn turn_piece(solid: &mut Polyhedron, piece: &[(usize, bool)]) -> usize {
    let mut alone = Polyhedron {
        vertices: Vec::new(),
        faces: Vec::with_capacity(piece.len()),
    };
    for &(face, turned) in piece {
        let first = alone.vertices.len() as u32;
        alone.vertices.extend(solid.corners(face));
        let mut corners: Vec<u32> = (first..alone.vertices.len() as u32).collect();
        if turned {
            corners.reverse();
        }
        alone.faces.push(corners);
    }
    let inwards = alone.volume() < 0.0;
    let mut count = 0;
    for &(face, turned) in piece {
        if turned != inwards {
            solid.faces[face].reverse();
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn any_choice_of_turned_faces_comes_back_to_the_same_box() {
        let cube = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
        for choice in 1u32..63 {
            let mut mixed = cube.clone();
            for (face, corners) in mixed.faces.iter_mut().enumerate() {
                if choice >> face & 1 == 1 {
                    corners.reverse();
                }
            }
            let oriented = orient(&mixed);
            assert_eq!(oriented.turned as u32, choice.count_ones());
            assert_eq!((oriented.open_edges, oriented.tangled_edges), (0, 0));
            assert!((oriented.solid.volume() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_cavity_keeps_looking_inwards() {
        let outer = Polyhedron::cuboid(DVec3::ZERO, DVec3::splat(3.0));
        let inner = Polyhedron::cuboid(DVec3::ONE, DVec3::splat(2.0)).flipped();
        let mut hollow = outer;
        hollow.vertices.extend(inner.vertices);
        hollow
            .faces
            .extend(inner.faces.iter().map(|f| f.iter().map(|v| v + 8).collect()));
        let oriented = orient(&hollow);
        assert_eq!(oriented.turned, 0);
        assert_eq!(oriented.solid, hollow);
    }

    #[test]
    fn an_open_surface_is_told_by_its_edges() {
        let mut open = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
        open.faces.pop();
        assert_eq!(orient(&open).open_edges, 4);
    }
}
