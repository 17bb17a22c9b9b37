//! Every critical tilt of paper 004's tables, as questions that other cases put again in other ways.

use glam::DVec3;

use drystone_model::Model;

use super::{Failure, Method, joints, published, wedges};
use crate::reproduce::drive;

/// Frictions of arch thick (deg).
const ARCH_DEG: [f64; 2] = [43.0, 21.8];

/// A model that is tilted about an axis until it falls.
pub(super) struct Threshold {
    pub(super) table: usize,
    pub(super) name: String,
    pub(super) model: Model,
    pub(super) axis: DVec3,
    pub(super) friction: f64,
    pub(super) methods: &'static [Method],
}

/// The tilts of tables 1 to 4, and the names of files that are absent.
pub(super) fn all() -> Result<(Vec<Threshold>, Vec<&'static str>), Failure> {
    let mut found = Vec::new();
    let mut missing: Vec<&'static str> = Vec::new();
    for degrees in ARCH_DEG {
        found.push(Threshold {
            table: 1,
            name: format!("arch thick about y, friction {degrees}°"),
            model: drive::build("arch", &[])?,
            axis: DVec3::Y,
            friction: degrees.to_radians().tan(),
            methods: &[Method::Rbe, Method::Cra],
        });
    }
    for entry in &wedges::TABLE {
        for friction in wedges::FRICTION {
            found.push(Threshold {
                table: 2,
                name: format!("type-{} about {}, mu {friction}", entry.wedge, entry.axis),
                model: drive::build("wedge", &[("type", entry.wedge)])?,
                axis: wedges::axis(entry.axis),
                friction,
                methods: &[Method::Cra],
            });
        }
    }
    let tables = [(3, &joints::TABLE_3[..]), (4, &joints::TABLE_4[..])];
    for (table, entry) in tables
        .into_iter()
        .flat_map(|(t, list)| list.iter().map(move |e| (t, e)))
    {
        let Some(model) = published(entry.model, &["0"], entry.friction)? else {
            if !missing.contains(&entry.model) {
                missing.push(entry.model);
            }
            continue;
        };
        found.push(Threshold {
            table,
            name: format!("{} about {}, mu {}", entry.model, entry.name, entry.friction),
            model,
            axis: entry.about(),
            friction: entry.friction,
            methods: &[Method::Cra],
        });
    }
    Ok((found, missing))
}
