//! What bad files of records are told: the file, the line, the value and the remedy.

use drystone_model::motion::{
    MotionQuantity,
    record::{ReadSettings, Record, RecordUnits},
};
use proptest::prelude::*;

fn told_with(text: &str, file: &str, settings: &ReadSettings) -> String {
    Record::parse(text.as_bytes(), file, settings).unwrap_err().to_string()
}

fn peer(points: &str, body: &str) -> String {
    format!("PEER\nQuake\nACCELERATION TIME SERIES IN UNITS OF G\n{points}\n{body}\n")
}

#[test]
fn peer_files() {
    for (text, told) in [
        (String::new(), "a.AT2: the file is empty"),
        (" \n\n".to_owned(), "a.AT2: the file is empty"),
        (
            peer("NPTS= 4, DT= .01 SEC", "1 2 3"),
            "a.AT2:4: the header says 4 points, but 3 values follow",
        ),
        (
            peer("NPTS= 2, DT= .01 SEC", "1 2 3"),
            "a.AT2:4: the header says 2 points, but 3 values follow",
        ),
        (
            peer("NPTS= 3, DT= .01 SEC", "1 2\nNaN"),
            "a.AT2:6: `NaN` is not a finite number",
        ),
        (peer("NPTS= 3, DT= .01 SEC", "1 2\nx7"), "a.AT2:6: `x7` is not a number"),
        (
            peer("NPTS= 3, DT= 0 SEC", "1 2 3"),
            "a.AT2:4: a time step of 0 is not allowed; must be above 0",
        ),
        (peer("NPTS= 3", "1 2 3"), "a.AT2: there is no DT= in the first 12 lines"),
        (
            peer("DT= 0.1", "1 2 3"),
            "a.AT2: there is no NPTS= in the first 12 lines",
        ),
        (
            peer("NPTS= 2.5, DT= .01 SEC", "1 2 3"),
            "a.AT2:4: 2.5 is not a number of points",
        ),
        (
            peer("NPTS= 1, DT= .01 SEC", "1"),
            "a.AT2:4: a record needs at least 2 values",
        ),
        (
            peer("NPTS= 2, DT= .01 SEC", "1 -312"),
            "a.AT2: a peak of 312 g is more than any earthquake reached; it looks like cm/s2: say units=cm/s2, or units=g to \
             take it as it is",
        ),
        (
            peer("NPTS= 2, DT= .01 SEC", "1 2").replace("OF G", "OF FT/S2"),
            "a.AT2:3: `FT/S2` is not a unit known here; known are g, m/s2, cm/s2, gal",
        ),
    ] {
        let found = told_with(&text, "a.AT2", &ReadSettings::default());
        assert!(found.starts_with(told), "{told}\n{found}");
    }
}

#[test]
fn columns() {
    for (text, told) in [
        ("", "a.txt: the file is empty"),
        ("time acc\n", "a.txt: there are no rows of numbers"),
        ("0 1\n", "a.txt:1: a record needs at least 2 values"),
        ("0 1\n1 x\n", "a.txt:2: `x` is not a number"),
        ("0 1\n1 nan\n", "a.txt:2: `nan` is not a finite number"),
        ("0 1\n1 2 3\n", "a.txt:2: has 3 columns, but the rows before have 2"),
        (
            "0 1\n0.1 2\n0.1 3\n",
            "a.txt:3: time 0.1 comes after 0.1; times must increase",
        ),
        (
            "0 1\n0.2 2\n0.1 3\n",
            "a.txt:3: time 0.1 comes after 0.2; times must increase",
        ),
        (
            "0 1\n0.1 2\n0.2 3\n0.3 3\n0.5 1\n0.6 1\n",
            "a.txt:5: the time step is 0.200000 s here and 0.100000 s elsewhere; a record has no gaps: fill them, or give the \
             motion as a table",
        ),
        (
            "1\n2\n",
            "a.txt: there is no column of times; give the time step with dt=",
        ),
        (
            "0 1 2 3 4\n",
            "a.txt:1: a row has 5 columns and there is no header; must be a value, or a time and one to three",
        ),
        (
            "t,acc_1,acc_2\n0,1,2\n",
            "a.txt:2: which of the columns `acc_1`, `acc_2` is along which axis is not clear",
        ),
        (
            "t,ax,accx\n0,1,2\n",
            "a.txt:2: which of the columns `ax`, `accx` is along which axis is not clear",
        ),
        (
            "0 1\n1 9\n",
            "a.txt: a peak of 9 g is more than any earthquake reached; it looks like m/s2: say units=m/s2, or units=g to",
        ),
        (
            "t acc_m/s2\n0 1\n1 312\n",
            "a.txt: a peak of 312 m/s2 is more than any earthquake reached; it looks like cm/s2",
        ),
        (
            "t acc_g\n0 1\n1 1e9\n",
            "a.txt: a peak of 1000000000 g is more than any earthquake reached; say units=g to",
        ),
    ] {
        let found = told_with(text, "a.txt", &ReadSettings::default());
        assert!(found.starts_with(told), "{told}\n{found}");
    }
}

#[test]
fn settings_that_do_not_fit_the_file() {
    let text = "t,acc_g\n0,1\n0.1,2\n";
    let with = |settings: ReadSettings| told_with(text, "a.csv", &settings);
    let column = ReadSettings {
        column: Some("az".to_owned()),
        ..ReadSettings::default()
    };
    assert_eq!(with(column), "a.csv:2: there is no column `az`; there are `t`, `acc_g`");
    let dt = ReadSettings {
        dt: Some(-1.0),
        ..ReadSettings::default()
    };
    assert_eq!(with(dt), "a.csv: a time step dt=-1 is not allowed; must be above 0");
    let two = "t,ax_g,vx_m/s,vy_m/s\n0,1,1,1\n0.1,1,1,1\n";
    let missing = ReadSettings {
        quantity: Some(MotionQuantity::Displacement),
        ..ReadSettings::default()
    };
    let found = told_with(two, "a.csv", &missing);
    assert_eq!(
        found,
        "a.csv:2: there is no column of displacements; there are `t`, `ax_g`, `vx_m/s`, `vy_m/s`"
    );
    let bare = ReadSettings {
        column: Some("a".to_owned()),
        ..ReadSettings::default()
    };
    let found = told_with("0 1\n1 1\n", "a.txt", &bare);
    assert_eq!(
        found,
        "a.txt:1: there is no header above the numbers, so no column is called `a`"
    );
    // Said units are believed.
    let said = ReadSettings {
        units: Some(RecordUnits::G),
        ..ReadSettings::default()
    };
    assert!(Record::parse(b"0 1\n1 312\n", "a.txt", &said).is_ok());
    let found = told_with("0 1\n1 1e308\n", "a.txt", &said);
    assert_eq!(found, "a.txt: has values too large for numbers in SI units");
    let three = "t,ax_g,ay_g\n0,1,1\n0.1,1,1\n";
    let mut record = Record::parse(three.as_bytes(), "a.csv", &ReadSettings::default()).unwrap();
    let found = record.point(glam::DVec3::X).unwrap_err().to_string();
    assert!(
        found.starts_with("a.csv: has 2 components (`ax_g`, `ay_g`), each with its own direction"),
        "{found}"
    );
}

#[test]
fn a_missing_file_is_named() {
    let found = Record::read("no/such.AT2".as_ref(), &ReadSettings::default())
        .unwrap_err()
        .to_string();
    assert!(found.starts_with("no/such.AT2: cannot be read: "), "{found}");
}

proptest! {
    #[test]
    fn no_file_makes_the_reader_panic(
        text in "([0-9.eEdD+\\-]{0,6}[ ,;\t\n]|NPTS=|DT=|UNITS OF |acc_g|time|,x|\\PC){0,60}",
        file in prop_oneof![Just("a.AT2"), Just("a.txt"), Just("a.csv")],
        dt in prop::option::of(-1.0..1.0f64),
    ) {
        let settings = ReadSettings { dt, ..ReadSettings::default() };
        if let Ok(record) = Record::parse(text.as_bytes(), file, &settings) {
            prop_assert!(record.len() >= 2 && record.dt > 0.0);
            prop_assert!(record.components.iter().all(|c| c.values.len() == record.len()));
            let _ = record.report();
        }
    }
}
