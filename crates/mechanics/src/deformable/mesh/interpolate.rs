//! Points of the surface as weighted means of its nodes.

use glam::{DMat2, DVec2, DVec3};

use super::{Facet, FacetNodes, Mesh};

impl Mesh {
    /// Shape functions of the facet at the point of the surface nearest to `point`: nodes and weights, which add up to 1,
    /// replace what `out` holds.
    pub fn interpolate(&self, point: DVec3, out: &mut Vec<(u32, f64)>) {
        let mut best: Option<(f64, &Facet, Place)> = None;
        for facet in &self.surface {
            let most = best.as_ref().map_or(f64::INFINITY, |b| b.0);
            if self.distance_to_box(facet, point) >= most {
                continue;
            }
            let place = match &facet.nodes {
                FacetNodes::Quad(nodes) => on_quad(&self.at(nodes), point),
                FacetNodes::Triangle([a, b, c, ..]) => on_triangle(&self.at(&[*a, *b, *c]), point),
            };
            if place.distance < most {
                best = Some((place.distance, facet, place));
            }
        }
        out.clear();
        let Some((_, facet, place)) = best else { return };
        let [a, b, c, d] = place.weights;
        let all = match facet.nodes {
            FacetNodes::Quad(_) => [a, b, c, d, 0.0, 0.0],
            FacetNodes::Triangle(_) => [
                a * (2.0 * a - 1.0),
                b * (2.0 * b - 1.0),
                c * (2.0 * c - 1.0),
                4.0 * a * b,
                4.0 * b * c,
                4.0 * c * a,
            ],
        };
        let pairs = facet.nodes().iter().copied().zip(all);
        out.extend(pairs.filter(|&(_, weight)| weight != 0.0));
    }

    /// Squared distance to the axis-aligned box around a facet.
    fn distance_to_box(&self, facet: &Facet, point: DVec3) -> f64 {
        let at = facet.corners().iter().map(|&n| self.nodes[n as usize]);
        let (low, high) = at.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| {
            (low.min(p), high.max(p))
        });
        point.clamp(low, high).distance_squared(point)
    }
}

/// The point of a facet nearest to a given one: squared distance, and weights of the corners.
struct Place {
    distance: f64,
    weights: [f64; 4],
}

/// A quadrilateral that is planar and convex, as all are between planar faces: the nearest point lies inside, where the
/// bilinear map is inverted, or on an edge, where the weights are linear.
fn on_quad(x: &[DVec3; 4], point: DVec3) -> Place {
    let normal = (x[2] - x[0]).cross(x[3] - x[1]);
    let inside = (0..4).all(|k| {
        let (a, b) = (x[k], x[(k + 1) % 4]);
        normal.cross(b - a).dot(point - a) >= 0.0
    });
    if inside && let Some(place) = invert_bilinear(x, point) {
        return place;
    }
    on_edges(x, point)
}

fn bilinear(xi: DVec2) -> [f64; 4] {
    let (x, y) = (xi.x, xi.y);
    [
        0.25 * (1.0 - x) * (1.0 - y),
        0.25 * (1.0 + x) * (1.0 - y),
        0.25 * (1.0 + x) * (1.0 + y),
        0.25 * (1.0 - x) * (1.0 + y),
    ]
}

/// Newton's method on the distance, from the centre; in a convex quadrilateral it takes a handful of steps.
fn invert_bilinear(x: &[DVec3; 4], point: DVec3) -> Option<Place> {
    let mut xi = DVec2::ZERO;
    for _ in 0..25 {
        let weights = bilinear(xi);
        let off = point - (0..4).map(|k| x[k] * weights[k]).sum::<DVec3>();
        let along = 0.25 * ((x[1] - x[0]) * (1.0 - xi.y) + (x[2] - x[3]) * (1.0 + xi.y));
        let across = 0.25 * ((x[3] - x[0]) * (1.0 - xi.x) + (x[2] - x[1]) * (1.0 + xi.x));
        let (aa, ab, bb) = (along.dot(along), along.dot(across), across.dot(across));
        let step = DMat2::from_cols(DVec2::new(aa, ab), DVec2::new(ab, bb)).inverse()
            * DVec2::new(along.dot(off), across.dot(off));
        if !step.is_finite() {
            return None;
        }
        xi = (xi + step).clamp(DVec2::NEG_ONE, DVec2::ONE);
        if step.length_squared() < 1e-30 {
            break;
        }
    }
    let weights = bilinear(xi);
    let at: DVec3 = (0..4).map(|k| x[k] * weights[k]).sum();
    Some(Place {
        distance: at.distance_squared(point),
        weights,
    })
}

fn on_edges<const N: usize>(x: &[DVec3; N], point: DVec3) -> Place {
    let mut best = Place {
        distance: f64::INFINITY,
        weights: [0.0; 4],
    };
    for k in 0..N {
        let next = (k + 1) % N;
        let edge = x[next] - x[k];
        let along = ((point - x[k]).dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
        let distance = (x[k] + edge * along).distance_squared(point);
        if distance < best.distance {
            let mut weights = [0.0; 4];
            weights[k] = 1.0 - along;
            weights[next] = along;
            best = Place { distance, weights };
        }
    }
    best
}

fn on_triangle(x: &[DVec3; 3], point: DVec3) -> Place {
    let normal = (x[1] - x[0]).cross(x[2] - x[0]);
    let twice = normal.length_squared();
    let area = |a: DVec3, b: DVec3| (a - point).cross(b - point).dot(normal) / twice;
    let (a, b) = (area(x[1], x[2]), area(x[2], x[0]));
    let c = 1.0 - a - b;
    if a >= 0.0 && b >= 0.0 && c >= 0.0 {
        let off = (point - x[0]).dot(normal);
        return Place {
            distance: off * off / twice,
            weights: [a, b, c, 0.0],
        };
    }
    on_edges(x, point)
}
