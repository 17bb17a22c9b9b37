//! Surfaces of deformed blocks, with displacements magnified, in patches fine enough to show how stress changes.

use std::collections::HashMap;

use drystone_mechanics::deformable::{BlockField, ElasticField, Facet, FacetNodes, von_mises};
use glam::DVec3;

use super::palette::stress_color;
use crate::picture::{Patch, Skin, SkinLine};

/// Patches of all blocks together: more make files large, and none is seen.
const PATCHES: usize = 200_000;
/// Most parts of a side of a facet.
const MOST_PARTS: usize = 16;
/// Fewest parts of the side of a triangle, which is curved.
const CURVED: usize = 3;
/// Parts for a change of stress from none to the end of the scale.
const TONES: f64 = 60.0;

/// Where a node is drawn.
pub(super) fn shown(field: &BlockField, node: usize, factor: f64) -> DVec3 {
    field.start[node] + factor * field.moved(node)
}

/// The skins of all blocks; `index` gives the place of a block in the model that is drawn.
pub(super) fn skins(field: &ElasticField, factor: f64, scale: f64, index: impl Fn(usize) -> usize) -> Vec<Skin> {
    let facets: usize = field.blocks.iter().map(|b| b.shape.elastic.mesh().surface.len()).sum();
    let most = ((PATCHES / facets.max(1)) as f64).sqrt() as usize;
    let most = most.clamp(1, MOST_PARTS);
    let skin = |of: &BlockField| Surface::new(of, factor, scale).skin(index(of.block), most);
    field.blocks.iter().map(skin).collect()
}

/// Surface of a block as it is drawn.
struct Surface<'a> {
    facets: &'a [Facet],
    at: Vec<DVec3>,
    /// Von Mises' stress by nodes, over the end of the scale.
    stress: Vec<f64>,
}

impl<'a> Surface<'a> {
    fn new(field: &'a BlockField, factor: f64, scale: f64) -> Self {
        Self {
            facets: &field.shape.elastic.mesh().surface,
            at: (0..field.nodes.len()).map(|n| shown(field, n, factor)).collect(),
            stress: field.stress.iter().map(|s| von_mises(s) / scale).collect(),
        }
    }

    fn skin(&self, block: usize, most: usize) -> Skin {
        Skin {
            block,
            patches: self.facets.iter().flat_map(|f| self.patches(f, most)).collect(),
            lines: self.lines(),
        }
    }

    /// How many parts the sides of a facet are divided into: the more, the more stress changes along them.
    fn parts(&self, facet: &Facet, most: usize) -> [usize; 2] {
        let stress = |k: usize| self.stress[facet.nodes()[k] as usize].min(1.0);
        let parts = |change: f64| ((TONES * change).ceil() as usize).clamp(1, most);
        match facet.nodes {
            FacetNodes::Quad(_) => {
                let change = |a: [usize; 2], b: [usize; 2]| {
                    let along = |[from, to]: [usize; 2]| (stress(to) - stress(from)).abs();
                    parts(along(a).max(along(b)))
                };
                [change([0, 1], [3, 2]), change([0, 3], [1, 2])]
            }
            FacetNodes::Triangle(_) => {
                let all = (0..6).map(stress);
                let [low, high] = all.fold([f64::INFINITY, 0.0_f64], |[low, high], s| [low.min(s), high.max(s)]);
                [parts(high - low).max(CURVED.min(most)); 2]
            }
        }
    }

    /// Place and stress at a point of a facet.
    fn point(&self, facet: &Facet, place: [f64; 2]) -> (DVec3, f64) {
        let mut sum = (DVec3::ZERO, 0.0);
        let weights = weights(facet, place);
        for (&node, weight) in facet.nodes().iter().zip(weights) {
            sum.0 += weight * self.at[node as usize];
            sum.1 += weight * self.stress[node as usize];
        }
        sum
    }

    fn patches(&self, facet: &Facet, most: usize) -> Vec<Patch> {
        let parts = self.parts(facet, most);
        let patch = |corners: &[[usize; 2]]| {
            let place = |c: &[usize; 2]| [0, 1].map(|k| c[k] as f64 / parts[k] as f64);
            let points = corners.iter().map(|c| self.point(facet, place(c)));
            let (corners, stresses): (Vec<DVec3>, Vec<f64>) = points.unzip();
            let mean = stresses.iter().sum::<f64>() / stresses.len() as f64;
            Patch {
                corners,
                color: stress_color(mean),
            }
        };
        let [rows, columns] = parts;
        let cells = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        match facet.nodes {
            FacetNodes::Quad(_) => cells
                .map(|(i, j)| patch(&[[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]))
                .collect(),
            FacetNodes::Triangle(_) => cells
                .filter(|(i, j)| i + j < rows)
                .flat_map(|(i, j)| {
                    let low = patch(&[[i, j], [i + 1, j], [i, j + 1]]);
                    let high = (i + j + 1 < rows).then(|| patch(&[[i + 1, j], [i + 1, j + 1], [i, j + 1]]));
                    std::iter::once(low).chain(high)
                })
                .collect(),
        }
    }

    /// Edges of elements: thick ones where two faces of the block meet.
    fn lines(&self) -> Vec<SkinLine> {
        let mut sides: HashMap<(u32, u32), Vec<(usize, usize)>> = HashMap::new();
        let mut order = Vec::new();
        for (f, facet) in self.facets.iter().enumerate() {
            let corners = facet.corners();
            for k in 0..corners.len() {
                let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
                let key = (a.min(b), a.max(b));
                let sharing = sides.entry(key).or_default();
                if sharing.is_empty() {
                    order.push(key);
                }
                sharing.push((f, k));
            }
        }
        let line = |key: &(u32, u32)| {
            let sharing = &sides[key];
            let (f, side) = sharing[0];
            let facet = &self.facets[f];
            let is_straight = matches!(facet.nodes, FacetNodes::Quad(_));
            let pieces = if is_straight { 1 } else { 2 * CURVED };
            let at = |k: usize| self.point(facet, on_side(facet, side, k as f64 / pieces as f64)).0;
            SkinLine {
                points: (0..=pieces).map(at).collect(),
                normals: sharing.iter().map(|&(f, _)| self.normal(&self.facets[f])).collect(),
                is_edge: sharing.iter().any(|&(f, _)| self.facets[f].face != facet.face),
            }
        };
        order.iter().map(line).collect()
    }

    fn normal(&self, facet: &Facet) -> DVec3 {
        let at = |k: usize| self.at[facet.corners()[k] as usize];
        match facet.nodes {
            FacetNodes::Quad(_) => (at(2) - at(0)).cross(at(3) - at(1)),
            FacetNodes::Triangle(_) => (at(1) - at(0)).cross(at(2) - at(0)),
        }
    }
}

/// Shape functions at a point of a facet: coordinates from 0 to 1 along two sides from the first corner.
fn weights(facet: &Facet, [x, y]: [f64; 2]) -> [f64; 6] {
    match facet.nodes {
        FacetNodes::Quad(_) => [(1.0 - x) * (1.0 - y), x * (1.0 - y), x * y, (1.0 - x) * y, 0.0, 0.0],
        FacetNodes::Triangle(_) => {
            let (a, b, c) = (1.0 - x - y, x, y);
            [
                a * (2.0 * a - 1.0),
                b * (2.0 * b - 1.0),
                c * (2.0 * c - 1.0),
                4.0 * a * b,
                4.0 * b * c,
                4.0 * c * a,
            ]
        }
    }
}

/// Coordinates of a point on a side, from its first corner to the next.
fn on_side(facet: &Facet, side: usize, part: f64) -> [f64; 2] {
    const QUAD: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let count = facet.corners().len();
    let corner = |k: usize| match facet.nodes {
        FacetNodes::Quad(_) => QUAD[k % 4],
        FacetNodes::Triangle(_) => [QUAD[0], QUAD[1], QUAD[3]][k % 3],
    };
    let (from, to) = (corner(side), corner((side + 1) % count));
    [0, 1].map(|k| from[k] + part * (to[k] - from[k]))
}
