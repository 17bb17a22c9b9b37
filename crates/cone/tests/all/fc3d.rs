//! Contact problems collected by others, as text: read, written, refused.

use std::path::PathBuf;

use crate::shared::shared;
use drystone_cone::{
    DelassusProblem,
    fc3d::{ParseError, parse, print, read},
};
use proptest::prelude::*;

const ONE: &str = "fc3d 1\ncontacts 1\nmu\n0.5\nq\n-1 0.25 -3e-2\nW 4\n0 0 2\n1 1 1\n2 2 1\n0 1 0.125\n";

fn fault(text: &str) -> ParseError {
    parse(text.as_bytes()).expect_err(text)
}

#[test]
fn a_problem_is_read_as_it_is_written() {
    let problem = parse(ONE.as_bytes()).unwrap();
    assert_eq!(problem.friction, [0.5]);
    assert_eq!(problem.q, [[-1.0, 0.25, -0.03]]);
    assert_eq!(problem.entries, [(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.0), (0, 1, 0.125)]);
    let none = parse(b"fc3d 1 contacts 0 mu q W 0").unwrap();
    assert!(none.q.is_empty() && none.entries.is_empty());
    let windows = parse(ONE.replace('\n', "\r\n").as_bytes()).unwrap();
    assert_eq!(windows.q, problem.q);
}

#[test]
fn what_is_wrong_is_told_with_line_find_and_wish() {
    let cases = [
        ("", 1, "the end of the file", "`fc3d`"),
        ("fc3d 2", 1, "`2`", "version 1"),
        ("fc3d 1\ncontacts -3", 2, "`-3`", "number of contacts"),
        ("fc3d 1\ncontacts 99999999999", 2, "`99999999999`", "up to 1431655765"),
        (
            "fc3d 1\ncontacts 2\nmu\n0.5 NaN\n",
            4,
            "`NaN`",
            "friction coefficient of contact 1 of 2",
        ),
        ("fc3d 1\ncontacts 1\nmu\n-0.1\n", 4, "`-0.1`", "zero or more"),
        (
            "fc3d 1\ncontacts 1\nmu\n0.1\nq\n1 inf 0",
            6,
            "`inf`",
            "component 1 of q of contact 0",
        ),
        ("fc3d 1\ncontacts 1\nmu\n0.1\nq\n1 2\nW 0", 7, "`W`", "component 2 of q"),
        (
            "fc3d 1\ncontacts 1\nmu\n0.1\nq\n1 2 3\nW 1\n0 3 1",
            8,
            "`3`",
            "column of entry 0 of 1 of W",
        ),
        (
            "fc3d 1\ncontacts 1\nmu\n0.1\nq\n1 2 3\nW 1\n0 0 1e999",
            8,
            "`1e999`",
            "a finite number",
        ),
        (
            "fc3d 1\ncontacts 1\nmu\n0.1\nq\n1 2 3\nW 1\n0 0 1\nmore",
            9,
            "`more`",
            "the end of the file",
        ),
        (
            "fc3d 1\ncontacts 1\nmu\n0.1\nq\n1 2 3\nW 1\n",
            8,
            "the end of the file",
            "row of entry 0",
        ),
    ];
    for (text, line, found, expected) in cases {
        let fault = fault(text);
        assert_eq!((fault.line, fault.found.as_str()), (line, found), "{text}");
        assert!(fault.expected.contains(expected), "{text}: {fault}");
    }
    let long = fault(&format!("fc3d {}", "9".repeat(1000)));
    assert!(long.to_string().len() < 200, "{long}");
    assert!(
        parse(b"fc3d 1\ncontacts \xff\xfe")
            .unwrap_err()
            .to_string()
            .contains("line 2")
    );
}

#[test]
fn a_promise_of_too_many_entries_asks_for_no_memory() {
    let text = "fc3d 1\ncontacts 1\nmu\n0.1\nq\n1 2 3\nW 1000000000000000000\n0 0 1\n";
    assert_eq!(fault(text).found, "the end of the file");
    assert_eq!(fault("fc3d 1\ncontacts 1431655765\nmu\n1").found, "the end of the file");
}

#[test]
fn a_missing_file_is_named() {
    let told = read(&PathBuf::from("no-such.fc3d")).unwrap_err().to_string();
    assert!(told.contains("no-such.fc3d") && told.contains("os error"), "{told}");
}

#[test]
fn the_collected_files_are_read_and_come_back() {
    let Some(folder) = shared("fclib") else { return };
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|e| e == "fc3d"));
    assert_eq!(names.len(), 12);
    for path in names {
        let problem = read(&path).unwrap();
        let rows = 3 * problem.q.len();
        let mut diagonal = vec![0.0; rows];
        for &(i, j, value) in problem.entries.iter().filter(|e| e.0 == e.1) {
            assert_eq!(i, j);
            diagonal[i as usize] += value;
        }
        assert!(rows > 0 && diagonal.iter().all(|d| *d > 0.0), "{}", path.display());
        let stem = path.file_stem().unwrap().to_string_lossy().to_string();
        // Most names end with the number of contacts.
        if let Some(count) = stem.rsplit('_').next().and_then(|n| n.parse::<usize>().ok()) {
            assert_eq!(problem.q.len(), count, "{stem}");
        }
        let back = parse(print(&problem).as_bytes()).unwrap();
        assert!(back.q == problem.q && back.entries == problem.entries && back.friction == problem.friction);
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_to_the_last_bit(
        friction in prop::collection::vec(0.0..2.0_f64, 0..5),
        numbers in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO, 64),
    ) {
        let n = friction.len();
        let q = (0..n).map(|i| [numbers[i], numbers[i + 1], numbers[i + 2]]).collect();
        let entry = |k: usize| (k as u32 % (3 * n as u32), (k * 7) as u32 % (3 * n as u32), numbers[k]);
        let entries = (0..if n == 0 { 0 } else { 60 }).map(entry).collect();
        let problem = DelassusProblem { friction, q, entries, guess: Vec::new() };
        let back = parse(print(&problem).as_bytes()).unwrap();
        prop_assert_eq!(back.q, problem.q);
        prop_assert_eq!(back.entries, problem.entries);
        prop_assert_eq!(back.friction, problem.friction);
    }

    #[test]
    fn damage_is_an_error_and_no_panic(place in 0..ONE.len(), byte in any::<u8>(), cut in 0..ONE.len()) {
        let mut bytes = ONE.as_bytes().to_vec();
        bytes[place] = byte;
        let _ = parse(&bytes);
        let _ = parse(&bytes[..cut]);
    }
}
