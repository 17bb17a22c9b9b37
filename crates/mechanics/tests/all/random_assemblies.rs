//! Random assemblies of convex blocks: the methods must not contradict one another.

use drystone_mechanics::statics::{
    Acting, LimitSettings, Loads, Method, Overrides, Solvers, Structure, Verdict, certify, check, limit, settle, tilted,
};
use drystone_model::{
    Block, Joints, MeshShape, Model, Shape,
    geometry::{Plane, Polyhedron, clip},
};
use glam::{DVec3, dvec3};

/// A number from 0 to 1.
fn random(seed: &mut u64) -> f64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

fn direction(seed: &mut u64) -> DVec3 {
    loop {
        let v = dvec3(random(seed), random(seed), random(seed)) * 2.0 - 1.0;
        if v.length() > 0.1 && v.length() < 1.0 {
            return v.normalize();
        }
    }
}

/// A pillar between two fixed cheeks or on a floor alone, cut by random planes; gravity a little tilted.
fn cut_pillar(seed: &mut u64) -> Model {
    let mut model = Model::named("cut pillar");
    let mut fix = |name: &str, low: DVec3, high: DVec3| {
        model.blocks.push(Block::new(name, Shape::cuboid(low, high)).fixed());
    };
    fix("floor", dvec3(-3.0, -3.0, -0.5), dvec3(3.0, 3.0, 0.0));
    if random(seed) < 0.3 {
        fix("cheek", dvec3(0.5, -1.0, 0.0), dvec3(1.0, 1.0, 2.0));
    }
    let mut pieces = vec![Polyhedron::cuboid(dvec3(-0.5, -0.5, 0.0), dvec3(0.5, 0.5, 1.5))];
    // Planes that do not meet inside: pieces that touch along a line alone are another question.
    for k in 0..1 + (random(seed) * 3.0) as usize {
        let through = dvec3(0.0, 0.0, 0.3 + 0.45 * k as f64);
        let slope = 0.3 * random(seed) * direction(seed).with_z(0.0).normalize_or(DVec3::X);
        let normal = (DVec3::Z + slope).normalize();
        let plane = Plane::through(through, normal);
        let halves = |piece: &Polyhedron| [clip(piece, &plane, 1e-9), clip(piece, &plane.flipped(), 1e-9)];
        let cut: Vec<Polyhedron> = pieces.iter().flat_map(halves).flatten().collect();
        pieces = cut.into_iter().filter(|p| p.volume() > 1e-3).collect();
    }
    for (k, piece) in pieces.into_iter().enumerate() {
        let shape = Shape::Mesh(MeshShape {
            vertices: piece.vertices,
            faces: piece.faces,
            parts: Vec::new(),
        });
        model.blocks.push(Block::new(format!("piece-{k}"), shape));
    }
    let axis = dvec3(random(seed) - 0.5, random(seed) - 0.5, 0.0).normalize();
    model.gravity = tilted(model.gravity, axis, 0.5 * random(seed));
    model.joints = Joints::uniform(0.2 + 0.7 * random(seed));
    model
}

#[derive(Debug, Default)]
struct Tally {
    stable: usize,
    unstable: usize,
    undecided: usize,
    coupled_undecided: usize,
    wedged: usize,
    settled: usize,
    settled_otherwise: usize,
}

/// Asks every method, and counts. Contradictions are failures.
fn compare(count: usize, with_time: usize, mut seed: u64) -> Tally {
    let (mut tally, mut solvers) = (Tally::default(), Solvers::default());
    for k in 0..count {
        let model = cut_pillar(&mut seed);
        let structure = Structure::new(&model).unwrap();
        let loads = Loads::body_force(&structure, model.gravity);
        let ask = |method, solvers: &mut Solvers| check(&structure, &loads, method, solvers).unwrap();
        let [cone, rbe, cra] = [Method::Cone, Method::Rbe, Method::Cra].map(|m| ask(m, &mut solvers));
        assert_eq!(cone.verdict, rbe.verdict, "{k}");
        assert!(
            !(cra.verdict == Verdict::Stable && cone.verdict == Verdict::Unstable),
            "{k}"
        );
        for found in [&cone, &cra] {
            let gravity = model.gravity;
            let certificate = certify(
                &model,
                &structure,
                &loads,
                (&Overrides::default(), Acting::weight(gravity)),
                found,
            );
            if let Ok(certificate) = certificate {
                let verified = drystone_verify::verify(&certificate, &model);
                let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
                assert!(verified.valid, "{k} {:?}: {failed:?}", found.method);
            }
        }
        // Gravity as the load that grows from nothing: it stands if a whole gravity is carried.
        let nothing = Loads::none(&structure);
        let most = limit(&structure, &nothing, &loads, &LimitSettings::default(), &mut solvers).unwrap();
        match cone.verdict {
            Verdict::Stable => {
                tally.stable += 1;
                assert!(most.bounds[1] >= 1.0 - 1e-6, "{k} {:?}", most.bounds);
            }
            Verdict::Unstable => {
                tally.unstable += 1;
                assert!(most.bounds[0] <= 1.0 + 1e-6, "{k} {:?}", most.bounds);
            }
            Verdict::Undecided => tally.undecided += 1,
        }
        tally.coupled_undecided += usize::from(cra.verdict == Verdict::Undecided);
        tally.wedged += usize::from(cra.verdict == Verdict::Unstable && cone.verdict == Verdict::Stable);
        if k < with_time && cra.verdict != Verdict::Undecided {
            let settled = settle(&model, model.gravity).unwrap();
            if settled.verdict != Verdict::Undecided {
                tally.settled += 1;
                tally.settled_otherwise += usize::from(settled.verdict != cra.verdict);
            }
        }
    }
    tally
}

#[test]
fn methods_do_not_contradict_one_another_on_cut_pillars() {
    let count = std::env::var("ASSEMBLIES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(40);
    let with_time = if count > 40 { count / 5 } else { 4 };
    let tally = compare(count, with_time, 0x9E37_79B9_7F4A_7C15);
    println!("{tally:?}");
    assert!(tally.stable > count / 8 && tally.unstable > count / 8, "{tally:?}");
    assert!(tally.undecided * 50 <= count, "{tally:?}");
    assert!(tally.coupled_undecided * 10 <= count, "{tally:?}");
    assert!(tally.settled_otherwise * 5 <= tally.settled, "{tally:?}");
}
