//! Binary glTF 2.0: one node per block, ready to be moved.
//!
//! A root node turns z-up into glTF's y-up, so that everything below it keeps the model's axes. Each block is a child
//! of the root: its translation is the centroid of the block, and its mesh is given relative to it, which keeps the
//! digits of single precision for blocks far from the origin and lets a rotation turn the block about its centroid.
//! [`glb`] writes a model at rest, [`Animation`] one that moves.

mod animation;

pub use animation::Animation;

use std::collections::HashMap;

use drystone_model::{
    Model,
    geometry::{Polyhedron, triangulate_face},
};
use glam::{DQuat, DVec3, Quat, Vec3};
use serde_json::{Value, json};

use crate::{
    OutputError,
    palette::{Groups, Rgb, TIE},
    solids::{Solid, solids},
    ties,
};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// Half the square root of two: a quarter turn about x as a quaternion is `[-H, 0, 0, H]`.
const H: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Radius of a tie, as a fraction of the size of the structure, and the sides that it is drawn with.
const ROD: f64 = 2e-3;
const ROD_SIDES: u32 = 8;

/// A model as a binary glTF file (`.glb`).
///
/// Each block is a node with the block's name and the extras `index`, `fixed` and `group`. Faces are flat: corners
/// are repeated for each face, with its normal. Blocks of one shape and colour share a mesh. After the blocks come the ties, as
/// thin cylinders with the extra `tie`.
pub fn glb(model: &Model) -> Result<Vec<u8>, OutputError> {
    let solids = solids(model)?;
    let groups = Groups::of(model);
    let mut scene = Scene::default();
    for solid in &solids {
        scene.add(solid, groups.color(solid.block));
    }
    for (tie, [from, to]) in model.ties.iter().zip(ties::ends(model, None)) {
        scene.add_tie(&tie.name, Rod::between(from, to), rod_radius(model));
    }
    Ok(container(&scene.document(model), scene.buffer()))
}

/// Where a rod lies: its middle, the turn of the z axis into its own, and its length.
#[derive(Clone, Copy)]
struct Rod {
    middle: Vec3,
    turn: Quat,
    length: f32,
}

impl Rod {
    fn between(from: DVec3, to: DVec3) -> Self {
        let along = (to - from).try_normalize().unwrap_or(DVec3::Z);
        Self {
            middle: (0.5 * (from + to)).as_vec3() + Vec3::ZERO,
            turn: DQuat::from_rotation_arc(DVec3::Z, along).as_quat().normalize(),
            length: (from.distance(to) as f32).max(f32::MIN_POSITIVE),
        }
    }
}

/// How thick ties are drawn: seen, but thin.
fn rod_radius(model: &Model) -> f32 {
    (ROD * model.bounds(|b| !b.fixed).diagonal()) as f32
}

/// A cylinder of radius and length one along z, about its middle.
fn cylinder() -> Polyhedron {
    let ring = |z: f64| {
        (0..ROD_SIDES).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(ROD_SIDES)).sin_cos();
            DVec3::new(cos, sin, z)
        })
    };
    let n = ROD_SIDES;
    let sides = (0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]);
    Polyhedron {
        vertices: ring(-0.5).chain(ring(0.5)).collect(),
        faces: sides.chain([(0..n).rev().collect(), (n..2 * n).collect()]).collect(),
    }
}

/// The centroid, or the middle of the box for a solid without volume.
fn pivot(solid: &Polyhedron) -> DVec3 {
    let properties = solid.mass_properties();
    let bounds = solid.bounds();
    let centroid = properties.centroid;
    let is_inside = centroid.cmpge(bounds.min).all() && centroid.cmple(bounds.max).all();
    if is_inside { centroid } else { bounds.center() }
}

/// A mesh in single precision, about its pivot.
#[derive(Clone, PartialEq)]
struct FlatMesh {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    indices: Vec<u32>,
}

impl FlatMesh {
    fn new(solid: &Polyhedron, pivot: DVec3) -> Self {
        let mut mesh = Self {
            positions: Vec::new(),
            normals: Vec::new(),
            indices: Vec::new(),
        };
        for face in 0..solid.faces.len() {
            let normal = solid.face_plane(face).normal.as_vec3().normalize();
            let first = mesh.positions.len() as u32;
            // Corners may repeat within a face, so triangles are found by corner and the first of equals will do.
            let corners = &solid.faces[face];
            let place = |v: u32| first + corners.iter().position(|&c| c == v).unwrap_or(0) as u32;
            mesh.indices
                .extend(triangulate_face(solid, face).into_iter().flatten().map(place));
            mesh.positions
                .extend(solid.corners(face).map(|p| (p - pivot).as_vec3()));
            mesh.normals.extend(corners.iter().map(|_| normal));
        }
        mesh
    }

    /// What tells two meshes of one material apart.
    fn key(&self, material: usize) -> Vec<u8> {
        let mut key = (material as u64).to_le_bytes().to_vec();
        key.extend(bytes_of(&self.positions));
        key.extend(self.indices.iter().flat_map(|i| i.to_le_bytes()));
        key
    }
}

fn bytes_of(vectors: &[Vec3]) -> impl Iterator<Item = u8> + '_ {
    // Adding zero turns -0 into +0, which would else keep equal shapes from sharing a mesh.
    vectors
        .iter()
        .flat_map(|v| (*v + Vec3::ZERO).to_array())
        .flat_map(f32::to_le_bytes)
}

#[derive(Clone, Default)]
struct Scene {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    indices: Vec<u32>,
    accessors: Vec<Value>,
    materials: Vec<Value>,
    material_of: HashMap<Rgb, usize>,
    meshes: Vec<Value>,
    mesh_of: HashMap<Vec<u8>, usize>,
    nodes: Vec<Value>,
}

impl Scene {
    fn add(&mut self, solid: &Solid<'_>, color: Rgb) {
        let pivot = pivot(&solid.polyhedron);
        let material = self.material(color);
        let mesh = FlatMesh::new(&solid.polyhedron, pivot);
        let mesh = self.mesh(&mesh, material);
        self.nodes.push(json!({
            "name": solid.block.name,
            "mesh": mesh,
            "translation": pivot.as_vec3().to_array(),
            "extras": { "index": solid.index, "fixed": solid.block.fixed, "group": solid.block.group },
        }));
    }

    fn add_tie(&mut self, name: &str, rod: Rod, radius: f32) {
        let material = self.material(TIE);
        let mesh = FlatMesh::new(&cylinder(), DVec3::ZERO);
        let mesh = self.mesh(&mesh, material);
        self.nodes.push(json!({
            "name": name,
            "mesh": mesh,
            "translation": rod.middle.to_array(),
            "rotation": rod.turn.to_array(),
            "scale": [radius, radius, rod.length],
            "extras": { "tie": true },
        }));
    }

    /// The index of a mesh; the same shape in the same colour is stored once.
    fn mesh(&mut self, mesh: &FlatMesh, material: usize) -> usize {
        let key = mesh.key(material);
        if let Some(&known) = self.mesh_of.get(&key) {
            return known;
        }
        let id = self.store(mesh, material);
        self.mesh_of.insert(key, id);
        id
    }

    fn material(&mut self, color: Rgb) -> usize {
        let next = self.materials.len();
        *self.material_of.entry(color).or_insert_with(|| {
            let [r, g, b] = color.linear();
            self.materials.push(json!({
                "name": color.to_string(),
                "pbrMetallicRoughness": {
                    "baseColorFactor": [r, g, b, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.9,
                },
            }));
            next
        })
    }

    fn store(&mut self, mesh: &FlatMesh, material: usize) -> usize {
        let first = self.accessors.len();
        let low = mesh.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = mesh.positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let vertex_offset = self.positions.len() * size_of::<[f32; 3]>();
        self.accessors.push(json!({
            "bufferView": 0, "byteOffset": vertex_offset, "componentType": FLOAT, "type": "VEC3",
            "count": mesh.positions.len(), "min": low.to_array(), "max": high.to_array(),
        }));
        self.accessors.push(json!({
            "bufferView": 1, "byteOffset": vertex_offset, "componentType": FLOAT, "type": "VEC3",
            "count": mesh.normals.len(),
        }));
        self.accessors.push(json!({
            "bufferView": 2, "byteOffset": self.indices.len() * size_of::<u32>(), "componentType": UNSIGNED_INT,
            "type": "SCALAR", "count": mesh.indices.len(),
        }));
        self.positions.extend(&mesh.positions);
        self.normals.extend(&mesh.normals);
        self.indices.extend(&mesh.indices);
        self.meshes.push(json!({
            "primitives": [{
                "attributes": { "POSITION": first, "NORMAL": first + 1 },
                "indices": first + 2,
                "material": material,
            }],
        }));
        self.meshes.len() - 1
    }

    fn buffer(&self) -> Vec<u8> {
        let mut buffer: Vec<u8> = bytes_of(&self.positions).chain(bytes_of(&self.normals)).collect();
        buffer.extend(self.indices.iter().flat_map(|i| i.to_le_bytes()));
        buffer
    }

    fn document(&self, model: &Model) -> Value {
        let vertices = self.positions.len() * size_of::<[f32; 3]>();
        let indices = self.indices.len() * size_of::<u32>();
        let root = self.nodes.len();
        let mut nodes = self.nodes.clone();
        nodes.push(json!({
            "name": if model.name.is_empty() { "structure" } else { &model.name },
            "rotation": [-H, 0.0, 0.0, H],
            "children": (0..root).collect::<Vec<_>>(),
        }));
        json!({
            "asset": { "version": "2.0", "generator": "drystone" },
            "scene": 0,
            "scenes": [{ "nodes": [root] }],
            "nodes": nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": [
                { "buffer": 0, "byteOffset": 0, "byteLength": vertices, "target": ARRAY_BUFFER },
                { "buffer": 0, "byteOffset": vertices, "byteLength": vertices, "target": ARRAY_BUFFER },
                { "buffer": 0, "byteOffset": 2 * vertices, "byteLength": indices, "target": ELEMENT_ARRAY_BUFFER },
            ],
            "buffers": [{ "byteLength": 2 * vertices + indices }],
        })
    }
}

/// The container: a header, the JSON chunk padded with spaces, the binary chunk padded with zeros.
fn container(document: &Value, buffer: Vec<u8>) -> Vec<u8> {
    let padded = |mut bytes: Vec<u8>, with: u8| {
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let json = padded(document.to_string().into_bytes(), b' ');
    let binary = padded(buffer, 0);
    let length = 12 + 8 + json.len() + 8 + binary.len();
    let mut file = Vec::with_capacity(length);
    file.extend(b"glTF");
    file.extend(2u32.to_le_bytes());
    file.extend((length as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &binary)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}
