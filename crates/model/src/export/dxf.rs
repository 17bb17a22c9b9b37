use std::fmt::Write;

use glam::{DVec2, DVec3};

use crate::{Block, Model, geometry::Polyhedron, import::dxf::is_of_supports};

/// Why a model cannot be drawn as outlines.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "block `{block}` is no prism along {along}, so that no outline with a thickness draws it; write .obj for any shape"
)]
pub struct NotFlat {
    /// Name of the first such block.
    pub block: String,
    /// The axes that were tried.
    pub along: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Plane {
    Elevation,
    Plan,
}

/// The blocks as a DXF drawing in metres (ASCII, release 12): the outline of each as a closed polyline with its thickness, on a layer
/// with the name of its group. It is an elevation if every block is a prism along y, or else a plan if every one is a prism along z.
///
/// Supports are on layers from whose names they are known when the drawing is imported. Materials, joints, loads and ties have no place
/// in a drawing.
pub fn dxf(model: &Model) -> Result<String, NotFlat> {
    let solids: Vec<Polyhedron> = model.blocks.iter().map(Block::polyhedron).collect();
    // The number of the first block that cannot be drawn, or the drawing.
    let drawn = |plane: Plane| -> Result<Vec<Drawn>, usize> {
        let of = |(k, solid): (usize, &Polyhedron)| Drawn::of(solid, plane).ok_or(k);
        solids.iter().enumerate().map(of).collect()
    };
    let drawn = match (drawn(Plane::Elevation), drawn(Plane::Plan)) {
        (Ok(drawn), _) | (_, Ok(drawn)) => drawn,
        // The plane in which more can be drawn is the one that was meant.
        (Err(elevation), Err(plan)) => {
            let (k, along) = if plan > elevation {
                (plan, "z")
            } else {
                (elevation, "y")
            };
            let block = model.blocks[k].name.clone();
            return Err(NotFlat { block, along });
        }
    };
    let layers: Vec<String> = model.blocks.iter().map(layer).collect();
    let mut names: Vec<&String> = layers.iter().collect();
    names.sort_unstable();
    names.dedup();
    let mut out = String::from("0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1009\n9\n$INSUNITS\n70\n6\n0\nENDSEC\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "0\nSECTION\n2\nTABLES\n0\nTABLE\n2\nLAYER\n70\n{}", names.len());
    for (k, name) in names.into_iter().enumerate() {
        let _ = writeln!(out, "0\nLAYER\n2\n{name}\n70\n0\n62\n{}\n6\nCONTINUOUS", 1 + k % 7);
    }
    out.push_str("0\nENDTAB\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n");
    for (drawn, layer) in drawn.iter().zip(&layers) {
        let (z, t) = (drawn.elevation, drawn.thickness);
        let _ = writeln!(
            out,
            "0\nPOLYLINE\n8\n{layer}\n66\n1\n10\n0\n20\n0\n30\n{z}\n39\n{t}\n70\n1"
        );
        for p in &drawn.outline {
            let _ = writeln!(out, "0\nVERTEX\n8\n{layer}\n10\n{}\n20\n{}\n30\n{z}", p.x, p.y);
        }
        let _ = writeln!(out, "0\nSEQEND\n8\n{layer}");
    }
    out.push_str("0\nENDSEC\n0\nEOF\n");
    Ok(out)
}

/// The layer of a block: its group, with characters that no layer may have replaced.
fn layer(block: &Block) -> String {
    let group = block.group.as_deref().unwrap_or("0");
    if block.fixed && !is_of_supports(group) {
        return "supports".to_owned();
    }
    let is_bad = |c: char| c.is_control() || "<>/\\\":;?*|=,`'".contains(c);
    let clean: String = group.chars().map(|c| if is_bad(c) { '-' } else { c }).collect();
    // A free block on a layer of supports would come back fixed.
    if !block.fixed && is_of_supports(&clean) {
        format!("{clean}-free")
    } else {
        clean
    }
}

/// The outline of a block in the plane of the drawing, and how far it reaches towards whoever looks at it.
struct Drawn {
    outline: Vec<DVec2>,
    elevation: f64,
    thickness: f64,
}

impl Drawn {
    /// A prism has two ends across its axis, with the same corners, and none between them.
    fn of(solid: &Polyhedron, plane: Plane) -> Option<Self> {
        let axis = if plane == Plane::Elevation {
            DVec3::NEG_Y
        } else {
            DVec3::Z
        };
        let flat = |p: DVec3| DVec2::new(p.x, if plane == Plane::Elevation { p.z } else { p.y });
        let height = |p: &DVec3| p.dot(axis);
        let low = solid.vertices.iter().map(height).fold(f64::INFINITY, f64::min);
        let high = solid.vertices.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
        let slack = 1e-9 * solid.bounds().diagonal();
        let is_at = |p: &DVec3, at: f64| (height(p) - at).abs() <= slack;
        let mut ends = (0..solid.faces.len()).filter(|f| solid.corners(*f).all(|p| is_at(&p, high)));
        let (Some(end), None) = (ends.next(), ends.next()) else {
            return None;
        };
        let outline: Vec<DVec2> = solid.corners(end).map(flat).collect();
        let lower: Vec<DVec2> = (solid.vertices.iter().filter(|p| is_at(p, low)).copied().map(flat)).collect();
        let is_prism = lower.len() == outline.len()
            && solid.vertices.len() == 2 * outline.len()
            && solid.faces.len() == outline.len() + 2
            && outline.iter().all(|p| lower.iter().any(|q| p.distance(*q) <= slack));
        is_prism.then_some(Self {
            outline,
            elevation: low + 0.0,
            thickness: high - low,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        PrismAxis, PrismShape, Shape,
        import::dxf::{Drawing, DrawingPlane, read},
        recipes,
    };

    /// What a drawing keeps: outlines, extent along the third axis, groups and supports.
    fn comes_back(model: &Model, plane: DrawingPlane) {
        let text = dxf(model).unwrap();
        let drawing = Drawing {
            plane,
            ..Drawing::default()
        };
        let read = read(text.as_bytes(), "out.dxf", &drawing).unwrap();
        assert_eq!(read.model.blocks.len(), model.blocks.len());
        for (block, back) in model.blocks.iter().zip(&read.model.blocks) {
            assert_eq!((block.fixed, &block.group), (back.fixed, &back.group), "{}", block.name);
            let [a, b] = [block, back].map(|b| b.polyhedron().mass_properties());
            assert!((a.volume - b.volume).abs() < 1e-12 * a.volume, "{}", block.name);
            assert!(a.centroid.distance(b.centroid) < 1e-11, "{}", block.name);
        }
    }

    #[test]
    fn elevations_and_plans_come_back_as_they_were() {
        let order = recipes::order;
        for order in [
            order("arch").with("ground", false),
            order("spandrel-arch"),
            order("bridge")
                .with("spans", 3)
                .with("spandrel", 0.4)
                .with("ground", false),
        ] {
            comes_back(&order.build().unwrap(), DrawingPlane::Elevation);
        }
        let mut tower = Model::named("tower");
        for k in 0..3 {
            let corner = |i: i32| DVec2::from_angle(f64::from(i) * std::f64::consts::FRAC_PI_3) + DVec2::new(7.0, -2.0);
            let shape = PrismShape {
                polygon: (0..6).map(corner).collect(),
                axis: PrismAxis::Z,
                from: f64::from(k),
                to: f64::from(k + 1),
            };
            let block = Block::new(format!("drum-{k}"), Shape::Prism(shape));
            let is_ground = k == 0;
            tower.blocks.push(if is_ground {
                block.fixed().in_group("ground")
            } else {
                block
            });
        }
        comes_back(&tower, DrawingPlane::Plan);
    }

    #[test]
    fn what_has_no_outline_is_refused_by_name() {
        let dome = recipes::order("dome").build().unwrap();
        let error = dxf(&dome).unwrap_err().to_string();
        assert!(error.contains("is no prism along") && error.contains(".obj"), "{error}");
    }
}
