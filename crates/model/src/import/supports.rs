use crate::{Model, check::nearest};

/// A support that was asked for does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no block `{name}`{}", hint(nearest.as_ref()))]
pub struct NoSuchBlock {
    /// The name that was given.
    pub name: String,
    /// The block whose name is most like it, if one is like it enough.
    pub nearest: Option<String>,
}

fn hint(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Fixes the named blocks, beside those that are fixed already. Changes nothing if a name is unknown.
pub fn set_supports(model: &mut Model, names: &[String]) -> Result<(), NoSuchBlock> {
    for name in names {
        if model.block(name).is_none() {
            return Err(NoSuchBlock {
                name: name.clone(),
                nearest: nearest(name, model.blocks.iter().map(|b| b.name.as_str())),
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

    /// Broke: any name was told `did you mean` some block, however different, because the most similar name was
    /// offered without asking whether it is similar.
    #[test]
    fn a_name_like_no_other_gets_no_hint() {
        let mut model = Model::default();
        model
            .blocks
            .push(Block::new("voussoir-25", Shape::cuboid(DVec3::ZERO, DVec3::ONE)));
        for name in ["zz", ""] {
            let error = set_supports(&mut model, &[name.into()]).unwrap_err();
            assert_eq!(error.to_string(), format!("there is no block `{name}`"));
        }
    }
}
