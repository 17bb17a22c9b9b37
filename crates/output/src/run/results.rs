//! What a run leaves when it is over: an animated scene, a film, pictures, plots. All of it comes from the tables, so that
//! a run that was stopped and gone on with leaves the same.

use std::fs;

use drystone_analysis::RunPlan;
use drystone_mechanics::dynamics::TieStatus;
use drystone_model::{Model, geometry::Bounds};

use super::{RunFiles, Watcher, recorder::monitor_columns};
use crate::{
    OutputError,
    file::{WriteError, write_atomically},
    film::Film,
    glb::Animation,
    history::Rest,
    plot::{Panel, Plot},
    records::{Moment, Replay},
    table::{Groups, Table},
};

/// Frames of a film: more make it long to draw and large.
const FILM_FRAMES: usize = 120;
/// Placements of an animated scene, which are all in memory: 28 bytes each.
const SCENE_PLACEMENTS: usize = 20_000_000;
/// Ties in a plot, those of the largest forces: more cannot be told apart.
const MOST_TIES: usize = 8;
/// Points of a line in a plot: more are not seen.
const PLOT_POINTS: usize = 4000;

/// Writes everything, and gives the names of the files in the folder.
pub(super) fn write(
    model: &Model,
    plan: &RunPlan,
    wanted: &RunFiles,
    watcher: &dyn Watcher,
) -> Result<Vec<String>, OutputError> {
    let mut files: Vec<String> = [
        "summary.json",
        "blocks.parquet",
        "contacts.parquet",
        "steps.parquet",
        "peaks.parquet",
    ]
    .map(String::from)
    .to_vec();
    if !model.ties.is_empty() {
        files.push("ties.parquet".to_string());
    }
    if wanted.vtk {
        files.push("paraview".to_string());
    }
    if wanted.tables_only {
        return Ok(files);
    }
    plots(model, wanted, &mut files)?;
    tie_plot(model, wanted, &mut files)?;
    if let Err(error) = scenes(model, plan, wanted, watcher, &mut files) {
        // A scene too large for its format is no reason to lose the rest.
        match error {
            OutputError::Write(_) => return Err(error),
            _ => watcher.warn(&format!("no film or animated scene: {error}")),
        }
    }
    Ok(files)
}

fn scenes(
    model: &Model,
    plan: &RunPlan,
    wanted: &RunFiles,
    watcher: &dyn Watcher,
    files: &mut Vec<String>,
) -> Result<(), OutputError> {
    let path = wanted.folder.join("blocks.parquet");
    let rest = Rest::of(model);
    let mut animation = Animation::new(model)?;
    let mut window = Bounds::EMPTY;
    let planned = (plan.duration / plan.every) as usize + 2;
    let thinning = (planned * model.blocks.len()).div_ceil(SCENE_PLACEMENTS).max(1);
    if thinning > 1 {
        watcher.warn(&format!(
            "motion.glb shows one frame in {thinning}: all of them are too many"
        ));
    }
    let mut frames = 0_usize;
    for moment in Replay::open(&path)? {
        let moment: Moment = moment?;
        if frames.is_multiple_of(thinning) {
            animation.push(&moment.frame())?;
        }
        window = window.union(&rest.bounds(&moment.frame())?);
        frames += 1;
    }
    write_atomically(&wanted.folder.join("motion.glb"), &animation.glb()?)?;
    files.push("motion.glb".to_string());
    let stride = frames.div_ceil(FILM_FRAMES).max(1);
    let film = Film::new(model)
        .window(window)
        .broken_ties(broken_ties(model, wanted)?)
        .with(|p| p.title(model.name.clone()));
    let pictures = wanted.pictures.then(|| wanted.folder.join("pictures"));
    if let Some(folder) = &pictures {
        fs::create_dir_all(folder).map_err(|source| WriteError {
            path: folder.clone(),
            source,
        })?;
    }
    let mut writer = film.clone().create(&wanted.folder.join("film.gif"))?;
    for (k, moment) in Replay::open(&path)?.enumerate() {
        let moment = moment?;
        if k % stride == 0 || k + 1 == frames {
            writer.push(&moment.frame())?;
        }
        if let Some(folder) = &pictures {
            write_atomically(&folder.join(format!("{k:05}.png")), &film.png(&moment.frame())?)?;
        }
    }
    writer.finish()?;
    files.push("film.gif".to_string());
    if pictures.is_some() {
        files.push("pictures".to_string());
    }
    Ok(())
}

fn plots(model: &Model, wanted: &RunFiles, files: &mut Vec<String>) -> Result<(), OutputError> {
    let table = Table::read_thinned(&wanted.folder.join("steps.parquet"), PLOT_POINTS)?;
    let times = table.floats("time_s").unwrap_or_default();
    if times.len() < 2 {
        return Ok(());
    }
    let line = |values: &dyn Fn(usize) -> f64| -> Vec<[f64; 2]> {
        times.iter().enumerate().map(|(k, &t)| [t, values(k)]).collect()
    };
    let column = |name: &str| table.floats(name).unwrap_or_default();
    // Displacements that no picture of the structure would show.
    let unseen = 1e-6 * model.bounds(|b| !b.fixed).diagonal();
    for (axis, ground) in [("x", "ground_x_m"), ("y", "ground_y_m"), ("z", "ground_z_m")] {
        let ground = column(ground);
        let moves = ground.iter().any(|&v| v != 0.0);
        let mut panel = Panel::new("time (s)", format!("displacement along {axis} (m)"));
        let mut any = moves;
        for &block in &wanted.monitor {
            let names = monitor_columns(model, block);
            let values = column(&names[["x", "y", "z"].iter().position(|a| *a == axis).unwrap_or(0)]);
            any |= values.iter().any(|v| v.abs() > unseen);
            panel = panel.line(model.blocks[block].name.clone(), line(&|k| values[k]));
        }
        if moves {
            panel = panel.reference("ground", line(&|k| ground[k]));
        }
        if any {
            save(wanted, files, &format!("displacement-{axis}"), Plot::new().panel(panel))?;
        }
    }
    let [kinetic, potential, elastic, input, impact, friction, ties, created] = [
        "kinetic_j",
        "potential_j",
        "elastic_j",
        "input_j",
        "impact_j",
        "friction_j",
        "ties_j",
        "created_j",
    ]
    .map(column);
    let weight: f64 = {
        let mass: f64 = model.free_blocks().map(|b| model.mass_of(b).0).sum();
        mass * model.gravity.length()
    };
    let unit = if weight > 0.0 { 1.0 / weight } else { 1.0 };
    let panel = Panel::new("time (s)", "energy by weight (m)")
        .line("kinetic", line(&|k| unit * kinetic[k]))
        .line("potential", line(&|k| unit * potential[k]))
        .line("total", line(&|k| unit * (kinetic[k] + potential[k] + elastic[k])))
        .line("input", line(&|k| unit * input[k]))
        .line("impacts", line(&|k| unit * impact[k]))
        .line("friction", line(&|k| unit * friction[k]))
        .line("created", line(&|k| unit * created[k]));
    let panel = match ties.iter().any(|&v| v != 0.0) {
        true => panel.line("ties", line(&|k| unit * ties[k])),
        false => panel,
    };
    save(wanted, files, "energies", Plot::new().panel(panel))
}

/// When each tie broke (s), by the table of ties.
fn broken_ties(model: &Model, wanted: &RunFiles) -> Result<Vec<Option<f64>>, OutputError> {
    let count = model.ties.len();
    let mut broken = vec![None; count];
    if count == 0 {
        return Ok(broken);
    }
    let mut first = 0;
    for group in Groups::open(&wanted.folder.join("ties.parquet"), Some(&["time_s", "state"]))? {
        let group = group?;
        let (times, states) = (group.floats("time_s"), group.texts("state"));
        let rows = times.unwrap_or_default().iter().zip(states.unwrap_or_default());
        for (k, (&time, state)) in rows.enumerate() {
            if &**state == TieStatus::Ruptured.name() {
                broken[(first + k) % count].get_or_insert(time);
            }
        }
        first += group.rows();
    }
    Ok(broken)
}

/// Forces of the ties that carry most, against time.
fn tie_plot(model: &Model, wanted: &RunFiles, files: &mut Vec<String>) -> Result<(), OutputError> {
    if model.ties.is_empty() {
        return Ok(());
    }
    let path = wanted.folder.join("ties.parquet");
    let mut rows = 0;
    for group in Groups::open(&path, Some(&["step"]))? {
        rows += group?.rows();
    }
    // Every tie has a row in every step, in the order of the model.
    let count = model.ties.len();
    let stride = (rows / count).div_ceil(PLOT_POINTS).max(1);
    let mut lines: Vec<Vec<[f64; 2]>> = vec![Vec::new(); count];
    let mut first = 0;
    for group in Groups::open(&path, Some(&["time_s", "force_n"]))? {
        let group = group?;
        let column = |name: &str| group.floats(name).unwrap_or_default();
        for (k, (&time, &force)) in column("time_s").iter().zip(column("force_n")).enumerate() {
            let (step, tie) = ((first + k) / count, (first + k) % count);
            if step.is_multiple_of(stride) {
                lines[tie].push([time, 1e-3 * force]);
            }
        }
        first += group.rows();
    }
    let largest = |line: &[[f64; 2]]| line.iter().map(|p| p[1].abs()).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..count).filter(|&k| lines[k].len() > 1).collect();
    order.sort_by(|&a, &b| largest(&lines[b]).total_cmp(&largest(&lines[a])).then(a.cmp(&b)));
    if order.is_empty() {
        return Ok(());
    }
    let panel = order
        .into_iter()
        .take(MOST_TIES)
        .fold(Panel::new("time (s)", "force in ties (kN)"), |panel, k| {
            panel.line(model.ties[k].name.clone(), std::mem::take(&mut lines[k]))
        });
    save(wanted, files, "ties", Plot::new().panel(panel))
}

fn save(wanted: &RunFiles, files: &mut Vec<String>, name: &str, plot: Plot) -> Result<(), OutputError> {
    for (ending, bytes) in [("svg", plot.svg()?.into_bytes()), ("png", plot.png()?)] {
        let file = format!("{name}.{ending}");
        write_atomically(&wanted.folder.join(&file), &bytes)?;
        files.push(file);
    }
    Ok(())
}
