//! Every tuned number of the statics: thresholds by size, limits and factors of the stages.
//!
//! Numbers are without unit unless one is given. Loads are measured by those on all blocks or by the mean load of a block,
//! motions in openings (what every joint has to close). Where nothing is said of a measurement, the value was chosen by
//! judgement.

use drystone_cone::tuning;

tuning! {
    /// The tuned numbers of the statics, by what uses them.
    Tuning {
        /// What counts as found.
        acceptance: Acceptance = Acceptance::DEFAULT,
        /// Forces of least norm.
        least_norm: LeastNorm = LeastNorm::DEFAULT,
        /// Correction of forces.
        correct_forces: CorrectForces = CorrectForces::DEFAULT,
        /// Correction of motions.
        correct_motion: CorrectMotion = CorrectMotion::DEFAULT,
        /// Coupled analysis, what its stages share.
        coupled: Coupled = Coupled::DEFAULT,
        /// Coupled analysis by rounds of the convex problem.
        rounds: Rounds = Rounds::DEFAULT,
        /// Coupled analysis by blocks that creep.
        creep: Creep = Creep::DEFAULT,
        /// Coupled analysis from the forces of least norm.
        mobilise: Mobilise = Mobilise::DEFAULT,
        /// Newton's method on the conditions of coupled analysis.
        polish: Polish = Polish::DEFAULT,
        /// Restoration of what nearly satisfies them.
        restore: Restore = Restore::DEFAULT,
        /// Growth of the openings.
        growth: Growth = Growth::DEFAULT,
        /// Limits.
        limit: Limit = Limit::DEFAULT,
        /// Tilts.
        tilt: Tilt = Tilt::DEFAULT,
        /// Safety margins.
        sensitivity: Sensitivity = Sensitivity::DEFAULT,
        /// Settling by the time stepper.
        settle: Settle = Settle::DEFAULT,
    }
}

tuning! {
    /// What counts as found.
    Acceptance {
        /// What may be left over on a block, over the loads on all blocks, where forces count as balancing them.
        balanced: f64 = 1e-8,
        /// What may be left over on a block, over its own load.
        balanced_alone: f64 = 1e-6,
        /// How far a force may lie outside its friction cone by rounding, over the loads.
        rounding: f64 = 1e-12,
        /// What may be left over on a block, over its own load, of forces that are certified.
        left_over: f64 = 5e-7,
        /// Power of the loads, over what the loads of the blocks that move would do at the speeds of their fastest points,
        /// below which a motion proves nothing.
        least_share: f64 = 2e-7,
        /// Force, over the loads, that some joint would have to carry for the loads to be balanced in spite of a motion that
        /// is proof.
        resist: f64 = 2e6,
        /// How much larger the power must be than what joints are entered by for a motion to be worth correcting.
        near: f64 = 10.0,
        /// Tension, over the loads, above which a structure needs it.
        no_tension: f64 = 1e-6,
        /// Speed, over that of the fastest block, above which a block takes part in a mechanism.
        moving: f64 = 1e-3,
        /// The same of blocks that creep.
        creeping: f64 = 0.1,
    }
}

tuning! {
    /// Forces of least norm.
    LeastNorm {
        /// Price of tension over that of compression.
        tension_price: f64 = 1e6,
        /// The least area that a point represents, over the mean.
        least_area: f64 = 1e-3,
        /// What a solver may leave of the loads, relative to them, for its forces to be worth correcting.
        worth_correcting: f64 = 1e-4,
        /// Gap of the energy, over the work of the loads, up to which forces are those of least norm.
        least_gap: f64 = 1e-6,
    }
}

tuning! {
    /// Correction of forces that nearly balance the loads.
    CorrectForces {
        /// What is left over, over the load of a block, that needs no improvement.
        enough: f64 = 1e-11,
        /// Rounds of improvement.
        rounds: usize = 12,
        /// Largest change in the norm of the cone; a change below one cannot leave it.
        longest: f64 = 0.7,
        /// Friction coefficient below which a joint has none.
        smooth: f64 = 1e-9,
        /// How far a joint may be from closed, over the opening, and still press.
        closed: f64 = 5e-7,
        /// Sliding, over the opening, that has a direction.
        slides: f64 = 1e-10,
    }
}

tuning! {
    /// Correction of motions that joints nearly let pass.
    CorrectMotion {
        /// Speeds, over the fastest, below which the motion of a joint is taken for none; the next is tried where one fails.
        lines: [f64; 5] = [1e-6, 1e-5, 1e-7, 1e-4, 1e-8],
        /// Rounds of Newton's method for each.
        rounds: usize = 8,
        /// Power of the loads, over the loads, the fastest speed and the sum of all closings, that needs no improvement.
        enough: f64 = 1e9,
    }
}

tuning! {
    /// Coupled analysis: what its stages share.
    Coupled {
        /// The opening, over the size of a block.
        opening: f64 = 1e-5,
        /// Residual of eq. 11 that a solution may have, in openings and in loads.
        satisfied: f64 = 1e-8,
        /// Motion at a joint, in openings, beyond which it is no longer small: a hundredth of a block, as far as paper 004 goes.
        farthest_motion: f64 = 1e3,
        /// Where force and opening are both small, the smaller counts times this in the residual.
        both_small: f64 = 2e-2,
        /// Compliances, in the order in which they are tried: motion in openings for the load of a block.
        compliances: [f64; 9] = [1e-1, 3e-1, 1e-3, 1.0, 1e-2, 3e-2, 3e-3, 3.0, 10.0],
        /// Points above which growing openings end the search at once: every round takes seconds.
        huge_points: usize = 5000,
        /// Compliances that are tried before anything tells that it falls.
        first_compliances: usize = 2,
        /// Points up to which all stages are tried before growing openings count. Above it rounds with each compliance are, others
        /// only where one of these came near, and no motion for the forces of least norm.
        middle_points: usize = 1000,
        /// Residual that is near then, as the solver measures it.
        promising: f64 = 1e-2,
        /// Points above which no others are tried: each takes seconds.
        large_points: usize = 4000,
        /// Points above which no compliance is tried, and no block creeps: every factorisation takes seconds.
        most_points: usize = 20_000,
        /// Motion in openings for a tension as large as the load of a block.
        tension_price: f64 = 1e6,
        /// Residual, as the solver measures it, below which a solution is worth polishing.
        near: f64 = 3e-2,
        /// Residual above which an attempt is no start for restoration.
        far: f64 = 1e3,
        /// Continuation in friction starts from this, over the friction of the joints.
        rougher: [f64; 2] = [1.003, 1.01],
        /// Steps of the continuation in friction.
        continuation_steps: usize = 12,
        /// Compliances that it tries at its start.
        continuation_compliances: usize = 3,
    }
}

tuning! {
    /// Coupled analysis by rounds of the convex problem.
    Rounds {
        /// Sliding in openings for friction as large as the load of a block, in the order in which they are tried.
        compliances: [f64; 3] = [1e-3, 1.0, 10.0],
        /// Points above which a structure is large: its rounds take seconds.
        large_points: usize = 20_000,
        /// Precision that the convex problems are solved to with each: forces that yield little are known less well.
        tolerances: [f64; 3] = [1e-9, 1e-7, 1e-7],
        /// Precision from which no other start of the solver is tried where it ends short of that.
        enough: f64 = 1e-6,
        /// Rounds at most.
        rounds: usize = 40,
        /// Rounds without a `fall` of the change after which they are given up; the same of large structures.
        patience: usize = 7,
        /// See there.
        patience_large: usize = 1,
        /// What the change must fall to, over the least before.
        fall: f64 = 0.7,
        /// Change of the openings, over the largest motion, from which what was found is worth polishing.
        near: f64 = 1e-3,
        /// The same where rounds of a structure that is not large get no farther.
        worth: f64 = 0.2,
        /// What it must fall to, over that, for another attempt.
        again: f64 = 0.05,
        /// Change that no round betters.
        exact: f64 = 1e-10,
        /// What a solver may leave of a convex problem for it to be of use.
        unsolved: f64 = 1e-5,
        /// Rounds that an extrapolation looks back.
        memory: usize = 6,
        /// What is added to the diagonal of its equations, over their trace.
        trace: f64 = 1e-10,
        /// Force, over the load of a block, below which a point does not press; such points count by `resting`.
        least_force: f64 = 1e-6,
        /// See there.
        resting: f64 = 1e-3,
    }
}

tuning! {
    /// Coupled analysis by blocks that creep on joints that yield.
    Creep {
        /// Compliances along the normal, one after the other, and across it: motion in openings for the load of a block.
        compliances: [[f64; 2]; 2] = [[1.0, 10.0], [0.1, 1.0]],
        /// Precision of the convex problem that it starts from.
        start: f64 = 1e-6,
        /// What may be left of the loads at rest, over them.
        rest: f64 = 1e-9,
        /// Factorisations at most with each.
        steps: usize = 400,
    }
}

tuning! {
    /// Coupled analysis from the forces of least norm.
    Mobilise {
        /// Force, over the mean load of a block, below which it tells nothing about pressing or sliding: forces of least norm
        /// are known to about that.
        no_force: f64 = 1e-4,
        /// Sliding, in openings, that friction as large as the load of a block must have at least; smaller friction in
        /// proportion.
        sliding: f64 = 1.0,
        /// Sliding, in openings, below which there is none.
        still: f64 = 1e-7,
        /// Price of sliding across the friction, and of friction across the sliding, over that of other motions and forces.
        across: f64 = 1e8,
        /// Fraction of the friction limit that is used: what acts across the sliding needs room.
        within: f64 = 1.0 - 1e-9,
        /// Rounds at most.
        rounds: usize = 12,
        /// What the residual of eq. 11 must fall to in each round, over the last.
        fall: f64 = 0.9,
        /// Precision that the convex problems are solved to.
        precision: f64 = 1e-12,
    }
}

tuning! {
    /// Newton's method on the conditions of coupled analysis. Forces over the load of a block, motions in openings.
    Polish {
        /// Steps at most.
        steps: usize = 14,
        /// Steps after which it must come nearer.
        patience: usize = 4,
        /// Sliding below which it has no direction.
        still: f64 = 1e-9,
        /// Friction over compression below which there is none.
        least_friction: f64 = 1e-7,
        /// Friction over compression below which it may vanish in one step.
        slight_friction: f64 = 1e-3,
        /// Force below which a point does not press, and that does not shorten a step.
        negligible: f64 = 1e-9,
        /// Friction from which its direction may not turn by more than half a right angle in a step.
        turns: f64 = 1e-5,
        /// What closing may yield, so that its multipliers need not be solved for.
        slack: f64 = 1e-10,
        /// Sliding and openings that count as no less than this in the length of a step.
        soft: f64 = 1e-2,
        /// What the motion of a block counts in the length of a step, whatever its joints do.
        motion: f64 = 1e-6,
        /// What is added to the diagonal of the balance, over it.
        trace: f64 = 1e-13,
        /// Longest step, over what forces are.
        longest: f64 = 0.9,
        /// Solves with one factor, all but the first to correct for rounding.
        corrections: usize = 3,
        /// What ends it, of closing and of balance; what is enough where nothing betters it; what is hopeless where nothing does.
        exact: f64 = 1e-12,
        /// See there.
        enough: f64 = 1e-9,
        /// See there.
        hopeless: f64 = 1e-3,
    }
}

tuning! {
    /// Restoration of forces and a motion that nearly satisfy eq. 11.
    Restore {
        /// Contact points up to which it is worth it: beyond, a round takes longer than the stages before it.
        most_points: usize = 64,
        /// Rounds at most.
        rounds: usize = 60,
        /// Rounds after which the residual of the products must have fallen by `fall`.
        patience: usize = 8,
        /// What it must fall to at least.
        fall: f64 = 0.97,
        /// Rounds between attempts to polish.
        polish_every: usize = 3,
        /// Residual of the products, squared and summed, below which polishing is attempted.
        near: f64 = 1e-2,
        /// The same in the end.
        enough: f64 = 1e-9,
        /// Residual of the products that ends the rounds.
        small: f64 = 1e-15,
        /// Sliding, in openings, below which it has no direction.
        still: f64 = 1e-2,
        /// Price of a step at first, and at least.
        price: [f64; 2] = [1e-2, 1e-9],
        /// Precision that the convex problem of a round is solved to.
        precision: f64 = 1e-10,
    }
}

tuning! {
    /// Growth of the openings, round after round.
    Growth {
        /// Rounds of the convex problem at most.
        rounds: usize = 50,
        /// Sliding in openings for friction as large as the load of a block: that of the first rounds.
        compliance: f64 = Rounds::DEFAULT.compliances[0],
        /// Precision that they are solved to.
        tolerance: f64 = 1e-7,
        /// The same of structures whose rounds take seconds.
        tolerance_large: f64 = 1e-5,
        /// Precision from which no other start of the solver is tried where it ends short of that.
        enough: f64 = 1e-6,
        /// Rounds over which growth is measured, and how alike two such spans must be (cosine): the shortest that are.
        over: [(usize, f64); 5] = [(1, 0.995), (2, 0.98), (3, 0.95), (5, 0.9), (10, 0.8)],
        /// What growth may become from one span to the next.
        fades: f64 = 0.9,
        /// How far ahead it is looked at again, in openings.
        grown: f64 = 1e4,
        /// Rounds after which it must have come to it there, over those that it is measured over.
        settles: usize = 6,
        /// What there must be left of it, over what it was.
        goes_on: f64 = 0.5,
        /// How alike it must be to what it was (cosine).
        alike: f64 = 0.5,
        /// Largest motion at a joint that must be left there, over how far ahead it is.
        stays: f64 = 0.3,
    }
}

tuning! {
    /// Limits.
    Limit {
        /// Precision that the program is solved to. It need not reach it: forces and motion are measured by whoever uses them.
        precision: f64 = 1e-11,
        /// Multiplier, over the ratio of dead to live loads, from which it is asked whether there is a limit at all.
        largest: f64 = 1e6,
        /// How far below the program's multiplier its forces are tried, over it.
        short: [f64; 7] = [0.0, 1e-9, 1e-8, 1e-7, 1e-6, 3e-6, 1e-5],
        /// By how much every joint is opened, over the speed of the fastest block, where the program's motion closes some.
        opened: [f64; 3] = [1e-9, 1e-8, 1e-7],
        /// How far above the upper bound the loads do enough work on its motion to prove it, over the bound.
        beyond: [f64; 7] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0],
        /// How close the bounds are, over the upper one, where the program's motion does.
        precise: f64 = 1e-8,
        /// Motions that are tried on the way down, where the program gave none.
        motions: usize = 60,
        /// How often the distance between the bounds is halved, where the program gave no forces.
        halves: usize = 30,
        /// How often a load without a limit is made four times larger.
        factors: usize = 6,
    }
}

tuning! {
    /// Tilts.
    Tilt {
        /// Angles that are tried from upright to upside down, to see whether it stands again farther on.
        samples: usize = 36,
        /// How well each bound is found (unit: rad).
        precision: f64 = 0.002 * std::f64::consts::PI / 180.0,
        /// Step by which forces are followed past a bound that is no proof, at first and at most (unit: rad).
        first_follow: f64 = 0.02 * std::f64::consts::PI / 180.0,
        /// See there.
        longest_follow: f64 = std::f64::consts::PI / 180.0,
        /// How close the bounds must be to be one angle (unit: rad).
        meet: f64 = 0.01 * std::f64::consts::PI / 180.0,
        /// Fraction of the work, for progress, that is done once all samples are.
        sampled: f64 = 0.6,
        /// How much farther it is asked again where nothing was decided: a solver may fail at one angle alone (unit: rad).
        retry: f64 = 1e-5,
    }
}

tuning! {
    /// Safety margins.
    Sensitivity {
        /// Friction, over that of the model, above which it is taken to make no difference.
        most_friction: f64 = 64.0,
        /// How well a ratio of friction coefficients is found.
        precision: f64 = 1e-4,
        /// Rounds of fixing the blocks that move and asking again.
        turns: usize = 32,
    }
}

tuning! {
    /// Settling by the time stepper. The unit of time is that in which a block falls by about its own size.
    Settle {
        /// The opening, over the size of a block.
        opening: f64 = 1e-4,
        /// Compression of a joint under the weight of the whole structure on one block, over the size of a block.
        compression: f64 = 1e-4,
        /// Time between two looks, in that unit.
        step: f64 = 2e-2,
        /// Time after which it is given up, in that unit.
        longest: f64 = 60.0,
        /// Time in which the joints close, in that unit.
        closing: f64 = 2.0,
        /// The part of weight and loads that closes them, and the time from which on all of these act, in that unit.
        lightly: f64 = 1e-2,
        /// See there.
        loading: f64 = 6.0,
        /// Local damping: what a block gains by falling through the opening must not carry it away.
        damping: f64 = 0.5,
        /// Displacement, over the size of a block, beyond which it falls.
        fallen: f64 = 0.3,
        /// Speed, over that of a fall by the size of a block, below which it stands.
        still: f64 = 1e-5,
    }
}
