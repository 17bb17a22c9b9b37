//! One HTML page that needs nothing else and prints on A4: verdict, figures with their units, tables, pictures.
//!
//! Plain data goes in. Everything that is text is escaped, pictures are embedded, and nothing is fetched from anywhere: the
//! page can be sent and kept.

use std::fmt::Write;

use super::texts::{ENGLISH, fill};
use crate::xml::{base64, escape};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a verdict comes to, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It stands.
    Good,
    /// It does not.
    Bad,
    /// Neither.
    Open,
    /// What came out is a figure, and neither good nor bad.
    Plain,
}

/// A picture as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Image {
    /// PNG.
    Png(Vec<u8>),
    /// SVG, shown as a picture: scripts in it do not run.
    Svg(String),
    /// GIF.
    Gif(Vec<u8>),
}

/// A part of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    heading: String,
    text: Vec<String>,
    rows: Vec<[String; 2]>,
    list: Vec<String>,
    tables: Vec<(Vec<String>, Vec<Vec<String>>)>,
    images: Vec<(String, Image)>,
    pairs: Vec<(String, Image)>,
    code: Option<String>,
}

/// A report in the making.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    title: String,
    under: String,
    facts: Vec<[String; 2]>,
    verdict: Option<(Tone, String, String)>,
    sections: Vec<Section>,
}

impl Section {
    /// An empty one.
    pub fn new(heading: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            ..Self::default()
        }
    }

    /// A paragraph.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text.push(text.into());
        self
    }

    /// A name and its value, with its unit.
    #[must_use]
    pub fn row(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.rows.push([name.into(), value.into()]);
        self
    }

    /// Names and values, those of them that are there.
    #[must_use]
    pub fn rows<N: Into<String>, V: Into<String>>(mut self, rows: impl IntoIterator<Item = (N, V)>) -> Self {
        let rows = rows.into_iter().map(|(name, value)| [name.into(), value.into()]);
        self.rows.extend(rows);
        self
    }

    /// A table with a heading for each column.
    #[must_use]
    pub fn table(mut self, columns: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        self.tables.push((columns, rows));
        self
    }

    /// A list of points.
    #[must_use]
    pub fn list<T: Into<String>>(mut self, points: impl IntoIterator<Item = T>) -> Self {
        self.list.extend(points.into_iter().map(Into::into));
        self
    }

    /// Small pictures, two in a row.
    #[must_use]
    pub fn pairs(mut self, images: impl IntoIterator<Item = (String, Image)>) -> Self {
        self.pairs.extend(images);
        self
    }

    /// Text as it stands, line by line, as of a file.
    #[must_use]
    pub fn code(mut self, text: impl Into<String>) -> Self {
        self.code = Some(text.into());
        self
    }

    /// A picture and what it shows.
    #[must_use]
    pub fn image(mut self, caption: impl Into<String>, image: Image) -> Self {
        self.images.push((caption.into(), image));
        self
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
            && self.rows.is_empty()
            && self.images.is_empty()
            && self.pairs.is_empty()
            && self.list.is_empty()
            && self.tables.is_empty()
            && self.code.is_none()
    }

    fn write(&self, html: &mut String) {
        let _ = writeln!(html, "<section>\n<h2>{}</h2>", escape(&self.heading));
        for text in &self.text {
            let _ = writeln!(html, "<p>{}</p>", escape(text));
        }
        if !self.list.is_empty() {
            let points: String = self.list.iter().map(|p| format!("<li>{}</li>\n", escape(p))).collect();
            let _ = writeln!(html, "<ul>\n{points}</ul>");
        }
        write_rows(html, &self.rows);
        for (columns, rows) in &self.tables {
            let cells = |tag: &str, values: &[String]| -> String {
                values.iter().map(|v| format!("<{tag}>{}</{tag}>", escape(v))).collect()
            };
            let _ = writeln!(
                html,
                "<div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>",
                cells("th", columns)
            );
            for row in rows {
                let _ = writeln!(html, "<tr>{}</tr>", cells("td", row));
            }
            html.push_str("</table></div>\n");
        }
        if let Some(code) = &self.code {
            let _ = writeln!(html, "<pre>{}</pre>", escape(code));
        }
        for (caption, image) in &self.images {
            image.write(caption, html);
        }
        if !self.pairs.is_empty() {
            html.push_str("<div class=\"pair\">\n");
            for (caption, image) in &self.pairs {
                image.write(caption, html);
            }
            html.push_str("</div>\n");
        }
        html.push_str("</section>\n");
    }
}

impl Image {
    fn write(&self, caption: &str, html: &mut String) {
        let (kind, data) = match self {
            Self::Png(bytes) => ("png", base64(bytes)),
            Self::Gif(bytes) => ("gif", base64(bytes)),
            Self::Svg(text) => ("svg+xml", base64(text.as_bytes())),
        };
        // On paper nothing moves.
        let class = if kind == "gif" { " class=\"moving\"" } else { "" };
        let caption = escape(caption);
        let _ = writeln!(
            html,
            "<figure{class}><img alt=\"{caption}\" src=\"data:image/{kind};base64,{data}\"><figcaption>{caption}</figcaption></figure>"
        );
    }
}

fn write_rows(html: &mut String, rows: &[[String; 2]]) {
    if rows.is_empty() {
        return;
    }
    html.push_str("<table class=\"rows\">\n");
    for [name, value] in rows {
        let (name, value) = (escape(name), escape(value));
        let _ = writeln!(html, "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>");
    }
    html.push_str("</table>\n");
}

const STYLE: &str = include_str!("style.css");

impl Report {
    /// An empty one.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// A line under the title.
    #[must_use]
    pub fn under(mut self, text: impl Into<String>) -> Self {
        self.under = text.into();
        self
    }

    /// A name and its value, above the verdict.
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.facts.push([name.into(), value.into()]);
        self
    }

    /// What came out, in a word or two, and why.
    #[must_use]
    pub fn verdict(mut self, tone: Tone, word: impl Into<String>, reason: impl Into<String>) -> Self {
        self.verdict = Some((tone, word.into(), reason.into()));
        self
    }

    /// A part; one that holds nothing is left out.
    #[must_use]
    pub fn section(mut self, section: Section) -> Self {
        if !section.is_empty() {
            self.sections.push(section);
        }
        self
    }

    /// The page.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let style = STYLE.replace("FOOT", &in_style(&format!("{} · drystone {VERSION}", self.title)));
        let mut html = format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
            ENGLISH.language
        );
        if !self.under.is_empty() {
            let _ = writeln!(html, "<p class=\"under\">{}</p>", escape(&self.under));
        }
        write_rows(&mut html, &self.facts);
        if let Some((tone, word, reason)) = &self.verdict {
            let class = match tone {
                Tone::Good => "good",
                Tone::Bad => "bad",
                Tone::Open => "open",
                Tone::Plain => "plain",
            };
            let (word, reason) = (escape(word), escape(reason));
            let _ = writeln!(html, "<p class=\"verdict {class}\">{word}</p>\n<p>{reason}</p>");
        }
        self.sections.iter().for_each(|s| s.write(&mut html));
        let _ = writeln!(
            html,
            "<footer>{}</footer>\n</body>\n</html>",
            escape(&fill(ENGLISH.foot, &[VERSION]))
        );
        html
    }
}

/// Text as the inside of a string of a style sheet, from which nothing gets out.
fn in_style(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || " .,:;()_+-·".contains(c);
    let one = |c: char| {
        if plain(c) {
            c.to_string()
        } else {
            format!("\\{:x} ", u32::from(c))
        }
    };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup_and_nothing_is_fetched() {
        let hostile = "<script>alert(1)</script>\" onload=\"x";
        let html = Report::new(hostile)
            .verdict(Tone::Bad, hostile, hostile)
            .section(
                Section::new(hostile)
                    .text(hostile)
                    .row(hostile, hostile)
                    .table(vec![hostile.into()], vec![vec![hostile.into()]])
                    .image(hostile, Image::Svg(format!("<svg>{hostile}</svg>"))),
            )
            .section(Section::new("empty"))
            .html();
        assert!(!html.contains("</style><") && html.matches("</style>").count() == 1);
        assert!(!html.contains("<script") && !html.contains("\" onload"), "{html}");
        assert!(!html.contains("http://") && !html.contains("https://") && !html.contains(">empty<"));
        assert!(html.contains("data:image/svg+xml;base64,"));
    }
}
