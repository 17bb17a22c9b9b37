//! Draws every recipe at its defaults into a folder: the pictures of docs/recipes.md.

use std::path::Path;

use drystone_model::recipes;
use drystone_output::{file::write_atomically, picture::Picture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: draw_recipes FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    for recipe in recipes::all() {
        let model = recipe.build(&[])?;
        let start = std::time::Instant::now();
        let png = Picture::new(&model).size(1000, 640).png()?;
        let path = Path::new(&folder).join(format!("{}.png", recipe.name));
        write_atomically(&path, &png)?;
        println!("{} ({} kB, {:.0?})", path.display(), png.len() / 1000, start.elapsed());
    }
    Ok(())
}
