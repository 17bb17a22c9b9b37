//! Draws every recipe, or those named, at its defaults into a folder: the pictures of docs/recipes.md.

use std::path::Path;

use drystone_model::recipes;
use drystone_output::{file::write_atomically, picture::Picture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("usage: draw_recipes FOLDER [RECIPE]...")?;
    let named: Vec<String> = std::env::args().skip(2).collect();
    std::fs::create_dir_all(&folder)?;
    let wanted = |name: &str| named.is_empty() || named.iter().any(|n| n == name);
    for recipe in recipes::all().iter().filter(|r| wanted(r.name)) {
        let model = recipe.build(&[])?;
        let start = std::time::Instant::now();
        let png = Picture::new(&model).size(1000, 640).png()?;
        let path = Path::new(&folder).join(format!("{}.png", recipe.name));
        write_atomically(&path, &png)?;
        println!("{} ({} kB, {:.0?})", path.display(), png.len() / 1000, start.elapsed());
    }
    Ok(())
}
