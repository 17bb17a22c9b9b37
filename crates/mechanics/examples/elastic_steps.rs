//! Scratch.
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, Start, TimeStep};
use drystone_model::{DeformableGroup, Elasticity, MeshSpec, motion::Supports, recipes};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let name = &args[1];
    let steps: usize = args[2].parse().unwrap();
    let n: usize = args[3].parse().unwrap();
    let parameters: Vec<(String, String)> = args[4..]
        .iter()
        .map(|a| a.split_once('=').unwrap())
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .collect();
    let mut model = recipes::find(name).unwrap().build(&parameters).unwrap();
    if n > 0 {
        model.set_density(2700.0);
        model.elasticity = Some(Elasticity {
            young_pa: 60e9,
            poisson: 0.27,
            rayleigh_mass_per_s: None,
            rayleigh_stiffness_s: None,
        });
        model.deformable = vec![DeformableGroup {
            blocks: DeformableGroup::ALL.to_string(),
            mesh: Some(MeshSpec::Hexahedra([n; 3])),
        }];
    }
    let dt = std::env::var("DT").ok().and_then(|x| x.parse().ok()).unwrap_or(1e-3);
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        start: Start::Uncompressed,
        rest: false,
        ..SimulationSettings::default()
    };
    let mut simulation = Simulation::new(&model, settings, Supports::default(), &[]).unwrap();
    for k in 0..steps {
        let s = *simulation.step().unwrap();
        println!(
            "{k} contacts {} it {} res {:.2e} total {:.1} detect {:.1} assemble {:.1} solve {:.1} factor {:.1} integrate {:.1}",
            s.contacts,
            s.iterations,
            s.residual,
            1e3 * s.times.total_s(),
            1e3 * s.times.detect_s,
            1e3 * s.times.assemble_s,
            1e3 * s.times.solve_s,
            1e3 * s.times.factor_s,
            1e3 * s.times.integrate_s
        );
    }
    let far = simulation
        .state()
        .placements
        .iter()
        .enumerate()
        .map(|(b, p)| p.center.distance(simulation.structure().initial(b).center))
        .fold(0.0, f64::max);
    println!("far {far:.9e}");
}
