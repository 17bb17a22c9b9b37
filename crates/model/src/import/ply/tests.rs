use super::*;

fn tetrahedra(count: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let mut all = (Vec::new(), Vec::new());
    for k in 0..count as u32 {
        all.0.extend(corners.map(|c| c + DVec3::X * f64::from(k)));
        all.1.extend(faces.map(|f| f.map(|v| v + 4 * k)));
    }
    all
}

fn header(encoding: &str, float: &str, vertices: usize, faces: usize, extra: &str) -> String {
    format!(
        "ply\nformat {encoding} 1.0\ncomment made by hand\nelement vertex {vertices}\nproperty {float} x\n\
         property {float} y\nproperty {float} z\nproperty uchar red\nelement face {faces}\n\
         property list uchar int vertex_indices\n{extra}end_header\n"
    )
}

#[test]
fn text_and_both_byte_orders_give_the_same_blocks() {
    let (vertices, faces) = tetrahedra(3);
    let mut text = header("ascii", "double", 12, 12, "");
    for v in &vertices {
        text += &format!("{} {} {} 255\r\n", v.x, v.y, v.z);
    }
    for f in &faces {
        text += &format!("3 {} {} {}\r\n", f[0], f[1], f[2]);
    }
    let expected = read(text.as_bytes(), "t.ply").unwrap();
    assert_eq!(expected.model.blocks.len(), 3);
    assert!(expected.warnings.is_empty(), "{:?}", expected.warnings);
    for big in [false, true] {
        let encoding = if big {
            "binary_big_endian"
        } else {
            "binary_little_endian"
        };
        let mut bytes = header(encoding, "float", 12, 12, "").into_bytes();
        for v in &vertices {
            for c in v.to_array() {
                let c = c as f32;
                bytes.extend(if big { c.to_be_bytes() } else { c.to_le_bytes() });
            }
            bytes.push(255);
        }
        for f in &faces {
            bytes.push(3);
            for v in f {
                bytes.extend(if big { v.to_be_bytes() } else { v.to_le_bytes() });
            }
        }
        assert_eq!(read(&bytes, "t.ply").unwrap(), expected);
        let cut = read(&bytes[..bytes.len() - 7], "t.ply").unwrap_err().to_string();
        assert!(cut.contains("face 11 of 12") && cut.contains("cut off"), "{cut}");
    }
}

#[test]
fn a_property_of_the_faces_can_name_their_block() {
    let (vertices, faces) = tetrahedra(2);
    let mut text = header("ascii", "float", 8, 8, "property int object_id\n");
    for v in &vertices {
        text += &format!("{} {} {} 0\n", v.x, v.y, v.z);
    }
    for (k, f) in faces.iter().enumerate() {
        text += &format!("3 {} {} {} {}\n", f[0], f[1], f[2], 7 - k / 4);
    }
    let imported = read(text.as_bytes(), "t.ply").unwrap();
    let names: Vec<_> = imported.model.blocks.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["6", "7"]);
}

#[test]
fn headers_that_promise_too_much_cost_nothing() {
    let huge = "18446744073709551615";
    for header in [
        format!("ply\nformat binary_little_endian 1.0\nelement nothing {huge}\nend_header\n"),
        format!(
            "ply\nformat ascii 1.0\nelement vertex {huge}\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n"
        ),
        "ply\nformat ascii 1.0\nelement face 1\nproperty list uint int vertex_indices\nend_header\n4294967295 1\n"
            .into(),
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n".into(),
        "ply\nformat ascii 1.0\nelement face x\nend_header\n".into(),
        "ply\nend_header\n".into(),
        "ply\n".into(),
        "plx\n".into(),
        String::new(),
    ] {
        assert!(read(header.as_bytes(), "x.ply").is_err());
    }
}

#[test]
fn faults_name_the_vertex_or_the_face() {
    let text = header("ascii", "float", 3, 2, "") + "0 0 nan 0\n1 0 0 0\n0 1 0 0\n3 0 1 5\n2 0 1\n";
    let message = read(text.as_bytes(), "x.ply").unwrap_err().to_string();
    for expected in ["vertex 0: ", "face 0 names vertex 5", "face 1: it has 2 corners"] {
        assert!(message.contains(expected), "{expected} is not in\n{message}");
    }
}
