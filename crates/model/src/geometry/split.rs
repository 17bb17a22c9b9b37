use super::{Polyhedron, Sets, clip::drop_unused};

/// The connected pieces of a mesh: faces that share a vertex belong together. In the order of their first faces.
pub(crate) fn shells(solid: &Polyhedron) -> Vec<Polyhedron> {
    let mut sets = Sets::new(solid.vertices.len());
    for face in &solid.faces {
        for pair in face.windows(2) {
            sets.join(pair[0] as usize, pair[1] as usize);
        }
    }
    let mut pieces: Vec<(usize, Vec<Vec<u32>>)> = Vec::new();
    let mut piece_of = std::collections::HashMap::new();
    for face in &solid.faces {
        let Some(&v) = face.first() else { continue };
        let key = sets.of(v as usize);
        let index = *piece_of.entry(key).or_insert_with(|| {
            pieces.push((key, Vec::new()));
            pieces.len() - 1
        });
        pieces[index].1.push(face.clone());
    }
    let whole = pieces.len() == 1;
    pieces
        .into_iter()
        .map(|(_, faces)| {
            if whole {
                return Polyhedron {
                    vertices: solid.vertices.clone(),
                    faces,
                };
            }
            // Each piece renumbers only the vertices it uses, so that many pieces cost no more than one.
            let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            let vertices = used.iter().map(|&v| solid.vertices[v as usize]).collect();
            let local = |v: u32| used.binary_search(&v).map_or(0, |k| k as u32);
            let faces = faces.iter().map(|f| f.iter().map(|&v| local(v)).collect()).collect();
            Polyhedron { vertices, faces }
        })
        .map(|p| {
            let (vertices, faces) = drop_unused(p.vertices, p.faces);
            Polyhedron { vertices, faces }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn two_cubes_in_one_mesh_are_two_shells() {
        let a = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
        let b = a.translated(DVec3::X * 3.0);
        let mut both = a.clone();
        both.vertices.extend(&b.vertices);
        both.faces
            .extend(b.faces.iter().map(|f| f.iter().map(|v| v + 8).collect()));
        assert_eq!(shells(&both), [a, b]);
    }
}
