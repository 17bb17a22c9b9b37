//! Functions of time made of pieces, each with closed integrals and derivatives.

use std::f64::consts::PI;

/// One piece of a curve, as a function of the time `s` since the piece starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// `sum of c[k] s^k`
    Polynomial([f64; 6]),
    /// `offset + amplitude sin(omega s + phase)`
    Sine {
        amplitude: f64,
        omega: f64,
        phase: f64,
        offset: f64,
    },
    /// `offset + amplitude (1 - 2 k x^2) exp(-k x^2)` with `x = s - centre`
    Ricker {
        amplitude: f64,
        k: f64,
        centre: f64,
        offset: f64,
    },
}

/// A function, its first two derivatives and its first two integrals at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Jet {
    pub(super) value: f64,
    pub(super) first: f64,
    pub(super) second: f64,
    pub(super) integral: f64,
    pub(super) double_integral: f64,
}

impl Shape {
    pub(super) const ZERO: Self = Self::constant(0.0);

    pub(super) const fn constant(value: f64) -> Self {
        Self::Polynomial([value, 0.0, 0.0, 0.0, 0.0, 0.0])
    }

    pub(super) const fn linear(value: f64, slope: f64) -> Self {
        Self::Polynomial([value, slope, 0.0, 0.0, 0.0, 0.0])
    }

    /// From `from` to `to` over `duration`, without a jump of the first two derivatives.
    pub(super) fn smooth_step(from: f64, to: f64, duration: f64) -> Self {
        let (rise, t3) = (to - from, duration.powi(3));
        let (c4, c5) = (t3 * duration, t3 * duration * duration);
        Self::Polynomial([from, 0.0, 0.0, 10.0 * rise / t3, -15.0 * rise / c4, 6.0 * rise / c5])
    }

    /// A Ricker wavelet with its peak at `centre`.
    pub(super) fn ricker(amplitude: f64, frequency: f64, centre: f64, offset: f64) -> Self {
        let k = (PI * frequency).powi(2);
        Self::Ricker {
            amplitude,
            k,
            centre,
            offset,
        }
    }

    /// The jet at `s`, with both integrals from the start of the piece.
    pub(super) fn jet(&self, s: f64) -> Jet {
        match *self {
            Self::Polynomial(c) => polynomial(&c, s),
            Self::Sine {
                amplitude,
                omega,
                phase,
                offset,
            } => {
                let (sin, cos) = (omega * s + phase).sin_cos();
                let (sin_0, cos_0) = phase.sin_cos();
                // cos(phase) - cos(omega s + phase), without the cancellation.
                let drop = 2.0 * (phase + 0.5 * omega * s).sin() * (0.5 * omega * s).sin();
                Jet {
                    value: offset + amplitude * sin,
                    first: amplitude * omega * cos,
                    second: -amplitude * omega * omega * sin,
                    integral: offset * s + amplitude / omega * drop,
                    double_integral: 0.5 * offset * s * s + amplitude / omega * (s * cos_0 - (sin - sin_0) / omega),
                }
            }
            Self::Ricker {
                amplitude,
                k,
                centre,
                offset,
            } => {
                let (x, x_0) = (s - centre, -centre);
                let (y, bell, bell_0) = (k * x * x, (-k * x * x).exp(), (-k * x_0 * x_0).exp());
                let velocity_0 = x_0 * bell_0;
                Jet {
                    value: offset + amplitude * (1.0 - 2.0 * y) * bell,
                    first: amplitude * k * x * (4.0 * y - 6.0) * bell,
                    second: amplitude * k * (-6.0 + 24.0 * y - 8.0 * y * y) * bell,
                    integral: offset * s + amplitude * (x * bell - velocity_0),
                    double_integral: 0.5 * offset * s * s + amplitude * ((bell_0 - bell) / (2.0 * k) - velocity_0 * s),
                }
            }
        }
    }
}

fn polynomial(c: &[f64; 6], s: f64) -> Jet {
    let mut jet = Jet::default();
    for k in (0..c.len()).rev() {
        let n = k as f64;
        jet.value = jet.value * s + c[k];
        jet.integral = jet.integral * s + c[k] / (n + 1.0);
        jet.double_integral = jet.double_integral * s + c[k] / ((n + 1.0) * (n + 2.0));
        if k >= 1 {
            jet.first = jet.first * s + n * c[k];
        }
        if k >= 2 {
            jet.second = jet.second * s + n * (n - 1.0) * c[k];
        }
    }
    jet.integral *= s;
    jet.double_integral *= s * s;
    jet
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    start: f64,
    shape: Shape,
    /// Both integrals up to the start of the piece.
    integral: f64,
    double_integral: f64,
}

impl Piece {
    fn jet(&self, t: f64) -> Jet {
        let s = t - self.start;
        let mut jet = self.shape.jet(s);
        jet.double_integral += self.double_integral + self.integral * s;
        jet.integral += self.integral;
        jet
    }
}

/// A function of time: zero before its first piece, and its last piece for ever after. At the start of a piece it has
/// the value of that piece.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Curve {
    pieces: Vec<Piece>,
}

impl Curve {
    /// A curve of pieces with their starts, in order.
    pub(super) fn new(pieces: impl IntoIterator<Item = (f64, Shape)>) -> Self {
        let mut curve = Self::default();
        for (start, shape) in pieces {
            let before = curve.pieces.last().map(|p| p.jet(start)).unwrap_or_default();
            curve.pieces.push(Piece {
                start,
                shape,
                integral: before.integral,
                double_integral: before.double_integral,
            });
        }
        curve
    }

    /// Linear between points, from time zero on, `before` up to the first point and `after` behind the last.
    pub(super) fn through(times: &[f64], value: impl Fn(usize) -> f64, before: Shape, after: Shape) -> Self {
        let mut pieces = Vec::with_capacity(times.len() + 1);
        if times.first().is_some_and(|&t| t > 0.0) {
            pieces.push((0.0, before));
        }
        for k in 1..times.len() {
            let (from, to) = (times[k - 1], times[k]);
            let slope = (value(k) - value(k - 1)) / (to - from);
            if to > 0.0 {
                let start = from.max(0.0);
                pieces.push((start, Shape::linear(value(k - 1) + slope * (start - from), slope)));
            }
        }
        if let Some(&end) = times.last() {
            pieces.push((end.max(0.0), after));
        }
        Self::new(pieces)
    }

    pub(super) fn jet(&self, t: f64) -> Jet {
        let k = self.pieces.partition_point(|p| p.start <= t);
        match k.checked_sub(1) {
            Some(k) => self.pieces[k].jet(t),
            None => Jet::default(),
        }
    }

    /// The highest frequency of its sines and wavelets (Hz); zero where there is none.
    pub(super) fn highest_frequency(&self) -> f64 {
        let frequency = |piece: &Piece| match piece.shape {
            Shape::Polynomial(_) => 0.0,
            Shape::Sine { omega, .. } => omega / (2.0 * PI),
            Shape::Ricker { k, .. } => k.sqrt() / PI,
        };
        self.pieces.iter().map(frequency).fold(0.0, f64::max)
    }

    /// When the last piece starts, if that piece is a constant: the curve changes no more after it.
    pub(super) fn end(&self) -> Option<f64> {
        let last = self.pieces.last()?;
        let constant = matches!(last.shape, Shape::Polynomial([_, b, c, d, e, f]) if [b, c, d, e, f] == [0.0; 5]);
        constant.then_some(last.start)
    }
}
