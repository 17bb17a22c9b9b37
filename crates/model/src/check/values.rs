//! Numbers that are out of range.

use glam::DVec3;

use super::{
    ModelProblem, block_place,
    ranges::{self, Range},
    shown, shown_list,
};
use crate::{
    Bond, JointLaw, Model, Rotation, Tie, TieKind, TieRod,
    motion::{history_problems, motion_problems},
};

pub(super) fn check(model: &Model, found: &mut Vec<ModelProblem>) {
    let mut check = Values { found };
    check.vector("gravity", model.gravity, ranges::ACCELERATION);
    check.number("density", model.density, ranges::DENSITY);
    for (name, value) in [
        ("planarity", model.tolerances.planarity),
        ("contact", model.tolerances.contact),
    ] {
        if !(value > 0.0 && value <= 0.1) {
            check.say(
                format!("tolerances.{name}"),
                format!("{} is not allowed; must be above 0 and at most 0.1", shown(value)),
            );
        }
    }
    if let Some(search) = &model.joint_search {
        check.number("joint_search.distance", search.distance, ranges::DISTANCE);
        check.number("joint_search.precision", search.precision, ranges::REST_LENGTH);
        if !(0.0..=60.0).contains(&search.angle_deg) {
            let message = format!("{} is not allowed; must be from 0 to 60", shown(search.angle_deg));
            check.say("joint_search.angle_deg", message);
        }
    }
    for (name, material) in &model.materials {
        let place = format!("materials.{name}");
        check.number(format!("{place}.density"), material.density, ranges::DENSITY);
        let damping = [material.rayleigh_mass_per_s, material.rayleigh_stiffness_s];
        elasticity(&place, material.young_pa, material.poisson, damping, &mut check);
    }
    if let Some(e) = &model.elasticity {
        let damping = [e.rayleigh_mass_per_s, e.rayleigh_stiffness_s];
        elasticity("elasticity", Some(e.young_pa), Some(e.poisson), damping, &mut check);
    }
    joints(model, &mut check);
    blocks(model, &mut check);
    loads(model, &mut check);
    motions(model, &mut check);
    ties(model, &mut check);
    for (k, interface) in model.interfaces.iter().enumerate() {
        let place = format!("interfaces[{k}]");
        if interface.points.is_empty() {
            check.say(format!("{place}.points"), "is empty; at least one point is needed");
        }
        for (point, at) in interface.points.iter().enumerate() {
            check.vector(format!("{place}.points[{point}]"), *at, ranges::LENGTH);
        }
        let normal = interface.frame.xaxis.cross(interface.frame.yaxis);
        if !(normal.length() > 1e-9 && normal.is_finite()) {
            check.say(
                format!("{place}.frame"),
                "xaxis and yaxis must be two different directions",
            );
        }
        if !interface.forces.is_empty() && interface.forces.len() != interface.points.len() {
            let (forces, points) = (interface.forces.len(), interface.points.len());
            check.say(
                format!("{place}.forces"),
                format!("has {forces} entries for {points} points; one a point needed"),
            );
        }
    }
}

fn elasticity(place: &str, young: Option<f64>, poisson: Option<f64>, damping: [Option<f64>; 2], check: &mut Values) {
    let [mass, stiffness] = damping;
    for (name, value, range) in [
        ("young_pa", young, ranges::MODULUS),
        ("rayleigh_mass_per_s", mass, ranges::RAYLEIGH_MASS),
        ("rayleigh_stiffness_s", stiffness, ranges::RAYLEIGH_STIFFNESS),
    ] {
        if let Some(value) = value {
            check.number(format!("{place}.{name}"), value, range);
        }
    }
    if let Some(value) = poisson
        && let Some(must) = ranges::refuses_poisson(value)
    {
        check.say(
            format!("{place}.poisson"),
            format!("{} is not allowed; {must}", shown(value)),
        );
    }
}

fn joints(model: &Model, check: &mut Values) {
    law("joints", model.joints.law(), check);
    for (k, joint) in model.joints.groups.iter().enumerate() {
        law(&format!("joints.groups[{k}]"), joint.law(), check);
    }
    for (k, joint) in model.joints.blocks.iter().enumerate() {
        law(&format!("joints.blocks[{k}]"), joint.law(), check);
    }
}

fn law(place: &str, law: JointLaw, check: &mut Values) {
    check.number(format!("{place}.friction"), law.friction, ranges::FRICTION);
    check.number(format!("{place}.restitution"), law.restitution, ranges::RESTITUTION);
    if let Some(stiffness) = law.stiffness {
        for value in <[f64; 2]>::from(stiffness) {
            check.number(format!("{place}.stiffness_n_m3"), value, ranges::JOINT_STIFFNESS);
        }
        if law.restitution > 0.0 {
            let value = shown(law.restitution);
            check.say(
                format!("{place}.restitution"),
                format!("{value} is not allowed beside `stiffness_n_m3`; must be 0: springs rebound by themselves"),
            );
        }
    }
    if let Some(value) = law.static_friction {
        check.number(format!("{place}.static_friction"), value, ranges::FRICTION);
        if value < law.friction {
            check.say(
                format!("{place}.static_friction"),
                format!(
                    "{} is not allowed; must be at least `friction`, {}",
                    shown(value),
                    shown(law.friction)
                ),
            );
        }
    }
    if let Some(value) = law.crushing_pa {
        check.number(format!("{place}.crushing_pa"), value, ranges::CRUSHING);
        if law.restitution > 0.0 {
            let what = format!(
                "{} is not allowed beside `crushing_pa`; must be 0",
                shown(law.restitution)
            );
            check.say(format!("{place}.restitution"), what);
        }
    }
    if let Some(bond) = &law.bond {
        if law.restitution > 0.0 {
            let what = format!("{} is not allowed beside `bond`; must be 0", shown(law.restitution));
            check.say(format!("{place}.restitution"), what);
        }
        self::bond(&format!("{place}.bond"), bond, &law, check);
    }
}

fn bond(place: &str, bond: &Bond, law: &JointLaw, check: &mut Values) {
    let bond = &bond.resolved();
    for (name, value, range) in [
        ("tension_pa", bond.tension_pa, ranges::STRENGTH),
        ("cohesion_pa", bond.cohesion_pa, ranges::STRENGTH),
        ("tension_n", bond.tension_n, ranges::POINT_STRENGTH),
        ("cohesion_n", bond.cohesion_n, ranges::POINT_STRENGTH),
    ] {
        if let Some(value) = value {
            check.number(format!("{place}.{name}"), value, range);
        }
    }
    let by_area = bond.tension_pa.is_some() || bond.cohesion_pa.is_some();
    let by_point = bond.tension_n.is_some() || bond.cohesion_n.is_some();
    if let Some(adhesion) = &bond.adhesion {
        let place = format!("{place}.adhesion");
        check.number(
            format!("{place}.energy_j_m2"),
            adhesion.energy_j_m2,
            ranges::FRACTURE_ENERGY,
        );
        let viscosity = adhesion.viscosity_j_s_m2;
        check.number(format!("{place}.viscosity_j_s_m2"), viscosity, ranges::DAMAGE_VISCOSITY);
        if law.stiffness.is_none() {
            check.say(place, "needs the `stiffness_n_m3` of the joint".to_string());
        } else if by_area || by_point || bond.fracture_energy_j_m2.is_some() {
            check.say(
                place,
                "is not allowed beside strengths and fracture energies".to_string(),
            );
        }
        return;
    }
    if by_area == by_point {
        let what =
            "needs a strength: `tension_pa`, `cohesion_pa`, or `tension_n`, `cohesion_n`; stresses or forces, not both";
        check.say(place.to_string(), what.to_string());
        return;
    }
    for (k, energy) in bond.fracture_energy_j_m2.into_iter().flatten().enumerate() {
        check.number(
            format!("{place}.fracture_energy_j_m2[{k}]"),
            energy,
            ranges::FRACTURE_ENERGY,
        );
    }
    let strength = bond.strength(1.0, law.sticking_friction());
    if strength.cohesion < law.sticking_friction() * strength.tension {
        let least = shown(law.sticking_friction() * strength.tension);
        let what = format!(
            "a cohesion of {} is not allowed; must be at least friction times tension, {least}",
            shown(strength.cohesion)
        );
        check.say(place.to_string(), what);
    }
}

fn blocks(model: &Model, check: &mut Values) {
    for (k, block) in model.blocks.iter().enumerate() {
        let place = || block_place(k, &block.name);
        if let Some(density) = block.density {
            check.number(format!("{}, density", place()), density, ranges::DENSITY);
        }
        if let Some(mass) = block.mass {
            check.number(format!("{}, mass", place()), mass, ranges::MASS);
        }
        if block.mass.is_some() && block.density.is_some() {
            check.say(
                format!("{}, mass", place()),
                "both `mass` and `density` are given; give one of them",
            );
        }
        for (k, added) in block.added_mass.iter().enumerate() {
            let place = format!("{}, added_mass[{k}]", place());
            check.number(format!("{place}.mass"), added.mass, ranges::MASS);
            check.vector(format!("{place}.center"), added.center, ranges::LENGTH);
            let faulty = added.inertia.iter().find_map(|&i| ranges::INERTIA.complaint(i));
            match faulty {
                Some(complaint) => check.say(format!("{place}.inertia"), complaint),
                None if !added.is_of_a_body() => check.say(
                    format!("{place}.inertia"),
                    format!(
                        "{} is that of no body; no moment may be below zero, or above the sum of those about two axes across",
                        shown_list(&added.inertia)
                    ),
                ),
                None => {}
            }
        }
        if !block.added_mass.is_empty() && model.is_deformable(block) {
            let what = "a deformable block cannot carry `added_mass`, which rides on a rigid one: leave it out of `deformable`, or \
                        give the mass as a load or as a block of its own";
            check.say(format!("{}, added_mass", place()), what);
        }
        check.vector(
            format!("{}, pose.position", place()),
            block.pose.position,
            ranges::LENGTH,
        );
        if let Some(rotation) = &block.pose.rotation
            && rotation.quaternion().is_none()
        {
            let (field, value) = match rotation {
                Rotation::AxisAngle { axis, .. } => ("axis", shown_list(&axis.to_array())),
                Rotation::Quaternion { quaternion } => ("quaternion", shown_list(quaternion)),
            };
            let message = format!("{value} has no direction; must be finite and not zero");
            check.say(format!("{}, pose.rotation.{field}", place()), message);
        }
    }
}

fn loads(model: &Model, check: &mut Values) {
    for (name, case) in &model.load_cases {
        for (k, force) in case.forces.iter().enumerate() {
            check.vector(
                format!("load_cases.{name}.forces[{k}].force"),
                force.force,
                ranges::FORCE,
            );
            check.vector(
                format!("load_cases.{name}.forces[{k}].at"),
                force.at.unwrap_or_default(),
                ranges::LENGTH,
            );
        }
        for (k, couple) in case.couples.iter().enumerate() {
            check.vector(
                format!("load_cases.{name}.couples[{k}].moment"),
                couple.moment,
                ranges::MOMENT,
            );
        }
        for (k, body) in case.body.iter().enumerate() {
            check.vector(
                format!("load_cases.{name}.body[{k}].acceleration"),
                body.acceleration,
                ranges::ACCELERATION,
            );
        }
        if let Some(history) = &case.history {
            let place = format!("load_cases.{name}.history");
            check.found.extend(history_problems(history, &place));
        }
    }
}

fn ties(model: &Model, check: &mut Values) {
    for (k, tie) in model.ties.iter().enumerate() {
        let place = format!("ties[{k}] (`{}`)", tie.name);
        check.vector(format!("{place}.from.at"), tie.from.at, ranges::LENGTH);
        check.vector(format!("{place}.to.at"), tie.to.at, ranges::LENGTH);
        if tie.from.at == tie.to.at {
            let message = format!(
                "both ends are at {}; a tie needs a length",
                shown_list(&tie.to.at.to_array())
            );
            check.say(place.clone(), message);
        }
        match tie.kind {
            TieKind::RigidRod => {}
            TieKind::TensionSpring { stiffness, rest_length } => {
                check.number(format!("{place}.kind.stiffness"), stiffness, ranges::STIFFNESS);
                check.number(format!("{place}.kind.rest_length"), rest_length, ranges::REST_LENGTH);
            }
            TieKind::Spring {
                stiffness_n_m,
                rest_length_m,
            } => {
                let place = format!("{place}.kind.spring");
                check.number(format!("{place}.stiffness_n_m"), stiffness_n_m, ranges::STIFFNESS);
                if let Some(length) = rest_length_m {
                    check.number(format!("{place}.rest_length_m"), length, ranges::REST_LENGTH);
                }
            }
            TieKind::Tie(rod) => tie_rod(&format!("{place}.kind.tie"), tie, &rod, check),
        }
    }
}

fn tie_rod(place: &str, tie: &Tie, rod: &TieRod, check: &mut Values) {
    let before = check.found.len();
    let given = [
        ("stiffness_n_m", rod.stiffness_n_m, ranges::STIFFNESS),
        ("area_m2", rod.area_m2, ranges::AREA),
        ("modulus_pa", rod.modulus_pa, ranges::MODULUS),
        ("prestress_n", rod.prestress_n, ranges::TENSION),
        ("yield_n", rod.yield_n, ranges::YIELD_FORCE),
        ("rupture_elongation_m", rod.rupture_elongation_m, ranges::ELONGATION),
    ];
    for (field, value, range) in given {
        if let Some(value) = value {
            check.number(format!("{place}.{field}"), value, range);
        }
    }
    match (rod.stiffness_n_m, rod.area_m2, rod.modulus_pa) {
        (Some(_), None, None) | (None, Some(_), Some(_)) => {}
        (Some(_), ..) => check.say(
            place,
            "has a stiffness and an area or a modulus; give `stiffness_n_m`, or `area_m2` and `modulus_pa`",
        ),
        (None, ..) => check.say(
            place,
            "has no stiffness; give `stiffness_n_m`, or `area_m2` and `modulus_pa`",
        ),
    }
    if check.found.len() > before {
        return;
    }
    if let (None, Some(stiffness)) = (rod.stiffness_n_m, rod.stiffness(tie.drawn_length())) {
        check.number(
            format!("{place}.modulus_pa times area over length"),
            stiffness,
            ranges::STIFFNESS,
        );
    }
    if let (Some(prestress), Some(limit)) = (rod.prestress_n, rod.yield_n)
        && prestress > limit
    {
        let message = format!(
            "{} is not allowed; must be at most the yield force of {} N",
            shown(prestress),
            shown(limit)
        );
        check.say(format!("{place}.prestress_n"), message);
    }
}

fn motions(model: &Model, check: &mut Values) {
    for (name, motion) in &model.motions {
        check.found.extend(motion_problems(motion, &format!("motions.{name}")));
    }
}

struct Values<'a> {
    found: &'a mut Vec<ModelProblem>,
}

impl Values<'_> {
    fn say(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.found.push(ModelProblem::error(place, message));
    }

    fn number(&mut self, place: impl Into<String>, value: f64, range: Range) {
        if let Some(complaint) = range.complaint(value) {
            self.say(place, complaint);
        }
    }

    fn vector(&mut self, place: impl Into<String>, value: DVec3, range: Range) {
        let value = value.to_array();
        if let Some(must) = value.iter().find_map(|&v| range.refuses(v)) {
            let must = must.replace("a finite number", "finite numbers");
            self.say(place, format!("{} is not allowed; {must}", shown_list(&value)));
        }
    }
}
