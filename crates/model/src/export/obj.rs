use std::fmt::Write;

use crate::Model;

/// The blocks as a Wavefront OBJ file: one object a block, faces as polygons, coordinates with all their digits.
///
/// Supports, densities, ties and the like have no place in the format. Characters that would end a line in a name
/// become spaces.
pub fn obj(model: &Model) -> String {
    let mut out = String::new();
    let mut first = 1;
    for block in &model.blocks {
        let name: String = block
            .name
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let solid = block.polyhedron();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "o {}", name.trim_end_matches('\\').trim());
        for v in &solid.vertices {
            let _ = writeln!(out, "v {} {} {}", v.x, v.y, v.z);
        }
        for face in &solid.faces {
            out.push('f');
            for &corner in face {
                let _ = write!(out, " {}", first + corner as usize);
            }
            out.push('\n');
        }
        first += solid.vertices.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{Block, Pose, Shape, import};

    #[test]
    fn names_and_every_digit_come_back() {
        let mut model = Model::named("two");
        let odd = DVec3::new(1.0 / 3.0, 1e-7, -2.0 / 7.0);
        let mut moved = Block::new("# 1\\ of\n2", Shape::cuboid(DVec3::ZERO, DVec3::ONE));
        moved.pose = Pose::at(odd);
        model.blocks = vec![Block::new("a b", Shape::cuboid(odd, odd + DVec3::ONE)), moved];
        let read = import::obj::read(obj(&model).as_bytes(), "two.obj").unwrap();
        assert_eq!(read.warnings, [""; 0]);
        assert_eq!(read.model.name, "two");
        let names: Vec<_> = read.model.blocks.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["a b", "# 1\\ of 2"]);
        for (block, read) in model.blocks.iter().zip(&read.model.blocks) {
            assert_eq!(block.polyhedron(), read.polyhedron());
        }
    }
}
