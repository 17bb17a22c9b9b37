//! Draws test structures into the folder given, to be looked at.

#[path = "../tests/structures/mod.rs"]
mod structures;

use drystone_model::recipes;
use drystone_output::picture::Picture;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery FOLDER")?;
    let mut models = vec![
        structures::arch(),
        structures::wall(8, 6),
        structures::nook(),
        structures::wall(100, 50),
    ];
    for recipe in recipes::all() {
        models.push(recipe.build(&[])?);
    }
    for (k, model) in models.iter().enumerate() {
        let path = std::path::Path::new(&folder).join(format!("{k}-{}", model.name));
        let picture = Picture::new(model).title(&model.name);
        let start = std::time::Instant::now();
        std::fs::write(path.with_extension("png"), picture.png()?)?;
        let png = start.elapsed();
        std::fs::write(path.with_extension("svg"), picture.svg()?)?;
        println!("{}: PNG {png:.2?}, both {:.2?}", path.display(), start.elapsed());
    }
    Ok(())
}
