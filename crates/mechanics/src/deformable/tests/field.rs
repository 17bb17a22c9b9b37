//! Results in world axes, against closed forms.

use drystone_contact::Placement;
use drystone_model::{Block, DeformableGroup, Elasticity, Model, Shape};
use glam::{DMat3, DQuat, DVec3, dvec3};

use super::STONE;
use crate::{
    Structure,
    deformable::{ElasticField, principal, von_mises},
    dynamics::Deformed,
};

const VOLUME: f64 = 0.8 * 0.5 * 0.6;

/// A block on a support, meshed so.
fn structure(mesh: &str) -> Structure {
    let mut model = Model::named("field");
    let below = Shape::cuboid(dvec3(-1.0, -1.0, -1.0), dvec3(2.0, 2.0, 0.0));
    model.blocks.push(Block::new("ground", below).fixed());
    let block = Shape::cuboid(DVec3::ZERO, dvec3(0.8, 0.5, 0.6));
    model.blocks.push(Block::new("block", block));
    model.elasticity = Some(Elasticity {
        young_pa: STONE.young,
        poisson: STONE.poisson,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: None,
    });
    model.deformable = vec![format!("block:{mesh}").parse::<DeformableGroup>().unwrap()];
    Structure::new(&model).unwrap()
}

/// The field of the block when it is displaced by `gradient` times position in its own axes and stands so.
fn field(structure: &Structure, gradient: DMat3, placement: Placement) -> ElasticField {
    let nodes = &structure.elastic.shape(0).elastic.mesh().nodes;
    let deformed = Deformed {
        displacement: nodes.iter().map(|&x| gradient * x).collect(),
        velocity: vec![DVec3::ZERO; nodes.len()],
    };
    let ground = Placement {
        center: structure.center[0],
        rotation: DQuat::IDENTITY,
    };
    ElasticField::of(structure, &[ground, placement], &[deformed])
}

fn hooke(strain: DMat3) -> DMat3 {
    let (e, nu) = (STONE.young, STONE.poisson);
    let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
    let lambda = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    DMat3::from_diagonal(DVec3::splat(lambda * trace)) + strain * (e / (1.0 + nu))
}

/// Sum of products of the components.
fn product(a: DMat3, b: DMat3) -> f64 {
    (0..3).map(|k| a.col(k).dot(b.col(k))).sum()
}

#[test]
fn a_linear_displacement_has_its_exact_stress_and_energy_in_world_axes_however_the_block_is_turned() {
    let gradient = DMat3::from_cols(
        dvec3(1e-5, 2e-6, -3e-6),
        dvec3(4e-6, -2e-5, 1e-6),
        dvec3(5e-6, 0.0, 7e-6),
    );
    let strain = (gradient + gradient.transpose()) * 0.5;
    for mesh in ["H8x2x3x2", "T10"] {
        let structure = structure(mesh);
        for angle in [0.0, 30_f64.to_radians()] {
            let placement = Placement {
                center: structure.center[1] + dvec3(0.1, -0.2, 0.3),
                rotation: DQuat::from_rotation_z(angle),
            };
            let turn = DMat3::from_rotation_z(angle);
            let s = turn * hooke(strain) * turn.transpose();
            let exact = [s.x_axis.x, s.y_axis.y, s.z_axis.z, s.x_axis.y, s.y_axis.z, s.z_axis.x];
            let size = von_mises(&exact);
            let found = field(&structure, gradient, placement);
            let block = &found.blocks[0];
            let at_gauss = block.gauss.iter().map(|g| &g.stress);
            let of_elements = block.elements.iter().map(|e| &e.stress);
            for stress in block.stress.iter().chain(at_gauss).chain(of_elements) {
                for (s, e) in stress.iter().zip(exact) {
                    assert!((s - e).abs() < 1e-11 * size, "{mesh} {angle}: {stress:?} {exact:?}");
                }
            }

            // The whole block has the energy of half its stress times its strain.
            let energy = 0.5 * product(hooke(strain), strain) * VOLUME;
            assert!((block.strain_energy() / energy - 1.0).abs() < 1e-11);
            let elastic = &block.shape.elastic;
            let own: Vec<DVec3> = elastic.mesh().nodes.iter().map(|&x| gradient * x).collect();
            assert!((elastic.strain_energy(&own) / energy - 1.0).abs() < 1e-11);

            let extremes = found.extremes().unwrap();
            let [s1, _, s3] = principal(&exact);
            assert_eq!(extremes.von_mises.block, 1);
            for (found, exact) in [
                (extremes.von_mises.value, size),
                (extremes.tension.value, s1.max(0.0)),
                (extremes.compression.value, (-s3).max(0.0)),
                (extremes.strain_energy, energy),
            ] {
                assert!((found / exact - 1.0).abs() < 1e-11, "{found} {exact}");
            }

            // Displacements turn with the block; the largest belongs to a corner, and it is where it is said to be.
            let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = |k: usize| dvec3(0.4 * sign(k, 0), 0.25 * sign(k, 1), 0.3 * sign(k, 2));
            let most = (0..8).map(|k| (gradient * corner(k)).length()).fold(0.0, f64::max);
            assert!((extremes.deformation.value / most - 1.0).abs() < 1e-11);
            let back = placement.rotation.inverse() * (extremes.deformation.at - placement.center);
            assert!((back.abs() - dvec3(0.4, 0.25, 0.3)).length() < 1e-4);
            for (node, moved) in block.displacement.iter().enumerate() {
                let own = elastic.mesh().nodes[node];
                assert!((*moved - turn * (gradient * own)).length() < 1e-18);
                assert!((block.start[node] - structure.center[1] - own).length() < 1e-15);
            }
        }
    }
}

#[test]
fn energies_of_elements_add_up_to_that_of_the_stiffness_for_any_displacement() {
    for mesh in ["H8x2x2x3", "T10"] {
        let structure = structure(mesh);
        let elastic = &structure.elastic.shape(0).elastic;
        let mut noise = super::Noise(11);
        let u: Vec<DVec3> = noise.field(elastic.node_count()).iter().map(|u| *u * 1e-5).collect();
        let deformed = Deformed {
            displacement: u.clone(),
            velocity: vec![DVec3::ZERO; u.len()],
        };
        let still = |b: usize| Placement {
            center: structure.center[b],
            rotation: DQuat::IDENTITY,
        };
        let found = ElasticField::of(&structure, &[still(0), still(1)], &[deformed]);
        let exact = elastic.strain_energy(&u);
        assert!((found.blocks[0].strain_energy() / exact - 1.0).abs() < 1e-11);
        assert!(found.clone().without(&[false, true]).is_empty());
        assert!(found.without(&[false, true]).extremes().is_none());
    }
}
