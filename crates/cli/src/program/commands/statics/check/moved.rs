//! What small movements of supports select among the forces that balance the loads.

use std::path::Path;

use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use drystone_analysis::Subject;
use drystone_cone::Twist;
use drystone_mechanics::statics::{
    Loads, Solvers,
    results::{JointResult, JointState, MovedForces, joint_results, moved_supports},
};
use drystone_output::statics::{Drawing, joint_forces, mechanism_files, written};

use crate::program::{
    Failure,
    overrides::vector,
    report::{force, table},
};

/// Names of the files that [`Moved::write`] may leave in a folder.
pub(super) const FILES: [&str; 5] = [
    "moved.svg",
    "moved.png",
    "moved-motion.svg",
    "moved-motion.png",
    "moved.glb",
];
/// Joints named one by one before the rest is only counted.
const MOST_NAMED: usize = 8;

/// What is said where ties of the model yield.
const ANY_FORCE: &str = "ties are taken to bear any force here: their yield forces are not looked at";

fn any_yields(subject: &Subject) -> bool {
    let mut ties = subject.structure.ties.iter();
    ties.any(|tie| tie.law.yield_force.is_finite())
}

/// A support and where it goes.
pub(super) struct Movement {
    block: usize,
    by: DVec3,
}

/// Reads movements, each `NAME=X,Y,Z`.
pub(super) fn movements(subject: &Subject, texts: &[String]) -> Result<Vec<Movement>, Failure> {
    let structure = &subject.structure;
    let mut movements: Vec<Movement> = Vec::new();
    for text in texts {
        let wrong = |why: String| Failure::input(format!("--move-support {text}: {why}"));
        // A name may hold an equals sign.
        let Some((name, by)) = text.rsplit_once('=') else {
            return Err(wrong("it has no `=`".into()).help("give NAME=X,Y,Z, like left=0,0,-1"));
        };
        let by = vector(by).map_err(wrong)?;
        let supports = || {
            let all = (0..structure.len()).filter(|&b| structure.fixed[b]);
            let names: Vec<&str> = all.map(|b| &*structure.names[b]).take(MOST_NAMED).collect();
            format!("supports are: {}", names.join(", "))
        };
        let Some(block) = structure.names.iter().position(|n| n == name) else {
            return Err(wrong(format!("there is no block `{name}`")).help(supports()));
        };
        if !structure.fixed[block] {
            let why = format!("`{name}` is not a support; only supports are moved");
            return Err(wrong(why).help(supports()));
        }
        if by == DVec3::ZERO {
            return Err(wrong("it must have a length".into()).help("give a direction such as 0,0,-1"));
        }
        if movements.iter().any(|m| m.block == block) {
            return Err(wrong(format!("`{name}` is moved twice")).help("add the two movements up"));
        }
        movements.push(Movement { block, by });
    }
    Ok(movements)
}

/// The state that the movements mobilise.
pub(super) struct Moved {
    movements: Vec<(usize, DVec3)>,
    /// Nothing where no forces balance the loads.
    found: Option<Found>,
}

struct Found {
    forces: MovedForces,
    joints: Vec<JointResult>,
    /// What the structure pushes the supports by, along their movement (unit: N).
    push: f64,
    /// The largest push of all states, that of the opposite movement; nothing where it has no bound.
    most: Option<f64>,
}

impl Moved {
    pub(super) fn find(
        subject: &Subject,
        loads: &Loads,
        movements: &[Movement],
        solvers: &mut Solvers,
    ) -> Result<Self, Failure> {
        let structure = &subject.structure;
        let movements: Vec<(usize, DVec3)> = movements.iter().map(|m| (m.block, m.by)).collect();
        let mut call = |factor: f64| {
            let mut motions = vec![Twist::ZERO; structure.len()];
            for &(block, by) in &movements {
                motions[block].linear = factor * by;
            }
            moved_supports(structure, loads, &motions, solvers)
        };
        let Some(forces) = call(1.0)? else {
            return Ok(Self { movements, found: None });
        };
        let opposite = call(-1.0)?;
        let push = |forces: &MovedForces| push(subject, &movements, forces);
        let found = Found {
            joints: joint_results(structure, loads, forces.view()),
            push: push(&forces),
            most: opposite.filter(MovedForces::follows).map(|f| push(&f)),
            forces,
        };
        Ok(Self {
            movements,
            found: Some(found),
        })
    }

    pub(super) fn json(&self, subject: &Subject) -> Value {
        let structure = &subject.structure;
        let name = |b: usize| &structure.names[b];
        let movement = |(b, by): &(usize, DVec3)| json!({ "block": name(*b), "movement": by });
        let supports: Vec<Value> = self.movements.iter().map(movement).collect();
        let Some(found) = &self.found else {
            return json!({ "supports": supports, "follows": null });
        };
        let joint = |j: &JointResult| {
            json!({
                "blocks": structure.joints[j.joint].blocks.map(name),
                "state": j.state.name(),
                "force_n": j.force_n,
                "center_of_pressure": j.center_of_pressure,
            })
        };
        let motion = |b: usize| {
            let m = &found.forces.motions[b];
            json!({ "block": name(b), "linear": m.linear, "angular": m.angular })
        };
        json!({
            "supports": supports,
            "follows": found.forces.follows(),
            "note": any_yields(subject).then_some(ANY_FORCE),
            "entered": found.forces.entered,
            "push_n": found.forces.follows().then_some(found.push),
            "largest_push_n": found.most,
            "hinges": found.count(JointState::Hinge),
            "sliding": found.count(JointState::Sliding),
            "open": found.count(JointState::Open),
            "joints": found.joints.iter().map(joint).collect::<Vec<_>>(),
            "motions": (0..structure.len()).map(motion).collect::<Vec<_>>(),
        })
    }

    pub(super) fn text(&self, subject: &Subject) -> String {
        let structure = &subject.structure;
        let one = |(b, by): &(usize, DVec3)| format!("`{}` by {},{},{}", structure.names[*b], by.x, by.y, by.z);
        let moved = self.movements.iter().map(one).collect::<Vec<_>>().join("; ");
        let mut rows = vec![("supports moved", moved)];
        let Some(found) = &self.found else {
            rows.push((
                "follows",
                "no forces balance the loads before anything moves".to_string(),
            ));
            return table(&rows);
        };
        let follows = if found.forces.follows() {
            "yes: blocks move along without entering each other".to_string()
        } else {
            "no: rigid blocks cannot move along, and forces grow until something yields".to_string()
        };
        rows.push(("follows", follows));
        if any_yields(subject) {
            rows.push(("note", ANY_FORCE.to_string()));
        }
        // Where they do not follow, forces are those of what little the joints yield.
        if !found.forces.follows() {
            return table(&rows);
        }
        let most = found.most.map_or("without bound".to_string(), force);
        rows.push((
            "push on them",
            format!(
                "{}, the least of all states of equilibrium (the most: {most})",
                force(found.push)
            ),
        ));
        for (what, state) in [
            ("hinges", JointState::Hinge),
            ("sliding", JointState::Sliding),
            ("open", JointState::Open),
        ] {
            let joints: Vec<&JointResult> = found.joints.iter().filter(|j| j.state == state).collect();
            if !joints.is_empty() {
                rows.push((what, named(subject, &joints)));
            }
        }
        table(&rows)
    }

    /// Draws the forces, and the motion where there is one.
    pub(super) fn write(&self, folder: &Path, subject: &Subject) -> Result<(), Failure> {
        let Some(found) = &self.found else { return Ok(()) };
        let joints = joint_forces(&subject.structure, &found.joints);
        let title = format!("{}: forces as supports move", subject.name());
        let drawing = Drawing::new(&subject.model, &joints, &[]).title(title);
        let mut files = vec![
            (FILES[0], drawing.svg().map_err(Failure::run)?.into_bytes()),
            (FILES[1], drawing.png().map_err(Failure::run)?),
        ];
        if found.forces.follows() {
            let motions = &found.forces.motions;
            let title = format!("{}: motion as supports move", subject.name());
            let moved = mechanism_files(&subject.model, &subject.structure, motions, (&title, DQuat::IDENTITY))?;
            let bytes = moved.into_iter().map(|(_, bytes)| bytes);
            files.extend(FILES[2..].iter().copied().zip(bytes));
        }
        written(folder, files)?;
        Ok(())
    }
}

impl Found {
    fn count(&self, state: JointState) -> usize {
        self.joints.iter().filter(|j| j.state == state).count()
    }
}

/// What the structure pushes moved supports by, along their movement over the largest of them (unit: N).
fn push(subject: &Subject, movements: &[(usize, DVec3)], forces: &MovedForces) -> f64 {
    let largest = movements.iter().map(|(_, by)| by.length()).fold(0.0, f64::max);
    let along = |b: u32| {
        movements
            .iter()
            .find(|(m, _)| *m == b as usize)
            .map(|(_, by)| *by / largest)
    };
    let points = subject.structure.points.iter().zip(&forces.contact);
    let one = |(p, f): (&drystone_mechanics::statics::ContactPoint, &DVec3)| {
        let on_second = along(p.blocks[1]).map_or(0.0, |d| d.dot(*f));
        let on_first = along(p.blocks[0]).map_or(0.0, |d| d.dot(*f));
        on_second - on_first
    };
    points.map(one).sum()
}

fn named(subject: &Subject, joints: &[&JointResult]) -> String {
    let structure = &subject.structure;
    let one = |j: &&JointResult| {
        let [a, b] = structure.joints[j.joint].blocks.map(|b| &structure.names[b]);
        format!("`{a}`-`{b}`")
    };
    let some: Vec<String> = joints.iter().take(MOST_NAMED).map(one).collect();
    let more = joints.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", some.join(", "))
}
