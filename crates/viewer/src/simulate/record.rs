//! What a record holds, told before anything is shaken by it: accelerogram, response spectrum, peaks, duration.

use drystone_model::motion::{
    G, MotionQuantity,
    record::{ReadSettings, Record, RecordReport},
};
use glam::DVec3;
use serde_json::{Value, json};

use crate::{
    protocol::{Recorded, Refusal},
    session::{Done, Session, uploaded},
};

/// Components of a motion at most: along three directions.
const MOST_COMPONENTS: usize = 3;
/// Points that an accelerogram is told by, at most; each stands for the extremes of a piece of it.
const POINTS: usize = 1200;
/// Periods of the spectrum, from the shortest to the longest (s), evenly on a scale of logarithms.
const PERIODS: (f64, f64, usize) = (0.02, 4.0, 60);
/// Damping of the spectrum, as a fraction of critical.
const DAMPING: f64 = 0.05;

/// The records that a page sends, scaled together so that the largest peak is the one asked for.
pub(super) fn records(asked: &[Recorded], pga: Option<f64>, scale: f64) -> Result<Vec<Record>, Refusal> {
    if asked.is_empty() || asked.len() > MOST_COMPONENTS {
        let what = format!(
            "a record has 1 to {MOST_COMPONENTS} components; {} were given",
            asked.len()
        );
        return Err(Refusal::new(what));
    }
    let mut records = asked.iter().map(read).collect::<Result<Vec<Record>, Refusal>>()?;
    let factor = match pga {
        None => scale,
        Some(pga) => {
            let peaks = records.iter().map(peak).collect::<Result<Vec<f64>, Refusal>>()?;
            let peak = peaks.into_iter().fold(0.0, f64::max);
            let factor = pga / peak;
            if !(factor.is_finite() && factor > 0.0) {
                let what = format!("a record whose peak is {peak} m/s² cannot be scaled to {pga} m/s²");
                return Err(Refusal::new(what));
            }
            factor
        }
    };
    records.iter_mut().for_each(|record| record.scale(factor));
    Ok(records)
}

fn read(asked: &Recorded) -> Result<Record, Refusal> {
    let files = uploaded(std::slice::from_ref(&asked.file))?;
    let (name, bytes) = files.first().ok_or_else(|| Refusal::new("the record has no file"))?;
    let mut record = Record::parse(bytes, name, &ReadSettings::default()).map_err(Refusal::new)?;
    if let Some(direction) = asked.direction {
        record.point(direction).map_err(Refusal::new)?;
    }
    Ok(record)
}

/// Peak acceleration (m/s²).
fn peak(record: &Record) -> Result<f64, Refusal> {
    let each = record.report().into_iter().map(|report| report.pga);
    let peak = each
        .flatten()
        .fold(None, |most: Option<f64>, a| Some(most.map_or(a, |m| m.max(a))));
    peak.ok_or_else(|| {
        Refusal::new(format!(
            "`{}` holds displacements, which have no peak acceleration",
            record.file
        ))
        .help("give a factor in place of a peak acceleration")
    })
}

pub(crate) fn record(session: &mut Session, id: u64, asked: &[Recorded], pga_g: Option<f64>) -> Done {
    if let Some(pga) = pga_g.filter(|pga| !(pga.is_finite() && *pga > 0.0)) {
        return Err(Refusal::new(format!("the peak acceleration is {pga} g; it must be above 0")).into());
    }
    let records = records(asked, pga_g.map(|pga| pga * G), 1.0)?;
    let (first, last, count) = PERIODS;
    let step = (last / first).ln() / (count - 1) as f64;
    let periods: Vec<f64> = (0..count).map(|k| first * (k as f64 * step).exp()).collect();
    let mut components = Vec::new();
    for record in &records {
        let spectra = match record.quantity {
            MotionQuantity::Displacement => vec![Vec::new(); record.components.len()],
            _ => record.spectrum(&periods, DAMPING).map_err(Refusal::new)?,
        };
        for ((component, report), spectrum) in record.components.iter().zip(record.report()).zip(spectra) {
            components.push(told(record, component.direction, &component.values, &report, &spectrum));
        }
    }
    let duration = records.iter().map(Record::duration).fold(0.0, f64::max);
    let fields = json!({
        "components": components,
        "periods_s": periods,
        "damping": DAMPING,
        "duration_s": duration,
    });
    Ok(session.out.answer(id, "record", fields)?)
}

fn told(record: &Record, direction: DVec3, values: &[f64], report: &RecordReport, spectrum: &[f64]) -> Value {
    let in_g = |a: f64| a / G;
    let unit = if record.quantity == MotionQuantity::Acceleration {
        G
    } else {
        1.0
    };
    let (times, values) = thinned(values, record.dt);
    json!({
        "file": record.file,
        "title": record.title,
        "name": report.name,
        "quantity": record.quantity.name(),
        "direction": direction,
        "points": report.points,
        "dt_s": report.dt,
        "duration_s": report.duration,
        "pga_g": report.pga.map(in_g),
        "pgv_m_s": report.pgv,
        "pgd_m": report.pgd,
        "arias_m_s": report.arias,
        "significant_duration_s": report.significant_duration,
        "times_s": times,
        "values": values.into_iter().map(|v| v / unit).collect::<Vec<f64>>(),
        "spectrum_g": spectrum.iter().map(|&a| in_g(a)).collect::<Vec<f64>>(),
    })
}

/// The least and the largest value of each piece of a history, in their order: no peak is lost.
fn thinned(values: &[f64], dt: f64) -> (Vec<f64>, Vec<f64>) {
    let piece = (2 * values.len()).div_ceil(POINTS).max(1);
    let mut kept: Vec<usize> = Vec::new();
    for start in (0..values.len()).step_by(piece) {
        let range = start..(start + piece).min(values.len());
        let by_value = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
        let least = range.clone().min_by(by_value).unwrap_or(start);
        let most = range.max_by(by_value).unwrap_or(start);
        kept.extend([least.min(most), least.max(most)]);
    }
    kept.dedup();
    let times = kept.iter().map(|&k| k as f64 * dt).collect();
    (times, kept.iter().map(|&k| values[k]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_history_keeps_its_peaks_and_its_order() {
        let values: Vec<f64> = (0..50_000)
            .map(|k| (0.01 * f64::from(k)).sin() * if k == 31_234 { 9.0 } else { 1.0 })
            .collect();
        let (times, thin) = thinned(&values, 0.005);
        assert!(times.len() <= POINTS + 2 && times.is_sorted(), "{}", times.len());
        let most = |list: &[f64]| list.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        assert_eq!(most(&values), most(&thin));
        let (times, short) = thinned(&values[..100], 0.5);
        assert_eq!((times.len(), &short[..]), (100, &values[..100]));
    }
}
