//! The shelf of Kao et al. (2022), figure 7: struts that lean on each other inside a square frame, two of them held by
//! nothing.

use glam::{DVec2, DVec3};

use super::{Recipe, RecipeError, parameters};
use crate::{Block, Joints, MeshShape, Model, Shape, geometry::Polyhedron};

pub(super) const RECIPE: Recipe = Recipe {
    name: "shelf",
    summary: "Ten slanted struts that lean on each other inside a fixed frame; two of them slide out",
    notes: "Kao et al. (2022), figure 7 (after Yao and others). The plan of the struts follows the authors' published \
            data to a thousandth of the opening: three blocks form a flat arch across the opening, the others lean on \
            it, on each other and on the frame, and each end is cut along what it leans on. Stretching the opening \
            keeps every joint closed. The frame is equally thick all round. The two `hangers` taper upwards under the \
            top of the frame and slide down; without them the shelf stands, as in the authors' stable version.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        width: f64 = 1.7576, in 1e-3..=1e4, "m", "Width of the opening in the frame";
        height: f64 = 1.7462, in 1e-3..=1e4, "m", "Height of the opening in the frame";
        depth: f64 = 0.2, in 1e-4..=1e4, "m", "Size along y";
        frame: f64 = 0.13, in 1e-4..=1e4, "m", "Thickness of the frame";
        hangers: bool = true, in .., "", "Whether the two struts that nothing holds are there";
        friction: f64 = 0.84, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let opening = DVec2::new(p.width, p.height);
    let mut model = Model::named("shelf");
    model.joints = Joints::uniform(p.friction);
    model.blocks.push(
        Block::new("frame", frame(opening, p.frame, p.depth))
            .fixed()
            .in_group("frame"),
    );
    for (name, outline) in struts() {
        if name.starts_with("hanger") && !p.hangers {
            continue;
        }
        let outline: Vec<DVec2> = outline.iter().map(|&q| (q - 0.5) * opening).collect();
        let solid = Polyhedron::from_elevation(&outline, 0.0, p.depth);
        model.blocks.push(Block::new(name, solid).in_group("struts"));
    }
    Ok(model)
}

/// A straight edge in the unit square that the opening is drawn in.
#[derive(Clone, Copy)]
struct Edge(DVec2, DVec2);

impl Edge {
    /// The point at a fraction of the way.
    fn at(&self, fraction: f64) -> DVec2 {
        self.0.lerp(self.1, fraction)
    }
}

/// A strut between two edges: each end lies on one, from the first fraction to the second.
struct Strut {
    foot: [DVec2; 2],
    head: [DVec2; 2],
}

impl Strut {
    fn between(foot: Edge, at_foot: [f64; 2], head: Edge, at_head: [f64; 2]) -> Self {
        Self {
            foot: at_foot.map(|f| foot.at(f)),
            head: at_head.map(|f| head.at(f)),
        }
    }

    /// The side that joins the first fractions (0) or the second ones (1).
    fn side(&self, which: usize) -> Edge {
        Edge(self.foot[which], self.head[which])
    }

    fn outline(&self) -> Vec<DVec2> {
        vec![self.foot[0], self.foot[1], self.head[1], self.head[0]]
    }
}

/// The struts by name, in the order of the published data, each as an outline in the unit square.
fn struts() -> Vec<(&'static str, Vec<DVec2>)> {
    let at = DVec2::new;
    let (bottom, top) = (Edge(at(0.0, 0.0), at(1.0, 0.0)), Edge(at(0.0, 1.0), at(1.0, 1.0)));
    let (left, right) = (Edge(at(0.0, 0.0), at(0.0, 1.0)), Edge(at(1.0, 0.0), at(1.0, 1.0)));

    // The flat arch: upper and lower point of its left bearing and of its two joints.
    let bearing = [left.at(0.336), left.at(0.291)];
    let joint = [at(0.382, 0.410), at(0.346, 0.342)];
    let knee = [at(0.707, 0.319), at(0.632, 0.252)];
    let (left_top, left_under) = (Edge(bearing[0], joint[0]), Edge(bearing[1], joint[1]));
    let middle_top = Edge(joint[0], knee[0]);
    let springer = vec![knee[0], knee[1], bottom.at(0.882), at(1.0, 0.0), right.at(0.121)];
    let middle = vec![joint[0], joint[1], knee[1], knee[0]];
    let left_arm = vec![bearing[0], bearing[1], joint[1], joint[0]];

    let prop = Strut::between(bottom, [0.099, 0.071], left_under, [0.628, 0.406]);
    let right_brace = Strut::between(middle_top, [0.553, 0.802], right, [0.846, 0.807]);
    let left_brace = Strut::between(left_top, [0.874, 0.672], left, [0.817, 0.764]);
    let rafter = Strut::between(left_brace.side(0), [0.444, 0.563], top, [0.469, 0.449]);
    let tie = Strut::between(right_brace.side(0), [0.261, 0.149], rafter.side(0), [0.5, 0.452]);
    let right_hanger = Strut::between(right_brace.side(0), [0.603, 0.5], top, [0.733, 0.712]);
    let left_hanger = Strut::between(rafter.side(1), [0.691, 0.615], top, [0.353, 0.338]);

    vec![
        ("springer", springer),
        ("prop", prop.outline()),
        ("middle", middle),
        ("left-arm", left_arm),
        ("right-brace", right_brace.outline()),
        ("left-brace", left_brace.outline()),
        ("tie", tie.outline()),
        ("rafter", rafter.outline()),
        ("hanger-right", right_hanger.outline()),
        ("hanger-left", left_hanger.outline()),
    ]
}

/// The frame around an opening whose middle is the origin, as one solid in four mitred parts.
fn frame(opening: DVec2, thickness: f64, depth: f64) -> Shape {
    let signs = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(DVec2::from);
    let outer = signs.map(|s| s * (0.5 * opening + thickness));
    let inner = signs.map(|s| s * 0.5 * opening);
    let at = |y: f64| outer.into_iter().chain(inner).map(move |c| DVec3::new(c.x, y, c.y));
    let vertices: Vec<DVec3> = at(0.0).chain(at(depth)).collect();
    let mut faces = Vec::with_capacity(16);
    let mut parts = Vec::with_capacity(4);
    for i in 0..4u32 {
        let j = (i + 1) % 4;
        let front = [i, j, j + 4, i + 4];
        let back = front.map(|v| v + 8);
        faces.push(front.to_vec());
        faces.push(back.iter().rev().copied().collect());
        faces.push(vec![j, i, i + 8, j + 8]);
        faces.push(vec![i + 4, j + 4, j + 12, i + 12]);
        parts.push(front.into_iter().chain(back).map(|v| vertices[v as usize]).collect());
    }
    Shape::Mesh(MeshShape { vertices, faces, parts })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::{
        published,
        soundness::{assert_sound, built},
    };

    #[test]
    fn every_strut_leans_on_what_it_is_cut_along_however_the_opening_is_stretched() {
        for arguments in [
            "",
            "--width 3 --height 0.5",
            "--width 0.02 --height 0.03 --depth 0.01 --frame 0.001",
            "--frame 1 --depth 5",
        ] {
            let model = built("shelf", arguments);
            assert_eq!(model.blocks.len(), 11);
            assert_sound(&model);
            // Both ends of seven struts, and the arch's two joints and two bearings.
            assert_eq!(crate::check::neighbours(&model).unwrap().len(), 18, "{arguments}");
        }
        let stable = built("shelf", "--hangers false");
        assert_sound(&stable);
        assert_eq!(stable.blocks.len(), 9);
        assert_eq!(crate::check::neighbours(&stable).unwrap().len(), 14);
    }

    #[test]
    fn the_frame_has_the_volume_between_two_rectangles() {
        let model = built("shelf", "--width 2 --height 1 --frame 0.25 --depth 0.5");
        let volume = model.block("frame").unwrap().polyhedron().volume();
        assert!((volume - 0.5 * (2.5 * 1.5 - 2.0)).abs() < 1e-12);
    }

    #[test]
    fn the_default_follows_the_published_shelf_to_a_few_millimetres() {
        let Some(mut theirs) = published::blocks("shelf") else {
            return;
        };
        // Their opening runs from -0.868882 to 0.888724 and from -0.873450 to 0.872753.
        for solid in &mut theirs {
            *solid = solid.translated(DVec3::new(-0.009921, 0.0, 0.0003485));
        }
        let model = built("shelf", "");
        published::assert_same(&model, &theirs, 5e-3);
        for (block, solid) in model.blocks.iter().zip(&theirs) {
            let ratio = block.polyhedron().volume() / solid.volume();
            assert!((ratio - 1.0).abs() < 0.03, "{}: {ratio}", block.name);
        }
    }
}
