//! Records of every format, made here, and those beside the project where they are.

use std::path::{Path, PathBuf};

use drystone_model::motion::{
    CompileSettings, G, Motion, MotionQuantity,
    record::{ReadSettings, Record, RecordMotion, RecordUnits},
};
use glam::DVec3;

use super::assert_close;
use crate::shared::shared;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

fn read(text: &str, file: &str) -> Record {
    Record::parse(text.as_bytes(), file, &ReadSettings::default()).unwrap()
}

#[test]
fn the_far_field_records_read_with_their_peaks() {
    let Some(folder) = shared("records/fema_p695_far_field") else {
        return;
    };
    let paths = files(&folder);
    assert_eq!(paths.len(), 44);
    for path in paths {
        let record = Record::read(&path, &ReadSettings::default()).unwrap();
        // An independent look at the file: the largest second column, and the time step of most rows.
        let text = std::fs::read_to_string(&path).unwrap();
        let rows: Vec<[f64; 2]> = text
            .lines()
            .map(|l| l.split_whitespace().map(|w| w.parse().unwrap()).collect::<Vec<f64>>())
            .map(|v| [v[0], v[1]])
            .collect();
        let peak = rows.iter().fold(0.0, |peak: f64, r| peak.max(r[1].abs()));
        assert_eq!(record.len(), rows.len());
        let report = &record.report()[0];
        assert_close(report.pga.unwrap(), peak * 9.81, 1e-12, "PGA");
        assert!((0.0025..=0.02).contains(&record.dt), "{}", record.dt);
        assert_close(
            record.duration(),
            rows[rows.len() - 1][0] - rows[0][0],
            1e-9,
            "duration",
        );
        // The strong part of these records lasts from a few seconds to under a minute.
        assert!(
            (2.0..60.0).contains(&report.significant_duration.unwrap()),
            "{report:?}"
        );
        assert!((0.1..3.0).contains(&report.pgv), "{report:?}");
        println!(
            "{} dt {} s, {:.2} s: PGA {:.3} g, PGV {:.3} m/s, PGD {:.3} m, Arias {:.2} m/s",
            path.file_name().unwrap().to_string_lossy(),
            record.dt,
            record.duration(),
            report.pga.unwrap() / G,
            report.pgv,
            report.pgd,
            report.arias.unwrap()
        );
    }
}

/// Two files write times of a step of 0.003 s that was rounded from 0.0025 s before it was multiplied. The set's own
/// tables give a peak velocity of 0.42 m/s for that record (Landers, Coolwater).
#[test]
fn a_time_step_that_is_given_is_believed() {
    let Some(folder) = shared("records/fema_p695_far_field") else {
        return;
    };
    let settings = ReadSettings {
        dt: Some(0.0025),
        ..ReadSettings::default()
    };
    let record = Record::read(&folder.join("120922.txt"), &settings).unwrap();
    assert_close(record.report()[0].pgv, 0.42, 0.005, "PGV");
}

#[test]
fn the_peer_records_read_with_their_peaks_and_move_a_support() {
    let Some(folder) = shared("records/peer_at2") else {
        return;
    };
    let paths = files(&folder);
    assert_eq!(paths.len(), 4);
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let values: Vec<f64> = text
            .lines()
            .skip(4)
            .flat_map(str::split_whitespace)
            .map(|w| w.parse().unwrap())
            .collect();
        let peak = values.iter().fold(0.0, |peak: f64, v| peak.max(v.abs()));
        let record = Record::read(&path, &ReadSettings::default()).unwrap();
        assert_eq!((record.len(), record.dt), (values.len(), 0.005));
        assert!(record.title.starts_with("Loma Prieta"), "{}", record.title);
        let report = &record.report()[0];
        assert_close(report.pga.unwrap(), peak * 9.81, 1e-12, "PGA");

        let motion = RecordMotion {
            direction: Some(DVec3::new(0.0, -2.0, 0.0)),
            pga: Some(0.3 * G),
            ..RecordMotion::new(path.file_name().unwrap().to_string_lossy())
        };
        let settings = CompileSettings {
            folder: folder.clone(),
            ..CompileSettings::default()
        };
        let trajectory = Motion::Record(motion).compile(&settings).unwrap();
        let at_points = (0..values.len() - 1).map(|k| trajectory.at(0.005 * k as f64).acceleration);
        let found: f64 = at_points.clone().fold(0.0, |peak, a| peak.max(a.length()));
        assert_close(found, 0.3 * G, 1e-10, "scaled peak");
        assert!(
            at_points
                .enumerate()
                .all(|(k, a)| (a.y + 0.3 * G * values[k] / peak).abs() < 1e-9 && a.x == 0.0)
        );
        assert_close(trajectory.end().unwrap(), record.duration(), 1e-9, "end");
        println!(
            "{} PGA {:.3} g, PGV {:.3} m/s, PGD {:.3} m",
            record.title, peak, report.pgv, report.pgd
        );
    }
}

#[test]
fn headers_of_every_vintage_read_alike() {
    let bodies = "  0.1000E+00 -.2000E+00  .3000E+00\n -.4000E+00\n";
    for (header, factor) in [
        (
            "PEER NGA\nQuake, Station, 0\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS=   4, DT=   .0050 SEC,",
            9.81,
        ),
        (
            "PACIFIC ENGINEERING\nQuake\nACCELERATION TIME HISTORY IN UNITS OF G. FILTER POINTS: HP=0.1 Hz\nNPTS= 4, DT= .00500 SEC",
            9.81,
        ),
        (
            "a\nQuake\nacceleration time series in units of g\n   4   .005   NPTS, DT",
            9.81,
        ),
        (
            "a\nQuake\nACCELERATION TIME SERIES IN UNITS OF CM/SEC/SEC\nNPTS: 4 DT: 0.005",
            0.01,
        ),
        (
            "a\nQuake\nACCELERATION TIME SERIES IN UNITS OF cm/s^2\nNPTS=4,DT=0.5E-2",
            0.01,
        ),
        (
            "a\nQuake\nACCELERATION TIME SERIES IN UNITS OF M/S2\nNPTS=4\nDT=5.D-3",
            1.0,
        ),
        ("a\nQuake\nno units\nNPTS= 4, DT= .005SEC", 9.81),
        ("17:04 PDT 1989\nQuake\nno units\nDT= .005 SEC NPTS=4", 9.81),
    ] {
        let record = read(&format!("{header}\n{bodies}"), "x.AT2");
        assert_eq!(
            (record.quantity, record.dt, record.len()),
            (MotionQuantity::Acceleration, 0.005, 4),
            "{header}"
        );
        let expected = [0.1, -0.2, 0.3, -0.4].map(|v| v * factor);
        assert_eq!(record.components[0].values, expected, "{header}");
        assert!(record.title.starts_with("Quake"));
    }
}

#[test]
fn a_time_step_that_the_header_lacks_can_be_given() {
    let settings = ReadSettings {
        dt: Some(0.02),
        ..ReadSettings::default()
    };
    let record = Record::parse(b"a\nb\nIN UNITS OF G\nNPTS= 3\n0.1 0.2\n0.3\n", "x.AT2", &settings).unwrap();
    assert_eq!((record.dt, record.len()), (0.02, 3));
}

#[test]
fn peer_files_of_velocity_and_displacement_are_in_cm() {
    let velocity = read(
        "a\nb\nVELOCITY TIME SERIES IN UNITS OF CM/S\nNPTS= 2, DT= .01 SEC\n1.0 2.0\n",
        "x.VT2",
    );
    assert_eq!(
        (velocity.quantity, &velocity.components[0].values[..]),
        (MotionQuantity::Velocity, &[0.01, 0.02][..])
    );
    let displacement = read("a\nb\nc\nNPTS= 2, DT= .01 SEC\n1.0 2.0\n", "x.DT2");
    assert_eq!(displacement.quantity, MotionQuantity::Displacement);
    assert_eq!(displacement.components[0].values, [0.01, 0.02]);
}

/// Fortran fills its columns to the last place, so that signs are all that separates two values.
#[test]
fn values_that_run_together_are_told_apart() {
    let record = read(
        "a\nb\nIN UNITS OF M/S2\nNPTS= 4, DT= .01\n-.1000E-02-.2000E+01 0.1D+01\n-1.5\n",
        "x.AT2",
    );
    assert_eq!(record.components[0].values, [-0.001, -2.0, 1.0, -1.5]);
}

#[test]
fn columns_are_told_by_their_names() {
    for (header, quantity, factors) in [
        ("time_s,acc_g", MotionQuantity::Acceleration, vec![(DVec3::X, 9.81)]),
        ("# t acc_m/s2", MotionQuantity::Acceleration, vec![(DVec3::X, 1.0)]),
        (
            "Time (s);Acceleration Z (cm/s^2)",
            MotionQuantity::Acceleration,
            vec![(DVec3::Z, 0.01)],
        ),
        (
            "time,ax [m/s²],ay [m/s²],az [m/s²]",
            MotionQuantity::Acceleration,
            vec![(DVec3::X, 1.0), (DVec3::Y, 1.0), (DVec3::Z, 1.0)],
        ),
        (
            "t,z_gal,x_gal",
            MotionQuantity::Acceleration,
            vec![(DVec3::Z, 0.01), (DVec3::X, 0.01)],
        ),
        (
            "t,NS (gal),EW (gal),UD (gal)",
            MotionQuantity::Acceleration,
            vec![(DVec3::Y, 0.01), (DVec3::X, 0.01), (DVec3::Z, 0.01)],
        ),
        (
            "Seconds,velocity_cm/s",
            MotionQuantity::Velocity,
            vec![(DVec3::X, 0.01)],
        ),
        ("time,disp_y_mm", MotionQuantity::Displacement, vec![(DVec3::Y, 0.001)]),
        ("time,acc_m_s2", MotionQuantity::Acceleration, vec![(DVec3::X, 1.0)]),
        ("time,signal", MotionQuantity::Acceleration, vec![(DVec3::X, 9.81)]),
    ] {
        let columns = factors.len();
        let row = |t: &str, scale: f64| {
            let values: Vec<String> = (0..columns).map(|k| format!("{}", scale * (k + 1) as f64)).collect();
            format!("{t},{}\n", values.join(","))
        };
        let text = format!("{header}\n{}{}{}", row("0", 0.0), row("0.01", 1.0), row("0.02", -0.5));
        let record = read(&text, "x.csv");
        assert_eq!(
            (record.quantity, record.dt, record.components.len()),
            (quantity, 0.01, columns),
            "{header}"
        );
        for (k, (direction, factor)) in factors.into_iter().enumerate() {
            let component = &record.components[k];
            assert_eq!(component.direction, direction, "{header}");
            assert_close(component.values[1], factor * (k + 1) as f64, 1e-12, header);
        }
    }
}

#[test]
fn of_several_quantities_accelerations_are_taken_or_what_is_asked_for() {
    let text = "t,acc_g,vel_m/s,disp_m\n0,0,0,0\n0.1,1,2,3\n";
    assert_eq!(read(text, "x.csv").components[0].values, [0.0, 9.81]);
    let with = |settings: ReadSettings| Record::parse(text.as_bytes(), "x.csv", &settings).unwrap();
    let velocity = with(ReadSettings {
        quantity: Some(MotionQuantity::Velocity),
        ..ReadSettings::default()
    });
    assert_eq!(
        (velocity.quantity, &velocity.components[0].values[..]),
        (MotionQuantity::Velocity, &[0.0, 2.0][..])
    );
    let column = with(ReadSettings {
        column: Some("disp_m".to_owned()),
        ..ReadSettings::default()
    });
    assert_eq!(
        (column.quantity, &column.components[0].values[..]),
        (MotionQuantity::Displacement, &[0.0, 3.0][..])
    );
}

#[test]
fn numbers_without_a_header_are_a_time_and_components() {
    let three = read("0 1 2 3\n0.5 0 0 0\n", "x.txt");
    assert_eq!(
        three.components.iter().map(|c| c.direction).collect::<Vec<_>>(),
        [DVec3::X, DVec3::Y, DVec3::Z]
    );
    let settings = ReadSettings {
        dt: Some(0.02),
        units: Some(RecordUnits::Gal),
        ..ReadSettings::default()
    };
    let one = Record::parse(b"# Station 7\n100\n-200\n", "x.txt", &settings).unwrap();
    assert_eq!((one.dt, &one.components[0].values[..]), (0.02, &[1.0, -2.0][..]));
}

#[test]
fn a_title_above_the_numbers_is_no_header() {
    for title in ["Station A", "Kobe g", "El Centro, 1940, NS component"] {
        let record = read(&format!("{title}\n0 0.1\n0.5 0.2\n"), "x.txt");
        assert_eq!(
            (record.dt, record.components[0].values[1]),
            (0.5, 0.2 * 9.81),
            "{title}"
        );
        assert_eq!(record.title, title);
    }
    let numbered = Record::parse(b"index,acc_g\n0,0.1\n1,0.2\n", "x.csv", &ReadSettings::default()).unwrap_err();
    assert_eq!(
        numbered.to_string(),
        "x.csv: there is no column of times; give the time step with dt="
    );
}

/// Times written with three decimals make 0.0025 s look like 0.002 and 0.003 in turn.
#[test]
fn the_time_step_comes_from_the_whole_column() {
    for (dt, decimals) in [
        (0.0025, 3),
        (0.005, 3),
        (0.02, 2),
        (1.0 / 128.0, 4),
        (0.003_333_333_333, 5),
        (0.01, 6),
    ] {
        let rows: String = (0..4001)
            .map(|k| format!("{:.decimals$} {}\n", f64::from(k) * dt, k % 2))
            .collect();
        let found = read(&rows, "x.txt").dt;
        let open = 10f64.powi(-(decimals as i32)) / 4000.0;
        assert!((found - dt).abs() <= open, "{found} for {dt}");
        let round = [0.0025, 0.005, 0.02, 0.01].contains(&dt);
        assert!(!round || found == dt, "{found} for {dt}");
    }
    let exponents: String = (0..2000)
        .map(|k| format!("{:.3e} 0.1\n", f64::from(k) * 0.005))
        .collect();
    assert_eq!(read(&exponents, "x.txt").dt, 0.005);
    let shortest: String = (0..500).map(|k| format!("{} 0.1\n", f64::from(k) * 0.005)).collect();
    assert_eq!(read(&shortest, "x.txt").dt, 0.005);
    assert_eq!(read("time_ms acc_g\n0 0\n5 0\n10 0\n", "x.txt").dt, 0.005);
}

#[test]
fn a_record_starts_when_it_is_told_and_ends_without_acceleration() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "0 1\n1 1\n2 1\n").unwrap();
    let record = RecordMotion {
        start: 3.0,
        units: Some(RecordUnits::MetrePerSecond2),
        direction: Some(DVec3::Z),
        scale: 2.0,
        ..RecordMotion::new("a.txt")
    };
    let settings = CompileSettings {
        folder: folder.path().to_owned(),
        ..CompileSettings::default()
    };
    let trajectory = Motion::Record(record).compile(&settings).unwrap();
    assert_eq!(trajectory.at(2.9).velocity, DVec3::ZERO);
    assert_eq!(trajectory.at(4.0).velocity, DVec3::Z * 2.0);
    let after = trajectory.at(6.0);
    assert_eq!(
        (after.acceleration, after.velocity, after.displacement),
        (DVec3::ZERO, DVec3::Z * 4.0, DVec3::Z * 8.0)
    );
}
