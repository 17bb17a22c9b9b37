//! Moving pictures: an animated GIF, drawn frame by frame as the run goes.
//!
//! The camera stands still: every frame shows the same box of the world ([`Film::window`]). Only what changes from
//! frame to frame is stored.

use std::path::{Path, PathBuf};

use drystone_model::{Model, geometry::Bounds};
use glam::DVec3;

use crate::{
    OutputError,
    file::{PendingFile, WriteError},
    history::{Frame, Rest},
    picture::Picture,
};

/// Room beside the structure at rest for what falls, as a fraction of its size in that direction and of its largest size.
const ROOM: [f64; 2] = [0.12, 0.03];
/// Effort of the search for 256 colours: 1 finest, 30 fastest.
const COLOR_SPEED: i32 = 10;

/// How a film looks.
#[derive(Clone, Debug)]
pub struct Film<'a> {
    rest: Rest<'a>,
    picture: Picture<'a>,
    frames_per_second: f64,
    /// When each tie broke (s).
    broken: Vec<Option<f64>>,
}

impl<'a> Film<'a> {
    /// A film of a model with default settings: 800 by 500 pixels, 25 frames a second, seen as [`Picture`] does, with
    /// the time in the corner and some room beside the structure at rest.
    pub fn new(model: &'a Model) -> Self {
        let rest = Rest::of(model);
        let any_free = model.blocks.iter().any(|b| !b.fixed);
        let bounds = model.bounds(|b| !b.fixed || !any_free);
        let size = bounds.size();
        let room = (ROOM[0] * size + ROOM[1] * size.max_element()) * DVec3::new(1.0, 1.0, 0.0);
        let window = Bounds {
            min: bounds.min - room,
            max: bounds.max + room,
        };
        Self {
            rest,
            picture: Picture::new(model).size(800, 500).window(window),
            frames_per_second: 25.0,
            broken: Vec::new(),
        }
    }

    /// Changes how its pictures look: size, view, title.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(Picture<'a>) -> Picture<'a>) -> Self {
        self.picture = change(self.picture);
        self
    }

    /// How many frames are shown a second, 1 to 50. To be seen at the pace of the run, frames must be that far apart
    /// in its time.
    #[must_use]
    pub fn frames_per_second(mut self, frames: f64) -> Self {
        self.frames_per_second = frames.clamp(1.0, 50.0);
        self
    }

    /// When each tie of the model broke (s), if it did: it is dashed from then on.
    #[must_use]
    pub fn broken_ties(mut self, times: Vec<Option<f64>>) -> Self {
        self.broken = times;
        self
    }

    /// Shows a box of the world (m), as the union of [`Rest::bounds`] over the frames, in every frame. Debris that flies far
    /// is left out: it would make the structure a dot.
    #[must_use]
    pub fn window(self, reached: Bounds) -> Self {
        let start = self.rest.model().bounds(|b| !b.fixed);
        let reach = 0.6 * start.diagonal();
        self.with(|picture| {
            picture.window(Bounds {
                min: reached.min.max(start.min - reach),
                max: reached.max.min(start.max + reach),
            })
        })
    }

    fn picture(&self, frame: &Frame<'_>) -> Result<Picture<'a>, OutputError> {
        let broken = self.broken.iter().map(|t| t.is_some_and(|t| t <= frame.time_s));
        let picture = self.picture.clone().placed(self.rest.maps(frame)?);
        let picture = picture.broken_ties(broken.collect());
        Ok(picture.note(format!("t = {:.2} s", frame.time_s)))
    }

    /// One frame as a PNG file.
    pub fn png(&self, frame: &Frame<'_>) -> Result<Vec<u8>, OutputError> {
        self.picture(frame)?.png()
    }

    /// Begins an animated GIF.
    pub fn create(self, path: &Path) -> Result<FilmWriter<'a>, OutputError> {
        let file = PendingFile::create(path)?;
        let failed = |e| failed(path, e);
        let [width, height] = self.picture.sides().map(|v| u16::try_from(v).unwrap_or(u16::MAX));
        let mut encoder = gif::Encoder::new(file, width, height, &[]).map_err(failed)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
        Ok(FilmWriter {
            film: self,
            path: path.to_path_buf(),
            encoder,
            shown: Vec::new(),
            frames: 0,
        })
    }
}

/// An animated GIF in the making.
pub struct FilmWriter<'a> {
    film: Film<'a>,
    path: PathBuf,
    encoder: gif::Encoder<PendingFile>,
    /// Pixels of the last frame.
    shown: Vec<u8>,
    frames: u32,
}

impl FilmWriter<'_> {
    /// Draws a frame.
    pub fn push(&mut self, frame: &Frame<'_>) -> Result<(), OutputError> {
        let pixels = self.film.picture(frame)?.pixels()?;
        let width = self.film.picture.sides()[0] as usize;
        let [left, top, right, bottom] = changed(&self.shown, &pixels, width);
        let mut part: Vec<u8> = (top..bottom)
            .flat_map(|row| &pixels[4 * (row * width + left)..4 * (row * width + right)])
            .copied()
            .collect();
        let [w, h, x, y] = [right - left, bottom - top, left, top].map(|v| v as u16);
        let mut image = gif::Frame::from_rgba_speed(w, h, &mut part, COLOR_SPEED);
        (image.left, image.top) = (x, y);
        image.dispose = gif::DisposalMethod::Keep;
        // Hundredths of a second since the start, so that rounding does not add up.
        let due = |frames: u32| (100.0 * f64::from(frames) / self.film.frames_per_second).round();
        image.delay = (due(self.frames + 1) - due(self.frames)) as u16;
        self.encoder.write_frame(&image).map_err(|e| failed(&self.path, e))?;
        self.shown = pixels;
        self.frames += 1;
        Ok(())
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), OutputError> {
        if self.frames == 0 {
            return Err(OutputError::NoFrames);
        }
        let path = self.path;
        let file = self.encoder.into_inner().map_err(|e| failed(&path, e))?;
        Ok(file.commit()?)
    }
}

/// The smallest rectangle (left, top, right, bottom) in which two pictures differ: at least one pixel, all where there
/// is no earlier picture.
fn changed(before: &[u8], after: &[u8], width: usize) -> [usize; 4] {
    let height = after.len() / (4 * width);
    if before.len() != after.len() {
        return [0, 0, width, height];
    }
    let mut seen = [width, height, 0, 0];
    let pairs = before.as_chunks::<4>().0.iter().zip(after.as_chunks::<4>().0);
    for (pixel, _) in pairs.enumerate().filter(|(_, (a, b))| a != b) {
        let (x, y) = (pixel % width, pixel / width);
        seen = [seen[0].min(x), seen[1].min(y), seen[2].max(x + 1), seen[3].max(y + 1)];
    }
    if seen[2] == 0 { [0, 0, 1, 1] } else { seen }
}

fn failed(path: &Path, error: gif::EncodingError) -> OutputError {
    match error {
        gif::EncodingError::Io(source) => WriteError::new(path, source).into(),
        other => OutputError::Gif(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_rectangle_that_changes_is_stored() {
        let before = vec![0; 4 * 6 * 5];
        let mut after = before.clone();
        assert_eq!(changed(&[], &after, 6), [0, 0, 6, 5]);
        assert_eq!(changed(&before, &after, 6), [0, 0, 1, 1]);
        after[4 * (6 + 2)] = 1;
        after[4 * (3 * 6 + 4) + 2] = 1;
        assert_eq!(changed(&before, &after, 6), [2, 1, 5, 4]);
    }
}
