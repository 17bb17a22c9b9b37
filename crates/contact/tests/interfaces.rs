//! t
use drystone_contact::interfaces::*;
use std::path::PathBuf;
#[test]
fn look() {
    for file in [
        "cubes",
        "H",
        "A",
        "type-a",
        "type-b",
        "type-c",
        "type-d",
        "concave-short",
        "concave-long",
        "curve-3-blocks",
        "cube-curve-short",
        "cube-curve-tall",
        "shelf",
        "shelf-stable",
        "bridge",
        "armadillo_cra",
        "arch_assembly",
        "wall_assembly",
        "stack_assembly",
    ] {
        let imported =
            drystone_model::import::import_files(&[PathBuf::from(format!("/work/shared/cra/{file}.json"))]).unwrap();
        let m = &imported.model;
        let s = SearchSettings::for_model(m);
        let t = std::time::Instant::now();
        let f = interfaces(m, &s);
        let pts: usize = f.iter().map(|i| i.points.len()).sum();
        let area: f64 = f.iter().map(|i| i.area).sum();
        let sa: f64 = m.interfaces.iter().map(|i| i.area.unwrap_or(0.0)).sum();
        let sp: usize = m.interfaces.iter().map(|i| i.points.len()).sum();
        eprintln!(
            "{file}: {}/{}  area {area:.6}   stored {}/{} {sa:.6}  tol {:?}  max gap {:e} {:?}",
            f.len(),
            pts,
            m.interfaces.len(),
            sp,
            m.tolerances,
            f.iter().map(|i| i.gap.abs()).fold(0.0, f64::max),
            t.elapsed()
        );
    }
}
