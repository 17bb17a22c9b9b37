//! An arch of two straight halves on smooth ground, its feet joined by a tie.

use drystone_model::{Block, Joints, Model, Shape, Tie, TieEnd, TieKind, TieRod, geometry::convex_hull};
use glam::{DVec2, DVec3};

use super::{Allowed, Case, Context, Failure, Outcome, Row, Stage, followed, reached, stage};

pub(super) const CASE: Case = Case {
    name: "tied-arch",
    group: "slow",
    source: "three-hinge statics",
    summary: "two halves that lean against each other on smooth ground, their feet joined by a tie",
    long: false,
    run,
};

/// Inner and outer edge of a foot, lower and upper edge of the crown (m). Between them lies a triangle less a triangle.
const EDGES: [f64; 2] = [1.98, 2.0];
const STIFFNESS: f64 = 1e8;

fn arch(rod: TieRod) -> Result<Model, Failure> {
    let half = |name: &str, side: f64| -> Result<Block, Failure> {
        let [inner, outer] = EDGES;
        let outline = [(outer, 0.0), (inner, 0.0), (0.0, inner), (0.0, outer)].map(|(x, z)| DVec2::new(side * x, z));
        let points: Vec<DVec3> = [-0.2, 0.2]
            .into_iter()
            .flat_map(|y| outline.iter().map(move |p| DVec3::new(p.x, y, p.y)))
            .collect();
        Ok(Block::new(
            name,
            Shape::from(convex_hull(&points, 1e-9).map_err(Failure::run)?),
        ))
    };
    let ground = Shape::cuboid(DVec3::new(-3.0, -1.0, -1.0), DVec3::new(3.0, 1.0, 0.0));
    let end = |block: &str, x: f64| TieEnd {
        block: block.to_string(),
        at: DVec3::new(x, 0.0, 0.0),
    };
    let mut model = Model::named("tied arch");
    // Hardly any: without any nothing would say where the arch as a whole stands.
    model.joints = Joints::uniform(1e-3);
    model.blocks = vec![
        Block::new("ground", ground).fixed(),
        half("left", -1.0)?,
        half("right", 1.0)?,
    ];
    model.ties = vec![Tie {
        name: "tie".to_string(),
        from: end("left", -EDGES[1]),
        to: end("right", EDGES[1]),
        kind: TieKind::Tie(rod),
        group: None,
    }];
    Ok(model)
}

fn run(_: &Context<'_>) -> Result<Outcome, Failure> {
    let elastic = TieRod {
        stiffness_n_m: Some(STIFFNESS),
        ..TieRod::default()
    };
    let model = arch(elastic)?;
    let [inner, outer] = EDGES;
    let weight = model.free_blocks().map(|b| model.mass_of(b).0).sum::<f64>() / 2.0 * model.gravity.length();
    let centre = (outer.powi(3) - inner.powi(3)) / (3.0 * (outer.powi(2) - inner.powi(2)));
    // Moments about the foot: its inner edge and the top of the crown as the halves spread, or the other two.
    let thrusts = [weight * (inner - centre) / outer, weight * (outer - centre) / inner];
    let (path, _) = followed(&model, vec![stage("weight", 10)], None)?;
    let force = path.simulation().ties().next().map_or(f64::NAN, |tie| tie.state.force);
    let mut rows = vec![
        Row::figure(
            "thrust in the tie over that about the inner edges of the feet",
            1.0,
            force / thrusts[0],
            Allowed::Within(0.02),
        )
        .note(format!(
            "about the outer edges it would be {:.3}",
            thrusts[1] / thrusts[0]
        )),
    ];
    let strength = 3.0 * thrusts[0];
    let yields = TieRod {
        yield_n: Some(strength),
        ..elastic
    };
    let breaks = TieRod {
        rupture_elongation_m: Some(strength / STIFFNESS),
        ..elastic
    };
    // As it yields the halves spread, and their thrust becomes the least.
    for (name, rod, thrust) in [("yields", yields, thrusts[0]), ("breaks", breaks, force)] {
        let heavier = Stage {
            gravity: Some(5.0),
            ..stage("heavier", 40)
        };
        let (path, end) = followed(&arch(rod)?, vec![stage("weight", 5), heavier], None)?;
        let factor = 1.0 + 4.0 * reached(&end);
        let last = path
            .simulation()
            .ties()
            .next()
            .map_or(f64::NAN, |tie| tie.state.peak_force);
        rows.push(Row::figure(
            format!("it {name}: largest force over that stated"),
            1.0,
            last / strength,
            Allowed::Within(1e-2),
        ));
        rows.push(Row::figure(
            format!("it {name}: weight that it stands under, over strength over thrust"),
            1.0,
            factor * thrust / strength,
            Allowed::Within(1e-2),
        ));
    }
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}
