use super::{
    super::{Plane, Polyhedron, clip},
    EditError, SAME, allowance, kept, sound,
};

/// The part of a convex solid behind a plane.
pub fn cut(solid: &Polyhedron, plane: &Plane) -> Result<Polyhedron, EditError> {
    let [behind, _] = split(solid, plane)?;
    Ok(behind)
}

/// The parts of a convex solid behind a plane and in front of it.
pub fn split(solid: &Polyhedron, plane: &Plane) -> Result<[Polyhedron; 2], EditError> {
    if !(plane.offset.is_finite() && plane.normal.is_normalized()) {
        return Err(EditError::NotFinite { what: "planes" });
    }
    sound(solid)?;
    let allowed = allowance(solid);
    if !solid.is_convex(allowed) {
        return Err(EditError::NotConvex);
    }
    let near = SAME * solid.bounds().diagonal();
    let meets = |side: f64| solid.vertices.iter().any(|&v| side * plane.distance(v) > near);
    if !meets(1.0) {
        return Err(EditError::Missed { side: "in front of" });
    }
    if !meets(-1.0) {
        return Err(EditError::Missed { side: "behind" });
    }
    let part = |plane: &Plane, side| match clip(solid, plane, near) {
        Some(part) => kept(part, allowed),
        None => Err(EditError::Missed { side }),
    };
    Ok([part(plane, "behind")?, part(&plane.flipped(), "in front of")?])
}
