//! Every text of a report, in one place: another language is another [`Texts`].
//!
//! Sentences that an analysis draws from its evidence (conclusions, assumptions, reasons) come from there as they are.

/// The texts of a language. `{}` is filled in, in order.
pub(super) struct Texts {
    /// As HTML names it.
    pub(super) language: &'static str,
    pub(super) under: [(About, &'static str); 5],
    pub(super) project: &'static str,
    pub(super) author: &'static str,
    pub(super) date: &'static str,
    pub(super) program: &'static str,
    pub(super) model: &'static str,
    pub(super) foot: &'static str,
    pub(super) headings: Headings,
    pub(super) structure: Structure,
    pub(super) method: Method,
    pub(super) materials: Materials,
    pub(super) loads: Loads,
    pub(super) headlines: Headlines,
    pub(super) results: Results,
    /// What fields of results are called.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// What pictures show, by the names of their files without ending and number.
    pub(super) captions: &'static [(&'static str, &'static str)],
    pub(super) limitations: Limitations,
    pub(super) again: Again,
}

/// What a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Does it stand?
    Check,
    /// How much does it carry?
    Limit,
    /// How far can it be tilted?
    Tilt,
    /// Loaded slowly.
    Settle,
    /// A time history.
    Run,
}

pub(super) struct Headings {
    pub(super) structure: &'static str,
    pub(super) method: &'static str,
    pub(super) materials: &'static str,
    pub(super) loads: &'static str,
    pub(super) results: &'static str,
    pub(super) beside: &'static str,
    pub(super) geometry: &'static str,
    pub(super) figures: &'static str,
    pub(super) limitations: &'static str,
    pub(super) again: &'static str,
}

pub(super) struct Structure {
    pub(super) blocks: &'static str,
    pub(super) counts: &'static str,
    pub(super) size: &'static str,
    pub(super) volume: &'static str,
    pub(super) mass: &'static str,
    pub(super) fingerprint: &'static str,
    pub(super) picture: &'static str,
    pub(super) none: &'static str,
}

pub(super) struct Method {
    pub(super) rigid: &'static str,
    pub(super) deformable: &'static str,
    pub(super) joints: &'static str,
    pub(super) bonded: &'static str,
    /// By the name of the method in results.
    pub(super) ways: &'static [(&'static str, &'static str)],
    pub(super) limit: &'static str,
    pub(super) tilt: &'static str,
    pub(super) settle: &'static str,
    pub(super) implicit: &'static str,
    pub(super) explicit: &'static str,
    pub(super) proof: &'static str,
    pub(super) changed: &'static str,
}

pub(super) struct Materials {
    pub(super) blocks: [&'static str; 4],
    pub(super) ungrouped: &'static str,
    pub(super) joints: [&'static str; 2],
    pub(super) others: &'static str,
    pub(super) pair: &'static str,
    pub(super) friction: &'static str,
    pub(super) more: &'static str,
    pub(super) ties: [&'static str; 3],
    pub(super) law: [&'static str; 6],
}

pub(super) struct Loads {
    pub(super) gravity: &'static str,
    pub(super) tilt: &'static str,
    pub(super) tilted: &'static str,
    pub(super) cases: [&'static str; 3],
    pub(super) unused: &'static str,
    pub(super) motion: &'static str,
    pub(super) grows: &'static str,
    pub(super) axis: &'static str,
}

pub(super) struct Headlines {
    pub(super) stable: &'static str,
    pub(super) unstable: &'static str,
    pub(super) undecided: &'static str,
    pub(super) limit: &'static str,
    pub(super) no_limit: &'static str,
    pub(super) no_lower: &'static str,
    pub(super) tilt: &'static str,
    pub(super) upright: &'static str,
    pub(super) settled: &'static str,
    pub(super) not_settled: &'static str,
    pub(super) collapsed: &'static str,
    pub(super) partially: &'static str,
    pub(super) held: &'static str,
    pub(super) stopped: &'static str,
    pub(super) at: &'static str,
    pub(super) moved: &'static str,
    pub(super) ended: &'static str,
}

pub(super) struct Results {
    pub(super) certificate: &'static str,
    pub(super) no_certificate: &'static str,
    pub(super) precision: &'static str,
    pub(super) others: [&'static str; 4],
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
    pub(super) joints: &'static str,
    pub(super) stages: [&'static str; 6],
    pub(super) peaks: [&'static str; 5],
    pub(super) peaks_title: &'static str,
    pub(super) peaks_note: &'static str,
    pub(super) more: &'static str,
    pub(super) still: &'static str,
    pub(super) of: &'static str,
    pub(super) of_at: &'static str,
    pub(super) least_friction: &'static str,
    pub(super) worst_direction: &'static str,
    pub(super) capacity: &'static str,
}

pub(super) struct Limitations {
    pub(super) every: &'static [&'static str],
    pub(super) statics: &'static [&'static str],
    pub(super) self_stress: &'static str,
    pub(super) associated: &'static str,
    pub(super) run: &'static [&'static str],
    pub(super) settle: &'static [&'static str],
    pub(super) left_out: &'static str,
}

pub(super) struct Again {
    pub(super) asked: &'static str,
    pub(super) model: &'static str,
    pub(super) verified: &'static str,
}

/// A text with its places filled in.
pub(super) fn fill(text: &str, values: &[&str]) -> String {
    let mut filled = String::new();
    let mut values = values.iter();
    let mut pieces = text.split("{}");
    filled.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        filled.push_str(values.next().unwrap_or(&""));
        filled.push_str(piece);
    }
    filled
}

/// What something is called; its own name, in words, where it has no other.
pub(super) fn called(names: &[(&str, &str)], name: &str) -> String {
    let found = names.iter().find(|(known, _)| *known == name);
    found.map_or_else(|| name.replace(['_', '-'], " "), |(_, text)| (*text).to_string())
}

pub(super) const ENGLISH: Texts = Texts {
    language: "en",
    under: [
        (About::Check, "Static assessment of a structure of blocks"),
        (About::Limit, "Capacity of a structure of blocks"),
        (About::Tilt, "Tilting test of a structure of blocks"),
        (About::Settle, "Slow loading of a structure of blocks"),
        (About::Run, "Time history of a structure of blocks"),
    ],
    project: "project",
    author: "author",
    date: "date",
    program: "program",
    model: "model",
    foot: "Made by drystone {}. Units are SI, z is up.",
    headings: Headings {
        structure: "Structure",
        method: "Assumptions and method",
        materials: "Materials and joints",
        loads: "Loads",
        results: "Results",
        beside: "Static check of the same structure",
        geometry: "Problems of the geometry",
        figures: "Figures",
        limitations: "Limitations",
        again: "How to reproduce",
    },
    structure: Structure {
        blocks: "blocks",
        counts: "{} free, {} fixed",
        size: "size along x, y, z",
        volume: "volume of the free blocks",
        mass: "mass of the free blocks",
        fingerprint: "fingerprint (SHA-256)",
        picture: "The structure. Supports are grey.",
        none: "The folder holds no model: it was written by an earlier version, or its model was taken away.",
    },
    method: Method {
        rigid: "The structure is a set of rigid blocks that touch in joints. Blocks neither deform nor break.",
        deformable: "The structure is a set of blocks that touch in joints. Some of its blocks deform elastically (linear finite \
                     elements); the others are rigid. Blocks do not break.",
        joints: "Joints are dry: they press and resist sliding by Coulomb friction, and carry no tension.",
        bonded: "Some joints are bonded. Analyses at rest take them as dry; time stepping and slow loading count the bond until it breaks.",
        ways: &[
            (
                "cone",
                "Equilibrium within friction cones: forces at the contact points are looked for that balance the loads within the limits of \
                 Coulomb friction, by convex optimisation. If there are none, a motion exists on which the loads do work and which no \
                 joint resists: a collapse mechanism.",
            ),
            (
                "rbe",
                "Rigid-block equilibrium: forces within friction cones that balance the loads; where there are none, with the least tension \
                 that would hold the structure.",
            ),
            (
                "rbe-linearised",
                "Rigid-block equilibrium with eight-sided pyramids around the friction cones, as published; they admit somewhat more friction.",
            ),
            (
                "cra",
                "Coupled rigid-block analysis: of all forces in equilibrium within friction cones only those count that a small displacement \
                 of the blocks mobilises. Wedging that nothing ensures is not relied on.",
            ),
            (
                "cra-penalty",
                "Coupled rigid-block analysis with tension at a price: tells how much tension would hold what does not stand.",
            ),
            (
                "elastic",
                "Elastic equilibrium: deformable blocks are loaded from a state free of stress, with unilateral contact and friction in the joints.",
            ),
            (
                "dynamic",
                "Time stepping with Coulomb friction from slightly open joints, until the structure rests or falls.",
            ),
        ],
        limit: "The load was multiplied until the structure falls. Two bounds are given: the largest multiplier with an admissible force \
                distribution, and the smallest with a collapse mechanism. Weight and permanent loads act beside it unmultiplied.",
        tilt: "The structure was turned about an axis while gravity stays, as on a board that is raised slowly. Two bounds are given: the \
               largest angle at which it stands, and the smallest at which it falls.",
        settle: "The structure was loaded slowly, stage by stage, through equilibria on its deformed shape: joints yield, open, slide with \
                 Coulomb friction and lose their bond.",
        implicit: "The motion was followed in time with unilateral contact and friction, by implicit steps each of which is one contact problem \
                   solved to a tolerance (non-smooth contact dynamics). Large displacements, impacts and falling blocks are part of it.",
        explicit: "The motion was followed in time by short explicit steps with elastic joints, dashpots and Coulomb friction (the distinct \
                   element method). Large displacements, impacts and falling blocks are part of it.",
        proof: "What is called proven has a certificate that independent code has checked in the same run, from the model alone: forces by \
                equilibrium and friction cones at every point; a mechanism by its compatibility with every joint and the work of the loads.",
        changed: "changed from the model's file",
    },
    materials: Materials {
        blocks: ["group", "free blocks", "density (kg/m³)", "mass"],
        ungrouped: "(no group)",
        joints: ["between", "law"],
        others: "every other joint",
        pair: "{} and {}",
        friction: "friction {} ({}°)",
        more: "{} more",
        ties: ["tie", "stiffness", "yield force"],
        law: [
            "static friction {}",
            "restitution {}",
            "stiffness {}",
            "tensile bond {}",
            "cohesion {}",
            "compressive strength {}",
        ],
    },
    loads: Loads {
        gravity: "gravity (m/s²)",
        tilt: "tilt",
        tilted: "{}° about {}; loads turn with the structure",
        cases: ["load case", "factor", "resultant with the factor"],
        unused: "not applied",
        motion: "motion of the supports",
        grows: "what grows",
        axis: "axis of the tilt (x, y, z)",
    },
    headlines: Headlines {
        stable: "It stands",
        unstable: "It does not stand",
        undecided: "Undecided",
        limit: "It carries {}",
        no_limit: "There is no limit",
        no_lower: "No load was found that it carries",
        tilt: "It can be tilted by {}°",
        upright: "It does not stand upright",
        settled: "It carries all stages",
        not_settled: "It does not carry all stages",
        collapsed: "It collapsed",
        partially: "It collapsed in part",
        held: "It did not collapse",
        stopped: "It did not collapse before the run was stopped",
        at: "Collapse was told at {} of {} simulated.",
        moved: "The largest displacement was {}, of block {}; {} remain.",
        ended: "Simulated: {}.",
    },
    results: Results {
        certificate: "certificate",
        no_certificate: "none: the result is evidence, not proof",
        precision: "Numbers have three significant digits; the files beside this report have all of them.",
        others: ["method", "verdict", "proven", "because"],
        yes: "yes",
        no: "no",
        joints: "joints {}",
        stages: [
            "stage",
            "done",
            "largest displacement",
            "open joints",
            "largest opening",
            "largest slip",
        ],
        peaks: ["block", "largest displacement", "at", "largest speed", "residual drift"],
        peaks_title: "Blocks that moved farthest",
        peaks_note: "Of centres of mass, relative to the ground. All blocks are in peaks.parquet.",
        more: "{} more",
        still: "{} s",
        of: "{} ({})",
        of_at: "{} ({}, at {})",
        least_friction: "minimum friction",
        worst_direction: "worst direction (x, y, z)",
        capacity: "{}: lateral capacity {} g",
    },
    fields: &[
        ("verdict", "verdict"),
        ("multiplier", "multiplier carried"),
        ("bounds", "lower and upper bound"),
        ("critical_tilt_deg", "critical tilt"),
        ("lower_deg", "stands up to"),
        ("upper_deg", "falls at"),
        ("needed", "load needed to stand"),
        ("unbounded", "without limit"),
        ("lower_proven", "lower bound proven"),
        ("upper_proven", "upper bound proven"),
        ("proven", "proven"),
        ("status", "status"),
        ("method", "method"),
        ("assumption", "assumes"),
        ("friction_words", "friction law"),
        ("reason", "because"),
        ("unstable_blocks", "blocks that move or need tension"),
        ("moving_blocks", "blocks that move at the end"),
        ("residual", "residual (over the loads)"),
        ("max_force_n", "largest contact force"),
        ("tension_n", "tension that would hold it"),
        ("displacement_m", "displacement"),
        ("end", "end"),
        ("no_forces", "proven that no forces balance the loads"),
        ("load_n", "sum of the loads (x, y, z)"),
        ("reaction_n", "sum of the reactions (x, y, z)"),
        ("largest_friction_use", "largest use of friction"),
        ("largest_stress_pa", "largest contact stress"),
        ("integrator", "time steps"),
        ("time_s", "simulated time"),
        ("steps", "steps"),
        ("collapsed", "collapsed"),
        ("collapse", "extent of the collapse"),
        ("collapse_time_s", "time of the collapse"),
        ("at_rest", "at rest at the end"),
        ("max_displacement_m", "largest displacement"),
        ("max_speed_m_s", "largest speed"),
        ("final_displacement_m", "displacement at the end"),
        ("final_speed_m_s", "speed at the end"),
        ("residual_drift_m", "residual drift"),
        ("fallen_fraction", "fallen fraction of the mass"),
        ("max_von_mises_pa", "largest von Mises stress"),
        ("max_tension_pa", "largest tensile stress"),
        ("bonds", "bonded points"),
        ("broken_bonds", "of them broken"),
        ("energy_balance_error", "error of the energy balance"),
        ("energy_created_j", "energy created by contacts"),
        ("worst_residual", "worst residual"),
        ("steps_above_tolerance", "steps above the tolerance"),
        ("dt_s", "time step"),
        ("adaptive_m", "accuracy that adapts the time step"),
        ("friction_law", "friction law"),
        ("damping", "damping of joints"),
        ("stiffness_n_m3", "stiffness of every joint (N/m³)"),
        ("tolerance", "tolerance"),
    ],
    captions: &[
        ("forces", "Resultants of the joints and thrust lines."),
        (
            "forces at the bound",
            "Resultants of the joints and thrust lines at the lower bound.",
        ),
        ("courses", "Flow of the weight through level joints."),
        (
            "mechanism",
            "The mechanism: direction of the motion, not to scale. Outlines show where blocks were.",
        ),
        ("moved", "Forces that movements of supports mobilise."),
        ("moved-motion", "The motion that follows the supports, not to scale."),
        ("stress", "Stresses in deformable blocks."),
        ("curve", "Load over displacement."),
        ("cracks", "Cracks and slips after stage {}."),
        ("film", "The run."),
        ("displacement-x", "Displacements along x."),
        ("displacement-y", "Displacements along y."),
        ("displacement-z", "Displacements along z."),
        ("displacement", "Largest displacement of a block."),
        ("energies", "Energies."),
        ("ties", "Forces in ties."),
        ("shown", "The structure as the page showed it."),
    ],
    limitations: Limitations {
        every: &[
            "The result is that of the model: its geometry, densities, friction and supports were taken as given and not measured.",
            "Blocks do not crack, crush or weather. Stresses are to be compared with strengths by whoever uses this report.",
            "No partial factors of a code of practice were applied to loads or materials beyond those stated here.",
        ],
        statics: &[
            "Equilibrium is that of the shape as drawn: settlements, creep, vibration and the order of construction are not looked at.",
        ],
        self_stress: "Where self-stress is allowed, forces may rely on wedging that nothing ensures.",
        associated: "Associated friction opens joints as they slide; where sliding governs, the limit is an upper bound of that of Coulomb friction.",
        run: &[
            "A time history is one scenario. It proves neither safety nor collapse under another motion.",
            "After collapse the paths of single blocks depend on small details; the extent of the collapse is what the run tells.",
        ],
        settle: &["Equilibria were followed step by step; between steps they were not looked at."],
        left_out: "Not looked at: {}",
    },
    again: Again {
        asked: "The first command asked the question; the same version gives the same numbers again.",
        model: "{}, in the folder of the results, is the model as it was read.",
        verified: "The others check the certificates, from the model alone and with code of their own; its fingerprint is in each of them.",
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_in_order_and_names_fall_back_on_themselves() {
        assert_eq!(fill("{} of {}, {}", &["1", "2"]), "1 of 2, ");
        assert_eq!(called(ENGLISH.fields, "max_speed_m_s"), "largest speed");
        assert_eq!(called(ENGLISH.fields, "new_field"), "new field");
    }
}
