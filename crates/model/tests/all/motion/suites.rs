//! Folders of records.

use std::fs;

use drystone_model::motion::record::{ReadSettings, RecordUnits, Suite};

use super::assert_close;
use crate::shared::shared;

#[test]
fn a_folder_gives_its_records_by_name_and_names_what_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("b.csv", "time_s,acc_m/s2\n0,0\n0.1,2\n0.2,-1\n");
    write("a.TXT", "0 0\n0.01 0.1\n0.02 0\n");
    write("c.dat", "0 0\n0.01 0.1\n0.05 oops\n");
    write("d.at2", "no header here\n");
    for none in [
        "README.txt",
        "readme-first.csv",
        "notes.md",
        ".hidden.txt",
        "plot.png",
        "txt",
    ] {
        write(none, "not a record");
    }
    fs::create_dir(folder.path().join("older.txt")).unwrap();
    let suite = Suite::read(folder.path(), &ReadSettings::default()).unwrap();
    let names: Vec<&str> = suite.records.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a.TXT", "b.csv"]);
    let broken: Vec<String> = suite.broken.iter().map(ToString::to_string).collect();
    assert_eq!(broken.len(), 2, "{broken:?}");
    assert!(broken[0].contains("c.dat:3: `oops` is not a number"), "{broken:?}");
    assert!(broken[1].contains("d.at2: there is no NPTS="), "{broken:?}");
    let summaries = suite.summaries();
    assert_eq!((summaries[1].points, summaries[1].pga), (3, Some(2.0)));
    assert_close(summaries[1].duration, 0.2, 1e-15, "duration");
    assert_close(summaries[0].pga.unwrap(), 0.981, 1e-15, "0.1 g");
    // What is assumed about the files holds for each of them.
    let settings = ReadSettings {
        units: Some(RecordUnits::CentimetrePerSecond2),
        ..ReadSettings::default()
    };
    let suite = Suite::read(folder.path(), &settings).unwrap();
    assert_close(suite.summaries()[0].pga.unwrap(), 0.001, 1e-18, "0.1 cm/s²");
}

#[test]
fn a_folder_without_records_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: &std::path::Path| Suite::read(path, &ReadSettings::default()).unwrap_err().to_string();
    fs::write(folder.path().join("README.txt"), "nothing").unwrap();
    assert!(read(folder.path()).contains("there are no records in this folder"));
    assert!(read(&folder.path().join("absent")).contains("the folder cannot be read"));
}

/// FEMA P695 (2009), appendix A: 22 pairs of far-field records; table A-4C gives peak accelerations up to 0.82 g and
/// velocities up to 115 cm/s as recorded.
#[test]
fn the_suites_beside_the_project_read_without_broken_records() {
    for (folder, count) in [("records/fema_p695_far_field", 44), ("records/peer_at2", 4)] {
        let Some(folder) = shared(folder) else {
            continue;
        };
        let suite = Suite::read(&folder, &ReadSettings::default()).unwrap();
        assert_eq!((suite.records.len(), &suite.broken[..]), (count, &[][..]));
        assert!(suite.records.is_sorted_by(|a, b| a.0 < b.0));
        for record in suite.summaries() {
            let pga = record.pga.unwrap();
            assert!((0.5..9.0).contains(&pga), "{record:?}");
            assert!((0.05..1.5).contains(&record.pgv.unwrap()), "{record:?}");
            assert!(
                (2.0..60.0).contains(&record.significant_duration.unwrap()),
                "{record:?}"
            );
            assert!(record.arias.unwrap() > 0.05, "{record:?}");
        }
    }
}
