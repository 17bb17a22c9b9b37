//! Every tuned number of the crate: thresholds by size, limits and factors of the methods.
//!
//! Numbers are without unit unless one is given: problems are dimensionless here, with the diagonal blocks of N about one.
//! Where nothing is said of a measurement, the value was chosen by judgement. What rounding alone sets (pivots, guards
//! against a division by zero) stands where it is used.

/// Declares a group of tuned numbers: a struct with `DEFAULT`, each field with its meaning and its value.
#[macro_export]
macro_rules! tuning {
    ($(#[$about:meta])* $group:ident { $($(#[$doc:meta])* $name:ident: $kind:ty = $value:expr,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $group {
            $($(#[$doc])* pub $name: $kind,)+
        }

        impl $group {
            /// The numbers in use.
            pub const DEFAULT: Self = Self { $($name: $value,)+ };
        }
    };
}

tuning! {
    /// The tuned numbers of the crate, by method.
    Tuning {
        /// What `Auto` chooses by.
        choice: Choice = Choice::DEFAULT,
        /// The interior-point method.
        interior: Interior = Interior::DEFAULT,
        /// Semismooth Newton.
        semismooth: Semismooth = Semismooth::DEFAULT,
        /// Coulomb friction over convex problems.
        fixed_point: FixedPoint = FixedPoint::DEFAULT,
        /// The stage that polishes.
        polish: Polish = Polish::DEFAULT,
        /// The stage that leaves a local minimum.
        proximal: Proximal = Proximal::DEFAULT,
        /// Spectral projected gradient.
        spg: Spg = Spg::DEFAULT,
        /// Accelerated projected gradient.
        apgd: Apgd = Apgd::DEFAULT,
        /// Non-linear Gauss-Seidel.
        nlgs: Nlgs = Nlgs::DEFAULT,
        /// Clarabel.
        clarabel: Clarabel = Clarabel::DEFAULT,
        /// Forces on bodies at rest, associated friction.
        at_rest: AtRest = AtRest::DEFAULT,
        /// Forces on bodies at rest, Coulomb friction.
        at_rest_coulomb: AtRestCoulomb = AtRestCoulomb::DEFAULT,
        /// Bodies that creep to rest or away.
        creep: Creep = Creep::DEFAULT,
        /// How work is cut into pieces.
        machine: Machine = Machine::DEFAULT,
    }
}

tuning! {
    /// What [`Solver::Auto`](crate::Solver::Auto) chooses by.
    Choice {
        /// Constraints above which `Auto` does not factorise: the factor would not fit in memory.
        most_to_factor: usize = 2_000_000,
        /// Compliance above which `Auto` takes the semismooth method. Measured on a building of 5,100 blocks: it takes 0.6 of
        /// the time of the interior-point method with such joints, and twice as much with joints a hundred times stiffer.
        soft_compliance: f64 = 1e-3,
    }
}

tuning! {
    /// The interior-point method.
    Interior {
        /// Iterations with associated friction, if the settings leave it to the method.
        iterations: usize = 100,
        /// Iterations with Coulomb friction, if the settings leave it to the method.
        iterations_coulomb: usize = 600,
        /// How far towards the boundary of the cones a step goes.
        fraction_to_boundary: f64 = 0.99,
        /// The first mu of a problem of `small` contacts, over the mean gap of the guess. It grows with the square of their number:
        /// the more bodies lean on each other, the farther is the way for those at its end. Measured on walls of 205 to 5,217
        /// blocks: large ones take 22 iterations where they would take 50 from close by.
        first_centre: f64 = 0.3,
        /// See there.
        small: f64 = 2000.0,
        /// The least and the largest first mu, over the mean gap of the guess. Measured on a house and an arch that are shaken: with 1 in
        /// place of 0.3 as the least, 2 % fewer iterations.
        first_centre_range: [f64; 2] = [1.0, 1000.0],
        /// A first step shorter than this is not taken: the way begins once more from farther away. Measured there: 6 % fewer
        /// iterations.
        shortest_first_step: f64 = 0.1,
        /// How many times as far.
        farther: f64 = 30.0,
        /// Fraction of a guess below which it does harm as it is. Blocks that wedge each other take impulses that are large and
        /// cancel out until the next step, where they no longer do. Measured on a church that is shaken: a hundredth of the
        /// guess is worth starting from, and the whole of it takes a fifth more iterations.
        poor_guess: f64 = 0.1,
        /// Gondzio's correctors after Mehrotra's, where the step is short.
        correctors: usize = 2,
        /// They aim at a step this many times as long, and this much longer. Measured there: 1.1 and 0.1 take 7 % more iterations.
        aim: [f64; 2] = [1.3, 0.2],
        /// Turns of fixed point and polishing, with Coulomb friction.
        cycles: usize = 6,
        /// Constraints up to which problems with associated friction are polished.
        most_to_polish: usize = 200,
        /// Iterations without progress after which the method gives up.
        patience: usize = 20,
        /// Compliance that replaces none in the rows of rigid links; its effect vanishes as the iterations go on.
        link_compliance: f64 = 1e-8,
    }
}

tuning! {
    /// Semismooth Newton on proximal subproblems.
    Semismooth {
        /// Newton steps of all convex problems together, if the settings leave it to the method.
        iterations: usize = 240,
        /// Newton steps of one convex problem, after which the interior-point method replaces it.
        steps: usize = 60,
        /// Newton steps of one round.
        steps_per_round: usize = 30,
        /// Proximal compliance of the first round.
        first_proximal: f64 = 1e-3,
        /// It shrinks by this factor after each round.
        shrink: f64 = 0.2,
        /// Its least value.
        least_proximal: f64 = 1e-8,
        /// Compliance of every contact above which a problem needs no proximal term.
        compliant: f64 = 1e-6,
    }
}

tuning! {
    /// Coulomb friction as a fixed point over convex problems.
    FixedPoint {
        /// A round must come closer to its own solution than its start is, by this factor. What goes beyond it is lost when the
        /// slip changes. Measured: with 0.1 standing walls take five to ten times the iterations.
        tighten: f64 = 0.4,
        /// Rounds without a gain of a tenth after which the fixed point is given up. Measured on problems of
        /// the FCLIB collection: with 12, Newton's method comes as close from there, and later.
        patience: usize = 4,
        /// In a time step, what a round is solved to, over the tolerance.
        inner: f64 = 0.8,
        /// In a time step, rounds after the first that the slip is corrected by, unless it needs none.
        corrections: usize = 1,
        /// In a time step, the most rounds.
        rounds: usize = 30,
        /// In a time step, rounds without a gain of a tenth after which no more follow.
        rounds_without_gain: usize = 12,
        /// In a time step, what rigid contacts yield along the normal, for impulses that are unique and change smoothly with the
        /// slip. Measured on a house of 200 blocks that is shaken: rounds after the first take 10 iterations in place of 24; with ten times
        /// as much, what is left of it passes the tolerance.
        softness: f64 = 1e-4,
        /// In a time step, how much the velocity counts by which contacts that press open or close: it is an error of their gaps,
        /// which the next step takes back, and not one of forces.
        opening: f64 = 0.1,
        /// A round that is farther off than the best by this factor leads away.
        astray: f64 = 2.0,
    }
}

tuning! {
    /// Newton's method on the natural map.
    Polish {
        /// Constraints up to which it is tried: it takes hundreds of factorisations.
        most_constraints: usize = 1500,
        /// Newton steps for one weight.
        steps_per_weight: usize = 60,
        /// Weights of the velocity in the natural map, tried one after another: where one of the maps has a local minimum that
        /// is no solution, another has none.
        weights: [f64; 2] = [1.0, 30.0],
        /// The largest and the least proximal term.
        proximal_range: [f64; 2] = [1e-1, 1e-13],
        /// What the natural map must fall to with associated friction, over what it was: it must be worth the velocities that
        /// the method kept beside the impulses.
        gain: f64 = 0.5,
    }
}

tuning! {
    /// Proximal points, out of a local minimum of the natural map.
    Proximal {
        /// The natural map above which the stage is not tried: rounds about such impulses say little. Measured on perturbed
        /// problems of the FCLIB collection: it gets from 3e-4 to a solution where another turn of the method does not.
        largest_residual: f64 = 1e-2,
        /// Newton steps of all rounds together.
        steps: usize = 2500,
        /// Newton steps of one round.
        steps_per_round: usize = 12,
        /// Multiplications after which the stage gives up.
        multiplications: f64 = 4e11,
        /// Compliance of the first round.
        first_compliance: f64 = 1e-2,
        /// Its least and its largest value.
        compliance_range: [f64; 2] = [1e-9, 0.3],
        /// Newton steps up to which a round is easy, and the compliance is halved.
        easy_steps: usize = 4,
        /// A round is solved to this fraction of what the natural map is.
        tighten: f64 = 0.1,
    }
}

tuning! {
    /// Spectral projected gradient.
    Spg {
        /// Iterations if the settings leave it to the method.
        iterations: usize = 20_000,
        /// Values of the energy that a new one is compared with.
        memory: usize = 10,
        /// Fraction of the predicted descent that a step must give.
        descent: f64 = 1e-4,
        /// Iterations between measurements of the residual.
        check_every: usize = 5,
        /// Iterations between products that compute velocities afresh, which would drift otherwise.
        refresh_every: usize = 50,
        /// Iterations without a gain of a tenth after which the method gives up.
        patience: usize = 3000,
        /// The least and the largest spectral step.
        step_range: [f64; 2] = [1e-10, 1e10],
    }
}

tuning! {
    /// Accelerated projected gradient.
    Apgd {
        /// Iterations if the settings leave it to the method.
        iterations: usize = 20_000,
        /// Iterations between measurements of the residual.
        check_every: usize = 5,
        /// Iterations without a gain of a tenth after which the method gives up.
        patience: usize = 3000,
        /// What the step is divided by after each iteration.
        growth: f64 = 0.9,
    }
}

tuning! {
    /// Non-linear Gauss-Seidel.
    Nlgs {
        /// Sweeps if the settings leave it to the method.
        sweeps: usize = 20_000,
        /// Sweeps between checks. A check also computes velocities afresh, which would drift otherwise.
        check_every: usize = 10,
        /// Sweeps without a gain of a tenth after which the method gives up.
        patience: usize = 3000,
        /// Pairs that one thread takes at once.
        pairs_per_task: usize = 32,
    }
}

tuning! {
    /// Clarabel.
    Clarabel {
        /// Iterations of one conic program, if the settings leave it to the method.
        iterations: usize = 100,
        /// Least tolerance of the relative gap: below, it is a rounding error.
        least_gap: f64 = 1e-13,
        /// Least tolerance of the residuals.
        least_residual: f64 = 1e-8,
        /// Conic programs for one problem with Coulomb friction.
        rounds: usize = 500,
        /// Rounds without progress after which the fixed point is given up.
        patience: usize = 6,
    }
}

tuning! {
    /// Forces on bodies at rest with associated friction ([`Equilibrium`](crate::Equilibrium)).
    AtRest {
        /// Fraction of the mass that is kept in the matrix.
        mass_trace: f64 = 1e-7,
        /// First mus of solves without a guess, for each body, tried one after another: the more bodies lean on each other, the
        /// larger their forces are.
        cold_starts: [f64; 3] = [10.0, 0.1, 1e-3],
        /// The first mu of a solve from a guess, over the mean gap of the guess.
        warm_start: f64 = 0.3,
        /// As of time steps, which aim farther: whether that gains anything here was not measured.
        aim: [f64; 2] = [1.1, 0.1],
        /// Iterations without progress after which an attempt gives up.
        patience: usize = 25,
        /// Work of the loads, over what it would be at a solution, beyond which nothing balances them.
        falling_work: f64 = 1e8,
    }
}

tuning! {
    /// Forces on bodies at rest with Coulomb friction.
    AtRestCoulomb {
        /// How far towards the boundary of the cones a step goes.
        fraction_to_boundary: f64 = 0.95,
        /// Where |z_t| is rounded off, over r.z, squared.
        rounding: f64 = 1e-2,
        /// r.z stays above this fraction of the residual of the joints' law.
        lag: f64 = 1e-3,
        /// The least fraction of r.z that a step aims at, of one attempt after the other.
        paces: [f64; 4] = [0.05, 0.0, 0.2, 0.1],
        /// Residual of an attempt above which another is not worth it.
        close: f64 = 0.02,
        /// Residual of an attempt below which another is not needed: its status tells whether it is what was asked.
        enough: f64 = 1e-8,
        /// Motion, over the offsets, up to which the residual of the joints' law is measured by it.
        wide_motion: f64 = 1e3,
        /// Motion, over the offsets, beyond which a solution is rejected: it has left the structure as it stood.
        farthest_motion: f64 = 1e7,
        /// Iterations without progress after which an attempt gives up.
        patience: usize = 25,
        /// Compliance that replaces none in the rows of rigid links; its effect vanishes as the iterations go on.
        link_compliance: f64 = 1e-8,
        /// Rows up to which the matrix is dense.
        dense_rows: usize = 240,
        /// What is added to the diagonal: it holds bodies that nothing else holds.
        diagonal_trace: f64 = 1e-12,
    }
}

tuning! {
    /// Bodies that creep to rest or away. Forces in the load of a body, motions in offsets.
    Creep {
        /// Error of what a step foresaw, over it, up to which the next is longer.
        foreseen: f64 = 0.05,
        /// The same up to which it is somewhat longer.
        fair: f64 = 0.2,
        /// The same from which the step is taken back.
        refused: f64 = 0.5,
        /// How much longer, somewhat longer and shorter.
        faster: f64 = 3.0,
        /// See there.
        somewhat_faster: f64 = 1.5,
        /// See there.
        slower: f64 = 0.3,
        /// Step that is taken whatever comes of it.
        shortest: f64 = 1e-5,
        /// Motion, over that of the start, from which it is asked whether it goes on.
        far: f64 = 10.0,
        /// How far back it is looked, as a ratio of times.
        looks_back: f64 = 3.0,
        /// Motion goes on where what is left of the loads falls more slowly than this power of time.
        fades: f64 = 0.4,
    }
}

tuning! {
    /// How work is cut into pieces. Sums depend on it, never on the number of threads.
    Machine {
        /// Vertices up to which a subgraph is numbered by minimum degree.
        leaf_vertices: usize = 24,
        /// Fraction of a subgraph that neither half may be smaller than.
        smallest_half: f64 = 0.3,
        /// Multiplications below which a subtree is not cut further.
        smallest_task: f64 = 4e5,
        /// Columns of an update that one thread computes at a time.
        stripe_columns: usize = 96,
        /// Elements below which a loop is not shared among threads.
        worth_sharing: usize = 1024,
        /// Elements of a piece of a loop.
        piece: usize = 256,
        /// Groups below which a sum over groups is not split.
        groups: usize = 48,
        /// Bundles below which a loop over bundles is not split.
        bundles: usize = 12,
    }
}
