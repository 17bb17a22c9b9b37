//! Draws plots of made-up motions into a folder, to look at.

use std::path::Path;

use drystone_output::{
    file::write_atomically,
    plot::{Panel, Plot},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: draw_plots FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    let curve = |n: usize, end: f64, f: &dyn Fn(f64) -> f64| -> Vec<[f64; 2]> {
        (0..=n).map(|k| end * k as f64 / n as f64).map(|t| [t, f(t)]).collect()
    };
    let swing = |t: f64, a: f64, w: f64| a * (-0.18 * t).exp() * (w * t).sin();
    let displacement = Panel::new("time (s)", "displacement (mm)")
        .line("keystone", curve(20_000, 12.0, &|t| swing(t, 31.0, 5.2)))
        .line("left haunch", curve(20_000, 12.0, &|t| swing(t, -17.0, 7.9)))
        .line("right haunch", curve(20_000, 12.0, &|t| swing(t, 12.0, 11.3)));
    let energy = Panel::new("time (s)", "energy (J)")
        .line(
            "kinetic",
            curve(2000, 12.0, &|t| 2.1e5 * (-0.36 * t).exp() * (5.2 * t).cos().powi(2)),
        )
        .line(
            "potential",
            curve(2000, 12.0, &|t| 2.1e5 * (-0.36 * t).exp() * (5.2 * t).sin().powi(2)),
        )
        .dashed("dissipated", curve(2000, 12.0, &|t| 2.1e5 * (1.0 - (-0.36 * t).exp())));
    let history = Plot::new()
        .size(720, 640)
        .title("Spandrel arch under a half-sine pulse")
        .panel(displacement)
        .panel(energy);
    let portrait = (0..4000).map(|k| 0.01 * k as f64).map(|t| {
        let a = 0.2 * (-0.06 * t).exp();
        [a * (2.0 * t).cos(), -2.0 * a * (2.0 * t).sin()]
    });
    let limit = (0..=100).map(|k| -0.2 + 0.004 * k as f64).map(|t| [t, 0.3]).collect();
    let phase = Plot::new().size(560, 480).panel(
        Panel::new("rotation θ (rad)", "angular velocity ω (rad/s)")
            .line("rocking block", portrait.collect())
            .reference("overturning", limit),
    );
    let published = [1e-1, 3e-2, 8e-3, 2.2e-3, 7e-4, 1.9e-4, 5e-5];
    let points = published.iter().enumerate().map(|(k, v)| [50.0 * k as f64, *v]);
    let residual = Plot::new().title("Convergence of a contact solver").panel(
        Panel::new("iteration", "residual")
            .log_y()
            .line(
                "projected gradient",
                curve(300, 300.0, &|t| 0.1 * (-0.026 * t).exp() * (1.3 + (0.7 * t).sin())),
            )
            .line("interior point", curve(30, 30.0, &|t| 10f64.powf(-0.012 * t * t)))
            .markers("published", points.collect())
            .y_range(1e-9, 1.0),
    );
    let fragility = |m: f64| move |t: f64| 1.0 / (1.0 + (-(t - m) / 0.06).exp());
    let fragility = Plot::new().panel(
        Panel::new("peak ground acceleration (g)", "probability of collapse")
            .line("μ = 0.4", curve(100, 1.0, &fragility(0.35)))
            .line("μ = 0.6", curve(100, 1.0, &fragility(0.48)))
            .line("μ = 0.8", curve(100, 1.0, &fragility(0.6)))
            .markers(
                "experiment",
                (0..9)
                    .map(|k| 0.1 + 0.1 * k as f64)
                    .map(|t| [t, fragility(0.5)(t)])
                    .collect(),
            ),
    );
    for (name, plot) in [
        ("history", history),
        ("phase", phase),
        ("residual", residual),
        ("fragility", fragility),
    ] {
        write_atomically(&Path::new(&folder).join(format!("{name}.png")), &plot.png()?)?;
        write_atomically(&Path::new(&folder).join(format!("{name}.svg")), plot.svg()?.as_bytes())?;
    }
    Ok(())
}
