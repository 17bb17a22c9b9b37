//! Stages of slow loading that do not fit a model, or that make no sense one after another.

use glam::DVec3;

use super::{ModelProblem, shown};
use crate::{BodyForce, Control, LoadCase, Model, Stage, Stages, SupportMove, named};

/// The largest number that a stage takes.
const LARGEST: f64 = 1e6;

impl Stages {
    /// What is wrong with them for a model, each with where it stands.
    pub fn problems(&self, model: &Model) -> Vec<ModelProblem> {
        let mut check = Check {
            model,
            presence: vec![Presence::There; model.blocks.len()],
            place: String::new(),
            found: Vec::new(),
        };
        if self.stages.is_empty() {
            check.say("stages", "is empty; it must have one at least");
        }
        for b in self
            .stages
            .iter()
            .flat_map(|s| &s.build)
            .flat_map(|name| named(model, name))
        {
            check.presence[b] = Presence::NotYet;
        }
        for (k, stage) in self.stages.iter().enumerate() {
            check.place = format!("stages[{k}]");
            check.numbers(stage);
            check.changes(k, stage);
            check.loads(stage);
            check.moves(stage);
            if let Some(control) = &stage.control {
                check.control(stage, control);
            }
        }
        check.found
    }
}

/// Whether a block is there in a stage.
#[derive(Clone, Copy, PartialEq)]
enum Presence {
    NotYet,
    There,
    /// Removed in this stage.
    Removed(usize),
}

struct Check<'a> {
    model: &'a Model,
    presence: Vec<Presence>,
    /// The stage.
    place: String,
    found: Vec<ModelProblem>,
}

impl Check<'_> {
    fn say(&mut self, field: &str, message: impl Into<String>) {
        let dot = if self.place.is_empty() || field.is_empty() {
            ""
        } else {
            "."
        };
        let place = format!("{}{dot}{field}", self.place);
        self.found.push(ModelProblem::error(place, message));
    }

    fn finite(&mut self, field: &str, value: f64) {
        if !(value.is_finite() && value.abs() <= LARGEST) {
            let message = format!("{} is not allowed; must be a number up to {LARGEST}", shown(value));
            self.say(field, message);
        }
    }

    fn vector(&mut self, field: &str, vector: DVec3) {
        vector.to_array().into_iter().for_each(|x| self.finite(field, x));
    }

    fn direction(&mut self, field: &str, vector: DVec3) {
        if vector.try_normalize().is_none() {
            self.say(field, "must have a length");
        }
    }

    fn numbers(&mut self, stage: &Stage) {
        stage.gravity.into_iter().for_each(|g| self.finite("gravity", g));
        if let Some(shrinkage) = stage.shrinkage_m {
            self.finite("shrinkage_m", shrinkage);
            if shrinkage < 0.0 {
                self.say("shrinkage_m", "is below zero; joints do not swell");
            }
        }
        for (name, factor) in &stage.loads {
            self.finite(&format!("loads.{name}"), *factor);
        }
        if let Some(tilt) = stage.tilt {
            self.finite("tilt.angle_deg", tilt.angle_deg);
            self.direction("tilt.axis", tilt.axis);
        }
        if stage.steps.is_some_and(|steps| !(1..=100_000).contains(&steps)) {
            self.say("steps", "must be from 1 to 100000");
        }
    }

    /// What is built and what is removed.
    fn changes(&mut self, k: usize, stage: &Stage) {
        for (what, names) in [("build", &stage.build), ("remove", &stage.remove)] {
            for name in names {
                let blocks = named(self.model, name);
                if blocks.is_empty() {
                    self.say(what, format!("there is no block and no group `{name}`"));
                }
                for b in blocks {
                    self.change(what, k, b);
                }
            }
        }
        for name in stage.build.iter().filter(|name| stage.remove.contains(name)) {
            self.say("", format!("`{name}` is built and removed"));
        }
        if (stage.remove.iter().chain(&stage.build)).all(|name| !named(self.model, name).is_empty())
            && !(0..self.presence.len()).any(|b| self.bears(b))
        {
            self.say("", "there is no free block in it: nothing is left to stand");
        }
    }

    fn change(&mut self, what: &str, k: usize, b: usize) {
        let block = &self.model.blocks[b].name;
        let wrong = match (what, self.presence[b]) {
            ("build", Presence::There) => Some(format!("block `{block}` is built already")),
            ("build", Presence::Removed(at)) => Some(format!("block `{block}` was removed in stages[{at}]")),
            ("remove", Presence::NotYet) => Some(format!("block `{block}` is removed before it is built")),
            ("remove", Presence::Removed(at)) => Some(format!("block `{block}` was removed in stages[{at}] already")),
            _ => None,
        };
        match wrong {
            Some(message) => self.say(what, message),
            None => {
                self.presence[b] = match what {
                    "build" => Presence::There,
                    _ => Presence::Removed(k),
                }
            }
        }
    }

    fn loads(&mut self, stage: &Stage) {
        for (name, factor) in &stage.loads {
            match self.model.load_cases.get(name) {
                None => self.say("loads", format!("there is no load case `{name}`")),
                // What acts on nothing may well be taken off.
                Some(case) if *factor != 0.0 && !self.acts(case, |_| true) => {
                    let message = "acts on no free block that is there in this stage";
                    self.say(&format!("loads.{name}"), message);
                }
                Some(_) => {}
            }
        }
    }

    fn moves(&mut self, stage: &Stage) {
        for (
            j,
            SupportMove {
                blocks,
                by,
                turn_deg,
                about,
            },
        ) in stage.moves.iter().enumerate()
        {
            let place = format!("move[{j}]");
            self.vector(&format!("{place}.by"), *by);
            self.vector(&format!("{place}.turn_deg"), *turn_deg);
            about.iter().for_each(|p| self.vector(&format!("{place}.about"), *p));
            let place = format!("{place}.blocks");
            if blocks.is_empty() {
                self.say(&place, "is empty");
            }
            for name in blocks {
                let moved = named(self.model, name);
                if moved.is_empty() {
                    self.say(&place, format!("there is no block and no group `{name}`"));
                }
                if let Some(&b) = moved.iter().find(|&&b| !self.model.blocks[b].fixed) {
                    let block = &self.model.blocks[b].name;
                    self.say(&place, format!("block `{block}` is not fixed; only supports are moved"));
                } else if let Some(&b) = moved.iter().find(|&&b| self.presence[b] != Presence::There) {
                    let block = &self.model.blocks[b].name;
                    self.say(&place, format!("block `{block}` is not there in this stage"));
                }
            }
        }
    }

    fn control(&mut self, stage: &Stage, control: &Control) {
        match self
            .model
            .blocks
            .iter()
            .position(|b| b.name == control.block && !b.fixed)
        {
            None => self.say("control.block", format!("there is no free block `{}`", control.block)),
            Some(b) if !self.bears(b) => {
                self.say(
                    "control.block",
                    format!("block `{}` is not there in this stage", control.block),
                );
            }
            Some(_) => {}
        }
        self.finite("control.to_m", control.to_m);
        if control.to_m == 0.0 {
            self.say("control.to_m", "must be a number other than 0");
        }
        control.at.iter().for_each(|p| self.vector("control.at", *p));
        self.direction("control.direction", control.direction);
        let pushes = |(name, factor): (&String, &f64)| {
            let case = self.model.load_cases.get(name);
            *factor != 0.0 && case.is_none_or(|case| self.acts(case, |force| force != DVec3::ZERO))
        };
        if stage.loads.is_empty() {
            self.say("control", "needs `loads`, whose factor it finds");
        } else if !stage.loads.iter().any(pushes) {
            let message = "needs `loads` that are not zero: it finds what they are multiplied by";
            self.say("control", message);
        }
    }

    /// Whether a block is free and there.
    fn bears(&self, b: usize) -> bool {
        !self.model.blocks[b].fixed && self.presence[b] == Presence::There
    }

    /// Whether a load case has a force, a couple or an acceleration that counts on a free block that is there.
    fn acts(&self, case: &LoadCase, counts: impl Fn(DVec3) -> bool) -> bool {
        let there = |name: &str| (self.model.blocks.iter().position(|b| b.name == name)).is_some_and(|b| self.bears(b));
        let is_on = |body: &BodyForce, b: usize| {
            let of = |group: &String| self.model.blocks[b].group.as_ref() == Some(group);
            body.groups.is_empty() || body.groups.iter().any(of)
        };
        let any_bears = |body: &BodyForce| (0..self.presence.len()).any(|b| self.bears(b) && is_on(body, b));
        case.forces.iter().any(|f| counts(f.force) && there(&f.block))
            || case.couples.iter().any(|c| counts(c.moment) && there(&c.block))
            || case.body.iter().any(|b| counts(b.acceleration) && any_bears(b))
            || (case.surfaces.iter().flat_map(|s| s.pressures(self.model)))
                .any(|p| counts(p.force) && self.bears(p.block))
    }
}
