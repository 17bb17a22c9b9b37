//! Wavefront OBJ: objects (`o`) are blocks, or groups (`g`) where there are no objects.
//!
//! Faces before the first object are a block named after the file; a file without objects and groups is cut into its
//! connected pieces. Normals, texture coordinates, materials, lines and points are passed over. Lengths are metres.

use glam::DVec3;

use super::{
    Imported,
    error::{ImportError, Problems, format_error, single},
    mesh::{Meshes, without_unused},
    text::{coordinate, quoted, stem, text},
};
use crate::{Model, geometry::Polyhedron};

/// Reads an OBJ file. `file` names it in messages and gives the model its name.
pub fn read(bytes: &[u8], file: &str) -> Result<Imported, ImportError> {
    let mut meshes = Meshes::default();
    let mut warnings = Vec::new();
    read_into(&mut meshes, &mut warnings, bytes, file)?;
    let mut model = Model::named(stem(file));
    meshes
        .finish(&mut model, &mut warnings)
        .map_err(|what| single(file, None, what))?;
    super::with_blocks(model, warnings, file)
}

/// Faces that belong together: those of an object, or of a group.
struct Part {
    name: String,
    faces: Vec<Vec<u32>>,
}

pub(super) fn read_into(
    meshes: &mut Meshes,
    warnings: &mut Vec<String>,
    bytes: &[u8],
    file: &str,
) -> Result<(), ImportError> {
    let content = text(bytes);
    let statements = Statements {
        rest: content.lines().enumerate(),
    };
    let mut problems = Problems::new(file);
    let mut vertices: Vec<DVec3> = Vec::new();
    let new_part = |name: &str| Part {
        name: name.to_owned(),
        faces: Vec::new(),
    };
    // Which of the two levels names the blocks is known only at the end of the file.
    let mut objects = vec![new_part(&stem(file))];
    let mut groups = vec![new_part(&stem(file))];
    let (mut named_objects, mut named_groups) = (false, false);
    let mut last_face = Vec::new();
    for (line, statement) in statements {
        let (keyword, arguments) = statement
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((statement.trim(), ""));
        // A name may hold a `#`; numbers may be followed by a comment.
        let numbers = arguments.split('#').next().unwrap_or_default();
        match keyword {
            "v" => match vertex(numbers) {
                Ok(v) => vertices.push(v),
                Err(what) => {
                    problems.at(line, what);
                    // It keeps its number, or faces would be told of vertices that are missing when none is.
                    vertices.push(DVec3::ZERO);
                }
            },
            "f" | "fo" => match face(numbers, vertices.len()) {
                Ok(corners) => {
                    if let Some(&highest) = corners.iter().max() {
                        last_face.push((line, highest));
                    }
                    if let (Some(object), Some(group)) = (objects.last_mut(), groups.last_mut()) {
                        object.faces.push(corners.clone());
                        group.faces.push(corners);
                    }
                }
                Err(what) => problems.at(line, what),
            },
            "o" => {
                named_objects = true;
                objects.push(new_part(arguments.trim()));
            }
            "g" => {
                named_groups = true;
                groups.push(new_part(arguments.trim()));
            }
            _ => {}
        }
    }
    for (line, highest) in last_face {
        if highest as usize >= vertices.len() {
            problems.at(
                line,
                format!(
                    "the face names vertex {}, but the file has {}",
                    u64::from(highest) + 1,
                    vertices.len()
                ),
            );
        }
    }
    problems.finish()?;
    let parts = if named_objects { objects } else { groups };
    if parts.iter().all(|part| part.faces.is_empty()) {
        return Err(format_error(
            file,
            "there are no faces in it; an OBJ file lists vertices `v x y z` and faces `f 1 2 3`",
        ));
    }
    if !named_objects && !named_groups {
        let mesh = without_unused(Polyhedron {
            vertices,
            faces: parts.into_iter().flat_map(|part| part.faces).collect(),
        });
        let count = meshes.add_pieces(&stem(file), &mesh);
        if count > 1 {
            warnings.push(format!(
                "{file} has no objects or groups; its {count} connected pieces are the blocks, numbered from 0"
            ));
        }
        return Ok(());
    }
    for part in parts.into_iter().filter(|part| !part.faces.is_empty()) {
        meshes.add(&part.name, &extracted(&vertices, &part.faces));
    }
    Ok(())
}

/// Some faces with the vertices they use, in the order of the file.
fn extracted(vertices: &[DVec3], faces: &[Vec<u32>]) -> Polyhedron {
    let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let local = |v: &u32| used.binary_search(v).map_or(0, |k| k as u32);
    Polyhedron {
        faces: faces.iter().map(|f| f.iter().map(local).collect()).collect(),
        vertices: used.iter().filter_map(|&v| vertices.get(v as usize).copied()).collect(),
    }
}

/// Lines with their numbers; a line that ends in `\` goes on in the next.
struct Statements<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
}

impl<'a> Iterator for Statements<'a> {
    type Item = (usize, std::borrow::Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let (number, line) = self.rest.next()?;
        let Some(start) = line.trim_end().strip_suffix('\\') else {
            return Some((number + 1, line.into()));
        };
        let mut joined = start.to_owned();
        for (_, line) in self.rest.by_ref() {
            joined.push(' ');
            match line.trim_end().strip_suffix('\\') {
                Some(more) => joined.push_str(more),
                None => {
                    joined.push_str(line);
                    break;
                }
            }
        }
        Some((number + 1, joined.into()))
    }
}

fn vertex(arguments: &str) -> Result<DVec3, String> {
    // A weight or a colour may follow the three coordinates.
    let mut tokens = arguments.split_whitespace();
    let mut next = || match tokens.next() {
        Some(token) => coordinate(token),
        None => Err(format!(
            "{} is not a vertex; three coordinates are needed",
            quoted(arguments)
        )),
    };
    Ok(DVec3::new(next()?, next()?, next()?))
}

fn face(arguments: &str, vertices: usize) -> Result<Vec<u32>, String> {
    let corner = |token: &str| {
        let number = token.split('/').next().unwrap_or_default();
        let wrong = || {
            format!(
                "{} is not a corner of a face; vertices are numbered from 1, or from -1 backwards",
                quoted(token)
            )
        };
        let number: i64 = number.parse().map_err(|_| wrong())?;
        let index = match number {
            0 => return Err(wrong()),
            1.. => number - 1,
            _ => i64::try_from(vertices).unwrap_or(0).saturating_add(number),
        };
        u32::try_from(index).map_err(|_| {
            format!(
                "{} names a vertex that does not exist; there are {vertices} before this line",
                quoted(token)
            )
        })
    };
    let mut corners = arguments
        .split_whitespace()
        .map(corner)
        .collect::<Result<Vec<u32>, _>>()?;
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    if corners.len() < 3 {
        return Err(format!(
            "{} is not a face; at least 3 corners are needed",
            quoted(arguments)
        ));
    }
    Ok(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

    fn names(imported: &Imported) -> Vec<&str> {
        imported.model.blocks.iter().map(|b| b.name.as_str()).collect()
    }

    #[test]
    fn negative_numbers_continued_lines_and_corner_triples_are_understood() {
        let obj = format!(
            "\u{feff}# comment\r\no a\r\n{TETRAHEDRON}f -4/1/1 -2//2 \\\r\n -3/3\r\nf 1 2 4\nf 2 3 4 # c\nf 1 4 3\nvn 0 0 1\nusemtl x\n"
        );
        let imported = read(obj.as_bytes(), "x.obj").unwrap();
        assert_eq!(names(&imported), ["a"]);
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        assert!((imported.model.blocks[0].polyhedron().volume() - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn objects_win_over_groups_and_equal_names_get_a_number() {
        let faces = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
        let both = format!("{TETRAHEDRON}{faces}o a\ng x\n{faces}o a\n{faces}");
        assert_eq!(
            names(&read(both.as_bytes(), "dir/file.obj").unwrap()),
            ["file", "a", "a (2)"]
        );
        let groups = format!("{TETRAHEDRON}g x\n{faces}g y z\n{faces}");
        assert_eq!(names(&read(groups.as_bytes(), "f.obj").unwrap()), ["x", "y z"]);
    }

    /// Broke: a vertex that could not be read took its number with it, so faces were told that the last vertices are
    /// missing although the file has them.
    #[test]
    fn a_wrong_vertex_is_the_only_thing_told() {
        let faces = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
        let obj = format!("v nan 0 0\n{}{faces}", TETRAHEDRON.split_once('\n').unwrap().1);
        let message = read(obj.as_bytes(), "bad.obj").unwrap_err().to_string();
        assert_eq!(message.lines().count(), 1, "{message}");
    }

    #[test]
    fn every_wrong_line_is_named_with_its_text() {
        let obj = "v 0 0\nv 0 0 nan\nv 0 0 1e99\nf 1 2\nf 0 1 2\nf a b c\nf 1 2 9\nf -9 1 2\n";
        let message = read(obj.as_bytes(), "bad.obj").unwrap_err().to_string();
        for expected in [
            "bad.obj:1: `0 0`",
            "bad.obj:2: `nan`",
            "bad.obj:3:",
            "bad.obj:4: `1 2`",
            "bad.obj:5: `0`",
            "bad.obj:6: `a`",
            "bad.obj:7: the face names vertex 9",
            "bad.obj:8: `-9`",
        ] {
            assert!(message.contains(expected), "{expected} is not in\n{message}");
        }
        assert!(read(b"", "empty.obj").unwrap_err().to_string().contains("no faces"));
    }
}
