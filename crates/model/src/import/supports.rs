use crate::Model;

/// A support that was asked for does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no block `{name}`{}", hint(nearest.as_ref()))]
pub struct NoSuchBlock {
    /// The name that was given.
    pub name: String,
    /// The block whose name is most like it.
    pub nearest: Option<String>,
}

fn hint(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Fixes the named blocks, beside those that are fixed already. Changes nothing if a name is unknown.
pub fn set_supports(model: &mut Model, names: &[String]) -> Result<(), NoSuchBlock> {
    for name in names {
        if model.block(name).is_none() {
            let likeness = |other: &str| strsim::jaro_winkler(name, other);
            let nearest = model
                .blocks
                .iter()
                .max_by(|a, b| likeness(&a.name).total_cmp(&likeness(&b.name)));
            return Err(NoSuchBlock {
                name: name.clone(),
                nearest: nearest.map(|b| b.name.clone()),
            });
        }
    }
    for block in &mut model.blocks {
        block.fixed |= names.contains(&block.name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{Block, Shape};

    #[test]
    fn supports_are_added_by_name_and_a_slip_gets_a_hint() {
        let mut model = Model::default();
        for name in ["pier", "keystone", "abutment"] {
            model
                .blocks
                .push(Block::new(name, Shape::cuboid(DVec3::ZERO, DVec3::ONE)));
        }
        model.blocks[0].fixed = true;
        let error = set_supports(&mut model, &["pier".into(), "abutement".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no block `abutement`; did you mean `abutment`?"
        );
        set_supports(&mut model, &["abutment".into()]).unwrap();
        let fixed: Vec<bool> = model.blocks.iter().map(|b| b.fixed).collect();
        assert_eq!(fixed, [true, false, true]);
    }
}
