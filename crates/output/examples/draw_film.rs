//! Draws a made-up collapse of an arch into a folder, as a film and an animated scene, to look at.

use std::path::Path;

use drystone_model::recipes;
use drystone_output::{
    file::write_atomically,
    film::Film,
    glb::Animation,
    history::{Frame, Rest},
};
use glam::{DQuat, DVec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: draw_film FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    let model = recipes::find("arch")?.build(&[])?;
    let rest = Rest::of(&model);
    let film = Film::new(&model).with(|p| p.title("An arch that loses its springers"));
    let mut writer = film.clone().create(&Path::new(&folder).join("film.gif"))?;
    let mut animation = Animation::new(&model)?;
    let mut states = rest.frame();
    for step in 0..40 {
        let time_s = 0.04 * step as f64;
        for (k, state) in states.iter_mut().enumerate().filter(|(k, _)| !model.blocks[*k].fixed) {
            let centre = rest.centres()[k];
            let fall = (0.5 * 9.81 * (time_s - 0.02 * k as f64).max(0.0).powi(2))
                .min(centre.z - 0.1)
                .max(0.0);
            state.position = centre - DVec3::Z * fall;
            state.rotation = DQuat::from_rotation_y(0.4 * fall * centre.x.signum());
        }
        let frame = Frame {
            step,
            time_s,
            blocks: &states,
            contacts: &[],
            measures: &[],
        };
        writer.push(&frame)?;
        animation.push(&frame)?;
        if step % 13 == 0 {
            write_atomically(
                &Path::new(&folder).join(format!("still-{step:02}.png")),
                &film.png(&frame)?,
            )?;
        }
    }
    writer.finish()?;
    write_atomically(&Path::new(&folder).join("motion.glb"), &animation.glb()?)?;
    Ok(())
}
