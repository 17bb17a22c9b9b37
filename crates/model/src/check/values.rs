//! Numbers that are out of range.

use glam::DVec3;

use super::{Problem, block_place, shown, shown_list};
use crate::{
    Model, Rotation, TieKind,
    motion::{history_problems, motion_problems},
};

pub(super) fn check(model: &Model, found: &mut Vec<Problem>) {
    let mut check = Values { found };
    check.finite_vector("gravity", model.gravity);
    check.above_zero("density", model.density);
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
        check.above_zero("joint_search.distance", search.distance);
        check.zero_or_above("joint_search.precision", search.precision);
        if !(0.0..=60.0).contains(&search.angle_deg) {
            let message = format!("{} is not allowed; must be from 0 to 60", shown(search.angle_deg));
            check.say("joint_search.angle_deg", message);
        }
    }
    for (name, material) in &model.materials {
        check.above_zero(format!("materials.{name}.density"), material.density);
    }
    joints(model, &mut check);
    blocks(model, &mut check);
    loads(model, &mut check);
    motions(model, &mut check);
    for (k, tie) in model.ties.iter().enumerate() {
        check.finite_vector(format!("ties[{k}] (`{}`).from.at", tie.name), tie.from.at);
        check.finite_vector(format!("ties[{k}] (`{}`).to.at", tie.name), tie.to.at);
        if let TieKind::TensionSpring { stiffness, rest_length } = tie.kind {
            check.above_zero(format!("ties[{k}] (`{}`).kind.stiffness", tie.name), stiffness);
            check.zero_or_above(format!("ties[{k}] (`{}`).kind.rest_length", tie.name), rest_length);
        }
    }
    for (k, interface) in model.interfaces.iter().enumerate() {
        let place = format!("interfaces[{k}]");
        if interface.points.is_empty() {
            check.say(format!("{place}.points"), "is empty; at least one point is needed");
        }
        if interface.points.iter().any(|p| !p.is_finite()) {
            check.say(
                format!("{place}.points"),
                "has a coordinate that is not a finite number",
            );
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

fn joints(model: &Model, check: &mut Values) {
    check.zero_or_above("joints.friction", model.joints.friction);
    for (k, joint) in model.joints.groups.iter().enumerate() {
        check.zero_or_above(format!("joints.groups[{k}].friction"), joint.friction);
    }
    for (k, joint) in model.joints.blocks.iter().enumerate() {
        check.zero_or_above(format!("joints.blocks[{k}].friction"), joint.friction);
    }
}

fn blocks(model: &Model, check: &mut Values) {
    for (k, block) in model.blocks.iter().enumerate() {
        let place = || block_place(k, &block.name);
        if let Some(density) = block.density {
            check.above_zero(format!("{}, density", place()), density);
        }
        if let Some(mass) = block.mass {
            check.above_zero(format!("{}, mass", place()), mass);
        }
        if block.mass.is_some() && block.density.is_some() {
            check.say(
                format!("{}, mass", place()),
                "both `mass` and `density` are given; give one of them",
            );
        }
        check.finite_vector(format!("{}, pose.position", place()), block.pose.position);
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
            check.finite_vector(format!("load_cases.{name}.forces[{k}].force"), force.force);
            check.finite_vector(
                format!("load_cases.{name}.forces[{k}].at"),
                force.at.unwrap_or_default(),
            );
        }
        for (k, couple) in case.couples.iter().enumerate() {
            check.finite_vector(format!("load_cases.{name}.couples[{k}].moment"), couple.moment);
        }
        for (k, body) in case.body.iter().enumerate() {
            check.finite_vector(format!("load_cases.{name}.body[{k}].acceleration"), body.acceleration);
        }
        if let Some(history) = &case.history {
            let place = format!("load_cases.{name}.history");
            check.found.extend(history_problems(history, &place));
        }
    }
}

fn motions(model: &Model, check: &mut Values) {
    for (name, motion) in &model.motions {
        check.found.extend(motion_problems(motion, &format!("motions.{name}")));
    }
}

struct Values<'a> {
    found: &'a mut Vec<Problem>,
}

impl Values<'_> {
    fn say(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.found.push(Problem::error(place, message));
    }

    fn above_zero(&mut self, place: impl Into<String>, value: f64) {
        if !(value > 0.0 && value.is_finite()) {
            self.say(place, format!("{} is not allowed; must be above 0", shown(value)));
        }
    }

    fn zero_or_above(&mut self, place: impl Into<String>, value: f64) {
        if !(value >= 0.0 && value.is_finite()) {
            self.say(place, format!("{} is not allowed; must be 0 or above", shown(value)));
        }
    }

    fn finite_vector(&mut self, place: impl Into<String>, value: DVec3) {
        if !value.is_finite() {
            self.say(
                place,
                format!(
                    "{} is not allowed; must be finite numbers",
                    shown_list(&value.to_array())
                ),
            );
        }
    }
}
