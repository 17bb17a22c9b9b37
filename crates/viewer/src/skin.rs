//! Surfaces of the blocks that deform, as the page draws them.

use drystone_mechanics::{
    Structure,
    deformable::{ElasticField, FacetNodes, von_mises},
};
use drystone_output::deformed::stress_scale;
use serde_json::{Value, json};

use crate::wire::{Binary, flat};

/// Triangles between the nodes on the surfaces of all blocks that deform. Blocks share no nodes.
#[derive(Debug, Default)]
pub(crate) struct Skins {
    /// Nodes on the surface of each block, in the order of the structure.
    nodes: Vec<Vec<u32>>,
    /// Which block each of them is of.
    blocks: Vec<u32>,
    triangles: Vec<u32>,
    /// Ends of the pieces of edges of blocks.
    edges: Vec<u32>,
}

impl Skins {
    pub(crate) fn of(structure: &Structure) -> Self {
        let mut skins = Self::default();
        for (place, &(block, _)) in structure.elastic.blocks.iter().enumerate() {
            let mesh = structure.elastic.shape(place).elastic.mesh();
            let nodes = mesh.surface_nodes();
            let first = skins.blocks.len() as u32;
            // Facets name nodes of the surface only.
            let number = |node: &u32| first + nodes.partition_point(|n| n < node) as u32;
            let mut sides: Vec<([u32; 2], Option<u32>, u32)> = Vec::new();
            for facet in &mesh.surface {
                let of: Vec<u32> = facet.nodes().iter().map(number).collect();
                let parts: &[[usize; 3]] = match facet.nodes {
                    FacetNodes::Quad(_) => &[[0, 1, 2], [0, 2, 3]],
                    FacetNodes::Triangle(_) => &[[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
                };
                skins.triangles.extend(parts.iter().flatten().map(|&k| of[k]));
                let count = facet.corners().len();
                for k in 0..count {
                    let ends = [of[k], of[(k + 1) % count]];
                    let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                    sides.push((ends, of.get(count + k).copied(), facet.face));
                }
            }
            sides.sort_unstable();
            // Both sides of an edge of the block name it, with different faces.
            for pair in sides.windows(2).filter(|p| p[0].0 == p[1].0 && p[0].2 != p[1].2) {
                let ([from, to], middle, _) = pair[0];
                match middle {
                    Some(middle) => skins.edges.extend([from, middle, middle, to]),
                    None => skins.edges.extend([from, to]),
                }
            }
            skins.blocks.extend(vec![block; nodes.len()]);
            skins.nodes.push(nodes);
        }
        skins
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Bytes that the page keeps for an equilibrium.
    pub(crate) fn bytes(&self) -> usize {
        4 * size_of::<f32>() * self.blocks.len()
    }

    /// Adds what stays the same: where nodes are at first, their blocks, triangles and edges.
    pub(crate) fn put(&self, message: Binary, field: &ElasticField) -> Binary {
        let start = self.pairs(field).map(|(of, node)| &of.start[node]);
        message
            .floats("skin_start", flat(start))
            .indices("skin_block", self.blocks.iter().copied())
            .indices("skin_triangles", self.triangles.iter().copied())
            .indices("skin_edges", self.edges.iter().copied())
    }

    /// Adds how far nodes have moved since the start, and von Mises' stress there (Pa).
    pub(crate) fn put_state(&self, message: Binary, field: &ElasticField) -> Binary {
        let moved: Vec<_> = self.pairs(field).map(|(of, node)| of.moved(node)).collect();
        message
            .floats("skin_moved", flat(&moved))
            .floats("skin_stress", self.stresses(field).map(|s| s as f32))
    }

    /// Adds the largest stress and deformation, and where a scale of stresses is to end.
    pub(crate) fn tell(&self, header: &mut Value, field: &ElasticField) {
        if let Some(extremes) = field.extremes() {
            header["max_von_mises_pa"] = json!(extremes.von_mises.value);
            header["max_tension_pa"] = json!(extremes.tension.value);
            header["max_deformation_m"] = json!(extremes.deformation.value);
            header["stress_scale_pa"] = json!(stress_scale(self.stresses(field).collect()));
        }
    }

    fn stresses<'a>(&'a self, field: &'a ElasticField) -> impl Iterator<Item = f64> + 'a {
        self.pairs(field).map(|(of, node)| von_mises(&of.stress[node]))
    }

    fn pairs<'a>(
        &'a self,
        field: &'a ElasticField,
    ) -> impl Iterator<Item = (&'a drystone_mechanics::deformable::BlockField, usize)> + 'a {
        let all = field.blocks.iter().zip(&self.nodes);
        all.flat_map(|(of, nodes)| nodes.iter().map(move |&n| (of, n as usize)))
    }
}

#[cfg(test)]
mod tests {
    use drystone_model::{Block, Elasticity, Model, Shape};
    use glam::{DVec3, dvec3};

    use super::*;

    #[test]
    fn a_box_has_twelve_edges_and_its_surface_in_triangles() {
        for (mesh, nodes, triangles, edges) in [("H8x2x2x2", 26, 48, 24), ("T10", 50, 96, 24)] {
            let mut model = Model::named("box");
            let ground = Shape::cuboid(dvec3(-1.0, -1.0, -1.0), dvec3(2.0, 2.0, 0.0));
            model.blocks.push(Block::new("ground", ground).fixed());
            model
                .blocks
                .push(Block::new("box", Shape::cuboid(DVec3::ZERO, DVec3::ONE)));
            model.elasticity = Some(Elasticity {
                young_pa: 1e10,
                poisson: 0.2,
                rayleigh_mass_per_s: None,
                rayleigh_stiffness_s: None,
            });
            model.deformable = vec![format!("box:{mesh}").parse().unwrap()];
            let skins = Skins::of(&Structure::new(&model).unwrap());
            assert_eq!(
                [skins.blocks.len(), skins.triangles.len() / 3, skins.edges.len() / 2],
                [nodes, triangles, edges],
                "{mesh}"
            );
        }
    }
}
