//! Draws every recipe, or those named, at its defaults into a folder: the pictures of docs/recipes.md, or with `--small` those of the
//! page.

use std::path::Path;

use drystone_model::recipes;
use drystone_output::{file::write_atomically, picture::Picture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (options, words): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|word| word == "--small");
    let (folder, named) = words
        .split_first()
        .ok_or("usage: draw_recipes FOLDER [--small] [RECIPE]...")?;
    let (width, height) = if options.is_empty() { (1000, 640) } else { (240, 150) };
    std::fs::create_dir_all(folder)?;
    let wanted = |name: &str| named.is_empty() || named.iter().any(|n| n == name);
    for recipe in recipes::all().iter().filter(|r| wanted(r.name)) {
        let model = recipe.build(&[])?;
        let start = std::time::Instant::now();
        let png = Picture::new(&model).size(width, height).png()?;
        let path = Path::new(folder).join(format!("{}.png", recipe.name));
        write_atomically(&path, &png)?;
        println!("{} ({} kB, {:.0?})", path.display(), png.len() / 1000, start.elapsed());
    }
    Ok(())
}
