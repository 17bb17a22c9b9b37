//! Pictures of a structure as SVG, painted from back to front, and as PNG, rendered from that SVG.
//!
//! The way of a picture: [`View`] gives a `camera`; `scene` turns the blocks into facets on the picture plane, with
//! their shades and edges, and crops ground slabs to the neighbourhood of the structure; `raster` finds which facets are
//! seen, `order` sorts them and `svg` writes them, with title and scale bar (`layout`) and with marks that a `stage`
//! places over the structure: forces, lines, legends.

mod camera;
mod layout;
mod order;
mod outline;
mod raster;
mod scene;
mod shade;
mod skin;
mod stage;
mod svg;

use drystone_model::{
    Model,
    geometry::{Bounds, Polyhedron},
};
use glam::{DAffine3, DVec3};
use resvg::tiny_skia::Pixmap;

pub use camera::View;
pub(crate) use outline::ghost;
pub(crate) use skin::{Patch, Skin, SkinLine};
pub(crate) use stage::Stage;

use crate::{OutputError, Rgb, marks::Mark, palette::TIE, render, solids::solids, ties};
use camera::Camera;
use layout::Layout;
use scene::Scene;

/// Smallest and largest side of a picture (pixels).
const SIDES: std::ops::RangeInclusive<u32> = 16..=16_384;

/// What lies behind the structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// White paper.
    #[default]
    White,
    /// Nothing: the page shows through.
    Transparent,
    /// A plain colour.
    Plain(Rgb),
}

impl Background {
    fn color(self) -> Option<Rgb> {
        match self {
            Self::White => Some(Rgb::WHITE),
            Self::Transparent => None,
            Self::Plain(color) => Some(color),
        }
    }
}

/// A picture to be drawn of a model.
///
/// ```
/// # use drystone_model::recipes;
/// # use drystone_output::picture::{Picture, View};
/// let model = recipes::find("block")?.build(&[])?;
/// let png: Vec<u8> = Picture::new(&model).size(320, 200).view(View::FRONT).png()?;
/// let svg: String = Picture::new(&model).title("A block").svg()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    model: &'a Model,
    width: u32,
    height: u32,
    view: View,
    background: Background,
    title: Option<String>,
    scale_bar: bool,
    note: Option<String>,
    placed: Option<Vec<DAffine3>>,
    behind: Option<Vec<DAffine3>>,
    broken: Vec<bool>,
    window: Option<Bounds>,
    paleness: f64,
    aside: f64,
    skins: Vec<Skin>,
}

impl<'a> Picture<'a> {
    /// A picture with default settings: 1600 by 1000 pixels, seen from the left front and above, on white, with a
    /// scale bar and without a title.
    pub fn new(model: &'a Model) -> Self {
        Self {
            model,
            width: 1600,
            height: 1000,
            view: View::default(),
            background: Background::default(),
            title: None,
            scale_bar: true,
            note: None,
            placed: None,
            behind: None,
            broken: Vec::new(),
            window: None,
            paleness: 0.0,
            aside: 0.0,
            skins: Vec::new(),
        }
    }

    /// Width and height (pixels), each 16 to 16384.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// Width and height (pixels).
    pub(crate) fn sides(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// Where the structure is seen from.
    #[must_use]
    pub fn view(mut self, view: View) -> Self {
        self.view = view;
        self
    }

    /// What lies behind the structure.
    #[must_use]
    pub fn background(mut self, background: Background) -> Self {
        self.background = background;
        self
    }

    /// A line of text above the structure.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Whether there is a scale bar.
    #[must_use]
    pub fn scale_bar(mut self, shown: bool) -> Self {
        self.scale_bar = shown;
        self
    }

    /// A few words in the lower right corner: the time of a frame, for instance.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The blocks moved, each by its map from the model to the picture, as [`Rest::maps`](crate::history::Rest::maps)
    /// gives them.
    #[must_use]
    pub fn placed(mut self, maps: Vec<DAffine3>) -> Self {
        self.placed = Some(maps);
        self
    }

    /// Outlines of the blocks elsewhere, behind those that are placed, where they lie apart from them: where they were.
    #[must_use]
    pub(crate) fn behind(mut self, maps: Vec<DAffine3>) -> Self {
        self.behind = Some(maps);
        self
    }

    /// Which ties are broken, in the order of the model: they are dashed.
    #[must_use]
    pub fn broken_ties(mut self, broken: Vec<bool>) -> Self {
        self.broken = broken;
        self
    }

    /// A box in the world (m) that the picture shows, wherever the blocks are: pictures with the same one have the same
    /// camera.
    #[must_use]
    pub fn window(mut self, window: Bounds) -> Self {
        self.window = Some(window);
        self
    }

    /// Fades the structure towards white, by a fraction from 0 to 1, so that marks upon it stand out.
    #[must_use]
    pub(crate) fn pale(mut self, paleness: f64) -> Self {
        self.paleness = paleness;
        self
    }

    /// Surfaces that are drawn in place of the faces of some blocks, in their own colours, which do not fade.
    #[must_use]
    pub(crate) fn skins(mut self, skins: Vec<Skin>) -> Self {
        self.skins = skins;
        self
    }

    /// Leaves room to the right of the structure (pixels).
    #[must_use]
    pub(crate) fn aside(mut self, room: f64) -> Self {
        self.aside = room;
        self
    }

    /// The picture with marks upon it as a PNG file.
    pub(crate) fn marked_png(&self, marks: &dyn Fn(&Stage<'_>) -> Vec<Mark>) -> Result<Vec<u8>, OutputError> {
        render::png(&self.bitmap(marks)?)
    }

    /// The picture with marks upon it as an SVG file.
    pub(crate) fn marked_svg(&self, marks: &dyn Fn(&Stage<'_>) -> Vec<Mark>) -> Result<String, OutputError> {
        let (scene, layout, camera) = self.compose()?;
        let stage = Stage::new(&camera, &layout);
        let mut all = self.ties(&stage);
        all.extend(marks(&stage));
        let behind = outline::behind(self.model, self.behind.as_deref(), self.placed.as_deref(), &stage);
        Ok(svg::write(&scene, &layout, &behind, &all))
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        self.marked_png(&|_| Vec::new())
    }

    /// The picture as an SVG file. Its text stays text, and its size in user units is that of the PNG in pixels.
    pub fn svg(&self) -> Result<String, OutputError> {
        self.marked_svg(&|_| Vec::new())
    }

    /// Pixels of the picture, four bytes each: red, green, blue, cover.
    pub(crate) fn pixels(&self) -> Result<Vec<u8>, OutputError> {
        Ok(render::bytes(&self.bitmap(&|_| Vec::new())?))
    }

    /// Ties as lines, seen through whatever is before them.
    fn ties(&self, stage: &Stage<'_>) -> Vec<Mark> {
        let line = |(k, [from, to]): (usize, [DVec3; 2])| {
            let is_broken = self.broken.get(k) == Some(&true);
            Mark::Line {
                points: vec![stage.place(from), stage.place(to)],
                width: 2.0 * stage.line,
                color: TIE,
                dash: is_broken.then_some([4.0 * stage.line; 2]),
            }
        };
        let ends = ties::ends(self.model, self.placed.as_deref());
        ends.enumerate().map(line).collect()
    }

    fn bitmap(&self, marks: &dyn Fn(&Stage<'_>) -> Vec<Mark>) -> Result<Pixmap, OutputError> {
        let svg = self.marked_svg(marks)?;
        let mut bitmap = render::blank(self.width, self.height)?;
        render::draw(&svg, 1.0, &mut bitmap)?;
        Ok(bitmap)
    }

    fn compose(&self) -> Result<(Scene, Layout, Camera), OutputError> {
        if !(SIDES.contains(&self.width) && SIDES.contains(&self.height)) {
            return Err(OutputError::BadSize {
                width: self.width,
                height: self.height,
                min: *SIDES.start(),
                max: *SIDES.end(),
            });
        }
        // Cropped where they rest, so that supports look the same in every frame.
        let mut solids = scene::crop_supports(solids(self.model)?, self.window);
        let at_rest: Vec<DVec3> = match self.window {
            Some(window) => {
                let fixed = solids.iter().filter(|s| s.block.fixed);
                let corners = Polyhedron::cuboid(window.min, window.max).vertices;
                fixed
                    .flat_map(|s| s.polyhedron.vertices.iter().copied())
                    .chain(corners)
                    .collect()
            }
            None => Vec::new(),
        };
        for solid in &mut solids {
            if let Some(map) = self.placed.as_ref().and_then(|maps| maps.get(solid.index)) {
                solid.polyhedron = solid.polyhedron.transformed(map);
            }
        }
        let has_foot = self.scale_bar || self.note.is_some();
        let mut frame = layout::frame(self.width, self.height, self.title.is_some(), has_foot);
        frame.max.x -= self.aside;
        let camera = if at_rest.is_empty() {
            let points = solids.iter().flat_map(|s| s.polyhedron.vertices.iter().copied());
            let tied = ties::ends(self.model, self.placed.as_deref()).flatten();
            let behind = self.behind.iter().flatten().zip(&self.model.blocks);
            let behind = behind.filter(|(_, block)| !block.fixed);
            let behind = behind.flat_map(|(map, block)| block.polyhedron().transformed(map).vertices);
            Camera::fit(self.view, points.chain(tied).chain(behind), frame)?
        } else {
            Camera::fit(self.view, at_rest.into_iter(), frame)?
        };
        let mut scene = Scene::new(self.model, &solids, &self.skins, &camera);
        if self.paleness > 0.0 {
            for facet in scene.facets.iter_mut().filter(|f| !f.is_patch) {
                facet.color = facet.color.mixed(Rgb::WHITE, self.paleness);
            }
        }
        let layout = Layout::new(self, &camera, scene.typical_edge());
        Ok((scene, layout, camera))
    }
}
