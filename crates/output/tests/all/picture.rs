//! Facts about pictures: what is where, in which colour, and what is not seen.

use crate::structures::{arch, cuboid, ground, nook, wall};
use drystone_model::{Block, Model, Shape, recipes};
use drystone_output::{
    OutputError,
    picture::{Background, Picture, View},
};
use glam::DVec3;

/// A decoded picture: width, height and RGBA bytes.
struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    fn of(picture: &Picture<'_>) -> Self {
        let file = picture.png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgba);
        Self {
            width: info.width as usize,
            height: info.height as usize,
            bytes,
        }
    }

    fn at(&self, x: f64, y: f64) -> [u8; 4] {
        let k = 4 * (y as usize * self.width + x as usize);
        self.bytes[k..k + 4].try_into().unwrap()
    }

    fn is_dark(&self, x: f64, y: f64) -> bool {
        self.at(x, y)[..3].iter().all(|&c| c < 110)
    }
}

/// A polygon of an SVG: its fill and its corners.
#[derive(Debug)]
struct Polygon {
    fill: String,
    corners: Vec<(f64, f64)>,
}

impl Polygon {
    fn range(&self, of: impl Fn(&(f64, f64)) -> f64) -> (f64, f64) {
        let values = self.corners.iter().map(of);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    }
}

/// The painted polygons of an SVG from back to front, without hatches.
fn polygons(svg: &str) -> Vec<Polygon> {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let nodes = document.descendants().filter(|n| n.has_tag_name("polygon"));
    nodes
        .filter(|n| n.attribute("fill").unwrap().starts_with('#'))
        .map(|n| {
            let number = |t: &str| t.parse::<f64>().unwrap();
            let pair = |t: &str| t.split_once(',').map(|(x, y)| (number(x), number(y))).unwrap();
            Polygon {
                fill: n.attribute("fill").unwrap().to_string(),
                corners: n.attribute("points").unwrap().split(' ').map(pair).collect(),
            }
        })
        .collect()
}

fn model(blocks: Vec<Block>) -> Model {
    Model {
        blocks,
        ..Model::named("test")
    }
}

fn hex([r, g, b, _]: [u8; 4]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[test]
fn a_cube_in_elevation_is_one_square_of_one_colour_with_dark_edges_on_white() {
    let model = model(vec![cuboid("cube", [0.0; 3], [1.0; 3])]);
    let picture = Picture::new(&model).size(400, 300).view(View::FRONT);
    let pixels = Pixels::of(&picture);
    assert_eq!((pixels.width, pixels.height), (400, 300));
    for (x, y) in [(0.0, 0.0), (399.0, 0.0), (0.0, 299.0), (399.0, 299.0)] {
        assert_eq!(pixels.at(x, y), [255; 4]);
    }
    let polygons = polygons(&picture.svg().unwrap());
    assert_eq!(polygons.len(), 1);
    let ((x0, x1), (y0, y1)) = (polygons[0].range(|p| p.0), polygons[0].range(|p| p.1));
    assert!((x1 - x0 - (y1 - y0)).abs() < 0.05, "a square stays a square");
    let middle = (0.5 * (x0 + x1), 0.5 * (y0 + y1));
    assert_eq!(hex(pixels.at(middle.0, middle.1)), polygons[0].fill);
    assert_eq!(
        pixels.at(middle.0 + 20.0, middle.1 - 30.0),
        pixels.at(middle.0, middle.1)
    );
    // Somewhere within a pixel of each side runs a line.
    for (x, y, across) in [
        (middle.0, y0, 1),
        (middle.0, y1, 1),
        (x0, middle.1, 0),
        (x1, middle.1, 0),
    ] {
        let darkest = (-1..=1).map(|k| {
            let step = f64::from(k);
            let p = pixels.at(x + step * f64::from(1 - across), y + step * f64::from(across));
            p[..3].iter().map(|&c| u32::from(c)).sum::<u32>()
        });
        assert!(darkest.min().unwrap() < 450, "no edge at ({x}, {y})");
    }
}

#[test]
fn a_cube_from_a_corner_shows_three_faces_the_top_one_lightest() {
    let model = model(vec![cuboid("cube", [0.0; 3], [1.0; 3])]);
    let seen = polygons(&Picture::new(&model).svg().unwrap());
    assert_eq!(seen.len(), 3);
    let light = |p: &Polygon| u32::from_str_radix(&p.fill[1..3], 16).unwrap();
    let top = seen
        .iter()
        .min_by(|a, b| a.range(|p| p.1).0.total_cmp(&b.range(|p| p.1).0));
    assert_eq!(light(top.unwrap()), seen.iter().map(light).max().unwrap());
}

#[test]
fn a_block_behind_another_leaves_no_trace() {
    let front = cuboid("front", [0.0; 3], [1.0; 3]);
    let behind = cuboid("behind", [0.2, 2.0, 0.2], [0.8, 3.0, 0.8]);
    let (alone, both) = (model(vec![front.clone()]), model(vec![front, behind]));
    let draw = |m| Picture::new(m).size(300, 300).view(View::FRONT);
    assert!(draw(&alone).png().unwrap() == draw(&both).png().unwrap());
    assert_eq!(draw(&alone).svg().unwrap(), draw(&both).svg().unwrap());
    let from_behind = View::from_angles(180.0, 0.0);
    assert_eq!(polygons(&draw(&both).view(from_behind).svg().unwrap()).len(), 2);
}

#[test]
fn the_nearer_of_two_blocks_is_painted_last_and_seen_where_they_overlap() {
    let near = cuboid("near", [0.3, -1.0, 0.3], [0.7, -0.5, 0.7]).in_group("near");
    let far = cuboid("far", [0.0; 3], [1.0; 3]).in_group("far");
    for blocks in [vec![near.clone(), far.clone()], vec![far, near]] {
        let model = model(blocks);
        let picture = Picture::new(&model).size(300, 300).view(View::FRONT);
        let seen = polygons(&picture.svg().unwrap());
        let width = |p: &Polygon| p.range(|c| c.0).1 - p.range(|c| c.0).0;
        assert!(
            seen.len() == 2 && width(&seen[0]) > width(&seen[1]),
            "the small one comes last"
        );
        let ((x0, x1), (y0, y1)) = (seen[1].range(|p| p.0), seen[1].range(|p| p.1));
        assert_eq!(
            hex(Pixels::of(&picture).at(0.5 * (x0 + x1), 0.5 * (y0 + y1))),
            seen[1].fill
        );
    }
}

#[test]
fn the_scale_bar_is_as_long_as_its_label_says() {
    let model = model(vec![cuboid("wall", [0.0; 3], [3.0, 1.0, 2.0])]);
    let picture = Picture::new(&model).size(800, 500).view(View::FRONT);
    let svg = picture.svg().unwrap();
    let face = &polygons(&svg)[0];
    let pixels_per_metre = (face.range(|p| p.0).1 - face.range(|p| p.0).0) / 3.0;
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<_> = document.descendants().filter(|n| n.has_tag_name("text")).collect();
    assert_eq!(texts.len(), 1);
    let label = texts[0].text().unwrap();
    let metres: f64 = label.strip_suffix(" m").unwrap().parse().unwrap();
    let bar = document.descendants().find(|n| n.attribute("id") == Some("scale-bar"));
    let path = bar.unwrap().attribute("d").unwrap();
    let numbers: Vec<f64> = path
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .filter_map(|t| t.parse().ok())
        .collect();
    let (x0, y, x1) = (numbers[0], numbers[1], numbers[2]);
    assert!((x1 - x0 - metres * pixels_per_metre).abs() < 0.05);
    // The bitmap has the same bar: dark within it, paper beyond.
    let pixels = Pixels::of(&picture);
    let is_bar = |x: f64| (-1..=1).any(|k| pixels.is_dark(x, y + f64::from(k)));
    assert!(is_bar(x0 + 3.0) && is_bar(0.5 * (x0 + x1)) && is_bar(x1 - 3.0));
    assert!(!is_bar(x0 - 4.0) && !is_bar(x1 + 4.0));
    let bare = picture.clone().scale_bar(false).svg().unwrap();
    assert!(!bare.contains("<text"));
}

#[test]
fn a_ground_slab_does_not_dwarf_what_stands_on_it() {
    let block = recipes::find("block").unwrap().build(&[]).unwrap();
    for model in [block, wall(6, 5)] {
        let seen = polygons(&Picture::new(&model).size(1000, 1000).svg().unwrap());
        let in_view = seen.iter().flat_map(|p| &p.corners);
        assert!(
            in_view
                .clone()
                .all(|c| c.0 >= 0.0 && c.0 <= 1000.0 && c.1 >= 0.0 && c.1 <= 1000.0)
        );
        let only = Model {
            blocks: model.free_blocks().cloned().collect(),
            ..model.clone()
        };
        // Vertical edges of the free blocks tell the scale with the ground and without it.
        let tall = |m: &Model| {
            let seen = polygons(&Picture::new(m).size(1000, 1000).svg().unwrap());
            let heights = seen.iter().map(|p| p.range(|c| c.1).1 - p.range(|c| c.1).0);
            heights.fold(0.0, f64::max)
        };
        assert!(tall(&model) > 0.6 * tall(&only));
    }
}

#[test]
fn supports_are_hatched_and_free_blocks_are_not() {
    let hatches = |m: &Model| Picture::new(m).svg().unwrap().matches("url(#hatch)").count();
    assert_eq!(hatches(&arch()), 4);
    assert_eq!(hatches(&nook()), 0);
}

#[test]
fn an_l_shaped_block_is_drawn_without_its_cuts() {
    let model = model(vec![nook().blocks[0].clone()]);
    let svg = Picture::new(&model).size(400, 400).view(View::FRONT).svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    // Two parts of one colour side by side; their dark lines add up to the outline of the L: 8 m.
    let seen = polygons(&svg);
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].fill, seen[1].fill);
    let all = seen.iter().map(|p| p.range(|c| c.0));
    let (x0, x1) = all.fold((f64::INFINITY, 0.0f64), |(a, b), (c, d)| (a.min(c), b.max(d)));
    let scale = (x1 - x0) / 2.0;
    let edges = document
        .descendants()
        .filter(|n| n.has_tag_name("path") && n.attribute("stroke").is_none() && n.attribute("id").is_none());
    let length: f64 = edges
        .flat_map(|n| n.attribute("d").unwrap().split('M').skip(1).collect::<Vec<_>>())
        .map(|piece| {
            let p: Vec<f64> = piece.split(['L', ' ']).map(|t| t.parse().unwrap()).collect();
            (p[2] - p[0]).hypot(p[3] - p[1])
        })
        .sum();
    assert!((length / scale - 8.0).abs() < 0.01, "{}", length / scale);
}

#[test]
fn a_transparent_picture_has_no_paper() {
    let model = model(vec![cuboid("cube", [0.0; 3], [1.0; 3])]);
    let picture = Picture::new(&model).size(200, 200).background(Background::Transparent);
    let pixels = Pixels::of(&picture);
    assert_eq!(pixels.at(0.0, 0.0)[3], 0);
    assert_eq!(pixels.at(100.0, 95.0)[3], 255);
    assert!(!picture.svg().unwrap().contains("<rect"));
}

#[test]
fn titles_are_text_in_svg_and_ink_in_png() {
    let model = model(vec![cuboid("cube", [0.0; 3], [1.0; 3])]);
    let picture = Picture::new(&model).size(400, 300).title("R & D <1>");
    let svg = picture.svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert!(
        document
            .descendants()
            .any(|n| n.has_tag_name("text") && n.text() == Some("R & D <1>"))
    );
    let ink = |p: &Picture<'_>| {
        let pixels = Pixels::of(p);
        (0..400 * 26)
            .filter(|k| pixels.is_dark((k % 400) as f64, (k / 400) as f64))
            .count()
    };
    assert!(ink(&picture) > 40);
    assert_eq!(ink(&picture.clone().title("")), 0);
}

#[test]
fn degenerate_models_are_errors_or_pictures_never_panics() {
    let both = |m: &Model| -> Result<(), OutputError> {
        let picture = Picture::new(m).size(64, 48).title("x");
        picture.png()?;
        picture.svg().map(|_| ())
    };
    assert!(matches!(both(&Model::default()), Err(OutputError::NoBlocks)));
    both(&model(vec![ground(1.0)])).unwrap();
    let flat = Block::new("flat", Shape::cuboid(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0)));
    let point = Block::new("point", Shape::cuboid(DVec3::ONE, DVec3::ONE));
    for blocks in [vec![flat.clone()], vec![point.clone()], vec![ground(1.0), point, flat]] {
        both(&model(blocks)).unwrap();
    }
    let nan = Block::new("nan", Shape::cuboid(DVec3::ZERO, DVec3::splat(f64::NAN)));
    assert!(matches!(
        both(&model(vec![nan])),
        Err(OutputError::BadCoordinate { .. })
    ));
    let cube = model(vec![cuboid("cube", [0.0; 3], [1.0; 3])]);
    for (width, height) in [(0, 100), (100, 15), (100_000, 100)] {
        let refused = Picture::new(&cube).size(width, height).png();
        assert!(matches!(refused, Err(OutputError::BadSize { .. })));
    }
    let nowhere = Picture::new(&cube).view(View::from_angles(f64::NAN, 0.0)).svg();
    assert!(matches!(nowhere, Err(OutputError::BadView { .. })));
    // Seen along faces, from below, and with sizes that differ by a factor of a billion.
    for view in [
        View::TOP,
        View::SIDE,
        View::from_angles(0.0, -90.0),
        View::from_angles(400.0, 200.0),
    ] {
        Picture::new(&nook()).size(64, 64).view(view).png().unwrap();
        Picture::new(&nook()).size(64, 64).view(view).svg().unwrap();
    }
    both(&model(vec![
        cuboid("small", [0.0; 3], [1e-6; 3]),
        cuboid("large", [1.0; 3], [1e3; 3]),
    ]))
    .unwrap();
}

#[test]
fn the_same_model_gives_the_same_bytes_and_thousands_of_blocks_a_small_file() {
    let model = wall(100, 50);
    let picture = Picture::new(&model);
    let svg = picture.svg().unwrap();
    assert!(svg.len() < 5_000_000 && polygons(&svg).len() > 5_000);
    assert_eq!(svg, picture.svg().unwrap());
    let small = picture.size(400, 250);
    assert!(small.png().unwrap() == small.png().unwrap());
}

#[test]
fn a_tie_is_a_line_between_its_ends() {
    let mut model = wall(4, 3);
    let plain = Picture::new(&model).svg().unwrap();
    let end = |block: usize, at: DVec3| drystone_model::TieEnd {
        block: model.blocks[block].name.clone(),
        at,
    };
    let tie = drystone_model::Tie {
        name: "rod".to_string(),
        from: end(0, DVec3::new(0.1, 0.0, 0.3)),
        to: end(1, DVec3::new(0.6, 0.0, 0.4)),
        kind: drystone_model::TieKind::RigidRod,
        group: None,
    };
    model.ties = vec![tie];
    let tied = Picture::new(&model).svg().unwrap();
    let color = "#9c2f2f";
    assert!(!plain.contains(color) && tied.contains(color));
    // It goes along with its blocks.
    let moved = glam::DAffine3::from_translation(DVec3::new(0.0, 0.0, 0.2));
    let maps = vec![moved; model.blocks.len()];
    let window = model.bounds(|_| true);
    let svg = |p: Picture<'_>| p.window(window).svg().unwrap();
    let line = |svg: &str| {
        let lines: Vec<String> = svg.lines().filter(|l| l.contains(color)).map(String::from).collect();
        lines
    };
    let at_rest = svg(Picture::new(&model));
    let lifted = svg(Picture::new(&model).placed(maps));
    assert_ne!(line(&at_rest), line(&lifted));
}
