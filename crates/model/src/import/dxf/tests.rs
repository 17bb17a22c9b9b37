use glam::DVec3;

use super::*;

/// A drawing of entities, each a list of pairs as text, in a unit.
fn drawing(unit: &str, entities: &[&str]) -> String {
    let header = format!("0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n{unit}\n0\nENDSEC\n");
    let pairs = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("\n");
    let all: Vec<String> = entities.iter().map(|e| pairs(e)).collect();
    format!(
        "{header}0\nSECTION\n2\nENTITIES\n{}\n0\nENDSEC\n0\nEOF\n",
        all.join("\n")
    )
}

fn read_as(text: &str, drawing: Drawing) -> Result<Imported, String> {
    read(text.as_bytes(), "wall.dxf", &drawing).map_err(|e| e.to_string())
}

const SQUARE: &str = "0 LWPOLYLINE 8 wall 90 4 70 1 10 0 20 0 10 1 20 0 10 1 20 1 10 0 20 1";

#[test]
fn a_closed_polyline_is_a_block_of_its_layer_in_the_unit_of_the_drawing() {
    for (unit, metres) in [("4", 1e-3), ("5", 1e-2), ("6", 1.0), ("1", 0.0254), ("2", 0.3048)] {
        let drawing = Drawing {
            thickness: Some(0.3),
            ..Drawing::default()
        };
        let read = read_as(&self::drawing(unit, &[SQUARE]), drawing).unwrap();
        let block = &read.model.blocks[0];
        assert_eq!((block.name.as_str(), block.group.as_deref()), ("wall-01", Some("wall")));
        let bounds = block.polyhedron().bounds();
        assert!(bounds.min.distance(DVec3::new(0.0, -0.15, 0.0)) < 1e-15, "{unit}");
        assert!(bounds.max.distance(DVec3::new(metres, 0.15, metres)) < 1e-15, "{unit}");
        assert_eq!(read.warnings, [""; 0]);
        let plan = Drawing {
            plane: DrawingPlane::Plan,
            ..drawing
        };
        let bounds = read_as(&self::drawing(unit, &[SQUARE]), plan).unwrap().model.blocks[0]
            .polyhedron()
            .bounds();
        assert!(bounds.max.distance(DVec3::new(metres, metres, 0.3)) < 1e-15, "{unit}");
    }
    // Without a unit and a thickness these are assumed, and told.
    let assumed = read_as(&drawing("0", &[SQUARE]), Drawing::default()).unwrap();
    assert!(
        assumed.warnings[0].contains("taken as metres") && assumed.warnings[1].contains("1 m thick"),
        "{:?}",
        assumed.warnings
    );
    let told = Drawing {
        unit: Some(0.5),
        thickness: Some(1.0),
        ..Drawing::default()
    };
    let halved = read_as(&drawing("0", &[SQUARE]), told).unwrap();
    assert_eq!(halved.model.blocks[0].polyhedron().volume(), 0.25);
}

#[test]
fn old_polylines_elevations_and_thicknesses_are_read() {
    let vertices = "0 VERTEX 8 a 10 0 20 0 30 2 0 VERTEX 8 a 10 2 20 0 30 2 0 VERTEX 8 a 10 0 20 1 30 2 0 SEQEND 8 a";
    let old = format!("0 POLYLINE 8 a 66 1 10 0 20 0 30 2 39 0.5 70 1 {vertices}");
    let read = read_as(&drawing("6", &[&old]), Drawing::default()).unwrap();
    let block = &read.model.blocks[0];
    // Towards whoever looks at an elevation is along -y.
    let bounds = block.polyhedron().bounds();
    assert_eq!(
        (bounds.min, bounds.max),
        (DVec3::new(0.0, -2.5, 0.0), DVec3::new(2.0, -2.0, 1.0))
    );
    assert_eq!(block.polyhedron().volume(), 0.5);
    // Seen from behind: x runs to the left, and the thickness away.
    let behind = "0 LWPOLYLINE 8 a 70 1 38 1 39 0.5 10 0 20 0 10 2 20 0 10 0 20 1 210 0 220 0 230 -1";
    let read = read_as(&drawing("6", &[behind]), Drawing::default()).unwrap();
    let bounds = read.model.blocks[0].polyhedron().bounds();
    assert_eq!(
        (bounds.min, bounds.max),
        (DVec3::new(-2.0, 1.0, 0.0), DVec3::new(0.0, 1.5, 1.0))
    );
}

#[test]
fn an_arc_is_divided_within_the_tolerance_and_its_neighbour_fits() {
    // A half disc of radius 1 in a square of 4 x 2: the arc is shared, run the other way.
    let disc = "0 LWPOLYLINE 8 disc 70 1 10 1 20 0 42 1 10 -1 20 0";
    let around = "0 LWPOLYLINE 8 around 70 1 10 -2 20 0 10 -1 20 0 42 -1 10 1 20 0 10 2 20 0 10 2 20 2 10 -2 20 2";
    for tolerance in [0.05, 1e-3] {
        let settings = Drawing {
            thickness: Some(1.0),
            arc_tolerance: tolerance,
            ..Drawing::default()
        };
        let read = read_as(&drawing("6", &[disc, around]), settings).unwrap();
        let [disc, around] = [0, 1].map(|k| read.model.blocks[k].polyhedron().volume());
        assert!((disc + around - 8.0).abs() < 1e-12);
        let half = std::f64::consts::FRAC_PI_2;
        assert!(disc < half && half - disc < 4.0 * tolerance, "{disc}");
        assert!(read.warnings[0].contains("2 arcs divided into"), "{:?}", read.warnings);
        let found = crate::check::overlaps(&read.model).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn layers_of_supports_are_fixed_and_other_things_are_told() {
    let ground = SQUARE.replace("wall", "Ground");
    let open = "0 LWPOLYLINE 8 axis 70 0 10 0 20 0 10 1 20 5 10 2 20 5";
    // Closed because it ends where it began.
    let ends_meet = "0 LWPOLYLINE 8 0 70 0 10 0 20 0 10 1 20 0 10 1 20 1 10 0 20 0";
    let text = "0 TEXT 8 notes 1 hello 0 INSERT 8 wall 2 door 0 TEXT 8 notes 1 again";
    let settings = Drawing {
        thickness: Some(1.0),
        ..Drawing::default()
    };
    let read = read_as(&drawing("6", &[SQUARE, &ground, open, ends_meet, text]), settings).unwrap();
    let told: Vec<_> = read
        .model
        .blocks
        .iter()
        .map(|b| (b.name.as_str(), b.fixed, b.group.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            ("wall-01", false, Some("wall")),
            ("Ground-01", true, Some("Ground")),
            ("block-01", false, None)
        ]
    );
    let all = read.warnings.join("\n");
    for said in [
        "1 polyline left out because not closed (line",
        "1 INSERT, 2 TEXT",
        "fixed by the name of their layer: 1 block",
    ] {
        assert!(all.contains(said), "{all}");
    }
    let mut model = read.model;
    crate::import::set_supports(&mut model, &["group:wall".to_owned()]).unwrap();
    assert!(model.blocks[0].fixed && !model.blocks[2].fixed);
    let unknown = crate::import::set_supports(&mut model, &["group:wal".to_owned()]).unwrap_err();
    assert!(unknown.to_string().contains("did you mean `wall`?"), "{unknown}");
}

#[test]
fn what_is_wrong_is_told_by_its_line() {
    let crossing = "0 LWPOLYLINE 8 a 70 1 10 0 20 0 10 1 20 1 10 1 20 0 10 0 20 1";
    let flat = "0 LWPOLYLINE 8 a 70 1 10 0 20 0 10 1 20 0";
    let word = "0 LWPOLYLINE 8 a 70 1 10 0 20 zero 10 1 20 0 10 1 20 1";
    let space = "0 POLYLINE 8 a 70 9 0 VERTEX 10 0 20 0 30 0 0 SEQEND";
    let across = "0 LWPOLYLINE 8 a 70 1 10 0 20 0 10 1 20 0 10 1 20 1 210 1 220 0 230 0";
    let far = "0 LWPOLYLINE 8 a 70 1 10 0 20 0 10 1e300 20 0 10 1 20 1";
    let whole = drawing("6", &[crossing, flat, word, space, across, far]);
    let told = read_as(&whole, Drawing::default()).unwrap_err();
    for said in [
        "wall.dxf:16: the outline crosses itself: its sides 1 and 3",
        "an outline of 2 corners",
        "`zero` is not a number",
        "a polyline in space",
        "across the plane of the drawing",
        "out of range",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
    for (text, said) in [
        ("AutoCAD Binary DXF\r\n\u{1a}", "save it as ASCII DXF"),
        ("AC1027....", "this is a DWG file"),
        ("hello\nworld\n", "wall.dxf:1: `hello` is no group code"),
        ("0\nSECTION\n2", "wall.dxf:3: the file ends after a group code"),
        ("", "there is no section ENTITIES"),
        (
            "0\nSECTION\n2\nENTITIES\n0\nENDSEC\n0\nEOF\n",
            "there is no block in it",
        ),
    ] {
        let told = read_as(text, Drawing::default()).unwrap_err();
        assert!(told.contains(said), "{said}: {told}");
    }
    let parsec = read_as(&drawing("20", &[SQUARE]), Drawing::default()).unwrap_err();
    assert!(
        parsec.contains("wall.dxf:8: the unit `20`") && parsec.contains("--unit"),
        "{parsec}"
    );
}
