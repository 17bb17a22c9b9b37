//! STL, ASCII and binary. The connected pieces are the blocks; several named solids in an ASCII file are one each.
//!
//! STL repeats the corners of every triangle, in binary files with seven digits: corners within that precision are
//! made one. Lengths are metres.

use glam::DVec3;

use super::{
    Imported,
    error::{ImportError, Problems, format_error},
    mesh::Meshes,
    text::{coordinate, in_range, quoted, stem, text},
};
use crate::geometry::Polyhedron;

/// Reads an STL file. `file` names it in messages and gives the model its name.
pub fn read(bytes: &[u8], file: &str) -> Result<Imported, ImportError> {
    let mut meshes = Meshes::default();
    read_into(&mut meshes, bytes, file)?;
    super::of_meshes(meshes, file)
}

pub(super) fn read_into(meshes: &mut Meshes, bytes: &[u8], file: &str) -> Result<(), ImportError> {
    // Either kind is known to few digits; ASCII files are mostly printed from single precision too.
    meshes.single_precision = true;
    let solids = if is_binary(bytes) {
        vec![(String::new(), binary(bytes, file)?)]
    } else {
        ascii(bytes, file)?
    };
    let one = solids.len() == 1;
    for (name, mesh) in solids {
        let named = if name.is_empty() { stem(file) } else { name };
        if one {
            meshes.add_pieces(&named, &mesh);
        } else {
            meshes.add(&named, &mesh);
        }
    }
    Ok(())
}

const HEADER: usize = 84;
const RECORD: usize = 50;

/// ASCII files begin with `solid`, but so do the headers of some binary files: their length tells.
fn is_binary(bytes: &[u8]) -> bool {
    let exact = claimed(bytes).is_some_and(|n| n.checked_mul(RECORD) == bytes.len().checked_sub(HEADER));
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    exact || !start.get(..5).is_some_and(|s| s.eq_ignore_ascii_case(b"solid"))
}

/// How many triangles the header of a binary file claims.
fn claimed(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(80..HEADER)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*count)).ok()
}

fn binary(bytes: &[u8], file: &str) -> Result<Polyhedron, ImportError> {
    let Some(count) = claimed(bytes) else {
        return Err(format_error(
            file,
            "this is no STL file: it neither begins with `solid` nor is it long enough for a binary header",
        ));
    };
    let records = bytes.get(HEADER..).unwrap_or_default().chunks_exact(RECORD);
    if records.len() < count {
        return Err(format_error(
            file,
            format!(
                "the header announces {count} triangles, but the file ends after {}",
                records.len()
            ),
        ));
    }
    let mut problems = Problems::new(file);
    let mut mesh = Polyhedron::default();
    for (number, record) in records.take(count).enumerate() {
        // The normal is left out: it follows from the corners.
        let (numbers, _) = record.get(12..48).unwrap_or_default().as_chunks::<4>();
        let mut numbers = numbers.iter().map(|n| in_range(f64::from(f32::from_le_bytes(*n))));
        let mut next = || numbers.next().unwrap_or(Ok(0.0));
        let mut corner = || Ok::<_, String>(DVec3::new(next()?, next()?, next()?));
        match (corner(), corner(), corner()) {
            (Ok(a), Ok(b), Ok(c)) => push_triangle(&mut mesh, [a, b, c]),
            (Err(what), ..) | (_, Err(what), _) | (.., Err(what)) => {
                problems.somewhere(format!("triangle {number}: {what}"));
            }
        }
    }
    problems.finish()?;
    Ok(mesh)
}

fn push_triangle(mesh: &mut Polyhedron, corners: [DVec3; 3]) {
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(corners);
    mesh.faces.push(vec![first, first + 1, first + 2]);
}

fn ascii(bytes: &[u8], file: &str) -> Result<Vec<(String, Polyhedron)>, ImportError> {
    let content = text(bytes);
    let mut problems = Problems::new(file);
    let mut solids: Vec<(String, Polyhedron)> = Vec::new();
    let mut corners: Vec<DVec3> = Vec::new();
    let (mut last_line, mut ended) = (0, true);
    for (number, line) in content.lines().enumerate() {
        let line_number = number + 1;
        last_line = line_number;
        let mut tokens = line.split_whitespace();
        let keyword = tokens.next().unwrap_or_default().to_ascii_lowercase();
        match keyword.as_str() {
            "solid" => {
                solids.push((tokens.collect::<Vec<_>>().join(" "), Polyhedron::default()));
                ended = false;
            }
            "vertex" => {
                let mut next = || {
                    tokens
                        .next()
                        .map_or(Err("a corner needs three coordinates".to_owned()), coordinate)
                };
                let mut corner = || Ok::<_, String>(DVec3::new(next()?, next()?, next()?));
                match corner() {
                    Ok(corner) => corners.push(corner),
                    Err(what) => problems.at(line_number, format!("{}: {what}", quoted(line))),
                }
            }
            "endloop" | "endfacet" => match (corners.as_slice(), solids.last_mut()) {
                ([], _) => {}
                (&[a, b, c], Some((_, mesh))) => {
                    push_triangle(mesh, [a, b, c]);
                    corners.clear();
                }
                (some, _) => {
                    if problems.is_empty() {
                        problems.at(
                            line_number,
                            format!("a facet has {} corners; it must have 3", some.len()),
                        );
                    }
                    corners.clear();
                }
            },
            "endsolid" => ended = true,
            "" | "facet" | "outer" => {}
            _ => problems.at(
                line_number,
                format!(
                    "{} is not understood; expected `facet`, `vertex`, `endfacet` or `endsolid`",
                    quoted(line)
                ),
            ),
        }
    }
    if !ended && problems.is_empty() {
        problems.at(last_line, "the file ends before `endsolid`; it seems to be cut off");
    }
    problems.finish()?;
    solids.retain(|(_, mesh)| !mesh.faces.is_empty());
    if solids.is_empty() {
        return Err(format_error(file, "there are no facets in it"));
    }
    Ok(solids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::triangulate_face;

    fn triangles(solid: &Polyhedron) -> Vec<[DVec3; 3]> {
        (0..solid.faces.len())
            .flat_map(|f| triangulate_face(solid, f))
            .map(|t| t.map(|v| solid.vertices[v as usize]))
            .collect()
    }

    fn binary_file(triangles: &[[DVec3; 3]]) -> Vec<u8> {
        let mut bytes = vec![b' '; 80];
        bytes[..5].copy_from_slice(b"solid");
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for t in triangles {
            bytes.extend([0; 12]);
            for c in t.iter().flat_map(|p| p.to_array()) {
                bytes.extend((c as f32).to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn ascii_file(name: &str, triangles: &[[DVec3; 3]]) -> String {
        let mut out = format!("solid {name}\r\n");
        for t in triangles {
            out += " facet normal 0 0 0\r\n  outer loop\r\n";
            for p in t {
                out += &format!("   vertex {:e} {:e} {:e}\r\n", p.x, p.y, p.z);
            }
            out += "  endloop\r\n endfacet\r\n";
        }
        out + "endsolid\r\n"
    }

    #[test]
    fn boxes_that_touch_come_back_as_blocks_of_their_own() {
        // Odd sizes, far from the origin: single precision shows in the seventh digit.
        let at = |k: f64| DVec3::new(31.7 + 0.3 * k, -8.1, 2.3);
        let boxes = [0.0, 1.0, 2.0].map(|k| Polyhedron::cuboid(at(k), at(k + 1.0) + DVec3::new(0.0, 0.7, 0.11)));
        let all: Vec<_> = boxes.iter().flat_map(triangles).collect();
        for bytes in [binary_file(&all), ascii_file("x", &all).into_bytes()] {
            let imported = read(&bytes, "row.stl").unwrap();
            let names: Vec<_> = imported.model.blocks.iter().map(|b| b.name.as_str()).collect();
            assert_eq!(names, ["0", "1", "2"]);
            for (block, solid) in imported.model.blocks.iter().zip(&boxes) {
                let read = block.polyhedron();
                assert_eq!((read.vertices.len(), read.faces.len()), (8, 6));
                assert!((read.volume() - solid.volume()).abs() < 1e-4 * solid.volume());
            }
        }
    }

    #[test]
    fn a_turned_box_stays_a_box_and_the_tolerance_is_raised_to_its_rounding() {
        let turn = glam::DAffine3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.4);
        let solid = Polyhedron::cuboid(DVec3::splat(20.0), DVec3::new(20.2, 20.3, 20.1)).transformed(&turn);
        let imported = read(&binary_file(&triangles(&solid)), "box.stl").unwrap();
        assert_eq!(imported.model.blocks[0].polyhedron().faces.len(), 6);
        let planarity = imported.model.tolerances.planarity;
        assert!((1e-6..1e-4).contains(&planarity), "{planarity}");
        let defects = crate::geometry::defects(&imported.model.blocks[0].polyhedron(), planarity * 0.374);
        assert!(defects.is_empty(), "{defects:?}");
    }

    #[test]
    fn named_solids_are_blocks() {
        let cube = triangles(&Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE));
        let two = ascii_file("left", &cube) + &ascii_file("right", &cube);
        let imported = read(two.as_bytes(), "two.stl").unwrap();
        let names: Vec<_> = imported.model.blocks.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["left", "right"]);
    }

    #[test]
    fn a_header_that_promises_too_much_and_a_file_cut_off_are_told() {
        let cube = triangles(&Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE));
        let mut bytes = binary_file(&cube);
        bytes[0] = b'x';
        bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let message = read(&bytes, "x.stl").unwrap_err().to_string();
        assert!(
            message.contains("announces 4294967295 triangles") && message.contains("after 12"),
            "{message}"
        );
        let text = ascii_file("a", &cube);
        let message = read(&text.as_bytes()[..500], "x.stl").unwrap_err().to_string();
        assert!(message.contains("x.stl:"), "{message}");
        assert!(read(b"", "x.stl").is_err());
    }
}
