use glam::DVec3;

/// An oriented plane: the points `p` with `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal; for a face it points out of the solid.
    pub normal: DVec3,
    /// Distance of the plane from the origin along the normal (m).
    pub offset: f64,
}

impl Plane {
    /// The plane through `point` with the direction of `normal` (need not be of unit length, must not be zero).
    pub fn through(point: DVec3, normal: DVec3) -> Self {
        let normal = normal.normalize();
        Self {
            normal,
            offset: normal.dot(point),
        }
    }

    /// Signed distance of `point`: positive on the side the normal points to (m).
    pub fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The same plane seen from the other side.
    pub fn flipped(&self) -> Self {
        Self {
            normal: -self.normal,
            offset: -self.offset,
        }
    }

    /// Two unit vectors `(u, v)` that span the plane, with `u × v` along the normal.
    pub fn axes(&self) -> (DVec3, DVec3) {
        let u = self.normal.any_orthonormal_vector();
        (u, self.normal.cross(u))
    }
}
