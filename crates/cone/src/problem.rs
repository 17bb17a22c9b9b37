//! The problem as its users state it: bodies, contacts and links in world axes and SI units.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// A rigid velocity: that of a body's centre, and its rotation, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the centre (unit: m/s).
    pub linear: DVec3,
    /// Angular velocity (unit: rad/s).
    pub angular: DVec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Self = Self {
        linear: DVec3::ZERO,
        angular: DVec3::ZERO,
    };

    /// Velocity of the point of the body that lies at `arm` from its centre.
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }

    /// Linear part, then angular part.
    pub fn to_array(self) -> [f64; 6] {
        let (l, a) = (self.linear, self.angular);
        [l.x, l.y, l.z, a.x, a.y, a.z]
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

/// What moves a body.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all bodies are free")]
pub enum BodyMotion {
    /// Impulses move it.
    Free {
        /// Symmetric positive definite mass matrix H: rows and columns 0 to 2 for the velocity of the centre (unit: kg),
        /// 3 to 5 for the angular velocity (unit: kg m2), in world axes.
        mass: [[f64; 6]; 6],
        /// Velocity at the end of the step if nothing touched it.
        free_velocity: Twist,
        /// Velocity at the start of the step. Only restitution asks for it.
        velocity_before: Twist,
    },
    /// It moves as prescribed, whatever touches it; a fixed body has velocity zero.
    Driven {
        /// Velocity over the step.
        velocity: Twist,
    },
}

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// The point that its linear velocity and its mass matrix are about: the centre of mass (unit: m).
    pub center: DVec3,
    /// Free, or driven.
    pub motion: BodyMotion,
}

impl Body {
    /// A free body, with its inertia about its centre in world axes. `velocity_before` is taken to be `free_velocity`.
    pub fn free(center: DVec3, mass: f64, inertia: DMat3, free_velocity: Twist) -> Self {
        let mut h = [[0.0; 6]; 6];
        for i in 0..3 {
            h[i][i] = mass;
            for j in 0..3 {
                h[3 + i][3 + j] = inertia.col(j)[i];
            }
        }
        let motion = BodyMotion::Free {
            mass: h,
            free_velocity,
            velocity_before: free_velocity,
        };
        Self { center, motion }
    }

    /// A body that moves as prescribed.
    pub fn driven(center: DVec3, velocity: Twist) -> Self {
        Self {
            center,
            motion: BodyMotion::Driven { velocity },
        }
    }

    /// A body that does not move.
    pub fn fixed() -> Self {
        Self::driven(DVec3::ZERO, Twist::ZERO)
    }

    /// What errors of a free body's velocity are measured by beside the change that contacts cause: the speed that it is
    /// given within the step, by its mass, and the speed of a tenth of its radius of gyration in a step. Zero where it is
    /// driven.
    pub(crate) fn given_speeds(&self, dt: f64) -> [f64; 2] {
        let BodyMotion::Free {
            mass,
            free_velocity,
            velocity_before,
        } = &self.motion
        else {
            return [0.0; 2];
        };
        let m = (mass[0][0] + mass[1][1] + mass[2][2]) / 3.0;
        let gyration = ((mass[3][3] + mass[4][4] + mass[5][5]) / (3.0 * m)).sqrt();
        let (after, before) = (free_velocity.to_array(), velocity_before.to_array());
        let change: [f64; 6] = std::array::from_fn(|k| after[k] - before[k]);
        let product = |row: &[f64; 6]| row.iter().zip(change).map(|(a, b)| a * b).sum::<f64>();
        let energy: f64 = mass.iter().zip(change).map(|(row, x)| x * product(row)).sum();
        [(energy.max(0.0) / m).sqrt(), 0.1 * gyration / dt]
    }

    /// Velocity at the start of the step; that of a driven body is the same throughout.
    pub fn velocity_before(&self) -> Twist {
        match self.motion {
            BodyMotion::Free { velocity_before, .. } => velocity_before,
            BodyMotion::Driven { velocity } => velocity,
        }
    }
}

/// A point where two bodies may touch.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// The bodies, by index; positive normal impulse pushes the second along the normal.
    pub bodies: [u32; 2],
    /// Where (unit: m): the mid-point between the two nearest points, so that impulses are self-equilibrated.
    pub point: DVec3,
    /// Unit normal from the first body to the second.
    pub normal: DVec3,
    /// Distance along the normal, positive apart (unit: m).
    pub gap: f64,
    /// Friction coefficient; zero for a frictionless contact.
    pub friction: f64,
    /// Newton's coefficient of restitution, from 0 to 1. It acts where the bodies touch and approach each other.
    pub restitution: f64,
    /// Velocity that the joint yields for a unit impulse, along the normal and across it (unit: m/s per N s). For a joint
    /// of stiffness k (N/m) over a step dt it is `1 / (k dt^2)`; zero for a rigid one.
    pub compliance: [f64; 2],
    /// Elastic slip at the start of the step (unit: m): what [`Solution::elastic_slip`](crate::Solution::elastic_slip)
    /// gave at the end of the last. A joint with tangential compliance that forgets it creeps under a steady force.
    pub slip: DVec3,
    /// Impulse to start from, on the second body (unit: N s): that of the last step, or zero. It changes how long the
    /// solution takes, not what it is.
    pub guess: DVec3,
    /// Speed of sliding to start from with Coulomb friction (unit: m/s): that of the last step, or zero.
    pub sliding: f64,
    /// Relative velocity that deformation alone gives it at the end of the step if nothing touched the bodies (unit: m/s),
    /// beyond that of their rigid motions; zero where both are rigid.
    pub free_deformation: DVec3,
}

impl Contact {
    /// A rigid contact without restitution.
    pub fn new(bodies: [u32; 2], point: DVec3, normal: DVec3, gap: f64, friction: f64) -> Self {
        Self {
            bodies,
            point,
            normal,
            gap,
            friction,
            restitution: 0.0,
            compliance: [0.0; 2],
            slip: DVec3::ZERO,
            guess: DVec3::ZERO,
            sliding: 0.0,
            free_deformation: DVec3::ZERO,
        }
    }

    /// Two unit vectors across the normal that make a right-handed frame with it.
    pub fn tangents(&self) -> [DVec3; 2] {
        let n = self.normal;
        // The world axis that the normal is farthest from gives the best conditioned cross product.
        let a = n.abs();
        let axis = if a.x <= a.y && a.x <= a.z {
            DVec3::X
        } else if a.y <= a.z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let first = n.cross(axis).normalize();
        [first, n.cross(first)]
    }

    /// What is added to the relative velocity of the rigid motions before it enters the cone, (normal, tangent 1, tangent 2):
    /// the gap over the step, or the rebound that restitution asks for, the stored slip over the step, and what deformation
    /// gives by itself. The tangents are given.
    pub(crate) fn offset(&self, bodies: &[Body], dt: f64, [a, b]: &[DVec3; 2]) -> [f64; 3] {
        let across = self.slip / dt + self.free_deformation;
        let normal = self.normal_offset(bodies, dt) + self.normal.dot(self.free_deformation);
        [normal, across.dot(*a), across.dot(*b)]
    }

    /// The first of these: the gap over the step, or the rebound that restitution asks for (m/s).
    pub fn normal_offset(&self, bodies: &[Body], dt: f64) -> f64 {
        let mut normal = self.gap / dt;
        if self.restitution > 0.0 && self.gap <= 0.0 {
            let [first, second] = self.bodies.map(|b| &bodies[b as usize]);
            let at = |body: &Body| body.velocity_before().at(self.point - body.center);
            let approach = (at(second) - at(first)).dot(self.normal);
            // A penetration that must be undone faster than the rebound still is.
            normal = normal.min(self.restitution * approach.min(0.0));
        }
        normal
    }
}

/// Which way the impulse of a link may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Both ways: the link's velocity is zero.
    Rigid,
    /// Only along its wrench: the link's velocity is not negative. A tie rod that can slacken, or a frictionless stop.
    OneWay,
}

/// One scalar row: an impulse that acts on the second body as a wrench, and the opposite on the first.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The bodies, by index.
    pub bodies: [u32; 2],
    /// A point of the line of action (unit: m).
    pub point: DVec3,
    /// Force of a unit impulse on the second body.
    pub force: DVec3,
    /// Moment of a unit impulse on the second body about `point`.
    pub moment: DVec3,
    /// How far the link has yet to go before it acts, along its wrench (unit: m, or rad for a pure moment). For a tie
    /// rod, its slack; for a rigid link, the error to be undone.
    pub offset: f64,
    /// Velocity that it yields for a unit impulse (see [`Contact::compliance`]).
    pub compliance: f64,
    /// Both ways or one.
    pub kind: LinkKind,
    /// Impulse to start from.
    pub guess: f64,
    /// Velocity that deformation alone gives it along its wrench (see [`Contact::free_deformation`]).
    pub free_deformation: f64,
}

impl Link {
    /// A tie rod between a point of the first body and a point of the second: it pulls, and slackens rather than push.
    pub fn tie(bodies: [u32; 2], from: DVec3, to: DVec3, slack: f64) -> Self {
        Self {
            kind: LinkKind::OneWay,
            ..Self::rod(bodies, from, to, slack)
        }
    }

    /// A rigid rod between a point of the first body and a point of the second. `offset` is how much it is too short.
    pub fn rod(bodies: [u32; 2], from: DVec3, to: DVec3, offset: f64) -> Self {
        Self {
            bodies,
            point: from,
            force: (from - to).normalize_or_zero(),
            moment: DVec3::ZERO,
            offset,
            compliance: 0.0,
            kind: LinkKind::Rigid,
            guess: 0.0,
            free_deformation: 0.0,
        }
    }

    /// Three rods at a point that hold the two bodies together there: a ball joint.
    pub fn ball(bodies: [u32; 2], point: DVec3) -> [Self; 3] {
        [DVec3::X, DVec3::Y, DVec3::Z].map(|force| Self {
            force,
            ..Self::rod(bodies, point, point, 0.0)
        })
    }

    /// A pure moment about an axis: with three of them and a ball joint, two bodies are one.
    pub fn turn(bodies: [u32; 2], axis: DVec3) -> Self {
        Self {
            moment: axis,
            ..Self::rod(bodies, DVec3::ZERO, DVec3::ZERO, 0.0)
        }
    }
}

/// How a body deforms where it is touched. Its n degrees of freedom are six of rigid motion, which its [`Body`] has, and n - 6
/// of deformation, which are M-orthogonal to them and so enter by what they do at the contacts alone: with A the iteration
/// matrix of the deformation and H the interpolation from its nodes to the contacts, the matrix `H' A^-1 H`.
#[derive(Clone, Debug, Default)]
pub struct Deformation {
    /// The body.
    pub body: u32,
    /// Contacts and links that act on it, by index in rising order; links count on from the contacts. Others see its rigid
    /// motion alone.
    pub contacts: Vec<u32>,
    /// Velocity of the body's point at one of them for a unit impulse on the body at another, beyond the rigid motion, in world
    /// axes (unit: m/s per N s): a symmetric positive semidefinite matrix with three rows for each, by rows.
    pub compliance: Vec<f64>,
}

/// The problem of one step. Find velocities v and impulses r with
///
/// ```text
/// H (v - v_free) = D r,    u = D' v + offset / dt + E r,    r_i in K_i,  u_i (+ mu |u_t| n) in K_i*,  orthogonal
/// ```
///
/// where K_i is the Coulomb cone of contact i (a half-line or a line for a link), E the compliance of contacts and of
/// [deformation](Deformation), and the term in brackets that of [`Friction::Coulomb`](crate::Friction::Coulomb).
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Contacts.
    pub contacts: Vec<Contact>,
    /// Links.
    pub links: Vec<Link>,
    /// How bodies deform, each at most once; none where all are rigid.
    pub deformations: Vec<Deformation>,
    /// Length of the step (unit: s).
    pub dt: f64,
}

/// A problem whose bodies are already condensed: `u = W r + q` with an explicit Delassus matrix, as the collections of
/// contact problems hold them. Components of a contact are (normal, tangent 1, tangent 2).
#[derive(Clone, Debug, Default)]
pub struct DelassusProblem {
    /// Friction coefficient of each contact.
    pub friction: Vec<f64>,
    /// Free velocity of each contact.
    pub q: Vec<[f64; 3]>,
    /// Entries of W: row, column, value. Those of one place add up; the symmetric part is solved for.
    pub entries: Vec<(u32, u32, f64)>,
    /// Impulses to start from; empty, or one for each contact.
    pub guess: Vec<[f64; 3]>,
}

/// Why a problem cannot be stated: what is wrong, where, and what is allowed.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum ProblemError {
    /// It was told to stop while it was being solved.
    #[error("stopped")]
    Stopped,
    /// The step has no length.
    #[error("the time step is {0} s; it must be a positive number")]
    TimeStep(f64),
    /// A mass matrix is not one.
    #[error("body {body}: its mass matrix is not symmetric positive definite")]
    Mass {
        /// Index of the body.
        body: usize,
    },
    /// A number is not finite.
    #[error("{what} {index}: {field} is not a finite number")]
    NotFinite {
        /// `body`, `contact` or `link`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// Which of its numbers.
        field: &'static str,
    },
    /// An index points to no body.
    #[error("{what} {index} names body {body}, but there are {bodies}")]
    NoSuchBody {
        /// `contact` or `link`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The index that it names.
        body: u32,
        /// How many there are.
        bodies: usize,
    },
    /// A contact or link joins a body to itself.
    #[error("{what} {index} joins body {body} to itself")]
    SameBody {
        /// `contact` or `link`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The body.
        body: u32,
    },
    /// A value is out of its range.
    #[error("{what} {index}: {field} is {value}; it must be {allowed}")]
    OutOfRange {
        /// `contact` or `link`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// Which of its numbers.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// Lists that do not fit each other.
    #[error("{0}")]
    Shape(String),
}
