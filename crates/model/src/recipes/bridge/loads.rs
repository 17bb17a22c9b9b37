//! What a bridge carries: fill as mass or as pressure, and axles.

use glam::{DVec2, DVec3};

use super::{Bridge, Fill, Segment};
use crate::{
    AddedMass, Hydrostatic, LoadCase, Model, PointForce, SurfaceLoad, geometry::Polyhedron, recipes::RecipeError,
};

/// How far the normal of a face may be off the way that it is known to look (degrees).
const SAME_WAY: f64 = 1.0;

impl Bridge<'_> {
    /// Width of the fill: between the spandrel walls.
    fn inner_width(&self) -> f64 {
        self.p.width - 2.0 * self.p.spandrel
    }

    /// The fill that stands on a segment.
    fn standing_on(&self, segment: &Segment) -> Option<Polyhedron> {
        let top = self.top();
        let over = |p: DVec2| DVec2::new(p.x, top);
        let outline = [segment.from, segment.to, over(segment.to), over(segment.from)];
        let half = 0.5 * self.inner_width();
        (segment.to.x > segment.from.x).then(|| Polyhedron::from_elevation(&outline, -half, half))
    }

    pub(super) fn fill(&mut self) {
        if self.p.fill == Fill::None {
            return;
        }
        let mut case = LoadCase::default();
        for k in 0..self.back.len() {
            let segment = &self.back[k];
            let Some(solid) = self.standing_on(segment) else {
                continue;
            };
            let (owner, added) = (segment.owner, AddedMass::of_solid(&solid, self.p.fill_density));
            if self.p.fill == Fill::Mass {
                self.model.blocks[owner].added_mass.push(added);
            } else if segment.is_ring {
                case.surfaces.push(self.pressure_on(segment));
            } else {
                // A face that rings stand on, too: the fill comes down beside them.
                case.forces.push(PointForce {
                    block: self.name_of(owner),
                    force: added.mass * Model::STANDARD_GRAVITY,
                    at: Some(added.center),
                });
            }
        }
        if self.p.fill == Fill::Pressure {
            self.model.load_cases.insert("fill".into(), case);
        }
        if self.p.spandrel > 0.0 {
            self.model.load_cases.insert("earth".into(), self.pressure_on_walls());
        }
    }

    /// The fill against the back of a voussoir. The face is as wide as the bridge, and the fill reaches from wall to wall.
    fn pressure_on(&self, segment: &Segment) -> SurfaceLoad {
        let along = segment.to - segment.from;
        SurfaceLoad {
            blocks: vec![self.name_of(segment.owner)],
            facing: Some(DVec3::new(-along.y, 0.0, along.x)),
            within_deg: SAME_WAY,
            hydrostatic: Some(Hydrostatic {
                level: self.top(),
                unit_weight: self.unit_weight() * self.inner_width() / self.p.width,
                lateral: self.p.lateral,
            }),
            ..SurfaceLoad::on_groups(&[])
        }
    }

    fn pressure_on_walls(&self) -> LoadCase {
        let inner = |side: &str, facing: DVec3| SurfaceLoad {
            blocks: (self.model.blocks.iter().map(|b| b.name.clone()))
                .filter(|name| name.starts_with(&format!("spandrel-{side}")))
                .collect(),
            facing: Some(facing),
            within_deg: SAME_WAY,
            hydrostatic: Some(Hydrostatic {
                level: self.top(),
                unit_weight: self.unit_weight(),
                lateral: self.p.wall_lateral,
            }),
            ..SurfaceLoad::on_groups(&[])
        };
        LoadCase {
            surfaces: vec![inner("south", DVec3::Y), inner("north", DVec3::NEG_Y)],
            ..LoadCase::default()
        }
    }

    fn unit_weight(&self) -> f64 {
        self.p.fill_density * Model::STANDARD_GRAVITY.length()
    }

    /// Each axle is spread evenly over a length of the back: what comes down on a block is a force in the middle of its part.
    pub(super) fn axles(&mut self) -> Result<(), RecipeError> {
        let p = self.p;
        let start = self.arches[0][0].intrados.x;
        let mut case = LoadCase::default();
        for k in 0..p.axles {
            let x = start + p.axle_position + p.axle_spacing * k as f64;
            let (from, to) = (x - 0.5 * p.axle_spread, x + 0.5 * p.axle_spread);
            let mut shares: Vec<(usize, DVec2, f64)> = Vec::new();
            for segment in &self.back {
                let (a, b) = (from.max(segment.from.x), to.min(segment.to.x));
                let is_under = if p.axle_spread > 0.0 {
                    b > a
                } else {
                    segment.from.x <= x && x < segment.to.x
                };
                if !is_under {
                    continue;
                }
                let middle = 0.5 * (a + b);
                let along = (middle - segment.from.x) / (segment.to.x - segment.from.x);
                let share = if p.axle_spread > 0.0 {
                    (b - a) / p.axle_spread
                } else {
                    1.0
                };
                shares.push((segment.owner, segment.from.lerp(segment.to, along), share));
            }
            let whole: f64 = shares.iter().map(|s| s.2).sum();
            if (whole - 1.0).abs() > 1e-9 {
                let ends = [self.back.first(), self.back.last()].map(|s| s.map_or(0.0, |s| s.from.x - start));
                return Err(RecipeError::conflict(format!(
                    "axle {}, {:.3} m from the left springing, does not come down on the bridge, which is there from {:.3} to {:.3} \
                     m; give another --axle-position, --axle-spacing or --axle-spread",
                    k + 1,
                    x - start,
                    ends[0],
                    self.back.last().map_or(ends[1], |s| s.to.x - start)
                )));
            }
            case.forces
                .extend(shares.into_iter().map(|(owner, at, share)| PointForce {
                    block: self.name_of(owner),
                    force: DVec3::NEG_Z * p.axle_load * share,
                    at: Some(Self::in_middle(at)),
                }));
        }
        self.model.load_cases.insert("axle".into(), case);
        Ok(())
    }
}
