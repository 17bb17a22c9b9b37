//! One HTML page that needs nothing else: verdict, figures with their units and residuals, pictures.
//!
//! Plain data goes in. Everything that is text is escaped, pictures are embedded, and nothing is fetched from anywhere: the
//! page can be sent and kept.

use std::fmt::Write;

use crate::xml::{base64, escape};

/// What a verdict comes to, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It stands.
    Good,
    /// It does not.
    Bad,
    /// Neither.
    Open,
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
    table: Option<(Vec<String>, Vec<Vec<String>>)>,
    images: Vec<(String, Image)>,
    code: Option<String>,
}

/// A report in the making.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    title: String,
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
        self.table = Some((columns, rows));
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
            && self.table.is_none()
            && self.code.is_none()
    }

    fn write(&self, html: &mut String) {
        let _ = writeln!(html, "<section>\n<h2>{}</h2>", escape(&self.heading));
        for text in &self.text {
            let _ = writeln!(html, "<p>{}</p>", escape(text));
        }
        if !self.rows.is_empty() {
            html.push_str("<table class=\"rows\">\n");
            for [name, value] in &self.rows {
                let _ = writeln!(
                    html,
                    "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
                    escape(name),
                    escape(value)
                );
            }
            html.push_str("</table>\n");
        }
        if let Some((columns, rows)) = &self.table {
            let cells = |tag: &str, values: &[String]| -> String {
                values.iter().map(|v| format!("<{tag}>{}</{tag}>", escape(v))).collect()
            };
            let _ = writeln!(html, "<table>\n<tr>{}</tr>", cells("th", columns));
            for row in rows {
                let _ = writeln!(html, "<tr>{}</tr>", cells("td", row));
            }
            html.push_str("</table>\n");
        }
        if let Some(code) = &self.code {
            let _ = writeln!(html, "<pre>{}</pre>", escape(code));
        }
        for (caption, image) in &self.images {
            let (kind, data) = match image {
                Image::Png(bytes) => ("png", base64(bytes)),
                Image::Gif(bytes) => ("gif", base64(bytes)),
                Image::Svg(text) => ("svg+xml", base64(text.as_bytes())),
            };
            let caption = escape(caption);
            let _ = writeln!(
                html,
                "<figure><img alt=\"{caption}\" src=\"data:image/{kind};base64,{data}\"><figcaption>{caption}</figcaption></figure>"
            );
        }
        html.push_str("</section>\n");
    }
}

const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #1d2126; --soft: #5b636d; --line: #d5dae0; --paper: #fff; --good: #1a7f4b; --bad: #b3261e; --open: #8a6100 }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --soft: #a3acb7; --line: #3a424c; --paper: #16191d; --good: #57c98c; --bad: #ff8a80; --open: #e0b040 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.7rem; margin: 0 0 .5rem } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line) }
.verdict { font-size: 1.3rem; font-weight: 600; margin: 0 } .good { color: var(--good) } .bad { color: var(--bad) } .open { color: var(--open) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid var(--line) }
.rows th { font-weight: 400; color: var(--soft); white-space: nowrap }
pre { font-size: .85rem; white-space: pre-wrap; border-left: 3px solid var(--line); padding-left: 1rem }
figure { margin: 1rem 0 } img { max-width: 100%; background: #fff } figcaption, footer { color: var(--soft); font-size: .9rem }
footer { margin: 3rem 0 } @media print { body { margin: 0 } section { break-inside: avoid } }
";

impl Report {
    /// An empty one.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
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
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        if let Some((tone, word, reason)) = &self.verdict {
            let class = match tone {
                Tone::Good => "good",
                Tone::Bad => "bad",
                Tone::Open => "open",
            };
            let (word, reason) = (escape(word), escape(reason));
            let _ = writeln!(html, "<p class=\"verdict {class}\">{word}</p>\n<p>{reason}</p>");
        }
        self.sections.iter().for_each(|s| s.write(&mut html));
        let _ = writeln!(
            html,
            "<footer>Made by drystone {}. Units are SI, z is up.</footer>\n</body>\n</html>",
            env!("CARGO_PKG_VERSION")
        );
        html
    }
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
        assert!(!html.contains("<script") && !html.contains("\" onload"), "{html}");
        assert!(!html.contains("http://") && !html.contains("https://") && !html.contains(">empty<"));
        assert!(html.contains("data:image/svg+xml;base64,"));
    }
}
