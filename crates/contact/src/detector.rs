use drystone_model::geometry::Bounds;
use rayon::prelude::*;

use crate::{
    Bodies, Contacts, DetectedContact, DetectorSettings, Divided, Meshed, Placement,
    bodies::{Turned, range},
    broad::Tree,
    cells::Grid,
    narrow::{Pair, Scratch},
};

/// Finds the contacts of blocks that move.
///
/// The blocks that may touch are looked up in a tree of boxes a little larger than the blocks; the list stays good until
/// a block leaves its box, so that most steps only look at the pairs themselves. Once it has seen a configuration like
/// the present one the detector allocates nothing. The result is the same to the last bit for any number of threads and
/// whatever came before: the blocks are split into the same runs whoever works on them, the runs are joined in order,
/// and pairs that are not near leave no trace.
#[derive(Clone, Debug)]
pub struct Detector {
    bodies: Bodies,
    settings: DetectorSettings,
    divided: Divided,
    meshed: Meshed,
    turned: Turned,
    /// Boxes around the blocks with half the margin, as they are now.
    boxes: Vec<Bounds>,
    /// Boxes that the blocks have not left since the lists of near blocks were made.
    roomy: Vec<Bounds>,
    /// Fixed blocks that were seen to move: they get room, too.
    moves: Vec<bool>,
    tree: Tree,
    runs: Vec<Run>,
    contacts: Contacts,
}

/// A run of blocks, and what is found with each of them as the first of a pair.
#[derive(Clone, Debug, Default)]
struct Run {
    /// Pairs of blocks whose roomy boxes touch, in order.
    near: Vec<(u32, u32)>,
    found: Vec<u32>,
    scratch: Scratch,
    contacts: Contacts,
}

/// Blocks in a run: few enough to share the work evenly, enough to make handing them out worth it.
const RUN: usize = 16;
/// Room around a block, as a fraction of its size: more keeps the lists longer, less keeps them shorter.
const ROOM: f64 = 0.02;

impl Detector {
    /// A detector for some blocks.
    pub fn new(bodies: Bodies, settings: DetectorSettings) -> Self {
        let runs = vec![Run::default(); bodies.len().div_ceil(RUN)];
        Self {
            turned: Turned::new(&bodies),
            boxes: vec![Bounds::EMPTY; bodies.len()],
            roomy: vec![Bounds::EMPTY; bodies.len()],
            moves: vec![false; bodies.len()],
            bodies,
            settings,
            divided: Divided::None,
            meshed: Meshed::default(),
            tree: Tree::default(),
            runs,
            contacts: Contacts::default(),
        }
    }

    /// How contacts are found.
    pub fn settings(&self) -> &DetectorSettings {
        &self.settings
    }

    /// Changes how far apart points may be and still be a contact (m).
    pub fn set_margin(&mut self, margin: f64) {
        self.settings.margin = margin;
    }

    /// Divides joints into cells from now on, each with a contact at its centre, as long as their faces are nearly parallel.
    pub fn divide(&mut self, divided: Divided) {
        self.divided = divided;
    }

    /// Gives joints of blocks that deform a contact at every node of a grid as fine as their elements from now on.
    pub fn mesh(&mut self, meshed: Meshed) {
        self.meshed = meshed;
    }

    /// The contacts found last.
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Forgets which blocks were near: [`Self::near_pairs`] and [`Self::room_left`] depend on nothing that came before.
    pub fn forget(&mut self) {
        self.roomy.fill(Bounds::EMPTY);
        self.moves.fill(false);
        self.runs.iter_mut().for_each(|run| run.near.clear());
    }

    /// Pairs of blocks that may touch without having left their room: all others are apart as long as each block moves by no more than
    /// [`Self::room_left`].
    pub fn near_pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.runs.iter().flat_map(|run| &run.near).map(|&(i, j)| [i, j])
    }

    /// How far a block may move from where it was when contacts were last found, in any direction, before it may touch a block that is not
    /// near (m).
    pub fn room_left(&self, block: usize) -> f64 {
        let (bounds, roomy) = (&self.boxes[block], &self.roomy[block]);
        let low = (bounds.min - roomy.min).min_element();
        let high = (roomy.max - bounds.max).min_element();
        low.min(high).max(0.0) + 0.5 * self.settings.margin
    }

    /// Finds the contacts of the blocks where they are now: one placement for each block, in their order.
    ///
    /// # Panics
    /// If there are fewer or more placements than blocks.
    pub fn detect(&mut self, placements: &[Placement]) -> &Contacts {
        assert_eq!(placements.len(), self.bodies.len(), "one placement for each block");
        self.turned.update(&self.bodies, placements);
        self.update_boxes();
        self.update_near();
        self.find();
        self.join();
        &self.contacts
    }

    fn update_boxes(&mut self) {
        let half = 0.5 * self.settings.margin;
        let (bodies, turned, settings) = (&self.bodies, &self.turned, &self.settings);
        let update = |(body, bounds): (usize, &mut Bounds)| {
            let center = turned.centers[body];
            let mut around = Bounds::EMPTY;
            for part in &bodies.parts[range(bodies.part_range[body])] {
                around = around.union(&Bounds::around(turned.vertices[range(part.vertices)].iter().copied()));
            }
            // Rounding must not part blocks that touch.
            let touch = (settings.touch * bodies.size[body]).max(0.5 * settings.distance);
            let slack = half + touch + 1e-12 * center.abs().max_element();
            *bounds = Bounds {
                min: around.min + center - slack,
                max: around.max + center + slack,
            };
        };
        if is_shared(&self.runs) {
            self.boxes.par_iter_mut().enumerate().with_min_len(256).for_each(update);
        } else {
            self.boxes.iter_mut().enumerate().for_each(update);
        }
    }

    /// Makes the lists of near blocks anew if a block has left its room.
    fn update_near(&mut self) {
        let is_inside =
            |(b, r): (&Bounds, &Bounds)| b.min.cmpge(r.min).all() && b.max.cmple(r.max).all() && !r.is_empty();
        if self.boxes.iter().zip(&self.roomy).all(is_inside) {
            return;
        }
        for (body, (bounds, roomy)) in self.boxes.iter().zip(&mut self.roomy).enumerate() {
            self.moves[body] |= !(roomy.is_empty() || is_inside((bounds, &*roomy)));
            let room = if self.bodies.fixed[body] && !self.moves[body] {
                0.0
            } else {
                ROOM * self.bodies.size[body]
            };
            *roomy = Bounds {
                min: bounds.min - room,
                max: bounds.max + room,
            };
        }
        self.tree.update(&self.roomy);
        let (bodies, roomy, tree) = (&self.bodies, &self.roomy, &self.tree);
        let list = |(k, run): (usize, &mut Run)| {
            run.near.clear();
            for (i, room) in roomy.iter().enumerate().skip(k * RUN).take(RUN) {
                tree.above(i as u32, room, &mut run.found);
                let both_fixed = |j: u32| bodies.fixed[i] && bodies.fixed[j as usize];
                run.near
                    .extend(run.found.iter().filter(|&&j| !both_fixed(j)).map(|&j| (i as u32, j)));
            }
        };
        if is_shared(&self.runs) {
            self.runs.par_iter_mut().enumerate().for_each(list);
        } else {
            self.runs.iter_mut().enumerate().for_each(list);
        }
    }

    /// Looks at every near pair.
    fn find(&mut self) {
        let (bodies, turned, settings, boxes) = (&self.bodies, &self.turned, &self.settings, &self.boxes);
        let (divided, meshed) = (&self.divided, &self.meshed);
        let find = |run: &mut Run| {
            run.contacts.clear();
            for &(i, j) in &run.near {
                if boxes[i as usize].is_near(&boxes[j as usize], 0.0) {
                    let blocks = [i, j];
                    let grid = meshed.of(blocks.map(|b| b as usize), &turned.rotations);
                    let how = (settings, divided.has(blocks), grid);
                    pair(bodies, turned, how, blocks, &mut run.scratch, &mut run.contacts);
                }
            }
        };
        if is_shared(&self.runs) {
            self.runs.par_iter_mut().for_each(find);
        } else {
            self.runs.iter_mut().for_each(find);
        }
    }

    /// Puts the contacts of all runs one after the other.
    fn join(&mut self) {
        self.contacts.interfaces.clear();
        let mut total = 0;
        for run in &self.runs {
            let shifted = run.contacts.interfaces.iter().map(|i| i.shifted(total));
            self.contacts.interfaces.extend(shifted);
            total += run.contacts.contacts.len() as u32;
        }
        self.contacts.contacts.resize(total as usize, DetectedContact::NONE);
        if is_shared(&self.runs) {
            copy_shared(&self.runs, &mut self.contacts.contacts);
        } else {
            copy(&self.runs, &mut self.contacts.contacts);
        }
    }
}

/// Whether the work is shared between threads.
fn is_shared(runs: &[Run]) -> bool {
    runs.len() > 1 && rayon::current_num_threads() > 1
}

fn copy(runs: &[Run], mut out: &mut [DetectedContact]) {
    for run in runs {
        let (here, rest) = out.split_at_mut(run.contacts.contacts.len());
        here.copy_from_slice(&run.contacts.contacts);
        out = rest;
    }
}

/// Copies in halves, each by whoever is free.
fn copy_shared(runs: &[Run], out: &mut [DetectedContact]) {
    if runs.len() <= 32 {
        return copy(runs, out);
    }
    let (low, high) = runs.split_at(runs.len() / 2);
    let (here, rest) = out.split_at_mut(low.iter().map(|r| r.contacts.contacts.len()).sum());
    rayon::join(|| copy_shared(low, here), || copy_shared(high, rest));
}

/// Looks at every pair of parts of two blocks.
fn pair(
    bodies: &Bodies,
    turned: &Turned,
    (settings, divided, grid): (&DetectorSettings, bool, Option<Grid<'_>>),
    blocks: [u32; 2],
    scratch: &mut Scratch,
    contacts: &mut Contacts,
) {
    let [i, j] = blocks.map(|b| b as usize);
    let offset = turned.centers[j] - turned.centers[i];
    let size = bodies.size[i].min(bodies.size[j]);
    for a in range(bodies.part_range[i]) {
        for b in range(bodies.part_range[j]) {
            let parts = [a as u32, b as u32];
            Pair {
                bodies,
                turned,
                settings,
                divided,
                grid,
                blocks,
                parts,
                offset,
                size,
            }
            .detect(scratch, contacts);
        }
    }
}
