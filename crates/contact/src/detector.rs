use drystone_model::geometry::Bounds;
use rayon::prelude::*;

use crate::{
    Bodies, Contacts, Placement, Settings,
    bodies::{Turned, range},
    broad::Tree,
    narrow::{Pair, Scratch},
};

/// Finds the contacts of blocks that move.
///
/// Once it has seen a configuration like the present one it allocates nothing. The result is the same to the last bit
/// for any number of threads: the blocks are split into the same runs whoever works on them, and the runs are joined in
/// order.
#[derive(Clone, Debug)]
pub struct Detector {
    bodies: Bodies,
    settings: Settings,
    turned: Turned,
    boxes: Vec<Bounds>,
    tree: Tree,
    runs: Vec<Run>,
    contacts: Contacts,
}

/// A run of blocks, and what is found with each of them as the first of a pair.
#[derive(Clone, Debug, Default)]
struct Run {
    near: Vec<u32>,
    scratch: Scratch,
    contacts: Contacts,
}

/// Blocks in a run: few enough to share the work evenly, enough to make handing them out worth it.
const RUN: usize = 16;

impl Detector {
    /// A detector for some blocks.
    pub fn new(bodies: Bodies, settings: Settings) -> Self {
        let runs = vec![Run::default(); bodies.len().div_ceil(RUN)];
        Self {
            boxes: vec![Bounds::EMPTY; bodies.len()],
            bodies,
            settings,
            turned: Turned::default(),
            tree: Tree::default(),
            runs,
            contacts: Contacts::default(),
        }
    }

    /// How contacts are found.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how far apart points may be and still be a contact (m).
    pub fn set_margin(&mut self, margin: f64) {
        self.settings.margin = margin;
    }

    /// The contacts found last.
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Finds the contacts of the blocks where they are now: one placement for each block, in their order.
    ///
    /// # Panics
    /// If there are fewer or more placements than blocks.
    pub fn detect(&mut self, placements: &[Placement]) -> &Contacts {
        assert_eq!(placements.len(), self.bodies.len(), "one placement for each block");
        self.turned.update(&self.bodies, placements);
        self.update_boxes();
        self.tree.update(&self.boxes);
        let seen = Seen {
            bodies: &self.bodies,
            settings: &self.settings,
            turned: &self.turned,
            boxes: &self.boxes,
            tree: &self.tree,
        };
        if rayon::current_num_threads() > 1 && self.runs.len() > 1 {
            self.runs
                .par_iter_mut()
                .enumerate()
                .for_each(|(k, run)| seen.find(k, run));
        } else {
            self.runs.iter_mut().enumerate().for_each(|(k, run)| seen.find(k, run));
        }
        self.contacts.clear();
        for run in &self.runs {
            self.contacts.append(&run.contacts);
        }
        &self.contacts
    }

    fn update_boxes(&mut self) {
        let half = 0.5 * self.settings.margin;
        for (body, bounds) in self.boxes.iter_mut().enumerate() {
            let center = self.turned.centers[body];
            let parts = &self.bodies.parts[range(self.bodies.part_range[body])];
            let mut around = Bounds::EMPTY;
            for part in parts {
                around = around.union(&Bounds::around(
                    self.turned.vertices[range(part.vertices)].iter().copied(),
                ));
            }
            // Rounding must not part blocks that touch.
            let slack = half + self.settings.touch * self.bodies.size[body] + 1e-12 * center.abs().max_element();
            *bounds = Bounds {
                min: around.min + center - slack,
                max: around.max + center + slack,
            };
        }
    }
}

/// Everything that the runs look at and none of them changes.
struct Seen<'a> {
    bodies: &'a Bodies,
    settings: &'a Settings,
    turned: &'a Turned,
    boxes: &'a [Bounds],
    tree: &'a Tree,
}

impl Seen<'_> {
    fn find(&self, k: usize, run: &mut Run) {
        run.contacts.clear();
        let first = k * RUN;
        for i in first..(first + RUN).min(self.bodies.len()) {
            self.tree.above(i as u32, &self.boxes[i], &mut run.near);
            for index in 0..run.near.len() {
                let j = run.near[index] as usize;
                if !(self.bodies.fixed[i] && self.bodies.fixed[j]) {
                    self.pair(i, j, run);
                }
            }
        }
    }

    fn pair(&self, i: usize, j: usize, run: &mut Run) {
        let offset = self.turned.centers[j] - self.turned.centers[i];
        let size = self.bodies.size[i].min(self.bodies.size[j]);
        for a in range(self.bodies.part_range[i]) {
            for b in range(self.bodies.part_range[j]) {
                let pair = Pair {
                    bodies: self.bodies,
                    turned: self.turned,
                    settings: self.settings,
                    blocks: [i as u32, j as u32],
                    parts: [a as u32, b as u32],
                    offset,
                    size,
                };
                pair.detect(&mut run.scratch, &mut run.contacts);
            }
        }
    }
}
