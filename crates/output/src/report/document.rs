//! What a report is made of, and its order.

use drystone_analysis::words::{counted, size};
use drystone_model::{
    Model,
    certificate::{Certificate, ModelReference},
};
use serde_json::Value;

use super::{
    acting,
    page::{Image, Report, Section},
    results,
    texts::{About, ENGLISH, called, fill},
    values,
};
use crate::{
    OutputError,
    picture::{Picture, View},
};

/// Blocks beyond which a picture is smaller as pixels.
const MANY: usize = 1500;
/// Problems of the geometry that are listed one by one.
const MOST_PROBLEMS: usize = 20;
/// Digits of a fingerprint that tell it from others.
const DIGITS: usize = 16;

/// What stands on top of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cover {
    /// Its title; that of the model, where there is none.
    pub title: Option<String>,
    /// What it is for.
    pub project: Option<String>,
    /// Who answers for it.
    pub author: Option<String>,
    /// The day.
    pub date: Option<String>,
}

/// A picture of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it shows: the name of a file that commands leave, without its ending.
    pub name: String,
    /// The picture.
    pub image: Image,
}

/// What a report is made of. What is not there is left out.
#[derive(Clone, Debug, Default)]
pub struct Document<'a> {
    /// What stands on top.
    pub cover: Cover,
    /// The structure in its situation: with the supports, friction, density and gravity asked for; not tilted.
    pub model: Option<&'a Model>,
    /// The model as it was read, for its fingerprint.
    pub as_read: Option<&'a Model>,
    /// Assumptions that differ from those of the model's file: what, and to what.
    pub changed: Vec<(String, String)>,
    /// Axis and angle (degrees) of a tilt.
    pub tilt: Option<([f64; 3], f64)>,
    /// Load cases that act, with their factors.
    pub loads: Vec<(String, f64)>,
    /// How supports move, in words.
    pub motions: Vec<String>,
    /// How it was asked beyond that, in words.
    pub settings: Vec<(String, String)>,
    /// What it is about, and what came out, as `--json` prints it.
    pub about: Option<(About, &'a Value)>,
    /// A check of the same structure beside a run.
    pub beside: Option<&'a Value>,
    /// Forces, as `results.json` has them.
    pub forces: Option<&'a Value>,
    /// Certificates that were accepted, by their files' names.
    pub certificates: Vec<(String, Certificate)>,
    /// Pictures.
    pub figures: Vec<Figure>,
    /// Moments of a run, for paper: when, and what it looked like.
    pub stills: Vec<results::Still>,
    /// Blocks that moved farthest: name, and numbers of `peaks.parquet`.
    pub peaks: Vec<(String, [f64; 4])>,
    /// The command line that asked.
    pub command: Option<String>,
    /// The file beside the report that holds the model as it was read.
    pub model_file: Option<String>,
}

impl Document<'_> {
    /// The page.
    pub fn html(&self) -> Result<String, OutputError> {
        Ok(self.report()?.html())
    }

    fn report(&self) -> Result<Report, OutputError> {
        let name = self.model.map(|m| m.name.as_str()).filter(|name| !name.is_empty());
        let title = self.cover.title.as_deref().or(name).unwrap_or("Structure");
        let mut report = Report::new(title);
        if let Some((about, result)) = self.about {
            let under = ENGLISH.under.iter().find(|(known, _)| *known == about);
            report = report.under(under.map_or("", |(_, text)| text));
            report = self.facts(report);
            let (tone, headline, sentence) = results::headline(about, result);
            report = report.verdict(tone, headline, sentence);
        }
        report = report.section(self.structure()?).section(self.method());
        if let Some(model) = self.model {
            report = report.section(acting::materials(model)).section(acting::loads(
                model,
                self.tilt,
                &self.loads,
                &self.motions,
            ));
        }
        report = report.section(self.results());
        report = report.section(results::peaks(&self.peaks));
        if let Some(beside) = self.beside {
            let (_, headline, sentence) = results::headline(About::Check, beside);
            let section = Section::new(ENGLISH.headings.beside)
                .text(format!("{headline}. {sentence}"))
                .rows(values::rows(beside, &["verdict"]));
            report = report.section(section);
        }
        report = report
            .section(self.geometry())
            .section(self.pictures())
            .section(self.limitations())
            .section(self.again());
        Ok(report)
    }

    fn facts(&self, mut report: Report) -> Report {
        let Cover {
            project, author, date, ..
        } = &self.cover;
        for (name, value) in [
            (ENGLISH.project, project),
            (ENGLISH.author, author),
            (ENGLISH.date, date),
        ] {
            if let Some(value) = value {
                report = report.fact(name, value);
            }
        }
        report = report.fact(ENGLISH.program, format!("drystone {}", env!("CARGO_PKG_VERSION")));
        let reference = self.as_read.or(self.model).and_then(|m| ModelReference::to(m).ok());
        if let Some(reference) = reference {
            let short = reference.fingerprint.get(..DIGITS).unwrap_or_default();
            let blocks = counted(reference.blocks, "block");
            report = report.fact(ENGLISH.model, format!("{}, {blocks}, SHA-256 {short}…", reference.name));
        }
        report
    }

    fn structure(&self) -> Result<Section, OutputError> {
        let texts = &ENGLISH.structure;
        let section = Section::new(ENGLISH.headings.structure);
        let Some(model) = self.model else {
            return Ok(section.text(texts.none));
        };
        let free = model.free_blocks().count();
        let (mut mass, mut volume) = (0.0, 0.0);
        for block in model.free_blocks() {
            let (kg, properties) = model.mass_of(block);
            mass += kg;
            volume += properties.volume;
        }
        let [count, fixed] = [free, model.blocks.len() - free].map(|n| n.to_string());
        let mut section = match model.description.as_str() {
            "" => section,
            text => section.text(text),
        };
        section = section
            .row(texts.blocks, fill(texts.counts, &[&count, &fixed]))
            .row(texts.size, size(model.bounds(|b| !b.fixed || free == 0).size()))
            .row(texts.volume, values::volume(volume))
            .row(texts.mass, values::mass(mass));
        if let Some(reference) = self.as_read.and_then(|m| ModelReference::to(m).ok()) {
            section = section.row(texts.fingerprint, reference.fingerprint);
        }
        let picture = Picture::new(model).size(1400, 800).view(View::default());
        let image = match model.blocks.len() > MANY {
            true => Image::Png(picture.png()?),
            false => Image::Svg(picture.svg()?),
        };
        Ok(section.image(texts.picture, image))
    }

    fn method(&self) -> Section {
        let texts = &ENGLISH.method;
        let mut section = Section::new(ENGLISH.headings.method);
        let Some((about, result)) = self.about else {
            return section;
        };
        if let Some(model) = self.model {
            let deforms = model.blocks.iter().any(|b| model.is_deformable(b));
            section = section.text(if deforms { texts.deformable } else { texts.rigid });
            section = section.text(if acting::is_bonded(model) {
                texts.bonded
            } else {
                texts.joints
            });
        }
        let field = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
        let way = texts.ways.iter().find(|(name, _)| *name == field("method"));
        section = match about {
            About::Check => section,
            About::Limit => section.text(texts.limit),
            About::Tilt => section.text(texts.tilt),
            About::Settle => section.text(texts.settle),
            About::Run if field("integrator") == "explicit" => section.text(texts.explicit),
            About::Run => section.text(texts.implicit),
        };
        if let Some((_, text)) = way {
            section = section.text(*text);
        }
        if about != About::Run {
            section = section.text(texts.proof);
        }
        let changed = self.changed.iter();
        let changed = changed.map(|(what, to)| (format!("{what}, {}", texts.changed), to.clone()));
        section.rows(changed).rows(self.settings.iter().cloned())
    }

    fn results(&self) -> Section {
        let Some((about, result)) = self.about else {
            return Section::new(ENGLISH.headings.results);
        };
        let mut section = results::section(about, result, self.forces);
        for (file, certificate) in &self.certificates {
            let what = format!("{} ({file})", ENGLISH.results.certificate);
            section = section.row(what, certificate.fingerprint.clone());
        }
        if self.certificates.is_empty() && matches!(about, About::Check | About::Limit | About::Tilt) {
            section = section.row(ENGLISH.results.certificate, ENGLISH.results.no_certificate);
        }
        section
    }

    fn geometry(&self) -> Section {
        let problems = self
            .about
            .and_then(|(_, result)| result.get("geometry_problems")?.as_array());
        let messages: Vec<&str> = problems
            .into_iter()
            .flatten()
            .filter_map(|p| p.get("message")?.as_str())
            .collect();
        let mut section = Section::new(ENGLISH.headings.geometry).list(messages.iter().take(MOST_PROBLEMS).copied());
        if let more @ 1.. = messages.len().saturating_sub(MOST_PROBLEMS) {
            section = section.list([fill(ENGLISH.results.more, &[&more.to_string()])]);
        }
        section
    }

    fn pictures(&self) -> Section {
        let mut section = Section::new(ENGLISH.headings.figures);
        for Figure { name, image } in &self.figures {
            // The forces of a limit are those of its lower bound.
            let at_bound = name == "forces" && self.about.is_some_and(|(about, _)| about == About::Limit);
            let name = if at_bound { "forces at the bound" } else { name };
            section = section.image(caption(name), image.clone());
        }
        let stills = self.stills.iter();
        section.pairs(stills.map(|still| (still.caption(), Image::Png(still.png.clone()))))
    }

    fn limitations(&self) -> Section {
        let texts = &ENGLISH.limitations;
        let mut section = Section::new(ENGLISH.headings.limitations);
        let Some((about, result)) = self.about else {
            return section;
        };
        let field = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
        match about {
            About::Run => section = section.list(texts.run.iter().copied()),
            About::Settle => section = section.list(texts.settle.iter().copied()),
            _ => section = section.list(texts.statics.iter().copied()),
        }
        if field("self_stress") == "allowed" || field("friction") == "associated" {
            section = section.list([texts.self_stress]);
        }
        if about == About::Limit && field("friction") == "associated" {
            section = section.list([texts.associated]);
        }
        let left = field("left_out");
        if !left.is_empty() {
            section = section.list([fill(texts.left_out, &[left])]);
        }
        let warnings = result.get("warnings").and_then(Value::as_array).into_iter().flatten();
        section = section.list(warnings.filter_map(Value::as_str));
        section.list(texts.every.iter().copied())
    }

    fn again(&self) -> Section {
        let texts = &ENGLISH.again;
        let mut section = Section::new(ENGLISH.headings.again);
        let mut commands: Vec<String> = self.command.iter().cloned().collect();
        if !commands.is_empty() {
            section = section.text(texts.asked);
        }
        if let Some(file) = &self.model_file {
            section = section.text(fill(texts.model, &[file]));
            if !self.certificates.is_empty() {
                section = section.text(texts.verified);
                let verify = |(name, _): &(String, Certificate)| format!("drystone verify {name} {file}");
                commands.extend(self.certificates.iter().map(verify));
            }
        }
        match commands.is_empty() {
            true => section,
            false => section.code(commands.join("\n")),
        }
    }
}

/// What a picture shows, by its name: `cracks-2` are the cracks after the second stage.
fn caption(name: &str) -> String {
    let numbered = name.rsplit_once('-').filter(|(_, end)| end.parse::<u32>().is_ok());
    match numbered {
        Some((name, number)) => fill(&called(ENGLISH.captions, name), &[number]),
        None => called(ENGLISH.captions, name),
    }
}

/// The day of a time in seconds since 1970, as `2026-11-20`.
fn day(seconds: u64) -> String {
    let mut days = seconds / 86_400;
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// Today (UTC), or the day that `SOURCE_DATE_EPOCH` asks for, as builds that are to be the same again do.
pub fn today() -> String {
    let asked = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse().ok());
    let now = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0, |d| d.as_secs())
    };
    day(asked.unwrap_or_else(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_through_leap_years() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_709_251_199, "2024-02-29"),
            (1_709_251_200, "2024-03-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(seconds), expected);
        }
    }

    #[test]
    fn captions_know_their_stage() {
        assert_eq!(caption("cracks-2"), "Cracks and slips after stage 2.");
        assert_eq!(caption("displacement-x"), "Displacements along x.");
    }
}
