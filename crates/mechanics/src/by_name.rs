//! Ties and load cases of a model by the indices of its blocks.

use std::collections::HashMap;

use drystone_model::{LoadCase, Model, TieLaw};
use glam::DVec3;

use crate::{Structure, StructureError};

/// A tie between two blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct TieLine {
    /// Its name.
    pub name: String,
    /// The group it is of.
    pub group: Option<String>,
    /// The two blocks.
    pub blocks: [u32; 2],
    /// Its ends (unit: m).
    pub ends: [DVec3; 2],
    /// Its force by its length. Equilibria know no lengths: there it carries any force within its bounds.
    pub law: TieLaw,
}

impl TieLine {
    /// Whether it can push, too.
    pub fn pushes(&self) -> bool {
        self.law.pushes
    }
}

/// One load of a load case, on one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BlockLoad {
    pub(crate) block: usize,
    /// Force (N), and where it acts (m): at the centre of the block where nothing is said.
    pub(crate) force: DVec3,
    pub(crate) at: Option<DVec3>,
    /// Couple (N m).
    pub(crate) couple: DVec3,
}

/// Finds blocks by name.
struct Index<'a>(HashMap<&'a str, usize>);

impl<'a> Index<'a> {
    fn new(names: impl Iterator<Item = &'a String>) -> Self {
        Self(names.enumerate().map(|(b, name)| (name.as_str(), b)).collect())
    }

    fn find(&self, what: &str, of: &str, name: &str) -> Result<usize, StructureError> {
        let found = self.0.get(name).copied();
        found.ok_or_else(|| StructureError::NoSuchBlock {
            what: format!("{what} `{of}`"),
            name: name.to_string(),
        })
    }
}

/// The ties of a model.
pub(crate) fn ties(model: &Model) -> Result<Vec<TieLine>, StructureError> {
    let index = Index::new(model.blocks.iter().map(|b| &b.name));
    let mut lines = Vec::new();
    for tie in &model.ties {
        let find = |name: &str| index.find("tie", &tie.name, name).map(|b| b as u32);
        lines.push(TieLine {
            name: tie.name.clone(),
            group: tie.group.clone(),
            blocks: [find(&tie.from.block)?, find(&tie.to.block)?],
            ends: [tie.from.at, tie.to.at],
            law: tie.law(),
        });
    }
    Ok(lines)
}

impl Structure {
    /// A load case by block, without its history in time: forces, couples, what acts on faces, and forces in proportion to the
    /// mass of the free blocks of some groups or of all.
    pub(crate) fn loads_of(
        &self,
        model: &Model,
        name: &str,
        case: &LoadCase,
    ) -> Result<Vec<BlockLoad>, StructureError> {
        let index = Index::new(self.names.iter());
        let find = |block: &str| index.find("load case", name, block);
        let one = |block: usize, force: DVec3| BlockLoad {
            block,
            force,
            at: None,
            couple: DVec3::ZERO,
        };
        let mut loads = Vec::new();
        for force in &case.forces {
            loads.push(BlockLoad {
                at: force.at,
                ..one(find(&force.block)?, force.force)
            });
        }
        for couple in &case.couples {
            loads.push(BlockLoad {
                couple: couple.moment,
                ..one(find(&couple.block)?, DVec3::ZERO)
            });
        }
        for load in case.surfaces.iter().flat_map(|s| s.pressures(model)) {
            let at = |(at, force)| BlockLoad {
                at: Some(at),
                ..one(load.block, force)
            };
            // Where a block deforms, it matters where on the face it is pushed.
            if self.elastic.place(load.block as u32).is_some() {
                loads.extend(load.points.into_iter().map(at));
            } else {
                loads.push(at((load.at, load.force)));
            }
        }
        for body in &case.body {
            let acts_on = |b: &usize| {
                let group = model.blocks[*b].group.as_ref();
                body.groups.is_empty() || group.is_some_and(|g| body.groups.contains(g))
            };
            let of_mass = |b: usize| one(b, self.mass[b] * body.acceleration);
            loads.extend(self.free().filter(acts_on).map(of_mass));
        }
        Ok(loads)
    }
}
