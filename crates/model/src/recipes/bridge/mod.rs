//! A masonry arch bridge: rings of voussoirs over one span or several, piers, abutments, spandrel walls, fill and axles.

use glam::{DVec2, DVec3};

use super::{
    Recipe, RecipeError, above, choices, one_of, parameters,
    voussoir::{Joint, Ring, Side, between, numbered, prism, springer},
};
use crate::{Block, Model};

mod back;
mod loads;
#[cfg(test)]
mod tests;

pub(super) const RECIPE: Recipe = Recipe {
    name: "bridge",
    summary: "A masonry arch bridge with piers, abutments, spandrel walls, fill and axles",
    notes: "No source: the common form of a small road or rail bridge. The soffit is a segment of a circle, a semicircle where the \
            rise is half of the span. Where joints at the springings are inclined, a saddle lies on each pier and a skewback on each \
            abutment that is not fixed. Fill up to a level surface is mass that the stones below it carry rigidly \
            (`--fill mass`: it weighs, and it takes part in earthquakes), or the pressure of earth in the load case `fill` \
            (`--fill pressure`): the weight of what stands above each voussoir, and sideways `lateral` times as much. Fill between \
            spandrel walls presses on them in the load case `earth`. Axles are the load case `axle`, spread on the back of the ring. \
            Load cases act where they are asked for. Spandrel walls are cut by vertical joints alone, at joints of the ring.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

choices! {
    /// What the fill is.
    enum Fill { Mass = "mass", Pressure = "pressure", None = "none" }
}

choices! {
    /// What the outer ends of the arches stand on.
    enum Abutments { Fixed = "fixed", Masonry = "masonry" }
}

parameters! {
    struct Params {
        span: f64 = 6.0, in 1e-2..=1e3, "m", "Clear span of each arch at its springings";
        rise: f64 = 2.0, in 1e-3..=1e3, "m", "Rise of the soffit over the springings; at most half of the span";
        ring: f64 = 0.5, in 1e-3..=1e2, "m", "Thickness of the ring";
        voussoirs: usize = 25, in 3..=1000, "", "Voussoirs of each arch";
        width: f64 = 4.0, in 1e-2..=1e3, "m", "Width of the bridge, along y";
        spans: usize = 1, in 1..=40, "", "Number of arches";
        pier_width: f64 = 1.4, in 1e-2..=1e3, "m", "Size of a pier along the bridge", needs [above("spans", 1.0)];
        pier_height: f64 = 4.0, in 1e-2..=1e3, "m", "Height of a pier from its footing to the springings", needs [above("spans", 1.0)];
        pier_courses: usize = 5, in 1..=200, "", "Blocks of a pier, one upon another", needs [above("spans", 1.0)];
        abutments: Abutments = Abutments::Fixed, in Abutments::WORDS, "", "Whether abutments are fixed, or masonry on footings";
        abutment_width: f64 = 2.5, in 1e-2..=1e3, "m", "Size of an abutment along the bridge",
            needs [one_of("abutments", &["masonry"])];
        abutment_height: f64 = 2.0, in 1e-2..=1e3, "m", "Height of an abutment from its footing to the springing",
            needs [one_of("abutments", &["masonry"])];
        spandrel: f64 = 0.0, in 0.0..=1e2, "m", "Thickness of the spandrel walls along both sides (0: none)";
        spandrel_length: f64 = 1.0, in 1e-2..=1e3, "m", "Least length of their blocks", needs [above("spandrel", 0.0)];
        fill: Fill = Fill::Mass, in Fill::WORDS, "", "What the fill is: mass that stones carry, the pressure of earth, or nothing";
        cover: f64 = 0.4, in 1e-3..=1e2, "m", "Depth of the fill over the crown; spandrel walls are as high";
        fill_density: f64 = 1800.0, in 1e-6..=1e6, "kg/m3", "Density of the fill",
            needs [one_of("fill", &["mass", "pressure"])];
        lateral: f64 = 0.3, in 0.0..=10.0, "", "Horizontal over vertical pressure of the fill on the back of the ring",
            needs [one_of("fill", &["pressure"])];
        wall_lateral: f64 = 0.4, in 1e-3..=10.0, "", "Horizontal over vertical pressure of the fill on spandrel walls",
            needs [one_of("fill", &["mass", "pressure"]), above("spandrel", 0.0)];
        axle_load: f64 = 100e3, in 0.0..=1e9, "N", "Load of an axle (0: none)";
        axle_position: f64 = 1.5, in -1e3..=1e5, "m", "Where the first axle is: distance from the springing at the left end",
            needs [above("axle-load", 0.0)];
        axles: usize = 1, in 1..=50, "", "Number of axles", needs [above("axle-load", 0.0)];
        axle_spacing: f64 = 1.5, in 1e-3..=1e3, "m", "Distance between axles", needs [above("axle-load", 0.0), above("axles", 1.0)];
        axle_spread: f64 = 0.6, in 0.0..=1e2, "m", "Length along the bridge over which an axle comes down on the ring",
            needs [above("axle-load", 0.0)];
    }
}

/// A part of what fill, spandrel walls and axles come down on, from left to right: the upper side of one block.
struct Segment {
    from: DVec2,
    to: DVec2,
    /// Index of the block.
    owner: usize,
    /// Whether it is the back of a voussoir, which nothing but fill and spandrels lies on.
    is_ring: bool,
}

/// The bridge while it is built.
struct Bridge<'a> {
    p: &'a Params,
    model: Model,
    back: Vec<Segment>,
    /// Joints of each arch from left to right.
    arches: Vec<Vec<Joint>>,
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let mut bridge = Bridge {
        p,
        model: Model::named("bridge"),
        back: Vec::new(),
        arches: arches(p)?,
    };
    bridge.check()?;
    for arch in 0..p.spans {
        bridge.support(arch);
        bridge.ring(arch);
    }
    bridge.support(p.spans);
    if p.spandrel > 0.0 {
        bridge.spandrels()?;
    }
    bridge.fill();
    if p.axle_load > 0.0 {
        bridge.axles()?;
    }
    Ok(bridge.model)
}

/// The joints of all arches. Springings are at the level of zero, and the middle of the bridge at x = 0.
fn arches(p: &Params) -> Result<Vec<Vec<Joint>>, RecipeError> {
    if p.rise > 0.5 * p.span {
        return Err(RecipeError::conflict(format!(
            "--rise {}: a segment of a circle over a span of {} m rises by at most half of that, {} m",
            p.rise,
            p.span,
            0.5 * p.span
        )));
    }
    let radius = (0.25 * p.span * p.span + p.rise * p.rise) / (2.0 * p.rise);
    let ring = Ring {
        inner: radius,
        outer: radius + p.ring,
    };
    let is_semicircle = p.rise == 0.5 * p.span;
    let springing = if is_semicircle {
        0.0
    } else {
        ((radius - p.rise) / radius).asin()
    };
    let joints = ring.joints(std::f64::consts::PI - 2.0 * springing, p.voussoirs)?;
    let middle = |arch: usize| (arch as f64 - 0.5 * (p.spans - 1) as f64) * (p.span + p.pier_width);
    let placed = |arch: usize| {
        let by = DVec2::new(middle(arch), p.rise - radius);
        let moved = joints.iter().map(|j| Joint {
            intrados: j.intrados + by,
            extrados: j.extrados + by,
        });
        moved.collect()
    };
    Ok((0..p.spans).map(placed).collect())
}

impl Bridge<'_> {
    fn sides(&self) -> (f64, f64) {
        (-0.5 * self.p.width, 0.5 * self.p.width)
    }

    /// Level of the fill and of the spandrel walls.
    fn top(&self) -> f64 {
        self.p.rise + self.p.ring + self.p.cover
    }

    /// How far an end joint reaches over its springing: along the bridge, and up.
    fn skew(&self) -> DVec2 {
        let end = &self.arches[0][self.p.voussoirs];
        end.extrados - end.intrados
    }

    fn is_level(&self) -> bool {
        self.skew().y <= 1e-9 * self.p.ring
    }

    fn check(&self) -> Result<(), RecipeError> {
        let (p, skew) = (self.p, self.skew());
        if !self.is_level() && skew.y < 0.05 * p.ring {
            return Err(RecipeError::conflict(format!(
                "--rise {}: so near to half of the span, skewbacks would be slivers {:.1} mm high; give {} or somewhat less",
                p.rise,
                1e3 * skew.y,
                0.5 * p.span
            )));
        }
        // Between the feet of two rings a saddle keeps a top.
        let least = 2.05 * skew.x;
        if p.spans > 1 && p.pier_width < least {
            return Err(RecipeError::conflict(format!(
                "--pier-width {}: two rings {} m thick need {least:.3} m to stand on",
                p.pier_width, p.ring
            )));
        }
        let least = 1.05 * skew.x;
        if p.abutments == Abutments::Masonry && p.abutment_width < least {
            return Err(RecipeError::conflict(format!(
                "--abutment-width {}: a ring {} m thick needs {least:.3} m to stand on",
                p.abutment_width, p.ring
            )));
        }
        if 2.0 * p.spandrel > 0.9 * p.width {
            return Err(RecipeError::conflict(format!(
                "--spandrel {}: two walls leave less than a tenth of a bridge {} m wide for the fill; make them thinner",
                p.spandrel, p.width
            )));
        }
        Ok(())
    }

    fn solid(&self, outline: Vec<DVec2>) -> crate::Shape {
        let (y0, y1) = self.sides();
        prism(outline, y0, y1)
    }

    fn push(&mut self, name: String, group: &str, outline: Vec<DVec2>) -> usize {
        let block = Block::new(name, self.solid(outline)).in_group(group);
        self.model.blocks.push(block);
        self.model.blocks.len() - 1
    }

    fn ring(&mut self, arch: usize) {
        let prefix = match self.p.spans {
            1 => "voussoir".to_string(),
            _ => format!("arch-{}-voussoir", arch + 1),
        };
        for k in 0..self.p.voussoirs {
            let [a, b] = [self.arches[arch][k], self.arches[arch][k + 1]];
            let owner = self.push(numbered(&prefix, k + 1, self.p.voussoirs), "ring", between(&a, &b));
            self.back.push(Segment {
                from: a.extrados,
                to: b.extrados,
                owner,
                is_ring: true,
            });
        }
    }

    /// What stands left of an arch: an abutment, or a pier. After the last arch: the abutment at the right.
    fn support(&mut self, arch: usize) {
        let p = self.p;
        let left = arch.checked_sub(1).map(|a| self.arches[a][p.voussoirs]);
        let right = self.arches.get(arch).map(|a| a[0]);
        let fixed = |joint: &Joint, side: Side| (springer(joint, side), format!("abutment-{}", word(side)));
        let (outline, name) = match (left, right) {
            (None, Some(joint)) if p.abutments == Abutments::Fixed => fixed(&joint, Side::Left),
            (Some(joint), None) if p.abutments == Abutments::Fixed => fixed(&joint, Side::Right),
            (left, right) => return self.stand(arch, left, right),
        };
        let block = Block::new(name, self.solid(outline)).fixed().in_group("ground");
        self.model.blocks.push(block);
    }

    /// A pier or an abutment on its footing.
    fn stand(&mut self, arch: usize, left: Option<Joint>, right: Option<Joint>) {
        let p = self.p;
        let (name, group, courses, height) = match (left, right) {
            (Some(_), Some(_)) => (format!("pier-{arch}"), "pier", p.pier_courses, p.pier_height),
            (None, _) => ("abutment-left".to_string(), "abutment", 1, p.abutment_height),
            (_, None) => ("abutment-right".to_string(), "abutment", 1, p.abutment_height),
        };
        // From springing to springing, or to the outer end.
        let (a, b) = match (left, right) {
            (Some(l), Some(r)) => (l.intrados.x, r.intrados.x),
            (Some(l), None) => (l.intrados.x, l.intrados.x + p.abutment_width),
            (None, Some(r)) => (r.intrados.x - p.abutment_width, r.intrados.x),
            (None, None) => return,
        };
        let beside = 0.25 * (b - a);
        let (y0, y1) = self.sides();
        let footing = prism(
            vec![
                DVec2::new(a - beside, -height - 0.5 * p.ring),
                DVec2::new(b + beside, -height - 0.5 * p.ring),
                DVec2::new(b + beside, -height),
                DVec2::new(a - beside, -height),
            ],
            y0 - beside,
            y1 + beside,
        );
        let footing = Block::new(format!("{name}-footing"), footing)
            .fixed()
            .in_group("ground");
        self.model.blocks.push(footing);
        let level = |k: usize| -height * (1.0 - k as f64 / courses as f64);
        let mut owner = 0;
        for k in 0..courses {
            let (low, high) = (level(k), level(k + 1));
            let corners = [[a, low], [b, low], [b, high], [a, high]];
            let of = if courses == 1 {
                name.clone()
            } else {
                numbered(&format!("{name}-course"), k + 1, courses)
            };
            owner = self.push(of, group, corners.map(DVec2::from_array).to_vec());
        }
        // Outer ends are as high as the back of the end joint.
        let top = |x: f64, other: Option<Joint>| DVec2::new(x, other.map_or(0.0, |j| j.extrados.y));
        let from = left.map_or_else(|| top(a, right), |j| j.extrados);
        let to = right.map_or_else(|| top(b, left), |j| j.extrados);
        if !self.is_level() {
            let foot = |joint: Option<Joint>, x: f64| joint.map_or(DVec2::new(x, 0.0), |j| j.intrados);
            let outline = vec![foot(left, a), foot(right, b), to, from];
            let kind = if group == "pier" { "saddle" } else { "skewback" };
            owner = self.push(format!("{name}-{kind}"), group, outline);
        }
        self.back.push(Segment {
            from,
            to,
            owner,
            is_ring: false,
        });
    }

    fn name_of(&self, block: usize) -> String {
        self.model.blocks[block].name.clone()
    }

    /// A point of the middle plane along the bridge.
    fn in_middle(at: DVec2) -> DVec3 {
        DVec3::new(at.x, 0.0, at.y)
    }
}

fn word(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}
