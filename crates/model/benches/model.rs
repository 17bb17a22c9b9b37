//! Reading and weighing models. Asked: the church file read and checked in under 0.5 s, the mass properties of 100,000
//! blocks in under 1 s. parry3d computes the same mass properties in the same run, as a yardstick.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use drystone_model::{check, file, geometry::Polyhedron, recipes};
use glam::DVec3;
use parry3d_f64::{glamx, mass_properties::MassProperties};

fn church(c: &mut Criterion) {
    let model = recipes::find("church")
        .and_then(|r| r.build(&[]))
        .expect("the church can be built");
    let text = file::to_text(&model).expect("the church can be written");
    let mut group = c.benchmark_group("church");
    group.sample_size(20);
    group.bench_function("read and check the file", |b| {
        b.iter(|| file::parse(black_box(text.as_bytes()), "church"))
    });
    group.bench_function("write the file", |b| b.iter(|| file::to_text(black_box(&model))));
    group.bench_function("find overlaps", |b| b.iter(|| check::overlaps(black_box(&model))));
    group.finish();
}

/// Blocks of the shapes that occur: boxes, voussoirs and chamfered stones.
fn blocks(n: usize) -> Vec<Polyhedron> {
    let spandrel = |chamfer: &str| {
        let values = [("chamfer".to_string(), chamfer.to_string())];
        recipes::find("spandrel-arch")
            .and_then(|r| r.build(&values))
            .expect("the arch can be built")
    };
    let shapes: Vec<Polyhedron> = [spandrel("0"), spandrel("0.0075")]
        .iter()
        .flat_map(|m| m.free_blocks().map(|b| b.polyhedron()))
        .collect();
    (0..n)
        .map(|k| shapes[k % shapes.len()].translated(DVec3::X * (k / shapes.len()) as f64))
        .collect()
}

fn mass(c: &mut Criterion) {
    let blocks = blocks(100_000);
    let mut group = c.benchmark_group("mass properties of 100,000 blocks");
    group
        .sample_size(20)
        .throughput(Throughput::Elements(blocks.len() as u64));
    group.bench_function("drystone", |b| {
        b.iter(|| {
            blocks
                .iter()
                .map(|solid| solid.mass_properties().inertia.x_axis.x)
                .sum::<f64>()
        })
    });
    let meshes: Vec<(Vec<glamx::DVec3>, Vec<[u32; 3]>)> = blocks
        .iter()
        .map(|solid| {
            let fan = |f: &Vec<u32>| (1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]]).collect::<Vec<_>>();
            let points = solid
                .vertices
                .iter()
                .map(|v| glamx::DVec3::new(v.x, v.y, v.z))
                .collect();
            (points, solid.faces.iter().flat_map(fan).collect())
        })
        .collect();
    group.bench_function("parry3d", |b| {
        b.iter(|| {
            let inertia = |(points, triangles): &(Vec<_>, Vec<[u32; 3]>)| {
                MassProperties::from_trimesh(1.0, points, triangles)
                    .principal_inertia()
                    .x
            };
            meshes.iter().map(inertia).sum::<f64>()
        })
    });
    group.finish();
}

criterion_group!(benches, church, mass);
criterion_main!(benches);
