//! `drystone report`: what a folder holds, as a document.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use drystone_output::{
    file::write_atomically,
    report::{Cover, of_folder, pdf, today},
};

use crate::program::{Failure, report::Console};

/// Put what was found into one document that can be handed in
///
/// Reads the folder that check, limit, tilt, settle or simulate left with -o DIR: headline, structure, assumptions and method,
/// materials, loads, results with units and the fingerprints of certificates, figures, limitations, and how to reproduce it. The
/// page needs nothing else and prints on A4.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone check arch.json -o verdict && drystone report verdict -o arch.html
  drystone simulate arch.json --duration 5 -o run && drystone report run --title 'Arch of the mill' --project 2026-17
  drystone limit arch.json --direction 1,0,0 -o limit && drystone report limit --pdf limit.pdf

PDF files are printed by Chromium, Chrome or Edge; DRYSTONE_BROWSER names one that is not found by itself.")]
pub(crate) struct Report {
    /// Folder of results
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write [default: report.html in the folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also print it as a PDF file, by a browser on this machine
    #[arg(long, value_name = "FILE")]
    pdf: Option<PathBuf>,
    /// Title [default: the name of the model]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    project: Option<String>,
    /// Who answers for it
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,
    /// Date [default: today]
    #[arg(long, value_name = "TEXT")]
    date: Option<String>,
}

impl Report {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        if self.pdf.is_some() {
            // Before any work: without one there is no PDF file.
            pdf::browser()?;
        }
        let cover = Cover {
            title: self.title.clone(),
            project: self.project.clone(),
            author: self.author.clone(),
            date: Some(self.date.clone().unwrap_or_else(today)),
        };
        let page = of_folder(&self.folder, cover)?;
        let path = self.output.clone().unwrap_or_else(|| self.folder.join("report.html"));
        write_atomically(&path, page.as_bytes()).map_err(Failure::run)?;
        let mut files = vec![path.display().to_string()];
        if let Some(path) = &self.pdf {
            let place = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let bytes = pdf::print(&page, place.unwrap_or(Path::new(".")))?;
            write_atomically(path, &bytes).map_err(Failure::run)?;
            files.push(path.display().to_string());
        }
        console.result(&json!({ "file": files[0], "pdf": files.get(1) }), || {
            format!("{}  (open it)", files.join("  "))
        })
    }
}
