//! Laws of the joints by the indices of two blocks: what `Joints` says by names, resolved once for all pairs.

use std::collections::BTreeMap;

use drystone_model::{JointLaw, JointStiffness, Joints, Model};

/// The laws of all joints that two blocks of a model can have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Laws {
    /// Every law that is in use, once.
    laws: Vec<JointLaw>,
    /// Group of each block, how many there are, and the place of the law of each pair of groups.
    group: Vec<u32>,
    groups: usize,
    by_groups: Vec<u32>,
    /// Pairs of blocks with a law of their own, in order.
    by_blocks: Vec<([u32; 2], u32)>,
}

impl Laws {
    /// Resolves the pairs of a model. One representative of each group answers for all pairs of its group: laws are looked
    /// up in every step, names are not.
    pub(crate) fn new(model: &Model) -> Self {
        let mut all = Self::default();
        let mut number: BTreeMap<Option<&str>, u32> = BTreeMap::new();
        let mut first: Vec<usize> = Vec::new();
        for (index, block) in model.blocks.iter().enumerate() {
            let next = first.len() as u32;
            let group = *number.entry(block.group.as_deref()).or_insert(next);
            if group == next {
                first.push(index);
            }
            all.group.push(group);
        }
        let by_groups = Joints {
            blocks: Vec::new(),
            ..model.joints.clone()
        };
        all.groups = first.len();
        for &a in &first {
            for &b in &first {
                let place = all.place(by_groups.law_between(&model.blocks[a], &model.blocks[b]));
                all.by_groups.push(place);
            }
        }
        let index: BTreeMap<&str, u32> = (0..).zip(&model.blocks).map(|(i, b)| (b.name.as_str(), i)).collect();
        let mut by_blocks = BTreeMap::new();
        for joint in &model.joints.blocks {
            let [a, b] = [&joint.between[0], &joint.between[1]].map(|name| index.get(name.as_str()).copied());
            if let (Some(a), Some(b)) = (a, b) {
                let [x, y] = [a, b].map(|b| &model.blocks[b as usize]);
                by_blocks.insert([a.min(b), a.max(b)], all.place(model.joints.law_between(x, y)));
            }
        }
        all.by_blocks = by_blocks.into_iter().collect();
        all
    }

    fn place(&mut self, law: JointLaw) -> u32 {
        let place = self.laws.iter().position(|known| *known == law);
        place.unwrap_or_else(|| {
            self.laws.push(law);
            self.laws.len() - 1
        }) as u32
    }

    /// The law between two blocks, as a place among all.
    pub(crate) fn between(&self, [a, b]: [u32; 2]) -> u32 {
        let own = self.by_blocks.binary_search_by_key(&[a.min(b), a.max(b)], |of| of.0);
        match own {
            Ok(k) => self.by_blocks[k].1,
            Err(_) => {
                let [a, b] = [a, b].map(|b| self.group[b as usize] as usize);
                self.by_groups[a * self.groups + b]
            }
        }
    }

    /// Every law that is in use.
    pub(crate) fn all(&self) -> &[JointLaw] {
        &self.laws
    }

    /// Changes all of them.
    pub(crate) fn change(&mut self, to: impl Fn(JointLaw) -> JointLaw) {
        self.laws.iter_mut().for_each(|law| *law = to(*law));
    }
}

/// Every law that a joint between two blocks of a model can have, once.
pub fn joint_laws(model: &Model) -> Vec<JointLaw> {
    Laws::new(model).laws
}

/// A stiffness by which a joint of the size of a block is compressed by a fraction of that size (m) under a force (N); none where
/// there is no force.
pub(crate) fn hard_stiffness(force: f64, size: f64, compression: f64) -> Option<JointStiffness> {
    let stiffness = force / (size * size * compression * size);
    (stiffness > 0.0).then_some(JointStiffness {
        normal: stiffness,
        tangential: stiffness,
    })
}
