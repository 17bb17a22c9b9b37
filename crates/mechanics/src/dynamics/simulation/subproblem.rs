//! A subproblem, to be solved by itself.

use drystone_cone::{Body, BodyMotion, Deformation, LinkKind, Problem, Solution, Twist};

use super::{
    super::springs::yields,
    budget::Budget,
    gate::{Relief, yielding},
    rest::Islands,
};

/// Some islands of a problem, with the supports that they touch.
#[derive(Debug, Default)]
pub(super) struct Subproblem {
    /// The subproblem; bodies keep their places, and those that do not belong to it stand still and touch nothing. Empty where
    /// it is the whole.
    problem: Problem,
    is_whole: bool,
    /// The subproblem with something of it given up, and what that is.
    relieved: Problem,
    relief: Relief,
    /// Roots of the islands whose rebounds would create energy, in order.
    pub(super) creates: Vec<u32>,
    /// Which bodies, contacts and links of the whole it has.
    bodies: Vec<u32>,
    contacts: Vec<u32>,
    links: Vec<u32>,
}

impl Subproblem {
    /// Selects bodies, and contacts and links by the bodies that they join.
    pub(super) fn select(
        &mut self,
        whole: &Problem,
        islands: &Islands,
        has: impl Fn(&Islands, usize) -> bool,
        joins: impl Fn(&Islands, [u32; 2]) -> bool,
    ) {
        self.relief = Relief::None;
        let number = |len: usize| 0..len as u32;
        self.bodies.clear();
        self.bodies.extend(
            number(whole.bodies.len()).filter(|&b| is_free(&whole.bodies[b as usize]) && has(islands, b as usize)),
        );
        self.contacts.clear();
        self.contacts
            .extend(number(whole.contacts.len()).filter(|&k| joins(islands, whole.contacts[k as usize].bodies)));
        self.links.clear();
        self.links
            .extend(number(whole.links.len()).filter(|&k| joins(islands, whole.links[k as usize].bodies)));
        let free = whole.bodies.iter().filter(|b| is_free(b)).count();
        self.is_whole = (self.bodies.len(), self.contacts.len(), self.links.len())
            == (free, whole.contacts.len(), whole.links.len());
        if self.is_whole {
            return;
        }
        let own = &mut self.problem;
        own.dt = whole.dt;
        own.bodies.clear();
        own.bodies.extend(whole.bodies.iter().enumerate().map(|(b, body)| {
            if is_free(body) && !has(islands, b) {
                Body::driven(body.center, Twist::ZERO)
            } else {
                body.clone()
            }
        }));
        own.contacts.clear();
        own.contacts
            .extend(self.contacts.iter().map(|&k| whole.contacts[k as usize]));
        own.links.clear();
        own.links.extend(self.links.iter().map(|&k| whole.links[k as usize]));
        let count = whole.contacts.len() as u32;
        let place = |k: u32| match k.checked_sub(count) {
            None => self.contacts.binary_search(&k).ok(),
            Some(link) => self.links.binary_search(&link).ok().map(|i| self.contacts.len() + i),
        };
        own.deformations.clear();
        let all = whole.deformations.iter().filter(|d| has(islands, d.body as usize));
        own.deformations
            .extend(all.map(|deformation| part_of(deformation, place)));
    }

    /// The subproblem of `whole` that was selected.
    pub(super) fn problem<'a>(&'a self, whole: &'a Problem) -> &'a Problem {
        if self.is_whole { whole } else { &self.problem }
    }

    /// Notes islands that create more energy than allowed, in addition to those that did, and gives the most that one does.
    pub(super) fn find_creating(&mut self, budgets: &[Budget], allowed: f64) -> f64 {
        let mut most: f64 = 0.0;
        for (root, budget) in (0..).zip(budgets) {
            let excess = budget.excess(allowed);
            if excess != 0.0 {
                most = most.max(excess);
                if let Err(place) = self.creates.binary_search(&root) {
                    self.creates.insert(place, root);
                    self.relief = Relief::None;
                }
            }
        }
        most
    }

    /// The same with something given up. What it is made of is copied, which few steps need. `roots` tells the island of
    /// each block.
    pub(super) fn relieved<'a>(
        &'a mut self,
        whole: &'a Problem,
        relief: Relief,
        roots: &[u32],
        gravity: f64,
    ) -> &'a Problem {
        if relief == Relief::None {
            return self.problem(whole);
        }
        if self.relief != relief {
            let stated = if self.is_whole { whole } else { &self.problem };
            self.relieved.clone_from(stated);
            let mut masses = vec![0.0; stated.bodies.len()];
            for (body, &root) in stated.bodies.iter().zip(roots) {
                if let BodyMotion::Free { mass, .. } = &body.motion {
                    masses[root as usize] += mass[0][0];
                }
            }
            let all = |bodies: [u32; 2]| {
                bodies
                    .iter()
                    .map(|&b| masses[roots[b as usize] as usize])
                    .fold(0.0, f64::max)
            };
            // What an impulse holds up, as a mass.
            let held = |impulse: f64| match gravity > 0.0 {
                true => impulse.abs() / (gravity * stated.dt),
                false => 0.0,
            };
            for contact in &mut self.relieved.contacts {
                let creates = |b: &u32| self.creates.binary_search(&roots[*b as usize]).is_ok();
                if contact.bodies.iter().any(creates) {
                    contact.restitution *= if relief == Relief::HalfRebound { 0.5 } else { 0.0 };
                }
                // The compression of a spring is what it carries.
                if relief > Relief::Rebound && !yields(contact) {
                    contact.gap = contact.gap.max(0.0);
                    let carried = held(contact.guess.dot(contact.normal));
                    contact.compliance[0] = yielding(relief, contact.bodies, carried, all(contact.bodies), stated);
                }
            }
            for link in self.relieved.links.iter_mut().filter(|_| relief > Relief::Rebound) {
                // The length of a spring is what it carries.
                link.offset = match link.kind {
                    _ if link.compliance > 0.0 => link.offset,
                    LinkKind::Rigid => 0.0,
                    LinkKind::OneWay => link.offset.max(0.0),
                };
                let carried = held(link.guess * link.force.length());
                let compliance = yielding(relief, link.bodies, carried, all(link.bodies), stated);
                link.compliance = link.compliance.max(compliance);
            }
            self.relief = relief;
        }
        &self.relieved
    }

    /// Writes the solution of the subproblem into that of the whole.
    pub(super) fn write_to(&self, own: &Solution, whole: &mut Solution) {
        for &b in &self.bodies {
            whole.velocities[b as usize] = own.velocities[b as usize];
        }
        for (i, &k) in self.contacts.iter().enumerate() {
            let k = k as usize;
            whole.impulses[k] = own.impulses[i];
            whole.elastic_slip[k] = own.elastic_slip[i];
            whole.relative_velocities[k] = own.relative_velocities[i];
        }
        for (i, &k) in self.links.iter().enumerate() {
            whole.link_impulses[k as usize] = own.link_impulses[i];
            whole.link_velocities[k as usize] = own.link_velocities[i];
        }
    }
}

/// How a body deforms by some of its contacts and links alone. `place` tells where these are now.
fn part_of(whole: &Deformation, place: impl Fn(u32) -> Option<usize>) -> Deformation {
    let kept: Vec<(usize, usize)> = (whole.contacts.iter().enumerate())
        .filter_map(|(k, &contact)| Some((k, place(contact)?)))
        .collect();
    let rows = 3 * whole.contacts.len();
    let all = |k: usize| (0..3).map(move |r| 3 * k + r);
    let row = |r: usize| {
        kept.iter()
            .flat_map(move |&(k, _)| all(k))
            .map(move |c| whole.compliance[r * rows + c])
    };
    Deformation {
        body: whole.body,
        contacts: kept.iter().map(|&(_, place)| place as u32).collect(),
        compliance: kept.iter().flat_map(|&(k, _)| all(k)).flat_map(row).collect(),
    }
}

fn is_free(body: &Body) -> bool {
    matches!(body.motion, BodyMotion::Free { .. })
}
