use glam::DVec3;

use super::*;

const CUBE: &str = r#"{"dtype":"compas.datastructures/Mesh","data":{"vertex":{"10":{"x":1,"y":1,"z":1},
  "0":{"x":0,"y":0,"z":0},"1":{"x":1},"2":{"x":1,"y":1,"z":0},"3":{"y":1,"z":0},"4":{"z":1},"5":{"x":1,"z":1},
  "7":{"x":0,"y":1,"z":1}},"face":{"0":[0,3,2,1],"1":[4,5,10,7],"2":["0",1,5,4],"3":[2,3,7,10],"4":[0,4,7,3],
  "5":[1,2,10,5]},"attributes":{"name":"Box","density":1200}}}"#;

fn imported(json: &str) -> Imported {
    read(json.as_bytes(), "x.json").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn an_assembly_with_and_without_wrappers_gives_blocks_by_node_number() {
    let nodes = format!(r#""'10'":{{"block":{CUBE}}},"9":{{"block":{CUBE},"is_support":1}},"2":{{"block":null}}"#);
    let graph = format!(r#"{{"node":{{{nodes}}},"edge":{{"9":{{"'10'":{{"interfaces":null}}}},"10":{{}}}}}}"#);
    for json in [
        format!(r#"{{"graph":{graph}}}"#),
        format!(r#"{{"dtype":"a/Assembly","data":{{"graph":{{"dtype":"c/Graph","data":{graph}}}}}}}"#),
        format!("\u{feff}{{\"dtype\":\"a/Assembly\",\"value\":{{\"graph\":{graph}}}}}"),
    ] {
        let Imported { model, warnings, .. } = imported(&json);
        let names: Vec<_> = model.blocks.iter().map(|b| (b.name.as_str(), b.fixed)).collect();
        assert_eq!(names, [("9", true), ("10", false)]);
        assert_eq!(model.blocks[0].density, Some(1200.0));
        assert!((model.blocks[1].polyhedron().volume() - 1.0).abs() < 1e-15);
        assert_eq!(warnings, ["1 nodes without a block left out"]);
    }
}

#[test]
fn interfaces_keep_their_points_forces_and_direction() {
    let points = r#""points":[[0,0,1],{"dtype":"c/Point","data":[1,0,1]},[1,1,1],[0,1,1]]"#;
    let frame = r#""frame":{"dtype":"c/StoredFrame","data":{"point":[0,0,1],"xaxis":[1,0,0],"yaxis":[0,1,0]}}"#;
    let force = r#"{"c_np":2.5,"c_nn":0,"c_u":-1,"c_v":0.5}"#;
    let interface = format!(
        r#"{{"dtype":"x/Interface","data":{{{points},{frame},"size":1,"forces":[{force},{force},{force},{force}]}}}}"#
    );
    let bare = format!(r#"{{{points}}}"#);
    let json = |edge: &str| {
        format!(
            r#"{{"graph":{{"node":{{"0":{{"block":{CUBE}}},"1":{{"block":{}}}}},"edge":{{"0":{{"1":{edge}}}}}}}}}"#,
            CUBE.replace("\"z\":1", "\"z\":2")
                .replace("\"z\":0", "\"z\":1")
                .replace("\"1\":{\"x\":1}", "\"1\":{\"x\":1,\"z\":1}")
        )
    };
    for edge in [
        format!(r#"{{"interfaces":[{interface}],"interface":{interface}}}"#),
        format!(r#"{{"interfaces":[],"interface":{interface}}}"#),
        format!(r#"{{"contacts":[{interface}]}}"#),
    ] {
        let found = imported(&json(&edge)).model.interfaces;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].between, ["0", "1"]);
        assert_eq!(
            (found[0].points.len(), found[0].forces.len(), found[0].area),
            (4, 4, Some(1.0))
        );
        assert_eq!((found[0].forces[0].compression, found[0].forces[0].u), (2.5, -1.0));
    }
    // Without a frame the normal is found from the blocks.
    let found = imported(&json(&format!(r#"{{"interface":{bare}}}"#))).model.interfaces;
    let normal = found[0].frame.xaxis.cross(found[0].frame.yaxis);
    assert!((normal - DVec3::Z).length() < 1e-12);
    assert!(imported(&json("{}")).model.interfaces.is_empty());
    let stray = json(&format!(r#"{{"interface":{bare}}}"#)).replace(r#""0":{"1":{"int"#, r#""0":{"7":{"int"#);
    assert!(
        read(stray.as_bytes(), "x.json")
            .unwrap_err()
            .to_string()
            .contains("no block at node `7`")
    );
}

#[test]
fn a_block_model_places_its_elements_by_the_tree() {
    let lift =
        r#"{"dtype":"compas.geometry/Transformation","data":{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,5],[0,0,0,1]]}}"#;
    let element = |transformation: &str, geometry: &str| {
        format!(
            r#"{{"dtype":"d/Block","data":{{"transformation":{transformation},"geometry":{geometry},"is_support":true,"material":"m"}}}}"#
        )
    };
    let json = format!(
        r#"{{"dtype":"compas_dem.models/BlockModel","data":{{"transformation":null,"elements":{{"g":{},"a":{},"b":{}}},
        "materials":{{"m":{{"dtype":"d/Stone","data":{{"density":2400}}}}}},
        "tree":{{"root":{{"children":[{{"element":"g","children":[{{"element":"a"}}]}},{{"element":"b"}}]}}}},
        "graph":{{"node":{{"0":{{"element":"g"}},"1":{{"element":"a"}},"2":{{"element":"b"}}}},"edge":{{"1":{{"2":{{"contacts":null}}}}}}}}}}}}"#,
        element(lift, "null"),
        element(lift, CUBE),
        element(
            "null",
            r#"{"xsize":1,"ysize":2,"zsize":3,"frame":{"point":[0,0,0],"xaxis":[0,1,0],"yaxis":[0,0,1]}}"#
        )
    );
    let model = imported(&json).model;
    let names: Vec<_> = model.blocks.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["1", "2"]);
    assert_eq!(model.blocks[0].polyhedron().bounds().min, DVec3::new(0.0, 0.0, 10.0));
    assert_eq!(model.blocks[0].density, Some(2400.0));
    // The box's own x lies along the world's y, its y along z, its z along x.
    let size = model.blocks[1].polyhedron().bounds().size();
    assert!((size - DVec3::new(3.0, 1.0, 2.0)).length() < 1e-12, "{size}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let bad_face = CUBE.replace("[0,3,2,1]", "[0,3,2,99]");
    let bad_vertex = CUBE.replace("\"x\":1,\"y\":1,\"z\":1", "\"x\":\"one\"");
    let json = format!(
        r#"{{"graph":{{"node":{{"0":{{"block":{bad_face}}},"1":{{"block":{bad_vertex}}},"2":{{"block":{{"dtype":"c/Brep","data":{{}}}}}}}}}}}}"#
    );
    let message = read(json.as_bytes(), "x.json").unwrap_err().to_string();
    for expected in [
        "node `0`: face `0` names vertex `99`",
        "node `1`: vertex `10`",
        "of class `Brep`",
    ] {
        assert!(message.contains(expected), "{expected} is not in\n{message}");
    }
    let message = read(b"{\"graph\":\n{NaN", "x.json").unwrap_err().to_string();
    assert!(message.starts_with("x.json:2:"), "{message}");
    for other in [
        "",
        "[]",
        "{}",
        "{\"drystone\":1,\"blocks\":[]}",
        "{\"graph\":{\"node\":{}}}",
        &"[".repeat(9999),
    ] {
        assert!(read(other.as_bytes(), "x.json").is_err());
    }
}
