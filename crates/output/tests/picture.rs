mod structures;
use drystone_model::recipes;
use drystone_output::picture::*;
#[test]
fn gallery() {
    let block = recipes::find("block").unwrap().build(&[]).unwrap();
    let big = structures::wall(100, 50);
    for (name, model) in [
        ("arch", structures::arch()),
        ("wall", structures::wall(8, 6)),
        ("nook", structures::nook()),
        ("block", block),
        ("big", big),
    ] {
        let picture =
            Picture::new(&model).title(format!("{name}: 0123456789 The quick brown fox (jumps over), lazy-dog"));
        let t = std::time::Instant::now();
        std::fs::write(format!("/tmp/drystone-{name}.png"), picture.png().unwrap()).unwrap();
        let t1 = t.elapsed();
        std::fs::write(format!("/tmp/drystone-{name}.svg"), picture.svg().unwrap()).unwrap();
        println!("{name} {t1:?} {:?}", t.elapsed());
    }
}
