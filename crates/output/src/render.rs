//! SVG turned into pixels.
//!
//! Text is set in a font that the program carries, whatever fonts the SVG names and the machine has: the same drawing
//! gives the same bits everywhere.

use std::sync::{Arc, LazyLock};

use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{self, FontResolver, Options, Tree, fontdb},
};

use crate::{OutputError, xml::escape};

/// Latin, Greek, digits, superscripts, arrows and signs of DejaVu Sans Condensed, which runs about as wide as Helvetica
/// and Arial. Its kerning is left out.
const FONT: &[u8] = include_bytes!("../font/DejaVuSansCondensed.ttf");

static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    let ours = fonts.faces().next().map(|face| face.id);
    Options {
        font_resolver: FontResolver {
            select_font: Box::new(move |_, _| ours),
            select_fallback: Box::new(|_, _, _| None),
        },
        fontdb: Arc::new(fonts),
        ..Options::default()
    }
});

/// A transparent bitmap.
pub(crate) fn blank(width: u32, height: u32) -> Result<Pixmap, OutputError> {
    Pixmap::new(width, height).ok_or(OutputError::BadSize {
        width,
        height,
        min: 1,
        max: 16_384,
    })
}

/// Draws an SVG document over what a bitmap shows, `scale` pixels for each of its units.
pub(crate) fn draw(svg: &str, scale: f64, onto: &mut Pixmap) -> Result<(), OutputError> {
    let tree = Tree::from_str(svg, &OPTIONS)?;
    let scale = scale as f32;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut onto.as_mut());
    Ok(())
}

/// Width of a line of text in a font of size 1.
pub(crate) fn text_width(text: &str) -> f64 {
    const SIZE: f64 = 100.0;
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"><text font-size=\"{SIZE}\" \
         xml:space=\"preserve\">{}</text></svg>",
        escape(text)
    );
    let tree = Tree::from_str(&svg, &OPTIONS);
    let set = tree.as_ref().ok().and_then(|t| t.root().children().first());
    match set {
        Some(usvg::Node::Text(text)) => f64::from(text.bounding_box().width()) / SIZE,
        _ => 0.0,
    }
}

/// A bitmap as a PNG file.
pub(crate) fn png(bitmap: &Pixmap) -> Result<Vec<u8>, OutputError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, bitmap.width(), bitmap.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes(bitmap))?;
    writer.finish()?;
    Ok(file)
}

/// Four bytes a pixel: red, green, blue, cover; colours not multiplied by the cover.
pub(crate) fn bytes(bitmap: &Pixmap) -> Vec<u8> {
    let plain = bitmap.pixels().iter().map(|p| p.demultiply());
    plain.flat_map(|c| [c.red(), c.green(), c.blue(), c.alpha()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_and_signs_of_every_drawing() {
        let missing = text_width("\u{10348}");
        let letters = ('!'..='~').chain('Α'..='Ρ').chain('α'..='ω');
        for c in letters.chain("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–·×±°µ→←↑↓≤≥≈∞äéß".chars()) {
            let width = text_width(&c.to_string());
            assert!(width > 0.1 && width < 1.1, "{c}: {width}");
            // A box stands for what is missing; its width is no letter's.
            assert!((width - missing).abs() > 1e-4, "{c} is missing");
        }
    }

    #[test]
    fn text_is_as_wide_as_the_advances_of_its_letters() {
        // From the font's table of advances, in 2048ths of its size.
        let advances = [1260u16, 1260, 585, 1125, 1134];
        let sum: u16 = advances.iter().sum();
        assert!((text_width("AV Te") - f64::from(sum) / 2048.0).abs() < 1e-4);
        assert_eq!(text_width(""), 0.0);
    }
}
