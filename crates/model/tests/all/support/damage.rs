//! Readers, sound sample files, and ways to damage them: shared by the property tests and the fuzzing example.

use drystone_model::{Block, Model, Shape, check, export, file, geometry::Polyhedron, import};
use glam::{DVec2, DVec3};

/// A reader with its name; what it reads does not matter, only that it comes back.
pub(crate) type Reader = (&'static str, fn(&[u8]));

/// Every reader of bytes, by name. To fuzz another, add a line.
pub(crate) const READERS: &[Reader] = &[
    ("obj", |bytes| drop(import::obj::read(bytes, "x.obj"))),
    ("stl", |bytes| drop(import::stl::read(bytes, "x.stl"))),
    ("ply", |bytes| drop(import::ply::read(bytes, "x.ply"))),
    ("compas", |bytes| drop(import::compas::read(bytes, "x.json"))),
    ("chrono", chrono),
    ("any", |bytes| drop(import::import(&[("x".to_owned(), bytes.to_vec())]))),
    ("repaired", |bytes| {
        let treatment = import::Treatment {
            skip_bad: true,
            repair: true,
        };
        for ending in ["obj", "stl", "ply", "json", "txt"] {
            drop(import::import_with(
                &[(format!("x.{ending}"), bytes.to_vec())],
                treatment,
            ));
        }
    }),
    ("model", model_file),
];

/// A model that can be read is also looked at, since that is what comes next.
fn model_file(bytes: &[u8]) {
    if let Ok(model) = file::parse(bytes, "x.json") {
        drop(check::summary(&model));
    }
}

fn chrono(bytes: &[u8]) {
    if let Ok(bricks) = import::chrono::read_bricks(bytes, "x.txt") {
        let files = import::chrono::Files {
            bricks,
            ..Default::default()
        };
        drop(import::chrono::assemble(files, "x.txt"));
    }
    drop(import::chrono::read_springs(bytes, "x.txt"));
    drop(import::chrono::read_rods(bytes, "x.txt"));
    drop(import::chrono::read_motion(bytes, "x.txt"));
}

/// A small random generator, the same on every machine (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// One small sound file of every format.
pub(crate) fn samples() -> Vec<Vec<u8>> {
    let mut model = Model::named("sample");
    let l = [(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)].map(DVec2::from);
    model.blocks = vec![
        Block::new("a", Shape::cuboid(DVec3::ZERO, DVec3::ONE)).fixed(),
        Block::new("l", Polyhedron::from_elevation(&l, 0.0, 1.0)),
    ];
    let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    vec![
        export::obj(&model).into_bytes(),
        export::compas(&model).into_bytes(),
        serde_json::to_vec(&model).unwrap_or_default(),
        include_bytes!("../../../../../examples/lintel.json").to_vec(),
        ascii_stl(&triangles, &corners),
        binary_stl(&triangles, &corners),
        ascii_ply(&triangles, &corners),
        binary_ply(&triangles, &corners),
        BRICKS.as_bytes().to_vec(),
        b"9, 1, 0,1,2, 3, 0,0,0, 5e3, 0.5,\n".to_vec(),
        b"0, 0\n0.1, 0.2\n0.2, 0\n".to_vec(),
        BLOCK_MODEL.as_bytes().to_vec(),
    ]
}

const BRICKS: &str = "1\t,\t1,1,0,1800,0,0,0,0,0,0, 0,0,0, 1,0,0, 0,1,0, 0,0,1, 1,1,1,\t\t\r\n\
    2,0,1,1,1800,1,0,0,0,0,0, 0,0,0, 1,0,0, 0,1,0, 0,0,1, 9999, 0,0,0, 1,0,0, 0,1,0, 0,0,-1\n";

const BLOCK_MODEL: &str = r#"{"dtype":"d/BlockModel","data":{"elements":{"a":{"dtype":"d/Block","data":{
"transformation":{"data":{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,5],[0,0,0,1]]},"dtype":"T"},"geometry":{"xsize":1,
"ysize":2,"zsize":3,"frame":{"point":[0,0,0],"xaxis":[0,1,0],"yaxis":[0,0,1]}},"is_support":true}},"b":{"geometry":
{"vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"faces":[[0,2,1],[0,1,3],[1,2,3],[0,3,2]]}}},"tree":{"root":{"children":
[{"element":"a","children":[{"element":"b"}]}]}},"graph":{"node":{"0":{"element":"a"},"1":{"element":"b"}},"edge":
{"0":{"1":{"contacts":[{"points":[[0,0,0],[1,0,0],[0,1,0]],"size":0.5,"forces":[]}]}}}}}}"#;

fn ascii_stl(triangles: &[[usize; 3]], corners: &[DVec3]) -> Vec<u8> {
    let mut out = "solid s\n".to_owned();
    for t in triangles {
        out += "facet normal 0 0 0\nouter loop\n";
        for &k in t {
            out += &format!("vertex {} {} {}\n", corners[k].x, corners[k].y, corners[k].z);
        }
        out += "endloop\nendfacet\n";
    }
    (out + "endsolid s\n").into_bytes()
}

fn binary_stl(triangles: &[[usize; 3]], corners: &[DVec3]) -> Vec<u8> {
    let mut out = vec![0; 80];
    out.extend((triangles.len() as u32).to_le_bytes());
    for t in triangles {
        out.extend([0; 12]);
        for c in t.iter().flat_map(|&k| corners[k].to_array()) {
            out.extend((c as f32).to_le_bytes());
        }
        out.extend([0; 2]);
    }
    out
}

fn ply_header(format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement \
         face 4\nproperty list uchar uint vertex_indices\nproperty short object_id\nend_header\n"
    )
}

fn ascii_ply(triangles: &[[usize; 3]], corners: &[DVec3]) -> Vec<u8> {
    let mut out = ply_header("ascii");
    for c in corners {
        out += &format!("{} {} {}\n", c.x, c.y, c.z);
    }
    for t in triangles {
        out += &format!("3 {} {} {} 1\n", t[0], t[1], t[2]);
    }
    out.into_bytes()
}

fn binary_ply(triangles: &[[usize; 3]], corners: &[DVec3]) -> Vec<u8> {
    let mut out = ply_header("binary_big_endian").into_bytes();
    for c in corners.iter().flat_map(|c| c.to_array()) {
        out.extend((c as f32).to_be_bytes());
    }
    for t in triangles {
        out.push(3);
        out.extend(t.iter().flat_map(|&k| (k as u32).to_be_bytes()));
        out.extend([0, 1]);
    }
    out
}

/// Bytes without any order.
pub(crate) fn noise(random: &mut Random) -> Vec<u8> {
    let length = random.below(400);
    (0..length).map(|_| random.next() as u8).collect()
}

/// The file with a few bytes or numbers changed, put in, taken out, repeated, or its end cut off.
pub(crate) fn damaged(sample: &[u8], random: &mut Random) -> Vec<u8> {
    const TOKENS: [&str; 16] = [
        "nan",
        "1e308",
        "-1e308",
        "1e-320",
        "4294967295",
        "-1",
        "0",
        "9999999999999999999",
        "null",
        "{",
        "]",
        "\n",
        ",",
        "/",
        "\\\n",
        "9999",
    ];
    let mut bytes = sample.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            2 => bytes.insert(at, random.next() as u8),
            3 => {
                let end = (at + random.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + random.below(60)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            5 => {
                // A number somewhere in the text becomes another.
                let is_digit = |b: &u8| b.is_ascii_digit();
                if let Some(start) = bytes.iter().skip(at).position(is_digit).map(|k| k + at) {
                    let end = start + bytes[start..].iter().take_while(|b| is_digit(b)).count();
                    bytes.splice(start..end, TOKENS[random.below(TOKENS.len())].bytes());
                }
            }
            _ => {
                bytes.splice(at..at, TOKENS[random.below(TOKENS.len())].bytes());
            }
        }
    }
    bytes
}
