//! Pictures of a structure, made by the program itself: PNG by a z-buffer, SVG by painting from back to front.
//!
//! The way of a picture: [`View`] gives a `camera`; `scene` turns the blocks into facets on the picture plane, with
//! their shades and edges, and crops ground slabs to the neighbourhood of the structure; `raster` finds which facet
//! is seen where. Then `bitmap` colours, draws edges (`edges`) and encodes, or `order` sorts the seen facets and
//! `svg` writes them. Both take title and scale bar from `layout`; `glyphs` holds the letters for bitmaps.

pub(crate) mod bitmap;
mod camera;
pub(crate) mod canvas;
mod edges;
pub(crate) mod glyphs;
mod layout;
mod order;
mod raster;
mod scene;
mod shade;
mod svg;

use drystone_model::Model;

pub use camera::View;

use crate::{OutputError, Rgb, solids::solids};
use camera::Camera;
use layout::Layout;
use scene::{Scene, Split};

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
        }
    }

    /// Width and height (pixels), each 16 to 16384.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, height);
        self
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

    /// The picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        let (scene, layout) = self.compose(Split::Whole)?;
        bitmap::encode(&bitmap::draw(&scene, &layout))
    }

    /// The picture as an SVG file. Its text stays text, and its size in user units is that of the PNG in pixels.
    pub fn svg(&self) -> Result<String, OutputError> {
        let (scene, layout) = self.compose(Split::Convex)?;
        Ok(svg::write(&scene, &layout))
    }

    fn compose(&self, split: Split) -> Result<(Scene, Layout), OutputError> {
        if !(SIDES.contains(&self.width) && SIDES.contains(&self.height)) {
            return Err(OutputError::BadSize {
                width: self.width,
                height: self.height,
                min: *SIDES.start(),
                max: *SIDES.end(),
            });
        }
        let solids = scene::crop_supports(solids(self.model)?);
        let frame = layout::frame(self.width, self.height, self.title.is_some(), self.scale_bar);
        let points = solids.iter().flat_map(|s| s.polyhedron.vertices.iter().copied());
        let camera = Camera::fit(self.view, points, frame)?;
        let scene = Scene::new(self.model, &solids, &camera, split);
        let layout = Layout::new(self, &camera, scene.typical_edge());
        Ok((scene, layout))
    }
}
