//! Incremental dynamic analysis: each record is scaled up until the structure collapses.
//!
//! Two results: the lognormal distribution of the intensity at collapse, from capacities that may be known within bounds
//! only; and fractiles over the records of the curves of demand against intensity (Vamvatsikos and Cornell 2002).

use serde::{Deserialize, Serialize};

use super::{
    error::InputError,
    extended,
    fit::{self, Fit, FitOutcome, Information},
    likelihood::{Known, Observation},
    percentile,
};

/// The fractions that are customary for curves over records.
pub const FRACTIONS: [f64; 3] = [0.16, 0.5, 0.84];

/// The intensity at which a record makes the structure collapse.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capacity {
    /// It is known.
    Collapses {
        /// The intensity, positive.
        at: f64,
    },
    /// It lies between two intensities that were run.
    Between {
        /// Highest intensity withstood; 0 if the lowest one run made the structure collapse.
        stands: f64,
        /// Lowest intensity that made the structure collapse.
        falls: f64,
    },
    /// It lies above every intensity that was run (censored).
    Above {
        /// Highest intensity withstood.
        stands: f64,
    },
}

/// Fits a lognormal distribution of capacity by maximum likelihood, with censoring. Standard errors come from the observed
/// information. The log-likelihood is that of ln(capacity): the density of a known capacity counts per unit of ln.
#[must_use]
pub fn fit(capacities: &[Capacity]) -> Fit {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let mut observations = Vec::with_capacity(capacities.len());
    for (index, capacity) in capacities.iter().enumerate() {
        let capacity = match *capacity {
            Capacity::Collapses { at } if positive(at) => Known::Exactly(at),
            Capacity::Between { stands, falls } if stands == 0.0 && positive(falls) => Known::AtMost(falls),
            Capacity::Between { stands, falls } if positive(stands) && positive(falls) && stands < falls => {
                Known::Between(stands, falls)
            }
            Capacity::Above { stands } if positive(stands) => Known::MoreThan(stands),
            _ => return Fit::none(FitOutcome::Invalid { index }),
        };
        observations.push(Observation { weight: 1.0, capacity });
    }
    fit::fit(&observations, Information::Observed, 0.0)
}

/// The curve of one record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Pairs of intensity and demand of runs that stood, in any order, both finite and not negative. The curve is linear
    /// between them and starts at (0, 0), unless there is a point of intensity 0.
    pub points: Vec<[f64; 2]>,
    /// Lowest intensity that made the structure collapse, if any did. From there on demand is infinite, and points are
    /// disregarded; between the last point and there the curve keeps the last demand.
    pub collapse: Option<f64>,
}

/// Fractiles of demand at one intensity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DemandPoint {
    /// The intensity.
    pub intensity: f64,
    /// One fractile for each fraction over the records whose demand is known, collapse counting as infinite; empty if
    /// none is.
    #[serde(serialize_with = "extended::serialize")]
    pub demand: Vec<f64>,
    /// Records that collapsed.
    pub collapsed: usize,
    /// Records that stood in all their runs, which end below this intensity: left out.
    pub unknown: usize,
}

/// Fractiles of intensity at one demand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IntensityPoint {
    /// The demand.
    pub demand: f64,
    /// One fractile for each fraction of the lowest intensity that causes this demand; infinite where it falls among the
    /// unreached records, empty if there are no records.
    #[serde(serialize_with = "extended::serialize")]
    pub intensity: Vec<f64>,
    /// Records that reach this demand by collapse only: their intensity is that of collapse.
    pub collapsed: usize,
    /// Records that neither reach this demand nor collapse: their intensity counts as infinite.
    pub unreached: usize,
}

/// The demand of one record at an intensity.
enum Demand {
    Known(f64),
    Collapsed,
    Unknown,
}

/// Fractiles over the records of the demand at each of `intensities`.
pub fn demand_fractiles(
    records: &[Record],
    intensities: &[f64],
    fractions: &[f64],
) -> Result<Vec<DemandPoint>, InputError> {
    percentile::check(fractions)?;
    if let Some(index) = intensities.iter().position(|x| !(*x > 0.0 && x.is_finite())) {
        return Err(InputError::Intensity {
            index,
            value: intensities[index],
        });
    }
    let curves = curves(records)?;
    let point = |&intensity: &f64| {
        let (mut sample, mut collapsed, mut unknown) = (Vec::with_capacity(curves.len()), 0, 0);
        for curve in &curves {
            match curve.demand(intensity) {
                Demand::Known(demand) => sample.push(demand),
                Demand::Collapsed => {
                    collapsed += 1;
                    sample.push(f64::INFINITY);
                }
                Demand::Unknown => unknown += 1,
            }
        }
        DemandPoint {
            intensity,
            demand: percentile::of(sample, fractions),
            collapsed,
            unknown,
        }
    };
    Ok(intensities.iter().map(point).collect())
}

/// Fractiles over the records of the lowest intensity that causes each of `demands`. A NaN is never caused.
pub fn intensity_fractiles(
    records: &[Record],
    demands: &[f64],
    fractions: &[f64],
) -> Result<Vec<IntensityPoint>, InputError> {
    percentile::check(fractions)?;
    let curves = curves(records)?;
    let point = |&demand: &f64| {
        let (mut sample, mut collapsed, mut unreached) = (Vec::with_capacity(curves.len()), 0, 0);
        for curve in &curves {
            let intensity = curve.intensity(demand);
            collapsed += usize::from(intensity.is_none() && curve.collapse.is_some());
            unreached += usize::from(intensity.is_none() && curve.collapse.is_none());
            sample.push(intensity.or(curve.collapse).unwrap_or(f64::INFINITY));
        }
        IntensityPoint {
            demand,
            intensity: percentile::of(sample, fractions),
            collapsed,
            unreached,
        }
    };
    Ok(demands.iter().map(point).collect())
}

/// A record's points in ascending order of intensity, from intensity 0, below collapse.
struct Curve {
    points: Vec<[f64; 2]>,
    collapse: Option<f64>,
}

fn curves(records: &[Record]) -> Result<Vec<Curve>, InputError> {
    records
        .iter()
        .enumerate()
        .map(|(index, record)| Curve::of(index, record))
        .collect()
}

impl Curve {
    fn of(index: usize, record: &Record) -> Result<Self, InputError> {
        let refuse = |reason: String| Err(InputError::Record { record: index, reason });
        if let Some([x, demand]) = record
            .points
            .iter()
            .find(|point| !point.iter().all(|c| *c >= 0.0 && c.is_finite()))
        {
            return refuse(format!(
                "demand {demand} at intensity {x}; both must be finite and not negative. Enter a collapse as such"
            ));
        }
        if let Some(x) = record.collapse.filter(|x| !(*x > 0.0 && x.is_finite())) {
            return refuse(format!(
                "collapse at intensity {x}; intensities must be positive and finite"
            ));
        }
        let mut points = record.points.clone();
        points.retain(|point| record.collapse.is_none_or(|collapse| point[0] < collapse));
        points.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
        if points.first().is_none_or(|point| point[0] > 0.0) {
            points.insert(0, [0.0, 0.0]);
        }
        Ok(Self {
            points,
            collapse: record.collapse,
        })
    }

    fn demand(&self, intensity: f64) -> Demand {
        if self.collapse.is_some_and(|collapse| intensity >= collapse) {
            return Demand::Collapsed;
        }
        let after = self.points.partition_point(|point| point[0] <= intensity);
        match (
            after.checked_sub(1).map(|before| self.points[before]),
            self.points.get(after),
        ) {
            (Some([x, y]), Some([x1, y1])) => Demand::Known(y + (y1 - y) * ((intensity - x) / (x1 - x))),
            (Some([x, y]), None) if self.collapse.is_some() || intensity == x => Demand::Known(y),
            _ => Demand::Unknown,
        }
    }

    /// The lowest intensity at which the curve reaches a demand.
    fn intensity(&self, demand: f64) -> Option<f64> {
        let after = self.points.iter().position(|point| point[1] >= demand)?;
        let [x1, y1] = self.points[after];
        Some(match after.checked_sub(1).map(|before| self.points[before]) {
            Some([x, y]) => x + (x1 - x) * ((demand - y) / (y1 - y)),
            None => x1,
        })
    }
}
