//! Plots are read back: text within the page, points where the ticks say, colours in the pixels.

use drystone_output::{
    OutputError,
    plot::{Panel, Plot},
};

fn ramp() -> Vec<[f64; 2]> {
    (0..=10).map(|k| [f64::from(k), 30.0 * f64::from(k)]).collect()
}

fn numbers(text: &str) -> Vec<f64> {
    text.split([' ', ',']).map(|v| v.parse().unwrap()).collect()
}

/// Text, place and anchor of every label.
fn texts(svg: &str) -> Vec<(String, f64, f64, String)> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let labels = document.descendants().filter(|n| n.has_tag_name("text"));
    labels
        .map(|n| {
            let number = |a| n.attribute(a).unwrap().parse().unwrap();
            let anchor = n.attribute("text-anchor").unwrap().to_string();
            (n.text().unwrap().to_string(), number("x"), number("y"), anchor)
        })
        .collect()
}

#[test]
fn a_line_passes_where_the_ticks_say() {
    let svg = Plot::new()
        .panel(Panel::new("time (s)", "force (N)").line("", ramp()))
        .svg()
        .unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let line = document
        .descendants()
        .find(|n| n.attribute("stroke") == Some("#0072b2"))
        .unwrap();
    let places = numbers(line.attribute("points").unwrap());
    assert_eq!(places.len(), 22);
    let labels = texts(&svg);
    let x_of = |label: &str| labels.iter().find(|l| l.0 == label && l.3 == "middle").unwrap().1;
    // Baselines lie half a capital below the tick.
    let y_of = |label: &str| labels.iter().find(|l| l.0 == label && l.3 == "end").unwrap().2 - 4.3;
    assert!((places[0] - x_of("0")).abs() < 0.05 && (places[20] - x_of("10")).abs() < 0.05);
    assert!((places[1] - y_of("0")).abs() < 0.05 && (places[21] - y_of("300")).abs() < 0.05);
}

#[test]
fn every_label_lies_on_the_page_and_names_stand_in_the_legend() {
    let big: Vec<[f64; 2]> = ramp().iter().map(|[x, y]| [*x, -1e6 * y]).collect();
    let svg = Plot::new()
        .size(400, 420)
        .title("Title & more")
        .panel(
            Panel::new("time (s)", "a (m)")
                .line("one", ramp())
                .markers("two", ramp()),
        )
        .panel(
            Panel::new("time (s)", "b (N)")
                .dashed("three", big)
                .reference("four", ramp()),
        )
        .svg()
        .unwrap();
    let labels = texts(&svg);
    for name in ["one", "two", "three", "four", "Title & more", "a (m)", "b (N)", "×10⁶"] {
        assert_eq!(labels.iter().filter(|l| l.0 == name).count(), 1, "{name}");
    }
    let shared = labels.iter().filter(|l| l.0 == "time (s)").count();
    assert_eq!(shared, 1, "panels that share x name it once");
    for (text, x, y, anchor) in &labels {
        let width = 7.5 * text.chars().count() as f64;
        let left = match anchor.as_str() {
            "start" => 0.0,
            "middle" => 0.5 * width,
            _ => width,
        };
        let is_upward = text.ends_with("(m)") || text.ends_with("(N)");
        if !is_upward {
            assert!(x - left >= 0.0 && x - left + width <= 400.0, "{text} at {x}");
        }
        assert!(*x > 5.0 && *y > 5.0 && *y < 418.0, "{text} at {x}, {y}");
    }
}

#[test]
fn a_bitmap_has_the_size_asked_for_and_the_colour_of_its_series() {
    let plot = Plot::new()
        .size(300, 200)
        .scale(3.0)
        .panel(Panel::new("x", "y").line("a", ramp()));
    let bytes = plot.png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (900, 600));
    let blue = pixels.chunks(4).filter(|p| p[..3] == [0x00, 0x72, 0xb2]).count();
    assert!(blue > 1000, "{blue} pixels in the colour of the series");
    assert_eq!(bytes, plot.png().unwrap(), "the same plot gives the same bytes");
}

#[test]
fn what_cannot_be_plotted_is_an_error_and_odd_data_is_not() {
    assert!(matches!(Plot::new().svg(), Err(OutputError::BadPlot(_))));
    let panel = || Panel::new("x", "y");
    let told = Plot::new()
        .panel(panel().y_range(2.0, 1.0))
        .svg()
        .unwrap_err()
        .to_string();
    assert!(told.contains("`y`") && told.contains('2'), "{told}");
    assert!(Plot::new().panel(panel().log_y().y_range(0.0, 1.0)).svg().is_err());
    assert!(Plot::new().size(10, 10).panel(panel()).svg().is_err());
    assert!(Plot::new().scale(f64::NAN).panel(panel()).png().is_err());
    let crowded = (0..20).fold(Plot::new(), |plot, _| plot.panel(panel()));
    assert!(crowded.svg().unwrap_err().to_string().contains("20 panels"));
    for points in [
        vec![],
        vec![[f64::NAN, 1.0], [f64::INFINITY, 2.0]],
        vec![[1.0, 1.0]],
        vec![[1.0, 0.0], [2.0, 0.0]],
        vec![[1e-300, 1e300], [1e300, -1e300]],
    ] {
        for panel in [panel(), panel().log_x().log_y()] {
            let plot = Plot::new().panel(panel.line("a", points.clone()).markers("b", points.clone()));
            plot.svg().unwrap();
            plot.png().unwrap();
        }
    }
}
