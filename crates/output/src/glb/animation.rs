//! A structure that moves, as binary glTF: the nodes of the model at rest, moved and turned by keys in time.

use glam::{DVec3, Quat, Vec3};
use serde_json::{Value, json};

use super::{FLOAT, Rod, Scene, container, pivot, rod_radius};
use crate::{
    OutputError,
    history::{Frame, Rest},
    palette::Groups,
    solids::solids,
    ties,
};

/// The first buffer view of the keys; those before it hold the meshes.
const KEYS: usize = 3;
/// Largest file: its length is written with 32 bits.
const LARGEST: u64 = u32::MAX as u64;

/// An animated glTF file (`.glb`) in the making.
///
/// Nodes, names, meshes and materials are those of [`glb`](super::glb()). Every frame is a key of the one animation
/// `motion`; between keys viewers go straight and turn evenly. A block that never moves has no keys, nor has the
/// rotation of one that only slides. Keys are single precision: 28 bytes for each block and frame are kept until the
/// file is written.
///
/// ```
/// # use drystone_model::recipes;
/// # use drystone_output::{glb::Animation, history::{Frame, Rest}};
/// let model = recipes::find("block")?.build(&[])?;
/// let mut blocks = Rest::of(&model).frame();
/// let mut animation = Animation::new(&model)?;
/// for step in 0..10 {
///     let frame = Frame { step, time_s: 0.1 * step as f64, blocks: &blocks, contacts: &[], measures: &[] };
///     animation.push(&frame)?;
///     blocks[0].position.x += 0.01;
/// }
/// let file: Vec<u8> = animation.glb()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Animation<'a> {
    rest: Rest<'a>,
    scene: Scene,
    pivots: Vec<DVec3>,
    times: Vec<f32>,
    keys: Vec<Keys>,
    /// Where ties are at each time, and how thick.
    ties: Vec<Vec<Rod>>,
    radius: f32,
}

/// Where one block is at each time.
#[derive(Clone, Default)]
struct Keys {
    translations: Vec<Vec3>,
    rotations: Vec<Quat>,
}

impl<'a> Animation<'a> {
    /// An animation without frames.
    pub fn new(model: &'a drystone_model::Model) -> Result<Self, OutputError> {
        let solids = solids(model)?;
        let groups = Groups::of(model);
        let mut scene = Scene::default();
        for solid in &solids {
            scene.add(solid, groups.color(solid.block));
        }
        let radius = rod_radius(model);
        for (tie, [from, to]) in model.ties.iter().zip(ties::ends(model, None)) {
            scene.add_tie(&tie.name, Rod::between(from, to), radius);
        }
        Ok(Self {
            rest: Rest::of(model),
            scene,
            pivots: solids.iter().map(|s| pivot(&s.polyhedron)).collect(),
            times: Vec::new(),
            keys: vec![Keys::default(); solids.len()],
            ties: vec![Vec::new(); model.ties.len()],
            radius,
        })
    }

    /// Adds a frame; times must rise.
    pub fn push(&mut self, frame: &Frame<'_>) -> Result<(), OutputError> {
        let maps = self.rest.maps(frame)?;
        let time = frame.time_s as f32;
        let previous = self.times.last().copied().unwrap_or(f32::NEG_INFINITY);
        if !time.is_finite() || time <= previous {
            return Err(OutputError::OutOfOrder {
                time_s: frame.time_s,
                previous_s: f64::from(previous),
            });
        }
        self.times.push(time);
        for (((keys, map), pivot), state) in self.keys.iter_mut().zip(&maps).zip(&self.pivots).zip(frame.blocks) {
            // Adding zero turns -0 into +0: a block at rest must be seen to be.
            keys.translations
                .push(map.transform_point3(*pivot).as_vec3() + Vec3::ZERO);
            let turn = state.rotation.normalize().as_quat().normalize();
            // A quaternion and its negative are the same rotation, but going from one to the other is a full turn.
            let is_far = keys.rotations.last().is_some_and(|last| last.dot(turn) < 0.0);
            keys.rotations.push(if is_far { -turn } else { turn });
        }
        for (keys, [from, to]) in self.ties.iter_mut().zip(ties::ends(self.rest.model(), Some(&maps))) {
            let rod = Rod::between(from, to);
            let is_far = keys.last().is_some_and(|last| last.turn.dot(rod.turn) < 0.0);
            let turn = if is_far { -rod.turn } else { rod.turn };
            keys.push(Rod { turn, ..rod });
        }
        Ok(())
    }

    /// The finished file.
    pub fn glb(&self) -> Result<Vec<u8>, OutputError> {
        let (Some(first), Some(last)) = (self.times.first(), self.times.last()) else {
            return Err(OutputError::NoFrames);
        };
        let mut buffer = self.scene.buffer();
        let bytes = (buffer.len()
            + self.keys.len() * self.times.len() * size_of::<[f32; 7]>()
            + self.ties.len() * self.times.len() * size_of::<[f32; 10]>()) as u64;
        if bytes > LARGEST {
            let frames = self.times.len();
            return Err(OutputError::TooLarge { frames, bytes });
        }
        let mut motion = Motion {
            scene: self.scene.clone(),
            frames: self.times.len(),
            bytes: Vec::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
        };
        let times = motion.accessor("SCALAR", self.times.iter().copied());
        motion.scene.accessors[times]["min"] = json!([first]);
        motion.scene.accessors[times]["max"] = json!([last]);
        for (node, keys) in self.keys.iter().enumerate() {
            let (place, turn) = (keys.translations[0], keys.rotations[0]);
            motion.scene.nodes[node]["translation"] = json!(place.to_array());
            if turn != Quat::IDENTITY {
                motion.scene.nodes[node]["rotation"] = json!(turn.to_array());
            }
            if keys.translations.iter().any(|t| *t != place) {
                let values = keys.translations.iter().flat_map(|t| t.to_array());
                let output = motion.accessor("VEC3", values);
                motion.channel(node, "translation", times, output);
            }
            if keys.rotations.iter().any(|r| *r != turn) {
                let values = keys.rotations.iter().flat_map(|r| r.to_array());
                let output = motion.accessor("VEC4", values);
                motion.channel(node, "rotation", times, output);
            }
        }
        for (k, rods) in self.ties.iter().enumerate() {
            motion.tie(self.keys.len() + k, rods, self.radius, times);
        }
        let mut document = motion.scene.document(self.rest.model());
        let offset = buffer.len();
        if let Some(views) = document["bufferViews"].as_array_mut() {
            views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": motion.bytes.len() }));
        }
        buffer.append(&mut motion.bytes);
        document["buffers"] = json!([{ "byteLength": buffer.len() }]);
        // glTF allows no animation without channels: where nothing moves there is none.
        if !motion.channels.is_empty() {
            let (samplers, channels) = (motion.samplers, motion.channels);
            document["animations"] = json!([{ "name": "motion", "samplers": samplers, "channels": channels }]);
        }
        Ok(container(&document, buffer))
    }
}

/// The keys of all blocks as they go into the file, after the meshes of the scene.
struct Motion {
    scene: Scene,
    frames: usize,
    bytes: Vec<u8>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Motion {
    fn accessor(&mut self, kind: &str, values: impl Iterator<Item = f32>) -> usize {
        self.scene.accessors.push(json!({
            "bufferView": KEYS, "byteOffset": self.bytes.len(), "componentType": FLOAT, "type": kind,
            "count": self.frames,
        }));
        self.bytes.extend(values.flat_map(f32::to_le_bytes));
        self.scene.accessors.len() - 1
    }

    /// Keys of a tie, for what of it changes.
    fn tie(&mut self, node: usize, rods: &[Rod], radius: f32, times: usize) {
        let Some(first) = rods.first() else { return };
        self.scene.nodes[node]["translation"] = json!(first.middle.to_array());
        self.scene.nodes[node]["rotation"] = json!(first.turn.to_array());
        self.scene.nodes[node]["scale"] = json!([radius, radius, first.length]);
        if rods.iter().any(|r| r.middle != first.middle) {
            let output = self.accessor("VEC3", rods.iter().flat_map(|r| r.middle.to_array()));
            self.channel(node, "translation", times, output);
        }
        if rods.iter().any(|r| r.turn != first.turn) {
            let output = self.accessor("VEC4", rods.iter().flat_map(|r| r.turn.to_array()));
            self.channel(node, "rotation", times, output);
        }
        if rods.iter().any(|r| r.length != first.length) {
            let output = self.accessor("VEC3", rods.iter().flat_map(|r| [radius, radius, r.length]));
            self.channel(node, "scale", times, output);
        }
    }

    fn channel(&mut self, node: usize, path: &str, input: usize, output: usize) {
        let sampler = self.samplers.len();
        self.samplers
            .push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        self.channels
            .push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }
}
